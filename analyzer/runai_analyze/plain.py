"""Text from outside, harmless to look at: on a page, in a file name, on a terminal."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

# Controls, invisible and direction-changing characters, lone surrogates: what could hide or reorder the words around it.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return the text with every control, invisible or direction-changing character written out, as ``‹U+202E›``."""
    return _HIDDEN.sub(lambda match: f"‹U+{ord(match.group()):04X}›", text)


def describe_fault(error: Exception) -> str:
    """Return what broke and where, on one line."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
    return visible(text.replace("\n", "\\n"))[:500]
