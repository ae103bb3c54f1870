"""What each instruction does: the one place that says it, for every analysis of the rules.

Assumes an instruction of the model, from a checked tree or from finished code.
Does: names what it evaluates, writes, moves, asks, draws, shows, says, calls, and where play goes
on.
Leaves behind: an `Effects`. A new instruction is a type error here until it is said what it does.

The slots that an instruction keeps for itself (cursors, counters, return addresses) are not told.
"""

from __future__ import annotations

from typing import NamedTuple, assert_never

from rulerun_dsl.model.expressions import Expression, Local, Members, State, Variable
from rulerun_dsl.model.instructions import (
    Call,
    CallSlot,
    Choose,
    Clear,
    Drain,
    EndGame,
    Enter,
    GiveValue,
    Instruction,
    Jump,
    LoopNext,
    LoopStart,
    MoveAll,
    MoveOne,
    MoveSome,
    Option,
    Pick,
    Queue,
    RepeatNext,
    RepeatStart,
    Return,
    Roll,
    Say,
    ShowTo,
    ShuffleZone,
    SortBy,
    StopTo,
    Store,
    SwapValues,
    SwapZones,
    Target,
    TogetherEnd,
    TogetherStart,
    Unless,
    ZoneAt,
)
from rulerun_dsl.source.frozen import frozen

NEXT = -1
"""As a way on: the instruction behind this one."""


@frozen
class Write:
    """A local, variable or attribute that is written."""

    target: Target
    sources: tuple[Expression, ...]
    """What its value comes from: the value itself, or a collection of which it is a member."""
    luck: bool = False
    """Luck decides the value, or which member it is."""
    to: int | None = None
    """It is written on this way on only; None: on every one."""


@frozen
class Movement:
    """Components that go from a place, or from wherever an expression finds them, to a place."""

    source: Expression | ZoneAt
    to: ZoneAt


class Effects(NamedTuple):
    """What an instruction does. One is made wherever code is followed, so it must cost little."""

    reads: tuple[Expression, ...] = ()
    """What it evaluates, outermost: values, conditions, and the indexes of targets and places."""
    writes: tuple[Write, ...] = ()
    clears: tuple[int, ...] = ()
    """Slots of locals that go back to 0: of a loop on its way out, the last of `ways`."""
    moves: tuple[Movement, ...] = ()
    reorders: tuple[ZoneAt, ...] = ()
    """Zones whose order it changes."""
    asks: Expression | None = None
    """The player who decides."""
    draws: bool = False
    """Luck may decide something."""
    shows: tuple[Expression, ...] = ()
    """Components that somebody is shown."""
    says: tuple[str | Expression, ...] = ()
    """What everybody is told in words."""
    announces: tuple[ZoneAt, ...] = ()
    """Zones of which all who see how much lies there are told that it happened."""
    calls: tuple[int, ...] = ()
    """Procedures that it may run, now or once they are waited for."""
    arguments: tuple[Expression, ...] = ()
    """What each of `calls` gets; a call that has waited has got it before."""
    ends: bool = False
    """The game is over."""
    ways: tuple[int, ...] = (NEXT,)
    """Where play may go on inside the same procedure."""


