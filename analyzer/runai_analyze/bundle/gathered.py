"""The steps of a bundle with what was lost on the way in them: those of several bundles can then be put together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..model import Step
from .coverage import Coverage
from .reasons import FINE

_CUT = "the bundle was cut, so no list in it is known to be whole"


def effective_steps(gathered: Coverage) -> tuple[Step, ...]:
    """Return the steps of a bundle with its damage in them: one that brought all of a kind, of which not all could be read, has
    become one that brought part of it. Call it once all records were streamed."""
    steps = tuple(_effective(step, gathered) for step in gathered.steps)
    if gathered.cut and not any(_family(step) in ("log", "logs") for step in steps):
        steps += (Step("logs", "", "cluster", "truncated", "the bundle was cut"),)
    return steps


def _effective(step: Step, gathered: Coverage) -> Step:
    if why := gathered.lost.get(step.id):
        return replace(step, status="error", message=why)
    family = _family(step)
    if step.status not in FINE or family == "nvidia-smi":
        return step
    if family in ("log", "logs"):
        return replace(step, status="truncated", message="the bundle was cut") if gathered.cut else step
    why = _CUT if gathered.cut else gathered.damaged.get(_kind(step)) or gathered.all_damaged
    return replace(step, status="truncated", message=why) if why else step


def _family(step: Step) -> str:
    return step.id.partition(":")[0].partition("@")[0]


def _kind(step: Step) -> tuple[str, str]:
    """Return the kind that damage of a step's answers is noted under."""
    made = {"helm": "HelmRelease", "certificate": "Certificate", "certificates": "Certificate"}.get(_family(step))
    return (made, "made") if made else (step.kind, step.group)


def best_steps(bundles: Iterable[Iterable[Step]]) -> tuple[Step, ...]:
    """Return the steps of several bundles of one cluster, the newest first: of those that asked for the same, the one that
    brought most. "There are none" is as good an answer as any."""
    found: dict[tuple[str, ...], Step] = {}
    for steps in bundles:
        for step in steps:
            key = _asked(step)
            if key not in found or _rank(step) < _rank(found[key]):
                found[key] = step
    return tuple(found.values())


def _asked(step: Step) -> tuple[str, ...]:
    """Return what a step asked for, in whatever version of the API and by whatever tool."""
    if _family(step) in ("list", "secrets") and step.kind:
        return ("list", step.kind, step.group, step.namespace)
    return (step.id,)


def _rank(step: Step) -> int:
    return 0 if step.status in FINE else 1 if step.status == "truncated" else 2
