"""Loose files that hold what kubectl shows to people: read where nothing better is there."""

from pathlib import Path

import yaml
from runai_analyze.bundle import ForeignBundle, open_bundle

from tests.bundle.intake.test_describe import NODE, POD
from tests.bundle.intake.test_tables import NODES, PODS


def opened(folder: Path, **files: str) -> ForeignBundle:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    bundle = open_bundle(folder)
    assert isinstance(bundle, ForeignBundle)
    return bundle


def found(bundle: ForeignBundle) -> dict[tuple[str, str], str]:
    """Return where each node and pod was read from."""
    bodies = [(one.body, one.member) for one in bundle.records(None) if one.body.get("kind") in ("Node", "Pod")]
    return {(body["kind"], body["metadata"]["name"]): member for body, member in bodies}


def test_descriptions_and_tables_in_a_folder(tmp_path: Path) -> None:
    bundle = opened(tmp_path, nodes__txt=NODES, describe__txt=NODE, pods__txt=PODS)
    assert found(bundle) == {
        ("Node", "cp-1"): "nodes.txt",
        ("Node", "gpu-1"): "describe.txt",
        ("Pod", "agent-0"): "pods.txt",
        ("Pod", "scheduler-0"): "pods.txt",
        ("Pod", "setup-0"): "pods.txt",
        ("Pod", "done-0"): "pods.txt",
    }
    assert bundle.coverage("Node", "", []) != ()
    assert bundle.coverage("Pod", "", ["runai"]) != ()


def test_an_object_itself_comes_first(tmp_path: Path) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "trainer-0", "namespace": "runai-team-a"}}
    assert found(opened(tmp_path, a__txt=POD, z__yaml=yaml.safe_dump(pod))) == {("Pod", "trainer-0"): "z.yaml"}


def test_a_description_alone_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "node.txt"
    path.write_bytes(NODE.encode("utf-16"))  # as PowerShell redirects it
    bundle = open_bundle(path)
    assert isinstance(bundle, ForeignBundle)
    assert found(bundle) == {("Node", "gpu-1"): "node.txt"}
