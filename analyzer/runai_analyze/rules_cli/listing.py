"""runai-rules list: the rules, a line each, or those of them that a person asks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.plain import visible

from .guard import one_each
from .reading import PATHS, SEVERITIES, many, valid

if TYPE_CHECKING:
    from runai_analyze.ruleset.rule import Rule

_STATUSES = ("draft", "test", "stable", "deprecated")  # as in ruleset.format, which is slow to import


@click.command(name="list")
@PATHS
@click.option("--severity", multiple=True, type=click.Choice(SEVERITIES), help="Only these; may be given several times.")
@click.option("--area", multiple=True, callback=one_each, metavar="AREA", help="Only rules about this part of the product.")
@click.option("--status", multiple=True, type=click.Choice(_STATUSES), help="Only rules that are so far.")
@click.option("--kind", multiple=True, callback=one_each, metavar="KIND", help="Only rules that look at this kind, such as Node.")
@click.option("--pack", multiple=True, callback=one_each, metavar="NAME", help="Only rules of this pack.")
@click.option("--runai", default="", metavar="X.Y", help="Only rules that apply to this Run:ai release.")
@click.option("--search", default="", metavar="TEXT", help="Only rules that speak of this; small slips of the pen do not matter.")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def list_rules(
    paths: tuple[Path, ...],
    severity: tuple[str, ...],
    area: tuple[str, ...],
    status: tuple[str, ...],
    kind: tuple[str, ...],
    pack: tuple[str, ...],
    runai: str,
    search: str,
    form: str,
) -> None:
    """List the rules: id, severity, area and title. Several options together: rules that meet all of them."""
    from runai_analyze.authoring.choose import Wish, choose

    checked = valid(paths)
    known = {rule.area for rule in checked.pack.rules}
    for name in area:
        if name not in known:
            said = f"{name!r} is no area of these rules; there are {', '.join(sorted(known))}"
            raise click.BadParameter(said, param_hint="--area")
    try:
        rules = choose(checked.rules, Wish(severity, area, status, kind, pack, runai, search))
    except ValueError:
        raise click.BadParameter(f"{runai!r} is not a release such as 2.25", param_hint="--runai") from None
    if form == "json":
        click.echo(json.dumps([_row(rule) for rule in rules], indent=2, ensure_ascii=False))
        return
    width = max((len(rule.area) for rule in rules), default=0)
    for rule in rules:
        click.echo(f"{rule.id:<15} {rule.severity.word:<8} {rule.area:<{width}}  {visible(rule.title)}")
    of = "" if len(rules) == len(checked.rules) else f" of {len(checked.rules)}"
    click.echo(f"{len(rules)}{of} rules in {checked.where}" if of else f"{many(len(rules), 'rule')} in {checked.where}", err=True)


def _row(rule: Rule) -> dict[str, object]:
    from runai_analyze.authoring.choose import kind_of

    return {
        "id": rule.id,
        "title": rule.title,
        "severity": rule.severity.word,
        "area": rule.area,
        "status": rule.status,
        "kind": kind_of(rule),
        "pack": rule.pack,
        "revision": rule.revision,
        "changed": rule.changed,
        "owner": rule.owner,
        "runai": rule.scope.runai,
        "file": rule.file,
    }
