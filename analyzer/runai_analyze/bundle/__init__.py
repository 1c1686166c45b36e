"""Reading bundles: the archive as a stream, the formats, and what is missing."""

from __future__ import annotations

import stat
from pathlib import Path

from ..errors import BundleError
from .formats.native import NativeBundle
from .limits import Limits, printable
from .sniff import refuse_start
from .source import Record, Source

__all__ = ["Bundle", "BundleError", "Limits", "Record", "Source", "open_bundle"]

Bundle = NativeBundle
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
            raise BundleError(f"{printable(path.name)} is a folder", _HINT)
        if not stat.S_ISREG(mode):  # a pipe would be waited for without end, and can be read only once
            raise BundleError(f"{printable(path.name)} is no plain file", _HINT)
        with path.open("rb") as file:
            start = file.read(512)
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        why = error.strerror if isinstance(error, OSError) else ""
        raise BundleError(f"{printable(str(path))} cannot be read: {why or error}") from error
    refuse_start(path.name, start)
    return NativeBundle(path, limits)
