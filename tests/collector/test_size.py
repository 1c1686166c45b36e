"""The collector stays small enough to be read in an hour."""

import ast
from pathlib import Path

COLLECTOR = Path(__file__).parents[2] / "collector"
MOST_LINES = 3500  # of code: what a reviewer reads in an hour


def code_lines(source: str) -> int:
    """Return the number of lines that are neither blank, nor a comment, nor of a docstring."""
    lines = {number for number, line in enumerate(source.splitlines(), 1) if line.strip() and not line.strip().startswith("#")}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            assert docstring.end_lineno is not None
            lines -= set(range(docstring.lineno, docstring.end_lineno + 1))
    return len(lines)


def test_lines_of_code_are_counted_without_blanks_comments_and_docstrings() -> None:
    source = '"""A module\nof one function."""\n\n# why\ndef one() -> int:\n    """Return 1."""\n    return 1  # it is\n'
    assert code_lines(source) == 2


def test_it_is_read_in_an_hour() -> None:
    modules = sorted((COLLECTOR / "runai_collect").glob("*.py"))
    assert sum(code_lines(module.read_text()) for module in modules) < MOST_LINES
