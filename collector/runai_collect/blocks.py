"""Secrets in text that need more than one line to be seen: PEM blocks, YAML, manifests of Secrets. Pure.

Lines are changed in place and their number stays; ``found`` grows by (line from 1, rule)."""

import re
from typing import Dict, List, Match, Optional, Pattern, Tuple

from . import layout
from .names import harmless_value, secret_family

Found = List[Tuple[int, str]]

_PEM_BEGIN: Pattern[str] = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_PEM_END: Pattern[str] = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY: Pattern[str] = re.compile(r"[A-Za-z0-9+/=]{4,}\W{0,8}$")
_PEM_FULL_LINE: Pattern[str] = re.compile(r"[A-Za-z0-9+/=]{40,}\s*$")
_PEM_HEADER: Pattern[str] = re.compile(r"\b(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ")
_YAML_LINE: Pattern[str] = re.compile(r"^(?P<indent>\s*(?:-\s+)*\{?\s*)(?P<quote>[\"']?)(?P<name>[\w./-]+)(?P=quote)\s*:"
                                      r"(?:(?:\s+|(?<=[\"']:))(?P<value>.*))?$")
_LONGEST_YAML = 2000


def hide_keys(lines: List[str], found: Found) -> None:
    """Hide PEM private keys, also those whose begin or end was cut off."""
    within = False
    for number, line in enumerate(lines):
        begin, end = _PEM_BEGIN.search(line), _PEM_END.search(line)
        if begin and not end:
            within = True
            _hide_from(lines, number, begin.start(), found)
        elif end and not begin:
            if not within:
                _hide_above(lines, number, found)
            _hide_from(lines, number, _indent(line), found)
            within = False
        elif within and line.strip():
            body = _PEM_BODY.search(line)
            within = bool(body or _PEM_HEADER.search(line))
            if within:
                _hide_from(lines, number, body.start() if body else _indent(line), found)


def _hide_above(lines: List[str], number: int, found: Found) -> None:
    """Hide the lines of a key of which only the end is there: the last line of its text may be short, the others are full."""
    for above in range(number - 1, -1, -1):
        body = (_PEM_BODY if above == number - 1 else _PEM_FULL_LINE).search(lines[above])
        if not body:
            return
        _hide_from(lines, above, body.start(), found)


def _hide_from(lines: List[str], number: int, start: int, found: Found) -> None:
    lines[number] = lines[number][:start] + layout.marker("private-key")
    found.append((number + 1, "private-key"))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def hide_yaml(lines: List[str], hinted: List[int], found: Found) -> None:
    """Hide what stands in YAML under a secret's name: a value, a block, a list; and the data of a Secret's manifest.
    ``hinted`` are the lines (from 0) on which such a name may stand, in order."""
    manifests: Dict[int, int] = {}      # by indentation: the last line that a Secret's manifest was followed to
    for number in hinted:
        match = _YAML_LINE.match(lines[number]) if len(lines[number]) <= _LONGEST_YAML else None
        if match is None:
            continue
        name, value = match.group("name"), (match.group("value") or "").strip().rstrip(",")
        indent = len(match.group("indent"))
        if name == "kind" and value.strip("\"'") == "Secret" and number > manifests.get(indent, -1):
            manifests[indent] = _hide_manifest(lines, number, indent, found)
        if name == "name" and secret_family(value.strip("\"'")):
            _hide_value_below(lines, number, indent, secret_family(value.strip("\"'")), found)
        family = secret_family(name)
        if not family:
            continue
        if value[:1] in ("|", ">") and family != "opaque":
            _hide_under(lines, number, match, family, found)
        elif value[:1] in ("\"", "'") and value.count(value[0]) == 1 and family != "opaque":
            lines[number] = lines[number][:match.start("value")] + layout.marker(family)
            found.append((number + 1, family))
            _hide_under(lines, number, match, family, found)
        elif not value:
            _hide_items(lines, number, match, family, found)
        elif _is_scalar(value) and layout.MARKER_START not in value and not harmless_value(family, _content(value)):
            _hide_value(lines, number, match, family, found)


def _hide_value(lines: List[str], number: int, match: "Match[str]", family: str, found: Found) -> None:
    """Hide the value of a line; its quotes and its comma stay."""
    value = match.group("value").strip()
    comma = "," if value.endswith(",") else ""
    value = value.rstrip(",")
    quote = value[0] if value[:1] in ("\"", "'") and value[-1:] == value[:1] else ""
    lines[number] = lines[number][:match.start("value")] + quote + layout.marker(family) + quote + comma
    found.append((number + 1, family))


