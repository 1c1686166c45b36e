"""Pages of a long list, read object by object: one in which nothing is to be hidden is written as the server wrote it.

That is so for nearly all, and costs a fourth of redacting and writing each anew. What is not written as API servers do, be it
the page or the object, goes the usual way."""

import json
import re
from typing import Any, Callable, Dict, Optional, Tuple

from .proof import are_plain

_HEAD = re.compile(r'\{(?:"[A-Za-z]{1,20}":(?:"[^"\\]{0,200}"|\{(?:"[A-Za-z]{1,30}":(?:"[^"\\]{0,5000}"|\d{1,20}),?){0,9}\}),'
                   r'){0,5}"items":\[(?=\{)')
_NAMED = re.compile(r'\{"(?:kind":"\w+","apiVersion|apiVersion":"[\w./-]+","kind)":"')
_FIELDS = '"managedFields":['
_ENTRY = re.compile(r'([^"\\]*","operation":"(?:Update|Apply)",(?:"apiVersion":"[^"\\]*",)?(?:"time":"[^"\\]*",)?)'
                    r'"fieldsType":"FieldsV1","fieldsV1":\{')
_BEGIN = '{"manager":"'
_CONTAINERS = 300           # an object with more may be deeper than a reader takes
_read = json.JSONDecoder().raw_decode


class Items:
    """The objects of one page, and how each was written."""

    def __init__(self) -> None:
        self._texts: Dict[int, str] = {}
        self._plain = False         # all of them
        self._given: Dict[Tuple[str, str], str] = {}

    @classmethod
    def pair(cls) -> Tuple[Callable[[str], Any], Callable[[Dict[str, Any]], str]]:
        """Return what reads a page, and what then writes one of its objects."""
        items = cls()
        return items.load, items.written

    def load(self, body: str) -> Any:
        """Return the document of a page, as ``json.loads`` does, but that of managedFields only who wrote which version when is
        left. Raises ValueError when it is no JSON."""
        text = _cut(body)
        head = _HEAD.match(text)
        found = self._read(text, head.end()) if head else None
        if not head or not found:
            self._texts.clear()
            return json.loads(body)
        document, end = found
        return dict(json.loads(text[:head.end()] + text[end:]), **document)

    def _read(self, text: str, at: int) -> Optional[Tuple[Dict[str, Any], int]]:
        """Return the items that begin at a place, and where they end; None when they are written in an odd way."""
        items, compact = [], _compact(text) and '"fieldsV1"' not in text
        try:
            while True:
                value, end = _read(text, at)
                items.append(value)
                if compact:
                    self._texts[id(value)] = text[at:end]
                if text[end] == "]":
                    self._plain = compact and "\\" not in text and are_plain(list(self._texts.values()))
                    return ({"items": items}, end) if '"items"' not in text[end:] else None
                if text[end] != ",":
                    return None
                at = end + 1
        except (ValueError, IndexError):
            return None

    def written(self, value: Dict[str, Any]) -> str:
        """Return the line of one of these objects, with the ``apiVersion`` and ``kind`` that it was given meanwhile; "" when it
        is not known how it was written, or something in it is to be hidden, left out or put in order."""
        text = self._texts.get(id(value), "")
        # Half of a character is no reader's, and what may be too deep for one is for the rules to judge.
        odd = "\\ud" in text or "\\uD" in text or text.count("{") + text.count("[") > _CONTAINERS
        if odd or not text or value["kind"] == "CustomResourceDefinition" or not (self._plain or are_plain([text])):
            return ""
        if _NAMED.match(text):
            return text + "\n"
        named = value["apiVersion"], value["kind"]
        if named not in self._given:
            self._given[named] = '{"apiVersion":%s,"kind":%s,' % (json.dumps(named[0]), json.dumps(named[1]))
        return self._given[named] + text[1:] + "\n" if text.startswith('{"metadata":') else ""


def _compact(text: str) -> bool:
    """Return whether nothing stands between the parts of JSON: a blank before a colon would hide a name from its count."""
    body = text.rstrip("\n")
    return not any(mark in body for mark in ("\n", "\r", "\t", '" :'))


def _cut(text: str) -> str:
    """Return a page without the fields in its managedFields: nearly half of it, which then need not be read."""
    parts, at, start = [], 0, text.find(_FIELDS)
    while start >= 0:
        begin = start + len(_FIELDS)
        end = text.find("}]", begin) + 1
        kept = _entries(text, begin, end) if text[start - 1] in ",{" else ""
        if kept:
            parts += [text[at:begin], kept]
            at = end
        start = text.find(_FIELDS, end if kept else begin)
    return "".join(parts) + text[at:]


def _entries(text: str, begin: int, end: int) -> str:
    """Return who wrote which version when of each entry between two places; "" when they are written in an odd way, or one of
    the places is inside of a text or of a list in them."""
    quote = text.rfind('"', begin, end)
    fields = text[begin:end]
    # Behind the quote that ends the last name comes what ends maps, and nothing else: so it is no quote that begins a text.
    if "[" in fields or text[quote - 1] in ",:{\\" or fields[quote + 1 - begin:].strip(":{}") or not fields.startswith(_BEGIN):
        return ""
    heads = [_ENTRY.match(entry) for entry in fields.split(_BEGIN)[1:]]
    return ",".join([_BEGIN + head.group(1)[:-1] + "}" for head in heads if head]) if all(heads) else ""
