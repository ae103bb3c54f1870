"""The files for continuous integration, `docs/how-to/ci/`: their schemas, and what they run.

What a service would do is done here by a script, in a repository of its own: the steps of the
action and of GitLab's jobs, with inputs as they are left out, and the steps of the Containerfile.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
CI = ROOT / "docs" / "how-to" / "ci"
FILES = ["action.yml", "github-workflow.yml", "gitlab-ci.yml"]
SCHEMAS = ["github-actions", "github-workflows", "gitlab-ci"]

pytestmark = [
    pytest.mark.skipif(not CI.is_dir(), reason="the pages are not in the wheel"),
    pytest.mark.skipif(shutil.which("bash") is None, reason="the files are for bash"),
]

GAME = """\
rulerun: 1
game: NAME
players: 2
state:
  visible: all
  coins[player]: 0..10
phases:
  play:
    turns: you in players
    until: any(coins[p] >= 3 for p in players)
    do: coins += 1
scoring:
  winner: first(p in players if coins[p] >= 3)
"""
TESTS = """\
scenarios:
  - id: ONE
    expect: coins[P1] == 3
"""


def read(name: str) -> dict[str, Any]:
    found = yaml.safe_load((CI / name).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


# ------------------------------------------------------------------------------------- as files


@pytest.mark.slow
@pytest.mark.slow_in_ci
@pytest.mark.parametrize(("name", "schema"), list(zip(FILES, SCHEMAS, strict=True)))
def test_the_services_would_take_them(name: str, schema: str) -> None:
    """By the schemas that `check-jsonschema` brings along."""
    pytest.importorskip("check_jsonschema", reason="check-jsonschema is not installed")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "check_jsonschema",
            "--builtin-schema",
            f"vendor.{schema}",
            CI / name,
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def scripts() -> dict[str, str]:
    """All that is run by a shell, by where it stands."""
    found = {"changed-games.sh": (CI / "changed-games.sh").read_text(encoding="utf-8")}
    for step in read("action.yml")["runs"]["steps"]:
        if "run" in step:
            found[step["name"]] = step["run"]
    for name, job in read("gitlab-ci.yml").items():
        found[name] = "\n".join(job["script"])
    return found


def test_nothing_from_outside_is_a_command() -> None:
    """A branch may be called `$(…)`: what comes from outside comes in by the environment."""
    assert len(scripts()) == 9
    for name, script in scripts().items():
        assert "${{" not in script, name
        assert script.count("$") == 0 or not re.search(r"eval|\bsh -c", script), name


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_the_scripts_have_no_slips() -> None:
    for name, script in scripts().items():
        done = subprocess.run(
            ["shellcheck", "--shell", "bash", "-"], input=script, capture_output=True, text=True
        )
        assert done.returncode == 0, name + done.stdout


# --------------------------------------------------------------------------------- what they run


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with three games, one commit ago and now."""
    folder = tmp_path / "project"
    (folder / "rulesets").mkdir(parents=True)
    for name in ("same", "richer", "two words"):
        game = GAME.replace("NAME", name.replace(" ", "_"))
        (folder / "rulesets" / f"{name}.yaml").write_text(game, encoding="utf-8")
    (folder / "rulesets" / "same.test.yaml").write_text(TESTS, encoding="utf-8")
    (folder / "rulesets" / "notes.yaml").write_text("- milk\n", encoding="utf-8")
    shutil.copytree(CI, folder / "ci")
    run(folder, "git init --quiet --initial-branch main && git add . && git commit --quiet -m one")
    richer = folder / "rulesets" / "richer.yaml"
    richer.write_text(richer.read_text(encoding="utf-8").replace(">= 3", ">= 4"), encoding="utf-8")
    same = folder / "rulesets" / "same.yaml"
    same.write_text(f"# A remark.\n{same.read_text(encoding='utf-8')}", encoding="utf-8")
    (folder / "rulesets" / "new.yaml").write_text(GAME.replace("NAME", "new"), encoding="utf-8")
    run(folder, "git checkout --quiet -b branch && git add . && git commit --quiet -m two")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Nothing but this Python's `rulerun` and git, for somebody new."""
    programs = folder.parent / "bin"
    if not programs.is_dir():
        programs.mkdir()
        command = programs / "rulerun"
        command.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -m rulerun "$@"\n', encoding="utf-8"
        )
        command.chmod(0o755)
    roots = os.pathsep.join(str(ROOT / each) for each in ("dsl", "interpreter"))
    return {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.environ.get("PYTHONPATH") or roots,
        "HOME": str(folder.parent),
        "RULERUN_CACHE": "off",
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_NAME": "Somebody" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "somebody@example.org" for who in ("AUTHOR", "COMMITTER")},
    }


