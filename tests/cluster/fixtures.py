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
from tests.cluster.building import MissingBinariesError, Say
from tests.cluster.old_server import find_old_binaries
from tests.cluster.server import Cluster

FINDERS: dict[str, Callable[[Say], Binaries]] = {"cluster_binaries": find_binaries, "old_cluster_binaries": find_old_binaries}
FOUND = pytest.StashKey[dict[str, Binaries | MissingBinariesError]]()
NO_KUBELET = "no exec and logs in the test cluster: KUBEBUILDER_ASSETS has no fake kubelet; install Go (https://go.dev/dl)"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips here, not in a fixture: pytest then counts all tests under one line instead of a line for each."""
    names = getattr(item, "fixturenames", ())
    for name in FINDERS:
        if name not in names:
            continue
        found = _found(item.config, name)
        if isinstance(found, MissingBinariesError):
            _leave_out(found)
        elif found.kubelet is None and {"kubelet_cluster", "old_cluster"} & set(names):
            _leave_out(MissingBinariesError(NO_KUBELET))


@pytest.fixture(scope="session")
def cluster_binaries(pytestconfig: pytest.Config) -> Binaries:
    """The cluster's programs, built where they were not yet."""
    return _there(pytestconfig, "cluster_binaries")


@pytest.fixture(scope="session")
def old_cluster_binaries(pytestconfig: pytest.Config) -> Binaries:
    """The same with an old kube-apiserver."""
    return _there(pytestconfig, "old_cluster_binaries")


@pytest.fixture(scope="session")
def new_cluster(cluster_binaries: Binaries) -> Iterator[Callable[[], Cluster]]:
    """Starts one more cluster, which ends with the session."""
    with ExitStack() as started:
        yield lambda: started.enter_context(Cluster(cluster_binaries))


@pytest.fixture(scope="session")
def old_cluster(old_cluster_binaries: Binaries) -> Iterator[Cluster]:
    """A cluster with an old kube-apiserver, and with nodes that answer exec and logs."""
    with Cluster(old_cluster_binaries) as started:
        yield started


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


def _there(config: pytest.Config, name: str) -> Binaries:
    found = _found(config, name)
    if isinstance(found, MissingBinariesError):
        raise found
    return found


def _found(config: pytest.Config, name: str) -> Binaries | MissingBinariesError:
    known = config.stash.setdefault(FOUND, {})
    if name not in known:
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled():  # a build takes minutes: a person wants to see that it runs
            try:
                known[name] = FINDERS[name](lambda line: print(line, file=sys.stderr, flush=True))
            except MissingBinariesError as missing:
                known[name] = missing
    return known[name]


def _leave_out(missing: MissingBinariesError) -> None:
    if os.environ.get("CI") == "true":
        raise missing
    pytest.skip(str(missing))
