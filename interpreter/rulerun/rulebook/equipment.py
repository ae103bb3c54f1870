"""What is in the box, where it lies, and what is kept track of.

Assumes: a game, and what puts it into words.
Does: tells each kind of component with its rows, how many there are of each and what is printed on
them; boards; zones with who sees what lies there; variables that `view` does not hide.
Leaves behind: sections.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulerun.rulebook.book import Block, Item, Listing, Paragraph, Section, Table
from rulerun.rulebook.prose.choice_prose import Prose
from rulerun.rulebook.prose.naming import Local, put
from rulerun.runtime.wording import words
from rulerun.words.narration import sentence
from rulerun_dsl.model import Board, Kind, ZoneFamily
from rulerun_dsl.model.valuetypes import Bool, Enum, Int, Optional, Order, Player, Type
from rulerun_dsl.outline.blocks import row_rule
from rulerun_dsl.source.safe_text import clean
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar
from rulerun_dsl.yaml.nodes import Sequence as Items

FEW_COLUMNS = 4
MOST_SITES = 60
"""Of a board with more places, only their number is told."""


def the_box(prose: Prose) -> Section:
    """The components, kind by kind, and the boards."""
    blocks: list[Block] = []
    sections = []
    for kind in prose.settled.game.kinds:
        if kind.total:
            sections.append(_kind(prose, kind))
    for board in prose.settled.outline.boards:
        if prose.settled.is_on(board.at.when):
            sections.append(_board(prose, board))
    return Section(prose.t.the_box, tuple(blocks), tuple(sections))


def _kind(prose: Prose, kind: Kind) -> Section:
    labels, t = prose.labels, prose.t
    decl = prose.settled.declared(kind.name)
    blocks: list[Block] = []
    about = labels.about(f"kind {kind.name}")
    if about:
        blocks.append(Paragraph(sentence(about)))
    each = kind.total // max(1, kind.owners)
    total = f"{kind.total} {labels.kind(kind.name, kind.total)}"
    if kind.owner is not None and kind.total == each * kind.owners:
        whose = prose.noun(prose.sort_of_type(kind.owner))
        own = f"{each} {labels.kind(kind.name, each)}"
        said = put(t.each_player_has, a=own, b=whose, c=total)
    else:
        said = put(t.there_are, a=total)
    if isinstance(decl.start, s.Name) and decl.start.text in prose.settled.zones:
        hidden = decl.start.text in prose.settled.game.view.hides
        if not hidden:
            zone = prose.place(decl.start.text, (), {})
            said = f"{said} {put(t.starts_in, a=zone)}"
    blocks.append(Paragraph(said))
    rows = []
    for at, row in enumerate(kind.rows):
        copies = sum(kind.copies[at * kind.owners : (at + 1) * kind.owners])
        if copies and (len(kind.rows) > 1 or row != kind.name):
            printed = _printed(prose, kind, row)
            count = copies // kind.owners if kind.owner is not None else copies
            rows.append((_title(labels.component(kind.name, row)), str(count), printed))
    if rows:
        if all(count == "1" for _, count, _ in rows):
            table = Table((t.name, t.what_it_does), tuple((name, does) for name, _, does in rows))
        else:
            table = Table((t.name, t.many, t.what_it_does), tuple(rows))
        if not any(row[-1] for row in table.rows):
            table = Table(table.head[:-1], tuple(row[:-1] for row in table.rows))
        if len(table.head) == 1:
            blocks.append(Paragraph(sentence(", ".join(row[0] for row in table.rows))))
        else:
            blocks.append(table)
    return Section(_title(labels.kind(kind.name, 2)), tuple(blocks))


def _printed(prose: Prose, kind: Kind, row: str) -> str:
    """What is printed on a component, but for its rules: they are told further down."""
    labels = prose.labels
    if labels.about(f"row {kind.name} {row}") or labels.as_written(kind.name):
        return labels.details(kind.name, row)
    rules = {each.signature.name for each in prose.settled.slots(kind.name)}
    at = kind.rows.index(row)
    told = []
    called = labels.component(kind.name, row).split()
    for name, type_, column in kind.columns:
        text = labels.constant(type_, column[at])
        # Of many columns, those are told in which a row has something.
        if text and text not in called and (text != "0" or len(kind.columns) <= FEW_COLUMNS):
            label = labels.named(f"column {kind.name}", name)
            told.append(label if text == prose.speech.yes else f"{label} {text}")
    for name, texts in kind.printed:
        if texts[at] and name not in rules:
            label = labels.named(f"column {kind.name}", name)
            told.append(f"{label}{prose.t.colon} {clean(labels.rule(texts[at]))}")
    return ", ".join(filter(None, told))


def _board(prose: Prose, decl: d.BoardDecl) -> Section:
    labels, t = prose.labels, prose.t
    name = decl.at.name
    board = next(each for each in prose.settled.game.boards if each.name == name)
    said = [put(t.sites, n=labels.filling(len(board.sites)))]
    if decl.shape in ("grid", "hex"):
        wide, high = str(max(board.columns)), str(max(board.rows))
        said.append(put(t.grid_of, a=high, b=wide))
    about = labels.about(f"board {name}")
    if about:
        said.insert(0, sentence(about))
    blocks: list[Block] = [Paragraph(" ".join(said))]
    if decl.rows and len(board.sites) <= MOST_SITES:
        blocks.append(_sites(prose, decl, board))
    return Section(_title(labels.named("board", name)), tuple(blocks))


def _sites(prose: Prose, decl: d.BoardDecl, board: Board) -> Table:
    """The places of a board with their columns, and what they touch."""
    labels = prose.labels
    columns = [each.name for each in decl.columns]
    written = {row.name: cells(prose, decl.columns, row) for row in decl.rows}
    rows = []
    for at, site in enumerate(board.sites):
        values = written.get(site, {})
        beside = ", ".join(labels.word(board.sites[each]) for each in board.neighbours[at])
        rows.append((labels.word(site), *(values.get(each, "") for each in columns), beside))
    heads = [labels.named(f"column {board.name}", each) for each in columns]
    return Table((prose.t.place, *heads, prose.t.next_to), tuple(rows))


def cells(prose: Prose, columns: Sequence[d.Column], row: d.RowDecl) -> dict[str, str]:
    """What a row has in its columns, in words."""
    if row.listed is not None:
        names = (each.name for each in columns)
        return {name: cell(prose, node) for name, node in zip(names, row.listed, strict=False)}
    return {key.text: cell(prose, node) for key, node in row.values}


def cell(prose: Prose, node: Node) -> str:
    """A value of a table, in words."""
    match node:
        case Scalar(text):
            truth = {"true": prose.speech.yes, "false": "", "none": ""}
            if text in truth:
                return truth[text]
            parsed = prose.settled.parsed(node)
            return prose.labels.word(text) if parsed is None else prose.value(parsed, {})
        case Items(items):
            return ", ".join(filter(None, (cell(prose, each) for each in items)))
        case Mapping(entries):
            pairs = (
                (prose.labels.word(each.key.text), cell(prose, each.value)) for each in entries
            )
            return ", ".join(f"{key} {value}" for key, value in pairs if value)
    return ""


def tables(prose: Prose) -> Section | None:
    """Types whose values have columns, and tables of numbers that rules name."""
    labels = prose.labels
    sections = []
    for decl in prose.settled.outline.types:
        if decl.columns and prose.settled.is_on(decl.at.when):
            name = decl.at.name
            heads = [labels.named(f"column {name}", each.name) for each in decl.columns]
            rows = []
            for row in decl.rows:
                values = cells(prose, decl.columns, row)
                told = (values.get(each.name, "") for each in decl.columns)
                rows.append((_title(labels.named(f"value {name}", row.name)), *told))
            table = Table((labels.named("type", name), *heads), tuple(rows))
            sections.append(Section(_title(labels.named("type", name)), (table,)))
    for table_decl in prose.settled.outline.tables:
        if table_decl.at.name in prose.tabled and prose.settled.is_on(table_decl.at.when):
            sections.append(_table(prose, table_decl))
    return Section(prose.t.tables_title, (), tuple(sections)) if sections else None


def _table(prose: Prose, decl: d.TableDecl) -> Section:
    rows = []
    for at, (key, node) in enumerate(decl.rows):
        named = prose.value(key, {}) if key is not None else _place_in(prose, decl, at)
        rows.append((named, cell(prose, node)))
    heads = ", ".join(prose.noun(prose.sort_written(each)) for each in decl.by)
    title = _title(clean(words(decl.at.name)))
    return Section(title, (Table((heads, prose.labels.word(decl.at.name)), tuple(rows)),))


def _place_in(prose: Prose, decl: d.TableDecl, at: int) -> str:
    """The key of a row that stands at a place of a table."""
    match decl.by[0]:
        case s.RangeType(_, low, _):
            known = prose.settled.value(low)
            first = low.value if isinstance(low, s.Number) else known[1] if known else 0
            return str((first or 0) + at)
        case s.NamedType(_, name):
            for enumeration in prose.settled.game.enumerations:
                if enumeration.name == name and at < len(enumeration.members):
                    return prose.labels.word(enumeration.members[at])
    return str(at + 1)


def _title(text: str) -> str:
    return text[:1].upper() + text[1:]


# ------------------------------------------------------------------------------------------ zones


def places(prose: Prose) -> Section | None:
    """The zones: whose they are, what lies there, who sees it."""
    settled, t = prose.settled, prose.t
    rows = []
    for decl in settled.outline.zones:
        zone = settled.zones.get(decl.at.name)
        if zone is None or not settled.is_on(decl.at.when) or zone.name not in prose.placed:
            continue
        if zone.name in settled.game.view.hides:
            continue
        lies, seen = _lies(prose, zone, decl), _seen(prose, decl)
        about = prose.labels.about(f"zone {zone.name}")
        said = [sentence(each) for each in (lies, about, put(t.who_sees, a=seen)) if each]
        rows.append(Item(" ".join(said), _title(_zone(prose, zone))))
    return Section(t.places_title, (Listing(tuple(rows)),)) if rows else None


def _zone(prose: Prose, zone: ZoneFamily) -> str:
    label = prose.labels.zone(zone.name)
    others = [_of_type(prose, each) for each in zone.indexes if not isinstance(each, Player)]
    if others:
        label = put(prose.t.at_index, a=label, b=", ".join(others))
    if any(isinstance(each, Player) for each in zone.indexes):
        return put(prose.t.each_has, a=label)
    return label


def _of_type(prose: Prose, type_: Type) -> str:
    if isinstance(type_, Int):
        return put(prose.t.range, a=str(type_.low), b=str(type_.high))
    return prose.noun(prose.sort_of_type(type_))


def _lies(prose: Prose, zone: ZoneFamily, decl: d.ZoneDecl) -> str:
    labels, t = prose.labels, prose.t
    if zone.one:
        return put(t.one_only, a=labels.kind(zone.kind))
    said = [labels.kind(zone.kind, 2)]
    if zone.order:
        said.append(t.at_random if zone.order == "random" else t.pile)
    if decl.holds is not None:
        said.append(put(t.at_most_held, n=str(zone.holds)))
    if zone.refill is not None and decl.refill is not None:
        said.append(put(t.refilled, a=prose.value(decl.refill, {})))
    return ", ".join(said)


def _seen(prose: Prose, decl: d.ZoneDecl) -> str:
    return _who(prose, decl.visible_here or decl.at.visible)


def _who(prose: Prose, node: s.Expression | None) -> str:
    t = prose.t
    match node:
        case None | s.Nothing():
            return t.seen_by_nobody
        case s.All():
            return t.seen_by_everybody
        case s.Name(_, "owner"):
            return t.seen_by_owner
        case s.IfElse(_, value, condition, alternative):
            decided = prose.settled.decided(condition)
            if decided is not None:
                return _who(prose, value if decided else alternative)
            said = prose.claim(condition, {})
            return put(t.if_else, a=_who(prose, value), b=_who(prose, alternative), c=said)
        case s.Logic(_, "or", operands):
            return prose.listed([_who(prose, each) for each in operands], either=True)
    owner = Local(t.seen_by_owner, prose.sort_of_type(Player()))
    viewer = Local(t.player, prose.sort_of_type(Player()))
    return put(t.seen_if, c=prose.claim(node, {"owner": owner, "viewer": viewer}))


# -------------------------------------------------------------------------------------- variables


def kept(prose: Prose) -> Section | None:
    """The variables that people see."""
    settled, labels, t = prose.settled, prose.labels, prose.t
    items = []
    for decl in settled.outline.variables:
        variable = settled.variables.get(decl.at.name)
        if variable is None or not settled.is_on(decl.at.when) or decl.remembers is not None:
            continue
        if variable.name in settled.game.view.hides or variable.name not in prose.placed:
            continue
        said = []
        about = labels.about(f"variable {variable.name}")
        if about:
            said.append(sentence(about))
        bounds = _values(prose, variable.type)
        starts = set(variable.start)
        bare = variable.type.inner if isinstance(variable.type, Optional) else variable.type
        if len(starts) == 1 and isinstance(bare, Int | Bool | Enum):
            start = settled.text(variable.type, starts.pop())
            began = f"{t.from_start}{t.colon} {start}"
            bounds = prose.speech.and_so.join(filter(None, [bounds, began]))
        if bounds:
            said.append(sentence(bounds))
        lead = labels.variable(variable.name)
        own = any(isinstance(each, Player) for each in variable.indexes)
        others = [
            _of_type(prose, each) for each in variable.indexes if not isinstance(each, Player)
        ]
        if others:
            lead = put(t.at_index, a=lead, b=", ".join(others))
        if own:
            lead = put(prose.t.each_has, a=lead)
        items.append(Item(" ".join(said), _title(lead)))
    return Section(t.kept_title, (Listing(tuple(items)),)) if items else None


def _values(prose: Prose, type_: Type) -> str:
    match type_:
        case Optional(inner):
            return _values(prose, inner)
        case Order():
            return prose.t.all_players
        case Enum():
            return prose.listed([prose.labels.word(each) for each in prose.labels.texts(type_)])
    # The numbers between which a value lies are for the program: no rule holds it there.
    return "" if isinstance(type_, Bool | Int) else prose.noun(prose.sort_of_type(type_))


# ----------------------------------------------------------------------------------- what they do


def pieces(prose: Prose) -> Section | None:
    """What the rules of rows do, where no text says it."""
    sections = []
    for kind in prose.settled.game.kinds:
        if kind.total and prose.settled.slots(kind.name):
            items = list(_rules_of_rows(prose, kind))
            if items:
                title = _title(prose.labels.kind(kind.name, 2))
                sections.append(Section(title, (Listing(tuple(items)),)))
    return Section(prose.t.pieces_title, (), tuple(sections)) if sections else None


def _rules_of_rows(prose: Prose, kind: Kind) -> Iterator[Item]:
    slots = prose.settled.slots(kind.name)
    labels = prose.labels
    this = Local(put(prose.t.this, noun=labels.kind(kind.name)), prose.sort_named(kind.name))
    there = {name for at, name in enumerate(kind.rows) if _copies(kind, at)}
    for row in prose.settled.declared(kind.name).rows:
        about = labels.about(f"row {kind.name} {row.name}")
        if row.name not in there or (about and not row.listed):
            continue
        parts = []
        for slot in slots:
            written = next(
                (node for key, node in row.values if key.text == slot.signature.name), None
            )
            if written is not None:
                parts += _slot(prose, slot, written, this, len(slots) > 1, kind)
        if parts:
            lead = _title(labels.component(kind.name, row.name))
            if len(parts) == 1 and not parts[0].lead:
                if sentence(lead) != parts[0].text:
                    # Else it is called by what it does.
                    yield Item(parts[0].text, lead, parts[0].items)
            else:
                yield Item("", lead, tuple(parts))


def _slot(
    prose: Prose, slot: d.RuleSlot, written: Node, this: Local, several: bool, kind: Kind
) -> list[Item]:
    scope = {"this": this}
    for each in slot.signature.parameters:
        sort = prose.sort_written(each.type) if each.type else prose.sort(each.source, scope)
        scope = prose.with_local(scope, each.name, sort)
    title = _title(prose.labels.named(f"column {kind.name}", slot.signature.name))
    if slot.type is None:
        body, _ = row_rule(written, slot.signature)
        items = list(prose.block(body, scope))
    else:
        node = prose.settled.parsed(written)
        if node is None:
            return []
        truth = prose.sort_written(slot.type).what == "truth"
        if truth:
            known = prose.settled.decided(node)
            if known is False:
                return []
            said = prose.claim(node, scope)
        else:
            said = prose.value(node, scope)
        items = [Item(sentence(said))]
    if not several:
        return items
    if len(items) == 1 and not items[0].lead:
        return [Item(items[0].text, title, items[0].items)]
    return [Item("", title, tuple(items))] if items else []


def _copies(kind: Kind, at: int) -> int:
    return sum(kind.copies[at * kind.owners : (at + 1) * kind.owners])
