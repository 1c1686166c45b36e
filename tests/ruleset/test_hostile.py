"""Rule files that want to hurt: a clear mistake each, quickly and in little memory."""

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from runai_analyze.ruleset import lint_packs
from runai_analyze.ruleset.nodes import read_yaml

from tests.ruleset.packs import RULE, mistakes_in, write_pack

BOMB = "a: &a [x, x]\n" + "\n".join(f"{new}: &{new} [*{old}, *{old}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True))
MEBIBYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (BOMB.encode(), "alias"),
        (b"a: &a [*a]", "alias"),
        (b"[" * 100_000, "syntax"),
        (b"- " * 100_000 + b"a", "too-deep"),
        (b"{a: " * 100_000, "too-deep"),
        (b"x" * (MEBIBYTE + 1), "unreadable"),
        (b"\xff\xfe\x00a", "unreadable"),
        (b"\x7fELF\x02\x01\x01\x00", "syntax"),
        (b"a: \x00", "syntax"),
        (b"a: !!python/object/apply:os.system [id]", ""),
        (b"a: !!python/name:os.system x", "tag"),
        (b"? [a]\n: b", "key"),
    ],
)
def test_clear_mistake(data: bytes, code: str) -> None:
    source, root = read_yaml("x.yaml", data)
    codes = [mistake.code for mistake in source.mistakes]
    assert codes == ([code] if code else [])
    assert root is None or code in ("", "tag", "key")


ANCHORS = "anchors (&) and aliases (*) are not read: write the value out, or put the text in quotes"


@pytest.mark.parametrize(
    ("data", "printed"),
    [
        (BOMB.encode(), f"x.yaml:1:4: alias {ANCHORS}\n    a: &a [x, x]\n       ^"),
        (b"- - - a\n" + b"- " * 50 + b"a\n", "x.yaml:2:83: too-deep nested more than 40 levels deep"),
        (b"x" * 10 * MEBIBYTE, "x.yaml:1:1: unreadable the file is larger than 1024 KiB"),
        (b"a: \xc3\x28", "x.yaml:1:1: unreadable the file is not UTF-8 text (byte 4)"),
        (b"? [a]\n: b", "x.yaml:1:3: key a key must be a word\n    ? [a]\n      ^"),
        (
            "ä: 1\nb: \x1b[2J\na: 3".encode(),
            "x.yaml:2:4: syntax the character U+001B is not allowed in a file: take it out, or write it as \\x1b in quotes\n"
            "    b: ?[2J\n       ^",
        ),
    ],
)
def test_whole_message(data: bytes, printed: str) -> None:
    source, _ = read_yaml("x.yaml", data)
    assert str(source.mistakes[0]).startswith(printed)


def test_an_object_tag_makes_no_object() -> None:
    _, root = read_yaml("x.yaml", b"a: !!python/object/apply:os.system [id]")
    assert "Items" in repr(root)


def test_a_long_line_is_cut_in_the_message() -> None:
    source, _ = read_yaml("x.yaml", b"a: [" + b"x, " * 1000 + b"}")
    (printed,) = map(str, source.mistakes)
    assert max(map(len, printed.split("\n"))) < 200


def test_no_mistake_can_drive_the_terminal_or_turn_words_around(tmp_path: Path) -> None:
    write_pack(tmp_path, RULE.replace("severity: high", 'severity: "hi\u202egh\\e[2J"'))
    (printed,) = mistakes_in(tmp_path)
    assert printed == (
        'nodes/RAI-TST-001.yaml:3:11: wrong-word severity is "hi‹U+202E›gh‹U+001B›[2J", '
        'must be one of critical, high, medium, low, info\n    severity: "hi?gh\\e[2J"\n              ^'
    )


def test_a_rule_file_that_is_no_map(tmp_path: Path) -> None:
    write_pack(tmp_path, "- a\n")
    assert mistakes_in(tmp_path) == [
        "nodes/RAI-TST-001.yaml:1:1: wrong-type a rule is a map of keys, this is a list\n    - a\n    ^"
    ]
    write_pack(tmp_path, "# nothing\n")
    assert mistakes_in(tmp_path) == ["nodes/RAI-TST-001.yaml:1:1: empty the file is empty\n    # nothing\n    ^"]


def test_no_text_breaks_the_explanation_of_a_syntax_error() -> None:
    """Characters that end a line, open quotes or mean something in YAML, anywhere in a rule; the seed is fixed."""
    chance = random.Random(5)
    for _ in range(1500):
        letters = list(RULE)
        for place in chance.sample(range(len(letters)), 3):
            letters[place] += chance.choice("\x85\u2028\r\n\t :-\"'`@%{}[]|>&*!#,?\\\U0001f600\ufeff")
        source, _ = read_yaml("rule", "".join(letters).encode())
        assert all(str(mistake) for mistake in source.mistakes)


# --- Many of everything -----------------------------------------------------------------------------------------------------

