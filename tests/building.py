"""Small games, put together by hand: models for the tests of what runs them.

`Builder` numbers what a loader would: zones, slots, locals, labels. A test says what there is and
writes the code as a list of instructions, with labels as strings where an instruction wants the
number of another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rulerun_dsl import model
from rulerun_dsl.model import OWNER, VIEWER, Game
from rulerun_dsl.model.valuetypes import (
    Bool,
    Collection,
    Component,
    Int,
    Multiset,
    Optional,
    Order,
    Player,
    Row,
    Type,
)
from rulerun_dsl.source.spans import Source, Span

SOURCE = Source("rules.yaml", "")
NOWHERE = Span(SOURCE, 0, 0)
INT = Int(-1000, 1000)


def span(text: str) -> Span:
    """A place where just this is written."""
    source = Source("rules.yaml", text)
    return Span(source, 0, len(text))


# ---------------------------------------------------------------------------- expressions


def num(value: int | None, type_: Type = INT) -> model.Literal:
    return model.Literal(type_, span(str(value)), value)


def reg(index: int, type_: Type = INT, text: str = "x") -> model.Register:
    return model.Register(type_, span(text), index)


def add(left: Any, right: Any, operator: str = "+") -> model.Arithmetic:
    text = f"{left.span.text} {operator} {right.span.text}"
    return model.Arithmetic(INT, span(text), operator, left, right)


def cmp(left: Any, operator: str, right: Any) -> model.Comparison:
    text = f"{left.span.text} {operator} {right.span.text}"
    return model.Comparison(Bool(), span(text), operator, left, right)


def every(*operands: Any) -> model.And:
    return model.And(Bool(), span(" and ".join(each.span.text for each in operands)), operands)


def values(low: Any, high: Any, type_: Any = INT) -> model.Values:
    text = f"{low.span.text}..{high.span.text}"
    return model.Values(Collection(type_, True), span(text), low, high)


def quantifier(
    word: str,
    register: int,
    source: Any,
    condition: Any = None,
    value: Any = None,
    keys: Sequence[Any] = (),
    number: Any = None,
    type_: Type = INT,
) -> model.Quantifier:
    clause = model.Clause(register, source, condition)
    text = f"{word}({source.span.text})"
    return model.Quantifier(type_, span(text), word, (clause,), value, tuple(keys), number)


TRUE = num(1, Bool())
FALSE = num(0, Bool())
OWNERS = model.Comparison(
    Bool(), span("owner"), "==", reg(VIEWER, Player(), "viewer"), reg(OWNER, Player(), "owner")
)
VISIBLE = {"all": TRUE, "none": FALSE, "owner": OWNERS}


class Builder:
    """Collects the parts of a small game; `game()` puts them together."""

    def __init__(self, *players: str) -> None:
        self.players = players or ("yarg", "applewood")
        self.kinds: list[model.Kind] = []
        self.zones: list[model.ZoneFamily] = []
        self.variables: list[model.StateVariable] = []
        self.functions: list[model.Function] = []
        self.boards: list[model.Board] = []
        self.enumerations: list[model.Enumeration] = []
        self.actions: list[model.ActionType] = []
        self.phases: list[model.Phase] = []
        self.locals: dict[str, model.Local] = {}
        self.procedures: list[model.Procedure] = []
        self.code: list[Any] = []
        self.labels: dict[str, int] = {}
        self.scoring = model.Scoring(0, (), (), None, "tied", None, None, None)
        self.steps = 10_000
        self.known: tuple[str, ...] = ()
        self._offset = 1
        self._register = 2
        self._queue = 0
        self._draws = 0
        self._slots_of: dict[str, list[int]] = {}
        self.local("__return", INT)

    # ------------------------------------------------------------------------ declarations

    def kind(
        self,
        name: str,
        rows: Sequence[str],
        copies: int = 1,
        counted: bool = False,
        each_player: bool = False,
        zones: Sequence[str] = (),
        state: Sequence[tuple[str, Type, int | None]] = (),
    ) -> Component:
        owners = len(self.players) if each_player else 1
        attributes = tuple(
            model.AttributeInfo(attribute, type_, (start,) * len(rows))
            for attribute, type_, start in state
        )
        self.kinds.append(
            model.Kind(
                name=name,
                rows=tuple(rows),
                owner=Player() if each_player else None,
                owners=owners,
                copies=(copies,) * len(rows) * owners,
                counted=counted,
                attributes=attributes,
                zones=tuple(zones),
                columns=(),
            )
        )
        return Component(name)

    def zone(
        self,
        name: str,
        kind: str,
        per_player: bool = False,
        order: str = "",
        one: bool = False,
        holds: int = 0,
        visible: str = "all",
        count: str = "all",
        refill: model.ZoneAt | None = None,
        start: Sequence[tuple[int, int, int]] = (),
    ) -> None:
        base = sum(family.instances for family in self.zones)
        total = sum(next(each for each in self.kinds if each.name == kind).copies)
        self.zones.append(
            model.ZoneFamily(
                name=name,
                kind=kind,
                indexes=(Player(),) if per_player else (),
                lows=(0,) if per_player else (),
                sizes=(len(self.players),) if per_player else (),
                base=base,
                order=order,
                one=one,
                holds=1 if one else holds or total,
                visible=VISIBLE[visible],
                count_visible=VISIBLE[count],
                refill=refill,
                start=tuple((base + at, class_, many) for at, class_, many in start),
                span=span(name),
            )
        )

    def variable(
        self,
        name: str,
        type_: Type,
        start: int | Sequence[int] | None = 0,
        per_player: bool = False,
        visible: str = "all",
        during: str | None = None,
    ) -> None:
        many = len(self.players) if per_player else 1
        starts = tuple(start) if isinstance(start, list | tuple) else (start,) * many
        self.variables.append(
            model.StateVariable(
                name=name,
                type=type_,
                indexes=(Player(),) if per_player else (),
                lows=(0,) if per_player else (),
                sizes=(many,) if per_player else (),
                start=starts,  # type: ignore[arg-type]  # whole numbers or none
                visible=VISIBLE[visible],
                clamp=False,
                during=during,
                span=span(name),
            )
        )

    def local(self, name: str, type_: Type, procedure: str = "game") -> model.Local:
        made = model.Local(type_, span(name), self._offset, name)
        self._slots_of.setdefault(procedure, []).append(self._offset)
        self._offset += len(self.players) if isinstance(type_, Order) else 1
        self.locals[name] = made
        return made

    def register(self, type_: Type = INT, text: str = "x") -> model.Register:
        self._register += 1
        return reg(self._register - 1, type_, text)

    def function(self, name: str, parameters: Sequence[model.Register], body: Any) -> int:
        registers = tuple(parameter.index for parameter in parameters)
        self.functions.append(model.Function(name, registers, body, span(name)))
        return len(self.functions) - 1

    def procedure(
        self,
        name: str,
        parameters: Sequence[model.Local] = (),
        result: Type | None = None,
        queued: int = 0,
    ) -> int:
        """A procedure whose code begins at the label of its name."""
        back = self.local(f"__back_{name}", INT, name)
        width = queued * (1 + len(parameters))
        slots = {*self._slots_of.get(name, ()), *(each.offset for each in parameters)}
        self.procedures.append(
            model.Procedure(
                name=name,
                entry=name,  # type: ignore[arg-type]  # a label
                parameters=tuple(parameters),
                slots=tuple(sorted(slots)),
                return_slot=back.offset,
                result_type=result,
                span=span(name),
                queued=queued,
                queue_base=self._queue if queued else -1,
            )
        )
        self._queue += width
        return len(self.procedures)

    def action(self, name: str, *domains: model.Domain) -> int:
        base = self.actions[-1].base + self.actions[-1].size if self.actions else 0
        size = 1
        for domain in domains:
            size *= domain.size
        self.actions.append(model.ActionType(name, domains, base, size))
        return len(self.actions) - 1

    def domain(self, kind: str, **facets: Any) -> model.Domain:
        rows = next(each for each in self.kinds if each.name == kind).rows
        return model.Domain(Component(kind), 0, len(rows), rows, **facets)

    def numbers(self, low: int, high: int) -> model.Domain:
        texts = tuple(str(value) for value in range(low, high + 1))
        return model.Domain(Int(low, high), low, high - low + 1, texts)

    # ------------------------------------------------------------------------- expressions

    def var(self, name: str, *indexes: Any) -> model.Variable:
        variable = next(each for each in self.variables if each.name == name)
        texts = ", ".join("all" if index is None else index.span.text for index in indexes)
        text = f"{name}[{texts}]" if indexes else name
        return model.Variable(variable.type, span(text), name, indexes)

    def members(self, zone: str, *indexes: Any) -> model.Members:
        family = next(each for each in self.zones if each.name == zone)
        texts = ", ".join("all" if index is None else index.span.text for index in indexes)
        text = f"{zone}[{texts}]" if indexes else zone
        type_ = Collection(Component(family.kind), family.order in ("stack", "queue"))
        return model.Members(type_, span(text), zone, indexes)

    def at(self, zone: str, *indexes: Any) -> model.ZoneAt:
        return model.ZoneAt(zone, indexes, self.members(zone, *indexes).span)

    def count(self, zone: str, *indexes: Any) -> model.Quantifier:
        return quantifier("count", self.register().index, self.members(zone, *indexes))

    def row(self, component: Any, kind: str) -> model.RowOf:
        return model.RowOf(Row(kind), span(f"{component.span.text}.kind"), kind, component)

    # -------------------------------------------------------------------------------- code

    def label(self, name: str) -> None:
        self.labels[name] = len(self.code)

    def do(self, *instructions: model.Instruction) -> None:
        self.code.extend(instructions)

    def store(self, target: Any, value: Any, operator: str = "=") -> None:
        text = f"{target.span.text} {operator} {value.span.text}"
        self.do(model.Store(span(text), target, operator, value))

    def choose(self, player: Any, *options: model.Option, **more: Any) -> None:
        settings: dict[str, Any] = {
            "narrowing": (),
            "ask": (),
            "visible": None,
            "forced": False,
            "otherwise": None,
        }
        settings.update(more)
        self.do(model.Choose(span("choose"), player, options, **settings))

    def option(
        self,
        action: int,
        to: str,
        binders: Sequence[model.OptionBinder] = (),
        conditions: Sequence[Any] = (),
        **more: Any,
    ) -> model.Option:
        return model.Option(action, tuple(binders), tuple(conditions), to, **more)  # type: ignore[arg-type]  # a label

    def binder(self, name: str, source: Any, type_: Type, **bounds: Any) -> model.OptionBinder:
        local_type = Multiset(type_) if bounds else type_  # type: ignore[arg-type]  # scalars
        local = self.locals.get(name) or self.local(name, local_type)
        return model.OptionBinder(name, self.register().index, local, source, **bounds)

    def unless(self, condition: Any, to: str) -> None:
        self.do(model.Unless(condition.span, condition, to))  # type: ignore[arg-type]  # a label

    def jump(self, to: str) -> None:
        self.do(model.Jump(span("jump"), to))  # type: ignore[arg-type]  # a label

    def loop(self, mode: str, variable: model.Local, source: Any, condition: Any = None) -> Any:
        """The plan of a loop over three new slots."""
        made = [self.local(f"__{variable.name}{at}", INT).offset for at in range(3)]
        return model.Loop(mode, variable, made[0], made[1], made[2], source, condition)

    def pass_(self, loop: model.Loop, top: str, done: str) -> None:
        """Begin a loop: its start, the label of its test, its test."""
        self.do(model.LoopStart(span("for"), loop))
        self.label(top)
        self.do(model.LoopNext(span("for"), loop, done))  # type: ignore[arg-type]  # a label

    def together(self, variable: model.Local, body: str, done: str) -> None:
        players = values(num(0, Player()), num(len(self.players) - 1, Player()), Player())
        self.do(model.TogetherStart(span("together"), players, variable, body, done))  # type: ignore[arg-type]  # labels

    def together_end(self, done: str) -> None:
        self.do(model.TogetherEnd(span("end"), done))  # type: ignore[arg-type]  # a label

    def move(self, component: Any, to: model.ZoneAt) -> None:
        name = component if isinstance(component, model.Local) else None
        text = f"move {component.span.text} to {to.span.text}"
        self.do(model.MoveOne(span(text), component, to, name))

    def draw(
        self,
        quantity: Any,
        sources: Sequence[model.ZoneAt],
        to: model.ZoneAt,
        up_to: bool = False,
        **more: Any,
    ) -> None:
        self._draws += 1
        left = self.local(f"__left{self._draws}", INT).offset
        settings: dict[str, Any] = {"result": None, **more}
        text = f"move {quantity.span.text} from {sources[0].span.text} to {to.span.text}"
        self.do(model.MoveSome(span(text), quantity, up_to, tuple(sources), to, left, **settings))

    # -------------------------------------------------------------------------------- game

    def game(self) -> Game:
        """The game, its labels resolved and its slots laid out."""
        self.code.append(model.EndGame(span("end"), None))
        code = tuple(self._resolved(node) for node in self.code)
        main = model.Procedure(
            name="game",
            entry=0,
            parameters=(),
            slots=tuple(self._slots_of["game"]),
            return_slot=self.locals["__return"].offset,
            result_type=None,
            span=span("game"),
        )
        procedures = [main, *(self._resolved(each) for each in self.procedures)]
        return Game(
            name="small",
            title="Small",
            language=1,
            fingerprint="",
            players=self.players,
            options=(),
            enumerations=tuple(self.enumerations),
            kinds=tuple(self.kinds),
            boards=tuple(self.boards),
            zones=tuple(self.zones),
            variables=tuple(self.variables),
            functions=tuple(self.functions),
            procedures=tuple(procedures),
            phases=tuple(self._resolved(each) for each in self.phases),
            code=code,
            registers=self._register,
            actions=tuple(self.actions),
            scoring=self.scoring,
            always=(),
            decisions=1000,
            steps=self.steps,
            layout=self._layout(code),
        )

    def _resolved(self, node: Any) -> Any:
        """A node with the numbers of its labels."""
        changes: dict[str, Any] = {}
        for name in ("to", "done", "body", "otherwise", "entry"):
            value = getattr(node, name, None)
            if isinstance(value, str):
                changes[name] = self.labels[value]
        if isinstance(node, model.Choose):
            changes["options"] = tuple(self._resolved(option) for option in node.options)
        return replace(node, **changes) if changes else node

    def _layout(self, code: tuple[Any, ...]) -> model.Layout:
        at = 2
        variables = []
        for variable in self.variables:
            variables.append((variable.name, at))
            at += len(variable.start)
        places, positions, attributes = [], [], []
        counts = [-1] * sum(family.instances for family in self.zones)
        for kind in self.kinds:
            mine = [family for family in self.zones if family.kind == kind.name]
            ordered = any(family.order in ("stack", "queue") for family in mine)
            places.append((kind.name, at))
            if kind.counted:
                for family in mine:
                    for number in range(family.base, family.base + family.instances):
                        counts[number] = at
                        sequence = family.order in ("stack", "queue")
                        at += family.holds if sequence else kind.classes
                continue
            at += kind.total
            if ordered:
                positions.append((kind.name, at))
                at += kind.total
            for attribute in kind.attributes:
                attributes.append((kind.name, attribute.name, at))
                at += kind.total
        knowledge = at
        known = []
        for kind in self.kinds:
            if kind.name in self.known:
                known.append((kind.name, at))
                zones = sum(each.instances for each in self.zones if each.kind == kind.name)
                at += zones * kind.classes * len(self.players) if kind.counted else kind.total
        end = shadow = at
        together = any(isinstance(node, model.TogetherStart) for node in code)
        at += end - 2 if together else 0
        queue = at
        at += self._queue
        frames = 1 + len(self.players) if together else 1
        return model.Layout(
            variables=tuple(variables),
            places=tuple(places),
            counts=tuple(counts),
            positions=tuple(positions),
            attributes=tuple(attributes),
            knowledge=knowledge,
            live=(2, end),
            shadow=shadow,
            queue=queue,
            frames=frames,
            frame=self._offset,
            base=at,
            size=at + frames * self._offset,
            known=tuple(known),
        )


def maybe(type_: Any) -> Optional:
    return Optional(type_)
