"""Which containers' logs are read, and how a tail is cut and cleaned. Pure: the reading itself is ``read_logs``'."""

import json
from typing import Any, Dict, Iterable, List, NamedTuple, Tuple

from . import plan
from .redact import redact_object
from .redact_text import redact_text

CUT_MARK = "\u00abcut: %s\u00bb"
_OF_GPUS = {container.name for container in plan.SMI_CONTAINERS} | set(plan.LOG_CONTAINERS)


class LogPod(NamedTuple):
    """A pod whose logs may be wanted. ``owner`` groups the pods of one workload; ``containers`` are (name, previous run too)."""

    important: bool                 # of Run:ai or the GPU Operator
    healthy: bool
    namespace: str
    owner: str
    name: str
    containers: Tuple[Tuple[str, bool], ...]


def log_pod(pod: Dict[str, Any], more: Tuple[str, ...] = (), own: bool = False) -> LogPod:
    """Return what matters of a Pod for its logs. Containers that never ran are not in it; ``more`` are a plan file's patterns;
    ``own`` says that its containers are NVIDIA's when they are called so."""
    metadata, status = pod.get("metadata") or {}, pod.get("status") or {}
    namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
    owners = metadata.get("ownerReferences") or [{}]
    statuses = [entry for field in ("initContainerStatuses", "containerStatuses") for entry in status.get(field) or []]
    containers = tuple((entry.get("name", ""), _ran_before(entry)) for entry in statuses if _ever_ran(entry))
    important = (namespace in plan.LOG_NAMESPACES or plan.matches(more, namespace, name)
                 or (own and any(entry.get("name") in _OF_GPUS for entry in statuses)))
    return LogPod(important, is_healthy(pod), namespace, owners[0].get("uid") or name, name, containers)


def _ever_ran(entry: Dict[str, Any]) -> bool:
    return not {"running", "terminated"}.isdisjoint(entry.get("state") or {}) or _ran_before(entry)


def _ran_before(entry: Dict[str, Any]) -> bool:
    return bool(entry.get("restartCount")) or "terminated" in (entry.get("lastState") or {})


def is_healthy(pod: Dict[str, Any]) -> bool:
    """Return whether a Pod is done, or runs with every container ready."""
    status = pod.get("status") or {}
    ready = all(entry.get("ready") for entry in status.get("containerStatuses") or [])
    return status.get("phase") == "Succeeded" or (status.get("phase") == "Running" and ready)


def choose_pods(pods: Iterable[LogPod], limits: plan.Limits) -> Tuple[List[LogPod], Dict[str, Tuple[int, str]]]:
    """Return the pods whose logs to read, important ones first, and how many of each namespace are left out, and why.
    Of important namespaces some of each workload are read, elsewhere the unhealthy; bounded in all."""
    counts: Dict[Tuple[str, str, bool], int] = {}
    chosen: List[LogPod] = []
    left_out: Dict[str, Tuple[int, str]] = {}
    for pod in sorted(pods, key=lambda pod: (pod.healthy, not pod.important, pod.namespace, pod.name)):
        if not pod.containers or (pod.healthy and not pod.important):
            continue
        key = (pod.namespace, pod.owner, pod.healthy)
        counts[key] = counts.get(key, 0) + 1
        most = limits.log_pods_healthy if pod.healthy else limits.log_pods_unhealthy
        full = len(chosen) >= limits.log_pods
        if counts[key] > most or full:
            why = "%d pods are the limit" % limits.log_pods if full else "those of other pods of the same workload are read"
            left_out[pod.namespace] = left_out.get(pod.namespace, (0, ""))[0] + 1, why
        else:
            chosen.append(pod)
    return sorted(chosen, key=lambda pod: (not pod.important, pod.healthy, pod.namespace, pod.name)), left_out


def newest(parts: Iterable[bytes], most: int) -> Tuple[str, int]:
    """Return the last ``most`` bytes of a stream, and how many before them were dropped: when some were, the text begins with
    a whole line."""
    kept, dropped = bytearray(), 0
    for part in parts:
        kept += part
        dropped += max(0, len(kept) - most)
        del kept[:-most]
    start = kept.find(b"\n") + 1 if dropped else 0
    return kept[start:].decode("utf-8", "backslashreplace").replace("\0", "\\x00"), dropped + start


def clean_log(text: str, dropped: int, lines: int, longest: int) -> Tuple[str, List[Tuple[int, str]], bool]:
    """Return a log as it may be written, (line, rule) of what was hidden, and whether it was cut.
    A marker line stands first where older lines were left out. Lines longer than ``longest`` characters are cut."""
    pieces, start = [], 0  # type: List[str], int
    while start <= len(text):
        end = text.rfind("\n", start, start + longest + 1)      # as many lines at a time as are no longer than one may be
        end = end if end >= 0 else (text.find("\n", start) + 1 or len(text) + 1) - 1
        pieces.append(text[start:end] if end - start <= longest else _cut_line(text[start:end], longest))
        start = end + 1
    cleaned, found = redact_text("\n".join(pieces), 0, _open_json)
    if not dropped and text.count("\n") + (text[-1:] not in ("", "\n")) < lines:
        return cleaned, found, False
    reason = "%d bytes before this line were left out" % dropped if dropped else "only the last %d lines were asked for" % lines
    return CUT_MARK % reason + "\n" + cleaned, [(number + 1, rule) for number, rule in found], True


def _cut_line(row: str, longest: int) -> str:
    # Back to a space, so that no secret loses the half by which it would be known.
    space = row.rfind(" ", longest // 2, longest)
    kept = row[:space if space > 0 else longest // 2]
    return kept + " " + CUT_MARK % ("%d characters of this line" % (len(row) - len(kept)))


def _open_json(body: str) -> Tuple[str, List[str]]:
    document = json.loads(body)
    if not isinstance(document, dict):
        return body, []
    document, hidden = redact_object(document)
    return (json.dumps(document, ensure_ascii=False), [entry.rule for entry in hidden]) if hidden else (body, [])
