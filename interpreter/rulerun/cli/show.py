"""`rulerun show`: what is in a rules file.

Assumes a rules file that loads.
Does: reads the outline (what is written) and makes the game for the settings asked for (what it
amounts to: components, sizes, actions), or takes that from the cache of checked games.
Leaves behind one description, as text for people or JSON for programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulerun.cli.common import (
    color_option,
    find_rules,
    format_option,
    game_of,
    game_options,
    load_rules,
    out,
    settings,
)
from rulerun_dsl.source.safe_text import as_json, clean

if TYPE_CHECKING:
    from rulerun.words.labels import Labels
    from rulerun_dsl.load import Loaded
    from rulerun_dsl.model import Game, Kind
    from rulerun_dsl.syntax.declarations import PhaseDecl

Data = dict[str, Any]

_WIDTH = 80


@click.command("show")
@click.argument("file")
@game_options
@click.option("--assumptions", is_flag=True, help="Only what had to be guessed, and why.")
@click.option("--actions", is_flag=True, help="Only the types of actions, with their sizes.")
@format_option("text", "json")
@color_option
def show(
    file: str,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    assumptions: bool,
    actions: bool,
    form: str,
) -> None:
    """Show what is in a rules file.

    FILE is a rules file, or the name of a shipped one.
    """
    path = find_rules(file)
    whole = not (assumptions or actions)
    loaded = load_rules(path) if whole else None
    game = game_of(path, players, settings(assignments), variants, loaded)
    data: Data = {"schema_version": 1, "game": game.name}
    if loaded is not None:
        data = describe(loaded, game)
    elif assumptions:
        data["assumptions"] = _assumptions(game)
    else:
        data["actions"] = _actions(game)
    if form == "json":
        out(as_json(data))
    else:
        out("\n".join(_lines(data)) + "\n")


# ---------------------------------------------------------------------------------- what there is


def describe(loaded: Loaded, game: Game) -> Data:
    """A rules file and a game made from it, as plain data."""
    from rulerun.words.labels import Labels

    outline = loaded.outline
    names = Labels(game)
    low, high = outline.player_range
    decided = {option.name: option for option in game.options}
    return {
        "schema_version": 1,
        "game": game.name,
        "title": game.title,
        "about": outline.about,
        "language": game.language,
        "fingerprint": game.fingerprint,
        "sources": dict(outline.sources),
        "players": {"least": low, "most": high, "names": list(game.players)},
        "options": [
            {
                "name": each.at.name,
                "type": _type_of(names, decided[each.at.name].type),
                "default": decided[each.at.name].default_text,
                "value": decided[each.at.name].text,
                "about": each.about,
                "cite": list(each.at.cite),
                "assumed": each.at.assumed,
            }
            for each in outline.options
        ],
        "variants": [
            {
                "name": each.at.name,
                "about": each.about,
                "sets": {key.text: value.text for key, value in each.values},
            }
            for each in outline.variants
        ],
        "constraints": [
            {"never": each.condition.span.text, "say": each.say} for each in outline.constraints
        ],
        "boards": [
            {"name": board.name, "shape": board.shape, "sites": len(board.sites)}
            for board in game.boards
        ],
        "components": [_kind(names, kind) for kind in game.kinds],
        "zones": [
            {
                "name": _family(zone.name, zone.indexes),
                "of": zone.kind,
                "one": zone.one,
                "order": zone.order or None,
                "visible": zone.visible.span.text,
            }
            for zone in game.zones
        ],
        "state": [
            {
                "name": _family(variable.name, variable.indexes),
                "type": str(variable.type),
                "visible": variable.visible.span.text,
            }
            for variable in game.variables
        ],
        "flow": [_phase(each) for each in outline.phases],
        "actions": _actions(game),
        "scoring": {
            "points": [line.label for line in game.scoring.lines],
            "winner": None if game.scoring.winner is None else game.scoring.winner.span.text,
        },
        "limits": {"decisions": game.decisions, "steps": game.steps},
        "size": {"state": game.layout.size, "instructions": len(game.code)},
        "assumptions": _assumptions(game),
        "citations": [
            {"what": each.subject, "cite": list(each.cite), "line": each.span.line}
            for each in game.citations
            if each.cite
        ],
    }


def _actions(game: Game) -> Data:
    return {
        "total": game.number_of_actions,
        "types": [
            {
                "name": each.name,
                "parameters": [str(domain.of) for domain in each.parameters],
                "size": each.size,
            }
            for each in game.actions
        ],
    }


def _assumptions(game: Game) -> list[Data]:
    return [
        {
            "what": each.subject,
            "why": each.assumed,
            "cite": list(each.cite),
            "line": each.span.line,
            "file": Path(each.span.source.name).name,
        }
        for each in game.citations
        if each.assumed
    ]


def _family(name: str, indexes: Iterable[object]) -> str:
    texts = [str(index) for index in indexes]
    return f"{name}[{', '.join(texts)}]" if texts else name


def _type_of(names: Labels, type_: object) -> str:
    from rulerun_dsl.model.valuetypes import Enum

    if isinstance(type_, Enum):
        return " | ".join(names.texts(type_)) or type_.name
    return str(type_)


def _kind(names: Labels, kind: Kind) -> Data:
    copies = [
        sum(kind.copies[row * kind.owners : (row + 1) * kind.owners])
        for row in range(len(kind.rows))
    ]
    return {
        "kind": kind.name,
        "total": kind.total,
        "each": None if kind.owner is None else str(kind.owner),
        "state": [attribute.name for attribute in kind.attributes],
        "rows": [
            {"name": row, "copies": count, "is": names.details(kind.name, row)}
            for row, count in zip(kind.rows, copies, strict=True)
        ],
    }


def _phase(phase: PhaseDecl) -> Data:
    how = []
    if phase.condition is not None:
        how.append(f"when {phase.condition.span.text}")
    if phase.until is not None:
        how.append(f"until {phase.until.span.text}")
    if phase.loops is not None:
        how.append(f"for {phase.loops.span.text}")
    if phase.turns is not None:
        how.append(f"turns {phase.turns.span.text}")
    if phase.repeat is not None:
        how.append(f"repeat {phase.repeat.span.text}")
    return {
        "phase": phase.at.name,
        "about": phase.about,
        "how": how,
        "phases": [_phase(each) for each in phase.phases],
    }


# -------------------------------------------------------------------------------------- as text


def _lines(data: Data) -> list[str]:
    """The description for people."""
    from rulerun.terminal.formatting import wrap

    lines: list[str] = []

    def section(title: str, rows: Sequence[tuple[str, str]]) -> None:
        if not rows:
            return
        if lines:
            lines.append("")
        lines.append(title)
        wide = min(28, max(len(left) for left, _ in rows)) + 2
        for left, right in rows:
            inset = " " * (len(left) - len(left.lstrip()))
            first = f"  {inset + clean(left):<{wide}}"
            if not right:
                lines.append(first.rstrip())
            elif not first.endswith("  "):
                lines.append(first.rstrip())
                blank = " " * (wide + 2)
                lines.extend(wrap(clean(right), _WIDTH, first=blank, rest=blank))
            else:
                lines.extend(wrap(clean(right), _WIDTH, first=first, rest=" " * (wide + 2)))

    if "title" in data:
        _head(data, lines)
        section("Options", [(each["name"], _option(each)) for each in data["options"]])
        section("Variants", [(each["name"], _variant(each)) for each in data["variants"]])
        section("Never together", [(each["never"], each["say"]) for each in data["constraints"]])
        section(
            "Boards",
            [(each["name"], f"{each['shape']}, {each['sites']} sites") for each in data["boards"]],
        )
        for kind in data["components"]:
            section(
                _kind_title(kind),
                [(row["name"], f"x{row['copies']}  {row['is']}".strip()) for row in kind["rows"]],
            )
        section("Zones", [(each["name"], _zone(each)) for each in data["zones"]])
        section(
            "State",
            [
                (each["name"], f"{each['type']}, seen by {each['visible']}")
                for each in data["state"]
            ],
        )
        section("Flow", list(_flow(data["flow"])))
    if "actions" in data:
        actions = data["actions"]
        section(
            f"Actions: {actions['total']}",
            [
                (
                    _family(each["name"] or "(a value)", each["parameters"])
                    .replace("[", "(")
                    .replace("]", ")"),
                    str(each["size"]),
                )
                for each in actions["types"]
            ],
        )
    if "scoring" in data:
        _sizes(data, section)
    if "assumptions" in data:
        section(
            "Assumptions",
            [
                (each["what"], f"{each['why']} ({each['file']}, line {each['line']})")
                for each in data["assumptions"]
            ]
            or [("none", "")],
        )
    if "citations" in data:
        section(
            "Citations",
            [
                (each["what"], f"{', '.join(each['cite'])} (line {each['line']})")
                for each in data["citations"]
            ],
        )
    return lines


def _head(data: Data, lines: list[str]) -> None:
    from rulerun.terminal.formatting import wrap

    players = data["players"]
    many = str(players["least"])
    if players["most"] != players["least"]:
        many += f" to {players['most']}"
    lines.append(f"{clean(data['title'])} ({data['game']}), for {many} players")
    if data["about"]:
        lines.extend(wrap(clean(data["about"]), _WIDTH))
    lines.append(f"players: {clean(', '.join(players['names']))}")
    lines.append(f"fingerprint: {data['fingerprint']}")
    lines.extend(f"{clean(name)}: {clean(text)}" for name, text in data["sources"].items())


def _sizes(data: Data, section: Any) -> None:
    rows = [("limits", f"{data['limits']['decisions']} decisions in a play")]
    if data["scoring"]["points"]:
        rows.append(("points", ", ".join(data["scoring"]["points"])))
    if data["scoring"]["winner"]:
        rows.append(("winner", data["scoring"]["winner"]))
    size = data["size"]
    rows.append(("state", f"{size['state']} numbers; {size['instructions']} instructions"))
    section("The end, and sizes", rows)


def _option(each: Mapping[str, Any]) -> str:
    now = "" if each["value"] == each["default"] else f", here {each['value']}"
    about = f" {each['about']}" if each["about"] else ""
    return f"{each['type']}, default {each['default']}{now}.{about}"


def _variant(each: Mapping[str, Any]) -> str:
    sets = ", ".join(f"{name}={value}" for name, value in each["sets"].items())
    return f"{each['about']} ({sets})" if sets else str(each["about"])


def _kind_title(kind: Mapping[str, Any]) -> str:
    each = f", each {kind['each']}" if kind["each"] else ""
    state = f", with {', '.join(kind['state'])}" if kind["state"] else ""
    return f"Components: {kind['kind']} (x{kind['total']}{each}{state})"


def _zone(each: Mapping[str, Any]) -> str:
    order = f" {each['order']}" if each["order"] else ""
    what = f"one {each['of']}" if each["one"] else f"{each['of']}{order}"
    return f"{what}, seen by {each['visible']}"


def _flow(phases: Iterable[Mapping[str, Any]], depth: int = 0) -> Iterable[tuple[str, str]]:
    for each in phases:
        how = "; ".join(each["how"])
        about = f"{each['about']} " if each["about"] else ""
        yield "  " * depth + each["phase"], f"{about}{how}"
        yield from _flow(each["phases"], depth + 1)
