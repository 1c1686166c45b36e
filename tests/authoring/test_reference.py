"""The reference page: its examples are right, and nothing of the program's tables is left out."""

from pathlib import Path

import pytest
from runai_analyze.authoring.reference import EXAMPLES, PARTS, blocks, codes, every_test, kinds, pack_blocks
from runai_analyze.facts.kinds import FIELDS, MADE_MEANINGS
from runai_analyze.ruleset.codes import CODES
from runai_analyze.ruleset.format import BLOCKS, TEST_NAMES

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


def test_what_is_said_of_a_field_that_is_not_set() -> None:
    rows = {line.split("`")[1]: line for line in every_test().splitlines()[2:]}
    assert list(rows) == list(TEST_NAMES)
    assert rows["not_equals"].endswith("| false | true | true |")
    assert rows["exists"].endswith("| `true`: false, `false`: true | the opposite | means nothing |")


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
