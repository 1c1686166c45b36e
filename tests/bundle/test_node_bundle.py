"""What ``runai-collect node`` wrote is told apart from the bundle of a cluster: no report is made of it."""

import platform
from pathlib import Path

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.errors import BundleError, Exit
from runai_collect import node

from .builder import TOP, Builder, packed


def refusal(path: Path) -> BundleError:
    with pytest.raises(BundleError) as refused:
        open_bundle(path)
    assert refused.value.exit_code == Exit.BUNDLE
    return refused.value


def test_what_the_collector_wrote_of_a_machine(tmp_path: Path) -> None:
    path = tmp_path / "n.tgz"
    assert node.main(["-q", "-o", str(path), "--no-kernel", "--no-system"], str(tmp_path / "none")) == 0
    error = refusal(path)
    assert error.message == f"n.tgz is the bundle of the machine {platform.node()} alone, which runai-collect node wrote"
    assert "reads the bundle of the whole cluster" in error.hint
    assert error.hint.endswith("runai-collect inspect n.tgz")


def test_a_hostile_name_is_not_printed(tmp_path: Path) -> None:
    builder = Builder()
    builder.about = {**builder.about, "scope": "node", "node": "\x1b]0;x\x07"}
    assert refusal(builder.write(tmp_path / "n.tgz")).message.startswith("n.tgz is the bundle of one machine alone")


def test_without_its_first_member(tmp_path: Path) -> None:
    members = [(f"{TOP}/node/modules.txt", b"nvidia 1\n"), (f"{TOP}/manifest.json", b'{"members": [], "steps": []}')]
    (tmp_path / "n.tgz").write_bytes(packed(members))
    assert refusal(tmp_path / "n.tgz").message.startswith("n.tgz is the bundle of one machine alone")


def test_of_a_nodes_files_those_for_people_are_passed_over(tmp_path: Path) -> None:
    builder = Builder()
    for name in ("source.json", "nvidia-smi.xml", "dcgm-metrics.txt", "validator.log"):
        builder.add(f"nodes/n1/{name}", "{}")
    records = list(open_bundle(builder.write(tmp_path / "b.tgz")).records(None))
    assert [record.body["name"] for record in records if record.area == "node_file"] == ["source.json", "nvidia-smi.xml"]
