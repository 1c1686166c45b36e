"""runai-rules test: the examples of rules, run."""

from __future__ import annotations

from pathlib import Path

import click

from runai_analyze.errors import Exit

from .reading import PATHS, example_maker, many, valid


@click.command()
@PATHS
def test(paths: tuple[Path, ...]) -> None:
    """Run the examples of the rules. Exit code 4 when one came out otherwise."""
    from runai_analyze.engine.examples import run_examples

    checked = valid(paths)
    tried, failed = 0, 0
    for rule, example, difference in run_examples(checked.pack, example_maker(), checked.rules):
        tried += 1
        if difference is not None:
            failed += 1
            click.echo(f"{rule.file}:{example.line}: {rule.id}: {example.name}")
            for line in difference.lines:
                click.echo(f"    {line}")
    verdict = f"{failed} of {many(tried, 'example')} failed" if failed else f"{many(tried, 'example')} ok"
    click.echo(f"{many(len(checked.rules), 'rule')} in {checked.where}: {verdict}")
    if failed:
        raise SystemExit(Exit.RULES)
