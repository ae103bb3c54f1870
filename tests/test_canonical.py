"""Canonical JSON names classes of the model by tags that never change."""

import dataclasses

from rulerun_dsl import model
from rulerun_dsl.model import canonical_json

TAGS = """
ActionType After Arithmetic AttributeInfo Beside Board Built Call CallSlot Choose Citation Clause
Clear
Clockwise Comparison Conditional Contains Domain Drain Either EndGame Enter Enumeration Every
Expression Function FunctionCall Game GiveValue Instruction Invariant Joined Jump Kind Layout Listed
Literal Local Lookup Loop LoopNext LoopStart Map MapPiece Members MoveAll MoveOne MoveSome Not
Occupant OfKind Option OptionBinder OptionValue Otherwise OwnerOf Phase Pick Procedure Quantifier
Queue Register RepeatNext RepeatStart Return Roll RowOf Running Say ScoreLine Scoring Setting ShowTo
ShuffleZone SiteOf SlotCall SortBy State StateVariable StopTo Store Sure SwapValues SwapZones
Text TogetherEnd TogetherStart Unless Unpacked Values Variable View Within Words ZoneAt ZoneFamily
""".split()
"""A new class adds its name; a class that is renamed keeps its tag."""


def test_every_class_keeps_its_tag():
    classes = [
        each
        for each in vars(model).values()
        if isinstance(each, type)
        and dataclasses.is_dataclass(each)
        and each.__module__.startswith("rulerun_dsl.model")
    ]
    assert sorted(map(canonical_json.tag, classes)) == TAGS
