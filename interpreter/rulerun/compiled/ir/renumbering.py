"""A program without what nothing comes to, its blocks in the order of play.

Assumes: a `Program` of `ir` with one frame, all of whose jumps are to blocks that are known.
Does: leaves out functions and listers that nothing calls; numbers blocks so that numbers go up
along the ways of play, but where play comes back to a block: there a back end looks how much ran.
Leaves behind: a program that does the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part, rewritten
from rulerun.compiled.ir.program import Program


def in_order(program: Program) -> Program:
    """The same program, with numbers that go up along the ways of play."""
    bodies = {each.at: [each.body] for each in program.blocks}
    for question in program.questions:
        bodies[question.at].append(question.settle)
    further = {
        at: [
            node.to.value
            for body in both
            for node in every_part(body)
            if isinstance(node, ir.Jump) and isinstance(node.to, ir.Const)
        ]
        for at, both in bodies.items()
    }
    done: list[int] = []
    seen = {program.entry}
    open_ = [(program.entry, iter(further[program.entry]))]
    while open_:
        at, ways = open_[-1]
        for to in ways:
            if to not in seen:
                seen.add(to)
                open_.append((to, iter(further[to])))
                break
        else:
            done.append(at)
            open_.pop()
    order = {at: place for place, at in enumerate(reversed(done))}

    def change(node: Any) -> Any:
        match node:
            case ir.Jump(ir.Const(to)):
                return ir.Jump(ir.Const(order[to]))
            case ir.Rest(at, rows):
                return ir.Rest(order[at], rows)
            case ir.Signal(word, at):
                return ir.Signal(word, order[at])
        return node

    blocks = [
        replace(each, at=order[each.at], body=rewritten(each.body, change))
        for each in program.blocks
    ]
    questions = [
        replace(each, at=order[each.at], settle=rewritten(each.settle, change))
        for each in program.questions
    ]
    return replace(
        program,
        blocks=tuple(sorted(blocks, key=lambda each: each.at)),
        questions=tuple(sorted(questions, key=lambda each: each.at)),
        entry=order[program.entry],
    )


def without_idle(program: Program) -> Program:
    """The program without functions and listers that nothing calls."""
    bodies = {each.name: each.body for each in program.functions}
    bodies |= {each.name: each.body for each in program.listers}
    waiting: list[object] = [
        *(block.body for block in program.blocks),
        *((each.settle, each.player) for each in program.questions),
        program.judge.body,
        program.restart,
        program.canonical,
    ]
    found = {program.judge.name, *(each.lister for each in program.questions)}
    waiting += [bodies[name] for name in found if name in bodies]
    while waiting:
        for node in every_part(_each(waiting.pop())):
            if isinstance(node, ir.Call | ir.CallLister):
                name = node.function if isinstance(node, ir.Call) else node.lister
                if name not in found and name in bodies:
                    waiting.append(bodies[name])
                found.add(name)
    return replace(
        program,
        functions=tuple(each for each in program.functions if each.name in found),
        listers=tuple(each for each in program.listers if each.name in found),
    )


def _each(body: object) -> Iterable[object]:
    if isinstance(body, tuple):
        for each in body:
            yield from _each(each)
    else:
        yield body
