"""runai-rules cover: which conditions of the rules the examples pin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.errors import Exit
from runai_analyze.plain import visible

from .reading import PATHS, example_maker, many, valid

if TYPE_CHECKING:  # what the commands need is imported when they run: --help stays quick
    from runai_analyze.authoring.cover import Coverage


@click.command()
@PATHS
@click.option("--all", "every", is_flag=True, help="Rules that are not stable make the exit code 4 as well.")
def cover(paths: tuple[Path, ...], every: bool) -> None:
    """Show the conditions that no example pins. Exit code 4 when a stable rule has one.

    Changes the conditions of each rule, one at a time, and runs its examples: a change that no example notices is one that a
    person could make by mistake. An example notices when its result, its number of findings or its message_contains no longer
    holds. These changes are made:

    \b
    - a condition is taken as always met, as never met, and is negated
    - a word is taken out of a list: one_of, not_one_of, contains, similar_to, keys, name, namespace, applies_to
    - the score of similar_to is 100, and 50
    - at_least becomes more_than and the like, and the bound lies half or twice as far; min_length is one more or less
    - tolerance, ignore_case, when_absent and if_none are left out
    - a bound of a range of versions is left out, or its border goes to the other side; after and before: half and twice the span
    - name, namespace, a line of applies_to, a rule of only_if_passed, a path of group_by is left out
    """
    from runai_analyze.authoring.cover import cover as coverages

    checked = valid(paths)
    conditions, pinned, failed = 0, 0, False
    for coverage in coverages(checked.pack, example_maker(), checked.rules):
        conditions, pinned = conditions + coverage.conditions, pinned + coverage.pinned
        if not coverage.whole:
            failed |= every or coverage.rule.status == "stable"
            _show(coverage)
    share = f"{pinned} of {many(conditions, 'condition')} pinned ({pinned * 100 // conditions if conditions else 100} %)"
    click.echo(f"{many(len(checked.rules), 'rule')} in {checked.where}: {share}")
    if failed:
        raise SystemExit(Exit.RULES)


def _show(coverage: Coverage) -> None:
    rule = coverage.rule
    if coverage.wrong:
        names = ", ".join(visible(name) for name in coverage.wrong)
        click.echo(f"{rule.file}: {rule.id}: not judged, its examples do not hold: {names} (runai-rules test {rule.file})")
        return
    click.echo(f"{rule.file}: {rule.id}: {coverage.pinned} of {many(coverage.conditions, 'condition')} pinned")
    for one in coverage.unnoticed:
        place = f"{rule.file}:{one.place[0]}:{one.place[1]}" if one.place[0] else rule.file
        click.echo(f"  {place}: {visible(one.words)}: no example notices: {visible(one.change)}")
        click.echo(f"      add {visible(one.hint)}")