def run(folder: Path, script: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a script as GitHub runs one."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**environment(folder), **more},
        capture_output=True,
        text=True,
        timeout=600,
    )


CHANGED = """\
### `rulesets/new.yaml` is new

### richer: 2 changes in the game
"""


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_what_changes_in_the_games(project: Path) -> None:
    done = run(project, "bash ci/changed-games.sh main")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(CHANGED)
    assert "same" not in done.stdout.replace("the same", "") and "two words" not in done.stdout
    words = project / "rulesets" / "two words.yaml"
    words.write_text(words.read_text(encoding="utf-8").replace("0..10", "0..5"), encoding="utf-8")
    (project / "rulesets" / "same.yaml").write_text("rulerun: 1\ngame: [\n", encoding="utf-8")
    done = run(
        project, "bash ci/changed-games.sh main 'rulesets/two words.yaml' rulesets/same.yaml"
    )
    assert done.returncode == 0
    assert done.stdout.startswith("### `rulesets/same.yaml`: what changes cannot be told\n\n")
    assert "- `coins`: type `0..10` → `0..5`\n" in done.stdout


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_a_game_that_is_gone_is_told(project: Path) -> None:
    """By its name, from any folder; of other files nothing is said."""
    run(project, "git rm --quiet rulesets/richer.yaml rulesets/notes.yaml && git commit -qm three")
    done = run(project, "bash ci/changed-games.sh main")
    assert done.returncode == 0 and done.stdout.endswith("\n\n### `rulesets/richer.yaml` is gone\n")
    assert "notes" not in done.stdout
    done = run(project / "rulesets", "bash ../ci/changed-games.sh main .")
    assert done.stdout == "### `new.yaml` is new\n\n### `richer.yaml` is gone\n"


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_no_change_and_no_base(project: Path) -> None:
    done = run(project, "bash ci/changed-games.sh HEAD")
    assert (done.returncode, done.stdout) == (0, "Every game is the same as before.\n")
    for base in ("nowhere", "--output=x", "$(touch x)"):
        done = run(project, 'bash ci/changed-games.sh "$BASE"', BASE=base)
        assert done.returncode == 2 and f"git does not have {base} here" in done.stderr
    assert not (project / "x").exists()


def action(project: Path, base: str) -> dict[str, subprocess.CompletedProcess[str]]:
    """Run the steps of the action, but for those that install and that need GitHub."""
    found = read("action.yml")
    given = {f"${{{{ inputs.{name} }}}}": each["default"] for name, each in found["inputs"].items()}
    given["${{ github.event.pull_request.base.sha }}"] = base
    given["${{ github.action_path }}/changed-games.sh"] = str(CI / "changed-games.sh")
    done = {}
    for step in found["runs"]["steps"]:
        if "run" not in step or step["name"] in ("Install", "Comment"):
            continue
        more = {name: given[value] for name, value in step["env"].items()}
        summary = str(project.parent / "summary.md")
        done[step["name"]] = run(project, step["run"], **more, GITHUB_STEP_SUMMARY=summary)
    return done


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_the_action_checks_a_project(project: Path) -> None:
    done = action(project, "main")
    assert {name: each.returncode for name, each in done.items()} == {
        "Findings as SARIF": 0,
        "Validate": 0,
        "Scenarios": 0,
        "What changes in the games": 0,
    }, done
    sarif = json.loads((project / "rules.sarif").read_text(encoding="utf-8"))
    assert sarif["version"] == "2.1.0" and not sarif["runs"][0]["results"]
    assert (project.parent / "summary.md").read_text(encoding="utf-8").startswith(CHANGED)


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_the_action_fails_where_something_is_wrong(project: Path) -> None:
    for name, old, new in (("richer", "coins += 1", "coin += 1"), ("same", ">= 3", ">= 2")):
        path = project / "rulesets" / f"{name}.yaml"
        path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    done = action(project, "main")
    assert [each.returncode for each in done.values()] == [0, 1, 1, 0], done
    sarif = json.loads((project / "rules.sarif").read_text(encoding="utf-8"))
    assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == ["RR0402"]


