"""The pages say what is so: every fenced example in `docs/` and in the README is run.

The word behind the backticks says what a block is, and further words say how it is run.

* `yaml`: a whole rules file (it begins with `rulerun: 1`). It must load without findings, for every
  number of players and every variant, and random plays of it must come to an end.
  `yaml fails RR0402` must give exactly these codes, `yaml warns RR0603` loads and plays as well.
  A module file (it begins with `module:`) is checked together with the rules file that names it.
* `yaml fragment`: some sections of a rules file. Its shape and the syntax of its texts are checked.
* `yaml steps`: some steps of a rule; the same. With `cut=NAME` they stand in that ruleset, which
  `test_cookbook.py` sees to.
* `yaml scenarios`: a file of scenarios for the rules file of that name on the page; they pass.
* `yaml texts file=texts/NAME.LANG.yaml`: what people read of the rules file of that name on the
  page in that language; it fits, and says all there is to say.
* `yaml expect of=NAME`: expressions of the language that hold in that game after its set-up.
* `yaml other`: YAML of other tools. It is parsed.
* `console`: lines `$ rulerun …` are run and what they print is compared with what follows. A line
  `…` stands for any lines, `…` inside a line for any text. `console exit=1` expects that code.
  `console slow` takes long: `-m slow` runs it, and all before it on the page.
* `python`: is run; the blocks of a page share their names.
* `toml`: the settings of a project; they can be read.
* `json`: is parsed. `text` and `sh` are not run (`sh` only in the README, whose commands have a
  test of their own).

`file=NAME` lays the block under that name into the folder in which the blocks run. All files of a
page are there from the beginning, each as it is first written; a block with the name of an earlier
one replaces it from there on, or with the word `append` stands behind it. A comment
`<!-- after: PAGE -->` begins with the files of another page as that page leaves them.

The pages of the diagnostics are run by the tests of the passes that find them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from rulerun.cli.project import project
from rulerun.reference.executor import Reference
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session
from rulerun_dsl.diagnostics.catalogue import CATALOGUE, Severity
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.load import load
from rulerun_dsl.outline.outline import outline
from rulerun_dsl.schema.ruleset_schema import rules_schema
from rulerun_dsl.schema.shapes import check_shape
from rulerun_dsl.source.spans import Source
from rulerun_dsl.translations import rules_of, translation
from rulerun_dsl.yaml.document import load_document

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not in the wheel")

PLAYS = 3
"""Random plays of each rules file of a page and each of its settings."""
LONGEST = 3_000
"""Decisions after which a play of an example has gone on for too long."""

_FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,})(?P<info>[^`]*)$")
_AFTER = re.compile(r"^<!-- after: (\S+) -->$", re.M)


def pages() -> list[Path]:
    """The pages whose examples are run here."""
    found = sorted(DOCS.rglob("*.md")) if DOCS.is_dir() else []
    return [ROOT / "README.md", *(each for each in found if not re.match(r"RR\d", each.name))]


PAGES = pages()
NAMES = [str(each.relative_to(ROOT)) for each in PAGES]
LONG = "your-own-values"
"""It makes games of Ruse over and over: `slow_examples` runs the whole page."""
MANY = ("simulate", "solve-a-game", "5-is-it-a-good-game")
"""These play many games, in several processes; `.ci/run` asks for them."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    info: tuple[str, ...]
    text: str

    @property
    def language(self) -> str:
        return self.info[0] if self.info else ""

    @property
    def file(self) -> str | None:
        """The name under which it is laid down."""
        return self.setting("file")

    def setting(self, name: str) -> str | None:
        """`name=value`."""
        found = [word.partition("=")[2] for word in self.info if word.startswith(f"{name}=")]
        return found[0] if found else None

    def codes(self, word: str) -> list[str] | None:
        """The codes behind `fails` or `warns`."""
        if word not in self.info:
            return None
        return sorted(each for each in self.info if re.fullmatch(r"RR\d{4}", each))

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    found: list[Block] = []
    lines: list[str] = []
    start, info, marks, indent = 0, "", "", 0
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        fence = _FENCE.match(line)
        if not marks and fence:
            start, info, marks, lines = number, fence["info"].strip(), fence["marks"], []
            indent = len(fence["indent"])
        elif marks and fence and fence["marks"].startswith(marks) and not fence["info"]:
            text = "".join(f"{each}\n" for each in lines)
            found.append(Block(page, start, tuple(info.split()), text))
            marks = ""
        elif marks:
            lines.append(line[indent:] if not line[:indent].strip() else line)
    assert not marks, f"{page}:{start}: this block is never closed"
    return found


