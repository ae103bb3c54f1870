"""A tree search in machine code.

Assumes: what drives a program (`runs`), and worlds: memories of plays that stand where somebody
decides.
Does: writes, in `ir` itself, one iteration of `rulerun.search.tree_search`: down the tree, one node
more, on at random to the end or the cut, and back up. It finds what that finds, choice by choice.
Leaves behind: the function of one iteration, which `growing` calls for each.

The tree stands in numbers of 64 bits outside the memory of plays (`standing`). A child is found by
a hash of its node, action and player, with open addressing. An iteration that the rules stop leaves
its new node and nothing else.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import WORDS, Value
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.native.llvm import Code
from rulerun.compiled.native.memory import SPENT, Rows, Target
from rulerun.compiled.native.plan import ENDED, PAUSED, Places
from rulerun.compiled.native.tree_layout import (
    CELLS,
    ENDS,
    HEAD,
    HIGH,
    LARGEST,
    LOW,
    NODES,
    PLACES,
    SPREAD,
    SUMS,
    USED,
    VIEWER,
    Worth,
)
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.rng import GOLDEN
from rulerun.runtime.signals import OVER, REST

JOINTS = 1 << 12
"""The most choices that are made in one `together`."""


def search(
    target: Target,
    places: Places,
    worth: Worth,
    actions: int,
    next_: Body,
    falls: Body,
) -> str:
    """One iteration, from the world that stands in memory: 0, or `FAILED`.

    `next_` finds `frame`, `at` and `who`; `falls` a `row` of luck.
    """
    more = ("ptr %head", "ptr %nodes", "ptr %table", "ptr %extra")
    code = Code(target, "search", (), more)
    room, hashed, cells = (code.value_of(f"getelementptr i64, ptr %head, i64 {at}")
                           for at in (NODES, PLACES, CELLS))  # fmt: skip
    large = code.alloca("i64")
    code.line(f"store i64 {HEAD}, ptr {large}")
    code.rows["head"] = Rows("%head", large, 1, HEAD)
    code.rows["listed"] = Rows(code.word(places.rows), cells, 1, 1 << 40)
    code.rows["lots"] = Rows(code.word(places.rows), code.word(places.count), 3, 1 << 40)
    for base, many, names in (
        ("%nodes", room, SUMS),
        ("%table", hashed, ("keys", "links")),
        ("%extra", room, ("path", "movers")),
    ):
        size = code.load(many)
        start = base
        for name in names:
            code.rows[name] = Rows(start, many, 1, 1 << 40)
            start = code.value_of(f"getelementptr i64, ptr {start}, i64 {size}")
        if base == "%extra":
            code.rows["found"] = Rows(start, cells, 1, 1 << 40)
    writer = _Iteration(target, places, worth, actions)
    code.body(writer.body(next_, falls))
    return code.finished()


_NODE, _WHO, _AT, _ROW = ir.Var("node"), ir.Var("who"), ir.Var("at"), ir.Var("row")
_MANY, _CHILD, _PLACE = ir.Var("many"), ir.Var("child"), ir.Var("place")
_OWN, _HERE, _DEPTH, _GROWN = (ir.Var(name) for name in ("own", "here", "depth", "grown"))
_NONE = const(-1)


def _cell(rows: str, index: Value) -> ir.RowGet:
    return ir.RowGet(rows, index, 0)


def _head(place: int) -> ir.RowGet:
    return _cell("head", const(place))


def _put(place: int, value: Value) -> ir.RowSet:
    return ir.RowSet("head", const(place), value)


class _Iteration:
    """Writes one iteration."""

    def __init__(self, target: Target, places: Places, worth: Worth, actions: int) -> None:
        self.program = target.program
        self.framed = target.framed
        self.places = places
        self.worth = worth
        self.actions = actions

    def body(self, next_: Body, falls: Body) -> Body:
        """Down, on, and up."""
        players = self.program.players
        spent = ir.StoreSlot(const(WORDS + SPENT), const(0))
        take: Body = (
            *((spent,) if self.program.evaluations else ()),
            ir.Assign("to", ir.Call("take.row", (_AT, _ROW))),
            ir.StoreSlot(self._running(), const(0)),
            ir.Assign("signal", ir.Call("advance", (ir.Var("frame"), ir.Var("to")))),
            ir.If(ir.Var("fresh"), self._play_on()),
        )
        step: Body = (
            ir.If(binary("==", ir.Var("signal"), OVER), (ir.Break(),)),
            *next_,
            ir.Assign("many", ir.Slot(const(WORDS + self.places.count))),
            ir.Assign("fresh", const(0)),
            ir.Assign("out", const(0)),
            ir.If(binary("<", _WHO, 0), falls, self._decide()),
            ir.If(ir.Var("out"), self._play_on(), take),
        )
        return (
            ir.NewRows("mine", 1, self.program.players, self.program.players),
            *self._begin_chains(),
            ir.NewRows("joint", 1, JOINTS),
            *(
                ir.NewRows(name, 1, players, players)
                for name in ("worth", "winner", "even", "lead")
            ),
            *(ir.Assign(name, const(0)) for name in ("node", "own", "rested", "grown", "depth")),
            ir.Assign("signal", const(REST)),
            ir.While(const(1), step),
            *self._judged(),
            *self._seen(),
            *self._up(),
            ir.Return(const(0)),
        )

    def _running(self) -> Value:
        return ir.Var("b") if self.framed else const(self.program.base)

    def _play_on(self) -> Body:
        random = ir.Call("game", (ir.Var("signal"),))
        start = (ir.Assign("b", const(self.program.base)),) if self.framed else ()
        judge: Body = (
            *start,
            ir.CallLister("verdict", "judge", 2 + self.program.lines),
            ir.Assign("end", const(ENDED)),
        )
        return (
            ir.Assign("end", random),
            *((ir.If(binary("==", ir.Var("end"), PAUSED), judge),) if self.worth.cut else ()),
            ir.If(binary("!=", ir.Var("end"), ENDED), (ir.Fail(),)),
            ir.Assign("signal", const(OVER)),
        )

    # ------------------------------------------------------------------------------- down

    def _decide(self) -> Body:
        mine = binary("<<", const(1), _WHO)
        keyed, resting = self._keyed(), ir.Var("resting")
        by_path: Body = (
            ir.Assign("here", _NODE),
            ir.If(ir.Both(_OWN, binary(">=", self._mine(), 0)), (ir.Assign("here", self._mine()),)),
        )
        grows: Body = (
            ir.If(ir.Var("fresh"), (ir.Assign("grown", binary("|", _GROWN, mine)),)),
            ir.Assign("fresh", const(0)),
        )
        goes_by_sight: Body = (
            ir.RowSet("chain", _WHO, times(binary("^", _HERE, self._edge()), GOLDEN - (1 << 64))),
            *((ir.If(resting, grows),) if self.framed else ()),
        )
        chosen: Body = (
            *((ir.If(keyed, self._by_sight(), by_path),) if self.worth.sight else by_path),
            *self._children(),
            ir.If(ir.Var("fresh"), self._new(), self._best()),
            *((ir.If(keyed, goes_by_sight),) if self.worth.sight else ()),
            ir.If(
                _OWN,
                (
                    ir.RowSet("mine", _WHO, _CHILD),
                    ir.Push("joint", (plus(self._edge(), self.worth.together),)),
                    ir.If(ir.Var("fresh"), (ir.Assign("grown", binary("|", _GROWN, mine)),)),
                    ir.Assign("fresh", const(0)),
                ),
                (ir.Assign("node", _CHILD),),
            ),
            ir.RowSet("path", _DEPTH, _CHILD),
            ir.RowSet("movers", _DEPTH, _WHO),
            ir.Assign("depth", plus(_DEPTH, 1)),
        )
        any_: Body = (ir.Assign("row", ir.Call("draw", (plus(_WHO, 1), _MANY))),)
        return (
            *self._parts(),
            ir.If(
                ir.Not(ir.Var("out")),
                (
                    ir.If(
                        ir.Either(binary("==", _MANY, 1), binary("&", _GROWN, mine)), any_, chosen
                    ),
                ),
            ),
        )

    def _keyed(self) -> Value:
        """Whether nodes go by what players see."""
        return binary(">=", _head(VIEWER), 0) if self.worth.sight else const(0)

    def _begin_chains(self) -> Body:
        if not self.worth.sight:
            return ()
        player = ir.Var("p")
        begin: Body = (ir.RowSet("chain", player, plus(player, 1)),)
        many = self.program.players
        return (ir.NewRows("chain", 1, many, many), ir.For("p", const(0), const(many), begin))

    def _by_sight(self) -> Body:
        """`here`: of what who decides has done and seen; at the root all worlds look alike."""
        chain = _cell("chain", _WHO)
        root = ir.Both(binary("==", _WHO, _head(VIEWER)), binary("==", chain, plus(_WHO, 1)))
        seen = binary("+", chain, ir.Call("sight", (_WHO,)))
        return (
            ir.Assign("here", chain),
            ir.If(ir.Not(root), (ir.Assign("here", times(seen, GOLDEN - (1 << 64))),)),
        )

    def _mine(self) -> Value:
        return _cell("mine", _WHO)

    def _parts(self) -> Body:
        """Go on from what all have chosen together, where a `together` is over; begin another."""
        if not self.framed:
            return ()
        program, resting = self.program, ir.Var("resting")
        look: Body = tuple(
            ir.If(
                ir.Slot(const(program.base + frame * program.frame)),
                (ir.Assign("resting", binary("|", resting, 1 << frame)),),
            )
            for frame in range(1, program.frames)
        )
        others = binary("&", resting, binary("^", ir.Var("rested"), _NONE))
        over, keyed = ir.Either(binary("==", resting, 0), others), self._keyed()
        leave: Body = (ir.Assign("out", const(1)),)
        begin: Body = (
            ir.Assign("own", const(1)),
            ir.NewRows("joint", 1, JOINTS),
            ir.For("p", const(0), const(program.players), (ir.RowSet("mine", ir.Var("p"), _NONE),)),
        )
        return (
            ir.Assign("resting", const(0)),
            ir.If(ir.Slot(const(TOGETHER)), look),
            ir.If(
                ir.Both(_OWN, over),
                (
                    ir.If(
                        _GROWN,
                        (ir.Assign("out", const(1)),),
                        (*self._follow(), ir.Assign("own", const(0))),
                    ),
                ),
            ),
            *((ir.If(ir.Both(keyed, ir.Both(_GROWN, over)), leave),) if self.worth.sight else ()),
            ir.If(ir.Both(resting, ir.Not(ir.Either(_OWN, keyed))), begin),
            ir.Assign("rested", resting),
        )

    def _follow(self) -> Body:
        """Go down by what was chosen together, to a new node if need be.

        One node for all of it, whatever its length: so an iteration adds as many nodes as there is
        room for. Its key is of the whole path, in the half of numbers that no other key is in.
        """
        key = ir.Var("key")
        fold = ir.Assign("key", binary("+", times(key, GOLDEN - (1 << 64)), ir.Var("edge")))
        go: Body = (
            ir.Assign("key", _NODE),
            ir.EachRow(("edge",), "joint", (fold,)),
            ir.Assign("key", binary("|", key, -1 << 63)),
            *self._seek(),
            ir.If(
                _cell("keys", _PLACE),
                (ir.Assign("node", _cell("links", _PLACE)),),
                (*self._added(), ir.Assign("node", _CHILD)),
            ),
        )
        return (ir.If(ir.Length("joint"), go),)

    def _action(self, row: Value) -> Value:
        width = ir.TableLoad("WIDTH.AT", _AT)
        return _cell("listed", binary("*", row, width))

    def _edge(self, row: Value = _ROW) -> Value:
        return plus(times(self._action(row), self.worth.seats), _WHO)

    def _probe(self, node: Value, edge: Value) -> Body:
        """Find the `place` of a child: where it is, else where it goes."""
        key = plus(plus(times(node, self.actions * self.worth.seats), edge), 1)
        return (ir.Assign("key", key), *self._seek())

    def _seek(self) -> Body:
        """Find the `place` of a `key`."""
        mask = plus(_head(PLACES), -1)
        spread = binary(">>", times(ir.Var("key"), GOLDEN - (1 << 64)), SPREAD)
        held = _cell("keys", _PLACE)
        other = ir.Both(held, binary("!=", held, ir.Var("key")))
        on = binary("&", plus(_PLACE, 1), mask)
        return (
            ir.Assign("place", binary("&", spread, mask)),
            ir.While(other, (ir.Assign("place", on),)),
        )

    def _added(self) -> Body:
        """A new node at a place that was found free: `child`."""
        return (
            ir.Assign("child", _head(USED)),
            _put(USED, plus(_CHILD, 1)),
            ir.RowSet("keys", _PLACE, ir.Var("key")),
            ir.RowSet("links", _PLACE, _CHILD),
        )

    def _children(self) -> Body:
        """The child of each row; `fresh` counts rows without one."""
        row = ir.Var("i")
        known: Body = (
            ir.Assign("child", _cell("links", _PLACE)),
            ir.RowSet("offered", _CHILD, plus(_cell("offered", _CHILD), 1)),
        )
        unknown: Body = (
            ir.Assign("child", _NONE),
            ir.Assign("fresh", plus(ir.Var("fresh"), 1)),
        )
        each: Body = (
            *self._probe(_HERE, self._edge(row)),
            ir.If(_cell("keys", _PLACE), known, unknown),
            ir.RowSet("found", row, _CHILD),
        )
        return (ir.For("i", const(0), _MANY, each),)

    def _new(self) -> Body:
        """A row that was never tried, and a node for it."""
        row, left = ir.Var("i"), ir.Var("left")
        seek: Body = (
            ir.If(
                binary("<", _cell("found", row), 0),
                (
                    ir.If(binary("==", left, 0), (ir.Assign("row", row), ir.Break())),
                    ir.Assign("left", plus(left, -1)),
                ),
            ),
        )
        return (
            ir.Assign("left", ir.Call("draw", (plus(_WHO, 1), ir.Var("fresh")))),
            ir.For("i", const(0), _MANY, seek),
            *self._probe(_HERE, self._edge()),
            *self._added(),
            ir.RowSet("offered", _CHILD, const(1)),
        )

    def _best(self) -> Body:
        """The row with the most promising child."""
        row, value = ir.Var("i"), ir.Var("value")
        mean = binary("//", _cell("total", _CHILD), ir.Var("tries"))
        above = times(binary("-", mean, _head(LOW)), self.worth.scale)
        width = binary("max", const(1), binary("-", _head(HIGH), _head(LOW)))
        bonus = ir.Call("bonus", (_cell("offered", _CHILD), ir.Var("tries")))
        each: Body = (
            ir.Assign("child", _cell("found", row)),
            ir.Assign("tries", binary("max", const(1), _cell("tried", _CHILD))),
            ir.Assign("value", binary("+", binary("//", above, ir.Var("width")), bonus)),
            ir.If(
                ir.Either(binary("==", row, 0), binary(">", value, ir.Var("most"))),
                (ir.Assign("most", value), ir.Assign("row", row)),
            ),
        )
        return (
            ir.Assign("width", width),
            ir.Assign("most", _NONE),
            ir.For("i", const(0), _MANY, each),
            ir.Assign("child", _cell("found", _ROW)),
        )

    # --------------------------------------------------------------------------------- up

    def _judged(self) -> Body:
        """What the end is worth to each player, of the rows of the verdict."""
        players, lines = self.program.players, self.program.lines
        width, worth = 2 + lines, self.worth
        totals: list[Value] = []
        for player in range(players):
            total: Value = const(0)
            for line in range(lines):
                total = plus(_cell("listed", const(player * width + 2 + line)), total)
            totals.append(total)
        put = [ir.RowSet("worth", const(p), times(totals[p], worth.unit)) for p in range(players)]
        if worth.returns:
            return tuple(put)
        won: Value = const(0)
        for player in range(players):
            won = plus(_cell("listed", const(player * width + 1)), won)
        found: list[Statement] = [
            ir.Assign("winners", won),
            ir.Assign(
                "share",
                binary(
                    "//",
                    const(worth.win),
                    ir.Select(ir.Var("winners"), ir.Var("winners"), const(players)),
                ),
            ),
        ]
        for player in range(players):
            one = _cell("listed", const(player * width + 1))
            # Who plays alone and does not win has lost.
            counts = one if players == 1 else ir.Either(ir.Not(ir.Var("winners")), one)
            share = ir.Select(counts, ir.Var("share"), const(0))
            found.append(ir.RowSet("worth", const(player), share))
            told_apart: Value = const(1)
            if players > 1:
                some = ir.Var("winners")
                told_apart = ir.Both(some, binary("<", some, players))
            found.append(ir.RowSet("winner", const(player), ir.Both(one, told_apart)))
            found.append(ir.RowSet("even", const(player), ir.Not(told_apart)))
        if worth.sign:
            found += self._margins(totals)
        return tuple(found)

    def _margins(self, totals: list[Value]) -> list[Statement]:
        """A part for how far each is ahead of the best of the others, or behind."""
        players, found = range(len(totals)), list[Statement]()
        largest = _head(LARGEST)
        for player in players:
            found.append(ir.Assign(f"total{player}", times(totals[player], self.worth.sign)))
        for player in players:
            best: Value | None = None
            for other in players:
                if other != player:
                    mine = ir.Var(f"total{other}")
                    best = mine if best is None else binary("max", best, mine)
            ahead: Value = ir.Var(f"total{player}")
            ahead = ahead if best is None else binary("-", ahead, best)
            far = ir.Var(f"ahead{player}")
            found.append(ir.Assign(far.name, ahead))
            found.append(ir.RowSet("lead", const(player), far))
            size = binary("max", far, binary("-", const(0), far))
            found.append(_put(LARGEST, binary("max", largest, size)))
        for player in players:
            part = binary("//", times(ir.Var(f"ahead{player}"), self.worth.margin), largest)
            more = binary("+", _cell("worth", const(player)), part)
            found.append(ir.RowSet("worth", const(player), more))
        return found

    def _seen(self) -> Body:
        """The worst and the best end so far."""
        low = high = _cell("worth", const(0))
        worst: Value = low
        best: Value = high
        for player in range(1, self.program.players):
            worst = binary("min", worst, _cell("worth", const(player)))
            best = binary("max", best, _cell("worth", const(player)))
        return (
            ir.Assign("low", worst),
            ir.Assign("high", best),
            ir.If(
                _head(ENDS),
                (
                    _put(LOW, binary("min", _head(LOW), ir.Var("low"))),
                    _put(HIGH, binary("max", _head(HIGH), ir.Var("high"))),
                ),
                (_put(LOW, ir.Var("low")), _put(HIGH, ir.Var("high"))),
            ),
            _put(ENDS, plus(_head(ENDS), 1)),
        )

    def _up(self) -> Body:
        """Each node of the path, for who chose it."""
        at = ir.Var("i")
        sums = ("total", "worth"), ("won", "winner"), ("drawn", "even"), ("ahead", "lead")
        each: Body = (
            ir.Assign("child", _cell("path", at)),
            ir.Assign("who", _cell("movers", at)),
            ir.RowSet("tried", _CHILD, plus(_cell("tried", _CHILD), 1)),
            *(
                ir.RowSet(name, _CHILD, binary("+", _cell(name, _CHILD), _cell(rows, _WHO)))
                for name, rows in (sums[:1] if self.worth.returns else sums)
            ),
        )
        return (ir.For("i", const(0), _DEPTH, each),)
