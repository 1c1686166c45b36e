"""Mistakes and remarks that need more than one rule, with their whole messages.

``mistakes_in_packs.txt`` holds, for each, the files of a pack and then all that lint prints on the day 2026-12-24. ``@ FILE``
begins a file; ``@@ ID`` is the rule of ``packs.RULE`` under that id, with ``-`` text replaced by ``+`` text. Files under
``site/`` are a second pack. ``packs.RULE`` itself and a pack.yaml are always there.
"""

import re
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest
from runai_analyze.ruleset import lint_packs

from tests.ruleset.packs import PACK, RULE

TODAY = date(2026, 12, 24)
SITE = 'name: acme\nversion: 1.2\nengine: ">=0.1"\nchangelog: [first]\n'


class Section(NamedTuple):
    """One section of mistakes_in_packs.txt."""

    name: str
    files: dict[str, str]
    printed: str


def read_sections() -> list[Section]:
    """Return the sections of mistakes_in_packs.txt."""
    text = (Path(__file__).parent / "mistakes_in_packs.txt").read_text()
    return [_read(section) for section in re.split(r"^== ", text, flags=re.MULTILINE)[1:]]


def _read(section: str) -> Section:
    name, rest = section.split("\n", 1)
    given, printed = rest.split("\n=\n", 1)
    files: dict[str, str] = {}
    for part in re.split(r"^(?=@)", given, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        path, text = (head[2:], body) if head.startswith("@ ") else _rule(head[3:], body)
        files[path] = text
    return Section(name, files, printed.strip("\n"))


def _rule(name: str, body: str) -> tuple[str, str]:
    text = RULE.replace("RAI-TST-001", name)
    lines = [line[2:].replace("\\n", "\n") for line in body.strip("\n").split("\n") if line]
    for right, wrong in zip(lines[::2], lines[1::2], strict=True):
        assert right in text
        text = text.replace(right, wrong, 1)
    return f"nodes/{name}.yaml", text


def printed(folder: Path, files: dict[str, str]) -> str:
    """Write the packs, and return what lint prints of them without the name of the folder."""
    for path, text in {"pack.yaml": PACK, "nodes/RAI-TST-001.yaml": RULE, **files}.items():
        place = folder / (path if path.startswith("site/") else f"first/{path}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    packs = [folder / "first"]
    if (folder / "site").is_dir():
        (folder / "site" / "pack.yaml").write_text(files.get("site/pack.yaml", SITE))
        packs.append(folder / "site")
    found = "\n".join(map(str, lint_packs(packs, TODAY)[1]))
    return found.replace(f"{folder}/first/", "").replace(f"{folder}/", "")


@pytest.mark.parametrize("section", read_sections(), ids=lambda section: section.name)
def test_message(tmp_path: Path, section: Section) -> None:
    assert printed(tmp_path, section.files) == section.printed


def test_the_pack_itself_has_none(tmp_path: Path) -> None:
    assert printed(tmp_path, {}) == ""


def test_without_a_day_no_rule_is_too_old(tmp_path: Path) -> None:
    printed(tmp_path, {"nodes/RAI-TST-001.yaml": RULE.replace("2026-12-01", "2020-01-01")})
    assert [mistake.code for mistake in lint_packs([tmp_path / "first"], TODAY)[1]] == ["stale"]
    assert lint_packs([tmp_path / "first"])[1] == ()
