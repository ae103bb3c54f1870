"""The map is true: `docs/explanation/architecture.md`, and the recipes in CONTRIBUTING.

Every file and function that they name exists, the drawings are the contracts of pyproject.toml, no
package is left out, and no file is missing from a recipe.
"""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from tests.sources import tree_of
from tests.test_diagnostic_pages import BARE
from tests.test_diagnostic_pages import COMMANDS as FOUND_BY_COMMANDS

from rulerun.cli.group import COMMANDS
from rulerun.compiled.native.building import PASSES
from rulerun.laws import LAWS, OF_A_STRETCH, OF_A_TABLE, OF_A_WALK
from rulerun_dsl.diagnostics.catalogue import CATALOGUE, RECORDS, RUN_TIME
from rulerun_dsl.model.library import LIBRARY

ROOT = Path(__file__).parents[1]
MAP = ROOT / "docs" / "explanation" / "architecture.md"
RECIPES = ROOT / "CONTRIBUTING.md"
SOURCES = {"rulerun_dsl": ROOT / "dsl", "rulerun": ROOT / "interpreter"}

pytestmark = pytest.mark.skipif(not MAP.is_file(), reason="the pages are not in the wheel")


def packages() -> list[str]:
    """All packages below the two roots, as paths: `check/env`."""
    return [
        str(file.parent.relative_to(folder / root))
        for root, folder in SOURCES.items()
        for file in sorted((folder / root).rglob("__init__.py"))
        if file.parent != folder / root
    ]


@cache
def defined(path: Path) -> frozenset[str]:
    """The functions and classes of a module, and the methods as `Class.method`."""
    found = set()
    for node in tree_of(path).body:
        if isinstance(node, ast.ClassDef):
            found.add(node.name)
            found |= {
                f"{node.name}.{each.name}"
                for each in node.body
                if isinstance(each, ast.FunctionDef)
            }
        elif isinstance(node, ast.FunctionDef):
            found.add(node.name)
    return frozenset(found)


# --------------------------------------------------------------------------------------- the map


def test_the_drawings_are_the_contracts() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = {
        each["containers"][0]: [set(floor.split(" | ")) for floor in each["layers"]]
        for each in contracts["tool"]["importlinter"]["contracts"]
        if "containers" in each
    }
    drawn = {
        name: [set(re.split(r" {2,}", line)[0].split(" | ")) for line in lines.splitlines()]
        for name, lines in re.findall(
            r"^```text floors=(\S+)\n(.*?)^```", MAP.read_text(encoding="utf-8"), re.M | re.S
        )
    }
    assert {"rulerun", "rulerun_dsl"} <= drawn.keys()
    assert drawn == {name: layers[name] for name in drawn}


def test_every_package_has_its_place() -> None:
    rows = re.findall(r"^\| `([\w/]+)` \|", MAP.read_text(encoding="utf-8"), re.M)
    below = {row.rpartition("/")[0] for row in rows}
    # A package of packages is described by their rows.
    assert set(packages()) - {*rows, *below} == set()
    assert {row for row in rows if row not in packages()} <= {
        "heads",
        "schema",
        "load",
        "icons",
        "translations",
    }


STEP = re.compile(r"^\d+\. `(rulerun\S*\.py)`: (.*)$", re.M)


def test_the_path_leads_through_what_is_there() -> None:
    steps = STEP.findall(MAP.read_text(encoding="utf-8"))
    assert len(steps) > 20
    wrong = []
    for name, sentence in steps:
        path = SOURCES[name.partition("/")[0]] / name
        here = defined(path) if path.is_file() else frozenset[str]()
        called = set(re.findall(r"`([A-Za-z_.]+)`", sentence))
        # A method of a class that is defined here must be defined as well.
        gone = {each for each in called - here if each.partition(".")[0] in here}
        if gone or not called & here:
            wrong.append((name, sorted(gone or called)))
    assert wrong == []


