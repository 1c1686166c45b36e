"""Finds the templates, styles and fonts: beside the sources in a checkout, inside the package when installed."""

from __future__ import annotations

import base64
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def templates() -> Path:
    """Return the folder of the templates."""
    installed = _PACKAGE / "_data" / "templates"
    return installed if installed.is_dir() else _PACKAGE.parents[1] / "templates"


def text(name: str) -> str:
    """Return a text file of the templates' folder with plain line ends."""
    return (templates() / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def data_url(name: str, media_type: str) -> str:
    """Return a file of the templates' folder as a ``data:`` URL."""
    return f"data:{media_type};base64,{base64.b64encode((templates() / name).read_bytes()).decode()}"
