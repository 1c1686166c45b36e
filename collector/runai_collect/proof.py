"""The cheap proof that nothing in an object is to be hidden: nearly all objects have nothing, and the rules then need not be run.

It reads objects as the server wrote them. Nearly every text in them is inert: no secret wherever it stands, and no name of one.
Of what else there is (``special``) each place is found, and the rules themselves are asked about it. What is known of texts, and
of the pieces between two commas, is remembered, as pods come from few templates; that is bounded, and holds no secret."""

import json
import marshal
import re
from typing import Any, Collection, List, Pattern, Set, Tuple, Union

from .hints import LETTERS, forms_of, hints_of, is_clean, learn
from .names import ANY_WORD, secret_family
from .redact import NAME_NAMES, TELLING, VALUE_NAMES, Walk, is_copy

_MOST, _LONGEST = 50000, 200       # things that are remembered, and signs of one
_TOGETHER = 200             # texts that are looked at together
_DEEP = 100                 # so far from the rules' bound what stands under a name is asked about
_TEXT: Pattern[str] = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(:?)')
_SPEAKING: Pattern[str] = re.compile(ANY_WORD.pattern + "|applied|origin")
_OPEN = frozenset("{[ \t\r\n")      # what may be JSON, in which names count
_read = json.JSONDecoder().raw_decode

_INERT: Set[str] = set()
_SPECIAL: Set[str] = set()
_DUMB: Set[str] = set()                 # words that need no rule, and stand in no name of a secret
_PIECES: Set[str] = set()
_HARMLESS: Set[Tuple[str, Union[str, bytes]]] = set()       # a name and what stands under it
_TOLD = TELLING | {"SecretList"}
_DOUBTED = TELLING - {"items"}          # of these names the rules know more: items tell of a SecretList alone


class DoubtError(Exception):
    """Something may be hidden here."""


def are_plain(values: List[str]) -> bool:
    """Return whether nothing in some objects is to be hidden for sure. They are compact JSON: no blank is outside of texts."""
    try:
        if any("\\" in value for value in values):
            for value in values:
                for name in _special(set(_texts(value))):
                    _check(value, name, value)
            return True
        pieces, far = set(), set()  # type: Set[str], Set[str]
        for value in values:
            pieces.update([piece for piece in value.split(",") if piece not in _PIECES])
        text = ",".join(values)
        if any(piece.count('"') & 1 for piece in pieces):       # a comma in a text
            pieces = {text}
        for name in _special(set(",".join(pieces).split('"')[1::2])):
            written = '"%s"' % name
            far.update([piece for piece in pieces if written in piece and not _check(piece, name, text)])
    except (DoubtError, ValueError):
        return False
    _remember(_PIECES, pieces - far)
    return True


def _texts(text: str) -> List[str]:
    """Return all texts of an object, as their reader sees them."""
    found = []
    for written, colon in _TEXT.findall(text):
        if "\\" in written:
            if colon:
                raise DoubtError()      # a name that is written in an odd way
            written = json.loads('"%s"' % written)
        found.append(written)
    return found


def _special(texts: Set[str]) -> Set[str]:
    """Return those of texts that are not inert."""
    texts -= _INERT
    known = texts & _SPECIAL
    left = list(texts - known)
    found = [name for at in range(0, len(left), _TOGETHER) for name in _sift(left[at:at + _TOGETHER])]
    _remember(_SPECIAL, found)
    return known.union(found)


def _sift(texts: List[str]) -> List[str]:
    """Return those of texts that are not inert: none of all together, or else those of each half."""
    joined = "\n".join(texts)
    begins = [text[:1] for text in texts]
    if _TOLD.isdisjoint(texts) and _OPEN.isdisjoint(begins) and _dumb(joined):
        _remember(_INERT, texts)
        return []
    if len(texts) > 1:
        return _sift(texts[:len(texts) // 2]) + _sift(texts[len(texts) // 2:])
    if not is_clean(joined) or secret_family(joined) or joined in _TOLD or is_copy(joined):
        return texts
    _remember(_INERT, texts)
    return []


def _dumb(text: str) -> bool:
    """Return whether no rule is needed for texts, and no name of a secret is in them."""
    new = [word for word in text.translate(LETTERS).split() if word not in _DUMB]
    if any(_SPEAKING.search(word.lower()) for word in new):
        return False
    if any(map(learn, new)):
        return not hints_of(text)
    _remember(_DUMB, new)
    return not forms_of(text)


def _check(piece: str, name: str, text: str) -> bool:
    """Ask the rules about all places of a special text in a piece of an object's ``text``. Returns whether what they were asked
    about stands in the piece. Raises DoubtError when something may be hidden."""
    written, near = json.dumps(name, ensure_ascii=False), True
    at = piece.find(written)
    if at < 0 or name == "SecretList":
        raise DoubtError()
    while at >= 0:
        end = at + len(written)
        if piece[end:end + 1] == ":":
            near = _check_name(piece, name, end + 1, text) and near
        elif piece[at - 1:at] == ":":
            near = _check_value(name, piece[piece.rfind('"', 0, at - 2):end], text) and near
        else:
            raise DoubtError()      # in a list, where it may be what an option announces
        at = piece.find(written, at + 1)
    return near


def _check_name(piece: str, name: str, at: int, text: str) -> bool:
    if name in _DOUBTED or is_copy(name):
        raise DoubtError()
    if piece[at:at + 1] in ("{", "[") and piece is not text:
        return _check(text, name, text) and False
    _ask(name, _read(piece, at)[0])
    return True


def _check_value(value: str, pair: str, text: str) -> bool:
    """Check a special text with the name that it stands under: the name of a secret announces one where it is that of a pair."""
    _ask("", value)
    name = pair[1:pair.index('"', 1)]
    if name not in NAME_NAMES or not secret_family(value):
        return True
    at = text.find(pair)
    while at >= 0:
        start = text.rfind("{", 0, at)
        whole = _read(text, start)[0] if text[start - 1:start] in ("", ":", ",", "[") else {}
        if whole.get(name) != value or not VALUE_NAMES.isdisjoint(whole) or not {"}", "["}.isdisjoint(text[start:at]):
            raise DoubtError()
        at = text.find(pair, at + 1)
    return False


def _ask(name: str, child: Any) -> None:
    """Ask the rules whether they hide something of what stands under a name. Raises DoubtError when they do."""
    mark = (name, child) if isinstance(child, str) else (name, marshal.dumps(child, 2))
    if mark in _HARMLESS:
        return
    walk = Walk()
    try:
        walk.map({name: child}, "", _DEEP, "")
    except Exception:  # noqa: BLE001 - whatever it does to a rule is told when they are run on all of the object
        raise DoubtError()
    if walk.hidden:
        raise DoubtError()
    if len(mark[1]) <= _LONGEST:
        _remember(_HARMLESS, [mark])


def _remember(memory: Set[Any], found: Collection[Any]) -> None:
    if len(memory) > _MOST:
        memory.clear()
    memory.update(found if max(map(len, found), default=0) <= _LONGEST else [one for one in found if len(one) <= _LONGEST])