def test_who_is_on_the_path_opens_with_an_essay() -> None:
    """It says what it assumes, does and leaves behind; the map names those that need not."""
    text = MAP.read_text(encoding="utf-8")
    (line,) = re.findall(r"^Others say what they hold: .*$", text, re.M)
    others = set(re.findall(r"`([\w/]+)`", line))
    for name in {name for name, _ in STEP.findall(text)}:
        path = SOURCES[name.partition("/")[0]] / name
        if others & {path.stem, "/".join(path.parent.parts[-2:])}:
            continue
        essay = ast.get_docstring(tree_of(path)) or ""
        for part in (r"\bAssumes\b", r"\bDoes\b", r"\bLeaves behind\b"):
            assert re.search(part, essay), (name, part)


def test_what_to_look_for_is_there() -> None:
    text = MAP.read_text(encoding="utf-8")
    places = re.findall(r"`(rulerun\S*\.py)`(?: \(`([\w.]+)`\))?", text)
    assert len(places) > 50
    wrong = []
    for name, what in places:
        path = SOURCES[name.partition("/")[0]] / name
        if not path.is_file() or (what and what not in defined(path)):
            wrong.append((name, what))
    assert wrong == []


def test_a_meaning_without_a_namesake_is_listed() -> None:
    """What no module of the same name lowers is in a table of the map, and nothing else is."""
    interpreter = SOURCES["rulerun"] / "rulerun"
    meant, lowered = (
        {each.stem for each in (interpreter / folder).glob("[!_]*.py")}
        for folder in ("reference", "compiled/lower")
    )
    rows = re.findall(r"^\| `(\w+)\.py` \| (.*) \|$", MAP.read_text(encoding="utf-8"), re.M)
    assert {name for name, _ in rows} == meant - lowered
    for _, where in rows:
        for name, what in re.findall(r"`(\w+/\w+\.py)`(?: \(`([\w.]+)`\))?", where):
            path = interpreter / "compiled" / name
            assert path.is_file(), name
            assert not what or what in defined(path), what


def test_front_ends_look_into_no_state() -> None:
    """A session holds its executor and its state; the map names who asks for them."""
    terminal = SOURCES["rulerun"] / "rulerun" / "terminal"
    inside = re.compile(r"\bsession\.(?:executor|state|initial\w*|history)\b")
    asking = {
        f"terminal/{each.name}"
        for each in terminal.glob("*.py")
        if inside.search(each.read_text(encoding="utf-8"))
    }
    text = MAP.read_text(encoding="utf-8").partition("Front ends go through")[2].partition("\n#")[0]
    assert asking == set(re.findall(r"`(terminal/\w+\.py)`", text))


# ----------------------------------------------------------------------------------- the recipes


@cache
def recipe(title: str) -> tuple[str, ...]:
    """The files of a numbered list, in order."""
    text = RECIPES.read_text(encoding="utf-8")
    part = text.split(f"### {title}\n")[1].split("\n#")[0]
    lines = re.findall(r"^\d+\. (.*)$", part, re.M)
    return tuple(name for line in lines for name in re.findall(r"`([\w.-]+/[\w./-]*)`", line))


TITLES = re.findall(
    r"^### (.*)$",
    RECIPES.read_text(encoding="utf-8").partition("## Recipes\n")[2].partition("\n## ")[0]
    if RECIPES.is_file()
    else "",
    re.M,
)


def test_each_kind_of_change_has_a_recipe() -> None:
    assert TITLES == [
        "A word of the library",
        "A statement",
        "A diagnostic",
        "A command",
        "A law",
        "A pass of an executor",
    ]


