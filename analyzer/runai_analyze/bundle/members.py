"""The files of whatever a person gives: an archive, or a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .archive import Archive
from .intake.format import Members
from .limits import Limits, Problems


def members_of(path: Path, limits: Limits, problems: Problems) -> Members:
    """Return the files of a tar archive (packed with gzip or not) or of a folder."""
    return Folder(path, limits, problems) if path.is_dir() else Archive(path, limits, problems)


@dataclass
class _File:
    name: str
    size: int
    path: Path
    whole: bool = True

    def read(self) -> bytes:
        return self.path.read_bytes()


class Folder:
    """The plain files below a folder, sorted; links and all else that is no plain file are passed over and told."""

    def __init__(self, path: Path, limits: Limits, problems: Problems) -> None:
        self.path, self.limits, self.problems, self.cut = path, limits, problems, False

    def walk(self) -> Iterator[_File]:
        """Yield the files."""
        for folder, folders, files in os.walk(self.path):
            folders.sort()
            for name in sorted(files):
                path = Path(folder, name)
                relative = path.relative_to(self.path).as_posix()
                if path.is_symlink() or not path.is_file():
                    self.problems.add(relative, "it is no plain file, and was ignored")
                else:
                    yield _File(relative, path.stat().st_size, path)
