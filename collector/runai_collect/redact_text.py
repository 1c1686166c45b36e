"""Hide secrets in text: logs, configuration files, scripts, command lines. Pure. A hidden value becomes «redacted:RULE»; lines stay lines.

Three steps, each behind a cheap test: shapes that are secrets wherever they stand (tokens, keys, URLs with a password), names that
announce one (``password=``, ``"apiKey": "…"``, ``<token>…</token>``), and what needs more than one line (PEM blocks, YAML blocks)."""

import base64
import binascii
import json
import re
from typing import Callable, Dict, List, Match, Optional, Pattern, Tuple

from . import layout
from .names import harmless_value, secret_family

# A line without one of these in it (lower case) holds nothing that a rule below could find.
_HINTS: Tuple[str, ...] = (
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "bearer", "cookie", "jwt", "identified by", "sig", "psk", "otp", "session",
    "docker", "-u", "@", "akia", "asia", "gh", "gl", "xox", "hooks.", "nvapi-", "hf_", "aiza", "ya29", "sk-", "sk_", "rk_", "sg.", "npm_", "pypi-", "dckr_",
    "hvs.", "dapi", "akcp", "cmvmdgtu", "eyj", "age-secret", "dop_v1", "glsa_", "glc_", "nrak-", "sha256~", "atlasv1", "$2", "$apr1$", "$6$", "$5$", "$1$", "$argon2",
    "discord", "webhook", "license", "ops_", "shpat_", "lin_api", "figd_", "r8_", "wx", "sq0", "tskey-", "pat-", "xapp-", "ccipat", "dp.")

