"""Every kind of mistake in a rule with its whole message: place, code, what was meant, the line and the caret.

``mistakes.txt`` holds, for each, what is replaced in the rule of ``packs.RULE`` (``-`` and ``+``, line ends as ``\\n``) and then
all that lint prints, without the name of the file.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.ruleset.packs import RULE, mistakes_in, write_pack


class Mistake(NamedTuple):
    """One section of mistakes.txt."""

    name: str
    right: str
    wrong: str
    printed: str


def read_mistakes() -> list[Mistake]:
    """Return the sections of mistakes.txt."""
    sections = (Path(__file__).parent / "mistakes.txt").read_text().split("== ")[1:]
    return [_read(section) for section in sections]


def _read(section: str) -> Mistake:
    name, right, wrong, printed = section.split("\n", 3)
    return Mistake(name, *(line[2:].replace("\\n", "\n").replace("\\t", "\t") for line in (right, wrong)), printed.strip("\n"))


MISTAKES = read_mistakes()


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_message(tmp_path: Path, mistake: Mistake) -> None:
    assert mistake.right in RULE
    write_pack(tmp_path, RULE.replace(mistake.right, mistake.wrong, 1))
    assert "\n".join(mistakes_in(tmp_path)).replace("nodes/RAI-TST-001.yaml:", "") == mistake.printed


def test_there_are_enough_kinds() -> None:
    codes = {line.split(" ")[1] for mistake in MISTAKES for line in mistake.printed.split("\n") if line[:1].isdigit()}
    assert len(MISTAKES) >= 180
    assert len(codes) >= 55


def test_the_rule_itself_has_none(tmp_path: Path) -> None:
    assert mistakes_in(write_pack(tmp_path)) == []
