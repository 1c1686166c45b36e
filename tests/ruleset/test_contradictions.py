"""What can never be met together, told from the rule alone, and held against the engine on many values."""

import itertools

import pytest
from runai_analyze.engine.operators import bare_operator
from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset.contradictions import essence, exclude
from runai_analyze.ruleset.rule import ClusterValue, Condition, Group, Literal_, ParamValue, Test

X = compile_path("x")
Given = tuple[str, object]


def condition(name: str, value: object, path: str = "x", **more: object) -> Condition:
    argument = value if isinstance(value, ClusterValue | ParamValue) else Literal_(value)  # type: ignore[arg-type]
    options = {key: more.pop(key) for key in ("ignore_case", "tolerance") if key in more}
    return Condition(compile_path(path), Test(name, argument, **options), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("equals", "a"), ("equals", "b")),
        (("equals", "8"), ("not_equals", "8")),
        (("equals", "a"), ("one_of", ("b", "c"))),
        (("one_of", ("a", "b")), ("one_of", ("c", "d"))),
        (("one_of", ("a", "b")), ("not_one_of", ("a", "b", "c"))),
        (("equals", "a"), ("starts_with", "b")),
        (("equals", "ab"), ("ends_with", "a")),
        (("equals", "a"), ("matches", "^b")),
        (("equals", "4"), ("at_least", "8")),
        (("at_least", "8"), ("at_most", "4")),
        (("at_least", "1Gi"), ("less_than", "1024Mi")),
        (("more_than", "8"), ("at_most", "8")),
        (("exists", "false"), ("exists", "true")),
        (("exists", "no"), ("equals", "a")),
        (("starts_with", "a"), ("starts_with", "b")),
    ],
)
def test_these_exclude_each_other(one: Given, other: Given) -> None:
    assert exclude(condition(*one), condition(*other))
    assert exclude(condition(*other), condition(*one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("equals", "a"), ("equals", "a")),
        (("equals", "8"), ("equals", "8.0")),
        (("equals", "8"), ("not_equals", "8.0")),
        (("one_of", ("a", "b")), ("one_of", ("b", "c"))),
        (("equals", "a"), ("not_equals", "b")),
        (("at_least", "8"), ("at_most", "8")),
        (("at_least", "4"), ("less_than", "8")),
        (("starts_with", "a"), ("starts_with", "ab")),
        (("equals", "a"), ("contains", "b")),
        (("equals", "1.33"), ("version", ">=1.34")),
        (("exists", "true"), ("equals", "a")),
        (("matches", "a"), ("matches", "b")),
    ],
)
def test_these_may_be_met_together_for_all_that_is_told(one: Given, other: Given) -> None:
    assert not exclude(condition(*one), condition(*other))
    assert not exclude(condition(*other), condition(*one))


def test_what_is_not_told_from_the_rule_alone_excludes_nothing() -> None:
    a, b = condition("equals", "a"), condition("equals", "b")
    assert not exclude(a, condition("equals", "b", path="y"))
    assert not exclude(condition("equals", "a", path="x[*]"), condition("equals", "b", path="x[*]"))
    assert not exclude(a, condition("equals", "A", ignore_case=True))
    assert not exclude(a, condition("equals", ParamValue("p", "b")))
    assert not exclude(condition("at_least", "8", tolerance=0.5), condition("at_most", "7"))
    assert not exclude(condition("equals", "a", when_absent="pass"), condition("equals", "b", when_absent="pass"))
    assert not exclude(condition("exists", "false"), condition("equals", "b", when_absent="pass"))
    assert exclude(a, b)


def test_groups() -> None:
    a, b, c = (condition("equals", letter) for letter in "abc")
    assert exclude(Group("any_of", (a, b)), c)
    assert not exclude(Group("any_of", (a, c)), c)
    assert exclude(Group("all_of", (a, condition("exists", "true", path="y"))), c)
    assert exclude(Group("none_of", (b, c)), c)
    assert not exclude(Group("none_of", (a, b)), c)
    assert exclude(Group("any_of", (a, b)), Group("any_of", (c,)))


def test_what_asks_the_same() -> None:
    a = condition("equals", "a")
    because = Condition(X, Test("equals", Literal_("a"), because="of this"))
    assert essence(a) == essence(because)
    assert essence(Group("any_of", (a, condition("equals", "b")))) == essence(Group("any_of", (condition("equals", "b"), a)))
    assert essence(a) != essence(condition("equals", "a", when_absent="pass"))
    assert essence(Group("any_of", (a,))) != essence(Group("all_of", (a,)))


TEXTS = ["", "a", "b", "ab", "A", "8", "8.0", "4", "1Gi", "1024Mi", "0", "1.33", "yes"]
VALUES = [*TEXTS, 8, 8.0, 4, 0, 1024**3, True, False, ["a"], {"a": "b"}]
ARGUMENTS = ["a", "b", "ab", "8", "8.0", "4", "1Gi", "1024Mi", "0"]
SINGLE = ["equals", "not_equals", "starts_with", "ends_with", "contains"]
AMOUNTS = ["at_least", "at_most", "more_than", "less_than"]
TESTS = [
    *(condition(name, value) for name in SINGLE for value in ARGUMENTS),
    *(condition(name, value) for name in AMOUNTS for value in ("8", "4", "1Gi", "0")),
    *(condition(name, value) for name in ("one_of", "not_one_of") for value in (("a", "b"), ("8", "4"), ("1Gi",))),
    *(condition("matches", value) for value in ("^a", "b$", "8")),
]


def met(one: Condition) -> frozenset[int]:
    """Return which of the values the engine says meet a condition."""
    assert isinstance(one.test.argument, Literal_)
    operator = bare_operator(one.test, one.test.argument.value, None)
    return frozenset(number for number, value in enumerate(VALUES) if operator(value) is True)


def test_the_engine_finds_no_value_that_meets_two_that_exclude_each_other() -> None:
    found = {number: met(one) for number, one in enumerate(TESTS)}
    said = 0
    for (first, one), (second, other) in itertools.combinations(enumerate(TESTS), 2):
        if exclude(one, other):
            said += 1
            both = found[first] & found[second]
            assert not both, (one.test, other.test, [VALUES[number] for number in both])
    assert said > 250
