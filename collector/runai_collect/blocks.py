"""Secrets in text that need more than one line to be seen: PEM blocks, YAML, manifests of Secrets. Pure.

Lines are changed in place and their number stays; ``found`` grows by (line from 1, rule)."""

import re
from typing import Dict, List, Match, Optional, Pattern, Tuple

from . import layout
from .names import harmless_value, secret_family

Found = List[Tuple[int, str]]

_PEM_BEGIN: Pattern[str] = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|(?<=^Private-Lines: )\d+$")     # PuTTY's
_PEM_END: Pattern[str] = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY: Pattern[str] = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{4,}\W{0,8}$")
_PEM_FULL_LINE: Pattern[str] = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{40,}\s*$")
_PEM_HEADER: Pattern[str] = re.compile(r"\b(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash): ")
# Of YAML, and of what else has a name and a value on a line: NAME = value, export NAME=value.
_LINE: Pattern[str] = re.compile(r"^(?P<indent>\s*(?:-\s+)*(?:\{\s*|export\s+)?)(?P<quote>[\"']?)(?P<name>[\w./-]+)(?P=quote)\s*"
                                 r"(?:(?P<equals>=)\s*(?P<given>.*)|:(?:(?:\s+|(?<=[\"']:))(?:[!&][^\s;]\S*\s+)?(?P<value>.*))?)$")
_SECRETS = frozenset("kindsecret kindsecretlist typeopaque".split())      # name and value of the line that tells of a manifest
_LONGEST = 2000


def _mark(lines: List[str], number: int, start: int, rule: str, found: Found, end: Optional[int] = None) -> None:
    line = lines[number]
    lines[number] = line[:start] + layout.marker(rule) + ("" if end is None else line[end:])
    found.append((number + 1, rule))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def hide_keys(lines: List[str], found: Found) -> None:
    """Hide PEM private keys, also those whose begin or end was cut off."""
    for number, line in enumerate(lines):
        begin, end = _PEM_BEGIN.search(line), _PEM_END.search(line)
        if bool(begin) != bool(end):
            _mark(lines, number, begin.start() if begin else _indent(line), "private-key", found)
            _hide_body(lines, number, 1 if begin else -1, found)


def _hide_body(lines: List[str], number: int, step: int, found: Found) -> None:
    """Hide the text of a key below its begin, or above its end, where its last line may be short and the others are full."""
    for at in range(number + 1, len(lines)) if step == 1 else range(number - 1, -1, -1):
        body = (_PEM_BODY if step == 1 or at == number - 1 else _PEM_FULL_LINE).search(lines[at])
        if body or (step == 1 and _PEM_HEADER.search(lines[at])):
            _mark(lines, at, body.start() if body else _indent(lines[at]), "private-key", found)
        elif step == -1 or lines[at].strip():
            return


def hide_yaml(lines: List[str], named: List[int], found: Found, log: bool) -> None:
    """Hide what stands in YAML under a secret's name: a value, a block, a list; and the data of a Secret's manifest. On the
    lines ``named`` (from 0) such a name stands. Outside of a ``log`` a password is all that is left of its line."""
    manifests: Dict[int, int] = {}      # by indentation: the last line that a Secret's manifest was followed to
    for number in named:
        match = _read(lines[number])
        if match is None:
            continue
        name, value, indent = match.group("name"), _value(match), len(match.group("indent"))
        family = secret_family(name)
        whole = value[:1] in ("\"", "'") or not re.search(r"\s(?!#)", value) or (family == "password" and not log)
        if match.group("equals"):
            if whole and not re.search(r"\s[;&|]|[;&|]\s", value):
                _hide_value(lines, number, match, family, found)
            continue
        if (name + _content(value).strip("\\\"").lower()) in _SECRETS and number > manifests.get(indent, -1):
            manifests[indent] = _hide_manifest(lines, number, indent, found)
        if name == "name":
            _hide_value_below(lines, number, indent, secret_family(_content(value)), found)
        opens = value[:1] in ("\"", "'") and value.count(value[0]) == 1
        if "{" in match.group("indent"):
            continue                        # other rules know where values in braces end
        if not value and family:
            _hide_below(lines, number, indent, "secret-names" if name == "secrets" else family, found, name == "chpasswd")
        elif family not in ("", "opaque") and (opens or value[:1] in ("|", ">")):
            if opens:
                _mark(lines, number, match.start("value"), family, found)
            _hide_below(lines, number, indent, family, found)
        elif whole:
            _hide_value(lines, number, match, family, found)


