"""The patterns by which rules are put into words, in one language.

Every language gives every pattern, or it is no `RulePhrases`. What stands in `<…>` is put in; a
part in brackets is left out where a value in it is nothing; `[is|are]` is the form of a word behind
a value (see `runtime.phrases`): first for who reads it, else the second. `<a>`, `<b>` and `<c>` are
values in the order in which rules have them, a condition is `<c>`.

The patterns fit nouns and names without knowing their gender or case, so a language with many forms
sets names beside one another rather than into a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module

from rulerun_dsl.source.frozen import frozen


@frozen
class RulePhrases:
    """All patterns in one language."""

    # Titles of the book.
    rules_of: str
    """How it is called: `<a>` is the game."""
    no_texts: str
    """In front of a book that is in another language, for want of texts in this one."""
    for_players: str
    """For whom: `<a>` is their number."""
    here_with: str
    """With how many it is played here."""
    as_chosen: str
    """With what it is played here that is not as ever: `<a>` lists it."""
    the_box: str
    places_title: str
    kept_title: str
    setup_title: str
    flow_title: str
    steps_title: str
    pieces_title: str
    terms_title: str
    end_title: str
    options_title: str
    sources_title: str
    assumed_title: str
    variants_title: str

    # Heads of tables, and sentences of the book itself.
    name: str
    many: str
    each_player_has: str
    """`<a>` components for each player, or for each of something: `<b>`."""
    there_are: str
    starts_in: str
    what_it_does: str
    who_sees: str
    seen_by_owner: str
    seen_by_nobody: str
    seen_by_everybody: str
    seen_if: str
    pile: str
    at_random: str
    one_only: str
    at_most_held: str
    refilled: str
    from_start: str
    each_has: str
    """What every player has one of, as a title."""
    choice: str
    chosen: str
    sets: str
    never_together: str
    who_wins: str
    wins_if: str
    most_points: str
    fewest_points: str
    points_of: str
    decides_ties: str
    tied: str
    everybody_wins: str
    nobody_wins: str
    out_if: str
    after_last_phase: str
    nothing_decides: str
    assumed_options: str
    tables_title: str
    grid_of: str
    next_to: str
    sites: str
    about_terms: str
    about_as_written: str
    automa: str
    before_that: str
    after_that: str
    instead: str
    phase_if: str

    # Nouns.
    player: str
    players: str
    number: str
    numbers: str
    place: str
    places: str
    thing: str
    things: str
    kind_of: str
    owner: str
    points: str
    who_won: str
    all_players: str
    all_people: str
    this: str
    every: str
    every_value: str

    # Names that are bound.
    colon: str
    """Behind what a sentence or point is about."""
    quoted: str
    met: str
    """A thing as it is told first; later it is `that`."""
    met_by_name: str
    that: str
    that_player: str
    as_written: str
    term: str
    """A function by its name, of arguments."""
    term_title: str
    term_holds: str
    term_holds_not: str

    # Values.
    prepositions: str
    """With these the name of a zone may end before the place where it lies."""
    at_place: str
    at_index: str
    nth_of: str
    whose_long: str
    """What somebody has, where the name of who it is would be too long for a genitive."""
    noun_in: str
    noun_of: str
    of: str
    rule_of: str
    after: str
    otherwise: str
    range: str
    whether: str
    plus: str
    minus: str
    times: str
    divided: str
    divided_down: str
    rest: str
    power: str
    if_else: str
    count_of: str
    count_in: str
    sum_of: str
    max_of: str
    min_of: str
    max_among: str
    min_among: str
    packing_of: str
    first: str
    last: str
    first_of: str
    last_of: str
    highest: str
    lowest: str
    all_highest: str
    all_lowest: str
    highest_of: str
    lowest_of: str
    all_highest_of: str
    all_lowest_of: str
    then_by: str
    such_that: str
    so_long: str
    for_each_of: str
    others_than_you: str
    your_opponent: str
    library: Mapping[str, str]
    """By word of the library: what it gives of `<a>`, `<b>` and `<c>`."""

    # Conditions.
    always: str
    never: str
    is_: str
    is_not: str
    equals: str
    """Of numbers; `is_` is of things."""
    equals_not: str
    less: str
    more: str
    at_least: str
    at_most: str
    is_in: str
    is_not_in: str
    is_so: str
    is_not_so: str
    is_so_now: str
    is_not_so_now: str
    holds: str
    holds_not: str
    not_so: str
    is_none: str
    is_some: str
    is_unset: str
    is_set: str
    has: str
    has_no: str
    is_nobody: str
    is_somebody: str
    empty: str
    not_empty: str
    there_is: str
    there_is_no: str
    contains: str
    lacks: str
    some_one: str
    every_one: str
    for_those: str
    some_hold: str
    all_hold: str
    alike: str
    unlike: str
    claim_if_else: str
    means: str

    # Steps.
    it_depends: str
    it_depends_on: str
    until: str
    times_over: str
    together: str
    turns: str
    in_order: str
    in_order_if: str
    for_each: str
    if_so: str
    otherwise_so: str
    else_lead: str
    again: str
    stop: str
    stop_that: str
    end_game: str
    end_game_nobody: str
    end_game_won: str
    give: str
    let: str
    let_whether: str
    let_move: str
    add: str
    take_away: str
    becomes: str
    becomes_so: str
    becomes_not_so: str
    becomes_whether: str
    changes_over: str
    from_now: str
    move_it: str
    move_all: str
    move_those: str
    move_some: str
    move_up_to: str
    so_many: str
    from_otherwise: str
    shuffle: str
    swap: str
    show: str
    show_all: str
    roll: str
    pick: str
    sort: str
    reset: str
    all_of: str
    remember: str
    do: str
    do_rule: str
    done_by: str
    as_otherwise: str
    as_before: str
    nothing_happens: str

    # Decisions.
    choose: str
    choose_one: str
    if_possible: str
    also: str
    seen_by_all: str
    or_nothing: str
    nothing_possible: str
    any_times: str
    each_once: str
    so_often: str
    until_done: str
    only_if: str
    needs: str
    """Where conditions are told by names of what is needed: `a free space`."""
    see_there: str

    contractions: tuple[tuple[str, str], ...] = ()
    """What runs together where patterns meet: regular expressions, and what stands for them."""

    def contracted(self, text: str) -> str:
        """A text in which what meets has run together: `du joueur` for `de le joueur`."""
        for pattern, instead in self.contractions:
            text = re.sub(pattern, instead, text)
        return text


SHIPPED: Mapping[str, str] = {"en": "english_rules", "fr": "french_rules", "de": "german_rules"}
"""By code: the module that holds it."""


def rule_phrases(code: str) -> RulePhrases:
    """The patterns of a language that is shipped."""
    found = import_module(f"rulerun.words.{SHIPPED[code]}").PHRASES
    assert isinstance(found, RulePhrases)
    return found
