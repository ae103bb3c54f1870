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

from rulerun_dsl.diagnostics.catalogue import CATALOGUE, Severity
from rulerun_dsl.diagnostics.diagnostic import (
    MOST_FINDINGS,
    Diagnostic,
    did_you_mean,
    more_findings,
    not_checked,
    problem,
    suggest,
)
from rulerun_dsl.diagnostics.fixes import take_out_comment, take_out_of_list
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.comments import Comment, comments

_MARK = re.compile(r"rulerun\s*:\s*ignore\b", re.IGNORECASE)
_SPELT = re.compile(r"rulerun: *ignore\b")
_FORM = re.compile(r"rulerun:\s*ignore\s*\[([^\]]*)\]\s*(.*)")
_CODE = re.compile(r"\bRR\w*", re.IGNORECASE)


@frozen
class Answer:
    """A comment that answers findings of one code on one line."""

    code: str
    line: int
    """The line of the findings that it answers."""
    span: Span
    """Where the code stands in the comment."""
    alone: bool = True
    """It is the only code of its comment."""


def read_answers(sources: Iterable[Source]) -> tuple[tuple[Answer, ...], list[Diagnostic]]:
    """The answers in these files, and what is wrong with them."""
    answers: list[Answer] = []
    found: list[Diagnostic] = []
    more: list[Span] = []
    for source in sources:
        if not _MARK.search(source.text):
            continue
        behind: dict[int, int] = {}
        for line in sorted(
            (each.line for each in comments(source) if not each.trailing), reverse=True
        ):
            behind[line] = behind.get(line + 1, line + 1)
        for comment in comments(source):
            if not _MARK.match(comment.text):
                continue
            form = _FORM.match(comment.text)
            if len(found) >= MOST_FINDINGS:
                more.append(comment.span)
                continue
            if form is None or not form[1].strip() or not form[2].strip():
                found.append(_unfit(comment, form))
                continue
            line = behind.get(comment.line, comment.line)
            start = source.text.index("[", comment.span.start) + 1
            codes = list(re.finditer(r"[^,\s]+", form[1]))
            for match in codes:
                place = source.span(start + match.start(), start + match.end())
                wrong = _wrong(match[0], place)
                if wrong is None:
                    answers.append(Answer(match[0], line, place, len(codes) == 1))
                else:
                    found.append(wrong)
    if more:
        found.append(not_checked(f"{len(more)} comments", "so many before are wrong", more[0]))
    return tuple(answers), found


def _unfit(comment: Comment, form: re.Match[str] | None) -> Diagnostic:
    """What is said of a comment that is not written as an answer."""
    if _SPELT.match(comment.text) is None:
        missing = "does not spell `rulerun: ignore` in small letters, the colon behind `rulerun`"
    elif form is None or not form[1].strip():
        missing = "does not say in brackets which finding"
    else:
        missing = "gives no reason"
    named = (each.upper() for each in _CODE.findall(_MARK.sub("", comment.text)))
    codes = [each if each in CATALOGUE else suggest(each, CATALOGUE) or each for each in named]
    return problem("RR0722", f"this comment {missing}", comment.span, help=_help(codes))


def _help(codes: Collection[str]) -> str:
    """How it is written, with the codes that are meant as far as they are known."""
    listed = ", ".join(codes)
    for_code = "" if listed else ", with the code of the finding for CODE"
    return f"write `# rulerun: ignore[{listed or 'CODE'}] and why it is right as it is`{for_code}"


def _wrong(code: str, place: Span) -> Diagnostic | None:
    """What is wrong with a code that an answer names."""
    if code not in CATALOGUE:
        close = suggest(code, CATALOGUE)
        hint = did_you_mean(place, code, close, CATALOGUE, _help(()))
        return problem("RR0722", f"no finding has the code `{code}`", place, **hint)
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
    without = [one for one in answers if one not in wanted and one.code in looked_for]
    for answer in without[:MOST_FINDINGS]:
        yield problem(
            "RR0723",
            f"nothing is found here that `ignore[{answer.code}]` answers",
            answer.span,
            help=f"take {'the comment' if answer.alone else f'`{answer.code}`'} out",
            fixes=take_out_comment(answer.span, "the comment")
            if answer.alone
            else take_out_of_list(answer.span, f"`{answer.code}`"),
        )
    if more := without[MOST_FINDINGS:]:
        yield more_findings(len(more), more[0].span, severity=Severity.WARNING)
