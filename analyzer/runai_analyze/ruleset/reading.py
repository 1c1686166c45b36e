"""Reads the files of one pack after the other; what has to be held against other packs waits until all are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from runai_analyze.model import RuleTable
from runai_analyze.ruleset.archive import PACK_FILE, PackFiles
from runai_analyze.ruleset.build import Draft, build_rule
from runai_analyze.ruleset.examples import Fixtures, Objects, read_fixture
from runai_analyze.ruleset.mistakes import Mistake
from runai_analyze.ruleset.nodes import Fields, Node, Source, read_yaml
from runai_analyze.ruleset.packfile import OTHER_ENGINE, SMALLEST_PACK, Head, read_head
from runai_analyze.ruleset.rule import ChecklistSection, Doc, Signature, Table
from runai_analyze.ruleset.signatures import read_signatures
from runai_analyze.ruleset.site import SITE_FILE, Built, Change, Overrides, read_site
from runai_analyze.ruleset.suppressions import SUPPRESSIONS_FILE, Entry, read_suppressions
from runai_analyze.ruleset.tables import read_checklist, read_doc, read_table

CHECKLIST = "checklist.yaml"
_SHOWN = 5  # ids of rules in one sentence; the report lists all of them
_NOT_RULES = ("tables", "docs", "signatures", "fixtures")
# What is wrong with a file for every version of the program: no newer one would read it.
_NO_YAML = {"syntax", "tab", "unreadable", "alias", "too-deep", "tag", "documents", "empty", "key", "quotes", "duplicate-key"}
_ALWAYS_WRONG = _NO_YAML | {"bad-id", "id-file", "duplicate-id", "loop", "no-file", "no-pack", "damaged-pack", "bad-range"}


@dataclass
class TableRead:
    """A table with its place; ``before``: the one of the same name that it stands in for."""

    table: Table
    info: RuleTable
    source: Source
    root: Node | None
    pack: int
    before: Table | None


@dataclass
class PackReading:
    """What was read of one pack. ``unread``: files of a pack for another engine that this one does not know whole."""

    number: int
    files: PackFiles
    head: Head = field(default_factory=Head)
    built: list[Built] = field(default_factory=list)
    changes: tuple[Change, ...] = ()
    entries: tuple[Entry, ...] = ()
    mistakes: list[Mistake] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    def all_mistakes(self) -> Iterator[Mistake]:
        """Yield the mistakes of all files."""
        yield from self.mistakes
        for source in (*self.sources, *(built.draft.source for built in self.built)):
            yield from source.mistakes

    def forgives(self, mistake: Mistake) -> bool:
        """Return whether a mistake may be none for the version of the program that the pack is for."""
        return not self.head.fits and mistake.code not in _ALWAYS_WRONG

    def unknown_here(self, draft: Draft) -> bool:
        """Return whether a rule has words that only another version of the program may know."""
        mistakes = draft.source.mistakes
        return bool(draft.id and mistakes) and all(self.forgives(mistake) for mistake in mistakes)

    def engine_words(self) -> str:
        """Return for which version the pack is, and what this one made of it."""
        lost = sorted(built.draft.id for built in self.built if self.unknown_here(built.draft))
        files = [PurePosixPath(it.name).name for it in self.sources if {made.code for made in it.mistakes} - {OTHER_ENGINE}]
        were = "was" if len(lost) == 1 else "were"
        some = f"{', '.join(lost[:_SHOWN])}{' …' if len(lost) > _SHOWN else ''}"
        rules = f"{len(lost)} of its {len(self.built)} rules {were} not run ({some})" if lost else "all its rules were run"
        unread = f"; not all of {', '.join(files)} could be read" if files else ""
        return f"made for runai-analyze {self.head.engine}, which this is not: {rules}{unread}"


@dataclass
class Remembered:
    """The rules of the packs as they were read last, for a reader who reads them again and again: what has not changed is built
    once. A rule hangs on its own file, the name of its pack, and the tables and fixtures that it may name."""

    around: dict[int, tuple[object, ...]] = field(default_factory=dict)
    drafts: dict[str, tuple[bytes, Draft]] = field(default_factory=dict)

    def build(self, pack: PackReading, relative: str, build: Callable[[], Draft]) -> Draft:
        """Return the rule of a file: the one that was built of the same words, else a new one."""
        name, data = pack.files.name(relative), pack.files.contents[relative]
        known = self.drafts.get(name)
        if known is None or known[0] != data:
            known = self.drafts[name] = (data, _copy(build()))
        return _copy(known[1])

    def enter(self, pack: PackReading, *around: object) -> None:
        """Forget the rules of a pack when what is around them has changed."""
        if self.around.get(pack.number) != around:
            self.drafts = {name: known for name, known in self.drafts.items() if not name.startswith(str(pack.files.where))}
        self.around[pack.number] = around


def _copy(draft: Draft) -> Draft:
    """Return a draft of which the mistakes may grow: those that later checks find are not of its file alone."""
    return replace(draft, source=replace(draft.source, mistakes=list(draft.source.mistakes)))


@dataclass
class Reading:
    """What was read of all packs so far. ``remembered``: what may be taken from an earlier reading; None: nothing."""

    packs: list[PackReading] = field(default_factory=list)
    tables: dict[str, TableRead] = field(default_factory=dict)
    docs: dict[str, Doc] = field(default_factory=dict)
    checklist: list[ChecklistSection] = field(default_factory=list)
    signatures: dict[str, Signature] = field(default_factory=dict)  # of two packs with the same id the later one's
    remembered: Remembered | None = None

    def drafts(self) -> list[Draft]:
        """Return the rules as they now are, in the order of packs and files."""
        return [built.draft for pack in self.packs for built in pack.built]

    def by_id(self) -> dict[str, Built]:
        """Return the rules by their ids; the first where an id is used twice, which is a mistake."""
        found: dict[str, Built] = {}
        for pack in self.packs:
            for built in pack.built:
                found.setdefault(built.draft.id, built)
        return {name: built for name, built in found.items() if name}


def read_pack(files: PackFiles, reading: Reading, engine: str) -> None:
    """Read the files of a pack into ``reading``."""
    pack = PackReading(len(reading.packs), files, mistakes=list(files.mistakes))
    reading.packs.append(pack)
    pack.head = _head(pack, engine)
    fixtures: dict[str, Objects] = {}
    for relative, data in files.contents.items():
        stem = PurePosixPath(relative).stem
        if relative.startswith("fixtures/"):
            source, fixtures[stem] = read_fixture(files.name(relative), data)
            pack.sources.append(source)
        elif relative.startswith("signatures/"):
            reading.signatures |= {one.id: one for one in read_signatures(*_yaml(pack, relative))}
        elif relative.startswith("tables/"):
            _table(pack, relative, reading)
        elif relative.startswith("docs/"):
            source = Source(files.name(relative), data.decode("utf-8", "replace").split("\n"))
            reading.docs[stem] = read_doc(source, stem)
            pack.sources.append(source)
    if CHECKLIST in files.contents:
        reading.checklist += read_checklist(*_yaml(pack, CHECKLIST))
    label = str(pack.head)
    if SITE_FILE in files.contents:
        pack.changes = read_site(*_yaml(pack, SITE_FILE), pack.number, label)
    if SUPPRESSIONS_FILE in files.contents:
        pack.entries = read_suppressions(*_yaml(pack, SUPPRESSIONS_FILE), label)
    tables = {name: read.table for name, read in reading.tables.items()}
    if reading.remembered:
        reading.remembered.enter(pack, str(files.where), pack.head.name, tables, fixtures)
    rules = [relative for relative in files.contents if _is_rule(relative)]
    pack.built = [_rule(pack, relative, tables, fixtures, reading.remembered) for relative in rules]


def _is_rule(relative: str) -> bool:
    top = relative.split("/")[0]
    return top not in _NOT_RULES and relative not in (PACK_FILE, CHECKLIST, SITE_FILE, SUPPRESSIONS_FILE)


def _yaml(pack: PackReading, relative: str) -> tuple[Source, Node | None]:
    source, root = read_yaml(pack.files.name(relative), pack.files.contents[relative])
    pack.sources.append(source)
    return source, root


def _head(pack: PackReading, engine: str) -> Head:
    files = pack.files
    if PACK_FILE in files.contents:
        return read_head(*_yaml(pack, PACK_FILE), engine)
    if not files.mistakes:
        said = f"a folder of rules needs a {PACK_FILE}; {SMALLEST_PACK}"
        pack.mistakes.append(Mistake(str(files.where), 1, 1, "no-pack", said))
    return Head(name=files.where.name)


def _table(pack: PackReading, relative: str, reading: Reading) -> None:
    source, root = _yaml(pack, relative)
    table = read_table(source, root, PurePosixPath(relative).stem)
    if table is None or (source.mistakes and not pack.head.fits):
        return  # a table that only another version knows is as good as none: what needs it is not run
    before = reading.tables.get(table.name)
    info = RuleTable(table.name, table.updated, str(pack.head), before.info.pack if before else "")
    reading.tables[table.name] = TableRead(table, info, source, root, pack.number, before.table if before else None)


def _rule(
    pack: PackReading, relative: str, tables: dict[str, Table], fixtures: Fixtures, remembered: Remembered | None
) -> Built:
    def rebuild(overrides: Overrides) -> Draft:
        source, root = read_yaml(pack.files.name(relative), pack.files.contents[relative])
        changed = _changed(root, overrides) if isinstance(root, Fields) else root
        return build_rule(source, changed, PurePosixPath(relative).stem, tables, pack.head.name, fixtures)

    draft = remembered.build(pack, relative, lambda: rebuild({})) if remembered else rebuild({})
    return Built(draft, pack.number, rebuild)


def _changed(root: Fields, overrides: Overrides) -> Fields:
    """Return the tree of a rule with other values in place of its own."""
    fields = dict(root.fields)
    for (key, *rest), node in overrides.items():
        whole = fields[key]
        if rest and isinstance(whole, Fields):
            fields[key] = replace(whole, fields={**whole.fields, rest[0]: node})
        elif not rest:
            fields[key] = node
    return replace(root, fields=fields)
