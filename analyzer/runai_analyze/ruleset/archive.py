"""The files of a pack, from a folder or from the one file that ``runai-rules pack build`` makes.

That file is a zip of stored (not compressed) members with fixed times and order, so that the same pack is the same bytes
everywhere. Its first member lists every other one with its SHA-256. It is read in memory and never extracted.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runai_analyze.errors import UserError
from runai_analyze.ruleset.mistakes import Mistake
from runai_analyze.ruleset.nodes import LARGEST_FILE
from runai_analyze.ruleset.packfile import Head

PACK_FILE = "pack.yaml"
ENDING = ".rules.zip"
_MANIFEST = "pack-manifest.json"
_FORMAT = 1
_MOST_BYTES = 16 << 20
_MOST_MEMBERS = 5000
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # the first that a zip can say


@dataclass(frozen=True)
class PackFiles:
    """The files of one pack by their names in it, and what of it could not be read. ``sha256``: of the one file, if it is one."""

    where: Path
    contents: Mapping[str, bytes]
    mistakes: tuple[Mistake, ...] = ()
    sha256: str = ""
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", digest_of(self.contents))

    def name(self, relative: str) -> str:
        """Return how a file is called in mistakes."""
        return f"{self.where}/{relative}"


def read_files(where: Path) -> PackFiles:
    """Return the files of the pack at a path. Raises ``UserError`` when that is neither a folder nor a file."""
    if where.is_dir():
        return _folder(where)
    if not where.is_file():
        hint = "a pack is a folder with pack.yaml, or a file of runai-rules pack build"
        raise UserError(f"{where} is no folder of rules", hint)
    return _packed(where)


def digest_of(contents: Mapping[str, bytes]) -> str:
    """Return a SHA-256 over names and contents; line ends count as one, so that a checkout on Windows has the same."""
    whole = hashlib.sha256()
    for relative, data in sorted(contents.items()):
        whole.update(f"{relative}\0{hashlib.sha256(_lines(data)).hexdigest()}\n".encode())
    return whole.hexdigest()


def pack_bytes(files: PackFiles, head: Head) -> bytes:
    """Return the one file of a pack: the same bytes for the same contents, on every machine."""
    contents = {relative: _lines(data) for relative, data in sorted(files.contents.items())}
    manifest = {
        "format": _FORMAT,
        "name": head.name,
        "version": head.version,
        "engine": head.engine,
        "digest": files.digest,
        "files": {relative: hashlib.sha256(data).hexdigest() for relative, data in contents.items()},
    }
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED) as archive:
        for relative, data in ((_MANIFEST, json.dumps(manifest, indent=1).encode() + b"\n"), *contents.items()):
            member = zipfile.ZipInfo(relative, _FIRST_DAY)
            member.create_system, member.external_attr = 3, 0o644 << 16
            archive.writestr(member, data)
    return whole.getvalue()


def is_pack_file(relative: str) -> bool:
    """Return whether a file of that name is part of a pack; hidden files and pages for people are not."""
    parts = relative.split("/")
    plain = relative.isprintable() and "\\" not in relative and not any(part.startswith((".", "_")) or not part for part in parts)
    return plain and (relative.endswith((".yaml", ".yml")) or (relative.endswith(".md") and parts[0] == "docs"))


def _lines(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


# --- a folder ---------------------------------------------------------------------------------------------------------------


def _folder(folder: Path) -> PackFiles:
    contents: dict[str, bytes] = {}
    mistakes: list[Mistake] = []
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder).as_posix()
        if not is_pack_file(relative):
            if path.suffix in (".yaml", ".yml") and not relative.isprintable():
                said = "this name has characters that do not print, so nothing of it was read; give the file another"
                mistakes.append(Mistake(f"{folder}/{relative}", 1, 1, "no-file", said))
            continue
        if path.is_file():
            with path.open("rb") as file:
                contents[relative] = file.read(LARGEST_FILE + 1)  # so that the reader of YAML sees that there is more
        else:
            mistakes.append(Mistake(f"{folder}/{relative}", 1, 1, "no-file", "this is no plain file, so nothing of it was read"))
    return PackFiles(folder, contents, tuple(mistakes))


# --- one file ---------------------------------------------------------------------------------------------------------------


class _DamagedError(Exception):
    """The file is not one that ``runai-rules pack build`` made, or not any more."""


def _packed(path: Path) -> PackFiles:
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    digest = hashlib.sha256(data).hexdigest()
    try:
        if len(data) > _MOST_BYTES:
            raise _DamagedError(f"it is larger than {_MOST_BYTES >> 20} MiB")
        if not data.startswith(b"PK"):
            raise _DamagedError("it is no zip (a pack that is not packed is named by its folder, the one with pack.yaml)")
        members = dict(_members(data))
        return PackFiles(path, _checked(members), sha256=digest)
    except (_DamagedError, zipfile.BadZipFile, RuntimeError, EOFError, OSError, ValueError, struct.error) as error:
        said = str(error) if isinstance(error, _DamagedError) else f"it cannot be read as a zip: {' '.join(str(error).split())}"
        words = f"this is no whole pack of rules: {said[:300]}; get the file again, or make it with runai-rules pack build"
        return PackFiles(path, {}, (Mistake(str(path), 1, 1, "damaged-pack", words),), digest)


def _members(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the members, none of which unfolds to more than the file itself holds."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if len(infos) > _MOST_MEMBERS:
            raise _DamagedError(f"it has more than {_MOST_MEMBERS} files")
        odd = [info for info in infos if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1]
        if odd or sum(info.file_size for info in infos) > len(data):
            raise _DamagedError("its files are compressed or encrypted, which those of a pack are not")
        if len({info.filename for info in infos}) < len(infos):
            raise _DamagedError("it holds two files of one name")
        for info in infos:
            yield info.filename, archive.read(info)


def _checked(members: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files of the pack, each held against its checksum."""
    listed = _listed(members.pop(_MANIFEST, b""))
    if set(listed) != set(members):
        odd = sorted(set(listed) ^ set(members))[0]
        raise _DamagedError(f"{odd[:100]!r} is {'missing' if odd in listed else 'not in its list of files'}")
    for relative, data in members.items():
        if not is_pack_file(relative):
            raise _DamagedError(f"{relative[:100]!r} is no file of a pack")
        if hashlib.sha256(data).hexdigest() != listed[relative]:
            raise _DamagedError(f"the checksum of {relative} is wrong: it was changed or damaged after it was built")
    return members


def _listed(data: bytes) -> dict[str, str]:
    try:
        manifest = json.loads(data)
        form, listed = manifest["format"], dict(manifest["files"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _DamagedError("it has no list of its files") from None
    if form != _FORMAT:
        raise _DamagedError(f"it is of format {str(form)[:20]}; this version of the program reads format {_FORMAT}")
    return {str(name): str(digest) for name, digest in listed.items()}
