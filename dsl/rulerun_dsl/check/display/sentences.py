"""Sentences for people: what texts say of the settings, and what translations say of sentences.

Assumes: declarations that can be asked for; texts of a sound shape.
Does: works out `<expression>` of a text where the settings decide it, and leaves what is a column
of a row, or a parameter of a rule. Holds the `<…>` of a translated sentence against those of the
sentence itself: they are values of the same places, told in another order.
Leaves behind: texts, each in one line; findings about names that are not there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, constants, facts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.placeholders import pieces, values
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar

_NUMBER = "\0"
"""Behind a number that was put in, until the words behind it have their forms."""

_FORMS = re.compile(r"(-?\d+)\0([^<\0|]*?)\[([^\[\]|]*)\|([^\[\]]*)\]")

_TRUE, _FALSE = "\1", "\2"
"""A truth value that was put in, until the brackets around it are decided."""

_WITHIN = r"(?:[^\[\]]|\[[^\[\]|]*\|[^\[\]]*\])*"
_DECIDED = re.compile(rf"\[({_WITHIN}[{_TRUE}{_FALSE}]{_WITHIN})\]")

STORY_NAMES = {
    "moves": ("owner", "giver", "what", "list", "count", "from", "to"),
    "values": ("owner", "what", "value", "change"),
    "choices": ("player", "what"),
    "phases": (),
}
"""What a sentence of `story:` may name."""


def one_line(text: str) -> str:
    """A text without its line breaks."""
    return " ".join(text.split())


def places(text: str) -> list[str]:
    """What stands in `<…>` of a text, in order.

    >>> places("<you> takes <count(trick)> of << 3")
    ['you', 'count(trick)']
    """
    said = one_line(text)
    return [one_line(said[start:end]) for start, end in values(said)]


def bare(text: str) -> str:
    """A text without what stands in `<…>`."""
    return "".join(text[start:end] for kind, start, end in pieces(text) if not kind)


def settled(world: World, key: str, part: str, text: Scalar, language: str) -> str:
    """A text with what the settings decide put in, in a language."""
    if "<" not in text.text:
        return one_line(text.text)
    template, found = world.texts.template(text)
    world.diagnostics.extend(found)
    kept = _kept(world, key, part)
    scope = Scope(this=_this(world, key, text.span))
    said = ""
    for each in template.parts if template is not None else ():
        if isinstance(each, str):
            said += each.replace("<", "<<")
        elif isinstance(each, s.Name) and each.text in kept:
            place = (
                each.text if key.startswith(("row ", "rows ")) else str(1 + kept.index(each.text))
            )
            said += f"<{place}>"
        else:
            said += _worked_out(world, each, scope, kept)
    return one_line(_with_forms(_decided(said), language))


def _decided(text: str) -> str:
    """A text in which truth values have decided on the brackets around them."""

    def kept(found: re.Match[str]) -> str:
        return "" if _FALSE in found[1] else found[1].replace(_TRUE, "")

    while "[" in text and (said := _DECIDED.sub(kept, text)) != text:
        text = said
    return text.replace(_TRUE, "<=true>").replace(_FALSE, "<=false>")


def _with_forms(text: str, language: str) -> str:
    """A text in which numbers that were put in have chosen the form of the word behind them."""

    def chosen(found: re.Match[str]) -> str:
        number = abs(int(found[1]))
        single = number < 2 if language == "fr" else number == 1
        return found[1] + found[2] + found[3 if single else 4]

    return (_FORMS.sub(chosen, text) if "[" in text else text).replace(_NUMBER, "")


def _kept(world: World, key: str, part: str) -> tuple[str, ...]:
    """The names that stay as they are until it is known which row, which argument."""
    word, *rest = key.split(" ")
    if word in ("row", "rows"):
        kind = component_kinds.kind(world, rest[0])
        columns = (column.name for column in kind.decl.columns)
        return (*columns, *(slot.signature.name for slot in kind.decl.slots))
    if word == "action" and part == "name":
        return dict(world.outline.action_parameters).get(rest[0], ())
    if word == "rule":
        outline = world.outline
        signatures = [each.signature for each in outline.functions]
        signatures += [each.signature for each in outline.procedures]
        rule = next((each for each in signatures if each.name == rest[0]), None)
        return () if rule is None else tuple(each.name for each in rule.parameters)
    return ()


def _this(world: World, key: str, span: Span) -> m.Expression | None:
    """`this`: the row or value that a text is about."""
    word, _, rest = key.partition(" ")
    owner, _, name = rest.partition(" ")
    type_: t.Scalar
    if word == "row":
        type_ = t.Row(owner)
    elif word == "value" and owner in world.by_kind["type"]:
        type_ = facts.declared_type(world, owner)
    else:
        return None
    members = facts.members(world, type_)
    # A row of a module that is off is nothing that could be asked for.
    return m.Literal(type_, span, members.index(name)) if name in members else None


def _worked_out(world: World, node: s.Expression, scope: Scope, kept: tuple[str, ...]) -> str:
    if isinstance(node, s.Name) and node.text not in world.declared:
        world.unknown(node.text, node.span, "name to put in", (*kept, *world.by_kind["option"]))
        return ""
    with world.once():
        found = constants.fold(world, elaborate.check(world, scope, node))
    if isinstance(found, m.Literal):
        if isinstance(found.type, t.Bool):
            return _TRUE if found.value else _FALSE
        said = facts.name_of(world, found.type, found.value)
        # A number decides on forms; a name has words, which may stand in another language.
        return said + _NUMBER if isinstance(found.type, t.Int) else f"<={said}>"
    if isinstance(found.type, t.Collection):
        many = constants.members_of(world, found)
        if many is not None:
            element = found.type.element
            return "<=" + ",".join(facts.name_of(world, element, each) for each in many) + ">"
    if not isinstance(found.type, t.Unknown):
        also = ", ".join(f"`{name}`" for name in kept)
        world.report(
            "RR0752",
            f"`{one_line(node.span.text)}` is not known before play",
            node.span,
            help="a text may name options and constants" + (f", and {also}" if also else ""),
        )
    return ""


def check_story(world: World, section: str, text: Scalar) -> None:
    """Report what a sentence of `story:` names and there is not."""
    known = STORY_NAMES[section]
    for start, end in values(text.text):
        name = text.text[start:end]
        if name not in known:
            world.unknown(name, text.span_of(start, end), "value", known)


def every(world: World) -> tuple[str, ...]:
    """All sentences of the rules file that people may read."""
    outline = world.outline
    said = [*outline.sentences, *(each.say for each in outline.constraints)]
    nodes: list[Node] = [decl.node for decl in outline.story]
    nodes += [formats for decl in outline.view if (formats := decl.node.get("formats"))]
    said += [text for node in nodes for text in _texts(node)]
    return tuple(dict.fromkeys(one_line(each) for each in said if each and each != "silent"))


def _texts(node: Node) -> Iterator[str]:
    for entry in node.entries if isinstance(node, Mapping) else ():
        if isinstance(entry.value, Scalar):
            yield entry.value.text
        else:
            yield from _texts(entry.value)


def translated(
    world: World, known: tuple[str, ...], key: Scalar, value: Scalar
) -> tuple[str, str] | None:
    """A sentence and what it is in another language."""
    sentence, text = one_line(key.text), one_line(value.text)
    if sentence not in known:
        close = world.guess(sentence, known)
        world.report(
            "RR0753",
            "no rule says this sentence",
            key.span,
            help=f"did you mean “{close}”?" if close else "write it as it stands in the rules file",
        )
        return None
    there = places(sentence)
    for start, end in values(value.text):
        name = one_line(value.text[start:end])
        if name not in there:
            listed = ", ".join(f"`<{each}>`" for each in there)
            world.report(
                "RR0752",
                f"the sentence says nothing of `{name}`",
                value.span_of(start, end),
                help=f"it has {listed}" if listed else "it has no `<…>`",
            )
    return sentence, text
