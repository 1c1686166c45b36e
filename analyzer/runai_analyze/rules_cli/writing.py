"""Writes a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click


def write_file(path: Path, content: bytes) -> None:
    """Write a file in the place of what was there; a usage error where that cannot be done."""
    temporary = ""
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except OSError as error:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
