"""The same game in other languages: lines and tokens of our classics beside those of peers.

    python -m benchmarks.lengths --clone            # the commands that bring the peers
    python -m benchmarks.lengths FOLDER [--only NAME,…]    # count the peers, write the page
    python -m benchmarks.lengths                    # our files have changed: write the page
    python -m benchmarks.lengths --check            # is the page what it would be?

Assumes: FOLDER with a checkout, or a bare repository, of each peer under the name that
`lengths.yaml` gives; it is asked for the commit that stands there, whatever is checked out.
Does: counts files by `counting`, and ratios of theirs to ours.
Leaves behind: what was counted in `lengths.json`, and the tables of the page
`docs/games/in-other-languages.md` between its marks; nothing of the files themselves.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from benchmarks.counting import STYLES, Count, count

ROOT = Path(__file__).parents[1]
CLASSICS = ROOT / "rulesets" / "classics"
PAGE = ROOT / "docs" / "games" / "in-other-languages.md"
PEERS = Path(__file__).with_name("lengths.yaml")
COUNTED = Path(__file__).with_name("lengths.json")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
AGAIN = "`python -m benchmarks.lengths` writes the page anew"


@dataclass(frozen=True, slots=True)
class Theirs:
    """A game of a peer, as it was counted."""

    count: Count
    files: int
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ours:
    """A ruleset of ours."""

    title: str
    whole: Count
    rules: Count
    """Without texts, and without how the game is shown and told."""
    options: tuple[str, ...]


# -------------------------------------------------------------------------------------- counting


def our_games(names: Sequence[str]) -> dict[str, Ours]:
    """Our rulesets of these names."""
    games = {}
    for name in sorted(names):
        text = (CLASSICS / f"{name}.yaml").read_text(encoding="utf-8")
        rules = yaml.load(text, LOADER)  # safe, and in C where there is one
        games[name] = Ours(
            rules["title"],
            count(text, STYLES["ruleset"]),
            count(text, STYLES["rules"]),
            (*rules.get("options", ()), *rules.get("variants", ())),
        )
    return games


def count_peer(peer: Mapping[str, Any], folder: Path) -> dict[str, Theirs]:
    """The games of a peer at its commit."""
    listed = _git(folder, "ls-tree", "-r", "-z", "--name-only", peer["commit"], peer["root"] + "/")
    paths = [path for path in listed.split("\0") if path]
    games = {}
    for name, game in peer["games"].items():
        patterns = _patterns(game)
        files = [
            path
            for path in paths
            if any(fnmatch(path, f"{peer['root']}/{pattern}") for pattern in patterns)
            and not re.search(peer["leave_out"], path.removeprefix(peer["root"]))
        ]
        if not files:
            raise SystemExit(f"{peer['folder']}: no file for {name}")
        texts = [_git(folder, "show", f"{peer['commit']}:{path}") for path in files]
        total = sum((count(text, STYLES[peer["style"]]) for text in texts), Count(0, 0))
        found = {each for text in texts for each in re.findall(peer["options"], text)}
        games[name] = Theirs(total, len(files), tuple(sorted(found)))
    return games


def _patterns(game: Any) -> list[str]:
    files = game["files"] if isinstance(game, dict) else game
    return [files] if isinstance(files, str) else list(files)


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"{folder}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout.decode("utf-8", errors="replace")


def clone_commands(peers: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What one types to get the peers, in a folder of one's own."""
    for peer in {each["folder"]: each for each in peers.values()}.values():
        yield f"git clone --filter=blob:none {peer['url']} {peer['folder']}"


# ------------------------------------------------------------------------------------ the tables


Counted = Mapping[str, Mapping[str, Theirs]]
Peers = Mapping[str, Mapping[str, Any]]


def tables(peers: Peers, counted: Counted) -> dict[str, list[str]]:
    """The parts of the page that are made, by the name of their marks."""
    ours = our_games([*{name for games in counted.values() for name in games}])
    parts = {"medians": list(_medians(peers, counted, ours)), "ours": list(_our_table(ours))}
    for key, peer in peers.items():
        parts[key] = list(_their_table(peer, counted[key], ours))
    parts["clone"] = ["```text", *clone_commands(peers), "```"]
    parts["commits"] = list(_commits(peers))
    return parts


def _medians(peers: Peers, counted: Counted, ours: Mapping[str, Ours]) -> Iterator[str]:
    yield "| peer | language | games | lines : rules | tokens : rules | span | tokens : whole |"
    yield "|---|---|--:|--:|--:|--:|--:|"
    for key, peer in peers.items():
        games = counted[key]
        lines = [each.count.lines / ours[name].rules.lines for name, each in games.items()]
        tokens = [each.count.tokens / ours[name].rules.tokens for name, each in games.items()]
        whole = [each.count.tokens / ours[name].whole.tokens for name, each in games.items()]
        yield (
            f"| {peer['title']} | {peer['language']} | {len(games)} | {median(lines):.1f} "
            f"| **{median(tokens):.1f}** | {min(tokens):.1f} to {max(tokens):.1f} "
            f"| {median(whole):.1f} |"
        )


