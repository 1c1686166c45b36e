"""The bundle as a stream: one gzip member, memory flat, mode 0600, checksums, the manifest last. Safe among threads."""

import hashlib
import json
import os
import re
import struct
import sys
import tarfile
import threading
import zlib
from contextlib import suppress
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import layout

LEVEL = 3                   # two thirds of the time of level 6 for a tenth more bytes, on pods
ROWS = 1000                 # rows of one member of the small lists (secrets, redactions …)
BLOCK = 512
RECORD = 20 * BLOCK         # tar pads its end to this
_GZIP_START = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
_ALWAYS = (layout.BUNDLE, layout.README, layout.MANIFEST, layout.REDACTIONS, layout.SECRETS, layout.HELM, layout.CERTIFICATES,
           layout.CONFIGMAPS)   # there is always room for what says what a bundle is, and for rows that were taken


class Step(NamedTuple):
    """One thing that was asked for and how it ended, as ``layout.STATUSES`` say. ``namespace`` "" is the whole cluster."""

    id: str
    request: str
    scope: str
    status: str
    code: Optional[int] = None
    message: str = ""
    objects: int = 0
    pages: int = 0
    bytes: int = 0
    seconds: float = 0.0
    retries: int = 0
    kind: str = ""
    group: str = ""
    version: str = ""
    namespace: str = ""


class Hit(NamedTuple):
    """A secret shape that was found in a member after redaction: the member and the shape's name, never what it was."""

    member: str
    shape: str


class Totals(NamedTuple):
    """What a finished bundle holds: size in bytes of the file, its SHA-256 and its number of members."""

    bytes: int
    sha256: str
    members: int


class WriteError(OSError):
    """The bundle cannot be written: nothing else can be either."""


class ClosedError(Exception):
    """The bundle was finished while a slower thread still wanted to write to it."""


class FullError(Exception):
    """What was to be written would make the bundle larger than it may be. Smaller things may still go in."""


