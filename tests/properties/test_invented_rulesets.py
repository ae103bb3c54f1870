"""The laws hold of rulesets that nobody wrote, and the checker knows which may tell a secret.

A ruleset of which the checker warns that a secret may show (who is asked, what is legal) may break
law 5; of any other the law must hold: so this holds the checker's reckoning of who may know what
against what comes out in play. A failing example is kept in `tests/laws` once it is understood.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from tests.inventing import rulesets

from rulerun.laws import LAWS, check_laws
from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.load import load

SECRETS_MAY_SHOW = frozenset(("RR0603", "RR0604", "RR0608", "RR0609", "RR0610"))

quick = settings(
    max_examples=5,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),  # shrinking takes minutes: ask for it by hand
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
FIXED = os.environ.get("RULERUN_EXAMPLES")
"""So many in place of the long run, always the same: for `.ci/run`."""
long = settings(quick, max_examples=int(FIXED or 1500), derandomize=FIXED is not None)


def keeps_the_laws(text: str, games: int, depth: float) -> None:
    note(text)
    loaded, found = load(text.encode("utf-8"), "made_up.yaml")
    assert loaded is not None and not has_errors(found), [each.message for each in found]
    low, high = loaded.outline.player_range
    for players in sorted({low, high}):
        _, found = loaded.game(players)
        assert not has_errors(found), [each.message for each in found]
        laws = {law for law in LAWS if law not in (10, 13, 14)}
        if any(each.code in SECRETS_MAY_SHOW for each in found):
            laws.discard(5)
        broken = check_laws(loaded, players, games=games, laws=laws, depth=depth)
        assert [str(each) for each in broken] == []


@quick
@given(rulesets())
def test_an_invented_ruleset_keeps_the_laws(text: str) -> None:
    keeps_the_laws(text, games=1, depth=0.3)


@pytest.mark.slow
@pytest.mark.slow_in_ci
@long
@given(rulesets())
def test_many_invented_rulesets_keep_the_laws(text: str) -> None:
    keeps_the_laws(text, games=2, depth=0.6)
