"""What rules need: the facts that their conditions, words and columns name, and no others."""

from pathlib import Path

import pytest
from runai_analyze.ruleset.packs import needs_of

from tests.ruleset.packs import RULE, load_rule

FIELD = "  - field: status.allocatable.cpu\n    at_least: 8\n"


def needs(folder: Path, *changes: tuple[str, str]) -> set[tuple[str, str]]:
    text = RULE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return set(needs_of(load_rule(folder, text).rules))


def test_a_rule_without_facts_needs_its_kind_only(tmp_path: Path) -> None:
    assert needs(tmp_path) == {("Node", "")}


def test_facts_in_where_expect_show_and_group_are_needed(tmp_path: Path) -> None:
    where = "  kind: Node\n  where: [{any_of: [{field: facts.ready, equals: 'true'}, {label: x, exists: true}]}]\n"
    expect = "  - {field: facts.os_family, equals: ubuntu}\n"
    more = 'message: "{{ facts.os_family }}"\nshow: {Runtime: facts.runtime.name}\n'
    found = needs(
        tmp_path, ("  kind: Node\n", where), (FIELD, expect), ('message: "{{ metadata.name }} has {{ found }}"\n', more)
    )
    assert found == {("Node", ""), ("Node", "ready"), ("Node", "os_family"), ("Node", "runtime")}


def test_the_other_side_of_equals_field_is_needed(tmp_path: Path) -> None:
    found = needs(tmp_path, (FIELD, "  - {field: metadata.name, equals_field: facts.os_family}\n"))
    assert ("Node", "os_family") in found


def test_the_other_side_of_equals_field_is_needed_where_a_param_names_it(tmp_path: Path) -> None:
    field = '  - {field: metadata.name, equals_field: "{{ params.other }}"}\nparams: {other: facts.os_family}\n'
    assert ("Node", "os_family") in needs(tmp_path, (FIELD, field))


@pytest.mark.parametrize(
    ("scope", "kind"),
    [
        ("{needs_namespace: runai}", "Namespace"),
        ("{needs_crd: runaiconfigs.run.ai}", "CustomResourceDefinition"),
        ("{runai: '>=2.20'}", "Cluster"),
    ],
)
def test_a_scope_needs_what_it_is_judged_by(tmp_path: Path, scope: str, kind: str) -> None:
    assert (kind, "") in needs(tmp_path, ("owner: tests\n", f"owner: tests\napplies_to: {scope}\n"))


def test_a_value_of_the_cluster_in_an_argument_or_a_message_needs_the_cluster(tmp_path: Path) -> None:
    by_argument = needs(tmp_path / "a", ("at_least: 8", 'at_least: "{{ cluster.nodes.total }}"'))
    by_message = needs(tmp_path / "b", ("has {{ found }}", "in {{ cluster.runai.release }} has {{ found }}"))
    assert ("Cluster", "") in by_argument & by_message
