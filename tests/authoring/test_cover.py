"""What the examples of a rule pin: small packs with a hole of each kind, and the pack that ships, which has none."""

from pathlib import Path

import pytest
import yaml
from runai_analyze.authoring.cover import Coverage, cover
from runai_analyze.authoring.mutants import mutants
from runai_analyze.engine.examples import differences, outcome_of
from runai_analyze.model import Status
from runai_analyze.rules_cli.reading import example_maker
from runai_analyze.ruleset import default_pack, load_packs

from tests.authoring.rules import example, not_read, rule_of
from tests.ruleset.packs import RULE, load_rule

NODE = "{kind: Node, metadata: {name: %s}, spec: {%s}}"
WHERE = """
for_each:
  kind: Node
  where:
    - {field: spec.podCIDR, exists: true}
expect: [{field: spec.unschedulable, exists: false}]
"""
UNSCHEDULABLE = "for_each: {kind: Node}\nexpect: [{field: spec.unschedulable, exists: false}]"
ONE_OF = "for_each: {kind: Node}\nexpect: [{field: spec.podCIDR, one_of: [net-a, net-b, net-c]}]"


def coverage(folder: Path, rule: str) -> Coverage:
    """Return the coverage of one rule."""
    pack = load_rule(folder, rule)
    (found,) = cover(pack, example_maker(), pack.rules)
    return found


def test_a_condition_that_no_example_needs_is_named_with_its_place_and_the_example_that_would_need_it(tmp_path: Path) -> None:
    good = example("good", NODE % ("a", "podCIDR: x"), "pass")
    bad = example("bad", NODE % ("b", "podCIDR: x, unschedulable: true"), "fail")
    found = coverage(tmp_path, rule_of(WHERE, good + bad + not_read("Node")))
    assert (found.conditions, found.pinned, found.whole) == (2, 1, False)
    (hole,) = found.unnoticed
    lines = Path(found.rule.file).read_text().split("\n")
    assert lines[hole.place[0] - 1][hole.place[1] - 1 :] == "{field: spec.podCIDR, exists: true}"
    assert (hole.words, hole.change) == ("spec.podCIDR exists true", "taken as always met")
    assert hole.hint == (
        "an example where everything else holds but not spec.podCIDR exists true, and the object would otherwise be a finding"
    )


def test_the_example_that_is_asked_for_pins_it(tmp_path: Path) -> None:
    good = example("good", NODE % ("a", "podCIDR: x"), "pass")
    bad = example("bad", NODE % ("b", "podCIDR: x, unschedulable: true"), "fail")
    outside = example("outside", NODE % ("c", "unschedulable: true"), "not_applicable")
    assert coverage(tmp_path, rule_of(WHERE, good + bad + outside + not_read("Node"))).whole


def test_a_message_that_names_the_value_found_does_not_stand_in_for_an_example(tmp_path: Path) -> None:
    where = "[{field: spec.podCIDR, equals: net-a}, {field: spec.unschedulable, equals: true}]"
    selection = f"report_each: {{kind: Node, where: {where}}}"
    bad = example("bad", NODE % ("b", "podCIDR: net-a, unschedulable: true"), "fail", "    message_contains: is net-a\n")
    good = example("good", NODE % ("a", "podCIDR: net-a"), "pass")
    rule = rule_of(selection, good + bad + not_read("Node"), message="it is {{ found }}")
    assert [(hole.words, hole.change) for hole in coverage(tmp_path, rule).unnoticed] == [
        ("spec.podCIDR equals net-a", "taken as always met")
    ]


def test_a_border_that_no_example_stands_on_is_named(tmp_path: Path) -> None:
    found = coverage(tmp_path, RULE)
    assert [(hole.change, hole.hint) for hole in found.unnoticed] == [
        ("more_than in its place", "an example where status.allocatable.cpu is exactly 8"),
    ]


def test_a_bound_that_is_missed_by_far_only_is_named(tmp_path: Path) -> None:
    found = coverage(tmp_path, RULE.replace('cpu: "4"', 'cpu: "1"'))
    assert [hole.change for hole in found.unnoticed] == ["more_than in its place", "the bound at half of 8"]
    assert found.unnoticed[1].hint == "an example where status.allocatable.cpu misses 8 by a little: it is above half of 8"


def test_the_words_of_a_list_are_told_together(tmp_path: Path) -> None:
    good, bad = example("good", NODE % ("a", "podCIDR: net-a"), "pass"), example("bad", NODE % ("a", "podCIDR: net-q"), "fail")
    found = coverage(tmp_path, rule_of(ONE_OF, good + bad + not_read("Node")))
    assert [hole.change for hole in found.unnoticed] == ["net-b, net-c taken out, each by itself"]


def test_one_example_with_an_object_for_each_word_pins_them_all(tmp_path: Path) -> None:
    good = example("good", ", ".join(NODE % (word, f"podCIDR: net-{word}") for word in "abc"), "pass")
    bad = example("bad", NODE % ("a", "podCIDR: net-q"), "fail")
    assert coverage(tmp_path, rule_of(ONE_OF, good + bad + not_read("Node"))).whole


def test_a_case_is_pinned_by_the_words_of_its_message(tmp_path: Path) -> None:
    case = "cases: [{when: [{field: spec.podCIDR, equals: net-a}], message: a special one}]\n"
    good = example("good", NODE % ("a", ""), "pass")
    bad = NODE % ("b", "podCIDR: net-a, unschedulable: true")
    silent = example("bad", bad, "fail")
    found = coverage(tmp_path / "1", rule_of(UNSCHEDULABLE, good + silent + not_read("Node"), case))
    assert [hole.change for hole in found.unnoticed] == ["taken as always met", "taken as never met"]
    special = example("special", bad, "fail", "    message_contains: a special one\n")
    plain = example("plain", NODE % ("c", "unschedulable: true"), "fail", "    message_contains: wrong\n")
    assert coverage(tmp_path / "2", rule_of(UNSCHEDULABLE, good + special + plain + not_read("Node"), case)).whole


