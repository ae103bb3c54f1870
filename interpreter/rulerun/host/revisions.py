"""Files as a git repository has them at a revision.

Assumes: a revision as somebody typed it, a path; that git is installed is found out.
Does: asks git, with arguments that are fixed but for these two, and that cannot be taken for
options; git runs no filter, fetches nothing and asks nobody anything.
Leaves behind: the bytes of a file, or `NoRevision` with the reason.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import LARGEST_FILE

_SECONDS = 60
"""Far more than git needs for one file."""
_LONGEST = 200
_QUIET = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
}


class NoRevision(Exception):
    """What was asked for cannot be had from git, and why."""


@frozen
class Revision:
    """A commit of the repository in which a folder lies."""

    name: str
    """As it was typed."""
    commit: str
    folder: Path

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, or None if there is none; `./` in front is the folder's."""
        if "\0" in path or "\n" in path:
            return None
        known = _git(self.folder, "cat-file", "-t", f"{self.commit}:{path}")
        if known.returncode or known.stdout.strip() != b"blob":
            return None
        size = _git(self.folder, "cat-file", "-s", f"{self.commit}:{path}").stdout.strip()
        if not size.isdigit() or int(size) > LARGEST_FILE:
            raise NoRevision(f"`{path}` of `{self.name}` is too large for a rules file")
        found = _git(self.folder, "cat-file", "blob", f"{self.commit}:{path}")
        if found.returncode:
            raise NoRevision(f"git cannot read `{path}` of `{self.name}`: {_why(found)}")
        return found.stdout


def revision(name: str, folder: Path) -> Revision:
    """The commit of a name in the repository of a folder. Raises `NoRevision`."""
    if not name or name.startswith("-") or len(name) > _LONGEST or not name.isprintable():
        raise NoRevision(f"`{name[:_LONGEST]}` is no name of a revision")
    if ":" in name or ".." in name:
        raise NoRevision(f"`{name}` is not one revision: write a commit, a branch or a tag")
    inside = _git(folder, "rev-parse", "--git-dir")
    if inside.returncode:
        raise NoRevision(f"`{folder}` is in no git repository that can be read: {_why(inside)}")
    found = _git(folder, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    commit = found.stdout.decode("ascii", "replace").strip()
    if found.returncode or not commit.isalnum():
        raise NoRevision(f"git knows no revision `{name}`")
    return Revision(name, commit, folder)


def root_of(folder: Path) -> Path:
    """The top folder of the repository in which a folder lies. Raises `NoRevision`."""
    found = _git(folder, "rev-parse", "--show-toplevel")
    if found.returncode:
        raise NoRevision(f"`{folder}` is in no git repository that can be read: {_why(found)}")
    return Path(os.fsdecode(found.stdout.rstrip(b"\r\n")))


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env={**os.environ, **_QUIET},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise NoRevision("there is no git here: name two files, or install git") from None
    except subprocess.TimeoutExpired:
        raise NoRevision("git does not answer") from None
    except (OSError, ValueError) as failure:
        raise NoRevision(f"git cannot be asked: {failure}") from None


def _why(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of what git says, without its own first word."""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ") if lines else "git does not say why"
