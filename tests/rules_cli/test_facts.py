"""runai-rules facts as a person runs it."""

from pathlib import Path

from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main

from tests.bundle.builder import Builder, node


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["facts", *map(str, arguments)])


def test_without_a_kind_the_kinds_are_listed() -> None:
    lines = run().output.splitlines()
    assert lines[0] == "Kinds that the program makes, so that no rule has to join:"
    assert any(line.split() == ["GpuDevice", "one", "GPU", "that", "nvidia-smi", "lists"] for line in lines)
    assert lines[-1].startswith("runai-rules facts KIND shows the fields of one")


def test_a_kind() -> None:
    lines = run("gpudevice").output.splitlines()
    assert lines[0] == "kind: GpuDevice   # one GPU that nvidia-smi lists"
    assert any(line.split() == ["temperature", "number", "°C"] for line in lines)


def test_a_kind_with_a_bundle(tmp_path: Path) -> None:
    bundle = Builder().list("Node", "v1", node("w1"), node("w2", spec={"unschedulable": True})).write(tmp_path / "b.tgz")
    lines = run("node", bundle).output.splitlines()
    assert lines[:2] == ["kind: Node", "2 objects in the bundle"]
    place = next(number for number, line in enumerate(lines) if line.startswith("  spec.unschedulable "))
    assert lines[place + 1 : place + 3] == ["      e.g. true", "      not set in 1 of 2"]


def test_a_kind_with_a_file_that_kubectl_wrote(tmp_path: Path) -> None:
    (tmp_path / "node.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: w1}\nspec: {unschedulable: true}\n")
    lines = run("node", tmp_path / "node.yaml").output.splitlines()
    assert lines[1] == "1 object in the bundle"
    assert lines[2].startswith("1 object of a file: kinds that it does not hold are unknown")
    place = next(number for number, line in enumerate(lines) if line.startswith("  spec.unschedulable "))
    assert lines[place + 1] == "      e.g. true"


def test_a_kind_of_which_nothing_is_known() -> None:
    assert "a rule may name any path" in run("Thing.acme.example").output


def test_a_name_cannot_drive_the_terminal(tmp_path: Path) -> None:
    bundle = Builder().list("Node", "v1", node("w1", labels={"a\x1b[2J": "b\x1b[2J"})).write(tmp_path / "b.tgz")
    output = run("node", bundle).output
    assert "\x1b" not in output
    assert "‹U+001B›" in output


def test_mistakes_of_a_person(tmp_path: Path) -> None:
    (tmp_path / "b.tgz").write_text("no bundle")
    wrong = run("nod")
    assert (wrong.exit_code, 'there is no kind "nod"; did you mean "Node"?' in wrong.stderr) == (2, True)
    assert run("node", tmp_path / "b.tgz").exit_code == 3
    assert run("node", tmp_path / "nothing").exit_code == 2
