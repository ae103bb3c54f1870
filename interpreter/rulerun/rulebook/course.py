"""How a game goes: set-up, phases, the steps one by one, actions, and what the words mean.

Assumes: what puts rules into words.
Does: tells each procedure where it is called, if that is one place; the others, and functions, in
the order in which they were named, until nothing new is named.
Leaves behind: sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulerun.rulebook.book import Block, Item, Listing, Paragraph, Section
from rulerun.rulebook.prose.choice_prose import Prose
from rulerun.rulebook.prose.naming import Local, Scope, put
from rulerun.words.narration import sentence
from rulerun_dsl.check.display.names_of_words import SETUP
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s

_SENTENCE_ENDS = re.compile(r"(?<=[.!?]) +(?=[^\W\d_]*[A-ZÀ-Þ])")


def setup(prose: Prose) -> Section | None:
    """How a game begins; each sentence of a text about it is a point."""
    body = prose.settled.outline.setup
    if about := prose.labels.about(f"phase {SETUP}"):
        prose.place_all(body)
        told = tuple(Item(sentence(each)) for each in _SENTENCE_ENDS.split(about))
        items = (*told, *prose.written_options(body, {}))
    else:
        items = prose.block(body, {})
    return Section(prose.t.setup_title, (Listing(_flat(items), True),)) if items else None


def _flat(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Points without those that only hold others."""
    found: list[Item] = []
    for each in items:
        found += _flat(each.items) if not each.text and not each.lead else [each]
    return tuple(found)


def flow(prose: Prose) -> Section:
    """The phases, in their order."""
    sections = [each for phase in prose.settled.outline.phases for each in _phase(prose, phase, {})]
    for name in prose.settled.automata:
        if about := prose.labels.about(f"player {name}"):
            sections.append(Section(prose.labels.player(name), (Paragraph(sentence(about)),)))
    return Section(prose.t.flow_title, (), tuple(sections))


def _how(prose: Prose, phase: d.PhaseDecl, scope: Scope) -> tuple[list[str], Scope]:
    """When a phase is played, by whom and how long; what is bound inside."""
    t = prose.t
    inside = dict(scope)
    how = []
    if phase.condition is not None and prose.settled.decided(phase.condition) is None:
        how.append(put(t.phase_if, c=prose.claim(phase.condition, scope)))
    if phase.loops is not None:
        head, inside = prose.for_all(phase.loops.items, scope)
        how.append(head)
    if phase.turns is not None:
        head, inside = prose.turns(phase.turns, phase.until, scope)
        how.append(head)
    elif phase.until is not None:
        how.append(put(t.until, c=prose.claim(phase.until, scope)))
    if phase.repeat is not None:
        how.append(prose.repeated(phase.repeat, scope))
    return how, inside


def _phase(prose: Prose, phase: d.PhaseDecl, scope: Scope) -> Iterator[Section]:
    if not prose.settled.is_on(phase.at.when):
        return
    if phase.condition is not None and prose.settled.decided(phase.condition) is False:
        return
    blocks: list[Block] = []
    about = prose.labels.about(f"phase {phase.at.name}")
    with prose.forgetting(lambda _: bool(about)):
        how, inside = _how(prose, phase, scope)
    written = False
    if about:
        prose.place_all(phase.body)
        blocks.append(Paragraph(sentence(about)))
        items = prose.written_options(phase.body, inside)
    else:
        if how:
            blocks.append(Paragraph(" ".join(map(sentence, how))))
        items = _flat(prose.block(phase.body, inside))
        if len(items) == 1 and items[0].lead:
            # A procedure that is the whole phase, and so has its title.
            written = bool(items[0].text)
            if written:
                blocks.append(Paragraph(items[0].text))
            items = items[0].items
    told = bool(blocks[1:] if how and not about else blocks)
    if items:
        blocks.append(Listing(items, not about and not written))
    sections = tuple(each for one in phase.phases for each in _phase(prose, one, inside))
    if told or items or sections:
        title = prose.labels.named("phase", phase.at.name)
        yield Section(title[:1].upper() + title[1:], tuple(blocks), sections)


# ------------------------------------------------------------------------- procedures and actions


