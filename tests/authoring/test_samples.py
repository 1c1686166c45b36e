"""Objects made from conditions."""

from typing import Any

import pytest
from runai_analyze.authoring.proposal import Asked
from runai_analyze.authoring.samples import NoSampleError, needs_time, pair


def values(kind: str, asked: Asked, **named: str) -> tuple[Any, Any]:
    """Return what stands at a one-word path in the object that meets the condition, and in the one that does not."""
    meets, fails = pair(kind, {}, [asked], **named)
    return meets.get(asked.path, "absent"), fails.get(asked.path, "absent")


@pytest.mark.parametrize(
    ("test", "argument", "meets", "fails"),
    [
        ("equals", "a", "a", "ax"),
        ("not_equals", "a", "ax", "a"),
        ("one_of", ("a", "b"), "a", "ax"),
        ("not_one_of", ("a", "b"), "ax", "a"),
        ("contains", "a", "a", "other"),
        ("starts_with", "ab", "ab", "xab"),
        ("ends_with", "ab", "ab", "abx"),
        ("matches", "^docker.io/", "docker.io/", "^docker.io/"),
        ("at_least", "16Gi", "16Gi", "15Gi"),
        ("less_than", "3", "2", "3"),
        ("version", ">=1.33", "1.33", "0"),
        ("after", "bundle_time + 30d", "2027-01-01T12:00:00Z", "2026-12-30T12:00:00Z"),
        ("before", "2026-01-01T00:00:00Z", "2025-12-31T00:00:00Z", "2026-01-02T00:00:00Z"),
        ("covers_host", "a.example", "a.example", "a.examplex"),
        ("min_length", "3", "other", "3"),
        ("similar_to", "no space left on device", "no space left on device", "other"),
        ("exists", "true", "x", "absent"),
        ("exists", "false", "absent", "x"),
    ],
)
def test_a_value_that_meets_and_one_that_does_not(test: str, argument: Any, meets: Any, fails: Any) -> None:
    found = values("Thing", Asked("f", test, argument))
    assert (str(found[0]), str(found[1])) == (meets, fails)


@pytest.mark.parametrize(
    ("path", "test", "argument", "meets"),
    [
        ("spec.unschedulable", "equals", "true", {"spec": {"unschedulable": True}}),
        ("spec.taints", "exists", "true", {"spec": {"taints": [{}]}}),
        ('status.allocatable["nvidia.com/gpu"]', "at_least", "4", {"status": {"allocatable": {"nvidia.com/gpu": "4"}}}),
        (
            "status.daemonEndpoints.kubeletEndpoint.Port",
            "more_than",
            "1",
            {"status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": 2}}}},
        ),
        ("facts.ready", "equals", "true", {"facts": {"ready": True}}),
    ],
)
def test_values_are_of_the_type_of_the_field(path: str, test: str, argument: str, meets: dict[str, Any]) -> None:
    assert pair("Node", {}, [Asked(path, test, argument)])[0] == meets


def test_all_conditions_are_met_and_then_the_first_is_not() -> None:
    meets, fails = pair("Thing", {}, [Asked("a", "equals", "x"), Asked("b", "exists", "true")])
    assert (meets, fails) == ({"a": "x", "b": "x"}, {"a": "xx", "b": "x"})


def test_two_fields_are_compared() -> None:
    meets, fails = pair("Thing", {}, [Asked("a", "equals_field", "b")])
    assert (meets, fails) == ({"a": 2, "b": 2}, {"a": 1, "b": 2})


def test_values_that_the_author_names() -> None:
    assert values("Thing", Asked("f", "matches", r"^\d{3}$"), good="123", bad="12") == ("123", "12")


def test_where_no_value_is_found_one_is_asked_for() -> None:
    with pytest.raises(NoSampleError, match=r"no value was found that meets f matches; name one with --good"):
        values("Thing", Asked("f", "matches", r"^\d{3}$"))
    with pytest.raises(NoSampleError, match="quantity"):
        values("Thing", Asked("f", "at_least", "lots"))


def test_needs_time() -> None:
    assert needs_time([Asked("a", "equals", "x"), Asked("b", "before", "bundle_time")])
    assert not needs_time([Asked("a", "equals", "x")])
