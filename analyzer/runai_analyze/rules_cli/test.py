"""runai-rules test: the examples of rules, run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.errors import Exit
from runai_analyze.plain import visible

from .guard import one_each
from .reading import PATHS, example_maker, find_rule, many, valid

if TYPE_CHECKING:  # what the commands need is imported when they run: --help stays quick
    from runai_analyze.authoring.proof import Proof


@click.command()
@PATHS
@click.option("--rule", "ids", multiple=True, callback=one_each, metavar="ID",
              help="Only the examples of this rule; may be given several times.")
def test(paths: tuple[Path, ...], ids: tuple[str, ...]) -> None:
    """Run the examples of the rules. Exit code 4 when one came out otherwise, or holds what proves nothing.

    An example of a failure expects one finding, with message_contains in its message; where several are meant, message_contains
    says how many: "… (and 2 more)". Any other finding is an unexpected one.

    What proves nothing is an error too, for it is mostly a slip of the pen: a kind of not_collected that makes no difference, a
    field of cluster or a bundle_time that no example of the rule looks at, an object of a kind that nothing looks at.
    """
    from runai_analyze.authoring.proof import prove

    checked = valid(paths)
    rules = tuple(find_rule(checked, name) for name in ids) or checked.rules
    tried, failed = 0, 0
    for proof in prove(checked.pack, example_maker(), rules):
        tried += 1
        failed += not proof.holds
        for line in lines_of(proof):
            click.echo(visible(line))
    verdict = f"{failed} of {many(tried, 'example')} failed" if failed else f"{many(tried, 'example')} ok"
    click.echo(f"{many(len(rules), 'rule')} in {checked.where}: {verdict}")
    if failed:
        raise SystemExit(Exit.RULES)


def lines_of(proof: Proof) -> Iterator[str]:
    """Yield what is wrong with an example; nothing where it holds."""
    if proof.holds:
        return
    yield f"{proof.rule.file}:{proof.example.line}: {proof.rule.id}: {proof.example.name}"
    yield from (f"    {line}" for line in (*proof.lines, *(f"unused: {words}" for words in proof.unused)))
