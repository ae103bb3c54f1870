"""Statements in words: what one of them tells a player to do.

Assumes: what `move_prose` knows.
Does: puts a statement into the words of its form; a value that the settings decide stands where its
name would.
Leaves behind: the middle of a sentence; names that the statement binds are in the scope.
"""

from __future__ import annotations

from rulerun.rulebook.prose.move_prose import MoveProse
from rulerun.rulebook.prose.naming import PLAYER, UNKNOWN, Local, Scope, Sense, put
from rulerun.rulebook.settled import nodes
from rulerun.runtime.phrases import OTHER
from rulerun_dsl.model.valuetypes import Bool, Int, Type
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt


class StatementProse(MoveProse):
    """Puts single statements into words."""

    def clause(self, node: stmt.Statement, scope: dict[str, Local]) -> str:
        """One statement as the middle of a sentence."""
        match node:
            case stmt.Again():
                return self.t.again
            case stmt.Stop(_, procedure):
                name = self.quoted(procedure) if procedure else ""
                return put(self.t.stop_that, name=name) if name else self.t.stop
            case stmt.EndGame(_, None):
                return self.t.end_game
            case stmt.EndGame(_, s.Nothing()):
                return self.t.end_game_nobody
            case stmt.EndGame(_, winner) if winner is not None:
                return put(self.t.end_game_won, a=self.filling(winner, scope))
            case stmt.Give(_, value):
                return put(self.t.give, a=self.value(value, scope))
            case stmt.Let(_, name, _, type_, value):
                return self._let(name, type_, value, scope)
            case stmt.Assign():
                return self._assign(node, scope)
            case stmt.Move():
                return self.move(node, scope)
            case stmt.Shuffle(_, place):
                return put(self.t.shuffle, a=self.value(place, scope))
            case stmt.Swap(_, left, right):
                a, b = self.value(left, scope), self.value(right, scope)
                return put(self.t.swap, a=a, b=b)
            case stmt.Show(_, what, s.All()):
                return put(self.t.show_all, a=self.value(what, scope))
            case stmt.Show(_, what, to):
                return put(self.t.show, a=self.value(what, scope), b=self.filling(to, scope))
            case stmt.Roll(_, place, weight, until):
                by = self.value(weight, scope) if weight is not None else ""
                ends = self.claim(until, scope) if until is not None else ""
                return put(self.t.roll, a=self.value(place, scope), by=by, c=ends)
            case stmt.Pick():
                return self._pick(node, scope)
            case stmt.Sort(_, binder, place, keys):
                inside = self.bound(scope, binder, self.sort(place, scope))[1]
                by = self.t.then_by.join(self.value(each, inside) for each in keys)
                return put(self.t.sort, a=self.value(place, scope), by=by)
            case stmt.Reset(_, place):
                return put(self.t.reset, a=self.every_index(place, scope))
            case stmt.Remember(_, place):
                return put(self.t.remember, a=self.value(place, scope))
        return self.written(node)

    def every_index(self, place: s.Expression, scope: Scope) -> str:
        """A place; of `[all]` for more than players, the name alone."""
        match place:
            case s.Index(_, s.Name(_, name), indexes) if all(
                isinstance(each, s.All) for each in indexes
            ):
                types = self.indexes_of(name)
                if len(indexes) > 1 or self.sort_of_type(types[0]) != PLAYER:
                    label = self.label_of(name)
                    return put(self.t.all_of, a=label)
        return self.value(place, scope)

    def _let(
        self,
        name: str,
        type_: s.TypeExpression | None,
        value: s.Expression | stmt.Move,
        scope: dict[str, Local],
    ) -> str:
        if isinstance(value, stmt.Move):
            said = put(self.t.let_move, a=self.move(value, scope), b=self.quoted(name))
            sort = self._sort_of_moved(value, scope)
        else:
            known = self.known(value, scope)
            sort = self.sort(value, scope)
            if known is not None and name not in self.settled.changed:
                scope[name] = Local(self.settled.text(*known), sort, OTHER, known)
                return ""
            if isinstance(value, s.Call) and value.name in self.settled.procedures:
                said = put(
                    self.t.let_move, a=self.called_elsewhere(value, scope), b=self.quoted(name)
                )
                scope.update(self.with_local(scope, name, sort))
                return said
            pattern = self.t.let
            if sort.what == "truth" and known is None:
                pattern = self.t.let_whether
                said = put(pattern, a=self.claim(value, scope), b=self.quoted(name))
            else:
                said = put(pattern, a=self.value(value, scope), b=self.quoted(name))
        if sort == UNKNOWN:
            sort = self.sort_written(type_)
        scope.update(self.with_local(scope, name, sort))
        return said

    def known(self, value: s.Expression, scope: Scope) -> tuple[Type, int | None] | None:
        """A value that the settings decide, of whichever form."""
        decided = self.settled.decided(value, scope)
        if decided is not None:
            return Bool(), int(decided)
        match value:
            case s.Number(_, number):
                return Int(number, number), number
            case s.IfElse(_, then, condition, other):
                which = self.settled.decided(condition, scope)
                return None if which is None else self.known(then if which else other, scope)
        return self.settled.value(value, scope)

    def _sort_of_moved(self, move: stmt.Move, scope: Scope) -> Sense:
        of = move.source if move.source is not None else move.subject
        return self.sort(of, scope) if of is not None else UNKNOWN

    def _assign(self, node: stmt.Assign, scope: dict[str, Local]) -> str:
        place, value = node.place, node.value
        if isinstance(value, stmt.Move):
            moved = self.move(value, scope)
            return put(self.t.let_move, a=moved, b=self.value(place, scope))
        target = self.every_index(place, scope)
        if isinstance(value, s.Call) and value.name in self.settled.procedures:
            return put(self.t.let_move, a=self.called_elsewhere(value, scope), b=target)
        if node.operator in ("+=", "-="):
            pattern = self.t.add if node.operator == "+=" else self.t.take_away
            return put(pattern, a=self.value(value, scope), b=target)
        if isinstance(value, s.Truth) or self._is_truth(place, scope):
            known = self.settled.decided(value, scope)
            if known is not None:
                if isinstance(place, s.Attribute):
                    pattern = self.t.becomes_so if known else self.t.becomes_not_so
                    what = self.column(place.base, place.name, scope)
                    return put(pattern, a=self.filling(place.base, scope), b=what)
                if any(isinstance(each, s.All) for each in nodes(place)):
                    said = self.speech.yes if known else self.speech.no
                    return put(self.t.becomes, a=target, b=said)
                else:
                    return put(self.t.from_now, a=self.claim(place, scope, known))
            if isinstance(value, s.Unary) and value.operand.span.text == place.span.text:
                return put(self.t.changes_over, a=target)
            return put(self.t.becomes_whether, a=target, b=self.claim(value, scope))
        if isinstance(value, s.Nothing) and self.sort(place, scope) == PLAYER:
            return put(self.t.becomes, a=target, b=self.speech.nobody)
        return put(self.t.becomes, a=target, b=self.value(value, scope))

    def _is_truth(self, place: s.Expression, scope: Scope) -> bool:
        name = place.base if isinstance(place, s.Index) else place
        if isinstance(name, s.Name) and name.text in self.settled.variables:
            return isinstance(self.settled.variables[name.text].type, Bool)
        return self.sort(place, scope).what == "truth"

    def _pick(self, node: stmt.Pick, scope: dict[str, Local]) -> str:
        span = node.span
        argument: s.Argument = node.source
        subject: s.Expression = node.source
        if isinstance(node.place, s.Name) and node.condition is not None:
            bound = node.place
            match node.source:
                case s.Membership():
                    subject = node.source
                case _:
                    subject = s.Membership(span, bound, node.source, False)
            argument = s.Filtered(span, subject, node.condition, (), None)
        by = self.value(node.weight, scope) if node.weight is not None else ""
        if not isinstance(argument, s.Filtered) and self.sort(node.source, scope) == PLAYER:
            source = self.t.all_players if self.is_whole(node.source) else ""
            source = source or self.value(node.source, scope)
        else:
            source = self.members(argument, scope)
        return put(self.t.pick, a=self.value(node.place, scope), b=source, by=by)

    def called_elsewhere(self, call: s.Call, scope: Scope) -> str:
        """A procedure that is told elsewhere is done."""
        self.called.setdefault(call.name)
        own = self.rule_words(call.name, call.arguments, scope)
        arguments = self.listed([self.value(each, scope) for each in call.arguments])
        return own or put(self.t.do, name=self.quoted(call.name), a=arguments)
