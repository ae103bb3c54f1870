"""`rulerun schema`: the shipped schemas, printed."""

from __future__ import annotations

import click

from rulerun.cli.common import color_option, out

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
