"""What is the same for every object of a bundle: the cluster, the tables, the capture time; and arguments resolved against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from runai_analyze.engine.values import as_text, cut, display, hides
from runai_analyze.model import Missing, Severity, Unknown
from runai_analyze.objects.paths import ABSENT, HIDDEN, Path
from runai_analyze.objects.versions import parse_version
from runai_analyze.ruleset.rule import Argument, ClusterValue, Literal_, ParamValue, Table, TableCell

# How bad a finding can be at the most when the figure that it rests on comes from such a source.
_CAPS = {"third_party": Severity.LOW, "derived": Severity.LOW, "uncertain": Severity.INFO}


@dataclass(frozen=True)
class Environment:
    """The bundle as arguments, messages and scopes see it."""

    cluster: Mapping[str, Any]
    tables: Mapping[str, Table]
    bundle_time: datetime | None


@dataclass(frozen=True)
class Resolved:
    """An argument with its value. ``missing``: why there is none; ``cap``: the worst severity it can carry."""

    value: object
    missing: Missing | None = None
    cap: Severity = Severity.CRITICAL
    note: str = ""


def resolve(argument: Argument, environment: Environment) -> Resolved:
    """Return the value of an argument: text, a list, or what a fact about the cluster holds."""
    if isinstance(argument, Literal_ | ParamValue):
        return Resolved(argument.value)
    if isinstance(argument, ClusterValue):
        return cluster_value(argument.path, environment)
    return _cell(argument, environment)


def cluster_value(path: Path, environment: Environment) -> Resolved:
    """Return a fact about the cluster; what is unknown, or looked for and not there, is missing."""
    if path.fans_out:
        found = path.values(environment.cluster)
        value: object = next(
            (item for item in found if isinstance(item, Unknown)), [item for item in found if item is not ABSENT]
        )
    else:
        value = path.one(environment.cluster)
    gap = first_unknown(value)
    if gap is not None:
        return Resolved(None, gap if gap.what else replace(gap, what=f"Cluster {path.text}"))
    if value is ABSENT:
        return Resolved(None, Missing(f"Cluster {path.text}", "the cluster has none"))
    if hides(value):
        return Resolved(None, Missing(f"Cluster {path.text}", HIDDEN))
    return Resolved(value)


def first_unknown(value: object) -> Missing | None:
    """Return why a value, or the first element of a list that lacks one, is unknown; None when nothing is."""
    if isinstance(value, Unknown):
        return value.missing
    return next((item.missing for item in value if isinstance(item, Unknown)), None) if isinstance(value, list | tuple) else None


def _cell(argument: TableCell, environment: Environment) -> Resolved:
    row = resolve(argument.row, environment)
    if row.missing:
        return row
    table = environment.tables[argument.table]
    key = row_key(table, as_text(row.value))
    place = f"table {table.name}, row {cut(key or as_text(row.value))}, column {argument.column}"
    if key is None:
        return Resolved(None, Missing(place, f"table {table.name} says nothing about {display(row.value)}"))
    cell = table.rows[key].get(argument.column)
    if cell is None or cell.value is None:
        return Resolved(None, Missing(place, f"table {table.name} does not know {argument.column} for {key}"))
    weak = "" if cell.confidence == "documented" else f", {cell.confidence.replace('_', ' ')}"
    return Resolved(cell.value, cap=_CAPS.get(cell.confidence, Severity.CRITICAL), note=f"{table.name} {key}{weak}")


def row_key(table: Table, text: str) -> str | None:
    """Return the key of the row for a text: the same text, else the row of its major.minor; None where there is none."""
    if text in table.rows:
        return text
    try:
        minor = parse_version(text).minor
    except ValueError:
        return None
    return minor if minor in table.rows else None
