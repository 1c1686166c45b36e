"""The little markup of the rules' own texts: paragraphs, lists, indented commands, `code`. Everything is escaped first."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from ..plain import visible

_CODE = re.compile(r"`([^`\n]+)`")


def prose(text: str) -> Markup:
    """Return a text as paragraphs, lists and blocks of commands."""
    blocks = re.split(r"\n\s*\n", visible(text).strip("\n"))
    return Markup("\n").join(_block(block) for block in blocks if block.strip())


def inline(text: str) -> Markup:
    """Return one line of text, escaped, with what stands in backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(visible(text)))))  # noqa: S704 - escaped just here


def _block(block: str) -> Markup:
    lines = block.split("\n")
    if all(line.startswith("    ") for line in lines):
        return Markup("<pre>{}</pre>").format("\n".join(line[4:] for line in lines))
    if lines[0].lstrip().startswith("- "):
        items = re.split(r"\n\s*- ", "\n" + block.strip())
        return Markup("<ul>{}</ul>").format(
            Markup("").join(Markup("<li>{}</li>").format(_line(item)) for item in items if item.strip())
        )
    return Markup("<p>{}</p>").format(_line(block))


def _line(text: str) -> Markup:
    return inline(" ".join(text.split()))
