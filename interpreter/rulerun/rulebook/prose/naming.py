"""What the names in a rule are called: zones with their owners, variables, locals, kinds of things.

Assumes: the names that are bound where an expression stands, as a `Scope`.
Does: finds out what sort of thing an expression gives, as far as words depend on it (a card, a
player, a number), and calls zones, variables and locals by it: `your hand`, `that card`.
Leaves behind: words. A name that is bound and whose sort is told in one word alone is called by
that (`that card`); of two of one sort, each is called by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from rulerun.rulebook.settled import Settled, nodes
from rulerun.runtime.phrases import OTHER, SELF, Filling, filled
from rulerun.runtime.wording import words
from rulerun.words.rule_phrases import rule_phrases
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt


@frozen
class Sense:
    """What sort of thing: `player`, `component`, `row`, `site`, `enum`, `number`, `truth`, none."""

    what: str = ""
    name: str = ""
    """Of the kind, board or type."""


UNKNOWN = Sense()
PLAYER, NUMBER, TRUTH = Sense("player"), Sense("number"), Sense("truth")


@frozen
class Local:
    """A name that is bound: how it is called, and what sort of thing it is."""

    phrase: str
    sort: Sense
    form: int = OTHER
    known: tuple[t.Type, int | None] | None = None
    """What the settings decide it to be."""


Scope = Mapping[str, Local]


def put(pattern: str, **values: str | Filling) -> str:
    """A pattern with its values, and the forms of words that go with them."""

    def value(place: str) -> Filling:
        found = values.get(place, "")
        return found if isinstance(found, Filling) else Filling(found, OTHER, bool(found))

    return filled(pattern, value)


class Naming:
    """The lowest part of what puts rules into words."""

    def __init__(self, settled: Settled) -> None:
        """Put the rules of a game into words, in the language of its labels."""
        self.settled = settled
        self.labels = settled.labels
        self.speech = settled.labels.speech
        self.t = rule_phrases(self.speech.code)
        self.unworded = 0
        """How often something stands as it is written."""
        self.asked: dict[str, None] = {}
        """Functions that were named, in order."""
        self.called: dict[str, None] = {}
        """Procedures and actions that were named, in order."""
        self.placed: set[str] = set()
        """Zones and variables that were named."""
        self.tabled: dict[str, None] = {}
        """Tables that were named."""
        self._sorting: set[str] = set()

    @contextmanager
    def forgetting(self, forgotten: Callable[[str], bool]) -> Iterator[None]:
        """While inside, some functions that are named first need no explanation for that."""
        before = frozenset(self.asked)
        yield
        for name in [each for each in self.asked if each not in before and forgotten(each)]:
            del self.asked[name]

    # ------------------------------------------------------------------------------- plain words

    def written(self, node: s.Node) -> str:
        """What there are no words for, as it is written, marked as that."""
        self.unworded += 1
        text = clean(words(node.span.text.replace("()", "")))
        return put(self.t.as_written, text=text)

    def quoted(self, name: str) -> str:
        """A name of the rules, as a term."""
        return put(self.t.quoted, name=clean(words(name)))

    def listed(self, items: Sequence[str], *, either: bool = False) -> str:
        """Items in a sentence."""
        return self.speech.listed(items, either=either)

    def a(self, noun: str) -> str:
        """One of what is called so."""
        pattern = self.speech.a_vowel if noun[:1].lower() in "aeiou" else self.speech.a
        return pattern.format(name=noun)

    def noun(self, sort: Sense, many: int = 1) -> str:
        """What one thing of a sort is called, or several."""
        one = many == 1
        match sort:
            case Sense("player"):
                return self.t.player if one else self.t.players
            case Sense("component", kind) if kind in self.settled.kinds:
                return self.labels.kind(kind, many)
            case Sense("row", kind) if kind in self.settled.kinds:
                return put(self.t.kind_of, noun=self.labels.kind(kind))
            case Sense("site", board) if board:
                return self.labels.counted("board", board, many)
            case Sense("enum", name):
                return self.labels.counted("type", name, many)
            case Sense("number", name) if name:
                return self.labels.counted("type", name, many)
            case Sense("number"):
                return self.t.number if one else self.t.numbers
            case Sense("site"):
                return self.t.place if one else self.t.places
        return self.t.thing if one else self.t.things

    # ------------------------------------------------------------------------------------- sorts

    def sort_of_type(self, type_: t.Type) -> Sense:
        """The sort of the values of a type."""
        match type_:
            case t.Optional(inner):
                return self.sort_of_type(inner)
            case t.SetOf(element):
                return self.sort_of_type(element)
            case t.Player() | t.Order():
                return PLAYER
            case t.Component(kind):
                return Sense("component", kind)
            case t.Row(kind):
                return Sense("row", kind)
            case t.Site(board):
                return Sense("site", board)
            case t.Enum(name):
                return Sense("enum", name)
            case t.Int():
                return NUMBER
            case t.Bool():
                return TRUTH
        return UNKNOWN

    def sort_written(self, node: s.TypeExpression | None) -> Sense:
        """The sort of a type as it is written."""
        match node:
            case s.NamedType(_, name):
                return self.sort_named(name)
            case s.KindType(_, kind):
                return Sense("row", kind)
            case s.RangeType():
                return NUMBER
            case s.OrderType():
                return PLAYER
            case s.SetType(_, element):
                return self.sort_written(element)
            case s.OptionalType(_, inner):
                return self.sort_written(inner)
        return UNKNOWN

    def sort_named(self, name: str) -> Sense:
        """The sort of the values of a type, kind or board of that name."""
        if name == "player":
            return PLAYER
        if name in ("bool", "int"):
            return TRUTH if name == "bool" else NUMBER
        if name in self.settled.kinds:
            return Sense("component", name)
        game = self.settled.game
        if any(each.name == name for each in game.boards):
            return Sense("site", name)
        if any(each.name == name for each in game.enumerations):
            return Sense("enum", name)
        decl = next((each for each in self.settled.outline.types if each.at.name == name), None)
        if decl is None or decl.alias is None:
            return UNKNOWN
        sort = self.sort_written(decl.alias)
        return Sense("number", name) if sort == NUMBER else sort

    def sort(self, node: object, scope: Scope) -> Sense:
        """What sort of thing an expression gives, or the members of what it gives."""
        match node:
            case s.Name(_, text):
                return self._sort_of_name(text, scope)
            case s.You():
                return PLAYER
            case s.This():
                return scope["this"].sort if "this" in scope else UNKNOWN
            case s.Number() | s.Range():
                return NUMBER
            case s.Truth() | s.Compare() | s.Is() | s.Logic():
                return TRUTH
            case s.Membership(_, _, right):
                return self.sort(right, scope)
            case s.Filtered(_, subject):
                return self.sort(subject, scope)
            case s.Comprehension(_, value, clauses):
                for clause in clauses:
                    scope = {**scope, clause.name: Local("", self.sort(clause.source, scope))}
                return self.sort(value, scope)
            case s.KindName(_, kind):
                return Sense("row", kind)
            case s.ListOf(_, items):
                return self.sort(items[0], scope)
            case s.Binary(_, operator, left, _):
                return self.sort(left, scope) if operator == "+" else NUMBER
            case s.IfElse(_, value, _, alternative):
                return self._first_known((value, alternative), scope)
            case s.Otherwise(_, left, right):
                return self._first_known((left, right), scope)
            case s.After(_, value, _):
                return self.sort(value, scope)
            case s.The(_, operand):
                return self.sort(operand, scope)
            case s.Attribute(_, base, name):
                return self._sort_of_attribute(base, name, scope)
            case s.Index(_, s.Name(_, text), _):
                return self._sort_of_name(text, scope)
            case s.ComponentsOf(_, kind, _):
                return self.sort_of_row(kind)
            case s.Call():
                return self._sort_of_call(node, scope)
        return UNKNOWN

    def _first_known(self, values: Sequence[s.Expression], scope: Scope) -> Sense:
        sorts = (self.sort(each, scope) for each in values)
        return next((each for each in sorts if each != UNKNOWN), UNKNOWN)

    def _sort_of_name(self, text: str, scope: Scope) -> Sense:
        settled = self.settled
        if text in scope:
            return scope[text].sort
        if text in settled.zones:
            return Sense("component", settled.zones[text].kind)
        if text in settled.variables:
            return self.sort_of_type(settled.variables[text].type)
        if text in ("players", "people") or text in settled.game.players:
            return PLAYER
        if text in settled.functions:
            return self.sort_of_function(text)
        return self.sort_named(text)

    def sort_of_row(self, name: str) -> Sense:
        for kind in self.settled.game.kinds:
            if name == kind.name or name in kind.rows:
                return Sense("component", kind.name)
        return UNKNOWN

    def _sort_of_attribute(self, base: s.Expression, name: str, scope: Scope) -> Sense:
        if name == "owner":
            return PLAYER
        kind = self.settled.kinds.get(self.sort(base, scope).name)
        if kind is not None:
            for column, type_, _ in kind.columns:
                if column == name:
                    return self.sort_of_type(type_)
            for attribute in kind.attributes:
                if attribute.name == name:
                    return self.sort_of_type(attribute.type)
        return UNKNOWN

    def sort_of_function(self, name: str) -> Sense:
        decl = self.settled.functions[name]
        if name in self._sorting:
            return UNKNOWN
        self._sorting.add(name)
        try:
            scope: dict[str, Local] = {}
            for each in decl.signature.parameters:
                known = self.sort(each.source, scope) if each.source is not None else UNKNOWN
                scope[each.name] = Local("", self.sort_written(each.type) if each.type else known)
            values = [decl.value] if decl.value is not None else []
            values += [value for _, value in decl.cases]
            return self._first_known(values, scope)
        finally:
            self._sorting.discard(name)

    def _sort_of_procedure(self, name: str) -> Sense:
        """The sort of what a procedure gives: of what is chosen in it and then given."""
        body = self.settled.procedures[name].body
        given = [each.value for each in nodes(body) if isinstance(each, stmt.Give)]
        for each in nodes(body):
            if isinstance(each, s.Binder) and any(
                isinstance(value, s.Name) and value.text == each.name for value in given
            ):
                return self.sort(each.source, {})
        return self._first_known(given, {})

    def _sort_of_call(self, node: s.Call, scope: Scope) -> Sense:
        match node.name:
            case "clockwise" | "others" | "next" | "opponent" | "player" | "winner":
                return PLAYER
            case "count" | "sum" | "max" | "min" | "abs" | "index" | "seat" | "distance":
                return NUMBER
            case "times" | "packing":
                return NUMBER
            case "any" | "all" | "empty" | "line" | "path" | "running":
                return TRUTH
            case "where" | "go" | "ray" | "neighbours":
                return (
                    self.sort(node.arguments[0], scope) if node.name != "where" else Sense("site")
                )
            case "first" | "last" | "those" | "reverse" | "around" | "subsets" | "reach":
                return self.sort(node.arguments[-1 if node.name == "subsets" else 0], scope)
            case "highest" | "lowest" | "all_highest" | "all_lowest":
                return self.sort(node.arguments[-1], scope)
        if node.name in self.settled.functions:
            return self.sort_of_function(node.name)
        if node.name in self.settled.procedures:
            return self._sort_of_procedure(node.name)
        return self.sort_named(node.name)

    # ------------------------------------------------------------------------------------ locals

    def bound(self, scope: Scope, name: str, sort: Sense) -> tuple[str, dict[str, Local]]:
        """A name is bound: how it is spoken of at first (`a card`), and the scope behind that."""
        if name == "you":
            return self.t.player, {**scope, "you": Local(self.speech.you, PLAYER, SELF)}
        noun = self.noun(sort)
        later = self.t.that_player if sort == PLAYER else self.t.that
        phrase = put(later, noun=noun, name=clean(words(name)))
        plain = len(name) == 1 or name in noun.split()
        plain = plain and sort.what in ("player", "component", "site")
        if plain and all(each.phrase != phrase for each in scope.values()):
            said = put(self.t.met, noun=noun, name=clean(words(name)))
        else:
            phrase = self.quoted(name)
            said = put(self.t.met_by_name, noun=noun, name=phrase)
        return said, {**scope, name: Local(phrase, sort)}

    def with_local(self, scope: Scope, name: str, sort: Sense) -> dict[str, Local]:
        """A name that is called by itself, in quotes."""
        return {**scope, name: Local(self.quoted(name), sort)}
