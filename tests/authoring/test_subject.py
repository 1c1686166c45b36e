"""What a rule is tried on: a bundle, a bundle that was cut, a file of objects."""

import json
from pathlib import Path

import pytest
from runai_analyze.authoring.subject import read_subject
from runai_analyze.authoring.trial import try_rule
from runai_analyze.errors import BundleError, UserError
from runai_analyze.ruleset import Pack, default_pack, load_packs
from runai_analyze.ruleset.rule import Rule

SAMPLES = Path(__file__).parents[2] / "samples"
NOT_READY = {"type": "Ready", "status": "False"}
LIST = """\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: w1}, status: {conditions: [{type: Ready, status: "False"}]}}
- {apiVersion: v1, kind: Node, metadata: {name: w2}, status: {conditions: [{type: Ready, status: "True"}]}}
"""


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_packs([default_pack()])


def rule(pack: Pack, name: str) -> Rule:
    return next(rule for rule in pack.rules if rule.id == name)


def outcome(pack: Pack, name: str, path: Path) -> tuple[str, str]:
    one = rule(pack, name)
    found = try_rule(one, pack, read_subject(path, (one,)).facts).outcome
    return found.status.value, found.message


def test_a_bundle_answers(pack: Pack) -> None:
    assert outcome(pack, "RAI-NOD-009", SAMPLES / "broken-site.tgz")[0] == "fail"
    assert outcome(pack, "RAI-NOD-009", SAMPLES / "healthy.tgz") == ("pass", "Every node is ready")


def test_a_file_of_objects_answers_without_a_bundle(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text(LIST)
    assert outcome(pack, "RAI-NOD-009", path) == ("fail", "Node w1 is not ready (condition Ready is False)")
    assert read_subject(path, (rule(pack, "RAI-NOD-009"),)).note == (
        "2 objects of a file: kinds that it does not hold are unknown, and so is the time when it was made."
    )


@pytest.mark.parametrize("name", ["RAI-RUN-007", "RAI-RUN-003", "RAI-TLS-002", "RAI-GPU-001", "RAI-STO-003", "RAI-GPU-006"])
def test_what_a_file_of_objects_does_not_hold_is_unknown(pack: Pack, tmp_path: Path, name: str) -> None:
    path = tmp_path / "pods.yaml"
    path.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\n")
    assert outcome(pack, name, path)[0] == "unknown"


def test_a_cut_bundle_is_read_as_far_as_it_goes_and_said_to_be_cut(pack: Pack, tmp_path: Path) -> None:
    whole = (SAMPLES / "healthy.tgz").read_bytes()
    path = tmp_path / "cut.tgz"
    path.write_bytes(whole[: len(whole) // 3])
    one = rule(pack, "RAI-RUN-007")
    subject = read_subject(path, (one,))
    assert subject.note == "The bundle is not whole (cut): what is missing in it is unknown."
    assert try_rule(one, pack, subject.facts).outcome.status.value == "unknown"


@pytest.mark.parametrize("text", ["a: [", "- just\n- words\n", "", "kind: Node\n", "a: &x [1]\nb: *x\n"])
def test_a_file_that_holds_no_objects_is_refused(pack: Pack, tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=r"odd\.yaml holds no objects as kubectl prints them"):
        read_subject(path, (rule(pack, "RAI-NOD-009"),))


def test_what_is_no_bundle_is_refused(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "odd.tgz"
    path.write_bytes(b"not a bundle")
    with pytest.raises(BundleError):
        read_subject(path, (rule(pack, "RAI-NOD-009"),))


def test_json_is_read_too(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "nodes.json"
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w1"}, "status": {"conditions": [NOT_READY]}}
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "NodeList", "items": [node]}, indent=1))
    assert outcome(pack, "RAI-NOD-009", path)[0] == "fail"


def test_several_documents_are_read(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: %s}\nstatus: {conditions: [{type: Ready, status: 'False'}]}\n"
    path.write_text(node % "w1" + node % "w2" + "---\n")
    assert outcome(pack, "RAI-NOD-009", path) == ("fail", "Node w1 is not ready (condition Ready is False) (and 1 more)")


def test_a_list_of_a_large_cluster_is_read(pack: Pack, tmp_path: Path) -> None:
    """A rule file may have a mebibyte, what kubectl prints has more."""
    path = tmp_path / "nodes.yaml"
    ready = "status: {conditions: [{type: Ready, status: 'True'}]}"
    node = f"- {{apiVersion: v1, kind: Node, metadata: {{name: w%d, labels: {{note: %s}}}}, {ready}}}\n"
    path.write_text("apiVersion: v1\nkind: List\nitems:\n" + "".join(node % (number, "x" * 60_000) for number in range(30)))
    assert path.stat().st_size > 1 << 20
    assert outcome(pack, "RAI-NOD-009", path)[0] == "pass"


@pytest.mark.parametrize("suffix", [".yaml", ".json"])
def test_a_file_that_is_too_large_is_refused(pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    monkeypatch.setattr("runai_analyze.authoring.subject._LARGEST", 2048)
    path = tmp_path / f"nodes{suffix}"
    path.write_text("x" * 2049)
    with pytest.raises(UserError) as error:
        read_subject(path, (rule(pack, "RAI-NOD-009"),))
    assert "the file is larger than 2 KiB" in error.value.hint


def test_an_object_that_fits_no_schema_is_looked_at_all_the_same(pack: Pack, tmp_path: Path) -> None:
    """Clusters are newer or older than the schemas that examples are held to."""
    path = tmp_path / "nodes.yaml"
    ready = "status: {conditions: [{type: Ready, status: 'True'}]}"
    path.write_text(f"apiVersion: v1\nkind: Node\nmetadata: {{name: w1}}\nspec: {{brandNew: 1}}\n{ready}\n")
    assert outcome(pack, "RAI-NOD-009", path)[0] == "pass"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("kind: Node\n", "object 1 has no kind, or no name in its metadata"),
        (LIST + "- {apiVersion: v1, kind: Node}\n", "object 3 has no kind, or no name in its metadata"),
        ("", "it is empty"),
        ("[" * 60 + "]" * 60, "nested more than 40 levels deep"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(pack: Pack, tmp_path: Path, text: str, hint: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as error:
        read_subject(path, (rule(pack, "RAI-NOD-009"),))
    assert hint in error.value.hint
