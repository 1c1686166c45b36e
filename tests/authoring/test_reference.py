"""The reference page: its examples are right, and nothing of the program's tables is left out."""

from pathlib import Path

import pytest
from runai_analyze.authoring.reference import EXAMPLES, PARTS, blocks, codes, every_test, kinds, pack_blocks
from runai_analyze.engine.conditions import compile_conditions
from runai_analyze.engine.environment import Environment
from runai_analyze.facts.kinds import FIELDS, MADE_MEANINGS
from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset.codes import CODES
from runai_analyze.ruleset.format import BLOCKS, TEST_NAMES
from runai_analyze.ruleset.rule import Condition, Group, Literal_, Test

from tests.ruleset.packs import RULE, mistakes_in, write_pack

SHOWN_ELSEWHERE = {"not", "expect_count", "checklist", "section", "signatures", "site", "suppressions"}


@pytest.mark.parametrize("test", TEST_NAMES)
def test_every_test_has_an_example_that_lint_takes(tmp_path: Path, test: str) -> None:
    kind, example = EXAMPLES[test]
    assert f" {test}: " in example
    text = RULE.replace("  kind: Node\n", f"  kind: {kind}\n").replace("{{ metadata.name }} has {{ found }}", "{{ found }}")
    text = text.replace("  - field: status.allocatable.cpu\n    at_least: 8\n", f"  - {example}\n")
    lines = "\n".join(mistakes_in(write_pack(tmp_path, text)))
    assert f"nodes/RAI-TST-001.yaml:{text[: text.index(example)].count(chr(10)) + 1}:" not in lines


_LISTS = ("one_of", "not_one_of")
_ARGUMENTS = {
    **dict.fromkeys(("at_least", "at_most", "more_than", "less_than", "min_length"), "4"),
    **dict.fromkeys(("after", "before"), "2026-12-01T00:00:00Z"),
    "version": ">=1.33",
    "equals_field": "spec.other",
}


def answer(test: str, argument: str | tuple[str, ...], when_absent: str = "", mode: str = "all_of") -> bool | None:
    """Return what a condition answers of an object without its field."""
    condition = Condition(compile_path("spec.field"), Test(test, Literal_(argument)), when_absent)  # type: ignore[arg-type]
    group = Group(mode, (condition,))  # type: ignore[arg-type]
    return compile_conditions((group,), Environment({}, {}, None), "all").judge({"spec": {"other": "a"}})


@pytest.mark.parametrize("test", [name for name in TEST_NAMES if name != "exists"])
def test_what_the_page_says_of_a_field_that_is_not_set(test: str) -> None:
    argument = ("a", "b") if test in _LISTS else _ARGUMENTS.get(test, "a")
    assert answer(test, argument) is False
    assert answer(test, argument, mode="none_of") is True
    assert answer(test, argument, "pass") is True


def test_exists_tells_of_a_field_that_is_not_set() -> None:
    assert (answer("exists", "true"), answer("exists", "false")) == (False, True)


def test_every_test_stands_in_the_table() -> None:
    assert [line.split("`")[1] for line in every_test().splitlines()[2:]] == list(TEST_NAMES)


def test_every_key_of_the_format_stands_in_a_table() -> None:
    page = blocks() + every_test() + pack_blocks()
    lacking = [(name, key.name) for name, keys in BLOCKS.items() for key in keys if f"`{key.name}`" not in page]
    assert [pair for pair in lacking if pair[0] not in SHOWN_ELSEWHERE] == []


def test_what_must_be_there_is_bold() -> None:
    assert "| **`title`** | text | the fault, as a headline |" in blocks()
    assert "| `impact` | text | what it means for the customer |" in blocks()


def test_every_kind_and_fact_and_code_is_listed() -> None:
    assert [kind for kind in MADE_MEANINGS if f"| `{kind}` |" not in kinds()] == []
    facts = [field.path for field in FIELDS if field.kind not in MADE_MEANINGS]
    assert [path for path in facts if f"`{path}`" not in kinds()] == []
    assert [code.name for code in CODES if f"| `{code.name}` | {code.level} |" not in codes()] == []


@pytest.mark.parametrize("part", PARTS)
def test_the_tables_are_tables(part: str) -> None:
    for table in PARTS[part]().split("\n\n"):
        lines = [line for line in table.splitlines() if line.startswith("|")]
        assert len({line.replace("\\|", "").count("|") for line in lines}) <= 1
