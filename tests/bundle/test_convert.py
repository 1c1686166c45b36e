"""A converted bundle answers as the one that it was made from, and holds nothing that was to be hidden."""

import json
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.convert import convert
from runai_analyze.bundle.several import open_bundles
from runai_analyze.errors import BundleError, UserError
from runai_analyze.pipeline import Options, analyze

from .builder import TOP, Builder, node, packed

ROOT = Path(__file__).parents[2]
SAMPLES = ("broken-site", "healthy", "pre-install")
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
TOKEN = "ghp_" + "a1B2" * 9


def answers(path: Path) -> dict[str, Any]:
    """Return what a report on a bundle says, without what names the file: status and findings of each rule."""
    report = analyze(path, Options())
    return {
        outcome.rule.id: (
            outcome.status,
            sorted((str(finding.subject), finding.message) for finding in outcome.findings),
            sorted({missing.what.partition(" in ")[0] for missing in outcome.missing}),  # without the namespaces
        )
        for outcome in report.outcomes
    }


def members(path: Path) -> dict[str, bytes]:
    """Return the members of an archive below its top folder."""
    with tarfile.open(path) as archive:
        found = {info.name.partition("/")[2]: archive.extractfile(info) for info in archive}
        return {name: file.read() for name, file in found.items() if file}


def steps(path: Path) -> dict[str, str]:
    return {step["id"]: step["status"] for step in json.loads(members(path)["manifest.json"])["steps"]}


def folder_of(sample: Path, folder: Path) -> Path:
    """Write all objects of a sample as a person saves them with kubectl: one YAML file a kind."""
    lists: dict[str, list[Any]] = {}
    for name, data in members(sample).items():
        if name.startswith("resources/"):
            lists.setdefault(name.split("/")[-2], []).extend(json.loads(line) for line in data.splitlines())
    folder.mkdir()
    for plural, found in lists.items():
        text = yaml.dump({"apiVersion": "v1", "kind": "List", "items": found}, Dumper=DUMPER)
        (folder / f"{plural}.yaml").write_text(text)
    return folder


