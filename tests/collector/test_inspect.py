"""What a security team sees of a bundle before it leaves the house."""

import hashlib
import json
import os
import pty
import subprocess
import sys
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from runai_collect import inspect, layout
from runai_collect.inspect import look, main
from runai_collect.writer import BundleWriter, Step

from tests.bundle.builder import packed, tar_of

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "samples" / "broken-site.tgz"
INSPECT = [sys.executable, "-m", "runai_collect", "inspect"]
LOG = b"a line\nwith \xc3\xa4\n"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    about = {"format": 1, "name": "top", "cluster": {"name": "acme"}, "collector": "runai-collect 9"}
    options = {"logs": True, "exec": False, "namespaces": ["a", "b"], "only": [], "plan_file": None}
    writer.add_json(layout.BUNDLE, {**about, "started": "2026-01-01T00:00:00Z", "options": options}, "bundle")
    for namespaces in (("a", "a", "b"), ("b", "c")):
        metadata = [{"name": "x", "namespace": name, "annotations": {"namespace": "no"}} for name in namespaces]
        writer.add_page("resources/core/v1/pods/", [{"kind": "Pod", "metadata": one} for one in metadata], "list:core/v1/pods")
    writer.add_page("resources/core/v1/nodes/", [{"kind": "Node", "metadata": {"name": "n"}}], "list:core/v1/nodes")
    writer.add("logs/a/x/c.log", LOG, "log:a/x/c")
    for member, rule in (("logs/a/x/c.log", "jwt"), ("logs/a/x/c.log", "jwt"), ("resources/core/v1/pods/0001.jsonl", "env")):
        writer.add_row(layout.REDACTIONS, {"member": member, "where": "line 7", "rule": rule})
    for status in ("ok", "ok", "empty", "forbidden", "skipped"):
        writer.add_step(Step(f"step-{status}", "GET /x", "cluster", status, message=f"why {status}", objects=3))
    writer.finish("2026-01-01T00:01:00Z", "deadline")
    return tmp_path / "b.tgz"


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def rows(text: str, title: str) -> list[list[str]]:
    """Return the words of the rows under a title."""
    section = text.split(title + "\n")[1].split("\n\n")[0]
    return [line.split() for line in section.splitlines()]


def changed(bundle: Path, change: Any) -> Path:
    """Write the bundle anew with its members changed by ``change(list)``, and the manifest as it was."""
    content = []
    with tarfile.open(bundle) as archive:
        for member in archive:
            stream = archive.extractfile(member)
            assert stream is not None
            content.append((member.name, stream.read()))
    change(content)
    bundle.write_bytes(packed(content))
    return bundle


def test_it_says_what_the_bundle_is(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, bundle)
    assert code == 0
    assert rows(out, "Bundle") == [
        ["name", "top"],
        ["cluster", "acme"],
        ["collector", "runai-collect", "9"],
        ["time", "2026-01-01T00:00:00Z", "to", "2026-01-01T00:01:00Z"],
        ["state", "deadline"],
    ]
    assert rows(out, "Options") == [["exec", "false"], ["logs", "true"], ["namespaces", '["a",', '"b"]'], ["only", "[]"]]
    assert out.endswith("All 7 files are as the manifest says.\n")


def test_objects_are_counted_by_namespace(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, bundle)[1]
    assert rows(out, "Objects, by namespace") == [
        ["resources/core/v1/nodes", "1", "-", "1"],
        ["resources/core/v1/pods", "5", "a", "2,", "b", "2,", "c", "1"],
    ]
    assert look(str(bundle))[0].kinds["resources/core/v1/pods"] == {"a": 2, "b": 2, "c": 1}


def test_the_tree_shows_files_and_sizes(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, bundle)[1]
    files = {row[0]: row[1:3] for row in rows(out, "Files")}
    assert files["resources/"] == files["resources/core/"] == ["3", "files"]
    assert files["logs/"] == files["logs/a/"] == ["1", "file"]
    assert files["bundle.json"] == ["1", "file"]


def test_hidden_values_are_counted_by_rule(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, bundle)[1]
    assert rows(out, "Hidden values, by rule") == [["env", "1"], ["jwt", "2"]]
    assert "line 7" not in out
    places = rows(run(capsys, bundle, "--redactions")[1], "Places of hidden values")
    assert len(places) == 3
    assert ["logs/a/x/c.log", "line", "7", "jwt"] in places


