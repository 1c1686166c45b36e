"""The folder that a report is written to: what a former run wrote there is replaced, anybody else's file is not."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .errors import UserError

LEDGER = ".runai-analyze.json"
MOST_LEDGER = 1 << 20  # bytes


class OutputFolder:
    """Writes files whole or not at all, and keeps a ledger of their digests, by which the next run knows its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(self, names: Sequence[str]) -> None:
        """Raise ``UserError`` when the folder cannot be used, or when one of the names is taken by a file that is not ours."""
        nearest = next(path for path in (self.folder, *self.folder.absolute().parents) if _is_there(path))
        if not nearest.is_dir():
            raise UserError(f"cannot make the folder {self.folder}: {nearest} is no folder", "choose another with -o")
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise UserError(f"cannot write in {nearest}", "choose another folder with -o")
        ledger = self._ledger()
        for name in names:
            path = self.folder / name
            if _is_there(path) and not _is_ours(path, ledger.get(name)):
                raise UserError(f"{path} exists and was not written by runai-analyze, or was changed since",
                                "move it away, or choose another folder with -o")

    def write(self, name: str, content: bytes) -> Path:
        """Write one file and note it in the ledger; returns its path. The folder is made when there is something to write."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot make the folder {self.folder}: {error.strerror}", "choose another with -o") from error
        path = self._replace(name, content)
        ledger = {**self._ledger(), name: hashlib.sha256(content).hexdigest()}
        self._replace(LEDGER, (json.dumps(ledger, indent=1, sort_keys=True) + "\n").encode())
        return path

    def _ledger(self) -> dict[str, str]:
        path = self.folder / LEDGER
        try:
            ledger = json.loads(path.read_bytes()) if path.is_file() and path.stat().st_size < MOST_LEDGER else {}
        except (OSError, ValueError, RecursionError):
            return {}
        return ledger if isinstance(ledger, dict) else {}

    def _replace(self, name: str, content: bytes) -> Path:
        temporary = ""
        try:
            handle, temporary = tempfile.mkstemp(dir=self.folder, prefix=".runai-analyze-")
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, self.folder / name)
        except OSError as error:
            if temporary:
                Path(temporary).unlink(missing_ok=True)
            raise UserError(f"cannot write {self.folder / name}: {error.strerror}") from error
        return self.folder / name


def _is_there(path: Path) -> bool:
    try:
        return path.exists() or path.is_symlink()
    except OSError:  # a name too long for the file system
        return False


def _is_ours(path: Path, digest: str | None) -> bool:
    if digest is None or path.is_symlink() or not path.is_file():
        return False
    return hashlib.sha256(path.read_bytes()).hexdigest() == digest
