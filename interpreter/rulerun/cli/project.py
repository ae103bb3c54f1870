"""What a project says of itself: `[tool.rulerun]` in pyproject.toml, or rulerun.toml.

Assumes the folder in which a command runs; the file is looked for there and above it, up to the
root of the repository.
Does: reads which paths are meant where none are named, what is left out, what a finding counts as,
and which findings are known already (a baseline).
Leaves behind `Project`; what is no such file, or says what it cannot, is `Unable` with the place.
"""

from __future__ import annotations

import fnmatch
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulerun.cli.common import Unable

if TYPE_CHECKING:
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic

FILES = ("rulerun.toml", "pyproject.toml")
_OFF = "off"
_KEYS = ("paths", "exclude", "severity", "ignore", "baseline")


@dataclass(frozen=True, slots=True)
class Project:
    """The settings of a project."""

    file: Path | None = None
    paths: tuple[str, ...] = ()
    """Looked at where no path is named, seen from the folder of the file."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths that are not looked at in a folder."""
    severity: Mapping[str, str] | None = None
    """By code: `error`, `warning`, `info` or `off`."""
    ignore: Mapping[str, tuple[str, ...]] | None = None
    """By pattern of paths: the codes that are not told of these files."""
    baseline: str = ""

    @property
    def folder(self) -> Path:
        """The folder that paths are seen from."""
        return Path() if self.file is None else self.file.parent

    def named(self) -> list[str]:
        """The paths that are meant where none are named."""
        return [os.path.relpath(self.folder / each) for each in self.paths]

    def leaves_out(self, path: Path) -> bool:
        """Whether a file in a folder is not looked at."""
        return any(_fits(path, self.folder, pattern) for pattern in self.exclude)

    def weighed(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The findings as this project counts them, without those it does not want."""
        from rulerun_dsl.diagnostics.diagnostic import Severity

        for each in found:
            level = (self.severity or {}).get(each.code)
            if level == _OFF or self._ignores(each):
                continue
            yield each if level is None else replace(each, severity=Severity(level))

    def _ignores(self, each: Diagnostic) -> bool:
        if each.span is None:
            return False
        path = Path(each.span.source.name)
        return any(
            each.code in codes and _fits(path, self.folder, pattern)
            for pattern, codes in (self.ignore or {}).items()
        )


def _fits(path: Path, folder: Path, pattern: str) -> bool:
    """Whether a path is below a folder's pattern: `drafts/`, `*.old.yaml`, `rules/*/x.yaml`."""
    try:
        name = path.resolve().relative_to(folder.resolve()).as_posix()
    except (OSError, ValueError):
        name = path.as_posix()
    pattern = pattern.rstrip("/")
    return (
        fnmatch.fnmatch(name, pattern)
        or fnmatch.fnmatch(name, f"{pattern}/*")
        or ("/" not in pattern and fnmatch.fnmatch(path.name, pattern))
    )


def project() -> Project:
    """The settings that hold in this folder."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        for name in FILES:
            found = _read(folder / name)
            if found is not None:
                return found
        if (folder / ".git").exists():
            break
    return Project()


def _read(path: Path) -> Project | None:
    if not path.is_file():
        return None
    try:
        data: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as failure:
        raise Unable(f"`{path}` cannot be read: {failure}") from None
    if path.name == "pyproject.toml":
        data = data.get("tool", {}).get("rulerun")
        if data is None:
            return None
    return _checked(path, data)


def _checked(path: Path, data: dict[str, Any]) -> Project:
    from rulerun_dsl.diagnostics.catalogue import CATALOGUE
    from rulerun_dsl.diagnostics.diagnostic import suggest

    def wrong(what: str) -> Unable:
        return Unable(f"`{path}`: {what}")

    for key in data:
        if key not in _KEYS:
            near = suggest(key, _KEYS)
            hint = f"did you mean `{near}`?" if near else f"there are {', '.join(_KEYS)}"
            raise wrong(f"there is no setting `{key}`; {hint}")

    def texts(key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise wrong(f"`{key}` takes a list of texts")
        return tuple(value)

    def codes(key: str, given: Iterable[str]) -> tuple[str, ...]:
        for code in given:
            if code not in CATALOGUE:
                raise wrong(f"`{key}`: there is no finding `{code}`")
        return tuple(given)

    severity, ignore = data.get("severity", {}), data.get("ignore", {})
    for key, value in (("severity", severity), ("ignore", ignore)):
        if not isinstance(value, dict):
            raise wrong(f"`{key}` takes names with values")
    codes("severity", severity)
    for code, level in severity.items():
        if level not in ("error", "warning", "info", _OFF):
            raise wrong(f"`severity`: {code} may be error, warning, info or off, not `{level}`")
    baseline = data.get("baseline", "")
    if not isinstance(baseline, str):
        raise wrong("`baseline` takes the name of a file")
    return Project(
        file=path,
        paths=texts("paths", data.get("paths", [])),
        exclude=texts("exclude", data.get("exclude", [])),
        severity=severity,
        ignore={name: codes("ignore", texts("ignore", each)) for name, each in ignore.items()},
        baseline=str(path.parent / baseline) if baseline else "",
    )


# ------------------------------------------------------------------------------------- baseline


def known_before(path: Path) -> frozenset[str]:
    """The fingerprints of the findings that a baseline has."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        marks = data["fingerprints"]
        if data["schema_version"] != 1 or not all(isinstance(each, str) for each in marks):
            raise ValueError
        return frozenset(marks)
    except OSError as failure:
        from rulerun_dsl.source.regular_files import why

        raise Unable(f"the baseline `{path}` cannot be read: {why(failure)}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unable(f"`{path}` is no baseline: `--write-baseline {path}` makes one") from None
