"""The message to the customer."""

from runai_analyze.model import ChecklistLine, Missing, Outcome, Status, Step
from runai_analyze.report.again import refused
from runai_analyze.report.request import all_questions, build_request

from .sample import bundle, outcome, rule

PODS = Missing("pods", "refused", "kubectl get pods -A")
EXEC = Missing("GPUs", "timeout", "kubectl exec x -- nvidia-smi")
NODES = Missing("nodes", "refused", "kubectl get nodes")


def unseen(*missing: Missing, id: str = "R") -> Outcome:
    return outcome(rule(id), Status.UNKNOWN, missing=missing)


def test_a_question_is_asked_once_and_without_the_path_of_a_field() -> None:
    missing = Missing('Namespace runai metadata.labels["x"]', "the field is not set", question="Which default holds?")
    outcomes = [unseen(missing), unseen(missing, id="S")]
    line = ChecklistLine("S", "clock", "Clocks", "ask", "", (), "Do the clocks agree?")
    asks = all_questions(outcomes, [line])
    assert asks == ("Which default holds?", "Do the clocks agree?")
    request = build_request(outcomes, bundle(steps=()), "atlas", asks)
    assert request.commands == ()
    assert request.text.endswith("Please tell us:\n- Which default holds?\n- Do the clocks agree?\n")


def test_what_is_to_do_first_begins_the_message() -> None:
    first = ["The certificate expired. Renew it.", "B.", "C.", "D."]
    request = build_request([unseen(EXEC)], bundle(steps=()), "atlas", ["Do the clocks agree?"], first)
    assert request.text.startswith("Subject: atlas: three things to do first, one output that we need and one question\n")
    assert "Please do first:\n1. The certificate expired. Renew it.\n2. B.\n3. C.\n\nPlease send us" in request.text
    assert "D." not in request.text
    assert build_request([], bundle(steps=()), "atlas", [], first).text


def test_each_command_stands_once_with_all_that_it_supplies() -> None:
    twice = Missing("the pods of runai", "refused", " kubectl get pods -A ")
    request = build_request([unseen(PODS, NODES), unseen(twice, PODS, id="S")], bundle(steps=()), "atlas")
    assert request.commands == (("nodes", "kubectl get nodes"), ("pods and the pods of runai", "kubectl get pods -A"))
    assert request.text.count("kubectl get pods -A") == 1
    assert request.text.startswith("Subject: atlas: two outputs that we need\n\nHello,\n")


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
    assert request.text.startswith("Subject: atlas: one question\n")
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
    assert request.text.startswith("Subject: x: another bundle\n")
    assert "Please send us another bundle, as this one is not whole. runai-collect only reads." in request.text


def test_raw_output_comes_with_a_warning() -> None:
    warning = "not redacted as a bundle is"
    assert warning in build_request([unseen(PODS)], bundle(steps=()), "x").text
    assert warning not in build_request([], bundle(state="cut", steps=()), "x").text


def test_what_an_option_left_out_is_asked_for_as_another_bundle() -> None:
    gaps = [Missing("nvidia-smi of node a", "left out", "runai-collect", taken_out=("--no-exec",))]
    gaps.append(Missing("Pod", "left out", "kubectl get pods -A -o yaml", taken_out=("-n",)))
    derived = Missing("the nodes", "not all nodes were collected", "kubectl get nodes -o json")
    request = build_request([unseen(*gaps), unseen(derived, id="S"), unseen(gaps[0], id="T")], bundle(steps=()), "atlas")
    beside = "(nvidia-smi then answers on each GPU node)"
    assert request.commands == ((f"another bundle, collected without -n and --no-exec {beside}", "runai-collect"),)
    assert request.text.endswith(
        ".\n\nThe bundle was collected with -n and --no-exec; two checks stay open for it. "
        f"If you can, please send another one, collected without them {beside}.\n"
    )


