"""Conditions, tests and their arguments: from YAML to the rule's own form, every mistake recorded at its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from runai_analyze.objects.paths import Key as KeyStep
from runai_analyze.objects.paths import Path, compile_path
from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.objects.times import parse_moment
from runai_analyze.objects.versions import parse_range
from runai_analyze.ruleset.blocks import exactly_one, is_true, items_of, read_block, text_of, texts_of
from runai_analyze.ruleset.format import GROUPS, TEST_NAMES
from runai_analyze.ruleset.meant import path_meant
from runai_analyze.ruleset.mistakes import did_you_mean, listing
from runai_analyze.ruleset.nodes import Fields, Items, Node, Scalar, Source
from runai_analyze.ruleset.patterns import compile_pattern
from runai_analyze.ruleset.rule import (
    Argument,
    ClusterValue,
    Condition,
    Conditions,
    Group,
    Literal_,
    ParamValue,
    Table,
    TableCell,
    Test,
    Text,
)
from runai_analyze.ruleset.schemas import path_problem
from runai_analyze.ruleset.templates import whole_variable
from runai_analyze.ruleset.vocabulary import FACTS, GROUP_OF, MADE_FIELDS, OPEN_FACTS

DEFAULT_SCORE = 85
LOWEST_SCORE = 50


@dataclass
class Surroundings:
    """What the conditions of one rule may name, and what they did name."""

    source: Source
    tables: Mapping[str, Table]
    params: Mapping[str, Text]
    kind: str = ""
    used_params: set[str] = field(default_factory=set)


def read_conditions(around: Surroundings, node: Node | None) -> Conditions:
    """Return the conditions of a list; those with a mistake are left out."""
    source = around.source
    if isinstance(node, Items) and not node.items:
        source.mistake(node, "empty", "a list of conditions needs at least one")
    read = (_read_condition(around, item) for item in items_of(node))
    return tuple(condition for condition in read if condition is not None)


def _read_condition(around: Surroundings, node: Node) -> Condition | Group | None:
    values = read_block(around.source, node, "condition")
    if not isinstance(node, Fields) or not values:
        return None
    groups = [name for name in GROUPS if name in values]
    if groups:
        return _read_group(around, node, values, groups)
    misspelt = any(name not in values for name in node.fields)  # said already; what it was meant to be is not lacking as well
    target = _one_of(around, node, ("field", "label", "annotation"), misspelt)
    name = _one_of(around, node, TEST_NAMES, misspelt)
    if target is None or name is None or target not in values or name not in values:
        return None
    path = _target(around, values[target], target)
    test = read_test(around, values, name)
    keys = read_argument(around, values["keys"]) if "keys" in values else None
    when_absent = text_of(values.get("when_absent"))
    if "ask" in values and when_absent != "unknown":
        around.source.mistake(values["ask"], "ask-alone", "ask is for a field that may be absent; add when_absent: unknown")
    if path is None or test is None:
        return None
    return Condition(path, test, when_absent, keys, text_of(values.get("ask")))  # type: ignore[arg-type]


def _one_of(around: Surroundings, node: Fields, names: tuple[str, ...], misspelt: bool) -> str | None:
    if misspelt and not any(name in names for name in node.fields):
        return None
    return exactly_one(around.source, node, node.fields, names, "a condition")


def _read_group(around: Surroundings, node: Fields, values: Mapping[str, Node], groups: list[str]) -> Group | None:
    extra = [name for name in node.fields if name not in (groups[0], "because")]
    if extra:
        where = node.keys[extra[0]]
        around.source.mistake(where, "mixed", f"{groups[0]} stands alone in its condition, without {listing(extra)}")
    members = read_conditions(around, values[groups[0]])
    return Group(groups[0], members, text_of(values.get("because"))) if members else None  # type: ignore[arg-type]


def _target(around: Surroundings, node: Node, target: str) -> Path | None:
    text = text_of(node)
    if target == "field":
        return read_path(around, node, text)
    name, pair, value = text.partition("=")
    try:
        if not pair:
            return compile_path(f'metadata.{target}s["{text}"]')
    except ValueError:
        pass
    test = "not_equals" if name.endswith("!") else "equals"
    hint = f"; write {target}: {name.strip(' !')} and {test}: {value.strip(' =')}" if pair else ""
    around.source.mistake(node, "bad-path", f"not the name of a label or annotation: {text}{hint}")
    return None


def read_path(around: Surroundings, node: Node, text: str) -> Path | None:
    """Return a path into objects of the rule's kind; records what is wrong with it."""
    try:
        path = compile_path(text)
    except ValueError as error:
        around.source.mistake(node, "bad-path", f"{error}{path_meant(text)}")
        return None
    problem = unknown_field(around.kind, path)
    if problem:
        around.source.mistake(node, "unknown-field", problem)
        return None
    return path


