"""Packs that were read before, kept by a digest of all that went into them: reading hundreds of rules takes seconds.

A file of the cache is a ``Pack`` as plain JSON behind its checksum: a file that somebody else wrote can make nothing but a pack,
and a folder that others may write to is not used at all. Whatever is wrong with the cache, the packs are read as if there were
none.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from runai_analyze.ruleset.codec import from_json, to_json
from runai_analyze.ruleset.rule import Pack

_KINDS = ("facts/field.py", "facts/kinds.py", "facts/kinds_pods.py", "facts/kinds_texts.py")
_PARTS = ("model", "ruleset", "objects", *_KINDS)  # of the program: what decides how a rule is read
_MOST_BYTES = 256 << 20
_MOST_FILES = 20
_ENDING = ".packs"


def key_of(parts: Iterable[str]) -> str:
    """Return the name under which packs are kept: a digest of what they were read from and of the program that read them.

    Empty where the program's own files cannot be read, so that its next version could not be told from this one.
    """
    try:
        whole = hashlib.sha256(repr((sys.version_info, _program())).encode())
    except OSError:
        return ""
    for part in parts:
        whole.update(f"{len(part)}:{part}".encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def fetch(folder: Path, key: str) -> Pack | None:
    """Return the packs that were kept under a key; None where there are none, or none that can be trusted."""
    try:
        if not _is_private(folder):
            return None
        with (folder / f"{key}{_ENDING}").open("rb") as file:
            data = file.read(_MOST_BYTES)
        digest, body = data[:32], data[32:]
        if hashlib.sha256(body).digest() != digest:
            return None
        return from_json(body)
    except Exception:  # a cache is never a reason to stop
        return None


def keep(folder: Path, key: str, pack: Pack) -> None:
    """Keep packs under a key; nothing happens where that cannot be done."""
    temporary = ""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_private(folder):
            return
        body = to_json(pack)
        handle, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(temporary, folder / f"{key}{_ENDING}")
        _drop_old(folder)
    except Exception:  # a cache is never a reason to stop
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _program() -> str:
    """Return a digest of the modules that decide how a rule is read."""
    package = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for part in _PARTS:
        place = package / part
        for path in sorted(place.glob("*.*")) if place.is_dir() else [place]:
            whole.update(f"{path.name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def _is_private(folder: Path) -> bool:
    """Return whether nobody else can write to a folder; on Windows the profile of a user is his own."""
    if not hasattr(os, "getuid"):
        return folder.is_dir()
    status = folder.stat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def _drop_old(folder: Path) -> None:
    files = sorted(folder.glob(f"*{_ENDING}"), key=lambda path: path.stat().st_mtime)
    for path in files[:-_MOST_FILES]:
        path.unlink(missing_ok=True)
