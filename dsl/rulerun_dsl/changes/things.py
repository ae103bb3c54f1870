"""A rules file as a list of things with parts, to be compared by name.

Assumes: an outline.
Does: takes every section apart: what is declared there, under which name, with which parts. A part
that follows from what is written around it (a visibility, the default of a column) is written out.
Leaves behind: `Thing` values, each once by sort, place and name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rulerun_dsl.changes.plain import TELLS, key_of, node_shown, one_line, shown
from rulerun_dsl.changes.written_steps import (
    Step,
    function_steps,
    loops_of,
    node_steps,
    steps_of,
)
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar


@frozen
class Part:
    """A part of a thing: a value, steps, or names whose order counts."""

    name: str
    key: str
    text: str
    steps: tuple[Step, ...] = ()
    order: tuple[str, ...] = ()
    understood: bool = False
    """Whether it is written nowhere: the default of a column."""


@frozen
class Thing:
    """Something that is declared. `key` is all there is to it, what is inside it as well."""

    sort: str
    within: str
    name: str
    parts: tuple[Part, ...]
    key: str
    span: Span | None


def things_of(outline: d.Outline) -> tuple[Thing, ...]:
    """All things of a rules file, in the order of its sections."""
    found = [
        _game(outline),
        *(Thing("player", "", each.text, (), "", each.span) for each in outline.players),
        *map(_option, outline.options),
        *map(_variant, outline.variants),
        *(_alone("constraint", each.condition, each.span) for each in outline.constraints),
        *map(_constant, outline.constants),
        *(thing for each in outline.types for thing in _type(each)),
        *map(_table, outline.tables),
        *map(_board, outline.boards),
        *(thing for each in outline.kinds for thing in _kind(each)),
        *map(_zone, outline.zones),
        *map(_variable, outline.variables),
        *map(_automa, outline.automata),
        _setup(outline),
        *(thing for each in outline.phases for thing in _phase(each, "")),
        *map(_action, outline.actions),
        *map(_procedure, outline.procedures),
        *map(_function, outline.functions),
        *map(_hook, outline.hooks),
        *_scoring(outline.scoring),
        *(_always(name, condition) for name, condition in outline.always),
    ]
    return tuple(_told_apart(found))


def _told_apart(things: Iterable[Thing]) -> Iterator[Thing]:
    """Things of one name (hooks of several modules), each with its number."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for each in things:
        identity = (each.sort, each.within, each.name)
        seen[identity] += 1
        many = seen[identity]
        yield each if many == 1 else replace(each, name=f"{each.name} ({many})")


def _part(name: str, value: object, text: str | None = None) -> Part:
    return Part(name, key_of(value), shown(value) if text is None else text)


def _parts(**values: object) -> Iterator[Part]:
    """Those parts that are there."""
    for name, value in values.items():
        if value is not None and value != "" and value != () and value is not False:
            label = name.rstrip("_").replace("_", " ")
            yield _part(label, value) if value is not True else Part(label, "yes", "yes")


def _steps(steps: Iterable[Step], name: str = "") -> Part:
    lines = tuple(steps)
    return Part(name, "\n".join(f"{each.depth} {each.key}" for each in lines), "", lines)


def _names(name: str, names: Iterable[str]) -> Part:
    return Part(name, "", "", (), tuple(names))


def _listed(name: str, values: Iterable[object]) -> Iterator[Part]:
    many = tuple(values)
    if many:
        yield Part(name, key_of(many), ", ".join(map(shown, many)))


def _conditions(conditions: tuple[object, ...]) -> Iterator[Part]:
    """One a line: of many, those that differ are shown."""
    if conditions:
        yield _steps((Step(0, shown(each), key_of(each)) for each in conditions), "when")


def _declared(sort: str, decl: object, at: d.Source, parts: Iterable[Part]) -> Thing:
    whole = (*parts, *_parts(only_when=at.when))
    return Thing(sort, "", at.name, whole, key_of(decl), at.span)


def _of_parts(parts: Iterable[Part]) -> str:
    """All there is to a thing that is no more than its parts."""
    return ", ".join(f"{each.name}: {each.key}" for each in parts)


def _alone(sort: str, condition: object, span: Span) -> Thing:
    """A thing that has no name but what it says."""
    return Thing(sort, "", shown(condition), (), key_of(condition), span)


def _game(outline: d.Outline) -> Thing:
    least, most = outline.player_range
    parts = [
        Part("name", outline.name, outline.name),
        Part("version of the language", str(outline.language), str(outline.language)),
        Part(
            "how many play", f"{least} {most}", f"{least}" if least == most else f"{least}..{most}"
        ),
        *(
            [_names("order of the players", (each.text for each in outline.players))]
            if outline.players
            else []
        ),
        *(
            Part(f"limit of {each.key.text}", key_of(each.value), node_shown(each.value))
            for each in outline.limits or ()
        ),
        *_listed("modules only when", outline.whens),
    ]
    return Thing("game", "", "", tuple(parts), _of_parts(parts), None)


