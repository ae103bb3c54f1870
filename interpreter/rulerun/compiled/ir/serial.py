"""The parts of a `together` one after another, in one frame: the same games, quicker.

Assumes: a `Program` of `ir` that plays whole games, of which nobody sees a position in between, and
without what players know.
Does: instead of a frame for each part, which all run to their first rest before anybody decides,
the part of the lowest seat runs to its end, then that of the next one, in the frame of the game.
What a part writes there is brought back behind it. With one frame every local number stands at a
constant address.
Leaves behind: a program of one frame without togethers; or the same program, if that might not be
the same game.

No part reads what another may write, nor writes what is not its own, and nobody is asked in it but
its player: the checker has proved that. Each player decides by a stream of luck of their own. So
only luck can tell in which order parts run, for all of it falls from one stream: in frames all that
waits falls before the next decision. It falls in the same order one after another, unless a part
may have luck before its first decision, and one before it luck after a decision. What goes wrong,
or is cut off, while parts are still to come may differ: then the run is given up (`Program.parts`).
What runs between two rests is parted otherwise, too: what in frames is one input is here no more
than one for each player, one before them and one behind. So in each no more than that share runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND, FRAME
from rulerun.compiled.ir.passes import every_part, inside_out, rewritten, substituted
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.successors import Kept, jumps, kept_in
from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen


def serial(program: Program) -> Program:
    """The program with the parts of each `together` one after another, if that is the same."""
    if program.frames == 1 or not all(keeps_order(program, each) for each in program.togethers):
        return program
    parts, saved = program.size, program.size + 1
    whole = _in_one_frame(program)
    blocks = {block.at: block for block in whole.blocks}
    heads = {each.at: len(blocks) + at for at, each in enumerate(program.togethers)}
    written: set[int] = set()
    for together in program.togethers:
        opened = _opening(whole, together)
        if opened is None:
            return program
        before, mask = opened
        inside = set(_ways(whole, together) or ())
        slots = _written(whole, inside)
        written |= set(slots)
        order = {slot: saved + at for at, slot in enumerate(slots)}
        keep = tuple(ir.StoreSlot(ir.Const(to), _slot(slot)) for slot, to in order.items())
        bring_back = tuple(ir.StoreSlot(ir.Const(slot), _slot(to)) for slot, to in order.items())
        head = ir.Jump(ir.Const(heads[together.at]))
        begin = (*before, ir.StoreSlot(ir.Const(parts), mask), *keep, head)
        opening = blocks[together.at]
        blocks[together.at] = replace(opening, body=_signalled(opening.body, "open", begin))
        for at in inside:
            body = _signalled(blocks[at].body, "part_done", (*bring_back, head))
            blocks[at] = replace(blocks[at], body=body)
        blocks[heads[together.at]] = _head(program, together, heads[together.at], parts)
    kept, shares = 1 + len(written), program.players + 2
    return replace(
        whole,
        steps=program.steps // shares,
        evaluations=-(program.evaluations // -shares),
        size=program.size + kept,
        begin=(*program.begin, *(0,) * kept),
        blocks=tuple(blocks[at] for at in sorted(blocks)),
        togethers=(),
        parts=parts,
    )


def _slot(at: int) -> Value:
    return ir.Slot(ir.Const(at))


def _head(program: Program, together: ir.Together, at: int, parts: int) -> ir.Block:
    """Begin the next part, or go on behind the last."""
    left = _slot(parts)
    return ir.Block(
        at,
        (
            ir.If(ir.Not(left), (ir.Jump(ir.Const(together.done)),)),
            ir.StoreSlot(ir.Const(program.base + together.variable), ir.LowestBit(left)),
            ir.StoreSlot(ir.Const(parts), ir.Binary("&", left, ir.Binary("-", left, ir.Const(1)))),
            ir.Jump(ir.Const(together.body)),
        ),
        "the parts of a together, one after another",
    )


def _in_one_frame(program: Program) -> Program:
    """The program with the frame of the game for all: its start is known."""
    start = {FRAME: ir.Const(program.base)}

    def put(node: Any) -> Any:
        return rewritten(substituted(node, start), _folded)

    return replace(
        program,
        frames=1,
        functions=tuple(
            replace(each, body=put(each.body), framed=False) for each in program.functions
        ),
        listers=tuple(replace(each, body=put(each.body)) for each in program.listers),
        blocks=tuple(replace(each, body=put(each.body)) for each in program.blocks),
        questions=tuple(
            replace(each, player=put(each.player), settle=put(each.settle))
            for each in program.questions
        ),
        judge=replace(program.judge, body=put(program.judge.body)),
        canonical=put(program.canonical),
        restart=put(program.restart),
    )


def _folded(node: Any) -> Any:
    """The same with constants added up."""
    match node:
        case ir.Binary("+", ir.Const(one), ir.Const(other)):
            return ir.Const(one + other)
        case ir.Binary("+", ir.Const() as one, other):
            return ir.Binary("+", other, one)
        case _:
            return node


def _opening(program: Program, together: ir.Together) -> tuple[Body, Value] | None:
    """What is done to find who takes part, and the mask of them."""
    lister = next(each for each in program.listers if each.name == together.players)
    *before, last = lister.body
    match last:
        case ir.EachBit(name, mask, (ir.Push("found", (ir.Var(pushed),)),)) if name == pushed:
            used = (getattr(node, "rows", None) for node in every_part(before))
            return None if FOUND in used else (tuple(before), mask)
        case _:
            return None


def _signalled(body: Body, word: str, instead: Body) -> Body:
    """Statements with others in place of a signal."""

    def change(each: Statement) -> Body:
        return instead if isinstance(each, ir.Signal) and each.word == word else (each,)

    return inside_out(body, change)


# --------------------------------------------------------------------------------- where play goes


@frozen
class _Way:
    """Where play may go on from a block."""

    direct: tuple[int, ...]
    settled: tuple[int, ...]
    """From what takes a row of its question."""


def keeps_order(program: Program, together: ir.Together) -> bool:
    """Whether luck falls in the same order if the parts run one after another."""
    ways = _ways(program, together)
    if together.decided is not None or ways is None:
        return False
    before = after = False
    chance = {each.at: each.chance for each in program.questions}
    seen: set[tuple[int, bool]] = set()
    waiting = [(together.body, False)]
    while waiting:
        at, decided = waiting.pop()
        if (at, decided) in seen:
            continue
        seen.add((at, decided))
        waiting += [(to, decided) for to in ways[at].direct]
        if at in chance:
            before |= chance[at] and not decided
            after |= chance[at] and decided
            waiting += [(to, decided or not chance[at]) for to in ways[at].settled]
    return not (before and after)


def _ways(program: Program, together: ir.Together) -> dict[int, _Way] | None:
    """The blocks of a part, and where play goes on from each; None if that is not known."""
    bodies: dict[int, tuple[Body, Body]] = {each.at: (each.body, ()) for each in program.blocks}
    bodies |= {each.at: (bodies[each.at][0], each.settle) for each in program.questions}
    found: dict[int, _Way] = {}
    while True:
        # Calls of procedures come back to what was kept for it in the part itself.
        kept = kept_in(statement for at in found for body in bodies[at] for statement in body)
        ways: dict[int, _Way] = {}
        waiting = [together.body]
        while waiting:
            at = waiting.pop()
            if at in ways:
                continue
            targets = [_targets(body, kept) for body in bodies[at]]
            if targets[0] is None or targets[1] is None:
                return None
            ways[at] = _Way(tuple(targets[0]), tuple(targets[1]))
            waiting += [*ways[at].direct, *ways[at].settled]
        if ways.keys() == found.keys():
            return ways
        found = ways


def _targets(body: Body, kept: Kept) -> list[int] | None:
    """The blocks to which statements jump; None if that is not known, or it is no part."""
    for node in every_part(body):
        if isinstance(node, ir.Signal) and node.word != "part_done":
            return None
    return jumps(body, kept)


def _written(program: Program, inside: set[int]) -> list[int]:
    """The slots of the frame that a part may write: all of them, if that is not known."""
    frame = range(program.base, program.base + program.frame)
    bodies = [each.body for each in program.blocks if each.at in inside]
    bodies += [each.settle for each in program.questions if each.at in inside]
    bodies += [each.body for each in program.functions]
    bodies += [each.body for each in program.listers]
    found: set[int] = set()
    for node in every_part([each for body in bodies for each in body]):
        match node:
            case ir.StoreSlot(ir.Const(at), _) | ir.Add(ir.Const(at), _):
                found.add(at)
            case ir.Fill(ir.Const(at), number, _) | ir.Copy(ir.Const(at), _, number):
                found |= set(range(at, at + number))
            case ir.StoreSlot(address) | ir.Add(address) | ir.Fill(address) | ir.Copy(address):
                if _starts_in(address, frame):
                    return list(frame)
    return sorted(found & set(frame))


def _starts_in(address: Value, frame: range) -> bool:
    """Whether an address is reckoned from a slot of the frame on."""
    match address:
        case ir.Binary("+", _, ir.Const(base)):
            return base in frame
        case ir.Binary("+", left, right):
            return _starts_in(left, frame) or _starts_in(right, frame)
        case _:
            return False
