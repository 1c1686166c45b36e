"""runai-rules lint: the mistakes in rules."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze import __version__
from runai_analyze.errors import Exit

from .reading import PATHS, Checked, many, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runai_analyze.ruleset.mistakes import Mistake


@click.command(short_help="Show every mistake in the rules.")
@PATHS
@click.option("--format", "form", type=click.Choice(("text", "json", "sarif", "github")), default="text", show_default=True)
@click.option("--strict", is_flag=True, help="Exit code 4 on a warning too.")
@click.option("--today", type=click.DateTime(("%Y-%m-%d",)), help="Count from this day how long nobody has read a rule.")
@click.option("--codes", is_flag=True, help="List every kind of mistake: code, level, meaning and an example.")
def lint(paths: tuple[Path, ...], form: str, strict: bool, today: datetime | None, codes: bool) -> None:
    """Show every mistake in the rules: file, line, column, and what to change. Exit code 4 when there is one.

    A warning is worth a look and a note says what was not checked: neither stops a rule.
    """
    if codes:
        _list_codes(form)
        return
    checked = read(paths, remarks=True, today=(today or datetime.now(UTC)).date())
    click.echo(_written(checked, form))
    levels = Counter(mistake.level for mistake in checked.mistakes)
    if levels["error"] or (strict and levels["warning"]):
        raise SystemExit(Exit.RULES)


def _written(checked: Checked, form: str) -> str:
    from runai_analyze.authoring.lint import as_github, as_json, as_sarif, as_text

    if form == "json":
        return as_json(checked.mistakes)
    if form == "sarif":
        return as_sarif(checked.mistakes, Path.cwd(), __version__)
    body = as_github(checked.mistakes, Path.cwd()) if form == "github" else as_text(checked.mistakes)
    return f"{body}\n{_verdict(checked)}" if body else _verdict(checked)


def _verdict(checked: Checked) -> str:
    errors = [mistake for mistake in checked.mistakes if mistake.level == "error"]
    rest = _remarks(checked.mistakes)
    if errors:
        files = {mistake.file for mistake in errors}
        more = "" if files <= {rule.file for rule in checked.rules} else "; mend these first, more may show then"
        return f"{many(len(errors), 'mistake')} in {many(len(files), 'file')} of {checked.where}{rest}{more}"
    return f"{many(len(checked.rules), 'rule')} in {checked.where}: no mistakes{rest}"


def _remarks(mistakes: Sequence[Mistake]) -> str:
    counts = Counter(mistake.level for mistake in mistakes)
    return "".join(f", {many(counts[level], level)}" for level in ("warning", "note") if counts[level])


def _list_codes(form: str) -> None:
    from runai_analyze.ruleset.codes import CODES

    if form == "json":
        click.echo(json.dumps([vars(code) for code in CODES], indent=2))
        return
    width = max(len(code.name) for code in CODES)
    for code in CODES:
        click.echo(f"{code.name:<{width}}  {code.level:<7}  {code.meaning}\n{'':<{width + 11}}such as: {code.example}")
    click.echo(f"{len(CODES)} kinds of mistake", err=True)
