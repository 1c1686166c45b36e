"""How the report was made: every rule under its outcome, every step of the collection, and both counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..model import Outcome, Status, Step

Share = tuple[str, int, float, float]  # word, number, left edge and width in percent

STATUS_WORDS = {
    Status.FAIL: "Failed",
    Status.ERROR: "Rule broke",
    Status.UNKNOWN: "Not checked",
    Status.BLOCKED: "Behind a cause",
    Status.ACCEPTED: "Accepted",
    Status.PASS: "Passed",
    Status.NOT_APPLICABLE: "Does not apply",
}
_STEP_WORDS = {
    "ok": "brought data",
    "empty": "found none",
    "not_found": "not served",
    "skipped": "left out",
    "truncated": "cut short",
    "forbidden": "refused",
    "timeout": "timed out",
    "error": "failed",
}
GOOD_STEPS = ("ok", "empty", "not_found", "skipped")


def by_status(outcomes: Sequence[Outcome]) -> tuple[tuple[str, tuple[Outcome, ...]], ...]:
    """Return all outcomes under their status, in the order of ``STATUS_WORDS``; statuses that no rule has are left out."""
    groups = ((status, tuple(it for it in outcomes if it.status is status)) for status in STATUS_WORDS)
    return tuple((status.value, members) for status, members in groups if members)


def account(outcomes: Sequence[Outcome]) -> tuple[Share, ...]:
    """Return the bar that shows every outcome: for each status its word, number, and place in percent of the width."""
    shares: list[Share] = []
    left = 0
    for status, members in by_status(outcomes):
        number = len(members)
        place = round(100 * left / len(outcomes), 3), round(100 * number / len(outcomes), 3)
        shares.append((STATUS_WORDS[Status(status)], number, *place))
        left += number
    return tuple(shares)


def step_counts(steps: Sequence[Step]) -> tuple[tuple[str, int], ...]:
    """Return how many steps ended in which way, in words, most frequent first."""
    counts = Counter(_step_word(step) for step in steps)
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _step_word(step: Step) -> str:
    kept_back = step.taken_out and step.status == "truncated"
    return "kept back by the customer" if kept_back else _STEP_WORDS.get(step.status, step.status)


def troubled_first(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps with those that brought nothing they should have brought on top, each part in the order it ran."""
    return tuple(sorted(steps, key=lambda step: step.status in GOOD_STEPS or bool(step.taken_out)))
