"""Where the parts of a rule stand in its file: a rule keeps no positions, an author wants line and column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..ruleset.nodes import Fields, Items, Node, read_yaml
from ..ruleset.rule import Rule

# From the top of the file down: the name of a key, or the number of an element of a list.
Address = tuple[str | int, ...]
Place = tuple[int, int]


def places(rule: Rule) -> Callable[[Address], Place]:
    """Return what gives the line and column, from 1, of a part of the rule: as near as the address can be followed.

    (0, 0) where the rule stands in no file of its own, as in a pack that was built.
    """
    path = Path(rule.file)
    _, root = read_yaml(rule.file, path.read_bytes()) if path.is_file() else (None, None)
    return lambda address: _place(root, address)


def _place(node: Node | None, address: Address) -> Place:
    line, column = (node.line, node.column) if node else (0, 0)
    for step in address:
        if isinstance(node, Fields) and isinstance(step, str) and step in node.fields:
            key = node.keys[step]
            line, column, node = key.line, key.column, node.fields[step]
        elif isinstance(node, Items) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            line, column = node.line, node.column
        else:
            break
    return line, column
