"""Hide what stands in a text beside a name that announces a secret: ``password=``, ``"apiKey": "…"``, ``<token>…</token>``. Pure.

Each name is looked at where it stands, with the few notations that there are for a name and its value, so that the time a text
takes grows as it does."""

import re
from typing import List, Match, Pattern, Tuple

from . import layout
from .blocks import Found
from .names import STEMS, harmless_value, machine_made, secret_family
from .shapes import only_marked

_WORD: Pattern[str] = re.compile(r"[\w./$-]+")
_RUN: Pattern[str] = re.compile(r"[A-Za-z0-9+/_~.-]{12,}={0,2}")
_BEFORE, _VALUE_BEFORE = 60, 400        # characters that are looked at before a name
_SKIPPED = 300                          # a value as long as this that was no secret is not searched for names

# A quote that is not closed goes on till the line ends, and may go on behind it.
_QUOTED = (r"(?P<q>\"(?:[^\"\\\n]|\\.)*(?:\"|$)|'(?:[^'\\\n]|\\.|'')*')|"
           r"(?P<esc>\\{1,15})(?P<eq>[\"'])(?P<ev>(?:(?!(?P=esc)(?P=eq))[^\n])*)(?P=esc)(?P=eq)")
# A bare value ends at a space; one that opens a bracket goes on till it is closed.
_BARE = r"(?P<bare>[{\[][^\n]*|(?:(?!;(?:\s|$|\s*[\w ]+=)|&(?:amp;)?[\w.-]+=)[^\s])+)"
_SEPARATOR = (r"\\*[\"']?\]?[^\S\n]*(?P<sep>=>|:=|==?|!=|->|:|%3[AaDd])[^\S\n]*(?:[!&][!\w./-]+[^\S\n]+){0,2}"
              r"(?:\([\w.*\[\]]{1,40}\)\s*(?:\((?:len|cap)=[^()]{1,30}\)\s*)?(?=[\"']))?")    # Password: (string) (len=8) "…"
_B = r"[^\S\n]"            # a blank
_VALUE_OF_PAIR = r"\\{0,15}[\"']?\s*(?:[,;]\s*)?(?:-\s+)?\\{0,15}[\"']?(?:value|Value|values|val|v)\\{0,15}[\"']?\s*[:=]\s*"
_NAME_OF_PAIR = r"(?:name|key|Name|Key|(?<=[\"'])k)\\*[\"']?\s*[:=]\s*\\*[\"']?"


