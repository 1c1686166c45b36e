"""The message to the customer."""

from runai_analyze.model import Missing, Outcome, Status, Step
from runai_analyze.report.request import build_request, refused

from .sample import bundle, outcome, rule

PODS = Missing("pods", "refused", "kubectl get pods -A")
NODES = Missing("nodes", "refused", "kubectl get nodes")


def unseen(*missing: Missing, id: str = "R") -> Outcome:
    return outcome(rule(id), Status.UNKNOWN, missing=missing)


def test_each_command_stands_once_with_all_that_it_supplies() -> None:
    twice = Missing("the pods of runai", "refused", " kubectl get pods -A ")
    request = build_request([unseen(PODS, NODES), unseen(twice, PODS, id="S")], bundle(steps=()), "atlas")
    assert request.commands == (("nodes", "kubectl get nodes"), ("pods and the pods of runai", "kubectl get pods -A"))
    assert request.text.count("kubectl get pods -A") == 1
    assert request.text.startswith("Subject: atlas: two outputs that we still need\n\nHello,\n")


def test_findings_may_lack_data_too() -> None:
    assert build_request([outcome(rule("R"), Status.FAIL, missing=(PODS,))], bundle(steps=()), "x").commands == (
        ("pods", "kubectl get pods -A"),
    )


def test_nothing_missing_is_nothing_asked() -> None:
    request = build_request([outcome(rule("R"), Status.PASS), unseen(Missing("x", "y"))], bundle(steps=()), "atlas")
    assert (request.text, request.commands) == ("", ())


def test_questions_join_the_message() -> None:
    request = build_request([], bundle(steps=()), "atlas", ["Do the clocks agree?"])
    assert request.commands == ()
    assert request.text.startswith("Subject: atlas: one answer that we still need\n")
    assert request.text.endswith("Please tell us:\n- Do the clocks agree?\n")


def test_refusals_ask_for_another_bundle() -> None:
    steps = (
        Step("list:core/v1/pods", "GET", "cluster", "forbidden"),
        Step("list:apps/v1/deployments@runai", "GET", "namespace", "forbidden"),
        Step("list:core/v1/nodes", "GET", "cluster", "ok"),
    )
    request = build_request([], bundle(steps=steps), "atlas")
    assert refused(steps) == ("deployments.apps in namespace runai", "pods (all namespaces)")
    assert request.commands == (
        ("Another bundle, taken by a user who may also get and list " + " and ".join(refused(steps)), "runai-collect"),
    )


def test_a_cut_bundle_is_asked_for_again() -> None:
    assert build_request([], bundle(state="cut", steps=()), "x").commands[0][1] == "runai-collect"