def test_what_was_removed_is_asked_for_in_one_line_and_by_no_command() -> None:
    gone = Missing("Pod", "the customer took it out", "kubectl get pods -A -o yaml", taken_out=("remove",))
    version = Missing("the Kubernetes version", "the customer took it out", "kubectl version -o json", taken_out=("remove",))
    paths = ("cluster/version.json", *(f"resources/apps/v1/daemonsets/000{number}.jsonl" for number in (1, 2)))
    request = build_request([unseen(gone), unseen(version, id="S")], bundle(steps=(), removed=paths), "atlas")
    assert request.text == (
        "Subject: atlas: the bundle as it was\n\nHello,\n\nthank you for the bundle of 30 Nov 2026, 09:41 UTC.\n\n"
        "You took 3 files (cluster/version.json and 2 of resources/apps/v1/daemonsets/) out of the bundle; "
        "two checks stay open for it. If you can, please send the bundle as it was.\n"
    )
    assert request.commands == (("the bundle as it was, or another one", "runai-collect"),)


def test_who_took_something_out_is_asked_for_no_raw_output_at_all() -> None:
    request = build_request([unseen(PODS, NODES)], bundle(steps=(), removed=("logs/a/b/c.log",)), "atlas")
    assert request.commands == (("another bundle, as this one lacks nodes and pods", "runai-collect"),)
    narrow = build_request([unseen(PODS)], bundle(steps=(), options=(("namespaces", "['runai']"),)), "atlas")
    assert narrow.commands == (("another bundle, as this one lacks pods", "runai-collect"),)
    whole = build_request([unseen(PODS)], bundle(steps=(), options=(("namespaces", "[]"), ("exec", "True"))), "atlas")
    assert whole.commands == (("pods", "kubectl get pods -A"),)


def test_what_was_refused_is_asked_for_beside_what_was_left_out() -> None:
    gap = Missing("nvidia-smi of node a", "left out", "runai-collect", taken_out=("--no-exec",))
    request = build_request([unseen(gap)], bundle(steps=STEPS), "atlas")
    assert [what.partition(" (")[0] for what, _ in request.commands] == [
        "another bundle, collected without --no-exec",
        "another bundle, taken by a user who may also get and list, in all namespaces: pods, deployments.apps and pods/log",
    ]
    assert request.text.startswith("Subject: atlas: another bundle\n")


def test_an_option_that_no_rule_suffers_from_is_not_spoken_of() -> None:
    steps = (Step("logs", "", "", "skipped", "--no-logs"),)
    assert build_request([unseen(EXEC)], bundle(steps=steps), "atlas").commands == (("GPUs", "kubectl exec x -- nvidia-smi"),)


def test_nobody_is_asked_to_fill_in_a_command_or_to_show_a_secret() -> None:
    commands = ["kubectl exec <pod> -- nvidia-smi", "kubectl get secret a -o yaml", "kubectl get secrets -A"]
    request = build_request([unseen(*(Missing("x", "y", command) for command in commands))], bundle(steps=()), "atlas")
    assert [command for _, command in request.commands] == ["kubectl get secrets -A"]


def test_what_only_a_bundle_supplies_is_said() -> None:
    gap = Missing("the certificate of runai/tls", "the request failed", "runai-collect")
    request = build_request([unseen(gap, PODS)], bundle(steps=()), "atlas")
    assert request.commands == (("another bundle, as this one lacks the certificate of runai/tls", "runai-collect"),)


def test_a_node_that_no_pod_answers_for_is_asked_itself() -> None:
    text = build_request([unseen(Missing("nvidia-smi of node a", "nobody", "nvidia-smi -q"))], bundle(steps=()), "x").text
    assert "1. nvidia-smi of node a, run on the node itself\nnvidia-smi -q" in text


def test_who_sent_another_tools_bundle_is_asked_for_ours() -> None:
    missing = Missing("certificates", "a must-gather does not hold it", "runai-collect")
    text = build_request([unseen(missing)], bundle(steps=(), holder="a must-gather", captured=None), "atlas").text
    assert text.startswith("Subject: atlas: a bundle of runai-collect\n")
    assert "thank you for the must-gather.\n" in text
    assert "Please send us a bundle of runai-collect, as this one lacks certificates. runai-collect only reads." in text


def test_who_sent_several_is_thanked_for_all() -> None:
    info = bundle(steps=(), parts=(bundle(), bundle()))
    assert "thank you for the bundles of " in build_request([unseen(PODS)], info, "atlas").text
