"""Rewrites a whole bundle as the collector would have made it with an option that leaves something out."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Step = dict[str, Any]


@dataclass
class Whole:
    """A bundle's members below its one top folder, without the manifest, and the manifest's steps."""

    top: str
    members: dict[str, bytes]
    manifest: dict[str, Any]
    about: dict[str, Any]
    steps: list[Step] = field(default_factory=list)
    narrowed: dict[str, str] = field(default_factory=dict)  # the step of the whole cluster: that of one namespace in its place

    def drop(self, *folders: str) -> None:
        self.members = {name: content for name, content in self.members.items() if not name.startswith(folders)}

    def without(self, *ids: str) -> list[Step]:
        """Take the steps whose id begins with one of these out, and return them."""
        gone = [step for step in self.steps if step["id"].startswith(ids)]
        self.steps = [step for step in self.steps if step not in gone]
        return gone

    def skip(self, id_: str, why: str, **more: str) -> None:
        self.steps.append({"id": id_, "request": "GET", "scope": "cluster", "status": "skipped", "message": why, **more})

    def keep_rows(self, folder: str, keep: Callable[[dict[str, Any]], bool]) -> None:
        """Keep the JSON lines of a folder that are wanted; a member without any goes."""
        for name in [name for name in self.members if name.startswith(folder)]:
            lines = [line for line in self.members.pop(name).splitlines() if keep(json.loads(line))]
            if lines:
                self.members[name] = b"\n".join(lines) + b"\n"


def read(path: Path) -> Whole:
    """Return a bundle ready to be changed."""
    members = {}
    with tarfile.open(path, "r:gz") as archive:
        for entry in archive:
            content = archive.extractfile(entry)
            if content is not None:
                top, _, name = entry.name.partition("/")
                members[name] = content.read()
    manifest = json.loads(members.pop("manifest.json"))
    return Whole(top, members, manifest, json.loads(members.pop("bundle.json")), manifest["steps"])


def write(bundle: Whole, path: Path) -> Path:
    """Write the bundle with a manifest that lists what it holds."""
    members = {"bundle.json": json.dumps(bundle.about).encode(), **bundle.members}
    step_of = {entry["path"]: entry["step"] for entry in bundle.manifest["members"]}
    listed = [_entry(name, content, bundle.narrowed.get(step_of[name], step_of[name])) for name, content in members.items()]
    manifest = {**bundle.manifest, "members": listed, "steps": bundle.steps}
    with tarfile.open(path, "w:gz") as archive:
        for name, content in {**members, "manifest.json": json.dumps(manifest).encode()}.items():
            entry = tarfile.TarInfo(f"{bundle.top}/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def _entry(name: str, content: bytes, step: str) -> dict[str, Any]:
    return {"path": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "step": step}


def no_secrets(bundle: Whole) -> None:
    """``--no-secrets``."""
    bundle.about["options"]["secrets"] = False
    bundle.drop("secrets/", "helm/", "certificates/")
    bundle.without("secrets", "helm", "certificate")
    bundle.skip("secrets", "--no-secrets", kind="Secret")
    bundle.skip("certificates", "--no-secrets")


def no_certificates(bundle: Whole) -> None:
    """``--no-certificates``."""
    bundle.about["options"]["certificates"] = False
    bundle.drop("certificates/")
    bundle.without("certificate")
    bundle.skip("certificates", "--no-certificates")


def no_exec(bundle: Whole) -> None:
    """``--no-exec``."""
    bundle.about["options"]["exec"] = False
    bundle.drop("nodes/")
    for step in bundle.without("nvidia-smi:"):
        bundle.skip(step["id"], "--no-exec")


def no_logs(bundle: Whole) -> None:
    """``--no-logs``."""
    bundle.about["options"]["logs"] = False
    bundle.drop("logs/")
    bundle.without("log:", "logs")
    bundle.skip("logs", "--no-logs")


def only_runai(bundle: Whole) -> None:
    """``-n runai``: cluster-scoped kinds stay, Namespace runai is read by its name, pods with nvidia-smi are out of sight."""
    why = "restricted to namespaces runai"
    bundle.about["options"]["namespaces"] = ["runai"]
    for step in [step for step in bundle.steps if step["id"].startswith("list:") and "@" not in step["id"]]:
        _narrow_list(bundle, step, why)
    for folder in ("secrets/", "helm/", "configmaps/", "certificates/"):
        bundle.keep_rows(folder, lambda row: bool(row["namespace"] == "runai"))
    bundle.steps = [step for step in bundle.steps if not step["id"].startswith("secrets@") or step["id"] == "secrets@runai"]
    bundle.skip("secrets", why, kind="Secret")
    bundle.without("helm")
    bundle.steps.append({"id": "helm@runai", "request": "GET", "scope": "namespace", "status": "ok", "namespace": "runai"})
    for step in bundle.steps:
        if step["id"].startswith("certificate:") and step["namespace"] != "runai":
            step.update(status="skipped", message=why)
        if step["id"].startswith("nvidia-smi:"):
            step.update(status="not_found", message="no running pod on this node has nvidia-smi")
    bundle.drop("nodes/")


def _narrow_list(bundle: Whole, step: Step, why: str) -> None:
    group, version, plural = step["id"].removeprefix("list:").split("/")
    rows = _rows(bundle, f"resources/{group}/{version}/{plural}/")
    namespaces = step["kind"] == "Namespace"
    if step["status"] == "not_found" or (not namespaces and rows and not any(row["metadata"].get("namespace") for row in rows)):
        return
    if not rows and not namespaces and not _namespaced(bundle, group, plural):
        return
    here = [row for row in rows if row["metadata"].get("namespace" if not namespaces else "name") == "runai"]
    part = {**step, "id": f"{step['id']}@runai", "namespace": "runai", "status": "ok" if here else "empty", "objects": len(here)}
    bundle.keep_rows(f"resources/{group}/{version}/{plural}/", lambda row: row in here)
    if plural == "configmaps":
        part["objects"] = len([row for row in _rows(bundle, "configmaps/") if row["namespace"] == "runai"])
    step.update(status="skipped", message=why, objects=0)
    bundle.steps.append(part)
    bundle.narrowed[step["id"]] = part["id"]


def _rows(bundle: Whole, folder: str) -> list[dict[str, Any]]:
    return [json.loads(line) for name in bundle.members if name.startswith(folder) for line in bundle.members[name].splitlines()]


def _namespaced(bundle: Whole, group: str, plural: str) -> bool:
    discovery = json.loads(bundle.members["cluster/discovery.json"])
    found: Iterable[dict[str, Any]] = (
        one
        for entry in discovery["groups"]
        if (entry["group"] or "core") == group
        for one in entry["resources"]
        if one["plural"] == plural
    )
    return any(one["namespaced"] for one in found)


OPTIONS = {
    "--no-secrets": no_secrets,
    "--no-certificates": no_certificates,
    "--no-exec": no_exec,
    "--no-logs": no_logs,
    "-n runai": only_runai,
}
