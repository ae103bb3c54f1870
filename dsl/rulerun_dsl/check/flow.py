"""The whole of the rules: who calls whom, what cannot be reached, what nobody reads.

Assumes: every routine is checked.
Does: hands `you` on through the calls; finds recursion, dead branches, procedures that do not give
on every path, `stop` of what does not run, names that nobody reads.
Leaves behind: `needs_you` of each routine; findings in the world.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from rulerun_dsl import model as m
from rulerun_dsl import structure
from rulerun_dsl import syntax as s
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check import constants, tabular, tree
from rulerun_dsl.check.statements import Statements
from rulerun_dsl.check.typing import shorten
from rulerun_dsl.check.world import World
from rulerun_dsl.nodes import Scalar
from rulerun_dsl.source import Span


def check_flow(rules: Statements, sound: bool) -> None:
    """Run every check of the whole; where the parts are not sound, those that echo nothing."""
    hand_on_you(rules)
    recursion(rules, sound)
    for routine in rules.routines.values():
        if routine.body is not None:
            dead_code(rules.world, routine.body)
            gives(rules, routine)
    stops(rules)
    lives(rules)
    unread(rules, sound)


def children(node: tree.Node) -> Iterator[tree.Node]:
    """The nodes right inside a node."""
    match node:
        case tree.Block(steps=steps):
            yield from steps
        case tree.If(then=then, alternative=alternative):
            yield then
            if alternative is not None:
                yield alternative
        case tree.Loop(body=body) | tree.Until(body=body) | tree.Repeat(body=body):
            yield body
        case tree.Together(body=body) | tree.Phase(body=body):
            yield body
        case tree.Choose(lines=lines, nothing=nothing):
            yield from (line.body for line in lines if line.body is not None)
            if nothing is not None:
                yield nothing


def walk(node: tree.Node) -> Iterator[tree.Node]:
    """A node and all nodes inside it."""
    yield node
    for child in children(node):
        yield from walk(child)


def parts(node: object) -> Iterator[m.Expression]:
    """All expressions in a node, an instruction or an expression, each before its parts."""
    if isinstance(node, m.Expression):
        yield node
    if dataclasses.is_dataclass(node) and not isinstance(node, tree.Node | t.Bool):
        for field in dataclasses.fields(node):
            if field.name not in ("span", "type"):
                yield from _parts_of(getattr(node, field.name))
    elif isinstance(node, tree.Node):
        for field in dataclasses.fields(node):
            value = getattr(node, field.name)
            if field.name != "span" and not isinstance(value, tree.Node):
                yield from _parts_of(value)


def _parts_of(value: object) -> Iterator[m.Expression]:
    if isinstance(value, m.Expression | m.Clause | m.Loop | m.ZoneAt | m.OptionBinder):
        yield from parts(value)
    elif isinstance(value, m.Instruction | tree.Line):
        yield from parts(value)
    elif isinstance(value, tuple):
        for each in value:
            if not isinstance(each, tree.Node) or isinstance(each, tree.Line):
                yield from _parts_of(each)


# ----------------------------------------------------------------------------------- `you`


def hand_on_you(rules: Statements) -> None:
    """A routine needs `you` if it reads it or calls, with its own, one that needs it."""
    changed = True
    while changed:
        changed = False
        for edge in rules.edges:
            caller, callee = rules.routines[edge.caller], rules.routines[edge.callee]
            if callee.needs_you and edge.passes_own and not caller.needs_you:
                caller.needs_you = changed = True
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


def calls(rules: Statements) -> dict[str, set[str]]:
    """Who calls whom."""
    graph: dict[str, set[str]] = {name: set() for name in rules.routines}
    for edge in rules.edges:
        graph[edge.caller].add(edge.callee)
    return graph


def reaches(graph: dict[str, set[str]], start: str, without: str | None = None) -> set[str]:
    """What can be reached from a routine (itself only if it lies on a cycle)."""
    found: set[str] = set()
    stack = [start]
    while stack:
        for each in graph[stack.pop()]:
            if each not in found and each != without:
                found.add(each)
                stack.append(each)
    return found


def cycle_from(graph: dict[str, set[str]], start: str) -> list[str] | None:
    """A shortest cycle through a routine."""
    previous: dict[str, str] = {}
    queue = [start]
    while queue:
        here = queue.pop(0)
        for each in sorted(graph[here]):
            if each == start:
                chain = [here]
                while chain[-1] != start:
                    chain.append(previous[chain[-1]])
                return chain[::-1]
            if each not in previous:
                previous[each] = here
                queue.append(each)
    return None


def recursion(rules: Statements, sound: bool) -> None:
    """Report cycles of calls that no `queued:` procedure cuts."""
    graph = calls(rules)
    whole = {name: set(callees) for name, callees in graph.items()}
    for routine in rules.routines.values():
        if routine.queued:
            for callees in graph.values():
                callees.discard(routine.name)
    reported: set[str] = set()
    for name in graph:
        if name in reported:
            continue
        cycle = cycle_from(graph, name)
        if cycle is None:
            continue
        reported.update(cycle)
        edge = next(
            edge for edge in rules.edges if edge.caller == cycle[-1] and edge.callee == cycle[0]
        )
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
            edge.span,
            help=f"there is no recursion; `queued: 8` on {' or '.join(cutters)} would let the "
            "second call wait its turn"
            if cutters
            else "there is no recursion: let one of them do without the other",
        )
    for routine in rules.routines.values():
        if sound and routine.queued and routine.name not in reaches(whole, routine.name):
            rules.world.report(
                "RR0711",
                f"`{routine.name}` is on no circle of calls: `queued:` changes nothing",
                routine.span,
            )


# -------------------------------------------------------------------------------- dead code


def depends_on_setting(world: World, node: m.Expression) -> bool:
    """May an option or the number of players decide it.

    What a declaration names by itself is enough: the size of a board, the copies of a kind, a
    column or a constant may have been worked out from an option.
    """
    if any(isinstance(each, m.Setting | m.FunctionCall) for each in parts(node)):
        return True
    return not settable(world).isdisjoint(_WORD.findall(node.span.text))


_WORD = re.compile(r"[A-Za-z_]\w*")


def settable(world: World) -> frozenset[str]:
    """The names that options or the number of players give a meaning."""

    def make() -> frozenset[str]:
        outline = world.outline
        found = {each.at.name for each in outline.options}
        low, high = outline.player_range
        if low < high:
            found |= {"players", "player"}
            found |= {each.at.name for each in outline.constants if each.by_count}
        declarations: list[tuple[Any, ...]] = [
            outline.constants,
            outline.types,
            outline.tables,
            outline.boards,
            outline.kinds,
            outline.functions,
            outline.zones,
            outline.variables,
        ]
        waiting = [
            (_names_of(decl), set(_WORD.findall(" ".join(_texts(decl)))))
            for decls in declarations
            for decl in decls
        ]
        changed = True
        while changed:
            rest = [pair for pair in waiting if pair[1].isdisjoint(found)]
            changed = len(rest) < len(waiting)
            found.update(
                *(names for names, mentioned in waiting if not mentioned.isdisjoint(found))
            )
            waiting = rest
        return frozenset(found)

    return world.fact("settable", "names", make, frozenset())


def _names_of(decl: Any) -> set[str]:
    """What a declaration gives a name to: itself, its members and columns."""
    found = {decl.at.name}
    for field in ("columns", "rows"):
        found.update(each.name for each in getattr(decl, field, ()) if hasattr(each, "name"))
    return found


def _texts(value: object) -> Iterator[str]:
    """The words that a declaration is made of, as they are written."""
    if isinstance(value, s.Node):
        yield value.span.text
    elif isinstance(value, Scalar):
        yield value.text
    elif isinstance(value, structure.Source):
        yield from _texts(value.when)
    elif isinstance(value, tuple):
        for each in value:
            yield from _texts(each)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _texts(getattr(value, field.name))


def dead_code(world: World, root: tree.Node) -> None:
    """Report branches whose condition is constant whatever the options, and what follows a stop."""
    for node in walk(root):
        if isinstance(node, tree.If):
            value = constants.value_of(world, node.condition)
            if any(isinstance(each.type, t.Unknown) for each in parts(node.condition)):
                continue
            if isinstance(value, int) and not depends_on_setting(world, node.condition):
                always = "always" if value else "never"
                world.report(
                    "RR0703",
                    f"`{shorten(node.condition.span.text)}` {always} holds",
                    node.condition.span,
                    help="delete the branch that is never taken, or mend the condition",
                )
        if isinstance(node, tree.Block):
            for step, after in zip(node.steps, node.steps[1:], strict=False):
                if leaves(step):
                    world.report(
                        "RR0703",
                        "nothing gets here: what stands before always leaves",
                        after.span,
                    )
                    break


def leaves(node: tree.Node) -> bool:
    """Does a node never go on to what follows it."""
    match node:
        case tree.Stop() | tree.Give():
            return True
        case tree.Leaf(instruction=m.EndGame()):
            return True
        case tree.Block(steps=steps):
            return any(leaves(step) for step in steps)
        case tree.If(then=then, alternative=alternative):
            return alternative is not None and leaves(then) and leaves(alternative)
        case tree.Choose(lines=lines, nothing=nothing):
            # An `also:` line asks again afterwards, whatever it does.
            bodies = [line.body for line in lines if line.main or not line.again]
            if nothing is not None:
                bodies.append(nothing)
            return bool(bodies) and all(body is not None and leaves(body) for body in bodies)
        case tree.Loop(loop=m.Loop(mode="turns"), until=None):
            return True
        case _:
            return False


def gives(rules: Statements, routine: tree.Routine) -> None:
    """A procedure that gives does so on every path."""
    if routine.result is None or routine.body is None or not routine.name:
        return
    if not leaves(routine.body):
        rules.world.report(
            "RR0704",
            f"`{routine.name}` gives a value on some paths only",
            routine.span,
            help="end with `give …` on every path",
        )
    for node in walk(routine.body):
        if isinstance(node, tree.Stop) and node.procedure in (None, routine.name):
            rules.world.report(
                "RR0704", f"`{routine.name}` gives a value: leave it by `give`", node.span
            )


def stops(rules: Statements) -> None:
    """`stop PROC`: it must be running on every path to here."""
    graph = calls(rules)
    for routine in rules.routines.values():
        if routine.body is None:
            continue
        for node in walk(routine.body):
            if not isinstance(node, tree.Stop) or node.procedure is None:
                continue
            target = node.procedure
            if target == routine.name:
                continue
            if routine.name in reaches(graph, "", without=target) or routine.name == "":
                rules.world.report(
                    "RR0705",
                    f"`{target}` need not be running here",
                    node.span,
                    help=f"`stop {target}` may stand only where every way leads through it",
                )


def lives(rules: Statements) -> None:
    """`during: PROC`: a variable means something only while its procedure runs."""
    graph = calls(rules)
    world = rules.world
    for decl in world.outline.variables:
        if decl.during is None:
            continue
        target, name = decl.during.text, decl.at.name
        if target not in world.by_kind["procedure"]:
            world.unknown(target, decl.during.span, "procedure", world.by_kind["procedure"])
            continue
        outside = reaches(graph, "", without=target) | {""}
        for routine in rules.routines.values():
            if routine.body is None or routine.name not in outside:
                continue
            for node in walk(routine.body):
                for part in parts(node):
                    if isinstance(part, m.Variable) and part.name == name:
                        world.report(
                            "RR0713",
                            f"`{name}` lives during `{target}`, which need not be running here",
                            part.span,
                        )


# ----------------------------------------------------------------------------------- unread


def mentioned(world: World) -> Iterable[str]:
    """Declared names that count as read although no expression reads them."""
    for zone in world.outline.zones:
        if zone.refill is not None:
            yield zone.refill.span.text


def written_twice(world: World) -> set[str]:
    """The words that stand in the files more than once."""
    sources = {id(at.span.source): at.span.source for _, at in world.declared.values()}
    words: Counter[str] = Counter()
    for source in sources.values():
        words.update(_WORD.findall(source.text))
    return {word for word, count in words.items() if count > 1}


def spoilt_lines(world: World) -> set[tuple[str, int]]:
    """The lines on which something is wrong already."""
    return {
        (each.span.source.name, each.span.line)
        for each in world.diagnostics
        if each.span is not None
    }


def spoilt(world: World) -> set[str]:
    """The declared names, columns and attributes on whose line something is wrong already."""
    lines = spoilt_lines(world)
    places = [(name, at.span) for name, (_, at) in world.declared.items()]
    outline = world.outline
    for columns in (
        *(each.columns for each in outline.types),
        *(each.columns for each in outline.boards),
        *(each.columns for each in outline.kinds),
    ):
        places += [(column.name, column.span) for column in columns]
    for kind in outline.kinds:
        places += [(name.name, name.name_span) for name, _ in kind.attributes]
        places += [(slot.signature.name, slot.signature.span) for slot in kind.slots]
    return {name for name, span in places if (span.source.name, span.line) in lines}


def unread(rules: Statements, sound: bool) -> None:
    """Report declarations that nothing reads.

    Where the parts are not sound, a name that stands anywhere else in the file counts as read.
    """
    world = rules.world
    graph = calls(rules)
    # What belongs to a module that is off is used when it is on.
    reachable = reaches(graph, "").union(
        world.spare, *(reaches(graph, name) for name in world.spare if name in graph)
    )
    used = world.used | set(mentioned(world))
    if not sound:
        spared = written_twice(world) | spoilt(world)
        used |= spared
        reachable |= spared
    words = {
        "option": "changes nothing",
        "constant": "is read by nothing",
        "type": "is used by nothing",
        "table": "is read by nothing",
        "board": "is used by nothing",
        "kind": "is used by nothing",
        "function": "is called by nothing",
        "action": "is offered by no choice",
    }
    for name, (word, at) in world.declared.items():
        if word in words and name not in used:
            world.report(
                "RR0702",
                f"the {word} `{name}` {words[word]}",
                at.span,
                help="use it or delete it",
            )
        elif word == "procedure" and name not in reachable:
            world.report(
                "RR0702",
                f"the procedure `{name}` is called by nothing",
                at.span,
                help="call it or delete it",
            )
        elif word in ("variable", "zone") and name not in used:
            unread_state(rules, word, name, at)
    for kind in world.by_kind["kind"]:
        decl = tabular.kind_decl(world, kind)
        for slot in decl.slots:
            key = f"slot {slot.signature.span.start}"
            if key not in used and (sound or slot.signature.name not in used):
                does = "runs" if slot.type is None else "asks"
                world.report(
                    "RR0702",
                    f"nothing {does} the rule `{slot.signature.name}` of {kind}",
                    slot.signature.span,
                )
    unread_columns(rules, used, sound)
    often = set() if sound else written_twice(world)
    lines = set() if sound else spoilt_lines(world)
    for span, name, what in (*unread_parameters(world), *unread_locals(rules)):
        if name not in used | often and (span.source.name, span.line) not in lines:
            world.report(
                "RR0702", f"nothing reads the {what}", span, help="use it or delete it"
            )


def unread_parameters(world: World) -> Iterator[tuple[Span, str, str]]:
    """The parameters that nothing reads.

    Those of a procedure may be there for the blocks of modules that stand around it.
    """
    outline = world.outline
    also: dict[str, list[object]] = {}
    for hook in outline.hooks:
        also.setdefault(hook.at.name, []).extend((hook.body, hook.function))
    pairs: list[tuple[s.Signature, list[object]]] = []
    for function in outline.functions:
        body = [function.value, function.subject, function.cases]
        pairs.append((function.signature, [*body, *also.get(function.at.name, ())]))
    for procedure in outline.procedures:
        pairs.append(
            (procedure.signature, [procedure.body, *also.get(procedure.at.name, ())])
        )
    for action in outline.actions:
        line = action.line
        sources = [each.source for each in line.signature.parameters]
        pairs.append((line.signature, [line.conditions, line.body, *sources]))
    for kind in outline.kinds:
        for slot in kind.slots:
            cells = [
                node
                for row in kind.rows
                for key, node in row.values
                if key.text == slot.signature.name
            ]
            pairs.append((slot.signature, [slot.default, *cells]))
    for signature, where in pairs:
        words = set(_WORD.findall(" ".join(_texts(tuple(where)))))
        for parameter in signature.parameters:
            name = parameter.name
            if name != "you" and name not in words:
                yield parameter.span, name, f"parameter `{name}` of `{signature.name}`"


_WRITTEN = frozenset(("target", "result", "variable", "local", "name"))


def reads_of(value: object) -> Iterator[int]:
    """The offsets of the locals that a node reads (to be written is not to be read)."""
    if isinstance(value, m.Local):
        yield value.offset
    elif isinstance(value, tuple):
        for each in value:
            yield from reads_of(each)
    elif dataclasses.is_dataclass(value) and not isinstance(value, s.Node | t.Bool):
        for field in dataclasses.fields(value):
            inside = getattr(value, field.name)
            if field.name in ("span", "type"):
                continue
            if not (field.name in _WRITTEN and isinstance(inside, m.Local)):
                yield from reads_of(inside)


def unread_locals(rules: Statements) -> Iterator[tuple[Span, str, str]]:
    """The `let` locals that nothing reads."""
    for routine in rules.routines.values():
        if routine.body is None:
            continue
        read = set(reads_of(routine.body))
        for node in walk(routine.body):
            target: object = None
            match node:
                case tree.Leaf(instruction=m.Store(target=stored)):
                    target = stored
                case tree.Leaf(instruction=m.MoveSome(result=result)):
                    target = result
                case tree.CallProcedure(result=result):
                    target = result
            if isinstance(target, m.Local) and target.offset not in read:
                let = rules.lets.get(target.offset)
                if let is not None:
                    yield let.name_span, let.name, f"local `{let.name}`"


def unread_columns(rules: Statements, used: set[str], sound: bool) -> None:
    """Report columns and attributes that nothing reads."""
    world = rules.world
    outline = world.outline
    for word, decls in (
        ("type", outline.types), ("board", outline.boards), ("kind", outline.kinds)
    ):
        for decl in decls:
            kept: tuple[str, ...] = ()
            if isinstance(decl, structure.KindDecl) and decl.every is not None:
                kept = decl.every.columns
            for column in decl.columns:
                if (
                    column.name not in kept
                    and column.name != "copies"
                    and not world.is_column_read(column.span)
                    and (sound or column.name not in used)
                ):
                    world.report(
                        "RR0702",
                        f"nothing reads the column `{column.name}` of the {word} `{decl.at.name}`",
                        column.span,
                        help="use it or delete it",
                    )
    for kind in outline.kinds:
        for name, _ in kind.attributes:
            key = f"{kind.at.name}.{name.name}"
            if key in rules.written and any(
                is_seen(zone)
                for zone in outline.zones
                if zone.kind is not None and zone.kind.text == kind.at.name
            ):
                continue
            if f"attribute {key}" not in used and (sound or name.name not in used):
                what = "is changed but never read" if key in rules.written else "is used by nothing"
                world.report(
                    "RR0702", f"the attribute `{name.name}` of {kind.at.name} {what}",
                    name.name_span, help="use it or delete it",
                )


def is_seen(decl: Any) -> bool:
    """May anybody see a zone or variable (as far as is written)."""
    node = decl.visible_here or decl.at.visible
    return node is not None and node.span.text.strip() != "none"


def unread_state(rules: Statements, word: str, name: str, at: structure.Source) -> None:
    """A variable or zone that no rule reads: for people to see, if they may; else an error."""
    world = rules.world
    decl = world.by_kind[word][name]
    if name in rules.written and (is_seen(decl) or word == "zone"):
        return
    if word == "zone" and any(
        kind.start is not None and kind.start.span.text == name for kind in world.outline.kinds
    ):
        return
    what = "is changed but never read" if name in rules.written else "is used by nothing"
    world.report("RR0702", f"the {word} `{name}` {what}", at.span, help="use it or delete it")
