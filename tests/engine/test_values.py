"""Values as people read them."""

import pytest
from runai_analyze.engine.values import as_text, display


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("66696128Ki", "63.6Gi"),
        ("3145728Ki", "3Gi"),
        ("4194303Ki", "3.9Gi"),  # one short of 4Gi
        ("101430960Ki", "96.7Gi"),
        ("1000000Ki", "0.9Gi"),
        ("524288Ki", "524288Ki"),
        ("16Gi", "16Gi"),
        ("1.5e9Ki", "1.5e9Ki"),
        ("66696128", "66696128"),
    ],
)
def test_memory_and_disks_are_said_in_gibibytes_and_never_as_more_than_there_is(value: str, text: str) -> None:
    assert display(value) == text
    assert as_text(value) == value, "what tests compare stays exact"


def test_amounts_in_a_list_too() -> None:
    assert display(["66696128Ki", "32Gi"]) == "63.6Gi, 32Gi"
