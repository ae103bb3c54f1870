"""Records: what is written replays; what was torn or edited is reported, and the good part kept."""

import json

import jsonschema
import pytest
from tests.executors import executor_of
from tests.hand import hand_game

from rulerun.laws import recording
from rulerun.runtime.executor import Decision
from rulerun.session import record as records
from rulerun.session import replay as replays
from rulerun.session.agents import FirstAgent, RandomAgent
from rulerun.session.record import RecordWriter
from rulerun.session.record_lines import LONGEST_LINE
from rulerun.session.session import Session
from rulerun.views.observe import SPECTATOR
from rulerun_dsl.source.resources import shipped

pytestmark = pytest.mark.executors


@pytest.fixture
def executor():
    return executor_of(hand_game())


def read_record(source):
    return records.read_record(source)


def replay(*arguments, **options):
    return replays.replay(*arguments, **options)


def texts(session, player):
    return [each.text for each in session.observation(player).actions]


@pytest.fixture
def played(executor, tmp_path):
    """A recorded play with an undo in a `together` and one outside."""
    path = tmp_path / "play.jsonl"
    with RecordWriter.create(path, executor.game, {0: "person", 1: "person"}, 3) as writer:
        session = Session(executor, seed=3, record=writer)
        session.submit(0, texts(session, 0)[1])
        session.undo(0)
        session.submit(0, texts(session, 0)[0])
        session.submit(1, texts(session, 1)[0])
        session.submit(0, "keep")
        session.undo(0)
        session.submit(0, "guess")
        session.submit(1, "roll")
    assert session.over
    return session, path


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def rewritten(path, change):
    return read_record(summed(change(lines(path))))


def summed(changed):
    """Lines with sums that fit, so that what else is wrong with them is found."""
    return b"".join(recording.summed([line.encode() + b"\n" for line in changed]))


def codes(diagnostics):
    return [each.code for each in diagnostics]


def test_what_is_written_replays(executor, played):
    session, path = played
    record, diagnostics = read_record(path)
    assert diagnostics == []
    again, diagnostics = replay(record, executor)
    assert diagnostics == []
    assert again.state == session.state
    assert again.over
    for who in (0, 1, SPECTATOR):
        assert again.log(who) == session.log(who)
        assert again.observation(who) == session.observation(who)
        assert again.information(who) == session.information(who)


def test_the_lines(played):
    _, path = played
    data = [json.loads(line) for line in lines(path)]
    assert data[0] == {
        "record": 2,
        "rulerun": 1,
        "game": "by_hand",
        "fingerprint": "by hand",
        "players": ["P1", "P2"],
        "options": {"stakes": "1"},
        "seats": {"P1": "person", "P2": "person"},
        "seed": 3,
        "sum": data[0]["sum"],
    }
    assert all(isinstance(each.pop("sum"), str) for each in data)
    assert [each["n"] for each in data[1:]] == list(range(1, len(data)))
    assert [each for each in data if "undo" in each] == [{"n": 4, "undo": 3}, {"n": 8, "undo": 7}]
    assert data[-1]["end"] == "over"
    assert set(data[-1]["result"]) == {"winners", "returns", "places", "points"}
    assert len(data[-1]["state"]) == 16


