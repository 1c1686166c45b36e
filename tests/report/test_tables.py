"""Inventory tables: sorted, cut, counted."""

from runai_analyze.model import Table
from runai_analyze.report.tables import arrange, tally

NODES = Table("nodes", "Nodes", ("Name", "State"), (("gpu-10", "Ready"), ("gpu-2", "Ready"), ("gpu-1", "NotReady")), 3)


def test_rows_are_sorted_as_people_read() -> None:
    assert [row[0] for row in arrange(NODES).rows] == ["gpu-1", "gpu-2", "gpu-10"]


def test_rows_are_cut_and_counted() -> None:
    short = arrange(NODES, rows=2)
    assert (len(short.rows), short.total) == (2, 3)


def test_later_columns_decide_between_equal_ones() -> None:
    table = Table("t", "T", ("A", "B"), (("x", "2"), ("x", "10"), ("w", "3")), 3)
    assert arrange(table).rows == (("w", "3"), ("x", "2"), ("x", "10"))


def test_cells_stay_text() -> None:
    table = Table("t", "T", ("A", "B", "C"), (("007", "", "nan"), ("1e5", "NaN", "None")), 2)
    assert arrange(table).rows == (("1e5", "NaN", "None"), ("007", "", "nan"))


def test_columns_may_bear_one_title_and_rows_may_be_ragged() -> None:
    table = Table("t", "T", ("A", "A"), (("b",), ("a", "1", "2")), 2)
    assert arrange(table).rows == (("a", "1"), ("b", ""))


def test_long_cells_are_cut() -> None:
    table = Table("t", "T", ("A",), (("x" * 5000,),), 1)
    assert arrange(table).rows[0][0].endswith("… (5,000 characters)")


def test_an_empty_table_stays() -> None:
    empty = Table("t", "T", ("A",), (), 0)
    assert arrange(empty) == empty


def test_tally_counts_the_values_of_a_column() -> None:
    assert tally(NODES, "State") == (("Ready", 2), ("NotReady", 1))
    assert tally(NODES, "Missing") == ()
