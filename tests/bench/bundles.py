"""Bundles of the sizes S, M and L, written as the collector writes them, with planted faults."""

import json
from collections.abc import Iterator
from pathlib import Path

from runai_collect import layout
from runai_collect.writer import BundleWriter, Step

from tests.bench.generator import Grown, Object, Size, read_sample

PAGE = 500
GROWN = ("Namespace", "Node", "Pod", "Event")  # kinds of which there is more than in the sample


def write_bundle(path: Path, size: Size, seed: int = 1) -> Grown:
    """Write a bundle and return what was added to the sample in it."""
    sample = read_sample()
    grown = Grown(size, sample, seed)
    writer = BundleWriter(str(path), "runai-bundle-bench", 1764493200)
    steps = {step["id"]: step for step in sample.manifest["steps"]}
    owners = {member["path"]: member["step"] for member in sample.manifest["members"]}
    for name in sample.members:
        if name != layout.MANIFEST and not name.startswith(tuple(_folder(kind) for kind in GROWN)):
            writer.add(name, sample.members[name], owners[name])
    lines = {"Namespace": grown.namespace_lines, "Node": grown.node_lines, "Pod": grown.pod_lines, "Event": grown.event_lines}
    for kind, more in lines.items():
        step = steps[f"list:core/v1/{_plural(kind)}"]
        own = (json.dumps(one, sort_keys=True, separators=(",", ":")) for one in sample.objects[kind])
        step["objects"] = _write_pages(writer, kind, step["id"], own, more())
    for namespace, pod, container, text in grown.logs():
        step_id = f"log:{namespace}/{pod}/{container}"
        writer.add(layout.log_member(namespace, pod, container), text.encode(), step_id)
        steps[step_id] = {
            "id": step_id,
            "request": "GET log",
            "scope": "namespace",
            "namespace": namespace,
            "status": "ok",
            "objects": 1,
        }
    _write_nodes(writer, grown, steps)
    for step in steps.values():
        writer.add_step(Step(**step))
    writer.finish(sample.manifest["finished"], "complete")
    return grown


def _write_pages(writer: BundleWriter, kind: str, step: str, *parts: Iterator[str]) -> int:
    page: list[str] = []
    count = number = 0
    for line in (line for part in parts for line in part):
        page.append(line)
        if len(page) == PAGE:
            number, count = number + 1, count + len(page)
            writer.add(layout.page(_folder(kind), number), ("\n".join(page) + "\n").encode(), step)
            page.clear()
    if page:
        writer.add(layout.page(_folder(kind), number + 1), ("\n".join(page) + "\n").encode(), step)
    return count + len(page)


def _write_nodes(writer: BundleWriter, grown: Grown, steps: dict[str, Object]) -> None:
    for node, files in grown.nvidia_smi():
        for name, content in files.items():
            writer.add(layout.node_member(node, name), content, "nvidia-smi:" + node)
    for number, node in enumerate(grown.nodes):
        asked = number < grown.size.smi
        steps["nvidia-smi:" + node] = {
            "id": "nvidia-smi:" + node,
            "request": "exec nvidia-smi -q -x",
            "scope": "node",
            "status": "ok" if asked else "skipped",
            "objects": int(asked),
            "message": "" if asked else "deadline",
        }


def _plural(kind: str) -> str:
    return kind.lower() + "s"


def _folder(kind: str) -> str:
    return layout.resource_folder("", "v1", _plural(kind))
