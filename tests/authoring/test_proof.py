"""Examples that fail: what differed, what was found where, and what an example says in vain."""

from pathlib import Path

import pytest
from runai_analyze.authoring.proof import Proof, prove
from runai_analyze.rules_cli.reading import example_maker

from tests.authoring.rules import example, not_read, rule_of
from tests.ruleset.packs import load_rule

SMALL = "for_each: {kind: Node}\nexpect: [{field: status.allocatable.cpu, at_least: 8}]"
CLUSTER = "for_each: {kind: Cluster}\nexpect: [{field: knative.installed, equals: true}]"
NODE = "{kind: Node, metadata: {name: %s}, status: {allocatable: {cpu: '%d'}}}"
LARGE, LITTLE = NODE % ("big", 16), NODE % ("small", 4)


def proofs(folder: Path, selection: str, examples: str, message: str = "{{ metadata.name }} has {{ found }}") -> list[Proof]:
    pack = load_rule(folder, rule_of(selection, examples, message=message))
    return list(prove(pack, example_maker(), pack.rules))


def lines(folder: Path, *examples: str) -> list[tuple[str, ...]]:
    whole = example("good", LARGE, "pass") + example("bad", LITTLE, "fail") + not_read("Node") + "".join(examples)
    return [proof.lines for proof in proofs(folder, SMALL, whole)][3:]


def test_a_finding_where_none_was_expected_shows_object_path_found_and_wanted(tmp_path: Path) -> None:
    assert lines(tmp_path, example("odd", LITTLE, "pass")) == [
        (
            "- result: pass",
            "+ result: fail",
            "  small has 4",
            "  Node small status.allocatable.cpu: found 4, wanted at least 8",
        )
    ]


def test_a_finding_that_did_not_come_shows_what_was_found_instead(tmp_path: Path) -> None:
    assert lines(tmp_path, example("odd", LARGE, "fail")) == [
        (
            "- result: fail",
            "+ result: pass",
            "  1 Node looked at, as expected.",
            "  Node big: passes",
            "    status.allocatable.cpu at_least 8: found 16, wanted at least 8",
        )
    ]


def test_a_message_that_differs_shows_both(tmp_path: Path) -> None:
    assert lines(tmp_path, example("odd", LITTLE, "fail", "    message_contains: tiny\n")) == [
        ("- message with: tiny", "+ message: small has 4", "  Node small status.allocatable.cpu: found 4, wanted at least 8")
    ]


def test_a_second_finding_is_an_unexpected_one(tmp_path: Path) -> None:
    two = f"{LITTLE}, {NODE % ('smaller', 2)}"
    (found,) = lines(tmp_path, example("odd", two, "fail", "    message_contains: small has 4\n"))
    assert found[:2] == (
        "+ unexpected finding: smaller has 2",
        '  if all are meant, say how many: message_contains: "… (and 1 more)"',
    )


def test_several_findings_that_are_meant_are_counted(tmp_path: Path) -> None:
    two = f"{LITTLE}, {NODE % ('smaller', 2)}"
    assert lines(tmp_path, example("both", two, "fail", "    message_contains: small has 4 (and 1 more)\n")) == [()]
    (found,) = lines(tmp_path, example("three", two, "fail", "    message_contains: small has 4 (and 2 more)\n"))
    assert found[0] == "- message with: small has 4 (and 2 more)"


def idle(folder: Path, selection: str, examples: str) -> list[str]:
    """Return what the examples say in vain."""
    found = proofs(folder, selection, examples, message="wrong")
    assert [proof.lines for proof in found if proof.lines] == []
    return [f"{proof.example.name}: {words}" for proof in found for words in proof.unused]


def test_a_field_of_the_cluster_that_no_example_looks_at_proves_nothing(tmp_path: Path) -> None:
    examples = (
        example("there", "", "pass", "    cluster: {knative: {installed: true, version: '1.10'}}\n")
        + example("not there", "", "fail", "    cluster: {knative: {installed: false}}\n")
        + "  - name: not read\n    given: []\n    not_collected: [Cluster.knative.installed]\n    result: unknown\n"
    )
    assert idle(tmp_path, CLUSTER, examples) == ["there: cluster knative.version: no example of the rule looks at it"]


def test_a_field_that_says_what_is_so_anyhow_is_looked_at(tmp_path: Path) -> None:
    """Nothing is given, so Knative is not installed; that the example says it is what makes it plain."""
    examples = (
        example("there", "", "pass", "    cluster: {knative: {installed: true}}\n")
        + example("not there", "", "fail", "    cluster: {knative: {installed: false}}\n")
        + "  - name: not read\n    given: []\n    not_collected: [Cluster.knative.installed]\n    result: unknown\n"
    )
    assert idle(tmp_path, CLUSTER, examples) == []


def test_a_kind_that_makes_no_difference_proves_nothing(tmp_path: Path) -> None:
    examples = (
        example("there", "", "pass", "    cluster: {knative: {installed: true}}\n")
        + example("not there", "", "fail", "    cluster: {knative: {installed: false}}\n")
        + "  - name: not read\n    given: []\n    not_collected: [Deployment, Secret]\n    result: unknown\n"
    )
    assert idle(tmp_path, CLUSTER, examples) == ["not read: not_collected Secret: whether it was makes no difference"]


def test_a_time_that_no_example_looks_at_proves_nothing(tmp_path: Path) -> None:
    time = "    bundle_time: 2026-12-01T12:00:00Z\n"
    examples = example("good", LARGE, "pass", time) + example("bad", LITTLE, "fail") + not_read("Node")
    assert idle(tmp_path, SMALL, examples) == ["good: bundle_time: no example of the rule looks at it"]


def test_an_object_that_nothing_looks_at_proves_nothing(tmp_path: Path) -> None:
    secret = "{apiVersion: v1, kind: Secret, metadata: {namespace: a, name: s}, type: Opaque}"
    examples = example("good", f"{LARGE}, {secret}", "pass") + example("bad", LITTLE, "fail") + not_read("Node")
    assert idle(tmp_path, SMALL, examples) == ["good: given Secret s: nothing looks at it"]


def test_a_bystander_of_the_kind_is_no_waste(tmp_path: Path) -> None:
    examples = example("good", LARGE, "pass") + example("bad", f"{LARGE}, {LITTLE}", "fail") + not_read("Node")
    assert idle(tmp_path, SMALL, examples) == []


@pytest.mark.parametrize("wrong", [True, False])
def test_what_proves_nothing_is_told_once_all_examples_hold(tmp_path: Path, wrong: bool) -> None:
    secret = "{apiVersion: v1, kind: Secret, metadata: {namespace: a, name: s}, type: Opaque}"
    bad = example("bad", LARGE if wrong else LITTLE, "fail")
    examples = example("good", f"{LARGE}, {secret}", "pass") + bad + not_read("Node")
    assert [bool(proof.unused) for proof in proofs(tmp_path, SMALL, examples)] == [not wrong, False, False]
