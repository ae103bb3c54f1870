"""Expressions over the columns of rows, worked out for each row before play.

Assumes: a `World`; the columns that may be named, with a value for each row.
Does: types an expression once, with each column as a local, and reckons it for every row.
Leaves behind: a value for each row; findings about what is not known before play or does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulerun_dsl import model as m
from rulerun_dsl.check.env.constants import NOT_CONSTANT, value_of
from rulerun_dsl.check.env.records import ColumnFacts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.traversal import parts
from rulerun_dsl.syntax import expressions as s


def values_by_row(
    world: World,
    node: s.Expression,
    expected: t.Scalar,
    columns: Mapping[str, ColumnFacts],
    names: Sequence[str],
    help: str,
) -> list[int | None] | None:
    """The value for each of some named rows; None once something is reported."""
    plain = {name: each for name, each in columns.items() if not each.indexes}
    registers = {name: world.register() for name in plain}
    locals_: dict[str, m.Expression] = {
        name: m.Register(each.type, node.span, registers[name]) for name, each in plain.items()
    }
    mark = len(world.diagnostics)
    found: list[int | None] = []
    with world.deciding():
        checked = world.makers.elaborate(world, node, expected, locals_)
        if len(world.diagnostics) > mark or world.has_given_up:
            return None
        read = _registers(checked)
        asked = {name: plain[name] for name, index in registers.items() if index in read}
        for each in asked.values():
            world.read_column(each.span)
        for place, name in enumerate(names):
            row = {registers[each]: column.values[place] for each, column in asked.items()}
            value = value_of(world, checked, row)
            if value is NOT_CONSTANT:
                world.report(
                    "RR0504",
                    f"`{node.span.text}` must be known before play begins",
                    node.span,
                    help=help,
                )
                return None
            assert value is None or isinstance(value, int)
            wanted = t.bare(expected)
            if isinstance(wanted, t.Int) and value is not None:
                if not wanted.low <= value <= wanted.high:
                    world.report(
                        "RR0503",
                        f"`{node.span.text}` is {value} for {name}, outside {wanted}",
                        node.span,
                        help="widen the range where it is declared, or change the value",
                    )
                    return None
            found.append(value)
    return found


def _registers(node: m.Expression) -> set[int]:
    """The registers that an expression reads."""
    found = {node.index} if isinstance(node, m.Register) else set()
    for part in parts(node):
        found |= _registers(part)
    return found


def column_names(columns: Mapping[str, ColumnFacts]) -> str:
    """How one says which columns may be named."""
    listed = "".join(f"`{name}`, " for name, each in columns.items() if not each.indexes)
    return f"use {listed}numbers, options, constants, count(players) and functions of these"
