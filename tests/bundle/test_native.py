"""Bundles of our own format: what is in, what is damaged, what was cut."""

import gzip
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from runai_analyze.bundle import Limits, NativeBundle, open_bundle
from runai_analyze.bundle.formats.manifest import read_manifest
from runai_analyze.errors import BundleError
from runai_analyze.model import Missing

from .builder import TOP, Builder, packed, tar_of

PODS = frozenset([("Pod", "")])


def pods(count: int, start: int = 0) -> list[dict[str, object]]:
    return [{"metadata": {"name": f"p{start + number}", "namespace": "a"}} for number in range(count)]


def names(bundle: NativeBundle) -> list[str]:
    return [record.body["metadata"]["name"] for record in bundle.records(PODS)]


def whole() -> Builder:
    return Builder().list("Node", "v1", {"metadata": {"name": "n"}}).list("Pod", "v1", *pods(3)).list("Pod", "v1", *pods(2, 3))


def test_a_whole_bundle(tmp_path: Path) -> None:
    path = whole().write(tmp_path / "b.tgz")
    bundle = open_bundle(path)
    info = bundle.info
    assert (info.state, info.format, info.collector, info.problems) == ("complete", 1, "runai-collect 0.1.0", ())
    assert info.captured == datetime(2026, 11, 30, 11, 59, 58, tzinfo=UTC)
    assert (info.clock_skew_seconds, info.options, info.size) == (2.0, (("logs", "True"),), path.stat().st_size)
    assert (bundle.cluster_name, bundle.version["gitVersion"]) == ("acme", "v1.35.4")  # type: ignore[index]
    assert names(bundle) == ["p0", "p1", "p2", "p3", "p4"]
    record = list(bundle.records(PODS))[4]
    assert (record.member, record.line) == ("resources/core/v1/pods/0002.jsonl", 2)


def test_only_the_kinds_asked_for_are_streamed(tmp_path: Path) -> None:
    bundle = open_bundle(
        whole().rows("secrets", {"namespace": "a", "name": "s", "type": "Opaque", "keys": 1}).write(tmp_path / "b.tgz")
    )
    assert [record.body["kind"] for record in bundle.records(frozenset([("Node", None)]))] == ["Node"]
    assert [record.area for record in bundle.records(frozenset([("Secret", "")]))] == ["secret"]
    assert len(list(bundle.records(None))) == 7


def test_a_bundle_in_plain_tar_and_one_without_top_folder_are_read(tmp_path: Path) -> None:
    members = whole().all_members()
    (tmp_path / "b.tar").write_bytes(tar_of([(f"{TOP}/{name}", data) for name, data in members]))
    (tmp_path / "c.tgz").write_bytes(packed([(f"./{name}", data) for name, data in members]))
    for name in ("b.tar", "c.tgz"):
        bundle = open_bundle(tmp_path / name)
        assert len(names(bundle)) == 5
        assert bundle.info.problems == ()


def test_a_bundle_without_manifest_was_cut(tmp_path: Path) -> None:
    bundle = open_bundle(whole().write(tmp_path / "b.tgz", manifest=False))
    assert bundle.info.state == "cut"
    assert len(names(bundle)) == 5
    assert "cut" in bundle.coverage("Pod", "", ())[0].reason


