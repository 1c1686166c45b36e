"""Builds small bundles in memory, in the collector's layout, for the tests of the reader and of the facts."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

TOP = "runai-bundle-test-20261130T120000Z"
ABOUT: dict[str, Any] = {
    "format": 1,
    "collector": "runai-collect 0.1.0",
    "name": TOP,
    "cluster": {"name": "acme", "context": "admin@acme"},
    "started": "2026-11-30T12:00:00Z",
    "options": {"logs": True},
    "clock": {"server": "2026-11-30T11:59:58Z", "local": "2026-11-30T12:00:00Z", "skew_seconds": 2.0},
}
PLURALS = {
    "StorageClass": "storageclasses",
    "IngressClass": "ingressclasses",
    "Ingress": "ingresses",
    "ClusterPolicy": "clusterpolicies",
}


class Builder:
    """Collects members and steps; ``write`` makes the archive. Damage is done by changing ``members`` or the bytes."""

    def __init__(self) -> None:
        self.about: dict[str, Any] = dict(ABOUT)
        self.members: list[tuple[str, bytes]] = []
        self.steps: list[dict[str, Any]] = []
        self.discovery: list[tuple[str, str]] = []

    def list(
        self, kind: str, api_version: str, *objects: dict[str, Any], status: str = "", namespace: str = "", message: str = ""
    ) -> Builder:
        """Add one list: its step, and one page when it has objects."""
        group, _, version = api_version.rpartition("/")
        plural = PLURALS.get(kind, kind.lower() + "s")
        step = f"list:{group or 'core'}/{version}/{plural}" + (f"@{namespace}" if namespace else "")
        self.step(step, status or ("ok" if objects else "empty"), message, kind=kind, group=group, namespace=namespace)
        lines = [json.dumps({"apiVersion": api_version, "kind": kind, **body}, ensure_ascii=False) for body in objects]
        if lines:
            page = sum(name.startswith(f"resources/{group or 'core'}/{version}/{plural}/") for name, _ in self.members) + 1
            self.add(f"resources/{group or 'core'}/{version}/{plural}/{page:04d}.jsonl", "\n".join(lines) + "\n")
        self.discovery.append((group, kind))
        return self

    def rows(self, folder: str, *rows: dict[str, Any]) -> Builder:
        """Add a page of rows (secrets, configmaps, helm, certificates)."""
        return self.add(f"{folder}/0001.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    def step(self, step: str, status: str, message: str = "", **fields: Any) -> Builder:
        """Add a step to the manifest."""
        self.steps.append(
            {"id": step, "request": f"GET {step}", "scope": "cluster", "status": status, "message": message, **fields}
        )
        return self

    def add(self, name: str, content: str | bytes) -> Builder:
        """Add any member below the top folder."""
        self.members.append((name, content.encode() if isinstance(content, str) else content))
        return self

    def all_members(self, manifest: bool = True, complete: bool = True, state: str = "complete") -> list[tuple[str, bytes]]:
        """Return the members in the collector's order: bundle.json first, the manifest last."""
        groups: dict[str, list[dict[str, Any]]] = {}
        for group, kind in self.discovery:
            groups.setdefault(group, []).append(
                {"plural": kind.lower() + "s", "kind": kind, "namespaced": True, "verbs": ["list"]}
            )
        discovery = {
            "complete": complete,
            "groups": [{"group": group, "version": "v1", "stale": False, "resources": kinds} for group, kinds in groups.items()],
        }
        version = {"major": "1", "minor": "35", "gitVersion": "v1.35.4"}
        members = [
            ("bundle.json", json.dumps(self.about).encode()),
            ("cluster/version.json", json.dumps(version).encode()),
            ("cluster/discovery.json", json.dumps(discovery).encode()),
            *self.members,
        ]
        if not manifest:
            return members
        entries = [
            {"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "step": _step_of(name)}
            for name, data in members
        ]
        document = {"format": 1, "finished": "2026-11-30T12:01:00Z", "state": state, "steps": self.steps, "members": entries}
        return [*members, ("manifest.json", json.dumps(document).encode())]

    def write(self, path: Path, **options: Any) -> Path:
        """Write the bundle and return its path."""
        path.write_bytes(packed([(f"{TOP}/{name}", data) for name, data in self.all_members(**options)]))
        return path


def _step_of(name: str) -> str:
    """Return the id of the step that wrote a member, as the collector writes it."""
    return "list:" + name.removeprefix("resources/").rpartition("/")[0] if name.startswith("resources/") else name.split("/")[0]


def tar_of(members: list[tuple[str, bytes]]) -> bytes:
    """Return a tar archive of plain files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def packed(members: list[tuple[str, bytes]]) -> bytes:
    """Return a gzip'd tar archive of plain files."""
    return gzip.compress(tar_of(members), mtime=0)


def node(name: str, **fields: Any) -> dict[str, Any]:
    """Return a Ready Node without apiVersion and kind; allocatable is the capacity if not given."""
    labels, capacity = fields.pop("labels", {}), fields.pop("capacity", {})
    allocatable = fields.pop("allocatable", capacity)
    status = {"capacity": capacity, "allocatable": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}
    return {"metadata": {"name": name, "labels": labels}, "spec": fields.pop("spec", {}), "status": status}
