"""runai-rules explain as a person runs it."""

from pathlib import Path

from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main

from tests.ruleset.packs import RULE, write_pack


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["explain", *map(str, arguments)])


def test_explain_prints_the_rule_in_words(tmp_path: Path) -> None:
    command = 'kubectl get nodes -o jsonpath="{.items[*].status.allocatable}" --sort-by=.metadata.creationTimestamp --v=4'
    fix = f"fix:\n  text: Buy a larger one.\n  commands: [{{run: '{command}', risk: read only, run_by: customer}}]\n"
    because = f"    at_least: 8\n    because: {'Small nodes are full at once, and then the rest of the pods wait. ' * 2}\n"
    rule = RULE.replace("fix: {text: Buy a larger one.}\n", fix).replace("    at_least: 8\n", because)
    folder = write_pack(tmp_path, rule)
    result = run("rai-tst-001", folder)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[:3] == [
        "RAI-TST-001: Nodes are small",
        "high, area nodes, stable, revision 1 of 2026-12-01, owner tests, pack tests",
        f"{folder}/nodes/RAI-TST-001.yaml",
    ]
    assert lines[lines.index("What must hold") :][1:4] == [
        "  - status.allocatable.cpu is at least 8",
        "    Why: Small nodes are full at once, and then the rest of the pods wait. Small nodes are full at once, and",
        "    then the rest of the pods wait.",
    ]
    assert f"    $ {command}" in lines  # whole, to be copied


def test_a_rule_can_be_named_by_its_file(tmp_path: Path) -> None:
    result = run(write_pack(tmp_path) / "nodes" / "RAI-TST-001.yaml")
    assert (result.exit_code, result.output.splitlines()[0]) == (0, "RAI-TST-001: Nodes are small")


def test_an_unknown_rule_is_a_usage_error(tmp_path: Path) -> None:
    result = run("RAI-TST-002", write_pack(tmp_path))
    assert result.exit_code == 2
    assert f'there is no rule "RAI-TST-002" in {tmp_path}; did you mean "RAI-TST-001"?' in result.stderr


def test_a_release_must_be_one(tmp_path: Path) -> None:
    result = run("RAI-TST-001", write_pack(tmp_path), "--release", "latest")
    assert (result.exit_code, "'latest' is not a release such as 2.25" in result.stderr) == (2, True)


def test_a_rule_file_with_a_mistake_is_not_explained(tmp_path: Path) -> None:
    assert run("RAI-TST-001", write_pack(tmp_path, RULE.replace("severity: high", "severity: bad"))).exit_code == 4
