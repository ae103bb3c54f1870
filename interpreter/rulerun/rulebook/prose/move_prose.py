"""Moves in words: `move 2 cards from the deck to your hand`.

Assumes: what `condition_prose` knows.
Does: tells how many of what go from where to where; of what has to pass a condition that asks for
one row only, the row.
Leaves behind: the middle of a sentence.
"""

from __future__ import annotations

from rulerun.rulebook.prose.condition_prose import ConditionProse
from rulerun.rulebook.prose.naming import Local, Scope, put
from rulerun.runtime.phrases import OTHER, SELF, Filling, count_form
from rulerun_dsl.model.valuetypes import Int
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt


class MoveProse(ConditionProse):
    """Puts moves into words."""

    def move(self, node: stmt.Move, scope: dict[str, Local]) -> str:
        """`move 2 cards from the deck to your hand`."""
        to = self.value(node.to, scope)
        if node.quantity is None and node.subject is not None:
            return put(self.t.move_it, a=self.value(node.subject, scope), to=to)
        source: s.Expression | None = node.source
        inside: Scope = scope
        name = ""
        if isinstance(node.subject, s.Membership):
            source = node.subject.right
            inside = self.inside(node.subject, scope)
            if isinstance(node.subject.left, s.Name):
                name = node.subject.left.text
        elif node.subject is not None and source is None:
            source = node.subject
        if source is None:
            return self.written(node)
        sort = self.sort(source, scope)
        condition = node.condition
        if condition is not None and self.settled.decided(condition, inside) is True:
            condition = None
        row = self._row_alone(s.Name(node.span, name), condition, scope) if name else ""
        such = "" if condition is None or row else self.claim(condition, inside)
        if name and self.uses(name, node.to):
            to = self.value(node.to, inside)
        from_ = self._source(source, scope)
        named = ""
        if such and inside[name].phrase == self.quoted(name):
            named = f" {self.quoted(name)}"
        if node.quantity == "all":
            if isinstance(source, s.Name) and source.text in self.settled.kinds:
                from_ = put(self.t.all_of, a=row or self.noun(sort, 2))
                return put(self.t.move_those, a=from_, to=to, c=such)
            if isinstance(source, s.ComponentsOf):
                return put(self.t.move_those, a=from_, to=to, c=such)
            what = row or self.noun(sort, 2) + named
            return put(self.t.move_all, what=what, a=from_, to=to, c=such)
        assert node.quantity is not None and not isinstance(node.quantity, str)
        many = self.quantity(node.quantity, scope)
        what = row or self.noun(sort, 1 if many.form == SELF else 2) + named
        return put(
            self.t.move_up_to if node.up_to else self.t.move_some,
            n=many,
            what=what,
            a=from_,
            to=to,
            c=such,
        )

    def quantity(self, node: s.Expression, scope: Scope) -> Filling:
        """How many; what is no plain number, in brackets."""
        known = self.settled.value(node, scope)
        number = node.value if isinstance(node, s.Number) else None
        if known is not None and isinstance(known[0], Int):
            number = known[1]
        if number is not None:
            return Filling(str(number), count_form(number, self.speech.code))
        said = self.value(node, scope)
        if isinstance(node, s.Binary | s.IfElse | s.Otherwise | s.Call):
            said = put(self.t.so_many, a=said)
        return Filling(said, OTHER)

    def _source(self, source: s.Expression, scope: Scope) -> str:
        if isinstance(source, s.Otherwise):
            left, right = self._source(source.left, scope), self._source(source.right, scope)
            return put(self.t.from_otherwise, a=left, b=right)
        return self.value(source, scope)
