"""pytest fixtures of the test cluster; tests/conftest.py names this module in `pytest_plugins`."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.cluster.binaries import Binaries, MissingBinariesError, find_binaries
from tests.cluster.server import Cluster


@pytest.fixture(scope="session")
def cluster_binaries(pytestconfig: pytest.Config) -> Binaries:
    """Found or built. Where that cannot be, tests skip with one reason; in CI (CI=true) that is an error."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")

    def say(line: str) -> None:
        with capture.global_and_fixture_disabled():
            print(line, file=sys.stderr, flush=True)

    try:
        return find_binaries(say)
    except MissingBinariesError as missing:
        if _in_ci():
            raise
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def new_cluster(cluster_binaries: Binaries) -> Iterator[Callable[[], Cluster]]:
    """Starts one more cluster, which ends with the session."""
    with ExitStack() as started:
        yield lambda: started.enter_context(Cluster(cluster_binaries))


@pytest.fixture(scope="session")
def cluster(new_cluster: Callable[[], Cluster]) -> Cluster:
    """One cluster for the session: whoever leaves objects behind calls `reset` first or has a namespace of its own."""
    return new_cluster()


@pytest.fixture
def fresh_cluster(cluster: Cluster) -> Cluster:
    """The session's cluster, empty again."""
    cluster.reset()
    return cluster


@pytest.fixture(scope="session")
def kubelet_cluster(cluster: Cluster) -> Cluster:
    """The session's cluster, with nodes that answer exec and logs."""
    if cluster.binaries.kubelet is None:
        reason = "no exec and logs: Go is needed to build the fake kubelet, KUBEBUILDER_ASSETS holds none"
        if _in_ci():
            raise MissingBinariesError(reason)
        pytest.skip(reason)
    return cluster


def _in_ci() -> bool:
    return os.environ.get("CI") == "true"
