"""Every possible decision as an integer: action types and their domains.

An action's type is its name with the types of its parameters, shared by all sites that use it.
One name may stand for several types: a text means the one that its question offers.
Ranges of one parameter join to the widest. The value of a component is its row, and beside it what
may tell members of the set apart: owner, zone, attributes. Types come in the order of their first
site; the first parameter is slowest.
"""

from __future__ import annotations

import dataclasses
from itertools import combinations_with_replacement, product
from math import comb, prod

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, constants, facts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.whole import flow
from rulerun_dsl.codegen.assemble import Assembly
from rulerun_dsl.codegen.ownership import Place, may_be_foreign, zones_in
from rulerun_dsl.diagnostics.diagnostic import Related
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import replaced
from rulerun_dsl.source.spans import Span

CAP = 200_000
"""The most distinct actions that a game may have."""


@dataclasses.dataclass
class _Wanted:
    """What the sites of one parameter ask of its domain."""

    type: t.Type
    low: int
    high: int
    owner: bool = False
    zones: set[Place] = dataclasses.field(default_factory=set)
    attributes: tuple[str, ...] = ()
    fewest: int = 0
    most: int = 0
    span: Span | None = None


def number_actions(
    assembly: Assembly, instances: dict[str, tuple[int, int]]
) -> tuple[m.ActionType, ...]:
    """Return the action types, and fill them into the options of the code.

    `instances` gives the first instance and the number of instances of each zone family.
    """
    world = assembly.rules.world
    wanted: dict[tuple[str, tuple[str, ...]], list[_Wanted]] = {}
    sites: list[tuple[int, int, tuple[str, tuple[str, ...]]]] = []
    for at, instruction in enumerate(assembly.code):
        if not isinstance(instruction, m.Choose):
            continue
        for place, option in enumerate(instruction.options):
            name = assembly.names[(at, place)]
            asked = [want(assembly, binder) for binder in option.binders]
            key = (name, tuple(flow.shape(each) for each in option.binders))
            known = wanted.setdefault(key, asked)
            for old, new in zip(known, asked, strict=True):
                merge(old, new)
            sites.append((at, place, key))
    types: list[m.ActionType] = []
    base = 0
    index: dict[tuple[str, tuple[str, ...]], int] = {}
    for key, asked in wanted.items():
        domains = tuple(domain(world, each, instances) for each in asked)
        size = 1
        for each in domains:
            size *= each.size
        if size > CAP or base + size > CAP:
            factors = " x ".join(f"{each.size} ({each.of})" for each in domains)
            world.report(
                "RR0706",
                f"`{key[0] or 'choose'}` makes {size} distinct actions: {factors}",
                asked[0].span if asked else None,
                help=f"at most {CAP} are allowed; a chain of choices adds, parameters multiply",
            )
            return ()
        index[key] = len(types)
        types.append(m.ActionType(key[0], domains, base, size))
        base += size
    tell_apart(assembly, types, [(at, place, index[key]) for at, place, key in sites])
    for at, place, key in sites:
        choose = assembly.code[at]
        assert isinstance(choose, m.Choose)
        options = list(choose.options)
        options[place] = replaced(options[place], action=index[key])
        assembly.code[at] = replaced(choose, options=tuple(options))
    return tuple(types)


def tell_apart(
    assembly: Assembly, types: list[m.ActionType], sites: list[tuple[int, int, int]]
) -> None:
    """Report two actions of one text in one question. Only bare texts can be equal."""
    questions: dict[int, dict[int, int]] = {}
    for at, place, number in sites:
        if not (types[number].name and types[number].parameters):
            questions.setdefault(at, {}).setdefault(number, place)
    texts: dict[int, tuple[str, ...]] = {}
    for at, offered in questions.items():
        bare: dict[str, int] = {}
        for number in offered if len(offered) > 1 else ():
            if number not in texts:
                texts[number] = _bare_texts(types[number])
            text = next((each for each in texts[number] if each in bare), None)
            if text is not None:
                assembly.rules.world.report(
                    "RR0707",
                    f"`{text}` may mean two options of one choice",
                    _line(assembly, at, offered[number]),
                    related=(
                        Related(_line(assembly, at, offered[bare[text]]), "the other is this one"),
                    ),
                    help="give one of them another name: `done: NAME`, `or: NAME`, or a menu with "
                    "`NAME(x in …): …`",
                )
            bare.update(dict.fromkeys(texts[number], number))


