"""Holds a table that stands in for that of an earlier pack against the rules that were written for the earlier one."""

from __future__ import annotations

from runai_analyze.ruleset.blocks import text_of
from runai_analyze.ruleset.mistakes import did_you_mean
from runai_analyze.ruleset.nodes import Fields, Node
from runai_analyze.ruleset.parts import cells_of
from runai_analyze.ruleset.reading import Reading, TableRead
from runai_analyze.ruleset.rule import Rule


def check_columns(reading: Reading) -> None:
    """Record, in each such table, the columns that rules of earlier packs ask it for and that it lacks or types otherwise."""
    for name, read in reading.tables.items():
        if read.before is None:
            continue
        for pack in reading.packs[: read.pack]:
            for built in pack.built:
                if built.draft.rule is not None and built.off is None:
                    _check_rule(built.draft.rule, name, read)


def _check_rule(rule: Rule, name: str, read: TableRead) -> None:
    for column in sorted({cell.column for cell in cells_of(rule) if cell.table == name}):
        wanted = read.before.columns.get(column) if read.before else None
        found = read.table.columns.get(column)
        if wanted is None or found == wanted:
            continue
        if found is None:
            said = f'{rule.id} needs the column "{column}" ({wanted}) of this table{did_you_mean(column, read.table.columns)}'
            read.source.mistake(_columns(read), "missing-column", said)
        else:
            said = f'{rule.id} needs the column "{column}" to be of type {wanted}, as it is in {read.info.replaces}'
            read.source.mistake(_column(read, column), "column-type", said)


def _columns(read: TableRead) -> Node:
    assert isinstance(read.root, Fields)
    return read.root.keys.get("columns", read.root)


def _column(read: TableRead, column: str) -> Node:
    columns = read.root.fields.get("columns") if isinstance(read.root, Fields) else None
    return columns.fields[column] if isinstance(columns, Fields) and text_of(columns.fields.get(column)) else _columns(read)
