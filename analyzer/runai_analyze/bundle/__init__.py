"""Reading bundles: the archive as a stream, the formats, and what is missing."""

from __future__ import annotations

import stat
from pathlib import Path

from ..errors import BundleError
from .formats import recognise
from .formats.native import NativeBundle, NotNativeError
from .intake import ForeignBundle
from .limits import Limits, Problems, printable
from .members import members_of
from .sniff import refuse_archive, refuse_start
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
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return _foreign(path, limits)
        if not stat.S_ISREG(mode):  # a pipe would be waited for without end, and can be read only once
            raise BundleError(f"{printable(path.name)} is no plain file", _HINT)
        with path.open("rb") as file:
            start = file.read(512)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        why = error.strerror if isinstance(error, OSError) else ""
        raise BundleError(f"{printable(str(path))} cannot be read: {why or error}") from error
    refuse_start(path.name, start)
    try:
        return NativeBundle(path, limits)
    except NotNativeError:
        return _foreign(path, limits)


def _foreign(path: Path, limits: Limits) -> ForeignBundle:
    problems = Problems(limits.problems)
    members = members_of(path, limits, problems)
    names = [member.name for member in members.walk()]
    found = recognise(names)
    if found is None:
        raise refuse_archive(printable(path.name), names)
    return ForeignBundle(path, members, *found, limits, problems)