def test_every_file_that_is_named_exists() -> None:
    text = RECIPES.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:dsl|interpreter|docs|tests|schemas|benchmarks)/[\w./-]*)`", text))
    named |= set(re.findall(r"`(\w+\.md)`", text))
    assert len(named) > 40
    patterns = ("MODULE", "CODE", "NAME")
    missing = [each for each in named if not (ROOT / each).exists()]
    assert [each for each in missing if not any(word in each for word in patterns)] == []


def test_every_recipe_ends_with_the_changelog() -> None:
    text = RECIPES.read_text(encoding="utf-8")
    for title in TITLES:
        part = text.split(f"### {title}\n")[1].split("\n#")[0]
        *_, last = re.findall(r"^\d+\. (.*)$", part, re.M)
        assert last.startswith("`CHANGELOG.md`: "), title


def product() -> list[Path]:
    """The modules of both packages, and the grammar."""
    return [
        path
        for folder in SOURCES.values()
        for ending in ("py", "lark")
        for path in sorted(folder.rglob(f"*.{ending}"))
    ]


@pytest.mark.parametrize(
    ("title", "known", "mentioned"),
    [
        ("A word of the library", r"\"neighbours\"|\bneighbours .*\.split\(\)", "neighbours"),
        (
            "A statement",
            r"\bSortBy\b|\b(?:s|ast|stmt)\.Sort\b|^class Sort\b|\"sort\"|-> sort\b",
            "sort",
        ),
    ],
)
def test_no_module_is_missing_from_a_recipe(title: str, known: str, mentioned: str) -> None:
    """All modules that know the example of a recipe are in it, and the example is in all."""
    listed = set(recipe(title))
    knowing = {
        str(path.relative_to(ROOT))
        for path in product()
        if re.search(known, path.read_text(encoding="utf-8"), re.M)
    }
    assert knowing - listed == set()
    for name in listed:
        assert mentioned in (ROOT / name).read_text(encoding="utf-8").lower(), name


def test_other_words_are_where_the_recipe_says() -> None:
    """Each row of its table: words, and the modules that know them."""
    folders = (
        "dsl/rulerun_dsl/check/expr",
        "interpreter/rulerun/reference",
        "interpreter/rulerun/compiled/lower",
    )
    text = RECIPES.read_text(encoding="utf-8").partition("### A word of the library\n")[2]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|(.*)\|(.*)\|(.*)\|$", text, re.M)
    assert len(rows) == 6
    for words, *modules in rows:
        for word in re.findall(r"\w+", words):
            assert word in LIBRARY
            assert bool(LIBRARY[word].node) == bool(modules[1].strip())
            for folder, module in zip(folders, modules, strict=True):
                if module.strip():
                    path = ROOT / folder / module.strip(" `")
                    assert f'"{word}"' in path.read_text(encoding="utf-8"), (word, str(path))


@cache
def bases() -> dict[str, set[str]]:
    """By class of the packages: those of its bases that are ours and have code to inherit."""
    classes = [
        node
        for path in product()
        if path.suffix == ".py"
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef)
    ]
    coded = {
        each.name
        for each in classes
        if any(isinstance(part, ast.FunctionDef) for part in each.body)
        if not any(ast.unparse(base).startswith("Protocol") for base in each.bases)
    }
    found: dict[str, set[str]] = {}
    for each in classes:
        above = {ast.unparse(base) for base in each.bases} & coded
        found[each.name] = found.get(each.name, set()) | above
    return found


def test_who_inherits_code_is_listed() -> None:
    found = {name for name, above in bases().items() if above}
    ends = found - set().union(*bases().values())
    (line,) = re.findall(r"^A class inherits .*$", RECIPES.read_text(encoding="utf-8"), re.M)
    assert ends == set(re.findall(r"`(\w+)`", line))


def test_every_diagnostic_is_made_by_its_recipe() -> None:
    listed = recipe("A diagnostic")
    pages = [each for each in listed if "CODE" in each and each.startswith("docs/")]
    goldens = [each for each in listed if "CODE" in each and each.startswith("tests/")]
    assert pages and goldens
    unshown = {*BARE, *RUN_TIME, *RECORDS, *FOUND_BY_COMMANDS}
    cases = "".join(
        each.read_text(encoding="utf-8")
        for each in sorted((ROOT / "tests" / "conformance").rglob("*.cases.yaml"))
    )
    marked = set(re.findall(r"RR\d{4}", " ".join(re.findall(r"### (.*)", cases))))
    for code in CATALOGUE:
        for name in [*pages, *([] if code in unshown else goldens)]:
            assert (ROOT / name.replace("CODE", code)).is_file(), name.replace("CODE", code)
        if code[:4] in ("RR04", "RR05", "RR06", "RR07") and code not in FOUND_BY_COMMANDS:
            assert code in marked, f"no case is marked {code}"


