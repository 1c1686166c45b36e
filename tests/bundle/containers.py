"""Archives of all kinds, made in memory, and what the analyzer makes of them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import zstandard
from runai_analyze.bundle.limits import Limits, Problems
from runai_analyze.bundle.members import Members, members_of

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zstd": zstandard.ZstdCompressor(write_content_size=False, write_checksum=True).compress,
}


def zip_of(members: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip archive of plain files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return buffer.getvalue()


def read(path: Path, limits: Limits | None = None) -> tuple[dict[str, bytes], Members]:
    """Return the files of what lies at a path, and what is known of it afterwards."""
    limits = limits or Limits()
    members = members_of(path, limits, Problems(limits.problems))
    return {member.name: member.read() for member in members.walk()}, members


def read_bytes(folder: Path, data: bytes, name: str = "a.bin", limits: Limits | None = None) -> tuple[dict[str, bytes], Members]:
    """Return the files of an archive with these bytes."""
    (folder / name).write_bytes(data)
    return read(folder / name, limits)


def told(members: Members) -> list[str]:
    """Return the problems as lines: the member, and what was said of it."""
    return [f"{one.member}: {one.message}" if one.member else one.message for one in members.problems.all()]