def effects(instruction: Instruction) -> Effects:
    """Return what an instruction does."""
    match instruction:
        case Jump(to=to):
            return Effects(ways=(to,))
        case Unless(condition=condition, to=to):
            return Effects(reads=(condition,), ways=(NEXT, to))
        case Store(target=target, operator=operator, value=value):
            before = () if operator == "=" else (target,)
            return Effects(
                reads=(*place(target), *before, value), writes=(Write(target, (*before, value)),)
            )
        case Clear(offsets=offsets):
            return Effects(clears=offsets)
        case Call(procedure=procedure, arguments=arguments, result=result):
            return Effects(
                reads=(*arguments, *place(result)),
                writes=() if result is None else (Write(result, ()),),
                calls=(procedure,),
                arguments=arguments,
            )
        case CallSlot(component=component, procedures=procedures, arguments=arguments):
            rows = tuple(each for each in procedures if each is not None)
            return Effects(reads=(component, *arguments), calls=rows, arguments=arguments)
        case Queue(procedure=procedure, arguments=arguments):
            return Effects(reads=arguments, calls=(procedure,), arguments=arguments)
        case Drain(procedures=procedures):
            return Effects(calls=procedures)
        case Return() | StopTo() | TogetherEnd():
            return Effects(ways=())
        case GiveValue(value=value):
            return Effects(reads=(value,), ways=())
        case LoopStart(loop=loop):
            return Effects(reads=(loop.source,))
        case LoopNext(loop=loop, done=done):
            return Effects(
                reads=(loop.source, *_given(loop.condition)),
                writes=(Write(loop.variable, (loop.source,), to=NEXT),),
                clears=(loop.variable.offset, loop.cursor, loop.second, loop.third),
                ways=(NEXT, done),
            )
        case RepeatStart(count=count):
            return Effects(reads=(count,))
        case RepeatNext(done=done):
            return Effects(ways=(NEXT, done))
        case Choose():
            return _choice(instruction)
        case Roll(target=target, weight=weight, until=until):
            return Effects(
                reads=(*place(target), *_given(weight, until)),
                writes=(Write(target, (), luck=True),),
                draws=True,
            )
        case Pick(target=target, source=source, condition=condition, weight=weight):
            return Effects(
                reads=(*place(target), source, *_given(condition, weight)),
                writes=(Write(target, (source,), luck=True),),
                draws=True,
            )
        case MoveOne(component=component, to=to):
            # Its name goes along: it stands for the same component, wherever that lies.
            return Effects(reads=(component, *place(to)), moves=(Movement(component, to),))
        case MoveAll(source=source, condition=condition, to=to):
            return Effects(
                reads=(source, *_given(condition), *place(to)), moves=(Movement(source, to),)
            )
        case MoveSome(quantity=quantity, sources=sources, to=to, result=result):
            indexes = [index for zone in (*sources, to) for index in place(zone)]
            drawn: tuple[Write, ...] = ()
            if result is not None:
                # By then the component is one of those that lie where it went.
                members = Members(result.type, to.span, to.zone, to.indexes)
                drawn = (Write(result, (members,), luck=True),)
            return Effects(
                reads=(quantity, *indexes, *_given(instruction.condition), *place(result)),
                writes=drawn,
                moves=tuple(Movement(source, to) for source in sources),
                draws=True,
            )
        case ShuffleZone(zone=zone):
            return Effects(reads=place(zone), reorders=(zone,), draws=True, announces=(zone,))
        case SwapZones(left=left, right=right):
            return Effects(
                reads=(*place(left), *place(right)),
                moves=(Movement(left, right), Movement(right, left)),
                announces=(left, right),
            )
        case SwapValues(left=left, right=right):
            return Effects(
                reads=(*place(left), *place(right), left, right),
                writes=(Write(left, (right,)), Write(right, (left,))),
            )
        case ShowTo(source=source, player=player):
            return Effects(reads=(source, *_given(player)), shows=(source,))
        case SortBy(target=target, keys=keys):
            return Effects(
                reads=(*place(target), target, *keys), writes=(Write(target, (target, *keys)),)
            )
        case TogetherStart(players=players, variable=variable, body=body, done=done):
            return Effects(
                reads=(players,), writes=(Write(variable, (players,)),), ways=(body, done)
            )
        case EndGame(winner=winner):
            return Effects(reads=_given(winner), ends=True, ways=())
        case Say(parts=parts):
            return Effects(reads=_spoken(parts), says=parts)
        case Enter():
            return Effects()
        case _:
            assert_never(instruction)


def place(target: Target | ZoneAt | None) -> tuple[Expression, ...]:
    """Return what is evaluated to know which place is meant."""
    match target:
        case None | Local():
            return ()
        case State(component=component):
            return (component,)
        case Variable(indexes=indexes) | ZoneAt(indexes=indexes):
            return _given(*indexes)
        case _:
            assert_never(target)


def _choice(node: Choose) -> Effects:
    binders = [(binder, option.to) for option in node.options for binder in option.binders]
    ways = [option.to for option in node.options]
    return Effects(
        reads=(
            node.player,
            *(each for option in node.options for each in _option(option)),
            *node.narrowing,
            *_spoken(node.ask),
            *_given(node.visible),
        ),
        writes=tuple(Write(binder.local, (binder.source,), to=to) for binder, to in binders),
        asks=node.player,
        ways=(*ways, node.otherwise) if node.otherwise is not None else tuple(ways),
    )


def _option(option: Option) -> tuple[Expression, ...]:
    ranges = [(each.source, *_given(each.low, each.high)) for each in option.binders]
    return (*(each for some in ranges for each in some), *option.conditions, *_spoken(option.hint))


def _given(*nodes: Expression | None) -> tuple[Expression, ...]:
    return tuple(each for each in nodes if each is not None)


def _spoken(parts: tuple[str | Expression, ...]) -> tuple[Expression, ...]:
    return tuple(each for each in parts if not isinstance(each, str))
