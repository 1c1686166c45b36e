"""`healthy` with one fault at a time: planted, collected, taken out again, for all faults that a run asks for.

The collector asks at a set pace and mostly waits, so a few clusters take turns: the faults spread over them.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import Empty, Queue
from threading import Lock
from types import TracebackType
from typing import Any, Self

from tests.acceptance.programs import analyze, collect
from tests.acceptance.site import arguments_of
from tests.cluster import Cluster
from tests.cluster.scenario import apply_fault, load, revert_fault, set_variant, take_back
from tests.cluster.scenario_data import Fault
from tests.cluster.scenario_faults import Undo

CLUSTERS = 3
# Nothing of a fault stands in a log, and a third of the requests are for logs.
COLLECT = ("--no-logs", "--quiet")

Report = dict[str, Any]


class Laboratory:
    """A cluster with `healthy` in it, which takes one fault in and gives it out again."""

    def __init__(self, cluster: Cluster, command: Sequence[str], folder: Path) -> None:
        self._command, self._folder = command, folder
        self._loaded = load(cluster, "healthy")
        self._variant = ""
        self._way_back: list[Undo] = []

    def report(self, variant: str, fault: Fault | None) -> Report:
        """The JSON report on `healthy` of that flavour, with the fault."""
        self._be(variant)
        if fault:
            apply_fault(self._loaded, fault)
        try:
            name = fault.id if fault else f"healthy-{variant or 'vanilla'}"
            options = arguments_of(self._loaded.options)
            collected = collect(self._command, self._folder / f"{name}.tgz", self._loaded.cluster.environment(), *COLLECT)
        finally:
            if fault:
                revert_fault(self._loaded, fault)
        assert collected.path.exists(), collected.run
        return analyze(collected.path, self._folder / name, "--format", "json", *options).report

    def _be(self, variant: str) -> None:
        if variant != self._variant:
            take_back(self._way_back)
            self._way_back = set_variant(self._loaded, variant) if variant else []
            self._variant = variant


class Alone:
    """A context manager: on entering, the work begins in the background; each answer is waited for when it is asked for."""

    def __init__(self, new_cluster: Callable[[], Cluster], command: Sequence[str], folder: Path, faults: Sequence[Fault]) -> None:
        self._new_cluster, self._command, self._folder, self._faults = new_cluster, command, folder, faults
        self._free: Queue[Laboratory] = Queue()
        self._starting = Lock()
        self._pool = ThreadPoolExecutor(CLUSTERS)
        self._reports: dict[tuple[str, str], Future[Report]] = {}

    def __enter__(self) -> Self:
        order = sorted(self._faults, key=lambda fault: fault.variant or "")
        for variant in dict.fromkeys(fault.variant or "" for fault in order):
            self._reports[variant, ""] = self._pool.submit(self._report, variant, None)
            for fault in order:
                if (fault.variant or "") == variant:
                    self._reports[variant, fault.id] = self._pool.submit(self._report, variant, fault)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)

    def before(self, fault: Fault) -> Report:
        """The report without the fault."""
        return self._reports[fault.variant or "", ""].result()

    def with_fault(self, fault: Fault) -> Report:
        return self._reports[fault.variant or "", fault.id].result()

    def _report(self, variant: str, fault: Fault | None) -> Report:
        laboratory = self._take()
        try:
            return laboratory.report(variant, fault)
        finally:
            self._free.put(laboratory)

    def _take(self) -> Laboratory:
        """A free one, else a new one: never more than there are workers."""
        try:
            return self._free.get_nowait()
        except Empty:
            with self._starting:  # one after the other: each looks for free ports
                cluster = self._new_cluster()
            return Laboratory(cluster, self._command, self._folder)
