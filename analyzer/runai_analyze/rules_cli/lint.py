"""runai-rules lint: the mistakes in rules."""

from __future__ import annotations

from pathlib import Path

import click

from runai_analyze.errors import Exit

from .reading import PATHS, many, read


@click.command()
@PATHS
def lint(paths: tuple[Path, ...]) -> None:
    """Show every mistake in the rules, with its line. Exit code 4 when there is one."""
    checked = read(paths)
    for mistake in checked.mistakes:
        click.echo(mistake)
    if checked.mistakes:
        files = len({mistake.file for mistake in checked.mistakes})
        click.echo(f"{many(len(checked.mistakes), 'mistake')} in {many(files, 'file')} of {checked.where}")
        raise SystemExit(Exit.RULES)
    click.echo(f"{many(len(checked.rules), 'rule')} in {checked.where}: no mistakes")
