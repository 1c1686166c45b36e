"""What a save means: files that changed, rules that are about them, a bundle that is read once."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from runai_analyze.authoring.watch import Subject, changed, stamps, touched
from runai_analyze.ruleset import default_pack, load_packs

from tests.ruleset.packs import RULE, load_rule

SAMPLE = Path(__file__).parents[2] / "samples" / "healthy.tgz"
SECOND = RULE.replace("RAI-TST-001", "RAI-TST-002")


def test_a_file_that_was_written_made_or_taken_away_has_changed(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml", "c.yaml"):
        (tmp_path / name).write_text("x")
    before = stamps([tmp_path])
    (tmp_path / "a.yaml").write_text("longer")
    (tmp_path / "b.yaml").unlink()
    (tmp_path / "d.yaml").write_text("new")
    assert [Path(path).name for path in changed(before, stamps([tmp_path]))] == ["a.yaml", "b.yaml", "d.yaml"]


def test_a_save_that_leaves_the_size_as_it_was_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("x")
    before = stamps([tmp_path])
    os.utime(path, ns=(1, 1))
    assert changed(before, stamps([tmp_path])) == (str(path),)


@pytest.mark.parametrize("name", [".a.yaml.swp", "a.yaml~", "4913", ".git/config.yaml", "_drafts/a.yaml", "a.txt"])
def test_what_is_no_part_of_a_pack_is_not_looked_at(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    assert stamps([tmp_path]) == {}


def test_a_link_that_leads_nowhere_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("nowhere")
    assert stamps([tmp_path]) == {}


def test_a_rule_is_looked_at_again_when_its_file_was_saved(tmp_path: Path) -> None:
    rules = load_rule(tmp_path, **{"nodes/RAI-TST-002": SECOND}).rules
    assert [rule.id for rule in touched(rules, [rules[1].file])] == ["RAI-TST-002"]


def test_rules_that_name_a_table_or_an_extract_are_looked_at_again_when_it_was_saved() -> None:
    folder = default_pack()
    rules = load_packs([folder]).rules
    of_sizes = [rule.id for rule in touched(rules, [str(folder / "tables" / "sizes.yaml")])]
    assert of_sizes == ["RAI-NOD-011", "RAI-NOD-013", "RAI-NOD-016"]
    of_health = [rule.id for rule in touched(rules, [str(folder / "docs" / "node-health.md")])]
    assert of_health == ["RAI-NOD-009", "RAI-NOD-010"]


@pytest.mark.parametrize("name", ["pack.yaml", "fixtures/nodes.yaml", "signatures/known.yaml", "checklist.yaml", "site.yaml"])
def test_all_rules_are_looked_at_again_when_a_file_is_about_the_whole_pack(tmp_path: Path, name: str) -> None:
    rules = load_rule(tmp_path, **{"nodes/RAI-TST-002": SECOND}).rules
    assert touched(rules, [str(tmp_path / name), rules[1].file]) == rules


def test_the_bundle_is_read_again_only_for_a_kind_that_it_was_not_read_for() -> None:
    by_id = {rule.id: rule for rule in load_packs([default_pack()]).rules}
    subject = Subject(SAMPLE)
    for _ in range(3):
        subject.facts([by_id["RAI-NOD-009"]])
    assert subject.reads == 1
    subject.facts([by_id["RAI-NOD-009"], by_id["RAI-RUN-007"]])
    assert subject.reads == 2
    subject.facts([by_id["RAI-NOD-010"]])
    assert subject.reads == 2


def test_the_bundle_is_read_again_when_other_messages_are_searched_for_and_a_rule_asks_for_them() -> None:
    pack = load_packs([default_pack()])
    by_id = {rule.id: rule for rule in pack.rules}
    node = by_id["RAI-NOD-009"]
    lines = replace(node, select=replace(node.select, kind="LogLine", group="made"))
    subject = Subject(SAMPLE)
    subject.facts([node], pack.signatures)
    subject.facts([node], ())
    assert subject.reads == 1, "no rule asks for log lines"
    subject.facts([lines], pack.signatures)
    subject.facts([lines], pack.signatures)
    assert subject.reads == 2
    subject.facts([lines], pack.signatures[1:])
    assert subject.reads == 3
