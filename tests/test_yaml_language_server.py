"""The schema in the server that editors use: a typo is underlined at its place, keys and paths are completed, help is shown."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from runai_analyze.rules_cli import main

from tests.ruleset.packs import RULE, write_pack
from tests.yaml_server import MissingServerError, Server, running

MODELINE = "# yaml-language-server: $schema=../rule.schema.json\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack with its schema, as the README says to make it."""
    pack = write_pack(tmp_path_factory.mktemp("pack"))
    assert CliRunner().invoke(main, ["schema", str(pack), "-o", str(pack / "rule.schema.json")]).exit_code == 0
    return pack


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    try:
        with running(folder) as server:
            yield server
    except MissingServerError as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(str(missing))


def opened(server: Server, folder: Path, name: str, text: str) -> tuple[Path, list[tuple[int, int, str]]]:
    """Return the file, and where (counted from 1, without the modeline) the server says what of it."""
    path = folder / "nodes" / f"{name}.yaml"
    found = server.open(path, MODELINE + text)
    places = [(one["range"]["start"]["line"], one["range"]["start"]["character"] + 1, one["message"]) for one in found]
    return path, sorted(places)


def test_a_right_rule_has_no_mistakes(server: Server, folder: Path) -> None:
    assert opened(server, folder, "right", RULE)[1] == []


@pytest.mark.parametrize(
    ("name", "old", "new", "place"),
    [
        ("key", "title:", "titel:", (2, 1, "Property titel is not allowed.")),
        ("word", "severity: high", "severity: hihg", (3, 11, 'Value is not accepted. Valid values: "critical"')),
        ("test", "    at_least: 8", "    at_lest: 8", (13, 5, "Property at_lest is not allowed.")),
        ("none", "    at_least: 8\n", "", (12, 5, "A condition needs exactly one test")),
        ("two", "    at_least: 8\n", "    at_least: 8\n    at_most: 9\n", (12, 5, "A condition needs exactly one test")),
        ("kind", "kind: Node\nexpect", "kind: Nodd\nexpect", (10, 9, "No kind of Kubernetes, and none that the program makes.")),
        ("selection", "for_each:", "report_each:", (1, 1, "expect belongs to for_each.")),
        ("id", "RAI-TST-001", "tst-1", (1, 5, "An id is <PACK>-<AREA>-<NNN>, such as ACME-GPU-012.")),
    ],
)
def test_a_mistake_is_underlined_at_its_place(
    server: Server, folder: Path, name: str, old: str, new: str, place: tuple[int, int, str]
) -> None:
    _, found = opened(server, folder, name, RULE.replace(old, new, 1))
    assert [one for one in found if one[:2] == place[:2] and one[2].startswith(place[2])], found


def complete(server: Server, folder: Path, name: str, old: str, new: str) -> dict[str, dict[str, object]]:
    """Return what is proposed at the mark | of a rule."""
    text = MODELINE + RULE.replace(old, new, 1)
    line = next(number for number, line in enumerate(text.splitlines()) if "|" in line)
    path, _ = opened(server, folder, name, RULE.replace(old, new.replace("|", ""), 1))
    return server.complete(path, line, text.splitlines()[line].index("|"))


def test_keys_of_a_rule_are_completed(server: Server, folder: Path) -> None:
    proposed = complete(server, folder, "keys", "owner: tests\n", "owner: tests\n|\n")
    assert {"applies_to", "only_if_passed", "impact", "docs", "group_by"} <= proposed.keys()
    assert "owner" not in proposed  # it is there already


def test_tests_of_a_condition_are_completed(server: Server, folder: Path) -> None:
    proposed = complete(server, folder, "tests", "    at_least: 8\n", "    |\n")
    assert {"equals", "at_least", "similar_to", "when_absent", "because"} <= proposed.keys()


def test_words_are_completed(server: Server, folder: Path) -> None:
    proposed = complete(server, folder, "words", "severity: high", "severity: |")
    assert set(proposed) == {"critical", "high", "medium", "low", "info"}


def test_the_paths_of_the_kind_are_completed(server: Server, folder: Path) -> None:
    proposed = complete(server, folder, "paths", "field: status.allocatable.cpu", "field: |")
    assert {"facts.ready", "facts.os_family", "spec.unschedulable"} <= proposed.keys()
    assert "nvidia_smi.ok" not in proposed  # that is GpuNode's
    assert "condition Ready is True" in str(proposed["facts.ready"])


def test_kinds_are_completed(server: Server, folder: Path) -> None:
    proposed = complete(server, folder, "kinds", "kind: Node\nexpect", "kind: |\nexpect")
    assert {"Pod", "GpuNode", "EventGroup", "RunaiConfig.run.ai"} <= proposed.keys()


def test_tables_are_completed(server: Server, folder: Path) -> None:
    proposed = complete(server, folder, "tables", "    at_least: 8\n", "    at_least:\n      table: |\n")
    assert {"sizes", "support-matrix"} <= proposed.keys()


def test_help_is_shown(server: Server, folder: Path) -> None:
    path, _ = opened(server, folder, "help", RULE)
    assert "How bad it is. One of: critical, high, medium, low, info." in server.hover(path, 3, 3)
    assert "Number or Kubernetes quantity, at least so much." in server.hover(path, 13, 6)
