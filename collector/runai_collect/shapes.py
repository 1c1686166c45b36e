"""Secrets that are known by their shape: tokens of known makers, keys, URLs with a password, HTTP headers. Pure."""

import base64
import re
from typing import Callable, List, Match, NamedTuple, Optional, Pattern, Tuple

from . import layout
from .names import harmless_value

WORD_START = "(?<![a-z])"


class Shape(NamedTuple):
    """One shape of a secret. A text without such a word and the sign in it is not looked at: the cheap test."""

    rule: str
    words: Tuple[str, ...]                  # patterns of a run of letters and of the signs @ $ ? & ~, in lower case
    sign: str
    pattern: Pattern[str]
    kept: Optional[Pattern[str]]            # what stands before the secret in a match; None: all of it is the secret


def _shape(rule: str, hints: str, pattern: str, kept: str = "") -> Shape:
    """Hints are divided by blanks: words, where ^ and $ are the ends of a run of letters, and behind "with" the sign."""
    words, _, sign = hints.replace("^", WORD_START).replace("$", "(?![a-z])").partition(" with ")
    return Shape(rule, tuple(words.split()), sign, re.compile(kept + pattern), re.compile(kept) if kept else None)


_AUTHORIZATION = (r"(?i)\b(?:(?:proxy-)?authorization|x-jfrog-art-api)[\"']?(?:\s*(?::\s*\[|:|=|%3a|,)\s*\\*[\"']?"
                  r"(?:(?:bearer|basic|token|negotiate|apikey)\s+)?|\s+[\"']?(?:bearer|basic|token|apikey)\s+)")
_LOGIN = r"(?<![\w-])(?:-u\s*|--user[\s=]\s*|--proxy-user[\s=]\s*)[\"']?"
_WEBHOOK = (r"(?:hooks\.slack\.com/|discord(?:app)?\.com/api/webhooks/|[\w.-]{0,100}\.office\.com/webhook(?:b2)?/|"
            r"events\.pagerduty\.com/integration/|api\.telegram\.org/bot)")
_SIGNED = r"(?i)[?&](?:x-amz-(?:signature|security-token|credential)|sig|signature|key|code|x-goog-(?:signature|credential))="
# In a sentence only what no word looks like is a password: "password is Xy12ab!", and not "password is required".
_SAID = (r"(?i)(?:identified\s+by(?:\s+password)?\s+|\bpassword\s+(?=\\*[\"'])|\blogin\s+\S+\s+password\s+|"
         r"\b(?:password|passphrase|passcode|passwort)\s+(?:for\s+\S{1,60}\s+)?(?:is|was|lautet)(?:\s+(?:re)?set\s+to|"
         r"\s+changed\s+to)?[\s:]+(?-i:(?=[\"']|\S{0,60}[\dA-Z!#$%&*+@^~]))|\bcredentials:\s+\S{1,40}\s+/\s+|"
         r"\b(?:password|passphrase|passwort|bindpw)\s+(?:changed\s+to\s+|(?:is\s+)?generated\s+for\s+\S{1,60}\s+)?"
         r"(?![-/$]|\w+[=:]|(?:sha|md|v|oauth|base|utf|rfc|http|scram|pbkdf)[-_]?\d)(?=\S{0,60}\d)(?=\S{0,60}[a-z])(?=\S{6}))")
