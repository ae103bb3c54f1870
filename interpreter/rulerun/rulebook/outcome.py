"""How a game ends and who wins; options, variants, sources, and what had to be assumed.

Assumes: what puts rules into words.
Leaves behind: sections.
"""

from __future__ import annotations

import re

from rulerun.rulebook.book import Block, Item, Listing, Paragraph, Section
from rulerun.rulebook.prose.choice_prose import Prose
from rulerun.rulebook.prose.naming import Local, Scope, put
from rulerun.runtime.phrases import SELF
from rulerun.runtime.wording import words
from rulerun.words.narration import sentence
from rulerun_dsl.model import Citation
from rulerun_dsl.model.valuetypes import Bool, Enum, Int, Player, Type
from rulerun_dsl.source.safe_text import clean
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s


def ending(prose: Prose) -> Section:
    """When the game is over, and who wins."""
    t = prose.t
    scoring = prose.settled.outline.scoring
    blocks: list[Block] = []
    if prose.settled.outline.phases:
        blocks.append(Paragraph(t.after_last_phase))
    items = _lines(prose, scoring.points)
    said = []
    if items:
        blocks += [Paragraph(t.points_of), Listing(tuple(items))]
    about = {name: prose.labels.about(f"line {name}") for name in ("ties", "out", "winner")}
    if about["winner"]:
        said.append(about["winner"])
    elif isinstance(scoring.winner, s.Superlative):
        most = scoring.winner.direction == "highest"
        if scoring.winner.score == "points":
            said.append(t.most_points if most else t.fewest_points)
        else:
            name = s.Name(scoring.winner.span, scoring.winner.score)
            score = prose.value(name, {})
            pattern = t.all_highest if most else t.all_lowest
            said.append(put(t.who_wins, a=put(pattern, a=t.players, by=score)))
    elif isinstance(scoring.winner, s.Nothing):
        said.append(t.nothing_decides)
    elif scoring.winner is not None:
        said.append(_winner(prose, scoring.winner))
    elif items:
        said.append(t.most_points)
    ties = [
        prose.value(each.value, _whose(prose, each.signature))
        for each in scoring.ties
        if not _fixed(prose, each)
    ]
    if ties and about["ties"]:
        said.append(about["ties"])
    elif ties:
        said.append(put(t.decides_ties, a=t.then_by.join(ties)))
    if items or isinstance(scoring.winner, s.Superlative):
        equal = {"everybody": t.everybody_wins, "nobody": t.nobody_wins}
        said.append(equal.get(scoring.equal, t.tied))
    if scoring.out is not None and scoring.out_parameter is not None:
        scope = _whose(prose, scoring.out_parameter)
        if prose.settled.decided(scoring.out, scope) is not False:
            claim = about["out"] or put(t.out_if, c=prose.claim(scoring.out, scope))
            said.append(claim)
    if not said:
        said.append(t.nothing_decides)
    blocks.append(Paragraph(" ".join(map(sentence, said))))
    return Section(t.end_title, tuple(blocks))


def _fixed(prose: Prose, line: d.ScoringLine) -> bool:
    """Whether a line is the same for everybody."""
    return prose.known(line.value, _whose(prose, line.signature)) is not None


def _winner(prose: Prose, node: s.Expression) -> str:
    """Who wins: a player of whom something holds, or what the rules call the winner."""
    match node:
        case s.Call(name="first", arguments=(s.Filtered(_, subject, condition, (), None),)) if (
            condition is not None
        ):
            return put(prose.t.wins_if, c=prose.claim(condition, prose.inside(subject, {})))
    return put(prose.t.who_wins, a=prose.value(node, {}))


def _whose(prose: Prose, signature: s.Signature) -> Scope:
    """The scope of a line of scoring: whom it is about is `you`."""
    you = Local(prose.speech.you, prose.sort_of_type(Player()), SELF)
    return {each.name: you for each in signature.parameters} | {"you": you}


def _lines(prose: Prose, lines: tuple[d.ScoringLine, ...]) -> list[Item]:
    items = []
    for line in lines:
        scope = _whose(prose, line.signature)
        known = prose.known(line.value, scope)
        if known is not None and known[1] == 0:
            continue
        label = prose.labels.line(line.label) if line.label else ""
        text = prose.labels.about(f"line {line.label}") or prose.value(line.value, scope)
        items.append(Item(sentence(text), label[:1].upper() + label[1:]))
    return items


# ---------------------------------------------------------------------------------------- options


