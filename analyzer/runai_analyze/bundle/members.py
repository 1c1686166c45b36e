"""The files of whatever a person gives: an archive, a folder, one file, or what comes in through standard input."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from ..errors import BundleError
from .limits import Limits, Problems, printable
from .nested import FileEntry, Opener
from .textmode import LOST, MENDED, Mended, trace_of_text_mode

if TYPE_CHECKING:
    from .intake.format import Member

STDIN = "-"
_PIECE = 1 << 20


class Given(Protocol):
    """What a person gave: how it is called, and how large it is (0: it is no single file)."""

    @property
    def name(self) -> str:
        """The name of the file or the folder."""

    @property
    def size(self) -> int:
        """The size in bytes; 0 for a folder."""

    def sha256(self) -> str:
        """Return the checksum of the file; empty for a folder."""

    def entries(self, opener: Opener) -> Iterator[FileEntry]:
        """Yield the files that lie open: the file itself, or those of the folder."""


@dataclass
class Members:
    """The files of what was given; each ``walk`` goes through all of them from the start, in their order there.

    Known after a walk: ``cut``, an archive ends before its end; ``lost``, why some file was not read, or not as it was written;
    ``encrypted``, how many files of a zip archive are; ``archive``, whether it is one (or is packed, or a folder).
    """

    given: Given
    limits: Limits
    problems: Problems
    cut: bool = False
    lost: str = ""
    encrypted: int = 0
    archive: bool = False

    def walk(self) -> Iterator[Member]:
        """Yield the plain files with acceptable names, each name once; archives in archives as ``outer.tgz/inner/name``."""
        opener = Opener(self.limits, self.problems, self.given.name)
        entries = self.given.entries(opener)
        try:
            if isinstance(self.given, Folder):
                yield from opener.folder(entries)
            else:
                for entry in entries:
                    yield from opener.bundle(entry)
        except OSError as error:
            raise BundleError(f"{printable(self.given.name)} cannot be read: {error.strerror or error}") from error
        finally:
            self.cut, self.lost = self.cut or opener.cut, self.lost or opener.lost
            self.archive = self.archive or opener.opened or isinstance(self.given, Folder)
            self.encrypted = max(self.encrypted, opener.encrypted)


def members_of(path: Path, limits: Limits, problems: Problems) -> Members:
    """Return the files of an archive of any kind, of a folder, or of one file."""
    return Members(Folder(path) if path.is_dir() else File(path.name, path.stat().st_size, path), limits, problems)


def given_stdin(limits: Limits) -> File:
    """Take in what comes through standard input, into a temporary file without a name: it is read more than once."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the bundle
    try:
        while piece := sys.stdin.buffer.read(_PIECE):
            file.write(piece)
            if file.tell() > limits.total:
                raise BundleError(f"standard input holds more than {limits.total >> 20} MiB and is not read further")
    except OSError as error:
        raise BundleError(f"standard input cannot be kept: {error.strerror or error}", "give it as a file") from error
    return File("standard input", file.tell(), cast("BinaryIO", file))


@dataclass
class File:
    """One file, or what came through standard input."""

    name: str
    size: int
    place: Path | BinaryIO

    def start(self) -> bytes:
        """Return the first bytes."""
        with self.open() as file:
            return file.read(512)

    def sha256(self) -> str:
        """Return the checksum."""
        digest = hashlib.sha256()
        with self.open() as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
        return digest.hexdigest()

    def entries(self, opener: Opener) -> Iterator[FileEntry]:
        """Yield the file itself. One that went through a transfer in text mode is mended."""
        name = printable(self.name).replace("\\", "_").replace("/", "_")
        with self.open() as looked_at:
            trace = trace_of_text_mode(looked_at)
        with self.open() as file:
            if trace == MENDED:
                opener.tell("", trace)
            yield FileEntry(name, self.size, cast("BinaryIO", Mended(file)) if trace == MENDED else file, opener.budget)
        if trace == LOST and (opener.cut or opener.lost):
            opener.tell("", trace)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open it at its start; several may be open at the same time."""
        if isinstance(self.place, Path):
            with self.place.open("rb") as file:
                yield file
        else:
            yield cast("BinaryIO", _Again(self.place))


class _Again:
    """A file that can be opened only once, at a place of its own."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._at = file, 0

    def read(self, size: int = -1) -> bytes:
        self._file.seek(self._at)
        data = self._file.read(size)
        self._at += len(data)
        return data

    def seek(self, place: int, whence: int = 0) -> int:
        self._at = self._file.seek(place, whence) if whence == os.SEEK_END else place
        return self._at


@dataclass
class Folder:
    """The plain files below a folder, sorted; links and all else that is no plain file are passed over and told."""

    path: Path
    size: int = 0

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name or self.path.resolve().name

    def sha256(self) -> str:
        """A folder has none."""
        return ""

    def entries(self, opener: Opener) -> Iterator[FileEntry]:
        """Yield the files."""

        def refuse(error: OSError) -> None:
            name = Path(error.filename).relative_to(self.path).as_posix()
            opener.lose(name, f"the folder cannot be read: {error.strerror}")

        for folder, folders, files in os.walk(self.path, onerror=refuse):
            folders.sort()
            links = [name for name in folders if Path(folder, name).is_symlink()]
            for name in sorted([*files, *links]):
                path = Path(folder, name)
                relative = path.relative_to(self.path).as_posix()
                if path.is_symlink():
                    opener.tell(relative, "the member is a symbolic link, and was ignored")
                elif not path.is_file():
                    opener.tell(relative, "it is no plain file, and was ignored")
                else:
                    yield from _opened(path, relative, opener)


def _opened(path: Path, name: str, opener: Opener) -> Iterator[FileEntry]:
    try:
        file = path.open("rb")
    except OSError as error:
        opener.lose(name, f"it cannot be read: {error.strerror}")
        return
    with file:
        yield FileEntry(name, os.fstat(file.fileno()).st_size, file, opener.budget)
