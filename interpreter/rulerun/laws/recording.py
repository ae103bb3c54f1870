"""Law 8: a record replays, and what was done to it is found out.

Assumes a table: a setting of a rules file.
Does: lets random agents play with a record, replays it, goes on from the middle of it; then tears
and edits it in many ways, and reads and replays what is left.
Leaves behind what does not come out the same, and which changes of a record went unreported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace as replaced
from pathlib import Path
from tempfile import TemporaryDirectory

from rulerun.laws.known_steps import Remembering
from rulerun.laws.trajectory import Found, Table
from rulerun.runtime.executor import RuleError
from rulerun.runtime.rng import Stream, stream
from rulerun.session.agents import Agent, RandomAgent
from rulerun.session.record import Record, RecordWriter, read_record
from rulerun.session.record_lines import SUM, Unfit, header_sum, object_of, sum_of
from rulerun.session.replay import replay
from rulerun.session.session import Session

TEARS = 6
MOST_DECISIONS = 80
"""Decisions of a play that is recorded; it is truncated then, as if the file declared so."""


def look(table: Table, seed: str) -> Iterator[Found]:
    """Play with a record, and look what becomes of it."""
    game = replaced(table.game, decisions=min(table.game.decisions or 10**9, MOST_DECISIONS))
    short = Table(table.loaded, table.setting, game, table.build, meter=table.meter)
    with TemporaryDirectory(prefix="rulerun-laws-") as folder:
        path = Path(folder) / "play.jsonl"
        try:
            session = _played(short, seed, path)
        except RuleError as error:
            yield 0, f"set-up is a rule error: {error.message}"
            return
        if session.fault is not None:
            return  # law 3 has something to say of it
        yield from _Recorded(short, seed, session, path.read_bytes(), Path(folder)).look()


def _seats(table: Table) -> dict[int, Agent | None]:
    return {player: RandomAgent() for player in range(len(table.game.players))}


def _played(table: Table, seed: str, path: Path) -> Session:
    names = dict.fromkeys(range(len(table.game.players)), "random")
    with RecordWriter.create(path, table.game, names, seed) as writer:
        return Session(table.executor, _seats(table), seed, writer)


class _Recorded:
    """A play with its record."""

    def __init__(
        self, table: Table, seed: str, session: Session, content: bytes, folder: Path
    ) -> None:
        self.table = table
        self.seed = seed
        self.session = session
        self.content = content
        self.folder = folder
        # The first replay is its own; all others take the same steps.
        self.other = Remembering(table.other)
        self.lines = content.splitlines(keepends=True)
        self.states = [session.initial, *(point.step.state for point in session.history)]
        self.luck: Stream = stream(seed, "laws", "record")

    def look(self) -> Iterator[Found]:
        yield from self._replays()
        yield from self._goes_on()
        yield from self._torn()
        for name in self.luck.shuffled(EDITS)[: self.table.few(len(EDITS))]:
            for anew in (False,) if name in ONLY_BY_SUM else (False, True):
                yield from ((None, what) for what in self._edited(name, EDITS[name], anew))

    # -------------------------------------------------------------------------------- whole

    def _replays(self) -> Iterator[Found]:
        record, findings = read_record(self.content)
        if record is None or findings:
            yield None, f"a record that was just written does not read: {_said(findings)}"
            return
        options = {each.name: each.text for each in self.table.game.options}
        if dict(record.options) != options or record.players != self.table.game.players:
            yield None, "a record does not say which options and players it was played with"
        again, findings = replay(record, self.other)
        if again is None or findings:
            yield None, f"a record does not replay: {_said(findings)}"
            return
        for at, point in enumerate(again.history):
            if at + 1 >= len(self.states) or point.step.state != self.states[at + 1]:
                yield at, f"the replay comes to another state with `{point.text}`"
                return
        if (again.over, again.truncated, again.verdict) != (
            self.session.over,
            self.session.truncated,
            self.session.verdict,
        ):
            yield len(again.history), "the replay ends otherwise"
        for viewer in self.table.sight.viewers:
            if again.log(viewer) != self.session.log(viewer):
                yield None, "somebody is told something else in the replay"
                return

    def _goes_on(self) -> Iterator[Found]:
        """A play that goes on from its record goes on as it would have."""
        record, _ = read_record(self.content)
        if record is None or not record.entries:
            return
        to = self.luck.below(len(self.session.history) + 1)
        path = self.folder / "on.jsonl"
        kept = b"".join(self.lines[: 1 + to])
        rest = b"".join(self.lines[1 + to :])
        # Cut between two lines, inside one, or just before the end of one.
        cut = (kept, kept + rest[:7], kept[:-1])[self.luck.below(3)]
        path.write_bytes(cut)
        half, _ = read_record(path)
        if half is None:
            yield to, "a record that is cut off is lost altogether"
            return
        with RecordWriter.append(path, half, self.table.game) as writer:
            session, findings = replay(half, self.other, seats=_seats(self.table), writer=writer)
            if session is None or findings:
                yield to, f"the first {to} inputs of a record do not replay: {_said(findings)}"
                return
            session.advance()
        if session.state != self.states[-1]:
            yield to, "a play that goes on from its record goes on otherwise"
        elif path.read_bytes() != self.content:
            yield to, "a record that was torn and gone on with is another"

    # --------------------------------------------------------------------------------- torn

    def _torn(self) -> Iterator[Found]:
        ends = []
        end = 0
        for line in self.lines:
            end += len(line)
            ends.append(end)
        for _ in range(self.table.few(TEARS)):
            length = self.luck.below(len(self.content))
            record, findings = read_record(self.content[:length])
            whole = sum(1 for end in ends if end <= length)
            # A line that lacks only its end is whole.
            whole += any(end == length + 1 for end in ends)
            if not whole:
                if record is not None or not findings:
                    yield None, f"a record torn off after {length} bytes has no header and reads"
                continue
            if record is None:
                yield None, f"a record torn off after {length} bytes is lost altogether"
            elif len(record.entries) != whole - 1:
                yield None, f"of {whole - 1} whole lines {len(record.entries)} are kept"
            elif not findings and length not in ends and length + 1 not in ends:
                yield None, f"a record torn off after {length} bytes is not reported"
            else:
                yield from ((None, what) for what in self._prefix(record))

    def _prefix(self, record: Record) -> Iterator[str]:
        """What was kept plays as it did."""
        session, findings = replay(record, self.other)
        many = sum(entry.word != "end" for entry in record.entries)
        if session is None or findings:
            yield f"the {many} inputs that were kept do not replay: {_said(findings)}"
        elif session.state != self.states[many]:
            yield f"the {many} inputs that were kept lead to another state"

    # ------------------------------------------------------------------------------- edited

    def _edited(self, name: str, edit: Edit, anew: bool) -> Iterator[str]:
        lines = list(self.lines)
        at = edit(lines, self.luck)
        if at is None or lines == self.lines:
            return
        if anew:
            lines, name = summed(lines), f"{name} and sums made anew"
        record, findings = read_record(b"".join(lines))
        if record is None:
            if at > 0:
                yield f"a record with {name} is lost altogether"
            elif not findings:
                yield f"a record with {name} does not read, and nothing says why"
            return
        session, more = replay(record, self.other)
        if not findings and not more:
            yield f"a record with {name} is not reported"
            return
        if session is None:
            if at > 0:
                yield f"a record with {name} gives no play up to there"
            return
        kept = min(at - 1, len(self.states) - 1) if at else 0
        states = [session.initial, *(point.step.state for point in session.history)]
        if states[: kept + 1] != self.states[: kept + 1]:
            yield f"of a record with {name} the {kept} inputs before it are not kept"


Edit = Callable[[list[bytes], Stream], int | None]
"""Changes the lines; the number of the first line that was changed, None: it cannot be done."""


def _line(lines: list[bytes], luck: Stream, word: str = "") -> int | None:
    """One of the lines behind the header that hold a key."""
    fitting = [at for at in range(1, len(lines)) if not word or word in json.loads(lines[at])]
    return fitting[luck.below(len(fitting))] if fitting else None


def _changed(lines: list[bytes], at: int | None, **values: object) -> int | None:
    if at is not None:
        data = {**json.loads(lines[at]), **values}
        lines[at] = json.dumps(data).encode("utf-8") + b"\n"
    return at


def summed(lines: list[bytes]) -> list[bytes]:
    """The lines of a record with sums that fit them, as somebody makes them who knows how."""
    numbered: list[bytes] = []
    before = ""
    for line in lines:
        try:
            data = object_of(line)
        except Unfit:
            numbered.append(line)
            continue
        data.pop(SUM, None)
        before = sum_of(before, data) if numbered else header_sum(data)
        numbered.append(json.dumps({**data, SUM: before}).encode("utf-8") + b"\n")
    return numbered


def _other_action(lines: list[bytes], luck: Stream) -> int | None:
    return _changed(lines, _line(lines, luck, "action"), action="no such action, ever")


def _other_player(lines: list[bytes], luck: Stream) -> int | None:
    return _changed(lines, _line(lines, luck, "by"), by="nobody at all")


def _other_outcome(lines: list[bytes], luck: Stream) -> int | None:
    return _changed(lines, _line(lines, luck, "chance"), chance="no such outcome, ever")


def _missing(lines: list[bytes], luck: Stream) -> int | None:
    at = _line(lines[:-1], luck)
    if at is not None:
        del lines[at]
    return at


def _twice(lines: list[bytes], luck: Stream) -> int | None:
    at = _line(lines, luck)
    if at is not None:
        lines.insert(at, lines[at])
        return at + 1
    return None


def _garbage(lines: list[bytes], luck: Stream) -> int | None:
    at = _line(lines, luck)
    if at is not None:
        lines[at] = b"\xff\x00 {" + lines[at]
    return at


def _other_result(lines: list[bytes], luck: Stream) -> int | None:
    at = _line(lines, luck, "result")
    if at is None:
        return None
    result = json.loads(lines[at])["result"]
    # Points and returns may be few: each is said to be another than it can be.
    key = ("returns", "points")[luck.below(2)]
    result[key] = ["17" for _ in result["returns"]]
    return _changed(lines, at, result=result)


def _other_state(lines: list[bytes], luck: Stream) -> int | None:
    return _changed(lines, _line(lines, luck, "state"), state="0" * 16)


def _no_end(lines: list[bytes], luck: Stream) -> int | None:
    if "end" not in json.loads(lines[-1]):
        return None
    lines.insert(len(lines) - 1, lines[-1])
    return len(lines) - 1


def _other_rules(lines: list[bytes], luck: Stream) -> int | None:
    return _changed(lines, 0, fingerprint="0" * 64)


def _other_options(lines: list[bytes], luck: Stream) -> int | None:
    options = json.loads(lines[0])["options"]
    if not options:
        return None
    name = sorted(options)[luck.below(len(options))]
    return _changed(lines, 0, options={**options, name: "no such value"})


def _other_seed(lines: list[bytes], luck: Stream) -> int | None:
    return _changed(lines, 0, seed="some other")


def _action_of_elsewhere(lines: list[bytes], luck: Stream) -> int | None:
    at = _line(lines, luck, "action")
    if at is None:
        return None
    texts = {json.loads(each)["action"] for each in lines[1:] if "action" in json.loads(each)}
    others = sorted(texts - {json.loads(lines[at])["action"]})
    return _changed(lines, at, action=others[luck.below(len(others))]) if others else None


EDITS: dict[str, Edit] = {
    "an action that does not exist": _other_action,
    "an action of somebody else": _other_player,
    "an outcome that does not exist": _other_outcome,
    "a line missing": _missing,
    "a line twice": _twice,
    "garbage in a line": _garbage,
    "another result": _other_result,
    "another state at its end": _other_state,
    "two ends": _no_end,
    "the fingerprint of other rules": _other_rules,
    "other options": _other_options,
    "another seed": _other_seed,
    "an action taken elsewhere in it": _action_of_elsewhere,
}
"""What may be done to a record, by what it then is: a record with …"""

ONLY_BY_SUM = ("another seed", "an action taken elsewhere in it")
"""What may fit the rules all the same, so that nothing but the sums can tell."""


def _said(findings: object) -> str:
    assert isinstance(findings, list)
    return "; ".join(f"{each.code} {each.message}" for each in findings) or "nothing says why"