def test_an_object_too_many_is_noticed(tmp_path: Path) -> None:
    """A second finding is an unexpected one, so that a where that lets too much through is noticed beside a finding too."""
    both = NODE % ("a", "podCIDR: net-a, unschedulable: true") + ", " + NODE % ("b", "unschedulable: true")
    good = example("good", NODE % ("a", "podCIDR: net-a"), "pass")
    assert coverage(tmp_path, rule_of(WHERE, good + example("bad", both, "fail") + not_read("Node"))).whole


def test_a_rule_whose_examples_do_not_hold_is_not_judged(tmp_path: Path) -> None:
    found = coverage(tmp_path, RULE.replace('cpu: "4"', 'cpu: "9"'))
    assert (found.wrong, found.pinned, found.whole) == (("small",), 0, False)


def test_a_prerequisite_needs_a_blocked_example(tmp_path: Path) -> None:
    second = RULE.replace("RAI-TST-001", "RAI-TST-002").replace("owner: tests", "owner: tests\nonly_if_passed: RAI-TST-001")
    pack = load_rule(tmp_path, **{"nodes/RAI-TST-002": second})
    found = list(cover(pack, example_maker(), pack.rules))[1]
    assert ("only_if_passed RAI-TST-001", "left out", "an example where RAI-TST-001 fails as well, with result: blocked") in [
        (hole.words, hole.change, hole.hint) for hole in found.unnoticed
    ]


def test_the_score_of_similar_to_is_pinned_from_both_sides(tmp_path: Path) -> None:
    rule = rule_of("report_each: {kind: Node, where: [{field: status.phase, similar_to: no route to the registry host}]}")
    node = "{kind: Node, metadata: {name: a}, status: {phase: %s}}"
    good, bad = example("good", node % "Running", "pass"), example("bad", node % "no route to the registry host", "fail")
    exact = coverage(tmp_path / "1", rule_of_examples(rule, good + bad))
    assert [hole.change for hole in exact.unnoticed] == ["score 100 in place of 85", "score 50 in place of 85"]
    near = example("near", node % "no route to the registry hosts", "fail")
    far = example("far", node % "no route to the printer", "pass")
    assert coverage(tmp_path / "2", rule_of_examples(rule, good + bad + near + far)).whole


def rule_of_examples(rule: str, examples: str) -> str:
    return f"{rule.partition('examples:')[0]}examples:\n{examples}{not_read('Node')}"


def test_the_first_rule_of_the_readme_is_pinned(tmp_path: Path) -> None:
    text = (default_pack() / "README.md").read_text(encoding="utf-8")
    rule = "id: " + text.partition("```yaml\nid: ")[2].partition("```")[0]
    (name,) = rule.split(maxsplit=2)[1:2]
    pack = load_rule(tmp_path, "", **{f"nodes/{name}": rule})
    assert [(one.whole, one.unnoticed) for one in cover(pack, example_maker(), pack.rules)] == [(True, ())]


@pytest.fixture(scope="module")
def shipped() -> list[Coverage]:
    pack = load_packs([default_pack()])
    return list(cover(pack, example_maker(), pack.rules))


def test_every_condition_of_the_shipped_rules_is_pinned(shipped: list[Coverage]) -> None:
    holes = [(one.rule.id, hole.words, hole.change, hole.hint) for one in shipped for hole in one.unnoticed]
    assert holes == []
    assert all(one.whole for one in shipped)
    assert sum(one.conditions for one in shipped) > 300


def conditions_written(value: object) -> int:
    """Count the conditions in a part of a rule file, by the word that each begins with."""
    if isinstance(value, list):
        return sum(map(conditions_written, value))
    if not isinstance(value, dict):
        return 0
    return 1 if {"field", "label", "annotation"} & value.keys() else sum(map(conditions_written, value.values()))


def test_no_condition_of_the_shipped_rules_is_left_out(shipped: list[Coverage]) -> None:
    for one in shipped:
        text = yaml.safe_load(Path(one.rule.file).read_text(encoding="utf-8"))
        select = text[one.rule.select.mode]
        more = sum(key in select for key in ("namespace", "name")) + (select.get("if_none") == "fail")
        more += len(text.get("applies_to", {})) + ("expect_count" in text) + len(one.rule.group_by)
        blocks = [select.get("where"), text.get("expect"), [case["when"] for case in text.get("cases", [])]]
        prerequisites = len(one.rule.only_if_passed)
        written = conditions_written(blocks) + more
        assert written <= one.conditions <= written + prerequisites, one.rule.id


def test_no_change_breaks_the_engine_in_place_of_the_answer() -> None:
    """A changed rule must come out as another rule would, not as an error: that would be noticed by every example."""
    pack = load_packs([default_pack()])
    others = {rule.id: rule for rule in pack.rules}
    for rule in pack.rules:
        example = rule.examples[0]
        for mutant in mutants(rule, others):
            outcome = outcome_of(mutant.rule, example, pack, example_maker())
            assert outcome.status is not Status.ERROR, (rule.id, mutant.change, outcome.message)
        assert not list(differences(example, outcome_of(rule, example, pack, example_maker())))
