"""runai-rules watch: lint, test and try again on every save."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.errors import Exit, UserError
from runai_analyze.plain import visible

from .guard import end_with
from .reading import Checked, example_maker, many, pack_folder, read
from .test import lines_of as lines_of_proof
from .try_ import lines_of as lines_of_trial

if TYPE_CHECKING:
    from runai_analyze.authoring.watch import Subject
    from runai_analyze.ruleset.reading import Remembered
    from runai_analyze.ruleset.rule import Rule

_PAUSE = 0.05  # seconds between two looks at the files
_PATIENCE = 40  # looks that an editor may take to put a file back that it took away
_MOST_TRIED = 30


@click.command(short_help="Lint, test and try rules again on every save.")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option("--rows", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many objects to show of a rule.")
def watch(path: Path, bundle: Path, rows: int) -> None:
    """Lint, test and try the rules under PATH on BUNDLE, and again whenever a file of their pack is saved. Ctrl-C ends it.

    BUNDLE is what runai-collect wrote, or a file that kubectl get -o yaml wrote; it is read once. After a save only the rules in
    the files that were saved are tested and tried; of a single rule every object is shown, of several the outcome.
    """
    from runai_analyze.authoring.watch import Subject

    try:
        _watch(path, Subject(bundle), rows)
    except UserError as error:
        end_with(error)
    except KeyboardInterrupt:
        click.echo()
        raise SystemExit(Exit.INTERRUPTED) from None


def _watch(path: Path, subject: Subject, rows: int) -> None:
    from runai_analyze.authoring.watch import changed, stamps
    from runai_analyze.ruleset.reading import Remembered

    remembered = Remembered()
    folder = pack_folder(path)
    seen = stamps([folder])
    files: tuple[str, ...] | None = None
    while True:
        _turn(path, subject, files, rows, remembered)
        before, seen = seen, _next(path, folder)
        while not (files := changed(before, seen)):
            time.sleep(_PAUSE)
            seen = _next(path, folder)


def _next(path: Path, folder: Path) -> dict[str, tuple[int, int]]:
    """Return the files once two looks agree, and the one that is watched is there: editors rename and write in several steps."""
    from runai_analyze.authoring.watch import stamps

    last = dict(stamps([folder]))
    for _ in range(_PATIENCE):
        time.sleep(_PAUSE)
        now = dict(stamps([folder]))
        if now == last and path.exists():
            break
        last = now
    return last


def _turn(path: Path, subject: Subject, files: Sequence[str] | None, rows: int, remembered: Remembered) -> None:
    """Print one look at the rules; a terminal is wiped clean before it."""
    from runai_analyze.facts.build import collector_off

    start = time.perf_counter()
    if sys.stdout.isatty():
        click.clear()
    with collector_off():  # a third of the time of a turn
        for line in turn(path, subject, files, rows, remembered):
            click.echo(visible(line))
    click.echo(f"looked in {time.perf_counter() - start:.2f} s; waiting for the next save, Ctrl-C ends")
    sys.stdout.flush()


def turn(path: Path, subject: Subject, files: Sequence[str] | None, rows: int, remembered: Remembered) -> Iterator[str]:
    """Yield what lint, test and try say of the rules that the files are about; ``files`` None: of all under the path.

    ``remembered``: the rules as they were read last.
    """
    from runai_analyze.authoring.watch import touched

    try:
        checked = read([path], remembered=remembered)
    except click.UsageError as error:  # the file was taken away, or the pack file is being written
        yield error.message
        return
    yield from (line for mistake in checked.mistakes for line in str(mistake).split("\n"))
    rules = checked.rules if files is None else touched(checked.rules, files)
    yield f"lint: {many(len(checked.mistakes), 'mistake') if checked.mistakes else 'no mistakes'} in {checked.where}"
    if not rules:
        return
    yield from _tested(checked, rules)
    yield from _tried(checked, rules, subject, rows)


def _tested(checked: Checked, rules: Sequence[Rule]) -> Iterator[str]:
    from runai_analyze.authoring.proof import prove

    proofs = list(prove(checked.pack, example_maker(), rules))
    failed = [proof for proof in proofs if not proof.holds]
    for proof in failed:
        yield from lines_of_proof(proof)
    said = many(len(proofs), "example")
    yield f"test: {len(failed)} of {said} failed" if failed else f"test: {said} ok"


def _tried(checked: Checked, rules: Sequence[Rule], subject: Subject, rows: int) -> Iterator[str]:
    from runai_analyze.authoring.trial import Wish, try_rule
    from runai_analyze.engine.examples import prerequisites_of

    asked = [other for rule in rules for other in (*prerequisites_of(rule, checked.pack), rule)]
    facts = subject.facts(asked, checked.pack.signatures)
    yield "try:"
    if len(rules) == 1:
        yield from lines_of_trial(try_rule(rules[0], checked.pack, facts, Wish(rows=rows)), subject.note)
        return
    if subject.note:
        yield subject.note
    for rule in rules[:_MOST_TRIED]:
        outcome = try_rule(rule, checked.pack, facts, Wish(rows=1)).outcome
        yield f"  {rule.id}  {outcome.status.value}: {outcome.message}"
    if len(rules) > _MOST_TRIED:
        yield f"  and {len(rules) - _MOST_TRIED} more rules; name one of them to see it"
