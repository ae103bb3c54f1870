"""The sentences of tables and logs that belong to no game, in one language.

Every language gives every sentence, or it is no `Language`. A name in braces is put in by
`str.format`; `[one|several]` behind a number or a player is the form of a word, as in a sentence of
the rules (see `runtime.phrases`). What a table is for is the same in every language, so what people
type (`undo`, `log`) has a word in each, and the English word works everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module

from rulerun_dsl.source.frozen import frozen

SHIPPED: Mapping[str, str] = {"en": "english", "fr": "french", "de": "german"}
"""By code: the module that holds it."""


class UnknownLanguage(Exception):
    """No language of that code is shipped."""


@frozen
class Language:
    """All sentences in one language."""

    code: str
    conjunction: str
    alternative: str
    and_so: str
    """Between sentences that share a line."""
    colon: str
    """Behind what is explained, with the blank before it."""
    yes: str
    no: str
    nobody: str
    none: str
    everybody: str
    you: str
    with_you: int
    """The form of a verb of which several are the subject, who reads it among them."""
    the: str
    """A thing that is named: `the {name}`, or the name alone."""
    a: str
    """A thing of which only the kind is told, named in the singular."""
    a_vowel: str
    """The same before a vowel."""

    # What happens.
    your: str
    """A zone of who reads it."""
    whose: str
    """A zone of another: `{zone}` and `{player}`."""
    moved: str
    """`<pieces>` move from one place to another; `<list>` is which."""
    moved_within: str
    """They move from one zone of `<owner>` to another of theirs."""
    came: str
    left: str
    dealt: str
    """Each `<owner>` gets as many from one place; `<list>` is what the reader gets."""
    chose: str
    now: str
    """Values of a variable: `{what}` and `{values}`."""
    of_whom: str
    """One of these values: `{value}` and `{whom}`."""
    attribute_of: str
    rolled: str
    drawn: str
    by_lot: str
    """What was drawn: `{value}`, `{drawn}` and `{what}`."""
    shown: str
    shows: str
    """`<owner>` shows `<what>` of theirs to `<whom>`."""
    shuffled: str
    exchanged: str
    unseen: str
    """So many more that are not seen, at the end of a list."""
    took_back: str
    with_replies: str

    # The table.
    top: str
    below: str
    """How many lie under what is shown of a pile."""
    next: str
    on_top: str
    known: str
    """What the viewer knows of what is hidden: `{what}`, in parentheses."""
    hidden: str
    known_all: str
    """Beside what lies hidden, where the viewer knows all of it."""
    round_of: str

    # Questions and answers.
    what_do_you_do: str
    type_something: str
    do_you_mean: str
    or_others: str
    more_answers: str
    more_short: str
    choose_several: str
    not_offered: str
    taken: str
    not_there: str
    not_in: str
    """The same of a zone."""
    not_among: str
    """The same where the rules have no words for what is chosen from."""
    needs: str
    not_by_rules: str
    """That a condition is false for which the rules have no words."""
    preferred: str
    not_before: str
    """The same of a preference for which they have none."""
    unknown_component: str
    refused: str
    no_such_action: str
    not_now: str
    fails_there: str
    you_can: str
    you_cannot: str
    and_more: str
    rest_of: str
    left_out: str
    """What a screen has no room for: `{what}`, and the command `{look}`."""
    signs_mean: str
    """The legend, among what is left out."""
    nothing_to_see: str
    see_rules: str
    """Where more is told of a word: the command `{rules}`."""
    only_one: str
    done_already: str
    """To who types the `{answer}` that was the only one, and was taken."""
    log_before: str
    """How many lines of the log are not shown."""
    help_begins: str
    help_ends: str
    next_page: str
    """The question between two pages of the rules."""
    next_answers: str
    """The same below a question that has more answers than the screen holds."""
    look_again: str
    """Where a question comes without the table: `{look}` is the command for it."""
    next_table: str
    """What waits for a key between what was told and the table."""
    next_question: str
    """The same where a question follows."""
    not_in_rules: str
    commands: Mapping[str, tuple[str, str]]
    """By command: the word for it, and what it does."""

    # The list of games.
    shelf: tuple[str, str, str]
    """The heads of its columns: name, players, minutes."""

    # Bots, people, the end.
    a_bot: str
    a_person: str
    thinks: str
    """Who decides, and takes their time."""
    others_think: str
    """The same where nobody is told who has not decided."""
    you_think: str
    """The same of who thinks in the place of the reader, who has asked for advice."""
    no_option: str
    no_variant: str
    no_value: str
    preparing: str
    """While the screen is still empty."""
    seats: str
    options: str
    seed: str
    seed_again: str
    resumed: str
    resumed_from: str
    help: str
    help_line: str
    levels: Mapping[str, str]
    advice_alone: str
    advice_none: str
    advice_by: str
    advice_rest: str
    advice_equal: str
    """That all that is named is about equal."""
    advice_equal_first: str
    advice_few: str
    """That so many games do not tell them apart."""
    advice_best: str
    """Which is best, and `{why}`: one of `because_`, or nothing."""
    advice_lost: str
    advice_one: str
    """An action, and how the games ended in which it was tried."""
    advice_wins: str
    advice_draws: str
    advice_ahead: str
    """How many of them were won (`{ends}`), and by how many points one is ahead on average."""
    advice_behind: str
    advice_brings: str
    """What the rules declare as returns, on average; for who plays alone, points."""
    because_wins: str
    """Of 100 games, `{one}`; of the next best, `{other}`, `{two}`."""
    because_loses: str
    because_brings: str
    because_points: str
    """By how many points, `{one}`, more than the next best."""
    advice_line: str
    """How play is expected to go on behind an action: steps, in which `advice_step` says who."""
    advice_step: str
    thousands: str
    """What parts the thousands of a number."""
    point: str
    """What stands before its tenths."""
    directions: Mapping[str, str]
    """Directions of boards, by their names in rules; left out: the name itself."""
    kinds_of_game: Mapping[str, str]
    """Headings for lists of games: every word that `kind` of a rules file may be, in order."""
    other_games: str
    """The heading of those without one."""
    another: str
    """The answer begins with r for a rematch with seats turned, with n for the same seats."""
    evening: str
    seats_turned: str
    """Of a rematch: `{changes}`, one for each person."""
    you_moved: str
    who_moved: str
    undo_not: Mapping[str, str]
    """Why a decision is not taken back, by the code of `CannotUndo`."""
    look_away: str
    press_enter: str
    enter_alone: str
    undo_before: str
    undo_nobody: str
    undo_other: str
    not_saved: str
    saved_not: str
    saved_already: str
    kept: str
    kept_not: str
    recorded: str
    waits_for: str
    stopped: str
    nobody_wins: str
    not_won: str
    """Of a game for one, or for several who win together."""
    game_over: str
    all_win: str
    you_win: str
    wins: str
    share: str
    place: str
    total: str
    result: str
    out: str

    contractions: tuple[tuple[str, str], ...] = ()
    """What runs together where a name is put in: regular expressions, and what stands for them."""

    def contracted(self, text: str) -> str:
        """A text in which what meets has run together: `d'Anna` for `de Anna`."""
        for pattern, instead in self.contractions:
            text = re.sub(pattern, instead, text)
        return text

    def heading(self, kind: str) -> str:
        """What a list of games puts above those of a kind."""
        return self.kinds_of_game.get(kind, self.other_games)

    @property
    def headings(self) -> list[str]:
        """These in their order."""
        return [*self.kinds_of_game.values(), self.other_games]

    def listed(self, items: Sequence[str], *, either: bool = False) -> str:
        """Items in a sentence: `a, b and c`."""
        word = self.alternative if either else self.conjunction
        if len(items) < 2:
            return "".join(items)
        return f"{', '.join(items[:-1])} {word} {items[-1]}"


def language(code: str) -> Language:
    """The language of that code. Raises `UnknownLanguage`."""
    if code not in SHIPPED:
        raise UnknownLanguage(f"there is no language `{code}`: there are {', '.join(SHIPPED)}")
    found = import_module(f"rulerun.words.{SHIPPED[code]}").LANGUAGE
    assert isinstance(found, Language)
    return found
