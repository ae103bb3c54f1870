"""Findings that the author has answered: `# rulerun: ignore[RR0604] everybody knows the trump`.

Assumes: sources, and findings about them.
Does: reads such comments. One answers warnings and hints of the codes that it names, on its own
line or, where it stands alone, on the next line that is no comment. Errors cannot be answered.
Leaves behind: the findings that are left, the answers that were wanted, and findings about the
comments themselves: one that is not written as one (RR0722), one that answers nothing (RR0723).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from rulerun_dsl.catalogue import CATALOGUE, Severity
from rulerun_dsl.comments import comments
from rulerun_dsl.diagnostics import Diagnostic, problem, suggest
from rulerun_dsl.frozen import frozen
from rulerun_dsl.source import Source, Span

_MARK = re.compile(r"rulerun\s*:\s*ignore\b", re.IGNORECASE)
_FORM = re.compile(r"rulerun:\s*ignore\s*\[([^\]]*)\]\s*(.*)")
_HELP = "write `# rulerun: ignore[RR0604] and why it is right as it is`"


@frozen
class Answer:
    """A comment that answers findings of one code on one line."""

    code: str
    line: int
    """The line of the findings that it answers."""
    span: Span
    """Where the code stands in the comment."""


def read_answers(sources: Iterable[Source]) -> tuple[tuple[Answer, ...], list[Diagnostic]]:
    """The answers in these files, and what is wrong with them."""
    answers: list[Answer] = []
    found: list[Diagnostic] = []
    for source in sources:
        if not _MARK.search(source.text):
            continue
        alone = {each.line for each in comments(source) if not each.trailing}
        for comment in comments(source):
            if not _MARK.match(comment.text):
                continue
            form = _FORM.match(comment.text)
            if form is None or not form[1].strip() or not form[2].strip():
                unsaid = form is None or not form[1].strip()
                missing = "does not say which finding" if unsaid else "gives no reason"
                found.append(problem("RR0722", f"this comment {missing}", comment.span, help=_HELP))
                continue
            line = comment.line
            while line in alone:
                line += 1
            start = source.text.index("[", comment.span.start) + 1
            for match in re.finditer(r"[^,\s]+", form[1]):
                place = source.span(start + match.start(), start + match.end())
                wrong = _wrong(match[0], place)
                if wrong is None:
                    answers.append(Answer(match[0], line, place))
                else:
                    found.append(wrong)
    return tuple(answers), found


def _wrong(code: str, place: Span) -> Diagnostic | None:
    """What is wrong with a code that an answer names."""
    if code not in CATALOGUE:
        close = suggest(code, CATALOGUE)
        hint = f"did you mean `{close}`?" if close else _HELP
        return problem("RR0722", f"no finding has the code `{code}`", place, help=hint)
    if CATALOGUE[code].severity is Severity.ERROR:
        return problem("RR0722", f"{code} is an error: it has to be mended", place)
    return None


def unanswered(
    findings: Iterable[Diagnostic], answers: Collection[Answer], wanted: set[Answer]
) -> list[Diagnostic]:
    """The findings that no comment answers; the answers that were used are added to `wanted`."""
    if not answers:
        return list(findings)
    left = []
    for finding in findings:
        used = set() if finding.severity is Severity.ERROR else {*_answering(finding, answers)}
        wanted |= used
        if not used:
            left.append(finding)
    return left


def _answering(finding: Diagnostic, answers: Iterable[Answer]) -> Iterator[Answer]:
    span = finding.span
    if span is None:
        return
    last = span.source.position(max(span.start, span.end - 1))[0]
    for answer in answers:
        if (
            answer.code == finding.code
            and answer.span.source is span.source
            and span.line <= answer.line <= last
        ):
            yield answer


def idle(
    answers: Iterable[Answer], wanted: Collection[Answer], looked_for: Collection[str]
) -> Iterator[Diagnostic]:
    """Findings about answers to what was looked for and not found in any setting."""
    for answer in answers:
        if answer not in wanted and answer.code in looked_for:
            yield problem(
                "RR0723",
                f"nothing is found here that `ignore[{answer.code}]` answers",
                answer.span,
                help="take the comment out",
            )
