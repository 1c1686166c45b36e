"""What we could not see, folded by what is missing."""

import pytest
from runai_analyze.model import ChecklistLine, Missing, Outcome, Severity, Status
from runai_analyze.report.unseen import could_not_see

from .sample import outcome, rule


def lacking(id: str, what: str, severity: Severity = Severity.HIGH) -> Outcome:
    missing = (Missing(what, "the account may not read it"),) if what else ()
    return outcome(rule(id, severity), Status.UNKNOWN, missing=missing)


def seen(*unseen: Outcome) -> list[tuple[str, int]]:
    return [(it.what, it.rules) for it in could_not_see(unseen, {it.rule.id: it.rule.id for it in unseen})]


def test_rules_that_lack_the_same_are_one_line() -> None:
    assert seen(lacking("A", "Node"), lacking("B", "Pod"), lacking("C", "Pod")) == [("Pods", 2), ("Nodes", 1)]


def test_what_a_severe_rule_lacks_comes_first() -> None:
    assert seen(lacking("A", "Pod"), lacking("B", "Pod"), lacking("C", "Node", Severity.CRITICAL)) == [("Nodes", 1), ("Pods", 2)]


def test_a_rule_that_waits_for_another_lacks_what_that_one_lacks() -> None:
    assert seen(lacking("A", "Node"), lacking("B", "the answer of A"), lacking("C", "the answer of B")) == [("Nodes", 3)]


def test_rules_that_wait_for_each_other_end() -> None:
    assert sum(number for _, number in seen(lacking("A", "the answer of B"), lacking("B", "the answer of A"))) == 2


def test_a_rule_that_broke_stands_for_itself() -> None:
    assert seen(lacking("A", "")) == [("A gave no answer", 1)]


def test_names_of_objects_keep_their_letters() -> None:
    assert seen(lacking("A", "runai/tls"), lacking("B", "the Run:ai release")) == [("runai/tls", 1), ("The Run:ai release", 1)]
    assert seen(lacking("A", "nvidia-smi of node gpu-1.example.com")) == [("nvidia-smi of node gpu-1.example.com", 1)]


@pytest.mark.parametrize(
    "field", ['Namespace runai metadata.labels["pod-security.kubernetes.io/enforce"]', "Cluster test runai.url"]
)
def test_a_field_is_told_by_the_line_of_the_checklist_or_the_title_of_the_rule(field: str) -> None:
    line = ChecklistLine("S", "url", "Cluster URL", "unknown", "", ("A",))
    given, anchors = (lacking("A", field), lacking("B", f"{field}2")), {"A": "a", "B": "b"}
    assert [it.what for it in could_not_see(given, anchors, [line])] == ["Cluster URL", "Title of B"]


@pytest.mark.parametrize(
    ("kind", "many"),
    [("Node", "Nodes"), ("IngressClass", "IngressClasses"), ("NetworkPolicy", "NetworkPolicies"), ("Gateway", "Gateways"),
     ("Endpoints", "Endpoints"), ("Secrets", "Secrets"), ("Prometheus", "Prometheuses")],
)  # fmt: skip
def test_kinds_stand_in_the_plural(kind: str, many: str) -> None:
    assert seen(lacking("A", kind)) == [(many, 1)]


def test_what_lies_in_a_namespace_is_no_field() -> None:
    assert seen(lacking("A", "Secret in a.b"), lacking("B", "Ingress")) == [("Ingresses", 1), ("Secret in a.b", 1)]


def test_what_the_message_asks_for_says_so() -> None:
    gap = Missing(
        "Cluster test runai.url", "the field is not set, and no object says what counts then", question="Which address?"
    )
    (it,) = could_not_see([outcome(rule("A"), Status.UNKNOWN, missing=(gap,))], {"A": "a"})
    assert it.why == "no object shows it, so the message asks"


def test_what_a_tool_never_writes_is_one_line() -> None:
    never = "a must-gather does not hold it"
    given = [
        outcome(rule(name, severity), Status.UNKNOWN, missing=(Missing(kind, never, f"kubectl get {kind.lower()}"),))
        for name, kind, severity in (
            ("A", "Secret", Severity.LOW), ("B", "StorageClass", Severity.HIGH), ("C", "StorageClass", Severity.LOW))
    ]
    (line,) = could_not_see(given, {"A": "a", "B": "b", "C": "c"})
    assert (line.what, line.why, line.rules) == ("Secrets and StorageClasses", "a must-gather does not hold them", 3)
    assert line.rule == "B"  # the most severe


def test_many_kinds_are_counted() -> None:
    kinds = [f"Kind{letter}" for letter in "ABCDEFGHIJ"]
    given = [outcome(rule(kind), Status.UNKNOWN, missing=(Missing(kind, "x does not hold it"),)) for kind in kinds]
    (line,) = could_not_see(given, dict.fromkeys(kinds, ""))
    assert line.what == "KindAs, KindBs, KindCs, KindDs, KindEs, KindFs, KindGs, KindHs and 2 other kinds"


def test_what_a_tool_looks_for_in_some_namespaces_is_one_line() -> None:
    why = "a must-gather holds it only of some namespaces"
    given = [outcome(rule(kind), Status.UNKNOWN, missing=(Missing(kind, why),)) for kind in ("Pod", "Deployment")]
    (line,) = could_not_see(given, {"Pod": "", "Deployment": ""})
    assert (line.what, line.why) == ("Deployments and Pods", "a must-gather holds them only of some namespaces")
