"""Rule files that want to hurt: a clear mistake each, quickly."""

import random
from pathlib import Path

import pytest
from runai_analyze.ruleset.nodes import read_yaml

from tests.ruleset.packs import RULE

BOMB = "a: &a [x, x]\n" + "\n".join(f"{new}: &{new} [*{old}, *{old}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (BOMB.encode(), "alias"),
        (b"a: &a [*a]", "alias"),
        (b"[" * 100_000, "syntax"),
        (b"- " * 100_000 + b"a", "too-deep"),
        (b"{a: " * 100_000, "too-deep"),
        (b"x" * (1024 * 1024 + 1), "unreadable"),
        (b"\xff\xfe\x00a", "unreadable"),
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


def test_an_object_tag_makes_no_object() -> None:
    _, root = read_yaml("x.yaml", b"a: !!python/object/apply:os.system [id]")
    assert "Items" in repr(root)


def test_a_long_line_is_cut_in_the_message() -> None:
    source, _ = read_yaml("x.yaml", b"a: [" + b"x, " * 1000 + b"}")
    (printed,) = map(str, source.mistakes)
    assert max(map(len, printed.split("\n"))) < 200


def test_a_rule_file_that_is_no_map(tmp_path: Path) -> None:
    from tests.ruleset.packs import mistakes_in, write_pack

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
