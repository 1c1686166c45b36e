"""The message to the customer."""

from runai_analyze.model import Missing, Outcome, Status, Step
from runai_analyze.report.request import build_request, refused

from .sample import bundle, outcome, rule

PODS = Missing("pods", "refused", "kubectl get pods -A")
EXEC = Missing("GPUs", "timeout", "kubectl exec x -- nvidia-smi")
NODES = Missing("nodes", "refused", "kubectl get nodes")


def unseen(*missing: Missing, id: str = "R") -> Outcome:
    return outcome(rule(id), Status.UNKNOWN, missing=missing)


def test_a_question_of_a_rule_is_asked_once_with_what_it_is_about() -> None:
    missing = Missing("Namespace runai label", "the field is not set", question="Which default holds?")
    request = build_request([unseen(missing), unseen(missing, id="S")], bundle(steps=()), "atlas", ["Do the clocks agree?"])
    assert request.commands == ()
    assert request.text.count("- Which default holds? (Namespace runai label)") == 1
    assert "- Do the clocks agree?" in request.text


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


STEPS = (
    Step("list:core/v1/pods", "GET", "cluster", "forbidden"),
    Step("list:apps/v1/deployments@runai", "GET", "namespace", "forbidden"),
    Step("list:apps/v1/deployments@default", "GET", "namespace", "forbidden"),
    Step("log:runai/x/y", "GET", "pod", "forbidden"),
    Step("list:core/v1/nodes", "GET", "cluster", "ok"),
)


def test_refusals_ask_for_another_bundle_in_place_of_raw_output() -> None:
    request = build_request([unseen(PODS, EXEC)], bundle(steps=STEPS), "atlas")
    assert refused(STEPS) == ("pods", "deployments.apps", "pods/log")
    assert [command for _, command in request.commands] == ["runai-collect", "kubectl exec x -- nvidia-smi"]
    assert request.commands[0][0].endswith("who may also get and list, in all namespaces: pods, deployments.apps and pods/log")


def test_many_refusals_are_counted() -> None:
    steps = tuple(Step(f"list:core/v1/kind{i:02}", "GET", "cluster", "forbidden") for i in range(20))
    assert build_request([], bundle(steps=steps), "x").commands[0][0].endswith("kind11 and 8 more")


def test_a_cut_bundle_is_asked_for_again_and_nothing_else() -> None:
    request = build_request([unseen(PODS, EXEC)], bundle(state="cut", steps=()), "x")
    assert request.commands == (("another bundle, as this one is not whole", "runai-collect"),)


def test_raw_output_comes_with_a_warning() -> None:
    warning = "not redacted as a bundle is"
    assert warning in build_request([unseen(PODS)], bundle(steps=()), "x").text
    assert warning not in build_request([], bundle(state="cut", steps=()), "x").text
