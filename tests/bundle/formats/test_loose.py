"""Loose files: what is there can fail, and of nothing it is known that there is no more."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from runai_analyze.bundle import open_bundle

from .packed import gaps, names, packed

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "runai"}}
LIST = {"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": [POD]}


def test_lists_and_objects_of_any_mix_are_read(tmp_path: Path) -> None:
    other = {**POD, "metadata": {"name": "b", "namespace": "runai"}}
    bundle = packed(tmp_path, {"x/pods.json": LIST, "b.yaml": json.dumps(other), "node.txt": "kind: Node\nmetadata: {name: n}\n"})
    assert (names(bundle, "Pod"), names(bundle, "Node")) == (["runai/a", "runai/b"], ["n"])


def test_nothing_in_it_proves_that_there_is_no_more(tmp_path: Path) -> None:
    bundle = packed(tmp_path, {"pods.json": LIST})
    some = "not all of it was read (it holds some, and nothing tells whether these are all)"
    assert gaps(bundle, "Pod", "", "runai") == [("Pod", some, "kubectl get pods -A -o yaml")]
    assert gaps(bundle, "Node") == [("Node", "a folder of loose files does not hold it", "kubectl get nodes -o yaml")]


def test_the_version_of_the_server_is_read_and_not_that_of_kubectl(tmp_path: Path) -> None:
    client = {"clientVersion": {"gitVersion": "v1.35.1"}}
    both = {**client, "serverVersion": {"major": "1", "minor": "33", "gitVersion": "v1.33.4"}}
    assert packed(tmp_path, {"version.json": both}).version == both["serverVersion"]
    assert packed(tmp_path, {"raw.json": json.dumps(both["serverVersion"])}).version == both["serverVersion"]
    assert not isinstance(packed(tmp_path, {"version.json": client, "pods.json": LIST}).version, dict)


def test_a_single_file_and_a_zip_are_as_good_as_a_folder(tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_text(json.dumps(LIST, indent=4))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "pods.json", "from the customer/pods.json")
    for name in ("pods.json", "a.zip"):
        assert [record.body["metadata"]["name"] for record in open_bundle(tmp_path / name).records(None)] == ["a"]


def test_files_without_any_object_are_told(tmp_path: Path) -> None:
    bundle = packed(tmp_path, {"notes.txt": "we did: restart\n"})
    assert [problem.message for problem in bundle.info.problems] == ["no file in it holds an object of Kubernetes"]


def test_a_file_of_any_name_is_known_by_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "pods").write_text(json.dumps(LIST))
    (tmp_path / "pods.log").write_text("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n")
    for name in ("pods", "pods.log"):
        assert [record.body["metadata"]["name"] for record in open_bundle(tmp_path / name).records(None)] == ["a"]
