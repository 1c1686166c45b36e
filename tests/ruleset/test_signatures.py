"""Signatures: read, proven by their own lines, named by rules; the mistakes in them; and all of them laid on a log at once."""

from pathlib import Path

import pytest
from runai_analyze.ruleset import default_pack, load_packs
from runai_analyze.ruleset.packs import read_packs
from runai_analyze.ruleset.rule import Signature
from runai_analyze.ruleset.signatures import Finder

PACK = 'name: acme\nversion: 1\nengine: ">=0.1"\nchangelog: [first rules]\n'
GOOD = """\
signatures:
  - id: disk-full
    title: a disk is full
    component: linux
    pattern: No space left on device
    source: https://example.com/disk
    matches: ['write /x: No space left on device']
    others: [No space for guests]
"""
LIKE = """\
signatures:
  - id: lost
    title: a connection was lost
    component: agent
    similar_to: lost connection to server acme-1 after 5 seconds
    contains: lost connection
    source: https://example.com/lost
    matches: [Lost connection to server acme-77 after 900 seconds]
    others: [nobody lost connection while the weather was fine]
"""
RULE = """\
id: ACME-LOG-001
title: A disk is full
severity: high
area: nodes
status: stable
revision: 1
changed: 2026-11-30
owner: nodes
report_each:
  kind: LogLine
  where:
    - {field: signature, equals: disk-full}
message: "{{ metadata.namespace }}/{{ metadata.name }} says that a disk is full"
fix: {text: make room}
examples:
  - name: full
    given: [{kind: LogLine, metadata: {namespace: runai, name: agent-1/agent}, signature: disk-full}]
    result: fail
    message_contains: runai/agent-1/agent says that a disk is full
  - name: nothing found
    given: []
    result: pass
  - name: no logs
    given: []
    not_collected: [LogLine]
    result: unknown
"""


def mistakes(folder: Path, signatures: str, rule: str = "") -> list[str]:
    (folder / "pack.yaml").write_text(PACK)
    (folder / "signatures").mkdir()
    (folder / "signatures" / "known.yaml").write_text(signatures)
    if rule:
        (folder / "nodes").mkdir()
        (folder / "nodes" / "ACME-LOG-001.yaml").write_text(rule)
    _, found = read_packs([folder])
    return [f"{one.line}:{one.column}: {one.code} {one.message}" for one in found if one.level == "error"]


def test_a_pack_brings_its_signatures(tmp_path: Path) -> None:
    assert mistakes(tmp_path, GOOD + LIKE.removeprefix("signatures:\n"), RULE) == []
    pack = load_packs([tmp_path])
    assert [(one.id, one.component) for one in pack.signatures] == [("disk-full", "linux"), ("lost", "agent")]


