"""Pods, their owners and events about them, for the tests of what is made of them."""

from __future__ import annotations

from typing import Any

from runai_analyze.facts.kinds import api_version_of

RUNNING = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    """Return the state of a container that waits."""
    return {"waiting": {"reason": reason, "message": message} if message else {"reason": reason}}


def ended(code: int, reason: str) -> dict[str, Any]:
    """Return the state of a container that has ended."""
    return {"terminated": {"exitCode": code, "reason": reason, "finishedAt": "2026-01-01T10:00:00Z"}}


def owner(kind: str, name: str, version: str = "apps/v1") -> dict[str, Any]:
    """Return an owner reference of a controller."""
    return {"apiVersion": version, "kind": kind, "name": name, "controller": True}


def thing(kind: str, name: str, *owners: dict[str, Any], namespace: str = "a", **more: Any) -> dict[str, Any]:
    """Return any object with its owners; the rest are its other fields."""
    return {"kind": kind, "metadata": {"namespace": namespace, "name": name, "ownerReferences": list(owners)}, **more}


def pod(name: str, *owners: dict[str, Any], state: dict[str, Any] = RUNNING, **more: Any) -> dict[str, Any]:
    """Return a pod with one container in a state; on node n1 and ready when it runs, if nothing else is said."""
    runs = "running" in state
    phase = more.pop("phase", "Running" if runs else "Pending")
    spec = {"nodeName": more.pop("node", "n1"), "containers": [{"name": "main", "image": "nvcr.io/x/y:1"}]}
    conditions = [{"type": "Ready", "status": "True" if runs else "False", "reason": "ContainersNotReady"}]
    status = {"phase": phase, "conditions": conditions}
    if state:
        status["containerStatuses"] = [{"name": "main", "ready": runs, "restartCount": more.pop("restarts", 0), "state": state}]
    return thing("Pod", name, *owners, spec=spec, status=status, **more)


def event(
    about: dict[str, Any] | str, reason: str, message: str, *, name: str = "", type: str = "Warning", **more: Any
) -> dict[str, Any]:
    """Return an event of v1 about an object, or about the pod of that name."""
    body = about if isinstance(about, dict) else pod(about)
    metadata = body["metadata"]
    named = {"kind": body["kind"], "namespace": metadata.get("namespace", ""), "name": metadata["name"]}
    involved = {**named, "apiVersion": api_version_of(body["kind"])}
    own = {"namespace": metadata.get("namespace") or "default", "name": name or f"{metadata['name']}.{reason}"}
    return {
        "kind": "Event",
        "metadata": own,
        "involvedObject": involved,
        "reason": reason,
        "message": message,
        "type": type,
        **more,
    }
