"""A result as one page for a browser: it needs no network, no script and no other file.

Assumes: a result of `result.result`.
Does: sets charts and tables beside each other; what a chart shows stands in a table as well. Long
tables are folded away.
Leaves behind: HTML. Every text of the rules is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rulerun.simulation.report.charts import Bar, described, histogram, intervals, tallest
from rulerun.simulation.report.formats import count, escape, games, interval, number, percent
from rulerun.simulation.report.style import STYLE

Cell = str
Rows = Iterable[Sequence[Cell]]

_STOPPED = {
    "games": "all games that were asked for",
    "interval": "ended early: every share of wins is known closely enough",
    "interrupted": "interrupted: this is what was played",
}


def page(result: dict[str, Any]) -> str:
    """The whole page."""
    parts = (_head, _errors, _wins, _scores, _lengths, _actions, _coverage)
    title = f"{result['game']['title']}: simulation"
    return whole(title, "".join("".join(part(result)) for part in parts))


def whole(title: str, body: str) -> str:
    """A page around what it says."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


# ------------------------------------------------------------------------------------- elements


def table(caption: str, heads: Sequence[str], rows: Rows, left: int = 1) -> str:
    """A table: the first cell of a row names it. Cells are HTML already."""
    wide = ['<div class="wide"><table>', f"<caption>{escape(caption)}</caption>", "<thead><tr>"]
    for at, head in enumerate(heads):
        kind = ' class="text"' if at < left else ""
        wide.append(f'<th scope="col"{kind}>{escape(head)}</th>')
    wide.append("</tr></thead><tbody>")
    for row in rows:
        wide.append("<tr>")
        for at, cell in enumerate(row):
            if at == 0:
                wide.append(f'<th scope="row">{cell}</th>')
            elif cell.startswith("<td"):
                wide.append(cell)
            else:
                wide.append(f'<td class="text">{cell}</td>' if at < left else f"<td>{cell}</td>")
        wide.append("</tr>")
    return "".join([*wide, "</tbody></table></div>\n"])


def folded(summary: str, inside: str) -> str:
    """What is shown when asked for."""
    return f"<details><summary>{escape(summary)}</summary>{inside}</details>\n"


def figure(caption: str, chart: str) -> str:
    """A chart under its name."""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{chart}</figure>\n"


def part_of(share: float | None) -> str:
    """A cell with a bar."""
    width = 0.0 if share is None else 100 * share
    return f'<td class="part" aria-hidden="true"><span style="width:{width:.1f}%"></span></td>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names and what they are."""
    inside = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows)
    return f"<dl>{inside}</dl>\n"


# ------------------------------------------------------------------------------------- sections


def _head(result: dict[str, Any]) -> Iterator[str]:
    game, played = result["game"], result["games"]
    yield f"<h1>{escape(game['title'])}</h1>\n"
    yield f'<p class="faint">{games(played["played"])}, counted by rulerun simulate</p>\n'
    rows = [
        ("seats", ", ".join(f"{each['player']} ({each['agent']})" for each in result["seats"])),
        ("seed", f"{result['seed']} ({result['scheme']})"),
        ("games", _STOPPED[played["stopped"]]),
        ("fingerprint", game["fingerprint"]),
    ]
    if game["changed"]:
        changed = ", ".join(f"{name} {game['options'][name]}" for name in game["changed"])
        rows.insert(2, ("options", changed))
    yield facts(rows)
    if game["options"]:
        options = [[escape(name), escape(value)] for name, value in game["options"].items()]
        inside = table("As they were set", ["option", "value"], options, left=2)
        yield folded(f"All options ({count(len(options))})", inside)
    if played["truncated"]:
        yield (
            f'<p class="warn">{games(played["truncated"])} reached the limit of '
            f"{count(game['decisions'])} decisions and count neither as won nor as lost.</p>\n"
        )


