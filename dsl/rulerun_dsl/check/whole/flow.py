"""The rules as a whole: who calls whom, what cannot be reached, what nobody reads.

Assumes: every routine is checked.
Does: passes `you` on through the calls; finds recursion, dead branches, procedures that do not give
a value on every path, `stop` of what does not run, names that nobody reads.
Leaves behind: `needs_you` of each routine; findings in the world.
"""

from __future__ import annotations

from itertools import pairwise

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants, settable
from rulerun_dsl.check.env.typing import shorten
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole import call_graph, unread
from rulerun_dsl.diagnostics.diagnostic import Related
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.identifiers import WORD
from rulerun_dsl.source.spans import Span


def check_flow(rules: RuleChecker, sound: bool) -> None:
    """Run every check of the whole; where the parts are not sound, those that echo nothing."""
    hand_on_you(rules)
    recursion(rules, sound)
    stops(rules)
    for routine in rules.routines.values():
        if routine.body is not None:
            dead_code(rules.world, routine.body)
            gives(rules, routine)
    lives(rules)
    if sound:
        signatures(rules)
    unread.unread(rules, sound)


# ----------------------------------------------------------------------------------- `you`


def hand_on_you(rules: RuleChecker) -> None:
    """A routine needs `you` if it reads it or calls, with its own, one that needs it."""
    callers: dict[str, list[str]] = {}
    for edge in rules.edges:
        if edge.passes_own:
            callers.setdefault(edge.callee, []).append(edge.caller)
    waiting = [routine.name for routine in rules.routines.values() if routine.needs_you]
    while waiting:
        for name in callers.get(waiting.pop(), ()):
            if not rules.routines[name].needs_you:
                rules.routines[name].needs_you = True
                waiting.append(name)
    for edge in rules.edges:
        callee = rules.routines[edge.callee]
        if callee.needs_you and not edge.bound:
            rules.world.report(
                "RR0405",
                f"whose `{callee.name}`? no `you` is bound here",
                edge.span,
                help="write `… as PLAYER`, or call it where `you` is bound (`for: you in players`)",
            )


# ------------------------------------------------------------------------------- recursion


def recursion(rules: RuleChecker, sound: bool) -> None:
    """Report cycles of calls that no procedure cuts whose calls wait."""
    graph = call_graph.calls(rules)
    for routine in rules.routines.values():
        if routine.queued:
            for callees in graph.values():
                callees.discard(routine.name)
    reported: set[str] = set()
    looping = call_graph.on_cycles(graph)
    for name in graph:
        if name in reported or name not in looping:
            continue
        cycle = call_graph.cycle_from(graph, name)
        if cycle is None:
            continue
        reported.update(cycle)
        spans: dict[tuple[str, str], Span] = {}
        for edge in rules.edges:
            spans.setdefault((edge.caller, edge.callee), edge.span)
        steps = [(one, other) for one, other in pairwise([*cycle, cycle[0]])]
        cutters = [
            each
            for each in cycle
            if rules.routines[each].decl is not None
            and rules.routines[each].result is None
            and each in rules.world.by_kind["procedure"]
        ]
        rules.world.report(
            "RR0701",
            f"these call each other in a circle: {' -> '.join([*cycle, cycle[0]])}",
            spans[steps[-1]],
            related=tuple(
                Related(spans[step], f"`{step[0]}` calls `{step[1]}` here") for step in steps[:-1]
            ),
            help=f"there is no recursion; `queued: 8` on {' or '.join(cutters)} would let the "
            "second call wait its turn"
            if cutters
            else "there is no recursion: let one of them do without the other",
        )
    looping = call_graph.on_cycles(call_graph.calls_of_all_modules(rules))
    for routine in rules.routines.values():
        if sound and routine.queued and routine.name not in looping:
            rules.world.report(
                "RR0711",
                f"`{routine.name}` is on no circle of calls: "
                f"`{'stacked' if routine.stacked else 'queued'}:` changes nothing",
                routine.span,
            )


# -------------------------------------------------------------------------------- dead code


def depends_on_setting(world: World, node: m.Expression) -> bool:
    """May an option or the number of players decide it.

    What a declaration names by itself is enough: the size of a board, the copies of a kind, a
    column or a constant may have been worked out from an option.
    """
    if any(isinstance(each, m.Setting | m.FunctionCall) for each in walking.parts(node)):
        return True
    return not settable.settable(world).isdisjoint(WORD.findall(node.span.text))


