"""A Hypothesis strategy that invents small rulesets: texts in YAML that load.

A ruleset has one or two kinds of components, each with a pile, a public place and two zones of each
player; a few variables, public and secret; a procedure or two; and a main phase that goes round the
table a few times and does whatever comes to mind, with positions that were there before and sets
of what lies in a hand as well. It is made so that it loads, ends, and does not
run into rule errors of its own making: piles are drawn from with `up to`, numbers stop at their
bounds, everything that is declared counts in the scoring.

`properties/test_generated_rulesets` has a wilder one, part of whose rulesets the checker refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

ORDERS = ("", "stack", "queue")
TAKEN_FROM = ("random", "stack", "queue")
MOST_REMEMBERED = 4


@dataclass
class Kind:
    """A kind of component and its zones."""

    name: str
    declared: list[str]
    owned: bool
    pile_order: str
    out_order: str
    counts_are_seen: bool
    column: str

    @property
    def pile(self) -> str:
        """Where it starts."""
        return f"{self.name}_pile"

    @property
    def own(self) -> tuple[str, str]:
        """The zones that each player has."""
        return f"{self.name}_hand", f"{self.name}_safe"


@dataclass
class Scene:
    """Where a statement stands."""

    depth: int
    together: bool = False
    loops: int = 0
    calls: tuple[str, ...] = ()


@dataclass
class Inventor:
    """Invents one ruleset."""

    draw: Callable[[Any], Any]
    kinds: list[Kind] = field(default_factory=list)
    zones: list[str] = field(default_factory=list)
    names: int = 0
    history: bool = False
    """Positions are remembered."""
    unnamed: tuple[str, Kind] | None = None
    """Of what choices have no name: components of a kind, one or several, else numbers."""

    def one(self, *items: Any) -> Any:
        """Any of these; the first is the plainest."""
        return self.draw(st.sampled_from(items))

    def number(self, low: int, high: int) -> int:
        """A number."""
        return int(self.draw(st.integers(low, high)))

    def name(self, word: str) -> str:
        """A name that nothing else has."""
        self.names += 1
        return f"{word}{self.names}"

    # --------------------------------------------------------------------------- declarations

    def kind(self, name: str) -> None:
        """A kind: counted, each its own, or copies with a state."""
        match name:
            case "gem":
                declared = [
                    "gem:",
                    "  rows:",
                    f"    red: {{copies: {self.number(1, 4)}}}",
                    f"    blue: {{copies: {self.number(1, 3)}}}",
                    "  start: gem_pile",
                ]
            case "card":
                declared = [
                    "card:",
                    f"  has: {{value: 1..{self.number(2, 6)}}}",
                    "  rows: every value",
                    "  start: card_pile",
                ]
            case _:
                declared = [
                    "die:",
                    "  each: player",
                    f"  copies: {self.number(1, 3)}",
                    "  start: die_hand",
                    f"  state: {{face: 0..{self.number(1, 3)}}}",
                ]
        seen = self.one(True, True, False)
        made = Kind(
            name=name,
            declared=declared,
            owned=name == "die",
            pile_order=self.one(*TAKEN_FROM),
            out_order=self.one(*ORDERS),
            counts_are_seen=seen,
            column={"gem": "", "card": "value"}.get(name, "face"),
        )
        self.kinds.append(made)
        hand, safe = made.own
        count = "" if seen else f", count: {self.one('owner', 'none')}"
        if not made.owned:
            line = f"{{of: {name}, order: {made.pile_order}, visible: {self.one('none', 'all')}}}"
            self.zones.append(f"{made.pile}: {line}")
        self.zones.append(f"{name}_out: {{of: {name}{_order(made.out_order)}, visible: all}}")
        who = self.one("owner", "all", "none")
        order = _order(self.one("", "", "stack"))
        hidden = "" if who == "all" else count
        self.zones.append(f"{hand}[player]: {{of: {name}{order}, visible: {who}{hidden}}}")
        who = self.one("owner", '"all if shown[owner] else owner"', '"owner or flag"')
        self.zones.append(f"{safe}[player]: {{of: {name}, visible: {who}{count}}}")

    def some_kind(self) -> Kind:
        """A kind that there is."""
        return self.one(*self.kinds)  # type: ignore[no-any-return]

    # ------------------------------------------------------------------------------ conditions

    def condition(self, scene: Scene) -> str:
        """Something that everybody knows."""
        kind = self.some_kind()
        found = [f"score > {self.number(0, 6)}", "shown", f"score == {self.number(0, 3)}"]
        if not scene.together:
            found += ["flag", f"clock > {self.number(1, 2)}", f"empty({kind.name}_out)"]
            if kind.counts_are_seen:
                found += [f"count({kind.own[0]}) > {self.number(0, 2)}"]
        plain = str(self.one(*found))
        return str(self.one(plain, f"not {plain}"))

    # ------------------------------------------------------------------------------ statements

    def block(self, scene: Scene, most: int = 3) -> list[str]:
        """A list of steps."""
        return [line for _ in range(self.number(1, most)) for line in self.step(scene)]

    def step(self, scene: Scene) -> list[str]:
        """One step, as lines of YAML."""
        made = [self.plain, self.plain, self.chosen, self.menu]
        if scene.depth > 0:
            made += [self.branch]
            if scene.loops < 1:
                made += [self.loop]
            if not scene.together:
                made += [self.together]
        step: Callable[[Scene], list[str]] = self.one(*made)
        return step(scene)

    def plain(self, scene: Scene) -> list[str]:
        """One line."""
        kind = self.some_kind()
        hand, safe = kind.own
        inside = [
            f"score += {self.number(1, 3)}",
            f"secret = {self.number(0, 3)}",
            "roll secret",
            "shown = true",
            f"move all {hand} to {safe}",
            f"move all {safe} to {hand}",
        ]
        outside = [
            "flag = not flag",
            "shown = not shown",
            f"move all {hand} to {kind.name}_out",
            f"swap {hand} with {hand}[next(you)]",
            f"move all {hand} to {safe}[next(you)]",
            f"show {safe} to next(you)",
            "roll secret until secret != 2",
            "score[next(you)] += 1",
            "secret[next(you)] = 0",
        ]
        if not kind.owned:
            many = self.number(1, 3)
            outside += [
                f"move up to {many} from {kind.pile} to {hand}",
                f"move up to {many} from {kind.pile} to {kind.name}_out",
                f"move up to 1 from {kind.pile} to {safe}[next(you)]",
                f"move all {kind.name}_out to {kind.pile}",
                f"show {kind.pile} to you",
            ]
            if kind.pile_order != "random":
                outside.append(f"shuffle {kind.pile}")
        if kind.out_order:
            outside.append(f"shuffle {kind.name}_out")
        if kind.name == "die":
            inside.append("roll d.face for d in die_hand")
        if kind.column:
            worth = f"sum(x.{kind.column} for x in t)"
            inside += [
                f"score += count(t in subsets(1..2, {hand}) if {worth} == {self.number(2, 4)})",
                f"score += packing({worth} - 1 for t in subsets(2, {hand}) if {worth} < 6)",
            ]
        if self.history:
            outside += [
                f"remember seen if count(seen) < {MOST_REMEMBERED}",
                "score += times(seen)",
                "reset seen",
            ]
        outside += [f"{name}()" for name in scene.calls]
        line = str(self.one(*inside) if scene.together else self.one(*inside, *outside))
        if self.one(False, False, True) and " for " not in line and " if " not in line:
            line = f"{line} if {self.condition(scene)}"
        return [f"- {line}"]

    def chosen(self, scene: Scene) -> list[str]:
        """A component, several, or a number is chosen."""
        kind = self.some_kind()
        hand, safe = kind.own
        name = self.name("c")
        sources, targets = [hand, safe], [hand, safe]
        if not scene.together:
            sources.append(f"{kind.name}_out")
            targets = [f"{kind.name}_out", safe, hand, *([] if kind.owned else [kind.pile])]
        source, target = self.one(*sources), self.one(*targets)
        told = [] if scene.together else [f"  visible: {self.one('none', 'all')}"]
        match self.one("component", "several", "number"):
            case "component" if self.unnamed == ("component", kind):
                return [
                    f"- choose: {name} in {source}",
                    f"  or: nothing_{name}",
                    *told,
                    f"- move {name} to {target} if {name} is not none",
                ]
            case "several" if self.unnamed == ("several", kind):
                return [f"- choose: 0..2 {name} in {source}", *told, f"- move {name} to {target}"]
            case "component" | "several":
                return [
                    "- choose:",
                    f"    take_{name}({name} in {source}): move {name} to {target}",
                    f"    leave_{name}: pass",
                    *told,
                ]
            case _:
                do = f"{self.one('score +=', 'secret =')} {name}"
                most = self.number(1, 3)
                if self.unnamed is None:
                    return [f"- choose: {name} in 0..{most}", *told, f"- {do}"]
                return ["- choose:", f"    say_{name}(0..{most} {name}): {do}", *told]

    def menu(self, scene: Scene) -> list[str]:
        """Named options, one of which may always be taken."""
        lines = ["- choose:"]
        inner = Scene(0, scene.together, scene.loops, scene.calls)
        for _ in range(self.number(1, 2)):
            lines.append(f"    {self.name('do_')}:")
            if self.one(False, True):
                lines.append(f"      when: {self.condition(scene)}")
            lines += ["      do:", *_in(self.plain(inner), 8)]
        lines.append(f"    {self.name('wait_')}: pass")
        if not scene.together:
            lines.append(f"  visible: {self.one('all', 'none')}")
        return lines

    def branch(self, scene: Scene) -> list[str]:
        """One thing or another."""
        inner = Scene(scene.depth - 1, scene.together, scene.loops, scene.calls)
        lines = [f"- if: {self.condition(scene)}", "  then:", *_in(self.block(inner, 2), 4)]
        if self.one(False, True):
            lines += ["  else:", *_in(self.block(inner, 2), 4)]
        return lines

    def loop(self, scene: Scene) -> list[str]:
        """Something several times."""
        inner = Scene(scene.depth - 1, scene.together, scene.loops + 1, scene.calls)
        kind = self.some_kind()
        hand, safe = kind.own
        match self.one("repeat", "members", "players"):
            case "repeat":
                return [f"- repeat: {self.number(1, 3)}", "  do:", *_in(self.block(inner, 2), 4)]
            case "members":
                name = self.name("x")
                to = safe if scene.together else self.one(safe, f"{kind.name}_out")
                test = f" if {name}.{kind.column} > 1" if kind.column else ""
                told = self.step(Scene(0, scene.together, 1)) if self.one(False, True) else []
                return [
                    f"- for: {name} in {hand}{test}",
                    "  do:",
                    *_in(told, 4),
                    f"    - move {name} to {to}",
                ]
            case _ if scene.together:
                return self.plain(scene)
            case _:
                return ["- for: you in players", "  do:", *_in(self.block(inner, 2), 4)]

    def together(self, scene: Scene) -> list[str]:
        """All at the same time."""
        inner = Scene(scene.depth - 1, True, scene.loops)
        test = self.one("", "", " if not shown[you]")
        return [f"- together: you in players{test}", "  do:", *_in(self.block(inner, 3), 4)]

    # ----------------------------------------------------------------------------- the whole

    def ruleset(self) -> str:
        """The text."""
        low = self.number(2, 3)
        kinds = st.lists(
            st.sampled_from(("gem", "card", "die")), min_size=1, max_size=2, unique=True
        )
        for name in self.draw(kinds):
            self.kind(name)
        what = (self.one("component", "several"), self.kinds[0])
        self.unnamed = self.one(None, what, what)
        rounds = self.number(1, 3)
        self.history = self.one(False, True)
        procedures: dict[str, list[str]] = {}
        for number in range(self.number(0, 2)):
            calls = tuple(procedures)
            procedures[f"proc_{number}"] = self.block(Scene(1, calls=calls), 2)
        body = self.block(Scene(2, calls=tuple(procedures)), 4)
        called = [f"- {name}()" for name in procedures]
        lines = ["rulerun: 1", "game: made_up", f"players: {low}..3", "components:"]
        for kind in self.kinds:
            lines += _in(kind.declared, 2)
        lines += ["zones:", *_in(self.zones, 2)]
        lines += [
            "state:",
            "  visible: all",
            f"  clock: 0..{rounds}",
            "  flag: bool",
            "  shown[player]: bool",
            "  score[player]: {type: 0..9, above: stop}",
            "  secret[player]: {type: 0..3, visible: owner}",
        ]
        if self.history:
            lines.append(f"  seen: {{remembers: [flag, shown], holds: {MOST_REMEMBERED}}}")
        dealt = [kind for kind in self.kinds if not kind.owned]
        if dealt:
            lines.append("setup:")
            for kind in dealt:
                many, zone = self.number(1, 2), self.one(*kind.own)
                lines.append(
                    f"  - move up to {many} from {kind.pile} to {zone}[p] for p in players"
                )
        lines += [
            "phases:",
            "  play:",
            f"    until: clock == {rounds}",
            "    do:",
            "      - clock += 1",
            "      - for: you in players",
            "        do:",
            *_in([*called, *body], 10),
        ]
        if procedures:
            lines.append("procedures:")
            for name, steps in procedures.items():
                lines += [f"  {name}():", *_in(steps, 4)]
        lines += ["scoring:", "  points(player p):", *_in(self.points(), 4)]
        if self.one(False, True):
            lines.append(f"  equal: {self.one('tied', 'everybody', 'nobody')}")
        return "\n".join(lines) + "\n"

    def points(self) -> list[str]:
        """Lines that read everything there is."""
        lines = [
            "score: score[p] + secret[p]",
            "told: (1 if shown[p] else 0) + (1 if flag else 0)",
        ]
        if self.history:
            lines.append("before: times(seen)")
        for kind in self.kinds:
            hand, safe = kind.own
            lines.append(f"{kind.name}: count({hand}[p]) + 2 * count({safe}[p])")
            if kind.column:
                lines.append(f"{kind.name}_out: sum(x.{kind.column} for x in {kind.name}_out)")
            else:
                lines.append(f"{kind.name}_out: count(x in {kind.name}_out if x is red)")
            if not kind.owned:
                lines.append(f"{kind.name}_pile: count({kind.pile})")
        return lines


def _order(order: str) -> str:
    return f", order: {order}" if order else ""


def _in(lines: list[str], spaces: int) -> list[str]:
    return [" " * spaces + line for line in lines]


@st.composite
def rulesets(draw: st.DrawFn) -> str:
    """The text of a small ruleset."""
    return Inventor(draw).ruleset()
