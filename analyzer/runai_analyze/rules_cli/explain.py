"""runai-rules explain: a rule in plain English."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from runai_analyze.plain import visible

from .reading import PATHS
from .try_ import chosen

_WIDTH = 110


@click.command(short_help="Say in plain English what a rule does.")
@click.argument("rule_id", metavar="ID|FILE")
@PATHS
@click.option("--release", default="", metavar="X.Y", help="Read the tables for this Run:ai release, not the newest.")
def explain(rule_id: str, paths: tuple[Path, ...], release: str) -> None:
    """Say in plain English what a rule does: when it applies, what must hold, what is said, what makes it unknown.

    FILE is a rule that need be in no pack yet.
    """
    from runai_analyze.authoring.explain import explain as explained
    from runai_analyze.authoring.explain import head

    checked, rule = chosen(rule_id, paths)
    try:
        sections = explained(rule, checked.pack, release)
    except ValueError:
        raise click.BadParameter(f"{release!r} is not a release such as 2.25", param_hint="--release") from None
    for line in (*head(rule), rule.file):
        click.echo(visible(line))
    for section in sections:
        click.echo(f"\n{section.title}")
        for line in section.lines:
            for part in _wrapped(line):
                click.echo(visible(part))


def _wrapped(line: str) -> Iterator[str]:
    """Yield a line within the width; what follows its first line is as far in as its words."""
    words = line.lstrip(" ")
    before = "  " + " " * (len(line) - len(words))
    after = before + ("  " if words.startswith("- ") else "")
    if words.startswith("$ "):  # a command is copied as it stands
        yield before + words
        return
    wrap = textwrap.TextWrapper(_WIDTH, before, after, break_long_words=False, break_on_hyphens=False)
    yield from wrap.wrap(" ".join(words.split()))
