"""The sentences of the design on answers, one after the other, each quoted by the test that proves it."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine import evaluate
from runai_analyze.model import Severity, Status
from runai_analyze.ruleset import load_packs

from tests.engine.answers import (
    FALSE,
    FALSE_TOO,
    GONE,
    HIDDEN,
    KIND,
    NEGATIVE,
    THREE,
    TRUE,
    TRUE_TOO,
    UNKNOWN,
    UNKNOWN_TOO,
    chain,
    expected,
    found,
    status,
)
from tests.engine.facts import SomeFacts, expect_rule, rule_text, run_rule, thing
from tests.ruleset.packs import write_pack

# --- What the bundle holds, and what the test sees ------------------------------------------------------------------


def test_present(tmp_path: Path) -> None:
    """“present | the value”"""
    assert (status(tmp_path, "{field: x, equals: a}", x="a"), status(tmp_path, "{field: x, equals: a}", x="b")) == (
        "pass",
        "fail",
    )


@pytest.mark.parametrize("test", ["equals: a", *NEGATIVE, "contains: a", "less_than: 5", "min_length: 1"])
def test_absent(tmp_path: Path, test: str) -> None:
    """“object collected, field not set | absent: `exists: false` is true, any other test is false unless `when_absent` says
    otherwise”"""
    assert status(tmp_path, "{field: x, exists: false}") == "pass"
    assert (status(tmp_path, f"{{field: x, {test}}}"), status(tmp_path, f"{{field: x, {test}}}", x=None)) == ("fail", "fail")
    answers = [status(tmp_path, f"{{field: x, {test}, when_absent: {word}}}") for word in ("pass", "fail", "unknown")]
    assert answers == ["pass", "fail", "unknown"]


@pytest.mark.parametrize("value", [GONE, HIDDEN, f"user {HIDDEN} said"])
@pytest.mark.parametrize("test", ["exists: true", "exists: false", "equals: a", *NEGATIVE, "matches: a"])
def test_unknown_value(tmp_path: Path, value: Any, test: str) -> None:
    """“a fact that could not be computed; a redacted value | unknown”"""
    assert status(tmp_path, f"{{field: x, {test}}}", x=value) == "unknown"


@pytest.mark.parametrize("selection", ["for_each", "report_each", "count"])
def test_not_collected(tmp_path: Path, selection: str) -> None:
    """“kind, namespace or log not collected, forbidden, timed out, cut | unknown, with the reason and the command that would
    supply it”"""
    more = {"for_each": "\nexpect: [{field: x, equals: a}]", "count": "\nexpect_count: {at_least: 1}"}.get(selection, "")
    outcome = run_rule(tmp_path, rule_text(f"{selection}: {{{KIND}}}{more}"), SomeFacts([], uncollected=["Gadget"]))
    (missing,) = outcome.missing
    assert (outcome.status.value, missing.reason) == ("unknown", "forbidden")
    assert missing.command == "kubectl get gadgets.example.com -A -o yaml"


@pytest.mark.parametrize(
    ("members", "answer"),
    [
        ([FALSE, UNKNOWN, TRUE], "fail"),
        ([UNKNOWN, FALSE], "fail"),
        ([UNKNOWN, TRUE], "unknown"),
        ([TRUE, UNKNOWN, UNKNOWN_TOO], "unknown"),
        ([TRUE, TRUE_TOO], "pass"),
    ],
)
def test_and(tmp_path: Path, members: list[str], answer: str) -> None:
    """“AND: false beats unknown beats true.”"""
    assert status(tmp_path, f"{{all_of: [{', '.join(members)}]}}", **THREE) == answer
    assert status(tmp_path, ", ".join(members), **THREE) == answer


@pytest.mark.parametrize(
    ("members", "answer"),
    [
        ([FALSE, UNKNOWN, TRUE], "pass"),
        ([UNKNOWN, TRUE], "pass"),
        ([UNKNOWN, FALSE], "unknown"),
        ([FALSE, UNKNOWN, UNKNOWN_TOO], "unknown"),
        ([FALSE, FALSE_TOO], "fail"),
    ],
)
def test_or(tmp_path: Path, members: list[str], answer: str) -> None:
    """“OR: true beats unknown beats false.”"""
    assert status(tmp_path, f"{{any_of: [{', '.join(members)}]}}", **THREE) == answer
    opposite = {"pass": "fail", "fail": "pass", "unknown": "unknown"}[answer]
    assert status(tmp_path, f"{{none_of: [{', '.join(members)}]}}", **THREE) == opposite


@pytest.mark.parametrize("objects", [[], [thing(t="b")]])
def test_empty_for_each(tmp_path: Path, objects: list[Any]) -> None:
    """“An empty `for_each` is not applicable, never pass.”"""
    rule = rule_text(f"for_each: {{{KIND}, where: [{TRUE}]}}\nexpect: [{{field: x, equals: a}}]")
    outcome = run_rule(tmp_path, rule, SomeFacts(objects))
    assert (outcome.status.value, outcome.message) == ("not_applicable", "There is no Gadget that the rule is about.")


def test_empty_report_each(tmp_path: Path) -> None:
    """“An empty `report_each` is a pass when everything it looks at was collected, else unknown.”"""
    assert found(tmp_path, TRUE).status.value == "pass"
    assert found(tmp_path, TRUE, thing(t="b")).status.value == "pass"
    assert found(tmp_path, TRUE, thing(t="b"), uncollected=["Gadget"]).status.value == "unknown"
    assert found(tmp_path, UNKNOWN, thing(**THREE)).status.value == "unknown"


@pytest.mark.parametrize(
    ("first", "objects", "answers"),
    [
        (FALSE, [thing(**THREE)], ["fail", "blocked", "blocked"]),
        (UNKNOWN, [thing(**THREE)], ["unknown", "unknown", "unknown"]),
        (TRUE, [thing(**THREE)], ["pass", "pass", "fail"]),
        (TRUE, [], ["not_applicable", "not_applicable", "not_applicable"]),
    ],
)
def test_only_if_passed(tmp_path: Path, first: str, objects: list[Any], answers: list[str]) -> None:
    """“`only_if_passed`: fail → blocked, unknown → unknown, not applicable → run.”"""
    assert chain(tmp_path, first, TRUE, FALSE, facts=SomeFacts(objects)) == answers


def test_a_prerequisite_that_does_not_apply_lets_the_rule_run(tmp_path: Path) -> None:
    """“not applicable → run”"""
    pack = write_pack(tmp_path, rule="")
    (pack / "nodes").mkdir()
    first = rule_text("for_each: {kind: Node}\nexpect: [{field: spec.unschedulable, exists: false}]")
    second = expect_rule(FALSE, more="only_if_passed: RAI-TST-001\n").replace("id: RAI-TST-001", "id: RAI-TST-002")
    (pack / "nodes" / "RAI-TST-001.yaml").write_text(first)
    (pack / "nodes" / "RAI-TST-002.yaml").write_text(second)
    outcomes = evaluate(load_packs([pack]), SomeFacts([thing(**THREE)]))
    assert [outcome.status.value for outcome in outcomes] == ["not_applicable", "fail"]


LIST = {"list": [{"x": "a"}, {"x": "b"}, {"y": "a"}]}


def test_fan_out(tmp_path: Path) -> None:
    """“`[*]` fans out over the elements, and an element without the rest of the path gives *absent* for itself”"""
    (finding,) = expected(tmp_path, "{field: 'list[*].x', equals: a}", thing(**LIST)).findings
    assert [(row.path, row.found) for row in finding.evidence] == [("list[1].x", "b"), ("list[2].x", "not set")]


def test_one_in_where_all_in_expect(tmp_path: Path) -> None:
    """“in `where` one match is enough, in `expect` all must meet the test”"""
    assert found(tmp_path, "{field: 'list[*].x', equals: a}", thing(**LIST)).status.value == "fail"
    assert status(tmp_path, "{field: 'list[*].x', equals: a}", **LIST) == "fail"
    assert status(tmp_path, "{field: 'list[*].x', one_of: [a, b], when_absent: pass}", **LIST) == "pass"
    assert status(tmp_path, "{none_of: [{field: 'list[*].x', equals: b}]}", **LIST) == "fail"  # one is too many


@pytest.mark.parametrize("value", [[], None])
def test_empty_list(tmp_path: Path, value: Any) -> None:
    """“an empty list is *absent*”"""
    assert status(tmp_path, "{field: 'list[*].x', exists: false}", list=value) == "pass"
    assert status(tmp_path, "{field: 'list[*].x', not_equals: a}", list=value) == "fail"
    assert status(tmp_path, "{field: 'list[*].x', not_equals: a, when_absent: pass}", list=value) == "pass"
    assert found(tmp_path, "{field: 'list[*].x', not_equals: a}", thing(list=value)).status.value == "pass"


def test_unknown_where(tmp_path: Path) -> None:
    """“A `where` that is unknown for an object does not deselect it: the rule is unknown for that object.”"""
    rule = rule_text(f"for_each: {{{KIND}, where: [{UNKNOWN}]}}\nexpect: [{TRUE}]")
    outcome = run_rule(tmp_path, rule, SomeFacts([thing("one", t="a", u=GONE), thing("two", t="a", u="a")]))
    assert outcome.status.value == "unknown"
    assert [missing.what for missing in outcome.missing] == ["Gadget one u"]
    assert outcome.message == "Unknown for 1 of 2: Gadget one u: could not be computed."


@pytest.mark.parametrize("test", NEGATIVE)
def test_negative_on_absent(tmp_path: Path, test: str) -> None:
    """“Every negative test (`not_equals`, `not_one_of`) on an absent field is false unless `when_absent` says otherwise, also
    inside `none_of`”"""
    assert status(tmp_path, f"{{field: x, {test}}}") == "fail"
    assert status(tmp_path, f"{{field: x, {test}, when_absent: pass}}") == "pass"
    assert status(tmp_path, f"{{none_of: [{{field: x, {test}}}]}}") == "pass"
    assert status(tmp_path, f"{{none_of: [{{field: x, {test}, when_absent: pass}}]}}") == "fail"
    assert found(tmp_path, f"{{field: x, {test}}}", thing()).status.value == "pass"


# --- The outcomes ---------------------------------------------------------------------------------------------------


def test_pass(tmp_path: Path) -> None:
    """“pass | looked, fine: says at what and how many”"""
    assert expected(tmp_path, TRUE, thing("a", t="a"), thing("b", t="a")).message == "2 Gadgets looked at, all as expected."
    assert found(tmp_path, TRUE, thing("a", t="b")).message == "None found; 1 Gadget looked at."


def test_fail(tmp_path: Path) -> None:
    """“fail | a finding, with its severity”"""
    (finding,) = expected(tmp_path, FALSE, thing(**THREE)).findings
    assert finding.severity is Severity.HIGH


def test_unknown(tmp_path: Path) -> None:
    """“unknown | data missing: what to collect”"""
    (missing,) = expected(tmp_path, UNKNOWN, thing("one", **THREE)).missing
    assert missing.command == "kubectl get gadget.example.com one -o yaml"


def test_not_applicable(tmp_path: Path) -> None:
    """“not_applicable | out of scope, with the reason”"""
    rule = expect_rule(TRUE, more="applies_to: {needs_namespace: knative-serving}\n")
    outcome = run_rule(tmp_path, rule, SomeFacts([thing(t="a")]))
    assert (outcome.status.value, outcome.message) == ("not_applicable", "Namespace knative-serving does not exist.")


def test_blocked(tmp_path: Path) -> None:
    """“blocked | a prerequisite rule failed: folded under its cause”"""
    chain(tmp_path, FALSE, TRUE, TRUE, facts=SomeFacts())
    outcomes = evaluate(load_packs([tmp_path]), SomeFacts([thing(**THREE)]))
    assert [(outcome.status, outcome.blocked_by) for outcome in outcomes] == [
        (Status.FAIL, ""),
        (Status.BLOCKED, "RAI-TST-000"),
        (Status.BLOCKED, "RAI-TST-000"),
    ]
    assert outcomes[2].message == "Not judged: Nodes are small (RAI-TST-001) comes first."


def test_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """“error | the rule or the engine broke: rule id, object, short trace; never hidden, never stops the others”"""

    def explode(body: object) -> bool:
        raise RuntimeError("our bug")

    chain(tmp_path, TRUE, FALSE, facts=SomeFacts())
    pack = load_packs([tmp_path])
    broken, sound = pack.rules
    object.__setattr__(broken.expect[0], "path", _Broken(broken.expect[0].path, explode))  # type: ignore[union-attr]
    outcomes = evaluate(pack, SomeFacts([thing("one", **THREE)]))
    assert (outcomes[0].rule.id, outcomes[0].status) == ("RAI-TST-000", Status.ERROR)
    assert outcomes[0].message.startswith("The rule broke: RuntimeError: our bug [test_design.py:")
    assert outcomes[0].message.endswith("(at Gadget one, member:1)")
    assert (outcomes[1].rule.id, outcomes[1].status, sound.id) == ("RAI-TST-001", Status.UNKNOWN, "RAI-TST-001")
    assert outcomes[1].message == "Unknown: RAI-TST-000 (Nodes are small) is error, and this rule builds on it."


class _Broken:
    """A path that breaks when it is followed."""

    def __init__(self, path: Any, explode: Any) -> None:
        self.__dict__.update(vars(path), one=explode)


def test_evidence(tmp_path: Path) -> None:
    """“Evidence is automatic: object, member and line in the bundle, path, value found, value wanted, `because`”"""
    (finding,) = expected(tmp_path, "{field: spec.x, equals: a, because: it must}", thing("one", spec={"x": "b"})).findings
    (row,) = finding.evidence
    assert (str(row.subject), row.subject.member, row.subject.line) == ("Gadget one", "member", 1)
    assert (row.path, row.found, row.wanted, row.because) == ("spec.x", "b", "a", "it must")


def test_near_misses(tmp_path: Path) -> None:
    """“for `count` the near misses (which object failed which condition)”"""
    rule = rule_text(f"count: {{{KIND}, where: [{TRUE}, {{field: x, at_least: 8}}]}}\nexpect_count: {{at_least: 1}}")
    (finding,) = run_rule(tmp_path, rule, SomeFacts([thing("one", t="a", x=4)])).findings
    assert [(str(row.subject), row.path, row.found, row.wanted) for row in finding.evidence] == [
        ("Gadget (all)", "", "0", "at least 1"),
        ("Gadget one", "x", "4", "at least 8"),
    ]


def test_fingerprint(tmp_path: Path) -> None:
    """“A finding's fingerprint is its rule id, subject and key columns, never its wording.”"""

    def of(name: str, namespace: str = "", **keys: str) -> str:
        outcome = run_rule(tmp_path, expect_rule(FALSE, **keys), SomeFacts([thing(name, namespace=namespace, **THREE)]))
        return outcome.findings[0].fingerprint

    same = of("one")
    assert same == of("one", message="other words") == of("one", more="show: {Found: f}\n")
    assert len({same, of("two"), of("one", "shop"), of("one", more="group_by: f\n")}) == 4
    assert of("one", more="group_by: f\n") == of("two", more="group_by: f\n")
