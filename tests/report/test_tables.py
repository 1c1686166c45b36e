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


def test_digests_and_memory_are_shortened() -> None:
    table = Table("t", "T", ("A", "B"), ((f"registry/x@sha256:{'ab' * 32}", "66696128Ki"),), 1)
    assert arrange(table).rows == (("registry/x@sha256:abababababab…", "63.6 GiB"),)


def test_frequent_values_are_counted_in_the_note() -> None:
    table = Table("nodes", "Nodes", ("name", "kubelet"), (("a", "v1.35.4"), ("b", "v1.35.4"), ("c", "v1.34.0")), 3, "not all")
    assert arrange(table).note == "not all; 2 × v1.35.4, 1 × v1.34.0"


def test_certificates_are_sorted_by_their_end() -> None:
    table = Table("certificates", "C", ("secret", "valid until"), (("a", "2027-01-01"), ("b", "2026-12-01")), 2)
    assert [row[0] for row in arrange(table).rows] == ["b", "a"]


def test_an_empty_table_stays() -> None:
    empty = Table("t", "T", ("A",), (), 0)
    assert arrange(empty) == empty


def test_tally_counts_the_values_of_a_column() -> None:
    assert tally(NODES, "State") == (("Ready", 2), ("NotReady", 1))
    assert tally(NODES, "Missing") == ()
