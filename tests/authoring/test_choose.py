"""Rules chosen by what a person asks for."""

from dataclasses import replace

import pytest
from runai_analyze.authoring.choose import Wish, choose, kind_of, search_score
from runai_analyze.model import Severity
from runai_analyze.ruleset import Rule
from runai_analyze.ruleset.packs import default_pack, load_packs
from runai_analyze.ruleset.rule import Scope

from tests.ruleset.packs import load_rule

SHIPPED = load_packs([default_pack()]).rules


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Rule:
    return load_rule(tmp_path_factory.mktemp("pack")).rules[0]


def ids(wish: Wish, *rules: Rule) -> list[str]:
    return [rule.id for rule in choose(rules or SHIPPED, wish)]


def test_no_wish_is_every_rule_by_its_id(small: Rule) -> None:
    other = replace(small, id="RAI-AAA-001")
    assert ids(Wish(), small, other) == ["RAI-AAA-001", "RAI-TST-001"]


@pytest.mark.parametrize(
    ("wish", "taken"),
    [
        (Wish(severities=("high",)), True),
        (Wish(severities=("low", "high")), True),
        (Wish(severities=("low",)), False),
        (Wish(areas=("nodes",)), True),
        (Wish(areas=("gpu",)), False),
        (Wish(statuses=("stable",)), True),
        (Wish(statuses=("draft",)), False),
        (Wish(kinds=("node",)), True),
        (Wish(kinds=("Pod",)), False),
        (Wish(packs=("tests",)), True),
        (Wish(packs=("runai",)), False),
        (Wish(severities=("high",), areas=("gpu",)), False),
    ],
)
def test_each_filter(small: Rule, wish: Wish, taken: bool) -> None:
    assert (ids(wish, small) == [small.id]) is taken


@pytest.mark.parametrize(
    ("scope", "release", "taken"),
    [
        ("", "2.25", True),
        (">=2.20", "2.25", True),
        (">=2.20", "2.19", False),
        (">=2.25.3", "2.25", True),
        ("2.13 - 2.15", "2.16", False),
    ],
)
def test_a_release_takes_the_rules_whose_range_it_may_be_in(small: Rule, scope: str, release: str, taken: bool) -> None:
    assert bool(choose([replace(small, scope=Scope(runai=scope))], Wish(runai=release))) is taken


def test_what_is_no_release_is_said(small: Rule) -> None:
    with pytest.raises(ValueError, match="not a version"):
        choose([small], Wish(runai="latest"))


def test_a_kind_can_be_named_with_and_without_its_group() -> None:
    assert ids(Wish(kinds=("RunaiConfig.run.ai",))) == ids(Wish(kinds=("runaiconfig",)))
    assert {kind_of(rule) for rule in choose(SHIPPED, Wish(kinds=("RunaiConfig",)))} == {"RunaiConfig.run.ai"}


@pytest.mark.parametrize("search", ["cover host certificate", "certifcate covr host", "TLS-005"])
def test_search_finds_the_rule_in_spite_of_slips(search: str) -> None:
    assert "RAI-TLS-005" in ids(Wish(search=search))


def test_search_wants_every_word(small: Rule) -> None:
    assert search_score(small, "small nodes") == 100
    assert search_score(small, "small knative") == 0


def test_the_best_comes_first(small: Rule) -> None:
    worse = replace(small, id="RAI-AAA-001", title="Nodez are small", message=replace(small.message, text=""))
    worse = replace(worse, fix="", select=replace(small.select, kind="Pod"), area="gpu", severity=Severity.HIGH)
    assert ids(Wish(search="nodes small"), worse, small) == ["RAI-TST-001", "RAI-AAA-001"]
