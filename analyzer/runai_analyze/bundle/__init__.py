"""Reading bundles: the archive as a stream, the formats, and what is missing."""

from __future__ import annotations

from pathlib import Path

from ..errors import BundleError
from .formats.native import NativeBundle
from .limits import Limits
from .sniff import refuse_start
from .source import Record, Source

__all__ = ["Bundle", "BundleError", "Limits", "Record", "Source", "open_bundle"]

Bundle = NativeBundle


def open_bundle(path: str | Path, limits: Limits = Limits()) -> Bundle:  # noqa: B008 - frozen
    """Open a bundle: look at every member once, check it against the manifest.

    Raises BundleError when the file is no bundle, cannot be read or is not safe to read; what is damaged inside stands in
    ``info.problems``, and a file that was cut is read as far as it goes (``info.state`` is then ``cut``).
    """
    path = Path(path)
    if path.is_dir():
        raise BundleError(f"{path.name} is a folder", "give the .tgz that runai-collect wrote")
    try:
        with path.open("rb") as file:
            start = file.read(512)
    except OSError as error:
        raise BundleError(f"{path} cannot be read: {error.strerror or error}") from error
    refuse_start(path.name, start)
    return NativeBundle(path, limits)
