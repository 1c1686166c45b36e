"""Reading bundles: the archive as a stream, the formats, and what is missing."""

from __future__ import annotations

import stat
from pathlib import Path

from ..errors import BundleError
from .formats import recognise
from .formats.loose import ALONE
from .formats.native import NativeBundle, NotNativeError
from .intake import ForeignBundle
from .intake.format import Match
from .limits import Limits, Problems, printable
from .members import STDIN, File, Members, given_stdin, members_of
from .sniff import refuse, refuse_start, seems
from .source import Record, Source

__all__ = ["Bundle", "BundleError", "Limits", "Record", "Source", "open_bundle"]

Bundle = NativeBundle | ForeignBundle
_HINT = "give the .tgz that runai-collect wrote"


def open_bundle(path: str | Path, limits: Limits = Limits()) -> Bundle:  # noqa: B008 - frozen
    """Open a bundle: look at every member once, check it against the manifest.

    Raises BundleError when the file is no bundle, cannot be read or is not safe to read; what is damaged inside stands in
    ``info.problems``, and a file that was cut is read as far as it goes (``info.state`` is then ``cut``).
    """
    path = Path(path)
    problems = Problems(limits.problems)
    try:
        members = _members(path, limits, problems)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        why = error.strerror if isinstance(error, OSError) else ""
        raise BundleError(f"{printable(str(path))} cannot be read: {why or error}") from error
    try:
        return NativeBundle(members, limits, problems)
    except NotNativeError:
        return _foreign(members, limits)


def _members(path: Path, limits: Limits, problems: Problems) -> Members:
    if str(path) == STDIN:
        return _checked(Members(given_stdin(limits), limits, problems))
    return _checked(_members_at(path, limits, problems))


def _checked(members: Members) -> Members:
    if isinstance(members.given, File):
        refuse_start(members.given.name, members.given.start())
    return members


def _members_at(path: Path, limits: Limits, problems: Problems) -> Members:
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe would be waited for without end, and can be read only once
        raise BundleError(f"{printable(path.name)} is no plain file", f"{_HINT}; runai-analyze - reads from standard input")
    return members_of(path, limits, problems)


def _foreign(members: Members, limits: Limits) -> ForeignBundle:
    members.problems = problems = Problems(limits.problems)
    names = [member.name for member in members.walk()]
    found = recognise(names)
    if found is None:
        given = members.given
        alone = given.start() if isinstance(given, File) and not members.archive else b""
        if seems(alone) in ("JSON", "YAML"):
            bundle = ForeignBundle(members, ALONE, Match(), limits, problems)
            if next(bundle.records(None), None) is not None:
                return bundle
        raise refuse(printable(given.name), names, alone, members.encrypted, problems.all())
    return ForeignBundle(members, *found, limits, problems)
