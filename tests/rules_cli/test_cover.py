"""runai-rules cover as a person runs it: the whole of what it prints, and how it ends."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main
from runai_analyze.ruleset import default_pack

from tests.ruleset.packs import PACK, RULE

WHOLE = RULE.replace("examples:\n", """\
examples:
  - name: just large enough
    given: [{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: "8"}}}]
    result: pass
""")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def pack(folder: Path, rule: str) -> Path:
    (folder / "nodes").mkdir()
    (folder / "pack.yaml").write_text(PACK)
    (folder / "nodes" / "RAI-TST-001.yaml").write_text(rule)
    return folder


def test_a_condition_that_is_not_pinned_is_shown_with_the_example_that_would_pin_it(tmp_path: Path) -> None:
    file = pack(tmp_path, RULE) / "nodes" / "RAI-TST-001.yaml"
    result = run("cover", tmp_path)
    assert (result.exit_code, result.output) == (
        4,
        f"{file}: RAI-TST-001: 0 of 1 condition pinned\n"
        f"  {file}:13:5: status.allocatable.cpu at_least 8: no example notices: more_than in its place\n"
        "      add an example where status.allocatable.cpu is exactly 8\n"
        f"1 rule in {tmp_path}: 0 of 1 condition pinned (0 %)\n",
    )


def test_a_rule_that_is_pinned_is_fine(tmp_path: Path) -> None:
    result = run("cover", pack(tmp_path, WHOLE))
    assert (result.exit_code, result.output) == (0, f"1 rule in {tmp_path}: 1 of 1 condition pinned (100 %)\n")


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--all",), 4)])
def test_a_rule_that_is_not_stable_yet_is_shown_and_let_pass(tmp_path: Path, options: tuple[str, ...], code: int) -> None:
    result = run("cover", *options, pack(tmp_path, RULE.replace("status: stable", "status: test")))
    assert (result.exit_code, "0 of 1 condition pinned" in result.output) == (code, True)


def test_a_rule_whose_examples_do_not_hold_is_not_judged(tmp_path: Path) -> None:
    folder = pack(tmp_path, WHOLE.replace('cpu: "4"', 'cpu: "9"'))
    file = folder / "nodes" / "RAI-TST-001.yaml"
    result = run("cover", folder)
    assert result.exit_code == 4
    assert f"{file}: RAI-TST-001: not judged, its examples do not hold: small (runai-rules test {file})\n" in result.output


def test_mistakes_come_first(tmp_path: Path) -> None:
    result = run("cover", pack(tmp_path, RULE.replace("severity: high", "severity: bad")))
    assert (result.exit_code, "wrong-word" in result.output) == (4, True)


def test_the_shipped_rules_are_pinned_to_the_last_condition() -> None:
    result = run("cover", default_pack())
    assert result.exit_code == 0, result.output
    assert result.output.endswith("(100 %)\n")


def test_the_help_names_every_change() -> None:
    text = " ".join(run("cover", "--help").output.split())
    words = ("always met", "never met", "negated", "one_of", "tolerance", "when_absent", "if_none", "applies_to")
    assert [word for word in words if word not in text] == []
