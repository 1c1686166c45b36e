"""Several bundles of one cluster as one: what counts, what is gone, what is whole, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle.several import Opened, open_bundles
from runai_analyze.errors import BundleError

from .builder import Builder, node

OLD, NEW = "2026-11-29T12:00:00Z", "2026-11-30T12:00:00Z"
PODS = frozenset([("Pod", "")])


def bundle(taken: str, uid: str = "uid-of-the-cluster", namespaces: bool = True) -> Builder:
    """Return a bundle of a cluster, taken at that time."""
    made = Builder()
    made.about["clock"] = {"server": taken}
    if namespaces:
        made.list("Namespace", "v1", {"metadata": {"name": "kube-system", "uid": uid}}, {"metadata": {"name": "runai"}})
    return made


def pod(name: str, phase: str = "Running", namespace: str = "runai") -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": namespace}, "status": {"phase": phase}}


def opened(folder: Path, **bundles: Builder) -> Opened:
    """Write bundles under their names and open them as one, in that order; their lists of APIs tell nothing."""
    return open_bundles([made.write(folder / f"{name}.tgz", complete=False) for name, made in bundles.items()])


def phases(source: Opened) -> dict[str, str]:
    return {record.body["metadata"]["name"]: record.body["status"]["phase"] for record in source.records(PODS)}


def test_of_an_object_in_both_the_newer_counts_whatever_the_order(tmp_path: Path) -> None:
    old = bundle(OLD).list("Pod", "v1", pod("a", "Pending"), namespace="runai")
    new = bundle(NEW).list("Pod", "v1", pod("a", "Running"), namespace="runai")
    assert phases(opened(tmp_path, old=old, new=new)) == {"a": "Running"}
    assert phases(opened(tmp_path, new=new, old=old)) == {"a": "Running"}


def test_what_a_newer_whole_list_has_not_is_gone(tmp_path: Path) -> None:
    old = bundle(OLD).list("Pod", "v1", pod("a"), pod("b"))
    assert phases(opened(tmp_path, old=old, new=bundle(NEW).list("Pod", "v1", pod("a")))) == {"a": "Running"}


def test_what_a_newer_list_may_have_lost_is_kept(tmp_path: Path) -> None:
    old = bundle(OLD).list("Pod", "v1", pod("a"), pod("b"))
    new = bundle(NEW).list("Pod", "v1", pod("a"), status="truncated")
    assert phases(opened(tmp_path, old=old, new=new)) == {"a": "Running", "b": "Running"}


def test_events_pass_and_are_kept(tmp_path: Path) -> None:
    event = {"metadata": {"name": "e", "namespace": "runai"}, "reason": "OOM"}
    source = opened(tmp_path, old=bundle(OLD).list("Event", "v1", event), new=bundle(NEW).list("Event", "v1"))
    assert [record.body["reason"] for record in source.records(frozenset([("Event", "")]))] == ["OOM"]


def test_a_kind_is_whole_when_one_of_them_has_it_whole(tmp_path: Path) -> None:
    old = bundle(OLD).list("Pod", "v1", pod("a")).list("Node", "v1", status="forbidden")
    new = bundle(NEW).list("Pod", "v1", status="forbidden").list("Node", "v1", node("gpu-1"))
    source = opened(tmp_path, old=old, new=new)
    assert source.coverage("Pod", "", ()) == source.coverage("Node", "", ()) == ()
    assert [step.status for step in source.info.steps if step.kind in ("Pod", "Node")] == ["ok", "ok"]


def test_namespaces_that_were_asked_in_turn_are_whole_together(tmp_path: Path) -> None:
    old = bundle(OLD).list("Pod", "v1", pod("a"), namespace="runai")
    new = bundle(NEW).list("Pod", "v1", pod("c", namespace="kube-system"), namespace="kube-system")
    source = opened(tmp_path, old=old, new=new)
    assert source.coverage("Pod", "", ()) == ()
    assert source.coverage("Pod", "", ("runai", "kube-system")) == ()


def test_what_neither_has_is_missing(tmp_path: Path) -> None:
    source = opened(tmp_path, old=bundle(OLD).list("Pod", "v1", status="forbidden"), new=bundle(NEW))
    (missing,) = source.coverage("Pod", "", ())
    assert (missing.reason, missing.command) == ("the account may not read it", "kubectl get pods -A -o yaml")


def test_a_cut_bundle_makes_nothing_whole(tmp_path: Path) -> None:
    old = bundle(OLD).list("Pod", "v1", pod("a")).write(tmp_path / "old.tgz", manifest=False)
    source = open_bundles([old, bundle(NEW).write(tmp_path / "new.tgz", complete=False)])
    assert source.coverage("Pod", "", ())
    assert source.info.state == "cut"


def test_two_clusters_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BundleError) as told:
        opened(tmp_path, old=bundle(OLD, "uid-of-acme"), new=bundle(NEW, "uid-of-other"))
    values = "is uid-of-acme in one and uid-of-other in the other"
    assert told.value.message == f"old.tgz and new.tgz are of two clusters: the uid of namespace kube-system {values}"


def test_one_that_nothing_links_is_taken_and_told(tmp_path: Path) -> None:
    source = opened(tmp_path, a=bundle(OLD), b=bundle(NEW), c=Builder().list("Pod", "v1", pod("x")))
    assert [note for note in source.info.notes if "tells of which cluster" in note] == [
        "Nothing in c.tgz tells of which cluster it is: that it is of this one is taken from you."
    ]


def test_three_are_linked_by_what_each_two_share(tmp_path: Path) -> None:
    nodes = bundle(OLD).list("Node", "v1", {"metadata": {"name": "gpu-1", "uid": "uid-of-gpu-1"}})
    other = Builder().list("Node", "v1", {"metadata": {"name": "gpu-1", "uid": "uid-of-gpu-1"}})
    source = opened(tmp_path, a=bundle(NEW), b=other, c=nodes)
    assert not any("tells of which cluster" in note for note in source.info.notes)


def test_evidence_names_the_bundle(tmp_path: Path) -> None:
    source = opened(tmp_path, old=bundle(OLD).list("Pod", "v1", pod("a")), new=bundle(NEW))
    assert [record.member for record in source.records(PODS)] == ["old.tgz/resources/core/v1/pods/0001.jsonl"]


def test_logs_are_of_the_newest(tmp_path: Path) -> None:
    old, new = bundle(OLD), bundle(NEW)
    old.add("logs/runai/a/c.log", "before\n").add("logs/runai/b/c.log", "only here\n")
    new.add("logs/runai/a/c.log", "after\n")
    logs = {(log.pod, log.data) for log in opened(tmp_path, old=old, new=new).logs()}
    assert logs == {("a", b"after\n"), ("b", b"only here\n")}


def test_the_same_file_twice_is_one(tmp_path: Path) -> None:
    path = bundle(NEW).write(tmp_path / "a.tgz")
    copy = tmp_path / "copy.tgz"
    copy.write_bytes(path.read_bytes())
    assert open_bundles([path, copy]).info.file_name == "a.tgz"


def test_info_tells_of_all(tmp_path: Path) -> None:
    info = opened(tmp_path, old=bundle(OLD), new=bundle(NEW)).info
    assert info.file_name == "new.tgz, old.tgz"
    assert info.captured is not None
    assert info.captured.isoformat() == "2026-11-30T12:00:00+00:00"
    assert [part.file_name for part in info.parts] == ["new.tgz", "old.tgz"]
    assert info.size == sum(part.size for part in info.parts) > 0
    assert info.notes == (
        "2 bundles were read as one: new.tgz, old.tgz. Of what stands in more than one of them the newest counts.",
    )


def test_what_bundles_of_other_tools_never_hold_is_said_of_all_of_them(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pod.json").write_text(json.dumps({"apiVersion": "v1", "kind": "Pod", **pod(name)}))
    (missing,) = open_bundles([tmp_path / "a", tmp_path / "b"]).coverage("StorageClass", "storage.k8s.io", ())
    assert (missing.reason, missing.command) == ("this set of bundles does not hold it", "kubectl get storageclasses -o yaml")


def test_what_nvidia_smi_said_comes_with_its_own_source(tmp_path: Path) -> None:
    old = bundle(OLD).add("nodes/gpu-1/nvidia-smi.xml", "<old/>").add("nodes/gpu-1/source.json", '{"pod": "old"}')
    new = bundle(NEW).add("nodes/gpu-1/source.json", '{"told": "no pod has nvidia-smi"}')
    files = {record.body["name"]: record.body for record in opened(tmp_path, old=old, new=new).records(None)
             if record.area == "node_file"}
    assert files["nvidia-smi.xml"]["text"] == "<old/>"
    assert files["source.json"]["json"] == {"pod": "old"}
