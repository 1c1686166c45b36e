"""runai-rules test as a person runs it. What it prints of an example that fails is held in tests/authoring/test_proof.py."""

from pathlib import Path

from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main
from runai_analyze.ruleset import default_pack

from tests.rules_cli.test_cover import pack
from tests.ruleset.packs import RULE

SECOND = RULE.replace("RAI-TST-001", "RAI-TST-002").replace('cpu: "4"', 'cpu: "9"')


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_all_examples_hold(tmp_path: Path) -> None:
    result = run("test", pack(tmp_path, RULE))
    assert (result.exit_code, result.output) == (0, f"1 rule in {tmp_path}: 3 examples ok\n")


def test_one_rule_can_be_asked_for(tmp_path: Path) -> None:
    (pack(tmp_path, RULE) / "nodes" / "RAI-TST-002.yaml").write_text(SECOND)
    assert run("test", tmp_path).exit_code == 4
    assert run("test", tmp_path, "--rule", "rai-tst-001").output == f"1 rule in {tmp_path}: 3 examples ok\n"
    assert run("test", tmp_path, "--rule", "RAI-TST-002").exit_code == 4


def test_a_rule_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    result = run("test", pack(tmp_path, RULE), "--rule", "RAI-TST-010")
    assert (result.exit_code, 'did you mean "RAI-TST-001"?' in result.output) == (2, True)


def test_what_proves_nothing_fails_and_is_said_in_whole(tmp_path: Path) -> None:
    text = RULE.replace("    result: pass\n", "    cluster: {gpu_operator: {installed: true}}\n    result: pass\n")
    file = pack(tmp_path, text) / "nodes" / "RAI-TST-001.yaml"
    result = run("test", tmp_path)
    assert (result.exit_code, result.output) == (
        4,
        f"{file}:17: RAI-TST-001: large\n"
        "    unused: cluster gpu_operator.installed: no example of the rule looks at it\n"
        f"1 rule in {tmp_path}: 1 of 3 examples failed\n",
    )


def test_a_name_cannot_drive_the_terminal(tmp_path: Path) -> None:
    text = RULE.replace("name: small", 'name: "sm\\e[2Jall"').replace('cpu: "4"', 'cpu: "9"')
    assert "\x1b" not in run("test", pack(tmp_path, text)).output


def test_the_examples_of_the_shipped_rules_hold_and_none_says_anything_in_vain() -> None:
    result = run("test", default_pack())
    assert result.exit_code == 0, result.output
