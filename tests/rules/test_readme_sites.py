"""The parts of the reference that are about packs and sites: what stands there works as it says."""

import re
from pathlib import Path

import pytest
from runai_analyze.ruleset import default_pack, load_packs
from runai_analyze.ruleset.format import BLOCKS

PAGE = (default_pack() / "REFERENCE.md").read_text()


def blocks() -> dict[str, str]:
    """Return the examples in YAML by their first key."""
    return {text.split(":")[0]: text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)}


def test_the_examples_make_a_pack_without_mistakes(tmp_path: Path) -> None:
    for file, key in (("pack.yaml", "name"), ("site.yaml", "changes"), ("suppressions.yaml", "suppressions")):
        (tmp_path / file).write_text(blocks()[key])
    pack = load_packs([default_pack(), tmp_path])
    assert [(it.rule, it.what) for it in pack.changes] == [
        ("RAI-STO-004", "switched off"),
        ("RAI-NOD-006", "severity medium → low"),
        ("RAI-TLS-003", "warn_until: bundle_time + 30d → bundle_time + 60d"),
    ]
    assert [(it.fingerprint or it.rule, it.until) for it in pack.acceptances] == [
        ("06c580ab92e86803", "2027-03-01"),
        ("RAI-NOD-005", "2027-01-31"),
    ]
    assert pack.info[1].note == ""


@pytest.mark.parametrize("name", ["pack", "change", "suppression"])
def test_every_key_is_named(name: str) -> None:
    part = PAGE[PAGE.index("## A pack of your own") : PAGE.index("## Tables, checklist")]
    assert [key.name for key in BLOCKS[name] if key.name not in part] == []