def _option(each: d.OptionDecl) -> Thing:
    parts = [
        *_listed("values", each.members),
        *_parts(type=each.type, default=each.default, only_if=each.only_if),
    ]
    return _declared("option", each, each.at, parts)


def _variant(each: d.VariantDecl) -> Thing:
    parts = [_part(key.text, value) for key, value in each.values]
    return _declared("variant", replace(each, values=()), each.at, parts)


def _constant(each: d.ConstantDecl) -> Thing:
    parts = [
        *_parts(value=each.value),
        *(_part(f"with {many} players", value) for many, value in each.by_count),
    ]
    return _declared("constant", each, each.at, parts)


def _columns(columns: Iterable[d.Column]) -> Iterator[Part]:
    for each in columns:
        value = (each.indexes, each.type)
        indexes = f" by {', '.join(map(shown, each.indexes))}" if each.indexes else ""
        yield _part(f"column {each.name}", value, shown(each.type) + indexes)


def _rows(
    sort: str, within: str, columns: tuple[d.Column, ...], rows: tuple[d.RowDecl, ...]
) -> Iterator[Thing]:
    for row in rows:
        parts: dict[str, Part] = {}
        listed = row.listed or ()
        names = [each.name for each in columns]
        names += [f"value {at + 1}" for at in range(len(names), len(listed))]
        given: list[tuple[str, Node]] = list(zip(names, listed, strict=False))
        given += [(key.text, value) for key, value in row.values]
        for name, node in given:
            if isinstance(node, Scalar):
                parts[name] = _part(name, node)
            else:
                parts[name] = _steps(node_steps(node), name)
        for column in columns:
            if column.name not in parts and column.default is not None:
                text = shown(column.default)
                part = _part(column.name, Scalar(text, text, row.span), text)
                parts[column.name] = replace(part, understood=True)
        whole = (*parts.values(), *_parts(only_when=row.when))
        yield Thing(sort, within, row.name, whole, _of_parts(whole), row.span)


def _nameless(rows: tuple[d.RowDecl, ...]) -> tuple[d.RowDecl, ...]:
    """Rows by which one knows again what has them, whatever they are called."""
    return tuple(replace(each, name="") for each in rows)


def _type(each: d.TypeDecl) -> Iterator[Thing]:
    parts = [
        *_parts(type=each.alias),
        *(
            [_names("order of the values", (one.text for one in each.members))]
            if each.members
            else []
        ),
        *_columns(each.columns),
        *([_names("order of the rows", (row.name for row in each.rows))] if each.rows else []),
    ]
    bare = replace(each, members=(), rows=_nameless(each.rows))
    yield _declared("type", bare, each.at, parts)
    for value in each.members:
        yield Thing("value", each.at.name, value.text, (), "", value.span)
    yield from _rows("row", each.at.name, each.columns, each.rows)


def _table(each: d.TableDecl) -> Thing:
    parts = [*_listed("by", each.by), *_parts(type=each.type)]
    for at, (key, value) in enumerate(each.rows):
        name = f"row {at + 1}" if key is None else f"at {shown(key)}"
        parts.append(_part(name, value))
    return _declared("table", each, each.at, parts)


def _board(each: d.BoardDecl) -> Thing:
    kept = tuple(entry for entry in each.node if entry.key.text not in TELLS)
    node = Mapping(kept, each.node.span)
    return _declared("board", replace(each, node=node), each.at, [_steps(node_steps(node))])


def _kind(each: d.KindDecl) -> Iterator[Thing]:
    parts = [
        *_parts(each=each.each, like=each.like, start=each.start, copies=each.copies),
        *_columns(each.columns),
        *([Part("rows", key_of(each.every), shown(each.every))] if each.every else []),
        *(_part(f"rule {slot.signature.name}", slot, shown(slot.signature)) for slot in each.slots),
        *(
            _part(f"state {name.name}", (name, declared), shown(declared))
            for name, declared in each.attributes
        ),
        *([_names("order of the rows", (row.name for row in each.rows))] if each.rows else []),
    ]
    yield _declared("component", replace(each, rows=_nameless(each.rows)), each.at, parts)
    yield from _rows("row", each.at.name, each.columns, each.rows)


