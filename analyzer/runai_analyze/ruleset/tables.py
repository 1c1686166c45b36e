"""Tables, checklist and docs of a pack: what rules refer to."""

from __future__ import annotations

from collections.abc import Iterator

from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.objects.times import parse_duration
from runai_analyze.objects.versions import parse_range, parse_version
from runai_analyze.ruleset.blocks import is_null, is_true, items_of, read_block, text_of, texts_of
from runai_analyze.ruleset.format import COLUMN_TYPES
from runai_analyze.ruleset.mistakes import did_you_mean, listing
from runai_analyze.ruleset.nodes import Fields, Items, Node, Source
from runai_analyze.ruleset.rule import Cell, ChecklistEntry, ChecklistSection, Doc, Table
from runai_analyze.ruleset.vocabulary import FEATURES


def read_table(source: Source, root: Node | None, stem: str) -> Table | None:
    """Return the table of a file named ``stem``; its mistakes stand in ``source``."""
    if root is None:
        return None
    values = read_block(source, root, "table")
    name_node = values.get("table")
    if name_node is not None and text_of(name_node) != stem:
        said = f'the table is "{text_of(name_node)}" and the file is "{stem}.yaml"; they must be equal'
        source.mistake(name_node, "id-file", said)
    columns = _columns(source, values.get("columns"))
    rows = values.get("rows")
    table_rows = {key: _row(source, row, columns) for key, row in rows.fields.items()} if isinstance(rows, Fields) else {}
    return Table(stem, text_of(values.get("key")), text_of(values.get("updated")), columns, table_rows)


def _columns(source: Source, node: Node | None) -> dict[str, str]:
    columns = {name: text_of(kind) for name, kind in node.fields.items()} if isinstance(node, Fields) else {}
    for name, kind in columns.items():
        if kind not in COLUMN_TYPES and isinstance(node, Fields):
            meant = did_you_mean(kind, COLUMN_TYPES) or f"; there are {listing(COLUMN_TYPES)}"
            source.mistake(node.fields[name], "wrong-word", f'column {name} has the type "{kind}"{meant}')
    return columns


def _row(source: Source, node: Node, columns: dict[str, str]) -> dict[str, Cell]:
    if not isinstance(node, Fields):
        source.mistake(node, "wrong-type", "a row is a map of columns")
        return {}
    for name, key in node.keys.items():
        if name not in columns:
            source.mistake(key, "unknown-column", f'the table has no column "{name}"{did_you_mean(name, columns)}')
    stated = {name: cell for name, cell in node.fields.items() if name in columns and not is_null(cell)}
    cells = {name: _cell(source, cell, columns[name]) for name, cell in stated.items()}
    return {name: cell for name, cell in cells.items() if cell is not None}


def _cell(source: Source, node: Node, kind: str) -> Cell | None:
    if isinstance(node, Fields) and "value" in node.fields and is_null(node.fields["value"]):
        # An empty value is knowledge too: nobody says. It has no form to check.
        rest = Fields({**node.fields, "value": node.keys["value"]}, node.keys, node.line, node.column)
        values = read_block(source, rest, "table cell")
        return Cell(None, "unknown", text_of(values.get("source")))
    values = read_block(source, node, "table cell")
    if "value" not in values or "confidence" not in values:
        return None
    confidence = text_of(values["confidence"])
    if confidence != "unknown" and "source" not in values:
        source.mistake(node, "missing-key", f"a {confidence} value needs its source")
    value_node = values["value"]
    for problem in _value_problems(value_node, kind):
        source.mistake(value_node, "bad-value", problem)
    value = texts_of(value_node) if kind == "list" else text_of(value_node)
    return Cell(None if confidence == "unknown" else value, confidence, text_of(values.get("source")))


_CHECKS = {
    "range": parse_range,
    "version": parse_version,
    "quantity": parse_quantity,
    "number": parse_quantity,
    "duration": parse_duration,
}


def _value_problems(node: Node, kind: str) -> Iterator[str]:
    if isinstance(node, Items) != (kind == "list"):
        yield f"a value of type {kind} is {'a list' if kind == 'list' else 'one value'}"
        return
    text = text_of(node)
    if kind == "yes/no" and text.lower() not in ("true", "false", "yes", "no"):
        yield f'"{text}" is not true or false'
    if kind == "quantity" and text.isdigit():
        yield f'the quantity "{text}" has no unit; a column of type number is for plain numbers'
    check = _CHECKS.get(kind)
    try:
        if check is not None:
            check(text)
    except ValueError as error:
        yield str(error)


def read_checklist(source: Source, root: Node | None) -> tuple[ChecklistSection, ...]:
    """Return the sections of checklist.yaml in their order."""
    if root is None:
        return ()
    seen: set[str] = set()
    sections = (read_block(source, node, "section") for node in items_of(read_block(source, root, "checklist").get("checklist")))
    return tuple(
        ChecklistSection(
            text_of(section.get("section")), tuple(_line(source, node, seen) for node in items_of(section.get("lines")))
        )
        for section in sections
    )


def _line(source: Source, node: Node, seen: set[str]) -> ChecklistEntry:
    values = read_block(source, node, "line")
    name, feature = text_of(values.get("id")), text_of(values.get("feature"))
    if name in seen:
        source.mistake(node, "duplicate-id", f'checklist line "{name}" stands there twice')
    if feature and feature not in FEATURES:
        meant = did_you_mean(feature, FEATURES) or f"; there are {listing(sorted(FEATURES))}"
        source.mistake(values["feature"], "unknown-feature", f'"{feature}" is no feature{meant}')
    seen.add(name)
    return ChecklistEntry(
        name, text_of(values.get("title")), is_true(values.get("optional")), feature, text_of(values.get("ask"))
    )


def read_doc(source: Source, stem: str) -> Doc:
    """Return an extract of the documentation: ``# title`` first, ``Source: …`` last."""
    lines = [line for line in source.lines if line.strip()]
    title = lines[0] if lines else ""
    last = lines[-1] if lines else ""
    if not title.startswith("# "):
        source.mistake_at(1, 1, "bad-doc", 'an extract starts with "# " and its title')
    if not last.startswith("Source: "):
        source.mistake_at(max(1, len(source.lines)), 1, "bad-doc", 'an extract ends with a line "Source: …"')
    text = "\n".join(source.lines).strip().removeprefix(title).removesuffix(last).strip()
    return Doc(stem, title.removeprefix("# ").strip(), text, last.removeprefix("Source: ").strip())
