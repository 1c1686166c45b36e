"""What an author did when a file is no YAML: the parser's words say what it wanted, these say what to change and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import yaml

_KEY_ALONE = re.compile(r"\s*(?:- +)*[\w./-]+\s*", re.ASCII)
Place = tuple[int, int, str]  # line and column from 1, and what is wrong there


def explain(error: yaml.MarkedYAMLError, text: str) -> Place:
    """Return where the mistake is and what to do about it; the parser's own words where nothing better is known."""
    lines = text.split("\n")
    problem, said = error.problem or "", " ".join(part for part in (error.problem, error.context) if part)
    for words, make in _EXPLANATIONS:
        if words in problem and error.problem_mark is not None:
            try:
                place = make(error, lines, text)
            except IndexError:  # YAML ends lines also at characters that no editor does
                break
            if place is not None:
                return place
    return (*_at(error.problem_mark or error.context_mark), f"not YAML: {said}")


def _at(mark: Any) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _before(error: yaml.MarkedYAMLError, lines: Sequence[str]) -> str:
    """Return what stands before the place of the error in its line."""
    mark: Any = error.problem_mark
    return lines[mark.line][: mark.column] if mark.line < len(lines) else ""


def _dash(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    line, column = _at(error.context_mark)
    dash = lines[_at(error.problem_mark)[0] - 1].lstrip().startswith("-")
    what = f"put its dash under that of line {line}" if dash else "put it under the first word after the dash it belongs to"
    return (
        *_at(error.problem_mark),
        f"the indentation is off; the list of line {line} has its dashes in column {column}: {what}",
    )


def _key(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    if not _before(error, lines).strip():
        line, column = _at(error.context_mark)
        where = f"the block of line {line} begins in column {column}: align this line with it, or indent it into the line above"
        return (*_at(error.problem_mark), f"the indentation is off; {where}")
    start, end = _last_quoted(text)
    if start and end and start.line != end.line:
        return (*_at(start), "the quotes that open here are not closed in this line")
    return (
        *_at(error.problem_mark),
        "the quotes end before the text does: put all of it in quotes, double ones inside single ones",
    )


def _colon(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    if _KEY_ALONE.fullmatch(_before(error, lines)):
        line, _ = _at(error.problem_mark)
        indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
        return (
            line,
            indent + 1,
            f"the indentation is off: line {line - 1} has its value already, and this line is indented into it",
        )
    return (*_at(error.problem_mark), "text with a colon and a space in it stands in quotes")


def _start(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    line, column = _at(error.problem_mark)
    return line, column, f"text that begins with {lines[line - 1][column - 1]} stands in quotes"


def _mark(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    line, column = _at(error.context_mark)
    return line, column, f"text that begins with {lines[line - 1][column - 1]} stands in quotes"


def _list(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    return (*_at(error.problem_mark), "a list begins in the line after its key, each element with a dash")


def _no_colon(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    return (*_at(error.context_mark), "this line lacks the colon and space after its key, or text before it lacks its quotes")


def _bracket(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    opened, place = _at(error.context_mark), _at(error.problem_mark)
    mark = lines[opened[0] - 1][opened[1] - 1 : opened[1]]
    if opened[0] != place[0]:
        return (*opened, f"this {mark} is not closed in its line")
    return (*place, f"a comma is missing here, or quotes around text with a colon, a comma or a bracket in the {mark} before it")


def _quotes(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place | None:
    if "quoted scalar" not in (error.context or ""):
        return None
    return (*_at(error.context_mark), "the quotes that open here are never closed")


def _escape(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place:
    return (*_at(error.problem_mark), "a backslash means something else in double quotes: use single quotes")


def _block_text(error: yaml.MarkedYAMLError, lines: Sequence[str], text: str) -> Place | None:
    if "block scalar" not in (error.context or ""):
        return None
    return (*_at(error.problem_mark), "after > or | the text begins in the next line; text that begins with one stands in quotes")


def _last_quoted(text: str) -> tuple[Any, Any]:
    """Return where the last quoted text before the error begins and ends."""
    start = end = None
    try:
        for token in yaml.scan(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if isinstance(token, yaml.ScalarToken) and not token.plain:
                start, end = token.start_mark, token.end_mark
                if start.line != end.line and token.style in ("'", '"'):
                    break
    except yaml.YAMLError:
        pass
    return start, end


_EXPLANATIONS: tuple[tuple[str, Callable[[yaml.MarkedYAMLError, Sequence[str], str], Place | None]], ...] = (
    ("expected '-' indicator", _dash),
    ("expected key", _key),
    ("mapping values are not allowed", _colon),
    ("cannot start any token", _start),
    ("expected alphabetic or numeric character", _mark),
    ("expected whitespace or line break", _mark),
    ("directive name", _mark),
    ("block sequence entries are not allowed", _list),
    ("could not find expected ':'", _no_colon),
    ("expected ',' or", _bracket),
    ("unexpected end of stream", _quotes),
    ("unexpected document indicator", _quotes),
    ("unknown escape character", _escape),
    ("expected comment or line break", _block_text),
)
