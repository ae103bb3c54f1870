"""Law 14: the reference, the python and the native executor agree at every step.

What is quick walks once through each shipped ruleset, through the small ones that press on a law,
through those with faults of other engines, and through rulesets that nobody wrote; machine code is
made of a handful of small ones. `-m slow` takes more of everything. That the law can fail is shown
by compiled executors that are broken on purpose.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings
from tests import rulesets
from tests.hand import hand_game, three_players
from tests.idioms import ruleset as idioms
from tests.inventing import rulesets as invented
from tests.nesting import ruleset as nested
from tests.playing import rats
from tests.properties.test_generated_rulesets import rulesets as generated
from tests.rulesets import BUSY, LONG_PLAYS, SHIPPED, rules_in
from tests.test_conformance import Case, all_cases, loaded_from

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import PASSED, NameAllocator
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.lower import conditions
from rulerun.compiled.lower.builder import Builder
from rulerun.compiled.native.building import draft
from rulerun.compiled.python import batch, preparing, source
from rulerun.compiled.python import executor as compiled
from rulerun.laws import LAWS, Finding, Setting, agreeing, check_laws
from rulerun.laws.executors import Rivals
from rulerun.laws.games import make
from rulerun.laws.slots import Slots, writers
from rulerun.laws.trajectory import Table, walk
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Decision, RuleError
from rulerun.runtime.state import State
from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import shipped

HERE = Path(__file__).parent
PYTHON = ("python",)
NATIVE = ("native",)
BOTH = ("python", "native")

HEAVY = ("ruse", "antler_island", "chess", "lines_of_action", "six_nimmt")
"""Rulesets that take seconds: a short walk of one setting is quick enough."""
SLOW = (
    *HEAVY,
    *LONG_PLAYS,
    *("brave_rats", "breakthrough", "cant_stop", "checkers", "cribbage", "love_letter"),
    *("skull", "texas_holdem", "yacht"),
    *("chasse_en_folie", "go_fish", "hanabi", "hearts", "hex", "sushi_go"),
    *BUSY,
)
"""Those that take seconds all the same: `.ci/run` asks for them."""
LONG = ("go_fish", "chasse_en_folie", "sushi_go")
"""With few players they are quick."""

NATIVE_OF = ("settings", "kuhn_poker", "gates", "many_chosen")
"""Rulesets of which machine code is made quickly; of the first all its settings."""
MORE_NATIVE = (
    *("asked_at_once", "opened", "steps", "tic_tac_toe", "queue", "stacked", "tables", "parts"),
)
"""A few more, slowly."""
LUCK_WITHOUT_END = ("endless_roll", "three_locomotives", "endless_set_up")
"""Each play goes as far as the bound on luck: quick is what `test_falls` asks of them."""
LARGEST = ("moving_sets", "reshuffle", "settings")
"""Of the small ones those that take longest; machine code is made of the last all the same."""


SMALL = [*rules_in(HERE / "laws"), *rules_in(HERE / "faults")]
ALL = [*SHIPPED, *SMALL]


@cache
def read(path: Path) -> Loaded | None:
    """A rules file; None if it does not load, as some faults must not."""
    if path in SHIPPED:
        return rulesets.read(path)
    loaded, found = load(path)
    return None if has_errors(found) else loaded


def settings_of(path: Path) -> Iterator[Setting]:
    """The fewest and the most players, each variant."""
    loaded = read(path)
    if loaded is None:
        return
    for players in sorted(set(loaded.outline.player_range)):
        for variants in [(), *((name,) for name in loaded.variants)]:
            if loaded.game(players, {}, variants)[0] is not None:
                yield Setting(players, variants)


def quick_settings(path: Path) -> list[Setting]:
    """All of them; of what takes seconds, the first."""
    most = 1 if path.stem in (*HEAVY, *LONG) else None
    return list(islice(settings_of(path), most))


def name(path: Path) -> str:
    return path.stem


def table_of(path: Path, setting: Setting, depth: float, against: tuple[str, ...]) -> Table:
    loaded = read(path)
    assert loaded is not None
    made = make(loaded, setting)
    assert made.game is not None
    return Table(loaded, setting, made.game, Reference, depth, against)


def differences(table: Table, seed: str, coverage: bool = True) -> list[str]:
    """What law 14 finds in a walk, and in games by the batch."""
    found = [*agreeing.look(walk(table, seed)), *agreeing.batches(table, seed, coverage)]
    return [what for _, what in found]


needs_native = pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite is not installed")


# ----------------------------------------------------------------------------- written rulesets


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.slow] if path.stem in SLOW else []) for path in SHIPPED],
    ids=name,
)
def test_python_agrees_on_a_shipped_ruleset(path: Path) -> None:
    heavy = path.stem in HEAVY
    for setting in quick_settings(path):
        table = table_of(path, setting, 0.1 if heavy else 0.3, PYTHON)
        if heavy:
            table.game = replace(table.game, decisions=40)
        assert list(agreeing.look(walk(table, "agree"))) == [], setting
        assert heavy or list(agreeing.batches(table, "agree", coverage=False)) == [], setting
        assert table.rivals.compiled, "there is a lowering of all that a shipped ruleset says"


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(
            path, marks=[pytest.mark.slow] if path.stem in (*LUCK_WITHOUT_END, *LARGEST) else []
        )
        for path in SMALL
    ],
    ids=name,
)
def test_python_agrees_on_a_small_ruleset(path: Path) -> None:
    for setting in quick_settings(path):
        assert differences(table_of(path, setting, 0.5, PYTHON), "agree") == [], setting


@pytest.mark.slow_in_ci
@needs_native
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, marks=[pytest.mark.slow] if path.stem in MORE_NATIVE else [])
        for path in ALL
        if path.stem in (*NATIVE_OF, *MORE_NATIVE)
    ],
    ids=name,
)
def test_native_agrees_on_a_small_ruleset(path: Path) -> None:
    for setting in islice(settings_of(path), 2 if path.stem == NATIVE_OF[0] else 1):
        assert differences(table_of(path, setting, 0.5, NATIVE), "agree") == [], setting


@pytest.mark.slow
@pytest.mark.slow_in_ci
@needs_native
@pytest.mark.parametrize("path", SHIPPED, ids=name)
def test_machine_code_can_be_written_of_every_shipped_ruleset(path: Path) -> None:
    loaded = read(path)
    assert loaded is not None
    game, _ = loaded.game()
    assert game is not None
    draft(game, whole=True)


@pytest.mark.slow
@needs_native
@pytest.mark.parametrize("path", SHIPPED, ids=name)
def test_machine_code_can_be_written_of_every_setting(path: Path) -> None:
    for setting in settings_of(path):
        game = make(rulesets.read(path), setting).game
        assert game is not None
        draft(game, whole=True)


@pytest.mark.slow
@pytest.mark.parametrize("path", ALL, ids=name)
def test_all_agree_in_depth(path: Path) -> None:
    for setting in settings_of(path):
        table = table_of(path, setting, 1, BOTH)
        for seed in ("in", "depth", "and", "breadth"):
            assert differences(table, seed) == [], setting


# ----------------------------------------------------------------------------- the language's cases


def agrees_on_case(case: Case, folder: Path, against: tuple[str, ...]) -> None:
    loaded, _ = loaded_from(case, folder)
    assert loaded is not None
    game, _ = loaded.game(case.players, case.options, case.variants)
    assert game is not None
    table = Table(loaded, Setting(len(game.players)), game, Reference, 0.5, against)
    try:
        walked = walk(table, "case")
    except RuleError:
        assert list(agreeing.failing(table)) == []
        return
    assert list(agreeing.look(walked)) == []
    assert list(agreeing.batches(table, "case", coverage=False)) == []


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "case",
    [
        # A third of them is quick; `.ci/run` asks for the others.
        pytest.param(*each.values, id=each.id, marks=[pytest.mark.slow] if at % 3 else [])
        for at, each in enumerate(all_cases("success"))
    ],
)
def test_python_agrees_on_a_case_of_the_language(case: Case, tmp_path: Path) -> None:
    agrees_on_case(case, tmp_path, PYTHON)


@pytest.mark.slow
@needs_native
@pytest.mark.parametrize("case", all_cases("success"))
def test_native_agrees_on_a_case_of_the_language(case: Case, tmp_path: Path) -> None:
    agrees_on_case(case, tmp_path, NATIVE)


# ------------------------------------------------------------------------------ which rules ran

COUNTED = (
    *("tic_tac_toe", "connect_four", "pig", "gates", "moving_sets", "queue", "elimination"),
    "returned",
)
"""Rulesets in which nothing is drawn, and every function is called as one."""


@pytest.mark.parametrize("path", [path for path in ALL if path.stem in COUNTED], ids=name)
def test_python_counts_the_rules_that_ran(path: Path) -> None:
    for setting in settings_of(path):
        assert differences(table_of(path, setting, 0.3, PYTHON), "count", True) == [], setting


@pytest.mark.parametrize("executor", ["python", pytest.param("native", marks=needs_native)])
def test_compiled_coverage_counts_luck_that_falls_once(executor: str) -> None:
    """`reached` counts an instruction that rests for luck and goes on once (`counting`)."""
    path = shipped("rulesets") / "classics" / "kuhn_poker.yaml"
    table = table_of(path, Setting(2), 0.3, (executor,))
    assert differences(table, "count", coverage=True) == []


@pytest.mark.parametrize("executor", ["python", pytest.param("native", marks=needs_native)])
def test_compiled_coverage_counts_every_function_that_is_called(executor: str) -> None:
    path = shipped("rulesets") / "classics" / "breakthrough.yaml"
    table = table_of(path, Setting(2), 0.3, (executor,))
    table.game = replace(table.game, decisions=12)
    assert differences(table, "count", coverage=True) == []


# ------------------------------------------------------------------------- games made by machine


quick = settings(
    max_examples=4,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
FIXED = os.environ.get("RULERUN_EXAMPLES")
"""So many in place of the long runs, always the same: for `.ci/run`."""
long = settings(quick, max_examples=int(FIXED or 600), derandomize=FIXED is not None)
few = settings(long, max_examples=int(FIXED) // 6 if FIXED else 40)


def agrees_on(text: str, against: tuple[str, ...]) -> None:
    note(text)
    loaded, found = load(text.encode("utf-8"), "made_up.yaml")
    assume(loaded is not None and not has_errors(found))
    assert loaded is not None
    for players in sorted(set(loaded.outline.player_range)):
        game, _ = loaded.game(players)
        assume(game is not None)
        assert game is not None
        table = Table(loaded, Setting(players), game, Reference, 0.3, against)
        assert differences(table, "made up") == []


@quick
@given(invented())
def test_python_agrees_on_an_invented_ruleset(text: str) -> None:
    agrees_on(text, PYTHON)


@quick
@given(generated())
def test_python_agrees_on_a_generated_ruleset(text: str) -> None:
    agrees_on(text, PYTHON)


@pytest.mark.slow
@pytest.mark.slow_in_ci
@long
@given(invented())
def test_python_agrees_on_many_invented_rulesets(text: str) -> None:
    agrees_on(text, PYTHON)


@pytest.mark.slow
@pytest.mark.slow_in_ci
@long
@given(generated())
def test_python_agrees_on_many_generated_rulesets(text: str) -> None:
    agrees_on(text, PYTHON)


@pytest.mark.slow
@needs_native
@few
@given(invented())
def test_native_agrees_on_some_invented_rulesets(text: str) -> None:
    agrees_on(text, NATIVE)


@pytest.mark.slow
@needs_native
@few
@given(generated())
def test_native_agrees_on_some_generated_rulesets(text: str) -> None:
    agrees_on(text, NATIVE)


NESTED = (*range(50, 62), 105)
"""Numbers of rulesets of functions inside functions: on 105 a fault is planted below."""
MORE_NESTED = (*range(62, 90), *range(1000, 1040 if FIXED else 1200))


def differences_nested(number: int, against: tuple[str, ...]) -> list[str]:
    """What law 14 finds on one of them."""
    return differences_in(nested(number), against)


def differences_in(text: str, against: tuple[str, ...]) -> list[str]:
    """What law 14 finds on rules as text."""
    loaded, found = load(text.encode("utf-8"), "made_up.yaml")
    assert loaded is not None and not has_errors(found), found
    game, found = loaded.game()
    assert game is not None, found
    table = Table(loaded, Setting(2), game, Reference, 0.5, against)
    try:
        walk(table, "nest")
    except RuleError:
        return list(agreeing.failing(table))
    return differences(table, "nest")


@pytest.mark.parametrize("number", NESTED)
def test_python_agrees_on_functions_inside_functions(number: int) -> None:
    assert differences_nested(number, PYTHON) == []


@needs_native
@pytest.mark.parametrize("number", (177,))
def test_native_agrees_on_functions_inside_functions(number: int) -> None:
    assert differences_nested(number, NATIVE) == []


@pytest.mark.slow
@needs_native
@pytest.mark.parametrize("number", MORE_NESTED)
def test_all_agree_on_functions_inside_functions(number: int) -> None:
    assert differences_nested(number, BOTH) == []


IDIOMS = range(4)
"""Numbers of rulesets of what passes look for."""
MORE_IDIOMS = range(4, 24 if FIXED else 204)


@pytest.mark.parametrize("number", IDIOMS)
def test_python_agrees_on_idioms(number: int) -> None:
    assert differences_in(idioms(number), PYTHON) == []


@pytest.mark.slow
@needs_native
@pytest.mark.parametrize("number", MORE_IDIOMS)
def test_all_agree_on_idioms(number: int) -> None:
    assert differences_in(idioms(number), BOTH) == []


BY_HAND = {
    "hand": hand_game,
    "three": three_players,
    "bounded": lambda: hand_game(decisions=3),
    "rats": rats,
}


def by_hand(game: Game, against: tuple[str, ...]) -> Table:
    loaded = read(SHIPPED[0])
    assert loaded is not None  # a walk asks the game alone
    return Table(loaded, Setting(len(game.players)), game, Reference, 1, against)


@pytest.mark.parametrize(
    ("executor", "name"),
    [("python", name) for name in BY_HAND]
    + [pytest.param("native", "bounded", marks=needs_native)]
    + [
        pytest.param("native", name, marks=[needs_native, pytest.mark.slow])
        for name in ("hand", "three", "rats")
    ],
)
def test_it_agrees_on_a_game_made_by_hand(name: str, executor: str) -> None:
    table = by_hand(BY_HAND[name](), (executor,))
    for seed in range(3):
        assert differences(table, f"by hand {seed}") == []
    assert [each for each, _ in table.rivals.compiled] == [executor]


# ------------------------------------------------------------------------------ the law can fail


Plant = Callable[[pytest.MonkeyPatch], None]
PLANTED: list[Any] = []


def planted(ruleset: str, said: str) -> Callable[[Plant], Plant]:
    """A fault of a compiled executor, the ruleset on which it must be found, and what is said."""

    def keep(plant: Plant) -> Plant:
        PLANTED.append(pytest.param(ruleset, said, plant, id=plant.__name__))
        return plant

    return keep


def changed(patch: pytest.MonkeyPatch, pattern: str, replacement: str) -> None:
    """Change the Python that is generated."""
    original = source.source

    def other(*arguments: Any) -> str:
        text, changes = re.subn(pattern, replacement, original(*arguments), flags=re.MULTILINE)
        assert changes, f"nothing looks like {pattern}"
        return text

    patch.setattr(compiled, "source", other)


def around(patch: pytest.MonkeyPatch, owner: Any, name: str, wrapper: Any) -> None:
    """Replace a method by one that is given the original first."""
    original = getattr(owner, name)
    patch.setattr(owner, name, lambda *given: wrapper(original, *given))


def law_14(ruleset: str, **more: Any) -> list[Finding]:
    path = next(path for path in SMALL if path.stem == ruleset)
    loaded = read(path)
    assert loaded is not None
    return list(check_laws(loaded, games=2, laws=[14], against=PYTHON, **more))


@planted("parts", r"after .* score\[\w+\] \(slot \d+\) is \d+ and should be \d+; .* was written by")
def a_wrong_constant(patch: pytest.MonkeyPatch) -> None:
    changed(patch, r"^VALUE = \(1, 2, 3, 4\)", "VALUE = (2, 3, 4, 5)")


@planted("parts", r"\w+ may not `enough` \(\d+\); at .*parts.yaml:\d+ `choose")
def an_action_that_is_not_listed(patch: pytest.MonkeyPatch) -> None:
    changed(patch, r"^    found\.append\(\(8, 2, 0\)\)", "    pass")


@planted("parts", r"\w+ may also `2` \(2\); at .*parts.yaml:\d+ `choose")
def an_action_that_is_listed_wrongly(patch: pytest.MonkeyPatch) -> None:
    changed(patch, r"^(    found\.append\(\(8, 2, 0\)\))", r"    found.append((2, 2, 0))\n\1")


@planted("counted", r"what may fall \(id, weight\) is .* and should be")
def a_wrong_weight(patch: pytest.MonkeyPatch) -> None:
    def wrong(original: Any, *given: Any) -> Any:
        return [(one, weight + 1) for one, weight in original(*given)]

    around(patch, compiled.PythonExecutor, "falls", wrong)


@planted("overdraft", r"is taken and should be a rule error")
def a_check_that_is_lost(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(compiled, "fail", lambda: 0)


@planted("to_the_end", r"is taken and should be a rule error")
def a_condition_that_is_asked_too_early(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(conditions, "never_fails", lambda *_: True)


@planted("ties", r"the verdict is .* and should be")
def a_wrong_place(patch: pytest.MonkeyPatch) -> None:
    changed(patch, r"found\.append\(\((place\d+), ", r"found.append((\1 + 1, ")


@planted("gates", r"who is waiting is .* and should be")
def the_wrong_player(patch: pytest.MonkeyPatch) -> None:
    around(patch, compiled.PythonExecutor, "_who", lambda original, *given: 1 - original(*given))


@planted("gates", r"is taken and should be refused \(\w+\)")
def an_input_that_nobody_may_give(patch: pytest.MonkeyPatch) -> None:
    def wrong(original: Any, self: Any, state: State, given: Any) -> Any:
        return original(self, state, given) or state

    around(patch, compiled.PythonExecutor, "_after", wrong)


@planted("gates", r"holds what is no whole number")
def a_truth_value_in_a_slot(patch: pytest.MonkeyPatch) -> None:
    def wrong(original: Any, *given: Any) -> State:
        slots = original(*given).slots
        return State(tuple(each if each > 1 or each < 0 else bool(each) for each in slots))

    around(patch, compiled.PythonExecutor, "_settled", wrong)


@planted("gates", r"gave up \d+ of \d+ steps that the reference takes; the first is .* `choose")
def an_executor_that_gives_up(patch: pytest.MonkeyPatch) -> None:
    def wrong(original: Any, self: Any, state: State, *given: Any) -> State:
        if sum(state.slots) % 2:
            raise compiled.Bailout
        found: State = original(self, state, *given)
        return found

    around(patch, compiled.PythonExecutor, "_settled", wrong)


@planted("gates", r"by the batch differs .* of game 0 decisions is \d+ and should be \d+")
def a_batch_that_counts_wrongly(patch: pytest.MonkeyPatch) -> None:
    def wrong(original: Any, *given: Any) -> Any:
        found = original(*given)
        return replace(found, decisions=found.decisions + 1)

    around(patch, batch.PythonBatch, "_game", wrong)


@planted("gates", r"`\w+.*` \(action \d+\) was offered \d+ times and should be \d+")
def a_tally_that_counts_wrongly(patch: pytest.MonkeyPatch) -> None:
    def wrong(original: Any, self: Any, tally: Any, *given: Any) -> Any:
        original(self, tally, *given)
        tally.offered[0] += 1

    around(patch, batch.PythonBatch, "_note", wrong)


@planted("gates", r"by the batch differs .* a game that comes to its end is given up")
def a_batch_that_gives_up(patch: pytest.MonkeyPatch) -> None:
    def wrong(original: Any, *given: Any) -> Any:
        raise compiled.Bailout

    around(patch, batch.PythonBatch, "_game", wrong)


@pytest.mark.parametrize(("ruleset", "said", "plant"), PLANTED)
def test_a_fault_is_found(
    ruleset: str, said: str, plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    found = law_14(ruleset, depth=0.5)
    assert found, "the fault is not found"
    assert any(re.search(said, each.what) for each in found), [each.what for each in found]
    assert not any("a bug in rulerun" in each.what for each in found)


def test_names_that_are_numbered_apart_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters by one number and arguments by another, as they once were: two names are one."""
    numbers = {"parameter": count(1), "argument": count(1)}

    def fresh(original: Any, self: NameAllocator, word: str) -> str:
        if word != PASSED:
            return str(original(self, word))
        return f"{word}{next(numbers['parameter'])}"

    def keep(original: Any, self: Builder, word: str, value: ir.Value) -> ir.Var:
        if word != PASSED:
            found: ir.Var = original(self, word, value)
            return found
        var = ir.Var(f"{word}{next(numbers['argument'])}")
        self.emit(ir.Assign(var.name, value))
        return var

    def plant(patch: pytest.MonkeyPatch) -> None:
        for each in numbers:
            numbers[each] = count(1)
        around(patch, NameAllocator, "fresh", fresh)
        around(patch, Builder, "keep", keep)

    number = 105
    assert differences_nested(number, PYTHON) == []
    plant(monkeypatch)
    (found, *_) = differences_nested(number, PYTHON)
    assert re.search(r"^python differs: P1 may also `put", found)


