"""What a save means: which files changed, which rules have to be looked at again, and the facts of a bundle that is read once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..ruleset.needs import kinds_of
from ..ruleset.parts import cells_of
from ..ruleset.rule import Rule, Signature
from ..ruleset.vocabulary import MADE
from .kept import KeptFacts
from .subject import read_subject

Stamps = Mapping[str, tuple[int, int]]  # of each file when it was last written, and its size
_LOG_LINE = ("LogLine", MADE)
_ENDINGS = (".yaml", ".yml", ".md")


def stamps(folders: Iterable[Path]) -> Stamps:
    """Return the files of packs as they are now; one that vanishes while it is looked at is not there."""
    found: dict[str, tuple[int, int]] = {}
    for folder in folders:
        for place, inner, names in os.walk(folder):
            inner[:] = [name for name in inner if not name.startswith((".", "_"))]
            for name in names:
                if name.endswith(_ENDINGS) and not name.startswith((".", "_")):
                    _stamp(os.path.join(place, name), found)
    return found


def _stamp(path: str, found: dict[str, tuple[int, int]]) -> None:
    try:
        status = os.stat(path)
    except OSError:
        return
    found[path] = (status.st_mtime_ns, status.st_size)


def changed(before: Stamps, after: Stamps) -> tuple[str, ...]:
    """Return the files that were written, made or taken away, sorted."""
    return tuple(sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)))


def touched(rules: Sequence[Rule], files: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules that a change of these files is about: those in them, and those that name a table or an extract in them.

    All, where a file is about the whole pack: fixtures, signatures, pack.yaml.
    """
    known = {os.path.realpath(rule.file) for rule in rules}
    others = [Path(path) for path in files if os.path.realpath(path) not in known]
    if any(path.parent.name not in ("tables", "docs") for path in others):
        return tuple(rules)
    places = {os.path.realpath(path) for path in files}
    named = {(path.parent.name, path.stem) for path in others}
    return tuple(rule for rule in rules if os.path.realpath(rule.file) in places or named & _names(rule))


def _names(rule: Rule) -> set[tuple[str, str]]:
    tables = {("tables", cell.table) for cell in cells_of(rule)}
    return tables | {("docs", name) for name in rule.docs}


class Subject:
    """A bundle, or a file of objects, that is read when a rule first asks for a kind, and of which these kinds are kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kinds: frozenset[tuple[str, str | None]] = frozenset()
        self._facts: KeptFacts | None = None
        self._signatures: tuple[Signature, ...] = ()
        self.note = ""
        self.reads = 0

    def facts(self, rules: Sequence[Rule], signatures: Sequence[Signature] = ()) -> KeptFacts:
        """Return what the rules may ask, in logs of ``signatures``. Raises ``UserError`` when the bundle cannot be read."""
        kinds = kinds_of(rules)
        searched = tuple(signatures) if _LOG_LINE in kinds | self._kinds else ()
        if self._facts is None or not kinds <= self._kinds or searched != self._signatures:
            self._kinds, self._signatures = self._kinds | kinds, searched
            subject = read_subject(self._path, rules, every_fact=True, kinds=self._kinds, signatures=searched)
            self.note, self._facts = subject.note, KeptFacts(subject.facts)
            self.reads += 1
        return self._facts
