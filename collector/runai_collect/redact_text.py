"""Hide secrets in text: logs, configuration files, scripts, command lines. Pure; lines stay lines.

Three kinds of rules, each behind a cheap test: shapes that are secrets wherever they stand (``shapes``), names that announce one
(``password=``, ``"apiKey": "…"``, ``<token>…</token>``, here), and what needs more than one line (``blocks``)."""

import re
from typing import Callable, Dict, List, Match, Optional, Pattern, Tuple

from . import layout
from .blocks import Found, hide_keys, hide_yaml
from .names import harmless_value, machine_made, secret_family
from .shapes import SHAPES, Shape, hide_encoded, hide_shapes, only_marked, possible_shapes

OpenJson = Callable[[str], Tuple[str, List[str]]]

# A name without one of these in it (lower case) announces nothing.
_STEMS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "jwt", "psk", "otp", "cookie", "bearer", "session", "wandb",
          "dockerc", "pw",
          "kennwort", "wachtwoord", "contrase", "senha", "parola", "\u043f\u0430\u0440\u043e\u043b\u044c", "\u5bc6\u7801",
          "license", "licence", "salt", "unseal", "connstr", "_dsn", "pat=", "pat:", "pat ", "pat\"")
# Of "pat" what stands behind it is part of the cheap test, or each path would count.
_STEM = "(?i:%s|pat(?![a-z]))" % "|".join([stem for stem in _STEMS if stem[:3] != "pat"])
_WORD_REST: Pattern[str] = re.compile(r"[\w.-]*")
_WORD_START: Pattern[str] = re.compile(r"[\w.$-]*")       # read backwards
_RUN: Pattern[str] = re.compile(r"[A-Za-z0-9+/_~.-]{12,}={0,2}")
_LONGEST_NAME = 80          # before its stem, in all patterns: without a bound a line of names takes time by its square
_NAME = r"(?P<name>(?<![\w.$-])[\w./$-]{0,80}?" + _STEM + r"[\w./-]{0,60})"
# A quote that is not closed goes on till the line ends, and may go on behind it.
_QUOTED = (r"(?P<q>\"(?:[^\"\\\n]|\\.)*(?:\"|$)|'(?:[^'\\\n]|\\.|'')*')|"
           r"(?P<esc>\\+)(?P<eq>[\"'])(?P<ev>.*?)(?<!\\)(?P=esc)(?P=eq)")
# A bare value ends at a space; one that opens a bracket goes on till it is closed.
_BARE = r"(?P<bare>[{\[].*|(?:(?!;(?:\s|$|\s*[\w ]+=)|&(?:amp;)?[\w.-]+=)[^\s])+)"
_SEPARATOR = (r"(?P<sep>\\*[\"']?\]?\s*(?:=>|:=|==?|!=|->|:|%3[AaDd])\s*(?:!!?\w+\s+)?"
              r"(?:\([\w.*\[\]]{1,40}\)\s*(?:\((?:len|cap)=[^()]{1,30}\)\s*)?(?=[\"']))?)")    # Password: (string) (len=8) "…"
_VALUE_OF_PAIR = r"(?P<sep>\\*[\"']?\s*[,;]?\s*(?:-\s+)?\\*[\"']?(?:value|Value|values|val|v)\\*[\"']?\s*[:=]\s*)"
_SHORT_NAME = r"[\w.-]{0,80}?" + _STEM + r"[\w.-]{0,60}"

# name: X, value: Y in any notation, in one line or on two.
_NAMED: Pattern[str] = re.compile(r"(?:name|key|Name|Key|(?<=[\"'])k)\\*[\"']?\s*[:=]\s*\\*[\"']?(?P<name>" + _SHORT_NAME + ")" +
                                  _VALUE_OF_PAIR + "(?:" + _QUOTED + r"|(?P<bare>[^\s,}\]]+))", re.M)
_NAMED_ELEMENT: Pattern[str] = re.compile(r"(?:(?:name|key)=[\"']|<(?:name|key)>\s*)(?P<name>" + _SHORT_NAME + ")"
                                          r"(?P<sep>(?:[\"'][^<>]{0,300}>|\s*</(?:name|key)>)"
                                          r"\s*(?:<(?:value|string)>)?\s*)(?P<bare>[^<\s][^<]*)")