class BundleWriter:
    """Writes ``path`` under a name of its own and renames it in ``finish``: what bears the wanted name after that is whole.
    The file holds at most ``most`` bytes, the manifest in it. What goes to no path ("") is kept nowhere."""

    def __init__(self, path: str, top: str, moment: int, most: int = sys.maxsize) -> None:
        self.path = path
        self.steps, self.hits = [], []  # type: List[Step], List[Hit]
        self.extra: Dict[str, Any] = {}         # more for the manifest
        self.packed: Dict[str, int] = {}        # bytes of the file by step
        self.full = False                       # something did not fit
        self.left_out: Callable[[str], str] = lambda member: ""     # why a member is not to be written
        self._lacking: Dict[str, str] = {}                          # and by step what was not
        self._top, self._moment, self._most = top, moment, most
        self._lock = threading.RLock()
        self._members, self._pages = [], {}  # type: List[Dict[str, Any]], Dict[str, int]
        self._rows, self._taken = {}, {}  # type: Dict[str, List[Dict[str, Any]]], Dict[str, str]
        self._size = self._crc = self._written = 0
        self._digest = hashlib.sha256()
        descriptor, self.partial = _create(path, ".partial") if path else (os.open(os.devnull, os.O_WRONLY), "")
        self._file = os.fdopen(descriptor, "wb")

    def _omits(self, member: str, step: str) -> bool:
        why = self.left_out(member)
        if why:
            self._lacking[step] = why
        return bool(why)

    def add(self, member: str, data: bytes, step: str) -> None:
        """Write one member. A name that is not safe on every system is changed; the manifest then holds the true one.
        Raises FullError when there is no room for it."""
        if self._omits(member, step):
            return
        safe = safe_member(member)
        with self._lock:
            while self._taken.setdefault(safe, member) != member:
                safe += "_"
        entry: Dict[str, Any] = {"path": safe, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "step": step}
        if safe != member:
            entry["name"] = member
        hits = [Hit(safe, shape) for shape in find_shapes(data)]
        parts = (self._header(safe, len(data)), data, b"\0" * (-len(data) % BLOCK))
        packed = _pack(parts)           # outside of the lock: threads pack at the same time
        with self._lock:
            self._need(len(packed), member.startswith(_ALWAYS))
            self._write(parts, packed)
            self.hits.extend(hits)
            self._members.append(entry)
            self.packed[step] = self.packed.get(step, 0) + len(packed)

    def room(self) -> int:
        """Return how many bytes may still be written, beside what is needed for the pending rows and the manifest."""
        entries = len(self._members) + len(self.steps) + sum(map(len, list(self._rows.values())))
        return self._most - self._written - (4 << 10) - 104 * entries

    def _need(self, size: int, always: bool) -> None:
        if self.room() < size and not always:
            self.full = True
            raise FullError()

    def add_json(self, member: str, value: Any, step: str) -> None:
        """Write one member that is a JSON object, in lines that a person can read: each field, and each entry of a list."""
        parts = ["%s: %s" % (json.dumps(name), line(value[name])[:-1] if not isinstance(value[name], list) else "[%s]" %
                             ",".join(["\n  " + line(entry)[:-1] for entry in value[name]])) for name in sorted(value)]
        self.add(member, ("{\n " + ",\n ".join(parts) + "\n}\n").encode("utf-8", "replace"), step)

    def add_page(self, folder: str, objects: Iterable[Union[str, Dict[str, Any]]], step: str) -> str:
        """Write objects, of which some may be lines already, as the next page of a list, one a line, and return its member name
        ("" when there were none)."""
        data = "".join([value if isinstance(value, str) else line(value) for value in objects]).encode("utf-8", "replace")
        if not data:
            return ""
        with self._lock:
            self._pages[folder] = self._pages.get(folder, 0) + 1
            member = layout.page(folder, self._pages[folder])
        self.add(member, data, step)
        return member

    def add_row(self, folder: str, row: Dict[str, Any], step: str = "") -> None:
        """Add a row to a small list; its members are written as they fill, and at the end. Raises FullError when there is no
        room for it; a row that was taken is always written."""
        if self._omits(row["member"] if folder == layout.REDACTIONS else layout.page(folder, 1), step):
            return
        with self._lock:
            self._need(0, folder.startswith(layout.REDACTIONS))
            rows = self._rows.setdefault(folder, [])
            rows.append(row)
            if len(rows) >= ROWS:
                self._flush(folder, step)

    def _flush(self, folder: str, step: str = "") -> None:
        rows = self._rows.pop(folder)
        self.add_page(folder, sorted(rows, key=line), step or folder.rstrip("/"))

    def add_step(self, step: Step) -> None:
        """Keep a step for the manifest; what a person wanted to be left out makes it incomplete."""
        if step.id in self._lacking and step.status in ("ok", "empty"):
            step = step._replace(status="truncated", message=self._lacking[step.id])
        with self._lock:
            self.steps.append(step)

    def finish(self, finished: str, state: str, blocked: bool = False) -> Totals:
        """Write what is left and the manifest, and give the file its name (with ``.blocked`` behind it when ``blocked``).
        When something has taken that name meanwhile it stays, and ``path`` says the other one that the bundle got."""
        with self._lock:
            for folder in sorted(self._rows):
                self._flush(folder)
            self.hits.sort()
            steps = sorted(self.steps, key=lambda step: step[:4])
            self.add_json(layout.MANIFEST, dict(
                self.extra, format=layout.FORMAT, finished=finished, state=state, members=self._members,
                steps=[dict(step._asdict(), seconds=round(step.seconds, 3)) for step in steps]), "manifest")
            end = (b"\0" * (2 * BLOCK), b"\0" * (-(self._size + 2 * BLOCK) % RECORD))
            self._write(end, _pack(end, zlib.Z_FINISH))
            self._emit(struct.pack("<LL", self._crc, self._size & 0xffffffff))
            os.fsync(self._file.fileno())
            self._file.close()
            descriptor, self.path = _create(self.path, ".blocked" if blocked else "")
            os.close(descriptor)
            os.replace(self.partial, self.path)     # what it replaces is our own empty file
            return Totals(self._written, self._digest.hexdigest(), len(self._members))

    def abandon(self, remove: bool) -> None:
        """Stop writing; the unfinished file is removed, or kept under its ``.partial`` name."""
        with self._lock:
            if not self._file.closed:
                with suppress(OSError):
                    self._file.close()
                if remove:
                    os.unlink(self.partial)

    def _header(self, member: str, size: int) -> bytes:
        info = tarfile.TarInfo(self._top + "/" + member)
        info.size, info.mode, info.mtime = size, 0o600, self._moment
        return info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")

    def _write(self, parts: Sequence[bytes], packed: bytes) -> None:
        if self._file.closed:
            raise ClosedError()
        self._emit(packed if self._written else _GZIP_START + packed)
        for part in parts:
            self._size += len(part)
            self._crc = zlib.crc32(part, self._crc)

    def _emit(self, data: bytes) -> None:
        try:
            self._file.write(data)
            self._file.flush()      # what was read is there even when the collector is killed
        except OSError as error:
            raise WriteError(error.errno, error.strerror)
        self._digest.update(data)
        self._written += len(data)


