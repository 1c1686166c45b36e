"""What a file that is no bundle seems to be, in words that help the person who holds it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import BundleError
from ..model import Problem
from .limits import printable

_HINT = "runai-analyze reads the .tgz that runai-collect wrote, and the bundles and files of other tools that README.md lists"
_AGAIN = "ask for the file again, and for its SHA-256"
# What never holds a bundle, and what a bundle became on its way. Each with what to do, where that is known.
_NEVER = (
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it, and give the folder"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it, and give the folder"),
    (b"%PDF", "a PDF", ""),
    (b"\x7fELF", "a program", ""),
    (b"MZ\x90\x00", "a program", ""),
    (b"\x89PNG\r\n", "a picture", "ask for the text instead"),
    (b"\xff\xd8\xff", "a picture", "ask for the text instead"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1", "a document of Microsoft Office", "ask for the text instead"),
    (b"-----BEGIN PGP MESSAGE", "encrypted with PGP", "decrypt it first"),
    (b"age-encryption.org/", "encrypted with age", "decrypt it first"),
    (b"Salted__", "encrypted with openssl", "decrypt it first"),
    (b"H4sI", "a gzip archive in base64", "decode it first: base64 -d"),
    (b"UEsDB", "a zip archive in base64", "decode it first: base64 -d"),
    (b"\x1f\xef\xbf\xbd", "a gzip archive that some program took for text and broke for good", _AGAIN),
    (b"\xff\xfe\x1f\x00", "a gzip archive that PowerShell's > wrote as text and broke for good", _AGAIN),
    (b"\xff\xfe\x1f\xfe", "a gzip archive that PowerShell's > wrote as text and broke for good", _AGAIN),
)
_PAGE = (b"<!doctype html", b"<html")
_PAGE_WORDS = "a web page (a login page, perhaps, in place of the file)"


def refuse_start(name: str, start: bytes) -> None:
    """Raise BundleError for a file whose first bytes show that no bundle can be in it."""
    if not start:
        raise BundleError(f"{name} is empty", f"the transfer may have failed; {_AGAIN}")
    for magic, words, hint in _NEVER:
        if start.startswith(magic):
            raise BundleError(f"{name} is no bundle: it seems to be {words}", hint or _HINT)
    if _text(start).startswith(_PAGE):
        raise BundleError(f"{name} is no bundle: it seems to be {_PAGE_WORDS}", _HINT)


def refuse(name: str, names: Collection[str], start: bytes, encrypted: int, problems: Sequence[Problem]) -> BundleError:
    """Return the error for what no format knows. ``start``: what it begins with, where it is a single file that is no archive."""
    if encrypted and not names:
        files = f"its {encrypted} files are encrypted" if encrypted > 1 else "its only file is encrypted"
        return BundleError(f"{name} cannot be read: {files}", "unpack it with its password, and give the folder")
    if not names:
        why = next((f": {one.member + ': ' if one.member else ''}{one.message}" for one in problems), "")
        return BundleError(f"{name} is no bundle: the archive in it holds no file that can be read{why}", _HINT)
    if start:
        return BundleError(f"{name} is no bundle: it seems to be {seems(start)}", _HINT)
    if len(names) == 1:
        only = printable(next(iter(names)))
        return BundleError(f"{name} is no bundle: it holds one file, of a kind that is not known: {only}", _HINT)
    return BundleError(f"{name} is no bundle that is known, but some other archive of {len(names)} files", _HINT)


def seems(start: bytes) -> str:
    """Return in words what the first bytes of a file that is no archive look like."""
    text = _text(start)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text in UTF-16"
    if text.startswith(_PAGE):
        return _PAGE_WORDS
    if text.startswith((b"{", b"[")):
        return "JSON"
    if text.startswith((b"apiversion:", b"---", b"kind:")):
        return "YAML"
    if b"\0" not in start:
        return "text"
    return "a file of an unknown kind"


def _text(start: bytes) -> bytes:
    return start.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