def _zone(each: d.ZoneDecl) -> Thing:
    parts = [
        *_listed("for each", each.indexes),
        *_parts(
            of=each.kind,
            holds_one=each.one,
            visible=each.visible_here or each.at.visible,
            count=each.count,
            order=each.order,
            holds=each.holds,
            refill=each.refill,
            reshuffle=each.reshuffle,
        ),
    ]
    return _declared("zone", _seen_by(each), each.at, parts)


def _variable(each: d.VariableDecl) -> Thing:
    remembers = each.remembers
    parts = [
        *_listed("for each", each.indexes),
        *_parts(
            type=each.type,
            start=each.start,
            visible=each.visible_here or each.at.visible,
            stops_at_its_end=each.clamp,
            during=each.during,
        ),
        *_listed("only", each.only),
        *(_listed("remembers", remembers.of) if remembers else ()),
        *(_parts(positions=remembers.holds) if remembers else ()),
    ]
    return _declared("variable", _seen_by(each), each.at, parts)


def _seen_by(each: d.ZoneDecl | d.VariableDecl) -> object:
    """The declaration as if its visibility were written there, not around it."""
    visible = each.visible_here or each.at.visible
    return replace(each, visible_here=visible, at=replace(each.at, visible=None))


def _automa(each: d.AutomaDecl) -> Thing:
    name = each.name
    return Thing("automa", "", name.text, tuple(_parts(only_when=each.when)), "", name.span)


def _setup(outline: d.Outline) -> Thing:
    part = _steps(steps_of(outline.setup))
    return Thing("setup", "", "", (part,), key_of(outline.setup), None)


def _phase(each: d.PhaseDecl, within: str) -> Iterator[Thing]:
    parts = [
        *(_part(word, value) for word, value in loops_of(each)),
        _steps(steps_of(each.body)),
        *(
            [_names("order of the phases", (one.at.name for one in each.phases))]
            if each.phases
            else []
        ),
    ]
    whole = _declared("phase", each, each.at, parts)
    yield replace(whole, within=within)
    path = f"{within} {each.at.name}".strip()
    for one in each.phases:
        yield from _phase(one, path)


def _signed(each: d.ProcedureDecl | d.FunctionDecl | d.ActionDecl) -> Iterator[Part]:
    signature = each.line.signature if isinstance(each, d.ActionDecl) else each.signature
    yield from _listed("takes", signature.parameters)
    yield from _parts(if_=signature.condition)


def _action(each: d.ActionDecl) -> Thing:
    line = each.line
    parts = [
        *_signed(each),
        *_conditions((*line.around, *line.conditions)),
        *_listed("in", each.groups),
        _steps(steps_of(line.body)),
    ]
    return _declared("action", each, each.at, parts)


def _procedure(each: d.ProcedureDecl) -> Thing:
    waiting = {"stacked" if each.stacked else "queued": each.queued}
    parts = [*_signed(each), *_parts(**waiting), _steps(steps_of(each.body))]
    return _declared("procedure", each, each.at, parts)


def _function(each: d.FunctionDecl) -> Thing:
    return _declared("function", each, each.at, [*_signed(each), _steps(function_steps(each))])


def _hook(each: d.HookDecl) -> Thing:
    steps = function_steps(each.function) if each.function else steps_of(each.body)
    parts = [*_listed("takes", each.signature.parameters), _steps(steps)]
    thing = _declared("hook", replace(each, at=replace(each.at, when=each.when)), each.at, parts)
    return replace(thing, name=f"{each.word} {each.at.name}")


def _scoring(each: d.ScoringDecl) -> Iterator[Thing]:
    span = each.span
    parts = [
        *_parts(equal=each.equal, out=each.out, winner=each.winner),
        *([_steps(function_steps(each.returns), "returns")] if each.returns else []),
    ]
    yield Thing("scoring", "", "", tuple(parts), key_of(replace(each, points=(), ties=())), span)
    for sort, lines in (("points", each.points), ("tie", each.ties)):
        for line in lines:
            value, when = _of_module(line.value)
            whole = tuple(_parts(value=value, only_when=when))
            yield Thing(sort, "", one_line(line.label), whole, key_of(line), value.span)
    if len(each.ties) > 1:
        order = (_names("order of the ties", (line.label for line in each.ties)),)
        yield Thing("scoring", "", "ties", order, "", span)


def _of_module(value: s.Expression) -> tuple[s.Expression, s.Expression | None]:
    """What a line counts, and the condition of its module, which does not stand in the line."""
    if isinstance(value, s.IfElse) and value.span == value.value.span:
        return value.value, value.condition
    return value, None


def _always(name: str, condition: object) -> Thing:
    span: Span = condition.span  # type: ignore[attr-defined]
    return Thing(
        "always", "", one_line(name), tuple(_parts(value=condition)), key_of(condition), span
    )
