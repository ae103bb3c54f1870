"""A new world: declarations with all that answers questions about them.

Assumes: an outline, and settings for which it is looked at.
Does: gives a `World` its makers, so that types, rows, sites and expressions may ask one another.
Leaves behind: a world of which nothing was asked yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulerun_dsl import model as m
from rulerun_dsl.check.env import board_sites, component_kinds, histories, options, tabular
from rulerun_dsl.check.env.texts import Texts
from rulerun_dsl.check.env.world import Makers, World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def new_world(
    outline: declarations.Outline,
    players: tuple[str, ...],
    given: Mapping[str, str],
    elaborate: Callable[
        [World, s.Expression, t.Type | None, Mapping[str, m.Expression]], m.Expression
    ],
    people: int = 0,
    texts: Texts | None = None,
    doubtful: frozenset[str] = frozenset(),
) -> World:
    """The world of an outline; `elaborate` gives expressions their types.

    `texts` is what other worlds of it know.
    """
    makers = Makers(
        elaborate,
        options.value,
        board_sites.site_names,
        tabular.every_names,
        component_kinds.kind,
        histories.of_history,
    )
    return World(
        outline, players, given, makers, texts or Texts(), people=people, doubtful=doubtful
    )