def options(prose: Prose, variants: tuple[str, ...], *, typed: bool = False) -> Section | None:
    """What may be chosen before a game, and what is chosen here.

    `typed`: with what a command line takes.
    """
    settled, labels, t = prose.settled, prose.labels, prose.t
    rows = []
    values = {each.name: each for each in settled.game.options}
    for decl in settled.outline.options:
        option = values.get(decl.at.name)
        if option is None:
            continue
        about = labels.about(f"option {decl.at.name}") or clean(decl.about)
        here = settled.text(option.type, option.value)
        if settled.is_changed(option):
            here = f"{here} ({t.chosen})"
        name = labels.named("option", decl.at.name)
        choice = put(t.choice, a=_choices(prose, option.type), b=here)
        text = " ".join(map(sentence, filter(None, [about, choice])))
        text += f" `--set {option.name}={_written(prose, option.type)}`" if typed else ""
        rows.append(Item(text, name[:1].upper() + name[1:]))
    blocks: list[Block] = []
    if rows:
        blocks.append(Listing(tuple(rows)))
    sections = []
    items = []
    for each in settled.outline.variants:
        name = each.at.name
        label = labels.named("variant", name)
        lead = label[:1].upper() + label[1:] + (f" ({t.chosen})" if name in variants else "")
        about = labels.about(f"variant {name}") or clean(each.about)
        sets = [_set(prose, key.text, value.text) for key, value in each.values]
        said = [sentence(about)] if about else []
        if sets:
            said.append(put(t.sets, a=prose.listed(sets)))
        said += [f"`--variant {name}`"] if typed else []
        items.append(Item(" ".join(said), lead))
    if items:
        sections.append(Section(t.variants_title, (Listing(tuple(items)),)))
    never = []
    for constraint in settled.outline.constraints:
        if constraint.say:
            never.append(Item(sentence(labels.said_alone(constraint.say))))
        else:
            never.append(Item(sentence(prose.claim(constraint.condition, {}))))
    if never:
        sections.append(Section(t.never_together, (Listing(tuple(never)),)))
    if not blocks and not sections:
        return None
    return Section(t.options_title, tuple(blocks), tuple(sections))


def _set(prose: Prose, name: str, text: str) -> str:
    labels = prose.labels
    option = next((each for each in prose.settled.game.options if each.name == name), None)
    value = labels.value_text(text) if option is None else labels.of_type(option.type, text)
    return f"{labels.named('option', name)}{prose.t.colon} {value}"


def _written(prose: Prose, type_: Type) -> str:
    """The values of an option as a command line takes them."""
    match type_:
        case Bool():
            return "true|false"
        case Int(low, high):
            return f"{low}..{high}"
    return "|".join(prose.labels.texts(type_)) or "…"


def _choices(prose: Prose, type_: Type) -> str:
    speech = prose.speech
    match type_:
        case Bool():
            return prose.listed([speech.yes, speech.no], either=True)
        case Int(low, high):
            return put(prose.t.range, a=str(low), b=str(high))
        case Enum() | Player():
            names = [prose.labels.of_type(type_, each) for each in prose.labels.texts(type_)]
            return prose.listed(names, either=True)
    return prose.noun(prose.sort_of_type(type_))


# ---------------------------------------------------------------------------------------- sources


def sources(prose: Prose) -> Section | None:
    """Whence the rules come, and what had to be assumed.

    Which rule of a source is cited where, `show` says: the numbers mean nothing without it.
    """
    settled, t = prose.settled, prose.t
    named = [
        Item(sentence(clean(text)), clean(words(name)))
        for name, text in settled.outline.sources
        if name != "cite"
    ]
    blocks: list[Block] = [Listing(tuple(named))] if named else []
    options = {each.name for each in settled.game.options}
    assumed = [each for each in settled.game.citations if each.assumed]
    reasons = {each.subject: _assumed(prose, each) for each in assumed}
    # What an option decides stands with the options: here is why, where that is written.
    decided = [each for each in reasons if each in options and not reasons[each].text]
    told: list[Block] = []
    if decided:
        names = prose.listed([prose.labels.named("option", each) for each in decided])
        told.append(Paragraph(sentence(put(t.assumed_options, a=names))))
    items = tuple(each for each in reasons.values() if each.text)
    if items:
        told.append(Listing(items))
    sections = (Section(t.assumed_title, tuple(told)),) if told else ()
    return Section(t.sources_title, tuple(blocks), sections) if blocks or sections else None


def _assumed(prose: Prose, citation: Citation) -> Item:
    """What had to be assumed: what it is about, and why, if that is more than a number."""
    labels, name = prose.labels, citation.subject
    groups = ("variable", "zone", "kind", "board", "type", "phase", "option")
    group = next((each for each in groups if labels.has_words(f"{each} {name}")), "")
    lead = labels.named(group, name) if group else clean(words(name))
    why = _in_words(prose, citation.assumed or "")
    return Item(sentence(why) if why else "", lead)


def _in_words(prose: Prose, assumed: str) -> str:
    """What stands behind the numbers of an assumption, for who reads the language of the rules."""
    outline = prose.settled.outline
    if prose.speech.code != outline.written_in:
        return ""
    pattern = dict(outline.sources).get("cite")
    numbers = list(re.finditer(pattern, assumed)) if pattern else []
    rest = assumed[numbers[-1].end() :] if numbers else assumed
    said = clean(rest).strip(" .,;:()")
    return said[:1].upper() + said[1:] if " " in said else ""
