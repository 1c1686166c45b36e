"""The lines of what ``kubectl describe`` and ``kubectl get`` print, as entries and tables: no meaning yet, only layout."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

_GAP = re.compile(r"(?: {2}|\t)[ \t]*+| \t[ \t]*+")  # kubectl puts two blanks between columns, or tabs, and neither into a title
_ANSI = re.compile(r"\x1b\[[0-9;?]{0,30}[A-Za-z]")
_MOST_COLUMNS = 60


@dataclass
class Entry:
    """``Key: value``, and the lines under it that stand further in."""

    key: str
    value: str
    line: int
    below: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Column:
    """A title of a table, and at which character it begins."""

    title: str
    start: int


def clean(text: str) -> str:
    """Return a text without the colours and the carriage returns of a terminal."""
    return _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def indent_of(line: str) -> int:
    """Return at which character a line begins."""
    return len(line) - len(line.lstrip(" "))


def entries(lines: Sequence[str], first: int = 1, known: Collection[str] | None = None) -> list[Entry]:
    """Return the entries of a block: those at the indent of its first one, each with what stands further in.

    ``known``: the only keys there are. Other lines then belong to the text above: a message of several lines goes on at the left
    edge, whatever it looks like. A key that comes again is such a text too.
    """
    found: list[Entry] = []
    seen: set[str] = set()
    edge = next((indent_of(line) for line in lines if line.strip()), 0)
    for number, line in enumerate(lines, first):
        key, colon, value = line.strip().partition(":")
        is_entry = bool(colon) and indent_of(line) == edge and (not value or value[0] in " \t")
        if is_entry and (known is None or (key in known and key not in seen)):
            found.append(Entry(key, value.strip(), number))
            seen.add(key)
        elif found:
            found[-1].below.append(line)
    return found


def columns(line: str) -> list[Column]:
    """Return the columns that a line of titles names."""
    found, position = [], indent_of(line)
    for part in _GAP.split(line.strip())[:_MOST_COLUMNS]:
        start = line.index(part, position)
        found.append(Column(part, start))
        position = start + len(part)
    return found


def cells(line: str, titles: Sequence[Column]) -> dict[str, str] | None:
    """Return a row's cells by title; empty cells are left out. None where the row does not stand under the titles.

    Where it has as many cells as there are titles, it does not matter how they stand: people edit such tables.
    """
    parts = [part for part in _GAP.split(line.strip()) if part]
    if len(parts) == len(titles):
        return {column.title: part for column, part in zip(titles, parts, strict=True)}
    if any(column.start and line[column.start - 1 : column.start].strip() for column in titles):
        return None
    ends = [*(column.start for column in titles[1:]), None]
    found = {column.title: line[column.start : end].strip() for column, end in zip(titles, ends, strict=True)}
    return {title: cell for title, cell in found.items() if cell}


def table(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows of a table that describe prints, its titles in the first line and dashes under them; what is no row is
    passed over."""
    titles = columns(lines[0]) if lines else []
    for line in lines[1:]:
        if line.strip("- \t"):
            row = cells(line, titles)
            if row:
                yield row
