"""AND, OR and NOT over three answers, whole: groups of conditions give what the table says."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine.logic import all_of, any_of, negate
from runai_analyze.model import Missing, Unknown

from tests.engine.facts import expect_rule, rule_text, status_of, thing

VALUES: dict[bool | None, Any] = {True: "yes", False: "no", None: Unknown(Missing("", "gone"))}
STATUS = {True: "pass", False: "fail", None: "unknown"}
AND = {
    (True, True): True,
    (True, None): None,
    (None, None): None,
    (True, False): False,
    (None, False): False,
    (False, False): False,
}
OR = {(True, True): True, (True, None): True, (True, False): True, (None, None): None, (None, False): None, (False, False): False}
PAIRS = list(product((True, False, None), repeat=2))


def look_up(table: dict[Any, bool | None], one: bool | None, two: bool | None) -> bool | None:
    return table[(one, two)] if (one, two) in table else table[(two, one)]


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_groups(tmp_path: Path, one: bool | None, two: bool | None) -> None:
    node = thing(spec={"a": VALUES[one], "b": VALUES[two]})
    members = "[{field: spec.a, equals: yes}, {field: spec.b, equals: yes}]"
    both, either = look_up(AND, one, two), look_up(OR, one, two)
    assert status_of(tmp_path, expect_rule(f"{{all_of: {members}}}"), node) == STATUS[both]
    assert status_of(tmp_path, expect_rule(members[1:-1]), node) == STATUS[both]
    assert status_of(tmp_path, expect_rule(f"{{any_of: {members}}}"), node) == STATUS[either]
    assert status_of(tmp_path, expect_rule(f"{{none_of: {members}}}"), node) == STATUS[None if either is None else not either]
    assert (all_of([one, two]), any_of([one, two]), negate(one)) == (both, either, None if one is None else not one)


@pytest.mark.parametrize(("where", "expect"), PAIRS)
def test_an_unknown_where_makes_the_rule_unknown_for_the_object(tmp_path: Path, where: bool | None, expect: bool | None) -> None:
    rule = rule_text(
        "for_each: {kind: Gadget.example.com, where: [{field: spec.a, equals: yes}]}\nexpect: [{field: spec.b, equals: yes}]"
    )
    wanted = {True: STATUS[expect], False: "not_applicable", None: "unknown"}[where]
    assert status_of(tmp_path, rule, thing(spec={"a": VALUES[where], "b": VALUES[expect]})) == wanted


def test_a_negative_test_on_an_absent_field_is_false_also_inside_none_of(tmp_path: Path) -> None:
    bare = thing(spec={})
    assert status_of(tmp_path, expect_rule("{field: spec.a, not_equals: x}"), bare) == "fail"
    assert status_of(tmp_path, expect_rule("{none_of: [{field: spec.a, not_equals: x}]}"), bare) == "pass"
    assert status_of(tmp_path, expect_rule("{none_of: [{field: spec.a, not_one_of: [x]}]}"), bare) == "pass"


LISTS = {
    "both": (["a", "a"], True, True),
    "one": (["a", "b"], True, False),
    "none": (["b", "b"], False, False),
    "empty": ([], False, False),
    "lacking": (["a", None], True, False),
    "unknown": (["b", VALUES[None]], None, False),
    "known": (["a", VALUES[None]], True, None),
}


@pytest.mark.parametrize("name", LISTS)
def test_one_match_is_enough_in_where_and_all_must_match_in_expect(tmp_path: Path, name: str) -> None:
    elements, in_where, in_expect = LISTS[name]
    node = thing(spec={"list": [{"x": value} if value is not None else {} for value in elements]})
    condition = "{field: 'spec.list[*].x', equals: a}"
    where = rule_text(f"for_each: {{kind: Gadget.example.com, where: [{condition}]}}\nexpect: [{{field: kind, equals: Gadget}}]")
    assert status_of(tmp_path, where, node) == {True: "pass", False: "not_applicable", None: "unknown"}[in_where]
    assert status_of(tmp_path, expect_rule(condition), node) == STATUS[in_expect]


@pytest.mark.parametrize(
    ("elements", "result"), [(["a", "b"], "fail"), (["b", "b"], "pass"), (["b", None], "pass"), ([], "pass")]
)
def test_none_of_in_expect_means_no_element_at_all(tmp_path: Path, elements: list[str | None], result: str) -> None:
    node = thing(spec={"list": [{"x": value} if value is not None else {} for value in elements]})
    rule = expect_rule("{none_of: [{field: 'spec.list[*].x', equals: a}]}")
    assert status_of(tmp_path, rule, node) == result


@pytest.mark.parametrize(("elements", "selected"), [(["a", "b"], True), (["b"], False)])
def test_two_negations_cancel_out_in_where_and_in_expect(tmp_path: Path, elements: list[str], selected: bool) -> None:
    node = thing(spec={"list": [{"x": value} for value in elements]})
    twice = "{none_of: [{none_of: [{field: 'spec.list[*].x', equals: a}]}]}"
    where = rule_text(f"for_each: {{kind: Gadget.example.com, where: [{twice}]}}\nexpect: [{{field: kind, equals: Gadget}}]")
    assert status_of(tmp_path, where, node) == ("pass" if selected else "not_applicable")
    assert status_of(tmp_path, expect_rule(twice), node) == "fail"


@pytest.mark.parametrize(("elements", "result"), [(["a", "a"], "pass"), (["a"], "pass"), (["a", "b"], "fail"), ([], "pass")])
def test_an_absent_element_is_judged_for_itself(tmp_path: Path, elements: list[str], result: str) -> None:
    node = thing(spec={"list": [{"x": value} for value in elements]})
    rule = expect_rule("{field: 'spec.list[*].x', equals: a, when_absent: pass}")
    assert status_of(tmp_path, rule, node) == result
