"""What one row leaves out and every other row says.

Assumes: checked rules.
Does: compares the rows of a kind with each other, rule by rule: which of them say nothing, which
procedures their blocks call, whether they move the component itself.
Leaves behind: RR0727, a hint, where a single row of many differs. It need not be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import tabular
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem

FEWEST = 5
"""So many rows must agree before the one that does not is worth a look."""


def left_out(rules: RuleChecker) -> Iterator[Diagnostic]:
    """Report the single row that leaves out what all others have."""
    calls: dict[tuple[str, str], tree.CallSlot] = {}
    for routine in rules.routines.values():
        if routine.body is not None:
            for node in walking.within(routine):
                if isinstance(node, tree.CallSlot):
                    calls[node.kind, node.slot] = node
    for (kind, slot), call in calls.items():
        rows = tabular.rows_of(rules.world, kind)
        said = [None if name is None else _does(rules, name) for name in call.procedures]
        for what, lacking in _lacking(said):
            row = rows[lacking]
            does = f"gives no `{slot}`" if not what else f"does not {what} in `{slot}`"
            yield problem(
                "RR0727",
                f"only `{row.name}` of all {kind} {does}",
                row.span,
                help="every other row does",
            )


def _lacking(said: list[frozenset[str] | None]) -> Iterator[tuple[str, int]]:
    """What a single row lacks, with its place; `` where it says nothing at all."""
    silent = [place for place, does in enumerate(said) if does is None]
    if len(said) - len(silent) < FEWEST:
        return
    if len(silent) == 1:
        yield "", silent[0]
    if silent:
        return
    every = frozenset[str]().union(*(does for does in said if does is not None))
    for what in sorted(every):
        lacking = [
            place for place, does in enumerate(said) if does is not None and what not in does
        ]
        if len(lacking) == 1:
            yield what, lacking[0]


def _does(rules: RuleChecker, name: str) -> frozenset[str]:
    """What the block of a row does that others may do as well."""
    body = rules.routines[name].body
    found = set()
    for node in walking.walk(body) if body is not None else ():
        match node:
            case tree.CallProcedure(name=called):
                found.add(f"call `{called}`")
            case tree.Leaf(instruction=m.MoveOne(to=to)):
                found.add(f"move to `{to.zone}`")
            case _:
                pass  # what else a row does is its own affair
    return frozenset(found)