def unknown_field(kind: str, path: Path) -> str:
    """Return what is wrong with a path that no object of the kind has; empty when it may have it, or the kind is custom."""
    names = [step.name for step in path.steps if isinstance(step, KeyStep)]
    dotted = ".".join(names)
    if kind in MADE_FIELDS:
        fields = MADE_FIELDS[kind]
        known = any(dotted == name or name.startswith(f"{dotted}.") for name in fields)
        return "" if known else f'{kind} has no field "{dotted}"{did_you_mean(dotted, fields)}'
    if names and names[0] == "facts" and kind in GROUP_OF:
        return _unknown_fact(kind, dotted)
    if kind == "Secret" and names and names[0] in ("data", "stringData"):
        return "the values of Secrets are never collected"
    return path_problem(kind, path)


def _unknown_fact(kind: str, dotted: str) -> str:
    facts = FACTS.get(kind, frozenset())
    if any(dotted == name or name.startswith(f"{dotted}.") for name in facts):
        return ""
    if any(kind == of and dotted.startswith(f"{name}.") for of, name in OPEN_FACTS):
        return ""
    return f'there is no fact "{dotted}" about a {kind}{did_you_mean(dotted, facts)}'


def read_test(around: Surroundings, values: Mapping[str, Node], name: str) -> Test | None:
    """Return the test ``name`` of a condition or of expect_count with its options."""
    argument = read_argument(around, values[name])
    if argument is None:
        return None
    ignore_case = is_true(values.get("ignore_case"))
    tolerance = _tolerance(around, values.get("tolerance"), name)
    if ignore_case and name not in _WITH_CASE:
        around.source.mistake(values["ignore_case"], "useless", f"ignore_case means nothing for {name}")
    score = _score(around, values.get("score"), name)
    for problem in _argument_problems(around, name, argument):
        around.source.mistake(values[name], *problem)
        return None
    if name == "equals_field" and read_path(around, values[name], str(getattr(argument, "value", ""))) is None:
        return None
    return Test(name, argument, ignore_case, tolerance, text_of(values.get("because")), text_of(values.get("wanted")), score)


def _tolerance(around: Surroundings, node: Node | None, name: str) -> float:
    if node is None:
        return 0.0
    text = text_of(node)
    if name not in ("at_least", "at_most"):
        around.source.mistake(node, "useless", f"tolerance means nothing for {name}, only for at_least and at_most")
    number = text.removesuffix("%").strip()
    try:
        share = float(number) / 100 if text.endswith("%") and number.replace(".", "", 1).isdigit() else -1.0
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        around.source.mistake(node, "bad-tolerance", f'tolerance is "{text}", must be a share between 0% and 100% such as 6%')
    return share


def _score(around: Surroundings, node: Node | None, name: str) -> int:
    if node is None:
        return DEFAULT_SCORE
    if name != "similar_to":
        around.source.mistake(node, "useless", f"score means nothing for {name}, only for similar_to")
    score = int(text_of(node))
    if not LOWEST_SCORE <= score <= 100:
        problem = f"score is {score}, must be from {LOWEST_SCORE} to 100: below that, texts are alike by chance"
        around.source.mistake(node, "bad-score", problem)
    return score


# --- Arguments --------------------------------------------------------------------------------------------------------------


def read_argument(around: Surroundings, node: Node) -> Argument | None:
    """Return an argument: a value as written, a list, ``{{ cluster.X }}``, ``{{ params.X }}`` or a cell of a table."""
    if isinstance(node, Fields):
        return _table_cell(around, node)
    if isinstance(node, Items):
        return Literal_(texts_of(node))
    return _simple_argument(around, node)


def _simple_argument(around: Surroundings, node: Scalar) -> Literal_ | ClusterValue | ParamValue | None:
    inside = whole_variable(node.text)
    if inside is None:
        if "{{" in node.text:
            around.source.mistake(node, "bad-argument", "an argument is one {{ … }} and nothing else, or no {{ at all")
            return None
        return Literal_(node.text)
    if inside.startswith("cluster."):
        path = read_cluster_path(around.source, node, inside.removeprefix("cluster."))
        return ClusterValue(path) if path else None
    if inside.startswith("params."):
        name = inside.removeprefix("params.")
        around.used_params.add(name)
        if name in around.params:
            return ParamValue(name, around.params[name])
        around.source.mistake(node, "unknown-param", f'the rule has no param "{name}"{did_you_mean(name, around.params)}')
        return None
    around.source.mistake(node, "bad-argument", f"an argument can be {{{{ cluster.X }}}} or {{{{ params.X }}}}, not {inside}")
    return None


def read_cluster_path(source: Source, node: Node, text: str) -> Path | None:
    """Return the path of a fact about the cluster; records a name that Cluster does not have."""
    try:
        path = compile_path(text)
    except ValueError as error:
        source.mistake(node, "bad-path", str(error))
        return None
    problem = unknown_field("Cluster", path)
    if problem:
        source.mistake(node, "unknown-cluster-field", problem)
        return None
    return path


