"""Finds plants in any text: whole or cut at either end, plain, in base64 (also twice) or in hexadecimal."""

import base64
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.plants import Plant

# Twelve random characters are met by chance never; what JSON, URLs, HTML or YAML escape stands between pieces, not inside them.
PIECE = 12
HEAD = 8  # no needle is shorter
_PIECES = re.compile(f"[A-Za-z0-9]{{{PIECE},}}")
_SHORT_PIECES = re.compile(f"[A-Za-z0-9]{{{HEAD},}}")  # one base64 line in some hundred is broken up that often


@dataclass(frozen=True)
class Hit:
    """A plant that was seen: where, and in which coding. It shows no more of the secret than its id."""

    plant: str
    place: str
    coding: str


class Needles:
    """All that may not be seen, compiled once."""

    def __init__(self, plants: Iterable[Plant]) -> None:
        self._by_head: dict[bytes, dict[bytes, tuple[str, str]]] = {}
        for plant in plants:
            self.add(plant.id, plant.value.secrets)

    def add(self, name: str, secrets: Iterable[str]) -> None:
        whole = list(secrets)
        pieces = [piece for secret in whole for piece in _PIECES.findall(secret) or _SHORT_PIECES.findall(secret)]
        assert pieces, f"{name}: no piece of {HEAD} plain characters to search for"
        for piece in pieces:
            for coding, needle in _codings(piece):
                self._by_head.setdefault(needle[:HEAD], {}).setdefault(needle, (name, coding))

    def find(self, content: bytes, place: str) -> list[Hit]:
        """Every plant in the content, also where line breaks or blanks (a PDF's, base64's) were put into it."""
        texts = (content, re.sub(rb"\s+|\\n", b"", content))
        hits = {Hit(name, place, coding) for text in texts for name, coding in self._search(text)}
        return sorted(hits, key=lambda hit: (hit.plant, hit.coding))

    def _search(self, text: bytes) -> Iterator[tuple[str, str]]:
        """One pass for all: a search for each of some ten thousand needles takes a hundred times as long."""
        heads = self._by_head.keys()
        for start in [start for start in range(len(text) - HEAD + 1) if text[start : start + HEAD] in heads]:
            for needle, found in self._by_head[text[start : start + HEAD]].items():
                if text.startswith(needle, start):
                    yield found


def _codings(piece: str) -> Iterator[tuple[str, bytes]]:
    for end in {piece[:PIECE], piece[-PIECE:]}:
        raw = end.encode()
        yield "plain", raw
        yield "hexadecimal", raw.hex().encode()
        yield "hexadecimal", raw.hex().upper().encode()
        for once in _base64(raw):
            yield "base64", once
    for once in _base64(piece[: 4 * PIECE].encode()):
        for twice in _base64(once):
            yield "base64 twice", twice


def _base64(raw: bytes) -> Iterator[bytes]:
    """The inner part of the base64 of any text that holds `raw`, at each of the three places it can begin."""
    for shift in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            whole = encode(b"\0" * shift + raw)
            complete = (shift + len(raw)) // 3 * 4
            yield whole[(4 if shift else 0) : complete]
