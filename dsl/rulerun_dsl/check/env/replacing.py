"""What modules put in the place of functions and procedures.

Assumes: a `World` whose declarations are indexed, of which nothing was asked yet.
Does: puts what each `replace:` says, of those that are on, in the place of what it names. What was
there before stays under a name that no author can write, for `original(…)`; so does the
replacement of a module that is off, which is checked all the same. That calls of a procedure wait
belongs to its name, not to its words: a replacement waits as what it replaces did, and
`original(…)` runs at once.
Leaves behind: other functions and procedures in `World.by_kind`, in `World.originals` what they
have replaced, and in `World.bodies` all that may stand for a procedure.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from rulerun_dsl.check.env.world import World
from rulerun_dsl.syntax import declarations


def replace_functions(world: World, active: Callable[[declarations.HookDecl], bool]) -> None:
    """Put what each `replace:` that is `active` says in place of what it names."""
    for hook in world.outline.hooks:
        if hook.word != "replace":
            continue
        name = hook.at.name
        word = "function" if name in world.by_kind["function"] else "procedure"
        table = world.by_kind[word]
        if name not in table:
            world.unknown(
                name,
                hook.at.span,
                "function or procedure",
                [*world.by_kind["function"], *world.by_kind["procedure"]],
            )
            continue
        earlier = f"{name} as it was before line {hook.at.span.line}"
        new: object = hook.function
        old = table[name]
        off = f"{name} (off, line {hook.at.span.line})"
        if isinstance(old, declarations.ProcedureDecl):
            new = declarations.ProcedureDecl(hook.at, hook.signature, hook.body, None)
            if active(hook):
                new = dataclasses.replace(new, queued=old.queued, stacked=old.stacked)
                old = dataclasses.replace(old, queued=None)
            world.bodies.setdefault(name, []).append(earlier if active(hook) else off)
        if new is None:
            # What could not be read was reported.
            continue
        declared = table[name].signature  # type: ignore[attr-defined]
        if len(declared.parameters) != len(hook.signature.parameters):
            # Reported as well; the calls are right for what was there.
            continue
        # A module that is off is checked all the same, but called by nothing.
        if active(hook):
            table[earlier], table[name] = old, new
            if name in world.originals:
                world.originals[earlier] = world.originals[name]
            world.originals[name] = earlier
        else:
            table[off] = new
            world.originals[off] = name
            world.spare.add(off)