def signatures(rules: RuleChecker) -> None:
    """In one question a name has one list of parameters, whatever the options leave of it."""
    for routine in rules.routines.values():
        for node in walking.within(routine):
            first: dict[str, tuple[tuple[str, ...], Span]] = {}
            for line in node.lines if isinstance(node, tree.Choose) else ():
                found = tuple(shape(each) for each in line.binders)
                other, at = first.setdefault(line.name, (found, line.span))
                if line.name and other != found:
                    rules.world.report(
                        "RR0707",
                        f"`{line.name}` has the parameters ({', '.join(found)}) here and "
                        f"({', '.join(other)}) beside it in one choice",
                        line.span,
                        related=(Related(at, "it has those here"),),
                        help="give one of them another name",
                    )


def shape(binder: m.OptionBinder) -> str:
    """The type of a parameter without its bounds: what makes two action types one."""
    inner = t.bare(binder.local.type)
    several = ""
    if binder.high is not None and isinstance(inner, t.SetOf | t.Multiset):
        several, inner = "several ", t.bare(inner.element)
    return several + ("int" if isinstance(inner, t.Int) else str(inner))


def dead_code(world: World, root: tree.Node) -> None:
    """Report branches whose condition is constant whatever the options, and what follows a stop."""
    for node in walking.walk(root):
        if isinstance(node, tree.If):
            value = constants.value_of(world, node.condition)
            if any(isinstance(each.type, t.Unknown) for each in walking.parts(node.condition)):
                continue
            if isinstance(value, int) and not depends_on_setting(world, node.condition):
                always = "always" if value else "never"
                world.report(
                    "RR0703",
                    f"`{shorten(node.condition.span.text)}` {always} holds",
                    node.condition.span,
                    help="delete the branch that is never taken, or mend the condition",
                )
        if isinstance(node, tree.Repeat):
            times = constants.value_of(world, node.count)
            if isinstance(times, int) and times < 1 and not depends_on_setting(world, node.count):
                world.report(
                    "RR0703",
                    f"`{shorten(node.count.span.text)}` is {times}: this is never done",
                    node.count.span,
                )
        if isinstance(node, tree.Block):
            for step, after in zip(node.steps, node.steps[1:], strict=False):
                if walking.leaves(step):
                    if (step.span.source.name, step.span.line) in unread.spoilt_lines(world):
                        # What leaves here is at fault itself.
                        break
                    world.report(
                        "RR0703",
                        "nothing gets here: what stands before always leaves",
                        after.span,
                    )
                    break


def gives(rules: RuleChecker, routine: tree.Routine) -> None:
    """A procedure that gives does so on every path."""
    if routine.result is None or routine.body is None or not routine.name:
        return
    if not walking.leaves(routine.body):
        rules.world.report(
            "RR0704",
            f"`{routine.name}` gives a value on some paths only",
            routine.span,
            help="end with `give …` on every path",
        )
    for node in walking.within(routine):
        if isinstance(node, tree.Stop) and node.procedure in (None, routine.name):
            rules.world.report(
                "RR0704", f"`{routine.name}` gives a value: leave it by `give`", node.span
            )


def stops(rules: RuleChecker) -> None:
    """`stop PROC`: it must be running on every path to here."""
    graph = call_graph.calls(rules)
    around: dict[str, set[str]] = {}
    for routine in rules.routines.values():
        if routine.body is None:
            continue
        for node in walking.within(routine):
            if not isinstance(node, tree.Stop) or node.procedure is None:
                continue
            target = node.procedure
            if target == routine.name:
                continue
            if target not in around:
                around[target] = call_graph.reaches(graph, "", without=target)
            if routine.name in around[target] or routine.name == "":
                rules.world.report(
                    "RR0705",
                    f"`{target}` need not be running here",
                    node.span,
                    help=f"`stop {target}` may stand only where every way leads through it",
                )


def lives(rules: RuleChecker) -> None:
    """`during: PROC`: a variable means something only while its procedure runs."""
    graph = call_graph.calls(rules)
    world = rules.world
    around: dict[str, set[str]] = {}
    living: dict[str, str] = {}
    for decl in world.outline.variables:
        if decl.during is None:
            continue
        target = decl.during.text
        if target not in world.by_kind["procedure"]:
            world.unknown(target, decl.during.span, "procedure", world.by_kind["procedure"])
            continue
        if target not in around:
            around[target] = call_graph.reaches(graph, "", without=target) | {""}
        living[decl.at.name] = target
    for routine in rules.routines.values() if living else ():
        for node in walking.within(routine):
            parts = list(walking.parts(node))
            # What a supposed procedure reads is read while that runs: its own body says where.
            supposed = {
                id(inner)
                for part in parts
                if isinstance(part, m.After)
                for each in part.does
                for inner in walking.parts(each)
            }
            for part in parts:
                if not isinstance(part, m.Variable) or part.name not in living:
                    continue
                if routine.name in around[living[part.name]] and id(part) not in supposed:
                    world.report(
                        "RR0713",
                        f"`{part.name}` lives during `{living[part.name]}`, which need not be "
                        "running here",
                        part.span,
                    )