def _errors(result: dict[str, Any]) -> Iterator[str]:
    for each in result["errors"]:
        yield (
            f'<div class="warn"><p><strong>{escape(each["code"])}</strong> stopped '
            f"{games(each['count'])}: {escape(each['message'])}</p>"
            f"<p><code>{escape(each['file'])}:{each['line']}: {escape(each['source'])}</code></p>"
            f"<p>The first of them is number {each['numbers'][0]}, kept in "
            f"<code>{escape(each['record'])}</code> for <code>rulerun replay</code>.</p></div>\n"
        )


def _wins(result: dict[str, Any]) -> Iterator[str]:
    wins = result["wins"]
    yield "<h2>Wins</h2>\n"
    if not wins["of"]:
        yield "<p>No game came to its end: there is nothing to say of wins and scores.</p>\n"
        return
    yield (
        f"<p>Of {games(wins['of'])} that came to their end. A fair share is "
        f"{percent(wins['fair'])}: the same part of all wins for every seat.</p>\n"
    )
    bars = [
        Bar(
            seat["player"],
            100 * seat["share"],
            100 * seat["low"],
            100 * seat["high"],
            percent(seat["share"]),
            seat["differs"],
        )
        for seat in wins["seats"]
    ]
    title = "Share of wins by seat, with 95 % intervals: "
    title += ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    yield figure(
        "Share of wins, with 95 % intervals",
        intervals(title, bars, 100 * wins["fair"], "fair"),
    )
    rows = []
    for seat in wins["seats"]:
        verdict = "as is fair"
        if seat["differs"]:
            word = "more" if seat["share"] > wins["fair"] else "less"
            verdict = f'<span class="marked">{word} than fair</span>'
        rows.append(
            [
                escape(seat["player"]),
                count(seat["count"]),
                count(seat["with_others"]),
                percent(seat["share"]),
                interval(seat),
                verdict,
            ]
        )
    for name, key in (("several win", "shared"), ("nobody wins", "nobody")):
        found = wins[key]
        row = [name, count(found["count"]), "", percent(found["share"]), interval(found), ""]
        rows.append(row)
    heads = ["seat", "won", "with others", "share", "95 % interval", "compared with fair"]
    yield table("Who wins how often", heads, rows)
    places = sorted({found["place"] for seat in wins["seats"] for found in seat["places"]})
    if len(wins["seats"]) > 2 and places:
        rows = []
        for seat in wins["seats"]:
            shares = {found["place"]: found for found in seat["places"]}
            cells = [
                f"{percent(shares[place]['share'])}<br><small>{interval(shares[place])}</small>"
                if place in shares
                else percent(0.0)
                for place in places
            ]
            rows.append([escape(seat["player"]), *cells])
        heads = ["seat", *("out" if place == 0 else f"place {place}" for place in places)]
        yield table("Who comes in where, with 95 % intervals", heads, rows)


_HEADS = ["mean", "deviation", "least", "1/4", "median", "3/4", "greatest"]


def distributed(found: dict[str, Any] | None) -> list[str]:
    """The cells of a distribution."""
    if found is None:
        return ["-"] * len(_HEADS)
    keys = ("least", "quartile_1", "median", "quartile_3", "greatest")
    return [
        number(found["mean"]),
        number(found["deviation"]),
        *(count(found[key]) for key in keys),
    ]


