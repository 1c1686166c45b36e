"""must-gather and oc adm inspect: what is proven to be whole, and what is not."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle.formats import recognise

from .packed import gaps, names, packed

TOP = "must-gather.local.42/"
IMAGE = TOP + "quay-io-openshift-must-gather-sha256-1/"
STAMP = "2026-11-30 12:00:{} +0200 CEST m=+0.1\n"
VERSION = "openshift/must-gather\n4.18.0\n"
SOME = "single objects, and no list that tells whether they are all"


def thing(kind: str, name: str, namespace: str = "", version: str = "v1", **more: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **more}


def listed(kind: str, *items: dict[str, Any], version: str = "v1") -> str:
    """A list in YAML: JSON is YAML, and the keys at the left edge are as oc writes them."""
    return f"---\napiVersion: {version}\nitems: {json.dumps(list(items))}\nkind: {kind}List\nmetadata: {{}}\n"


def gathered(**more: Any) -> dict[str, Any]:
    """Two namespaces' worth of the cluster, gathered to the end by the script that OpenShift ships."""
    return {
        IMAGE + "version": VERSION,
        IMAGE + "timestamp": STAMP.format("01") + STAMP.format("59"),
        IMAGE + "cluster-scoped-resources/core/nodes/gpu-1.yaml": thing("Node", "gpu-1"),
        IMAGE + "namespaces/default/default.yaml": thing("Namespace", "default"),
        IMAGE + "namespaces/default/core/pods.yaml": listed("Pod"),
        IMAGE + "namespaces/openshift-nfd/core/pods.yaml": listed("Pod", thing("Pod", "nfd-1", "openshift-nfd")),
        IMAGE + "namespaces/openshift-nfd/apps/deployments.yaml": listed("Deployment", version="apps/v1"),
        **more,
    }


def test_it_is_recognised_with_and_without_a_folder_for_the_image() -> None:
    for top in ("", "inspect.local.1/", IMAGE):
        found = recognise([top + "namespaces/runai/core/pods.yaml", top + "cluster-scoped-resources/core/nodes/a.yaml"])
        assert found is not None
        assert found[0].name == "OpenShift must-gather"


def test_namespaces_that_were_gathered_are_known_and_others_are_not(tmp_path: Path) -> None:
    bundle = packed(tmp_path, gathered())
    assert names(bundle, "Pod") == ["openshift-nfd/nfd-1"]
    assert gaps(bundle, "Pod", "", "default") == []
    assert gaps(bundle, "Pod", "", "openshift-nfd") == []
    assert gaps(bundle, "Pod", "", "runai") == [("Pod in runai", "a must-gather does not hold it", "oc adm inspect ns/runai")]
    assert gaps(bundle, "Pod") == [("Pod", "a must-gather holds it only of some namespaces", "kubectl get pods -A -o yaml")]
    assert gaps(bundle, "Deployment", "apps", "default") == [
        ("Deployment in default", "a must-gather does not hold it", "oc adm inspect ns/default")
    ]


def test_what_no_gathering_brings_is_unknown(tmp_path: Path) -> None:
    expected = [("RunaiConfig", "a must-gather does not hold it", "kubectl get runaiconfigs.run.ai -A -o yaml")]
    assert gaps(packed(tmp_path, gathered()), "RunaiConfig", "run.ai") == expected


def test_a_gathering_to_its_end_has_all_nodes(tmp_path: Path) -> None:
    assert gaps(packed(tmp_path, gathered()), "Node") == []


@pytest.mark.parametrize(
    "change",
    [
        {IMAGE + "version": "my/must-gather\n1\n"},
        {IMAGE + "timestamp": STAMP.format("01")},
        {IMAGE + "timestamp": STAMP.format("01") * 3},
        {IMAGE + "timestamp": ""},
    ],
)
def test_single_nodes_prove_nothing_of_others(tmp_path: Path, change: dict[str, str]) -> None:
    bundle = packed(tmp_path, gathered(**change))
    assert gaps(bundle, "Node") == [("Node", f"not all of it was read ({SOME})", "kubectl get nodes -o yaml")]


def test_an_image_proves_nothing_of_what_another_gathered(tmp_path: Path) -> None:
    files = gathered()
    files[TOP + "other/cluster-scoped-resources/storage.k8s.io/storageclasses/a.yaml"] = thing(
        "StorageClass", "a", version="storage.k8s.io/v1"
    )
    bundle = packed(tmp_path, files)
    assert gaps(bundle, "StorageClass", "storage.k8s.io")[0][1] == f"not all of it was read ({SOME})"
    assert gaps(bundle, "Node") == []