@pytest.mark.parametrize("percent", [20, 50, 70, 95])
def test_a_bundle_cut_anywhere_gives_what_is_there(tmp_path: Path, percent: int) -> None:
    builder = Builder()
    for page in range(20):
        builder.list("Pod", "v1", *[{**pod, "spec": {"note": os.urandom(40).hex()}} for pod in pods(50, page * 50)])
    data = builder.write(tmp_path / "b.tgz").read_bytes()
    (tmp_path / "c.tgz").write_bytes(data[: len(data) * percent // 100])
    bundle = open_bundle(tmp_path / "c.tgz")
    found = names(bundle)
    assert bundle.info.state == "cut"
    assert found == [f"p{number}" for number in range(len(found))]
    assert len(found) >= 1000 * (percent - 15) // 100
    assert any(
        "ends in the middle" in problem.message or "cannot be read beyond" in problem.message for problem in bundle.info.problems
    )


def test_a_bundle_whose_packing_checksum_is_wrong_is_whole_and_says_so(tmp_path: Path) -> None:
    data = bytearray(whole().write(tmp_path / "b.tgz").read_bytes())
    data[-6] ^= 1
    (tmp_path / "c.tgz").write_bytes(data)
    bundle = open_bundle(tmp_path / "c.tgz")
    assert (bundle.info.state, len(names(bundle))) == ("complete", 5)
    assert [problem.message for problem in bundle.info.problems if "checksum does not hold" in problem.message]


def test_a_member_that_was_changed_costs_its_kind_the_claim_to_be_whole(tmp_path: Path) -> None:
    members = [(f"{TOP}/{name}", data.replace(b"p1", b"XX") if "pods" in name else data) for name, data in whole().all_members()]
    (tmp_path / "b.tgz").write_bytes(packed(members))
    bundle = open_bundle(tmp_path / "b.tgz")
    assert [problem.member for problem in bundle.info.problems] == ["resources/core/v1/pods/0001.jsonl"]
    assert "checksum differs" in bundle.coverage("Pod", None, ())[0].reason
    assert bundle.coverage("Node", None, ()) == ()


def test_a_member_that_is_gone_costs_its_kind_the_claim_to_be_whole(tmp_path: Path) -> None:
    members = [(f"{TOP}/{name}", data) for name, data in whole().all_members() if not name.endswith("pods/0002.jsonl")]
    (tmp_path / "b.tgz").write_bytes(packed(members))
    assert "is missing from the archive" in open_bundle(tmp_path / "b.tgz").coverage("Pod", None, ())[0].reason


def test_a_kind_of_which_every_member_is_gone_is_known_by_its_step(tmp_path: Path) -> None:
    members = [(f"{TOP}/{name}", data) for name, data in whole().all_members() if "/pods/" not in name]
    (tmp_path / "b.tgz").write_bytes(packed(members))
    bundle = open_bundle(tmp_path / "b.tgz")
    assert "is missing from the archive" in bundle.coverage("Pod", None, ())[0].reason
    assert bundle.coverage("Node", None, ()) == ()


def test_a_member_that_the_manifest_does_not_know_is_told(tmp_path: Path) -> None:
    members = [(f"{TOP}/{name}", data) for name, data in whole().all_members()]
    members.insert(2, (f"{TOP}/resources/core/v1/services/0001.jsonl", b"{}"))
    members.insert(2, ("elsewhere/x", b""))
    (tmp_path / "b.tgz").write_bytes(packed(members))
    messages = {problem.member: problem.message for problem in open_bundle(tmp_path / "b.tgz").info.problems}
    assert messages == {
        "resources/core/v1/services/0001.jsonl": "the manifest does not know this member",
        "elsewhere/x": "the member stands outside the bundle's folder, and was ignored",
    }


@pytest.mark.parametrize(
    "line",
    [
        b"{half",
        b"[1]",
        b'{"kind": "Pod"}',
        b"[" * 5000,
        b'{"kind":"Pod","metadata":{"name":"\xff"}}',
        b'{"kind":"Cluster","apiVersion":"made/v1","metadata":{}}',
    ],
)
def test_a_line_that_cannot_be_read_is_one_problem_and_the_rest_goes_on(tmp_path: Path, line: bytes) -> None:
    page = b"\n".join(json.dumps({"apiVersion": "v1", "kind": "Pod", **pod}).encode() for pod in pods(2))
    builder = Builder().list("Pod", "v1").add("resources/core/v1/pods/0001.jsonl", page + b"\n" + line + b"\n" + page + b"\n")
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    for _ in range(2):  # read twice, told once
        assert names(bundle) == ["p0", "p1", "p0", "p1"]
    (problem,) = bundle.info.problems
    assert problem.member == "resources/core/v1/pods/0001.jsonl"
    assert problem.message.startswith("line 3 cannot be read: ")
    assert "cannot be read" in bundle.coverage("Pod", None, ())[0].reason


def test_a_newer_format_is_read_with_a_note(tmp_path: Path) -> None:
    builder = whole()
    builder.about["format"] = 7
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    assert len(names(bundle)) == 5
    assert bundle.info.format == 7
    assert "format 7" in bundle.info.problems[0].message


def test_documents_of_the_wrong_shape_do_no_harm(tmp_path: Path) -> None:
    builder = whole()
    builder.about = {"format": "x", "clock": [], "options": 3, "cluster": 5, "started": "yesterday", "collector": None}
    builder.steps = [7, {"id": 5, "status": "well", "seconds": "long", "kind": ["Pod"]}]  # type: ignore[list-item]
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    assert (bundle.info.captured, bundle.info.format, bundle.cluster_name) == (None, 1, "")
    assert bundle.info.steps[0].status == "error"
    assert len(names(bundle)) == 5


def test_the_version_is_missing_with_the_reason_of_its_step(tmp_path: Path) -> None:
    builder = whole().step("version", "timeout", "no answer in 60 s")
    members = [(f"{TOP}/{name}", data) for name, data in builder.all_members(manifest=True) if name != "cluster/version.json"]
    (tmp_path / "b.tgz").write_bytes(packed(members))
    version = open_bundle(tmp_path / "b.tgz").version
    assert isinstance(version, Missing)
    assert version.reason == "the cluster did not answer in time (no answer in 60 s)"


def test_files_about_nodes_bear_the_true_name_and_are_bounded(tmp_path: Path) -> None:
    builder = (
        Builder().add("nodes/gpu-1/source.json", '{"node": "gpu-1"}').add("nodes/gpu-1/nvidia-smi.xml", b"\xff" + b"x" * 100)
    )
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"), Limits(text=10))
    files = {record.body["name"]: record.body for record in bundle.records(None)}
    assert files["source.json"]["json"] == {"node": "gpu-1"}
    assert files["nvidia-smi.xml"]["text"] == "\ufffd" + "x" * 9
    assert files["nvidia-smi.xml"]["node"] == "gpu-1"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04rest", "holds no file that can be read: the end of the archive is missing"),
        (b"\xfd7zXZ\x00rest", "holds no file that can be read: it cannot be unpacked"),
        (b"<!DOCTYPE html><html>login</html>", "a web page"),
        (b'{"kind": "List"}', "JSON"),
        (b"apiVersion: v1\nkind: List\n", "YAML"),
        (b"hello", "text"),
        (gzip.compress(b"no tar in here" * 100), "it holds one file, of a kind that is not known: f"),
        (packed([("x/y", b""), ("x/z", b"")]), "some other archive of 2 files"),
    ],
)
def test_what_is_no_bundle_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(BundleError) as error:
        open_bundle(tmp_path / "f")
    assert words in error.value.message
    assert error.value.exit_code == 3
    assert error.value.hint


