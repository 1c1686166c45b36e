"""Real and hostile archives that others made: what is read of each, against a table, and against what other programs read."""

import tarfile
import time
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from runai_analyze.bundle import open_bundle
from runai_analyze.errors import BundleError

from tests.conftest import corpus_folder

from .containers import read

pytestmark = pytest.mark.corpus
TABLE = yaml.safe_load((Path(__file__).parent / "archives.yaml").read_text(encoding="utf-8"))
NAMES = sorted(TABLE)


def short(name: str) -> str:
    """Return a name as the table has it."""
    return name if len(name) < 99 else name[:20]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_of_it(corpus: Path, name: str) -> None:
    row, start = TABLE[name], time.monotonic()
    files, members = read(corpus / "archives" / name)
    assert {short(one): len(data) for one, data in files.items()} == row["files"]
    lines = [(one.member if len(one.member) < 60 else one.member[:10], one.message) for one in members.problems.all()]
    assert [f"{member}: {message}" if member else message for member, message in lines] == row.get("told", [])
    assert (members.cut, bool(members.lost)) == (row.get("cut", False), row.get("lost", False))
    assert time.monotonic() - start < 5


def test_every_archive_of_the_folder_is_in_the_table(corpus: Path) -> None:
    assert [path.name for path in sorted((corpus / "archives").iterdir())] == NAMES


def by_others(path: Path) -> dict[str, bytes] | None:
    """Return the plain files as Python's own modules read them; None where they cannot."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {one.filename.replace("\\", "/"): archive.read(one) for one in archive.infolist() if not one.is_dir()}
    except (zipfile.BadZipFile, RuntimeError):
        pass
    try:
        with tarfile.open(path) as archive:
            files = [one for one in archive if one.isreg() and not one.issparse() and one.size < 1 << 20]
            return {one.name.removeprefix("./"): stream.read() for one in files if (stream := archive.extractfile(one))}
    except (tarfile.TarError, OSError, EOFError):
        return None


@pytest.mark.parametrize("name", NAMES)
def test_no_file_is_read_otherwise_than_other_programs_read_it(corpus: Path, name: str) -> None:
    theirs = by_others(corpus / "archives" / name)
    if theirs is None or "pax-global" in name or "utf8-osx" in name:  # a global path is followed; UTF-8 is read as cp437
        return
    ours, members = read(corpus / "archives" / name)
    assert ours.items() <= theirs.items()
    missing = [one for one in theirs if one not in ours and "._" not in one and not one.endswith("/")]
    assert not missing or members.lost or members.cut


@pytest.mark.parametrize("name", NAMES)
def test_none_ends_in_a_fault(corpus: Path, name: str) -> None:
    with suppress(BundleError):
        open_bundle(corpus / "archives" / name)


@pytest.mark.parametrize("name", sorted(
    str(path.relative_to(corpus_folder()))
    for pattern in ("bundle-*/*.tar.gz", "bundle-*/*.tgz", "bundle-*/*.zip", "bundle-*/*.tar", "bundle-*/*.tar.xz")
    for path in corpus_folder().glob(pattern)
))
def test_whole_bundles_give_the_files_that_tarfile_finds(corpus: Path, name: str) -> None:
    theirs = by_others(corpus / name)
    assert theirs
    ours, members = read(corpus / name)
    assert ours
    assert [one for one, data in ours.items() if theirs.get(one, data) != data and not one.endswith(".gz")] == []
    unread = [one for one in theirs if one not in ours]
    assert all(any(other.startswith(f"{one}/") for other in ours) or one.endswith((".gz", ".xz")) for one in unread), unread
    assert not members.cut
