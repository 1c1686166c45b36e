"""What is said at the end: what is in the bundle, what is missing and why, its size and checksum. Pure."""

import re
import shlex
from typing import Dict, List, Set, Tuple

from . import layout, plan
from .budget import FULL, SIZE, TIME
from .writer import Hit, Step, Totals

_WHY = {"forbidden": "refused", "timeout": "no answer in time", "error": "failed", "truncated": "cut"}
LEFT_OUT, _ONE_BY_ONE, _EVERYWHERE = "left out", "one by one", "in the whole cluster"
_SHOWN = 6                      # names of a row; the manifest has them all
CUT = layout.STATES + (TIME, SIZE, FULL)        # messages of steps that a limit or a person ended

# Steps of one sort, by the begin of their ids: what the names behind it are, and how a row speaks of them.
_NOUNS = {
    "log": ("log", "%s"), "certificate": ("certificate", "%s"), "nvidia-smi": ("node", "nvidia-smi on %s"),
    "secrets": ("namespace", "names of Secrets in %s"), "helm": ("namespace", "Helm releases in %s"),
    "logs": ("namespace", "logs of more pods in %s"), "probe": ("endpoint", "a connection to %s"),
    "node": ("answer", "%s of this machine"), "wish": ("option", "%s"),
}
# Steps that have no name behind their sort.
_WHOLE = {"secrets": "names of Secrets", "helm": "Helm releases of the whole cluster", "named-namespaces": "what was named"}
_ORDER = [kind.plural for kind in plan.KINDS]


def incomplete(steps: List[Step]) -> bool:
    """Return whether anything that was asked for was refused, failed or cut. A probe that fails is one that found something."""
    return any(step.status in _WHY and not step.message.startswith(layout.LEFT_OUT) and not step.id.startswith("probe:")
               for step in steps)


def summary_text(path: str, totals: Totals, state: str, steps: List[Step], hits: List[Hit], blocked: bool, program: str) -> str:
    """Return the summary, a few lines however many steps there were. ``program`` is how this one is started."""
    lines = ["", "Bundle: %s" % path, "In it:  " + _contents(steps)]
    if state != "complete":
        lines.append("It is not complete (%s): it holds what had been read by then." % state)
    rows = rows_of(steps)
    missing = ["  %s: %s" % row for row in rows if row[0] != LEFT_OUT]
    lines.extend(["Missing:"] + missing if missing else ["Missing: nothing that was asked for."])
    if odd(steps):
        lines.append("  Of an odd shape, or not to be redacted: " + some(odd(steps), layout.ODD_SHOWN))
    if any(step.status == "forbidden" for step in steps):
        rights = "the right to %s: %s --rbac prints the roles" % (plan.RIGHTS, program)
        lines.append("  To read all of it takes %s." % ("root" if _of_machine(steps) else rights))
    left_out = ["  " + what for why, what in rows if why == LEFT_OUT]
    lines.extend(["Left out:"] + left_out if left_out else [])
    if hits:
        lines.append("The last scan found what looks like a secret in %s:" % counted(len(hits), "place"))
        lines.extend(["  %s: %s" % (hit.member, hit.shape) for hit in hits[:20]])
        lines.append("The bundle was therefore named .blocked; look at these places, and run again with --keep-despite-scan to "
                     "insist." if blocked else "It was kept, as --keep-despite-scan asks.")
    lines.append("Size:   %s, %s, SHA-256 %s" % (size_words(totals.bytes), counted(totals.members, "file"), totals.sha256))
    changed = "on this machine" if _of_machine(steps) else "in the cluster"
    lines.append("Nothing was sent anywhere, and nothing was changed %s. To look inside: %s inspect %s" % (
        changed, program, shlex.quote(path)))
    return "\n".join(lines)


def counted(number: int, noun: str) -> str:
    """Return "1 node", "2 nodes"."""
    return "%d %s%s" % (number, noun, "" if number == 1 else "s")


def _of_machine(steps: List[Step]) -> bool:
    return any(step.id.startswith("node:") for step in steps)


def _contents(steps: List[Step]) -> str:
    if _of_machine(steps):
        return counted(sum(step.objects for step in steps), "answer") + " of this machine"
    objects = sum(step.objects for step in steps if step.id.startswith("list:"))
    nodes, logs, certificates = [sum(1 for step in steps if step.id.startswith(sort) and step.objects)
                                 for sort in ("nvidia-smi:", "log:", "certificate:")]
    return "%s, nvidia-smi of %s, %s, public certificates of %s" % (
        counted(objects, "object"), counted(nodes, "node"), counted(logs, "log"), counted(certificates, "Secret"))


