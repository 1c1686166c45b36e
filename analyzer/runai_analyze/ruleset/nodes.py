"""YAML as a tree with positions, every scalar as it was written: what it means is decided by the table of the rule format.

Read from the events of the parser, not from its objects: that needs no recursion in C, shows duplicate keys, and meets an alias
before it can unfold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from runai_analyze.ruleset.mistakes import Mistake
from runai_analyze.ruleset.syntax import explain

LARGEST_FILE = 1024 * 1024  # bytes
_DEEPEST = 40
_NOT_ALLOWED = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # YAML 1.1, 5.1
_CURLY = ("\u201c", "\u201d", "\u201e", "\u2018", "\u2019", "\u201a")  # quotes of word processors
_MOST_MISTAKES = 200  # of one file
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Scalar:
    """A scalar: ``plain`` when it was written without quotes; ``line`` and ``column`` count from 1, as in all nodes."""

    text: str
    plain: bool
    line: int
    column: int


@dataclass(frozen=True)
class Items:
    """A list."""

    items: list[Node]
    line: int
    column: int


@dataclass(frozen=True)
class Fields:
    """A map, in the order written; a key that is written twice stands here once and is reported."""

    fields: dict[str, Node]
    keys: dict[str, Scalar]
    line: int
    column: int


Node = Scalar | Items | Fields


def shift_to(node: Scalar, place: int) -> int:
    """Return how far into the source line a place in the text stands; 0 when the text runs over several lines."""
    return 0 if "\n" in node.text or place < 0 else place + (0 if node.plain else 1)


@dataclass
class Source:
    """One file that is being read, and what was found in it so far: mistakes, and remarks that do not stop it from being used."""

    name: str
    lines: list[str]
    mistakes: list[Mistake] = field(default_factory=list)
    remarks: list[Mistake] = field(default_factory=list)

    def mistake(self, node: Node, code: str, message: str, shift: int = 0) -> None:
        """Record a mistake at a node, ``shift`` characters into it."""
        self.mistake_at(node.line, node.column + shift, code, message)

    def mistake_at(self, line: int, column: int, code: str, message: str) -> None:
        """Record a mistake at a line and column that count from 1."""
        if len(self.mistakes) > _MOST_MISTAKES:
            return
        if len(self.mistakes) == _MOST_MISTAKES:
            code, message = "too-many", f"this file has more than {_MOST_MISTAKES} mistakes; the others are not listed"
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        found = Mistake(self.name, line, column, code, message, text)
        (self.mistakes if found.level == "error" else self.remarks).append(found)

    def made(self, node: Node, code: str, message: str) -> Mistake:
        """Return a mistake at a node without recording it."""
        other = Source(self.name, self.lines)
        other.mistake(node, code, message)
        return other.mistakes[0]


def read_yaml(name: str, data: bytes) -> tuple[Source, Node | None]:
    """Return the tree of a YAML document, None when it is empty or could not be parsed; what is wrong stands in the source."""
    source, roots = _read(name, data, several=False)
    return source, roots[-1] if roots else None


def read_documents(name: str, data: bytes, most: int = LARGEST_FILE) -> tuple[Source, list[Node]]:
    """Return the trees of all YAML documents of a file of at most so many bytes, as ``read_yaml`` does of the one of a rule."""
    return _read(name, data, several=True, most=most)


def _read(name: str, data: bytes, several: bool, most: int = LARGEST_FILE) -> tuple[Source, list[Node]]:
    text, problem = _decode(data, most)
    source = Source(name, text.split("\n"))
    if problem:
        source.mistake_at(1, 1, "unreadable", problem)
        return source, []
    for number, line in enumerate(() if several else source.lines, start=1):  # kubectl prints tabs inside of texts
        indent = line[: len(line) - len(line.lstrip())]
        if "\t" in indent and line.strip():
            source.mistake_at(number, indent.index("\t") + 1, "tab", "YAML is indented with spaces, never with tabs")
    if source.mistakes:
        return source, []
    try:
        return source, list(_Builder(source, several).build(text))
    except yaml.MarkedYAMLError as error:
        place = explain(error, text)
        source.mistake_at(place[0], place[1], "syntax", place[2])
    except yaml.YAMLError as error:
        source.mistake_at(*_unparsed(text, error))
    except _StopReadingError:
        pass
    return source, []


def _unparsed(text: str, error: yaml.YAMLError) -> tuple[int, int, str, str]:
    """Return where a character stands that YAML does not allow, and what is wrong; the parser counts in bytes."""
    odd = _NOT_ALLOWED.search(text)
    if odd is None:
        return 1, 1, "syntax", f"not YAML: {' '.join(str(error).split())}"
    line, before = text.count("\n", 0, odd.start()) + 1, text.rfind("\n", 0, odd.start())
    code = ord(odd[0])
    said = f"the character U+{code:04X} is not allowed in a file: take it out, or write it as \\x{code:02x} in quotes"
    return line, odd.start() - before, "syntax", said


def _decode(data: bytes, most: int) -> tuple[str, str]:
    if len(data) > most:
        return "", f"the file is larger than {most // 1024} KiB"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return "", f"the file is not UTF-8 text (byte {error.start + 1})"
    return text.replace("\r\n", "\n"), ""


class _StopReadingError(Exception):
    """The rest of the document is not worth reading; the mistake has been recorded."""


class _Builder:
    """Builds the tree from parser events, which come one by one and are not nested."""

    def __init__(self, source: Source, several: bool) -> None:
        self._source = source
        self._several = several

    def build(self, text: str) -> Iterator[Node]:
        events = yaml.parse(text, Loader=_LOADER)
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1 and not self._several:
                    self._stop(event, "documents", "a file holds one YAML document, this is the second")
            elif isinstance(event, yaml.NodeEvent):
                yield self._node(event, events, depth=0)

    def _place(self, event: yaml.Event) -> tuple[int, int]:
        mark = event.start_mark
        return (mark.line + 1, mark.column + 1) if mark else (1, 1)

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        line, column = self._place(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            self._stop(event, "alias", "anchors (&) and aliases (*) are not read: write the value out, or put the text in quotes")
        if depth > _DEEPEST:
            self._stop(event, "too-deep", f"nested more than {_DEEPEST} levels deep")
        if isinstance(event, yaml.ScalarEvent):
            if event.tag not in (None, "!"):
                self._source.mistake_at(line, column, "tag", f"YAML tags are not read: {event.tag}")
            if event.implicit[0] and event.value[:1] in _CURLY and event.value[-1:] in _CURLY:
                said = f'{event.value[0]} is a letter like any other here: write " before and behind the text'
                self._source.mistake_at(line, column, "quotes", said)
            return Scalar(event.value, event.implicit[0], line, column)
        if isinstance(event, yaml.SequenceStartEvent):
            return Items(list(self._items(events, depth)), line, column)
        return self._fields(events, line, column, depth)

    def _items(self, events: Iterator[yaml.Event], depth: int) -> Iterator[Node]:
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                return
            yield self._node(event, events, depth + 1)

    def _fields(self, events: Iterator[yaml.Event], line: int, column: int, depth: int) -> Fields:
        fields: dict[str, Node] = {}
        keys: dict[str, Scalar] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._node(event, events, depth + 1)
            value = self._node(next(events), events, depth + 1)
            if not isinstance(key, Scalar):
                if "".join(self._source.lines[key.line - 1 : key.line])[: key.column].endswith("{{"):
                    self._source.mistake(key, "quotes", "text that begins with {{ stands in quotes", -1)
                    raise _StopReadingError
                self._source.mistake(key, "key", "a key must be a word")
            elif key.text in fields:
                first = keys[key.text].line
                self._source.mistake(key, "duplicate-key", f'"{key.text}" is written twice; the first is in line {first}')
            else:
                fields[key.text], keys[key.text] = value, key
        return Fields(fields, keys, line, column)

    def _stop(self, event: yaml.Event, code: str, message: str) -> None:
        self._source.mistake_at(*self._place(event), code, message)
        raise _StopReadingError
