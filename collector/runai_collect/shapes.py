"""Secrets that are known by their shape: tokens of known makers, keys, URLs with a password, HTTP headers. Pure."""

import base64
import binascii
import re
from typing import Callable, List, Match, NamedTuple, Optional, Pattern, Tuple

from . import layout
from .names import harmless_value


class Shape(NamedTuple):
    """One shape of a secret; ``rule`` is its name. In the table below, ^ is a blank in a hint."""

    rule: str
    hints: Tuple[str, ...]          # a line must hold one of these, in lower case: the cheap test
    pattern: Pattern[str]
    kept: Optional[Pattern[str]] = None     # what stands before the secret in a match; None: all of it is the secret


def _shape(rule: str, hints: str, pattern: str, kept: str = "") -> Shape:
    hinted = tuple(hint.replace("^", " ") for hint in hints.split())
    return Shape(rule, hinted, re.compile(pattern), re.compile(kept) if kept else None)


_AUTHORIZATION = (r"(?i)\b(?:proxy-)?authorization[\"']?\s*(?:(?::\s*\[|:|=|%3a|,)\s*\\*[\"']?"
                  r"(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?|\s+[\"']?(?:bearer|basic|token|digest|apikey)\s+)")
_LOGIN = r"(?<![\w-])(?:-u\s*|--user[\s=]\s*|--proxy-user[\s=]\s*)[\"']?"
_WEBHOOK = r"(?:hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|[\w.-]{0,100}\.office\.com/webhook(?:b2)?/)"
_SAID = (r"(?i)(?:identified\s+by(?:\s+password)?\s+|\bpassword\s+(?=[\"'])|\blogin\s+\S+\s+password\s+|"
         r"\bpass(?:word|phrase)\s+(?:is|was)\s+)")
_FAR = r"\b[^\n|;]{0,200}?"    # what may stand between a program and its option
# Program and what stands before its password, and programs whose password stands behind a word, where it has a digit.
_CLIENT = "(?:" + "|".join([r"\b(?:%s)%s%s" % (program, _FAR, option) for program, option in (
    (r"(?:mysql|mariadb|sshpass)\w*", r"\s-p\s?"), ("redis-cli", r"\s-a\s+"), ("ldap(?:search|modify|add|whoami)", r"\s-w\s+"),
    (r"(?:docker|podman|nerdctl|skopeo|helm|az|oc)\b[^\n|;]{0,100}?\blogin", r"\s-p\s+"),
    (r"mongo\w*|useradd|usermod", r"\s-p\s+"), ("7z|7za", r"\s-p"), ("sqlcmd|bcp|ipmitool|mosquitto_[ps]ub|zip", r"\s-P\s+"),
    ("openssl", r"\s-(?:pass(?:in|out)?\s+pass:|k\s+)"),
    (r"snmp\w+", r"\s-c\s+"), ("ssh-keygen", r"\s-N\s+"), ("smbclient|rpcclient", r"\s-U\s*[\w.\\-]+%"),
    ("curl", r"\s(?:-b|--cookie)[\s=]+[\"']?[\w.-]+="), (r"vault\s+(?:kv\s+put|write)", r"\s\w+="), ("sqlplus", r"\s\w+/"))]) + (
    r"|\bsudo\s+-S\s*<<<\s*|\bkinit\s+\S+\s+<<<\s*|--from-literal[=\s]+[\w.-]+=|\bmc\s+(?:alias\s+set|config\s+host\s+add)"
    r"\s+\S+\s+\S+\s+\S+\s+)")
_POSITIONAL = (r"\b(?:(?:wandb|vault|huggingface-cli|hf)\s+(?:auth\s+)?login|ngrok\s+(?:config\s+add-)?authtoken|"
               r"configure\s+set\s+\S*(?:secret|token|key)\S*)\s+[\"']?")
# In words: "secret access key: …", "api key = …".
_SPOKEN = (r"(?i)\b(?:(?:secret|access|api|private|encryption|client|auth|account|signing|shared|master|service|license|"
           r"unseal|recovery|pass|root)\s+){1,3}"
           r"(?:key|secret|token|password|phrase)(?:\s+\d+)?\s*(?::|=|is)\s*[\"']?")
_PIPED = r"\b(?:echo|printf)\s+(?:-\w+\s+)*[\"']?"
_PGPASS = r"^[\w.*-]+:(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:"