def test_steps_that_did_not_end_well_are_shown_and_all_when_asked(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, bundle)[1]
    assert rows(out, "Steps, by outcome") == [["empty", "1"], ["forbidden", "1"], ["ok", "2"], ["skipped", "1"]]
    shown = rows(out, "Steps that did not end well")
    assert shown == [[one, f"step-{one}", "3", "why", one] for one in ("forbidden", "skipped")]
    every = rows(run(capsys, bundle, "--steps")[1], "Steps")
    assert sorted(row[0] for row in every) == ["empty", "forbidden", "ok", "ok", "skipped"]


def test_the_same_stands_in_json(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, bundle, "--json", "--redactions")
    found = json.loads(out)
    assert (code, out.isascii(), found["problems"]) == (0, True, [])
    assert found["members"]["logs/a/x/c.log"] == [len(LOG), hashlib.sha256(LOG).hexdigest()]
    assert (found["rules"], len(found["places"]), found["about"]["name"]) == ({"env": 1, "jwt": 2}, 3, "top")
    assert [step["status"] for step in found["manifest"]["steps"]].count("ok") == 2


def test_the_sample_is_intact_and_counted_as_tar_and_json_count_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, SAMPLE, "--json")
    found = json.loads(out)
    listed = subprocess.run(["tar", "-tzf", str(SAMPLE)], check=True, capture_output=True, text=True).stdout.splitlines()
    assert code == 0
    assert [line.partition("/")[2] for line in sorted(listed)] == sorted(found["members"])
    name = next(line for line in listed if line.endswith("core/v1/pods/0001.jsonl"))
    pods = subprocess.run(["tar", "-xzOf", str(SAMPLE), name], check=True, capture_output=True, text=True).stdout.splitlines()
    runai = [pod for pod in pods if json.loads(pod)["metadata"]["namespace"] == "runai"]
    assert found["kinds"]["resources/core/v1/pods"]["runai"] == len(runai) == 39


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: content.__setitem__(4, (content[4][0], content[4][1].replace(b"line", b"lame"))),
         "logs/a/x/c.log is not as it was written"),
        (lambda content: content.pop(4), "logs/a/x/c.log is missing"),
        (lambda content: content.insert(4, ("top/new", b"x")), "new is not in the manifest"),
        (lambda content: content.insert(5, content[4]), "logs/a/x/c.log is there twice"),
        (lambda content: content.pop(), "manifest.json is not there: 6 files could be read, and none be checked"),
    ],
)  # fmt: skip
def test_what_is_not_as_it_was_written_is_said(
    bundle: Path, capsys: pytest.CaptureFixture[str], change: Any, problem: str
) -> None:
    changed(bundle, change)
    code, out, _ = run(capsys, bundle)
    assert code == 1
    assert [" ".join(row) for row in rows(out, "Not as it should be")] == [problem]
    assert "as the manifest says" not in out


def test_a_cut_bundle_shows_what_can_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = SAMPLE.read_bytes()
    (tmp_path / "cut.tgz").write_bytes(content[: len(content) // 2])
    code, out, _ = run(capsys, tmp_path / "cut.tgz")
    assert code == 1
    assert ["state", "cut"] in rows(out, "Bundle")
    assert ["resources/core/v1/nodes", "10", "-", "10"] in rows(out, "Objects, by namespace")
    assert "it was cut: it ends in the middle" in out


@pytest.mark.parametrize("content", [b"", b"hello", packed([("etc/passwd", b"x")]), tar_of([("a", b"b")])])
def test_another_file_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes) -> None:
    (tmp_path / "x.tgz").write_bytes(content)
    code, out, err = run(capsys, tmp_path / "x.tgz")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"runai-collect inspect: {tmp_path}/x.tgz is no bundle of runai-collect: ")


