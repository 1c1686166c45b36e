"""The cheap test: which rules a text may need at all. Nearly every text needs none, and is then not looked at again. Pure.

A text falls into words of letters, of which a cluster has few: what each one hints at is remembered, so that a text with none
but plain words costs little more than taking it apart. The memory is bounded, and holds no secret."""

import re
from typing import Dict, FrozenSet, Pattern, Set

from .names import STEMS
from .shapes import BASE64, PGPASS, SHAPES, WORD_START

NAMES, ENCODED, UNSEEN = -1, -2, -3         # what else there is to try beside the shapes, which are meant by their place
_MOST, _LONGEST = 100000, 40                # words that are remembered, and letters of one

# What a terminal does not show stands between a name and its value, and a log must not move the reader's cursor: escape
# sequences, also as JSON and shells write colours, control characters but tab and line ends, spaces without width.
_UNSEEN: Pattern[str] = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]")
_CONTROL: Pattern[str] = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)?|" +
                                    _UNSEEN.pattern)
_COLOURS: Pattern[str] = re.compile(r"(?:\\u001[bB]|\\x1[bB]|\\033|\\e)\[[0-9;]*m")
_WIDE: Pattern[str] = re.compile("[\uff01-\uff5e]")
_ESCAPED: Pattern[str] = re.compile(r"\\u00([46][1-9a-f]|[57][0-9a]|3\d)")       # of letters and digits, in JSON
_NARROW = {0xfee0 + code: code for code in range(0x21, 0x7f)}

# Letters in lower case. Control characters and some signs stay part of a word, so that it is known by them; all else divides.
LETTERS = "".join([chr(code).lower() if chr(code).isalpha() or chr(code) in "@$?&~\\" or _UNSEEN.match(chr(code)) else " "
                    for code in range(128)])
_RUNS = "".join(["a" if chr(code).isalnum() or chr(code) in "+/" else " " for code in range(128)])
_RUN = "a" * 24                             # of signs of base64: shorter ones are not opened
_LONG: Pattern[str] = re.compile("(?<!a)%s" % _RUN)     # base64 begins where such a run does, if at all
_SEEN: Pattern[str] = re.compile("|".join([r"\\", _UNSEEN.pattern, _WIDE.pattern]))
_WORDS = [word for shape in SHAPES for word in shape.words]
_ANY: Pattern[str] = re.compile("%s(?:%s)|%s|%s|%s" % (
    WORD_START, "|".join([word[len(WORD_START):] for word in _WORDS if word.startswith(WORD_START)]),
    "|".join([word for word in _WORDS if not word.startswith(WORD_START)]), STEMS.pattern, _SEEN.pattern))
_OF_SHAPE = [re.compile("|".join(shape.words) or "(?!)") for shape in SHAPES]
_PORT: Pattern[str] = re.compile(r":(?:\d{2,5}|\*):[\w.*-]+:")    # the cheap test for PGPASS
_PLAIN: Set[str] = set()
_HINTED: Dict[str, FrozenSet[int]] = {}
_NONE: FrozenSet[int] = frozenset()
_OF_HOSTS = frozenset([at for at, shape in enumerate(SHAPES) if shape.sign == "@"])
_OPEN = frozenset("{[ \t\r\n")
CLEAN: Set[str] = set()                     # whole texts that need no rule, wherever they stand
HARMLESS: Set[str] = set()                  # ... and in which no rule found a thing, though in a command line it may


def is_clean(text: str) -> bool:
    """Return whether a text of an object needs no rule at all."""
    # In JSON, names count that do not count elsewhere.
    return text in CLEAN or (text[:1] not in _OPEN and not hints_of(text) and remember(text))


def remember(text: str, memory: Set[str] = CLEAN) -> bool:
    """Keep in mind that a text is clean, if it is short: most objects have most of theirs alike. Returns True."""
    if len(memory) > _MOST:
        memory.clear()
    if len(text) <= _LONGEST and text[:1] not in _OPEN:
        memory.add(text)
    return True


def hints_of(text: str) -> FrozenSet[int]:
    """Return which rules a text may need: places in SHAPES, NAMES, ENCODED for base64, UNSEEN for what ``plain_text`` changes."""
    found: FrozenSet[int] = _NONE
    if len(text) > _MOST:       # the words of all of it would take many times its memory
        return found.union(*[hints_of(text[at:at + _MOST // 2 + 1000]) for at in range(0, len(text), _MOST // 2)])
    words = text.translate(LETTERS).split()
    if not _PLAIN.issuperset(words):
        found = _NONE.union(*[_HINTED.get(word) or learn(word) for word in words if word not in _PLAIN])
        found = frozenset([at for at in found if at < 0 or SHAPES[at].sign in text])
    return forms_of(text, found)


def forms_of(text: str, found: FrozenSet[int] = _NONE) -> FrozenSet[int]:
    """Return which rules a text may need by its form, beside those that were ``found`` by its words."""
    # A host that is called like an image's digest, and the @ of a URL inside of another.
    if ("@sha" in text and text.count("@sha") > text.count("@sha256:")) or ("%" in text and "%40" in text):
        found |= _OF_HOSTS
    runs = text.translate(_RUNS) if len(text) >= len(_RUN) else ""
    if _RUN in runs and any(BASE64.match(text, run.start()) for run in _LONG.finditer(runs)):
        found |= {ENCODED}
    pgpass = SHAPES[PGPASS].pattern
    if text.count(":") > 3 and _PORT.search(text) and (pgpass.search if "\n" in text else pgpass.match)(text):
        found |= {PGPASS}
    return found


def learn(word: str) -> FrozenSet[int]:
    """Return what a word hints at, and remember it."""
    low, hints = word.lower(), set()  # type: str, Set[int]
    if _ANY.search(low):
        hints = {at for at, words in enumerate(_OF_SHAPE) if words.search(low)}
        hints.update([NAMES] if STEMS.search(low) else [], [UNSEEN] if _SEEN.search(word) else [])
    if len(_PLAIN) + len(_HINTED) > _MOST:
        _PLAIN.clear()
        _HINTED.clear()
    if len(word) > _LONGEST:
        return frozenset(hints)
    if not hints:
        _PLAIN.add(word)
        return frozenset()
    return _HINTED.setdefault(word, frozenset(hints))


def plain_text(text: str) -> str:
    """Return a text without what a terminal does not show, so that a name is found whatever its colours."""
    if _UNSEEN.search(text):
        text = _CONTROL.sub("", text)
    return _COLOURS.sub("", text) if "\\" in text and "[" in text else text


def narrow_text(text: str) -> str:
    """Return a text with the full-width letters and signs of East Asia as ASCII, as are letters that JSON need not escape."""
    text = text.translate(_NARROW) if _WIDE.search(text) else text
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text) if "\\u00" in text else text
