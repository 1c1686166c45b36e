"""Random rules and objects for the comparison with the reference: every test, group, selection and key, and values of every kind
that a bundle can hold. The same seed makes the same ones."""

import random
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from runai_analyze.model import Missing, Unknown

from tests.engine.reference_values import CAPS, World

GONE = Unknown(Missing("", "gone"))
HIDDEN = "«redacted:x»"
VALUES: list[Any] = [
    *("a", "b", "A", "ab", "", "1", "2", 1, 2, 5, 2.5, "1500m", "2Ki", "2", True, False, "true"),
    *("1.33.4", "v1.35.9-eks-1", "1.35", "1.36", "latest", "2026-12-01T12:00:00Z", "2026-11-01", "soon", "a.b.c", "*.b.c"),
    *("disk of node-17 is full", "the disk of node-3 is full", "no route to host", None, None, GONE, HIDDEN, f"a {HIDDEN}"),
    *([], ["a"], ["a", "b"], ["b", HIDDEN], [GONE], {}, {"a": "b"}, {"a": HIDDEN}, {"b": {"c": GONE}}),
]
PATHS = [
    *("spec.x", "spec.x", "spec.y", "spec.z", "spec.list[*].x", "spec.list[*].y", "spec.list[0].x", "spec.list[x=a].y"),
    *("spec.deep.list[*].x", "spec.deep.x", "spec.map[*]", "spec.list[*]", 'spec.map["k.1/a"]', "spec.list[*].list[*].x"),
]
# Of each test arguments that mean something.
ARGUMENTS: dict[str, list[Any]] = {
    "equals": ["a", "5", 2, True, ["a", "b"], "2.50"],
    "not_equals": ["a", "5", 2, False],
    "one_of": [["a", "1"], ["b", "2", "5"], ["true"]],
    "not_one_of": [["a", "1"], ["b"]],
    "exists": [True, False],
    "contains": ["a", "b", ["a", "b"]],
    "starts_with": ["a", "1."],
    "ends_with": ["b", "c"],
    "matches": ["^a", "[0-9]", "full$"],
    "at_least": [2, "1500m", "2Ki"],
    "at_most": [2, "1"],
    "more_than": [1, "2"],
    "less_than": [2, "2Ki"],
    "version": ["1.33 - 1.35", ">=1.34 <1.36", ">=1.35.4"],
    "after": ["bundle_time", "bundle_time - 40d", "2026-11-15"],
    "before": ["bundle_time", "2026-12-02"],
    "covers_host": ["x.b.c", "a.b.c", ["a.b.c", "x.b.c"]],
    "equals_field": ["spec.y", "spec.deep.x", "spec.list[*].y"],
    "min_length": [1, 2],
    "similar_to": ["disk of node-1 is full", ["no route to host", "disk full"]],
}
FOLDS = ("equals", "not_equals", "one_of", "not_one_of", "contains", "starts_with", "ends_with", "matches", "equals_field")
NUMBERS = ("at_least", "at_most", "more_than", "less_than")
TABLES = {
    "racks": {
        "2.25": {"number": ("2", "documented"), "rack": ("2Ki", "third_party"), "range": ("1.33 - 1.35", "derived"),
                 "names": (["a", "b"], "uncertain"), "word": ("a", "documented")},
        "2.24": {"number": (None, "unknown"), "word": ("b", "third_party")},
    }
}  # fmt: skip
COLUMNS = {
    "number": NUMBERS,
    "rack": NUMBERS,
    "range": ("version",),
    "names": ("one_of", "not_one_of"),
    "word": ("equals", "not_equals", "contains"),
}
PARAMS = {"number": "2", "word": "a"}


def table_text() -> str:
    """Return the table as its file."""
    types = {"number": "number", "rack": "quantity", "range": "range", "names": "list", "word": "text"}
    lines = [
        "table: racks",
        "key: release",
        "updated: 2026-12-01",
        f"columns: {{{', '.join(f'{k}: {v}' for k, v in types.items())}}}",
        "rows:",
    ]
    for row, cells in TABLES["racks"].items():
        lines.append(f'  "{row}":')
        for column, (value, confidence) in cells.items():
            written = "null" if value is None else f"[{', '.join(value)}]" if isinstance(value, list) else value
            lines.append(f"    {column}: {{value: {written}, confidence: {confidence}, source: page}}")
    return "\n".join(lines) + "\n"


