"""Where the files of the tree that oc adm inspect writes stand, and what that says."""

import pytest
from runai_analyze.bundle.formats.inspected import LogPlace, Place, list_kind, log_of, place_of

IMAGE = "must-gather.local.1/quay-io-x-sha256-1"


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("cluster-scoped-resources/core/nodes/gpu-1.yaml", Place("", "", "", "nodes", "gpu-1")),
        (f"{IMAGE}/cluster-scoped-resources/storage.k8s.io/csinodes.yaml", Place(IMAGE, "", "storage.k8s.io", "csinodes", "")),
        ("inspect.local.1/namespaces/runai/runai.yaml", Place("inspect.local.1", "", "", "namespaces", "runai")),
        ("namespaces/runai/core/pods.yaml", Place("", "runai", "", "pods", "")),
        ("namespaces/runai/apps/deployments.json", Place("", "runai", "apps", "deployments", "")),
        ("namespaces/runai/route.openshift.io/routes/a.yaml", Place("", "runai", "route.openshift.io", "routes", "a")),
        ("namespaces/runai/pods/agent-1/agent-1.yaml", Place("", "runai", "", "pods", "agent-1")),
        ("namespaces/runai/core/pods.yaml/agent-1.yaml", Place("", "runai", "", "pods", "agent-1")),  # a folder for a file
        ("namespaces/runai/pods/agent-1/c/c/healthz/index.yaml", None),
        ("sosreport-a/sos_commands/openshift/namespaces/runai/pods.yaml", None),
        ("insights-data/x.tar.gz/cluster-scoped-resources/core/nodes/gpu-1.yaml", None),
        ("a/b/c/d/namespaces/runai/core/pods.yaml", None),
        ("cluster-scoped-resources/core/nodes.yaml.txt", None),
    ],
)
def test_a_path_says_what_a_file_holds(name: str, place: Place | None) -> None:
    assert place_of(name) == place


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("current.log", LogPlace("runai", "agent-1", "c", False)),
        ("previous.log", LogPlace("runai", "agent-1", "c", True)),
        ("current.insecure.log", LogPlace("runai", "agent-1", "c", False)),
        ("rotated/0.log.20231102-061208", LogPlace("runai", "agent-1", "c", False)),
        ("other.txt", None),
    ],
)
def test_a_path_says_whose_log_a_file_is(name: str, place: LogPlace | None) -> None:
    assert log_of(f"{IMAGE}/namespaces/runai/pods/agent-1/c/c/logs/{name}") == place


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("---\napiVersion: v1\nitems: []\nkind: PodList\n", "Pod"),
        ('{\n    "kind": "PodList",\n    "items": []\n}', "Pod"),
        ("apiVersion: v1\nitems: []\nkind: List\n", ""),
        ("apiVersion: v1\nkind: Pod\n", None),
        ("a: |\n  kind: PodList\n", None),
        ("", None),
    ],
)
def test_a_list_is_told_from_an_object_and_from_nothing(text: str, kind: str | None) -> None:
    assert list_kind(text.encode()) == kind
