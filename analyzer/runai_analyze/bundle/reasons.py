"""Why a step of the collection brought nothing, or not all, in words; and whether the customer wanted it so."""

from __future__ import annotations

import re

from runai_collect import layout

from ..model import REMOVE, Missing, Step

# "empty": looked, there are none. "not_found": the cluster does not serve the kind, or has no such namespace.
FINE = ("ok", "empty", "not_found")
_WORDS = {
    "forbidden": "the account may not read it",
    "timeout": "the cluster did not answer in time",
    "error": "the request failed",
    "skipped": "not read",
    "truncated": "not all of it was read",
    "not_found": "there was nobody to ask",
}
# What ended a step, as the collector says it, and what that means.
_ENDED = {
    "deadline": "the deadline came first",
    "its share of the deadline": "the deadline came first",
    "interrupted": "the collection was interrupted first",
    "size-limit": "the bundle's size limit came first",
    "its share of --max-size": "the bundle's size limit came first",
    "no room was left for it: --max-size": "the bundle's size limit came first",
}
_END = re.compile(rf"(after \d+ pages: |not done when the run ended: )?(?P<end>{'|'.join(map(re.escape, _ENDED))})")
_SWITCHES = ("--no-exec", "--no-logs", "--no-secrets", "--no-certificates")
_GONE = re.compile(r"(?P<gone>\d{1,9}) of (?P<all>\d{1,9}) members")


def lack(what: str, step: Step, command: str) -> Missing:
    """Return what is lacking because of a step: why, and how the customer took it out where that was on purpose."""
    return Missing(what, reason(step), command, taken_out=step.taken_out)


def reason(step: Step) -> str:
    """Return in words why a step supplied nothing, or not all."""
    words = _WORDS.get(step.status, step.status)
    if step.status == "forbidden" or not step.message:  # what the API server says then is the request once more, at length
        return words
    if REMOVE in step.taken_out:
        return _removed(step.message)
    if step.taken_out:
        return layout.LEFT_OUT + step.message.removeprefix(layout.LEFT_OUT).replace(layout.RESTRICTED, "-n ")
    if ended := _END.fullmatch(step.message):
        return f"{'not read to its end' if step.status == 'truncated' else 'not read'}: {_ENDED[ended['end']]}"
    return f"{words} ({step.message})"


def taken_out(message: str) -> tuple[str, ...]:
    """Return how the customer left something out, as it is typed, from the message of a step that brought not all."""
    if message.startswith(layout.REMOVED):
        return tuple(dict.fromkeys((REMOVE, *taken_out(message.partition(layout.BEFORE)[2]))))
    if message.startswith(layout.RESTRICTED):
        return ("-n",)
    if message.startswith(layout.LEFT_OUT):
        parts = message.removeprefix(layout.LEFT_OUT).split("; ")
        return tuple(dict.fromkeys(wish for part in parts for wish in _wishes(part)))
    switch = message.partition("; ")[0]
    return (switch,) if switch in _SWITCHES else ()


def _wishes(words: str) -> list[str]:
    """Return the options in one part of what the collector says of a wish: "--exclude pods", "objects of the namespaces …"."""
    before, _, behind = layout.WITHOUT.partition("%s")
    if words.startswith(before) and words.endswith(behind):
        return [f"--exclude {name}" for name in words[len(before) : -len(behind)].split(", ")]
    return [words] if words.startswith("--exclude ") else ["--only"] if "--only" in words else []


def _removed(message: str) -> str:
    """Return that a step's members were taken out; of one that kept some also what was lacking before."""
    words, _, before = message.removeprefix(layout.REMOVED).partition(layout.BEFORE)
    found = _GONE.fullmatch(words)
    if not found or found["gone"] == found["all"]:
        return "the customer took it out"
    part = f"the customer took out {found['gone']} of its {found['all']} files"
    return f"{part} (before: {before})" if before and not before.startswith(layout.REMOVED) else part
