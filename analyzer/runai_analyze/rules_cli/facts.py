"""runai-rules facts: what a rule can look at, with examples from a bundle."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.plain import visible

from .guard import end_with
from .reading import many

if TYPE_CHECKING:
    from runai_analyze.authoring.facts_page import Line, Page, Seen

_WIDTH = 130
_WIDEST_PATH = 52


@click.command(short_help="List what a rule can look at.")
@click.argument("kind", required=False)
@click.argument("bundle", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--all", "everything", is_flag=True, help="Every path of the kind, not the upper or seen ones only.")
def facts(kind: str | None, bundle: Path | None, everything: bool) -> None:
    """List the kinds, or the fields of KIND that a rule can look at; with BUNDLE what it holds in them.

    Values come as the bundle has them: what the collector hid stays hidden.
    """
    from runai_analyze.authoring.facts_page import find_kind, page
    from runai_analyze.errors import UserError

    if kind is None:
        _print_kinds()
        return
    try:
        found = page(find_kind(kind), bundle, everything)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except UserError as error:
        end_with(error)
    _print_page(found)


def _print_kinds() -> None:
    from runai_analyze.authoring.facts_page import kinds

    for title, rows in kinds():
        click.echo(f"{title}:")
        if any(meaning for _, meaning in rows):
            width = max(len(name) for name, _ in rows)
            for name, meaning in rows:
                click.echo(f"  {name:<{width}}  {meaning}")
        else:
            click.echo(textwrap.fill(" ".join(name for name, _ in rows), 110, initial_indent="  ", subsequent_indent="  "))
        click.echo()
    click.echo("runai-rules facts KIND shows the fields of one, runai-rules facts KIND BUNDLE what a bundle holds in them.")


def _print_page(page: Page) -> None:
    click.echo(f"kind: {page.kind.written}{f'   # {page.meaning}' if page.meaning else ''}")
    if page.objects is not None:
        click.echo(f"{many(page.objects, 'object')} in the bundle")
        for gap in page.gaps:
            click.echo(visible(gap))
    made = page.kind.group == "made"
    _print_lines("Fields" if made else "Facts, made by the program", page.facts)
    _print_lines("Fields, as kubectl shows them" + (", that the bundle holds" if page.objects is not None else ""), page.fields)
    if not page.facts and not page.fields:
        click.echo("\nNothing is known about its fields: a rule may name any path that kubectl get -o yaml shows.")


def _print_lines(title: str, lines: tuple[Line, ...]) -> None:
    if not lines:
        return
    click.echo(f"\n{title}")
    width = min(_WIDEST_PATH, max(len(line.path) for line in lines))
    for line in lines:
        first = f"  {line.path:<{width}}  {line.type:<7}  {line.meaning}"
        for part in textwrap.wrap(visible(first), _WIDTH, subsequent_indent=" " * (width + 13), break_long_words=False):
            click.echo(part)
        if line.seen is not None:
            for told in _told(line.seen):
                click.echo(visible(f"      {told}"))


def _told(seen: Seen) -> Iterator[str]:
    """Yield what a bundle holds of a field: values, and how often there is none."""
    if seen.values:
        more = f" and {seen.different - len(seen.values)} more" if seen.different > len(seen.values) else ""
        yield f"e.g. {' · '.join(seen.values)}{more}"
    if seen.absent:
        yield f"not set in {seen.absent} of {seen.objects}"
    if seen.unknown:
        yield f"unknown in {seen.unknown} of {seen.objects}{f': {seen.why}' if seen.why else ''}"
