"""Descriptions and tables that others kept: every file is read, or is an explicit problem; counts made without our readers."""

import re
from pathlib import Path

import pytest
from runai_analyze.bundle.intake.describe import describe, is_description
from runai_analyze.bundle.intake.tables import is_table, tables

pytestmark = pytest.mark.corpus
# A pod's row: maybe a namespace, a name, how many of its containers are ready. A node's: its name and how it is.
_POD_ROW = re.compile(r"^\s*(?:[a-z0-9-]+ +)?(?:pod/)?[a-z0-9][a-z0-9.-]* +\d+/\d+ +[A-Z]")
_NODE_ROW = re.compile(r"^\s*[a-z0-9][a-z0-9.-]* +(?:Not)?Ready[ ,]")
_EVENT = re.compile(r"^  (?:Normal|Warning) ", re.MULTILINE)
# Rows that are no pods, for lack of a name (the author put a placeholder there).
_PLACEHOLDERS = {
    "cloud-native-stack-install-guides_RHEL-8-10_Server_x86-arm64-L404.txt": 4,
    "cloud-native-docs-openshift_gpu-operator-with-precompiled-drivers-L231.txt": 1,
}
# What was read by hand: file of the folder k8s-describe → namespace, name, node, phase, restarts, and what containers wait for.
BY_HAND = {
    "02_crashloop_backoff-kubectl_describe": (
        "default", "logging-agent", "grafana-cloud-control-plane", "Pending", 6, ["CrashLoopBackOff", "PodInitializing"],
    ),
    "55_kafka_runbook-kubectl_describepod_orders-app-6c8868cb6d-qcv2t_ask-holmes-namespace-55": (
        "ask-holmes-namespace-55", "orders-app-6c8868cb6d-qcv2t", "kind-double-node-worker", "Running", 4, [],
    ),
    "158_slack_chat_correct_date-kubectl_describepod_frontend-service_default": (
        "default", "frontend-service", "aks-agentpool-29949785-vmss000001", "Running", 7, ["CrashLoopBackOff"],
    ),
    "13a_pending_node_selector_basic-kubectl_describe": ("app-13a", "user-profile-import", None, "Pending", 0, []),
}  # fmt: skip


def printed(path: Path) -> str:
    """Return what kubectl printed: files of some folders have two lines of JSON above it, and a title."""
    text = path.read_text(encoding="utf-8")
    if text.startswith('{"toolset_name"'):
        text = text.split("\n", 2)[2]
    return text.removeprefix("stdout:\n").replace("\nstderr:\n", "\n")


@pytest.mark.parametrize(("folder", "files", "pods"), [("k8s-describe", 77, 14), ("k8s-nodes-describe", 1, 0)])
def test_every_description_is_read_or_named(corpus: Path, folder: str, files: int, pods: int) -> None:
    paths = sorted((corpus / folder).iterdir())
    assert len(paths) == files
    found = [(path, list(describe(text))) for path in paths if is_description(text := printed(path))]
    assert sum(one.kind == "Pod" and one.body is not None for _, all_ in found for one in all_) == pods
    for path, all_ in found:
        objects = [one for one in all_ if one.kind != "Event"]
        assert len(objects) == 1, path
        text = printed(path)
        if "\nContainers:" in text:
            body = objects[0].body
            assert body is not None, path
            assert len(body["spec"]["containers"] + body["spec"].get("initContainers", [])) == text.count("\n    Image:")
            restarts = [int(count) for count in re.findall(r"^    Restart Count: +(\d+)$", text, re.MULTILINE)]
            states = body["status"].get("initContainerStatuses", []) + body["status"]["containerStatuses"]
            assert [one["restartCount"] for one in states] == restarts, path
            assert sum(one.kind == "Event" for one in all_) == len(_EVENT.findall(text)), path
        elif "System Info:" not in text:
            assert "only those of nodes and pods are read" in objects[0].problem


@pytest.mark.parametrize("name", BY_HAND)
def test_pods_that_were_read_by_hand(corpus: Path, name: str) -> None:
    body = next(one.body for one in describe(printed(corpus / "k8s-describe" / f"holmesgpt-{name}.txt")) if one.kind == "Pod")
    assert body is not None
    states = body["status"].get("initContainerStatuses", []) + body["status"].get("containerStatuses", [])
    assert (
        body["metadata"]["namespace"],
        body["metadata"]["name"],
        body["spec"].get("nodeName"),
        body["status"]["phase"],
        sum(one["restartCount"] for one in states),
        [one["state"]["waiting"]["reason"] for one in states if "waiting" in one["state"]],
    ) == BY_HAND[name]


def test_the_node_that_was_read_by_hand(corpus: Path) -> None:
    (path,) = (corpus / "k8s-nodes-describe").iterdir()
    (found,) = describe(printed(path))
    assert found.body is not None
    assert found.body["metadata"]["name"] == "kind-double-node-worker"
    assert found.body["status"]["capacity"]["memory"] == "95773032Ki"
    assert found.body["status"]["nodeInfo"]["containerRuntimeVersion"] == "containerd://1.7.18"
    assert [one["status"] for one in found.body["status"]["conditions"]] == ["False", "False", "False", "True"]


@pytest.mark.parametrize(
    ("folder", "files", "pods", "nodes"),
    [("k8s-nodes-table", 7, 0, 34), ("k8s-pods-table", 59, 289, 0), ("k8s-describe", 77, 158, 4)],
)
def test_every_row_of_a_table_is_read_or_named(corpus: Path, folder: str, files: int, pods: int, nodes: int) -> None:
    paths = sorted((corpus / folder).iterdir())
    assert len(paths) == files
    counts = {"Pod": 0, "Node": 0}
    for path in paths:
        text = printed(path)
        if is_description(text) or not is_table(text):
            continue
        read = tables(text, "some")
        if read.others and not read.found:
            continue
        for kind, row in (("Pod", _POD_ROW), ("Node", _NODE_ROW)):
            here = sum(one.body is not None and one.kind == kind for one in read.found)
            assert here == sum(bool(row.match(line)) for line in text.split("\n")), path
            counts[kind] += here
        assert sum(bool(one.problem) for one in read.found) == _PLACEHOLDERS.get(path.name, 0), path
    assert counts == {"Pod": pods, "Node": nodes}
