"""rancher's support bundles. They are imitations, made after the program that writes them."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runai_analyze.bundle import open_bundle
from runai_analyze.model import Missing

from tests.bundle.formats.packed import gaps, names, packed

TOP = "supportbundle_1f2e_2026-11-30T12-00-00Z/"
ABOUT = """projectnamespaceuuid: 1f2e
bundlecreatedat: "2026-11-30T12:00:00Z"
bundlename: supportbundle
bundleversion: 0.1.0
issueurl: "null"
kubernetesversion: v1.30.4+rke2r1
"""
NODES = """apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: node-1
  spec:
    podCIDR: "null"
  status:
    capacity:
      pods: "110"
    images:
    - sizeBytes: 1.00072e+09
kind: List
"""
PODS = """apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: agent
    namespace: runai
kind: List
"""


def kit(**files: str) -> dict[str, Any]:
    own = {
        "metadata.yaml": ABOUT,
        "bundleGenerationError.log": "",
        "yamls/cluster/v1/nodes.yaml": NODES,
        "yamls/namespaced/runai/v1/pods.yaml": PODS,
        "logs/runai/agent/main.log": "one\n",
        "logs/runai/agent/main.log.1": "before\n",
    }
    return {TOP + name: content for name, content in {**own, **files}.items()}


def test_objects_version_and_time(tmp_path: Path) -> None:
    bundle = packed(tmp_path, kit())
    assert (bundle.info.holder, names(bundle, "Pod"), names(bundle, "Node")) == (
        "a rancher support bundle", ["runai/agent"], ["node-1"]
    )  # fmt: skip
    assert not isinstance(bundle.version, Missing)
    assert bundle.version["gitVersion"] == "v1.30.4+rke2r1"
    assert bundle.info.captured == datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_values_that_the_writer_damaged(tmp_path: Path) -> None:
    (body,) = [record.body for record in packed(tmp_path, kit()).records(None) if record.body.get("kind") == "Node"]
    assert (body["spec"], body["status"]["images"]) == ({}, [{"sizeBytes": 1000720000}])


def test_a_list_is_whole_and_a_kind_without_a_file_is_unknown(tmp_path: Path) -> None:
    bundle = packed(tmp_path, kit())
    assert (gaps(bundle, "Node"), gaps(bundle, "Pod", "", "runai")) == ([], [])
    assert gaps(bundle, "Pod") != []
    reasons = [reason for _, reason, _ in gaps(bundle, "StorageClass", "storage.k8s.io")]
    assert reasons == ["a rancher support bundle does not hold it"]


def test_logs(tmp_path: Path) -> None:
    found = [(log.pod, log.container, log.previous, log.data) for log in packed(tmp_path, kit()).logs()]
    assert found == [("agent", "main", False, b"one\n"), ("agent", "main", True, b"before\n")]


def test_what_the_tool_could_not_do_is_told(tmp_path: Path) -> None:
    bundle = packed(tmp_path, kit(**{"bundleGenerationError.log": "failed to list foos: timeout\n"}))
    assert [one.message for one in bundle.info.problems] == ["the tool noted: failed to list foos: timeout"]


def test_it_is_known_as_a_zip_with_archives_of_nodes_in_it(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as node:
        node.writestr("node-1/hostinfos/hostname", "node-1\n")
    path = tmp_path / "supportbundle.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in kit().items():
            archive.writestr(name, content)
        archive.writestr(TOP + "nodes/node-1.zip", inner.getvalue())
    assert open_bundle(path).info.collector == "rancher support bundle"