def _scores(result: dict[str, Any]) -> Iterator[str]:
    scores = result["scores"]
    if scores is None or not result["wins"]["of"]:
        return
    totals = [seat["total"] for seat in scores["seats"]]
    low = min(found["least"] for found in totals)
    high = max(found["greatest"] for found in totals)
    most = max(tallest(found["histogram"], low, high) for found in totals)
    yield '<h2>Scores</h2>\n<p>The dashed line is the mean.</p>\n<div class="many">\n'
    for seat in scores["seats"]:
        found = seat["total"]
        chart = histogram(
            f"Scores of {seat['player']}: {described(found)}",
            found["histogram"],
            low,
            high,
            most,
            mark=found["mean"],
        )
        yield figure(seat["player"], chart)
    yield "</div>\n"
    rows = [[escape(seat["player"]), *distributed(seat["total"])] for seat in scores["seats"]]
    yield table("Scores by seat", ["seat", *_HEADS], rows)
    if len(scores["lines"]) > 1:
        heads = ["line of the scoring", *(seat["player"] for seat in scores["seats"])]
        rows = []
        for at, label in enumerate(scores["lines"]):
            cells = [seat["lines"][at]["value"] for seat in scores["seats"]]
            rows.append(
                [
                    escape(label),
                    *(f"{number(one['mean'])} ({number(one['deviation'])})" for one in cells),
                ]
            )
        yield table("Mean of each line (and its deviation)", heads, rows)
        rows = [
            [f"{escape(label)}: {escape(seat['player'])}", *distributed(seat["lines"][at]["value"])]
            for at, label in enumerate(scores["lines"])
            for seat in scores["seats"]
        ]
        inside = table("Each line by seat", ["line", *_HEADS], rows)
        yield folded("Each line of the scoring in full", inside)


def _lengths(result: dict[str, Any]) -> Iterator[str]:
    found = result["length"]["decisions"]
    if found is None:
        return
    yield "<h2>Length and choice</h2>\n"
    least, greatest, values = found["least"], found["greatest"], found["histogram"]
    yield figure(
        "Decisions in a game",
        histogram(
            f"Decisions in a game: {described(found)}",
            values,
            least,
            greatest,
            tallest(values, least, greatest, 60),
            wide=720,
            columns=60,
            mark=found["mean"],
        ),
    )
    rows = [
        ["decisions", *distributed(found)],
        ["decisions and luck", *distributed(result["length"]["inputs"])],
    ]
    yield table("Length of a game", ["", *_HEADS], rows)
    mean = result["branching"]["mean"]
    if mean is not None:
        yield f"<p>{number(mean)} legal actions on the average at a decision.</p>\n"


def _actions(result: dict[str, Any]) -> Iterator[str]:
    found = result["actions"]
    if not found["names"]:
        return
    yield (
        "<h2>Actions</h2>\n<p>How often an action was taken, of the times it was legal for who was "
        "asked.</p>\n"
    )
    heads = ["action", "legal", "taken", "share", ""]
    yield table("By name", heads, [_used(each["name"], each) for each in found["names"]])
    values = [_used(f"{each['name']}: {each['value']}", each) for each in found["values"]]
    if len(values) > 1:
        inside = table("By each value that is chosen", heads, values)
        yield folded(f"By value: cards, places, numbers ({count(len(values))})", inside)
    single = [_used(each["action"], each) for each in found["actions"]]
    if len(single) > len(found["names"]):
        inside = table("Each action", heads, single)
        yield folded(f"Each action by itself ({count(len(single))})", inside)


def _used(name: str, found: dict[str, Any]) -> list[str]:
    cells = [escape(name), count(found["offered"]), count(found["taken"]), percent(found["share"])]
    return [*cells, part_of(found["share"])]


def _coverage(result: dict[str, Any]) -> Iterator[str]:
    found = result.get("coverage")
    if found is None:
        return
    yield f"<h2>Rules that ran</h2>\n<p>Counted in {games(found['games'])}.</p>\n"
    rows = []
    for name, key, done in (
        ("statements", "statements", "ran"),
        ("ways at forks", "ways", "taken"),
        ("functions", "functions", "evaluated"),
    ):
        some, of = found[key][done], found[key]["of"]
        part = some / of if of else None
        rows.append([name, count(some), count(of), percent(part), part_of(part)])
    yield table("How much of the rules was used", ["", "used", "of", "share", ""], rows)
    for title, key, what in (
        ("Statements that never ran", "statements", "source"),
        ("What never happened at a fork", "ways", "way"),
        ("Functions that were never evaluated", "functions", "name"),
    ):
        never = found[key]["never"]
        if never:
            rows = [
                [f"<code>{escape(each['file'])}:{each['line']}</code>", _code(each[what])]
                for each in never
            ]
            inside = table(title, ["where", "what"], rows, left=2)
            yield folded(f"{title} ({count(len(never))})", inside)


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"
