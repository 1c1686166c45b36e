"""What a line of the format's table says about one key: its name, its form, what it means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal[
    "text",  # one scalar, as written
    "texts",  # one scalar or a list of them
    "yes/no",
    "number",  # a whole number
    "block",  # a map with the keys of ``block``
    "blocks",  # a list of such maps
    "conditions",  # a list of conditions
    "argument",  # a scalar, a list, or {table, row, column}
    "map",  # names that the author chooses
    "names",  # one scalar, a list, or {not: …}
    "object",  # as kubectl shows it
    "objects",
]


@dataclass(frozen=True)
class Key:
    """One key of a block. ``choices``: the only words that may stand there, ``begins``: how it begins; empty: any."""

    name: str
    form: Form
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()
    block: str = ""
    begins: tuple[str, ...] = ()


SEVERITIES = ("critical", "high", "medium", "low", "info")