def _pack(parts: Iterable[bytes], end: int = zlib.Z_FULL_FLUSH) -> bytes:
    """Return parts as whole blocks of a raw deflate stream, which needs nothing of what stands before it."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    return b"".join([packer.compress(part) for part in parts]) + packer.flush(end)


def _create(path: str, suffix: str) -> Tuple[int, str]:
    """Create a file that was not there, under the first free name: "b.tgz.blocked", "b.2.tgz.blocked" … Raises OSError."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    stem, extension = os.path.splitext(path)
    for number in range(1, 1000):
        name = (path if number == 1 else "%s.%d%s" % (stem, number, extension)) + suffix
        with suppress(FileExistsError):
            return os.open(name, flags, 0o600), name
    raise OSError("no name is free beside %s" % path)


def line(value: Any) -> str:
    """Return an object, or a part of one, as one line of JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def safe_member(member: str) -> str:
    """Return a member name that is safe to write on every system: no odd character, no empty, dotted or overlong part."""
    return "/".join([_safe_part(part) for part in member.split("/")])


def _safe_part(part: str) -> str:
    clean = re.sub(r"[^A-Za-z0-9._-]", "_", part)
    if clean == part and clean.strip(".") and len(clean) <= 200:
        return clean
    return "%s-%s" % (clean[:150].strip(".") or "_", hashlib.sha256(part.encode("utf-8", "surrogatepass")).hexdigest()[:8])


# The last look at what is written: shapes that no harmless text has, each behind the cheapest test for it.
_FINDERS = tuple((name, re.compile(re.escape(literal)), re.compile(pattern)) for name, literal, pattern in (
    ("private-key", b"PRIVATE KEY", rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?!\xc2\xab)[\s\\A-Za-z0-9+/=]{40}"),
    ("jwt", b"eyJ", rb"\beyJ(?=[\w-]{10})\w*(?:-(?!eyJ)\w*)*\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}"),
    ("aws-key", b"AKIA", rb"\bAKIA[A-Z0-9]{16}\b"),
    ("aws-key", b"ASIA", rb"\bASIA[A-Z0-9]{16}\b"),
    ("github-token", b"gh", rb"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{30})"),
    ("gitlab-token", b"glpat-", rb"\bglpat-[A-Za-z0-9_-]{20}"),
    ("slack-token", b"xox", rb"\bxox[abeoprs]-[A-Za-z0-9-]{10}"),
    ("ngc-key", b"nvapi-", rb"\bnvapi-[A-Za-z0-9_-]{20}"),
    ("huggingface-token", b"hf_", rb"\bhf_[A-Za-z0-9]{30}"),
    ("google-key", b"AIza", rb"\bAIza[A-Za-z0-9_-]{35}"),
    ("docker-auth", b'"auth', rb'"auth"\s*:\s*"[A-Za-z0-9+/]{8,}={0,2}"'),
))


def find_shapes(data: bytes) -> List[str]:
    """Return the names of the secret shapes that stand in bytes."""
    # A pattern that is a word finds it in half the time that ``in`` takes (3.11).
    return [name for name, literal, finder in _FINDERS if literal.search(data) and finder.search(data)]
