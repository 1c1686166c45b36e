"""Packs: all files at once, references across files, tables, checklist, extracts, digest."""

from pathlib import Path

import pytest
from runai_analyze.errors import RuleErrors, UserError
from runai_analyze.ruleset import default_pack, load_packs, read_packs
from runai_analyze.ruleset.rule import Cell

from tests.ruleset.packs import RULE, TABLE, load_rule, mistakes_in, write_pack


def test_a_pack_is_rules_tables_checklist_and_kinds(tmp_path: Path) -> None:
    pack = load_rule(
        tmp_path, RULE.replace("owner: tests", "owner: tests\nchecklist: node-size\napplies_to: {needs_namespace: x}")
    )
    assert [rule.id for rule in pack.rules] == ["RAI-TST-001"]
    assert pack.rules[0].checklist == "node-size"
    assert pack.kinds == {("Node", None), ("Namespace", None)}
    assert [(section.section, line.id) for section in pack.checklist for line in section.lines] == [("Hardware", "node-size")]
    assert pack.tables["racks"].rows["2.25"]["memory"] == Cell("20Gi", "derived", "notes")
    assert pack.tables["racks"].rows["2.24"]["cpu"] == Cell(None, "unknown", "nowhere")
    assert pack.tables["racks"].rows["2.25"]["flags"].value == ("a", "b")
    (info,) = pack.info
    assert (info.name, info.version, info.rules) == ("tests", "1.0", 1)


def test_the_digest_names_the_contents(tmp_path: Path) -> None:
    one, same, other = (write_pack(tmp_path / name) for name in ("one", "same", "other"))
    (other / "nodes" / "RAI-TST-001.yaml").write_text(RULE.replace("Buy", "Rent"))
    (same / "README.md").write_text("for people only")
    (same / "nodes" / "RAI-TST-001.yaml").write_bytes(RULE.replace("\n", "\r\n").encode())
    digests = [read_packs([folder])[0].info[0].digest for folder in (one, same, other)]
    assert digests[0] == digests[1] != digests[2]
    assert len(digests[0]) == 64


def test_all_mistakes_of_all_files_come_at_once_in_order(tmp_path: Path) -> None:
    write_pack(
        tmp_path,
        RULE.replace("severity: high", "severity: bad"),
        nodes__RAI_TST="x: 1\n",
        tables__racks=TABLE.replace("cpu: number", "cpu: numbr"),
        pack="name: tests\n",
    )
    places = [line.split("\n")[0].split(" ")[:2] for line in mistakes_in(tmp_path)]
    assert places == [
        ["nodes/RAI-TST-001.yaml:3:11:", "wrong-word"],
        ["nodes/RAI_TST.yaml:1:1:", "exactly-one"],
        ["nodes/RAI_TST.yaml:1:1:", "missing-examples"],
        ["nodes/RAI_TST.yaml:1:1:", "missing-key"],
        ["nodes/RAI_TST.yaml:1:1:", "unknown-key"],
        ["pack.yaml:1:1:", "missing-key"],
        ["tables/racks.yaml:4:35:", "wrong-word"],
    ]
    with pytest.raises(RuleErrors) as caught:
        load_packs([tmp_path])
    assert len(caught.value.lines) == 7
    assert caught.value.exit_code == 4
    assert (caught.value.message, caught.value.hint) == ("7 mistakes in the rules", f"runai-rules lint {tmp_path}")


def test_an_id_is_used_once_in_all_packs(tmp_path: Path) -> None:
    first, second = write_pack(tmp_path / "a"), write_pack(tmp_path / "b")
    _, mistakes = read_packs([first, second])
    (mistake,) = mistakes
    assert (mistake.file, mistake.line, mistake.code) == (f"{second}/nodes/RAI-TST-001.yaml", 1, "duplicate-id")
    assert mistake.message == f"RAI-TST-001 is the id of {first}/nodes/RAI-TST-001.yaml too"


