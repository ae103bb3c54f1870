"""Rulesets of idioms, put together at random: what passes of the compilers look for, and its like.

`cases/idioms.yaml` has the idioms: what is asked of a site, of two, of a site and a way; functions
such as lines that stop somewhere, groups and their rims, a knight's jump; options that ask these;
effects, by every statement that writes a family of slots. A ruleset takes a board and some of each.
Many are such as a pass must leave alone: what may be none, lies beyond a table, is below 0, is
shared by two indexes, or goes wrong.

Holes are words in capitals: `S`, `T` sites, `P` a player, `K` a number, `WAY` and `OTHER` ways of
the board; `C` and `E` are conditions on `q`, `C_z` on `z`, `TWO(s, t)` on two, `GOES(s, d)` on a
site and a way. `ruleset(number)` is always the same text. Some of them run into rule errors.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

WAYS = {
    "orthogonal": ("north", "west"),
    "diagonal": ("north_west", "south_east"),
    "grid": ("north", "south_east"),
    "hex": ("west", "south_east"),
    "ring": ("forward", "back"),
    "line": ("forward", "back"),
}
"""Two ways of each kind of board: to lower numbers and to higher ones, where there are such."""
_WITHOUT_WAYS = r"\b(go|ray|line|run|encloses|sees|clear|across|between)\(|direction|WAY"
_WITHOUT_ROWS = r"\.row\b|\.column\b|\.edge\b|\bline\("
_ON_A_RING = r"\b(path|line)\("
_RISKY = r"10 // height|12 // X|worth\[X\]"
_COSTLY = r"\b(reaches|group|reach|distance|path|true_of|kind_of|seen_by)\("
_LARGE = 36
"""On boards of more sites what is costly is not asked of each."""


@cache
def idioms() -> Any:
    """What stands in the file."""
    path = Path(__file__).parent / "cases" / "idioms.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8"))


class Idioms:
    """Puts one ruleset together."""

    def __init__(self, number: int) -> None:
        """Everything follows from a number."""
        self.luck = random.Random(number)
        self.board: str = self.one(*idioms()["boards"])
        sizes = [int(each) for each in re.findall(r"(?:rows|columns|size): (\d+)", self.board)]
        self.sites = sizes[0] * sizes[-1] if len(sizes) == 2 else sum(sizes) or 6
        self.flat = len(sizes) == 2
        self.ways = next((ways for kind, ways in WAYS.items() if f": {kind}" in self.board), ())
        self.risky = self.luck.random() < 0.2
        self.called: list[str] = []
        """The functions that are called, in the order in which they are met."""
        self.names = 0

    def one(self, *items: Any) -> Any:
        """Any of these."""
        return self.luck.choice(items)

    def fits(self, text: str) -> bool:
        """Whether the board has what a text asks for, and the ruleset may run that risk."""
        return not (
            (not self.ways and re.search(_WITHOUT_WAYS, text))
            or (not self.flat and re.search(_WITHOUT_ROWS, text))
            or ("ring" in self.board and re.search(_ON_A_RING, text))
            or (not self.risky and re.search(_RISKY, text))
        )

    def is_cheap(self, text: str) -> bool:
        """Whether a text may be asked of each site, and of pairs of sites."""
        return self.sites <= _LARGE or not re.search(_COSTLY, text)

    # ---------------------------------------------------------------------------------- holes

    def some(self, among: str, *more: str, calls: bool = True) -> str:
        """A text of a list of the file that fits; without `calls` one that calls no function."""
        texts = [*idioms()[among], *(text for each in more for text in idioms()[each])]
        names = "|".join(idioms()["functions"])
        while True:
            text: str = self.one(*texts)
            if not self.fits(text) or (among.startswith("of") and not self.is_cheap(text)):
                continue
            if calls or not re.search(rf"\b({names}|lay)\(", text):
                return text

    def asked(self, site: str, player: str, calls: bool = True) -> str:
        """A condition on a site."""
        more = ("of_square",) if self.flat else ()
        text = self.some("of_site", *more, calls=calls)
        return self.named(text, {"S": site, "P": player, "you": player})

    def named(self, text: str, names: dict[str, str]) -> str:
        """A text with names in its holes, and a new one for what it goes over by itself."""
        self.names += 1
        names = {"q": f"q{self.names}", "K": self.one("n[who]", "clock % 4", "2"), **names}
        return re.sub(r"\b\w+\b", lambda found: names.get(found[0], found[0]), text)

    def two(self, site: str, other: str, player: str) -> str:
        """A condition on two sites."""
        more = ("of_two_squares",) if self.flat else ()
        text = self.some("of_two", *more)
        return f"({self.named(text, {'S': site, 'T': other, 'P': player})})"

    def goes(self, site: str, way: str, player: str) -> str:
        """A condition on a site and a way from it."""
        text = self.some("of_way")
        if "D is" in text and way != "d":
            text = "go(S, D) is none"  # of a way that is known nothing is to be asked
        return f"({self.named(text, {'S': site, 'D': way, 'P': player})})"

    def filled(self, text: str, player: str, calls: bool = True) -> str:
        """A text without holes."""
        text = re.sub(r"TWO\((\w+), (\w+)\)", lambda at: self.two(at[1], at[2], player), text)
        text = re.sub(r"GOES\((\w+), (\w+)\)", lambda at: self.goes(at[1], at[2], player), text)
        text = re.sub(r"\bC_(\w+)", lambda at: self.asked(at[1], player, calls), text)
        text = re.sub(r"\b[CE]\b", lambda _: self.asked("q", player, calls), text)
        for hole, way in zip(("WAY", "OTHER"), self.ways, strict=False):
            text = re.sub(rf"\b{hole}\b", way, text)
        for name in idioms()["functions"]:
            if re.search(rf"\b{name}\(", text) and name not in self.called:
                self.called.append(name)
        return text

    # ------------------------------------------------------------------------------- sections

    def told(self) -> str:
        """What a function tells of a player `p`."""
        text = re.sub(r"\byou\b", "p", self.filled(self.some("told"), "p"))
        return text if re.search(r"\bp\b", text) else f"({text}) + n[p]"

    def effects(self, sites: list[str]) -> list[str]:
        """What comes of an answer."""
        found = []
        for _ in range(self.luck.randint(1, 3)):
            text = self.some("effects")
            site = self.one(*sites) if sites else "last"
            names = {
                "S": site,
                "P": self.one("you", "who", "next(you)"),
                "K": self.one("1", "clock"),
            }
            text = re.sub(r"\b[SPK]\b", lambda at, names=names: names[at[0]], text)  # type: ignore[misc]
            found.append(self.filled(text, "you"))
        return found

    def option(self, name: str) -> list[str]:
        """An option of a menu."""
        while True:
            given, *conditions = self.one(*idioms()["options"])
            if self.fits(given):
                break
        asked = []
        for each in conditions:
            if each == "NUMBER":
                each = re.sub(r"\bX\b", "k2", self.some("of_number"))
            elif not self.ways and each.startswith("GOES"):
                continue
            asked.append(self.filled(each, "you"))
        if len(asked) > 1 and self.luck.random() < 0.2:
            asked = [" and ".join(f"({each})" for each in asked)]
        sites = [each for each in ("s", "t") if re.search(rf"\b{each}\b", given)]
        given = self.filled(given.replace("(", f"_{name}(", 1), "you")
        return [
            f'"{given}":',
            *(["  when:"] if asked else []),
            *(f'    - "{each}"' for each in asked),
            "  do:",
            *(f'    - "{each}"' for each in self.effects(sites)),
        ]

    def one_of_some(self) -> list[str]:
        """A choice without a menu, that is narrowed."""
        source = self.one("board", "board", "neighbours(last)", "marked")
        narrowing = [self.filled("C_w", "you") for _ in range(self.one(1, 2))]
        return [
            f'- choose: "w in {source} if {self.filled("C_w", "you")}"',
            "  if_possible:",
            *(f'    - "{each}"' for each in narrowing),
            "  else: pass",
            '- if: "w is not none"',
            "  then:",
            *(f'    - "{each}"' for each in self.effects(["w"])),
        ]

    def functions(self) -> dict[str, str]:
        """The functions that are called, and those that they call."""
        made: dict[str, str] = {}
        for name in self.called:  # it grows meanwhile
            known = idioms()["functions"][name]
            player = "p" if "player p" in known["given"] else "who"
            bodies = [each for each in known["bodies"] if self.fits(str(each))]
            text = bodies[0]
            for _ in range(9):
                before = list(self.called)
                body = self.one(*bodies)
                lines = body if isinstance(body, list) else [body]
                lines = [self.filled(each, player, calls=False) for each in lines]
                if self._is_whole(known["given"], lines) and not self._circle(name, lines, made):
                    text = lines
                    break
                self.called[:] = before
            made[name] = f"{name}{known['given']}:" + _body(
                text if isinstance(text, list) else [text]
            )
        return made

    @staticmethod
    def _is_whole(given: str, lines: list[str]) -> bool:
        """Whether all that a function is given is read."""
        return all(
            re.search(rf"\b{name}\b", " ".join(lines)) for name in re.findall(r"(\w+)[,)]", given)
        )

    def _circle(self, name: str, lines: list[str], made: dict[str, str]) -> bool:
        """Whether a function would come to call itself."""
        waiting, seen = [" ".join(lines)], set()
        while waiting:
            text = waiting.pop()
            for each in idioms()["functions"]:
                if each not in seen and re.search(rf"\b{each}\(", text):
                    seen.add(each)
                    waiting.append(made.get(each, ""))
        return name in seen

    def ruleset(self) -> str:
        """The text."""
        options = [line for at in range(self.one(1, 1, 2)) for line in self.option(f"{at}")]
        narrowed = self.one_of_some() if self.luck.random() < 0.35 else []
        told = [self.told() for _ in range(self.one(4, 8, 10))]
        laid = [re.sub(r"\byou\b", "p", self.filled(self.some("laid"), "p", calls=False))]
        functions = self.functions()
        told_of = [self.filled(idioms()["functions"][each]["told"], "p") for each in functions]
        tells = [
            f"- told[{at}] = f{at}({self.one('you', 'next(you)')}) % 1000"
            for at in range(len(told))
        ]
        declared = [
            *functions.values(),
            *(f'f{at}(player p): "{each}"' for at, each in enumerate(told)),
        ]
        first = "r1c1" if self.flat else "board_1" if self.ways else "alba"
        board = self.board
        if self.flat:
            board = f"{board[:-1]}, regions: {{edge: row == 1 or column == 1}}}}"
        text = re.sub(r"<(.*?)>", lambda at: self.one(*at[1].split("|")), idioms()["rules"])
        for hole, lines, spaces in (
            ("OPTIONS", options, 12),
            ("ONE_OF_SOME", narrowed, 6),
            ("TELLS", tells, 6),
            ("FUNCTIONS", declared, 2),
        ):
            inside = "\n".join(" " * spaces + line for each in lines for line in each.split("\n"))
            text = text.replace(f"{hole}\n", inside + "\n")
        whole = {
            "BOARD": board,
            "FIRST": first,
            "SLOPES": f"{first}: -2" + (", else: 1" if self.sites > 1 else ""),
            "LAID": "[" + ", ".join(f'"{each}"' for each in laid) + "]",
            "ASKED": " + ".join(told_of) or "0",
        }
        return re.sub(rf"\b({'|'.join(whole)})\b", lambda at: whole[at[0]], text)


def _body(lines: list[str]) -> str:
    """The body of a function: a value, lines before it, or cases."""
    *before, value = lines
    if not before:
        return f' "{value}"'
    if lines[0] == "cases":
        keys = [f'    "{key}": {at}' for at, key in enumerate(lines[1:])]
        return "\n".join(["", "  cases:", *keys, f"    else: {len(keys)}"])
    return "\n".join(["", *(f'  - "{each}"' for each in lines)])


def ruleset(number: int) -> str:
    """The ruleset with a number."""
    return Idioms(number).ruleset()
