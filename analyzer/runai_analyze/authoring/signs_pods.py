"""Signs of a fault in a Pod: why its containers wait, how they ended, and how often they were started again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .proposal import Asked, Sign, at, maps, subject, texts
from .shaping import REMOVED

_STARTING = ("ContainerCreating", "PodInitializing")  # on their way
_MANY_RESTARTS = 5
_IMAGE = "Check name and tag of the image, and that the node reaches the registry and may pull from it (imagePullSecrets)."
_LOG = "Read the log of the container's last run, and its exit code."
_CONFIG = "Create the ConfigMap or Secret that the container refers to; the events of the pod name it."
_FIXES = {
    "ImagePullBackOff": _IMAGE,
    "ErrImagePull": _IMAGE,
    "InvalidImageName": "Correct the name of the image.",
    "CrashLoopBackOff": _LOG,
    "CreateContainerConfigError": _CONFIG,
    "CreateContainerError": "Read the events of the pod: they say what could not be set up.",
    "RunContainerError": _LOG,
    "OOMKilled": "Raise the memory limit of the container, or lower what it needs.",
    "Error": _LOG,
}


def pod_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield the signs of the containers of a Pod."""
    if body.get("kind") != "Pod" or str(body.get("apiVersion", "v1")) != "v1":
        return
    for field, words in (("containerStatuses", "container"), ("initContainerStatuses", "init container")):
        statuses = maps(at(body, "status", field))
        yield from _waiting(body, field, words, statuses)
        for state in ("lastState", "state"):
            yield from _ended(body, field, words, statuses, state)
    yield from _evicted(body)
    restarts = sum(_whole(status.get("restartCount")) for status in maps(at(body, "status", "containerStatuses")))
    if restarts >= _MANY_RESTARTS:
        message = f"{subject(body)} was started again {{{{ facts.restarts }}}} times"
        asked = Asked("facts.restarts", "at_least", str(_MANY_RESTARTS))
        healthy = (("status.containerStatuses[*].restartCount", 0),)
        keep = ("status.containerStatuses[*].restartCount",)
        title = "A container is started again and again"
        yield Sign(50, "fault", asked, f"{restarts} restarts", title, message, healthy, keep=keep, fix=_LOG)


def _waiting(body: Mapping[str, Any], field: str, words: str, statuses: list[dict[str, Any]]) -> Iterator[Sign]:
    for reason in dict.fromkeys(texts(at(status, "state", "waiting", "reason")) for status in statuses):
        if reason and reason not in _STARTING:
            path = f"status.{field}[*].state.waiting.reason"
            yield Sign(
                98,
                "fault",
                Asked(path, "equals", reason),
                f"{_a(words)} waits: {reason}",
                f"{_a(words).capitalize()} waits with {reason}",
                f"{_a(words).capitalize()} of {subject(body)} waits: {{{{ found }}}}",
                ((f"status.{field}[*].state.waiting", REMOVED),),
                fix=_FIXES.get(reason, ""),
            )


def _ended(body: Mapping[str, Any], field: str, words: str, statuses: list[dict[str, Any]], state: str) -> Iterator[Sign]:
    ends = [at(status, state, "terminated") for status in statuses]
    place = f"status.{field}[*].{state}.terminated"
    last = "last " if state == "lastState" else ""
    for end in ends:
        reason, code = texts(at(end, "reason")), at(end, "exitCode")
        if reason in ("", "Completed") and not code:
            continue
        healthy = ((place, REMOVED),)
        if reason == "OOMKilled":
            title = f"{_a(words).capitalize()} was stopped because it used more memory than it may"
            message = f"{_a(words).capitalize()} of {subject(body)} was stopped for its memory"
            asked = Asked(f"{place}.reason", "equals", reason)
            yield Sign(96, "fault", asked, f"the {last}end was {reason}", title, message, healthy, fix=_FIXES[reason])
        elif isinstance(code, int) and code:
            title = f"{_a(words).capitalize()} ended with exit code {code}"
            message = f"{_a(words).capitalize()} of {subject(body)} ended with exit code {{{{ found }}}}"
            asked = Asked(f"{place}.exitCode", "equals", str(code))
            score = 85 if code != 1 else 82
            yield Sign(score, "fault", asked, f"the {last}exit code was {code}", title, message, healthy, fix=_LOG)


def _evicted(body: Mapping[str, Any]) -> Iterator[Sign]:
    reason = texts(at(body, "status", "reason"))
    if reason:
        message = f"{subject(body)}: {{{{ status.reason }}}}"
        title, asked = f"A Pod is {reason}", Asked("status.reason", "equals", reason)
        yield Sign(89, "fault", asked, f"status.reason is {reason}", title, message, (("status.reason", REMOVED),))


def _a(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