def _bare_texts(type_: m.ActionType) -> tuple[str, ...]:
    """The texts of actions that are a bare name or bare values."""
    values = product(*(each.texts for each in type_.parameters))
    return (type_.name,) if type_.name else tuple(map(", ".join, values))


def _line(assembly: Assembly, at: int, place: int) -> Span:
    """Where a question offers an action."""
    choose = assembly.code[at]
    assert isinstance(choose, m.Choose)
    return choose.options[place].span or choose.span


def merge(old: _Wanted, new: _Wanted) -> None:
    """Widen what is wanted by what another site asks."""
    old.low, old.high = min(old.low, new.low), max(old.high, new.high)
    old.owner = old.owner or new.owner
    old.zones = old.zones | new.zones
    old.attributes = tuple(dict.fromkeys((*old.attributes, *new.attributes)))
    old.fewest, old.most = min(old.fewest, new.fewest), max(old.most, new.most)


def want(assembly: Assembly, binder: m.OptionBinder) -> _Wanted:
    """What one binder asks of its domain."""
    world = assembly.rules.world
    type_ = t.bare(binder.local.type)
    fewest = most = 0
    if binder.low is not None and binder.high is not None:
        assert isinstance(type_, t.SetOf | t.Multiset)
        bounds = binder.low.type, binder.high.type
        if isinstance(bounds[0], t.Int) and isinstance(bounds[1], t.Int):
            fewest, most = max(bounds[0].low, 0), max(bounds[1].high, 1)
        known = constants.value_of(world, binder.high), constants.value_of(world, binder.low)
        most = known[0] if isinstance(known[0], int) else most
        fewest = known[1] if isinstance(known[1], int) else fewest
        most = max(most, 1)
        type_ = t.bare(type_.element)
    low = facts.low(type_)
    high = low + facts.size(world, type_) - 1
    if isinstance(type_, t.Int):
        low, high = reach(world, binder.source, type_)
    made = _Wanted(type_, low, high, fewest=fewest, most=most, span=binder.source.span)
    if isinstance(type_, t.Component):
        kind = component_kinds.kind(world, type_.kind)
        made.owner = kind.owner is not None and may_be_foreign(assembly, binder.source)
        if max(kind.copies, default=1) > 1:
            # One of a kind without copies is told by its row and owner, wherever it lies.
            made.zones = zones_in(assembly, binder.source, type_.kind)
        if max(kind.copies, default=1) > 1 or kind.attributes:
            made.attributes = tuple(
                name for name in kind.attributes if any(count > 1 for count in kind.copies)
            )
    return made


def reach(world: World, source: m.Expression, type_: t.Int) -> tuple[int, int]:
    """The bounds of the numbers that a collection may hold."""
    if isinstance(source, m.Values):
        low, high = source.low.type, source.high.type
        ends = constants.value_of(world, source.low), constants.value_of(world, source.high)
        if isinstance(low, t.Int) and isinstance(high, t.Int):
            return (
                ends[0] if isinstance(ends[0], int) else low.low,
                ends[1] if isinstance(ends[1], int) else high.high,
            )
    return type_.low, type_.high


def domain(world: World, wanted: _Wanted, instances: dict[str, tuple[int, int]]) -> m.Domain:
    """The domain of a parameter with the text of each of its values."""
    single = simple_domain(world, wanted, instances)
    if not wanted.most:
        return single
    count = multisets_of(single.size, wanted.fewest, wanted.most)
    if count > CAP:
        return replaced(single, size=count)
    multisets = tuple(
        each
        for size in range(wanted.fewest, wanted.most + 1)
        for each in combinations_with_replacement(range(single.size), size)
    )
    texts = tuple(
        " + ".join(single.texts[item] for item in each) if each else "nothing" for each in multisets
    )
    return m.Domain(
        t.Multiset(wanted.type),  # type: ignore[arg-type]
        0,
        len(multisets),
        texts,
        multisets=multisets,
        element=single,
    )


