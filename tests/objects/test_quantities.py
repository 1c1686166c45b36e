"""Quantities against values worked out by hand from the definition of each suffix, and against the API machinery itself."""

from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from runai_analyze.objects.quantities import parse_quantity


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("5", 5),
        ("+5", 5),
        ("-5", -5),
        ("1.5", Fraction(3, 2)),
        (".5", Fraction(1, 2)),
        ("1.", 1),
        ("100m", Fraction(1, 10)),
        ("1500m", Fraction(3, 2)),
        ("250u", Fraction(1, 4000)),
        ("1n", Fraction(1, 10**9)),
        ("2k", 2000),
        ("3M", 3_000_000),
        ("4G", 4_000_000_000),
        ("5T", 5_000_000_000_000),
        ("6P", 6_000_000_000_000_000),
        ("7E", 7_000_000_000_000_000_000),
        ("1Ki", 1024),
        ("2Mi", 2_097_152),
        ("16Gi", 17_179_869_184),
        ("1Ti", 1_099_511_627_776),
        ("1Pi", 1_125_899_906_842_624),
        ("1Ei", 1_152_921_504_606_846_976),
        ("0.5Gi", 536_870_912),
        ("-1Ki", -1024),
        ("1e3", 1000),
        ("1E3", 1000),
        ("1e-3", Fraction(1, 1000)),
        ("1E", 10**18),
        ("12e0", 12),
        ("16319920Ki", 16_711_598_080),
    ],
)
def test_value(text: str, value: Fraction) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(("number", "value"), [(8, 8), (0, 0), (1.5, Fraction(3, 2)), (-2, -2), (1e21, 10**21)])
def test_numbers_of_json(number: float, value: Fraction) -> None:
    assert parse_quantity(number) == value


def test_rounds_away_from_zero_to_nano() -> None:
    assert parse_quantity("0.1n") == Fraction(1, 10**9)
    assert parse_quantity("-0.1n") == Fraction(-1, 10**9)
    assert parse_quantity("1.0000000001") == 1 + Fraction(1, 10**9)


def test_caps_what_has_an_i_at_the_largest_signed_64_bit_number() -> None:
    assert parse_quantity("8Ei") == 9_223_372_036_854_775_807
    assert parse_quantity("-8Ei") == -9_223_372_036_854_775_807
    assert parse_quantity("10E") == 10**19  # the API machinery has no cap for these


def test_a_tiny_exponent_is_rounded_up_and_a_huge_one_refused() -> None:
    assert parse_quantity("1e-999999999") == Fraction(1, 10**9)
    assert parse_quantity("1e99") == 10**99
    with pytest.raises(ValueError, match="exponent above 99"):
        parse_quantity("1e999999999")


@pytest.mark.parametrize(
    "text",
    ["", " ", "1 Gi", "1ki", "1KI", "1gi", "1e", "1e1.5", "--1", "1.2.3", "1GiB", "１", "1" * 257, "n1", "0x10", "inf", "nan"],
)
def test_refuses(text: str) -> None:
    with pytest.raises(ValueError):
        parse_quantity(text)


@pytest.mark.parametrize("text", [".", "-.", "+", "-", "Gi", "m"])
def test_refuses_a_text_without_a_digit_that_is_zero_to_the_api_machinery(text: str) -> None:
    with pytest.raises(ValueError):
        parse_quantity(text)


@pytest.mark.parametrize("value", [True, None, [], {}, b"1"])
def test_refuses_other_types(value: object) -> None:
    with pytest.raises(ValueError):
        parse_quantity(value)


def rows(name: str) -> list[tuple[str, str | None]]:
    """Return the rows (text, exact decimal number or None) of a table that the API machinery filled."""
    return [tuple(row) for row in yaml.load((Path(__file__).parent / name).read_bytes(), yaml.CSafeLoader)]


@pytest.mark.parametrize(("name", "count", "valid"), [("quantity_vectors.yaml", 469, 454), ("quantity_drawn.yaml", 500, 385)])
def test_agrees_with_the_api_machinery(name: str, count: int, valid: int) -> None:
    wrong, read = [], 0
    table = [(text, value) for text, value in rows(name) if value is None or text.lstrip("+-.")[:1].isdigit()]
    for text, value in table:
        try:
            found: Fraction | None = parse_quantity(text)
            read += 1
        except ValueError:
            found = None
        if found != (None if value is None else Fraction(value)):
            wrong.append((text, value, found))
    assert wrong == []
    assert (len(table), read) == (count, valid)
