"""The table of codes: every code of the program stands in it, and each has a whole message in the tests."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from runai_analyze.ruleset import codes
from runai_analyze.ruleset.codes import CODES, level_of
from runai_analyze.ruleset.packfile import OTHER_ENGINE

RULESET = Path(codes.__file__).parent
TESTS = Path(__file__).parent.parent
NAMES = {code.name for code in CODES}
# How far along the arguments of a call its code stands.
PLACES = {"mistake": 1, "mistake_at": 2, "Mistake": 3, "made": 1, "_stop": 1, "_check_references": 3}


def emitted() -> Iterator[str]:
    """Yield the codes in calls that record a mistake, and where pairs of a code and a message are made."""
    for path in RULESET.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                place = PLACES.get(called)
                if place is not None and len(node.args) > place:
                    yield from texts(node.args[place])
            if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
                yield from texts(node.value.elts[0])
            if isinstance(node, ast.Tuple) and len(node.elts) in (2, 3) and "-" in "".join(texts(node.elts[0])):
                yield from (text for text in texts(node.elts[0]) if re.fullmatch(r"[a-z]+(-[a-z]+)+", text))
            if isinstance(node, ast.ClassDef):
                yield from (text for item in node.body if is_code(item) for text in texts(item.value))


def is_code(item: ast.stmt) -> bool:
    return isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name) and item.targets[0].id == "code"


def texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value


def test_the_search_finds_codes() -> None:
    assert {"unknown-key", "alias", "risk", "explosive-regex", "no-pack", "unknown-doc", "table-type"} <= set(emitted())
    assert len(set(emitted())) > 80


def test_every_code_that_can_be_printed_stands_in_the_table() -> None:
    said = {*emitted(), OTHER_ENGINE, *(f"unknown-{what}" for what in ("distribution", "feature"))}
    assert said - NAMES == set()


def test_the_table_has_no_code_that_nothing_prints() -> None:
    said = {*emitted(), OTHER_ENGINE, *(f"unknown-{what}" for what in ("distribution", "feature"))}
    assert NAMES - said == set()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_code_has_a_whole_message_in_the_tests(name: str) -> None:
    level = "" if level_of(name) == "error" else f"{level_of(name)}: "
    shown = re.compile(rf"\b\d+:\d+: {level}{name} \S")
    files = [path for pattern in ("ruleset/*.py", "ruleset/*.txt", "rules_cli/*.py") for path in TESTS.glob(pattern)]
    assert any(shown.search(path.read_text()) for path in files)


def test_a_code_stands_there_once_and_says_something() -> None:
    assert len(NAMES) == len(CODES)
    for code in CODES:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code.name)
        assert len(code.meaning) > 15
        assert code.example


def test_there_are_enough_kinds() -> None:
    assert sum(code.level == "error" for code in CODES) >= 75
    assert level_of("stale") == "warning"
    assert level_of("unchecked-kind") == "note"
    assert level_of("what nobody knows") == "error"