def multisets_of(many: int, fewest: int, most: int) -> int:
    """How many choices of `fewest` to `most` out of `many` there are; above the cap, about."""
    count = 0
    for size in range(fewest, most + 1):
        # Half of either number is a power of two too many.
        if min(size, many - 1) > CAP.bit_length():
            return CAP + 1
        count += comb(many + size - 1, size) if many else int(not size)
        if count > CAP or (not many and size):
            break
    return count


def simple_domain(world: World, wanted: _Wanted, instances: dict[str, tuple[int, int]]) -> m.Domain:
    """The domain of one value."""
    type_ = wanted.type
    if not isinstance(type_, t.Component):
        size = max(wanted.high - wanted.low + 1, 0)
        texts = tuple(
            facts.name_of(world, type_, wanted.low + place) for place in range(min(size, CAP + 1))
        )
        return m.Domain(type_, wanted.low, size, texts)
    kind = component_kinds.kind(world, type_.kind)
    facets: list[list[str]] = [list(kind.rows.names)]
    if wanted.owner:
        facets.append(list(kind.owners))
    groups = zone_groups(world, wanted.zones, instances)
    if len(groups) < 2:
        groups = []
    else:
        facets.append([label for label, _ in groups])
    attributes = []
    many = prod(map(len, facets))
    for name in wanted.attributes:
        attribute_type = kind.attributes[name][0]
        low, size = facts.low(attribute_type), facts.size(world, attribute_type)
        attributes.append((name, low, size))
        many *= size
        if many > CAP:
            break
        facets.append(
            [f"{name}={facts.name_of(world, attribute_type, low + place)}" for place in range(size)]
        )
    if many > CAP:
        return m.Domain(type_, 0, many, ())
    texts = tuple(component_text(parts, wanted.owner, bool(groups)) for parts in product(*facets))
    zones = tuple(members for _, members in groups)
    return m.Domain(type_, 0, len(texts), texts, wanted.owner, zones, tuple(attributes))


def zone_groups(
    world: World, places: set[Place], instances: dict[str, tuple[int, int]]
) -> list[tuple[str, tuple[int, ...]]]:
    """The zones that options tell apart: a label and the zone instances it stands for.

    Of a family named with all its indexes just one zone is meant at a time, so the family is a
    group; an index left open (`hand[all]`) is told apart by its value: `hand[yarg]`.
    """
    found: list[tuple[str, tuple[int, ...]]] = []
    for family in dict.fromkeys(name for name, _ in sorted(places)):
        masks = [mask for name, mask in places if name == family]
        open_ = tuple(any(column) for column in zip(*masks, strict=True))
        zone = facts.zone(world, family)
        assert zone is not None
        first, count = instances[family]
        ranges = [range(facts.size(world, index)) for index in zone.indexes]
        groups: dict[str, list[int]] = {}
        for offset, values in zip(range(count), product(*ranges), strict=True):
            names = [
                facts.name_of(world, index, value + facts.low(index))
                for index, value, told in zip(zone.indexes, values, open_, strict=True)
                if told
            ]
            label = f"{family}[{', '.join(names)}]" if names else family
            groups.setdefault(label, []).append(first + offset)
        found.extend((label, tuple(members)) for label, members in groups.items())
    return found


def component_text(parts: tuple[str, ...], owner: bool, zone: bool) -> str:
    """The text of a component option: `prince`, `prince of yarg`, `shown roar`."""
    row, *rest = parts
    text = row
    if owner:
        text = f"{row} of {rest.pop(0)}"
    if zone:
        text = f"{rest.pop(0)} {text}"
    return " ".join([text, *rest])