def gitlab(project: Path, job: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a job for GitLab; `pip` is a step of its own, which the slow test takes."""
    found = read("gitlab-ci.yml")[job]
    lines = found["script"]
    if "RULERUN" not in more:
        lines = [each for each in lines if " pip install " not in each]
    return run(project, "\n".join(lines), **{**found["variables"], **more})


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_gitlab_gets_its_reports(project: Path) -> None:
    assert gitlab(project, "rules").returncode == 0
    assert json.loads((project / "rules.json").read_text(encoding="utf-8")) == []
    assert 'tests="1"' in (project / "scenarios.xml").read_text(encoding="utf-8")
    done = gitlab(project, "changed games", CI_MERGE_REQUEST_DIFF_BASE_SHA="main")
    assert done.returncode == 0
    assert (project / "changed-games.md").read_text(encoding="utf-8").startswith(CHANGED)
    (project / "rulesets" / "new.yaml").write_text("rulerun: 1\n", encoding="utf-8")
    assert gitlab(project, "rules").returncode == 1
    assert json.loads((project / "rules.json").read_text(encoding="utf-8"))


# ------------------------------------------------------------------------------------ installing


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """A wheel of this checkout, and a fresh environment for it; its dependencies lie there."""
    if not (ROOT / "dsl").is_dir():
        pytest.skip("there is nothing to build")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=300,
    )
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    needed = folder / "needed"
    needed.mkdir()
    for name in dependencies("rulerun"):
        link(name, needed)
    return {
        "RULERUN": str(wheel),
        "PATH": f"{folder / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(needed),
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def dependencies(name: str) -> set[str]:
    """What a package needs, and what that needs, by name."""
    found: set[str] = set()
    left = [name]
    while left:
        try:
            requires = distribution(left.pop()).requires or []
        except PackageNotFoundError:
            continue
        for each in requires:
            wanted = re.split(r"[^\w.-]", each, maxsplit=1)[0]
            if "extra ==" not in each and wanted not in found:
                found.add(wanted)
                left.append(wanted)
    return found


def link(name: str, folder: Path) -> None:
    """Let a package lie in another folder as well."""
    try:
        package = distribution(name)
    except PackageNotFoundError:
        return
    for top in {each.parts[0] for each in package.files or ()} - {"..", "__pycache__"}:
        (folder / top).symlink_to(Path(str(package.locate_file(top))))


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_gitlab_installs_a_wheel(project: Path, installed: Mapping[str, str]) -> None:
    done = gitlab(project, "rules", **installed)
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(project, "command -v rulerun", **installed)
    assert done.stdout.strip().endswith("/venv/bin/rulerun")


@pytest.mark.slow
@pytest.mark.slow_in_ci
def test_the_steps_of_the_container(tmp_path: Path, installed: Mapping[str, str]) -> None:
    """What it copies, installs and runs, in a folder in place of the root; no user is made."""
    lines = (CI / "Containerfile").read_text(encoding="utf-8").splitlines()
    steps = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    words = [word for word, _ in steps]
    assert words[0] == "FROM" and words[-2:] == ["ENTRYPOINT", "CMD"]
    root, context = tmp_path / "root", tmp_path / "context"
    context.mkdir()
    shutil.copy(installed["RULERUN"], context)
    ran = 0
    for word, rest in steps:
        if word == "COPY":
            pattern, target = rest.split()
            inside = root / target.lstrip("/")
            inside.mkdir(parents=True)
            for path in context.glob(pattern):
                shutil.copy(path, inside)
        elif word == "RUN" and " pip " in rest:
            done = run(context, rest.replace("/opt/", f"{root}/opt/"), **installed)
            assert done.returncode == 0, done.stdout + done.stderr
            ran += 1
        elif word == "RUN":
            assert re.match(r"apt-get|git config|useradd", rest), rest
    assert ran == 1 and not list(root.rglob("*.whl"))
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "game.yaml").write_text(GAME.replace("NAME", "game"), encoding="utf-8")
    command = [*json.loads(steps[-2][1]), *json.loads(steps[-1][1])]
    done = run(rules, " ".join(command), **installed)
    assert done.returncode == 0 and "1 ruleset" in done.stdout + done.stderr
