"""The truth table of every test: a value that meets it, one that does not, absent, hidden, unknown, not comparable."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.model import Missing, Unknown

from tests.engine.facts import SomeFacts, expect_rule, run_rule, status_of, thing

GONE = Unknown(Missing("", "could not be computed"))
HIDDEN = "a «redacted:password» b"
# test and argument, values that meet it, values that do not, values that it cannot be laid on
TABLE: list[tuple[str, list[Any], list[Any], list[Any]]] = [
    ("equals: 8", ["8", 8, 8.0], ["8.0", 9, "", True, [8]], []),
    ("equals: true", [True, "true"], [False, "True", 1], []),
    ("equals: 1.30", ["1.30", 1.3], ["1.3"], []),
    ("equals: [a, b]", [["a", "b"]], [["b", "a"], ["a"], "a"], []),
    ("equals: On, ignore_case: true", ["ON", "on"], ["off"], []),
    ("not_equals: 8", ["9", 9, ""], ["8", 8], []),
    ("one_of: [a, b]", ["a", "b"], ["c", "A"], []),
    ("not_one_of: [a, b]", ["c"], ["a", "b"], []),
    ("contains: b", ["abc", ["a", "b"], {"b": 1}], ["ac", ["abc"], {"a": "b"}, []], []),
    ("contains: B, ignore_case: true", ["abc", ["b"]], ["ac"], []),
    ("contains: [a, b]", ["ab", ["b", "a"]], ["a", ["a"]], []),
    ("starts_with: ab", ["abc"], ["cab"], [["abc"]]),
    ("ends_with: bc", ["abc"], ["bca"], [{"a": 1}]),
    ('matches: "^a.c$"', ["abc"], ["xabc", "ABC"], ["x" * 70_000, ["abc"]]),
    ('matches: "^a", ignore_case: true', ["ABC"], ["b"], []),
    ("at_least: 16Gi", ["16Gi", "17179869184", 17179869184, "1Ti"], ["15Gi", "16G", 0], ["much", True, []]),
    ("at_least: 16Gi, tolerance: 6%", ["15.6Gi", "15.04Gi"], ["15Gi"], []),
    ("at_most: 100m", ["0.1", "50m", 0], ["101m", 1], ["-"]),
    ("at_most: 100, tolerance: 10%", ["110"], ["111"], []),
    ("more_than: 2", ["3", "2001m"], ["2", 2], ["two"]),
    ("less_than: 2", ["1999m"], ["2"], ["two"]),
    ('version: "1.33 - 1.35"', ["v1.35.9-eks-1", "1.33"], ["1.36.0", "v1.32.9"], ["latest", "1", 1.35]),
    ('version: ">=1.35.4"', ["1.35.4"], ["1.35.3"], ["1.35"]),
    ("after: bundle_time + 30d", ["2027-01-01T00:00:00Z"], ["2026-12-31T11:59:59Z", "2026-12-01"], ["soon", 5]),
    ("before: bundle_time", ["2026-12-01T11:59:59Z"], ["2026-12-01T12:00:00Z"], ["soon"]),
    ("before: 2026-01-01", ["2025-12-31T23:59:59Z"], ["2026-01-01T00:00:00Z"], []),
    ("covers_host: a.b.c", ["a.b.c", "*.b.c", ["x", "A.B.C"]], ["b.c", "*.c", "*.a.b.c", "a.b", []], []),
    ("equals_field: spec.other", ["same"], ["else"], []),
    (
        "similar_to: Failed to pull image",
        ["failed to  PULL image", "image pull failed to start: Failed to pull image", "Failed to pull image 10.0.0.1"],
        ["Back-off restarting container", "", 5],
        [["Failed to pull image"], "x" * 5000],
    ),
    ("min_length: 2", ["ab", ["a", "b"], {"a": 1, "b": 2}], ["a", [], ""], [5]),
]


def answer(folder: Path, condition: str, value: Any) -> str:
    spec = {"other": "same"} if value is None else {"other": "same", "x": value}
    return status_of(folder, expect_rule(f"{{field: spec.x, {condition}}}"), thing(spec=spec))


@pytest.mark.parametrize(("condition", "met", "unmet", "unfit"), TABLE, ids=[row[0] for row in TABLE])
class TestTable:
    def test_met(self, tmp_path: Path, condition: str, met: list[Any], unmet: list[Any], unfit: list[Any]) -> None:
        assert [value for value in met if answer(tmp_path, condition, value) != "pass"] == []

    def test_unmet(self, tmp_path: Path, condition: str, met: list[Any], unmet: list[Any], unfit: list[Any]) -> None:
        assert [value for value in unmet if answer(tmp_path, condition, value) != "fail"] == []

    def test_unfit(self, tmp_path: Path, condition: str, met: list[Any], unmet: list[Any], unfit: list[Any]) -> None:
        assert [value for value in unfit if answer(tmp_path, condition, value) != "unknown"] == []

    def test_absent_is_false_unless_the_rule_says_otherwise(
        self, tmp_path: Path, condition: str, met: list[Any], unmet: list[Any], unfit: list[Any]
    ) -> None:
        assert answer(tmp_path, condition, None) == "fail"
        for word in ("pass", "fail", "unknown"):
            assert answer(tmp_path, f"{condition}, when_absent: {word}", None) == word

    def test_hidden_and_unknown_are_unknown(
        self, tmp_path: Path, condition: str, met: list[Any], unmet: list[Any], unfit: list[Any]
    ) -> None:
        values: list[Any] = [HIDDEN, GONE]
        if condition.split(":")[0] not in ("contains", "min_length"):
            values += [["a", HIDDEN], {"a": {"b": GONE}}]
        for value in values:
            assert answer(tmp_path, condition, value) == "unknown"


@pytest.mark.parametrize(
    ("condition", "value", "result"),
    [
        ("contains: a", ["a", HIDDEN], "pass"),
        ("contains: b", ["a", HIDDEN], "unknown"),
        ("contains: [a, b]", ["a", GONE], "unknown"),
        ("contains: password", {"password": HIDDEN}, "pass"),
        ("contains: token", {"password": HIDDEN}, "fail"),
        ("min_length: 2", ["a", HIDDEN], "pass"),
        ("min_length: 2", {"a": {"b": GONE}}, "fail"),
        ("exists: true", {"env": [HIDDEN]}, "pass"),
        ("exists: false", {"env": [HIDDEN]}, "fail"),
    ],
)
def test_what_is_hidden_elsewhere_in_a_list_or_map_makes_no_difference(
    tmp_path: Path, condition: str, value: Any, result: str
) -> None:
    assert answer(tmp_path, condition, value) == result


@pytest.mark.parametrize(
    ("wanted", "value", "result"),
    [
        ("true", "x", "pass"),
        ("true", "", "pass"),
        ("true", [], "pass"),
        ("true", False, "pass"),
        ("true", None, "fail"),
        ("false", None, "pass"),
        ("false", "x", "fail"),
        ("true", GONE, "unknown"),
        ("false", GONE, "unknown"),
        ("true", HIDDEN, "unknown"),
    ],
)
def test_exists(tmp_path: Path, wanted: str, value: Any, result: str) -> None:
    assert answer(tmp_path, f"exists: {wanted}", value) == result


def test_every_test_of_the_format_stands_in_the_table() -> None:
    from runai_analyze.ruleset.format import TEST_NAMES

    assert {row[0].split(":")[0] for row in TABLE} | {"exists"} == set(TEST_NAMES)


@pytest.mark.parametrize("host", ["a.b.c:443", "A.b.C.", "a.b.c"])
def test_port_case_and_final_dot_of_a_host_do_not_matter(tmp_path: Path, host: str) -> None:
    assert answer(tmp_path, f'covers_host: "{host}"', ["*.b.c"]) == "pass"


@pytest.mark.parametrize(
    ("host", "name", "result"),
    [
        ("10.0.0.1", "10.0.0.1", "pass"),
        ("10.0.0.1:6443", "10.0.0.1", "pass"),
        ("10.0.0.1", "*.0.0.1", "fail"),
        ("[fd00::1]:443", "fd00::1", "pass"),
        ("x.y.b.c", "*.b.c", "fail"),
        ("b.c", "*.c", "fail"),
        ("b.c", "*.b.c", "fail"),
        ("a.b.c", "a*.b.c", "fail"),
        ("a.b.c", "*", "fail"),
    ],
)
def test_a_wildcard_covers_one_label_and_an_address_only_itself(tmp_path: Path, host: str, name: str, result: str) -> None:
    assert answer(tmp_path, f'covers_host: "{host}"', name) == result


def test_the_other_field_may_be_absent_or_unknown(tmp_path: Path) -> None:
    rule = expect_rule("{field: spec.x, equals_field: spec.other}")
    assert status_of(tmp_path, rule, thing(spec={"x": "a"})) == "fail"
    assert status_of(tmp_path, rule, thing(spec={"x": "a", "other": GONE})) == "unknown"


def test_a_time_without_capture_time_is_unknown(tmp_path: Path) -> None:
    rule = expect_rule("{field: spec.x, after: bundle_time}")
    assert status_of(tmp_path, rule, thing(spec={"x": "2026-12-02"}), bundle_time=None) == "unknown"
    (missing,) = run_rule(tmp_path, rule, SomeFacts([thing(spec={"x": "2026-12-02"})], bundle_time=None)).missing
    assert missing.reason == "the bundle does not say when it was made (in an example: bundle_time), so no age is known"
    (missing,) = run_rule(tmp_path, rule, SomeFacts([thing(spec={"x": "soon"})])).missing
    assert missing.reason == "soon is not a time"


@pytest.mark.parametrize(
    ("keys", "data", "result"),
    [
        ("[a, b]", {"a": "on", "b": "on"}, "pass"),
        ("[a, b]", {"a": "on"}, "fail"),
        ("[a, b]", {"a": "on", "b": GONE}, "unknown"),
        ("[a, b]", {"a": "off", "b": GONE}, "fail"),
        ("[a, b]", None, "fail"),
        ("[a, b]", GONE, "unknown"),
        ("[a, b]", "flat", "unknown"),
        ("a", {"a": "on"}, "pass"),
        ('{table: racks, row: "2.25", column: flags}', {"a": "on", "b": "on"}, "pass"),
        ('{table: racks, row: "2.25", column: flags}', {"a": "on"}, "fail"),
        ('{table: racks, row: "2.24", column: flags}', {"a": "on"}, "unknown"),
        ('"{{ cluster.features }}"', {"mpi": "on"}, "pass"),
        ('"{{ cluster.planned }}"', {"mpi": "on"}, "unknown"),
    ],
)
def test_keys(tmp_path: Path, keys: str, data: Any, result: str) -> None:
    body = {} if data is None else {"data": data}
    rule = expect_rule(f"{{field: data, equals: on, keys: {keys}}}")
    assert status_of(tmp_path, rule, thing(**body), cluster={"features": ["mpi"]}) == result
