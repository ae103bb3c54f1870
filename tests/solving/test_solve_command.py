"""`rulerun solve`: what it prints, what it keeps, and its exit codes."""

from __future__ import annotations

import json

import pytest

from rulerun.cli import main


@pytest.fixture
def run(capsys):
    def run(*arguments):
        code = main(["solve", *map(str, arguments)])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_answer_as_text(run):
    code, out, err = run("tic_tac_toe", "--executor", "python")
    assert code == 0
    assert out.startswith(
        "Tic-tac-toe: perfect information\n"
        "  value      x 1/2, o 1/2 (even)\n"
        "  exact      yes\n"
        "  positions  4,520\n"
    )
    assert "  r2c2  11.1111%  worth 1/2\n" in out
    assert "    8           222\n" in out
    # Time is no part of the answer.
    assert err.startswith("solved in ") and "solved in" not in out


def test_the_answer_as_data(run):
    code, out, _ = run("goofspiel", "--set", "num_cards=2", "--format", "json")
    data = json.loads(out)
    assert code == 0
    assert data["kind"] == "perfect information, simultaneous decisions"
    assert data["values"] == {"P1": 0, "P2": 0} and data["exact"] is True
    assert data["game"]["options"]["num_cards"] == "2"
    assert data["policy"] is None
    assert sum(many for _, many in data["by_decisions"]) == data["positions"]


def test_what_is_hidden_is_answered_with_the_exploitability(run):
    code, out, _ = run("kuhn_poker", "--iterations", "100", "--within", "0")
    assert code == 0
    assert "(exploitability)" in out and "  rounds of learning: 100\n" in out
    assert "first decision of P1, who sees hand[P1] 3\n" in out


def test_a_policy_is_kept(run, tmp_path):
    path = tmp_path / "kuhn.policy"
    code, out, err = run("kuhn_poker", "--iterations", 50, "--policy", path, "--format", "json")
    assert code == 0 and path.exists()
    assert json.loads(out)["policy"] == {"file": str(path), "decisions": 12}
    assert f"12 decisions are kept in `{path}`\n" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere.yaml"], 2, "no file `nowhere.yaml`"),
        (["tic_tac_toe", "--players", "5"], 2, "RR0413"),
        (["tic_tac_toe", "--set", "size=4"], 2, "RR0412"),
        (["tic_tac_toe", "--policy", "."], 2, "is a folder"),
        (["tic_tac_toe", "--policy", "no/such/file"], 2, "there is no folder"),
        (["tic_tac_toe", "--states", "0"], 2, "--states"),
        (["tic_tac_toe", "--states", "100"], 1, "is too big to solve: it has at least some"),
        (["hearts"], 1, "an estimate from 100 games at random"),
        (["kuhn_poker", "--players", "3"], 1, "there is an exact answer for two players only"),
    ],
)
def test_what_is_not_solved_is_one_message(run, arguments, code, said):
    found, out, err = run(*arguments)
    assert found == code
    assert out == "" and said in err
    assert "Traceback" not in err


def test_an_interrupted_run_leaves_nothing(run, tmp_path, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("rulerun.solving.solver.solve_backward", interrupted)
    code, out, err = run("tic_tac_toe", "--policy", tmp_path / "a.policy")
    assert code == 130 and out == "" and err.strip() == "interrupted"
    assert list(tmp_path.iterdir()) == []
