"""Which names an outline declares, as what, and where.

Assumes: an outline.
Does: puts all names into one namespace, and declarations into a table of each kind.
Leaves behind: the tables, for all worlds of the outline; findings about names that are declared
twice, or are words of the language.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulerun_dsl.check.env.wording import named
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Related, problem
from rulerun_dsl.syntax import declarations

RESERVED_TYPES = frozenset(("player", "players", "people", "bool", "int", "direction", "owner"))


class Declared:
    """The names of an outline."""

    def __init__(self, outline: declarations.Outline) -> None:
        """Go through all declarations."""
        self.names: dict[str, tuple[str, declarations.Source]] = {}
        """The word for what it is, and where it stands first."""
        self.by_kind: dict[str, dict[str, object]] = {}
        self.twice: set[str] = set()
        self.found: list[Diagnostic] = []
        for word, items in (
            ("option", outline.options),
            ("constant", outline.constants),
            ("type", outline.types),
            ("table", outline.tables),
            ("board", outline.boards),
            ("kind", outline.kinds),
            ("zone", outline.zones),
            ("variable", outline.variables),
            ("function", outline.functions),
            ("procedure", outline.procedures),
            ("action", outline.actions),
        ):
            table = self.by_kind.setdefault(word, {})
            for item in items:
                self._declare(word, item.at)
                table.setdefault(item.at.name, item)
        self._declare_phases(outline.phases)
        self.hooks: dict[tuple[str, str], list[declarations.HookDecl]] = {}
        """By what they are about and their word, in file order."""
        for hook in outline.hooks:
            self.hooks.setdefault((hook.at.name, hook.word), []).append(hook)
        self.living: dict[str, list[declarations.VariableDecl]] = {}
        """By the procedure that is their life."""
        for decl in outline.variables:
            if decl.during is not None:
                self.living.setdefault(decl.during.text, []).append(decl)

    def _declare(self, word: str, at: declarations.Source) -> None:
        if at.name in RESERVED_TYPES and word != "action":
            message = f"`{at.name}` is a word of the language and cannot be declared"
            self.found.append(problem("RR0404", message, at.span, help="choose another name"))
        if (earlier := self.names.get(at.name)) is not None:
            self.twice.add(at.name)
            self.found.append(
                problem(
                    "RR0403",
                    f"`{at.name}` is declared twice: as {named(earlier[0])} and as {named(word)}",
                    at.span,
                    related=(Related(earlier[1].span, "declared first here"),),
                    help="options, constants, types, kinds, boards, zones, variables, tables, "
                    "functions, procedures and phases share one namespace",
                )
            )
            return
        self.names[at.name] = (word, at)

    def _declare_phases(self, phases: Iterable[declarations.PhaseDecl]) -> None:
        for phase in phases:
            if phase.at.name not in self.names:
                self.names[phase.at.name] = ("phase", phase.at)
            else:
                self._declare("phase", phase.at)
            self._declare_phases(phase.phases)
