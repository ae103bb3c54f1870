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
        told = [(what, why) for what, why, _ in self.named(player, offered, answer)]
        if told:
            reasons = list(dict.fromkeys(why for _, why in told))
            if len(reasons) == 1:
                return reasons[0]
            named = [f"{what}{self.speech.colon} {why}" for what, why in told[:_MOST_REASONS]]
            return self.speech.and_so.join(named)
        types = (each for each in self.names.game.actions if each.size and each.name)
        known = any(begins(self.names.action(each.base), answer) for each in types)
        return self.speech.not_offered if known else ""

    def named(
        self, player: int, offered: Collection[int], answer: str
    ) -> list[tuple[str, str, Refusal]]:
        """What is refused and begins so: with the reason, and the refusal."""
        called = [
            action
            for action in self._others(player, offered)
            if action not in offered and begins(self.names.action(action), answer)
        ]
        return [(*self._told(same), same[0][1]) for same in self._alike(player, called)]

    def _alike(self, player: int, actions: Iterable[int]) -> list[list[tuple[int, Refusal]]]:
        """Actions that are refused, together where it is for one reason."""
        refused: dict[tuple[str, int], list[tuple[int, Refusal]]] = {}
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
                same.append((action, refusal))
        return list(refused.values())

    def _told(self, same: Sequence[tuple[int, Refusal]]) -> tuple[str, str]:
        parted = [self._parted(action) for action, _ in same]
        texts = _runs([f"{head} {rest}".strip() for head, rest in parted])
        between, heads = self.speech.and_so, {head for head, _ in parted}
        if len(texts) == len(parted) and len(heads) == 1 and "" not in heads:
            # What they have in common is said once.
            between = ", "
            texts = [" ".join(parted[0]).strip(), *(rest for _, rest in parted[1:])]
        # One more takes no more room than to say that there is one.
        named = texts if len(texts) == _MOST_NAMED + 1 else texts[:_MOST_NAMED]
        left = len(texts) - len(named)
        more = self.speech.and_more.format(number=left) if left else ""
        reason = self.reason(*(refusal for _, refusal in same))
        return f"{between.join(named)}{more}", reason

    def _parted(self, action: int) -> tuple[str, str]:
        """What an action is called, parted from the one thing that it is about."""
        whole = self.names.action(action)
        name = self.names.named("action", self.names.parts(action)[0].name)
        values = self.names.parameters(action)[1]
        alone = len(values) == 1 and whole == f"{name} {values[0]}".strip()
        return (name, values[0]) if alone else ("", whole)

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

    def reason(self, *refusals: Refusal) -> str:
        """Why something is refused, or several things for one reason: in words, never as code.

        What the rules have no words for is told by the values that it hangs on and that have names,
        as far as these are the same for all.
        """
        speech, refusal = self.speech, refusals[0]
        plain = {"hidden": speech.not_now, "not_offered": speech.not_offered, "taken": speech.taken}
        if refusal.code in plain:
            return plain[refusal.code]
        forms = {
            "not_there": ("source", speech.not_there, speech.not_among),
            "condition": ("rule", speech.needs, speech.not_by_rules),
            "if_possible": ("rule", speech.preferred, speech.not_before),
        }
        if refusal.code not in forms or refusal.span is None:
            return clean(refusal.message)
        place, form, unsaid = forms[refusal.code]
        rule = one_line(refusal.span.text)
        if refusal.code == "not_there" and (zone := self._zone(rule)):
            return clean(speech.not_in.format(source=zone))
        same = set(refusal.values).intersection(*(each.values for each in refusals))
        if said := self.names.in_words(rule, dict(same)):
            return clean(form.format(**{place: said}))
        told = dict.fromkeys(
            filter(None, map(self._value, [v for v in refusal.values if v in same]))
        )
        return clean(unsaid + (f" ({speech.and_so.join(told)})" if told else ""))

    def _value(self, named: tuple[str, str]) -> str:
        """A value that a condition hangs on: `chips 7`; nothing where only code names it."""
        name, value = named
        game = self.names.game
        variables = {each.name for each in game.variables} - set(game.view.hides)
        family = name.partition("[")[0]
        label = self.names.variable(family) if family in variables else ""
        column = name.rpartition(".")[2]
        if not label and column != name and column.isidentifier():
            label = self.names.word(column)
        if not label and self.names.has_words(f"rule {name}"):
            label = self.names.line(name)
        return f"{label} {self.names.value_text(value)}" if label else ""

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


def _runs(texts: Sequence[str]) -> list[str]:
    """Texts that differ in a number at the end, each the next one, as one.

    >>> _runs(["fold", "raise to 1", "raise to 2", "raise to 3", "raise to 5"])
    ['fold', 'raise to 1..3', 'raise to 5']
    """
    told: list[str] = []
    head, last = "", 0
    for text in texts:
        before, _, number = text.rpartition(" ")
        if told and number.isdigit() and (before, int(number) - 1) == (head, last):
            whole = told[-1] if ".." not in told[-1] else told[-1].rpartition("..")[0]
            told[-1] = f"{whole}..{number}"
        else:
            told.append(text)
        head, last = (before, int(number)) if number.isdigit() else ("", -1)
    return told
