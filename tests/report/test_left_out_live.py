"""What the collector itself leaves out of a healthy cluster: nothing of it becomes a fault."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from runai_analyze.model import Report, Status
from runai_analyze.pipeline import Options, analyze

from tests.cluster import Cluster
from tests.cluster.scenario import load

pytestmark = pytest.mark.cluster

OPTIONS = (("--no-secrets",), ("--no-certificates",), ("--no-exec",), ("--no-logs",), ("-n", "runai"))
WISHES = (
    ("--exclude", "runai"),
    ("--exclude", "gpu-operator"),
    ("--exclude", "kube-*"),
    ("--exclude", "nodes", "--exclude", "events", "--exclude", "secrets"),
    ("--exclude", "resources/apps/v1/*", "--exclude", "configmaps/*", "--exclude", "nodes/*"),
    ("--only", "runai*"),
    ("--only", "nodes", "--only", "pods"),
)


@pytest.fixture(scope="module")
def healthy(new_cluster: Callable[[], Cluster]) -> Cluster:
    cluster = new_cluster()
    load(cluster, "healthy")
    return cluster


@pytest.fixture(scope="module")
def whole(healthy: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Report:
    return collected(healthy, tmp_path_factory.mktemp("whole"))[0]


def collected(cluster: Cluster, folder: Path, *options: str) -> tuple[Report, int]:
    """The report on what the collector reads with these options, and the collector's exit code."""
    path = folder / "b.tgz"
    command = [sys.executable, "-m", "runai_collect", "-o", str(path), *options]
    done = subprocess.run(command, env=cluster.environment(), cwd=folder, capture_output=True, check=False, timeout=300)
    return analyze(path, Options()), done.returncode


@pytest.mark.parametrize("options", WISHES, ids=" ".join)
def test_what_was_excluded_is_neither_a_fault_nor_looked_at(
    healthy: Cluster, whole: Report, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """A rule passes only when it has looked at as much as in the whole bundle."""
    report, code = collected(healthy, tmp_path, *options)
    assert code == 0
    looked_at = {it.rule.id: it.looked_at for it in whole.outcomes if it.status is Status.PASS}
    passed = {it.rule.id: it.looked_at for it in report.outcomes if it.status is Status.PASS}
    assert {rule: count for rule, count in passed.items() if looked_at.get(rule) != count} == {}
    assert [f"{it.rule.id}: {it.message}" for it in report.outcomes if it.status in (Status.FAIL, Status.ERROR)] == []
    ((asked, command),) = report.request.commands
    assert re.match(r"another bundle, collected without (-n|--only|--exclude)", asked)
    assert command == "runai-collect"
    assert "kubectl" not in report.request.text
    assert report.request.text.count("stay open for it. If you can, please send another one, collected without") == 1


def test_an_excluded_namespace_makes_unknown_what_is_asked_of_all_and_no_more(
    healthy: Cluster, whole: Report, tmp_path: Path
) -> None:
    report, _ = collected(healthy, tmp_path, "--exclude", "gpu-operator")
    before, after = ({it.rule.id: it.status for it in one.outcomes} for one in (whole, report))
    passed = {rule for rule, status in before.items() if status is Status.PASS}
    kept = {rule for rule in passed if after[rule] is Status.PASS}
    assert {after[rule] for rule in passed - kept} <= {Status.UNKNOWN, Status.BLOCKED}
    assert passed - kept
    assert len(kept) > len(passed) / 3


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_nothing_that_the_collector_left_out_is_a_fault(healthy: Cluster, tmp_path: Path, options: tuple[str, ...]) -> None:
    report, _ = collected(healthy, tmp_path, *options)
    asked = [what for what, _ in report.request.commands]
    assert [f"{it.rule.id}: {it.message}" for it in report.outcomes if it.status in (Status.FAIL, Status.ERROR)] == []
    assert len(asked) == 1
    assert f"another bundle, collected without {options[0]}" in asked[0]
