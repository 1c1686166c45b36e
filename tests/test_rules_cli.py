"""runai-rules as a person runs it: what it prints and how it ends."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main
from runai_analyze.ruleset import default_pack

from tests.ruleset import packs
from tests.ruleset.packs import RULE


def write_pack(folder: Path, rule: str = RULE, **files: str) -> Path:
    """Write a pack without tables, of which one would take the place of a shipped one, and without an idle checklist."""
    packs.write_pack(folder, rule, **files)
    shutil.rmtree(folder / "tables")
    if "checklist: " not in rule:
        (folder / "checklist.yaml").unlink()
    return folder


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_lint_of_a_good_pack(tmp_path: Path) -> None:
    result = run("lint", write_pack(tmp_path))
    assert (result.exit_code, result.output) == (0, f"1 rule in {tmp_path}: no mistakes\n")


@pytest.mark.parametrize("place", ["rules", "."])
@pytest.mark.parametrize("command", ["lint", "test", "list"])
def test_without_a_path_the_pack_at_hand_is_taken_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, command: str
) -> None:
    write_pack(tmp_path / place)
    monkeypatch.chdir(tmp_path)
    result = run(command)
    assert (result.exit_code, f"1 rule in {place}" in result.output) == (0, True)


def test_without_any_pack_at_hand_the_shipped_rules_are_taken_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    output = run("lint").output
    assert f"in {default_pack()} (the rules that ship with the program): no mistakes" in output


def test_a_pack_may_name_what_the_shipped_one_holds(tmp_path: Path) -> None:
    more = "owner: tests\ndocs: [node-health]\nonly_if_passed: [RAI-NOD-009]"
    folder = write_pack(tmp_path, RULE.replace("owner: tests", more))
    given = "[{kind: Node, metadata: {name: a}, status: {conditions: [{type: Ready, status: 'False'}]}}]"
    with (folder / "nodes" / "RAI-TST-001.yaml").open("a") as file:
        file.write(f"  - name: not ready\n    given: {given}\n    result: blocked\n")
    assert run("lint", folder).output == f"1 rule in {folder}: no mistakes\n"
    assert run("test", folder / "nodes").output == f"1 rule in {folder}/nodes: 4 examples ok\n"


@pytest.mark.parametrize("text", ["", "# nothing yet\n"])
def test_an_empty_pack_file_is_a_mistake_that_shows_a_small_one(tmp_path: Path, text: str) -> None:
    result = run("lint", write_pack(tmp_path, pack=text))
    assert result.exit_code == 4
    assert result.output.startswith(f"{tmp_path}/pack.yaml:1:1: empty the file is empty; the smallest one is\n    name: acme\n")


def test_the_small_pack_file_that_is_shown_is_right(tmp_path: Path) -> None:
    (write_pack(tmp_path) / "pack.yaml").unlink()
    output = run("lint", tmp_path).output
    assert output.startswith(f"{tmp_path}:1:1: no-pack a folder of rules needs a pack.yaml; the smallest one is\n")
    small = [line[4:] for line in output.split("\n")[1:5]]
    (tmp_path / "pack.yaml").write_text("\n".join(small))
    assert run("lint", tmp_path).exit_code == 0


def test_lint_shows_all_mistakes(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, RULE.replace("severity: high", "severity: hihg\ntitel: x"))
    result = run("lint", folder)
    assert result.exit_code == 4
    assert result.output == (
        f'{folder}/nodes/RAI-TST-001.yaml:3:11: wrong-word severity is "hihg", must be one of critical, high, medium, low, info; '
        'did you mean "high"?\n    severity: hihg\n              ^\n'
        f'{folder}/nodes/RAI-TST-001.yaml:4:1: unknown-key "titel" is no key of a rule; did you mean "title"?\n'
        "    titel: x\n    ^\n"
        f"2 mistakes in 1 file of {folder}; mend these first, more may show then\n"
    )


def test_a_single_file_is_linted_in_its_pack(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, RULE.replace("owner: tests", "owner: tests\nchecklist: node-size"))
    (folder / "nodes" / "RAI-TST-002.yaml").write_text("x: 1\n")
    assert run("lint", folder / "nodes" / "RAI-TST-001.yaml").exit_code == 0
    assert run("lint", folder / "nodes" / "RAI-TST-002.yaml").exit_code == 4
    assert run("lint", folder / "nodes").exit_code == 4


def test_test_runs_every_example(tmp_path: Path) -> None:
    result = run("test", write_pack(tmp_path))
    assert (result.exit_code, result.output) == (0, f"1 rule in {tmp_path}: 3 examples ok\n")


def test_test_shows_what_came_out_otherwise(tmp_path: Path) -> None:
    text = RULE.replace('cpu: "4"', 'cpu: "8"').replace("    result: pass\n", "    result: pass\n    message_contains: two\n")
    folder = write_pack(tmp_path, text)
    result = run("test", folder)
    assert result.exit_code == 4
    assert result.output == (
        f"{folder}/nodes/RAI-TST-001.yaml:17: RAI-TST-001: large\n"
        "    - message with: two\n    + message: 1 Node looked at, as expected.\n"
        "      Node a: passes\n        status.allocatable.cpu at_least 8: found 16, wanted at least 8\n"
        f"{folder}/nodes/RAI-TST-001.yaml:21: RAI-TST-001: small\n"
        "    - result: fail\n    + result: pass\n      1 Node looked at, as expected.\n"
        "      Node a: passes\n        status.allocatable.cpu at_least 8: found 8, wanted at least 8\n"
        f"1 rule in {folder}: 2 of 3 examples failed\n"
    )


def test_a_blocked_example_runs_with_what_blocks_it(tmp_path: Path) -> None:
    folder = write_pack(tmp_path)
    given = "[{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4'}}}]"
    blocked = f"  - name: smaller\n    given: {given}\n    result: blocked\n"
    text = RULE.replace("RAI-TST-001", "RAI-TST-002").replace("owner: tests", "owner: tests\nonly_if_passed: RAI-TST-001")
    (folder / "nodes" / "RAI-TST-002.yaml").write_text(text + blocked)
    assert run("test", folder).output == f"2 rules in {folder}: 7 examples ok\n"


def test_test_refuses_rules_with_mistakes(tmp_path: Path) -> None:
    result = run("test", write_pack(tmp_path, RULE.replace("severity: high", "severity: bad")))
    assert result.exit_code == 4
    assert "wrong-word" in result.output


def test_list(tmp_path: Path) -> None:
    output = f"RAI-TST-001     high     nodes  Nodes are small\n1 rule in {tmp_path}\n"
    assert run("list", write_pack(tmp_path)).output == output


@pytest.mark.parametrize("arguments", [["lint", "/nowhere"], ["nothing"], ["lint", "--what"]])
def test_usage(arguments: list[str]) -> None:
    assert run(*arguments).exit_code == 2


def test_the_shipped_rules_are_right_and_every_example_holds() -> None:
    lint, test = run("lint"), run("test")
    assert (lint.exit_code, test.exit_code) == (0, 0), lint.output + test.output


def test_help_is_quick_and_names_the_commands() -> None:
    code = "import sys, runai_analyze.rules_cli as cli; print(sorted(sys.modules)); cli.main(['--help'])"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    modules, text = output.split("\n", 1)
    assert "..." not in text.split("Commands:")[1]
    for command in ("lint", "list", "test"):
        assert f"\n  {command} " in text
    for slow in ("yaml", "rapidfuzz", "pandas", "weasyprint", "cryptography", "runai_analyze.facts"):
        assert f"'{slow}'" not in modules


@pytest.mark.parametrize("name", ["link", "pipe", "folder"])
def test_what_is_no_plain_file_is_a_mistake(tmp_path: Path, name: str) -> None:
    folder = write_pack(tmp_path)
    odd = folder / "nodes" / "RAI-TST-002.yaml"
    {"link": lambda: odd.symlink_to("nowhere"), "pipe": lambda: os.mkfifo(odd), "folder": odd.mkdir}[name]()
    result = run("lint", folder)
    assert result.exit_code == 4
    assert f"{odd}:1:1: no-file this is no plain file" in result.output


def test_a_rule_behind_a_link_is_read(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "pack")
    rule = folder / "nodes" / "RAI-TST-001.yaml"
    rule.rename(tmp_path / "elsewhere.yaml")
    rule.symlink_to(tmp_path / "elsewhere.yaml")
    assert run("lint", folder).output == f"1 rule in {folder}: no mistakes\n"


def test_a_path_that_holds_no_rules_is_a_usage_error() -> None:
    result = run("lint", "/dev/null")
    assert result.exit_code == 2
    assert "/dev/null is neither a folder nor a rule file" in result.stderr


def test_a_title_cannot_drive_the_terminal(tmp_path: Path) -> None:
    folder = write_pack(tmp_path, RULE.replace("title: Nodes are small\n", 'title: "Nodes\\e[2J are small"\n'))
    assert "\x1b" not in run("list", folder).output