_ELEMENT: Pattern[str] = re.compile(r"<(?P<name>[\w:.-]{0,60}?" + _STEM + r"[\w:.-]{0,40})"
                                    r"(?P<sep>(?:\s[^<>]{0,300})?>(?:<!\[CDATA\[)?\s*)(?P<bare>[^<\]]+)")
_ASSIGNED: Pattern[str] = re.compile(_NAME + _SEPARATOR + "(?:" + _QUOTED + "|" + _BARE + ")")
_OPTION: Pattern[str] = re.compile(r"(?<!\S)--?(?P<name>" + _SHORT_NAME + r")(?P<sep>\s+)(?:" + _QUOTED +
                                   r"|(?P<bare>[^\s-]\S*))")
_TWO_WORDS: Pattern[str] = re.compile(r"^\s*(?:(?:ENV|ARG|setenv|SET)\s+)?(?P<name>" + _SHORT_NAME + r")(?P<sep>\s+)"
                                      r"(?P<bare>[^\s:=]\S*?)(?=;?\s*$)")
# value: Y, name: X: the pair the other way round.
_VALUE_FIRST: Pattern[str] = re.compile(r"(?<![\w.-])(?:value|Value)\\*[\"']?\s*[:=]\s*(?:" + _QUOTED +
                                        r"|(?P<bare>[^\s,}\]\"']+))"
                                        r"(?P<sep>\s*,?\s*\\*[\"']?)(?:name|key|Name|Key)\\*[\"']?\s*[:=]\s*\\*[\"']?"
                                        r"(?P<name>" + _SHORT_NAME + ")")
# define('NAME', 'value'), setdefault("NAME", "value"), "--name", "value"
_IN_QUOTES: Pattern[str] = re.compile(r"(?<=[\"'])-{0,2}(?P<name>" + _SHORT_NAME + r")(?P<sep>[\"']\s*,\s*)(?:" + _QUOTED +
                                      r")(?!\s*:)")
# | password | value |, set_header X-Api-Key value
_IN_TABLE: Pattern[str] = re.compile(r"(?:\||\b(?:set|add|with)_?[Hh]eaders?\b)\s*(?P<name>" + _SHORT_NAME +
                                     r")(?P<sep>\s*\|\s*|\s+)(?:" + _QUOTED + r"|(?P<bare>[^\s|;]+))")
# Whatever stands between: password(…), "key …", Secret('…'), a prompt and the line under it. Only what no word looks like.
_NEAR: Pattern[str] = re.compile(r"(?<![\w./-])(?P<name>" + _SHORT_NAME + r")\W{1,6}(?:(?:is|was|lautet|for)\s\W{0,2})?$")
# NAME=\ and the value on the next line.
_CONTINUED: Pattern[str] = re.compile(_NAME + r"(?P<sep>\s*[:=]?\s*\\\n\s*)(?P<bare>\S+)")
_PAIRS: Tuple[Pattern[str], ...] = (_NAMED, _NAMED_ELEMENT, _VALUE_FIRST, _ELEMENT)
_BY_NAME: Tuple[Pattern[str], ...] = _PAIRS + (_ASSIGNED, _IN_QUOTES, _OPTION, _TWO_WORDS, _IN_TABLE)
_ON_TWO_LINES: Tuple[Pattern[str], ...] = _PAIRS + (_CONTINUED,)
# What a terminal does not show stands between a name and its value, and a log must not move the reader's cursor: escape
# sequences, also as JSON and shells write colours, control characters but tab and line ends, spaces without width.
_UNSEEN: Pattern[str] = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_CONTROL: Pattern[str] = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)?|" +
                                    _UNSEEN.pattern)
_COLOURS: Pattern[str] = re.compile(r"(?:\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9;]*m")
_WIDE: Pattern[str] = re.compile("[\uff01-\uff5e]")
_NARROW = {0xfee0 + code: code for code in range(0x21, 0x7f)}
_PROSE: Pattern[str] = re.compile(r"[a-z]{1,14}[,.:]?$")
_VERDICTS = frozenset("expired invalid missing failed denied rejected unauthorized forbidden unknown valid error".split())
_JSON_START: Pattern[str] = re.compile(r"[{\[]")