# ------------------------------------------------------------------------------ what runs a page


@dataclass
class Run:
    """One page on its way."""

    folder: Path
    slowly: bool = False
    """Whether also what takes long is run."""
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "page"})
    wrong: list[str] = field(default_factory=list)
    ran: int = 0

    def page(self, page: Path) -> None:
        """Run the blocks of a page, those of pages it builds on laid down before."""
        for block in reversed(blocks_of(page)):
            if "append" not in block.info:
                self.lay(block)
        self.lay_earlier(page)
        for block in blocks_of(page):
            before = len(self.wrong)
            self.lay(block)
            try:
                self.block(block)
            except Exception as error:
                self.wrong.append(f"{type(error).__name__}: {error}")
            self.wrong[before:] = [f"{block.place}: {each}" for each in self.wrong[before:]]

    def lay_earlier(self, page: Path) -> None:
        for name in _AFTER.findall(page.read_text(encoding="utf-8")):
            earlier = (page.parent / name).resolve()
            self.lay_earlier(earlier)
            for block in blocks_of(earlier):
                self.lay(block)

    def lay(self, block: Block) -> None:
        if block.file is not None:
            path = self.folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            before = f"{path.read_text(encoding='utf-8')}\n" if "append" in block.info else ""
            path.write_text(before + block.text, encoding="utf-8")

    def block(self, block: Block) -> None:
        if "slow" in block.info and not self.slowly:
            return
        match block.language:
            case "text":
                return
            case "sh":
                if block.page.parent != ROOT:
                    self.wrong.append("`sh` is not run: write `console` or `text`")
                return
            case "yaml":
                self.yaml(block)
            case "console":
                self.console(block)
            case "python":
                code = compile(block.text, block.place, "exec")
                with contextlib.chdir(self.folder):
                    exec(code, self.names)
            case "json":
                json.loads(block.text)
            case "toml":
                settings = self.folder / "settings" / "rulerun.toml"
                settings.parent.mkdir(exist_ok=True)
                settings.write_text(block.text, encoding="utf-8")
                with contextlib.chdir(settings.parent):
                    project()
            case other:
                self.wrong.append(f"`{other}` says nothing of what the block is")
                return
        self.ran += 1

    # ------------------------------------------------------------------------------------- yaml

    def yaml(self, block: Block) -> None:
        """Check a rules file, a part of one, scenarios, or YAML of other tools."""
        if "other" in block.info:
            yaml.safe_load(block.text)
        elif "fragment" in block.info:
            head = {"rulerun": "1", "game": "fragment", "players": "2..4"}
            for line in block.text.splitlines():
                head.pop(line.partition(":")[0], None)
            lines = "".join(f"{key}: {value}\n" for key, value in head.items())
            self.shape(lines + block.text, block)
        elif "steps" in block.info:
            inside = "".join(f"    {line}\n" for line in block.text.splitlines())
            text = f"rulerun: 1\ngame: steps\nplayers: 2..4\nprocedures:\n  rule():\n{inside}"
            self.shape(text, block)
        elif "scenarios" in block.info:
            assert block.file is not None, "scenarios need a name: file=NAME.test.yaml"
            self.scenarios(block, self.folder / block.file)
        elif "texts" in block.info:
            self.texts(block)
        elif "expect" in block.info:
            path = self.folder / "expect.test.yaml"
            inside = "".join(f"      {line}\n" for line in block.text.splitlines())
            text = (
                f"ruleset: {block.setting('of')}\nscenarios:\n  - id: expect\n    expect:\n{inside}"
            )
            path.write_text(text, encoding="utf-8")
            self.scenarios(block, path)
        elif block.text.startswith("rulerun: 1\n"):
            self.rules(block)
        elif not block.text.startswith("module: "):
            self.wrong.append("a rules file begins with `rulerun: 1`; say what else this is")

    def shape(self, text: str, block: Block) -> None:
        """The shape of a part, and the syntax of what is in it."""
        document, found = load_document(Source("fragment.yaml", text))
        if document is not None:
            found.extend(check_shape(document))
            found.extend(outline([document])[1])
        self.findings(block, [each.code for each in found], render_text(found))

    def findings(self, block: Block, codes: list[str], text: str) -> None:
        """Compare what was found with what the block says is found."""
        wanted = block.codes("fails") or block.codes("warns") or []
        if sorted(set(codes)) != sorted(set(wanted)):
            self.wrong.append(f"found {sorted(set(codes))}, expected {wanted}\n{text}")

    def rules(self, block: Block) -> None:
        """Load a rules file for every setting; play it."""
        path = self.folder / (block.file or "game.yaml")
        if block.file is None:
            path.write_text(block.text, encoding="utf-8")
        loaded, found = load(path)
        if loaded is None or block.codes("fails") is not None:
            if loaded is not None:
                found = [*found, *loaded.game()[1]]
            self.findings(block, [each.code for each in found], render_text(found))
            return
        low, high = loaded.outline.player_range
        settings: list[tuple[int, tuple[str, ...]]] = [
            (count, ()) for count in range(low, high + 1)
        ]
        settings += [(low, (variant,)) for variant in loaded.variants]
        for count, variants in settings:
            game, more = loaded.game(count, {}, variants)
            self.findings(block, [each.code for each in (*found, *more)], render_text(more))
            if game is None:
                return
            executor = Reference(game)
            for seed in range(PLAYS):
                seats = {player: RandomAgent() for player in range(count)}
                session = Session(executor, seats, seed)
                if session.fault is not None:
                    self.wrong.append(f"seed {seed}: a rule error: {session.fault}")
                states = [session.initial, *(point.step.state for point in session.history)]
                self.wrong += [
                    f"seed {seed}: `{each.name}` does not always hold"
                    for each in game.always
                    if not all(executor.ask(state, each.condition) for state in states)
                ]
                if session.decisions > LONGEST or (session.truncated and game.decisions > LONGEST):
                    self.wrong.append(f"seed {seed}: {session.decisions} decisions are too many")

    def texts(self, block: Block) -> None:
        """Hold a file of texts against its rules file."""
        assert block.file is not None, "texts need a name: file=texts/NAME.LANG.yaml"
        path = self.folder / block.file
        rules = rules_of(path)
        assert rules is not None, f"there are no rules for {block.file}"
        loaded, _ = load(rules)
        assert loaded is not None
        game, _ = loaded.game()
        assert game is not None
        _, found, missing = translation(loaded, game, path)
        self.findings(block, [each.code for each in found], render_text(found))
        self.wrong += [f"not translated: {each}" for each in missing]

    def scenarios(self, block: Block, path: Path) -> None:
        """Run scenarios against the rules file that lies beside them."""
        from rulerun.scenario.runner import run_scenarios

        results = run_scenarios(path)
        if not results:
            self.wrong.append("there is no scenario")
        codes = [each.code for result in results for each in result.diagnostics]
        text = "".join(render_text(result.diagnostics) for result in results)
        self.findings(block, codes, text)

    # ---------------------------------------------------------------------------------- console

    def console(self, block: Block) -> None:
        """Run the commands of a block and compare what they print."""
        command, expected = "", []
        wanted = int(block.setting("exit") or 0)
        for line in [*block.text.splitlines(), "$ "]:
            if not line.startswith("$ "):
                expected.append(line)
                continue
            if command:
                code, printed = self.run(command)
                if not matches(expected, printed.splitlines()):
                    self.wrong.append(f"`{command}` prints\n{printed}")
                if code != wanted:
                    self.wrong.append(f"`{command}` exits with {code}, not {wanted}")
            command, expected = line[2:].strip(), []

    def run(self, command: str) -> tuple[int, str]:
        """Run `rulerun …`, its input from a file behind `<`."""
        from rulerun.__main__ import main

        words = shlex.split(command)
        assert words[0] == "rulerun", f"`{command}` is not run: write `text`"
        given = ""
        if "<" in words:
            at = words.index("<")
            given = (self.folder / words[at + 1]).read_text(encoding="utf-8")
            del words[at : at + 2]
        out = io.StringIO()
        keyboard = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setattr("sys.stdin", keyboard)
            patch.setenv("COLUMNS", "100")
            patch.setenv("NO_COLOR", "1")
            try:
                code = main(words[1:])
            except SystemExit as exit_:
                code = exit_.code if isinstance(exit_.code, int) else 1
        return code, out.getvalue()


