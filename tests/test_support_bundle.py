"""What troubleshoot's own program gathers from the test cluster, read here: every object, and the findings of our own bundle."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.model import Outcome, Status
from runai_analyze.pipeline import Options, analyze

from tests.cluster.scenario import load
from tests.cluster.server import Cluster
from tests.cluster.support_bundle import find_support_bundle

pytestmark = [pytest.mark.cluster, pytest.mark.tools]

SPEC: dict[str, Any] = {
    "apiVersion": "troubleshoot.sh/v1beta2",
    "kind": "SupportBundle",
    "metadata": {"name": "all"},
    "spec": {
        "collectors": [
            {"clusterInfo": {}},
            {"clusterResources": {}},
            {
                "exec": {
                    "name": "smi", "collectorName": "nvidia-smi", "namespace": "gpu-operator", "timeout": "20s",
                    "selector": ["app=nvidia-driver-daemonset"], "command": ["nvidia-smi"], "args": ["-q", "-x"],
                }
            },
        ]
    },
}  # fmt: skip
PLURALS = (
    "pods", "nodes", "services", "configmaps", "namespaces", "persistentvolumeclaims", "deployments.apps", "replicasets.apps",
    "daemonsets.apps", "ingresses.networking.k8s.io", "storageclasses.storage.k8s.io", "priorityclasses.scheduling.k8s.io",
    "customresourcedefinitions.apiextensions.k8s.io", "nodepools.run.ai", "projects.run.ai", "clusterpolicies.nvidia.com",
)  # fmt: skip


@pytest.fixture(scope="module")
def broken(cluster: Cluster) -> Iterator[Cluster]:
    cluster.reset()
    load(cluster, "broken-site")
    yield cluster
    cluster.reset()


@pytest.fixture(scope="module")
def theirs(broken: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("support-bundle")
    (folder / "spec.yaml").write_text(json.dumps(SPEC))
    options = ["--interactive=false", "--auto-update=false", "--output", str(folder / "a.tar.gz")]
    command = [str(find_support_bundle()), "spec.yaml", *options]
    subprocess.run(command, cwd=folder, env=broken.environment(), check=True, capture_output=True, timeout=300)
    return folder / "a.tar.gz"


@pytest.fixture(scope="module")
def ours(broken: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runai-collect") / "a.tgz"
    command = [sys.executable, "-m", "runai_collect", "-o", str(path), "--quiet"]
    assert subprocess.run(command, env=broken.environment(), check=False).returncode in (0, 1)
    return path


def test_every_object_that_kubectl_sees_is_read(broken: Cluster, theirs: Path) -> None:
    found = Counter(_key(record.body) for record in open_bundle(theirs).records(None) if record.area == "object")
    listed = Counter(
        _key(item) for plural in PLURALS for item in json.loads(broken.kubectl("get", plural, "-A", "-o", "json").stdout)["items"]
    )
    assert len(listed) == len(PLURALS)
    assert {key: found[key] for key in listed} == listed


def test_findings_are_those_of_our_own_bundle(theirs: Path, ours: Path) -> None:
    """Of the rules whose data both bundles hold; of the others this one makes no finding, and none passes."""
    answers = {name: _answers(path) for name, path in (("theirs", theirs), ("ours", ours))}
    both = [
        rule for rule, answer in answers["theirs"].items()
        if answer.status is not Status.UNKNOWN and answers["ours"][rule].status is not Status.UNKNOWN and not answer.missing
    ]  # fmt: skip
    assert len(both) > 50
    differ = {rule: (answers["theirs"][rule].message, answers["ours"][rule].message) for rule in both
              if _short(answers["theirs"][rule]) != _short(answers["ours"][rule])}  # fmt: skip
    assert differ == {}
    assert sum(answers["theirs"][rule].status is Status.FAIL for rule in both) > 5


def test_what_such_a_bundle_never_holds_is_unknown(theirs: Path) -> None:
    answers = _answers(theirs).values()
    unseen = {missing.what for answer in answers if answer.status is Status.UNKNOWN for missing in answer.missing}
    assert any("ecret" in what for what in unseen)


def _key(body: dict[str, Any]) -> tuple[str, str]:
    return body["kind"], body["apiVersion"].rpartition("/")[0]


def _answers(path: Path) -> dict[str, Outcome]:
    return {outcome.rule.id: outcome for outcome in analyze(path, Options()).outcomes}


def _short(outcome: Outcome) -> tuple[Status, list[str]]:
    return outcome.status, sorted(finding.message for finding in outcome.findings)
