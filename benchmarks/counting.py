"""Lines and tokens of a source file, in one way for every language.

Assumes: the text of a file, and how its language writes comments, strings and imports (`Style`).
Does: takes out comments, documentation strings, imports, guards of headers and what else a style
cuts; then counts the lines that are not blank, and the tokens: a string, a name, a number, or an
operator, whatever the language makes of them.
Leaves behind: a `Count`. Indentation and the ends of lines are no tokens, in no language.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DOUBLE = r'"(?:\\.|[^"\\\n])*"'
SINGLE = r"'(?:\\.|[^'\\\n])*'"
TRIPLE = r'"""(?:\\.|[^\\])*?"""' + "|" + r"'''(?:\\.|[^\\])*?'''"
SLASHES = r"//[^\n]*|/\*(?s:.*?)\*/"
HASH = r"#[^\n]*"

# Longest first.
OPERATORS = r"<<=|>>=|\.\.\.|->>|->|=>|::|\+\+|--|&&|\|\||==|!=|<=|>=|[-+*/%&|^]=|<<|>>|\.\.|//"
WORDS = rf"[^\W\d]\w*|\d+(?:\.\d+)?\w*|{OPERATORS}|\S"


@dataclass(frozen=True, slots=True)
class Style:
    """How a language writes what is not counted, and its strings."""

    comments: str
    strings: str = ""
    """One token each. A comment inside of one is none."""
    cuts: tuple[str, ...] = ()
    """What goes when comments have gone: imports, tests, sections of texts."""
    texts: tuple[str, ...] = ()
    """Texts without quotation marks, behind what these patterns keep: a string each."""


@dataclass(frozen=True, slots=True)
class Count:
    """What a file, or some of them, come to."""

    lines: int
    tokens: int

    def __add__(self, other: Count) -> Count:
        return Count(self.lines + other.lines, self.tokens + other.tokens)


C = Style(SLASHES, rf'R"\((?s:.*?)\)"|{DOUBLE}|{SINGLE}')
# A quotation mark inside of a plain text opens nothing; what a game, an option or a question is
# called is a string, although it has no quotation marks: to the end of its line, or in braces.
TEXTS = (
    r"^([ \t]*(?:- )?(?:title|about|ask): )[^\s\"'{\[>|][^\n]*",
    r"([{,] ?(?:title|about|ask): )[^\s\"'{\[][^,}\n]*",
    r"^(shows: )\[[^\]\n]*\]",
    r'^(about: "text"\n)[ \t]+[^\n]*',  # goes on in a second line
)
RULESET = Style(r"(?:(?<=\s)|^)#[^\n]*", rf"(?<!\w)(?:{DOUBLE}|{SINGLE})", texts=TEXTS)
SECTIONS = ("title", "about", "minutes", "kind", "shows", "sources", "words", "view", "story")
"""What of a rules file no rule needs: texts, and how it is shown and told."""

STYLES = {
    "ruleset": RULESET,
    "rules": Style(
        RULESET.comments,
        RULESET.strings,
        (rf"^(?:{'|'.join(SECTIONS)}):[^\n]*\n(?:[ \t]+[^\n]*\n|[ \t]*\n)*",),
        TEXTS,
    ),
    "c++": Style(
        C.comments, C.strings, (r"^[ \t]*#[ \t]*(?:include|ifndef|define|endif|pragma)\b[^\n]*",)
    ),
    "java": Style(C.comments, C.strings, (r"^[ \t]*(?:import|package)\b[^;]*;",)),
    "python": Style(
        HASH,
        rf"[rRbBfFuU]{{0,2}}(?:{TRIPLE}|{DOUBLE}|{SINGLE})",
        (
            rf"^[ \t]*[rRuU]?(?:{TRIPLE})[ \t]*$",  # documentation
            r"^[ \t]*from\s+\S+\s+import\s*\([^)]*\)",
            r"^[ \t]*(?:from\s+\S+\s+)?import\b[^\n]*",
        ),
    ),
    "rlc": Style(
        HASH,
        rf"{DOUBLE}|{SINGLE}",
        (
            r"^import\b[^\n]*",
            r"^fun (?:fuzz|main|test_\w+)\b[^\n]*\n(?:[ \t]+[^\n]*\n|[ \t]*\n)*",
        ),
    ),
    "ludii": Style(r"//[^\n]*", DOUBLE, (r"^\(metadata\b(?s:.*)",)),
    "rbg": Style(SLASHES),
    "cardstock": Style(r";;[^\n]*", r"'?[^\W\d]\w*"),  # a quotation mark begins a variable
}


def count(text: str, style: Style) -> Count:
    """The lines and tokens of one file."""
    rest = code(text, style)
    lines = sum(1 for line in rest.splitlines() if line.strip())
    pattern = re.compile(f"{style.strings}|{WORDS}" if style.strings else WORDS)
    return Count(lines, sum(1 for _ in pattern.finditer(rest)))


def code(text: str, style: Style) -> str:
    """What is counted of a file."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n") + "\n"
    strings = f"(?P<string>{style.strings})|" if style.strings else ""
    both = re.compile(f"{strings}(?P<comment>{style.comments})", re.MULTILINE)
    text = both.sub(lambda found: found[0] if found.lastgroup == "string" else "", text)
    for cut in style.cuts:
        text = re.sub(cut, "", text, flags=re.MULTILINE)
    for plain in style.texts:
        text = re.sub(plain, r'\1"text"', text, flags=re.MULTILINE)
    return text
