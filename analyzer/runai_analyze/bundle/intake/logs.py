"""What is to be said of the logs in another tool's bundle: a line that nobody looked for is no line that is not there."""

from __future__ import annotations

from ...model import Step
from .intake import Intake


def log_steps(intake: Intake) -> list[Step]:
    """Return a step for each namespace: ``ok`` where the log of every pod is here, else how many are. Where no pod is known,
    the gap in the list of pods says enough."""
    here = intake.spool.logged()
    pods: dict[str, set[str]] = {}
    for one in intake.known():
        if (one.kind, one.group) == ("Pod", ""):
            pods.setdefault(one.namespace, set()).add(one.name)
    counts = ((namespace, names, sum((namespace, name) in here for name in names)) for namespace, names in sorted(pods.items()))
    return [_step(*one) for one in counts]


def _step(namespace: str, pods: set[str], here: int) -> Step:
    status = "ok" if here == len(pods) else "truncated" if here else "skipped"
    message = "" if status == "ok" else f"it holds those of {here} of {len(pods)} pods" if here else "it holds none"
    return Step(f"logs@{namespace}", "logs", namespace, status, message, objects=here, namespace=namespace)
