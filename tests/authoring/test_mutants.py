"""The changes that cover makes: all of those that its help names, and none that cannot be noticed."""

from pathlib import Path

import pytest
from runai_analyze.authoring.borders import other_ranges, other_spans
from runai_analyze.authoring.mutants import Mutant, mutants
from runai_analyze.authoring.places import places

from tests.authoring.rules import rule_of
from tests.ruleset.packs import load_rule


def changes(folder: Path, selection: str, more: str = "") -> list[str]:
    """Return what is changed in a rule, as ``condition: change``."""
    return [f"{mutant.words}: {mutant.change}" for mutant in changed(folder, selection, more)]


def changed(folder: Path, selection: str, more: str = "") -> list[Mutant]:
    (rule,) = load_rule(folder, rule_of(selection, more=more)).rules
    return list(mutants(rule, {}))


def test_a_condition_is_taken_as_always_met_as_never_met_and_is_negated(tmp_path: Path) -> None:
    assert changes(tmp_path, "for_each: {kind: Gadget.example.com}\nexpect: [{field: a, equals: x}]") == [
        "a equals x: taken as always met",
        "a equals x: taken as never met",
        "a equals x: negated",
    ]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("{field: a, one_of: [x, y]}", ["x taken out", "y taken out"]),
        ("{field: a, one_of: [x]}", []),
        ("{field: a, contains: [x, y]}", ["x taken out", "y taken out"]),
        ("{field: a, equals: [x, y]}", []),
        ("{field: a, equals: x, keys: [k, l]}", ["key k taken out", "key l taken out"]),
        ("{field: a, at_least: 8}", ["more_than in its place", "the bound at half of 8"]),
        ("{field: a, at_least: 16Gi, tolerance: 6%}", ["tolerance left out", "the bound at half of 16Gi"]),
        ("{field: a, at_least: 1}", ["more_than in its place"]),
        ("{field: a, more_than: 0}", ["at_least in its place"]),
        ("{field: a, at_most: 4}", ["less_than in its place", "the bound at twice 4"]),
        ("{field: a, less_than: 4}", ["at_most in its place", "the bound at twice 4"]),
        ("{field: a, min_length: 1}", []),
        ("{field: a, min_length: 3}", ["4 in place of 3", "2 in place of 3"]),
        ("{field: a, equals: x, ignore_case: true}", ["ignore_case left out"]),
        ("{field: a, similar_to: no such host}", ["score 100 in place of 85", "score 50 in place of 85"]),
        ("{field: a, similar_to: no such host, score: 100}", ["score 50 in place of 100"]),
        (
            "{field: a, similar_to: [no such host, quota exceeded], score: 50}",
            ["no such host taken out", "quota exceeded taken out", "score 100 in place of 50"],
        ),
        ("{field: a, equals: x, when_absent: pass}", ["when_absent left out"]),
        ("{field: a, equals: x, when_absent: unknown}", ["when_absent left out"]),
        ("{field: a, equals: x, when_absent: fail}", []),
        (
            "{field: a, version: '>=1.2 <1.4'}",
            [">=1.2 left out", ">1.2 in place of >=1.2", "<1.4 left out", "<=1.4 in place of <1.4"],
        ),
        ("{field: a, version: '>=1.2'}", [">1.2 in place of >=1.2"]),
        ("{field: a, after: bundle_time + 30d}", ["half the span", "twice the span"]),
        ("{field: a, after: bundle_time}", []),
    ],
)
def test_what_else_is_changed_in_a_condition(tmp_path: Path, condition: str, wanted: list[str]) -> None:
    made = changes(tmp_path, f"for_each: {{kind: Gadget.example.com}}\nexpect: [{condition}]")
    assert [change.rpartition(": ")[2] for change in made[:3]] == ["taken as always met", "taken as never met", "negated"]
    assert [change.rpartition(": ")[2] for change in made if not change.endswith(("met", "negated"))] == wanted


def test_each_line_of_the_scope_is_left_out_and_each_word_of_it(tmp_path: Path) -> None:
    more = 'applies_to: {runai: ">=2.20", distribution: {not: [gke, eks]}}\n'
    assert changes(tmp_path, "for_each: {kind: Node}\nexpect: [{field: spec.podCIDR, exists: true}]", more)[:5] == [
        "applies_to runai >=2.20: left out",
        "applies_to runai >=2.20: >2.20 in place of >=2.20",
        "applies_to distribution not [gke, eks]: left out",
        "applies_to distribution not [gke, eks]: gke taken out",
        "applies_to distribution not [gke, eks]: eks taken out",
    ]


def test_where_the_rule_looks_is_changed_too(tmp_path: Path) -> None:
    selection = "for_each: {kind: ConfigMap, namespace: [a, b], name: c, if_none: fail}\nexpect: [{field: data, exists: true}]"
    assert changes(tmp_path, selection)[:5] == [
        "namespace [a, b]: left out",
        "namespace [a, b]: a taken out",
        "namespace [a, b]: b taken out",
        "name [c]: left out",
        "if_none fail: left out",
    ]


