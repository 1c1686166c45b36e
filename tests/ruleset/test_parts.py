"""The parts of a rule: conditions in the order written, and the field that another one is compared with."""

from pathlib import Path

from runai_analyze.ruleset.parts import conditions_of, other_field

from tests.ruleset.packs import RULE, load_rule

FIELD = "  - field: status.allocatable.cpu\n    at_least: 8\n"


def test_conditions_of_groups_stand_in_the_place_of_the_group(tmp_path: Path) -> None:
    where = "  kind: Node\n  where: [{any_of: [{label: a, exists: true}, {all_of: [{label: b, exists: true}]}]}]\n"
    case = "cases: [{when: [{label: c, exists: true}], message: wrong}]\n"
    rule = load_rule(tmp_path, RULE.replace("  kind: Node\n", where).replace("fix:", f"{case}fix:")).rules[0]
    found = [condition.path.steps[-1].name for condition in conditions_of(rule)]  # type: ignore[union-attr]
    assert found == ["a", "b", "cpu", "c"]


def test_a_param_names_the_other_field_too(tmp_path: Path) -> None:
    field = '  - {field: metadata.name, equals_field: "{{ params.other }}"}\nparams: {other: facts.os_family}\n'
    rule = load_rule(tmp_path, RULE.replace(FIELD, field)).rules[0]
    assert [other_field(condition.test) for condition in conditions_of(rule)] == ["facts.os_family"]
