"""The file that ``runai-rules new`` writes, with its pack where there is none: kept only when it holds."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.errors import Exit
from runai_analyze.plain import visible

from .reading import Checked, example_maker, many, read

if TYPE_CHECKING:
    from runai_analyze.authoring.new import NewRule
    from runai_analyze.authoring.pasted import Pasted
    from runai_analyze.ruleset.reading import Remembered

_SCHEMA = "rule.schema.json"


def name_for_pack(folder: Path) -> str:
    """Return the name of a pack that is yet to be made: that of its folder."""
    return "".join(letter for letter in folder.resolve().name.lower() if letter.isalnum() or letter == "-") or "site"


def write_rule(folder: Path, rule: NewRule, chosen: Pasted | None, remembered: Remembered, ask: bool) -> None:
    """Write the rule; it stays only when lint and its examples find it right, and it finds the object that was given.

    ``ask``: a person decides about a rule that does not find the object. What was made for a rule that does not stay goes again.
    """
    from runai_analyze.authoring.new_text import text_of_rule

    path = folder / rule.area / f"{rule.id}.yaml"
    if path.exists():
        raise click.UsageError(visible(f"{path} is there already, and nothing is overwritten; take another --id"))
    made = [place for place in (path.parent, *path.parent.parents) if not place.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    pack = _pack(folder)
    with path.open("x", encoding="utf-8") as file:
        file.write(_modeline(path) + text_of_rule(rule))
    if not _stays(path, chosen, remembered, ask):
        for written in (path, *([pack] if pack else [])):
            written.unlink()
        for place in made:
            place.rmdir()
        click.echo(visible(f"{path} was not written: see above"), err=True)
        sys.exit(Exit.RULES)
    if pack:
        click.echo(visible(f"wrote {pack}: the pack {name_for_pack(folder)}"))
    click.echo(visible(f"wrote {path}: no mistakes, {many(len(rule.examples), 'example')} ok"))
    click.echo(f"next: read it and say why (because), then  runai-rules cover {path}  and  runai-rules try {path} BUNDLE")


def _pack(folder: Path) -> Path | None:
    """Return the pack.yaml that was made; None where there was one."""
    path = folder / "pack.yaml"
    if path.exists():
        return None
    path.write_text(
        f'name: {name_for_pack(folder)}\nversion: "1"\nengine: ">=0.1"    # the versions of runai-analyze that can run it\n'
        "changelog: [first rules]\n",
        encoding="utf-8",
    )
    return path


def _modeline(path: Path) -> str:
    """Return the line by which editors find the schema, where the pack has one."""
    return f"# yaml-language-server: $schema=../{_SCHEMA}\n" if (path.parents[1] / _SCHEMA).is_file() else ""


def _stays(path: Path, chosen: Pasted | None, remembered: Remembered, ask: bool) -> bool:
    """Return whether the rule holds and finds what it was made from; prints what is wrong."""
    checked = read((path,), remembered=remembered)
    if not _holds(path, checked):
        return False
    lines = _not_found(checked, chosen) if chosen else []
    for line in lines:
        click.echo(visible(line), err=True)
    return not lines or (ask and click.confirm("Write it all the same?", default=False))


def _holds(path: Path, checked: Checked) -> bool:
    """Return whether the file is right and its examples come out as they say; prints what is wrong."""
    from runai_analyze.engine.examples import run_examples

    for mistake in checked.mistakes:
        click.echo(mistake, err=True)
    if checked.mistakes:
        return False
    holds = True
    for _, example, difference in run_examples(checked.pack, example_maker(), checked.rules):
        if difference is not None:
            holds = False
            click.echo(f"{path}:{example.line}: {example.name}", err=True)
            for line in difference.lines:
                click.echo(visible(f"    {line}"), err=True)
    return holds


def _not_found(checked: Checked, chosen: Pasted) -> list[str]:
    from runai_analyze.authoring.held import why_not_found

    (rule,) = checked.rules
    why = why_not_found(rule, checked.pack, chosen, datetime.now(UTC))
    return [f"the object that you gave, {chosen.kind.name} {chosen.name}, is not found by this rule:", *why] if why else []