_SHAPES: Tuple[Tuple[str, str], ...] = (
    ("private-key", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)"),
    ("jwt", r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"),
    ("aws-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    ("github-token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("gitlab-token", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_.-]{16,}"),
    ("slack-token", r"\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{10,}"),
    ("webhook-url", r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks|[\w.-]*webhook\.office\.com/webhookb2)/[\w/@.-]+"),
    ("ngc-key", r"\bnvapi-[A-Za-z0-9_-]{16,}"),
    ("huggingface-token", r"\b(?:hf|api_org)_[A-Za-z0-9]{20,}"),
    ("google-key", r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    ("api-key", r"\bsk-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_-]{20,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|"
                r"\bNRAK-[A-Z0-9]{20,}|\bglsa_[A-Za-z0-9_]{20,}|\bglc_[A-Za-z0-9+/=]{20,}|\bdop_v1_[a-f0-9]{40,}|\bdapi[a-f0-9]{32}\b|"
                r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}|\br8_[A-Za-z0-9]{30,}|\btskey-[a-z]+-[A-Za-z0-9-]{16,}|\bshpat_[a-f0-9]{32}|"
                r"\bsq0[a-z]{3}-[A-Za-z0-9_-]{20,}|\bops_ey[A-Za-z0-9_-]{40,}|\bdp\.(?:pt|st|ct)\.[A-Za-z0-9]{30,}"),
    ("registry-token", r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}|\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}|\bAKCp[A-Za-z0-9]{50,}|\bcmVmdGtu[A-Za-z0-9]{40,}"),
    ("vault-token", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
    ("openshift-token", r"\bsha256~[A-Za-z0-9_-]{40,}"),
    ("age-key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{30,}"),
    ("password-hash", r"\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|[156]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|"
                      r"argon2(?:id|i|d)\$v=\d+\$[^\s\"']{20,})"),
    ("url-userinfo", r"(?<=://)(?!git@)[^\s/@\"'<>?#]*[^\s/@\"'<>?#](?:@[^\s/@\"'<>?#]+)*(?=@(?!sha256:))"),
    ("connection-string", r"(?<![\w/])[\w.-]+:[^\s:@\"']+(?=@(?:tcp|unix)\()"),
    ("signed-url", r"(?i)(?<=[?&])(?:x-amz-(?:signature|security-token|credential)|sig|signature|key|code|x-goog-signature|x-goog-credential)=[^\s&\"'<>]{8,}"),
    ("authorization", r"(?i)\b(?:proxy-)?authorization[\"']?\s*(?::|=|%3a|:\s*\[)\s*\\*[\"']?(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)?[^\s\"'\\,\]})]+"
                      r"(?:(?<=AWS4-HMAC-SHA256)[^\"'\n]*)?"),
    ("bearer", r"(?i)\bbearer[\s:=]+(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{12,}=*"),
    ("cookie", r"(?i)\b(?:set-)?cookie:\s*[^\s\"'\\][^\"'\\\n]*"),
    ("basic-auth", r"(?<![\w-])(?:-u|--user|--proxy-user)(?:\s+|=)[\"']?[^\s:\"'/-][^\s:\"'/]*:[^\s\"'/][^\s\"']*"),
    ("password", r"(?i)(?:identified\s+by(?:\s+password)?|\bpassword)\s+(?:\"[^\"]*\"|'[^']*')|\blogin\s+\S+\s+password\s+\S+|\bpass(?:word|phrase)\s+(?:is|was)\s+\S+|"
                 r"\b(?:mysql\w*|mariadb\w*|sshpass)\b(?:(?!\s-p)[^\n|;])*\s-p\s?[\"']?[^\s\"'-]\S*|\bredis-cli\b[^\n|;]*?\s-a\s+\S+"),
    ("pgpass", r"(?m)^[\w.*-]+:(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:[^\s:]{4,}$"),
)
# What stands before the secret itself and is kept, for the shapes that hold more than the secret.
_KEPT: Pattern[str] = re.compile(
    r"(?i)(?:proxy-)?authorization[\"']?\s*(?::\s*\[|:|=|%3a)\s*\\*[\"']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?|bearer[\s:=]+|(?:set-)?cookie:\s*|"
    r"(?:-u|--user|--proxy-user)(?:\s+|=)|identified\s+by(?:\s+password)?\s+|password\s+(?=[\"'])|login\s+\S+\s+password\s+|pass(?:word|phrase)\s+(?:is|was)\s+|"
    r"[\w-]+=(?=[^\s&]{8})|hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|[\w.-]*webhook\.office\.com/webhookb2/|"
    r"(?:mysql|mariadb|sshpass)[^\n|;]*?\s-p\s?|redis-cli\b[^\n|;]*?\s-a\s+|[\w.*-]+:(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:")
_WITH_KEPT = frozenset(("authorization", "bearer", "cookie", "basic-auth", "password", "signed-url", "webhook-url", "pgpass"))
_FINDERS: Tuple[Tuple[str, Pattern[str]], ...] = tuple((rule, re.compile(pattern)) for rule, pattern in _SHAPES)

_STEM = (r"(?:[Pp]ass|PASS|[Pp]wd|PWD|[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Kk]ey|KEY|[Aa]uth|AUTH|[Cc]red|CRED|[Jj]wt|JWT|[Pp]sk|PSK|[Oo]tp|OTP|[Cc]ookie|COOKIE|"
         r"[Bb]earer|BEARER|[Ss]ession|SESSION|[Dd]ockerc|DOCKERC|\bpw|\bPW)")
_NAME = r"(?P<name>(?<![\w.$-])[\w./$-]{0,80}?" + _STEM + r"[\w./-]{0,60})"
_QUOTED = (r"(?P<q>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.|'')*')|(?P<esc>\\+)(?P<eq>[\"'])(?P<ev>.*?)(?<!\\)(?P=esc)(?P=eq)")
# A bare value ends at a space; one that opens a bracket goes on to the end of the line.
_BARE = r"(?P<bare>[{\[].*|(?:(?!;(?:\s|$|\s*[\w ]+=)|&(?:amp;)?[\w.-]+=)[^\s])+)"
# NAME, perhaps in quotes, then = : := => or a colon percent-encoded, then a value in quotes or bare.
_ASSIGNED: Pattern[str] = re.compile(_NAME + r"(?P<sep>\\*[\"']?\]?\s*(?:=>|:=|==?|:|%3[AaDd])\s*(?:!!?\w+\s+)?)(?:" + _QUOTED + "|" + _BARE + ")")
_OPTION: Pattern[str] = re.compile(r"(?<!\S)--?(?P<name>[\w-]{0,60}?" + _STEM + r"[\w-]{0,40})(?P<sep>\s+)(?:" + _QUOTED + r"|(?P<bare>[^\s-]\S*))")
_WORDS: Pattern[str] = re.compile(r"^\s*(?:(?:ENV|ARG|setenv|SET)\s+)?(?P<name>[\w.-]{0,60}?" + _STEM + r"[\w.-]{0,40})(?P<sep>\s+)(?P<bare>[^\s:=]\S*?)(?=;?\s*$)")
_ELEMENT: Pattern[str] = re.compile(r"<(?P<name>[\w:.-]{0,60}?" + _STEM + r"[\w:.-]{0,40})(?P<sep>(?:\s[^<>]*)?>(?:<!\[CDATA\[)?\s*)(?P<bare>[^<\]]+)")
_NAMED: Pattern[str] = re.compile(r"(?:name|key|Name|Key)\\*[\"']?\s*[:=]\s*\\*[\"']?(?P<name>[\w.-]{0,80}?" + _STEM + r"[\w.-]{0,60})"
                                  r"(?P<sep>\\*[\"']?\s*[,;]?\s*(?:-\s+)?\\*[\"']?(?:value|Value|values)\\*[\"']?\s*[:=]\s*)(?:" + _QUOTED + r"|(?P<bare>[^\s,}\]]+))", re.M)
_NAMED_ELEMENT: Pattern[str] = re.compile(r"(?:name|key)=[\"'](?P<name>[\w.-]{0,80}?" + _STEM + r"[\w.-]{0,60})(?P<sep>[\"'][^<>]*>\s*(?:<value>)?\s*)(?P<bare>[^<\s][^<]*)")
_BY_NAME: Tuple[Pattern[str], ...] = (_NAMED, _NAMED_ELEMENT, _ELEMENT, _ASSIGNED, _OPTION, _WORDS)

_YAML_LINE: Pattern[str] = re.compile(r"^(?P<indent>\s*(?:-\s+)*)(?P<quote>[\"']?)(?P<name>[\w./-]+)(?P=quote)\s*:(?:\s+(?P<value>.*))?$")
_BASE64: Pattern[str] = re.compile(r"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/]{24,}={0,2}(?![A-Za-z0-9+/=])")
_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=]{16,}\s*$")
_PROSE = re.compile(r"[a-z]{1,14}[,.:]?$")
MARK = layout.MARKER_START

Found = List[Tuple[int, str]]


def redact_text(text: str, depth: int = 0) -> Tuple[str, Found]:
    """Return a text of several lines with its secrets hidden, and (line from 1, rule) of each. The number of lines does not change."""
    if not _hinted(text) and not _BASE64.search(text):
        return text, []
    lines = text.split("\n")
    found = []  # type: Found
    _hide_keys(lines, found)
    _hide_blocks(lines, found)
    for number, line in enumerate(lines):
        if len(line) >= 6:
            lines[number], rules = redact_line(line, depth)
            found.extend([(number + 1, rule) for rule in rules])
    joined = _hide_pairs("\n".join(lines), found)
    return joined, sorted(set(found))


def redact_line(line: str, depth: int = 0) -> Tuple[str, List[str]]:
    """Return one line (or one value without line ends) with its secrets hidden, and the rules that hid them."""
    rules = []  # type: List[str]
    if _hinted(line):
        for rule, finder in _FINDERS:
            line = finder.sub(lambda match, rule=rule: _hide_shape(match, rule, rules), line)  # type: ignore[misc]
        for pattern in _BY_NAME:
            line = pattern.sub(lambda match: _hide_named(match, rules), line)
    if depth < 2:
        line = _BASE64.sub(lambda match: _hide_encoded(match, rules, depth), line)
    return line, rules


def _hinted(text: str) -> bool:
    low = text.lower()
    for hint in _HINTS:
        if hint in low:
            return True
    return False


def _hide_shape(match: "Match[str]", rule: str, rules: List[str]) -> str:
    whole = match.group()
    kept = _KEPT.match(whole) if rule in _WITH_KEPT else None
    head = kept.group() if kept else ""
    rest = whole[len(head):]
    if rest.strip("\"'").startswith(MARK) or harmless_value("auth" if rule == "authorization" else rule, rest):
        return whole
    rules.append(rule)
    return head + layout.marker(rule)


def _hide_named(match: "Match[str]", rules: List[str]) -> str:
    """Hide the value of a match whose name announces a secret; else return it as it was."""
    whole = match.group()
    family = secret_family(match.group("name"))
    if not family:
        return whole
    groups = match.groupdict()
    value, left, right = _value_of(groups)
    if MARK in value or harmless_value(family, value) or _is_prose(match, family, value):
        return whole
    rules.append(family)
    start = match.start("q" if groups.get("q") else "esc" if groups.get("esc") else "bare") - match.start()
    return whole[:start] + left + layout.marker(family) + right


def _value_of(groups: Dict[str, str]) -> Tuple[str, str, str]:
    """Return a value, and what stands before and behind it and stays: quotes, closing brackets."""
    quoted = groups.get("q")
    if quoted:
        return quoted[1:-1], quoted[0], quoted[-1]
    if groups.get("esc"):
        mark = groups["esc"] + groups["eq"]
        return groups["ev"], mark, mark
    bare = groups["bare"]
    if bare[0] in "{[":
        end = _closing(bare)
        return bare[:end], "", bare[end:]
    value = bare.rstrip("\"'\\]})>,;")
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
    if family == "password" or ":" not in match.group("sep") or not match.group("sep").endswith(" "):
        return False
    return _PROSE.match(value) is not None and match.string[match.end():match.end() + 1] == " "


def _hide_encoded(match: "Match[str]", rules: List[str], depth: int) -> str:
    """Hide base64 whose content holds a secret."""
    encoded = match.group()
    try:
        inner = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return encoded
    if not _is_text(inner) or not _holds_secret(inner, depth):
        return encoded
    rules.append("base64")
    return layout.marker("base64")


def _is_text(text: str) -> bool:
    return all(character.isprintable() or character in "\r\n\t" for character in text)


def _holds_secret(text: str, depth: int) -> bool:
    if redact_text(text, depth + 1)[1]:
        return True
    return re.match(r"(?:\$oauthtoken|[\w.-]{2,40}):\S{6,}$", text) is not None and "://" not in text


def _hide_keys(lines: List[str], found: Found) -> None:
    """Hide PEM private keys over several lines, also one whose begin or end was cut off."""
    begun = -1
    for number, line in enumerate(lines):
        if begun < 0 and _PEM_BEGIN.search(line) and not _PEM_END.search(line):
            begun = number
            _hide_tail(lines, number, _PEM_BEGIN, found)
        elif begun >= 0:
            ended = _PEM_END.search(line)
            if not ended and not line.strip():
                continue
            if not ended and not _PEM_BODY.search(line) and "-----" not in line and number - begun > 4 and ":" not in line:
                begun = -1
                continue
            _hide_tail(lines, number, _PEM_BODY if not ended else None, found)
            begun = -1 if ended or number - begun > 400 else begun
        elif _PEM_END.search(line) and not _PEM_BEGIN.search(line):
            for above in range(number, -1, -1):
                if above < number and not _PEM_BODY.search(lines[above]):
                    break
                _hide_tail(lines, above, _PEM_BODY if above < number else None, found)


def _hide_tail(lines: List[str], number: int, begin: "Pattern[str] | None", found: Found) -> None:
    """Hide a line of a key from where the key begins, so that a time before it and its indentation stay."""
    line = lines[number]
    match = begin.search(line) if begin is not None else None
    start = match.start() if match else len(line) - len(line.lstrip())
    lines[number] = line[:start] + layout.marker("private-key")
    found.append((number + 1, "private-key"))


def _hide_blocks(lines: List[str], found: Found) -> None:
    """Hide YAML under a secret's name: a block (``password: |``), a list, and the data of a Secret."""
    secret_document = False
    number = 0
    while number < len(lines):
        line = lines[number]
        if line.startswith("---"):
            secret_document = False
        match = _YAML_LINE.match(line) if ":" in line and len(line) < 400 else None
        if match is None:
            number += 1
            continue
        name, value = match.group("name"), (match.group("value") or "").strip().rstrip(",")
        if name == "kind" and value.strip("\"'") == "Secret":
            secret_document = True
            _hide_earlier_data(lines, number, found)
        family = secret_family(name)
        if secret_document and name in ("data", "stringData") and not value:
            number = _hide_under(lines, number, match, "secret-object", found, True)
        elif family and (value[:1] in ("|", ">") or not value):
            number = _hide_under(lines, number, match, family, found, value[:1] in ("|", ">"))
        elif family and not harmless_value(family, _bare_yaml(value)) and MARK not in value and _whole_value(value):
            lines[number] = line[:match.start("value")] + _quoted_like(value, family) + ("," if line.rstrip().endswith(",") else "")
            found.append((number + 1, family))
            number += 1
        else:
            number += 1


def _hide_earlier_data(lines: List[str], number: int, found: Found) -> None:
    """Hide the data of a Secret whose ``data`` stands before its ``kind``, as sorted YAML has it."""
    for above in range(number - 1, -1, -1):
        if lines[above].startswith("---"):
            return
        match = _YAML_LINE.match(lines[above])
        if match and match.group("name") in ("data", "stringData") and not (match.group("value") or "").strip():
            _hide_under(lines, above, match, "secret-object", found, True)


def _whole_value(value: str) -> bool:
    """Return whether a YAML value is one scalar: quoted whole, or a single word; prose and flow maps are left to the other rules."""
    if value[:1] in ("{", "[", "&", "*", "!"):
        return False
    return value[:1] in ("\"", "'") and value[-1:] == value[:1] or not re.search(r"\s(?!#)", value)


def _bare_yaml(value: str) -> str:
    return value.strip("\"'") if value[:1] in ("\"", "'") else re.sub(r"\s+#.*", "", value)


def _quoted_like(value: str, family: str) -> str:
    quote = value[0] if value[:1] in ("\"", "'") and value[-1:] == value[:1] else ""
    return quote + layout.marker(family) + quote


def _hide_under(lines: List[str], number: int, match: "Match[str]", family: str, found: Found, block: bool) -> int:
    """Hide the lines that are indented deeper than ``number`` (or, of a list, its scalar items); return where to go on."""
    indent = len(match.group("indent"))
    at = number + 1
    while at < len(lines):
        line = lines[at]
        depth = len(line) - len(line.lstrip())
        item = line.lstrip().startswith("- ")
        if line.strip() and (depth < indent or (depth == indent and not item)):
            break
        if line.strip():
            if not block and not item:
                return number + 1
            _hide_yaml_line(lines, at, family, found, block)
        at += 1
    return at if block else number + 1


def _hide_yaml_line(lines: List[str], at: int, family: str, found: Found, block: bool) -> None:
    line = lines[at]
    inner = _YAML_LINE.match(line)
    if family == "secret-object" and inner and (inner.group("value") or "").strip()[:1] not in ("", "|", ">"):
        lines[at] = line[:inner.start("value")] + layout.marker(family)
    elif family == "secret-object" and inner:
        return
    elif block:
        lines[at] = line[:len(line) - len(line.lstrip())] + layout.marker(family)
    elif not inner and not harmless_value(family, line.strip()[2:].strip("\"'")):
        lines[at] = line[:line.index("-") + 2] + layout.marker(family)
    else:
        return
    found.append((at + 1, family))


def _hide_pairs(text: str, found: Found) -> str:
    """Hide name and value pairs that stand on two lines (YAML env lists, Java properties in XML)."""
    def hide(match: "Match[str]") -> str:
        rules = []  # type: List[str]
        changed = _hide_named(match, rules)
        found.extend([(match.string.count("\n", 0, match.end()) + 1, rule) for rule in rules])
        return changed
    for pattern in (_NAMED, _NAMED_ELEMENT):
        text = pattern.sub(hide, text)
    return text


_JSON_START = re.compile(r"\{\"")


def redact_log_line(line: str, open_json: Callable[[str], Tuple[str, List[str]]]) -> Tuple[str, List[str]]:
    """Return a line of a log with its secrets hidden; where it holds a JSON document, ``open_json`` hides those by structure first."""
    rules = []  # type: List[str]
    start = _JSON_START.search(line) if line.rstrip().endswith("}") and _hinted(line) else None
    if start:
        head, body = line[:start.start()], line[start.start():]
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            pass
        else:
            body, rules = open_json(body)
            line = head + body
    line, more = redact_line(line)
    return line, rules + more