def test_the_default_of_if_none_cannot_be_missed(tmp_path: Path) -> None:
    for_each = "for_each: {kind: ConfigMap, if_none: not_applicable}\nexpect: [{field: data, exists: true}]"
    assert not [change for change in changes(tmp_path, for_each) if "if_none" in change]
    report_each = "report_each: {kind: ConfigMap, if_none: not_applicable, where: [{field: data, exists: true}]}"
    assert changes(tmp_path, report_each)[0] == "if_none not_applicable: left out"


def test_the_number_of_a_count_rule_is_changed(tmp_path: Path) -> None:
    assert changes(tmp_path, "count: {kind: Node}\nexpect_count: {at_least: 2}") == [
        "expect_count at_least 2: taken as always met",
        "expect_count at_least 2: taken as never met",
        "expect_count at_least 2: more_than in its place",
        "expect_count at_least 2: the bound at half of 2",
    ]


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        ("a", {"a": "with the same, which are one finding"}),
        ("[a, b]", dict.fromkeys("ab", "that differ in it alone, which are two findings")),
    ],
)
def test_each_path_of_group_by_is_left_out(tmp_path: Path, paths: str, told: dict[str, str]) -> None:
    selection = "for_each: {kind: Gadget.example.com}\nexpect: [{field: a, exists: false}]"
    made = [mutant for mutant in changed(tmp_path, selection, f"group_by: {paths}\n") if "group_by" in mutant.words]
    assert [(mutant.words, mutant.change, mutant.hint) for mutant in made] == [
        (f"group_by {path}", "left out", f"an example with two objects {words}: {path}") for path, words in told.items()
    ]


def test_words_of_a_case_are_not_taken_out(tmp_path: Path) -> None:
    more = "cases: [{when: [{field: a, one_of: [x, y]}], message: of its own}]\n"
    made = changes(tmp_path, "for_each: {kind: Gadget.example.com}\nexpect: [{field: a, exists: false}]", more)
    assert made[3:] == [f"a one_of [x, y]: {change}" for change in ("taken as always met", "taken as never met", "negated")]


def test_every_member_of_nested_groups_is_a_condition(tmp_path: Path) -> None:
    group = "{any_of: [{field: a, exists: true}, {none_of: [{field: b, exists: true}, {field: c, exists: true}]}]}"
    made = changed(tmp_path, f"for_each: {{kind: Gadget.example.com}}\nexpect: [{group}]")
    assert list(dict.fromkeys(mutant.part for mutant in made)) == [
        ("expect", 0, "any_of", 0),
        ("expect", 0, "any_of", 1, "none_of", 0),
        ("expect", 0, "any_of", 1, "none_of", 1),
    ]


def test_the_place_is_that_of_the_key_that_was_changed(tmp_path: Path) -> None:
    selection = "for_each:\n  kind: Node\nexpect:\n  - field: spec.podCIDR\n    equals: x\n    when_absent: pass"
    (rule,) = load_rule(tmp_path, rule_of(selection)).rules
    lines = Path(rule.file).read_text().split("\n")
    where = {mutant.change: places(rule)(mutant.at) for mutant in mutants(rule, {})}
    line, column = where["when_absent left out"]
    assert lines[line - 1][column - 1 :] == "when_absent: pass"
    line, column = where["negated"]
    assert lines[line - 1][column - 1 :] == "field: spec.podCIDR"


def test_of_a_very_long_list_the_first_words_are_taken_out(tmp_path: Path) -> None:
    words = ", ".join(f"w{number}" for number in range(5000))
    made = changed(tmp_path, f"for_each: {{kind: Gadget.example.com}}\nexpect: [{{field: a, one_of: [{words}]}}]")
    assert len(made) == 3 + 100


def test_a_rule_whose_file_is_gone_has_no_place(tmp_path: Path) -> None:
    (rule,) = load_rule(tmp_path).rules
    Path(rule.file).unlink()
    assert places(rule)(("expect", 0)) == (0, 0)


def test_ranges_are_changed_bound_by_bound() -> None:
    assert [text for _, _, text in other_ranges("1.33 - 1.35")] == ["<=1.35", ">1.33 <=1.35", ">=1.33", ">=1.33 <1.35"]
    assert [text for _, _, text in other_ranges("1.9 || >=22.9")] == [">=22.9", "=1.9", "=1.9 || >22.9"]
    assert list(other_ranges("=1.9")) == []


def test_a_range_that_would_hold_nothing_is_left_out() -> None:
    assert [text for _, _, text in other_ranges(">=1.33 <=1.33")] == ["<=1.33", ">=1.33"]


def test_spans_are_halved_and_doubled() -> None:
    assert [text for _, _, text in other_spans("bundle_time - 2h")] == ["bundle_time - 3600s", "bundle_time - 14400s"]
    assert list(other_spans("2026-12-01")) == []