def matches(expected: list[str], printed: list[str]) -> bool:
    """Whether lines are as expected; `…` is any lines, inside a line any text."""
    expected = [line.rstrip() for line in expected]
    printed = [line.rstrip() for line in printed]
    while expected and not expected[-1]:
        expected.pop()
    while printed and not printed[-1]:
        printed.pop()
    pattern = ""
    for line in expected:
        if line.strip() == "…":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.split("…")) + r"\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _marks(page: str) -> list[pytest.MarkDecorator]:
    if page == LONG:
        return [pytest.mark.slow]
    return [pytest.mark.slow, pytest.mark.slow_in_ci] if page in MANY else []


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name, marks=_marks(page.stem))
        for page, name in zip(PAGES, NAMES, strict=True)
    ],
)
def test_the_examples_of_a_page(page: Path, tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.page(page)
    assert not run.wrong, "\n\n".join(run.wrong)


@pytest.mark.slow
@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if any("slow" in block.info for block in blocks_of(page))],
    ids=lambda page: page.stem,
)
def test_the_slow_examples_of_a_page(page: Path, tmp_path: Path) -> None:
    run = Run(tmp_path, slowly=True)
    run.page(page)
    assert not run.wrong, "\n\n".join(run.wrong)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_files_that_commands_take_are_named(page: Path) -> None:
    """What stands behind the backticks is not read: the page says how a file is called."""
    lines = page.read_text(encoding="utf-8").splitlines()
    blocks = blocks_of(page)
    inside = {
        number
        for each in blocks
        for number in range(each.line, each.line + each.text.count("\n") + 2)
    }
    commands = [
        (each.line, line)
        for each in blocks
        if each.language == "console"
        for line in each.text.splitlines()
        if line.startswith("$ ")
    ]
    missing = []
    for each in blocks:
        uses = [at for at, line in commands if each.file and each.file in line.split()]
        named = [number for number, line in enumerate(lines, 1) if each.file and each.file in line]
        if uses and not any(at < uses[0] and at not in inside for at in named):
            missing.append(f"{each.place}: {each.file}")
    assert not missing


