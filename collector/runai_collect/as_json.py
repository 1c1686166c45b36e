"""--json: the summary for programs, from the same rows as the text. Pure."""

from typing import Dict, List

from . import layout
from .summary import LEFT_OUT, odd, rows_of
from .writer import Hit, Step, Totals


def summary_json(path: str, totals: Totals, state: str, steps: List[Step], hits: List[Hit], code: int) -> Dict[str, object]:
    """Return the summary for programs; ``missing`` and ``left_out`` are the rows of the text."""
    statuses = [step.status for step in steps]
    rows = [{"why": why, "what": what} for why, what in rows_of(steps)]
    return {
        "bundle": path, "bytes": totals.bytes, "sha256": totals.sha256, "files": totals.members, "state": state,
        "exit_code": code, "objects": sum(step.objects for step in steps if step.id.startswith("list:")),
        "steps": {status: statuses.count(status) for status in layout.STATUSES if status in statuses},
        "missing": [row for row in rows if row["why"] != LEFT_OUT], "left_out": [row for row in rows if row["why"] == LEFT_OUT],
        "odd": odd(steps), "hits": [hit._asdict() for hit in hits],
    }