def odd(steps: List[Step]) -> List[str]:
    """Return the objects that steps name as left out because of what they are."""
    return [name for step in sorted(steps) for name in step.message.partition(layout.ODD)[2].split(", ") if name]


def rows_of(steps: List[Step]) -> List[Tuple[str, str]]:
    """Return (why, what) of what is not in the bundle, steps of one sort, place and reason folded into one row."""
    groups: Dict[Tuple[str, str, str, str], List[Step]] = {}
    for step in sorted(steps):
        why = _why(step)
        # The words of others name what each of them was about; of ours all count.
        ours, message = step.message.endswith(CUT) or step.id.startswith("node:"), " ".join(step.message.split())
        reason = "" if step.status == "forbidden" else message if ours or why == LEFT_OUT else message.split(":")[0][:120]
        groups.setdefault((why, re.split("[:@]", step.id)[0], _place(step), reason), []).append(step)
    return [(key[0], _words(key[1], key[2], key[3], group)) for key, group in sorted(groups.items()) if key[0]]


def _why(step: Step) -> str:
    """Return why something is not in the bundle, "" when it is, or is not there to be read."""
    if step.message.startswith(layout.LEFT_OUT):
        return LEFT_OUT
    if step.status == "skipped":
        return "not reached" if (": " + step.message).endswith(tuple([": " + why for why in CUT])) else LEFT_OUT
    if step.status == "not_found" and step.id.startswith(("nvidia-smi:", "node:nvidia-smi.xml")):
        return "nobody to ask"
    return "" if step.id.startswith("probe:") else _WHY.get(step.status, "")


def _place(step: Step) -> str:
    """Return where a list is lacking, "" of what is no list."""
    if not step.id.startswith("list:"):
        return ""
    if step.namespace:
        return _ONE_BY_ONE
    return "of other namespaces" if step.message.startswith(layout.RESTRICTED) else _EVERYWHERE


def _words(sort: str, place: str, reason: str, steps: List[Step]) -> str:
    names = sorted({step.id[len(sort) + 1:] for step in steps} - {""})
    if place:
        if place == _ONE_BY_ONE:
            namespaces = sorted({step.namespace for step in steps})
            place = "in %s (%s)" % (counted(len(namespaces), "namespace"), some(namespaces))
        kinds = in_order({name.split("@")[0].split("/")[-1] for name in names})
        what = "%s %s: %s" % (counted(len(kinds), "kind"), place, some(kinds))
    elif names and not (sort == "certificate" and reason.startswith(layout.RESTRICTED)):
        noun, phrase = _NOUNS.get(sort, (sort, "%s"))
        what = "%s: %s" % (phrase % counted(len(names), noun), some(_short(names) if sort in ("log", "certificate") else names))
    else:
        what = counted(len(names), sort) if names else _WHOLE.get(sort, sort)
        what += " of other namespaces" if reason.startswith(layout.RESTRICTED) else ""
    if reason.startswith(layout.LEFT_OUT + "objects of "):        # not all of it, but what is of some namespaces
        return "%s: %s" % (reason[len(layout.LEFT_OUT):], what.replace(" " + _EVERYWHERE, ""))
    return what + (" (%s)" % reason if reason else "")


def _short(names: List[str]) -> List[str]:
    """Return NAMESPACE/NAME … as how many there are of each namespace, when there are many."""
    spaces = [name.split("/")[0] for name in names]
    return names if len(names) < 4 else ["%s %d" % (space, spaces.count(space)) for space in sorted(set(spaces))]


def in_order(plurals: Set[str]) -> List[str]:
    """Return kinds as the plan has them, the others after them."""
    return sorted(plurals, key=lambda plural: (_ORDER.index(plural) if plural in _ORDER else len(_ORDER), plural))


def some(names: List[str], most: int = _SHOWN) -> str:
    """Return the first names, and how many more there are."""
    return ", ".join(names[:most]) + (" and %d more" % (len(names) - most) if len(names) > most else "")


def size_words(count: int) -> str:
    """Return a number of bytes as "12 kB", "1.5 MB"."""
    return "%.1f MB" % (count / 1e6) if count >= 1e6 else "%d kB" % (count // 1000 + 1)
