"""What a site may change in rules of earlier packs: on or off, severity, params; everything else is a mistake with a way out."""

from pathlib import Path

import pytest
from runai_analyze.model import Severity, SiteChange, Status

from tests.ruleset.sites import TUNED, printed, site_pack

CHANGE = "changes:\n  - rule: RAI-TST-001\n    reason: Ours are small.\n"


def test_severity_and_params_are_changed_and_the_change_is_told(tmp_path: Path) -> None:
    pack = site_pack(tmp_path, site=f'{CHANGE}    severity: low\n    params: {{least: "4", never: [z]}}\n')
    (rule,) = pack.rules
    assert (rule.severity, dict(rule.params)) == (Severity.LOW, {"least": "4", "never": ("z",)})
    told = [(it.what, it.pack, it.reason) for it in pack.changes]
    assert told == [
        ("least: 8 → 4", "acme 1.2", "Ours are small."),
        ("never: x, y → z", "acme 1.2", "Ours are small."),
        ("severity high → low", "acme 1.2", "Ours are small."),
    ]


def test_the_changed_value_is_what_the_condition_compares_with(tmp_path: Path) -> None:
    from runai_analyze.engine import evaluate
    from runai_analyze.facts import example_facts

    node = {"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "6"}}}
    answers = []
    for number, least in enumerate(("8", "4")):
        pack = site_pack(tmp_path / str(number), site=f'{CHANGE}    params: {{least: "{least}"}}\n')
        facts = example_facts(given=(node,), cluster={}, not_collected=(), bundle_time=None, kinds=pack.kinds)
        answers.append(evaluate(pack, facts)[0].status)
    assert answers == [Status.FAIL, Status.PASS]


def test_a_rule_that_is_switched_off_is_listed_with_the_reason(tmp_path: Path) -> None:
    pack = site_pack(tmp_path, site=f"{CHANGE}    enabled: false\n")
    (off,) = pack.not_run
    assert (pack.rules, pack.kinds) == ((), frozenset())
    assert (off.rule.id, off.status, off.message) == (
        "RAI-TST-001",
        Status.NOT_APPLICABLE,
        "Switched off by acme 1.2: Ours are small.",
    )
    assert pack.changes == (SiteChange("RAI-TST-001", "Nodes are small", "switched off", "acme 1.2", "Ours are small."),)


def test_a_later_pack_has_the_last_word(tmp_path: Path) -> None:
    from runai_analyze.ruleset import load_packs

    from tests.ruleset.sites import ACME, write_site

    folders = write_site(tmp_path, site=f"{CHANGE}    enabled: false\n    severity: low\n")
    last = tmp_path / "last"
    last.mkdir()
    (last / "pack.yaml").write_text(ACME.replace("acme", "plant"))
    (last / "site.yaml").write_text(f"{CHANGE}    enabled: true\n    severity: info\n")
    pack = load_packs([*folders, last])
    assert (pack.rules[0].severity, pack.not_run) == (Severity.INFO, ())
    assert [(it.what, it.pack) for it in pack.changes] == [
        ("severity high → low", "acme 1.2"),
        ("switched off", "acme 1.2"),
        ("severity low → info", "plant 1.2"),
        ("switched on", "plant 1.2"),
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "    expect: [{field: a, equals: b}]\n    severity: low\n",
            "site.yaml:4:5: logic a site changes enabled, severity and params of a rule, never expect: "
            "write a rule with an id of its own that says replaces: RAI-TST-001\n"
            "        expect: [{field: a, equals: b}]\n        ^",
        ),
        (
            "    params: {lest: 4}\n",
            'site.yaml:4:20: unknown-param RAI-TST-001 has no param "lest"; did you mean "least"?\n'
            "        params: {lest: 4}\n                       ^",
        ),
        (
            "    params: {least: many}\n",
            "site.yaml:4:21: bad-param RAI-TST-001 cannot take this: ",
        ),
        (
            "    params: {least: [4, 5]}\n",
            "site.yaml:4:21: wrong-type least of RAI-TST-001 is one value: 8",
        ),
        ("    params: {never: z}\n", "site.yaml:4:21: wrong-type never of RAI-TST-001 is a list: x, y"),
        ("    severity: hihg\n", 'site.yaml:4:15: wrong-word severity is "hihg", must be one of '),
        ("    enabled: perhaps\n", 'site.yaml:4:14: wrong-type enabled must be true or false, this is "perhaps"'),
        ("    severty: low\n", 'site.yaml:4:5: unknown-key "severty" is no key of a change; did you mean "severity"?'),
        ("", "site.yaml:2:5: useless this changes nothing: it needs enabled, severity or params"),
    ],
)
def test_what_a_site_may_not_change_is_said_at_its_place(tmp_path: Path, lines: str, message: str) -> None:
    (said,) = printed(tmp_path, site=CHANGE + lines)
    assert said.startswith(message)


def test_a_rule_that_is_not_there_is_a_mistake_of_lint(tmp_path: Path) -> None:
    (said,) = printed(tmp_path, site=CHANGE.replace("TST-001", "TST-002") + "    enabled: false\n")
    assert said.startswith('site.yaml:2:11: unknown-rule "RAI-TST-002" is no rule; did you mean "RAI-TST-001"?\n')


def test_a_rule_that_is_no_more_stops_no_analysis_and_is_told(tmp_path: Path) -> None:
    text = CHANGE.replace("TST-001", "TST-002") + "    enabled: false\n"
    pack = site_pack(tmp_path, site=text, suppressions=_accepting("RAI-TST-003"))
    assert len(pack.rules) == 1
    assert pack.info[1].note.startswith('site.yaml:2: "RAI-TST-002" is no rule')
    assert 'suppressions.yaml:2: "RAI-TST-003" is no rule' in pack.info[1].note


def _accepting(rule: str) -> str:
    return f"suppressions:\n  - {{rule: {rule}, match: {{kind: Node}}, reason: x, by: y, until: 2027-01-01}}\n"


def test_a_rule_of_the_pack_itself_is_changed_in_the_rule(tmp_path: Path) -> None:
    own = TUNED.replace("RAI-TST-001", "ACM-TST-001")
    text = CHANGE.replace("RAI-TST-001", "ACM-TST-001") + "    enabled: false\n"
    (said,) = printed(tmp_path, site=text, **{"nodes__ACM-TST-001": own})
    told = "site.yaml:2:11: own-rule ACM-TST-001 is a rule of this pack or of a later one: change the rule itself"
    assert said.split("\n")[0] == told


def test_one_entry_a_rule(tmp_path: Path) -> None:
    again = CHANGE + "    severity: low\n" + CHANGE.split("\n", 1)[1] + "    enabled: false\n"
    (said,) = printed(tmp_path, site=again)
    told = "site.yaml:5:11: duplicate-entry RAI-TST-001 is changed in line 2 already: write one entry a rule"
    assert said.split("\n")[0] == told
