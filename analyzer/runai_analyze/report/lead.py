"""The paragraph under the verdict: what the support matrix says about this cluster and the release at hand."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import ReleaseFit, Report
from .page_one import component_words
from .ranking import failed
from .text import count_words, cut, listing, sentence


def lead(report: Report) -> str:
    """Return one or two sentences; empty when there is no release to compare with and no risk."""
    return " ".join(part for part in (matrix_words(report.releases), _risks(report)) if part)


def matrix_words(releases: Sequence[ReleaseFit]) -> str:
    """Return what the support matrix says about the release at hand, or about which releases this cluster could take."""
    current = next((fit for fit in releases if fit.current), None)
    return _current(current) if current else _choice(releases)


def _risks(report: Report) -> str:
    """Return how many risks there are, where the verdict does not speak of them."""
    risks = len(failed(report.outcomes, "risk"))
    if not risks or report.can_run != "unknown":
        return ""
    return f"{sentence(count_words(risks, 'risk'))} {'was' if risks == 1 else 'were'} found."


def _current(fit: ReleaseFit) -> str:
    release = f"Run:ai {cut(fit.release, 20)}"
    if fit.fits == "no":
        outside = _found(fit, "no")
        verb = "This version is" if len(outside) == 1 else "These versions are"
        return f"{verb} outside the support matrix of {release}: {listing(outside)}."
    if fit.fits == "unknown":
        return f"Nothing in the support matrix speaks against {release}; it does not say for {listing(_names(fit, 'unknown'))}."
    return f"By the support matrix {release} and this cluster's versions fit together."


def _choice(releases: Sequence[ReleaseFit]) -> str:
    if not releases:
        return ""
    takes = [cut(fit.release, 20) for fit in releases if fit.fits == "yes"]
    if takes:
        return f"By the support matrix this cluster could take Run:ai {listing(takes[:6], 'or')}."
    open_ones = [cut(fit.release, 20) for fit in releases if fit.fits == "unknown"]
    if open_ones:
        return f"The support matrix rules out nothing seen here for Run:ai {listing(open_ones[:6], 'or')}, but leaves some open."
    return "By the support matrix this cluster could take no Run:ai release as it is."


def _names(fit: ReleaseFit, answer: str) -> list[str]:
    words = component_words(component for component, _, _, _ in fit.parts)
    return list(dict.fromkeys(cut(words[name], 40) for name, _, _, got in fit.parts if got == answer))


def _found(fit: ReleaseFit, answer: str) -> list[str]:
    words = component_words(component for component, _, _, _ in fit.parts)
    return list(dict.fromkeys(f"{cut(words[name], 40)} {cut(found, 40)}" for name, found, _, got in fit.parts if got == answer))
