"""runai-rules list: the rules, a line each."""

from __future__ import annotations

from pathlib import Path

import click

from runai_analyze.plain import visible

from .reading import PATHS, many, valid


@click.command(name="list")
@PATHS
def list_rules(paths: tuple[Path, ...]) -> None:
    """List the rules: id, severity, area and title."""
    checked = valid(paths)
    width = max((len(rule.area) for rule in checked.rules), default=0)
    for rule in checked.rules:
        click.echo(f"{rule.id:<15} {rule.severity.word:<8} {rule.area:<{width}}  {visible(rule.title)}")
    click.echo(f"{many(len(checked.rules), 'rule')} in {checked.where}", err=True)
