"""Signs of a fault in any object: conditions, phases, replicas that differ, deletion that hangs, and more; the clearest first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runai_analyze.ruleset.vocabulary import GROUP_OF

from .proposal import Asked, Sign, article, at, group_of, maps, subject, texts
from .shaping import REMOVED
from .signs_nodes import event_signs, node_signs
from .signs_pods import pod_signs

# A condition of such a type is a fault when it is True; one of another type when it is not.
_BAD = re.compile(
    "Pressure|Unavailable|Fail|Degraded|Stalled|Error|Problem|Deadlock|Readonly|Frequent|Corrupt|Unhealthy|NotReady|Blocked|Stuck|"
    "Exceeded|Evict|Disrupt|Unschedulable|Invalid|Conflict|Unreachable|Missing|Violat|Terminating|Dangling|Unsupported"
)
# These come and go on healthy objects.
_NEUTRAL = re.compile("Issuing|Updating|Backup|Resiz|Suspend|Paus|Limited|Upgradeable|RetrievedUpdates|Cordoned|Migrat|Updated$")
_STATE_OF_OPENSHIFT = ("ClusterOperator", "ClusterVersion", "MachineConfigPool")  # their Progressing False is the rest state
_CONSEQUENCES = {"Ready": 66, "ContainersReady": 55, "Initialized": 60}  # of a Pod: the cause stands elsewhere
_GOOD_PHASES = {
    "PersistentVolumeClaim": ("Bound",),
    "PersistentVolume": ("Bound", "Available"),
    "Namespace": ("Active",),
    "Pod": ("Running", "Succeeded"),
}
_BAD_WORDS = re.compile(
    "fail|error|pending|notready|not ready|degraded|unknown|lost|unhealthy|unavailable|ignored|stopped|blocked|missing|invalid|"
    "outofsync|terminating|evicted|crash",
    re.IGNORECASE,
)
_ODD = re.compile(r"\{\{|\}\}|[^ -~]")  # would mean something else in a rule, or hide something from its reader
_ERROR_FIELDS = ("error", "errorMessage", "lastError", "failureMessage", "failureReason", "lastFailure")


def signs_of(body: Mapping[str, Any]) -> tuple[Sign, ...]:
    """Return what looks wrong with an object, the clearest sign first. ``body`` is clean: see ``cleaning``."""
    found = [sign for finder in _FINDERS for sign in finder(body)]
    safe = [sign for sign in found if not _ODD.search(f"{sign.asked.path}{sign.asked.value}{sign.words}{sign.title}")]
    unique = {(sign.asked, sign.mode): sign for sign in sorted(safe, key=lambda sign: sign.score)}
    return tuple(sorted(unique.values(), key=lambda sign: (-sign.score, sign.asked.path, str(sign.asked.value))))


# --- Conditions -------------------------------------------------------------------------------------------------------------


def condition_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield the conditions of the status that are not as they should be."""
    conditions = [one for one in maps(at(body, "status", "conditions")) if texts(one.get("type")) and "status" in one]
    types = [one["type"] for one in conditions]
    for one in conditions:
        if types.count(one["type"]) == 1 and not set(one["type"]) & set('"]\\') and _is_bad(body, one):
            yield _condition_sign(body, one)


def _is_bad(body: Mapping[str, Any], one: Mapping[str, Any]) -> bool:
    name, status = one["type"], str(one["status"])
    resting = name == "Progressing" and (status == "True" or body.get("kind") in _STATE_OF_OPENSHIFT)
    if resting or _NEUTRAL.search(name) or texts(one.get("reason")) in ("PodCompleted", "JobComplete"):
        return False
    if _BAD.search(name):
        return status == "True" or (status == "Unknown" and body.get("kind") == "Node")
    return status in ("False", "Unknown")


