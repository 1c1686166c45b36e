"""Bytes that somebody's editor, shell or mail program had in hands, as text."""

from __future__ import annotations

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))


def decode(data: bytes) -> tuple[str, str]:
    """Return the text, and what was odd about its encoding (empty: nothing).

    Windows PowerShell redirects kubectl's output as UTF-16 with a mark; what is no UTF-8 is read as Latin-1, which has any byte.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = data[len(mark) :].decode(encoding, "replace")
            return text, "" if encoding == "utf-8" else "it is in UTF-16"
    if data[:400].count(b"\0") > len(data[:400]) // 3:
        return data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-16-be", "replace"), "it is in UTF-16 without a mark"
    try:
        return data.decode("utf-8"), ""
    except UnicodeDecodeError:
        return data.decode("latin-1"), "it is not UTF-8, and was read as Latin-1"