# Lines and values that hold nothing repeat by the thousand; the memory of them is bounded.
_CLEAN: Dict[str, bool] = {}
_CLEAN_MOST, _CLEAN_LONGEST = 50000, 200


def redact_text(text: str, depth: int = 0, open_json: Optional[OpenJson] = None) -> Tuple[str, Found]:
    """Return a text of several lines with its secrets hidden, and (line from 1, rule) of each. Lines stay as many as they are.
    ``open_json`` looks through a line's JSON document by structure. ``depth`` counts how often base64 was opened so far."""
    text = plain_text(text)
    shown, text = text, narrow_text(text)
    lines, found = text.split("\n"), []  # type: List[str], Found
    if "PRIVATE KEY" in text:
        hide_keys(lines, found)
    low = text.lower()
    shapes, stems = possible_shapes(low), tuple(stem for stem in _STEMS if stem in low)
    hinted = [number for number, line in enumerate(lines) if announces(line, stems)] if stems else []
    hide_yaml(lines, hinted, found)
    for number in hinted:
        _hide_pair(lines, number, found)
        if open_json is not None:
            lines[number], rules = _open_line(lines[number], open_json)
            found.extend([(number + 1, rule) for rule in rules])
    announcing = frozenset(hinted)
    for number, line in enumerate(lines):
        if len(line) >= 6:
            lines[number], rules = _redact_plain(line, depth, shapes, stems if number in announcing else ())
            found.extend([(number + 1, rule) for rule in rules])
    if shown is not text:
        changed = {number for number, _ in found}
        lines = [lines[at] if at + 1 in changed else as_it_was for at, as_it_was in enumerate(shown.split("\n"))]
    return "\n".join(lines), sorted(set(found))


def plain_text(text: str) -> str:
    """Return a text without what a terminal does not show, so that a name is found whatever its colours."""
    if _UNSEEN.search(text):
        text = _CONTROL.sub("", text)
    return _COLOURS.sub("", text) if "\\" in text and "[" in text else text


def narrow_text(text: str) -> str:
    """Return a text with the full-width letters and signs of East Asia as ASCII; itself where there are none."""
    return text.translate(_NARROW) if _WIDE.search(text) else text


def redact_line(line: str) -> Tuple[str, List[str]]:
    """Return one line (or one value without line ends) with its secrets hidden, and the rules that hid them."""
    if line in _CLEAN:
        return line, []
    shown = plain_text(line)
    changed, rules = _redact_plain(narrow_text(shown), 0, SHAPES, _STEMS)
    return (changed if rules else shown), rules


def _redact_plain(line: str, depth: int, shapes: Tuple[Shape, ...], stems: Tuple[str, ...]) -> Tuple[str, List[str]]:
    """Redact a line as ``plain_text`` and ``narrow_text`` have it. ``shapes`` and ``stems`` are all that may stand on it, or
    more: else a line with secrets is remembered as clean."""
    if line in _CLEAN:
        return line, []
    rules: List[str] = []
    changed = hide_shapes(line, line.lower(), rules, shapes)
    if depth < 2:
        changed = hide_encoded(changed, rules, lambda inner: bool(redact_text(inner, depth + 1)[1]))
    if announces(changed, stems):
        for pattern in _BY_NAME:
            changed = pattern.sub(lambda match: _hide_named(match, rules), changed)
        changed = _RUN.sub(lambda match: _hide_near(match, rules), changed)
    if not rules and not depth and len(line) <= _CLEAN_LONGEST:
        if len(_CLEAN) >= _CLEAN_MOST:
            _CLEAN.clear()
        _CLEAN[line] = True
    return changed, rules


def announces(line: str, stems: Tuple[str, ...] = _STEMS) -> bool:
    """Return whether a secret's name stands on a line (or the kind of a Secret's manifest)."""
    low, opaque = line.lower(), False
    if len(low) != len(line):       # İ becomes two characters
        low = "".join([character.lower()[:1] for character in line])
    for stem in stems:
        at = low.find(stem)
        while at >= 0:
            end = _WORD_REST.match(line, at).end()  # type: ignore[union-attr]
            before = line[max(0, at - _LONGEST_NAME):at]
            begin = at - _WORD_START.match(before[::-1]).end()  # type: ignore[union-attr]
            family = secret_family(line[begin:end])
            if family and family != "opaque":
                return True
            opaque = opaque or bool(family)
            at = low.find(stem, end)
    return opaque and any(map(machine_made, _RUN.findall(line)))