def test_a_loop_over_two_rules_is_found_in_both(tmp_path: Path) -> None:
    def rule(name: str, before: str) -> str:
        return RULE.replace("RAI-TST-001", name).replace("owner: tests", f"owner: tests\nonly_if_passed: {before}")

    write_pack(tmp_path, rule("RAI-TST-001", "RAI-TST-002"))
    (tmp_path / "nodes" / "RAI-TST-002.yaml").write_text(rule("RAI-TST-002", "[RAI-TST-001]"))
    assert [line.split("\n")[0] for line in mistakes_in(tmp_path)] == [
        "nodes/RAI-TST-001.yaml:9:17: loop only_if_passed leads back to RAI-TST-001",
        "nodes/RAI-TST-002.yaml:9:17: loop only_if_passed leads back to RAI-TST-002",
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('"1.33 - 1.35"', '"1.35 - 1.33"', '7:25: bad-value no version can be in "1.35 - 1.33"'),
        ("value: 10,", "value: ten,", "8:18: bad-value not a quantity: ten"),
        (
            "value: 20Gi",
            "value: 20",
            '9:21: bad-value the quantity "20" has no unit; a column of type number is for plain numbers',
        ),
        ("value: [a, b]", "value: a", "10:20: bad-value a value of type list is a list"),
        ("value: 10,", "value: [10],", "8:18: bad-value a value of type number is one value"),
        (
            "confidence: derived",
            "confidence: guessed",
            '9:39: wrong-word confidence is "guessed", must be one of documented, third_party, derived, uncertain, unknown',
        ),
        ("confidence: derived, source: notes", "confidence: derived", "9:13: missing-key a derived value needs its source"),
        (
            "    cpu: {value: 10",
            "    cpus: {value: 10",
            '8:5: unknown-column the table has no column "cpus"; did you mean "cpu"?',
        ),
        ("table: racks", "table: rack", '1:8: id-file the table is "rack" and the file is "racks.yaml"; they must be equal'),
        ('"2.24":\n', '"2.25":\n', '11:3: duplicate-key "2.25" is written twice; the first is in line 6'),
    ],
)
def test_tables_are_checked(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    assert right in TABLE
    write_pack(tmp_path, tables__racks=TABLE.replace(right, wrong, 1))
    assert [line.split("\n")[0] for line in mistakes_in(tmp_path)] == [f"tables/racks.yaml:{message}"]


def test_checklist_lines_are_checked(tmp_path: Path) -> None:
    lines = "      - {id: a, title: A, feature: inferense}\n      - {id: a, title: B, optional: perhaps}\n"
    write_pack(tmp_path, checklist=f"checklist:\n  - section: S\n    lines:\n{lines}")
    assert [line.split("\n")[0] for line in mistakes_in(tmp_path)] == [
        'checklist.yaml:4:36: unknown-feature "inferense" is no feature; did you mean "inference"?',
        'checklist.yaml:5:9: duplicate-id checklist line "a" stands there twice',
        'checklist.yaml:5:37: wrong-type optional must be true or false, this is "perhaps"',
    ]


def test_extracts_have_title_and_source(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, RULE.replace("owner: tests", "owner: tests\ndocs: good"))
    (folder / "docs").mkdir()
    (folder / "docs" / "good.md").write_text("# Sizes\n\nEight cores.\n\nSource: the page\n")
    (folder / "docs" / "bad.md").write_text("Sizes\n")
    pack, mistakes = read_packs([folder])
    assert (pack.docs["good"].title, pack.docs["good"].text, pack.docs["good"].source) == ("Sizes", "Eight cores.", "the page")
    assert {(mistake.file, mistake.code) for mistake in mistakes} == {(f"{folder}/docs/bad.md", "bad-doc")}


def test_a_pack_for_a_newer_program_is_refused(tmp_path: Path) -> None:
    write_pack(tmp_path, pack='name: tests\nversion: 1.0\nengine: ">=99"\nchangelog: [x]\n')
    assert mistakes_in(tmp_path)[0].split("\n")[0].startswith("pack.yaml:3:9: engine the pack needs runai-analyze >=99, this is ")


def test_a_folder_without_pack_yaml_says_so(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (mistake,) = read_packs([tmp_path / "rules"])[1]
    said = "rules:1:1: no-pack a folder of rules needs a pack.yaml; the smallest one is\n    name: acme\n    version: 1\n"
    assert str(mistake).replace(f"{tmp_path}/", "").startswith(said)
    with pytest.raises(UserError):
        read_packs([tmp_path / "none"])


def test_a_later_pack_may_replace_a_table(tmp_path: Path) -> None:
    first = write_pack(tmp_path / "a")
    second = write_pack(
        tmp_path / "b", rule="", tables__racks=TABLE.replace("value: 10,", "value: 12,"), checklist="checklist: []\n"
    )
    assert load_packs([first, second]).tables["racks"].rows["2.25"]["cpu"].value == "12"


def test_the_shipped_pack_is_found() -> None:
    assert (default_pack() / "pack.yaml").is_file()
