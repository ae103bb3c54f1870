"""What a game is compiled to, as text; and the option that says what runs it."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.hand import hand_game

from rulerun.cli import common, main
from rulerun.compiled import ir
from rulerun.compiled.ir.printing import body, printed, value
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.python import preparing
from rulerun.executors import make
from rulerun.reference.executor import Reference
from rulerun_dsl.load import load
from rulerun_dsl.source.resources import shipped

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "reference" / "executors.md"
SHOWN = [
    *sorted((HERE / "laws").glob("*.yaml")),
    *(shipped("rulesets") / "classics" / f"{name}.yaml" for name in ("pig", "checkers", "hex")),
    shipped("rulesets") / "brave_rats.yaml",
]
TAKEN_APART = re.compile(r"\b(?:[A-Z][a-z]+)+\(\w+=")
"""What Python writes for a value that nobody has written a text for."""


# ------------------------------------------------------------------------------ the representation


def made(node: type[Any]) -> Any:
    """A node of a kind, with something in each of its fields."""
    given: dict[str, Any] = {}
    for item in fields(node):
        kind = str(item.type)
        if kind == "Value":
            given[item.name] = ir.Var("x")
        elif kind.startswith("tuple[Value"):
            given[item.name] = (ir.Var("x"), ir.Const(2))
        elif kind.startswith("tuple[Statement"):
            given[item.name] = (ir.Fail(),)
        elif kind.startswith("tuple[tuple[int"):
            given[item.name] = ((2, 3),)
        elif kind.startswith("tuple[str"):
            given[item.name] = ("k", "c")
        elif kind == "int":
            given[item.name] = 7
        elif kind == "bool":
            given[item.name] = True
        else:
            assert kind == "str", f"{node.__name__}.{item.name} is {kind}"
            given[item.name] = "+" if node is ir.Binary else "name"
    return node(**given)


@pytest.mark.parametrize("node", get_args(ir.Value), ids=lambda node: node.__name__)
def test_every_value_has_a_text(node: type[Any]) -> None:
    assert not TAKEN_APART.search(value(made(node)))


@pytest.mark.parametrize("node", get_args(ir.Statement), ids=lambda node: node.__name__)
def test_every_statement_has_a_text(node: type[Any]) -> None:
    lines = list(body([made(node)]))
    assert lines and not any(TAKEN_APART.search(line) for line in lines)


@pytest.mark.skipif(not PAGE.is_file(), reason="the pages are not in the wheel")
@pytest.mark.parametrize("node", get_args(ir.Value | ir.Statement), ids=lambda node: node.__name__)
def test_every_node_is_in_the_reference(node: type[Any]) -> None:
    assert f"| `{node.__name__}` |" in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_a_program_is_told_whole(path: Path) -> None:
    loaded, _ = load(path)
    assert loaded is not None
    game, _ = loaded.game()
    assert game is not None
    program = lower(game)
    text = printed(program)
    assert not TAKEN_APART.search(text)
    for name, kinds in (
        ("table", [name for name, _ in program.tables]),
        ("function", [each.name for each in program.functions]),
        ("lister", [each.name for each in program.listers]),
        ("block", [each.at for each in program.blocks]),
        ("question", [each.at for each in program.questions]),
        ("together", [each.at for each in program.togethers]),
    ):
        assert [re.split(r"[ (:]", line)[1] for line in lines_of(text, name)] == list(
            map(str, kinds)
        )


def lines_of(text: str, word: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(f"{word} ")]


def test_rules_stand_above_what_comes_of_them() -> None:
    loaded, _ = load(HERE / "laws" / "parts.yaml")
    assert loaded is not None
    game, _ = loaded.game()
    assert game is not None
    text = printed(lower(game))
    assert "\n# sum(c.value for c in laid)\nfunction " in text
    assert "\n# score += plan + sum(c.value for c in laid)\nblock " in text


# ------------------------------------------------------------------------------------ the command


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.parametrize(
    ("target", "first"),
    [
        ("python", r'"""'),
        ("ir", r"# pig, lowered\. "),
        ("llvm", r"(?s).*\bdefine "),
    ],
)
def test_compile(run: Any, target: str, first: str, tmp_path: Path) -> None:
    code, out, err = run("compile", "pig", "--to", target)
    assert (code, err) == (0, "")
    assert re.match(first, out)
    code, nothing, err = run("compile", "pig", "--to", target, "-o", "written")
    assert (code, nothing) == (0, "")
    assert err == f"written: {out.count(chr(10))} lines\n"
    assert (tmp_path / "written").read_text(encoding="utf-8") == out


def test_what_is_compiled_depends_on_the_settings(run: Any) -> None:
    assert (
        run("compile", "pig", "--to", "ir")[1]
        != run("compile", "pig", "--players", 3, "--to", "ir")[1]
    )
    rats = ("compile", "brave_rats", "--to", "ir")
    assert run(*rats)[1] != run(*rats, "--variant", "draft")[1]


def test_the_python_that_is_printed_is_python(run: Any) -> None:
    _, out, _ = run("compile", "pig")
    compile(out, "pig", "exec")


def test_what_cannot_be_compiled_is_said(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise Unsupported("a wheel within a wheel")

    monkeypatch.setattr(preparing, "lower", none)
    code, out, err = run("compile", "pig")
    assert (code, out) == (2, "")
    assert "no lowering yet of a wheel within a wheel" in err


def test_a_file_that_cannot_be_written_is_said(run: Any) -> None:
    code, _, err = run("compile", "pig", "-o", "no/such/folder")
    assert code == 2
    assert "cannot be written" in err


# ---------------------------------------------------------------------------- who runs the rules


def test_the_option_knows_all_names() -> None:
    assert common.EXECUTORS == make.NAMES


def test_who_runs_the_rules_makes_no_difference(run: Any) -> None:
    told = set()
    for name in make.NAMES:
        play = run("play", "pig", "--seat", "all=random", "--seed", 3, "--executor", name)
        assert play[0] == 0
        told.add(play[1])
    assert len(told) == 1
    assert run("play", "pig", "--seat", "all=random", "--seed", 3, "--record", "r.jsonl")[0] == 0
    for name in make.NAMES:
        assert run("replay", "r.jsonl", "--verify", "--executor", name)[0] == 0


def test_what_falls_back_says_so(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object, **__: object) -> None:
        raise Unsupported("a wheel within a wheel")

    monkeypatch.setattr(preparing, "lower", none)
    monkeypatch.setattr("rulerun.compiled.lower.lower.lower", none)
    said: list[str] = []
    executor = make.executor_for(hand_game(), "python", events=False, note=said.append)
    assert isinstance(executor, Reference)
    assert said == [
        f"python cannot run {executor.game.name} yet (a wheel within a wheel); the reference does"
    ]
    code, _, err = run("simulate", "tic_tac_toe", "-n", 2, "--jobs", 1, "--executor", "python")
    assert code == 0
    assert err.count("python cannot run tic_tac_toe yet (a wheel within a wheel)") == 1


@pytest.mark.skipif(find_spec("llvmlite") is not None, reason="llvmlite is installed")
def test_without_llvmlite_python_runs_the_game(run: Any) -> None:
    _, _, err = run("simulate", "tic_tac_toe", "-n", 2, "--executor", "native")
    assert "python runs the game" in err


def test_a_name_that_is_none_is_wrong_usage(run: Any) -> None:
    assert run("play", "pig", "--executor", "abacus")[0] == 2
    with pytest.raises(ValueError, match="there is no executor abacus"):
        make.executor_for(hand_game(), "abacus")
