"""Which distribution this is, and the OpenShift version."""

from typing import Any

import pytest
from runai_analyze.facts.distribution import distribution, openshift_version
from runai_analyze.facts.examples import ExampleSource
from runai_analyze.facts.gaps import Gaps
from runai_analyze.facts.index import Index, add

from .helpers import is_unknown, node


class Source(ExampleSource):
    """An example with an answer of /version."""

    git_version = "v1.33.5"

    @property
    def version(self) -> dict[str, Any]:
        return {"gitVersion": self.git_version}


def found(git_version: str, *objects: dict[str, Any], not_collected: tuple[str, ...] = ()) -> object:
    source = Source([{"apiVersion": "v1", **body} for body in objects], not_collected, None)
    source.git_version = git_version
    index = Index()
    for record in source.records(None):
        add(index, record)
    return distribution(source, index, Gaps(source))


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("v1.33.5", "vanilla"),
        ("v1.33.5-eks-3025e55", "eks"),
        ("v1.31.4-gke.1372000", "gke"),
        ("v1.31.3+rke2r1", "rke2"),
        ("v1.31.3+k3s1", "k3s"),
        ("v1.28.8+vmware.1-fips", "tanzu"),
    ],
)
def test_by_the_version(version: str, name: str) -> None:
    assert found(version, node()) == name


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"image": "Red Hat Enterprise Linux CoreOS 418.94.202503061016-0"}, "openshift"),
        ({"labels": {"node.openshift.io/os_id": "rhcos"}}, "openshift"),
        ({"labels": {"kubernetes.azure.com/cluster": "x"}}, "aks"),
        ({"labels": {"cloud.google.com/gke-nodepool": "x"}}, "gke"),
        ({"providerID": "ocid1.instance.oc1.x"}, "oke"),
        ({"providerID": "kind://docker/kind/kind-control-plane"}, "kind"),
        ({"labels": {"minikube.k8s.io/name": "minikube"}}, "minikube"),
        ({"labels": {"microk8s.io/cluster": "true"}}, "microk8s"),
        ({"image": "Talos (v1.7.0)"}, "talos"),
        ({"annotations": {"rke.cattle.io/internal-ip": "10.0.0.1"}}, "rke1"),
    ],
)
def test_by_a_node(fields: dict[str, Any], name: str) -> None:
    assert found("v1.33.5", node("a"), node("b", **fields)) == name


def test_by_the_api() -> None:
    assert (
        found("v1.33.5", {"kind": "ClusterVersion", "apiVersion": "config.openshift.io/v1", "metadata": {"name": "version"}})
        == "openshift"
    )


def test_vanilla_is_not_said_before_all_nodes_were_seen() -> None:
    assert is_unknown(found("v1.33.5", node(), not_collected=("Node",)))
    assert found("v1.33.5-eks-1", not_collected=("Node",)) == "eks"


@pytest.mark.parametrize(
    ("status", "version"),
    [
        (
            {
                "history": [{"state": "Partial", "version": "4.19.1"}, {"state": "Completed", "version": "4.18.9"}],
                "desired": {"version": "4.19.1"},
            },
            "4.18.9",
        ),
        ({"history": [{"state": "Partial", "version": "4.18.9"}], "desired": {"version": "4.18.9"}}, "4.18.9"),
        ({"history": "none"}, None),
    ],
)
def test_the_openshift_version_is_the_last_completed_one(status: dict[str, Any], version: str | None) -> None:
    index = Index()
    source = Source(
        [{"kind": "ClusterVersion", "apiVersion": "config.openshift.io/v1", "metadata": {"name": "version"}, "status": status}],
        (),
        None,
    )
    for record in source.records(None):
        add(index, record)
    assert openshift_version(index) == version