def test_an_empty_folder_and_a_file_that_is_not_there_are_errors(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="holds no file that can be read"):
        open_bundle(tmp_path)
    with pytest.raises(BundleError, match="cannot be read: No such file"):
        open_bundle(tmp_path / "nothing")


def test_damage_of_a_first_line_is_charged_to_the_kind_of_the_folder(tmp_path: Path) -> None:
    for old, new in ((b'"kind": "Pod"', b'"kind": "Pox"'), (b'{"apiVersion"', b'["apiVersion"'), (b'"v1"', b'"x/v1"')):
        members = [
            (f"{TOP}/{name}", data.replace(old, new, 1) if name.endswith("pods/0001.jsonl") else data)
            for name, data in whole().all_members()
        ]
        (tmp_path / "b.tgz").write_bytes(packed(members))
        bundle = open_bundle(tmp_path / "b.tgz")
        assert len(list(bundle.records(None))) == 5, old
        assert "checksum differs" in bundle.coverage("Pod", "", ())[0].reason
        assert bundle.coverage("Node", "", ()) == ()


def test_damage_in_a_folder_of_no_known_kind_costs_every_kind_the_claim_to_be_whole(tmp_path: Path) -> None:
    builder = whole().add("resources/example.com/v1/things/0001.jsonl", b"{half\n")
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    assert len(list(bundle.records(None))) == 6
    for kind in ("Pod", "Node"):
        assert "things/0001.jsonl cannot be read" in bundle.coverage(kind, "", ())[0].reason