SHAPES: Tuple[Shape, ...] = (
    _shape("private-key", "-----begin", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?"
           r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)"),
    _shape("jwt", "eyj", r"\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"),
    _shape("aws-key", "akia asia abia acca", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    _shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
           r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    _shape("gitlab-token", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas- glffct-",
           r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_.-]{16,}"),
    _shape("slack-token", "xox xapp-", r"\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{10,}"),
    _shape("webhook-url", "hooks.slack.com /api/webhooks .office.com/webhook", _WEBHOOK + r"[\w/@.-]+", _WEBHOOK),
    _shape("ngc-key", "nvapi-", r"\bnvapi-[A-Za-z0-9_-]{16,}"),
    _shape("huggingface-token", "hf_ api_org_", r"\b(?:hf|api_org)_[A-Za-z0-9]{20,}"),
    _shape("google-key", "aiza ya29. gocspx-",
           r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}|\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    _shape("api-key", "sk- sk_ rk_ sg. nrak- glsa_ glc_ dop_v1_ dapi .atlasv1. r8_ tskey- shpat_ sq0 ops_ey dp.",
           r"\bsk-[A-Za-z0-9_-]{20,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|"
           r"\bNRAK-[A-Z0-9]{20,}|\bglsa_[A-Za-z0-9_]{20,}|\bglc_[A-Za-z0-9+/=]{20,}|\bdop_v1_[a-f0-9]{40,}|\bdapi[a-f0-9]{32}\b|"
           r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}|\br8_[A-Za-z0-9]{30,}|\btskey-[a-z]+-[A-Za-z0-9-]{16,}|"
           r"\bshpat_[a-f0-9]{32}|\bsq0[a-z]{3}-[A-Za-z0-9_-]{20,}|\bops_ey[A-Za-z0-9_-]{40,}|\bdp\.(?:pt|st|ct)\.[A-Za-z0-9]{30,}"),
    _shape("registry-token", "npm_ pypi- dckr_ akcp cmvmdgtu", r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}|"
           r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}|\bAKCp[A-Za-z0-9]{50,}|\bcmVmdGtu[A-Za-z0-9]{40,}"),
    _shape("vault-token", "hvs. hvb. hvr.", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
    _shape("openshift-token", "sha256~", r"\bsha256~[A-Za-z0-9_-]{40,}"),
    _shape("age-key", "age-secret-key-1", r"\bAGE-SECRET-KEY-1[A-Z0-9]{30,}"),
    _shape("password-hash", "$2 $apr1$ $1$ $5$ $6$ $argon2",
           r"\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|"
           r"[156]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|argon2(?:id|i|d)\$v=\d+\$[^\s\"']{20,})"),
    # The user of git over ssh is nobody's secret, and an image's digest no host: docker-pullable://alpine@sha256:…
    _shape("url-userinfo", "@", r"(?<=://)(?!git@)[^\s/@\"'<>?#]+(?:@[^\s/@\"'<>?#]+)*(?=@(?!sha256:))"),
    _shape("connection-string", "@tcp( @unix(", r"(?<![\w/])[\w.-]+:[^\s:@\"']+(?=@(?:tcp|unix)\()"),
    # The same without ://: a digit in the password or a port behind the host tell it from image:tag@sha256:… and mailto:a@b.
    _shape("url-userinfo", "@", r"(?<![\w/:.@%+\u00ab-])(?!mailto:)[\w.+-]{1,60}:(?:[^\s:@/\"',;|()<>]{3,80}"
           r"(?=@(?!sha\d)[\w.-]{1,200}:\d)|(?=[^\s:@]*\d)[^\s:@/\"',;|()<>]{6,80}(?=@(?!sha\d)\w))"),
    _shape("signed-url", "sig= signature= key= code= x-amz- x-goog-",
           r"(?i)(?<=[?&])(?:x-amz-(?:signature|security-token|credential)|sig|signature|key|code|x-goog-(?:signature|credential))="
           r"(?=[^\s&\"'<>]*\d)[^\s&\"'<>]{8,}", r"[\w-]+="),
    _shape("authorization", "authorization", _AUTHORIZATION + r"(?:AWS4-HMAC-SHA256[^\"'\n]*|[^\s\"'\\,\]})]+)",
           _AUTHORIZATION),
    _shape("bearer", "bearer basic", r"(?i)\b(?:bearer|basic)[\s:=]+(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{12,}=*",
           r"(?i)(?:bearer|basic)[\s:=]+"),
    _shape("cookie", "cookie:", r"(?i)\b(?:set-)?cookie:\s*[^\s\"'\\][^\"'\\\n]*", r"(?i)(?:set-)?cookie:\s*"),
    _shape("basic-auth", "-u --user --proxy-user",
           _LOGIN + r"(?!\d+:\d+(?:\s|$))[^\s:\"'/-][^\s:\"'/]*:[^\s\"'/][^\s\"']*", _LOGIN),
    _shape("password", "identified password passphrase", _SAID + r"(?:\"[^\"]*\"|'[^']*'|\S+)", _SAID),
    _shape("password", "mysql mariadb sshpass redis-cli ldap login mongo sqlcmd bcp openssl sudo useradd usermod sqlplus "
           "ipmitool mosquitto_ zip^ 7z snmp ssh-keygen smbclient rpcclient curl vault kinit from-literal alias^set host^add",
           _CLIENT + r"[\"']?[^\s\"'-]\S*", _CLIENT),
    _shape("token", "login^ authtoken configure^set", _POSITIONAL + r"(?=[^\s\"']*\d)[^\s\"'-][^\s\"']{7,}", _POSITIONAL),
    _shape("key", "key secret token password phrase", _SPOKEN + r"(?=[^\s\"']*[0-9A-Z+/])[^\s\"',;]{8,}", _SPOKEN),
    _shape("password", "echo printf", _PIPED + r"[^\s\"'|$]{4,}(?=[\"']?\s*\|[^|]{0,200}"
           r"(?:-stdin|passwd|login|kinit|sudo\s+-S|secret|token|passphrase))", _PIPED),
    _shape("pgpass", ":", _PGPASS + r"(?=[^\s:]*[^a-z\s:.-])[^\s:]{4,}$", _PGPASS),
)

