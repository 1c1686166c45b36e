"""Signatures of a pack: the files read and proven by their own lines, and all of them laid on logs in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import re2
from rapidfuzz import fuzz

from runai_analyze.objects.normal import normalise
from runai_analyze.ruleset.blocks import exactly_one, items_of, read_block, scalars_of, text_of, texts_of
from runai_analyze.ruleset.build import Draft
from runai_analyze.ruleset.conditions import DEFAULT_SCORE, LOWEST_SCORE
from runai_analyze.ruleset.mistakes import did_you_mean
from runai_analyze.ruleset.nodes import Fields, Node, Scalar, Source
from runai_analyze.ruleset.patterns import PatternError, compile_pattern
from runai_analyze.ruleset.rule import Signature

_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_ANCHOR = re.compile(r"(?:[^\\]|^)(?:\\\\)*(?:\^|\$|\\[AzZ])")
_CLASS = re.compile(r"\[\^?\]?(?:[^\]\\]|\\.)*\]")
_MOST_MEMORY = 64 << 20  # for all signatures together; beyond it RE2 is slower and still right
_REMEMBERED = 1_000  # characters; what a longer line matches is worked out each time
_SHORTEST_WORDS = 4  # of ``contains``


def read_signatures(source: Source, root: Node | None) -> tuple[Signature, ...]:
    """Return the signatures of a file; its mistakes stand in ``source``."""
    if root is None:
        return ()
    nodes = items_of(read_block(source, root, "signatures").get("signatures"))
    found: dict[str, Signature] = {}
    for node in nodes:
        signature = _signature(source, node)
        if signature is None:
            continue
        if signature.id in found:
            source.mistake(node, "duplicate-id", f'signature "{signature.id}" stands there twice')
        found[signature.id] = signature
    return tuple(found.values())


def _signature(source: Source, node: Node) -> Signature | None:
    before = len(source.mistakes)
    values = read_block(source, node, "signature")
    name = text_of(values.get("id"))
    if "id" in values and not _ID.fullmatch(name):
        source.mistake(values["id"], "bad-id", f'"{name}" is no id of a signature: small letters, digits and hyphens, gpu-lost')
    way = exactly_one(source, node, values, ("pattern", "similar_to"), "a signature")
    if way == "pattern":
        _check_pattern(source, values["pattern"])
    for key in ("contains", "score") if way == "pattern" else ():
        if key in values:
            source.mistake(values[key], "useless", f"{key} means nothing beside pattern")
    score = _score(source, values.get("score"))
    words = text_of(values.get("contains"))
    if way == "similar_to" and len(words.strip()) < _SHORTEST_WORDS:
        said = f"similar_to needs contains: words of at least {_SHORTEST_WORDS} letters that such a line holds in any case"
        source.mistake(values.get("contains", node), "missing-key", said)
    if len(source.mistakes) > before:
        return None
    signature = Signature(
        name,
        text_of(values["title"]),
        text_of(values["component"]),
        text_of(values.get("pattern")),
        texts_of(values.get("similar_to")),
        words,
        score,
        text_of(values["source"]),
        texts_of(values.get("kb")),
    )
    _prove(source, values, signature)
    return signature if len(source.mistakes) == before else None


def _check_pattern(source: Source, node: Node) -> None:
    text = text_of(node)
    try:
        pattern = compile_pattern(text)
    except PatternError as error:
        source.mistake(node, error.code, str(error))
        return
    if _ANCHOR.search(_CLASS.sub("x", text)):
        source.mistake(node, "bad-regex", "a line may have anything before and behind the message: leave out ^ and $")
    elif pattern.search("") is not None:
        source.mistake(node, "always-true", "this pattern is found in every line")


def _score(source: Source, node: Node | None) -> int:
    score = int(text_of(node, str(DEFAULT_SCORE)))
    if not LOWEST_SCORE <= score <= 100 and node is not None:
        source.mistake(node, "bad-score", f"score is {score}, must be {LOWEST_SCORE} to 100")
    return score


def _prove(source: Source, values: dict[str, Node], signature: Signature) -> None:
    """Record the lines of the author that come out otherwise than he says."""
    finder = Finder((signature,))
    for key, wanted in (("matches", True), ("others", False)):
        node = values[key]
        nodes = items_of(node) or [node]
        for line_node, line in zip(nodes, texts_of(node), strict=False):
            if bool(finder.of_line(line)) is not wanted:
                said = "does not find this line" if wanted else "finds this line, and must not"
                source.mistake(line_node, "signature-line", f"the signature {signature.id} {said}")


def check_names(drafts: Sequence[Draft], known: Mapping[str, Signature]) -> None:
    """Record, in the source of each rule about lines of logs, the signatures that it names and no pack has."""
    for draft in drafts:
        if draft.rule is not None and draft.rule.select.kind == "LogLine":
            for node in _named(draft.nodes[draft.rule.select.mode]):
                if node.text not in known:
                    said = f'"{node.text}" is no signature of a pack{did_you_mean(node.text, known)}'
                    draft.source.mistake(node, "unknown-signature", said)


def _named(selection: Node) -> Iterator[Scalar]:
    """Yield the signatures that the conditions of a selection name."""
    where = selection.fields.get("where") if isinstance(selection, Fields) else None
    for node in items_of(where):
        if isinstance(node, Fields) and text_of(node.fields.get("field")) == "signature":
            for test in ("equals", "one_of", "not_equals", "not_one_of"):
                yield from (one for one in scalars_of(node.fields.get(test)) if "{{" not in one.text)


class Finder:
    """All signatures, ready to be laid on logs (``facts.log_lines.Signatures``)."""

    def __init__(self, signatures: Sequence[Signature]) -> None:
        self._signatures = tuple(signatures)
        self._tests = tuple(map(_test, self._signatures))
        self._first: Callable[..., Any] | None = None
        self._remembered = lru_cache(maxsize=4096)(self._matching)  # what goes wrong says so again and again
        if self._signatures:
            options = re2.Options()
            options.never_nl, options.never_capture, options.log_errors, options.max_mem = True, True, False, _MOST_MEMORY
            quick = [_quick(one) for one in self._signatures]
            self._first = re2.compile("|".join(f"(?:{one})" for one in quick), options).search
            self._which = re2.Set.SearchSet(options)
            for one in quick:
                self._which.Add(one)
            self._which.Compile()

    def next(self, data: bytes, start: int) -> int:
        """Return where in a log, from ``start`` on, the next line that may match has its place; -1 for none."""
        match = self._first(data, start) if self._first is not None else None
        return -1 if match is None else int(match.start())

    def of_line(self, line: str) -> tuple[Signature, ...]:
        """Return the signatures that a line, without its time, matches."""
        if not self._signatures:
            return ()
        return self._remembered(line) if len(line) <= _REMEMBERED else self._matching(line)

    def _matching(self, line: str) -> tuple[Signature, ...]:
        # The set finds nothing also where it ran out of memory, and then each signature is asked for itself.
        places = self._which.Match(line.encode("utf-8", "replace")) or range(len(self._signatures))
        return tuple(self._signatures[place] for place in sorted(places) if self._tests[place](line))


def _quick(signature: Signature) -> str:
    """Return a pattern that is found in every line that the signature matches."""
    return signature.pattern or f"(?i:{re2.escape(signature.contains)})"


def _test(signature: Signature) -> Callable[[str], bool]:
    if signature.pattern:
        search = compile_pattern(signature.pattern).search
        return lambda line: search(line) is not None
    words, texts = signature.contains.lower(), [normalise(text) for text in signature.similar_to]

    def is_like(line: str) -> bool:
        if words not in line.lower():
            return False
        normal = normalise(line)
        return any(fuzz.token_set_ratio(normal, text) >= signature.score for text in texts)

    return is_like