def test_matches() -> None:
    assert matches(["a", "…", "b"], ["a", "b"])
    assert matches(["a", "…", "b"], ["a", "c", "d", "b", ""])
    assert matches(["seed … of 3"], ["seed 2 of 3"])
    assert not matches(["a"], ["a", "b"])
    assert not matches(["a.c"], ["abc"])


# --------------------------------------------------------------------------- nothing is left out


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = set()
    for heading in re.findall(r"^#+ +(.+?)\s*$", text, flags=re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        plain = re.sub(r"[^\w\- ]", "", plain.lower())
        found.add(plain.strip().replace(" ", "-"))
    return found


OF_THE_HOUSE = [ROOT / "CONTRIBUTING.md", ROOT / "tests" / "README.md", ROOT / "CHANGELOG.md"]
"""Pages outside the documentation; nothing in them is run."""


def test_the_page_of_the_tests_names_every_folder_and_helper() -> None:
    here = ROOT / "tests"
    named = set(re.findall(r"^\| `([^`]+)`", OF_THE_HOUSE[1].read_text(encoding="utf-8"), re.M))
    folders = {f"{each.name}/" for each in here.iterdir() if each.is_dir() and each.name[0] != "_"}
    helpers = {each.name for each in here.glob("*.py") if not each.name.startswith("test_")}
    assert folders | helpers <= named
    assert not [
        each for each in named if not each.startswith("rulesets") and not (here / each).exists()
    ]


@pytest.mark.parametrize(
    "page", [*PAGES, *OF_THE_HOUSE], ids=[*NAMES, *(each.name for each in OF_THE_HOUSE)]
)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "", text)
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists():
            wrong.append(target)
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            wrong.append(target)
    assert not wrong