def test_nothing_of_a_hostile_bundle_reaches_the_terminal_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b]0;owned\x07\u202e\r"
    step = {"id": evil, "status": evil, "message": evil, "objects": evil}
    about = {"name": evil, "cluster": {"name": evil}, "collector": [evil], "options": {evil: evil}, "started": {}}
    manifest = {"steps": [step, 7], "members": [{"path": evil}, {"path": [1]}], "removed": [{"members": [{"path": evil}]}, 1]}
    content = [
        ("top/bundle.json", json.dumps(about).encode()),
        (f"top/{evil}/x.jsonl", b'{"metadata": 7}\n[]\n{"metadata":{"namespace":[1]}}'),
        ("top/redactions/1.jsonl", json.dumps({"rule": evil, "where": {}}).encode()),
        ("top/manifest.json", json.dumps(manifest).encode()),
    ]
    (tmp_path / "x.tgz").write_bytes(packed(content))
    code, out, err = run(capsys, tmp_path / "x.tgz", "--steps", "--redactions")
    assert (code, err) == (1, "")
    assert out.count("\\x1b]0;owned\\x07\\u202e\\r") > 9
    assert all(one.isprintable() or one == "\n" for one in out)
    assert run(capsys, tmp_path / "x.tgz", "--json")[1].isascii()


@pytest.mark.parametrize("document", [{"cluster": 7, "options": [1]}, {}, {"cluster": None, "options": None}])
def test_an_odd_description_breaks_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str], document: Any) -> None:
    content = [("top/bundle.json", json.dumps(document).encode()), ("top/manifest.json", b'{"steps": 1, "members": {}}')]
    (tmp_path / "x.tgz").write_bytes(packed(content))
    assert run(capsys, tmp_path / "x.tgz")[0] == 1      # bundle.json is not in the manifest


@pytest.mark.parametrize("how", [[], ["--json"]])
@pytest.mark.parametrize("depth", [300, 900, 1200])
def test_a_deep_description_ends_in_one_line_or_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: list[str], depth: int
) -> None:
    deep = b'{"options": {"a": ' + b"[" * depth + b"]" * depth + b"}}"
    (tmp_path / "x.tgz").write_bytes(packed([("top/bundle.json", deep)]))
    code, out, err = run(capsys, tmp_path / "x.tgz", *how)
    assert (code, err) == (1, "") if out else (code, err.count("\n")) == (2, 1)


def test_one_member_is_printed_as_it_is(bundle: Path) -> None:
    done = subprocess.run([*INSPECT, bundle, "--member", "logs/a/x/c.log"], capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, LOG, b"")


def test_a_terminal_gets_a_member_without_what_it_would_obey(tmp_path: Path) -> None:
    (tmp_path / "x.tgz").write_bytes(packed([("top/bundle.json", b"{}"), ("top/l.log", b"\x1b[2Jgone\n" + b"x" * 2500)]))
    outer, inner = pty.openpty()
    done = subprocess.run([*INSPECT, tmp_path / "x.tgz", "--member", "l.log"], stdout=inner, stderr=subprocess.PIPE)
    os.close(inner)
    shown = b""
    with suppress(OSError):     # how a terminal ends
        while part := os.read(outer, 10_000):
            shown += part
    os.close(outer)
    assert shown.startswith(b"\\x1b[2Jgone\r\n")
    assert shown.count(b"x") == 2501
    assert done.returncode == 1
    assert b"manifest.json is not there" in done.stderr


@pytest.mark.parametrize("more", ["", "--json", "--member logs/a/x/c.log"])
@pytest.mark.parametrize("redirect", [">/dev/full", ">&-"])
def test_what_stdout_does_not_take_is_no_success(bundle: Path, more: str, redirect: str) -> None:
    command = f"{' '.join(INSPECT)} {bundle} {more} {redirect}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("\n"), "stdout is closed" in done.stderr) == (2, 1, True)


def test_a_member_that_is_not_there_is_a_mistake(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, bundle, "--member", "logs/none") == (2, "", "runai-collect inspect: there is no logs/none in it\n")


def test_a_reader_that_goes_away_does_not_matter(bundle: Path) -> None:
    command = f"{' '.join(INSPECT)} {SAMPLE} --member resources/core/v1/pods/0001.jsonl | head -c 10"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ('{"apiVersi', "")


def test_what_is_counted_apart_is_bounded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect, "_MOST_NAMES", 2000)
    names = [b'{"rule":"%d","namespace":"n%d"}\n' % (number, number) for number in range(3000)]
    members = [("top/bundle.json", b"{}"), ("top/secrets/1.jsonl", b"".join(names)), ("top/redactions/1.jsonl", b"".join(names))]
    (tmp_path / "x.tgz").write_bytes(packed(members))
    found = json.loads(run(capsys, tmp_path / "x.tgz", "--json")[1])
    assert (len(found["rules"]), found["rules"]["others"]) == (2001, 1000)
    assert (len(found["kinds"]["secrets"]), found["kinds"]["secrets"]["others"]) == (2001, 1000)