_FAR = r"\b[^\n|;]{0,200}?"    # what may stand between a program and its option
# Program and what stands before its password, and programs whose password stands behind a word, where it has a digit.
_CLIENT = "(?:" + "|".join([r"\b(?:%s)%s%s" % (program, _FAR, option) for program, option in (
    (r"(?:mysql|mariadb|sshpass)\w*", r"[\s\"',]-p[\s\"',\\]{0,9}"), ("redis-cli", r"[\s\"',]-a[\s\"',\\]{1,9}"),
    ("ldap(?:search|modify|add|whoami)", r"[\s\"',]-w[\s\"',\\]{1,9}"),
    (r"(?:docker|podman|nerdctl|skopeo|helm|az|oc)\b[^\n|;]{0,100}?\blogin", r"\s-p\s+"),
    (r"mongo\w*|useradd|usermod", r"\s-p\s+"), ("sqlcmd|bcp|ipmitool|mosquitto_[ps]ub|zip", r"\s-P\s+"),
    ("openssl", r"\s-(?:pass(?:in|out)?\s+pass:|k\s+)"), (r"openssl\s+passwd", r"\s-[156]\s+(?!-)"), ("ldappasswd", r"\s-s\s+"),
    ("cqlsh", r"\s-p\s+"), ("lftp", r"\s-u\s+[\w.@-]+,"), ("influx", r"\s-t\s+"),
    (r"htpasswd\s+-\w{0,5}b\w{0,5}", r"\s(?:\d+\s+)?\S+\s+(?=\S+\s*$)"),
    (r"rabbitmqctl\s+(?:add_user|change_password)", r"\s\S+\s+"), (r"snmp\w+", r"\s-c\s+"), ("ssh-keygen", r"\s-N\s+"),
    ("smbclient|rpcclient", r"\s-U\s*[\w.\\-]+%"), ("curl", r"\s(?:-b|--cookie)[\s=]+[\"']?[\w.-]+="),
    (r"vault\s+(?:kv\s+put|write)", r"\s\w+="), ("cifs", r"\buser(?:name)?=[\w.\\-]+%"), ("sqlplus", r"\s\w+/"))]) + (
    r"|\b(?:sudo|kinit|login|passwd|stdin)\b[^\n|;<]{0,100}<<<\s*|\br[ow]community6?\s+|"
    r"\b(?:jdbc:oracle:\w+:|conn(?:ect)?\s+)[\w$#]+/(?=\S{1,80}@)|--from-literal[=\s]+[\w.-]+=|"
    r"\bmc\s+(?:alias\s+set|config\s+host\s+add)\s+\S+\s+\S+\s+\S+\s+)")
_POSITIONAL = (r"\b(?:(?:wandb|vault|huggingface-cli|hf)\s+(?:auth\s+)?login(?:\s+--?[\w-]+){0,3}|"
               r"ngrok\s+(?:config\s+add-)?authtoken|configure\s+set\s+(?=\S*(?:secret|token|key))\S+)\s+[\"']?")
# In words: "secret access key: …", "api key = …".
_SPOKEN = (r"(?i)\b(?:(?:secret|access|api|private|encryption|client|auth|account|signing|shared|master|service|license|"
           r"unseal|recovery|pass|root)\s+){1,3}(?:key|secret|token|password|phrase)(?:\s+\d+)?\s*(?::|=|is)\s*[\"']?")
_PIPED = r"\b(?:echo|printf)\s+(?:-\w+\s+){0,3}[\"']?"