def _table_cell(around: Surroundings, node: Fields) -> TableCell | None:
    source = around.source
    values = read_block(source, node, "cell")
    if {"table", "row", "column"} - values.keys():
        return None
    name, column = text_of(values["table"]), text_of(values["column"])
    row_node = values["row"]
    row = _simple_argument(around, row_node) if isinstance(row_node, Scalar) else None
    table = around.tables.get(name)
    if table is None:
        source.mistake(values["table"], "unknown-table", f'the pack has no table "{name}"{did_you_mean(name, around.tables)}')
        return None
    if column not in table.columns:
        meant = did_you_mean(column, table.columns)
        source.mistake(values["column"], "unknown-column", f'table {name} has no column "{column}"{meant}')
        return None
    if isinstance(row, Literal_) and row.value not in table.rows:
        meant = did_you_mean(str(row.value), table.rows)
        source.mistake(row_node, "unknown-row", f'table {name} has no row "{row.value}"{meant}')
        return None
    return TableCell(name, row, column) if row is not None else None


# --- Does the argument fit the test -----------------------------------------------------------------------------------------

_WITH_CASE = frozenset(
    ("equals", "not_equals", "one_of", "not_one_of", "contains", "starts_with", "ends_with", "matches", "equals_field")
)
_QUANTITY_TESTS = frozenset(("at_least", "at_most", "more_than", "less_than"))
_COLUMN_TYPES: dict[str, tuple[str, ...]] = {
    "version": ("range",),
    **dict.fromkeys(_QUANTITY_TESTS, ("quantity", "number")),
    "one_of": ("list",),
    "not_one_of": ("list",),
    "exists": ("yes/no",),
    "matches": ("text",),
    "equals_field": (),  # it names a field, and a field that no kind has is a mistake to be seen here
    "min_length": ("number",),
    "similar_to": ("text", "list"),
}


def _argument_problems(around: Surroundings, name: str, argument: Argument) -> list[tuple[str, str]]:
    if isinstance(argument, TableCell):
        found = around.tables[argument.table].columns[argument.column]
        allowed = _COLUMN_TYPES.get(name)
        if allowed is None or found in allowed:
            return []
        wanted = f"a column of type {' or '.join(allowed)}" if allowed else "a value written in the rule"
        return [("table-type", f"{name} needs {wanted}; column {argument.column} of {argument.table} is of type {found}")]
    if isinstance(argument, ClusterValue):
        return [("bad-argument", f"{name} needs a value written in the rule")] if _COLUMN_TYPES.get(name) == () else []
    return _value_problems(name, argument.value)


def _value_problems(name: str, value: Text) -> list[tuple[str, str]]:
    if name in ("one_of", "not_one_of"):
        return [] if isinstance(value, tuple) else [("bad-argument", f"{name} needs a list")]
    if isinstance(value, tuple):
        return [] if name in _TAKE_LISTS else [("bad-argument", f"{name} needs one value, not a list")]
    if name not in _CHECKS:
        return []
    code, check = _CHECKS[name]
    try:
        check(value)
    except ValueError as error:
        hint = _WRITE.get(code, "") if str(error).startswith("not ") and "write" not in str(error) else ""
        return [(getattr(error, "code", code), f"{error}{hint}")]
    return []


_WRITE = {
    "bad-quantity": "; write it like 8, 500m or 16Gi",
    "bad-range": '; write it like ">=1.33 <1.36", "1.33 - 1.35" or "1.33"',
    "bad-time": "; write it like bundle_time + 30d or 2026-12-01T00:00:00Z",
}
_TAKE_LISTS = frozenset(("equals", "not_equals", "contains", "covers_host", "similar_to"))


def _exists(value: str) -> None:
    if value.lower() not in ("true", "false", "yes", "no"):
        raise ValueError(f'exists is "{value}", must be true or false')


def check_range(value: str) -> None:
    """Raise ValueError for a text that is no range of versions, or one that means less than it seems to."""
    later = _OR_LATER.fullmatch(value)
    if later:
        raise ValueError(f'"{value}" is {later[1]} alone: write >={later[1]} for that and all later ones')
    parse_range(value)


_OR_LATER = re.compile(r"\s*(\d[\d.]*?)\s*(?:\+|or (?:later|newer|higher|above))\s*")


def _length(value: str) -> None:
    if not (value.isascii() and value.isdigit()):
        raise ValueError(f'min_length is "{value}", must be a whole number')


_CHECKS: dict[str, tuple[str, Callable[[str], object]]] = {
    "exists": ("bad-argument", _exists),
    "matches": ("bad-regex", compile_pattern),
    "version": ("bad-range", check_range),
    "after": ("bad-time", parse_moment),
    "before": ("bad-time", parse_moment),
    "equals_field": ("bad-path", compile_path),
    "min_length": ("bad-argument", _length),
    **dict.fromkeys(_QUANTITY_TESTS, ("bad-quantity", parse_quantity)),
}
