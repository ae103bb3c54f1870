"""A book as one page: no script, no network, readable on a phone and on paper.

Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from rulerun.rulebook.book import Book, Item, Listing, Paragraph, Section, Table

STYLE = """
:root { color-scheme: light dark; --paper: #fffdf8; --ink: #22262e; --faint: #66707e;
  --line: #d9d5ca; --main: #8a3b12; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191f; --ink: #e6e4df; --faint: #9aa3af;
  --line: #3a3f49; --main: #e6a06f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 44rem; background: var(--paper);
  color: var(--ink); font: 17px/1.55 Georgia, "Times New Roman", serif; overflow-wrap: anywhere; }
h1, h2, h3, h4, h5, h6 { font-family: system-ui, sans-serif; line-height: 1.25; }
h1 { font-size: 1.8rem; margin: 0 0 .5rem; color: var(--main); }
h2 { font-size: 1.3rem; margin: 2.2rem 0 .5rem; border-bottom: 2px solid var(--main); }
h3 { font-size: 1.08rem; margin: 1.4rem 0 .3rem; }
h4, h5, h6 { font-size: 1rem; margin: 1rem 0 .2rem; }
p { margin: .4rem 0; } ul, ol { margin: .3rem 0; padding-left: 1.4rem; } li { margin: .2rem 0; }
nav { columns: 2; font: 15px/1.7 system-ui, sans-serif; margin: 1rem 0; }
nav a { color: var(--main); text-decoration: none; display: block; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; width: 100%; font-size: .94rem; }
th, td { padding: .25rem .5rem; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { font-family: system-ui, sans-serif; font-size: .85rem; color: var(--faint); }
th[scope=row] { font: inherit; font-weight: 600; color: inherit; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; background: none; color: #000; }
  nav { display: none; } h2, h3, h4 { break-after: avoid; } tr, li { break-inside: avoid; } }
"""


def page(book: Book) -> str:
    """The whole page."""
    title = escape(book.title)
    body = [f"<h1>{title}</h1>\n", *(_block(block, book.colon) for block in book.opening)]
    links = (
        f'<a href="#s{at}">{escape(section.title)}</a>'
        for at, section in enumerate(book.sections, start=1)
    )
    body.append(f"<nav>{''.join(links)}</nav>\n")
    for at, section in enumerate(book.sections, start=1):
        body += _section(section, 2, book.colon, f' id="s{at}"')
    return (
        f'<!doctype html>\n<html lang="{escape(book.language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{''.join(body)}</main>\n</body>\n</html>\n"
    )


def _section(section: Section, depth: int, colon: str, anchor: str = "") -> Iterator[str]:
    tag = f"h{min(depth, 6)}"
    yield f"<{tag}{anchor}>{escape(section.title)}</{tag}>\n"
    for block in section.blocks:
        yield _block(block, colon)
    for each in section.sections:
        yield from _section(each, depth + 1, colon)


def _block(block: Paragraph | Listing | Table, colon: str) -> str:
    match block:
        case Paragraph(text, lead):
            return f"<p>{_led(lead, text, colon)}</p>\n"
        case Listing(items, numbered):
            return _items(items, numbered, colon)
        case Table(head, rows):
            heads = "".join(f'<th scope="col">{escape(each)}</th>' for each in head)
            body = "".join(map(_row, rows))
            return (
                f'<div class="wide"><table><thead><tr>{heads}</tr></thead>'
                f"<tbody>{body}</tbody></table></div>\n"
            )


def _row(row: Sequence[str]) -> str:
    first, *others = row
    cells = "".join(f"<td>{escape(each)}</td>" for each in others)
    return f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>\n'


def _items(items: Sequence[Item], numbered: bool, colon: str) -> str:
    tag = "ol" if numbered and len(items) > 1 else "ul"
    inside = "".join(f"<li>{_item(item, colon)}</li>\n" for item in items)
    return f"<{tag}>\n{inside}</{tag}>\n"


def _item(item: Item, colon: str) -> str:
    below = _items(item.items, False, colon) if item.items else ""
    return _led(item.lead, item.text, colon) + below


def _led(lead: str, text: str, colon: str) -> str:
    if not lead:
        return escape(text)
    return f"<strong>{escape(lead)}{escape(colon)}</strong> {escape(text)}".rstrip()
