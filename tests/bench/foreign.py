"""Reading a must-gather against libyaml's own loader (``yaml.load`` with ``CSafeLoader``) on the same bytes, by one core.

The bundle is one that ``oc adm inspect`` would write of a cluster of 2,000 pods: lists by namespace, nodes one by one, all with
their managedFields. Read means: opened, every object parsed, cleaned of secrets and kept, and every record streamed once as the
facts do.
"""

import argparse
import io
import json
import multiprocessing
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml
from runai_analyze.bundle import open_bundle

from tests.bench.generator import Grown, Object, Size, read_sample

SIZE = Size(nodes=50, pods=2_000, events=2_000, logs=0, smi=0)
MOST = 1.3  # of the loader's time, divided by the cores in use
TOP = "must-gather.local.1/quay-io-openshift-must-gather-sha256-1/"
_LISTED = ("Pod", "Event")


class _Dumper(yaml.CSafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_must_gather(path: Path, size: Size = SIZE) -> list[bytes]:
    """Write the bundle; return its YAML files."""
    files = dict(_files(size))
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, content in {"version": b"openshift/must-gather\n4.18.0\n", "timestamp": b"", **files}.items():
            entry = tarfile.TarInfo(TOP + name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return list(files.values())


def _files(size: Size) -> Iterator[tuple[str, bytes]]:
    grown = Grown(size, read_sample())
    objects = [json.loads(line) for lines in (grown.pod_lines(), grown.event_lines()) for line in lines]
    for kind in _LISTED:
        by_namespace: dict[str, list[Object]] = {}
        for one in objects:
            if one["kind"] == kind:
                by_namespace.setdefault(one["metadata"]["namespace"], []).append(one)
        for namespace, found in sorted(by_namespace.items()):
            listed = {"apiVersion": "v1", "kind": f"{kind}List", "items": found}
            yield f"namespaces/{namespace}/core/{kind.lower()}s.yaml", _yaml(listed)
    for line in grown.node_lines():
        node = json.loads(line)
        yield f"cluster-scoped-resources/core/nodes/{node['metadata']['name']}.yaml", _yaml(node)


def _yaml(value: Object) -> bytes:
    return b"---\n" + yaml.dump(value, Dumper=_Dumper, encoding="utf-8")


def load(files: list[bytes]) -> None:
    """The floor: every file by libyaml's loader."""
    for content in files:
        yaml.load(content, Loader=yaml.CSafeLoader)


def read(path: Path) -> int:
    """Read the bundle; return how many objects it holds."""
    return sum(record.area == "object" for record in open_bundle(path).records(None))


def measure(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds of wall time, and the cores that were in use (1 at least)."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return wall, max(1.0, cpu / wall)


def ratio(path: Path, files: list[bytes]) -> float:
    """Return how much of the loader's time, divided by the cores in use, reading takes. CPU time: others use the machine too."""
    times = []
    for work in (lambda: load(files), lambda: read(path)):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return times[1] / times[0]


def _peak(path: str) -> int:
    """Return the peak memory of a process that only reads the bundle, in MiB."""
    read(Path(path))
    status = Path("/proc/self/status").read_text()  # getrusage has the parent's peak, if that was higher
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


def main(arguments: list[str]) -> None:
    """Write the bundle, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench foreign", description=__doc__)
    parser.add_argument("--pods", type=int, default=SIZE.pods)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "must-gather.tgz"
        files = write_must_gather(path, SIZE._replace(pods=options.pods))
        print(f"{options.pods} pods, {read(path)} objects, {sum(map(len, files)) / 1e6:.1f} MB of YAML in {len(files)} files")
        floor, _ = measure(lambda: load(files))
        wall, cores = measure(lambda: read(path))
        print(f"yaml.load, CSafeLoader     {floor:7.2f} s   1.00")
        print(f"read                       {wall:7.2f} s  {wall * cores / floor:5.2f}  with {cores:.1f} cores (most: {MOST})")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(f"peak memory of reading     {pool.apply(_peak, (str(path),)):7.0f} MiB")
