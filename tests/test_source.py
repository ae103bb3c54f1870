"""Positions in a text, and files as texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerun_dsl.source.regular_files import LARGEST_FILE
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.open_source import read_source

LINES = st.lists(st.sampled_from(["", "a", "日本", "\t", "\u2028", "\x85", "\x0b", "e\u0301"]))
BREAKS = st.sampled_from(["\n", "\r\n", "\r"])


def test_lines_end_at_the_three_usual_breaks_and_at_nothing_else() -> None:
    source = Source("x", "a\nb\r\nc\rd\u2028e\x85f\x0bg")
    assert source.line_count == 4
    assert [source.line_text(line) for line in (1, 2, 3)] == ["a", "b", "c"]
    assert source.position(source.text.index("g")) == (4, 7)


@pytest.mark.parametrize(
    ("offset", "position"),
    [(-1, (1, 1)), (0, (1, 1)), (1, (1, 2)), (2, (2, 1)), (4, (3, 1)), (99, (3, 1))],
)
def test_a_position_counts_from_one_and_stays_inside(
    offset: int, position: tuple[int, int]
) -> None:
    assert Source("x", "a\n𝄞\n").position(offset) == position


@given(LINES, BREAKS)
def test_position_and_offset_are_inverse(lines: list[str], line_break: str) -> None:
    source = Source("x", line_break.join(lines))
    for row, line in enumerate(lines, start=1):
        for column in range(1, len(line) + 1):
            offset = source.offset(row, column)
            assert source.text[offset] == line[column - 1]
            assert source.position(offset) == (row, column)


def test_a_span_knows_its_ends_and_its_text() -> None:
    span = Span(Source("x", "ab\ncd"), 1, 4)
    assert (span.line, span.column, span.end_line, span.end_column) == (1, 2, 2, 2)
    assert span.text == "b\nc"
    assert span.covers(Span(span.source, 2, 3))
    assert not span.covers(Span(Source("x", "ab\ncd"), 2, 3))


def test_sources_with_the_same_text_are_two_sources() -> None:
    assert Source("x", "a") != Source("x", "a")


def test_a_file_is_read_without_its_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "game.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: \xc3\xa9\r\n")
    source, diagnostics = read_source(path)
    assert diagnostics == []
    assert source is not None
    assert (source.name, source.text) == (str(path), "a: é\r\n")


def codes(content: bytes) -> list[tuple[str, int, int]]:
    source, diagnostics = read_source(content, "game.yaml")
    assert (source is None) == bool(diagnostics)
    found = []
    for each in diagnostics:
        assert each.span is not None
        found.append((each.code, each.span.line, each.span.column))
    return found


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a: b\n", []),
        (b"", []),
        (b"a: b\nc: d\xff\n", [("RR0144", 2, 5)]),
        (b"\xef\xbb\xbfa: \xc3\xa9\xff\n", [("RR0144", 1, 5)]),
        (b"\xff\xfea\x00", [("RR0144", 1, 1)]),
        (b"a: \x00\x1b\n", [("RR0145", 1, 4), ("RR0145", 1, 5)]),
        (b"a: b\x7f\n", [("RR0145", 1, 5)]),
        ("a: \ufeffb".encode(), [("RR0145", 1, 4)]),
        ("a: b\u2028c: d\u2029\x85\n".encode(), [("RR0146", 1, c) for c in (5, 10, 11)]),
        (b"#" * (LARGEST_FILE + 1), [("RR0143", 1, 1)]),
        (b"#" * LARGEST_FILE, []),
    ],
)
def test_bytes_that_are_no_rules_file(content: bytes, expected: list[tuple[str, int, int]]) -> None:
    assert codes(content) == expected


def test_utf_16_is_named() -> None:
    _, diagnostics = read_source("a: b".encode("utf-16"), "game.yaml")
    assert "UTF-16" in diagnostics[0].message


def test_paths_that_lead_to_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = tmp_path / "locked.yaml"
    locked.write_text("a: b")

    def refuse(path: object, flags: int) -> None:
        raise PermissionError(13, "Permission denied")

    assert [each.code for each in read_source(tmp_path / "missing.yaml")[1]] == ["RR0140"]
    assert [each.code for each in read_source("nul\0.yaml")[1]] == ["RR0140"]
    assert [each.code for each in read_source(tmp_path)[1]] == ["RR0141"]
    monkeypatch.setattr("rulerun_dsl.source.regular_files.os.open", refuse)
    refused = read_source(locked)[1]
    assert [each.code for each in refused] == ["RR0142"]
    assert "permission denied" in refused[0].message


@given(st.binary(max_size=200))
def test_no_bytes_raise(content: bytes) -> None:
    codes(content)