def _is_scalar(value: str) -> bool:
    """Return whether a YAML value is one scalar: quoted whole, or a single word. Prose and flow maps are the other rules'."""
    if value[:1] in ("{", "[", "&", "*", "!"):
        return False
    return (value[:1] in ("\"", "'") and value[-1:] == value[:1] and len(value) > 1) or not re.search(r"\s(?!#)", value)


def _content(value: str) -> str:
    return value.strip("\"'") if value[:1] in ("\"", "'") else re.sub(r"\s+#.*", "", value)


def _hide_manifest(lines: List[str], number: int, indent: int, found: Found) -> int:
    """Hide the data of the Secret whose ``kind`` stands on a line: above it, as sorted YAML has it, or below.
    Returns the line where its document ends."""
    at = number
    for step in (-1, 1):
        at = number + step
        while 0 <= at < len(lines) and not lines[at].startswith("---"):
            match = _YAML_LINE.match(lines[at])
            if lines[at].strip() and _indent(lines[at]) < indent - 2:
                break
            if match and match.group("name") in ("data", "stringData"):
                if not (match.group("value") or "").strip():
                    _hide_under(lines, at, match, "secret-object", found)
                elif match.group("value")[:1] == "{":
                    _hide_braces(lines, at, match.start("value"), found)
            at += step
    return at


def _hide_braces(lines: List[str], number: int, start: int, found: Found) -> None:
    """Hide what stands from a brace on till the first line with one that closes, as JSON and flow YAML have it."""
    for at in range(number, len(lines)):
        end = lines[at].find("}", start)
        inner = lines[at][start:] if end < 0 else lines[at][start:end]
        if inner.strip("{ \t\r"):
            lines[at] = lines[at][:start] + layout.marker("secret-object") + (lines[at][end:] if end >= 0 else "")
            found.append((at + 1, "secret-object"))
        if end >= 0:
            return
        start = 0


def _hide_value_below(lines: List[str], number: int, indent: int, family: str, found: Found) -> None:
    """Hide the value of a pair in YAML whose name stands on a line, also where a comment or another field is between."""
    for at in range(number + 1, min(number + 6, len(lines))):
        match = _YAML_LINE.match(lines[at]) if len(lines[at]) <= _LONGEST_YAML else None
        if match and (match.group("name") == "name" or len(match.group("indent")) < indent):
            return
        value = (match.group("value") or "").strip() if match and match.group("name") == "value" else ""
        if match and value and layout.MARKER_START not in value and not harmless_value(family, _content(value)):
            _hide_value(lines, at, match, family, found)


def _hide_under(lines: List[str], number: int, match: "Match[str]", family: str, found: Found) -> None:
    """Hide all lines that are indented deeper; in a Secret's manifest the keys stay."""
    indent = len(match.group("indent"))
    for at in range(number + 1, len(lines)):
        line = lines[at]
        if line.strip() and _indent(line) <= indent:
            return
        if line.strip():
            inner = _YAML_LINE.match(line) if family == "secret-object" else None
            opens = inner is not None and (inner.group("value") or "").strip()[:1] in ("", "|", ">")
            if not opens:
                lines[at] = line[:inner.start("value") if inner else _indent(line)] + layout.marker(family)
                found.append((at + 1, family))


def _hide_items(lines: List[str], number: int, match: "Match[str]", family: str, found: Found) -> None:
    """Hide the scalar items of a list, or the one scalar that stands on the next line."""
    indent = len(match.group("indent"))
    for at in range(number + 1, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        text, item = line.strip(), line.lstrip().startswith("- ")
        if _indent(line) < indent or (_indent(line) == indent and not item):
            return
        scalar = _scalar_start(line, item)
        if scalar is None:
            return
        if not harmless_value(family, _content(text[2:] if item else text)):
            lines[at] = line[:scalar] + layout.marker(family)
            found.append((at + 1, family))


def _scalar_start(line: str, item: bool) -> Optional[int]:
    """Return where a scalar begins on a line that holds nothing else; None where a map or a list does."""
    start = line.index("- ") + 2 if item else _indent(line)
    inner = line[start:].strip()
    return None if _YAML_LINE.match(inner) or inner[:1] in ("{", "[") or not inner else start
