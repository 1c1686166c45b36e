"""The verdict in words: whether Run:ai can run here, and the way out in the same breath. Never a grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..model import BundleInfo, Outcome, ReleaseFit, Severity
from .ranking import failed, not_checked
from .site import accepted_blockers
from .taken_out import removed_note
from .text import count, count_words, cut, listing, naturally, sentence

Answer = Literal["yes", "no", "unknown"]

STATES = {
    "cut": "This bundle is cut: its end is missing, and with it everything that was collected later. "
    "What is not in it counts as not checked.",
    "interrupted": "The collection was interrupted. What it had not reached counts as not checked.",
    "deadline": "The collection ran out of time. What it had not reached counts as not checked.",
    "size-limit": "The collection reached its size limit. What it had not reached counts as not checked.",
}


def can_run(outcomes: Sequence[Outcome], bundle: BundleInfo, unjudged: str = "") -> Answer:
    """Return ``no`` when something critical failed, ``unknown`` when something critical could not be judged, else ``yes``.

    ``unjudged`` is what ``no_figures`` says.
    """
    if failed(outcomes, "blocker"):
        return "no"
    if unjudged or bundle.state != "complete" or _open_blockers(outcomes):
        return "unknown"
    return "yes"


def verdict(outcomes: Sequence[Outcome], bundle: BundleInfo, cluster: Mapping[str, Any], name: str, unjudged: str = "") -> str:
    """Return the verdict: one sentence on whether Run:ai runs or can be installed, and what stands in the way."""
    answer = can_run(outcomes, bundle, unjudged)
    if answer == "no":
        return _stopped(cluster, name, outcomes, bundle)
    if answer == "unknown":
        return _open(cluster, name, outcomes, unjudged)
    return _free(cluster, name, outcomes)


def no_figures(cluster: Mapping[str, Any], releases: Sequence[ReleaseFit]) -> str:
    """Return that the support matrix does not know the release to judge for, in words; empty when it does, or there is none."""
    release = _release(cluster)
    if not release or not releases or any(fit.current for fit in releases):
        return ""
    known = sorted((cut(fit.release, 20) for fit in releases), key=naturally)
    return f"the rules hold no figures for Run:ai {release} (known: {known[0]} … {known[-1]})"


def notes(bundle: BundleInfo, option_note: str, unjudged: str = "") -> tuple[str, ...]:
    """Return what the reader must know before anything else: a cut bundle first, then what in it could not be read."""
    said = _refusals(bundle)
    said[:0] = [STATES[bundle.state]] if bundle.state in STATES else []
    if bundle.state not in STATES and bundle.state != "complete":
        said.append(f"The bundle ended as “{cut(bundle.state, 60)}”. What it does not hold counts as not checked.")
    if removed := removed_note(bundle):
        said.append(removed)
    said.extend(cut(note, 600) for note in bundle.notes)
    if unjudged:
        said.append(f"{sentence(unjudged)}. What depends on the release counts as not checked.")
    if option_note:
        said.append(option_note)
    if bundle.captured is None:
        said.append("The bundle does not say when it was taken: nothing that depends on an age was judged.")
    said.extend(_problem_notes(bundle))
    return tuple(said)


def _refusals(bundle: BundleInfo) -> list[str]:
    """Say so when a good part of the cluster was closed to the account; single refusals stand in their own places."""
    refused = sum(step.status == "forbidden" for step in bundle.steps)
    if refused * 2 < len(bundle.steps) or not refused:
        return []
    return [
        f"The API server refused {refused:,} of {len(bundle.steps):,} reads to the account that collected this bundle. "
        "What it may not read counts as not checked."
    ]


def _problem_notes(bundle: BundleInfo) -> list[str]:
    if not bundle.problems:
        return []
    one = len(bundle.problems) == 1
    parts = "One part" if one else f"{len(bundle.problems):,} parts"
    first = ", ".join(part for part in (cut(bundle.problems[0].member, 120), cut(bundle.problems[0].message).rstrip(".")) if part)
    return [
        f"{parts} of the bundle could not be read, and what depends on it counts as not checked: {first}{'.' if one else '; …'}"
    ]


def _open_blockers(outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    return tuple(it for it in not_checked(outcomes) if it.rule.severity is Severity.CRITICAL)


def _installed(cluster: Mapping[str, Any]) -> bool | None:
    value = cluster.get("runai", {})
    value = value.get("installed") if isinstance(value, Mapping) else None
    return value if isinstance(value, bool) else None


def _release(cluster: Mapping[str, Any]) -> str:
    value = cluster.get("runai", {})
    release = value.get("release") if isinstance(value, Mapping) else None
    return cut(release, 20) if isinstance(release, str) else ""


def _product(cluster: Mapping[str, Any]) -> str:
    return f"Run:ai {_release(cluster)}".rstrip()


def _stopped(cluster: Mapping[str, Any], name: str, outcomes: Sequence[Outcome], bundle: BundleInfo) -> str:
    """Say what stops Run:ai, and how much else there is: a fix is promised only where nothing else is serious or unseen."""
    blockers = failed(outcomes, "blocker")
    rest = _besides(outcomes)
    least = "at least " if bundle.state != "complete" or _open_blockers(outcomes) else ""
    things = sentence(f"{least}{count_words(len(blockers), 'thing')}")
    way_out = f"; {rest}" if rest else _way_out(blockers)
    certainly = "certainly " if rest and not least else ""
    one = len(blockers) == 1
    if _installed(cluster):
        stop = "stops" if one else "stop"
        return f"{_product(cluster)} is installed on {name} but cannot work as it should. {things} {certainly}{stop} it{way_out}."
    verb = "cannot be installed" if _installed(cluster) is False else "cannot run"
    stand = "stands" if one else "stand"
    return f"{_product(cluster)} {verb} on {name} yet. {things} {certainly}{stand} in the way{way_out}."


def _besides(outcomes: Sequence[Outcome]) -> str:
    high, unseen = sum(it.severity is Severity.HIGH for it in failed(outcomes, "risk")), len(not_checked(outcomes))
    more = [f"{high:,} more {'is' if high == 1 else 'are'} serious"] if high else []
    return listing([*more, *([f"{count(unseen, 'check')} had no data"] if unseen else [])])


def _way_out(blockers: Sequence[Outcome]) -> str:
    known = all(it.rule.fix or it.rule.commands or any(finding.fix for finding in it.findings) for it in blockers)
    return (", and it has a known fix" if len(blockers) == 1 else ", and each has a known fix") if known else ""


def _open(cluster: Mapping[str, Any], name: str, outcomes: Sequence[Outcome], unjudged: str) -> str:
    unseen = len(_open_blockers(outcomes))
    what = f"{count_words(unseen, 'check')} that could show a blocker had no data" if unseen else "the bundle is not whole"
    return f"Whether {_product(cluster)} {_verb(cluster)} on {name} is not known: nothing seen stops it, but {unjudged or what}."


def _free(cluster: Mapping[str, Any], name: str, outcomes: Sequence[Outcome]) -> str:
    what = f"an installation of {_product(cluster)}" if _installed(cluster) is False else _product(cluster)
    risks = failed(outcomes, "risk")
    high = sum(it.severity is Severity.HIGH for it in risks)
    if high:
        verb = "is broken or misses" if high == 1 else "are broken or miss"
        nothing = f"Nothing seen{_beside(outcomes)} stops {what} on {name} outright"
        return f"{nothing}, but {count_words(high, 'thing')} {verb} a documented requirement."
    rest = _rest(len(risks), len(not_checked(outcomes)))
    return f"Nothing that was looked at{_beside(outcomes)} stops {what} on {name}. {rest}"


def _beside(outcomes: Sequence[Outcome]) -> str:
    """Return that what the site accepts is left out of the verdict, where it would stop Run:ai; empty where it would not."""
    accepted = len(accepted_blockers(outcomes))
    return f" beside {count_words(accepted, 'accepted blocker')}" if accepted else ""


def _rest(risks: int, unseen: int) -> str:
    if risks:
        return f"{sentence(count_words(risks, 'risk'))} should be dealt with."
    if unseen:
        return f"No risk was found either; {count_words(unseen, 'check')} had no data."
    return "No risk was found either."


def _verb(cluster: Mapping[str, Any]) -> str:
    return "could be installed" if _installed(cluster) is False else "can run"
