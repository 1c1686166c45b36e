"""runai-rules try: one rule on a bundle, object by object."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from runai_analyze.errors import UserError
from runai_analyze.plain import visible

from .guard import OnePath, end_with
from .reading import Checked, find_rule, valid

if TYPE_CHECKING:
    from runai_analyze.authoring.trial import Cell, Trial, TrialRow
    from runai_analyze.model import ObjectRef
    from runai_analyze.ruleset.rule import Rule

_ANSWERS = {True: "true", False: "false", None: "unknown"}
_WIDEST = 150  # characters of a line of the table
_CELLS = (26, 18, 12, 0)  # characters of a cell: the first that fits is used; 0: the answer alone
_EXAMPLE = "example"  # the member that objects of no bundle stand in
# What is said of the objects that are not in the table.
_MORE = {
    "fails": "more that fail",
    "counts": "more that count",
    "unknown": "more that are unknown",
    "passes": "more that pass",
    "left out": "more that where leaves out",
    "not looked at": "more of another namespace or name, which the rule does not look at",
}


@click.command(name="try", short_help="Show what a rule says of each object of a bundle.")
@click.argument("rule_id", metavar="ID|FILE")
@click.argument("bundle", type=click.Path(exists=True, path_type=Path))
@click.option("--object", "name", default="", metavar="NAME", help="Only the objects of this name.")
@click.option("--namespace", default="", metavar="NS", help="Only the objects in this namespace.")
@click.option("--rows", default=20, show_default=True, type=click.IntRange(1, 1000), help="How many objects to show.")
@click.option("--rules", multiple=True, type=OnePath(), metavar="PATH",
              help="The pack that the rule ID is in; may be given several times.")
def try_(rule_id: str, bundle: Path, name: str, namespace: str, rows: int, rules: tuple[Path, ...]) -> None:
    """Show what the rule ID says of each object of BUNDLE: every condition, the value found, and which one decided.

    FILE is a rule that is in no pack yet. BUNDLE is what runai-collect wrote, or a file that kubectl get -o yaml wrote. An answer
    with a star decided. The objects that fail come first.
    """
    from runai_analyze.authoring.subject import read_subject
    from runai_analyze.authoring.trial import Wish, try_rule
    from runai_analyze.engine.examples import prerequisites_of

    checked, rule = chosen(rule_id, rules)
    try:
        rules_asked = (*prerequisites_of(rule, checked.pack), rule)
        subject = read_subject(bundle, rules_asked, signatures=checked.pack.signatures)
    except UserError as error:
        end_with(error)
    trial = try_rule(rule, checked.pack, subject.facts, Wish(name, namespace, rows))
    for line in lines_of(trial, subject.note, f"{namespace}/{name}".strip("/")):
        click.echo(visible(line))


def chosen(name: str, rules: tuple[Path, ...]) -> tuple[Checked, Rule]:
    """Return the rule of an id or in a file, with the pack it belongs to."""
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        checked = valid(rules)
        return checked, find_rule(checked, name)
    if not path.is_file():
        raise click.UsageError(f"{name} is no file")
    checked = valid((path, *rules))
    own = [rule for rule in checked.rules if Path(rule.file).resolve() == path.resolve()]
    if not own:
        raise click.UsageError(f"{name} holds no rule")
    return checked, own[0]


def lines_of(trial: Trial, note: str = "", asked: str = "") -> Iterator[str]:
    """Yield all that is said about one rule on one bundle. ``asked``: the objects that a person wants to see; empty: all."""
    rule = trial.rule
    yield f"{rule.id}  {rule.title}"
    yield rule.file
    if note:
        yield note
    yield ""
    applies = {True: "applies", False: f"does not apply: {trial.reason}", None: f"may apply or not: {trial.reason}"}
    yield applies[trial.applies]
    for outcome in trial.before:
        yield f"after {outcome.rule.id} ({outcome.rule.title}): {outcome.status.value}"
    block = ""
    for number, column in enumerate(trial.columns, start=1):
        if column.block != block:
            block = column.block
            yield block
        groups = "".join(f"{group} › " for group in column.groups)
        line = f"  (line {column.place[0]})" if column.place[0] else ""
        yield f"  {number:>2}  {groups}{column.words}{line}"
    yield ""
    yield from _table(trial, asked)
    yield ""
    yield f"outcome{' of the whole bundle' if asked else ''}: {trial.outcome.status.value}"
    yield f"  {trial.outcome.message}"
    for missing in trial.outcome.missing[:3]:
        yield f"  missing: {missing.what}: {missing.reason}{f' ({missing.command})' if missing.command else ''}"


def _table(trial: Trial, asked: str) -> Iterator[str]:
    if not trial.counts:
        yield f"no {trial.rule.select.kind} {asked or 'to look at'}"
        return
    names = [_object_name(row.object) for row in trial.rows]
    state_width, name_width = max(len(row.state) for row in trial.rows), max(map(len, (*names, trial.rule.select.kind)))
    texts, widths = _cells(trial, _WIDEST - state_width - name_width)
    heads = "  ".join(f"{number:<{width}}" for number, width in enumerate(widths, 1))
    yield f"{'':<{state_width}}  {trial.rule.select.kind:<{name_width}}  {heads}".rstrip()
    for row, name, cells in zip(trial.rows, names, texts, strict=True):
        shown = "  ".join(f"{text:<{width}}" for text, width in zip(cells, widths, strict=True))
        yield f"{row.state:<{state_width}}  {name:<{name_width}}  {shown}".rstrip()
        yield from (f"{'':<{state_width}}    {line}" for line in _decided(row))
    for state, words in _MORE.items():
        left = trial.counts.get(state, 0) - sum(row.state == state for row in trial.rows)
        if left:
            yield f"and {left:,} {words}"


def _object_name(ref: ObjectRef) -> str:
    return f"{ref.namespace}/{ref.name}" if ref.namespace else ref.name


def _cells(trial: Trial, room: int) -> tuple[list[list[str]], list[int]]:
    """Return the texts of the cells and the widths of the columns; values are cut, or left out, where the page is too wide."""
    for most in _CELLS:
        texts = [
            [_cell_text(cell, number in row.stopped, most) for number, cell in enumerate(row.cells, 1)] for row in trial.rows
        ]
        widths = [max(len(text) for text in column) for column in zip(*texts, strict=True)]
        if sum(widths) + 2 * len(widths) <= room:
            break
    return texts, widths


def _cell_text(cell: Cell, decided: bool, most: int) -> str:
    answer = f"{_ANSWERS[cell.answer]}{'*' if decided else ''}"
    text = f"{answer} {cell.found}".rstrip()
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…" if len(answer) + 2 < most else answer


def _decided(row: TrialRow) -> Iterator[str]:
    """Yield where the object stands, and what the conditions found that decided against it."""
    if row.state not in ("fails", "unknown"):
        return
    if row.object.member not in ("", _EXAMPLE):
        yield row.object.place
    for number in row.stopped:
        cell = row.cells[number - 1]
        why = f": {cell.why}" if cell.why else ""
        yield f"{number}: found {cell.found or 'nothing'}, wanted {cell.wanted}{why}"
