"""Rules side by side: what they share is asked once, and each answers as if it were alone."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine import evaluate
from runai_analyze.model import Item, Missing, ObjectRef, Unknown
from runai_analyze.ruleset import Pack, load_packs

from tests.engine.facts import SomeFacts, rule_text, thing
from tests.ruleset.packs import write_pack

GONE = Unknown(Missing("", "gone"))
HIDDEN = "«redacted:x»"


def pack_of(folder: Path, *selections: str) -> Pack:
    write_pack(folder, rule="")
    (folder / "nodes").mkdir(exist_ok=True)
    for number, selection in enumerate(selections):
        name = f"RAI-TST-{number:03}"
        (folder / "nodes" / f"{name}.yaml").write_text(rule_text(selection).replace("RAI-TST-001", name))
    return load_packs([folder])


def report(where: str, more: str = "") -> str:
    return f"report_each: {{kind: Gadget.example.com, {more}where: [{where}]}}"


def answers(pack: Pack, *objects: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Return status, findings and objects looked at of each rule."""
    outcomes = evaluate(pack, SomeFacts(objects))
    return [(outcome.status.value, len(outcome.findings), outcome.looked_at) for outcome in outcomes]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a", ["fail", "fail", "pass", "pass", "pass"]),
        ("b", ["pass", "fail", "pass", "pass", "pass"]),
        ("c", ["pass", "pass", "pass", "pass", "pass"]),
        (True, ["pass", "pass", "fail", "pass", "pass"]),
        ("true", ["pass", "pass", "fail", "pass", "pass"]),
        (False, ["pass", "pass", "pass", "pass", "pass"]),
        (5, ["pass", "pass", "pass", "fail", "pass"]),
        (5.0, ["pass", "pass", "pass", "fail", "pass"]),
        ("5.0", ["pass", "pass", "pass", "pass", "pass"]),
        (None, ["pass", "pass", "pass", "pass", "fail"]),
        (GONE, ["unknown"] * 5),
        (HIDDEN, ["unknown"] * 5),
        (["a"], ["pass"] * 5),
        ([HIDDEN], ["unknown"] * 5),
    ],
)
def test_rules_that_begin_with_the_same_field(tmp_path: Path, value: Any, expected: list[str]) -> None:
    conditions = ["equals: a", "one_of: [a, b]", "equals: true", "equals: 5", "equals: z, when_absent: pass"]
    pack = pack_of(tmp_path, *(report(f"{{field: spec.x, {condition}}}") for condition in conditions))
    found = answers(pack, thing(spec={} if value is None else {"x": value}))
    assert [status for status, _, _ in found] == expected
    assert {looked for _, _, looked in found} == {1}


def test_the_same_where_with_another_expectation(tmp_path: Path) -> None:
    where = "for_each: {kind: Gadget.example.com, where: [{field: spec.x, matches: ^a}]}\n"
    pack = pack_of(tmp_path, f"{where}expect: [{{field: spec.y, equals: 1}}]", f"{where}expect: [{{field: spec.y, equals: 2}}]")
    objects = [thing("p", spec={"x": "ab", "y": 1}), thing("q", spec={"x": "ba", "y": 3}), thing("r", spec={"x": "a", "y": 1})]
    assert answers(pack, *objects) == [("pass", 0, 2), ("fail", 2, 2)]


def test_names_and_namespaces_are_counted_apart(tmp_path: Path) -> None:
    where = "{field: spec.x, equals: a}"
    pack = pack_of(tmp_path, report(where), report(where, "namespace: shop, "), report(where, "name: 'b*', "))
    objects = [thing("a", namespace="shop", spec={"x": "a"}), thing("b1", namespace="yard", spec={"x": "a"}), thing("b2")]
    assert answers(pack, *objects) == [("fail", 2, 3), ("fail", 1, 1), ("fail", 1, 2)]


def test_a_count_sees_also_what_its_where_leaves_out(tmp_path: Path) -> None:
    count = "count: {kind: Gadget.example.com, where: [{field: spec.x, equals: a}]}\nexpect_count: {at_least: 1}"
    pack = pack_of(tmp_path, count, report("{field: spec.x, equals: a}"))
    (outcome, _) = evaluate(pack, SomeFacts([thing("near", spec={"x": "b"})]))
    assert [(row.subject.name, row.found, row.wanted) for row in outcome.findings[0].evidence[1:]] == [("near", "b", "a")]


@pytest.mark.parametrize("metadata", ["text", ["list"], None, 5, {"name": ["x"], "namespace": {"a": 1}}])
def test_names_that_are_none_are_no_name(tmp_path: Path, metadata: Any) -> None:
    facts = OddFacts([thing("shop-1", namespace="shop", spec={"x": "a"})])
    facts.odd = Item("Gadget", "example.com", {**thing(spec={"x": "a"}), "metadata": metadata}, ObjectRef("Gadget", ""))
    (outcome,) = evaluate(pack_of(tmp_path, report("{field: spec.x, equals: a}", "namespace: 'sh*', ")), facts)
    assert (outcome.status.value, len(outcome.findings), outcome.looked_at) == ("fail", 1, 1)


class OddFacts(SomeFacts):
    """Facts with one more item, which ``thing`` would not make."""

    odd: Item

    def items(self, kinds: frozenset[tuple[str, str | None]]) -> Iterator[Item]:
        yield from super().items(kinds)
        yield self.odd
