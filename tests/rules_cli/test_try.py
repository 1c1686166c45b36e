"""runai-rules try as a person runs it: the whole page, a rule in no pack, a file of objects, and what cannot be read."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main
from runai_analyze.ruleset import default_pack

from tests.rules_cli.test_cover import pack
from tests.ruleset.packs import RULE

SAMPLES = Path(__file__).parents[2] / "samples"
NODES = """\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: w1}, status: {allocatable: {cpu: "4"}}}
- {apiVersion: v1, kind: Node, metadata: {name: w2}, status: {allocatable: {cpu: "16"}}}
- {apiVersion: v1, kind: Node, metadata: {name: w3}, status: {allocatable: {cpu: lots}}}
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def nodes(tmp_path: Path) -> Path:
    path = tmp_path / "nodes.yaml"
    path.write_text(NODES)
    return path


def test_the_whole_page(tmp_path: Path, nodes: Path) -> None:
    (tmp_path / "pack").mkdir()
    file = pack(tmp_path / "pack", RULE) / "nodes" / "RAI-TST-001.yaml"
    result = run("try", "RAI-TST-001", nodes, "--rules", tmp_path / "pack")
    assert (result.exit_code, result.output) == (
        0,
        f"""\
RAI-TST-001  Nodes are small
{file}
3 objects of a file: kinds that it does not hold are unknown, and so is the time when it was made.

applies
expect
   1  status.allocatable.cpu at_least 8  (line 12)

         Node  1
fails    w1    false* 4
           1: found 4, wanted at least 8
unknown  w3    unknown* lots
           1: found lots, wanted at least 8: lots is not a number or quantity
passes   w2    true 16

outcome: fail
  w1 has 4
  missing: Node w3 status.allocatable.cpu: lots is not a number or quantity (kubectl get node w3 -o yaml)
""",
    )


def test_a_rule_that_is_in_no_pack_yet(tmp_path: Path, nodes: Path) -> None:
    file = tmp_path / "RAI-TST-001.yaml"
    file.write_text(RULE)
    result = run("try", file, nodes)
    assert (result.exit_code, "outcome: fail\n  w1 has 4\n" in result.output) == (0, True)


def test_one_object(tmp_path: Path, nodes: Path) -> None:
    file = tmp_path / "RAI-TST-001.yaml"
    file.write_text(RULE)
    output = run("try", file, nodes, "--object", "w2").output
    assert ("passes  w2" in output, "w1" in output.split("outcome")[0]) == (True, False)
    assert "outcome of the whole bundle: fail" in output
    assert "no Node nobody\n" in run("try", file, nodes, "--object", "nobody").output


def test_what_is_not_shown_is_counted(tmp_path: Path) -> None:
    output = run("try", "RAI-RUN-007", SAMPLES / "broken-site.tgz", "--rows", 1, "--rules", default_pack()).output
    assert "fails  runai/status-updater  true false  false* 0\n" in output
    assert "2: found 0, wanted the same as facts.desired (1)\n" in output
    assert "resources/apps/v1/deployments/0001.jsonl:" in output
    assert "and 29 more that pass\nand 21 more of another namespace or name, which the rule does not look at\n" in output


def test_values_are_cut_where_the_page_would_be_too_wide() -> None:
    output = run("try", "RAI-TLS-006", SAMPLES / "broken-site.tgz", "--rules", default_pack()).output
    table = [line for line in output.split("\n") if line.startswith(("fails", "passes", "left out"))]
    assert max(map(len, table)) <= 150
    assert any("true runai-…" in line and "false* no" in line for line in table)


def test_scope_and_prerequisites_come_first(tmp_path: Path) -> None:
    shipped = default_pack()
    output = run("try", "RAI-STO-001", SAMPLES / "broken-site.tgz", "--rules", shipped).output
    assert "\ndoes not apply: Feature control-plane is neither installed nor planned\n" in output
    assert "after RAI-NET-001 (" in run("try", "RAI-NET-005", SAMPLES / "broken-site.tgz", "--rules", shipped).output


def test_a_rule_with_mistakes_is_not_tried(tmp_path: Path, nodes: Path) -> None:
    file = tmp_path / "RAI-TST-001.yaml"
    file.write_text(RULE.replace("severity: high", "severity: bad"))
    result = run("try", file, nodes)
    assert (result.exit_code, f"{file}:3:11: wrong-word" in result.output) == (4, True)


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"not a bundle", 3, "runai-rules: "),
        (b"", 3, "runai-rules: "),
    ],
)
def test_what_is_no_bundle(tmp_path: Path, content: bytes, code: int, said: str) -> None:
    path = tmp_path / "odd.tgz"
    path.write_bytes(content)
    result = run("try", "RAI-NOD-009", path, "--rules", default_pack())
    assert (result.exit_code, result.stderr.startswith(said)) == (code, True)


def test_a_file_that_is_no_list_of_objects(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("a: [")
    result = run("try", "RAI-NOD-009", path, "--rules", default_pack())
    assert (result.exit_code, f"{path} holds no objects as kubectl prints them" in result.stderr) == (2, True)


def test_a_bundle_cannot_drive_the_terminal(tmp_path: Path) -> None:
    path, file = tmp_path / "nodes.yaml", tmp_path / "RAI-TST-001.yaml"
    path.write_text('kind: Node\napiVersion: v1\nmetadata: {name: "w\\e[2J"}\nstatus: {allocatable: {cpu: "4"}}\n')
    file.write_text(RULE)
    output = run("try", file, path).output
    assert ("\x1b" in output, "outcome: fail" in output) == (False, True)


def test_an_id_that_is_nearly_one(nodes: Path) -> None:
    result = run("try", "RAI-NOD-09", nodes, "--rules", default_pack())
    assert (result.exit_code, "did you mean" in result.stderr) == (2, True)


def test_a_file_that_is_not_there(nodes: Path) -> None:
    result = run("try", "nowhere.yaml", nodes)
    assert (result.exit_code, "nowhere.yaml is no file" in result.stderr) == (2, True)
