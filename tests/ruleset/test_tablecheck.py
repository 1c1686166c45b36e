"""A table that stands in for that of an earlier pack: its columns must do for the rules that were written for the earlier one."""

from pathlib import Path

import pytest
from runai_analyze.model import RuleTable

from tests.ruleset.packs import RULE, TABLE
from tests.ruleset.sites import printed, site_pack

CELL = RULE.replace("at_least: 8", 'at_least: {table: racks, row: "2.25", column: cpu}')


def test_the_later_table_counts_and_says_whose_place_it_takes(tmp_path: Path) -> None:
    pack = site_pack(tmp_path, CELL, tables__racks=TABLE.replace("value: 10,", "value: 12,").replace("2026-12-01", "2026-12-24"))
    assert pack.tables["racks"].rows["2.25"]["cpu"].value == "12"
    assert pack.used_tables == (RuleTable("racks", "2026-12-24", "acme 1.2", "tests 1.0"),)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        (
            "cpu: ",
            "cpus: ",
            '4:1: missing-column RAI-TST-001 needs the column "cpu" (number) of this table; did you mean "cpus"?\n'
            "    columns: {kubernetes: range, cpus: number, memory: quantity, flags: list}\n    ^",
        ),
        (
            "cpu: number",
            "cpu: text",
            '4:35: column-type RAI-TST-001 needs the column "cpu" to be of type number, as it is in tests 1.0\n',
        ),
    ],
)
def test_a_column_that_rules_need_is_missed_at_its_place(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    (said,) = printed(tmp_path, CELL, tables__racks=TABLE.replace(right, wrong))
    assert said.startswith(f"tables/racks.yaml:{message}")


def test_a_column_that_no_rule_needs_may_go(tmp_path: Path) -> None:
    table = TABLE.replace(", flags: list", "").replace("    flags: {value: [a, b], confidence: third_party, source: talk}\n", "")
    assert printed(tmp_path, CELL, tables__racks=table) == []