def test_a_set_up_that_should_fail_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert law_14("option_breaks", options={"dealt": "4"}) == []
    monkeypatch.setattr(compiled, "fail", lambda: 0)
    monkeypatch.setattr(compiled.PythonExecutor, "begin", lambda *_: None)
    (found,) = law_14("option_breaks", options={"dealt": "4"})
    assert found.what == "python differs: set-up is taken and should be a rule error"


def test_a_finding_can_be_seen_again(monkeypatch: pytest.MonkeyPatch) -> None:
    a_wrong_constant(monkeypatch)
    first = law_14("parts")[0]
    assert first.name == LAWS[14] == "executors agree"
    assert first.inputs and first.state is not None and first.setting is not None
    assert first.again.startswith("check_laws(loaded, players=3, replay='0:")
    again = law_14("parts", players=first.setting.players, replay=first.seed)
    assert again[0] == first


# ------------------------------------------------------------------------------ the cache of code


@needs_native
def test_no_machine_code_is_kept_with_the_cache_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`RULERUN_CACHE=off` keeps nothing, as for `validate` (`cli.game_cache`)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULERUN_CACHE", "off")
    assert Rivals(hand_game(decisions=3), NATIVE).compiled
    assert list(tmp_path.iterdir()) == []


@needs_native
def test_machine_code_is_kept_where_one_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path))
    first, again = (Rivals(hand_game(decisions=3), NATIVE).compiled[0][1] for _ in range(2))
    machines = [each.machine for each in (first, again)]  # type: ignore[attr-defined]
    assert [each.tiers.from_cache for each in machines] == [False, True]
    assert [each.suffix for each in (tmp_path / "native").iterdir()] == [".o"]


