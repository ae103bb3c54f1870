"""What a declared name is, in words: for hovering over it and beside it in a list.

Assumes: an `Analysis`.
Leaves behind: short texts in Markdown.
"""

from __future__ import annotations

from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.check.env import component_kinds, domains, facts, options, tables
from rulerun_dsl.check.env.recorder import Symbol
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import branching
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations

_MOST_NAMES = 12


def type_of(analysis: Analysis, word: str, name: str) -> t.Type | None:
    """The type of a declared name, as the analysis knows it; None for what has none."""
    world = analysis.world
    if world is None or name not in world.by_kind.get(word, {}):
        return None
    match word:
        case "variable":
            return facts.variable(world, name).type
        case "zone":
            zone = facts.zone(world, name)
            return t.Zone(zone.kind, name, not zone.indexes, zone.one) if zone is not None else None
        case "function":
            made = branching.function_facts(world, name)
            return made.result if made is not None else None
        case "option":
            return options.type_of(world, name)
        case "table":
            return tables.table(world, name).type
        case "constant":
            decl = world.by_kind[word][name]
            assert isinstance(decl, declarations.ConstantDecl)
            if decl.value is None:
                return t.ANY_INT
            return world.makers.elaborate(world, decl.value, None, {}).type
        case "kind" | "board" | "type":
            return domains.all_of(world, name, world.declared[name][1].span).type
        case _:
            return None


def values_of(analysis: Analysis, option: str) -> tuple[str, ...]:
    """The names of the values that an option may have."""
    type_ = type_of(analysis, "option", option)
    if type_ is None or analysis.world is None:
        return ()
    return facts.members(analysis.world, type_)


def detail_of(analysis: Analysis, world: World, word: str, name: str) -> str:
    """A declared name in a few words: its signature or its type."""
    decl = world.by_kind.get(word, {}).get(name)
    if isinstance(decl, declarations.FunctionDecl | declarations.ProcedureDecl):
        result = type_of(analysis, word, name)
        gives = f" → {result}" if result is not None and not isinstance(result, t.Unknown) else ""
        return decl.signature.span.text + gives
    if isinstance(decl, declarations.ActionDecl):
        return decl.line.signature.span.text
    if isinstance(decl, declarations.ZoneDecl):
        kind = decl.kind.text if decl.kind is not None else "?"
        return f"{decl.at.span.text}: {'one ' if decl.one else ''}{kind}"
    if isinstance(decl, declarations.VariableDecl):
        declared = decl.type.span.text if decl.type is not None else "a history"
        return f"{decl.at.span.text}: {declared}"
    if isinstance(decl, declarations.KindDecl):
        return f"{len(decl.rows) or 1} rows" if decl.every is None else decl.every.span.text
    if isinstance(decl, declarations.TypeDecl) and decl.alias is None:
        names = [each.text for each in decl.members] or [each.name for each in decl.rows]
        more = "…" if len(names) > _MOST_NAMES else ""
        return ", ".join(names[:_MOST_NAMES]) + more
    type_ = type_of(analysis, word, name)
    return "" if type_ is None or isinstance(type_, t.Unknown) else str(type_)


_ABOUT = {"function": "rule", "procedure": "rule"}


def about_of(analysis: Analysis, word: str, name: str, of: str = "") -> str:
    """What an `about:` says of a declared name."""
    if analysis.outline is None:
        return ""
    key = f"{_ABOUT.get(word, word)} {name}"
    wanted = (
        {key} if word != "member" else {f"{each} {of} {name}" for each in ("row", "value", "site")}
    )
    for each in analysis.outline.abouts:
        if each.key in wanted:
            return each.text.text
    return ""


def visibility_of(analysis: Analysis, word: str, name: str) -> str:
    """Who sees a zone or variable, as it is written."""
    world = analysis.world
    if world is None or word not in ("zone", "variable"):
        return ""
    decl = world.by_kind[word].get(name)
    assert isinstance(decl, declarations.ZoneDecl | declarations.VariableDecl | None)
    if decl is None:
        return ""
    node = decl.visible_here or decl.at.visible
    text = "Nothing says who sees it." if node is None else f"Seen by `{node.span.text}`."
    return text + (" (The default around it.)" if decl.visible_here is None and node else "")


def value_names(world: World, type_: t.Type | None) -> str:
    """The names of the values of a type, where they are few."""
    if type_ is None or isinstance(t.bare(type_), t.Player | t.Bool):
        return ""
    names = facts.members(world, t.bare(type_))
    if not names:
        return ""
    more = f", … ({len(names)})" if len(names) > _MOST_NAMES else ""
    return ", ".join(f"`{each}`" for each in names[:_MOST_NAMES]) + more


def described(analysis: Analysis, symbol: Symbol, type_: t.Type | None) -> str:
    """A name in Markdown: what it is, of which type, who sees it, what is said of it."""
    world = analysis.world
    if symbol.word == "library" or symbol.word == "language":
        return _of_language(symbol)
    parts = []
    if symbol.word == "member":
        parts.append(f"**{symbol.name}**: a {symbol.of}")
    elif symbol.word in ("local", "column", "attribute", "slot", "player"):
        of = f": `{type_}`" if type_ is not None and not isinstance(type_, t.Unknown) else ""
        parts.append(f"**{symbol.name}** ({symbol.word}){of}")
    elif world is not None:
        detail = detail_of(analysis, world, symbol.word, symbol.name)
        parts.append(f"**{symbol.name}** ({symbol.word})" + (f": `{detail}`" if detail else ""))
        parts.append(visibility_of(analysis, symbol.word, symbol.name))
        if symbol.word == "kind" and symbol.name in world.by_kind["kind"]:
            made = component_kinds.kind(world, symbol.name)
            columns = [f"`{each}`: {column.type}" for each, column in made.rows.columns.items()]
            columns += [f"`{each}`: {of_}" for each, (of_, _, _) in made.attributes.items()]
            parts.append(", ".join(columns))
    if world is not None and symbol.word in ("variable", "local", "column", "attribute", "option"):
        parts.append(value_names(world, type_))
    parts.append(about_of(analysis, symbol.word, symbol.name, symbol.of))
    return "\n\n".join(each for each in parts if each)


def _of_language(symbol: Symbol) -> str:
    row = LIBRARY.get(symbol.name) if symbol.word == "library" else None
    if row is not None:
        forms = "\n".join(f"- `{form}`" for form in row.forms)
        return f"**{symbol.name}**: {row.about}\n\n{forms}"
    return f"**{symbol.name}**: {_LANGUAGE.get(symbol.name, 'a word of the language')}"


_LANGUAGE = {
    "bool": "true or false",
    "int": "any whole number; only parameters of functions have it",
    "player": "one of the players",
    "players": "all players",
    "people": "the players that are no automata",
    "owner": "the player to whom what is seen belongs",
    "direction": "a direction of the board",
}


def written_at(span: Span) -> str:
    """Where something is written, for people."""
    file = span.source.name.rpartition("/")[2]
    return f"{file}:{span.line}"
