"""One row of the table of kinds: a path that a rule may name, its type and its meaning."""

from __future__ import annotations

from dataclasses import dataclass

# Types: text, number, bool, list (of text), time (RFC3339), mapping.


@dataclass(frozen=True)
class Field:
    """One path of a made kind, or of ``facts`` on a Kubernetes kind."""

    kind: str
    path: str
    type: str
    meaning: str


def fields(kind: str, *rows: tuple[str, str, str]) -> tuple[Field, ...]:
    """Return the rows of one kind: path, type and meaning of each."""
    return tuple(Field(kind, path, type_, meaning) for path, type_, meaning in rows)
