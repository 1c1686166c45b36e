"""What a file that is no bundle seems to be, in words that help the person who holds it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection

from ..errors import BundleError

_HINT = "runai-analyze reads the .tgz that runai-collect wrote"
_MAGIC = (
    (b"PK\x03\x04", "a zip archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"%PDF", "a PDF"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
)
# Folders and files that other tools' archives hold.
_OTHERS = (
    ("cluster-resources", "a troubleshoot support bundle"),
    ("cluster-scoped-resources", "a must-gather"),
    ("sos_commands", "a sos report"),
    ("podlogs", "a Sonobuoy result"),
    ("nvidia-bug-report.log", "an nvidia-bug-report"),
)


def refuse_start(name: str, start: bytes) -> None:
    """Raise BundleError for a file whose first bytes show that it is neither gzip nor tar."""
    if not start:
        raise BundleError(f"{name} is empty", "the transfer may have failed; ask for the file again, and for its SHA-256")
    if start.startswith(b"\x1f\x8b") or start[257:262] == b"ustar":
        return
    raise BundleError(f"{name} is no bundle: it seems to be {seems(start)}", _HINT)


def seems(start: bytes) -> str:
    """Return in words what the first bytes of a file look like."""
    known = next((words for magic, words in _MAGIC if start.startswith(magic)), None)
    if known:
        return known
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if text.startswith((b"<!doctype html", b"<html")):
        return "a web page (a login page, perhaps, in place of the file)"
    if text.startswith((b"{", b"[")):
        return "JSON"
    if text.startswith((b"apiversion:", b"---", b"kind:")):
        return "YAML"
    if b"\0" not in start:
        return "text"
    return "a file of an unknown kind"


def refuse_archive(name: str, names: Collection[str]) -> BundleError:
    """Return the error for an archive without any member of a bundle."""
    if not names:
        return BundleError(f"{name} is no bundle: the archive in it holds no file that can be read", _HINT)
    known = next((words for part, words in _OTHERS if any(part in one.split("/") for one in names)), None)
    return BundleError(
        f"{name} is no bundle of runai-collect" + (f": it seems to be {known}" if known else ", but some other archive"), _HINT
    )


def refuse_node(name: str, node: str) -> BundleError:
    """Return the error for what ``runai-collect node`` wrote: it tells of one machine, and no rule can be asked of that alone."""
    machine = f"the machine {node}" if re.fullmatch(r"[A-Za-z0-9._-]{1,253}", node) else "one machine"
    return BundleError(
        f"{name} is the bundle of {machine} alone, which runai-collect node wrote",
        "runai-analyze reads the bundle of the whole cluster, which runai-collect writes; to look into this one: "
        f"runai-collect inspect {shlex.quote(name)}",
    )
