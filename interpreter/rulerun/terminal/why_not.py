"""Why not: what belongs to a question and is refused, and for what reason.

Assumes a session and a player who is asked. Reasons come from the session as it gives them to that
player, so they tell nothing that the player may not know.
Does: goes through the actions that belong to the question and are not offered, and gathers those
refused for one reason; says it in words as far as the rules have some.
Leaves behind pairs of texts, for whatever front end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rulerun.runtime.executor import Refusal
from rulerun.runtime.phrases import one_line
from rulerun.runtime.wording import words
from rulerun.session.session import Session
from rulerun.terminal.menu import begins
from rulerun.words.labels import Labels, is_player
from rulerun_dsl.model import ActionType
from rulerun_dsl.model.valuetypes import Component, Int
from rulerun_dsl.source.safe_text import clean

_MOST_ASKED = 400
_MOST_NAMED = 12
_MOST_REASONS = 3


class Reasons:
    """Why things are refused, in one session."""

    def __init__(self, session: Session, names: Labels) -> None:
        """Explain what is asked in `session`."""
        self.session = session
        self.names = names
        self.speech = names.speech

    def refused(self, player: int, offered: Collection[int]) -> list[tuple[str, str]]:
        """What is refused of the question, each time with the reason."""
        others = (each for each in self._others(player, offered) if each not in offered)
        return [self._told(same) for same in self._alike(player, others)]

    def of_name(self, player: int, offered: Collection[int], answer: str) -> str:
        """Why actions are refused whose names begin so; nothing if none is called that."""
        called = [
            action
            for action in self._others(player, offered)
            if action not in offered and begins(self.names.action(action), answer)
        ]
        told = [self._told(same) for same in self._alike(player, called)]
        if told:
            reasons = list(dict.fromkeys(why for _, why in told))
            if len(reasons) == 1:
                return reasons[0]
            named = [f"{what}{self.speech.colon} {why}" for what, why in told[:_MOST_REASONS]]
            return self.speech.and_so.join(named)
        types = (each for each in self.names.game.actions if each.size and each.name)
        known = any(begins(self.names.action(each.base), answer) for each in types)
        return self.speech.not_offered if known else ""

    def _alike(self, player: int, actions: Iterable[int]) -> list[list[tuple[str, Refusal]]]:
        """Actions that are refused, together where it is for one reason."""
        refused: dict[tuple[str, int], list[tuple[str, Refusal]]] = {}
        for action in actions:
            refusal = self.session.refusal(player, action)
            # What belongs to other questions is told only to who asks for it by name.
            if (
                refusal is not None
                and refusal.code != "not_offered"
                and not self._lies_elsewhere(action, refusal)
            ):
                where = -1 if refusal.span is None else refusal.span.start
                same = refused.setdefault((refusal.code, where), [])
                same.append((self.names.action(action), refusal))
        return list(refused.values())

    def _told(self, same: Sequence[tuple[str, Refusal]]) -> tuple[str, str]:
        named = [text for text, _ in same[:_MOST_NAMED]]
        left = len(same) - len(named)
        more = self.speech.and_more.format(number=left) if left else ""
        reason = in_common([self.reason(refusal) for _, refusal in same])
        return f"{self.speech.and_so.join(named)}{more}", reason

    def _lies_elsewhere(self, action: int, refusal: Refusal) -> bool:
        """Whether all that is wrong is that a piece, or a number, is not among those there.

        Which lie elsewhere is no answer to who asks what can be done.
        """
        if refusal.code != "not_there":
            return False
        domains = self.names.parts(action)[0].parameters
        return any(
            domain.element is not None or isinstance(domain.of, Component | Int)
            for domain in domains
        )

    def _others(self, player: int, offered: Iterable[int]) -> Iterable[int]:
        """The actions to ask about: all of a small game, else of the kinds of this question."""
        game = self.names.game
        if game.number_of_actions <= _MOST_ASKED:
            return range(game.number_of_actions)
        kinds = {self.names.parts(action)[0].base for action in offered}
        types = [
            type_
            for type_ in game.actions
            if type_.size and (type_.base in kinds or self._belongs(player, type_))
        ]
        return [
            action
            for type_ in types
            for action in range(type_.base, type_.base + min(type_.size, _MOST_ASKED))
        ][: 2 * _MOST_ASKED]

    def _belongs(self, player: int, type_: ActionType) -> bool:
        """Whether the question has this kind of action, though none of it is possible."""
        refusal = self.session.refusal(player, type_.base)
        return refusal is not None and refusal.code != "not_offered"

    def reason(self, refusal: Refusal) -> str:
        """Why something is refused, in words as far as the rules have some."""
        speech = self.speech
        plain = {"hidden": speech.not_now, "not_offered": speech.not_offered, "taken": speech.taken}
        if refusal.code in plain:
            return plain[refusal.code]
        forms = {
            "not_there": ("source", speech.not_there),
            "condition": ("rule", speech.needs),
            "if_possible": ("rule", speech.preferred),
        }
        if refusal.code not in forms or refusal.span is None:
            return clean(refusal.message)
        place, form = forms[refusal.code]
        rule = one_line(refusal.span.text)
        if refusal.code == "not_there" and (zone := self._zone(rule)):
            return clean(speech.not_in.format(source=zone))
        said = self.names.rule(rule)
        if said == words(rule).replace("()", ""):
            # The rules have no words for it: as it is written, with the values that make it fail.
            return clean(refusal.message)
        return clean(form.format(**{place: said}))

    def _zone(self, rule: str) -> str:
        """A zone that is named alone, as the one who is asked reads it: `your hand`."""
        name, _, index = rule.partition("[")
        family = next((each for each in self.names.game.zones if each.name == name), None)
        if family is None or index not in ("", "you]"):
            return ""
        label = self.names.zone(name)
        if not family.indexes:
            return self.speech.the.format(name=label)
        owned = len(family.indexes) == 1 and is_player(family.indexes[0])
        return self.speech.your.format(zone=label) if owned else ""


def in_common(reasons: Sequence[str]) -> str:
    """What reasons of one kind have in common: they differ in the values that are named.

    >>> in_common(["2 is not in `hand`", "3 is not in `hand`"])
    'is not in `hand`'
    >>> in_common(["needs `q > 0`: q is -1", "needs `q > 0`: q is 0"])
    'needs `q > 0`'
    """
    if len(set(reasons)) == 1:
        return reasons[0]
    texts = [reason.split(" ") for reason in reasons]
    heads = _beginning(texts)
    tails = _beginning([text[::-1] for text in texts])[::-1]
    best = " ".join(heads if len(heads) >= len(tails) else tails)
    return best.split("`: ")[0] + "`" if "`: " in best else best or reasons[0]


def _beginning(texts: Sequence[Sequence[str]]) -> list[str]:
    """The words with which all begin."""
    same = []
    for column in zip(*texts, strict=False):
        if len(set(column)) > 1:
            break
        same.append(column[0])
    return same