def test_every_command_is_made_by_its_recipe() -> None:
    listed = recipe("A command")
    (module,) = (each for each in listed if "NAME" in each)
    (page,) = (each for each in listed if each.endswith(".md"))
    for name, (where, _, _) in COMMANDS.items():
        assert (ROOT / module.replace("NAME", where)).is_file()
        assert f"\n## rulerun {name}\n" in (ROOT / page).read_text(encoding="utf-8")


OF_THE_FILE = {10, 13}
"""Laws about a file and its settings, which `check_laws` asks for by number."""


def test_every_law_is_held_against_something() -> None:
    assert OF_A_WALK.keys() | OF_A_STRETCH.keys() | OF_A_TABLE.keys() | OF_THE_FILE == LAWS.keys()


def test_every_pass_is_measured_and_can_be_left_out() -> None:
    *_, figures = recipe("A pass of an executor")
    text = (ROOT / figures).read_text(encoding="utf-8")
    native = (ROOT / "interpreter/rulerun/compiled/native/building.py").read_text(encoding="utf-8")
    for name in PASSES:
        assert f"**{name}**" in text, name
        assert native.count(f'"{name}"') >= 2, name


# ------------------------------------------------------------------------- names in other places


def mentions() -> list[Path]:
    """Where modules are named in passing: essays, comments, pages."""
    pages = [each for each in sorted((ROOT / "docs").rglob("*.md")) if "games" not in each.parts]
    return [*product(), *pages, RECIPES]


def test_every_module_that_is_named_exists() -> None:
    """A file by the end of its path, as far as that is given; a module by its dotted name."""
    folders = (*SOURCES.values(), ROOT / "tests", ROOT / "benchmarks")
    files = [each for folder in folders for each in folder.rglob("*.py")]
    ends = {
        "/".join(parts[at:])
        for parts in (each.relative_to(ROOT).parts for each in files)
        for at in range(len(parts))
    }
    dotted = {
        str(each.relative_to(folder).with_suffix("")).replace("/", ".").removesuffix(".__init__")
        for folder in SOURCES.values()
        for each in folder.rglob("*.py")
    }
    wrong = []
    for path in mentions():
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"`([\w./]*[a-z_]+\.py)`", text):
            if name not in ends:
                wrong.append(f"{path.relative_to(ROOT)}: `{name}`")
        for name in re.findall(r"`(rulerun(?:_dsl)?\.[a-z_.]+)(?:\.[A-Z]\w*)?(?:\(.*?\))?`", text):
            if name not in dotted and name.rpartition(".")[0] not in dotted:
                wrong.append(f"{path.relative_to(ROOT)}: `{name}`")
    assert wrong == []


def test_a_module_that_an_essay_points_to_exists() -> None:
    """Alone in parentheses a name says where more is: "(`told_differences`)", "(see `keys`)".

    It is a module beside, or a package beside or above, or a word of the code below the essay or
    of the package's door.
    """
    wrong = []
    for path in product():
        if path.suffix != ".py":
            continue
        text = path.read_text(encoding="utf-8")
        essay = text.split('"""', 2)[1] if text.startswith('"""') else ""
        stems = {each.stem for each in path.parent.iterdir()} | {
            each.stem for above in path.parents[1:4] for each in above.iterdir() if each.is_dir()
        }
        door = path.with_name("__init__.py").read_text(encoding="utf-8")
        code = "".join(each.partition('"""')[2].partition('"""')[2] for each in (text, door))
        for name in re.findall(r"\((?:see )?`([a-z_]+)`\)", essay):
            if name not in stems and not re.search(rf"\b{name}\b", code):
                wrong.append(f"{path.relative_to(ROOT)}: `{name}`")
    assert wrong == []
