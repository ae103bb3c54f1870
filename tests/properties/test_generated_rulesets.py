"""Rulesets that nobody wrote: whatever is made up loads or is told why not, and keeps the laws."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, assume, event, given, note, settings
from hypothesis import strategies as st

from rulerun.laws import LAWS, check_laws
from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.load import load

OF_PLAY = tuple(law for law in LAWS if law not in (10, 13, 14))

EXAMPLES = int(os.environ.get("RULERUN_EXAMPLES", "20"))
quick = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),  # shrinking takes minutes: ask for it by hand
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)

Lines = list[str]
ORDERS = ("", "random", "stack", "queue")
MOST_REMEMBERED = 3


@dataclass(frozen=True)
class Zone:
    """A zone: `owned` is one for each player, `single` is for one component."""

    name: str
    kind: str
    order: str
    visible: str
    owned: bool
    single: bool = False

    @property
    def line(self) -> str:
        held = "one" if self.single else "of"
        order = f", order: {self.order}" if self.order else ""
        index = "[player]" if self.owned else ""
        return f'{self.name}{index}: {{{held}: {self.kind}{order}, visible: "{self.visible}"}}'


@dataclass
class Inventor:
    """Makes up a ruleset, all of whose effects are guarded so that none is a rule error."""

    draw: Callable[..., Any]
    zones: list[Zone] = field(default_factory=list)
    kinds: dict[str, tuple[str, Lines]] = field(default_factory=dict)
    procedures: Lines = field(default_factory=list)
    count: int = 0
    calls: int = 0

    def pick(self, *among: Any) -> Any:
        return self.draw(st.sampled_from(among))

    def number(self, low: int, high: int) -> int:
        return int(self.draw(st.integers(low, high)))

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # ------------------------------------------------------------------------ declarations

    def kind(self, kind: str, most: int) -> None:
        """A kind of component, with what one of them is worth, and its zones."""
        what = self.pick("ranked", "counted", "owned", "stateful")
        store, hand, spare = f"{kind}_store", f"{kind}_hand", f"{kind}_spare"
        start = f"start: {store}"
        rows = f"rows: {{{kind}_low: 1, {kind}_middle: 2, {kind}_high: 3}}"
        if what == "ranked":
            lines = ["has: {value: 1..3}", rows, f"copies: {self.number(1, 2)}"]
            worth = ".value"
        elif what == "counted":
            red, blue = self.number(1, 3), self.number(1, 3)
            lines = [f"rows: {{{kind}_red: {{copies: {red}}}, {kind}_blue: {{copies: {blue}}}}}"]
            worth = ""
        elif what == "owned":
            lines = ["each: player", "has: {value: 1..3}", rows]
            worth = ".value"
        else:
            lines = [f"copies: {self.number(2, 3)}", "state: {face: 1..3}"]
            worth = ".face"
        self.kinds[kind] = (worth, [*lines, start])
        owned = what == "owned" and self.draw(st.booleans())
        self.zones.append(Zone(store, kind, self.pick(*ORDERS), self.seen(owned), owned))
        order = self.pick("", "stack", "queue")
        self.zones.append(Zone(hand, kind, order, self.seen(True), True))
        if most > 2:
            shared, single = self.draw(st.booleans()), self.draw(st.booleans())
            order = "" if single else self.pick(*ORDERS)
            self.zones.append(Zone(spare, kind, order, self.seen(not shared), not shared, single))

    def seen(self, owned: bool) -> str:
        if owned:
            return str(self.pick("owner", "all", "none", "owner or lit", "all if lit else owner"))
        return str(self.pick("all", "none", "all if lit else none"))

    # ------------------------------------------------------------------------- expressions

    def test(self, asks: bool) -> str:
        """A condition, on what everybody knows."""
        zone = self.pick(*self.zones)
        tests = ["lit", "not lit", f"tally > {self.number(0, 4)}", f"die == {self.number(1, 3)}"]
        tests += [f"score > {self.number(0, 3)}", f"score <= tally + {self.number(0, 2)}"]
        tests += [f"empty({zone.name})", "you == who", "index(you) == 1 or lit"]
        tests += [f"times(seen) > {self.number(0, 1)}"]
        if not zone.single:
            tests.append(f"count({zone.name}) > {self.number(0, 2)}")
        if not asks:
            tests.append(f"secret == {self.number(0, 3)}")
            worth = self.kinds[zone.kind][0]
            if worth and not zone.single:
                tests.append(f"any(x{worth} == {self.number(1, 3)} for x in {zone.name})")
        return str(self.pick(*tests))

    def fits(self, target: Zone) -> str:
        """A guard: there is room."""
        return f" if empty({target.name})" if target.single else ""

    def two_zones(self, owned: bool = False) -> tuple[Zone, Zone] | None:
        pairs = [
            (one, other)
            for one in self.zones
            for other in self.zones
            if one.kind == other.kind and one is not other
            if not owned or (one.owned and other.owned)
        ]
        return self.pick(*pairs) if pairs else None

    # -------------------------------------------------------------------------- statements

    def effect(self) -> Lines:
        """What asks nobody, on one line."""
        ways: list[Callable[[], str]] = [
            lambda: f"score += {self.number(1, 3)}",
            lambda: "score -= 1 if score > 0",
            lambda: "tally += 1",
            lambda: "score[p] += 1 for p in players if p != you",
            lambda: "roll die",
            lambda: f"roll die by {self.number(2, 3)} if die == 2 else 1",
            lambda: "roll lit",
            lambda: "roll secret",
            lambda: f"roll secret until secret != {self.number(0, 3)}",
            lambda: "pick who at random from players",
            lambda: "who = next(you)",
            lambda: f"lit = {self.test(True)}",
            lambda: "swap secret with secret[next(you)]",
            lambda: "score += times(seen)",
            lambda: "reset seen if lit",
            self.moving,
            self.moving,
            self.moving,
            self.handling,
            self.counting,
            self.counting,
            self.counting,
        ]
        return [f"- {self.pick(*ways)()}"]

    def moving(self) -> str:
        pair = self.two_zones()
        assert pair is not None
        one, other = pair
        into = f"{other.name}[who]" if other.owned and not other.single else other.name
        into = self.pick(into, other.name)
        if other.single:
            if one.order:
                return f"move up to 1 from {one.name} to {into}{self.fits(other)}"
            return f"swap {one.name} with {into}" if one.single else "pass"
        if one.single:
            return f"move all {one.name} to {into}"
        worth = self.kinds[one.kind][0]
        ways = [f"move all {one.name} to {into}"]
        if worth:
            value = self.number(1, 3)
            ways.append(f"move every x in {one.name} if x{worth} == {value} to {into}")
        if one.order:
            ways.append(f"move up to {self.number(1, 2)} from {one.name} to {into}")
            ways.append(ways[-1])
        return str(self.pick(*ways))

    def counting(self) -> str:
        """Sets of what lies in a zone, or how many that lie apart; else a position is kept."""
        zone = self.pick(*self.zones)
        worth, lines = self.kinds[zone.kind]
        alike = worth != ".face" and any("copies: 2" in line for line in lines)
        if zone.single or not worth or alike or self.number(0, 3) == 0:
            return f"remember seen if count(seen) < {MOST_REMEMBERED}"
        total, test = f"sum(x{worth} for x in t)", f"== {self.number(2, 5)}"
        most = self.number(1, 2)
        return str(
            self.pick(
                f"score += count(t in subsets(1..{most}, {zone.name}) if {total} {test})",
                f"score += packing(1 for t in subsets({most}, {zone.name}) if {total} {test})",
                f"lit = any({total} {test} for t in subsets({zone.name}))",
            )
        )

    def handling(self) -> str:
        zone = self.pick(*self.zones)
        ways = [f"show {zone.name} to you", f"show {zone.name} to all"]
        if zone.single:
            ways = ["pass"]
        if zone.owned and not zone.single:
            ways.append(f"swap {zone.name} with {zone.name}[who] if who != you")
        if zone.order in ("stack", "queue"):
            ways.append(f"shuffle {zone.name}")
        if self.kinds[zone.kind][0] == ".face" and not zone.single and zone.order != "random":
            ways += [f"roll x.face for x in {zone.name}"] * 2
        return str(self.pick(*ways))

    def block(self, depth: int, asks: bool, most: int = 3) -> Lines:
        lines: Lines = []
        for _ in range(self.number(1, most)):
            lines += self.step(depth, asks)
        return lines

    def step(self, depth: int, asks: bool) -> Lines:
        ways: list[Callable[[], Lines]] = [self.effect, self.effect]
        if depth:
            ways += [
                lambda: self.branching(depth, asks),
                lambda: self.looping(depth, asks),
                lambda: self.gathering(),
            ]
        if asks:
            ways += [lambda: self.menu(depth), self.choosing]
        return list(self.pick(*ways)())

    def branching(self, depth: int, asks: bool) -> Lines:
        lines = [f"- if: {self.test(asks)}", "  then:", *deeper(self.block(depth - 1, asks, 2))]
        if self.draw(st.booleans()):
            lines += ["  else:", *deeper(self.block(depth - 1, asks, 2))]
        return lines

    def looping(self, depth: int, asks: bool) -> Lines:
        head = self.pick("- repeat: 2", "- for: you in others(you)", "- for: i in 1..2")
        inner = self.block(depth - 1, asks and "you" not in head, 2)
        if head == "- for: i in 1..2":
            i = self.name("i")
            head = f"- for: {i} in 1..2"
            inner.append(f"- tally += {i}")
        return [head, "  do:", *deeper(inner)]

    def gathering(self) -> Lines:
        """A loop over components, whose set may change under it."""
        pair = self.two_zones()
        assert pair is not None
        one, other = pair
        if one.single or one.order == "random":
            return self.effect()
        worth = self.kinds[one.kind][0]
        name = self.name("x")
        test = f" if {name}{worth} != {self.number(1, 3)}" if worth and self.number(0, 1) else ""
        do = self.pick(f"move {name} to {other.name}{self.fits(other)}", f"show {name} to you")
        return [f"- for: {name} in {one.name}{test}", f"  do: {do}; score += 1"]

    def menu(self, depth: int) -> Lines:
        lines = ["- choose:"]
        for _ in range(self.number(1, 3)):
            lines += [f"    {line}" for line in self.option(depth)]
        return [*lines, f"    {self.name('wait')}: pass", f"  visible: {self.pick('all', 'none')}"]

    def option(self, depth: int) -> Lines:
        name = self.name("o")
        pair = self.two_zones()
        assert pair is not None
        one, other = pair
        ways = ["plain", "bid", "named"]
        if one.order != "random" and not one.single and one.visible != "none":
            ways += ["one", "one"]
            if not other.single:
                ways += ["several"]
        way = self.pick(*ways)
        if way == "bid":
            n = self.name("n")
            return [
                f"{name}(1..3 {n}):",
                f"  when: {n} != die",
                f"  do: score += {n}; secret = {n}",
            ]
        if way == "named":
            return [f"{name}(player {name}_p): who = {name}_p"]
        if way == "one":
            do = f"move {name}_c to {other.name}{self.fits(other)}"
            return [f"{name}({name}_c in {one.name}): {do}"]
        if way == "several":
            chosen = f"{name}_c"
            steps = [f"- choose: 1..2 {chosen} in {one.name}", "  visible: none", "  else: pass"]
            steps += [f"- move {chosen} to {other.name} if {chosen} is not none"]
            return [f"{name}:", "  do:", *deeper(steps)]
        test = [f"  when: {self.test(True)}"] if self.draw(st.booleans()) else []
        return [f"{name}:", *test, "  do:", *deeper(self.block(max(depth - 1, 0), depth > 1, 2))]

    def choosing(self) -> Lines:
        pair = self.two_zones()
        assert pair is not None
        one, other = pair
        name = self.name("c")
        if self.number(0, 2) == 0 or one.order == "random" or one.single or one.visible == "none":
            return [f"- choose: {name} in 0..3", "  visible: none", f"- secret = {name}"]
        room = f"{name} is not none" + (f" and empty({other.name})" if other.single else "")
        return [
            f"- choose: {name} in {one.name}",
            "  visible: none",
            "  else: pass",
            f"- move {name} to {other.name} if {room}",
        ]

    def together(self) -> Lines:
        """Everybody in secret, each with what is their own."""
        name = self.name("t")
        inner = [f"- choose: {name} in 0..3", f"- secret = {name}"]
        if self.number(0, 2) == 0:
            inner = ["- roll secret", *inner]
        pair = self.two_zones(owned=True)
        if pair is not None and self.draw(st.booleans()):
            one, other = pair
            taken = self.name("t")
            if "random" not in (one.order, other.order) and not one.single and not other.single:
                inner += [f"- choose: {taken} in {one.name}", "  else: pass"]
                inner += [f"- move {taken} to {other.name} if {taken} is not none"]
        return ["- together: you in players", "  do:", *deeper(inner)]

    # ------------------------------------------------------------------------------- whole

    def phase(self, number: int, calls: Lines) -> Lines:
        way = self.pick("turns", "rounds", "each")
        body = [*self.block(2, True), *calls]
        wait = self.name("wait")
        if self.draw(st.booleans()):
            body += self.menu(2)
        else:
            body += ["- choose:", f"    {wait}: pass", f"    go_{wait}: score += 1"]
            body += ["  visible: all"]
        last = self.together() if self.draw(st.booleans()) else []
        if way == "turns":
            head = ["turns: you in players", f"until: passed >= {4 * number}"]
            more = [f"- again if {self.test(True)}"] if self.draw(st.booleans()) else []
            return [*head, "do:", *deeper(["- passed += 1", *body, *more])]
        around = ["- for: you in players", "  do:", *deeper(body), *last]
        if way == "rounds":
            head = [f"until: passed >= {4 * number}"]
            return [*head, "do:", *deeper(["- passed += 2", *around])]
        return ["repeat: 2", "do:", *deeper(["- passed += 1", *around])]

    def ruleset(self) -> str:
        players = self.number(1, 3)
        self.kind("card", self.number(2, 3))
        if len(self.zones) == 2 and self.draw(st.booleans()):
            self.kind("token", 2)
        calls = []
        for number in range(self.number(1, 2)):
            called = f"deed{number}"
            self.procedures += [f"{called}(1..3 n):", *deeper(self.block(1, True))]
            self.procedures += deeper(["- stop if n > tally", "- score += n"])
            calls.append(f"- {called}({self.number(1, 3)})")
        phases: Lines = []
        many = self.number(1, 2)
        for number in range(1, many + 1):
            mine = calls if number == many else []
            phases += [f"phase{number}:", *(f"  {line}" for line in self.phase(number, mine))]
        components = []
        for kind, (_, lines) in self.kinds.items():
            components += [f"{kind}:", *(f"  {line}" for line in lines)]
        deal = ["- for: you in players", "  do:", *deeper([*self.dealt(), *self.block(1, False)])]
        lines = ["rulerun: 1", "game: made_up", f"players: {players}"]
        for section, inside in (
            ("components", components),
            ("zones", [zone.line for zone in self.zones]),
            ("state", self.state()),
            ("setup", deal),
            ("phases", phases),
            ("procedures", self.procedures),
            ("scoring", ["points(player p):", *(f"  {each}" for each in self.points())]),
        ):
            lines += [f"{section}:", *(f"  {line}" for line in inside)]
        return "\n".join(lines) + "\n"

    def dealt(self) -> Lines:
        """Something lies in every hand, and in what else there is."""
        lines = []
        for kind in self.kinds:
            store, hand, *spare = [zone for zone in self.zones if zone.kind == kind]
            if store.order:
                lines += [f"- move up to {self.number(1, 2)} from {store.name} to {hand.name}"]
            else:
                at = f" if index(you) == {self.number(1, 3)}" if not store.owned else ""
                lines += [f"- move all {store.name} to {hand.name}{at}"]
            for zone in spare:
                if hand.order:
                    way = f"move up to 1 from {hand.name} to {zone.name}"
                    lines += [f"- {way}{self.fits(zone)}"]
                else:
                    lines += [f"- show {hand.name} to you"]
        return lines

    def state(self) -> Lines:
        return [
            "score[player]: {type: 0..9, above: stop, visible: all}",
            "tally: {type: 0..6, above: stop, visible: all}",
            "die: {type: 1..3, visible: all}",
            "lit: {type: bool, visible: all}",
            "who: {type: player, visible: all}",
            "passed: {type: 0..20, visible: all}",
            f"seen: {{remembers: [lit, who, die], holds: {MOST_REMEMBERED}}}",
            f'secret[player]: {{type: 0..3, visible: "{self.seen(True)}"}}',
        ]

    def points(self) -> Lines:
        lines = ["score: score[p] + tally + passed", "luck: secret[p] + die"]
        lines += ["last: 1 if who == p and lit else 0", "before: times(seen)"]
        for number, zone in enumerate(self.zones):
            at = f"{zone.name}[p]" if zone.owned else zone.name
            worth = self.kinds[zone.kind][0]
            if zone.single:
                lines += [f"zone{number}: 0 if empty({at}) else 1"]
            elif worth:
                lines += [f"zone{number}: sum(x{worth} for x in {at})"]
            else:
                lines += [f"zone{number}: count({at})"]
        return lines


def deeper(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]


@st.composite
def rulesets(draw: Callable[..., Any]) -> str:
    return Inventor(draw).ruleset()


@quick
@given(rulesets())
def test_a_made_up_ruleset_is_a_game_or_told_why_not(text: str) -> None:
    loaded, found = load(text.encode())
    if loaded is None:
        assert has_errors(found), text
        return
    game, more = loaded.game()
    event("accepted" if game is not None else "refused")
    assert (game is None) == has_errors([*found, *more]), text


@settings(quick, max_examples=EXAMPLES // 4)
@given(rulesets())
def test_a_made_up_ruleset_keeps_the_laws(text: str) -> None:
    loaded, found = load(text.encode())
    assume(loaded is not None and not has_errors(found))
    assert loaded is not None
    assume(loaded.game()[0] is not None)
    note(text)
    # Where it depends on the state who sees a zone, one may have to choose from what one cannot
    # see: such rules tell a secret, and the checker warns only of what is hidden for sure.
    laws = [law for law in OF_PLAY if law != 5 or not re.search("lit else|or lit", text)]
    assert list(map(str, check_laws(loaded, games=1, laws=laws, depth=0.2))) == []