def test_every_line_fits_the_schema(played):
    _, path = played
    schema = json.loads((shipped("schemas") / "record.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for line in lines(path):
        validator.validate(json.loads(line))


@pytest.mark.once
def test_every_property_of_the_schema_is_described():
    schema = json.loads((shipped("schemas") / "record.schema.json").read_text(encoding="utf-8"))

    def walk(node):
        if isinstance(node, dict):
            for inner in node.get("properties", {}).values():
                assert "description" in inner or "$ref" in inner, inner
            for inner in node.values():
                walk(inner)

    walk(schema)


def test_a_replay_up_to_an_input(executor, played):
    _, path = played
    record, _ = read_record(path)
    session, diagnostics = replay(record, executor, to=3)
    assert diagnostics == []
    assert len(session.history) == 3
    assert session.asked == (1,)


def test_a_play_goes_on_from_its_record(executor, tmp_path):
    """As it would have gone without the interruption."""
    seats = {0: RandomAgent(), 1: RandomAgent()}
    whole = Session(executor, seats, 11)
    path = tmp_path / "play.jsonl"
    with RecordWriter.create(path, executor.game, None, 11) as writer:
        begun = Session(executor, None, 11, writer)
        point = next(each for each in whole.history if each.player is not None)
        assert point.player is not None
        begun.submit(point.player, point.text)
    path.write_bytes(path.read_bytes() + b'{"n": 4, "by": "P')
    record, diagnostics = read_record(path)
    assert codes(diagnostics) == ["RR1002"]
    with RecordWriter.append(path, record, executor.game) as writer:
        session, diagnostics = replay(record, executor, seats=seats, writer=writer)
        assert diagnostics == []
        session.advance()
    assert session.over
    assert [each.text for each in session.history] == [each.text for each in whole.history]
    record, diagnostics = read_record(path)
    assert diagnostics == []
    assert record.end is not None
    assert replay(record, executor)[1] == []


@pytest.mark.once
def test_every_cut_is_survived(executor, played):
    """Wherever the file ends, all whole lines replay."""
    _, path = played
    content = path.read_bytes()
    header = content.index(b"\n") + 1
    replayed: set[int] = set()
    for length in range(len(content)):
        record, diagnostics = read_record(content[:length])
        if length < header - 1:
            assert record is None
            assert codes(diagnostics) == ["RR1003"]
            continue
        whole = content[:length].count(b"\n") - 1
        assert record is not None
        assert len(record.entries) in (whole, whole + 1)
        assert codes(diagnostics) in ([], ["RR1002"])
        if len(record.entries) in replayed:
            continue  # the same lines as before
        replayed.add(len(record.entries))
        session, diagnostics = replay(record, executor)
        assert session is not None
        assert diagnostics == []
    assert len(replayed) > 3


@pytest.mark.parametrize(
    ("change", "code", "line", "word"),
    [
        (lambda text: [*text[:3], *text[4:]], "RR1005", 4, "3 is next"),
        (lambda text: [*text[:3], text[2], *text[3:]], "RR1005", 4, "number 2"),
        (lambda text: [*text[:3], "not json", *text[4:]], "RR1003", 4, "not JSON"),
        (lambda text: [*text[:3], "[1, 2]", *text[4:]], "RR1003", 4, "object"),
        (lambda text: [*text[:3], "", *text[4:]], "RR1003", 4, "not JSON"),
        (lambda text: [*text[:3], '{"n": NaN, "chance": "a"}'], "RR1003", 4, "NaN"),
        (lambda text: [*text[:3], '{"n": 3, "n": 3, "chance": "a"}'], "RR1003", 4, "twice"),
        (lambda text: [*text[:3], '{"n": 3, "chance": "a", "x": 1}'], "RR1003", 4, "`x`"),
        (lambda text: [*text[:3], '{"n": true, "chance": "a"}'], "RR1003", 4, "`n`"),
        (lambda text: [*text[:3], '{"n": 3.0, "chance": "a"}'], "RR1003", 4, "`n`"),
        (lambda text: [*text[:3], '{"n": 3, "chance": "a", "undo": 1}'], "RR1003", 4, "one of"),
        (lambda text: [*text[:3], '{"n": 3, "undo": 1}'], "RR1003", 4, "no decision"),
        (lambda text: [*text[:3], "[" * 60_000], "RR1003", 4, "nested"),
        (lambda text: [*text[:3], "9" * 60_000], "RR1003", 4, "not JSON"),
        (lambda text: [*text[:3], " " * LONGEST_LINE], "RR1003", 4, "longer"),
        (lambda text: [*text, '{"n": 13, "chance": "a"}'], "RR1003", None, "follows the end"),
        (lambda text: [text[0].replace('"record": 2', '"record": 3'), *text[1:]], "RR1004", 1, "3"),
        (lambda text: [text[0].replace('"record"', '"play"'), *text[1:]], "RR1003", 1, "record"),
        (lambda text: [text[0].replace('"seed": 3', '"seed": 3.5')], "RR1003", 1, "seed"),
        (lambda text: [text[0].replace('["P1", "P2"]', '["P1", "P1"]')], "RR1003", 1, "players"),
    ],
)
def test_an_edited_record_is_reported(played, change, code, line, word):
    _, path = played
    record, diagnostics = rewritten(path, change)
    assert codes(diagnostics) == [code]
    assert word in diagnostics[0].message
    if line is not None:
        assert diagnostics[0].span.line == line
    if line == 1:
        assert record is None
    else:
        assert len(record.entries) == (2 if line == 4 else len(lines(path)) - 1)


def test_bytes_that_are_no_text(played):
    _, path = played
    text = path.read_bytes().splitlines()
    record, diagnostics = read_record(b"\n".join([*text[:2], b'{"n": 2, "chance": "\xff"}', b""]))
    assert codes(diagnostics) == ["RR1003"]
    assert "UTF-8" in diagnostics[0].message
    assert len(record.entries) == 1


@pytest.mark.once
def test_no_file(tmp_path):
    assert codes(read_record(tmp_path / "none")[1]) == ["RR1001"]
    assert codes(read_record(tmp_path)[1]) == ["RR1001"]
    assert codes(read_record(b"")[1]) == ["RR1003"]


@pytest.mark.parametrize(
    ("old", "new", "code", "word"),
    [
        ('"action": "guess"', '"action": "pass"', "RR1007", "refused"),
        ('"action": "guess"', '"action": "gues"', "RR1007", "no action"),
        ('"by": "P1", "action": "guess"', '"by": "P2", "action": "guess"', "RR1007", "refused"),
        ('"by": "P1", "action": "guess"', '"by": "P3", "action": "guess"', "RR1007", "no player"),
        ('{"n": 1, "chance": "', '{"n": 1, "chance": "x', "RR1007", "no chance outcome"),
        ('"undo": 7', '"undo": 6', "RR1007", "taken back"),
        ('"undo": 7', '"undo": 5', "RR1007", "taken back"),
        ('"undo": 7', '"undo": 3', "RR1007", "taken back"),
        ('{"n": 6, "by": "P2"', '{"n": 6, "undo": 5}\n{"n": 6, "by": "P2"', "RR1005", "7 is"),
        ('"winners": [', '"winners": ["P9", ', "RR1008", "winners"),
        ('"end": "over"', '"end": "truncated"', "RR1008", "truncated"),
    ],
)
def test_an_input_that_is_not_legal_is_named(executor, played, old, new, code, word):
    _, path = played
    content = path.read_text(encoding="utf-8")
    assert old in content
    record, diagnostics = read_record(summed(content.replace(old, new).splitlines()))
    if not diagnostics:
        diagnostics = replay(record, executor)[1]
    assert codes(diagnostics) == [code]
    assert word in diagnostics[0].message


def test_other_rules_are_refused_or_the_first_difference_named(played):
    _, path = played
    record, _ = read_record(path)
    other = executor_of(hand_game(fingerprint="other"))
    session, diagnostics = replay(record, other)
    assert session is None
    assert codes(diagnostics) == ["RR1006"]
    assert "changed" in diagnostics[0].message
    session, diagnostics = replay(record, other, forced=True)
    assert diagnostics == []
    assert session.over
    # No more guessing: the record comes as far as it can.
    unsure = (
        "guess: score[P1] += 1 if",
        "guess(player p in players if score[p] > 0): score[P1] += 1 if",
    )
    other = executor_of(hand_game(unsure, fingerprint="other"))
    session, diagnostics = replay(record, other, forced=True)
    assert codes(diagnostics) == ["RR1007"]
    assert "guess" in diagnostics[0].message
    assert session.asked == (0,)


def test_an_option_that_differs_is_named(executor, played):
    _, path = played
    content = path.read_bytes().replace(b'{"stakes": "1"}', b'{"stakes": "2"}')
    content = content.replace(b'"fingerprint": "by hand"', b'"fingerprint": "x"')
    record, _ = read_record(summed(content.decode().splitlines()))
    _, diagnostics = replay(record, executor)
    assert diagnostics[0].message == "the record was played with stakes 2, the game has 1"


def test_an_existing_file_is_not_overwritten(executor, played):
    _, path = played
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        RecordWriter.create(path, executor.game)
    assert path.read_bytes() == before


def test_each_input_is_in_the_file_at_once(executor, tmp_path):
    path = tmp_path / "play.jsonl"
    with RecordWriter.create(path, executor.game, sync=True) as writer:
        session = Session(executor, seed=3, record=writer)
        before = len(lines(path))
        session.submit(0, texts(session, 0)[0])
        assert len(lines(path)) == before + 1


def test_a_truncated_play(tmp_path):
    executor = executor_of(hand_game(decisions=3))
    path = tmp_path / "play.jsonl"
    with RecordWriter.create(path, executor.game) as writer:
        Session(executor, {0: FirstAgent(), 1: FirstAgent()}, 3, writer)
    record, _ = read_record(path)
    assert record.end.text == "truncated"
    assert record.end.result is None
    session, diagnostics = replay(record, executor)
    assert diagnostics == []
    assert session.truncated


def test_replay_hides(executor, played):
    """Whoever may not see a secret does not see it in a replay before the end."""
    _, path = played
    record, _ = read_record(path)
    session, _ = replay(record, executor, to=5)
    assert session.observation(1).zone("table[P1]").components == ()
    assert isinstance(session.history[-1].given, Decision)
