"""The test cluster as one site after the other: a scenario loaded once and collected once, by every way a customer has."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.acceptance.programs import Collected, collect
from tests.cluster import Cluster
from tests.cluster.scenario import LoadedScenario, load

SCENARIOS = ("healthy", "broken-site", "pre-install")
WAYS = ("wheel", "oldest", "newest")  # the installed wheel; the .pyz on the oldest and on the newest Python


class Site:
    """One cluster that shows one scenario at a time."""

    def __init__(self, cluster: Cluster, commands: Mapping[str, Sequence[str]], folder: Path) -> None:
        self._cluster, self._commands, self._folder = cluster, commands, folder
        self._loaded: LoadedScenario | None = None
        self._fresh = True
        self._collected: dict[str, dict[str, Collected]] = {}
        self._options: dict[str, list[str]] = {}

    def show(self, name: str) -> Cluster:
        """The cluster with the scenario as it was loaded, for reading only."""
        if self._loaded is None or self._loaded.name != name:
            if not self._fresh:
                self._cluster.reset()
            self._fresh = False
            self._loaded = load(self._cluster, name)
            self._options[name] = arguments_of(self._loaded.options)
        return self._cluster

    @contextmanager
    def changed(self, name: str) -> Iterator[Cluster]:
        """The cluster with the scenario, for changing: nobody sees the changes afterwards."""
        try:
            yield self.show(name)
        finally:
            self._loaded = None

    def collected(self, name: str) -> dict[str, Collected]:
        """The scenario's bundles by way. All ways at once: the collector spends its time waiting, it asks at a set pace."""
        if name not in self._collected:
            cluster = self.show(name)

            def by(way: str) -> Collected:
                return collect(self._commands[way], self._folder / f"{name}-{way}.tgz", cluster.environment())

            with ThreadPoolExecutor(len(WAYS)) as pool:
                self._collected[name] = dict(zip(WAYS, pool.map(by, WAYS), strict=True))
        return self._collected[name]

    def options(self, name: str) -> list[str]:
        """What the analyzer has to be told about the scenario."""
        self.collected(name)
        return self._options[name]


def arguments_of(options: Mapping[str, Any]) -> list[str]:
    """A scenario's options as arguments of runai-analyze."""
    version = ["--runai-version", options["runai_version"]] if options.get("runai_version") else []
    return [*version, *(["--planned", ",".join(options["planned"])] if options.get("planned") else [])]
