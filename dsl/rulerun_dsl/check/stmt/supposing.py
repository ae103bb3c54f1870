"""Procedures that a question supposes to have run: `value after PROC(…)`.

Assumes: declarations; procedures are checked when they are first asked for.
Does: checks what the procedure comes to, refuses what no supposition can do (somebody decides, luck
falls, the game ends, a call waits), and gathers what it evaluates on its way, with the arguments of
each call in place of the parameters.
Leaves behind: `SupposedFacts`. That a procedure supposes itself is a circle like any other.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.records import SupposedFacts
from rulerun_dsl.check.env.substituting import Arguments, put_arguments
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.diagnostics.diagnostic import Related
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.effects import Movement, effects
from rulerun_dsl.source.spans import Span


def supposed_facts(rules: RuleChecker, name: str, span: Span) -> SupposedFacts | None:
    """What a question must know of a procedure; None if it depends on the question itself.

    `span` is the place of the question.
    """

    def make() -> SupposedFacts:
        routine = rules.procedure(name)
        reached = _checked(rules, name)
        _circles(rules, name, span, reached)
        _refuse(rules, name, span, reached)
        steps = walking.Steps(rules.world, f"what `{name}` reads")
        parameters = tuple(local for _, _, local in routine.parameters)
        needs_you = any(rules.routines[each].needs_you for each in reached)
        if needs_you:
            parameters = (routine.you, *parameters)
        does = tuple(dict.fromkeys(_evaluated(rules, routine, {}, steps)))
        rules.world.supposed[name] = None
        assert routine.decl is not None
        signature = routine.decl.signature.span.text
        return SupposedFacts(needs_you, routine.explicit_you, parameters, does, signature)

    return rules.world.fact("after", name, make, None, name)


def _checked(rules: RuleChecker, name: str) -> list[str]:
    """A procedure and what it calls, the bodies of all of them checked."""
    reached, waiting = [name], [name]
    while waiting:
        each = waiting.pop()
        if each in rules.pending:
            rules.pending.remove(each)
            rules.check_body(rules, rules.routines[each])
        for edge in rules.edges:
            if edge.caller == each and edge.callee not in reached:
                reached.append(edge.callee)
                waiting.append(edge.callee)
    return reached


def _circles(rules: RuleChecker, name: str, span: Span, reached: list[str]) -> None:
    """Report that the question stands in what it supposes: that is still being checked."""
    for each in reached:
        if rules.routines[each].body is None:
            rules.world.report(
                "RR0701",
                f"`{name}` would be supposed while `{each}` runs, which it comes to",
                span,
                help="there is no recursion: ask the question where the procedure does not run",
            )


def _refuse(rules: RuleChecker, name: str, span: Span, reached: list[str]) -> None:
    """Report what a procedure does that cannot be supposed, each kind once."""
    said: set[str] = set()
    for each in reached:
        routine = rules.routines[each]
        if routine.queued:
            word = "stacked" if routine.stacked else "queued"
            _report(rules, (name, span), f"lets calls wait (`{word}:`)", routine.span, said)
        for node in walking.within(routine):
            why = _cannot(rules, node)
            if why is not None:
                _report(rules, (name, span), why, node.span, said)


def _report(
    rules: RuleChecker, asked: tuple[str, Span], why: str, place: Span, said: set[str]
) -> None:
    name, span = asked
    if why in said:
        return
    said.add(why)
    rules.world.report(
        "RR0740",
        f"`after {name}(…)`: nothing is asked, drawn or ended in a question, and `{name}` {why}",
        span,
        related=(Related(place, "it does so here"),),
        help="put what only moves and assigns into a procedure of its own, and name that one",
    )


def _cannot(rules: RuleChecker, node: tree.Node) -> str | None:
    """Why a node cannot be supposed to have run; None if it can."""
    match node:
        case tree.Choose():
            return "asks somebody"
        case tree.Together():
            return "asks several at once"
        case tree.Leaf(instruction=instruction):
            done = effects(instruction)
            if done.ends:
                return "ends the game"
            if done.shows:
                return "shows something"
            if isinstance(instruction, m.MoveSome):
                return "draws" if any(_draws(rules, each) for each in instruction.sources) else None
            return "leaves something to luck" if done.draws else None
        case _:
            return None


def _draws(rules: RuleChecker, source: m.ZoneAt) -> bool:
    """Whether luck says what leaves a zone next, or what refills it."""
    zone = facts.zone(rules.world, source.zone)
    return zone is not None and zone.order == "random"


def _evaluated(
    rules: RuleChecker, routine: tree.Routine, given: Arguments, steps: walking.Steps
) -> Iterator[m.Expression]:
    """What a routine evaluates, outermost, in terms of whoever calls it."""
    for node in walking.within(routine):
        if not steps.taken(node):
            return
        match node:
            case tree.Leaf(instruction=instruction):
                done = effects(instruction)
                found = (*done.reads, *_moved(rules, done.moves))
            case tree.If(condition=condition) | tree.Until(condition=condition):
                found = (condition,)
            case tree.Loop(loop=loop, until=until):
                some = (loop.source, loop.condition, until)
                found = tuple(each for each in some if each is not None)
            case tree.Repeat(count=count):
                found = (count,)
            case tree.Give(value=value):
                found = (value,)
            case tree.CallProcedure(name=name, arguments=arguments, you=you):
                found = arguments
                yield from _called(rules, (name,), arguments, you, given, steps)
            case tree.CallSlot(procedures=names, arguments=arguments, you=you):
                found = arguments
                yield from _called(rules, names, arguments, you, given, steps)
            case _:
                found = ()
        for each in found:
            yield put_arguments(each, given)


def _moved(rules: RuleChecker, moves: tuple[Movement, ...]) -> Iterator[m.Expression]:
    """What lies where components come from: where they go, it is there to be read."""
    for source in (move.source for move in moves):
        if not isinstance(source, m.ZoneAt):
            continue
        zone = facts.zone(rules.world, source.zone)
        if zone is None:
            continue
        kind = t.Collection(t.Component(zone.kind), False)
        yield m.Members(kind, source.span, source.zone, source.indexes)
        refill = zone.decl.refill
        pile = None if refill is None else facts.zone(rules.world, refill.span.text)
        if refill is not None and pile is not None:
            indexes = source.indexes[: len(pile.indexes)]
            yield m.Members(kind, source.span, refill.span.text, indexes)


def _called(
    rules: RuleChecker,
    names: tuple[str | None, ...],
    arguments: tuple[m.Expression, ...],
    you: m.Expression | None,
    given: Arguments,
    steps: walking.Steps,
) -> Iterator[m.Expression]:
    """What called routines evaluate."""
    for name in dict.fromkeys(names):
        if name is None:
            continue
        routine = rules.routines[name]
        locals_ = [local for _, _, local in routine.parameters]
        pairs = list(zip(locals_, arguments, strict=True))
        if you is not None:
            pairs.append((routine.you, you))
        inner = {local.offset: put_arguments(argument, given) for local, argument in pairs}
        yield from _evaluated(rules, routine, inner, steps)
