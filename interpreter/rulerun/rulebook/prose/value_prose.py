"""Expressions that give a value, in words: `your hand`, `the number of cards in the deck`.

Assumes: what `member_prose` knows, and somebody above who puts conditions into words.
Does: takes what the settings decide as its value; goes through an expression and fills the
patterns of the language. A function is called by its words, else by its name as a term.
Leaves behind: words; the functions that were named; how much had to stand as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulerun.rulebook.prose.member_prose import MemberProse
from rulerun.rulebook.prose.naming import PLAYER, Local, Scope, Sense, put
from rulerun.runtime.phrases import OTHER, SELF, Filling, count_form, filled
from rulerun_dsl.model.valuetypes import Player, Site, Type
from rulerun_dsl.source.safe_text import clean
from rulerun_dsl.syntax import expressions as s

_ARITHMETIC = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "//": "divided_down",
    "/": "divided",
    "%": "rest",
    "**": "power",
}
_LEFT_ASSOCIATIVE = ("+", "-")
LONG_NAME = 2
"""A name of more words takes no genitive."""


class ValueProse(MemberProse):
    """Puts values into words."""

    def value(self, node: s.Expression | s.Argument, scope: Scope) -> str:
        """A value in words."""
        if not isinstance(node, s.Comprehension | s.Filtered | s.Name | s.Number):
            known = self.settled.value(node, scope)
            if known is not None:
                return self.settled.text(*known)
        match node:
            case s.Name(_, text):
                return self._name(node, text, scope)
            case s.Number(_, number):
                return str(number)
            case s.Truth(_, true):
                return self.speech.yes if true else self.speech.no
            case s.Nothing():
                return self.speech.none
            case s.You():
                return self.you(scope)
            case s.This():
                return scope["this"].phrase if "this" in scope else self.t.this
            case s.All():
                return self.speech.everybody
            case s.KindName(_, kind):
                return self.noun(Sense("row", kind), 2)
            case s.ListOf(_, items):
                return self.listed([self.value(each, scope) for each in items])
            case s.Unary(_, "-", operand):
                return f"-{self.value(operand, scope)}"
            case s.Binary():
                return self._binary(node, scope)
            case s.After(_, value, call):
                pattern = self.t.after
                return put(pattern, a=self.value(value, scope), b=self.value(call, scope))
            case s.IfElse(_, value, condition, alternative):
                return self._if_else(value, condition, alternative, scope)
            case s.Otherwise(_, left, right):
                return put(self.t.otherwise, a=self.value(left, scope), b=self.value(right, scope))
            case s.Range(_, low, high):
                return put(self.t.range, a=self.value(low, scope), b=self.value(high, scope))
            case s.Attribute(_, base, name):
                return self._attribute(base, name, scope)
            case s.RuleCall(_, s.Name(_, "points"), name, _):
                return self._line_of_points(name)
            case s.RuleCall(_, base, name, _):
                return put(
                    self.t.rule_of, a=self.slot(base, name, scope), b=self.value(base, scope)
                )
            case s.Index():
                return self._index(node, scope)
            case s.The(_, operand):
                return self.value(operand, scope)
            case s.ComponentsOf(_, kind, owner):
                return self._of_owner(kind, owner, scope)
            case s.Call():
                return self._call(node, scope)
            case s.Filtered() | s.Comprehension():
                return self.members(node, scope)
            case s.Unary() | s.Compare() | s.Membership() | s.Is() | s.Logic():
                return put(self.t.whether, a=self.claim(node, scope))
        return self.written(node)

    def you(self, scope: Scope) -> str:
        """Who is spoken to."""
        return scope["you"].phrase if "you" in scope else self.speech.you

    def filling(self, node: s.Expression, scope: Scope) -> Filling:
        """A value as the subject of a sentence."""
        form = OTHER
        match node:
            case s.You():
                form = scope["you"].form if "you" in scope else SELF
            case s.Name(_, text) if text in scope:
                form = scope[text].form
            case s.Number(_, number):
                form = count_form(number, self.speech.code)
        return Filling(self.value(node, scope), form)

    # ------------------------------------------------------------------------------------- names

    def _name(self, node: s.Name, text: str, scope: Scope) -> str:
        settled = self.settled
        if text in scope:
            return scope[text].phrase
        if text in settled.constants:
            known = settled.value(node, scope)
            return self.written(node) if known is None else settled.text(*known)
        if text in settled.zones or text in settled.variables:
            return self.place(text, (), scope)
        if text in settled.functions:
            known = settled.value(node, scope)
            return settled.text(*known) if known is not None else self.called_by(text, (), scope)
        if text == "players":
            return self.t.all_players
        if text == "people":
            return self.t.all_people
        if text == "winner":
            return self.t.who_won
        if text in settled.game.players:
            return self.labels.player(text)
        for sort in (self.sort_named(text), self.sort_of_row(text)):
            if sort.what == "component":
                named = self.labels.has_words(f"row {sort.name} {text}") or text != sort.name
                row = self.labels.named(f"row {sort.name}", text)
                return row if named else self.noun(sort)
            if sort.what in ("site", "enum"):
                return self.noun(sort, 2)
            if sort.what == "number":
                return put(self.t.every_value, name=self.labels.named("type", text))
        return self.labels.word(text)

    def indexes_of(self, name: str) -> tuple[Type, ...]:
        """The types of the indexes of a zone or variable."""
        settled = self.settled
        if name in settled.zones:
            return settled.zones[name].indexes
        return settled.variables[name].indexes if name in settled.variables else ()

    def place(self, name: str, given: Sequence[s.Expression], scope: Scope) -> str:
        """A zone or variable with whose it is: `your hand`, `the deck`, `fruits at r1c1`."""
        types = self.indexes_of(name)
        indexes = list(given)
        own = next((at for at, each in enumerate(types) if isinstance(each, Player)), None)
        implied = len(indexes) < len(types) and own is not None
        label = self.label_of(name)
        whose = ""
        if own is not None and (implied or own < len(indexes)):
            owner = None if implied else indexes.pop(own)
            others = [each for at, each in enumerate(types) if at != own]
            if owner is None or isinstance(owner, s.You):
                whose = "" if "you" in scope and scope["you"].form != SELF else "you"
                owner_said = self.you(scope)
            else:
                owner_said = self.value(owner, scope)
            label = self._with_indexes(label, indexes, others, scope)
            if whose == "you":
                return self.speech.your.format(zone=label)
            return self.whose(label, owner_said)
        label = self._with_indexes(label, indexes, types, scope)
        if label.startswith(self.t.quoted[:1]):
            return label
        return self.speech.the.format(name=label)

    def label_of(self, name: str) -> str:
        """What a zone or variable is called; one that nobody sees and names is a term."""
        self.placed.add(name)
        if name in self.settled.zones:
            return self.labels.zone(name)
        hidden = name in self.settled.game.view.hides
        if hidden and not self.labels.has_words(f"variable {name}"):
            return self.quoted(name)
        return self.labels.variable(name)

    def _with_indexes(
        self, label: str, indexes: Sequence[s.Expression], types: Sequence[Type], scope: Scope
    ) -> str:
        said = [
            self.t.every if isinstance(each, s.All) else self.value(each, scope) for each in indexes
        ]
        if not said:
            return label
        if label.rsplit(" ", 1)[-1] in self.t.prepositions.split():
            return f"{label} {', '.join(said)}"
        on_board = len(types) == 1 and isinstance(types[0], Site)
        return put(self.t.at_place if on_board else self.t.at_index, a=label, b=", ".join(said))

    # -------------------------------------------------------------------------- parts of a thing

    def _attribute(self, base: s.Expression, name: str, scope: Scope) -> str:
        match base:
            case s.Name(_, "points") | s.Call(_, "points"):
                lines = self.settled.outline.scoring.points
                fits = (each.label for each in lines if each.label.replace(" ", "_") == name)
                label = self.labels.named("line", next(fits, name))
                arguments = getattr(base, "arguments", ())
                owner = arguments[0] if arguments else s.You(base.span)
                return self.owned(self.quoted(label), owner, scope)
            case s.Name(_, text) if text not in scope and not self.has_column(base, name, scope):
                if self.indexes_of(text):
                    index = s.Name(base.span, name)
                    return self.place(text, (index,), scope)
        what = self.t.owner if name == "owner" else self.column(base, name, scope)
        whose = self.value(base, scope)
        if self.is_zone(base, scope):
            noun = self.noun(self.sort(base, scope))
            whose = put(self.t.every_one, a=put(self.t.noun_in, a=noun, b=whose))
        if what.rsplit(" ", 1)[-1] in self.t.prepositions.split():
            return put(self.t.at_index, a=what, b=whose)
        return put(self.t.of, a=what, b=whose)

    def has_column(self, base: s.Expression, name: str, scope: Scope) -> bool:
        """Whether a name is a column or attribute of what an expression gives."""
        kind = self.settled.kinds.get(self.sort(base, scope).name)
        if kind is None or name == "owner":
            return name == "owner"
        columns = {column for column, _, _ in kind.columns}
        columns |= {each.name for each in kind.attributes} | {each for each, _ in kind.printed}
        return name in columns

    def is_zone(self, node: s.Expression, scope: Scope) -> bool:
        """Whether an expression is a zone for several, or zones."""
        name = node.base if isinstance(node, s.Index) else node
        if not isinstance(name, s.Name) or name.text in scope:
            return False
        zone = self.settled.zones.get(name.text)
        return zone is not None and not zone.one

    def column(self, base: s.Expression, name: str, scope: Scope) -> str:
        """What a column or attribute of a thing is called."""
        owners = [self.sort(base, scope).name]
        if not owners[0]:
            # Whose column it is, its name tells as a rule.
            outline = self.settled.outline
            named = [each.at.name for each in outline.kinds]
            named += [each.at.name for each in outline.boards]
            named += [each.at.name for each in outline.types]
            owners += [each for each in named if self.labels.has_words(f"column {each} {name}")]
        return self.labels.named(f"column {owners[-1]}", name)

    def _line_of_points(self, name: str) -> str:
        """One line of the points, which `points.NAME()` asks for."""
        lines = (each.label for each in self.settled.outline.scoring.points)
        label = next((each for each in lines if re.sub(r"\W+", "_", each) == name), name)
        return put(self.t.quoted, name=self.labels.named("line", label))

    def slot(self, base: s.Expression, name: str, scope: Scope) -> str:
        """What a rule of a component is called."""
        return self.column(base, name, scope)

    def _of_owner(self, kind: str, owner: s.Expression, scope: Scope) -> str:
        sort = self.sort_of_row(kind)
        if kind == sort.name:
            found = self.settled.kinds[kind]
            what = self.labels.kind(kind, max(1, found.total // max(1, found.owners)))
        else:
            what = self.labels.named(f"row {sort.name}", kind)
        return self.owned(what, owner, scope)

    def _index(self, node: s.Index, scope: Scope) -> str:
        base = node.base
        if isinstance(base, s.Name) and base.text not in scope:
            if base.text in self.settled.zones or base.text in self.settled.variables:
                types = self.indexes_of(base.text)
                if not types:
                    number = self.value(node.indexes[0], scope)
                    return put(self.t.nth_of, a=number, b=self.place(base.text, (), scope))
                return self.place(base.text, node.indexes, scope)
            label = self.labels.word(base.text)
            self.tabled.setdefault(base.text)
        elif isinstance(base, s.Attribute):
            label = self.value(base, scope)
        else:
            return self.written(node)
        indexes = self.listed([self.value(each, scope) for each in node.indexes])
        return put(self.t.at_index, a=label, b=indexes)

    # ------------------------------------------------------------------------ numbers and choices

    def _binary(self, node: s.Binary, scope: Scope) -> str:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if node.operator == "+" and self.sort(node, scope).what in ("component", "player"):
            return self.listed([left, right])
        if isinstance(node.left, s.IfElse | s.Otherwise) or (
            isinstance(node.left, s.Binary) and node.operator not in _LEFT_ASSOCIATIVE
        ):
            left = f"({left})"
        if isinstance(node.right, s.Binary | s.IfElse | s.Otherwise):
            right = f"({right})"
        return put(getattr(self.t, _ARITHMETIC[node.operator]), a=left, b=right)

    def _if_else(
        self, value: s.Expression, condition: s.Expression, other: s.Expression, scope: Scope
    ) -> str:
        decided = self.settled.decided(condition, scope)
        if decided is not None:
            return self.value(value if decided else other, scope)
        return put(
            self.t.if_else,
            a=self.value(value, scope),
            c=self.claim(condition, scope),
            b=self.value(other, scope),
        )

    # ------------------------------------------------------------------------------------- calls

    def called_by(self, name: str, arguments: Sequence[s.Argument], scope: Scope) -> str:
        """What a function gives, by its words or its name."""
        arguments = self.given(name, arguments)
        own = self.rule_words(name, arguments, scope)
        self.asked.setdefault(name)
        if own:
            return own
        if len(arguments) == 1 and self.sort(arguments[0], scope) == PLAYER:
            return self.owned(self.quoted(name), arguments[0], scope)
        said = self.listed([self.value(each, scope) for each in arguments])
        return put(self.t.term, name=self.quoted(name), a=said)

    def given(self, name: str, arguments: Sequence[s.Argument]) -> Sequence[s.Argument]:
        """The arguments of a function; `you` where it is taken from around the call."""
        decl = self.settled.functions[name]
        first = next(iter(decl.signature.parameters), None)
        if first is not None and first.name == "you":
            if len(arguments) < len(decl.signature.parameters):
                return (s.You(decl.at.span), *arguments)
        return arguments

    def owned(self, what: str, owner: s.Argument, scope: Scope) -> str:
        """What a player has: `your hand`, `that player's “strength”`."""
        mine = scope.get("you", Local("", PLAYER, SELF)).form == SELF
        if isinstance(owner, s.You) and mine:
            return self.speech.your.format(zone=what)
        return self.whose(what, self.value(owner, scope))

    def whose(self, what: str, owner: str) -> str:
        """What somebody has."""
        if owner == self.speech.you:
            return self.speech.your.format(zone=what)
        if len(owner.split()) > LONG_NAME:
            return put(self.t.whose_long, a=what, b=owner)
        return self.speech.whose.format(zone=what, player=owner)

    def rule_words(self, name: str, arguments: Sequence[s.Argument], scope: Scope) -> str:
        """What a function or procedure is called in `words: rules:`, with its arguments."""
        pattern = self.labels.rule_name(name)
        if not pattern:
            return ""

        def argument(place: str) -> Filling:
            at = int(place) - 1 if place.isdigit() else len(arguments)
            if at >= len(arguments):
                return Filling("", OTHER, False)
            given = arguments[at]
            if isinstance(given, s.Comprehension | s.Filtered):
                return Filling(self.value(given, scope))
            if isinstance(given, s.Name) and given.text not in scope:
                # Several types may have a value of that name.
                of = self.sort_written(types[at] if at < len(types) else None)
                key = f"value {of.name} {given.text}"
                if of.what == "enum" and self.labels.has_words(key):
                    return Filling(self.labels.named(*key.rsplit(" ", 1)))
            return self.filling(given, scope)

        decl = self.settled.functions.get(name) or self.settled.procedures.get(name)
        types = [each.type for each in decl.signature.parameters] if decl is not None else []
        if types and decl is not None and decl.signature.parameters[0].name == "you":
            types = types[1:]
        return clean(filled(pattern, argument))

    def _call(self, node: s.Call, scope: Scope) -> str:
        name, arguments = node.name, node.arguments
        if name in self.settled.functions:
            return self.called_by(name, arguments, scope)
        match name, arguments:
            case "count", (one,):
                return self._count(one, scope)
            case (("sum" | "max" | "min" | "packing"), (one,)):
                return put(getattr(self.t, f"{name}_of"), a=self.members(one, scope))
            case (("max" | "min"), several):
                said = self.listed([self.value(each, scope) for each in several])
                return put(getattr(self.t, f"{name}_among"), a=said)
            case (("first" | "last"), (one,)):
                if isinstance(one, s.Filtered | s.Membership | s.Comprehension):
                    return put(getattr(self.t, name), a=self.members(one, scope, single=True))
                return put(getattr(self.t, f"{name}_of"), a=self.value(one, scope))
            case "those", (one,):
                return self.members(one, scope)
            case (("highest" | "lowest" | "all_highest" | "all_lowest"), _):
                return self._best(name, arguments, scope)
            case (("any" | "all" | "empty" | "line" | "path" | "running"), _):
                return put(self.t.whether, a=self.claim(node, scope))
            case "others", (s.You(),):
                return self.t.others_than_you
            case "opponent", (s.You(),):
                return self.t.your_opponent
        pattern = self.t.library.get(name)
        if pattern is not None:
            parts = [self.value(each, scope) for each in arguments]
            parts += ["", ""]
            return put(pattern, a=parts[0], b=parts[1], c=parts[2])
        said = self.listed([self.value(each, scope) for each in arguments])
        if any(board.name == name for board in self.settled.game.boards):
            said = ", ".join(self.value(each, scope) for each in arguments)
            return put(self.t.at_index, a=self.labels.named("board", name), b=said)
        if name == "points":
            return put(self.t.of, a=self.t.points, b=said)
        if name == "original":
            return self.t.as_otherwise
        if name in self.settled.procedures:
            own = self.rule_words(name, arguments, scope)
            self.called.setdefault(name)
            return own or put(self.t.term, name=self.quoted(name), a=said)
        return self.written(node)

    def _count(self, one: s.Argument, scope: Scope) -> str:
        if isinstance(one, s.Filtered | s.Membership | s.Comprehension):
            return put(self.t.count_of, a=self.members(one, scope))
        sort = self.sort(one, scope)
        if sort.what in ("component", "row") and not isinstance(one, s.KindName):
            return put(self.t.count_in, a=self.noun(sort, 2), b=self.value(one, scope))
        return put(self.t.count_of, a=self.value(one, scope))

    def _best(self, name: str, arguments: Sequence[s.Argument], scope: Scope) -> str:
        one = arguments[-1]
        if not isinstance(one, s.Filtered):
            return put(getattr(self.t, f"{name}_of"), a=self.value(one, scope))
        bare = s.Filtered(one.span, one.subject, one.condition, (), one.so_long)
        single = name in ("highest", "lowest") and len(arguments) == 1
        said = self.members(bare, scope, single=single)
        inside = self.inside(one.subject, scope)
        keys = [self.value(each, inside) for each in one.keys]
        number = self.value(arguments[0], scope) if len(arguments) > 1 else ""
        by = self.t.then_by.join(keys)
        return put(getattr(self.t, name), a=said, by=by, n=number)
