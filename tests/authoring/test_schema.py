"""The JSON Schema: a valid one, that takes every shipped file and refuses mistakes."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from runai_analyze.authoring.schema import FILES, file_schema
from runai_analyze.facts.kinds import FIELDS, MADE_MEANINGS
from runai_analyze.ruleset import default_pack, load_packs
from runai_analyze.ruleset.format import BLOCKS
from runai_analyze.ruleset.nodes import Fields, Items, Node, read_yaml
from runai_analyze.ruleset.typed import kubectl_scalar

from tests.ruleset.packs import RULE

SHIPPED = load_packs([default_pack()])


@lru_cache
def schema(file: str = "rule") -> dict[str, Any]:
    return file_schema(file, SHIPPED)


def value(node: Node) -> Any:
    """Return a YAML tree as an editor sees it."""
    if isinstance(node, Fields):
        return {key: value(inner) for key, inner in node.fields.items()}
    return [value(item) for item in node.items] if isinstance(node, Items) else kubectl_scalar(node)


def problems(text: str, file: str = "rule") -> list[str]:
    source, root = read_yaml("x.yaml", text.encode())
    assert root is not None, source.mistakes
    return [error.message for error in jsonschema.Draft7Validator(schema(file)).iter_errors(value(root))]


@pytest.mark.parametrize("file", FILES)
def test_it_is_a_schema_of_draft_7(file: str) -> None:
    jsonschema.Draft7Validator.check_schema(schema(file))


@pytest.mark.parametrize("rule", SHIPPED.rules, ids=lambda rule: rule.id)
def test_every_shipped_rule_is_taken(rule: Any) -> None:
    assert problems(Path(rule.file).read_text()) == []


@pytest.mark.parametrize(
    ("file", "path"),
    [
        *(("table", path) for path in sorted((default_pack() / "tables").glob("*.yaml"))),
        *(("signatures", path) for path in sorted((default_pack() / "signatures").glob("*.yaml"))),
        ("checklist", default_pack() / "checklist.yaml"),
        ("pack", default_pack() / "pack.yaml"),
    ],
    ids=lambda part: getattr(part, "name", part),
)
def test_the_other_shipped_files_are_taken(file: str, path: Path) -> None:
    assert problems(path.read_text(), file) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title:", "titel:"),
        ("severity: high", "severity: hihg"),
        ("severity: high\n", ""),
        ("area: nodes", "area: node"),
        ("status: stable", "status: done"),
        ("revision: 1", "revision: one"),
        ("changed: 2026-12-01", "changed: 1.12.2026"),
        ("id: RAI-TST-001", "id: rule-1"),
        ("kind: Node\nexpect", "kind: Nodd\nexpect"),
        ("kind: Node\nexpect", "kind: Node\n  wher: []\nexpect"),
        ("kind: Node\nexpect", "kind: Node\n  if_none: maybe\nexpect"),
        ("for_each:", "for_all:"),
        ("for_each:", "report_each: {kind: Pod}\nfor_each:"),
        ("for_each:", "report_each:"),
        ("for_each:", "count:"),
        ("expect:", "expects:"),
        ("  - field: status.allocatable.cpu\n    at_least: 8\n", "  []\n"),
        ("    at_least: 8\n", ""),
        ("    at_least: 8\n", "    at_least: 8\n    at_most: 9\n"),
        ("at_least: 8", "at_lest: 8"),
        ("at_least: 8", "at_least: {tabel: sizes, row: a, column: b}"),
        ("at_least: 8", "at_least: {table: sizes, row: a}"),
        ("  - field: status.allocatable.cpu\n", "  - field: a\n    label: b\n"),
        ("  - field: status.allocatable.cpu\n", "  - any_of: [{field: a, exists: true}]\n"),
        ("    at_least: 8\n", "    at_least: 8\n    when_absent: maybe\n"),
        ("    at_least: 8\n", "    at_least: 8\n    ask: Is it?\n"),
        ("    at_least: 8\n", "    at_least: 8\n    score: 90\n"),
        ("    at_least: 8\n", "    at_least: 8\n    tolerance: six\n"),
        ("fix: {text: Buy a larger one.}", "fix: Buy a larger one."),
        ("fix: {text: Buy a larger one.}", "fix: {text: a, commands: [{run: b, risk: none, run_by: customer}]}"),
        ("fix: {text: Buy a larger one.}", "fix: {text: a, commands: [{run: b, risk: read only, run_by: me}]}"),
        ("result: pass", "result: fine"),
        ("result: pass", "result: pass\n    fixture: a"),
        ("given: []", "cluster: {}"),
        ("{kind: Node, metadata: {name: a}", "{metadata: {name: a}"),
        ("owner: tests", "owner: tests\napplies_to: {distribution: eksx}"),
        ("owner: tests", "owner: tests\napplies_to: {feature: {not: [mpix]}}"),
        ("owner: tests", "owner: tests\nfoo: bar"),
        ("owner: tests", "owner: tests\ngroup_by: {a: b}"),
    ],
)
def test_a_mistake_is_refused(old: str, new: str) -> None:
    assert old in RULE
    assert problems(RULE) == []
    assert problems(RULE.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("at_least: 8", 'at_least: "{{ cluster.nodes.total }}"'),
        ("at_least: 8", "one_of: [a, b]"),
        ("at_least: 8", "at_least: {table: t, row: r, column: c}"),
        ("at_least: 8", "exists: yes"),
        ("kind: Node\nexpect", "kind: Widget.acme.example\nexpect"),
        (
            "  - field: status.allocatable.cpu\n    at_least: 8\n",
            "  - any_of: [{label: a, exists: true}]\n    because: of this\n",
        ),
        ("owner: tests", "owner: tests\napplies_to: {distribution: {not: [eks]}, feature: mpi, needs_crd: {not: [a.b]}}"),
        ("owner: tests", "owner: tests\nparams: {a: 1, b: [x]}\nkb: 1234\nreplaces: [A-B-1]"),
    ],
)
def test_what_the_format_takes_is_taken(old: str, new: str) -> None:
    assert problems(RULE.replace(old, new, 1)) == []


def test_every_key_is_there_with_its_help() -> None:
    definitions = schema()["definitions"]
    for name, keys in BLOCKS.items():
        block = definitions[name.replace(" ", "-")]
        assert list(block["properties"]) == [key.name for key in keys]
        for key in keys:
            assert key.help[1:] in block["properties"][key.name]["description"]


@pytest.mark.parametrize("kind", sorted({field.kind for field in FIELDS}))
def test_the_paths_of_each_kind_with_facts_are_proposed(kind: str) -> None:
    snippets = schema()["definitions"][f"condition-of-{kind}"]["properties"]["field"]["defaultSnippets"]
    proposed = {snippet["label"]: snippet.get("description") for snippet in snippets}
    assert {field.path: field.meaning for field in FIELDS if field.kind == kind}.items() <= proposed.items()
    assert kind in MADE_MEANINGS or "metadata.name" in proposed


@pytest.mark.parametrize(("kind", "path"), [("Service", "spec.type"), ("ClusterPolicy.nvidia.com", "spec.driver.enabled")])
def test_the_paths_of_other_kinds_are_proposed(kind: str, path: str) -> None:
    snippets = schema()["definitions"][f"condition-of-{kind}"]["properties"]["field"]["defaultSnippets"]
    assert path in {snippet["label"] for snippet in snippets}


def test_what_the_packs_name_is_proposed() -> None:
    definitions = schema()["definitions"]
    labels = {snippet["label"] for snippet in definitions["cell"]["properties"]["table"]["defaultSnippets"]}
    assert labels == set(SHIPPED.tables)
    docs = definitions["rule"]["properties"]["docs"]["items"]["defaultSnippets"]
    assert {snippet["label"] for snippet in docs} == set(SHIPPED.docs)
