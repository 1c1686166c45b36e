"""Ageing a bundle moves what the server set and nothing else, and keeps the manifest true."""

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

from runai_collect.writer import BundleWriter

from tests.cluster.aging import age_bundle

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "a",
        "creationTimestamp": "2026-11-30T16:00:00Z",
        "managedFields": [{"manager": "testers", "time": "2026-11-30T16:00:01Z"}, {"manager": "old"}],
    },
    "status": {"startTime": "2026-11-10T16:00:00Z"},
}


def test_creation_moves_back_and_what_the_scenario_wrote_stays(tmp_path: Path) -> None:
    members = aged(tmp_path)
    (pod,) = [json.loads(line) for line in members["resources/core/v1/pods/0001.jsonl"].splitlines()]
    assert pod["metadata"]["creationTimestamp"] == "2026-11-05T16:00:00Z"
    assert [one.get("time") for one in pod["metadata"]["managedFields"]] == ["2026-11-05T16:00:01Z", None]
    assert pod["status"] == POD["status"]


def test_the_age_of_a_secret_grows(tmp_path: Path) -> None:
    (row,) = [json.loads(line) for line in aged(tmp_path)["secrets/0001.jsonl"].splitlines()]
    assert row["age"] == "25d"


def test_the_manifest_has_the_sizes_and_checksums_of_the_new_members(tmp_path: Path) -> None:
    members = aged(tmp_path)
    listed = json.loads(members["manifest.json"])["members"]
    assert {one["path"] for one in listed} == members.keys() - {"manifest.json"}
    for one in listed:
        assert one["bytes"] == len(members[one["path"]])
        assert one["sha256"] == hashlib.sha256(members[one["path"]]).hexdigest()


def test_the_same_bundle_gives_the_same_bytes(tmp_path: Path) -> None:
    aged(tmp_path)
    first = (tmp_path / "old.tgz").read_bytes()
    age_bundle(tmp_path / "fresh.tgz", tmp_path / "again.tgz", days=25)
    assert (tmp_path / "again.tgz").read_bytes() == first


def aged(folder: Path) -> dict[str, bytes]:
    """The members of a small bundle that was made 25 days older."""
    writer = BundleWriter(str(folder / "fresh.tgz"), "runai-bundle-test", 1796000000)
    writer.add_json("bundle.json", {"format": 1}, "bundle")
    writer.add_page("resources/core/v1/pods/", [POD], "list:core/v1/pods")
    writer.add_row("secrets/", {"namespace": "runai", "name": "s", "type": "Opaque", "keys": 1, "age": "4m10s"})
    writer.finish("2026-11-30T16:05:00Z", "complete")
    age_bundle(folder / "fresh.tgz", folder / "old.tgz", days=25)
    with tarfile.open(fileobj=io.BytesIO((folder / "old.tgz").read_bytes())) as opened:
        return {one.name.split("/", 1)[1]: content.read() for one in opened if (content := opened.extractfile(one))}