def test_a_later_pack_takes_the_place_of_a_signature(tmp_path: Path) -> None:
    for name, text in (("a", GOOD), ("b", GOOD.replace("a disk is full", "mine"))):
        (tmp_path / name).mkdir()
        assert mistakes(tmp_path / name, text) == []
        (tmp_path / name / "pack.yaml").write_text(PACK.replace("acme", name))
    assert [one.title for one in load_packs([tmp_path / "a", tmp_path / "b"]).signatures] == ["mine"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("id: disk-full", "id: Disk_Full", '2:9: bad-id "Disk_Full" is no id of a signature: small letters, digits and hyphens'),
        ("    title: a disk is full\n", "", "2:5: missing-key a signature needs title (what the message means, in a few words)"),
        ("pattern: No", "patern: No", '5:5: unknown-key "patern" is no key of a signature; did you mean "pattern"?'),
        ("pattern: No space left on device", "pattern: '(a'", "5:14: bad-regex not a regular expression: ( is never closed"),
        ("pattern: No space left on device", "pattern: '(a+)+'", "5:14: explosive-regex this pattern can explode"),
        ("pattern: No space", "pattern: '^No space", "5:14: bad-regex a line may have anything before and behind the message"),
        ("device\n", "device$\n", "5:14: bad-regex a line may have anything before and behind the message: leave out ^ and $"),
        ("pattern: No space left on device", "pattern: x*", "5:14: always-true this pattern is found in every line"),
        ("    source: https", "    score: 90\n    source: https", "6:12: useless score means nothing beside pattern"),
        ("write /x: No space", "write /x: no space", "7:15: signature-line the signature disk-full does not find this line"),
        ("No space for guests", "No space left on device", "8:14: signature-line the signature disk-full finds this line"),
    ],
)
def test_mistakes_of_a_pattern(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    text = text.replace("left on device\n    source", "left on device'\n    source") if "'^No" in new else text
    assert any(one.startswith(said) for one in mistakes(tmp_path, text)), mistakes


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    contains: lost connection\n", "", "2:5: missing-key similar_to needs contains: words of at least 4 letters"),
        ("contains: lost connection", "contains: at", "6:15: missing-key similar_to needs contains"),
        ("    contains", "    score: 20\n    contains", "6:12: bad-score score is 20, must be 50 to 100"),
        ("Lost connection to server acme-77 after 900 seconds", "the agent lost connection again", "8:15: signature-line"),
        ("    contains", "    pattern: x\n    contains", "2:5: exactly-one a signature needs exactly one of pattern, similar_to"),
    ],
)
def test_mistakes_of_what_is_similar(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in LIKE
    found = mistakes(tmp_path, LIKE.replace(old, new, 1))
    assert any(one.startswith(said) for one in found), found


def test_the_same_id_twice_is_a_mistake(tmp_path: Path) -> None:
    assert mistakes(tmp_path, GOOD + GOOD.removeprefix("signatures:\n")) == [
        '9:5: duplicate-id signature "disk-full" stands there twice'
    ]


def test_a_rule_must_name_a_signature_that_there_is(tmp_path: Path) -> None:
    found = mistakes(tmp_path, GOOD, RULE.replace("equals: disk-full", "equals: disk-ful"))
    assert '12:34: unknown-signature "disk-ful" is no signature of a pack; did you mean "disk-full"?' in found


# --- Laid on logs -----------------------------------------------------------------------------------------------------------


def signature(name: str, pattern: str = "", similar_to: str = "", contains: str = "", score: int = 85) -> Signature:
    return Signature(name, name, "x", pattern, (similar_to,) if similar_to else (), contains, score, "s")


def test_next_finds_the_line_and_the_line_tells_which() -> None:
    finder = Finder([signature("one", "lost [a-z]+"), signature("two", "(?i)LOST"), signature("three", "gone")])
    log = b"fine\nlost connection\nfine\nLOST\n"
    assert finder.next(log, 0) == 5
    assert finder.next(log, 21) == 26
    assert finder.next(log, 31) == -1
    assert [one.id for one in finder.of_line("lost connection")] == ["one", "two"]
    assert [one.id for one in finder.of_line("LOST")] == ["two"]


def test_a_pattern_ends_at_the_end_of_a_line() -> None:
    finder = Finder([signature("one", r"a\s*b"), signature("two", "c[^x]d")])
    assert finder.next(b"a\nb\nc\nd", 0) == -1
    assert finder.next(b"a b", 0) == 0


def test_without_signatures_nothing_is_found() -> None:
    assert (Finder([]).next(b"x", 0), Finder([]).of_line("x")) == (-1, ())


def test_groups_and_flags_of_one_pattern_do_not_touch_another() -> None:
    finder = Finder([signature("one", "(?i)abc|def"), signature("two", "(ghi)(?P<n>j)"), signature("three", "(?P<n>k)lm")])
    assert finder.next(b"GHIJ KLM", 0) == -1
    assert finder.next(b"xDEF", 0) == 1
    assert finder.next(b"ghij", 0) == 0


def test_what_is_similar_is_looked_for_by_its_words_whatever_their_case() -> None:
    finder = Finder([signature("one", similar_to="Lost connection to server 1", contains="Lost Connection")])
    assert finder.next(b"x\nlost connection to server 77\n", 0) == 2
    assert [one.id for one in finder.of_line("lost connection to server 77")] == ["one"]
    assert finder.of_line("lost connection, and then everything else went wrong in the same hour") == ()


def test_every_signature_of_the_shipped_pack_has_a_source() -> None:
    signatures = load_packs([default_pack()]).signatures
    assert len(signatures) >= 15
    assert all(one.source.startswith("https://") for one in signatures)


def test_the_signature_in_the_reference_is_one(tmp_path: Path) -> None:
    text = (default_pack() / "REFERENCE.md").read_text()
    start = text.index("```yaml\nsignatures:") + len("```yaml\n")
    assert mistakes(tmp_path, text[start : text.index("```", start)]) == []
    assert [one.id for one in load_packs([tmp_path]).signatures] == ["gpu-lost"]