# Standard alphabet only: names, paths and digests are full of the other one's dashes.
_BASE64: Pattern[str] = re.compile(r"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/]{24,}={0,2}(?![A-Za-z0-9+/=])")
_HEX: Pattern[str] = re.compile(r"[0-9a-f]+")
_LOGIN_PAIR: Pattern[str] = re.compile(r"(?:\$oauthtoken|[\w.-]{2,40}):(?!//)\S{6,}$")


def possible_shapes(low: str) -> Tuple[Shape, ...]:
    """Return the shapes that a text, given in lower case, may hold: the only ones to try on its lines."""
    return tuple(shape for shape in SHAPES if any(hint in low for hint in shape.hints))


def hide_shapes(line: str, low: str, rules: List[str], shapes: Tuple[Shape, ...] = SHAPES) -> str:
    """Return a line without secrets of these shapes; ``low`` is it in lower case, ``rules`` grows by what was hidden."""
    for shape in shapes:
        for hint in shape.hints:
            if hint in low:
                line = shape.pattern.sub(lambda match, shape=shape: _hide(match, shape, rules), line)  # type: ignore[misc]
                break
    return line


def _hide(match: "Match[str]", shape: Shape, rules: List[str]) -> str:
    whole = match.group()
    kept = shape.kept.match(whole) if shape.kept else None
    head = kept.group() if kept else ""
    rest = whole[len(head):]
    if only_marked(rest) or harmless_value("auth" if shape.rule == "authorization" else shape.rule, rest):
        return whole
    rules.append(shape.rule)
    return head + layout.marker(shape.rule)


_MARKED: Pattern[str] = re.compile(layout.MARKER_START + "[a-z0-9-]*" + layout.MARKER_END)


def only_marked(value: str) -> bool:
    """Return whether a value was hidden before, but for a few signs around the marker."""
    return layout.MARKER_START in value and not re.search(r"[^\W_]{3}", _MARKED.sub("", value))


def hide_encoded(line: str, rules: List[str], holds_secret: Callable[[str], bool]) -> str:
    """Return a line without base64 whose content ``holds_secret``, or that is a user and a password as HTTP sends them."""
    if len(line) < 24:
        return line
    return _BASE64.sub(lambda match: _hide_encoded(match.group(), rules, holds_secret), line)


def _hide_encoded(encoded: str, rules: List[str], holds_secret: Callable[[str], bool]) -> str:
    if _HEX.fullmatch(encoded):
        return encoded
    try:
        inner = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return encoded
    if not all(character.isprintable() or character in "\r\n\t" for character in inner):
        return encoded
    if not _LOGIN_PAIR.match(inner) and not holds_secret(inner):
        return encoded
    rules.append("base64")
    return layout.marker("base64")
