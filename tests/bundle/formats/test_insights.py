"""Archives of the Insights operator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .packed import gaps, names, packed


def archive(**more: Any) -> dict[str, Any]:
    account = {"status_reports": [{"name": "clusterconfig/nodes", "records_count": 1, "errors": None, "panic": None}]}
    return {
        "insights-operator/gathers.json": account,
        "config/version.json": {"metadata": {"name": "version"}, "status": {"desired": {"version": "4.18.3"}}},
        "config/node/gpu-1.json": {"metadata": {"name": "gpu-1"}},
        "config/pod/openshift-etcd/etcd-1.json": {"metadata": {"name": "etcd-1", "namespace": "openshift-etcd"}},
        "config/clusteroperator/dns.json": {
            "apiVersion": "config.openshift.io/v1",
            "kind": "ClusterOperator",
            "metadata": {"name": "dns"},
        },
        "config/configmaps/openshift-config/a/ca.crt": "text",
        **more,
    }


def test_objects_are_of_the_kind_that_their_path_says(tmp_path: Path) -> None:
    bundle = packed(tmp_path, archive())
    assert bundle.info.collector == "OpenShift Insights archive"
    kinds = {(record.body["kind"], record.body["apiVersion"]) for record in bundle.records(None)}
    assert kinds == {
        ("ClusterVersion", "config.openshift.io/v1"),
        ("ClusterOperator", "config.openshift.io/v1"),
        ("Node", "v1"),
        ("Pod", "v1"),
    }
    assert names(bundle, "Pod") == ["openshift-etcd/etcd-1"]


def test_nodes_are_all_there_where_the_operator_says_so(tmp_path: Path) -> None:
    bundle = packed(tmp_path, archive())
    assert gaps(bundle, "Node") == []
    assert gaps(bundle, "Pod", "", "openshift-etcd")[0][1] == (
        "not all of it was read (it holds some, and nothing tells whether these are all)"
    )


@pytest.mark.parametrize(
    "report",
    [{"records_count": 2}, {"records_count": 1, "errors": ["forbidden"]}, {"records_count": 1, "panic": "nil"}, {}],
)
def test_a_gatherer_that_failed_brought_not_all(tmp_path: Path, report: dict[str, Any]) -> None:
    account = {"status_reports": [{"name": "clusterconfig/nodes", **report}]}
    bundle = packed(tmp_path, archive(**{"insights-operator/gathers.json": account}))
    why = "not all of it was read (the operator's account of it does not fit what is here)"
    assert gaps(bundle, "Node") == [("Node", why, "kubectl get nodes -o yaml")]


@pytest.mark.parametrize("account", ["[]", '{"status_reports": [3, {"name": null}]}', "no json", '{"status_reports": {}}'])
def test_an_account_of_another_shape_says_nothing(tmp_path: Path, account: str) -> None:
    bundle = packed(tmp_path, archive(**{"insights-operator/gathers.json": account}))
    assert gaps(bundle, "Node") != []


def test_the_end_of_a_log_is_read(tmp_path: Path) -> None:
    name = "conditional/namespaces/openshift-monitoring/pods/alert-0/containers/alert/logs/last-50-lines.log"
    bundle = packed(tmp_path, archive(**{name: "one\n"}))
    assert [(log.namespace, log.pod, log.container, log.previous, log.data) for log in bundle.logs()] == [
        ("openshift-monitoring", "alert-0", "alert", False, b"one\n")
    ]
