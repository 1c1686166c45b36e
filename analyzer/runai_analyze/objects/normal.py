"""Messages without what differs from one time to the next, so that two that say the same read the same.

Events are folded by it, and ``similar_to`` compares by it. It is for comparing only: people are shown the text as it was written.
"""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST_TEXT = 4096  # characters that are looked at; what follows is dropped
_REMEMBERED = 200  # a longer word is worked out each time, so that the memory of words stays small

# Kubernetes draws five characters of these for a pod's name, and writes the digits of a ReplicaSet's hash with ten of them
# (k8s.io/apimachinery/pkg/util/rand: no vowels, so that no word comes about; "https" is one all the same).
_DRAWN = "[bcdfghjklmnpqrstvwxz2456789]"
_HASH = "[4-9bcdf]"
_EDGE, _END = "(?<![a-z0-9])", "(?![a-z0-9])"

# Times hold blanks, so they go before the text is looked at word by word. Also syslog's, and klog's "I0501 10:11:12.123456".
_TIMES = re.compile(
    r"(?<![0-9a-z:])(?:"
    r"\d{4}[-/]\d\d[-/]\d\d(?:[t ]\d\d:\d\d:\d\d(?:[.,]\d{1,12})?(?: ?(?:z|utc|[+-]\d\d:?\d\d(?: [a-z]{3,4})?)(?![0-9a-z]))?)?"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) [ \d]\d \d\d:\d\d:\d\d"
    r"|[iwef]\d{4} \d\d:\d\d:\d\d\.\d{6}"
    r"|\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
    r")(?![0-9:])",
    re.ASCII,
)
# Only words with a digit or a hyphen can hold anything else; those of plain letters are passed over at once.
_WORD = re.compile(r"(?<!\S)[^\s\d-]*+[\d-]\S*+")
_PARTS = re.compile(
    "|".join(
        (
            rf"(?P<uuid>{_EDGE}[0-9a-f]{{8}}-(?:[0-9a-f]{{4}}-){{3}}[0-9a-f]{{12}}{_END})",
            rf"(?P<pci>{_EDGE}(?:[0-9a-f]{{4,8}}:)?[0-9a-f]{{2}}:[0-9a-f]{{2}}\.[0-7]{_END})",
            rf"(?P<mac>{_EDGE}(?:[0-9a-f]{{2}}:){{5}}[0-9a-f]{{2}}(?![a-z0-9:]))",
            rf"(?P<ip>{_EDGE}(?<![.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![a-z0-9.]))",
            rf"(?P<host>(?<=ip-)\d{{1,3}}(?:-\d{{1,3}}){{3}}{_END})",
            r"(?P<ip6>(?<![a-z0-9:.\]])(?=[0-9a-f]*+:[0-9a-f]*+:)[0-9a-f:]{2,39}+(?![a-z0-9:.]))",
            rf"(?P<pod>(?<=[a-z0-9]-)(?:{_HASH}{{6,10}}(?:-{_DRAWN}{{5}})?|(?!https){_DRAWN}{{5}}){_END})",
            rf"(?P<hex>{_EDGE}(?:0x[0-9a-f]++|(?=[a-f]*+\d)(?=\d*+[a-f])[0-9a-f]{{7,}}+){_END}(?:-[a-z0-9]{{4}}(?![a-z0-9-]))?)",
            rf"(?P<vmss>(?<=-)\d{{8}}-vmss[0-9a-z]{{6}}{_END})",
            rf"(?P<n>{_EDGE}v?\d++(?:\.\d++)*+(?:[a-zµ]{{1,3}}\d++(?:\.\d++)*+)*+(?:[a-zµ%]{{1,3}}{_END})?"
            rf"|(?<=[a-z]{{3}})\d++{_END})",
        )
    ),
    re.ASCII,
)
_PLACEHOLDERS = {"n": "<n>", "ip": "<ip>", "ip6": "<ip>", "host": "<ip>"}


def normalise(text: str) -> str:
    """Return a message in small letters, blanks folded, with placeholders for what differs from one time to the next.

    ``<time>`` stands for points in time; ``<ip>`` for addresses; ``<id>`` for UUIDs, hashes, hexadecimal numbers, PCI and MAC
    addresses and the drawn ends of the names of pods and nodes; ``<n>`` for numbers with their unit: ports, spans, sizes,
    versions, exit codes, the number at the end of a name (worker-3, dgx01).
    """
    found = _TIMES.sub("<time>", " ".join(text[:LONGEST_TEXT].lower().split()))
    return _WORD.sub(_word, found)


def _word(match: re.Match[str]) -> str:
    word = match[0]
    return _remembered(word) if len(word) <= _REMEMBERED else _worked_out(word)


def _worked_out(word: str) -> str:
    return _PARTS.sub(lambda part: _PLACEHOLDERS.get(part.lastgroup or "", "<id>"), word)


_remembered = lru_cache(maxsize=8192)(_worked_out)
