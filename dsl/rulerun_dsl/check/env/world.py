"""What every declared name is, for one set of options and one number of players.

Assumes: an `Outline`, and the settings to specialise it to.
Does: answers questions on demand (`kind`, `zone`, `variable`, …), so that declarations may stand
in any order; what depends on itself is reported once.
Leaves behind: facts about declarations (`records`) and diagnostics in
`World.diagnostics`, each once for each place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, TypeVar

from rulerun_dsl import model as m
from rulerun_dsl.check.env.declared import Declared
from rulerun_dsl.check.env.recorder import DECLARED, HERE, Recorder, Symbol, word_in
from rulerun_dsl.check.env.records import FunctionFacts, KindFacts, Missing, SupposedFacts
from rulerun_dsl.check.env.texts import Texts
from rulerun_dsl.diagnostics.diagnostic import (
    Diagnostic,
    Related,
    Severity,
    did_you_mean,
    not_checked,
    problem,
    suggest,
)
from rulerun_dsl.diagnostics.fixes import Fix
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.depth import DEEPEST, make_room
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.identifiers import WORD
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.parse import EACH_TEXT, MOST_TEXT
from rulerun_dsl.yaml.nodes import Scalar

_Fact = TypeVar("_Fact")
MOST_GUESSING = 50_000
"""So many names are compared with misspelt ones, to say which was meant."""


@frozen
class Makers:
    """What later modules make of declarations, for types and values that need it.

    Handed in, since each needs the others: a type may be a kind, whose rows have columns of types,
    whose values are expressions.
    """

    elaborate: Callable[
        [World, s.Expression, t.Type | None, Mapping[str, m.Expression]], m.Expression
    ]
    """Gives an expression outside any rule its type."""
    setting: Callable[[World, str], int | None]
    """The value of an option."""
    site_names: Callable[[World, str], tuple[str, ...]]
    every_names: Callable[[World, str], tuple[str, ...]]
    """The names of a kind's rows where `rows: every …` makes them."""
    kind: Callable[[World, str], KindFacts]
    history: Callable[[World, declarations.VariableDecl], tuple[t.Scalar, ...]]
    """The indexes of the family that keeps a history."""