def test_fewer_lines_than_the_step_got_objects_are_a_loss(tmp_path: Path) -> None:
    builder = Builder().list("Node", "v1", {"metadata": {"name": "n"}}).list("Pod", "v1", *pods(3))
    builder.rows("secrets", {"namespace": "a", "name": "s"}).rows("helm", {"namespace": "a", "name": "s"})
    builder.step("secrets@a", "ok", kind="Secret", namespace="a", objects=1).step("helm", "ok", objects=1)
    builder.step("certificate:a/tls", "ok", namespace="a", objects=1)
    builder.steps[0]["objects"] = 1
    builder.steps[1]["objects"] = 4
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    assert len(list(bundle.records(None))) == len(list(bundle.records(None))) == 6
    assert [problem.message for problem in bundle.info.problems] == [
        "the step list:core/v1/pods got 4, and the bundle holds 3 of them",
        "the step certificate:a/tls got a certificate that the bundle does not hold",
    ]
    assert "holds 3 of them" in bundle.coverage("Pod", "", ())[0].reason
    assert bundle.coverage("Node", "", ()) == bundle.coverage("HelmRelease", "made", ()) == ()
    assert bundle.coverage("Secret", "", ("a",)) == ()
    assert "does not hold" in bundle.coverage("Certificate", "made", ("a",))[0].reason


@pytest.mark.parametrize(("folder", "step", "kind"), [("secrets", "secrets@a", "Secret"), ("helm", "helm", "HelmRelease")])
def test_fewer_rows_than_the_step_got_are_a_loss(tmp_path: Path, folder: str, step: str, kind: str) -> None:
    builder = Builder().rows(folder, {"namespace": "a", "name": "s"}, {"namespace": "b", "name": "t"})
    place = {"kind": "Secret", "namespace": "a"} if folder == "secrets" else {}
    builder.step(step, "ok", objects=3, **place)
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    list(bundle.records(None))
    assert "got 3" in bundle.coverage(kind, "" if place else "made", ("a",))[0].reason


def test_a_row_of_a_configmap_counts_for_it_though_its_data_was_not_kept(tmp_path: Path) -> None:
    builder = Builder().list("ConfigMap", "v1", {"metadata": {"name": "a", "namespace": "a"}})
    builder.rows("configmaps", {"namespace": "a", "name": "a"}, {"namespace": "a", "name": "b"})
    for objects, lacking in ((2, 0), (3, 1)):
        builder.steps[0]["objects"] = objects
        bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
        list(bundle.records(None))
        assert len(bundle.coverage("ConfigMap", "", ())) == lacking


@pytest.mark.parametrize(
    "metadata", [{"name": {}}, {"name": []}, {"name": 5}, {}, {"name": "n" * 5000}, {"name": "a", "namespace": {}}]
)
def test_an_object_without_a_name_or_with_a_namespace_that_is_no_text_cannot_be_read(
    tmp_path: Path, metadata: dict[str, object]
) -> None:
    builder = Builder().list("Pod", "v1", *pods(1), {"metadata": metadata}).rows("secrets", {"namespace": "a", **metadata})
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    assert names(bundle) == ["p0"]
    assert "cannot be read" in bundle.coverage("Pod", "", ())[0].reason


@pytest.mark.parametrize("lost", ["nvidia-smi.xml", "source.json"])
def test_of_a_node_whose_answer_was_damaged_nothing_is_read(tmp_path: Path, lost: str) -> None:
    builder = Builder().add("nodes/g/source.json", "{}").add("nodes/g/nvidia-smi.xml", "<x/>").add("nodes/g/nvidia-smi.txt", "x")
    builder.step("nvidia-smi:g", "ok")
    members = [(f"{TOP}/{name}", data) for name, data in builder.all_members() if not name.endswith(lost)]
    (tmp_path / "b.tgz").write_bytes(packed(members))
    bundle = open_bundle(tmp_path / "b.tgz")
    assert list(bundle.records(None)) == []
    assert "is missing" in bundle.coverage("NvidiaSmi", "made", ("g",))[0].reason


@pytest.mark.parametrize("name", ["cluster/version.json", "cluster/discovery.json", "bundle.json"])
def test_a_document_that_was_changed_says_nothing(tmp_path: Path, name: str) -> None:
    members = [(f"{TOP}/{one}", data.replace(b"1", b"2") if one == name else data) for one, data in whole().all_members()]
    (tmp_path / "b.tgz").write_bytes(packed(members))
    bundle = open_bundle(tmp_path / "b.tgz")
    assert isinstance(bundle.version, Missing) == (name == "cluster/version.json")
    assert (bundle.served("run.ai") is None) == (name == "cluster/discovery.json")
    assert (bundle.info.captured is None) == (name == "bundle.json")
    assert len(names(bundle)) == 5


