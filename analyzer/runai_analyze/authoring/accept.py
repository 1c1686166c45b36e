"""A finding accepted: an entry appended to suppressions.yaml, whose comments and order stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from runai_analyze.errors import UserError
from runai_analyze.model import Report
from runai_analyze.plain import visible
from runai_analyze.ruleset.blocks import is_null
from runai_analyze.ruleset.nodes import Fields, Items, Node, Scalar, read_yaml
from runai_analyze.ruleset.suppressions import LONGEST_DAYS, parse_day, read_suppressions

_MOST_REPORT = 512 << 20  # bytes of a report.json
_MOST_COMMENT = 200
_FINGERPRINT = re.compile(r"[0-9a-f]{16}", re.ASCII)


@dataclass(frozen=True)
class Found:
    """A finding as a report has it: the rule, what it is about, and what it says."""

    rule: str
    subject: str
    message: str


@dataclass(frozen=True)
class Entry:
    """What is to be accepted, by whom, why and until when. ``found``: the finding, where a report was at hand."""

    fingerprint: str
    reason: str
    by: str
    until: date
    since: date
    found: Found | None = None


def check_fingerprint(text: str) -> str:
    """Return a fingerprint; raises ``UserError`` for what is none."""
    if not _FINGERPRINT.fullmatch(text):
        hint = "copy the 16 letters and digits that the report prints with the finding"
        raise UserError(f"{text[:40]!r} is no fingerprint", hint)
    return text


def check_until(text: str, today: date) -> date:
    """Return the last day; raises ``UserError`` for one that is none, that is over, or that is more than a year away."""
    try:
        until = parse_day(text)
    except ValueError as error:
        raise UserError(f"--until {error}") from None
    if until < today:
        raise UserError(f"--until {until} is over", "name the last day on which the finding is accepted")
    if (until - today).days > LONGEST_DAYS:
        raise UserError(f"--until {until} is more than a year away", "look at it again within a year, and accept it anew then")
    return until


def in_report(report: Report, fingerprint: str) -> Found:
    """Return the finding of a report; raises ``UserError`` where it has none of that fingerprint."""
    for outcome in report.outcomes:
        for finding in (*outcome.findings, *(it.finding for it in outcome.accepted)):
            if finding.fingerprint == fingerprint:
                return Found(finding.rule, str(finding.subject), finding.message)
    raise _not_there(fingerprint, report.bundle.file_name)


def in_json(path: Path, fingerprint: str) -> Found:
    """Return the finding of a report.json; raises ``UserError`` where it has none of that fingerprint, or is no report."""
    if path.stat().st_size > _MOST_REPORT:
        raise UserError(f"{path} is too large for a report")
    try:
        document = json.loads(path.read_bytes())
        for outcome in document["outcomes"]:
            for finding in (*outcome["findings"], *outcome["accepted"]):
                if finding["fingerprint"] == fingerprint:
                    return Found(str(outcome["rule"]), _subject(finding["subject"]), str(finding["message"]))
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UserError(f"{path} is no report.json of runai-analyze --format json") from None
    raise _not_there(fingerprint, path.name)


def _subject(ref: Mapping[str, Any]) -> str:
    return f"{ref['kind']} {'/'.join(str(ref[part]) for part in ('namespace', 'name') if ref[part])}"


def _not_there(fingerprint: str, name: str) -> UserError:
    return UserError(f"{name} has no finding with the fingerprint {fingerprint}", "copy it from the report on this bundle")


def with_entry(name: str, text: str, entry: Entry) -> str:
    """Return the text of suppressions.yaml with one more entry at its end; empty ``text``: the file is new.

    Raises ``UserError`` where the file has mistakes, has the fingerprint already, or is written so that nothing can be appended.
    The file that comes out was read again: it has all the entries that it had, and the new one.
    """
    source, root = read_yaml(name, text.encode())
    before = () if _names_no_list(root) else read_suppressions(source, root, "")
    if source.mistakes:
        first = source.mistakes[0]
        raise UserError(f"{first.place} is wrong already: {first.words}", "runai-rules lint shows all mistakes")
    for old in before:
        if old.acceptance.fingerprint == entry.fingerprint:
            line = old.acceptance.place.rpartition(":")[2]
            said = f"{name}:{line} accepts {entry.fingerprint} already, until {old.acceptance.until}"
            raise UserError(said, "change until and reason there")
    new = _appended(name, text, root, entry)
    again, tree = read_yaml(name, new.encode())
    if len(read_suppressions(again, tree, "")) != len(before) + 1 or again.mistakes:
        raise UserError(f"nothing can be appended to {name}", "write the entry by hand: " + "; ".join(_lines(entry)))
    return new


def _names_no_list(root: Node | None) -> bool:
    """Return whether the file has its one key and nothing under it yet."""
    return isinstance(root, Fields) and list(root.fields) == ["suppressions"] and is_null(root.fields["suppressions"])


def _appended(name: str, text: str, root: Node | None, entry: Entry) -> str:
    end = "\r\n" if "\r\n" in text else "\n"
    head = text if not text or text.endswith("\n") else text + end
    indent = "  "
    if root is None:
        head += f"suppressions:{end}"
    else:
        node = root.fields.get("suppressions") if isinstance(root, Fields) else None
        if isinstance(node, Items) and not node.items:
            head = _without(head, node, "[]")
        elif isinstance(node, Scalar) and node.text:  # null, ~
            head = _without(head, node, node.text)
        elif isinstance(node, Items):
            indent = _indent(name, head, node)
    first, *rest = _lines(entry)
    block = [*_comment(entry, indent), f"{indent}- {first}", *(f"{indent}  {line}" for line in rest)]
    return head + end.join(block) + end


def _without(text: str, node: Node, word: str) -> str:
    """Return the text with the word of a node, which stands for no list, taken away: the entries stand under its key."""
    lines = text.split("\n")
    line = lines[node.line - 1]
    lines[node.line - 1] = line[: node.column - 1].rstrip() + line[node.column - 1 :].replace(word, "", 1)
    return "\n".join(lines)


def _indent(name: str, text: str, node: Items) -> str:
    """Return what stands before the dashes of the list."""
    line = text.split("\n")[node.line - 1]
    if line[node.column - 1 : node.column] != "-":
        raise UserError(f"the list in {name} is in brackets", "write each entry in lines of its own, with a dash, then try again")
    return line[: node.column - 1]


def _comment(entry: Entry, indent: str) -> Iterator[str]:
    if entry.found is not None:
        said = " ".join(visible(f"{entry.found.subject}: {entry.found.message}").split())
        yield f"{indent}# {said[:_MOST_COMMENT]}"


def _lines(entry: Entry) -> list[str]:
    rule = [f"rule: {entry.found.rule}"] if entry.found is not None else []
    return [
        f"fingerprint: {_quoted(entry.fingerprint)}",
        *rule,
        f"reason: {_quoted(entry.reason)}",
        f"by: {_quoted(entry.by)}",
        f"until: {entry.until}",
        f"since: {entry.since}",
    ]


def _quoted(text: str) -> str:
    """Return text on one line in double quotes, as YAML and JSON write it both."""
    return json.dumps(" ".join(visible(text).split()), ensure_ascii=False)
