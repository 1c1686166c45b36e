"""Folders of rules to one ``Pack``, or every mistake in all of them at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from runai_analyze.errors import RuleErrors, UserError
from runai_analyze.model import PackInfo
from runai_analyze.ruleset.build import Draft, build_rule
from runai_analyze.ruleset.crosscheck import cross_check
from runai_analyze.ruleset.examples import Objects, read_fixture
from runai_analyze.ruleset.mistakes import Mistake
from runai_analyze.ruleset.needs import kinds_of as kinds_of
from runai_analyze.ruleset.needs import needs_of as needs_of
from runai_analyze.ruleset.nodes import Source, read_yaml
from runai_analyze.ruleset.rule import ChecklistSection, Doc, Pack, Table
from runai_analyze.ruleset.tables import SMALLEST_PACK, read_checklist, read_doc, read_pack_file, read_table

from .. import __version__

_PACK_FILE = "pack.yaml"
_CHECKLIST = "checklist.yaml"
_NOT_RULES = ("tables", "docs", "signatures", "fixtures")


@dataclass
class _Reading:
    """What has been read of all packs so far."""

    tables: dict[str, Table] = field(default_factory=dict)
    docs: dict[str, Doc] = field(default_factory=dict)
    checklist: list[ChecklistSection] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    info: list[PackInfo] = field(default_factory=list)
    mistakes: list[Mistake] = field(default_factory=list)


def default_pack() -> Path:
    """Return the folder of the pack that ships with the program: beside the package in a wheel, else in the checkout."""
    package = Path(__file__).parents[1]
    shipped = package / "_data" / "rules"
    return shipped if shipped.is_dir() else package.parent.parent / "rules"


def load_packs(folders: Sequence[str | Path]) -> Pack:
    """Return all packs, in their order, as one; raises ``RuleErrors`` with every mistake of every file."""
    pack, mistakes = read_packs(folders)
    if mistakes:
        places = {place for mistake in mistakes for place in (Path(mistake.file), *Path(mistake.file).parents)}
        wrong = tuple(str(folder) for folder in folders if Path(folder) in places)
        raise RuleErrors(tuple(str(mistake) for mistake in mistakes), wrong)
    return pack


def read_packs(folders: Sequence[str | Path]) -> tuple[Pack, tuple[Mistake, ...]]:
    """Return what could be read of the packs, and every mistake in order of file and line. Raises ``UserError`` for no folder."""
    reading = _Reading()
    for folder in folders:
        _read_pack(Path(folder), reading)
    lines = {line.id for section in reading.checklist for line in section.lines}
    cross_check(reading.drafts, reading.docs, lines)
    mistakes = {*reading.mistakes, *(mistake for draft in reading.drafts for mistake in draft.source.mistakes)}
    rules = tuple(sorted((draft.rule for draft in reading.drafts if draft.rule), key=lambda rule: rule.id))
    pack = Pack(rules, reading.tables, tuple(reading.checklist), reading.docs, kinds_of(rules), tuple(reading.info))
    return pack, tuple(sorted(mistakes))


def pack_name(folder: Path) -> str:
    """Return the name in a pack.yaml; empty where there is none."""
    path = folder / _PACK_FILE
    return read_pack_file(*read_yaml(str(path), path.read_bytes()), __version__)[0] if path.is_file() else ""


def _read_pack(folder: Path, reading: _Reading) -> None:
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder of rules", "a pack is a folder with pack.yaml")
    files = list(_files(folder))
    reading.mistakes += [
        Mistake(f"{folder}/{relative}", 1, 1, "no-file", "this is no plain file, so nothing of it was read")
        for relative in files
        if not (folder / relative).is_file()
    ]
    contents = {relative: (folder / relative).read_bytes() for relative in files if (folder / relative).is_file()}
    name, version = _read_pack_yaml(folder, contents, reading)
    fixtures: dict[str, Objects] = {}
    for relative, data in contents.items():
        if relative.startswith("fixtures/"):
            source, fixtures[Path(relative).stem] = read_fixture(f"{folder}/{relative}", data)
            reading.mistakes += source.mistakes
        elif relative.startswith("tables/"):
            _read_table(folder, relative, data, reading)
        elif relative.startswith("docs/"):
            source = Source(f"{folder}/{relative}", data.decode("utf-8", "replace").split("\n"))
            reading.docs[Path(relative).stem] = read_doc(source, Path(relative).stem)
            reading.mistakes += source.mistakes
    if _CHECKLIST in contents:
        source, root = read_yaml(f"{folder}/{_CHECKLIST}", contents[_CHECKLIST])
        reading.checklist += read_checklist(source, root)
        reading.mistakes += source.mistakes
    drafts = [
        build_rule(*read_yaml(f"{folder}/{relative}", data), Path(relative).stem, reading.tables, name, fixtures)
        for relative, data in contents.items()
        if _is_rule(relative)
    ]
    reading.drafts += drafts
    reading.info.append(PackInfo(name, version, _digest(contents), len(drafts)))


def _files(folder: Path) -> Iterator[str]:
    """Yield the files of a pack by their relative names, sorted; hidden files and pages for people are no part of it."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder).as_posix()
        hidden = any(part.startswith((".", "_")) for part in relative.split("/"))
        wanted = path.suffix in (".yaml", ".yml") or (path.suffix == ".md" and relative.startswith("docs/"))
        if wanted and not hidden:
            yield relative


def _is_rule(relative: str) -> bool:
    return relative not in (_PACK_FILE, _CHECKLIST) and relative.split("/")[0] not in _NOT_RULES


def _read_pack_yaml(folder: Path, contents: dict[str, bytes], reading: _Reading) -> tuple[str, str]:
    if _PACK_FILE not in contents:
        reading.mistakes.append(Mistake(str(folder), 1, 1, "no-pack", f"a folder of rules needs a {_PACK_FILE}; {SMALLEST_PACK}"))
        return folder.name, ""
    source, root = read_yaml(f"{folder}/{_PACK_FILE}", contents[_PACK_FILE])
    name, version = read_pack_file(source, root, __version__)
    reading.mistakes += source.mistakes
    return name, version


def _read_table(folder: Path, relative: str, data: bytes, reading: _Reading) -> None:
    source, root = read_yaml(f"{folder}/{relative}", data)
    table = read_table(source, root, Path(relative).stem)
    if table is not None:
        reading.tables[table.name] = table
    reading.mistakes += source.mistakes


def _digest(contents: dict[str, bytes]) -> str:
    """Return a SHA-256 over names and contents; line ends count as one, so that a checkout on Windows has the same."""
    whole = hashlib.sha256()
    for relative, data in sorted(contents.items()):
        content = hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()
        whole.update(f"{relative}\0{content}\n".encode())
    return whole.hexdigest()
