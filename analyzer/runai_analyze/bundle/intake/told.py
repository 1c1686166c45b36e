"""What can be said of a foreign bundle's Secrets once all of it was read: ages, who uses a certificate, what was exposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from runai_collect.certificates import Reference

from ...model import Step
from ...objects.times import parse_time
from ..kinds import plural_of
from .intake import Intake

_MOST_NAMED = 5


def complete(row: dict[str, Any], area: str, intake: Intake) -> None:
    """Put into a row what was not known when it was taken in: a Secret's age, and what names one as its certificate."""
    if area == "secret":
        row["age"] = _age(row.pop("created", ""), intake)
    else:
        place = (row.get("namespace"), row.get("name"))
        row["referenced_by"] = [one.by for one in _referring(intake) if (one.namespace, one.secret) == place]


def _referring(intake: Intake) -> Sequence[Reference]:
    return sorted(intake.references)


def _age(created: str, intake: Intake) -> str:
    """Return an age as kubectl's tables have it: the two largest units at most."""
    try:
        seconds = int((intake.captured - parse_time(created)).total_seconds()) if intake.captured else -1
    except ValueError:
        return ""
    return short_age(timedelta(seconds=seconds)) if seconds >= 0 else ""


def short_age(span: timedelta) -> str:
    """Return a span as the API server's tables print it (duration.HumanDuration of apimachinery 0.34)."""
    seconds = int(span.total_seconds())
    minutes, hours, days, years = seconds // 60, seconds // 3600, seconds // 86400, seconds // (86400 * 365)
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return f"{minutes}m" + (f"{seconds % 60}s" if seconds % 60 else "")
    if hours < 3:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h" + (f"{minutes % 60}m" if minutes % 60 else "")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d" + (f"{hours % 24}h" if hours % 24 else "")
    if days < 2 * 365:
        return f"{days}d"
    return f"{years}y" + (f"{days % 365}d" if years < 8 and days % 365 else "")


def tell_rest(intake: Intake) -> None:
    """Say of kinds of which there are objects, and of which the format said nothing, that nobody knows whether these are all."""
    told = {(step.kind, step.group) for step in intake.steps}
    for kind, group in sorted({(kind, group) for kind, group, _ in intake.seen} - told):
        why = "it holds some, and nothing tells whether these are all"
        intake.lacks(plural_of(kind), kind, group, message=why, status="truncated")


def made_steps(steps: Sequence[Step]) -> list[Step]:
    """Return the steps that Helm's releases rest on: they are read from the same Secrets."""
    asked = [step for step in steps if (step.kind, step.group) == ("Secret", "")]
    return [replace(step, id=f"helm@{step.namespace}" if step.namespace else "helm", kind="", objects=0) for step in asked]


def secret_notes(intake: Intake) -> tuple[str, ...]:
    """Return what the report says at its top of the secrets in the bundle: how many there were, and where; never what."""
    said, found = [], intake.exposed
    if found:
        values = sum(one.values for one in found)
        names = ", ".join(f"{one.namespace}/{one.name} ({one.values})" for one in found[:_MOST_NAMED])
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        what = f"{_count(values, 'value')} of {_count(len(found), 'Secret')}: {names}{more}"
        said.append(f"The bundle holds {what}. They were dropped on reading; the customer should know (RAI-SEC-001).")
    if intake.hidden:
        places = _count(sum(intake.hidden.values()), "place")
        rules = ", ".join(f"{rule} {count}" for rule, count in sorted(intake.hidden.items()))
        what = f"In {places} of other objects the bundle holds what may be a secret, by its name or shape ({rules})."
        said.append(f"{what} It was hidden on reading: the file itself still has it.")
    return tuple(said)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
