"""A pack as JSON and back: everything a pack can hold comes back as it was, and nothing else can be made."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from runai_analyze.model import Command, Missing, Severity, Status
from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset import Pack, default_pack, load_packs
from runai_analyze.ruleset.codec import from_json, to_json
from runai_analyze.ruleset.rule import Group, NotRun

from tests.ruleset.sites import ACME, site_pack


@pytest.fixture(scope="module")
def shipped() -> Pack:
    return load_packs([default_pack()])


def test_the_shipped_pack_comes_back(shipped: Pack) -> None:
    again = from_json(to_json(shipped))
    assert again == shipped
    same = [repr(replace(pack, kinds=frozenset())) for pack in (again, shipped)]
    assert same[0] == same[1]  # also the types: a list is no tuple, 1 is not 1.0


def test_paths_lead_where_they_led(shipped: Pack) -> None:
    rule = replace(shipped.rules[0], group_by=(compile_path("spec.containers[*].image"),))
    (path,) = from_json(to_json(replace(shipped, rules=(rule,)))).rules[0].group_by
    assert path.values({"spec": {"containers": [{"image": "a"}, {"image": "b"}]}}) == ["a", "b"]


def test_what_a_site_says_comes_back(tmp_path: Path) -> None:
    site = "changes:\n  - {rule: RAI-TST-001, reason: x, severity: low}\n"
    accepted = "suppressions:\n  - {rule: RAI-TST-001, match: {kind: Node}, reason: x, by: y, until: 2027-01-01}\n"
    pack = site_pack(tmp_path, pack=ACME, site=site, suppressions=accepted)
    assert (len(pack.changes), len(pack.acceptances), len(pack.info)) == (1, 1, 2)
    assert from_json(to_json(pack)) == pack


def test_rarer_values_come_back(shipped: Pack) -> None:
    rule = shipped.rules[0]
    cluster = {"a": [1, 2.5, None, True, "\ud800"]}
    example = replace(rule.examples[0], bundle_time=datetime(2026, 12, 1, 12, 30, tzinfo=UTC), cluster=cluster)
    group, command = Group("any_of", ()), Command("a", "b", "c")
    odd = replace(rule, examples=(example,), severity=Severity.INFO, expect=(group,), commands=(command,))
    skipped = NotRun(odd, Status.UNKNOWN, "for another version", (Missing("kind Node", "forbidden", taken_out=("--x",)),))
    pack = replace(shipped, rules=(odd,), not_run=(skipped,))
    assert from_json(to_json(pack)) == pack


ODD = (b"", b"{}", b"[]", b"[0]", b"[5]", b"[5, [0]]", b"[-1, 2]", b"[99]", b'["os.system", "id"]', b"[21, 1, 2]", b'[3, "now"]')


@pytest.mark.parametrize("data", ODD)
def test_nothing_else_is_a_pack(data: bytes) -> None:
    with pytest.raises((ValueError, TypeError, KeyError, IndexError)):
        from_json(data)


def test_a_value_that_no_pack_holds_is_not_written(shipped: Pack) -> None:
    with pytest.raises((TypeError, KeyError)):
        to_json(replace(shipped, docs={"a": object()}))  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        to_json(replace(shipped, docs={1: None}))  # type: ignore[dict-item]


def test_a_class_of_another_version_is_refused(shipped: Pack) -> None:
    data = json.loads(to_json(shipped))
    with pytest.raises(ValueError, match="a Pack of another version"):
        from_json(json.dumps([*data, "more"]).encode())