def _read(line: str) -> Optional["Match[str]"]:
    return _LINE.match(line) if len(line) <= _LONGEST else None


def _value(match: "Match[str]") -> str:
    return (match.group("value") or match.group("given") or "").strip().rstrip(",")


def _content(value: str) -> str:
    return value.strip("\"'") if value[:1] in ("\"", "'") else re.sub(r"(?<!\s)\s+#.*", "", value)


def _hide_value(lines: List[str], number: int, match: "Match[str]", family: str, found: Found) -> None:
    """Hide the value of a line, unless it is another notation's; its quotes and its comma stay."""
    value = _value(match)
    other = value[:1] in ("", "{", "[", "&", "*", "!") or layout.MARKER_START in value
    if not family or other or harmless_value(family, _content(value)):
        return
    start = match.start("value" if match.group("value") else "given")
    quoted = value[0] in "\"'" and value[-1:] == value[0] and len(value) > 1
    _mark(lines, number, start + quoted, family, found, start + len(value) - quoted)


def _hide_manifest(lines: List[str], number: int, indent: int, found: Found) -> int:
    """Hide the data of the Secret whose ``kind`` stands on a line: above it, as sorted YAML has it, or below.
    Returns the line where its document ends."""
    at = number
    for step in (-1, 1):
        at = number + step
        while 0 <= at < len(lines) and not lines[at].startswith("---"):
            match = _read(lines[at])
            if lines[at].strip() and _indent(lines[at]) < indent - 2:
                break
            if match and match.group("name") in ("data", "stringData"):
                if not _value(match):
                    _hide_below(lines, at, len(match.group("indent")), "secret-object", found)
                elif _value(match)[0] == "{":
                    _hide_braces(lines, at, match.start("value"), found)
            at += step
    return at


def _hide_braces(lines: List[str], number: int, start: int, found: Found) -> None:
    """Hide what stands from a brace on till the first line with one that closes, as JSON and flow YAML have it."""
    for at in range(number, len(lines)):
        end = lines[at].find("}", start)
        if lines[at][start:end if end >= 0 else None].strip("{ \t\r"):
            _mark(lines, at, start, "secret-object", found, end if end >= 0 else None)
        if end >= 0:
            return
        start = 0


def _hide_value_below(lines: List[str], number: int, indent: int, family: str, found: Found) -> None:
    """Hide the value of a pair in YAML whose name stands on a line, also where a comment or another field is between."""
    for at in range(number + 1, min(number + 6, len(lines)) if family else 0):
        match = _read(lines[at])
        if match and (match.group("name") == "name" or len(match.group("indent")) < indent):
            return
        if match and match.group("name") == "value":
            _hide_value(lines, at, match, family, found)


def _hide_below(lines: List[str], number: int, indent: int, family: str, found: Found, whole: bool = True) -> None:
    """Hide the lines that are indented deeper, but for the keys in a Secret's manifest; if not ``whole`` only scalars: the items
    of a list, or one that stands on the next line."""
    for at in range(number + 1, len(lines)):
        start, item = _indent(lines[at]), not whole and lines[at].lstrip().startswith("- ")
        if not lines[at].strip():
            continue
        text, begin = lines[at][start + 2 * item:].strip(), start + 2 * item
        inner = _LINE.match(lines[at] if whole else text)
        if start < indent or (start == indent and not item) or (not whole and (inner or text[:1] in ("", "{", "["))):
            return
        if family == "secret-object" and inner:
            if _value(inner)[:1] in ("", "|", ">"):
                continue
            begin = inner.start("value")
        if whole or not harmless_value(family, _content(text)):
            _mark(lines, at, begin, family, found)