def test_the_changelog_says_nothing_twice_and_names_findings_that_there_are() -> None:
    text = OF_THE_HOUSE[2].read_text(encoding="utf-8")
    entries = re.findall(r"^- (.*)$", text, re.M)
    assert len(entries) == len(set(entries))
    codes = set(re.findall(r"RR\d{4}", text))
    assert codes
    assert codes <= set(CATALOGUE)


def reference() -> str:
    """The whole reference of the language."""
    folder = DOCS / "reference"
    files = [folder / "language.md", *sorted((folder / "language").glob("*.md"))]
    return "\n".join(each.read_text(encoding="utf-8") for each in files)


def keys(schema: object) -> set[str]:
    """All keys that a rules file may have, as far as they are fixed."""
    found: set[str] = set()
    if isinstance(schema, dict):
        found.update(schema.get("properties", {}))
        for value in schema.values():
            found |= keys(value)
    elif isinstance(schema, list):
        for value in schema:
            found |= keys(value)
    return found


UNREAD: set[str] = set()
"""Keys that the schema takes and nothing reads."""


def test_every_key_is_in_the_reference() -> None:
    text = reference()
    written = {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.split(r"\W+", code)}
    assert keys(rules_schema()) - written == UNREAD


def diagnostics_table() -> str:
    """The index of codes as the page of diagnostics has it."""
    titles = {
        "01": "The file and its YAML",
        "02": "The shape of the file",
        "03": "The syntax of rules",
        "04": "Names",
        "05": "Types",
        "06": "Who may know what",
        "07": "The game as a whole",
        "08": "Lint",
        "09": "At run time",
        "10": "Records and scenarios",
    }
    lines: list[str] = []
    for number, title in titles.items():
        codes = [code for code in CATALOGUE if code[2:4] == number]
        if not codes:
            continue
        lines += [f"## {title}", "", "| code | name | | what is wrong |", "|---|---|---|---|"]
        for code in codes:
            entry = CATALOGUE[code]
            page = DOCS / "reference" / "diagnostics" / f"{code}.md"
            link = f"[{code}](diagnostics/{code}.md)" if page.exists() else code
            level = "" if entry.severity is Severity.ERROR else f"{entry.severity}"
            title = entry.title.replace("|", "\\|")
            lines.append(f"| {link} | {entry.slug} | {level} | {title} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def test_the_index_of_diagnostics_is_in_step(request: pytest.FixtureRequest) -> None:
    page = DOCS / "reference" / "diagnostics.md"
    text = page.read_text(encoding="utf-8")
    head, mark, _ = text.partition("<!-- codes -->\n")
    assert mark
    whole = f"{head}{mark}\n{diagnostics_table()}"
    if os.environ.get("RULERUN_UPDATE_DOCS"):
        page.write_text(whole, encoding="utf-8")
    else:
        # A page may come before its link.
        plain = [re.sub(r"\[(RR\d{4})\]\([^)]*\)", r"\1", each) for each in (text, whole)]
        assert plain[0] == plain[1], "RULERUN_UPDATE_DOCS=1 pytest tests/test_docs.py writes it"
