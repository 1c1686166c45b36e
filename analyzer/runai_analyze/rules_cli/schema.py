"""runai-rules schema: the JSON Schema of rule files, for editors."""

from __future__ import annotations

import json
from pathlib import Path

import click

from .reading import PATHS, read

_FILES = ("rule", "table", "checklist", "pack", "site", "suppressions", "signatures")


@click.command(short_help="Print the JSON Schema of rules, for editors.")
@PATHS
@click.option("--for", "file", type=click.Choice(_FILES), default="rule", show_default=True, help="What the file holds.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write it there.")
def schema(paths: tuple[Path, ...], file: str, output: Path | None) -> None:
    """Print the JSON Schema of rule files: an editor then underlines mistakes, completes keys and shows what they mean.

    Write it once beside pack.yaml, runai-rules schema -o rule.schema.json, and begin each rule with the line
    "# yaml-language-server: $schema=../rule.schema.json"; runai-rules new does. The tables, extracts and ids that are proposed
    are those of the packs of PATH.
    """
    from runai_analyze.authoring.schema import file_schema

    text = json.dumps(file_schema(file, read(paths).pack), indent=1, ensure_ascii=False)
    if output is None:
        click.echo(text)
        return
    try:
        output.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {output}", err=True)
