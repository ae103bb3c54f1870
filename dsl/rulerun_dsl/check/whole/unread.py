"""What nobody reads: declarations, parameters, locals and columns.

Unread means unread for every value of every option, since every branch is checked: a module that is
off still uses what it uses. A variable that people may see need not be read by a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts, settable
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole import call_graph
from rulerun_dsl.diagnostics.fixes import Hint, take_out_lines, to_the_left_edge
from rulerun_dsl.model.effects import effects
from rulerun_dsl.source.identifiers import WORD
from rulerun_dsl.source.section_names import indented_section
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def mentioned(world: World) -> Iterable[str]:
    """Declared names that count as read although no expression reads them."""
    for zone in world.outline.zones:
        if zone.refill is not None:
            yield zone.refill.span.text


def words_of(world: World) -> Counter[str]:
    """How often each word stands in the files."""

    def make() -> Counter[str]:
        sources = {id(at.span.source): at.span.source for _, at in world.declared.values()}
        words: Counter[str] = Counter()
        for source in sources.values():
            words.update(WORD.findall(source.text))
        return words

    return world.texts.known("words", make)


def written_twice(world: World) -> set[str]:
    """The words that stand in the files more than once."""
    return {word for word, count in words_of(world).items() if count > 1}


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


def unread(rules: RuleChecker, sound: bool) -> None:
    """Report declarations that nothing reads.

    Where the parts are not sound, a name that stands anywhere else in the file counts as read.
    """
    world = rules.world
    graph = call_graph.calls(rules)
    # What belongs to a module that is off is used when it is on.
    roots = ("", *world.supposed)
    reachable = set(world.supposed).union(
        *(call_graph.reaches(graph, name) for name in roots),
        world.spare,
        *(call_graph.reaches(graph, name) for name in world.spare if name in graph),
    )
    # A section that is indented is called by nobody; what it calls is another matter.
    sections = {
        name
        for name, (_, at) in world.declared.items()
        if name in graph and name not in reachable
        if indented_section(at.span.source, at.span.line) == name
    }
    reachable |= set().union(*(call_graph.reaches(graph, name) for name in sections)) - sections
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
                **_use_or_delete(name, at.span, "use it or delete it"),
            )
        elif word == "procedure" and name not in reachable:
            world.report(
                "RR0702",
                f"the procedure `{name}` is called by nothing",
                at.span,
                **_use_or_delete(name, at.span, "call it or delete it"),
            )
        elif word in ("variable", "zone") and name not in used:
            unread_state(rules, word, name, at, sound)
    for kind in world.by_kind["kind"]:
        decl = facts.kind_decl(world, kind)
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
    parameters = world.texts.known("parameters", lambda: [*unread_parameters(world)])
    for span, name, what in (*parameters, *unread_locals(rules)):
        if name not in used | often and (span.source.name, span.line) not in lines:
            world.report("RR0702", f"nothing reads the {what}", span, help="use it or delete it")


def _use_or_delete(name: str, span: Span, help: str) -> Hint:
    """What to do about a name that nothing uses, which may be a section that is indented."""
    if indented_section(span.source, span.line) == name:
        help += f"; if it is the section `{name}`, begin it at the left edge"
        return {"help": help, "fixes": to_the_left_edge(span)["fixes"]}
    return {"help": help, "fixes": take_out_lines(span, f"`{name}`")}


def unread_parameters(world: World) -> Iterator[tuple[Span, str, str]]:
    """The parameters that nothing reads, and the names that functions give to values.

    Those of a procedure may be there for the blocks of modules that stand around it.
    """
    outline = world.outline
    also: dict[str, list[object]] = {}
    for hook in outline.hooks:
        also.setdefault(hook.at.name, []).extend((hook.body, hook.function))
    pairs: list[tuple[s.Signature, list[object]]] = []
    for function in outline.functions:
        values = [let.value for let in function.lets]
        body = [function.value, function.subject, function.cases, *values]
        pairs.append((function.signature, [*body, *also.get(function.at.name, ())]))
    for procedure in outline.procedures:
        pairs.append((procedure.signature, [procedure.body, *also.get(procedure.at.name, ())]))
    for action in outline.actions:
        line = action.line
        sources = [each.source for each in line.signature.parameters]
        pairs.append((line.signature, [line.around, line.conditions, line.body, *sources]))
    for kind in outline.kinds:
        for slot in kind.slots:
            cells = [
                node
                for row in kind.rows
                for key, node in row.values
                if key.text == slot.signature.name
            ]
            pairs.append((slot.signature, [slot.default, *cells]))
    for function in outline.functions:
        for at, let in enumerate(function.lets, 1):
            later = [each.value for each in function.lets[at:]]
            rest = (function.value, function.subject, function.cases, *later)
            if let.name not in set(WORD.findall(" ".join(settable.texts(rest)))):
                yield let.name_span, let.name, f"name `{let.name}` of `{function.at.name}`"
    for signature, where in pairs:
        words = set(WORD.findall(" ".join(settable.texts(tuple(where)))))
        for parameter in signature.parameters:
            name = parameter.name
            if name != "you" and name not in words:
                yield parameter.span, name, f"parameter `{name}` of `{signature.name}`"


def reads_of(node: tree.Node) -> Iterator[int]:
    """The offsets of the locals that a node reads by itself."""
    writes = effects(node.instruction).writes if isinstance(node, tree.Leaf) else ()
    # To add to a name is not to read it.
    own = [write.target for write in writes if write.target in write.sources]
    for expression in walking.evaluated(node):
        if expression not in own:
            parts = walking.parts(expression)
            yield from (part.offset for part in parts if isinstance(part, m.Local))


def unread_locals(rules: RuleChecker) -> Iterator[tuple[Span, str, str]]:
    """The `let` locals that nothing reads."""
    for routine in rules.routines.values():
        found = partial(_unread_locals_of, rules, routine)
        yield from walking.known_of(routine, "unread locals", found)


def _unread_locals_of(
    rules: RuleChecker, routine: tree.Routine
) -> tuple[tuple[Span, str, str], ...]:
    found: list[tuple[Span, str, str]] = []
    read = {offset for node in walking.within(routine) for offset in reads_of(node)}
    for node in walking.within(routine):
        targets: list[m.Target | None] = []
        if isinstance(node, tree.Leaf):
            targets = [write.target for write in effects(node.instruction).writes]
        elif isinstance(node, tree.CallProcedure):
            targets = [node.result]
        for target in targets:
            if isinstance(target, m.Local) and target.offset not in read:
                let = rules.lets.get(target.offset)
                if let is not None:
                    found.append((let.name_span, let.name, f"local `{let.name}`"))
    return tuple(found)


def is_named(world: World, kind: Any) -> bool:
    """Whether a rule may reach the components of a kind otherwise than by their zone.

    Its name stands where it is declared and with its zones; more may be a rule, as may a row's.
    """
    words = words_of(world)
    name = kind.at.name
    zones = [zone for zone in world.outline.zones if zone.kind and zone.kind.text == name]
    rows = {word for row in kind.rows for word in WORD.findall(row.name)} - {name}
    if kind.every is not None or words[name] > 1 + len(zones):
        return True
    return any(words[word] > 1 for word in rows)


def unread_columns(rules: RuleChecker, used: set[str], sound: bool) -> None:
    """Report columns and attributes that nothing reads."""
    world = rules.world
    outline = world.outline
    for word, decls in (
        ("type", outline.types),
        ("board", outline.boards),
        ("kind", outline.kinds),
    ):
        for decl in decls:
            kept: tuple[str, ...] = ()
            if isinstance(decl, declarations.KindDecl) and decl.every is not None:
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
                    "RR0702",
                    f"the attribute `{name.name}` of {kind.at.name} {what}",
                    name.name_span,
                    help="use it or delete it",
                )


def is_seen(decl: Any) -> bool:
    """May anybody see a zone or variable (as far as is written)."""
    if getattr(decl, "remembers", None) is not None:
        return False  # No screen shows a history.
    node = decl.visible_here or decl.at.visible
    return node is not None and node.span.text.strip() != "none"


def unread_state(
    rules: RuleChecker, word: str, name: str, at: declarations.Source, sound: bool
) -> None:
    """A variable or zone that no rule reads: for people to see, if they may; else an error."""
    world = rules.world
    decl = world.by_kind[word][name]
    if name in rules.written and (is_seen(decl) or word == "zone"):
        return
    starting = (
        []
        if word != "zone"
        else [
            kind
            for kind in world.outline.kinds
            if kind.start is not None and kind.start.span.text.strip() == name
        ]
    )
    if starting:
        lost = [kind.at.name for kind in starting if not is_named(world, kind)]
        # Of what else is wrong here this would be an echo.
        if lost and sound:
            world.report(
                "RR0702",
                f"no rule names the zone `{name}`: the {lost[0]} in it can never be reached",
                at.span,
                help="say what takes them out of it, or delete the zone and what starts in it",
            )
        return
    what = "is changed but never read" if name in rules.written else "is used by nothing"
    fixes = take_out_lines(at.span, f"`{name}`") if name not in rules.written else ()
    message = f"the {word} `{name}` {what}"
    world.report("RR0702", message, at.span, help="use it or delete it", fixes=fixes)