def steps(prose: Prose) -> Section | None:
    """The procedures that were named and not told yet."""
    sections: list[Section] = []
    settled = prose.settled
    while True:
        waiting = [
            name
            for name in prose.called
            if name not in prose.told and (name in settled.procedures or name in settled.actions)
        ]
        if not waiting:
            break
        for name in waiting:
            prose.told.add(name)
            if name in settled.procedures:
                sections.append(_procedure(prose, settled.procedures[name]))
            else:
                sections.append(_action(prose, settled.actions[name]))
    return Section(prose.t.steps_title, (), tuple(sections)) if sections else None


def _procedure(prose: Prose, decl: d.ProcedureDecl) -> Section:
    scope: dict[str, Local] = {}
    met = []
    for each in decl.signature.parameters:
        if each.name == "you":
            continue
        sort = prose.sort_written(each.type) if each.type else prose.sort(each.source, scope)
        said, scope = prose.bound(scope, each.name, sort)
        met.append(said)
    title = prose.rule_title(decl.at.name)
    about = prose.labels.about(f"rule {decl.at.name}")
    if about:
        prose.place_all(decl.body)
        told = prose.written_options(decl.body, scope)
        more = (Listing(told),) if told else ()
        return Section(title, (Paragraph(sentence(about)), *more, *_hooks(prose, decl.at.name)))
    given = [s.Name(each.span, each.name) for each in decl.signature.parameters]
    if "<" in prose.labels.rule_name(decl.at.name):
        title = prose.rule_words(decl.at.name, given, scope)
        title = title[:1].upper() + title[1:]
    elif met:
        title = put(prose.t.at_index, a=title, b=prose.listed(met))
    items = _flat(prose.block(decl.body, scope))
    blocks: list[Block] = [Listing(items, True)] if items else []
    blocks += _hooks(prose, decl.at.name)
    if not blocks:
        blocks = [Paragraph(sentence(prose.t.nothing_happens))]
    return Section(title, tuple(blocks))


def _hooks(prose: Prose, name: str) -> Iterator[Block]:
    """What modules change of a procedure, but for what a text about an automa stands for."""
    for hook in prose.settled.outline.hooks:
        if hook.at.name == name and prose.settled.is_on(hook.when):
            whose = prose.settled.whose(hook)
            if whose is None or not prose.labels.about(f"player {whose}"):
                yield from _hook(prose, hook)


def _hook(prose: Prose, hook: d.HookDecl) -> list[Block]:
    leads = {"before": prose.t.before_that, "after": prose.t.after_that, "replace": prose.t.instead}
    scope: dict[str, Local] = {}
    for each in hook.signature.parameters:
        sort = prose.sort_written(each.type) if each.type else prose.sort(each.source, scope)
        scope = prose.bound(scope, each.name, sort)[1]
    items = _flat(prose.block(hook.body, scope))
    if not items:
        return []
    return [Paragraph("", leads.get(hook.word, hook.word)), Listing(items, True)]


def _action(prose: Prose, decl: d.ActionDecl) -> Section:
    (item,) = prose.option(decl.line, {}) or [Item(prose.t.never, "")]
    blocks: list[Block] = [Paragraph(item.text)] if item.text else []
    if item.items:
        blocks.append(Listing(item.items, True))
    return Section(item.lead, tuple(blocks))


# ------------------------------------------------------------------------------------------ terms


def terms(prose: Prose) -> Section | None:
    """What the functions mean that were named."""
    items: list[Item] = []
    done: set[str] = set()
    while waiting := [each for each in prose.asked if each not in done]:
        for name in waiting:
            done.add(name)
            item = _term(prose, name)
            if item is not None:
                items.append(item)
    items.sort(key=lambda item: item.lead.casefold().strip("“«„"))
    if not items:
        return None
    return Section(prose.t.terms_title, (Paragraph(prose.t.about_terms), Listing(tuple(items))))


def _term(prose: Prose, name: str) -> Item | None:
    """What a function means; where a module replaces it, what it means there as well."""
    item = prose.definition(prose.settled.functions[name])
    if prose.labels.about(f"rule {name}"):
        return item
    for hook in prose.settled.outline.hooks:
        if hook.at.name != name or hook.function is None or not prose.settled.is_on(hook.when):
            continue
        instead = prose.definition(hook.function)
        if instead is not None and item is not None:
            lead = prose.t.as_otherwise
            before = Item(item.text, lead[:1].upper() + lead[1:], item.items)
            item = Item(instead.text, instead.lead, (*instead.items, before))
    return item
