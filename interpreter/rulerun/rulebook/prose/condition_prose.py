"""Conditions in words: `your hand is empty`, `at least one player is out of the round`.

Assumes: what `value_prose` knows.
Does: puts a condition, or its contrary, into words; leaves out of `and` and `or` what the settings
decide. What a quantifier binds once is spoken of where it stands (`at least one player's hand is
empty`), else it is told first.
Leaves behind: words without a full stop.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.rulebook.prose.naming import PLAYER, TRUTH, Local, Scope, put
from rulerun.rulebook.prose.value_prose import ValueProse
from rulerun.runtime.phrases import OTHER, SELF, Filling
from rulerun_dsl.model.valuetypes import Bool, Player
from rulerun_dsl.syntax import expressions as s

_COMPARED = {
    "==": ("is_", "is_not"),
    "!=": ("is_not", "is_"),
    "<": ("less", "at_least"),
    "<=": ("at_most", "more"),
    ">": ("more", "at_most"),
    ">=": ("at_least", "less"),
}

_OF_NUMBERS = {"is_": "equals", "is_not": "equals_not"}


class ConditionProse(ValueProse):
    """Puts conditions into words."""

    def claim(self, node: s.Expression, scope: Scope, holds: bool = True) -> str:
        """A condition in words, or that it does not hold."""
        decided = self.settled.decided(node, scope)
        if decided is not None:
            return self.t.always if decided == holds else self.t.never
        match node:
            case s.Unary(_, "not", operand):
                return self.claim(operand, scope, not holds)
            case s.Logic(_, operator, operands):
                return self._logic(operator, operands, scope, holds)
            case s.Compare(_, operator, left, right):
                return self._compare(operator, left, right, scope, holds)
            case s.Is(_, left, right, negated):
                return self._is(left, right, scope, holds != negated)
            case s.Membership(_, left, right, negated):
                pattern = self.t.is_in if holds != negated else self.t.is_not_in
                return self._two(pattern, left, right, scope)
            case s.IfElse(_, value, condition, alternative):
                return self._either_way(value, condition, alternative, scope, holds)
            case s.After(_, value, call):
                said = self.claim(value, scope, holds)
                return put(self.t.after, a=said, b=self.value(call, scope))
            case s.The(_, operand):
                return self.claim(operand, scope, holds)
            case s.Call():
                return self._call_claim(node, scope, holds)
            case s.Name(_, text) if text in scope:
                pattern = self.t.holds if holds else self.t.holds_not
                return put(pattern, a=scope[text].phrase)
            case s.Name(_, text) if text in self.settled.functions:
                return self._function_claim(text, (), scope, holds)
            case s.Name(_, text):
                return self._state_claim(text, (), scope, holds)
            case s.Index(_, s.Name(_, text), indexes):
                return self._state_claim(text, indexes, scope, holds)
            case s.Attribute(_, base, name):
                pattern = self.t.is_so if holds else self.t.is_not_so
                what = self.column(base, name, scope)
                return put(pattern, a=self.filling(base, scope), b=what)
            case s.RuleCall(_, base, name) if holds:
                if self.labels.has_words(f"column {self.sort(base, scope).name} {name}"):
                    return self.slot(base, name, scope)
        pattern = self.t.holds if holds else self.t.holds_not
        return put(pattern, a=self.value(node, scope))

    def _two(self, pattern: str, left: s.Expression, right: s.Expression, scope: Scope) -> str:
        return put(pattern, a=self.filling(left, scope), b=self.value(right, scope))

    def _logic(
        self, operator: str, operands: Sequence[s.Expression], scope: Scope, holds: bool
    ) -> str:
        kept = [each for each in operands if self.settled.decided(each, scope) is None]
        either = (operator == "or") == holds
        parts = []
        for each in kept:
            said = self.claim(each, scope, holds)
            inner = each.operand if isinstance(each, s.Unary) else each
            mixed = len(kept) > 1 and self._is_joined(inner, scope)
            parts.append(f"({said})" if mixed else said)
        if len(parts) < 2:
            return "".join(parts)
        word = self.speech.alternative if either else self.speech.conjunction
        return f" {word} ".join([", ".join(parts[:-1]), parts[-1]])

    def _is_joined(self, node: s.Expression, scope: Scope) -> bool:
        """Whether a condition is told in several parts."""
        if not isinstance(node, s.Logic):
            return isinstance(node, s.IfElse) and self.settled.decided(node.condition) is None
        open_ = [each for each in node.operands if self.settled.decided(each, scope) is None]
        return len(open_) > 1 or any(self._is_joined(each, scope) for each in open_)

    def _compare(
        self, operator: str, left: s.Expression, right: s.Expression, scope: Scope, holds: bool
    ) -> str:
        if isinstance(right, s.Truth) or self.sort(left, scope) == TRUTH:
            if isinstance(right, s.Truth) and operator in ("==", "!="):
                return self.claim(left, scope, holds == (right.value == (operator == "==")))
            same = (operator == "==") == holds
            pattern = self.t.alike if same else self.t.unlike
            return put(pattern, a=self.claim(left, scope), b=self.claim(right, scope))
        name = _COMPARED[operator][0 if holds else 1]
        if "number" in (self.sort(left, scope).what, self.sort(right, scope).what):
            name = _OF_NUMBERS.get(name, name)
        pattern = getattr(self.t, name)
        return self._two(pattern, left, right, scope)

    def _is(self, left: s.Expression, right: s.Expression, scope: Scope, holds: bool) -> str:
        if isinstance(right, s.Nothing):
            pattern = self.t.is_unset if holds else self.t.is_set
            match left:
                case s.Attribute(_, base, name) if name != "owner":
                    pattern = self.t.has_no if holds else self.t.has
                    what = self.column(base, name, scope)
                    return put(pattern, a=self.value(base, scope), b=what)
                case s.Name(_, text) if text in scope or text in self.settled.functions:
                    pattern = self.t.is_none if holds else self.t.is_some
                case s.Call():
                    pattern = self.t.is_none if holds else self.t.is_some
            place = left.base if isinstance(left, s.Index) else left
            if isinstance(place, s.Name) and place.text in self.settled.zones:
                pattern = self.t.empty if holds else self.t.not_empty
            if self.sort(left, scope) == PLAYER:
                pattern = self.t.is_nobody if holds else self.t.is_somebody
            return put(pattern, a=self.value(left, scope))
        return self._two(self.t.is_ if holds else self.t.is_not, left, right, scope)

    def _either_way(
        self,
        value: s.Expression,
        condition: s.Expression,
        other: s.Expression,
        scope: Scope,
        holds: bool,
    ) -> str:
        decided = self.settled.decided(condition, scope)
        if decided is not None:
            return self.claim(value if decided else other, scope, holds)
        return put(
            self.t.claim_if_else,
            a=self.claim(value, scope, holds),
            c=self.claim(condition, scope),
            b=self.claim(other, scope, holds),
        )

    # ------------------------------------------------------------------------------- state, words

    def _state_claim(
        self, name: str, indexes: Sequence[s.Expression], scope: Scope, holds: bool
    ) -> str:
        """A truth value of the state: of a player who is so, or of the game."""
        variable = self.settled.variables.get(name)
        if variable is None or not isinstance(variable.type, Bool):
            pattern = self.t.holds if holds else self.t.holds_not
            said = self.place(name, indexes, scope) if variable else self.labels.word(name)
            return put(pattern, a=said)
        self.placed.add(name)
        label = self.labels.variable(name)
        if not self.labels.has_words(f"variable {name}"):
            label = self.quoted(name)
        types = variable.indexes
        if not types:
            return put(self.t.is_so_now if holds else self.t.is_not_so_now, a=label)
        worded = self.labels.has_words(f"variable {name}")
        pattern = self.t.is_so if holds else self.t.is_not_so
        own = next((at for at, each in enumerate(types) if isinstance(each, Player)), None)
        given = list(indexes)
        whose: Filling | None = None
        if own is not None:
            if len(given) < len(types):
                you = scope.get("you", Local(self.speech.you, PLAYER, SELF))
                whose = Filling(you.phrase, you.form)
            else:
                whose = self.filling(given.pop(own), scope)
        rest = self.listed([self.value(each, scope) for each in given])
        if whose is None:
            return put(pattern, a=rest, b=label)
        label = put(self.t.at_index, a=label, b=rest) if rest else label
        if not worded:
            pattern = self.t.term_holds if holds else self.t.term_holds_not
            return put(pattern, name=label, a=whose.text)
        return put(pattern, a=whose, b=label)

    def _function_claim(
        self, name: str, arguments: Sequence[s.Argument], scope: Scope, holds: bool
    ) -> str:
        arguments = self.given(name, arguments)
        own = self.rule_words(name, arguments, scope)
        self.asked.setdefault(name)
        if own:
            return own if holds else put(self.t.not_so, a=own)
        said = self.listed([self.value(each, scope) for each in arguments])
        pattern = self.t.term_holds if holds else self.t.term_holds_not
        return put(pattern, name=self.quoted(name), a=said)

    # -------------------------------------------------------------------------------- quantifiers

    def _call_claim(self, node: s.Call, scope: Scope, holds: bool) -> str:
        name, arguments = node.name, node.arguments
        if name in self.settled.functions:
            return self._function_claim(name, arguments, scope, holds)
        match name, arguments:
            case "empty", (one,):
                return self._empty(one, scope, holds)
            case (("any" | "all"), (s.Comprehension() as over,)):
                return self._quantified(over, scope, name == "any", holds)
            case (("any" | "all"), (one,)):
                pattern = self.t.some_hold if name == "any" else self.t.all_hold
                return self._not_if(put(pattern, a=self.value(one, scope)), not holds)
            case (("line" | "path"), _):
                parts = [self.value(each, scope) for each in arguments]
                parts += [""]
                said = put(self.t.library[name], a=parts[0], b=parts[1], c=parts[2])
                return self._not_if(said, not holds)
            case "running", (one,):
                return self._not_if(put(self.t.library[name], a=self.value(one, scope)), not holds)
        pattern = self.t.holds if holds else self.t.holds_not
        return put(pattern, a=self.value(node, scope))

    def _not_if(self, said: str, negated: bool) -> str:
        return put(self.t.not_so, a=said) if negated else said

    def _empty(self, one: s.Argument, scope: Scope, holds: bool) -> str:
        if isinstance(one, s.Filtered | s.Membership | s.Comprehension):
            pattern = self.t.there_is_no if holds else self.t.there_is
            return put(pattern, a=self.members(one, scope, single=True))
        return put(self.t.empty if holds else self.t.not_empty, a=self.value(one, scope))

    def _quantified(self, over: s.Comprehension, scope: Scope, some: bool, holds: bool) -> str:
        """`any(…)` and `all(…)`; that none holds, is that for each it does not."""
        contained = self._contained(over, scope) if some else None
        if contained:
            pattern = self.t.contains if holds else self.t.lacks
            return put(pattern, a=contained[0], b=contained[1])
        *outer, last = over.clauses
        some = some == holds
        inside: Scope = scope
        leads = []
        for clause in (*outer, last):
            once = (
                clause is last
                and clause.condition is None
                and clause.so_long is None
                and clause.name != "you"
                and self.uses(clause.name, over.value) == 1
            )
            sort = self.sort(clause.source, inside)
            span = clause.span
            left: s.Expression = s.Name(span, clause.name)
            if clause.name == "you":
                left = s.You(span)
            subject = s.Membership(span, left, clause.source, False)
            if once:
                noun = self.members(subject, inside, single=True)
                one = put(self.t.some_one if some else self.t.every_one, a=noun)
                inside = {**inside, clause.name: Local(one, sort, OTHER)}
                continue
            filtered = s.Filtered(span, subject, clause.condition, (), clause.so_long)
            noun = self.members(filtered, inside, single=True)
            if clause.condition is None and clause.so_long is None:
                noun = self.met_in(clause.name, clause.source, inside)
            leads.append(put(self.t.some_one if some else self.t.every_one, a=noun))
            inside = self.inside(subject, inside)
        said = self.claim(over.value, inside, holds)
        if not leads:
            return said
        return put(self.t.for_those, a=self.listed(leads), b=said)

    def met_in(self, name: str, source: s.Expression, scope: Scope) -> str:
        """A name that is bound to members of a source, as it is told first: `card in the deck`."""
        if name == "you":
            return self.members(source, scope) if self.is_whole(source) else self.t.player
        met, _ = self.bound(scope, name, self.sort(source, scope))
        if self.is_whole(source):
            return met
        return put(self.t.noun_in, a=met, b=self.value(source, scope))

    def _contained(self, over: s.Comprehension, scope: Scope) -> tuple[str, str] | None:
        """Of `any(c is king for c in hand)`: the hand and the king."""
        match over:
            case s.Comprehension(
                _,
                s.Is(_, s.Name(_, name), right, False),
                (s.ForClause(_, bound, source, None, None),),
            ) if name == bound and self.sort(source, scope).what == "component":
                if not isinstance(right, s.Nothing):
                    return self.value(source, scope), self.value(right, scope)
        return None
