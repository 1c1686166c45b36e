"""Whether two bundles are of one cluster: by what no other cluster has, and what is said when nothing tells."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.identity import Identity, compare
from runai_analyze.bundle.source import Record


def shown(*bodies: dict[str, Any], machines: tuple[str, ...] = ()) -> Identity:
    """Return what a bundle with these objects, and files about these machines, shows of its cluster."""
    found = Identity()
    for body in bodies:
        found.add(Record("object", {"apiVersion": "v1", **body}))
    for machine in machines:
        found.add(Record("node_file", {"node": machine, "name": "nvidia-smi.xml"}))
    return found


def namespace(name: str, uid: str) -> dict[str, Any]:
    return {"kind": "Namespace", "metadata": {"name": name, "uid": uid}}


def node(name: str, uid: str = "") -> dict[str, Any]:
    return {"kind": "Node", "metadata": {"name": name, **({"uid": uid} if uid else {})}}


def authority(pem: str) -> dict[str, Any]:
    text = f"-----BEGIN CERTIFICATE-----\n{pem}\n-----END CERTIFICATE-----\n"
    return {"kind": "ConfigMap", "metadata": {"name": "kube-root-ca.crt", "namespace": "runai"}, "data": {"ca.crt": text}}


def openshift(number: str) -> dict[str, Any]:
    return {"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
            "spec": {"clusterID": number}}


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        ([namespace("kube-system", "uid-of-one")], [namespace("kube-system", "uid-of-one")], "same"),
        ([namespace("kube-system", "uid-of-one")], [namespace("kube-system", "uid-of-two")], "different"),
        ([namespace("team-a", "uid-of-one")], [namespace("team-a", "uid-of-two")], "unknown"),  # it may have been made anew
        ([openshift("0001")], [openshift("0001")], "same"),
        ([openshift("0001")], [openshift("0002")], "different"),
        ([authority("AAAA")], [authority("AA\nAA")], "same"),
        ([authority("AAAA")], [authority("BBBB")], "different"),
        ([node("gpu-1", "uid-of-gpu-1")], [node("gpu-1", "uid-of-gpu-1"), node("gpu-2", "uid-of-gpu-2")], "same"),
        ([node("gpu-1", "uid-of-gpu-1")], [node("gpu-1", "another-uid")], "different"),
        ([node("gpu-1")], [node("cpu-1")], "different"),
        ([node("gpu-1")], [node("gpu-1")], "unknown"),  # many clusters have a node of that name
        ([], [], "unknown"),
    ],
)
def test_compare(one: list[dict[str, Any]], other: list[dict[str, Any]], answer: str) -> None:
    assert compare(shown(*one), shown(*other))[0] == answer
    assert compare(shown(*other), shown(*one))[0] == answer


def test_any_object_with_the_same_uid_links_two_bundles() -> None:
    pod = {"kind": "Pod", "metadata": {"name": "a", "namespace": "runai", "uid": "11111111-aaaa"}}
    assert compare(shown(pod), shown(pod)) == ("same", "the uids of objects")


@pytest.mark.parametrize("uid", ["null", "", "***HIDDEN***", "«redacted:not-shown»"])
def test_a_uid_that_a_writer_damaged_links_nothing(uid: str) -> None:
    one, other = namespace("kube-system", uid), namespace("kube-system", uid)
    assert compare(shown(one), shown(other))[0] == "unknown"


def test_files_of_a_machine_are_linked_by_its_node() -> None:
    cluster = shown(node("gpu-1.example.org", "uid-of-gpu-1"))
    assert compare(cluster, shown(machines=("GPU-1",))) == ("same", "the node GPU-1")
    assert compare(shown(machines=("GPU-1",)), cluster)[0] == "same"


def test_a_machine_that_is_no_node_may_be_the_one_that_cannot_join() -> None:
    assert compare(shown(node("gpu-1", "uid-of-gpu-1")), shown(machines=("gpu-9",)))[0] == "unknown"


def test_the_difference_is_told_with_both_values() -> None:
    _, why = compare(shown(namespace("kube-system", "uid-of-one")), shown(namespace("kube-system", "uid-of-two")))
    assert why == "the uid of namespace kube-system is uid-of-one in one and uid-of-two in the other"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [  # two runs of one cluster, a week apart: 2017-12-13 and 2017-12-21, on the same nodes
        ("bundle-sonobuoy/sonobuoy-results-0.10.tar.gz", "bundle-sonobuoy/sonobuoy-results-0.9.tar.gz", "same"),
        ("bundle-sonobuoy/sonobuoy-results-0.10.tar.gz", "bundle-sonobuoy/sonobuoy-results-4-e2e-failures.tar.gz", "different"),
        (
            "bundle-troubleshoot/sbctl-sbctl-support-bundle.tar.gz",
            "bundle-troubleshoot/troubleshoot-testdata-support-bundle.tar.gz",
            "different",
        ),
    ],
)
def test_real_bundles(corpus: Path, one: str, other: str, answer: str) -> None:
    found = []
    for name in (one, other):
        identity = Identity()
        for record in open_bundle(corpus / name).records(None):
            identity.add(record)
        found.append(identity)
    assert compare(*found)[0] == answer