def cut(sample: Path, path: Path) -> Path:
    """Write the first two thirds of a sample."""
    data = sample.read_bytes()
    path.write_bytes(data[: len(data) * 2 // 3])
    return path


def sample(name: str) -> Path:
    return ROOT / "samples" / f"{name}.tgz"


FORMS: dict[str, Callable[[Path], Path]] = {
    **{name: lambda folder, name=name: sample(name) for name in SAMPLES},  # type: ignore[misc]
    "loose files": lambda folder: folder_of(sample("broken-site"), folder / "loose"),
    "cut": lambda folder: cut(sample("broken-site"), folder / "cut.tgz"),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_answers_are_the_same(form: str, tmp_path: Path) -> None:
    original = FORMS[form](tmp_path)
    converted, _ = convert(open_bundle(original), tmp_path / "out.tgz", "runai-analyze 0")
    expected, found = answers(original), answers(converted)
    assert {rule: (found[rule], expected[rule]) for rule in expected if found[rule] != expected[rule]} == {}


@pytest.mark.corpus
@pytest.mark.parametrize("file", yaml.safe_load((Path(__file__).parent / "formats" / "table.yaml").read_text()))
def test_real_bundles_of_other_tools_answer_the_same(corpus: Path, file: str, tmp_path: Path) -> None:
    converted, _ = convert(open_bundle(corpus / file), tmp_path / "out.tgz", "runai-analyze 0")
    expected, found = answers(corpus / file), answers(converted)
    assert {rule: (found[rule], expected[rule]) for rule in expected if found[rule] != expected[rule]} == {}


def test_the_checksums_hold_and_it_is_ours_alone(tmp_path: Path) -> None:
    path, totals = convert(open_bundle(sample("broken-site")), tmp_path / "out.tgz", "runai-analyze 0")
    source = open_bundle(path)
    assert source.info.problems == ()
    assert source.info.captured == open_bundle(sample("broken-site")).info.captured
    assert source.info.collector == "runai-analyze 0 from runai-collect 0.1.0"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert totals.bytes == path.stat().st_size


def test_same_in_same_out(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        convert(open_bundle(sample("healthy")), tmp_path / name / "out.tgz", "runai-analyze 0")
    assert (tmp_path / "a" / "out.tgz").read_bytes() == (tmp_path / "b" / "out.tgz").read_bytes()


def test_a_file_that_is_there_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "out.tgz").write_text("mine")
    with pytest.raises(UserError, match=r"out\.tgz exists, and is not replaced"):
        convert(open_bundle(sample("healthy")), tmp_path / "out.tgz", "runai-analyze 0")
    assert (tmp_path / "out.tgz").read_text() == "mine"


def test_a_folder_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written: No such file or directory"):
        convert(open_bundle(sample("healthy")), tmp_path / "none" / "out.tgz", "runai-analyze 0")


def test_damage_goes_along(tmp_path: Path) -> None:
    made = Builder().list("Pod", "v1", {"metadata": {"name": "a", "namespace": "runai"}})
    made.add("resources/core/v1/pods/0002.jsonl", "{half\n")
    path, _ = convert(open_bundle(made.write(tmp_path / "b.tgz")), tmp_path / "out.tgz", "runai-analyze 0")
    source = open_bundle(path)
    assert [problem.member for problem in source.info.problems] == ["resources/core/v1/pods/0002.jsonl"]
    assert steps(path)["list:core/v1/pods"] == "truncated"
    assert source.coverage("Pod", "", ())


def test_a_folder_of_files_claims_nothing_whole(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "node.json").write_text(json.dumps({"apiVersion": "v1", "kind": "Node", **node("gpu-1")}))
    path, _ = convert(open_bundle(tmp_path / "mine"), tmp_path / "out.tgz", "runai-analyze 0")
    source = open_bundle(path)
    assert steps(path) == {"list:core/v1/nodes": "truncated"}
    assert [record.body["metadata"]["name"] for record in source.records(frozenset([("Node", "")]))] == ["gpu-1"]
    assert source.coverage("Node", "", ())


def test_logs_are_redacted(tmp_path: Path) -> None:
    members = [*Builder().all_members(), ("logs/runai/a/c.log", f"token {TOKEN} sent\n".encode())]
    (tmp_path / "b.tgz").write_bytes(packed([(f"{TOP}/{name}", data) for name, data in members]))
    path, _ = convert(open_bundle(tmp_path / "b.tgz"), tmp_path / "out.tgz", "runai-analyze 0")
    (log,) = open_bundle(path).logs()
    assert TOKEN.encode() not in log.data
    assert log.data.startswith(b"token ")


def test_what_still_looks_like_a_secret_is_blocked(tmp_path: Path) -> None:
    made = Builder().list("Pod", "v1", {"metadata": {"name": "a", "namespace": "runai"}, "spec": {"note": TOKEN}})
    with pytest.raises(BundleError, match=r"looks as if it held a secret \(github-token\): look into out\.tgz\.blocked"):
        convert(open_bundle(made.write(tmp_path / "b.tgz")), tmp_path / "out.tgz", "runai-analyze 0")
    assert [path.name for path in tmp_path.glob("out*")] == ["out.tgz.blocked"]


def test_several_become_one(tmp_path: Path) -> None:
    pods, nodes = Builder(), Builder()
    pods.list("Pod", "v1", {"metadata": {"name": "a", "namespace": "runai"}}).list("Node", "v1", status="error")
    nodes.list("Node", "v1", node("gpu-1")).list("Pod", "v1", status="forbidden")
    paths = [pods.write(tmp_path / "pods.tgz"), nodes.write(tmp_path / "nodes.tgz")]
    path, _ = convert(open_bundles(paths), tmp_path / "out.tgz", "runai-analyze 0")
    assert steps(path) == {"list:core/v1/pods": "ok", "list:core/v1/nodes": "ok"}
    about = json.loads(members(path)["bundle.json"])
    assert [one["file"] for one in about["converted"]] == ["pods.tgz", "nodes.tgz"]
