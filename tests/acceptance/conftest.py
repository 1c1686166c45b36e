"""The fixtures of the acceptance tests: one cluster, both programs as users have them, each scenario collected once."""

import inspect
import os
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from tests.acceptance.alone import Alone
from tests.acceptance.programs import Analyzed, Collected, analyze, build_pyz, build_wheel, install_alone, pythons
from tests.acceptance.site import Site
from tests.cluster import Cluster
from tests.cluster.scenario_data import Fault


@pytest.fixture(scope="session")
def plant_seed() -> int:
    """Another one in each run; RUNAI_PLANT_SEED repeats a run that failed."""
    return int(os.environ.get("RUNAI_PLANT_SEED") or secrets.randbits(32))


@pytest.fixture(scope="session")
def runai_collect(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """The collector's command from the wheel, in an environment without one dependency."""
    folder = tmp_path_factory.mktemp("installed")
    return (str(install_alone(build_wheel(folder), folder / "venv")),)


@pytest.fixture(scope="session")
def commands(runai_collect: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, ...]]:
    """The collector by the ways a customer may run it."""
    pyz, found = build_pyz(tmp_path_factory.mktemp("pyz") / "runai-collect.pyz"), pythons()
    oldest, newest = (found[version] for version in (min(found), max(found)))
    alone = ("-I", "-S")
    return {"wheel": runai_collect, "oldest": (oldest, *alone, str(pyz)), "newest": (newest, *alone, str(pyz))}


@pytest.fixture(scope="session")
def site(
    new_cluster: Callable[[], Cluster],
    alone: Alone,
    commands: dict[str, tuple[str, ...]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Site:
    """A cluster of its own, which shows one scenario at a time; `alone` is asked for so that its work begins meanwhile."""
    cluster = new_cluster()
    assert cluster.binaries.kubelet is not None or not os.environ.get("CI"), "no fake kubelet: exec and logs cannot be shown"
    if cluster.binaries.kubelet is None:
        pytest.skip("no exec and logs: Go is needed to build the fake kubelet, KUBEBUILDER_ASSETS holds none")
    return Site(cluster, commands, tmp_path_factory.mktemp("bundles"))


@pytest.fixture(scope="session")
def healthy(site: Site) -> Collected:
    return site.collected("healthy")["wheel"]


@pytest.fixture(scope="session")
def broken_site(site: Site) -> Collected:
    return site.collected("broken-site")["wheel"]


@pytest.fixture(scope="session")
def pre_install(site: Site) -> Collected:
    return site.collected("pre-install")["wheel"]


@pytest.fixture(scope="session")
def healthy_report(site: Site, healthy: Collected, reports: Path) -> Analyzed:
    return analyze(healthy.path, reports / "healthy", "--format", "json", *site.options("healthy"))


@pytest.fixture(scope="session")
def broken_report(site: Site, broken_site: Collected, reports: Path) -> Analyzed:
    return analyze(broken_site.path, reports / "broken-site", "--format", "json", *site.options("broken-site"))


@pytest.fixture(scope="session")
def pre_install_report(site: Site, pre_install: Collected, reports: Path) -> Analyzed:
    return analyze(pre_install.path, reports / "pre-install", "--format", "json", *site.options("pre-install"))


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="session")
def alone(
    new_cluster: Callable[[], Cluster], runai_collect: tuple[str, ...], reports: Path, request: pytest.FixtureRequest
) -> Iterator[Alone]:
    """The reports on `healthy` with one fault each, for the faults that this run asks for."""
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    asked: list[Fault] = [
        cast(Fault, test.callspec.params["fault"]) for test in tests if "alone" in inspect.signature(test.function).parameters
    ]
    with Alone(new_cluster, runai_collect, reports, asked) as reading:
        yield reading
