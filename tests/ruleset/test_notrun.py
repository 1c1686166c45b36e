"""Which rules run: replaced ones do not, those for a newer version of the program are unknown, and nothing is silently gone."""

from pathlib import Path

import pytest
from runai_analyze.errors import RuleErrors
from runai_analyze.model import Severity, SiteChange, Status
from runai_analyze.ruleset import load_packs, read_packs

from tests.ruleset.packs import PACK, RULE, write_pack
from tests.ruleset.sites import ACME, printed, site_pack, write_site

NEWER = ACME.replace(">=0.1", ">=99")
OWN = RULE.replace("RAI-TST-001", "ACM-TST-001")
# A rule with a test that this version does not know.
UNKNOWN = OWN.replace("    at_least: 8\n", "    resembles: 8\n")


def test_a_replaced_rule_is_not_run_and_told(tmp_path: Path) -> None:
    own = OWN.replace("owner: tests", "owner: tests\nreplaces: RAI-TST-001").replace("Nodes are small", "Nodes are tiny")
    pack = site_pack(tmp_path, RULE, **{"nodes__ACM-TST-001": own})
    assert [rule.id for rule in pack.rules] == ["ACM-TST-001"]
    assert [(it.rule.id, it.status, it.message) for it in pack.not_run] == [
        ("RAI-TST-001", Status.NOT_APPLICABLE, "Replaced by ACM-TST-001 of acme 1.2.")
    ]
    change = SiteChange("RAI-TST-001", "Nodes are small", "replaced by ACM-TST-001", "acme 1.2", "Nodes are tiny")
    assert pack.changes == (change,)


def test_a_rule_that_is_switched_off_replaces_none(tmp_path: Path) -> None:
    own = OWN.replace("owner: tests", "owner: tests\nreplaces: RAI-TST-001")
    folders = write_site(tmp_path, RULE, **{"nodes__ACM-TST-001": own})
    last = tmp_path / "last"
    last.mkdir()
    (last / "pack.yaml").write_text(ACME.replace("acme", "plant"))
    (last / "site.yaml").write_text("changes: [{rule: ACM-TST-001, enabled: false, reason: no}]\n")
    pack = load_packs([*folders, last])
    assert ([rule.id for rule in pack.rules], [it.rule.id for it in pack.not_run]) == (["RAI-TST-001"], ["ACM-TST-001"])


def test_what_waits_for_a_replaced_rule_waits_for_the_new_one(tmp_path: Path) -> None:
    folders = write_site(tmp_path, RULE, **{"nodes__ACM-TST-001": OWN.replace("owner: tests", "owner: t\nreplaces: RAI-TST-001")})
    waiting = RULE.replace("RAI-TST-001", "RAI-TST-002").replace("owner: tests", "owner: tests\nonly_if_passed: RAI-TST-001")
    (folders[0] / "nodes" / "RAI-TST-002.yaml").write_text(waiting.replace("Nodes are", "Some nodes are"))
    rules = {rule.id: rule for rule in load_packs(folders).rules}
    assert rules["RAI-TST-002"].only_if_passed == ("ACM-TST-001",)


def test_a_rule_that_waits_for_what_it_replaces_is_a_loop(tmp_path: Path) -> None:
    own = OWN.replace("owner: tests", "owner: tests\nreplaces: RAI-TST-001\nonly_if_passed: RAI-TST-001")
    said = [it for it in printed(tmp_path, **{"nodes__ACM-TST-001": own}) if " loop " in it]
    assert said[0].startswith("nodes/ACM-TST-001.yaml:9:11: loop what RAI-TST-001 was needed for leads back to ACM-TST-001")


# --- a pack for another version of the program ----------------------------------------------------------------------------------


