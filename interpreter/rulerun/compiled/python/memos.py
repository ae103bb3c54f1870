"""Functions of generated Python that remember what others have worked out.

Assumes: names and argument lists, as `source` writes them; `anew` calls the function that works a
value out.
Does: writes a function that looks its value up before.
Leaves behind: lines of source, two blank ones before each function.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun.compiled.ir.fresh_names import beside


def by_key(name: str, given: str, key: str, anew: str) -> Iterator[str]:
    """A function whose values are kept for good, by what they depend on."""
    known = beside(name, "known")
    yield from ("", "", f"{known} = {{}}")
    yield from (
        "",
        "",
        f"def {name}({given}):",
        f"    key = {key}",
        f"    known = {known}.get(key)",
        "    if known is None:",
        f"        return noted({known}, key, {anew})",
        "    return known",
    )


def while_listing(name: str, parameters: str, key: str, memo: int, anew: str) -> Iterator[str]:
    """A search that is done once for each key while a lister runs; `memo` is where it is kept."""
    yield from (
        "",
        "",
        f"def {name}({parameters}):",
        f"    known = s[{memo}]",
        "    if known is None:",
        f"        return {anew}",
        f"    key = ({key},)",
        "    if key not in known:",
        f"        known[key] = {anew}",
        "    return known[key]",
    )


def remembered_meanwhile(name: str, given: str, memo: int, anew: str) -> Iterator[str]:
    """A lister while which searches are remembered in slot `memo`."""
    yield from (
        "",
        "",
        f"def {name}({given}):",
        f"    s[{memo}] = {{}}",
        "    try:",
        f"        return {anew}",
        "    finally:",
        f"        s[{memo}] = None",
    )
