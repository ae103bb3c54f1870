"""Piles that refill: from which zone, and whether what comes in is shuffled."""

from __future__ import annotations

import re

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.wording import zone_line
from rulerun_dsl.check.env.world import World
from rulerun_dsl.diagnostics.fixes import Fix, insert, rewrite, take_out_line
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def reshuffles(decl: declarations.ZoneDecl) -> bool:
    """Whether what refills this pile is shuffled as it comes in."""
    return decl.reshuffle is not None and decl.reshuffle.value is True


def check_reshuffle(world: World, decl: declarations.ZoneDecl) -> None:
    """A pile with an order that refills says in which order; nothing else has that to say."""
    ordered = decl.order in m.ORDERED
    if decl.reshuffle is not None and (decl.refill is None or not ordered):
        why = "is shuffled already" if decl.order == "random" else "has no order to shuffle"
        if ordered:
            why = "has no `refill`"
        world.report(
            "RR0721",
            f"`reshuffle` says nothing of `{decl.at.name}`, which {why}",
            decl.reshuffle.span,
            help="leave it out; it belongs to a stack or queue with `refill`",
            fixes=_without(decl.reshuffle.span),
        )
    elif decl.refill is not None and ordered and decl.reshuffle is None:
        text = decl.refill.span.text
        world.report(
            "RR0720",
            f"`{text}` comes into `{decl.at.name}` in the order in which it lies, unshuffled",
            decl.refill.span,
            help="write `reshuffle: true` beside it to shuffle what comes in, `reshuffle: false` "
            "if it is only turned over",
            fixes=_either(decl.refill.span),
        )


def refill(
    world: World, decl: declarations.ZoneDecl, indexes_: tuple[t.Scalar, ...]
) -> m.ZoneAt | None:
    """The zone that comes in when one more is wanted: of a family, the one of the same index."""
    node = decl.refill
    assert node is not None
    text = node.text if isinstance(node, s.Name) else None
    if text is None or text not in world.by_kind["zone"]:
        if text is None or text in world.declared:
            world.report(
                "RR0409",
                f"`refill:` names a zone, not `{node.span.text}`",
                node.span,
                help="of a family of zones it is the one with the same index",
            )
        else:
            line = zone_line(text, decl.kind.text if decl.kind is not None else "card")
            world.unknown(text, node.span, "zone", world.by_kind["zone"], line)
        return None
    world.note(node.span, text)
    zone = facts.zone(world, text)
    if zone is None or decl.kind is None:
        return None
    if text == decl.at.name:
        world.report("RR0701", f"`{text}` would be refilled from itself", node.span)
    if zone.kind != decl.kind.text:
        world.report("RR0501", f"`{text}` holds {zone.kind}, not {decl.kind.text}", node.span)
        return None
    if zone.indexes != indexes_[: len(zone.indexes)]:
        listed = ", ".join(str(each) for each in zone.indexes)
        world.report(
            "RR0406",
            f"`{text}[{listed}]` is many zones, and `{decl.at.name}` does not say which",
            node.span,
            help="refill from a single zone, or from a family with the same indexes",
        )
        return None
    # Registers 0 and 1 are free here: the executor puts the zone's own indexes into them.
    own = tuple(m.Register(index, node.span, place) for place, index in enumerate(zone.indexes))
    return m.ZoneAt(text, own, node.span)


def _either(span: Span) -> tuple[Fix, ...]:
    """The fixes that shuffle what comes in behind a value in braces, or say that nobody does."""
    if not re.match(r" *[,}]", span.source.text[span.end :]):
        return ()
    texts = (", reshuffle: true", ", reshuffle: false")
    fixes = (insert(span, text, safe=False, title=f"write `{text[2:]}`") for text in texts)
    return tuple(fix for each in fixes for fix in each)


def _without(span: Span) -> tuple[Fix, ...]:
    """The fix that takes `reshuffle:` out of braces, or its line."""
    source = span.source
    found = re.search(r"(, *)?\breshuffle *: *\Z", source.text[: span.start])
    if found is None:
        return ()
    if found[1]:
        return rewrite(source.span(found.start(), span.end), "", safe=False, title=_TITLE)
    return take_out_line(source.span(found.start(), span.end), "`reshuffle`")


_TITLE = "take out `reshuffle`"