def test_rules_that_this_version_does_not_know_are_unknown_and_the_others_run(tmp_path: Path) -> None:
    fine = OWN.replace("ACM-TST-001", "ACM-TST-002")
    pack = site_pack(tmp_path, RULE, pack=NEWER, **{"nodes__ACM-TST-001": UNKNOWN, "nodes__ACM-TST-002": fine})
    assert [rule.id for rule in pack.rules] == ["ACM-TST-002", "RAI-TST-001"]
    (lost,) = pack.not_run
    assert (lost.rule.id, lost.rule.title, lost.rule.severity, lost.status) == (
        "ACM-TST-001",
        "Nodes are small",
        Severity.HIGH,
        Status.UNKNOWN,
    )
    words = "Unknown: acme 1.2 needs runai-analyze >=99. The rule has words that this version does not know: "
    assert lost.message.startswith(words)
    assert [(gap.what, gap.reason, gap.command) for gap in lost.missing] == [
        ("Rules for another version of runai-analyze", "acme 1.2 needs runai-analyze >=99", "")
    ]
    note = "made for runai-analyze >=99, which this is not: 1 of its 2 rules was not run (ACM-TST-001)"
    assert [info.note for info in pack.info] == ["", note]


def test_lint_tells_every_mistake_of_such_a_pack(tmp_path: Path) -> None:
    folders = write_site(tmp_path, RULE, pack=NEWER, **{"nodes__ACM-TST-001": UNKNOWN})
    codes = [mistake.code for mistake in read_packs(folders)[1] if mistake.level == "error"]
    assert "engine" in codes
    assert "unknown-key" in codes


def test_a_mistake_that_no_version_would_read_is_one_all_the_same(tmp_path: Path) -> None:
    folders = write_site(tmp_path, RULE, pack=NEWER, **{"nodes__ACM-TST-001": OWN + "\tx: 1\n"})
    with pytest.raises(RuleErrors) as caught:
        load_packs(folders)
    assert [": tab " in line for line in caught.value.lines] == [True]


def test_what_builds_on_such_a_rule_is_unknown_too(tmp_path: Path) -> None:
    waiting = OWN.replace("ACM-TST-001", "ACM-TST-002").replace("owner: tests", "owner: tests\nonly_if_passed: ACM-TST-001")
    pack = site_pack(tmp_path, RULE, pack=NEWER, **{"nodes__ACM-TST-001": UNKNOWN, "nodes__ACM-TST-002": waiting})
    assert [rule.id for rule in pack.rules] == ["RAI-TST-001"]
    assert [(it.rule.id, it.status) for it in pack.not_run] == [
        ("ACM-TST-001", Status.UNKNOWN),
        ("ACM-TST-002", Status.UNKNOWN),
    ]
    assert pack.not_run[1].message == "Unknown: it builds on ACM-TST-001, which could not be judged."


def test_an_unknown_key_of_its_other_files_stops_nothing_and_is_told(tmp_path: Path) -> None:
    pack = site_pack(tmp_path, RULE, pack=NEWER + "licence: x\n", site="changes: [{rule: RAI-TST-001, when: x, reason: y}]\n")
    assert pack.info[1].note.endswith(": all its rules were run; not all of pack.yaml, site.yaml could be read")


def test_a_pack_in_range_has_no_such_mercy(tmp_path: Path) -> None:
    with pytest.raises(RuleErrors):
        site_pack(tmp_path, RULE, **{"nodes__ACM-TST-001": UNKNOWN})


# --- a pack of the name of an earlier one -----------------------------------------------------------------------------------


def test_a_pack_takes_the_place_of_one_of_its_name(tmp_path: Path) -> None:
    first = write_pack(tmp_path / "a")
    site = write_site(tmp_path, "")[1]
    update = write_pack(tmp_path / "b", RULE.replace("at_least: 8", "at_least: 4"), pack=PACK.replace("1.0", "1.1"))
    pack = load_packs([first, site, update])
    assert [str(info) for info in pack.info] == ["tests 1.1", "acme 1.2"]
    assert (pack.info[0].replaces, pack.info[0].note) == ("tests 1.0", "")
    assert pack.rules[0].file.startswith(str(update))


def test_a_pack_that_is_older_than_the_one_in_whose_place_it_is_used_says_so(tmp_path: Path) -> None:
    newer = write_pack(tmp_path / "a", pack=PACK.replace("1.0", "2026.12.1"))
    older = write_pack(tmp_path / "b", pack=PACK.replace("1.0", "2026.9.30"))
    assert load_packs([newer, older]).info[0].note == "older than tests 2026.12.1, in whose place it is used"
