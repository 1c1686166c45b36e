"""Why the collector should run once more: what was refused, what an option left out, what only a bundle supplies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from runai_collect import layout

from ..model import BundleInfo, Missing, Outcome, Step
from .text import cut, listing

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
# The options of the collector, and what comes along without them.
_OPTIONS = {
    "-n": "",
    "--exclude": "",
    "--only": "",
    "--no-exec": "nvidia-smi then answers on each GPU node",
    "--no-logs": "",
    "--no-secrets": "of Secrets only names, types and public certificates are taken",
    "--no-certificates": "of the TLS Secrets only the public certificates are taken",
}


def another_bundle(outcomes: Iterable[Outcome], bundle: BundleInfo) -> str:
    """Return what another bundle is asked for, in words that follow "another bundle"; empty when there is no need of one."""
    missing = [gap for outcome in outcomes for gap in outcome.missing]
    left_out, denied = options_in_the_way(missing, bundle.steps), refused(bundle.steps)
    parts = []
    if left_out:
        kept = [_OPTIONS[option] for option in left_out if _OPTIONS[option]]
        parts.append(f"collected without {listing(left_out)}" + (f" ({'; '.join(kept)})" if kept else ""))
    if denied:
        shown = list(denied[:_SHOWN])
        shown += [f"{len(denied) - len(shown):,} more"] if len(denied) > len(shown) else []
        parts.append(f"taken by a user who may also get and list, in all namespaces: {listing(shown)}")
    if bundle.state != "complete" and not parts:
        parts.append("as this one is not whole")
    lacking = sorted({gap.what for gap in missing if gap.command.strip() == RECOLLECT})
    if lacking and not parts:
        shown = [cut(what, 80) for what in lacking[:4]] + ([f"{len(lacking) - 4:,} more"] if len(lacking) > 4 else [])
        parts.append(f"as this one lacks {listing(shown)}")
    return ", ".join(parts)


def options_in_the_way(missing: Iterable[Missing], steps: Iterable[Step]) -> tuple[str, ...]:
    """Return the options of the collector that left out what some rule lacks, as they are typed."""
    messages = {step.message for step in steps if step.status == "skipped" or step.message.startswith(layout.LEFT_OUT)}
    reasons = [gap.reason for gap in missing]
    lacking = {message for message in messages if message and any(f"({message})" in reason for reason in reasons)}
    found = {option for message in lacking for option in _named(message)}
    return tuple(option for option in _OPTIONS if option in found)


def _named(message: str) -> list[str]:
    if message.startswith(layout.RESTRICTED):
        return ["-n"]
    if message.startswith(layout.LEFT_OUT):
        return [option for option in ("--exclude", "--only") if option in message]
    return [message.partition("; ")[0]]


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
    return command.startswith(("kubectl get ", "helm ", "nvidia-smi"))


def may_be_asked(command: str) -> bool:
    """Return whether a person can run a command as it stands: it holds no placeholder, and prints nothing of a Secret."""
    of_secrets = re.search(r"\bsecrets?\b", command) and re.search(r"\s(-o|--output|--template)\b", command)
    return not re.search(r"<[^>]*>", command) and not of_secrets


def titles(whats: Sequence[str], most: int = 4) -> str:
    """Return things as a list of at most ``most``, each once, with the rest counted."""
    once = sorted(set(whats))
    more = len(once) - most
    return listing([*once[:most], f"{more} more"] if more > 0 else once)
