"""What a quantifier goes over, in words: `cards in your hand where …`.

Assumes: what `naming` knows, and somebody above who puts values and conditions into words.
Does: binds the name, tells what its members are and where, and the condition that they pass; what
has to be of one row is called by that (`kings in your hand`).
Leaves behind: words, and the scope inside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from rulerun.rulebook.prose.naming import PLAYER, Local, Naming, Scope, put
from rulerun.rulebook.settled import nodes
from rulerun.runtime.wording import words
from rulerun_dsl.source.safe_text import clean
from rulerun_dsl.syntax import expressions as s


class MemberProse(Naming, ABC):
    """Puts collections with a condition into words."""

    @abstractmethod
    def value(self, node: s.Expression | s.Argument, scope: Scope) -> str:
        """A value in words."""

    @abstractmethod
    def claim(self, node: s.Expression, scope: Scope, holds: bool = True) -> str:
        """A condition in words, or that it does not hold."""

    def inside(self, subject: s.Expression, scope: Scope) -> dict[str, Local]:
        """The scope behind `x in S`."""
        match subject:
            case s.Membership(_, (s.Name() | s.You()) as left, source, _):
                bound = "you" if isinstance(left, s.You) else left.text
                if bound == "you":
                    sort = PLAYER
                    phrase = put(self.t.that_player, noun=self.t.player, name="")
                    return {**scope, "you": Local(phrase, sort)}
                return self.bound(scope, bound, self.sort(source, scope))[1]
        return dict(scope)

    def members(self, node: s.Argument, scope: Scope, *, single: bool = False) -> str:
        """What a quantifier goes over: `cards in your hand such that …`."""
        match node:
            case s.Membership(_, _, source, _):
                return self._noun_in(source, scope, single)
            case s.Filtered(
                _, s.Membership(_, left, source, _) as subject, condition, keys, while_
            ):
                pure = self._row_alone(left, condition, scope)
                if self.sort(source, scope).what != "component":
                    pure = ""
                if pure and while_ is None and not keys:
                    return put(self.t.noun_in, a=pure, b=self.value(source, scope))
                inside = self.inside(subject, scope)
                if condition is not None and self.settled.decided(condition, inside) is True:
                    condition = None
                met = self._noun_in(source, scope, single, self._met_name(left, condition, inside))
                parts = [put(self.t.so_long, c=self.claim(while_, inside))] if while_ else []
                if condition is not None:
                    parts.append(put(self.t.such_that, c=self.claim(condition, inside)))
                return " ".join([met, *parts])
            case s.Comprehension(_, value, (s.ForClause(_, name, source, None, None),)) if (
                self.uses(name, value) == 1 and name != "you"
            ):
                span = node.span
                subject = s.Membership(span, s.Name(span, name), source, False)
                each = put(self.t.every_one, a=self.members(subject, scope, single=True))
                return self.value(value, {**scope, name: Local(each, self.sort(source, scope))})
            case s.Comprehension(_, value, clauses):
                outer: Scope = scope
                over = []
                for clause in clauses:
                    span = clause.span
                    subject = s.Membership(span, s.Name(span, clause.name), clause.source, False)
                    if clause.name == "you":
                        subject = s.Membership(span, s.You(span), clause.source, False)
                    filtered = s.Filtered(span, subject, clause.condition, (), clause.so_long)
                    over.append(self.members(filtered, outer))
                    outer = self.inside(subject, outer)
                said = self.value(value, outer)
                return put(self.t.for_each_of, a=said, b=self.listed(over))
            case s.Filtered(_, subject):
                return self.value(subject, scope)
        return self.value(node, scope)

    def _met_name(self, left: s.Expression, condition: object, inside: Scope) -> str:
        """The name that is told with the noun, where the condition speaks of it by that."""
        if condition is None or not isinstance(left, s.Name):
            return ""
        phrase = inside[left.text].phrase
        return phrase if phrase == self.quoted(left.text) else clean(words(left.text))

    def _noun_in(self, source: s.Expression, scope: Scope, single: bool, named: str = "") -> str:
        sort = self.sort(source, scope)
        noun = self.noun(sort, 1 if single else 2)
        if named:
            by_name = named.startswith(put(self.t.quoted, name="")[:1])
            pattern = self.t.met_by_name if by_name else self.t.met
            noun = put(pattern, noun=noun, name=named)
        if self.is_whole(source):
            return noun
        return put(self.t.noun_in, a=noun, b=self.value(source, scope))

    def is_whole(self, source: s.Expression) -> bool:
        """Whether a source is all there is of a sort: players, a board, a kind."""
        match source:
            case s.Name(_, text):
                named = self.sort_named(text)
                if named.what == "component" and text not in self.settled.kinds:
                    return False
                known = text in self.settled.zones or text in self.settled.variables
                return text in ("players", "people") or bool(named.what and not known)
            case s.KindName():
                return True
        return False

    def _row_alone(self, left: s.Expression, condition: object, scope: Scope) -> str:
        """What a condition `c is king` asks for, if it is only that."""
        match condition:
            case s.Is(_, s.Name(_, name), s.Name() as right, False) if (
                isinstance(left, s.Name) and left.text == name
            ):
                return self.value(right, scope)
        return ""

    @staticmethod
    def uses(name: str, node: object) -> int:
        """How often a name stands in a part of the rules."""
        found = nodes(node)
        if name == "you":
            return sum(isinstance(each, s.You) for each in found)
        return sum(isinstance(each, s.Name) and each.text == name for each in found)
