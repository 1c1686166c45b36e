"""What the customer left out of the bundle, or took out of it, on purpose: said at the top, and asked for in one line each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from posixpath import commonprefix

from ..model import REMOVE, BundleInfo, Outcome
from .text import brief, count, count_words, cut, listing

_PAGE = re.compile(r"/[0-9]+\.jsonl$")
_MOST_FOLDERS, _MOST_OPTIONS = 5, 6
# The options of the collector in the order in which they are told, and what comes along without them.
_OPTIONS = {
    "-n": "",
    "--exclude": "",
    "--only": "",
    "--no-exec": "nvidia-smi then answers on each GPU node",
    "--no-logs": "of logs the newest lines are taken, with secrets hidden",
    "--no-secrets": "of Secrets only names, types and public certificates are taken",
    "--no-certificates": "of the TLS Secrets only the public certificates are taken",
}


@dataclass(frozen=True)
class TakenOut:
    """One way in which data was kept back: the line of the message about it, and what is asked for in its place."""

    line: str
    what: str
    by_options: bool


def taken_out(outcomes: Sequence[Outcome], bundle: BundleInfo) -> tuple[TakenOut, ...]:
    """Return what was kept back on purpose and some check lacks: members first, then what options left out."""
    removed, options = _checks(outcomes, (REMOVE,)), options_used(outcomes)
    found = [_removed(bundle, removed)] if removed else []
    return tuple([*found, _left_out(options, _checks(outcomes, options))] if options else found)


def options_used(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Return the options of the collector that left out what some check lacks, as they are typed."""
    found = {wish for outcome in outcomes for gap in outcome.missing for wish in gap.taken_out}
    return tuple(sorted(found - {REMOVE}, key=_place))


def removed_note(bundle: BundleInfo) -> str:
    """Return that members were removed, how many and from which folders; empty when none was."""
    number = len(bundle.removed)
    if not number:
        return ""
    were, counts = ("was", "counts") if number == 1 else ("were", "count")
    folders = listing(_folders(bundle.removed))
    return f"{count(number, 'file')} {were} removed by the customer and {counts} as not checked: {folders}."


def narrowed(bundle: BundleInfo) -> bool:
    """Return whether the customer kept anything back: then raw output of the cluster is not asked for either."""
    options = dict(bundle.options)
    lists = [options.get(key, "") for key in ("namespaces", "exclude", "only")]
    switches = [options.get(key, "") for key in ("exec", "secrets", "certificates")]
    return bool(bundle.removed) or "False" in switches or any(it.startswith("[") and it != "[]" for it in lists)


def _removed(bundle: BundleInfo, checks: int) -> TakenOut:
    number = len(bundle.removed)
    files = f"{count(number, 'file')} ({listing(_folders(bundle.removed))})" if number else "files"
    line = f"You took {files} out of the bundle; {_stay_open(checks)}. If you can, please send the bundle as it was."
    return TakenOut(line, "the bundle as it was, or another one", False)


def _left_out(options: Sequence[str], checks: int) -> TakenOut:
    shown = [cut(option, 80) for option in options[:_MOST_OPTIONS]]
    shown += [count(len(options) - _MOST_OPTIONS, "more option")] if len(options) > _MOST_OPTIONS else []
    kept = [_OPTIONS[option] for option in options if _OPTIONS.get(option)]
    beside = f" ({'; '.join(kept)})" if kept else ""
    them = "it" if len(options) == 1 else "them"
    line = f"The bundle was collected with {listing(shown)}; {_stay_open(checks)}."
    line += f" If you can, please send another one, collected without {them}{beside}."
    return TakenOut(line, f"another bundle, collected without {listing(shown)}{beside}", True)


def _stay_open(checks: int) -> str:
    return f"{count_words(checks, 'check')} {'stays' if checks == 1 else 'stay'} open for it"


def _checks(outcomes: Iterable[Outcome], wishes: Sequence[str]) -> int:
    return sum(any(wish in gap.taken_out for gap in outcome.missing for wish in wishes) for outcome in outcomes)


def _place(option: str) -> tuple[int, str]:
    """Return where an option stands: ``--exclude pods`` where ``--exclude`` does."""
    order = list(_OPTIONS)
    name = option.split(" ")[0]
    return order.index(name) if name in order else len(order), option


def _folders(paths: Sequence[str]) -> list[str]:
    """Return how many members of which folder: of each folder at the top, the deepest one that holds them all."""
    tops: dict[str, list[str]] = {}
    for path in paths:
        tops.setdefault(path.split("/")[0], []).append(path)
    places = [(len(members), _place_of(members)) for members in tops.values()]
    said = [f"{number:,} of {place}" if number > 1 and len(places) > 1 else place for number, place in places]
    more = len(said) - _MOST_FOLDERS
    return [*said[:_MOST_FOLDERS], count(more, "more folder")] if more > 0 else said


def _place_of(paths: Sequence[str]) -> str:
    """Return the folder of some members; of a single one its own name, unless that is but the number of a page."""
    alone = len(paths) == 1 and not _PAGE.search(paths[0])
    return brief(paths[0] if alone else "/".join([*commonprefix([path.split("/")[:-1] for path in paths]), ""]), 80)