ONE = "  - field: status.allocatable.cpu\n    at_least: 8\n"


def _conditions(number: int) -> str:
    return RULE.replace(ONE, "".join(f"  - {{field: status.allocatable.cpu, at_least: {one}}}\n" for one in range(number)))


GROUP = "{any_of: [" + ", ".join(f"{{field: metadata.name, equals: a{one}}}" for one in range(90)) + "]}"
GROUPS = RULE.replace(ONE, f"  - {GROUP}\n" * 80)
CASE = "  - {when: [{field: metadata.name, equals: a%d}], message: x}\n"
CASES = RULE.replace("fix:", "cases:\n" + "".join(CASE % one for one in range(101)) + "fix:")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "".join(f"k{one}: x\n" for one in range(100_000))[:MEBIBYTE],
            "nodes/RAI-TST-001.yaml:201:1: too-many this file has more than 200 mistakes; the others are not listed\n"
            "    k200: x\n    ^",
        ),
        (
            _conditions(15_000),
            "nodes/RAI-TST-001.yaml:10:3: too-many a rule has at most 500 conditions, this has 15000: one_of takes many values\n"
            "      kind: Node\n      ^",
        ),
        (
            _conditions(101),
            "nodes/RAI-TST-001.yaml:112:5: too-many a list holds at most 100 conditions, this has 101: one_of takes many values\n"
            "      - {field: status.allocatable.cpu, at_least: 100}\n        ^",
        ),
        (
            GROUPS,
            "nodes/RAI-TST-001.yaml:10:3: too-many a rule has at most 500 conditions, this has 7200: one_of takes many values\n"
            "      kind: Node\n      ^",
        ),
        (
            CASES,
            "nodes/RAI-TST-001.yaml:116:13: too-many a rule has at most 100 cases, this has 101\n"
            "      - {when: [{field: metadata.name, equals: a100}], message: x}\n                ^",
        ),
    ],
)
def test_more_than_anybody_reads_is_refused_soon(tmp_path: Path, text: str, message: str) -> None:
    write_pack(tmp_path, text)
    start = time.process_time()
    assert message in mistakes_in(tmp_path)
    assert time.process_time() - start < 20


MEASURE = """
import re, sys
from runai_analyze.ruleset import lint_packs
found = len(lint_packs([sys.argv[1]])[1])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())  # ru_maxrss begins with the parent's
print(found, int(peak[1]) // 1024)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the measure is one of Linux")
@pytest.mark.parametrize("text", ["- {a: b}\n" * 110_000, "expect: [" + "{}," * 300_000 + "]\n", "a: [" + "[]," * 340_000 + "]"])
def test_the_largest_file_takes_little_memory(tmp_path: Path, text: str) -> None:
    write_pack(tmp_path, text[:MEBIBYTE])
    run = subprocess.run([sys.executable, "-c", MEASURE, str(tmp_path)], capture_output=True, text=True, check=True)
    found, mebibytes = map(int, run.stdout.split())
    assert found > 0
    assert mebibytes < 500


# --- What is no file --------------------------------------------------------------------------------------------------------


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _nowhere(path: Path) -> None:
    path.symlink_to("nowhere.yaml")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
@pytest.mark.parametrize("make", [_pipe, _loop, _device, _nowhere, Path.mkdir])
def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(write_pack(tmp_path) / "nodes" / "RAI-TST-002.yaml")
    assert mistakes_in(tmp_path) == ["nodes/RAI-TST-002.yaml:1:1: no-file this is no plain file, so nothing of it was read"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right on Windows")
def test_folders_that_hold_themselves_are_read_once(tmp_path: Path) -> None:
    folder = write_pack(tmp_path)
    (folder / "nodes" / "again").symlink_to(folder)
    assert mistakes_in(folder) == []


def test_a_packed_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "rules.zip"
    path.write_bytes(b"PK\x03\x04" + b"x" * 1000)
    (mistake,) = lint_packs([path])[1]
    assert str(mistake) == (
        f"{path}:1:1: damaged-pack this is no whole pack of rules: it cannot be read as a zip: File is not a zip file; "
        "get the file again, or make it with runai-rules pack build"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_a_name_that_does_not_print_is_said_harmlessly(tmp_path: Path) -> None:
    (write_pack(tmp_path) / "nodes" / "\x1b[2J\n.yaml").write_text(RULE)
    assert mistakes_in(tmp_path) == [
        "nodes/‹U+001B›[2J‹U+000A›.yaml:1:1: no-file this name has characters that do not print, "
        "so nothing of it was read; give the file another"
    ]


def test_a_folder_of_ten_thousand_files(tmp_path: Path) -> None:
    folder = write_pack(tmp_path)
    for number in range(10_000):
        (folder / "nodes" / f"X-{number}.yaml").write_text("x")
    start = time.process_time()
    found = lint_packs([folder])[1]
    assert sum(mistake.code == "wrong-type" for mistake in found) == 10_000
    assert time.process_time() - start < 30