def random_world(rng: random.Random) -> tuple[World, dict[str, Any]]:
    """Return what the reference knows of a cluster, and the same cluster as the engine sees it."""
    release = rng.choice(["2.25", "2.25.7", "2.24.1", "2.23.0", None])
    installed, total = rng.choice([True, False, None]), rng.choice([1, 2, 3, None])
    known = {
        "runai.release": release,
        "runai.installed": installed,
        "nodes.total": total,
        "features": rng.choice([["a"], ["a", "b"], None]),
    }
    body = {
        "runai": {"release": release or GONE, "installed": GONE if installed is None else installed},
        "nodes": {"total": total or GONE},
        "features": known["features"] or GONE,
    }
    captured = rng.choice(["2026-12-01T12:00:00+00:00"] * 3 + [None])
    when = datetime.fromisoformat(captured) if captured else None
    return World({name: value for name, value in known.items() if value is not None}, TABLES, PARAMS, when), body


def random_body(rng: random.Random, number: int) -> dict[str, Any]:
    """Return an object. It has every part only sometimes, and parts of the wrong shape too."""

    def some(names: str) -> dict[str, Any]:
        return {name: rng.choice(VALUES) for name in names if rng.random() < 0.7}

    def elements() -> list[Any]:
        return [rng.choice([some("xy"), some("xy"), some("xy"), None, "text", GONE]) for _ in range(rng.randrange(4))]

    lists = elements()
    for element in lists:
        if isinstance(element, dict) and rng.random() < 0.3:
            element["list"] = rng.choice([elements(), elements(), GONE, None, {"p": some("x")}])
    spec: Any = {
        **some("xyz"),
        "list": rng.choice([lists, lists, lists, lists, None, GONE, HIDDEN, "text"]),
        "deep": rng.choice([{"list": elements(), "x": rng.choice(VALUES)}] * 3 + [None, GONE, "text"]),
        "map": rng.choice([{"k.1/a": rng.choice(VALUES), **some("ab")}] * 3 + [None, {}, GONE, HIDDEN]),
    }
    metadata = {"name": f"{rng.choice('ab')}-{number}", "namespace": rng.choice(["shop", "yard"])}
    for place in ("labels", "annotations"):
        metadata[place] = rng.choice([{"app": rng.choice(["a", "b", HIDDEN])}, {}, None])
    body = {"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": metadata, "spec": rng.choice([spec] * 9 + [None, GONE])}
    return {key: value for key, value in body.items() if value is not None}


# --- Rules ---------------------------------------------------------------------------------------------------------------------


