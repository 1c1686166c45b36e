"""What runs at a customer stays small enough to be read in an hour: the modules that a plain run loads. What only an option or
another command uses, or a list of many pages, is loaded by that alone, and counted apart."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "collector" / "runai_collect"
MOST_LINES = 3500  # of code: what a reviewer reads in an hour
MOST_OTHERS = 2000
OPTIONAL = {
    "inspect", "remove", "reader", "node", "node_plan", "rbac", "planned", "planfile", "probe", "endpoints", "inpod", "websocket",
    "check", "wishes", "values", "as_json", "items", "proof",
}  # fmt: skip


def code_lines(source: str) -> int:
    """Return the number of lines that are neither blank, nor a comment, nor of a docstring."""
    lines = {number for number, line in enumerate(source.splitlines(), 1) if line.strip() and not line.strip().startswith("#")}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            assert docstring.end_lineno is not None
            lines -= set(range(docstring.lineno, docstring.end_lineno + 1))
    return len(lines)


def loaded() -> set[str]:
    """Return the names of the modules that a run without options loads."""
    code = "import sys, runai_collect.cli; print(*[name for name in sys.modules if name.startswith('runai_collect.')])"
    ran = subprocess.run([sys.executable, "-c", code], cwd=PACKAGE.parent, capture_output=True, text=True, check=True)
    return {name.split(".")[1] for name in ran.stdout.split()}


def lines_of(names: set[str]) -> int:
    return sum(code_lines((PACKAGE / f"{name}.py").read_text()) for name in names)


def test_lines_of_code_are_counted_without_blanks_comments_and_docstrings() -> None:
    source = '"""A module\nof one function."""\n\n# why\ndef one() -> int:\n    """Return 1."""\n    return 1  # it is\n'
    assert code_lines(source) == 2


def test_a_plain_run_is_read_in_an_hour() -> None:
    assert lines_of(loaded()) < MOST_LINES


def test_what_an_option_needs_is_loaded_by_it_alone() -> None:
    assert loaded().isdisjoint(OPTIONAL)


def test_the_optional_parts_stay_small() -> None:
    others = {path.stem for path in PACKAGE.glob("*.py")} - loaded()
    assert lines_of(others) < MOST_OTHERS
