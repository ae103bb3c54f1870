"""`view:` hints for screens: boards drawn as text, glyphs, colours, what need not be shown.

Assumes: declarations that can be asked for, and `view:` sections of a sound shape.
Does: finds in a drawing the sites of its board, each where its name stands as a word, and the room
that each may take; finds what every other name means.
Leaves behind: a `View`. Nothing else reads it, so a drawing does not count as reading what it
draws.

The hints of a module that is on overrule those of the game. Those of a module that is off are
checked, except for its maps, and not used; its zones and variables are hidden, since nothing is
ever in them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.display import view_hints, view_sides
from rulerun_dsl.check.env import board_sites, boards, directions, facts, tables
from rulerun_dsl.check.env import component_kinds as pieces
from rulerun_dsl.check.env.world import World
from rulerun_dsl.diagnostics.diagnostic import Related
from rulerun_dsl.diagnostics.render import columns_of
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax.told import ViewDecl
from rulerun_dsl.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence

_WORD = re.compile(r'"(?P<label>[^"\n]*)"|(?P<name>\w*[^\W_]\w*)')
"""A label in quotes, or a word. A word of nothing but `_` is a stroke."""

_ROOM = re.compile(r"[-=~. ─━═╌╍┄┅┈┉]*")
"""What the cell of a site may cover: blanks and level strokes."""

_COUNT = re.compile(r"(\d{1,9}) players?")

_WIDEST = 2
"""Columns of a glyph."""


def view(world: World) -> m.View:
    """The hints for screens."""
    return world.fact("view", "view", lambda: _made(world), m.NO_VIEW)


def _made(world: World) -> m.View:
    maps: dict[str, m.Map] = {}
    shows: dict[tuple[str, str], tuple[str, str, t.Type, tuple[int | None, ...]]] = {}
    texts: dict[str, dict[str, str]] = {"glyphs": {}, "colours": {}, "formats": {}}
    turned: dict[tuple[str, str], tuple[str, ...]] = {}
    besides: dict[str, tuple[m.Beside, ...]] = {}
    sorts: dict[str, tuple[str, ...]] = {}
    sides: dict[str, str] = {}
    spares: list[str] = []
    forgets: list[str] = []
    headline: tuple[str | m.Expression, ...] = ()
    hides = [*_of_modules_off(world), *_histories(world)]
    names = drawable(world)
    stood: dict[tuple[str, str], Span] = {}
    for decl in world.outline.view:
        used = decl.when is None or facts.constant(world, decl.when, t.Bool()) == 1
        for word, entry in _entries(decl):
            if decl.when is None:
                _once(world, word, entry.key, stood)
            if word == "maps":
                # A map is of the board as it is played on, which another option may change.
                map_ = _map(world, entry) if used else None
                if map_ is not None:
                    maps[map_.board] = map_
            elif word == "shows":
                for shown in _shown(world, entry):
                    if used:
                        shows[shown[0], shown[1]] = shown
            elif word == "beside":
                lies = tuple(view_hints.beside(world, entry))
                if used:
                    besides[entry.key.text] = lies
            elif word == "sides":
                cells = view_sides.cells_of(world, entry)
                if used and cells is not None:
                    sides[entry.key.text] = cells
            elif word == "sorts":
                columns = tuple(view_hints.sorted_by(world, entry))
                if used:
                    sorts[entry.key.text] = columns
            elif word == "formats":
                view_hints.check_format(world, entry)
                if used and isinstance(entry.value, Scalar):
                    texts[word][entry.key.text] = entry.value.text
            elif word == "glyphs" and isinstance(entry.value, Mapping):
                for each in entry.value.entries[1:]:
                    world.report(
                        "RR0715",
                        f"`{entry.key.text}` has glyphs by two attributes",
                        each.key.span,
                        help="choose the one that is to be seen",
                    )
                for each in entry.value.entries[:1]:
                    signs = tuple(_turned(world, entry.key, each))
                    if used:
                        turned[entry.key.text, each.key.text] = signs
            elif isinstance(entry.value, Scalar):
                if entry.key.text not in names:
                    world.unknown(entry.key.text, entry.key.span, "name to draw", names)
                if word == "glyphs":
                    _check_glyph(world, entry.value)
                if used:
                    texts[word][entry.key.text] = entry.value.text
        if decl.headline is not None:
            said = view_hints.headline(world, decl.headline)
            headline = said if used else headline
        hidden = _hidden(world, decl.node.get("hides"))
        hides += hidden if used else ()
        spared = _hidden(world, decl.node.get("spares"))
        spares += spared if used else ()
        forgotten = _zones(world, decl.node.get("forgets"))
        forgets += forgotten if used else ()
    return m.View(
        tuple(maps.values()),
        tuple(shows.values()),
        tuple(texts["glyphs"].items()),
        tuple(texts["colours"].items()),
        tuple(dict.fromkeys(hides)),
        headline,
        tuple(besides.items()),
        tuple(texts["formats"].items()),
        tuple((name, attribute, signs) for (name, attribute), signs in turned.items()),
        tuple(sorts.items()),
        tuple(dict.fromkeys(spares)),
        tuple(dict.fromkeys(forgets)),
        tuple(sides.items()),
    )


def _entries(decl: ViewDecl) -> Iterator[tuple[str, Entry]]:
    """What is said under each key that holds names."""
    for section in decl.node.entries:
        if isinstance(section.value, Mapping):
            for entry in section.value.entries:
                yield section.key.text, entry


def _once(world: World, word: str, key: Scalar, stood: dict[tuple[str, str], Span]) -> None:
    """Report what two chapters say of one name."""
    first = stood.setdefault((word, key.text), key.span)
    if first is not key.span:
        world.report(
            "RR0403",
            f"`{key.text}` stands twice under `{word}`",
            key.span,
            related=(Related(first, "it stands here first"),),
        )


# ---------------------------------------------------------------------------------------- names


def drawable(world: World) -> frozenset[str]:
    """Everything that may have a glyph, a colour or a picture."""
    outline = world.outline
    names = {scalar.text for scalar in outline.players}
    if not names:
        names |= {f"P{number + 1}" for number in range(outline.player_range[1])}
    for kind in outline.kinds:
        names |= {kind.at.name, *facts.row_names(world, kind.at.name)}
        # Rows of modules that are off are names as well.
        names |= {row.name for row in kind.rows}
        names |= {name.name for name, _ in kind.attributes}
    for type_ in outline.types:
        if type_.alias is None:
            names |= set(facts.enumeration_names(world, type_.at.name))
    for option in outline.options:
        names |= {member.text for member in option.members}
    for board in outline.boards:
        names |= {column.name for column in board.columns}
        names |= {*tables.by_site(world, board.at.name)}
    names |= {each.at.name for each in outline.zones}
    names |= {each.at.name for each in outline.variables}
    pairs = {f"{owner} {row}" for kind in outline.kinds for owner, row in _owned(world, kind)}
    return frozenset(names | pairs)


def _owned(world: World, kind: declarations.KindDecl) -> Iterator[tuple[str, str]]:
    """Whose pieces there are, as `white king`."""
    if kind.each is None:
        return
    if kind.each == "player":
        owners: Iterable[str] = world.players
    elif kind.each in world.by_kind["type"]:
        owners = facts.enumeration_names(world, kind.each)
    else:
        return
    for owner in owners:
        for row in facts.row_names(world, kind.at.name):
            yield owner, row


def _check_glyph(world: World, value: Scalar) -> None:
    columns = columns_of(value.text)
    if not 1 <= columns <= _WIDEST or value.text.split() != [value.text]:
        takes = f"it takes {columns}" if columns != 1 else "this is none to be seen"
        world.report(
            "RR0715",
            f"a glyph takes one column of the screen or two: {takes}",
            value.span,
            help="write one sign, or two narrow ones",
        )


def _turned(world: World, key: Scalar, each: Entry) -> Iterator[str]:
    """A glyph for each value of an attribute."""
    kinds = world.by_kind["kind"]
    kind = next((name for name in kinds if key.text in (name, *facts.row_names(world, name))), None)
    if kind is None:
        world.unknown(key.text, key.span, "kind or row of one", kinds)
        return
    attributes = pieces.kind(world, kind).attributes
    if each.key.text not in attributes:
        world.unknown(each.key.text, each.key.span, f"attribute of {kind}", attributes)
        return
    many = facts.size(world, attributes[each.key.text][0])
    signs = _scalars(each.value)
    if len(signs) != many:
        world.report(
            "RR0715",
            f"`{each.key.text}` has {many} values, and there are {len(signs)} glyphs",
            each.key.span,
            help="write a glyph for each, in the order of the values",
        )
    for sign in signs:
        _check_glyph(world, sign)
        yield sign.text


def _of_modules_off(world: World) -> Iterator[str]:
    """The zones and variables of modules that are off."""
    outline = world.outline
    for at in (*(zone.at for zone in outline.zones), *(each.at for each in outline.variables)):
        if at.when is not None and facts.constant(world, at.when, t.Bool()) != 1:
            yield at.name


def _histories(world: World) -> Iterator[str]:
    """What the position as people see it was made of before: numbers that tell them nothing."""
    return (each.at.name for each in world.outline.variables if each.remembers is not None)


def _scalars(node: Node | None) -> tuple[Scalar, ...]:
    items = node.items if isinstance(node, Sequence) else (node,)
    return tuple(item for item in items if isinstance(item, Scalar))


def _hidden(world: World, node: Node | None) -> list[str]:
    """`hides:` or `spares:`: zones and variables."""
    known = [*world.by_kind["zone"], *world.by_kind["variable"]]
    return _known(world, node, "zone or variable", known)


def _zones(world: World, node: Node | None) -> list[str]:
    """`forgets:`: zones."""
    return _known(world, node, "zone", world.by_kind["zone"])


def _known(world: World, node: Node | None, what: str, known: Collection[str]) -> list[str]:
    for name in _scalars(node):
        if name.text not in known:
            world.unknown(name.text, name.span, what, tuple(known))
    return [name.text for name in _scalars(node) if name.text in known]


def _shown(world: World, entry: Entry) -> Iterator[tuple[str, str, t.Type, tuple[int | None, ...]]]:
    """`shows:` of one board: columns and tables that have one value for each site."""
    if not view_hints.is_board(world, entry.key):
        return
    board = entry.key.text
    columns = boards.sites(world, board).columns
    plain = [name for name, column in columns.items() if not column.indexes]
    for name in _scalars(entry.value):
        if name.text in plain:
            yield board, name.text, columns[name.text].type, columns[name.text].values
        elif name.text in tables.by_site(world, board):
            table = tables.table(world, name.text)
            yield board, name.text, table.type, table.values
        else:
            world.unknown(name.text, name.span, f"column of {board}, or table by it", plain)


# ----------------------------------------------------------------------------------------- maps


def _map(world: World, entry: Entry) -> m.Map | None:
    """The drawing of one board, for as many as play."""
    if not view_hints.is_board(world, entry.key):
        return None
    value, key = entry.value, entry.key
    if isinstance(value, Mapping):
        chosen = _by_count(world, entry, value)
        if chosen is None:
            return None
        key, value = chosen.key, chosen.value
    if not isinstance(value, Scalar):
        return None
    board = entry.key.text
    names = board_sites.site_names(world, board)
    places = _places(world, board, value, names)
    missing = [name for name in names if name not in places.values()]
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing[:6])
        more = f" and {len(missing) - 6} more" if len(missing) > 6 else ""
        world.report(
            "RR0714",
            f"the map of `{board}` leaves out {listed}{more}",
            key.span,
            help="write the name of each site once, where it is to be seen",
        )
    return m.Map(board, tuple(_lines(value.text, places)))


def _by_count(world: World, entry: Entry, drawings: Mapping) -> Entry | None:
    """The drawing for as many as play, of one for each number of players."""
    low, high = world.outline.player_range
    entries: dict[int, Entry] = {}
    for each in drawings.entries:
        number = _COUNT.fullmatch(each.key.text)
        if number is None or not low <= int(number[1]) <= high:
            wrong = "is no number of players" if number is None else "do not play this game"
            world.report(
                "RR0401",
                f"`{each.key.text}` {wrong}",
                each.key.span,
                help=f"write a drawing for each number: `{low} players: |`",
            )
        else:
            entries[int(number[1])] = each
    with world.deciding():
        count = world.setting_value("players")
    if count not in entries and len(entries) == len(drawings.entries):
        world.report("RR0714", f"`{entry.key.text}` has no map for {count} players", entry.key.span)
    return entries.get(count or 0)


def _places(
    world: World, board: str, drawing: Scalar, names: tuple[str, ...]
) -> dict[tuple[int, int], str]:
    """Where in a drawing which site stands: a site by the stretch of its name.

    Labels, and sites that are not in this game, have the name ``.
    """
    declared = {row.name for row in directions.board_decl(world, board).rows}
    texts: dict[tuple[int, int], str] = {}
    first: dict[str, Span] = {}
    for match in _WORD.finditer(drawing.text):
        stretch, name = match.span(), match["name"]
        if name is None or (name not in names and name in declared):
            texts[stretch] = ""
            continue
        span = drawing.span_of(*stretch)
        if name not in names:
            near = world.guess(name, [each for each in names if each not in first])
            if near:
                first[near] = span
                texts[stretch] = near
            hint = f"did you mean `{near}`? " if near else ""
            if name not in world.doubtful:
                world.report(
                    "RR0402",
                    f"`{board}` has no site `{name}`",
                    span,
                    help=f"{hint}a word that is no site stands in double quotes",
                )
        elif name in first:
            world.report(
                "RR0403",
                f"`{name}` stands twice on the map",
                span,
                related=(Related(first[name], "it stands here first"),),
                help="a site has one place",
            )
        else:
            first[name] = span
            texts[stretch] = name
    return texts


def _lines(text: str, places: dict[tuple[int, int], str]) -> Iterator[tuple[m.MapPiece, ...]]:
    """The lines of a drawing, each cut into sites and what is between."""
    start = 0
    every = text.rstrip("\n").split("\n")
    margin = min((len(line) - len(line.lstrip(" ")) for line in every if line.strip()), default=0)
    for line in every:
        end = start + len(line)
        pieces: list[m.MapPiece] = []
        at = min(start + margin, end)
        for (first, last), site in places.items():
            if not start <= first < end or first < at:
                continue
            if first > at:
                pieces.append(m.MapPiece(text[at:first]))
            at = last
            if site:
                room = _ROOM.match(text, last, end)
                at = room.end() if room is not None else last
                if at < end and at > last:
                    # One column stays between a site and what comes behind it.
                    at -= 1
                pieces.append(m.MapPiece(text[first:at], site))
            elif text[first] == '"':
                pieces.append(m.MapPiece(f" {text[first + 1 : last - 1]} "))
            else:
                pieces.append(m.MapPiece(" " * (last - first)))
        if at < end:
            pieces.append(m.MapPiece(text[at:end]))
        yield tuple(pieces)
        start = end + 1
