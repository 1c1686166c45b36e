"""Holds a block of YAML against its line in the table of the format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from runai_analyze.ruleset.format import BLOCKS, GROUPS, SELECTIONS, Key
from runai_analyze.ruleset.meant import key_meant
from runai_analyze.ruleset.mistakes import closest, did_you_mean, listing, suggested
from runai_analyze.ruleset.nodes import Fields, Items, Node, Scalar, Source

_TITLES = {
    "not": "a negated list",
    "selection": "for_each, report_each and count",
    "cell": "a table reference",
    "rule": "a rule",
    "expect_count": "expect_count",
    "applies_to": "applies_to",
    "fix": "fix",
    "collect": "collect",
    "match": "match",
    "site": "site.yaml",
    "suppressions": "suppressions.yaml",
}
_OF_RULES = ("rule", "selection", "condition", "case", "fix", "command", "example")  # where a key is looked for that is misplaced
_LONG = frozenset(("rule", "table", "pack"))  # files of their own: their keys are no example for a line


def read_block(source: Source, node: Node, name: str) -> dict[str, Node]:
    """Return the values of a block that have the right form; every other mistake in it is recorded, and its value left out."""
    title = _title(name)
    if not isinstance(node, Fields):
        source.mistake(node, "wrong-type", f"{title} is a map of keys{_such_as(name)}, this is {form_of(node)}")
        return {}
    table = {key.name: key for key in BLOCKS[name]}
    for word, key_node in node.keys.items():
        if word not in table:
            meant = did_you_mean(word, table) or suggested(key_meant(name, word)) or _elsewhere(word)
            source.mistake(key_node, "unknown-key", f'"{word}" is no key of {title}{meant}')
    there = {*node.fields, *misspelt(node, table), *(key_meant(name, word) for word in node.fields if word not in table)}
    missing = [f"{key.name} ({key.help})" for key in BLOCKS[name] if key.required and key.name not in there]
    if missing:
        source.mistake(node, "missing-key", f"{title} needs {listing(missing)}")
    return {word: value for word, value in node.fields.items() if word in table and has_form(source, value, table[word])}


def _elsewhere(word: str) -> str:
    """Return where a key of a rule belongs that stands in the wrong block of it."""
    found = next(((name, key) for name in _OF_RULES for key in BLOCKS[name] if key.name == word), None)
    if found is None:
        return ""
    name, key = found
    return f"; it belongs into {_title(name)} ({key.help})"


def _title(name: str) -> str:
    return _TITLES.get(name, f"a {name}" if name[0] not in "aeiou" else f"an {name}")


def misspelt(node: Fields, known: Collection[str]) -> set[str]:
    """Return the keys that words of a block were probably meant to be: they are not lacking as well."""
    return {meant for word in node.fields if word not in known and (meant := closest(word, known))}


def has_form(source: Source, node: Node, key: Key) -> bool:
    """Return whether a value has the form that the table asks for; records the mistake when it has not."""
    allowed, words = _FORMS[key.form]
    if not allowed(node):
        such_as = _such_as(key.block) if key.form == "block" else ""
        source.mistake(node, "wrong-type", f"{key.name} must be {words}{such_as}, this is {form_of(node)}")
        return False
    if key.choices and isinstance(node, Scalar) and node.text not in key.choices:
        meant = did_you_mean(node.text, key.choices)
        source.mistake(node, "wrong-word", f'{key.name} is "{node.text}", must be one of {listing(key.choices)}{meant}')
        return False
    said = " or ".join(f'"{word}"' for word in key.begins)
    if said and not text_of(node).startswith(key.begins):
        source.mistake(node, "wrong-word", f'{key.name} is "{text_of(node)[:40]}", must begin with {said}')
        return False
    return True


def _such_as(block: str) -> str:
    """Return `` such as {text: …}``: the keys that a block needs."""
    needed = [f"{key.name}: …" for key in BLOCKS.get(block, ()) if key.required]
    return f" such as {{{listing(needed)}}}" if needed and block not in _LONG else ""


def form_of(node: Node) -> str:
    """Return in words what a node is."""
    if isinstance(node, Items):
        return "a list" if node.items else "an empty list"
    if isinstance(node, Fields):
        return "a map"
    return "nothing" if is_null(node) else f'"{node.text[:40]}"'


def exactly_one(source: Source, node: Node, values: Iterable[str], of: tuple[str, ...], what: str) -> str | None:
    """Return the one key of ``of`` that the block has; record a mistake when it has none or several."""
    found = [name for name in values if name in of]
    if len(found) == 1:
        return found[0]
    said = f"has {listing(found)}" if found else "has none"
    short = listing(of) if len(of) <= len(SELECTIONS) + len(GROUPS) else f"{listing(of[:4])} …"
    source.mistake(node, "exactly-one", f"{what} needs exactly one of {short}; this {said}")
    return None


def text_of(node: Node | None, default: str = "") -> str:
    """Return the text of a scalar; the default where there is none."""
    return node.text if isinstance(node, Scalar) else default


def texts_of(node: Node | None) -> tuple[str, ...]:
    """Return the texts of a list, or of the one scalar that stands in its place."""
    return tuple(scalar.text for scalar in scalars_of(node))


def scalars_of(node: Node | None) -> tuple[Scalar, ...]:
    """Return the scalars of a list, or the one that stands in its place, with their positions."""
    if isinstance(node, Items):
        return tuple(item for item in node.items if isinstance(item, Scalar))
    return (node,) if isinstance(node, Scalar) else ()


def items_of(node: Node | None) -> list[Node]:
    """Return the elements of a list."""
    return node.items if isinstance(node, Items) else []


def is_true(node: Node | None) -> bool:
    """Return what a yes/no value says; False where there is none."""
    return text_of(node).lower() in ("true", "yes")


def is_null(node: Node) -> bool:
    """Return whether a value was left empty."""
    return isinstance(node, Scalar) and node.plain and node.text in ("", "~", "null")


def _is_text(node: Node) -> bool:
    return isinstance(node, Scalar) and not is_null(node)


def _is_texts(node: Node) -> bool:
    return _is_text(node) or (isinstance(node, Items) and bool(node.items) and all(_is_text(item) for item in node.items))


def _is_yes_no(node: Node) -> bool:
    return isinstance(node, Scalar) and node.text.lower() in ("true", "false", "yes", "no")


def _is_number(node: Node) -> bool:
    return isinstance(node, Scalar) and node.text.isascii() and node.text.isdigit() and len(node.text) < 10


def _is_list(node: Node) -> bool:
    return isinstance(node, Items)


def _is_map(node: Node) -> bool:
    return isinstance(node, Fields)


_FORMS: Mapping[str, tuple[Callable[[Node], bool], str]] = {
    "text": (_is_text, "text"),
    "texts": (_is_texts, "text or a list of texts"),
    "yes/no": (_is_yes_no, "true or false"),
    "number": (_is_number, "a whole number"),
    "block": (_is_map, "a map of keys"),
    "blocks": (_is_list, "a list"),
    "conditions": (_is_list, "a list of conditions (each starts with a dash)"),
    "argument": (lambda node: _is_texts(node) or _is_map(node), "a value, a list of values, or {table, row, column}"),
    "map": (_is_map, "a map"),
    "names": (lambda node: _is_texts(node) or _is_map(node), "a name, a list of names, or {not: …}"),
    "object": (_is_map, "a map"),
    "objects": (_is_list, "a list of objects"),
}