# --------------------------------------------------------------------------------- what is told


def test_a_walk_that_was_cut_is_looked_at() -> None:
    table = table_of(HERE / "laws" / "parts.yaml", Setting(3), 1, PYTHON)
    cut = (walk(table, f"cut {seed}").cut(12) for seed in range(9))
    walked = next(each for each in cut if each.before)
    assert list(agreeing.look(walked)) == []


def test_slots_are_named_by_what_they_are() -> None:
    def names(ruleset: str, *variants: str) -> set[str]:
        loaded = read(next(path for path in ALL if path.stem == ruleset))
        assert loaded is not None
        game, _ = loaded.game(None, {}, variants)
        assert game is not None
        slots = Slots(game)
        found = [slots.name(at) for at in range(game.layout.size)]
        assert not any(each.startswith("slot ") for each in found)
        return set(found)

    parts = names("parts")
    assert {"how the game ended", "rounds"} <= parts
    assert any(re.fullmatch(r"plan\[\w+\]", each) for each in parts)
    assert any(re.match(r"the zone of \w+ of \w+ \(number 3\)", each) for each in parts)
    assert any(each.endswith("as it was before the `together`") for each in parts)
    assert any(re.match(r"`n`.* of \w+$", each) for each in parts)
    assert any(re.match(r"how many of .* lie in \w+", each) for each in names("counted"))
    assert any("waiting call 0 of" in each for each in names("queue"))
    assert any(each.startswith("what lies at place 0 of") for each in names("ordered"))
    assert any(each.startswith("where ") and each.endswith(" rests") for each in parts)


def test_rules_that_wrote_a_slot_are_found() -> None:
    game = hand_game()
    executor = Reference(game)
    state = executor.initial().state
    zones = range(game.layout.places[0][1], game.layout.places[0][1] + 6)
    assert any(writers(game, None, None, slot) for slot in zones)
    waiting = executor.waiting(state)[0]
    if waiting.player != CHANCE:
        given = Decision(waiting.player, executor.legal(state, waiting.player)[0])
        found = [writers(game, state, given, slot) for slot in range(game.layout.size)]
        assert any(found)


def test_without_a_lowering_there_is_nothing_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise Unsupported("nothing")

    monkeypatch.setattr(preparing, "lower", none)
    rivals = Rivals(hand_game(), PYTHON)
    assert rivals.compiled == () and not rivals.many
    assert differences(by_hand(hand_game(), PYTHON), "seed") == []