def random_rule(rng: random.Random, earlier: list[str]) -> dict[str, Any]:
    """Return a rule without its wording: what the reference reads, and what is written into the file."""
    mode = rng.choice(["for_each", "for_each", "report_each", "report_each", "count"])
    select: dict[str, Any] = {"kind": "Gadget.example.com"}
    for key, globs in (("namespace", ["shop", "ya*", "*"]), ("name", ["a-*", "b-?", "a-0"])):
        if rng.random() < 0.15:
            select[key] = [rng.choice(globs)]
    if rng.random() < 0.85:
        select["where"] = random_conditions(rng, 2)
    if rng.random() < 0.3:
        select["if_none"] = rng.choice(["not_applicable", "fail"] if mode != "report_each" else ["not_applicable"])
    rule: dict[str, Any] = {"severity": rng.choice(["critical", "high", "medium", "low", "info"]), mode: select}
    if mode == "count":
        rule["expect_count"] = random_count(rng)
    elif mode == "for_each":
        rule["expect"] = random_conditions(rng, 3)
    if mode != "count":
        if rng.random() < 0.3:
            rule["cases"] = [random_case(rng) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.3:
            rule["group_by"] = [rng.choice(["metadata.namespace", "spec.x", "spec.list[*].x"])]
    if earlier and rng.random() < 0.3:
        rule["only_if_passed"] = rng.sample(earlier, min(len(earlier), rng.randint(1, 2)))
    return rule


def random_case(rng: random.Random) -> dict[str, Any]:
    severity = {"severity": rng.choice(["critical", "low", "info"])} if rng.random() < 0.5 else {}
    return {"when": random_conditions(rng, 1), **severity}


def random_count(rng: random.Random) -> dict[str, Any]:
    name = rng.choice([*NUMBERS, "equals", "not_equals", "one_of", "not_one_of"])
    if name in ("one_of", "not_one_of"):
        return {name: rng.sample([0, 1, 2, 3, 4], 2)}
    wanted: Any = rng.randrange(5)
    if name in NUMBERS and rng.random() < 0.3:
        wanted = rng.choice(
            [
                "{{ cluster.nodes.total }}",
                "{{ params.number }}",
                {"table": "racks", "row": "{{ cluster.runai.release }}", "column": "number"},
            ]
        )
    return {name: wanted}


def random_conditions(rng: random.Random, most: int) -> list[dict[str, Any]]:
    return [random_condition(rng) for _ in range(rng.randint(1, most))]


def random_condition(rng: random.Random, depth: int = 0) -> dict[str, Any]:
    """Return a condition, or a group of them."""
    if depth < 3 and rng.random() < 0.3:
        return {rng.choice(["all_of", "any_of", "none_of"]): [random_condition(rng, depth + 1) for _ in range(rng.randint(1, 3))]}
    name = rng.choice(list(ARGUMENTS))
    condition = {**random_place(rng), name: random_argument(rng, name)}
    if rng.random() < 0.3:
        condition["when_absent"] = rng.choice(["pass", "fail", "unknown"])
    if name in FOLDS and rng.random() < 0.2:
        condition["ignore_case"] = True
    if name in ("at_least", "at_most") and rng.random() < 0.3:
        condition["tolerance"] = rng.choice(["6%", "50%"])
    if name == "similar_to" and rng.random() < 0.5:
        condition["score"] = rng.choice([50, 70, 100])
    return condition


def random_place(rng: random.Random) -> dict[str, Any]:
    drawn = rng.random()
    if drawn < 0.08:
        return {rng.choice(["label", "annotation"]): "app"}
    if drawn < 0.2:
        keys = rng.choice(
            [
                "a",
                ["a", "b"],
                ["k.1/a"],
                "{{ cluster.features }}",
                {"table": "racks", "row": "{{ cluster.runai.release }}", "column": "names"},
            ]
        )
        return {"field": "spec.map", "keys": keys}
    return {"field": rng.choice(PATHS)}


def random_argument(rng: random.Random, name: str) -> Any:
    """Return an argument of a test: mostly written, sometimes of the cluster, a param or a table."""
    drawn = rng.random()
    columns = [column for column, tests in COLUMNS.items() if name in tests]
    if drawn < 0.15 and columns:
        row = rng.choice(["{{ cluster.runai.release }}", "{{ cluster.runai.release }}", "2.25", "2.24"])
        return {"table": "racks", "row": row, "column": rng.choice(columns)}
    if drawn < 0.2 and name in (*NUMBERS, "equals", "not_equals"):
        return rng.choice(["{{ cluster.nodes.total }}", "{{ params.number }}"])
    if drawn < 0.25 and name in ("equals", "contains", "starts_with"):
        return rng.choice(["{{ cluster.runai.installed }}", "{{ params.word }}"]) if name == "equals" else "{{ params.word }}"
    return rng.choice(ARGUMENTS[name])


def used_params(rule: Mapping[str, Any]) -> dict[str, str]:
    """Return the params that a rule names: one that it does not use would be a mistake."""
    return {name: value for name, value in PARAMS.items() if f"params.{name} " in str(rule)}


assert set(CAPS) >= {confidence for rows in TABLES.values() for row in rows.values() for _, confidence in row.values()} - {
    "unknown"
}