@dataclass
class World:
    """The declarations of one outline under one setting."""

    outline: declarations.Outline
    players: tuple[str, ...]
    given: Mapping[str, str]
    """Options as text; the others have their default."""
    makers: Makers
    texts: Texts = field(default_factory=Texts)
    """What is known of the outline, whatever the settings."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    unfollowed: list[Diagnostic] = field(default_factory=list)
    """What walks over the whole left out: all the same a game can be made."""
    used: set[str] = field(default_factory=set)
    """Declared names that something has read."""
    budget: int = 0
    """Steps left to work out a constant."""
    results: dict[tuple[object, ...], int | None] = field(default_factory=dict)
    """What functions of constants give, by function, arguments, and what was written down."""
    twice: set[str] = field(default_factory=set)
    """Names that are declared twice (reported)."""
    missing: dict[str, Missing] = field(default_factory=dict)
    """Names in expressions that nothing declares (see `expr.undeclared`)."""
    circular: set[str] = field(default_factory=set)
    """Names that depend on themselves (reported): nothing more is to be said of them."""
    functions: list[FunctionFacts] = field(default_factory=list)
    originals: dict[str, str] = field(default_factory=dict)
    """What `original(…)` means inside a replacement, by its name."""
    bodies: dict[str, list[str]] = field(default_factory=dict)
    """What runs in or around a procedure, by its name, with some of the modules on."""
    decisive: set[str] = field(default_factory=set)
    """The settings on which types, sizes and visibilities depend: what the checks find may be
    otherwise for other values of these, and of no others, since every branch is checked."""
    asked: set[str] = field(default_factory=set)
    """The settings whose value was asked for so far, but for what is looked at `aside`."""
    doubtful: frozenset[str] = frozenset()
    """Words of a file that could not be read as a whole: what they name may be in the part that is
    missing, so that they are not there means nothing."""
    suppose: Callable[[str, Span], SupposedFacts | None] | None = None
    """What a question, at some place, must know of a procedure; None while no rules are checked."""
    supposed: dict[str, None] = field(default_factory=dict)
    """The procedures that some question supposes to have run, in order."""
    strict: bool = False
    """Report what is not proved as well (`validate --strict`)."""
    proved: list[m.Expression] = field(default_factory=list)
    """What the conditions around the expression being typed say is not none."""
    spare: set[str] = field(default_factory=set)
    """Replacements of modules that are off: checked, not called."""
    places: dict[t.Type, tuple[tuple[str, ...], dict[str, int]]] = field(default_factory=dict)
    """The names of a type's values, and their places by name."""
    holders: dict[str, list[tuple[int, t.Scalar]]] = field(default_factory=dict)
    """By name: the types that have a value of this name, with their places among all of them."""
    unlisted: list[tuple[int, t.Scalar]] | None = None
    """The types whose values are not listed there yet; None before the first question."""
    is_listing: bool = False
    """Is that list being made."""
    work: int = 0
    """How many parts of expressions were typed; some are read more than once."""
    most_work: int = 0
    """After so many it is given up: more than what any text of that length needs by itself."""
    folded: dict[int, tuple[m.Expression, m.Expression]] | None = None
    """Expressions with what became of them when options were put in, by identity of the first;
    None while functions are still being made."""
    read_inside: dict[tuple[object, ...], tuple[object, tuple[Any, ...]]] = field(
        default_factory=dict
    )
    """What functions and locals read of the state (see `whole.secret_reads`)."""
    folding: int = 0
    """How many steps were taken to work out constants, in all."""
    has_given_up: bool = False
    """Something took too long, as was reported."""
    guessing: int = 0
    """How many names misspelt ones were compared with."""
    members: int = 0
    """How many members families, tables and columns have together."""
    recorder: Recorder | None = None
    """Who wants to know what names stand for: an editor."""
    here: Span | None = None
    """What is being read."""
    depth: int = 0
    """How many levels deep it stands, in what asked for it as well."""
    deepest: int = 0
    """How deep what is being made has led."""
    people: int = 0
    """How many of the players are people: the first ones; the others are automata."""
    registers: int = 2
    """Registers given out; 0 and 1 are `viewer` and `owner`."""

    def __post_init__(self) -> None:
        """Index the declarations and report names that are declared twice."""
        self._facts: dict[tuple[str, str], object] = {}
        self._deciding = 0
        self._aside = 0
        self._busy: dict[tuple[str, str], tuple[str, Span | None]] = {}
        self._heights: dict[tuple[str, str], int] = {}
        self.most_work = 150_000 + self.outline.text_length // 2
        self._circles: set[tuple[str, str]] = set()
        self._is_long = False
        self.length = 0
        """Of the texts that were parsed here."""
        make_room()
        self._reported: set[tuple[str, int, str]] = set()
        names = self.texts.known("names", lambda: Declared(self.outline))
        self.declared, self.twice = names.names, names.twice
        # Modules put other functions in here, each for some settings.
        self.by_kind = {word: {**declared} for word, declared in names.by_kind.items()}
        self._hooks, self._living = names.hooks, names.living
        for each in names.found:
            self._keep(each)
        self.people = self.people or len(self.players)
        self.automata = {each.name.text for each in self.outline.automata}

    def hooks_of(self, name: str, word: str) -> list[declarations.HookDecl]:
        """The hooks of a procedure, in file order."""
        return self._hooks.get((name, word), [])

    def living_during(self, name: str) -> list[declarations.VariableDecl]:
        """The variables whose life a procedure is (`during: PROC`)."""
        return self._living.get(name, [])

    @contextmanager
    def knowing(self, proved: Iterable[m.Expression]) -> Iterator[None]:
        """While inside, these are known not to be none; more may be, and less."""
        outer = self.proved
        self.proved = [*outer, *proved]
        try:
            yield
        finally:
            self.proved = outer

    # ------------------------------------------------------------------------- diagnostics

    def report(
        self,
        code: str,
        message: str,
        span: Span | None,
        *,
        related: tuple[Related, ...] = (),
        help: str | None = None,
        severity: Severity | None = None,
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Keep a finding, once for each place and code."""
        if code not in ("RR0403", "RR0404") and span is not None and self.twice:
            # What is declared twice means either: what is said of its uses would be an echo.
            first = WORD.match(span.text)
            if first is not None and first[0] in self.twice:
                return
        self._keep(
            problem(code, message, span, related=related, help=help, severity=severity, fixes=fixes)
        )

    def _keep(self, found: Diagnostic) -> None:
        key = (found.code, found.span.start if found.span else -1, found.message)
        if key not in self._reported:
            self._reported.add(key)
            self.diagnostics.append(found)

    def forget(self, mark: int, span: Span) -> None:
        """Take back what was reported since `mark` inside a stretch that is read once more."""
        kept = []
        for each in self.diagnostics[mark:]:
            if each.span is not None and span.covers(each.span):
                self._reported.discard((each.code, each.span.start, each.message))
            else:
                kept.append(each)
        self.diagnostics[mark:] = kept

    def unknown(
        self,
        name: str,
        span: Span,
        what: str,
        candidates: Iterable[str],
        otherwise: str | None = None,
    ) -> None:
        """Report an unknown name with what was probably meant, or `otherwise` what to declare."""
        if self.recorder is not None and name == HERE:
            self.recorder.ask("name", {}, known=candidates, what=what)
            return
        if name in self.doubtful:
            return
        known = tuple(candidates)
        close = self.guess(name, known)
        if close:
            # It was meant: that nothing reads it would be an echo.
            self.used.add(close)
        self.report(
            "RR0402",
            f"there is no {what} `{name}`",
            span,
            **did_you_mean(span, name, close, known, otherwise, declared=True),
        )

    def guess(self, name: str, candidates: Iterable[str]) -> str | None:
        """What was probably meant; of a file that is wrong all over, nothing in the end."""
        if not self.may_guess:
            return None
        known = tuple(candidates)
        self.guessing += len(known)
        return suggest(name, known)

    @property
    def may_guess(self) -> bool:
        """Were not too many names compared already."""
        return self.guessing <= MOST_GUESSING

    def note(
        self,
        span: Span,
        name: str,
        word: str = "",
        of: str = DECLARED,
        type_: t.Type | None = None,
        at: Span | None = None,
    ) -> None:
        """Tell the recorder what a name stands for; without a word, it is declared as one."""
        if self.recorder is None:
            return
        if not word:
            if name not in self.declared:
                return
            word = self.declared[name][0]
        if span.text == name:
            # What the checker writes by itself (`empty(…)` of a refill) stands nowhere.
            born = word_in(at, name) if at is not None else None
            self.recorder.use(span, Symbol(word, name, of, born), type_)

    def read_column(self, span: Span) -> None:
        """Note that a column is read: it is known by the place where it is declared."""
        self.used.add(f"column {span.source.name}:{span.start}")

    def is_column_read(self, span: Span) -> bool:
        """Has something read a column."""
        return f"column {span.source.name}:{span.start}" in self.used

    def fact(
        self,
        word: str,
        name: str,
        make: Callable[[], _Fact],
        default: _Fact,
        label: str = "",
        at: Span | None = None,
    ) -> _Fact:
        """Return a fact, made on the first question; what depends on itself is an error.

        So is what leads deeper than the walks that follow it may go. How deep a fact leads is kept
        with it, so that it does not matter which one is asked for first. `label` and `at` are what
        people call it and where it stands, unless its name says both.
        """
        key = (word, name)
        if key in self._facts:
            reached = self.depth + self._heights[key]
            if reached > DEEPEST and self.goes_too_deep(self._heights[key], label or name):
                return default
            if reached > self.deepest:
                self.deepest = reached
            return self._facts[key]  # type: ignore[return-value]
        if key in self._busy:
            self._circle(key, at)
            return default
        if self.goes_too_deep(1, label or name):
            return default
        self._busy[key] = label or name, self.here
        outer, self.deepest, self.depth = self.deepest, self.depth, self.depth + 1
        here, proved, aside = self.here, self.proved, self._aside
        # What it says is asked for from elsewhere too.
        self.proved, self._aside = [], 0
        try:
            made = make()
        finally:
            self.proved, self._aside = proved, aside
            del self._busy[key]
            self.depth -= 1
            self.here = here
        self._heights[key] = max(self.deepest - self.depth, 1)
        self.deepest = max(self.deepest, outer)
        self._facts[key] = made
        return made

    def known_fact(self, word: str, name: str) -> object:
        """A fact that was made already, or None."""
        return self._facts.get((word, name))

    def parsed(self, node: Scalar) -> s.Expression | None:
        """Parse a cell of a row, a key or a row's function, which the outline leaves as text.

        What is read so counts like the texts of the outline, except for plain numbers, and what the
        parser says is said once, however often the cell is asked for.
        """
        if type(node.value) is int and node.text.isdecimal():
            return s.Number(node.span, node.value)
        self.length += len(node.text) + EACH_TEXT
        if self.length > MOST_TEXT:
            self.give_up(node.span)
            return None
        expression, found = self.texts.parsed(node)
        for each in found:
            self._keep(each)
        return expression

    def give_up(self, span: Span) -> None:
        """Say, once, that the rest is not looked at: what there is takes too long to work out."""
        if not self.has_given_up:
            self.has_given_up = True
            self.diagnostics.append(
                not_checked("the rules from here on", "they take too long to work out", span)
            )

    def goes_too_deep(self, levels: int, name: str) -> bool:
        """Would so many more levels be too many; reported once, for it is one chain."""
        reached = self.depth + levels
        if reached <= DEEPEST:
            self.deepest = max(self.deepest, reached)
            return False
        if not self._is_long:
            self._is_long = True
            busy = [each for each, _ in self._busy.values()]
            chain = [each for each, _ in groupby([*busy, name])]
            shown = [*chain[:3], "…", *chain[-3:]] if len(chain) > 7 else chain
            first = next((each for each in chain if each in self.declared), None)
            self.report(
                "RR0717",
                f"this leads more than {DEEPEST} levels deep: {' -> '.join(shown)}",
                self.declared[first][1].span if first is not None else self.here,
                help="say it in fewer steps: one declaration that names the last, or a table",
            )
        return True

    def _circle(self, key: tuple[str, str], at: Span | None) -> None:
        """Report what depends on itself, with the way round and each step's place."""
        if key in self._circles:
            # One word is enough, however many ways lead round.
            return
        self._circles.add(key)
        chain = list(self._busy)
        chain = chain[chain.index(key) :]
        self.circular.update(name for _, name in chain)
        label = asker = self._busy[key][0]
        path, related = [label], []
        for step, span in [*(self._busy[each] for each in chain[1:]), (label, self.here)]:
            if step == asker and step != label:
                continue
            if step != path[-1]:
                path.append(step)
                if span is not None:
                    related.append(Related(span, f"`{asker}` reads `{step}` here"))
            asker = step
        if key[1] in self.declared:
            at = self.declared[key[1]][1].span
        self.report(
            "RR0701",
            f"`{label}` depends on itself" + (f": {' -> '.join(path)}" if path[1:] else ""),
            at or self.here,
            related=tuple(related),
            help="break the circle: one of them must be given without the others",
        )

    def is_busy(self, name: str, *words: str) -> bool:
        """Is a fact of this name being made."""
        return any((word, name) in self._busy for word in words)

    def register(self) -> int:
        """Give out a register."""
        self.registers += 1
        return self.registers - 1

    @contextmanager
    def once(self) -> Iterator[None]:
        """Check what is not kept: its registers are given back, unless a fact has some of them."""
        registers, facts = self.registers, len(self._facts)
        yield
        if len(self._facts) == facts:
            self.registers = registers

    @property
    def count(self) -> int:
        """How many players there are."""
        return len(self.players)

    def setting_value(self, name: str) -> int | None:
        """The value of an option, the number of `players` or `people`, or who an automa is."""
        if self._deciding:
            self.decisive.add(name)
        if not self._aside:
            self.asked.add(name)
        if name in self.automata:
            return self.players.index(name) if name in self.players else None
        numbers = {"players": self.count, "people": self.people}
        return numbers[name] if name in numbers else self.makers.setting(self, name)

    @property
    def heeds(self) -> tuple[bool, bool]:
        """Whether it is written down that a setting decides, and that it was asked for."""
        return self._deciding > 0, self._aside == 0

    @contextmanager
    def aside(self) -> Iterator[None]:
        """While inside, a setting that is asked for says nothing of the rules, but of itself."""
        self._aside += 1
        try:
            yield
        finally:
            self._aside -= 1

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """While inside, a setting that is asked for decides what the checks may find."""
        self._deciding += 1
        try:
            yield
        finally:
            self._deciding -= 1
