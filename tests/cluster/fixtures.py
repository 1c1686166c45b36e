"""pytest fixtures of the test cluster; tests/conftest.py names this module in `pytest_plugins`.

Where the cluster's programs are missing, the tests that need them are left out with one line for all of them;
in CI (CI=true) that is an error.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.cluster.binaries import Binaries, find_binaries
from tests.cluster.building import MissingBinariesError
from tests.cluster.server import Cluster

FOUND = pytest.StashKey[Binaries | MissingBinariesError]()
NO_KUBELET = "no exec and logs in the test cluster: KUBEBUILDER_ASSETS has no fake kubelet; install Go (https://go.dev/dl)"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips here, not in a fixture: pytest then counts all tests under one line instead of a line for each."""
    names = getattr(item, "fixturenames", ())
    if "cluster_binaries" not in names:
        return
    found = _found(item.config)
    if isinstance(found, MissingBinariesError):
        _leave_out(found)
    elif found.kubelet is None and "kubelet_cluster" in names:
        _leave_out(MissingBinariesError(NO_KUBELET))


@pytest.fixture(scope="session")
def cluster_binaries(pytestconfig: pytest.Config) -> Binaries:
    """The cluster's programs, built where they were not yet."""
    found = _found(pytestconfig)
    if isinstance(found, MissingBinariesError):
        raise found
    return found


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
    assert cluster.binaries.kubelet is not None, NO_KUBELET
    return cluster


def _found(config: pytest.Config) -> Binaries | MissingBinariesError:
    if FOUND not in config.stash:
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled():  # a build takes minutes: a person wants to see that it runs
            try:
                config.stash[FOUND] = find_binaries(lambda line: print(line, file=sys.stderr, flush=True))
            except MissingBinariesError as missing:
                config.stash[FOUND] = missing
    return config.stash[FOUND]


def _leave_out(missing: MissingBinariesError) -> None:
    if os.environ.get("CI") == "true":
        raise missing
    pytest.skip(str(missing))