def test_a_manifest_without_members_is_told_once(tmp_path: Path) -> None:
    members = whole().all_members()
    manifest = {**json.loads(members.pop()[1]), "members": []}
    members.append(("manifest.json", json.dumps(manifest).encode()))
    (tmp_path / "b.tgz").write_bytes(packed([(f"{TOP}/{name}", data) for name, data in members]))
    bundle = open_bundle(tmp_path / "b.tgz")
    assert [problem.message for problem in bundle.info.problems] == ["the manifest lists no member, so none could be checked"]


@pytest.mark.parametrize("clock", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59"])
def test_a_time_that_utc_cannot_hold_is_no_time(tmp_path: Path, clock: str) -> None:
    builder = whole()
    builder.about = {**builder.about, "started": clock, "clock": {"server": clock}}
    assert open_bundle(builder.write(tmp_path / "b.tgz")).info.captured is None


def test_a_list_that_failed_promises_nothing(tmp_path: Path) -> None:
    builder = Builder().list("Pod", "v1", *pods(2), status="forbidden").step("x", "ok")
    builder.steps[0]["objects"] = 9
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    assert len(list(bundle.records(None))) == 2
    assert bundle.info.problems == ()


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(BundleError, match="is no plain file") as error:
            open_bundle(path)
        assert error.value.exit_code == 3


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "\x1b[2Jx"])
def test_a_path_that_no_file_can_have_is_an_error_that_can_be_printed(name: str) -> None:
    with pytest.raises(BundleError, match="cannot be read") as error:
        open_bundle(Path("/tmp") / name)
    assert error.value.message.isprintable()


def test_bad_lines_are_read_up_to_a_number_and_are_one_kinds_loss(tmp_path: Path) -> None:
    builder = Builder().list("Pod", "v1").list("Node", "v1").add("resources/core/v1/pods/0001.jsonl", b"x\n" * 500)
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"), Limits(bad_lines=5, lines_told=3))
    for _ in range(2):
        assert list(bundle.records(None)) == []
        starts = [problem.message[:11] for problem in bundle.info.problems]
        assert starts == ["line 1 cann", "line 2 cann", "line 3 cann", "more than 5"]
    assert bundle.coverage("Pod", "", ())
    assert bundle.coverage("Node", "", ()) == ()


def test_empty_lines_are_counted_and_passed_over(tmp_path: Path) -> None:
    line = json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}).encode()
    builder = Builder().list("Pod", "v1").add("resources/core/v1/pods/0001.jsonl", b"\n\n \n" + line + b"\n\n\n" + line)
    bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
    assert [record.line for record in bundle.records(PODS)] == [4, 7]
    assert bundle.info.problems == ()


def test_a_line_that_no_object_can_be_is_not_read(tmp_path: Path) -> None:
    start = b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"x":'
    for value in (b"[" + b"{}," * 250_000 + b"1]", b"[" + b"1," * 1_100_000 + b"1]", b'"' + b"x" * (9 << 20) + b'"'):
        builder = Builder().list("Pod", "v1").add("resources/core/v1/pods/0001.jsonl", start + value + b"}\n")
        bundle = open_bundle(builder.write(tmp_path / "b.tgz"))
        assert list(bundle.records(PODS)) == []
        assert "cannot be read" in bundle.coverage("Pod", "", ())[0].reason


def test_a_bundle_cut_in_its_last_bytes_says_that_its_checksum_is_missing(tmp_path: Path) -> None:
    data = whole().write(tmp_path / "b.tgz").read_bytes()
    for lost in (1, 4, 8):
        (tmp_path / "c.tgz").write_bytes(data[:-lost])
        bundle = open_bundle(tmp_path / "c.tgz")
        assert [problem.message for problem in bundle.info.problems] == [
            "the end of the archive is missing, and with it the checksum over all of it"
        ]
        assert len(names(bundle)) == 5


def test_what_was_removed_is_known_whatever_the_shape_of_its_record() -> None:
    first = {"members": [{"path": "b"}, {"path": ["c"]}, {"path": ""}, 5]}
    runs = [7, {"members": 3}, first, {"members": [{"path": "a"}, {"path": "b"}]}]
    assert read_manifest({"removed": runs}, None).removed == ("a", "b")
    assert read_manifest({"removed": {"members": []}}, None).removed == ()


def test_a_step_knows_how_the_customer_kept_it_back() -> None:
    steps = [{"id": "a", "status": "skipped", "message": "--no-exec"}, {"id": "b", "status": "error", "message": "--no-exec"}]
    assert [step.taken_out for step in read_manifest({"steps": steps}, None).steps] == [("--no-exec",), ()]