# Notations: what stands before the name, up to its first character (None: anything), and what behind it, with the value.
_FORMS = [(re.compile(before + r"\Z", re.M) if before else None, re.compile(behind, re.M)) for before, behind in (
    # name: X, value: Y in any notation, in one line or on two.
    (_NAME_OF_PAIR + ".", _VALUE_OF_PAIR + "(?:" + _QUOTED + r"|(?P<bare>[^\s,}\]]+))"),
    (r"(?:(?:name|key)=[\"']|<(?:name|key)>\s*).",
     r"(?:[\"'][^<>]{0,300}>|\s*</(?:name|key)>)\s*(?:<(?:value|string)>\s*)?(?P<bare>[^<\s][^<]*)"),
    (r"<(?:[\w-]{1,40}:)?[^/]", r"(?:\s[^<>]{0,300})?>(?:<!\[CDATA\[)?\s*(?P<bare>[^<\]\s][^<\]]*)"),
    ("", _SEPARATOR + "(?:" + _QUOTED + "|" + _BARE + ")"),
    # define('NAME', 'value'), setdefault("NAME", "value"), "--name", "value"
    (r"[\"'].", _B + r"*\\*[\"']" + _B + "*," + _B + "*(?:" + _QUOTED + r")(?!\s*:)"),
    (r"(?:^|\s)-", _B + "+(?:" + _QUOTED + r"|(?P<bare>[^\s-]\S*))"),
    ("^" + _B + r"*(?:(?:ENV|ARG|setenv|SET)\s+)?\S", _B + "+(?:--[a-z]+" + _B + r"+)?(?P<bare>[^\s:=]\S*?)(?=;?" + _B + "*$)"),
    # | password | value |, set_header X-Api-Key value
    (r"(?:\||(?<![A-Za-z])(?:set|add|with)_?[Hh]eaders?\b)\s*\S", "(?:" + _B + r"*\|" + _B + "*|" + _B + "+)(?:" + _QUOTED +
     r"|(?P<bare>[^\s|;]+))"),
    ("", _B + "*(?:[:=]" + _B + r"*)?\\\n\s*(?P<bare>\S+)"),           # NAME=\ and the value on the next line
    # ? password, and the value below it behind a colon
    (r"^" + _B + r"*\?" + _B + "+[\"']?.", "[\"']?" + _B + r"*\n" + _B + "*:" + _B + "+(?:" + _QUOTED + r"|(?P<bare>\S+))"),
    # Whatever stands between: password(…), "key …", Secret('…'), a prompt and the line under it. Only what no word looks like.
    (r"(?:^|[^+]).", r"(?:[^\w\n]{1,6}?|[^\w\n]{0,4}[:=]\W{0,8}?|(?: for[^\n]{1,80}:|[^\w\n]{0,3})\n" + _B + r"+[^\w\n]{0,3}?)"
     "(?:(?:is|was|lautet|for)" + _B + r"\W{0,2}?)?(?<![A-Za-z0-9+/_~.-])(?P<run>" + _RUN.pattern + ")"),
    (r"(?:^|\s)-", r"[^\n<]{0,80}<<-?[\"']?\w{1,20}[\"']?" + _B + r"*\n" + _B + r"*(?P<bare>\S+)"),      # --password-stdin <<EOF
    ("", _B + r"*\n[^\n]{0,200}?\binput_value=(?:" + _QUOTED + ")"),                          # as pydantic writes
    ("", r"(?:[^\S\n][a-z]{1,12}){1,3}[^\S\n][\"'(<]?(?P<far>[A-Za-z0-9+/_-]{20,}={0,2})(?![\w.])"),     # token for robot …
)]
# value: Y, name: X: the pair the other way round.
_PAIR: Pattern[str] = re.compile(_NAME_OF_PAIR + r".\Z", re.M)
_VALUE_FIRST: Pattern[str] = re.compile(r"(?<![\w.-])(?:value|Value)\\*[\"']?\s*[:=]\s*(?:" + _QUOTED +
                                        r"|(?P<bare>[^\s,}\]\"']+))\s*(?:,\s*)?\\{0,15}[\"']?" + _NAME_OF_PAIR + "$")
# A Secret's manifest and its data on one line, in JSON, in YAML, or as Go prints them. Brackets in quotes close nothing.
_MANIFEST: Pattern[str] = re.compile(r"(?i)\bkind\W{1,12}(?:!!str\W{1,4})?secret(?:list)?\b|\bv1\.Secret(?:List)?\{|"
                                     r"\btype\W{1,12}(?:opaque\b|kubernetes\.io/)")
_DATA: Pattern[str] = re.compile(r"(?<![A-Za-z])(?:[dD]ata|[sS]tringData)\\{0,15}[\"']?\s*[:=]\s*"
                                 r"(?:map(?:\[string\](?:\[\](?:uint8|byte)|string))?)?(?=[{\[])")
_BRACKET: Pattern[str] = re.compile(r"(?<!\\)\"(?:[^\"\\]|\\.)*(?:\"|$)|[{}\[\]]")
# All that stands in a reference to a Secret; nothing of it is one.
_REFERENCES = frozenset("secretName defaultMode expirationSeconds path items key name namespace optional audience mode".split())
_KEYS: Pattern[str] = re.compile(r"(?<![\w-])([\w-]+)\\*[\"']?\s*:")
_PROSE: Pattern[str] = re.compile(r"[a-z]{1,14}[,.:]?$")


def announces(line: str) -> bool:
    """Return whether a secret's name stands on a line (or the kind of a Secret's manifest)."""
    families = {_family(word) for word in _WORD.findall(line)} - {""}
    if families - {"opaque"} or "Opaque" in line:
        return True
    return bool(families) and ("<<" in line or any(map(machine_made, _RUN.findall(line))))


def _family(word: str) -> str:
    return secret_family(word) if STEMS.search(word.lower()) else ""


