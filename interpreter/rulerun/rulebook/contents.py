"""A rulebook of a game: what stands in it, in which order.

Assumes: a rules file, a game that was made of it for some settings, and what its things are called
in the language of the reader.
Does: has each part told, first what happens: functions and procedures are told once all that may
name them is, and of zones and variables those that are named.
Leaves behind: a `Book`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rulerun.rulebook import course, equipment, outcome
from rulerun.rulebook.book import Block, Book, Paragraph, retold
from rulerun.rulebook.prose.choice_prose import Prose
from rulerun.rulebook.prose.naming import put
from rulerun.rulebook.settled import Settled
from rulerun.words.labels import Labels
from rulerun.words.narration import sentence
from rulerun.words.rule_phrases import rule_phrases
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import Game


def book_for(
    loaded: Loaded,
    game: Game,
    labels: Labels,
    variants: Sequence[str] = (),
    *,
    typed: bool = False,
) -> Book:
    """The rulebook for a reader, in one language.

    Where a game has no texts in the language of the reader, the labels are those of its rules, and
    the book begins by saying so. `typed`: options and variants come with what is typed for them.
    """
    book = rulebook(loaded, game, labels, variants, typed=typed)
    if not labels.unspoken:
        return book
    t = rule_phrases(labels.unspoken)
    return replace(book, opening=(Paragraph(t.no_texts), *book.opening))


def rulebook(
    loaded: Loaded,
    game: Game,
    labels: Labels,
    variants: Sequence[str] = (),
    *,
    typed: bool = False,
) -> Book:
    """The rulebook of `game`, which is made from `loaded`, in the language of `labels`.

    `variants` are those that were asked for. The rest is as `book_for` has it.
    """
    prose = Prose(Settled(loaded, game, labels))
    begin, flow = course.setup(prose), course.flow(prose)
    pieces, end = equipment.pieces(prose), outcome.ending(prose)
    steps, terms, late = course.steps(prose), course.terms(prose), course.steps(prose)
    parts = (
        equipment.the_box(prose),
        equipment.places(prose),
        equipment.kept(prose),
        begin,
        flow,
        steps,
        pieces,
        end,
        terms,
        late,
        equipment.tables(prose),
        outcome.options(prose, tuple(variants), typed=typed),
        outcome.sources(prose),
    )
    joined = prose.t.contracted
    return Book(
        put(prose.t.rules_of, a=labels.title),
        prose.speech.code,
        retold(tuple(_opening(prose, variants)), joined),
        retold(tuple(each for each in parts if each and (each.blocks or each.sections)), joined),
        prose.t.colon,
        prose.unworded,
    )


def _opening(prose: Prose, variants: Sequence[str]) -> list[Block]:
    """What the game is about, for how many, and what is special here."""
    t, labels, game = prose.t, prose.labels, prose.settled.game
    blocks: list[Block] = []
    if labels.about_game:
        blocks.append(Paragraph(sentence(labels.about_game)))
    low, high = prose.settled.outline.player_range
    many = str(low) if low == high else put(t.range, a=str(low), b=str(high))
    said = [put(t.for_players, a=many)]
    if low != high:
        said.append(put(t.here_with, a=labels.filling(game.people)))
    people = game.players[: game.people]
    if any(labels.has_words(f"player {each}") for each in people) or low == high:
        said[-1] = put(t.here_with, a=labels.filling(game.people), b=labels.players(people))
    said += [put(t.automa, a=labels.player(each)) for each in game.players[game.people :]]
    chosen = [labels.named("variant", each) for each in variants]
    changed = [
        f"{labels.named('option', option.name)}{t.colon} "
        f"{prose.settled.text(option.type, option.value)}"
        for option in game.options
        if prose.settled.is_changed(option)
    ]
    if chosen or changed:
        said.append(put(t.as_chosen, a=prose.listed([*chosen, *changed])))
    blocks.append(Paragraph(" ".join(said)))
    if prose.unworded:
        blocks.append(Paragraph(t.about_as_written))
    return blocks
