"""The shipped rules with parts taken out, doubled, exchanged or replaced: whatever comes of it, lint ends and prints."""

import copy
import random
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.ruleset import default_pack, lint_packs

from tests.ruleset.packs import PACK

Way = tuple[str | int, ...]
ODD = ["", [], {}, "x", "true", "8", ["a"], {"a": "b"}, None, "{{ x }}", "{{ found }}", "{{ metadata.name }}", ".*", "1Gi"]
FILES = sorted(default_pack().rglob("RAI-*.yaml"))


def ways(value: Any, way: Way = ()) -> Iterator[Way]:
    """Yield the way to everything in a rule."""
    if way:
        yield way
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from ways(part, (*way, key))


def at(value: Any, way: Way) -> Any:
    for key in way:
        value = value[key]
    return value


def mutate(chance: random.Random, rule: Any, other: Any) -> None:
    """Change one place of a rule; ``other`` is a rule from which something may come."""
    way = chance.choice(list(ways(rule)))
    parent, key = at(rule, way[:-1]), way[-1]
    alike = [it for it in ways(other) if it[-1] == key] or list(ways(other))
    what = chance.randrange(5)
    if what == 0:
        del parent[key]
    elif what == 1:
        parent[key] = copy.deepcopy(at(other, chance.choice(list(ways(other)))))
    elif what == 2:
        parent[key] = copy.deepcopy(chance.choice(ODD))
    elif what == 3 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    else:
        parent[key] = copy.deepcopy(at(other, chance.choice(alike)))


def linted(folder: Path, seed: int, times: int) -> Counter[str]:
    """Return how often each code came out."""
    chance, found = random.Random(seed), Counter[str]()
    rules = {path.name: yaml.load(path.read_text(), Loader=yaml.CBaseLoader) for path in FILES}
    (folder / "pack.yaml").write_text(PACK)
    for _ in range(times):
        name = chance.choice(list(rules))
        rule = copy.deepcopy(rules[name])
        for _ in range(chance.randrange(1, 4)):
            if rule:
                mutate(chance, rule, chance.choice(list(rules.values())))
        (folder / name).write_text(yaml.safe_dump(rule, sort_keys=False))
        mistakes = lint_packs([folder], date(2026, 12, 24))[1]
        assert all(str(mistake) for mistake in mistakes)
        found.update(mistake.code for mistake in mistakes)
        (folder / name).unlink()
    return found


def test_nothing_breaks_lint(tmp_path: Path) -> None:
    assert len(linted(tmp_path, 3, 250)) > 15


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10))
def test_nothing_breaks_lint_in_the_long_run(tmp_path: Path, seed: int) -> None:
    assert len(linted(tmp_path, seed, 2500)) > 30
