"""What a rule says of each object: states, deciding conditions, values; and that the outcome is that of the report."""

from pathlib import Path

import pytest
from runai_analyze.authoring.trial import Trial, Wish, try_rule
from runai_analyze.engine import evaluate
from runai_analyze.model import Missing, Status, Unknown

from tests.authoring.rules import rule_of
from tests.engine.facts import SomeFacts, thing
from tests.ruleset.packs import load_rule

KIND = "Gadget.example.com"
TWO = """
for_each:
  kind: Gadget.example.com
  where: [{field: size, equals: big}]
expect: [{field: count, at_least: 2}, {none_of: [{field: tags, contains: old}]}]
"""


def trial(folder: Path, selection: str, facts: SomeFacts, wish: Wish = Wish(), more: str = "") -> Trial:  # noqa: B008
    pack = load_rule(folder, rule_of(selection, more=more))
    return try_rule(pack.rules[0], pack, facts, wish)


def states(found: Trial) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(row.object.name, row.state, row.stopped) for row in found.rows]


def test_the_worst_come_first_and_the_condition_that_decided_is_named(tmp_path: Path) -> None:
    hidden = Unknown(Missing("count", "it was hidden"))
    facts = SomeFacts(
        [
            thing("fine", size="big", count=3, tags=["new"]),
            thing("small", size="small", count=1),
            thing("few", size="big", count=1, tags=[]),
            thing("outdated", size="big", count=2, tags=["old"]),
            thing("dark", size="big", count=hidden, tags=[]),
        ]
    )
    found = trial(tmp_path, TWO, facts)
    assert states(found) == [
        ("few", "fails", (2,)),
        ("outdated", "fails", (3,)),
        ("dark", "unknown", (2,)),
        ("fine", "passes", ()),
        ("small", "left out", (1,)),
    ]
    assert dict(found.counts) == {"fails": 2, "unknown": 1, "passes": 1, "left out": 1}
    assert found.outcome.status is Status.FAIL


def test_a_cell_holds_the_answer_the_value_and_what_is_wanted(tmp_path: Path) -> None:
    found = trial(tmp_path, TWO, SomeFacts([thing("few", size="big", count=1, tags=["old", "new"])]))
    where, expect, tags = found.rows[0].cells
    assert (where.answer, where.found, where.wanted) == (True, "big", "big")
    assert (expect.answer, expect.found, expect.wanted) == (False, "1", "at least 2")
    assert (tags.answer, tags.found, tags.wanted) == (True, "old, new", "without old")


def test_a_cell_that_cannot_tell_says_why(tmp_path: Path) -> None:
    selection = "for_each: {kind: Gadget.example.com}\nexpect: [{field: count, at_least: 2}]"
    (row,) = trial(tmp_path, selection, SomeFacts([thing("odd", count="many")])).rows
    assert (row.state, row.cells[0].answer, row.cells[0].why) == ("unknown", None, "many is not a number or quantity")


def test_columns_name_block_group_words_and_place(tmp_path: Path) -> None:
    found = trial(tmp_path, TWO, SomeFacts())
    assert [(column.block, column.groups, column.words) for column in found.columns] == [
        ("where", (), "size equals big"),
        ("expect", (), "count at_least 2"),
        ("expect", ("none_of",), "tags contains old"),
    ]
    lines = Path(found.rule.file).read_text().split("\n")
    for column in found.columns:
        assert lines[column.place[0] - 1][column.place[1] - 1 :].startswith("{field: " + column.words.split()[0])


def test_rows_are_bounded_and_all_objects_are_counted(tmp_path: Path) -> None:
    gadgets = [thing(f"g{number:04}", size="big", count=number % 3, tags=[]) for number in range(900)]
    found = trial(tmp_path, TWO, SomeFacts(gadgets), Wish(rows=4))
    assert [row.object.name for row in found.rows] == ["g0000", "g0001", "g0003", "g0004"]
    assert dict(found.counts) == {"fails": 600, "passes": 300}


def test_objects_of_another_namespace_or_name_are_not_looked_at(tmp_path: Path) -> None:
    selection = "for_each: {kind: Gadget.example.com, namespace: a, name: x*}\nexpect: [{field: count, exists: true}]"
    facts = SomeFacts([thing("x1", namespace="a"), thing("x1", namespace="b"), thing("y1", namespace="a")])
    assert states(trial(tmp_path, selection, facts)) == [
        ("x1", "fails", (1,)),
        ("y1", "not looked at", ()),
        ("x1", "not looked at", ()),
    ]


def test_one_object_can_be_asked_for(tmp_path: Path) -> None:
    facts = SomeFacts([thing("x", namespace="a"), thing("x", namespace="b"), thing("y", namespace="a")])
    selection = "for_each: {kind: Gadget.example.com}\nexpect: [{field: count, exists: true}]"
    found = trial(tmp_path, selection, facts, Wish("x", "b"))
    assert [str(row.object) for row in found.rows] == ["Gadget b/x"]
    assert len(found.outcome.findings) == 3, "the outcome stays that of the whole bundle"


@pytest.mark.parametrize(
    ("selection", "wanted"),
    [
        (f"report_each: {{kind: {KIND}, where: [{{field: bad, equals: true}}]}}", ["fails", "left out"]),
        (f"count: {{kind: {KIND}, where: [{{field: bad, equals: true}}]}}\nexpect_count: {{at_most: 0}}", ["counts", "left out"]),
    ],
)
def test_the_other_selections(tmp_path: Path, selection: str, wanted: list[str]) -> None:
    found = trial(tmp_path, selection, SomeFacts([thing("b", bad=True), thing("g", bad=False)]))
    assert [row.state for row in found.rows] == wanted


def test_a_rule_out_of_scope_says_so(tmp_path: Path) -> None:
    more = "applies_to: {distribution: [gke]}\n"
    found = trial(tmp_path, TWO, SomeFacts(cluster={"distribution": {"name": "eks"}}), more=more)
    assert (found.applies, found.reason) == (False, "The distribution is eks; the rule is for gke")
    assert found.outcome.status is Status.NOT_APPLICABLE


def test_a_scope_that_nobody_can_tell_says_why(tmp_path: Path) -> None:
    more = "applies_to: {needs_namespace: gadgets}\n"
    found = trial(tmp_path, TWO, SomeFacts(uncollected=["Namespace"]), more=more)
    assert (found.applies, found.reason) == (None, "Namespace: forbidden")


def test_prerequisites_come_with_their_outcome(tmp_path: Path) -> None:
    first = rule_of("for_each: {kind: Gadget.example.com}\nexpect: [{field: count, exists: true}]")
    second = rule_of(TWO, more="only_if_passed: RAI-TST-001\n").replace("id: RAI-TST-001", "id: RAI-TST-002")
    pack = load_rule(tmp_path, first, **{"nodes/RAI-TST-002": second})
    found = try_rule(pack.rules[1], pack, SomeFacts([thing("bare", size="big")]))
    assert [(outcome.rule.id, outcome.status) for outcome in found.before] == [("RAI-TST-001", Status.FAIL)]
    assert found.outcome.status is Status.BLOCKED


def test_the_outcome_is_the_one_of_the_report(tmp_path: Path) -> None:
    pack = load_rule(tmp_path, rule_of(TWO))
    facts = SomeFacts([thing("few", size="big", count=1), thing("fine", size="big", count=2)])
    assert try_rule(pack.rules[0], pack, facts).outcome == evaluate(pack, facts)[0]
