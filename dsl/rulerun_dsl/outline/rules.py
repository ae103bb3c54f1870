"""Reading rules: functions, procedures, actions, hooks, phases, invariants and scoring.

The part of `outline` that deals with what a game does, above `declarations`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from rulerun_dsl.diagnostics.diagnostic import Related, problem
from rulerun_dsl.diagnostics.fixes import Fix, rewrite
from rulerun_dsl.outline.declarations import Declarations, scalars_of, text_at
from rulerun_dsl.syntax import declarations, parse
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence


@dataclass
class Rules(Declarations):
    """The walk in progress: what is done with what has been declared."""

    def read_function(self, key: Scalar, node: Node) -> None:
        """Read one function."""
        if (function := self.function(key, node)) is not None:
            self.functions.append(function)

    def function(self, key: Scalar, node: Node) -> declarations.FunctionDecl | None:
        """Return a function: an expression, or cases."""
        signature = self.signature(key)
        if signature is None:
            return None
        at = self.at(signature.name, key, node)
        body = node.get("value") or node if isinstance(node, Mapping) else node
        lets: tuple[stmt.Let, ...] = ()
        if isinstance(body, Sequence):
            *before, body = body.items
            lets = tuple(each for item in before for each in self.lets(item))
        if isinstance(body, Mapping):
            subject = body.get("match")
            cases = body.get("cases")
            pairs = []
            for entry in cases.entries if isinstance(cases, Mapping) else ():
                condition = None if entry.key.text == "else" else self.expression(entry.key)
                value = self.expression(entry.value)
                if value is not None and (condition is not None or entry.key.text == "else"):
                    pairs.append((condition, value))
            return declarations.FunctionDecl(
                at,
                signature,
                None,
                self.expression(subject) if subject is not None else None,
                tuple(pairs),
                lets,
            )
        if isinstance(body, Scalar) and body.text.startswith("let "):
            self.diagnostics.append(
                problem(
                    "RR0518",
                    "the last line of a function is its value, not one more name",
                    body.span,
                    help=f"add a line with what `{signature.name}` gives",
                )
            )
            return None
        value = self.expression(body)
        return declarations.FunctionDecl(at, signature, value, None, (), lets) if value else None

    def lets(self, node: Node) -> Iterator[stmt.Let]:
        """The names that a line of a function gives to values."""
        if not isinstance(node, Scalar) or not node.text.startswith("let "):
            self.diagnostics.append(
                problem(
                    "RR0518",
                    "only the last line of a function is its value",
                    node.span,
                    help="the lines before it give names to values: `let n = count(hand[p])`",
                )
            )
            return
        found = self.parsed(parse.parse_block, node)
        for each in found.statements if found is not None else ():
            if isinstance(each, stmt.Let) and not isinstance(each.value, stmt.Move):
                yield each
            else:
                self.diagnostics.append(
                    problem(
                        "RR0518",
                        "a function changes nothing: its lines only give names to values",
                        each.span,
                        help="what moves or assigns belongs into a procedure",
                    )
                )

    def read_procedure(self, key: Scalar, node: Node) -> None:
        """Read one procedure."""
        signature = self.signature(key)
        if signature is None:
            return
        body, queued, stacked = node, None, False
        if isinstance(node, Mapping) and (inside := node.get("do")) and not self.is_step(node):
            body = inside
            stacked = "stacked" in node
            waiting = node.get("stacked" if stacked else "queued")
            queued = self.expression(waiting) if waiting else None
        self.procedures.append(
            declarations.ProcedureDecl(
                self.at(signature.name, key, node), signature, self.block(body), queued, stacked
            )
        )

    def read_actions(self, section: Mapping) -> None:
        """Read the actions, those in groups too."""
        for key, node, around in self.grouped(section):
            line = self.menu_line(key, node, around)
            if line is None:
                continue
            groups = scalars_of(node.get("in")) if isinstance(node, Mapping) else ()
            self.actions.append(
                declarations.ActionDecl(
                    self.at(line.signature.name, key, node),
                    line,
                    tuple(group.text for group in groups),
                )
            )

    def hook(self, key: Scalar, word: str, rest: str, node: Node) -> None:
        """Read `before PROC(…)` or `after PROC(…)`."""
        offset = len(key.text) - len(rest)
        inner = Scalar(rest, rest, key.span_of(offset, len(key.text)), key.style)
        signature = self.signature(inner)
        if signature is not None:
            at = self.at(signature.name, key, node)
            body = self.block(node)
            self.hooks.append(declarations.HookDecl(at, word, signature, body, None, self.when))

    def replacement(self, key: Scalar, node: Node, whom: Scalar | None = None) -> None:
        """Read one entry of `replace:`: of a function if it is an expression or cases.

        `whom`: it stands under `instead for` this automa.
        """
        signature = self.signature(key)
        if signature is None:
            return
        at = self.at(signature.name, key, node)
        self.replacements.append((len(self.hooks), key, node, whom))
        self.hooks.append(declarations.HookDecl(at, "replace", signature, (), None, self.when))

    def read_replacements(self) -> None:
        """Read what `replace:` puts in place, once it is known what is a function."""
        functions = {each.at.name for each in self.functions}
        procedures = {each.at.name for each in self.procedures}
        for place, key, node, whom in self.replacements:
            hook = self.hooks[place]
            if hook.at.name in functions and whom is None:
                made = self.function(key, node)
                function = dataclasses.replace(made, at=hook.at) if made is not None else None
                self.hooks[place] = dataclasses.replace(hook, function=function)
            elif hook.at.name in procedures:
                if isinstance(node, Mapping) and not self.is_step(node):
                    node = node.get("do") or node
                body = self.block(node)
                if whom is not None:
                    body = _only_for(whom, hook, body)
                self.hooks[place] = dataclasses.replace(hook, body=body)
            elif whom is not None and hook.at.name in functions:
                self.diagnostics.append(
                    problem(
                        "RR0409",
                        f"`{hook.at.name}` is a function: `instead for` is for procedures",
                        hook.at.span,
                        help="put it under `replace:`, and ask there who it is about",
                    )
                )

    def read_phase(self, key: Scalar, node: Node) -> None:
        """Read one phase of the section."""
        self.phases.append(self.phase(key, node))

    def phase(self, key: Scalar, node: Node) -> declarations.PhaseDecl:
        """Return a phase with the phases inside it."""
        at = self.at(key.text, key, node)
        if (
            not isinstance(node, Mapping)
            or not (node.get("do") or node.get("phases"))
            or node.get("together") is not None
        ):
            return declarations.PhaseDecl(
                at, None, None, None, None, None, self.block(node), (), ""
            )
        inside = node.get("phases")
        loop, turns = node.get("for"), node.get("turns")
        for first, second in (("for", "turns"), ("for", "repeat"), ("turns", "repeat")):
            self.rivals(node, first, second)
        times = node.get("repeat")
        often = f"1..{times.text}" if isinstance(times, Scalar) else "1..5"
        instead = f"write `for: pass_number in {often}` in place of `repeat`: a `for` of a phase "
        instead += "ends before its time where `until` holds"
        repeat = node.entry("repeat")
        fixes: tuple[Fix, ...] = ()
        if repeat is not None and isinstance(times, Scalar) and times.text.isdigit():
            fixes = rewrite(repeat.span, f"for: pass_number in {often}", safe=True)
        self.rivals(node, "until", "repeat", instead, fixes)
        return declarations.PhaseDecl(
            at=at,
            condition=self.expression(node.get("if")) if node.get("if") else None,
            until=self.expression(node.get("until")) if node.get("until") else None,
            loops=self.parsed(parse.parse_loops, loop) if loop else None,
            turns=self.parsed(parse.parse_binders, turns) if turns and not loop else None,
            repeat=self.expression(node.get("repeat")) if node.get("repeat") else None,
            body=self.block(node.get("do")) if node.get("do") else (),
            phases=tuple(
                self.phase(entry.key, entry.value)
                for entry in (inside.entries if isinstance(inside, Mapping) else ())
            ),
            about=text_at(node, "about"),
        )

    def rivals(
        self,
        node: Mapping,
        first: str,
        second: str,
        instead: str = "",
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        """Report two keys of which only one may stand in a mapping."""
        entry, other = node.entry(first), node.entry(second)
        if entry is None or other is None:
            return
        self.diagnostics.append(
            problem(
                "RR0211",
                f"`{second}` and `{first}` exclude each other",
                other.key.span,
                related=(Related(entry.key.span, f"`{first}` stands here"),),
                help=instead or "keep one of them, and put a phase or loop with the other inside",
                fixes=fixes,
            )
        )

    def read_always(self, key: Scalar, node: Node) -> None:
        """Read one invariant."""
        if (condition := self.expression(node)) is not None:
            if self.when is not None:
                true = s.Truth(condition.span, True)
                condition = s.IfElse(condition.span, condition, self.when, true)
            self.always.append((key.text, condition))

    def read_scoring(self, key: Scalar, node: Mapping) -> None:
        """Read `scoring:`."""
        found: dict[str, tuple[s.Signature, Node, Scalar]] = {}
        for entry in node.entries:
            signature = self.signature(entry.key)
            if signature is not None:
                found[signature.name] = (signature, entry.value, entry.key)

        def lines(word: str) -> tuple[declarations.ScoringLine, ...]:
            if word not in found:
                return ()
            signature, value, _ = found[word]
            if isinstance(value, Mapping):
                pairs = [(entry.key.text, self.expression(entry.value)) for entry in value.entries]
            elif isinstance(value, Sequence):
                pairs = [("", self.expression(item)) for item in value.items]
            else:
                pairs = [("", self.expression(value))]
            scoring = []
            for name, item in pairs:
                if item is not None and self.when is not None:
                    item = s.IfElse(item.span, item, self.when, s.Number(item.span, 0))
                if item is not None:
                    scoring.append(declarations.ScoringLine(name, item, signature))
            return tuple(scoring)

        earlier = self.scoring
        for word in ("equal", "out", "winner", "returns"):
            if word in found:
                self.scoring_once(word, found[word][2])
        winner, returns, out = (found.get(word) for word in ("winner", "returns", "out"))
        scoring = declarations.ScoringDecl(
            points=lines("points"),
            ties=lines("ties"),
            equal=text_at(node, "equal", earlier.equal if earlier is not None else "tied"),
            out=self.expression(out[1]) if out else None,
            out_parameter=out[0] if out else None,
            winner=self.parsed(parse.parse_winner, winner[1]) if winner else None,
            returns=self.function(returns[2], returns[1]) if returns else None,
            span=key.span,
        )
        if earlier is not None:
            scoring = dataclasses.replace(
                scoring,
                points=earlier.points + scoring.points,
                ties=earlier.ties + scoring.ties,
                out=scoring.out or earlier.out,
                out_parameter=scoring.out_parameter or earlier.out_parameter,
                winner=scoring.winner or earlier.winner,
                returns=scoring.returns or earlier.returns,
                span=earlier.span,
            )
        self.scoring = scoring

    def scoring_once(self, word: str, key: Scalar) -> None:
        """Report a word of `scoring:` that a module may not say, or that is said twice."""
        if self.when is not None:
            self.diagnostics.append(
                problem(
                    "RR0409",
                    f"a module adds lines to `points` and `ties`; `{word}` is the whole game's",
                    key.span,
                    help=f"let `{word}` call a function, and `replace:` that",
                )
            )
        elif word in self.scored:
            self.diagnostics.append(
                problem(
                    "RR0403",
                    f"`{word}` is declared twice",
                    key.span,
                    related=(Related(self.scored[word], "declared first here"),),
                )
            )
        else:
            self.scored[word] = key.span


def _only_for(
    whom: Scalar, hook: declarations.HookDecl, body: declarations.Block
) -> declarations.Block:
    """What an automa does instead; for everybody else, the procedure as it was."""
    span = hook.at.span
    arguments = tuple(s.Name(each.span, each.name) for each in hook.signature.parameters)
    original = stmt.Do(span, s.Call(span, "original", span, arguments), None)
    is_it = s.Is(whom.span, s.You(whom.span), s.Name(whom.span, whom.text), False)
    return (declarations.If(span, is_it, body, (declarations.Line(span, (original,)),)),)
