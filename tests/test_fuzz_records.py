"""Spoiled records: what cannot be used is reported, what stands before it is kept; nothing else.

The records are spoiled as bytes and as lines, the same way every time. Whatever comes of it is read
and replayed: there may be diagnostics, but no exception, and nothing hangs.
"""

from __future__ import annotations

import json
from random import Random

import pytest
from tests.fuzzing import ODD, spoiled, spoiled_bytes, within
from tests.hand import hand_game
from tests.rulesets import game_named

from rulerun.laws.recording import summed
from rulerun.reference.executor import Reference
from rulerun.session.agents import RandomAgent
from rulerun.session.record import RecordWriter, read_record
from rulerun.session.replay import replay
from rulerun.session.session import Session

SECONDS = 20
KEYS = ("n", "by", "action", "chance", "undo", "end", "result", "record")
CASES = [range(250), pytest.param(range(250, 20_250), marks=pytest.mark.slow)]


def with_undo(session):
    """Play the game by hand, and take back a decision in its `together` and one outside."""
    take(session, 0)
    session.undo(0)
    take(session, 0)
    take(session, 1)
    session.submit(0, "keep")
    session.undo(0)
    session.submit(0, "guess")
    session.submit(1, "roll")


def take(session, player):
    session.submit(player, session.executor.legal(session.state, player)[0])


@pytest.fixture(scope="module")
def plays(tmp_path_factory):
    """Records of three plays, each with what can replay it."""
    folder = tmp_path_factory.mktemp("records")
    made = []
    for game in (
        hand_game(),
        game_named("goofspiel", 3, num_cards="4"),
        game_named("kuhn_poker", 3),
    ):
        executor = Reference(game)
        path = folder / game.name
        by_hand = game.name == "by_hand"
        agents = {} if by_hand else dict.fromkeys(range(3), RandomAgent())
        with RecordWriter.create(path, game, {0: "person"}, 3) as writer:
            session = Session(executor, agents, 3, writer)
            if by_hand:
                with_undo(session)
        assert session.over
        made.append((path.read_bytes(), executor))
    return made


def spoiled_lines(content, luck, others):
    """The record with a line missing, twice, elsewhere, changed as text or as JSON."""
    lines = content.decode().splitlines()
    for _ in range(luck.choice((1, 1, 2, 5))):
        at = luck.randrange(len(lines)) if lines else 0
        match luck.randrange(7):
            case 0:
                del lines[at : at + luck.choice((1, 1, 3))]
            case 1:
                lines[at:at] = lines[at : at + 1]
            case 2:
                other = luck.randrange(len(lines) + 1)
                lines[at : at + 1], lines[other : other + 1] = (
                    lines[other : other + 1],
                    lines[at : at + 1],
                )
            case 3:
                lines.insert(at, luck.choice(others))
            case 4:
                lines[at : at + 1] = [spoiled(line, luck) for line in lines[at : at + 1]]
            case _:
                lines[at : at + 1] = [spoiled_json(line, luck) for line in lines[at : at + 1]]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")


def spoiled_json(line, luck):
    """A line with a value, a key or the nesting changed."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(data, dict) or not data:
        return line
    key = luck.choice(sorted(data))
    match luck.randrange(4):
        case 0:
            data[luck.choice(KEYS)] = data.pop(key)
        case 1:
            del data[key]
        case 2:
            data[key] = [data[key], {key: data[key]}]
        case _:
            data[key] = luck.choice(
                [None, True, -1, 0, 1, 2, 3, 10**30, 1.5, float("inf"), [], {}, [1, "a"],
                 {"winners": ["P1"]}, *ODD]
            )  # fmt: skip
    return json.dumps(data, ensure_ascii=luck.random() < 0.5)


def hold(content, executor):
    """What must hold of whatever somebody calls a record."""
    record, diagnostics = read_record(content)
    assert record is not None or diagnostics
    for each in diagnostics:
        assert each.code.startswith("RR10")
    if record is None:
        return
    again, found = read_record(content[: record.good])
    assert found == []
    assert again == record
    for forced in (False, True):
        session, found = replay(record, executor, forced=forced)
        for each in found:
            assert each.code in ("RR1006", "RR1007", "RR1008", "RR1011")
        if session is None:
            assert found
        else:
            # What was good is there, and can be looked at.
            for player in range(len(executor.game.players)):
                assert session.observation(player).text()


@pytest.mark.parametrize("cases", CASES)
def test_spoiled_bytes(plays, cases):
    for number in cases:
        luck = Random(f"bytes {number}")
        content, executor = luck.choice(plays)
        content = spoiled_bytes(content, luck)
        with within(SECONDS, f"case {number}: {content!r}"):
            hold(content, executor)


@pytest.mark.parametrize("cases", CASES)
def test_spoiled_lines(plays, cases):
    others = [line for content, _ in plays for line in content.decode().splitlines()]
    for number in cases:
        luck = Random(f"lines {number}")
        content, executor = luck.choice(plays)
        content = spoiled_lines(content, luck, others)
        # With sums that fit, what is spoiled comes further.
        anew = b"".join(summed(content.splitlines(keepends=True)))
        with within(SECONDS, f"case {number}: {content!r}"):
            hold(content, executor)
            hold(anew, executor)


def test_unspoiled(plays):
    for content, executor in plays:
        hold(content, executor)
        record, diagnostics = read_record(content)
        assert record is not None
        assert diagnostics == []
        assert replay(record, executor)[1] == []
