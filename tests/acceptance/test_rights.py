"""A user who may read the pods of one namespace and nothing else: a valid bundle, and a report that does not guess."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from tests.acceptance.html import text_blocks
from tests.acceptance.programs import Analyzed, Collected, analyze, collect
from tests.acceptance.site import Site

pytestmark = pytest.mark.cluster

USER, NAMESPACE = "podreader", "runai"
REFUSED = 1  # a bundle, but something was refused
ROLE = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "Role",
    "metadata": {"name": "pod-reader", "namespace": NAMESPACE},
    "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}],
}
BINDING = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "RoleBinding",
    "metadata": {"name": "pod-reader", "namespace": NAMESPACE},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "pod-reader"},
    "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER}],
}


@dataclass(frozen=True)
class Restricted:
    """The run of a user with few rights, and what the server answered."""

    collected: Collected
    refused: frozenset[str]  # paths that were answered with 403
    pods: frozenset[str]  # what is there of what the user may read


@pytest.fixture(scope="module")
def restricted(site: Site, runai_collect: Sequence[str], tmp_path_factory: pytest.TempPathFactory) -> Restricted:
    folder = tmp_path_factory.mktemp("rights")
    with site.changed("healthy") as cluster:
        cluster.client.load(ROLE)
        cluster.client.load(BINDING)
        cluster.clear_recording()
        collected = collect(runai_collect, folder / "bundle.tgz", cluster.environment(USER, namespace=NAMESPACE))
        refused = frozenset(urlsplit(entry["path"]).path for entry in cluster.recording() if entry["status"] == 403)
        pods = frozenset(pod["metadata"]["name"] for pod in cluster.client.list(f"/api/v1/namespaces/{NAMESPACE}/pods"))
    return Restricted(collected, refused, pods)


@pytest.fixture(scope="module")
def collected(restricted: Restricted) -> Collected:
    return restricted.collected


@pytest.fixture(scope="module")
def report(collected: Collected) -> Analyzed:
    return analyze(collected.path, collected.path.parent / "report", "--format", "html,json", "--strict")


def test_there_is_a_bundle_and_the_exit_code_says_refused(collected: Collected) -> None:
    assert collected.run.code == REFUSED, collected.run
    assert collected.bundle.manifest["state"] == "complete"


def test_it_holds_the_pods_of_the_namespace_and_nothing_else(restricted: Restricted, collected: Collected) -> None:
    found = list(collected.bundle.rows("resources/"))
    assert {body["metadata"]["name"] for body in found} == restricted.pods
    assert {(body["kind"], body["metadata"]["namespace"]) for body in found} == {("Pod", NAMESPACE)}
    assert [
        row for folder in ("secrets/", "configmaps/", "helm/", "certificates/") for row in collected.bundle.rows(folder)
    ] == []


def test_each_refusal_is_in_the_manifest(collected: Collected) -> None:
    """Every kind that was refused, with the server's own words; none of them says that there are none."""
    lists = [step for step in collected.bundle.steps if step["id"].startswith("list:")]
    refused = {step["id"] for step in lists if step["status"] == "forbidden"}
    assert {"list:core/v1/nodes", "list:core/v1/namespaces", "list:core/v1/pods", f"list:core/v1/events@{NAMESPACE}"} <= refused
    assert all("forbidden" in step["message"] for step in lists if step["status"] == "forbidden" and step["code"] == 403)
    read = {step["id"] for step in lists if step["status"] in ("ok", "empty")}
    assert read == {f"list:core/v1/pods@{NAMESPACE}"}


def test_whatever_the_server_refused_is_in_the_manifest(restricted: Restricted, collected: Collected) -> None:
    said = {path for step in collected.bundle.steps if step["status"] == "forbidden" for path in _paths(step["request"])}
    assert restricted.refused
    assert restricted.refused - said == set()


def test_logs_and_exec_were_refused_and_say_so(collected: Collected) -> None:
    logs = [step for step in collected.bundle.steps if step["id"].startswith("log:")]
    assert logs
    assert {step["status"] for step in logs} == {"forbidden"}


def test_the_user_is_told_what_was_refused(collected: Collected) -> None:
    said = (collected.run.stdout + collected.run.stderr).decode().lower()
    assert "nodes" in said
    assert "forbidden" in said or "refused" in said


def test_the_report_says_unknown_and_never_pass(report: Analyzed) -> None:
    """Of all kinds only pods of one namespace were read: a rule that passes could have looked at nothing else."""
    passed = [outcome for outcome in report.report["outcomes"] if outcome["status"] == "pass"]
    assert [(outcome["rule"], outcome["message"]) for outcome in passed] == []
    assert report.report["counts"]["unknown"] > 0.5 * len(report.report["outcomes"])
    assert report.report["can_run"] != "yes"


def test_each_unknown_answer_says_what_is_missing_and_why(report: Analyzed) -> None:
    unknown = [outcome for outcome in report.report["outcomes"] if outcome["status"] == "unknown"]
    assert [outcome["rule"] for outcome in unknown if not outcome["missing"]] == []
    assert [
        missing for outcome in unknown for missing in outcome["missing"] if not missing["what"] or not missing["reason"]
    ] == []


def test_the_checklist_answers_no_line_that_needs_what_was_refused(report: Analyzed) -> None:
    assert [line["id"] for line in report.report["checklist"]["lines"] if line["answer"] in ("pass", "fail")] == []


def test_the_request_to_the_customer_is_printed(report: Analyzed) -> None:
    request = report.report["request"]
    assert request["text"]
    assert request["commands"]
    page = " ".join(text_blocks(report.read("report.html")))
    for command in request["commands"]:
        assert " ".join(command["command"].split()) in page
    assert any("get nodes" in command["command"] or "runai-collect" in command["command"] for command in request["commands"])


def test_strict_makes_unknown_answers_incomplete(report: Analyzed) -> None:
    assert report.run.code == 5, report.run


def _paths(request: str) -> list[str]:
    return [urlsplit(word).path for word in request.split() if word.startswith("/")]