def hide_named(lines: List[str], number: int, found: Found) -> None:
    """Hide the values that stand beside the names on line ``number`` (from 0), on that line or the ones next to it."""
    lines[number] = _hide_data(lines[number], number, found)
    first = max(0, number - 1)
    window = "\n".join(lines[first:number + 2])
    start = len(lines[first]) + 1 if number else 0
    end = start + len(lines[number])
    edits: List[Tuple[int, int, str]] = []
    word = _WORD.search(window, start, end)
    while word:
        position, family = word.end(), _family(word.group())
        if family:
            name_end = word.start() + len(word.group().rstrip("-./"))       # token->…, "token." at the end of a sentence
            position = _hide_value(window, word.start(), name_end, family, edits)
        word = _WORD.search(window, position, end)
    pieces, done = [], 0  # type: List[str], int
    for begin, stop, family in edits:
        found.append((number + 1 + (begin > end) - (begin < start), family))
        pieces += [window[done:begin], layout.marker(family), "\n" * window.count("\n", begin, stop)]
        done = stop
    lines[first:number + 2] = "".join(pieces + [window[done:]]).split("\n")


def _hide_data(line: str, number: int, found: Found) -> str:
    """Return a line without the data of Secrets whose manifests stand on it."""
    pieces, done = [], 0  # type: List[str], int
    for match in _DATA.finditer(line) if "ata" in line and _MANIFEST.search(line) else ():
        end = _closing(line, match.end()) if match.end() > done else 0
        if end and layout.marker("secret-object") not in line[match.end():end]:
            found.append((number + 1, "secret-object"))
            pieces += [line[done:match.end()], "{", layout.marker("secret-object"), "}"]
            done = end
    return "".join(pieces + [line[done:]])


def _hide_value(window: str, start: int, position: int, family: str, edits: List[Tuple[int, int, str]]) -> int:
    """Note in ``edits`` (begin, end, family) where the value of a name stands, the name itself being from ``start`` to
    ``position``; return from where to look for more names."""
    before = window[max(0, start - _BEFORE):start + 1]
    matches = [behind.match(window, position) for place, behind in _FORMS if place is None or place.search(before)]
    if _PAIR.search(before):
        matches.insert(1, _VALUE_FIRST.search(window, max(0, start - _VALUE_BEFORE), start))
    for match in filter(None, matches):
        begin, end = _value_of(match)
        if (edits and begin < edits[-1][1]) or _is_harmless(match, window[begin:end], family):
            position = max(position, end if end - begin > _SKIPPED else 0)
            continue
        edits.append((begin, end, family))
        return max(position, end)
    return position


def _value_of(match: "Match[str]") -> Tuple[int, int]:
    """Return where a value begins and ends, without what stays: quotes, closing brackets."""
    groups = match.groupdict()
    if groups.get("q"):
        begin, end = match.span("q")
        return begin + 1, end - (groups["q"][1:].endswith(groups["q"][0]))
    for name in ("ev", "run", "far"):
        if groups.get(name) is not None:
            return match.span(name)
    begin, bare = match.start("bare"), groups["bare"]
    if bare[0] in "{[":
        return begin, begin + _closing(bare, 0)
    return begin, begin + len(bare.rstrip("\"'\\,;" if bare[0] in "$<" else "\"'\\]})>,;"))


def _closing(text: str, start: int) -> int:
    """Return where the bracket closes that opens at a place; the end of the text when it does not."""
    depth = 0
    for match in _BRACKET.finditer(text, start):
        depth += (match.group() in "{[") - (match.group() in "}]")
        if not depth:
            return match.end()
    return len(text)


def _is_harmless(match: "Match[str]", value: str, family: str) -> bool:
    groups = match.groupdict()
    if groups.get("run") or groups.get("far"):
        return not machine_made(value) or (bool(groups.get("far")) and value.islower())
    if value[:1] == "{" and _REFERENCES.issuperset(_KEYS.findall(value)):
        return True
    bare = groups.get("bare")
    if only_marked(value) or harmless_value(family, value) or (bare and harmless_value(family, bare)):
        return True
    # A sentence: "token: invalid signature", "auth: login failed", "key: not found".
    if not bare or family == "password" or match.string[match.end():match.end() + 1] != " ":
        return False
    return match.string[match.start():match.start("bare")].endswith(": ") and _PROSE.match(value) is not None