def test_an_object_twice_counts_once(tmp_path: Path) -> None:
    pod = thing("Pod", "nfd-1", "openshift-nfd")
    bundle = packed(tmp_path, gathered(**{IMAGE + "namespaces/openshift-nfd/pods/nfd-1/nfd-1.yaml": pod}))
    assert names(bundle, "Pod") == ["openshift-nfd/nfd-1"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "not all of it was read (single objects, and no list that tells whether they are all)"),
        (listed("Pod"), "not all of it was read (its list is empty, and there are single objects)"),
    ],
)
def test_an_empty_list_beside_objects_is_no_list(tmp_path: Path, content: str, why: str) -> None:
    change = {
        IMAGE + "namespaces/default/core/pods.yaml": content,
        IMAGE + "namespaces/default/pods/a/a.yaml": thing("Pod", "a", "default"),
    }
    bundle = packed(tmp_path, gathered(**change))
    assert "default/a" in names(bundle, "Pod")
    assert gaps(bundle, "Pod", "", "default") == [("Pod in default", why, "kubectl get pods -n default -o yaml")]


def test_an_empty_file_is_no_empty_list(tmp_path: Path) -> None:
    bundle = packed(tmp_path, gathered(**{IMAGE + "namespaces/default/core/pods.yaml": ""}))
    assert gaps(bundle, "Pod", "", "default")[0][1] == "the request failed (its file is empty)"


def test_an_object_where_a_list_belongs_is_no_list(tmp_path: Path) -> None:
    bundle = packed(tmp_path, gathered(**{IMAGE + "namespaces/default/core/pods.yaml": thing("Pod", "a", "default")}))
    assert gaps(bundle, "Pod", "", "default")[0][1] == f"not all of it was read ({SOME})"


def test_times_and_the_cluster_are_told(tmp_path: Path) -> None:
    cluster = thing(
        "Infrastructure", "cluster", version="config.openshift.io/v1", status={"apiServerURL": "https://api.acme.test:6443"}
    )
    where = IMAGE + "cluster-scoped-resources/config.openshift.io/infrastructures/cluster.yaml"
    bundle = packed(tmp_path, gathered(**{TOP + "timestamp": STAMP.format("30"), where: cluster}))
    assert bundle.info.captured == datetime(2026, 11, 30, 10, 0, 59, tzinfo=UTC)
    assert bundle.cluster_name == "acme.test"


def test_logs_are_read_but_for_empty_ones(tmp_path: Path) -> None:
    logs = IMAGE + "namespaces/openshift-nfd/pods/nfd-1/master/master/logs/"
    files = {"current.log": "one\n", "previous.log": "", "previous.insecure.log": "two\n", "rotated/0.log.20261130-1": "three\n"}
    bundle = packed(tmp_path, gathered(**{logs + name: text for name, text in files.items()}))
    found = [(log.pod, log.container, log.previous, log.data) for log in bundle.logs()]
    master = ("nfd-1", "master")
    assert found == [(*master, False, b"one\n"), (*master, True, b"two\n"), (*master, False, b"three\n")]


def test_lengths_in_place_of_secrets_are_no_secrets(tmp_path: Path) -> None:
    data = {"token": base64.b64encode(b"912 bytes long").decode()}
    secret = thing("Secret", "a", "default", data=data, type="Opaque")
    bundle = packed(tmp_path, gathered(**{IMAGE + "namespaces/default/core/secrets.yaml": listed("Secret", secret)}))
    assert bundle.info.exposed == ()
    assert gaps(bundle, "Secret", "", "default") == []
    assert gaps(bundle, "HelmRelease", "made", "default") == []
    assert gaps(bundle, "HelmRelease", "made", "runai") != []


def test_what_must_gather_clean_left_out_is_unknown_and_told(tmp_path: Path) -> None:
    bundle = packed(tmp_path, gathered(**{TOP + "watermark.txt": "2026-11-30 11:00:00 +0000 UTC\n0.0.3\n"}))
    assert any("cleaned with must-gather-clean" in problem.message for problem in bundle.info.problems)
    assert gaps(bundle, "ConfigMap", "", "default")[0][1] == "a must-gather does not hold it"


def test_an_insights_archive_in_it_adds_only_what_it_does_not_hold_itself(tmp_path: Path) -> None:
    old = IMAGE + "insights-data/insights-operator/insights-2026-11-30-0{}0000.tar.gz"
    nested = {
        "config/node/gpu-1.json": {"metadata": {"name": "gpu-1", "labels": {"age": "old"}}},
        "config/pod/runai/agent.json": {"metadata": {"name": "agent", "namespace": "runai"}},
    }
    files = {f"{old.format(hour)}/{name}": content for hour in "12" for name, content in nested.items()}
    files[f"{old.format(1)}/config/pod/runai/gone.json"] = {"metadata": {"name": "gone", "namespace": "runai"}}
    bundle = packed(tmp_path, {**files, **gathered()})
    assert names(bundle, "Pod") == ["openshift-nfd/nfd-1", "runai/agent"]
    nodes = [record.body for record in bundle.records(None) if record.body.get("kind") == "Node"]
    assert [node["metadata"].get("labels") for node in nodes] == [None]
    assert gaps(bundle, "Pod", "", "runai") != []
