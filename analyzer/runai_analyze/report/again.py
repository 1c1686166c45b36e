"""Why the collector should run once more, beside what was kept back on purpose: what was refused, what only a bundle supplies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..model import BundleInfo, Outcome, Step
from .taken_out import narrowed
from .text import cut, first_of

RECOLLECT = "runai-collect"
_LIST = re.compile(r"list:(?P<group>[^/]+)/[^/]+/(?P<plural>[^@/]+)(?:@(?P<namespace>.+))?$")
_SHOWN = 12
# What the other steps of the collector need, by the beginning of their id.
_RIGHTS = {
    "secrets": "secrets (only their names and types are taken)",
    "helm": "secrets (only their names and types are taken)",
    "certificate": "the TLS secrets (only their public certificates are taken)",
    "log": "pods/log",
    "nvidia-smi": "pods/exec for nvidia-smi",
    "version": "/version",
    "discovery": "the list of APIs",
}

def another_bundle(outcomes: Iterable[Outcome], bundle: BundleInfo, asked_already: bool = False) -> str:
    """Return what another bundle is asked for, in words that follow "another bundle"; empty when there is no need of one.

    ``asked_already``: one is asked for without the options of this one, so that it need not be said what else this one lacks.
    """
    missing = [gap for outcome in outcomes for gap in outcome.missing if not gap.taken_out]
    if denied := refused(bundle.steps):
        return f"taken by a user who may also get and list, in all namespaces: {first_of(denied, _SHOWN)}"
    if asked_already:
        return ""
    if bundle.state != "complete":
        return "as this one is not whole"
    raw_too = narrowed(bundle)
    lacking = [gap.what for gap in missing if gap.command.strip() == RECOLLECT or (raw_too and is_raw(gap.command.strip()))]
    return f"as this one lacks {titles([cut(what, 80) for what in lacking])}" if lacking else ""


def refused(steps: Iterable[Step]) -> tuple[str, ...]:
    """Return what the API server refused, as a person would grant it: ``nodes``, ``deployments.apps``; core kinds first."""
    found = {_right(step) for step in steps if step.status == "forbidden"}
    return tuple(sorted(found, key=lambda right: ("." in right or " " in right or "/" in right, right)))


def _right(step: Step) -> str:
    match = _LIST.match(step.id)
    if match is None:
        return _RIGHTS.get(re.split("[:@]", step.id)[0], cut(step.id, 80))
    return cut(match["plural"] if match["group"] == "core" else f"{match['plural']}.{match['group']}", 80)


def by_a_bundle(command: str) -> bool:
    """Return whether another bundle brings what a command prints, and redacted, so that the command need not be run."""
    return is_raw(command) or command.startswith("nvidia-smi")


def is_raw(command: str) -> bool:
    """Return whether a command prints what the API server says, without the redaction of a bundle."""
    return command.startswith(("kubectl get ", "kubectl version", "helm "))


def may_be_asked(command: str) -> bool:
    """Return whether a person can run a command as it stands: it holds no placeholder, and prints nothing of a Secret."""
    of_secrets = re.search(r"\bsecrets?\b", command) and re.search(r"\s(-o|--output|--template)\b", command)
    return not re.search(r"<[^>]*>", command) and not of_secrets


def titles(whats: Sequence[str], most: int = 4) -> str:
    """Return things as a list of at most ``most``, each once, with the rest counted."""
    return first_of(sorted(set(whats)), most)
