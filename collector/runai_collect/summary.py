"""What is said at the end: what is in the bundle, what is missing and why, its size and checksum, and that nothing was sent.
Pure."""

from typing import Dict, List, Tuple

from .writer import Hit, Step, Totals

_GAPS = ("forbidden", "timeout", "error", "truncated")
_WHY = {"forbidden": "refused", "timeout": "no answer in time", "error": "failed", "truncated": "cut", "skipped": "left out"}


def incomplete(steps: List[Step]) -> bool:
    """Return whether anything that was asked for was refused, failed or cut."""
    return any(step.status in _GAPS for step in steps)


def summary_text(path: str, totals: Totals, state: str, steps: List[Step], hits: List[Hit], blocked: bool) -> str:
    """Return the summary, a few lines however many steps there were."""
    lines = ["", "Bundle: %s" % path, "In it:  " + _contents(steps)]
    if state != "complete":
        lines.append("It is not complete (%s): it holds what had been read by then." % state)
    missing = _missing(steps)
    if missing:
        lines.append("Missing:")
        lines.extend(["  %s: %s" % (why, what) for why, what in missing])
    else:
        lines.append("Missing: nothing that was asked for.")
    if hits:
        lines.append("The last scan found what looks like a secret in %d places:" % len(hits))
        lines.extend(["  %s: %s" % (hit.member, hit.shape) for hit in hits[:20]])
        lines.append("The bundle was therefore named .blocked; look at these places, and run again with --keep-despite-scan to "
                     "insist." if blocked else "It was kept, as --keep-despite-scan asks.")
    lines.append("Size:   %s, %d files, SHA-256 %s" % (_size(totals.bytes), totals.members, totals.sha256))
    lines.append("Nothing was sent anywhere, and nothing was changed in the cluster. To look inside: tar -tzf %s" % path)
    return "\n".join(lines)


def _contents(steps: List[Step]) -> str:
    objects = sum(step.objects for step in steps if step.id.startswith("list:"))
    nodes = sum(1 for step in steps if step.id.startswith("nvidia-smi:") and step.objects)
    logs = sum(1 for step in steps if step.id.startswith("log:") and step.objects)
    certificates = sum(1 for step in steps if step.id.startswith("certificate:") and step.objects)
    return "%d objects, nvidia-smi of %d nodes, %d logs, %d certificates' public parts" % (objects, nodes, logs, certificates)


def _missing(steps: List[Step]) -> List[Tuple[str, str]]:
    """Return (why, what) rows, steps of one sort folded into one."""
    groups: Dict[Tuple[str, str, str], List[str]] = {}
    for step in sorted(steps):
        if step.status in _GAPS or step.status == "skipped":
            sort, _, rest = step.id.partition(":") if ":" in step.id else step.id.partition("@")
            message = step.message.split(":")[0][:120] if step.status != "forbidden" else ""
            groups.setdefault((_WHY[step.status], sort, message), []).append(rest or sort)
    rows = []
    for (why, sort, message), names in sorted(groups.items()):
        shown = ", ".join(names[:6]) + (" and %d more" % (len(names) - 6) if len(names) > 6 else "")
        what = shown if sort in ("list", shown) else "%s of %s" % (sort, shown)
        rows.append((why, what + (" (%s)" % message if message else "")))
    return rows


def _size(count: int) -> str:
    return "%.1f MB" % (count / 1e6) if count >= 1e6 else "%d kB" % (count // 1000 + 1)
