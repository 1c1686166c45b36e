"""Packs of rules, folders or files of ``runai-rules pack build``, to one ``Pack``, or every mistake in all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from runai_analyze.errors import RuleErrors
from runai_analyze.facts.build import collector_off
from runai_analyze.model import PackInfo
from runai_analyze.objects.versions import parse_range, parse_version
from runai_analyze.ruleset.archive import PACK_FILE, PackFiles, read_files
from runai_analyze.ruleset.cache import fetch, keep, key_of
from runai_analyze.ruleset.crosscheck import cross_check
from runai_analyze.ruleset.mistakes import Mistake
from runai_analyze.ruleset.needs import kinds_of as kinds_of
from runai_analyze.ruleset.needs import needs_of as needs_of
from runai_analyze.ruleset.nodes import read_yaml
from runai_analyze.ruleset.notrun import not_run
from runai_analyze.ruleset.packfile import Head, read_head
from runai_analyze.ruleset.reading import PackReading, Reading, Remembered, read_pack
from runai_analyze.ruleset.review import review
from runai_analyze.ruleset.rule import Pack
from runai_analyze.ruleset.signatures import check_names
from runai_analyze.ruleset.site import apply_changes
from runai_analyze.ruleset.suppressions import unknown_rules
from runai_analyze.ruleset.tablecheck import check_columns

from .. import __version__


def default_pack() -> Path:
    """Return the folder of the pack that ships with the program: beside the package in a wheel, else in the checkout."""
    package = Path(__file__).parents[1]
    shipped = package / "_data" / "rules"
    return shipped if shipped.is_dir() else package.parent.parent / "rules"


def load_packs(paths: Sequence[str | Path], engine: str = __version__, cache: Path | None = None) -> Pack:
    """Return all packs, in their order, as one; a pack takes the place of an earlier one of the same name.

    What a pack for another version of the program has and this one does not know is not run, and listed. Raises ``RuleErrors``
    with every mistake of every file, ``UserError`` where there is no pack. ``cache``: a folder where packs are kept that were
    read without a mistake, and found again as long as neither they nor the program change; None: they are always read.
    """
    files = [read_files(Path(path)) for path in paths]
    key = "" if cache is None else key_of((engine, *(part for it in files for part in (str(it.where), it.digest, it.sha256))))
    if cache is not None and key and (kept := fetch(cache, key)) is not None:
        return kept
    placed, before = _placed(files, [read_pack_head(it, engine) for it in files])
    pack, mistakes = _read(placed, engine, strict=False, before=before)
    if mistakes:
        places = {place for mistake in mistakes for place in (Path(mistake.file), *Path(mistake.file).parents)}
        wrong = tuple(str(path) for path in paths if Path(path) in places)
        raise RuleErrors(tuple(str(mistake) for mistake in mistakes), wrong)
    if cache is not None and key:
        keep(cache, key, pack)
    return pack


def read_packs(
    paths: Sequence[str | Path], engine: str = __version__, remembered: Remembered | None = None
) -> tuple[Pack, tuple[Mistake, ...]]:
    """Return what could be read of the packs, and every mistake in order of file and line; also what ``load_packs`` forgives.

    ``remembered``: of an earlier reading; what has not changed is taken from it. Raises ``UserError`` where there is
    no pack.
    """
    reading = Reading(remembered=remembered)
    return _read([read_files(Path(path)) for path in paths], engine, strict=True, before={}, reading=reading)


def lint_packs(paths: Sequence[str | Path], today: date | None = None) -> tuple[Pack, tuple[Mistake, ...]]:
    """Return what ``read_packs`` does, and among the mistakes all remarks: what is worth a look and stops no rule.

    ``today``: the day from which it is counted how long nobody has read a rule; None: that is not said.
    """
    reading = Reading()
    pack, mistakes = _read([read_files(Path(path)) for path in paths], __version__, strict=True, before={}, reading=reading)
    return pack, tuple(sorted({*mistakes, *review(reading, today)}))


def pack_name(path: Path) -> str:
    """Return the name in the pack.yaml of a folder or file; empty where there is none."""
    if path.is_dir() and not (path / PACK_FILE).is_file():
        return ""
    contents = {PACK_FILE: (path / PACK_FILE).read_bytes()} if path.is_dir() else read_files(path).contents
    return read_pack_head(PackFiles(path, contents)).name


def read_pack_head(files: PackFiles, engine: str = __version__) -> Head:
    """Return what the pack.yaml of a pack says; its mistakes are for ``read_packs`` to tell."""
    if PACK_FILE not in files.contents:
        return Head()
    return read_head(*read_yaml(files.name(PACK_FILE), files.contents[PACK_FILE]), engine)


def _placed(files: Sequence[PackFiles], heads: Sequence[Head]) -> tuple[list[PackFiles], dict[str, Head]]:
    """Return the packs with each later one of a name in the place of the earlier one, and that one, by its name."""
    placed: dict[str, tuple[PackFiles, Head]] = {}
    before: dict[str, Head] = {}
    for number, (pack, head) in enumerate(zip(files, heads, strict=True)):
        name = head.name or f"\0{number}"
        if name in placed:
            before[name] = placed[name][1]
        placed[name] = pack, head
    return [pack for pack, _ in placed.values()], before


def _read(
    files: Sequence[PackFiles], engine: str, strict: bool, before: Mapping[str, Head], reading: Reading | None = None
) -> tuple[Pack, tuple[Mistake, ...]]:
    reading = reading or Reading()
    with collector_off():
        for one in files:
            read_pack(one, reading, engine)
    by_id = reading.by_id()
    changes, gone = apply_changes([change for pack in reading.packs for change in pack.changes], by_id)
    lines = {line.id for section in reading.checklist for line in section.lines}
    cross_check(reading.drafts(), reading.docs, lines)
    check_columns(reading)
    check_names(reading.drafts(), reading.signatures)
    entries = [entry for pack in reading.packs for entry in pack.entries]
    gone += [(pack.number, mistake) for pack in reading.packs for mistake in unknown_rules(pack.entries, by_id)]
    rules, others, replaced = not_run(reading, strict)
    pack = Pack(
        rules,
        {name: read.table for name, read in reading.tables.items()},
        tuple(reading.checklist),
        reading.docs,
        kinds_of(rules),
        tuple(_info(number, pack, gone, before) for number, pack in enumerate(reading.packs)),
        others,
        tuple(read.info for _, read in sorted(reading.tables.items())),
        (*changes, *replaced),
        tuple({entry.acceptance.on: entry.acceptance for entry in entries}.values()),
        tuple(reading.signatures[name] for name in sorted(reading.signatures)),
    )
    return pack, _mistakes(reading, gone, strict)


def _mistakes(reading: Reading, gone: Sequence[tuple[int, Mistake]], strict: bool) -> tuple[Mistake, ...]:
    """Return the mistakes; without ``strict`` less those of a pack for another engine and those on what is no more."""
    found = {mistake for _, mistake in gone} if strict else set()
    for pack in reading.packs:
        found |= {it for it in pack.all_mistakes() if strict or not pack.forgives(it)}
    return tuple(sorted(found))


def _info(number: int, pack: PackReading, gone: Sequence[tuple[int, Mistake]], before: Mapping[str, Head]) -> PackInfo:
    earlier = before.get(pack.head.name)
    said = [f"older than {earlier}, in whose place it is used"] if earlier and _is_older(pack.head, earlier) else []
    if not pack.head.fits:
        said.append(pack.engine_words())
    said += [f"{Path(mistake.file).name}:{mistake.line}: {mistake.message}" for of, mistake in gone if of == number]
    name = pack.head.name or pack.files.where.name
    replaces = str(earlier) if earlier else ""
    return PackInfo(name, pack.head.version, pack.files.digest, len(pack.built), "; ".join(said), replaces)


def _is_older(head: Head, other: Head) -> bool:
    """Return whether the version of a pack is below that of another; False where they cannot be compared."""
    try:
        return parse_range(f"<{other.version}").contains(parse_version(head.version)) is True
    except ValueError:
        return False
