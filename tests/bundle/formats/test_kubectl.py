"""The same cluster as our own collector and kubectl see it: no export says otherwise than another of what it holds."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.model import Status
from runai_analyze.pipeline import Options, analyze

from tests.cluster import Cluster
from tests.cluster.scenario import load

pytestmark = pytest.mark.cluster

_KINDS = "nodes pods deployments daemonsets services events storageclasses configmaps"


@pytest.fixture(scope="module")
def site(cluster: Cluster) -> Iterator[Cluster]:
    """A whole site with Run:ai, with faults planted."""
    cluster.reset()
    load(cluster, "broken-site")
    yield cluster
    cluster.reset()


def export(site: Cluster, way: str, folder: Path) -> Path:
    """Export the cluster in one of the ways, and return what a customer would send."""
    out = folder / way
    if way == "dump folder":
        site.kubectl("cluster-info", "dump", "--all-namespaces", "--output-directory", str(out), timeout=300)
    elif way == "dump file":
        out.write_bytes(site.kubectl("cluster-info", "dump", "--all-namespaces", timeout=300).stdout)
        return out.rename(out.with_suffix(".txt"))
    elif way == "loose yaml":
        out.mkdir()
        for kind in _KINDS.split():
            (out / f"{kind}.yaml").write_bytes(site.kubectl("get", kind, "-A", "-o", "yaml", check=True).stdout)
        (out / "version.json").write_bytes(site.kubectl("version", "-o", "json", check=True).stdout)
    else:
        command = [sys.executable, "-m", "runai_collect", "-o", str(folder / "own.tgz"), "-q"]
        subprocess.run(command, env=site.environment(), check=False, timeout=300, stdin=subprocess.DEVNULL)
        return folder / "own.tgz"
    return out


def answers(path: Path) -> dict[str, Status]:
    return {outcome.rule.id: outcome.status for outcome in analyze(path, Options()).outcomes}


@pytest.mark.parametrize("way", ["dump folder", "dump file", "loose yaml"])
def test_a_rule_whose_data_hold_says_what_it_says_of_our_own_bundle(site: Cluster, tmp_path: Path, way: str) -> None:
    own, other = answers(export(site, "own", tmp_path)), answers(export(site, way, tmp_path))
    known = {rule: status for rule, status in other.items() if status in (Status.PASS, Status.FAIL)}
    assert {rule: own[rule] for rule in known} == known
    assert Status.FAIL in known.values()
    assert Status.ERROR not in other.values()


@pytest.mark.parametrize("way", ["dump folder", "dump file", "loose yaml"])
def test_as_many_objects_are_read_as_the_server_has(site: Cluster, tmp_path: Path, way: str) -> None:
    bundle = open_bundle(export(site, way, tmp_path))
    read = [record.body for record in bundle.records(None) if record.body.get("kind") in ("Node", "Pod", "Deployment")]
    for kind, plural in (("Node", "nodes"), ("Pod", "pods"), ("Deployment", "deployments")):
        there: dict[str, Any] = json.loads(site.kubectl("get", plural, "-A", "-o", "json", check=True).stdout)
        expected = sorted((one["metadata"].get("namespace", ""), one["metadata"]["name"]) for one in there["items"])
        found = [body["metadata"] for body in read if body["kind"] == kind]
        assert sorted((one.get("namespace", ""), one["name"]) for one in found) == expected
        assert expected
