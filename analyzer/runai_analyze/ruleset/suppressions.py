"""suppressions.yaml: findings that a site lives with for a time, each with its reason, its owner and its last day."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from runai_analyze.model import Acceptance
from runai_analyze.ruleset.blocks import exactly_one, items_of, read_block, text_of
from runai_analyze.ruleset.mistakes import Mistake, did_you_mean
from runai_analyze.ruleset.nodes import Node, Source

SUPPRESSIONS_FILE = "suppressions.yaml"
LONGEST_DAYS = 366  # a year, whichever it is
_FINGERPRINT = re.compile(r"[0-9a-f]{16}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True)
class Entry:
    """An entry with its place in the file, for what can only be checked when all rules are read."""

    source: Source
    rule: Node | None
    until: Node
    acceptance: Acceptance


def read_suppressions(source: Source, root: Node | None, pack: str) -> tuple[Entry, ...]:
    """Return the entries of a suppressions.yaml that are right; what is wrong with the others stands in the source."""
    if root is None:
        return ()
    nodes = items_of(read_block(source, root, "suppressions").get("suppressions"))
    entries = []
    seen: dict[str, int] = {}
    for node in nodes:
        entry = _entry(source, node, pack)
        if entry is None:
            continue
        first = seen.setdefault(entry.acceptance.on, node.line)
        if first != node.line:
            said = f"{entry.acceptance.on} is accepted in line {first} already: change that entry, or take it out"
            source.mistake(node, "duplicate-entry", said)
        entries.append(entry)
    return tuple(entries)


def unknown_rules(entries: Iterable[Entry], known: Collection[str]) -> Iterator[Mistake]:
    """Yield a mistake for each entry on a rule that no pack has; it may have gone with a newer version of its pack."""
    for entry in entries:
        name = text_of(entry.rule)
        if entry.rule is not None and name not in known:
            yield entry.source.made(entry.rule, "unknown-rule", f'"{name}" is no rule{did_you_mean(name, known)}')


def review_entries(entries: Iterable[Entry], today: date | None) -> None:
    """Record, in the source of each entry, that it is over; ``today``: None: that is not looked at."""
    for entry in entries:
        if today is not None and date.fromisoformat(entry.acceptance.until) < today:
            said = f"{entry.acceptance.on} is accepted no more since {entry.acceptance.until}: renew the entry, or take it out"
            entry.source.mistake(entry.until, "spent-entry", said)


def parse_day(text: str) -> date:
    """Return a day such as 2027-03-31; raises ``ValueError`` in words."""
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise ValueError(f'"{text[:40]}" is no day; write it as 2027-03-31')


def _entry(source: Source, node: Node, pack: str) -> Entry | None:
    before = len(source.mistakes)
    values = read_block(source, node, "suppression")
    match = read_block(source, values["match"], "match") if "match" in values else {}
    if len(source.mistakes) == before:
        _check(source, node, values, match)
    if len(source.mistakes) > before:
        return None
    texts = {name: text_of(value) for name, value in {**values, **match}.items() if name != "match"}
    place = f"{SUPPRESSIONS_FILE}:{node.line}"
    return Entry(source, values.get("rule"), values["until"], Acceptance(pack=pack, place=place, **texts))


def _check(source: Source, node: Node, values: Mapping[str, Node], match: Mapping[str, Node]) -> None:
    exactly_one(source, node, values, ("match", "fingerprint"), "an entry")
    if "match" in values and "rule" not in values:
        source.mistake(values["match"], "missing-key", "match needs rule: which rule's findings are accepted")
    if "match" in values and not match:
        source.mistake(values["match"], "missing-key", 'match needs kind, namespace or name; name: "*" is all of them')
    fingerprint = values.get("fingerprint")
    if fingerprint is not None and not _FINGERPRINT.fullmatch(text_of(fingerprint)):
        said = f'"{text_of(fingerprint)[:40]}" is no fingerprint: 16 letters and digits, printed in the report with the finding'
        source.mistake(fingerprint, "bad-fingerprint", said)
    days = {name: _day(source, values[name]) for name in ("since", "until") if name in values}
    since, until = days.get("since"), days.get("until")
    if since and until:
        _check_span(source, values["until"], since, until)


def _day(source: Source, node: Node) -> date | None:
    try:
        return parse_day(text_of(node))
    except ValueError as error:
        source.mistake(node, "bad-time", str(error))
        return None


def _check_span(source: Source, node: Node, since: date, until: date) -> None:
    if until < since:
        source.mistake(node, "bad-time", f"until ({until}) is before since ({since})")
    elif (until - since).days > LONGEST_DAYS:
        said = f"until is more than a year after since ({since}): look at it again within a year, and write a new entry then"
        source.mistake(node, "too-long", said)