def _hide_named(match: "Match[str]", rules: List[str]) -> str:
    """Hide the value of a match whose name announces a secret; else return it as it was."""
    whole = match.group()
    family = secret_family(match.group("name"))
    if not family:
        return whole
    groups = match.groupdict()
    value, left, right = _value_of(groups)
    if groups.get("bare") and harmless_value(family, groups["bare"]):
        return whole
    if only_marked(value) or harmless_value(family, value) or _is_prose(match, family, value):
        return whole
    rules.append(family)
    named = "q" if groups.get("q") else "ev" if groups.get("esc") else "bare"
    start = match.start("esc" if named == "ev" else named) - match.start()
    end = match.end(named) + (len(left) if named == "ev" else 0) - match.start()
    return whole[:start] + left + layout.marker(family) + "\n" * value.count("\n") + right + whole[end:]


def _hide_near(match: "Match[str]", rules: List[str], over: int = -1) -> str:
    """Hide what a machine made behind a secret's name, whatever stands between; else return it as it was.

    ``over``: a place that must be between the two, or else the rules for one line see half of what they know."""
    value = match.group()
    named = _NEAR.search(match.string, max(0, match.start() - _LONGEST_NAME - 20), match.start()) if machine_made(value) else None
    family = secret_family(named.group("name")) if named and (over < 0 or named.start() < over < match.start()) else ""
    if not family:
        return value
    rules.append(family)
    return layout.marker(family)


def _value_of(groups: Dict[str, str]) -> Tuple[str, str, str]:
    """Return a value, and what stands before and behind it and stays: quotes, closing brackets."""
    quoted = groups.get("q")
    if quoted:
        closed = quoted[0] if quoted[1:].endswith(quoted[0]) else ""
        return quoted[1:len(quoted) - len(closed)], quoted[0], closed
    if groups.get("esc"):
        mark = groups["esc"] + groups["eq"]
        return groups["ev"], mark, mark
    bare = groups["bare"]
    if bare[0] in "{[":
        end = _closing(bare)
        return bare[:end], "", bare[end:]
    value = bare if bare[0] == "$" else bare.rstrip("\"'\\]})>,;")
    return value, "", bare[len(value):]


def _closing(text: str) -> int:
    """Return where the bracket closes that a text opens with; its end when it does not."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "{[") - (character in "}]")
        if not depth:
            return at + 1
    return len(text)


def _is_prose(match: "Match[str]", family: str, value: str) -> bool:
    """Return whether this is a sentence: "token: invalid signature", "auth: login failed", "key: not found"."""
    if family != "password" and value in _VERDICTS:
        return True
    if family == "password" or ":" not in match.group("sep") or not match.group("sep").endswith(" "):
        return False
    goes_on = match.string[match.end():match.end() + 1] == " "
    return _PROSE.match(value) is not None and goes_on


def _hide_pair(lines: List[str], number: int, found: Found) -> None:
    """Hide the value of a pair that stands on two lines, the name on line ``number``: YAML env lists, properties in XML."""
    for first in (number - 1, number):
        if 0 <= first < len(lines) - 1:
            _hide_pair_at(lines, first, found)


def _hide_pair_at(lines: List[str], number: int, found: Found) -> None:
    rules: List[str] = []
    before = lines[number]
    both = before + "\n" + lines[number + 1]
    for pattern in _ON_TWO_LINES:
        both = pattern.sub(lambda match: _hide_named(match, rules), both)
    both = _RUN.sub(lambda match: _hide_near(match, rules, len(before)), both)
    if rules:
        lines[number], lines[number + 1] = both.split("\n")
        found.extend([(number + (1 if lines[number] != before else 2), rule) for rule in rules])


def _open_line(line: str, open_json: OpenJson) -> Tuple[str, List[str]]:
    """Return a line whose JSON document, if it ends with one, was looked through by structure."""
    start = _JSON_START.search(line) if line.rstrip()[-1:] in ("}", "]") else None
    if start is None:
        return line, []
    try:
        body, rules = open_json(line[start.start():])
    except (ValueError, RecursionError):
        return line, []
    return line[:start.start()] + body, rules
