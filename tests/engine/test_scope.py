"""Scopes and prerequisites: out of scope, blocked, unknown; and rules that break."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.engine import evaluate, run, scope
from runai_analyze.model import Facts, Missing, Outcome, Unknown
from runai_analyze.ruleset import load_packs

from tests.engine.facts import SomeFacts, expect_rule, rule_text, run_rule, thing
from tests.ruleset.packs import RULE, write_pack

GONE = Unknown(Missing("Run:ai release", "no Run:ai is installed", "helm list -A"))
NODE = thing("a", "Node", status={"allocatable": {"cpu": "16"}})
NAMESPACE = thing("knative-serving", "Namespace")
CRD = thing("services.serving.knative.dev", "CustomResourceDefinition")


def undecided(feature: str) -> Unknown:
    """Return what stands among the features for one of which nobody knows whether it is installed."""
    return Unknown(Missing("the Deployments", "forbidden"), feature)


@pytest.mark.parametrize(
    ("applies_to", "cluster", "objects", "uncollected", "result"),
    [
        ("runai: '>=2.13'", {"runai": {"release": "2.25"}}, [], [], "pass"),
        ("runai: '>=2.13'", {"runai": {"release": "2.12"}}, [], [], "not_applicable"),
        ("runai: '>=2.13'", {"runai": {"release": GONE}}, [], [], "unknown"),
        ("runai: '>=2.13'", {}, [], [], "unknown"),
        ("kubernetes: '>=1.33'", {"kubernetes": {"version": "v1.33.5-eks-1"}}, [], [], "pass"),
        ("kubernetes: '<1.33'", {"kubernetes": {"version": "v1.33.5-eks-1"}}, [], [], "not_applicable"),
        ("distribution: [eks, gke]", {"distribution": {"name": "gke"}}, [], [], "pass"),
        ("distribution: openshift", {"distribution": {"name": "gke"}}, [], [], "not_applicable"),
        ("distribution: {not: [openshift]}", {"distribution": {"name": "gke"}}, [], [], "pass"),
        ("distribution: {not: [gke]}", {"distribution": {"name": "gke"}}, [], [], "not_applicable"),
        ("distribution: {not: [gke]}", {"distribution": {"name": GONE}}, [], [], "unknown"),
        ("feature: inference", {"features": ["inference"]}, [], [], "pass"),
        ("feature: inference", {"features": []}, [], [], "not_applicable"),
        ("feature: inference", {"features": GONE}, [], [], "unknown"),
        ("feature: inference", {"features": GONE, "planned": ["inference"]}, [], [], "pass"),
        ("feature: inference", {"features": ["mpi", GONE]}, [], [], "unknown"),
        ("feature: mpi", {"features": ["mpi", GONE]}, [], [], "pass"),
        ("feature: [mpi, inference]", {"features": ["inference"]}, [], [], "pass"),
        ("feature: inference", {"features": ["mpi", undecided("autoscaling")]}, [], [], "not_applicable"),
        ("feature: autoscaling", {"features": ["mpi", undecided("autoscaling")]}, [], [], "unknown"),
        ("feature: [inference, autoscaling]", {"features": [undecided("autoscaling")]}, [], [], "unknown"),
        ("feature: {not: [inference]}", {"features": [undecided("autoscaling")]}, [], [], "pass"),
        ("feature: {not: [autoscaling]}", {"features": [undecided("autoscaling")]}, [], [], "unknown"),
        ("feature: {not: [inference]}", {"features": ["inference"]}, [], [], "not_applicable"),
        ("needs_namespace: knative-serving", {}, [NAMESPACE], [], "pass"),
        ("needs_namespace: knative-serving", {}, [], [], "not_applicable"),
        ("needs_namespace: knative-serving", {}, [], ["Namespace"], "unknown"),
        ("needs_namespace: knative-serving", {}, [NAMESPACE], ["Namespace"], "pass"),
        ("needs_namespace: [knative-serving, x]", {}, [NAMESPACE], [], "not_applicable"),
        ("needs_namespace: 'knative-*'", {}, [NAMESPACE], [], "pass"),
        ("needs_namespace: {not: [knative-serving]}", {}, [NAMESPACE], [], "not_applicable"),
        ("needs_namespace: {not: [knative-serving]}", {}, [], ["Namespace"], "unknown"),
        ("needs_crd: services.serving.knative.dev", {}, [CRD], [], "pass"),
        ("needs_crd: services.serving.knative.dev", {}, [], [], "not_applicable"),
        ("runai: '>=2.13', needs_crd: x.y", {"runai": {"release": GONE}}, [], [], "not_applicable"),
    ],
)
def test_scope(
    tmp_path: Path, applies_to: str, cluster: dict[str, Any], objects: list[Any], uncollected: list[str], result: str
) -> None:
    rule = RULE.replace("owner: tests", f"owner: tests\napplies_to: {{{applies_to}}}")
    outcome = run_rule(tmp_path, rule, SomeFacts([NODE, *objects], cluster, uncollected))
    assert outcome.status.value == result


@pytest.mark.parametrize(
    ("applies_to", "message"),
    [
        ("runai: '>=2.26'", "Run:ai is 2.25; the rule is for >=2.26."),
        ("distribution: eks", "The distribution is gke; the rule is for eks."),
        ("distribution: {not: [gke]}", "The distribution is gke; the rule is for all but gke."),
        ("feature: inference", "Feature inference is neither installed nor planned."),
        ("needs_namespace: x", "Namespace x does not exist."),
    ],
)
def test_out_of_scope_says_why(tmp_path: Path, applies_to: str, message: str) -> None:
    cluster = {"runai": {"release": "2.25"}, "distribution": {"name": "gke"}, "features": []}
    rule = RULE.replace("owner: tests", f"owner: tests\napplies_to: {{{applies_to}}}")
    assert run_rule(tmp_path, rule, SomeFacts([NODE], cluster)).message == message


def test_an_unknown_feature_says_what_would_tell(tmp_path: Path) -> None:
    rule = RULE.replace("owner: tests", "owner: tests\napplies_to: {feature: inference}")
    assert run_rule(tmp_path, rule, SomeFacts([NODE], {"features": ["mpi", GONE]})).missing == (GONE.missing,)


def test_an_unknown_scope_says_what_would_tell(tmp_path: Path) -> None:
    rule = RULE.replace("owner: tests", "owner: tests\napplies_to: {runai: '>=2.13'}")
    outcome = run_rule(tmp_path, rule, SomeFacts([NODE], {"runai": {"release": GONE}}))
    assert outcome.missing == (GONE.missing,)
    assert outcome.message == "Unknown: Run:ai release: no Run:ai is installed."


# --- only_if_passed ---------------------------------------------------------------------------------------------------------


def chain(folder: Path, facts: Facts, first: str = RULE) -> list[Outcome]:
    """Return the outcomes of three rules, each of which needs the one before it; the first is the one given."""
    write_pack(folder, first)
    for number, before in (("2", "1"), ("3", "2")):
        text = RULE.replace("RAI-TST-001", f"RAI-TST-00{number}").replace(
            "owner: tests", f"owner: tests\nonly_if_passed: RAI-TST-00{before}"
        )
        (folder / "nodes" / f"RAI-TST-00{number}.yaml").write_text(text.replace("at_least: 8", "at_least: 1"))
    return list(evaluate(load_packs([folder]), facts))


def test_a_failure_blocks_all_that_builds_on_it_and_is_named_as_the_cause(tmp_path: Path) -> None:
    outcomes = chain(tmp_path, SomeFacts([thing("a", "Node", status={"allocatable": {"cpu": "4"}})]))
    assert [(outcome.status.value, outcome.blocked_by) for outcome in outcomes] == [
        ("fail", ""),
        ("blocked", "RAI-TST-001"),
        ("blocked", "RAI-TST-001"),
    ]
    assert outcomes[1].findings == ()


def test_unknown_makes_unknown(tmp_path: Path) -> None:
    outcomes = chain(tmp_path, SomeFacts([thing("a", "Node", status={"allocatable": {"cpu": GONE}})]), RULE)
    assert [outcome.status.value for outcome in outcomes] == ["unknown"] * 3
    assert GONE.missing in outcomes[2].missing


def test_not_applicable_lets_run(tmp_path: Path) -> None:
    first = RULE.replace("owner: tests", "owner: tests\napplies_to: {needs_namespace: none}")
    outcomes = chain(tmp_path, SomeFacts([NODE]), first)
    assert [outcome.status.value for outcome in outcomes] == ["not_applicable", "pass", "pass"]


def test_a_rule_out_of_scope_is_not_blocked(tmp_path: Path) -> None:
    write_pack(tmp_path)
    second = RULE.replace("RAI-TST-001", "RAI-TST-002").replace(
        "owner: tests", "owner: tests\nonly_if_passed: RAI-TST-001\napplies_to: {needs_namespace: none}"
    )
    (tmp_path / "nodes" / "RAI-TST-002.yaml").write_text(second)
    outcomes = evaluate(load_packs([tmp_path]), SomeFacts([thing("a", "Node", status={"allocatable": {"cpu": "4"}})]))
    assert [outcome.status.value for outcome in outcomes] == ["fail", "not_applicable"]


# --- what is missing, and what breaks ---------------------------------------------------------------------------------------


SHOW_GADGET = "kubectl get gadget.example.com a -o yaml"
LACKING = {
    "{field: spec.x, at_least: 8}": ({"x": "lots"}, "Gadget a spec.x", "lots is not a number or quantity", SHOW_GADGET),
    "{field: spec.x, less_than: 8}": (
        {"x": "«redacted:k»"},
        "Gadget a spec.x",
        "the value, or part of it, was hidden by the collector or could not be found out",
        "",
    ),
    "{field: spec.x, less_than: 9}": (
        {"x": "«redacted:not-shown»"},
        "Gadget a spec.x",
        "the bundle holds this object only as a text for people, which does not show the field",
        SHOW_GADGET,
    ),
    "{field: spec.x.y, at_least: 8}": (
        {"x": "flat"},
        "Gadget a spec.x.y",
        'the value has another shape than expected: it has no field "y"',
        SHOW_GADGET,
    ),
    "{field: spec.x, at_least: 8, when_absent: unknown}": (
        {},
        "Gadget a spec.x",
        "the field is not set, and the rule cannot tell what that means",
        SHOW_GADGET,
    ),
    "{field: spec.x, at_least: 8, when_absent: unknown, ask: How many?}": (
        {},
        "Gadget a spec.x",
        "the field is not set, and no object says what counts then",
        "",
    ),
    "{field: spec.x, version: '{{ cluster.openshift.version }}'}": (
        {"x": "1"},
        "Cluster openshift.version",
        "the cluster has none",
        "",
    ),
    "{field: spec.x, at_least: {table: racks, row: '{{ cluster.runai.release }}', column: cpu}}": (
        {"x": "1"},
        "Run:ai release",
        "no Run:ai is installed",
        "helm list -A",
    ),
    "{field: spec.x, at_least: {table: racks, row: '{{ cluster.kubernetes.minor }}', column: cpu}}": (
        {"x": "1"},
        "table racks, row 2.99, column cpu",
        "table racks says nothing about 2.99",
        "",
    ),
    "{field: spec.x, at_least: {table: racks, row: '2.24', column: cpu}}": (
        {"x": "1"},
        "table racks, row 2.24, column cpu",
        "table racks does not know cpu for 2.24",
        "",
    ),
    "{field: spec.x, at_least: '{{ cluster.name }}'}": ({"x": "1"}, "the argument of at_least", "not a quantity: acme", ""),
}


@pytest.mark.parametrize("condition", LACKING)
def test_unknown_says_what_is_missing(tmp_path: Path, condition: str) -> None:
    spec, what, reason, command = LACKING[condition]
    cluster = {"name": "acme", "runai": {"release": GONE}, "kubernetes": {"minor": "2.99"}}
    outcome = run_rule(tmp_path, expect_rule(condition), SomeFacts([thing("a", spec=spec)], cluster))
    assert outcome.status.value == "unknown"
    assert [(missing.what, missing.reason, missing.command) for missing in outcome.missing] == [(what, reason, command)]


def test_a_table_row_is_found_by_major_and_minor(tmp_path: Path) -> None:
    rule = expect_rule("{field: spec.x, at_least: {table: racks, row: '{{ cluster.runai.version }}', column: cpu}}")
    cluster = {"runai": {"version": "2.25.14"}}
    (finding,) = run_rule(tmp_path, rule, SomeFacts([thing(spec={"x": 9})], cluster)).findings
    assert finding.evidence[0].wanted == "at least 10 (racks 2.25)"


def test_secrets_are_never_asked_for_with_their_values(tmp_path: Path) -> None:
    rule = rule_text("for_each: {kind: Secret, namespace: runai}\nexpect: [{field: type, equals: x}]")
    outcome = run_rule(tmp_path, rule, SomeFacts([], uncollected=["Secret"]))
    assert [missing.command for missing in outcome.missing] == ["kubectl get secrets -n runai"]


def test_a_hostile_name_makes_no_command(tmp_path: Path) -> None:
    outcome = run_rule(
        tmp_path, expect_rule("{field: spec.x, at_least: 8}"), SomeFacts([thing("a; rm -rf /", spec={"x": "lots"})])
    )
    assert [missing.command for missing in outcome.missing] == [""]


def test_a_rule_that_breaks_is_an_outcome_and_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(self: object, body: object) -> None:
        raise RuntimeError("our bug")

    write_pack(tmp_path)
    (tmp_path / "nodes" / "RAI-TST-002.yaml").write_text(
        rule_text("for_each: {kind: Pod}\nexpect: [{field: status.phase, equals: Running}]").replace("TST-001", "TST-002")
    )
    monkeypatch.setattr(run.RuleRun, "_note_seen", explode)
    pods = SomeFacts([NODE])
    broken, other = evaluate(load_packs([tmp_path]), pods)
    assert (broken.status.value, other.status.value) == ("error", "not_applicable")
    assert broken.message.startswith("The rule broke: RuntimeError: our bug [test_scope.py:")
    assert broken.message.endswith("(at Node a, member:1)")
    assert "/" not in broken.message


def test_what_the_report_says_about_a_rule(tmp_path: Path) -> None:
    text = RULE.replace(
        "owner: tests", "owner: tests\ndocs: size\nkb: KB-1\nimpact: Slow.\ninternal_note: Ask.\nchecklist: node-size"
    )
    write_pack(tmp_path, text)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "size.md").write_text("# Sizes\n\nEight.\n\nSource: page\n")
    (outcome,) = evaluate(load_packs([tmp_path]), SomeFacts([NODE]))
    info = outcome.rule
    assert (info.id, info.title, info.severity.word, info.area) == ("RAI-TST-001", "Nodes are small", "high", "nodes")
    assert (info.docs, info.kb, info.impact, info.internal_note) == ((("Sizes", "Eight.", "page"),), ("KB-1",), "Slow.", "Ask.")
    assert (info.checklist, info.pack, info.fix) == ("node-size", "tests", "Buy a larger one.")


def test_a_rule_that_cannot_be_compiled_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(*_: object) -> None:
        raise RuntimeError("our bug")

    write_pack(tmp_path, RULE.replace("owner: tests", "owner: tests\napplies_to: {runai: '>=2'}"))
    (tmp_path / "nodes" / "RAI-TST-002.yaml").write_text(RULE.replace("RAI-TST-001", "RAI-TST-002"))
    monkeypatch.setattr(scope, "_in_range", explode)
    broken, other = evaluate(load_packs([tmp_path]), SomeFacts([NODE]))
    assert (broken.status.value, other.status.value) == ("error", "pass")
