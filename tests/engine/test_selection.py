"""Selections: which objects are looked at, and what an empty or incomplete selection means."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine import evaluate
from runai_analyze.model import Missing, Unknown

from tests.engine.facts import SomeFacts, rule_text, run_rule, status_of, thing
from tests.ruleset.packs import load_rule

GOOD, BAD, VAGUE = ({"x": value} for value in ("yes", "no", Unknown(Missing("", "gone"))))
EACH = "for_each: {kind: Gadget.example.com%s}\nexpect: [{field: spec.x, equals: yes}]"
REPORT = "report_each: {kind: Gadget.example.com%s, where: [{field: spec.x, equals: no}]}"


def node(name: str, spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    return thing(name, spec=spec, **more)


@pytest.mark.parametrize(
    ("specs", "uncollected", "each", "report"),
    [
        ([GOOD, GOOD], [], "pass", "pass"),
        ([GOOD, BAD], [], "fail", "fail"),
        ([GOOD, VAGUE], [], "unknown", "unknown"),
        ([BAD, VAGUE], [], "fail", "fail"),
        ([], [], "not_applicable", "pass"),
        ([], ["Gadget"], "unknown", "unknown"),
        ([GOOD], ["Gadget"], "unknown", "unknown"),
        ([BAD], ["Gadget"], "fail", "fail"),
    ],
)
def test_answers(tmp_path: Path, specs: list[dict[str, Any]], uncollected: list[str], each: str, report: str) -> None:
    nodes = [node(f"n{number}", spec) for number, spec in enumerate(specs)]
    assert status_of(tmp_path, rule_text(EACH % ""), *nodes, uncollected=uncollected) == each
    assert status_of(tmp_path, rule_text(REPORT % ""), *nodes, uncollected=uncollected) == report


def test_a_failure_says_also_what_could_not_be_seen(tmp_path: Path) -> None:
    outcome = run_rule(tmp_path, rule_text(EACH % ""), SomeFacts([node("a", BAD), node("b", VAGUE)], uncollected=["Gadget"]))
    assert [finding.subject.name for finding in outcome.findings] == ["a"]
    assert [(missing.what, missing.reason, missing.command) for missing in outcome.missing] == [
        ("Gadget", "forbidden", "kubectl get gadgets.example.com -A -o yaml"),
        ("Gadget b spec.x", "gone", "kubectl get gadget.example.com b -o yaml"),
    ]


@pytest.mark.parametrize(
    ("keys", "uncollected", "result"),
    [
        (", if_none: fail", [], "fail"),
        (", if_none: fail", ["Gadget"], "unknown"),
        (", if_none: not_applicable", [], "not_applicable"),
        (", if_none: not_applicable", ["Gadget"], "unknown"),
    ],
)
def test_if_none(tmp_path: Path, keys: str, uncollected: list[str], result: str) -> None:
    assert status_of(tmp_path, rule_text(EACH % keys), uncollected=uncollected) == result


def test_if_none_of_report_each_means_nothing_to_look_at(tmp_path: Path) -> None:
    rule = rule_text(REPORT % ", if_none: not_applicable")
    assert status_of(tmp_path, rule) == "not_applicable"
    assert status_of(tmp_path, rule, node("a", GOOD)) == "pass"


def test_if_none_counts_after_where(tmp_path: Path) -> None:
    rule = rule_text(
        "for_each: {kind: Gadget.example.com, where: [{field: spec.x, equals: yes}], if_none: fail, "
        "none_message: 'No such thing.'}\n"
        "expect: [{field: kind, equals: Gadget}]"
    )
    outcome = run_rule(tmp_path, rule, SomeFacts([node("a", BAD)]))
    assert (outcome.status.value, outcome.message) == ("fail", "No such thing.")
    assert status_of(tmp_path, rule, node("a", VAGUE)) == "unknown"


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        ("namespace: runai", ["runai/a"]),
        ('namespace: "runai*"', ["runai/a", "runai-team/b"]),
        ("namespace: [runai, default]", ["runai/a", "default/c"]),
        ('name: "[ab]"', ["runai/a", "runai-team/b"]),
        ('namespace: "runai*", name: b', ["runai-team/b"]),
    ],
)
def test_namespace_and_name_are_globs(tmp_path: Path, names: str, taken: list[str]) -> None:
    pods = [thing(name, "Pod", namespace) for namespace, name in (("runai", "a"), ("runai-team", "b"), ("default", "c"))]
    outcome = run_rule(tmp_path, rule_text(f"report_each: {{kind: Pod, {names}}}"), SomeFacts(pods))
    assert {f"{finding.subject.namespace}/{finding.subject.name}" for finding in outcome.findings} == set(taken)


def test_an_object_named_in_full_needs_no_others(tmp_path: Path) -> None:
    rule = rule_text("for_each: {kind: Pod, namespace: runai, name: a}\nexpect: [{field: spec.nodeName, exists: true}]")
    assert status_of(tmp_path, rule, thing("a", "Pod", "runai", spec={"nodeName": "n"}), uncollected=["Pod"]) == "pass"
    assert status_of(tmp_path, rule, uncollected=["Pod"]) == "unknown"


def test_a_bare_kind_is_the_built_in_one(tmp_path: Path) -> None:
    core, knative = thing("a", "Service", "x"), thing("b", "Service", "x", apiVersion="serving.knative.dev/v1")
    bare = run_rule(tmp_path, rule_text("report_each: {kind: Service}"), SomeFacts([core, knative]))
    custom = run_rule(tmp_path, rule_text("report_each: {kind: Service.serving.knative.dev}"), SomeFacts([core, knative]))
    assert [finding.subject.name for finding in bare.findings] == ["a"]
    assert [finding.subject.name for finding in custom.findings] == ["b"]


def test_labels_and_annotations(tmp_path: Path) -> None:
    rule = rule_text(
        "for_each: {kind: Gadget.example.com, where: [{label: example.com/role, equals: gpu}]}\n"
        "expect: [{annotation: example.com/ok, exists: true}]"
    )
    labels = {"labels": {"example.com/role": "gpu"}}
    assert status_of(tmp_path, rule, thing(metadata=labels)) == "fail"
    assert status_of(tmp_path, rule, thing(metadata={**labels, "annotations": {"example.com/ok": ""}})) == "pass"
    assert status_of(tmp_path, rule, thing()) == "not_applicable"


def test_the_bundle_is_read_once_for_all_rules_and_only_their_kinds(tmp_path: Path) -> None:
    facts = SomeFacts([])
    evaluate(load_rule(tmp_path, rule_text(EACH % "", more="applies_to: {needs_crd: x.y, needs_namespace: z}\n")), facts)
    assert facts.asked == [frozenset({("Gadget", "example.com"), ("CustomResourceDefinition", None), ("Namespace", None)})]
