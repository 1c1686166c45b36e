"""An object that a person pasted, made fit for a rule file: without the noise of the API server, and without secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from runai_collect.redact import CannotRedactError, redact_object

from runai_analyze.objects.paths import REDACTED

_NOISE_OF_METADATA = (
    "managedFields",
    "uid",
    "resourceVersion",
    "generation",
    "selfLink",
    "creationTimestamp",
    "generateName",
    "ownerReferences",
    "finalizers",
    "annotations",
)
_KEPT_IF_DELETED = ("finalizers",)
_NOISE = frozenset(
    (
        "lastTransitionTime",
        "lastProbeTime",
        "lastHeartbeatTime",
        "lastUpdateTime",
        "observedGeneration",
        "containerID",
        "imageID",
        "podIP",
        "podIPs",
        "hostIP",
        "hostIPs",
        "startTime",
        "startedAt",
        "finishedAt",
        "started",
        "resourceVersion",
        "uid",
    )
)
_VALUES = {"Secret": ("data", "stringData"), "ConfigMap": ("data", "binaryData")}


class Cleaned(NamedTuple):
    """The object, and in words what was left out of it because it may be secret."""

    body: dict[str, Any]
    left_out: tuple[str, ...]


def clean(body: dict[str, Any]) -> Cleaned:
    """Return the object without noise and secrets; ``body`` is not to be used again.

    Values of environment variables, of Secrets and ConfigMaps, annotations, and all that the collector would hide are taken out
    whole. Raises ValueError when the object cannot be looked through.
    """
    left_out: list[str] = []
    for name in _VALUES.get(str(body.get("kind")), ()):
        if body.pop(name, None) is not None:
            left_out.append(f"{name} of the {body['kind']}")
    if _drop_env(body):
        left_out.append("values of environment variables")
    _drop_noise(body)
    try:
        hidden_body, _ = redact_object(body)
    except CannotRedactError:
        raise ValueError("the object cannot be looked through for secrets, so nothing of it is taken") from None
    hidden = list(_hidden(hidden_body, ""))
    left_out += hidden[:10]
    cleaned = _without(hidden_body, lambda value: isinstance(value, str) and REDACTED in value)
    return Cleaned(cleaned, tuple(dict.fromkeys(left_out)))


def _drop_env(value: Any) -> bool:
    """Take the values of environment variables out, wherever containers stand; tells whether there were any."""
    if isinstance(value, list):
        return bool(sum(map(_drop_env, value)))  # each of them, not up to the first
    if not isinstance(value, dict):
        return False
    found = False
    for item in value["env"] if isinstance(value.get("env"), list) else ():
        found |= isinstance(item, dict) and item.pop("value", None) is not None
    return bool(sum(map(_drop_env, value.values()))) or found


def _drop_noise(body: dict[str, Any]) -> None:
    metadata = body.get("metadata")
    if isinstance(metadata, dict):
        kept = _KEPT_IF_DELETED if "deletionTimestamp" in metadata else ()
        for name in _NOISE_OF_METADATA:
            if name not in kept:
                metadata.pop(name, None)
    status = body.get("status")
    if status is not None:
        body["status"] = _without_names(status)


def _without_names(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_names(inner) for key, inner in value.items() if key not in _NOISE and inner is not None}
    return [_without_names(item) for item in value] if isinstance(value, list) else value


def _hidden(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, str) and REDACTED in value:
        yield where
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _hidden(inner, f"{where}.{key}" if where else str(key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _hidden(inner, f"{where}[{number}]")


def _without(value: Any, drop: Callable[[Any], bool]) -> Any:
    if isinstance(value, dict):
        kept = {key: inner for key, inner in value.items() if not drop(inner) and not drop(key)}
        return {key: _without(inner, drop) for key, inner in kept.items()}
    return [_without(item, drop) for item in value if not drop(item)] if isinstance(value, list) else value