SHAPES: Tuple[Shape, ...] = (
    _shape("private-key", "begin with -----BEGIN", r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?"
           r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)"),
    _shape("private-key", "^kty$", r"[\w-]{16,}", r"(?<![\w-])(?:[dkpq]|d[pq]|qi)\\{0,15}[\"']\s*:\s*\\{0,15}[\"']"),
    _shape("jwt", "^eyj with .", r"\beyJ(?=[\w-]{6})\w*(?:-(?!eyJ)\w*)*\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"),
    _shape("aws-key", "^akia ^asia ^abia ^acca", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    _shape("github-token", "^gh[pousr]$ ^pat$ with _", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,})"),
    _shape("gitlab-token", "^glpat ^gldt ^glrt ^glcbt ^glptt ^glft ^glsoat ^glagent ^glimt ^gloas ^glffct",
           r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_.-]{16,}"),
    _shape("slack-token", "^xox ^xapp", r"\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{10,}"),
    _shape("webhook-url", "^slack$ ^webhooks$ ^office$ ^pagerduty$ ^telegram$ with /", r"[\w/@.:-]+", _WEBHOOK),
    _shape("ngc-key", "^nvapi", r"\bnvapi-[A-Za-z0-9_-]{16,}"),
    _shape("huggingface-token", "^hf$ ^org$ with _", r"\b(?:hf|api_org)_[A-Za-z0-9]{20,}"),
    _shape("google-key", "^aiza ^ya$ ^gocspx",
           r"\b(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})"),
    _shape("api-key", "^sk$ ^rk$ ^sg$ ^nrak ^glsa ^glc$ ^dop$ ^dapi ^atlasv$ ^r$ ^tskey ^shpat ^sq$ ^ops$ ^dp$",
           r"\b(?:sk-[A-Za-z0-9_-]{20,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|"
           r"NRAK-[A-Z0-9]{20,}|glsa_\w{20,}|glc_[A-Za-z0-9+/=]{20,}|dop_v1_[a-f0-9]{40,}|dapi[a-f0-9]{32}\b|"
           r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}|r8_[A-Za-z0-9]{30,}|tskey-[a-z]+-[A-Za-z0-9-]{16,}|"
           r"shpat_[a-f0-9]{32}|sq0[a-z]{3}-[A-Za-z0-9_-]{20,}|ops_ey[A-Za-z0-9_-]{40,}|dp\.(?:pt|st|ct)\.[A-Za-z0-9]{30,})"),
    _shape("registry-token", "^npm$ ^pypi$ ^dckr$ ^akcp ^cmvmdgtu",
           r"\b(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}|dckr_[po]at_[A-Za-z0-9_-]{20,}|"
           r"AKCp[A-Za-z0-9]{50,}|cmVmdGtu[A-Za-z0-9]{40,})"),
    _shape("vault-token", "^hvs$ ^hvb$ ^hvr$", r"\bhv[sbr]\.[A-Za-z0-9_-]{20,}"),
    _shape("openshift-token", "~ with sha256~", r"\bsha256~[A-Za-z0-9_-]{40,}"),
    _shape("age-key", "^age$ with AGE-", r"\bAGE-SECRET-KEY-1[A-Z0-9]{30,}"),
    _shape("password-hash", r"\x24 ^ssha$", r"\{SSHA\d*\}[\w+/=]{16,}|\b(?:pbkdf2[_-]sha\d+\$\d+|SCRAM-SHA-\d+\$\d+:[^\s$]+)\$"
           r"[^\s\"']{16,}|\$(?:g?y\$[./A-Za-z0-9]+\$[./A-Za-z0-9]+\$[./A-Za-z0-9]{16,}|2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|"
           r"[156]\$(?:rounds=\d+\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22,86}|argon2(?:id|i|d)\$v=\d+\$[^\s\"']{20,})"),
    # The user of git over ssh is nobody's secret, and an image's digest no host: docker-pullable://alpine@sha256:…
    _shape("url-userinfo", "@(?!sha(?![a-z])) with @", r"(?<=://)(?!git@)(?:[^\s/@\"'<>?#:\[]*:(?!\d{1,5}[/?#]|/)"
           r"(?:(?!://)[^\s\"'<>])*|[^\s/@\"'<>?#]+(?:@[^\s/@\"'<>?#]+)*)(?=@(?!sha256:))|"
           r"(?<=%2[Ff]%2[Ff])(?:(?!%40|%2[Ff])[^\s\"'<>&])+(?=%40)"),
    _shape("connection-string", "@(?:tcp|unix) with @", r"(?<![\w/.-])[\w.-]+:[^\s:@\"']+(?=@(?:tcp|unix)\()"),
    # The same without ://: a digit in the password or a port behind the host tell it from image:tag@sha256:… and mailto:a@b.
    _shape("url-userinfo", "@(?!sha(?![a-z])) with @",
           r"(?<![\w/:.@%+\u00ab-])(?!mailto:)[\w.+-]{1,60}:(?:[^\s:@/\"',;|()<>]{3,80}(?=@(?!sha\d)[\w.-]{1,200}:\d)|(?=[^\s:@]*\d)[^\s:@/\"',;|()<>]{6,80}(?=@(?!sha\d)\w))"),
    _shape("signed-url", "[?&](?:sig|key$|code$|x$) with =", r"(?=[^\s&\"'<>]{0,200}\d)[^\s&\"'<>]{8,}", _SIGNED),
    _shape("authorization", "authorization jfrog$", r"(?:AWS4-HMAC-SHA256[^\"'\n]*|"
           r"Digest(?:\s+\w+=(?:\\*\"[^\"\n]*\"|[^\s,\"]+),?)+|[^\s\"'\\,\]})]+)", _AUTHORIZATION),
    _shape("bearer", "^bearer$ ^basic$", r"(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{12,}=*", r"(?i)\b(?:bearer|basic)[\s:=]+"),
    _shape("cookie", "cookie$ with :", r"[^\s\"'\\][^\"'\\\n]*", r"(?i)\b(?:set-)?cookie:\s*"),
    _shape("basic-auth", "^u(?!sr$|lid$) with -u", r"(?!\d+:\d+(?:\s|$))[^\s:\"'/-][^\s:\"'/]{0,99}:[^\s\"'/][^\s\"']*", _LOGIN),
    _shape("password", "identified password passphrase passwort bindpw credentials", r"\\*(?:\"[^\"\n]*\"|'[^'\n]*'|\S+)", _SAID),
    _shape("password", "^mysql ^mariadb ^sshpass ^redis$ ^ldap login$ ^mongo ^sqlcmd$ ^bcp$ ^openssl$ ^sudo$ ^useradd$ "
           "^usermod$ ^sqlplus$ ^ipmitool$ ^mosquitto$ ^zip$ ^snmp ^keygen$ ^smbclient$ ^rpcclient$ ^curl$ ^vault$ ^kinit$ "
           "^literal$ ^mc$ ^cqlsh$ ^lftp$ ^influx$ ^htpasswd$ ^rabbitmqctl$ ^cifs$ stdin$ community$ ^oracle$ ^connect$",
           r"[\"']?[^\s\"'-]\S*", _CLIENT),
    _shape("basic-auth", r"^robot\x24", r"[^\s\"'@]{6,}", r"\brobot\$[\w.+-]+:"),
    _shape("wandb-key", "^wandb$ with key for", r"[0-9a-f]{40}\b", r"\bkey\s+for\s+api\.wandb\.ai\b[^\n:]{0,80}:\s*"),
    _shape("password", "^za?$ with 7z", r"[\"']?[^\s\"'-]\S*", r"\b7za?" + _FAR + r"\s-p"),
    _shape("token", "^login$ authtoken ^configure$", r"(?=[^\s\"']*\d)[^\s\"'-][^\s\"']{7,}", _POSITIONAL),
    _shape("key", "key secret token password phrase", r"(?=[^\s\"']*[0-9A-Z+/])[^\s\"',;]{8,}", _SPOKEN),
    _shape("password", "^echo$ ^printf$ with |", r"[^\s\"'|$]{4,}(?=[\"']?\s*\|[^|]{0,200}"
           r"(?:-stdin|passwd|login|kinit|sudo\s+-S|secret|token|passphrase))", _PIPED),
    _shape("pgpass", "", r"(?=[^\s:]*[^a-z\s:.-])[^\s:]{4,}$", r"(?m)^[\w.*-]+:(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:"),
)

