"""runai-rules backtest: what changed between two versions of a pack, on bundles."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.errors import Exit, RuleErrors, UserError
from runai_analyze.plain import visible

from .guard import end_with
from .reading import many

if TYPE_CHECKING:
    from runai_analyze.authoring.backtest import Backtest, BundleChange, FindingChange, OutcomeChange
    from runai_analyze.model import PackInfo
    from runai_analyze.ruleset.rule import Pack

_PACK = click.Path(exists=True, path_type=Path)


@click.command(short_help="Show what changed between two versions of a pack.")
@click.argument("old", type=_PACK)
@click.argument("new", type=_PACK)
@click.argument("bundles", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="BUNDLE...")
@click.option("--format", "form", type=click.Choice(("text", "json")), default="text", show_default=True)
def backtest(old: Path, new: Path, bundles: tuple[Path, ...], form: str) -> None:
    """Show what changed from the pack OLD to the pack NEW: rules, and what they answer on each BUNDLE.

    A pack is a folder, or a file of runai-rules pack build. Exit code 0: nothing changed, 1: something did, 3: a bundle could not
    be read, 4: a pack has mistakes.
    """
    from runai_analyze.authoring.backtest import backtest as tested

    result = tested(_load(old), _load(new), bundles)
    if form == "json":
        whole = {"differs": result.differs, **asdict(result)}
        click.echo(json.dumps(whole, indent=2, ensure_ascii=False))
    else:
        for line in _lines(result):
            click.echo(visible(line))
    raise SystemExit(Exit.BUNDLE if result.unread else Exit.FINDINGS if result.differs else Exit.CLEAN)


def _load(path: Path) -> Pack:
    """Return a pack with the shipped one before it, which it may build on; the shipped one gives way to one of its name."""
    from runai_analyze.ruleset import default_pack, load_packs

    try:
        return load_packs([default_pack(), path])
    except RuleErrors as errors:
        for line in errors.lines:
            click.echo(visible(line), err=True)
        click.echo(visible(f"runai-rules: {path}: {errors.message}"), err=True)
        raise SystemExit(errors.exit_code) from None
    except UserError as error:
        end_with(error)


def _lines(result: Backtest) -> Iterator[str]:
    yield f"old: {_packs(result.old)}"
    yield f"new: {_packs(result.new)}"
    if result.rules:
        yield "rules"
        for change in result.rules:
            detail = f" {change.detail}" if change.kind == "replaced" else f": {change.detail}" if change.detail else ""
            yield f"  {change.kind:<8}  {change.rule}  {change.title}{detail}"
    for bundle in result.bundles:
        yield from _bundle_lines(bundle)
    differing = sum(bool(bundle.changes) for bundle in result.bundles)
    unread = sum(bool(bundle.error) for bundle in result.bundles)
    said = f"{differing} of {many(len(result.bundles), 'bundle')} answered otherwise"
    yield said + (f", {unread} could not be read" if unread else "") + ("" if result.differs else "; the rules are the same")


def _packs(packs: Sequence[PackInfo]) -> str:
    return ", ".join(f"{pack.name} {pack.version} ({many(pack.rules, 'rule')}, {pack.digest[:12]})" for pack in packs)


def _bundle_lines(bundle: BundleChange) -> Iterator[str]:
    if bundle.error:
        yield f"{bundle.bundle}: {bundle.error}"
        return
    yield f"{bundle.bundle}: {many(len(bundle.changes), 'answer')} changed" if bundle.changes else f"{bundle.bundle}: no change"
    for change in bundle.changes:
        yield from _change_lines(change)


def _change_lines(change: OutcomeChange) -> Iterator[str]:
    before, after = (_status(change.before), _status(change.after))
    yield f"  {change.rule}  {before if before == after else f'{before} → {after}'}  {change.title}"
    for finding in change.findings:
        yield from _finding_lines(finding)
    if not change.findings and change.message_before != change.message_after:
        yield from (f"    - {change.message_before}",) if change.message_before else ()
        yield from (f"    + {change.message_after}",) if change.message_after else ()


def _status(word: str) -> str:
    return word.replace("_", " ") or "no such rule"


def _finding_lines(finding: FindingChange) -> Iterator[str]:
    if finding.sign != "~":
        yield f"    {finding.sign} {finding.severity}: {finding.message}  [{finding.fingerprint}]"
        return
    yield f"    ~ {finding.severity_before}: {finding.message_before}  [{finding.fingerprint}]"
    yield f"      {finding.severity}: {finding.message}"