def _condition_sign(body: Mapping[str, Any], one: Mapping[str, Any]) -> Sign:
    name, status, kind = one["type"], str(one["status"]), str(body.get("kind"))
    place = f"status.conditions[type={name}]"
    bad = bool(_BAD.search(name))
    show = tuple((title, f"{place}.{key}") for title, key in (("Reason", "reason"), ("Message", "message")) if one.get(key))
    score = _CONSEQUENCES.get(name, 78) if kind == "Pod" else 84 if bad else 80 if name in ("Ready", "Available") else 76
    score += 16 if texts(one.get("reason")) in ("Unschedulable", "FailedScheduling") else 0
    title = f"is not {name}" if name in ("Ready", "Available") else f"with condition {name} {status}"
    return Sign(
        score,
        "fault" if bad else "expect",
        Asked(f"{place}.status", "equals", status if bad else "True"),
        f"condition {name} is {status}{_because(one)}",
        f"{article(kind)} {title}",
        f"{subject(body)}: {name} is {{{{ found }}}}",
        ((f"{place}.status", "False" if bad else "True"), (f"{place}.reason", REMOVED)),
        keep=(f"{place}.reason",),
        show=show,
        when_absent="" if bad else "unknown",
    )


def _because(one: Mapping[str, Any]) -> str:
    reason = texts(one.get("reason"))
    return f" ({reason})" if reason else ""


# --- Phases and other words of the status -----------------------------------------------------------------------------------


def phase_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield a phase, state or health that is not a good one."""
    kind = str(body.get("kind"))
    good = _GOOD_PHASES.get(kind) if _is_built_in(body) else None
    phase = texts(at(body, "status", "phase"))
    if good and phase and phase not in good:
        pod = kind == "Pod"
        wanted = Asked("status.phase", "equals", good[0]) if len(good) == 1 else Asked("status.phase", "one_of", good)
        asked = Asked("status.phase", "equals", phase) if pod else wanted
        score = {"Pending": 62, "Failed": 79}.get(phase, 70) if pod else 88
        yield _word_sign(body, "phase", phase, asked, score, good[0], "fault" if pod else "expect")
    for name in ("phase", "state", "health", "status") if not good else ():
        word = texts(at(body, "status", name)) or texts(at(body, "status", name, "status"))
        if word and len(word) < 60 and _BAD_WORDS.search(word) and isinstance(at(body, "status", name), str):
            healthy = "ready" if word.islower() or word[:1].islower() else "Ready"
            yield _word_sign(body, name, word, Asked(f"status.{name}", "equals", word), 74, healthy, "fault")


def _word_sign(body: Mapping[str, Any], name: str, word: str, asked: Asked, score: int, good: str, mode: str) -> Sign:
    return Sign(
        score,
        "fault" if mode == "fault" else "expect",
        asked,
        f"status.{name} is {word}",
        f"{article(str(body.get('kind')))} is {word}",
        f"{subject(body)} is {{{{ status.{name} }}}}",
        ((f"status.{name}", good),),
        when_absent="" if mode == "fault" else "unknown",
    )


def error_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield a field of the status that holds an error."""
    for name in _ERROR_FIELDS:
        if texts(at(body, "status", name)):
            path = f"status.{name}"
            title = f"{article(str(body.get('kind')))} reports an error"
            message = f"{subject(body)}: {{{{ {path} }}}}"
            yield Sign(58, "fault", Asked(path, "exists", "true"), f"{path} is set", title, message, ((path, REMOVED),))


# --- Numbers ----------------------------------------------------------------------------------------------------------------