PGPASS = len(SHAPES) - 1    # has no hint but its form

# Standard alphabet only: names, paths and digests are full of the other one's dashes. And no hash: that is hexadecimal.
BASE64: Pattern[str] = re.compile(r"(?<![A-Za-z0-9+/=_.-])(?!/*[0-9a-f]+(?![A-Za-z0-9+/=]))"
                                   r"[A-Za-z0-9+/]{24,}={0,2}(?![A-Za-z0-9+/=])")
_LOGIN_PAIR: Pattern[str] = re.compile(r"(?:\$oauthtoken|[\w.-]{2,40}):(?!//)\S{6,}$")


def hide_shape(line: str, shape: Shape, rules: List[str]) -> str:
    """Return a line without secrets of this shape; ``rules`` grows by what was hidden."""
    return shape.pattern.sub(lambda match: _hide(match, shape, rules), line)


def _hide(match: "Match[str]", shape: Shape, rules: List[str]) -> str:
    whole = match.group()
    kept = shape.kept.match(whole) if shape.kept else None
    head, rest = (kept.group(), whole[kept.end():]) if kept else ("", whole)
    if only_marked(rest) or harmless_value("auth" if shape.rule == "authorization" else shape.rule, rest):
        return whole
    rules.append(shape.rule)
    return head + layout.marker(shape.rule)


_MARKED: Pattern[str] = re.compile(
    r"(?:(?:[Bb]asic|[Bb]earer|[Tt]oken)\s+)?" + layout.MARKER_START + "[a-z0-9-]*" + layout.MARKER_END)


def only_marked(value: str) -> bool:
    """Return whether a value was hidden before, but for a few signs around the marker."""
    return layout.MARKER_START in value and not re.search(r"[^\W_]{3}", _MARKED.sub("", value))


def hide_encoded(line: str, rules: List[str], holds_secret: Callable[[str], bool]) -> str:
    """Return a line without base64 whose content ``holds_secret``, or that is a user and a password as HTTP sends them."""
    return BASE64.sub(lambda match: _hide_encoded(match.group(), rules, holds_secret), line)


def _hide_encoded(encoded: str, rules: List[str], holds_secret: Callable[[str], bool]) -> str:
    try:
        inner = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except ValueError:
        return encoded
    readable = all(character.isprintable() or character in "\r\n\t" for character in inner)
    if not readable or not (_LOGIN_PAIR.match(inner) or holds_secret(inner)):
        return encoded
    rules.append("base64")
    return layout.marker("base64")
