"""What the collector itself leaves out of a healthy cluster: nothing of it becomes a fault."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from runai_analyze.model import Status
from runai_analyze.pipeline import Options, analyze

from tests.cluster import Cluster
from tests.cluster.scenario import load

pytestmark = pytest.mark.cluster

OPTIONS = (("--no-secrets",), ("--no-certificates",), ("--no-exec",), ("--no-logs",), ("-n", "runai"))


@pytest.fixture(scope="module")
def healthy(new_cluster: Callable[[], Cluster]) -> Cluster:
    cluster = new_cluster()
    load(cluster, "healthy")
    return cluster


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_nothing_that_the_collector_left_out_is_a_fault(healthy: Cluster, tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "b.tgz"
    command = [sys.executable, "-m", "runai_collect", "-o", str(path), *options]
    subprocess.run(command, env=healthy.environment(), cwd=tmp_path, capture_output=True, check=False, timeout=300)
    report = analyze(path, Options())
    asked = [what for what, _ in report.request.commands]
    assert [f"{it.rule.id}: {it.message}" for it in report.outcomes if it.status in (Status.FAIL, Status.ERROR)] == []
    if options != ("--no-logs",):  # no rule reads them
        assert len(asked) == 1
        assert f"another bundle, collected without {options[0]}" in asked[0]