def _our_table(ours: Mapping[str, Ours]) -> Iterator[str]:
    yield "| game | lines, rules | tokens, rules | lines, whole | tokens, whole | options |"
    yield "|---|--:|--:|--:|--:|---|"
    for name, each in ours.items():
        yield (
            f"| [{each.title}](../../rulesets/classics/{name}.yaml) (`{name}`) "
            f"| {each.rules.lines} | {each.rules.tokens} "
            f"| {each.whole.lines} | {each.whole.tokens} | {_code(each.options)} |"
        )


def _their_table(
    peer: Mapping[str, Any], games: Mapping[str, Theirs], ours: Mapping[str, Ours]
) -> Iterator[str]:
    with_options = any(each.options for each in games.values())
    yield (
        "| game | files | lines | tokens | tokens : rules | tokens : whole |"
        + (" options |" if with_options else "")
        + " theirs more (+), less (-) |"
    )
    yield "|---|--:|--:|--:|--:|--:|" + ("---|" if with_options else "") + "---|"
    for name, each in sorted(games.items()):
        mine, game = ours[name], peer["games"][name]
        note = game.get("note", "") if isinstance(game, dict) else ""
        tokens = each.count.tokens
        yield (
            f"| `{name}` | {each.files} | {each.count.lines} | {tokens} "
            f"| {tokens / mine.rules.tokens:.1f} | {tokens / mine.whole.tokens:.1f} |"
            + (f" {_code(each.options)} |" if with_options else "")
            + f" {note} |"
        )


def _code(options: Sequence[str]) -> str:
    return ", ".join(f"`{option}`" for option in options)


def _commits(peers: Peers) -> Iterator[str]:
    yield "| folder | commit | games in |"
    yield "|---|---|---|"
    for peer in peers.values():
        yield f"| `{peer['folder']}` | `{peer['commit'][:12]}` | `{peer['root']}` |"


def page(text: str, parts: Mapping[str, Sequence[str]], made_by: str = "benchmarks.lengths") -> str:
    """The page with these parts between their marks. Raises `SystemExit`."""
    for name, lines in parts.items():
        begin, end = f"<!-- {name}: made by {made_by} -->\n", f"\n<!-- /{name} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise SystemExit(f"the page has no place for `{name}`")
        head, rest = text.split(begin)
        text = head + begin + "\n" + "\n".join(lines) + "\n" + end + rest.split(end)[1]
    return text


# ------------------------------------------------------------------------------------ the command


def read_counted() -> dict[str, dict[str, Theirs]]:
    """What was counted of the peers before."""
    if not COUNTED.exists():
        return {}
    return {
        key: {
            name: Theirs(Count(*each["count"]), each["files"], tuple(each["options"]))
            for name, each in games.items()
        }
        for key, games in json.loads(COUNTED.read_text(encoding="utf-8")).items()
    }


def write_counted(counted: Counted) -> None:
    """Numbers and names of options, a line for each game."""
    peers = []
    for key, games in counted.items():
        rows = (
            f"    {json.dumps(name)}: "
            + json.dumps(
                {
                    "files": each.files,
                    "count": [each.count.lines, each.count.tokens],
                    "options": each.options,
                }
            )
            for name, each in games.items()
        )
        peers.append(f"  {json.dumps(key)}: {{\n" + ",\n".join(rows) + "\n  }")
    COUNTED.write_text("{\n" + ",\n".join(peers) + "\n}\n", encoding="utf-8", newline="\n")


def main() -> int:
    """Read the command line."""
    parser = ArgumentParser(prog="python -m benchmarks.lengths", description="Count the peers.")
    parser.add_argument("folder", nargs="?", type=Path, help="checkouts of the peers by name")
    parser.add_argument("--only", default="", help="peers with commas, of those in lengths.yaml")
    parser.add_argument("--clone", action="store_true", help="tell how to get the checkouts")
    parser.add_argument("--check", action="store_true", help="write nothing: is the page right?")
    given = parser.parse_args()
    peers = yaml.safe_load(PEERS.read_text(encoding="utf-8"))
    if given.clone:
        print("\n".join(clone_commands(peers)))
        return 0
    counted = read_counted()
    if given.folder is not None:
        only = given.only.split(",") if given.only else list(peers)
        for key in only:
            counted[key] = count_peer(peers[key], given.folder / peers[key]["folder"])
            print(f"{key}: {len(counted[key])} games", file=sys.stderr)
    before = PAGE.read_text(encoding="utf-8")
    parts = tables(peers, {key: counted[key] for key in peers})
    after = page(before, parts)
    if given.check:
        if after != before or read_counted() != counted:
            print(f"{PAGE.relative_to(ROOT)} is out of date: {AGAIN}")
            return 1
        return 0
    write_counted({key: counted[key] for key in peers})
    PAGE.write_text(after, encoding="utf-8", newline="\n")
    if given.folder is not None:
        print("\n".join(parts["medians"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