def replica_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield a number of ready pods that is less than the wanted one."""
    kind, status = str(body.get("kind")), at(body, "status") or {}
    daemon = kind == "DaemonSet"
    wanted = at(status, "desiredNumberScheduled") if daemon else at(body, "spec", "replicas")
    counts = [name for name in ("readyReplicas", "availableReplicas") if name in status]
    if not _is_built_in(body) and not counts:
        return
    ready_path = "status.numberReady" if daemon else f"status.{(counts or ['readyReplicas'])[0]}"
    wanted = 1 if wanted is None and kind in ("Deployment", "StatefulSet") and _is_built_in(body) else wanted
    ready = at(body, *ready_path.split(".")) or 0
    if not isinstance(wanted, int) or not isinstance(ready, int) or ready >= wanted:
        return
    known = _is_built_in(body) and kind in ("Deployment", "StatefulSet", "DaemonSet")
    desired_path = "status.desiredNumberScheduled" if daemon else "spec.replicas"
    found, desired = ("facts.ready", "facts.desired") if known else (ready_path, desired_path)
    yield Sign(
        86,
        "expect",
        Asked(found, "equals_field", desired),
        f"{ready} of {wanted} pods are ready",
        f"{article(kind)} has fewer ready pods than it should",
        f"{subject(body)}: {{{{ {found} }}}} of {{{{ {desired} }}}} pods are ready",
        ((ready_path, wanted), (desired_path, wanted)),
        keep=(ready_path, desired_path),
    )


def job_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield pods of a Job that failed, and a budget that lets no pod go."""
    failed = at(body, "status", "failed")
    if body.get("kind") == "Job" and isinstance(failed, int) and failed > 0:
        message = f"{subject(body)}: {{{{ status.failed }}}} pods failed"
        asked = Asked("status.failed", "more_than", "0")
        yield Sign(70, "fault", asked, f"{failed} pods failed", "A Job has failed pods", message, (("status.failed", 0),))
    if body.get("kind") == "PodDisruptionBudget" and at(body, "status", "disruptionsAllowed") == 0:
        asked = Asked("status.disruptionsAllowed", "at_least", "1")
        message = f"{subject(body)} lets no pod be moved"
        healthy = (("status.disruptionsAllowed", 1),)
        yield Sign(60, "expect", asked, "no pod may be moved", "A PodDisruptionBudget lets no pod be moved", message, healthy)


# --- Deletion, addresses, labels --------------------------------------------------------------------------------------------


def deletion_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield a deletion that was asked for and did not come to its end."""
    if texts(at(body, "metadata", "deletionTimestamp")):
        kind = str(body.get("kind"))
        yield Sign(
            64,
            "fault",
            Asked("metadata.deletionTimestamp", "exists", "true"),
            "it is being deleted",
            f"{article(kind)} hangs in deletion",
            f"{subject(body)} is being deleted since {{{{ metadata.deletionTimestamp | ago }}}}",
            (("metadata.deletionTimestamp", REMOVED), ("metadata.finalizers", REMOVED)),
            keep=("metadata.finalizers",),
            show=(("Finalizers", "metadata.finalizers"),),
        )


def address_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield a load balancer or Ingress without an address."""
    kind = body.get("kind")
    balancer = kind == "Service" and at(body, "spec", "type") == "LoadBalancer"
    if not (balancer or kind == "Ingress") or not _is_built_in(body) or at(body, "status", "loadBalancer", "ingress"):
        return
    path = "status.loadBalancer.ingress"
    yield Sign(
        72,
        "expect",
        Asked(path, "exists", "true"),
        "it has no address",
        f"{article(str(kind))} has no address",
        f"{subject(body)} has no address",
        ((path, [{"ip": "192.0.2.10"}]),),
        keep=("spec.type",) if balancer else (),
    )


def label_signs(body: Mapping[str, Any]) -> Iterator[Sign]:
    """Yield labels whose value says that something is off."""
    labels = at(body, "metadata", "labels")
    for name, value in sorted(labels.items()) if isinstance(labels, Mapping) else ():
        if isinstance(value, str) and (value.lower() in ("paused", "disabled") or _BAD_WORDS.fullmatch(value)):
            path = f'metadata.labels["{name}"]'
            message = f"{subject(body)}: label {name} is {{{{ found }}}}"
            title = f"{article(str(body.get('kind')))} with label {name} {value}"
            healthy = ((path, REMOVED),)
            yield Sign(40, "fault", Asked(path, "equals", value), f"label {name} is {value}", title, message, healthy)


def _is_built_in(body: Mapping[str, Any]) -> bool:
    return GROUP_OF.get(str(body.get("kind"))) == group_of(body)


_FINDERS: tuple[Callable[[Mapping[str, Any]], Iterator[Sign]], ...] = (
    pod_signs,
    node_signs,
    event_signs,
    condition_signs,
    phase_signs,
    error_signs,
    replica_signs,
    job_signs,
    deletion_signs,
    address_signs,
    label_signs,
)
