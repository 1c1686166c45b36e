"""runai-rules pack: a pack as one file that --rules takes, what is in it, and what the collector must read for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze import __version__
from runai_analyze.errors import Exit, RuleErrors, UserError
from runai_analyze.plain import visible

from .reading import end_with_mistakes, example_maker, many, pack_at, valid
from .writing import write_file

if TYPE_CHECKING:  # what the commands need is imported when they run: --help stays quick
    from runai_analyze.authoring.pack import PackPage

_PACK = click.argument("path", required=False, type=click.Path(exists=True, path_type=Path), metavar="[PACK]")


@click.group(short_help="Build a pack into one file, or show one.")
def pack() -> None:
    """Build a pack into one file, show one, and write the plan file for the collector.

    PACK is a folder with a pack.yaml, or a file that pack build made. Without it: the pack in this folder or in its folder rules.
    """


@pack.command()
@_PACK
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE",
              help="The file to write, ending in .zip, or a folder for it. [default: NAME-VERSION.rules.zip, in this folder]")
def build(path: Path | None, output: Path | None) -> None:
    """Put a pack into one file, for runai-analyze --rules FILE at a place without network. Its mistakes and examples come first.

    The same pack makes the same bytes everywhere. The file is checked against its checksums whenever it is read; tell its SHA-256
    by another way than the file itself.
    """
    from runai_analyze.authoring.pack import build_pack
    from runai_analyze.engine.examples import run_examples

    folder = pack_at(path)
    if not folder.is_dir():
        raise click.UsageError(f"{folder} is a file already: pack build takes a folder with a pack.yaml")
    checked = valid((folder,))
    tried = run_examples(checked.pack, example_maker(), checked.rules)
    failed = [(rule, example) for rule, example, difference in tried if difference is not None]
    for rule, example in failed:
        click.echo(visible(f"{rule.file}:{example.line}: {rule.id}: {example.name} came out otherwise"), err=True)
    if failed:
        click.echo(f"not built: {many(len(failed), 'example')} failed; runai-rules test {folder} shows how", err=True)
        raise SystemExit(Exit.RULES)
    built = build_pack(folder)
    target = output / built.name if output is not None and output.is_dir() else output or Path(built.name)
    if target.suffix != ".zip":
        raise click.UsageError(f"{target} does not end in .zip, by which a packed pack is known")
    write_file(target, built.data)
    click.echo(f"{target}: {many(len(checked.rules), 'rule')}, {many(built.files, 'file')}, {len(built.data):,} bytes")
    click.echo(f"SHA-256 {built.sha256}")


@pack.command()
@_PACK
def show(path: Path | None) -> None:
    """Show a pack: name, version, digest, versions of the program it is for, rules, changelog, what it asks to be collected."""
    from runai_analyze.authoring.pack import pack_page

    where = pack_at(path)
    try:
        page = pack_page(where)
    except RuleErrors as error:
        end_with_mistakes(error.lines)
    for line in _lines(page, where):
        click.echo(visible(line))


@pack.command()
@click.argument("paths", nargs=-1, type=click.Path(exists=True, path_type=Path), metavar="[PACK]...")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="The file to write. [default: standard output]")
def plan(paths: tuple[Path, ...], output: Path | None) -> None:
    """Write what packs ask to be collected (collect in pack.yaml) as a file for runai-collect --plan-file."""
    from runai_analyze.authoring.pack import collect_plan, plan_text

    folders = [pack_at(path) for path in paths or (None,)]
    for folder in folders:
        _refuse_mistakes(folder)
    data = collect_plan(folders)
    if not data:
        click.echo(f"{', '.join(map(str, folders))}: no pack.yaml has collect, so the collector's own plan is enough", err=True)
    if output is None:
        click.echo(plan_text(data), nl=False)
    else:
        write_file(output, plan_text(data).encode())
        click.echo(f"{output}: for runai-collect --plan-file {output}", err=True)


def _refuse_mistakes(folder: Path) -> None:
    from runai_analyze.ruleset import load_packs
    from runai_analyze.ruleset.packs import default_pack

    try:
        load_packs([default_pack(), folder])
    except RuleErrors as error:
        end_with_mistakes(error.lines)
    except UserError as error:
        raise click.UsageError(error.message) from None


def _lines(page: PackPage, where: Path) -> Iterator[str]:
    from runai_analyze.authoring.pack import rule_line

    head = page.head
    yield f"{head}"
    if page.sha256:
        yield f"  file       {where}, {page.size:,} bytes"
        yield f"  SHA-256    {page.sha256}"
    yield f"  digest     {page.digest} (the report prints it)"
    fits = "it fits" if head.fits else "it does not fit; what this one does not know is listed and not run"
    yield f"  engine     runai-analyze {head.engine}; this is {__version__}, {fits}"
    if page.tables:
        yield f"  tables     {', '.join(f'{name} of {updated}' for name, updated in page.tables)}"
    if page.acceptances:
        yield f"  accepts    {many(page.acceptances, 'entry').replace('entrys', 'entries')} in suppressions.yaml"
    for key, entries in head.collect.items():
        yield f"  collect    {key}: {', '.join(map(_said, entries))}"
    yield f"  rules      {len(page.rules) + len(page.not_run)}"
    yield from (f"    {rule_line(rule)}" for rule in page.rules)
    yield from (f"    {rule_line(it.rule)}: not run. {it.message}" for it in page.not_run)
    if page.changes:
        yield "  changes"
        yield from (f"    {it.rule}: {it.what} ({it.reason})" for it in page.changes)
    yield "  changelog"
    yield from (f"    {line}" for line in head.changelog)


def _said(entry: object) -> str:
    if not isinstance(entry, dict):
        return str(entry)
    if "plural" in entry:
        return ".".join(part for part in (str(entry["plural"]), str(entry["group"])) if part)
    return f"{entry['namespace']}/{entry['pod']}"
