"""`rulerun schema` and `rulerun explain`: shipped texts, printed."""

from __future__ import annotations

import click

from rulerun.cli.common import Unable, color_option, out

SCHEMAS = ("ruleset", "scenario", "record")


@click.command("schema")
@click.argument("name", type=click.Choice(SCHEMAS), default="ruleset")
@color_option
def schema(name: str) -> None:
    """Print a JSON schema, for editors.

    NAME is ruleset (the default), scenario or record: of a rules file, a file of scenarios, a line
    of a record.
    """
    from rulerun_dsl.source.resources import shipped

    out((shipped("schemas") / f"{name}.schema.json").read_text(encoding="utf-8"))


@click.command("explain")
@click.argument("code")
@color_option
def explain(code: str) -> None:
    """Explain the code of a finding, such as RR0402.

    CODE may be the name of a finding as well: `unknown-name`.
    """
    from rulerun_dsl.diagnostics.diagnostic import CATALOGUE, suggest
    from rulerun_dsl.source.resources import diagnostic_page

    slugs = {entry.slug: number for number, entry in CATALOGUE.items()}
    wanted = code.strip().strip("[]")
    found = slugs.get(wanted.casefold().replace("_", "-"), wanted.upper())
    if found.isdigit():
        found = f"RR{found.zfill(4)}"
    entry = CATALOGUE.get(found)
    if entry is None:
        close = suggest(found, CATALOGUE) if found.startswith("RR") else suggest(wanted, slugs)
        hint = f"; did you mean `{close}`?" if close else ""
        raise Unable(f"there is no finding `{code}`{hint}")
    page = diagnostic_page(found)
    if page is None:
        out(f"# {found}: {entry.slug}\n\n{entry.title}. ({entry.severity.value})\n")
    else:
        out(page.read_text(encoding="utf-8"))
