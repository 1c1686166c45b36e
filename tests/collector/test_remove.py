"""What a customer takes out is gone, the bundle says so, and no rule takes the rest for all there was."""

from __future__ import annotations

import functools
import hashlib
import json
import resource
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.engine import evaluate
from runai_analyze.facts import build_facts
from runai_analyze.model import Missing, Status
from runai_analyze.ruleset import default_pack, load_packs
from runai_analyze.ruleset.signatures import Finder
from runai_collect import layout
from runai_collect.inspect import look
from runai_collect.remove import main
from runai_collect.writer import BundleWriter, Step

from tests.bundle.builder import packed

SAMPLES = Path(__file__).parents[2] / "samples"
LOGS = ("logs/a/x/c.log", "logs/a/y/c.log", "logs/b/z/c.log")
ODD = "nodes/odd name/nvidia-smi.txt"


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write(tmp_path / "b.tgz", "complete")


def write(path: Path, state: str, *, secret: bool = False) -> Path:
    writer = BundleWriter(str(path), "top", 1234)
    writer.add_json(layout.BUNDLE, {"format": 1, "name": "top", "options": {}}, "bundle")
    writer.add(layout.README, b"read me\n", "bundle")
    for number in range(3):
        writer.add_page("resources/core/v1/pods/", [{"metadata": {"name": str(number)}}], "list:core/v1/pods")
    for name in LOGS:
        writer.add(name, (b"glpat-" + b"a" * 20 if secret and name == LOGS[0] else b"") + name.encode(), "log:" + name)
        writer.add_step(Step("log:" + name, "GET x", "namespace", "ok", objects=1, message="older lines were left out"))
    writer.add(ODD, b"table\n", "nvidia-smi:odd name")
    shared = {layout.SECRETS: "secrets@a", layout.CERTIFICATES: "certificate:a/b", layout.CONFIGMAPS: "list:core/v1/configmaps"}
    for folder, step in shared.items():
        writer.add_row(folder, {"namespace": "a", "name": "n"}, step)
        writer.add_step(Step(step, "GET x", "namespace", "ok", objects=1))
    writer.add_step(Step("secrets@b", "GET x", "namespace", "empty"))
    writer.add_step(Step("list:core/v1/pods", "GET x", "cluster", "ok", objects=3, pages=3, kind="Pod", version="v1"))
    writer.add_step(Step("nvidia-smi:odd name", "exec", "node", "ok", objects=1))
    for number, name in enumerate((*LOGS, LOGS[0])):
        writer.add_row(layout.REDACTIONS, {"member": name, "where": f"line {number}", "rule": "jwt"})
    writer.finish("2026-01-01T00:01:00Z", state, secret)
    return Path(writer.path)


def remove(*arguments: object) -> int:
    return main([str(one) for one in arguments])


def content(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as archive:
        return {member.name: stream.read() for member in archive if (stream := archive.extractfile(member))}


def manifest(path: Path) -> dict[str, Any]:
    return dict(json.loads(content(path)["top/manifest.json"]))


def status(path: Path) -> dict[str, tuple[str, str]]:
    return {step["id"]: (step["status"], step["message"]) for step in manifest(path)["steps"]}


def test_the_new_bundle_holds_the_rest_and_stands_beside_the_old_one(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = bundle.read_bytes()
    assert remove(bundle, LOGS[0]) == 0
    new = bundle.with_name("b.removed.tgz")
    assert capsys.readouterr().out == f"{new} without 1 member\n"
    assert bundle.read_bytes() == before
    old, rest = content(bundle), content(new)
    assert set(old) - set(rest) == {"top/" + LOGS[0]}
    changed = ["top/README.txt", "top/redactions/0001.jsonl", "top/manifest.json"]
    assert [name for name in rest if rest[name] != old[name]] == changed
    assert next(iter(rest)) == "top/bundle.json"
    assert list(rest)[-1] == "top/manifest.json"
    assert look(str(new))[0].problems == []
    assert stat.S_IMODE(new.stat().st_mode) == 0o600


def test_the_manifest_says_what_was_taken_out_and_cuts_its_step(bundle: Path) -> None:
    remove(bundle, LOGS[0], "-o", bundle.with_name("new.tgz"))
    found = manifest(bundle.with_name("new.tgz"))
    (run,) = found["removed"]
    assert run["patterns"] == [LOGS[0]]
    assert run["members"] == [{"path": LOGS[0], "bytes": len(LOGS[0]), "step": "log:" + LOGS[0]}]
    assert (found["state"], found["finished"], found["format"]) == ("complete", "2026-01-01T00:01:00Z", 1)
    assert LOGS[0] not in {entry["path"] for entry in found["members"]}
    changed = {key: value for key, value in status(bundle.with_name("new.tgz")).items() if value != status(bundle)[key]}
    words = "removed by the customer: 1 of 1 members; before: older lines were left out"
    assert changed == {"log:" + LOGS[0]: ("truncated", words)}


def test_the_readme_says_that_files_were_taken_out(bundle: Path) -> None:
    remove(bundle, "logs/a/", LOGS[2])
    said = content(bundle.with_name("b.removed.tgz"))["top/README.txt"].decode()
    assert said.startswith("read me\n\nWhat was taken out afterwards\n  3 files, by runai-collect ")
    assert said.endswith(f": logs/a/, {LOGS[2]}.\n  manifest.json names them under \"removed\".\n")
    remove(bundle.with_name("b.removed.tgz"), "nodes/", "-o", bundle.with_name("c.tgz"))
    twice = content(bundle.with_name("c.tgz"))["top/README.txt"].decode()
    assert twice.startswith(said + "\nWhat was taken out afterwards\n  1 file, by ")
    assert look(str(bundle.with_name("c.tgz")))[0].problems == []


def test_where_something_was_hidden_in_it_goes_too(bundle: Path) -> None:
    remove(bundle, LOGS[0])
    rows = [json.loads(line) for line in content(bundle.with_name("b.removed.tgz"))["top/redactions/0001.jsonl"].splitlines()]
    assert sorted((row["member"], row["where"]) for row in rows) == [(LOGS[1], "line 1"), (LOGS[2], "line 2")]


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        ("logs/", set(LOGS)),
        ("logs/a", set(LOGS[:2])),
        ("logs/a/", set(LOGS[:2])),
        ("top/logs/a/x", {LOGS[0]}),
        ("logs/*/[yz]/*.log", set(LOGS[1:])),
        ("README.txt", {"README.txt"}),
        ("nodes", {"nodes/odd_name-ef5bac77/nvidia-smi.txt"}),
        ("resources/core/v1/pods/0002.jsonl", {"resources/core/v1/pods/0002.jsonl"}),
    ],
)
def test_members_folders_and_patterns(bundle: Path, path: str, gone: set[str]) -> None:
    assert remove(bundle, path) == 0
    new = bundle.with_name("b.removed.tgz")
    lost = {name.partition("/")[2] for name in set(content(bundle)) - set(content(new))}
    assert lost - {"redactions/0001.jsonl"} == gone     # which has no rows left when all logs are gone
    assert {entry["path"] for entry in manifest(new)["removed"][0]["members"]} == gone


def test_true_names_and_all_else_stay(bundle: Path) -> None:
    remove(bundle, "logs")
    before, after = manifest(bundle), manifest(bundle.with_name("b.removed.tgz"))
    kept = [entry for entry in before["members"] if not entry["path"].startswith(("logs/", "redactions/", "README"))]
    assert [entry for entry in after["members"] if not entry["path"].startswith(("redactions/", "README"))] == kept
    assert next(entry["name"] for entry in after["members"] if entry["path"].startswith("nodes/")) == ODD


def test_a_page_of_several_is_counted(bundle: Path) -> None:
    remove(bundle, "resources/core/v1/pods/0002.jsonl")
    found = status(bundle.with_name("b.removed.tgz"))["list:core/v1/pods"]
    assert found == ("truncated", "removed by the customer: 1 of 3 members")


@pytest.mark.parametrize(
    ("path", "cut"),
    [("secrets", {"secrets@a"}), ("certificates", {"certificate:a/b"}), ("configmaps", {"list:core/v1/configmaps"})],
)
def test_rows_of_many_steps_cut_each_that_has_some(bundle: Path, path: str, cut: set[str]) -> None:
    remove(bundle, path)
    assert {key for key, (one, _) in status(bundle.with_name("b.removed.tgz")).items() if one == "truncated"} == cut


def test_a_second_time_both_are_told(bundle: Path) -> None:
    remove(bundle, LOGS[0])
    remove(bundle.with_name("b.removed.tgz"), LOGS[1], "-o", bundle.with_name("c.tgz"))
    runs = manifest(bundle.with_name("c.tgz"))["removed"]
    assert [run["patterns"] for run in runs] == [[LOGS[0]], [LOGS[1]]]


@pytest.mark.parametrize(
    "paths", [["nothing/here"], [LOGS[0], "log/"], ["*.xml"], ["bundle.json"], ["manifest.json"], ["*.json"], [""]]
)
def test_nothing_is_written_when_a_path_is_wrong(bundle: Path, capsys: pytest.CaptureFixture[str], paths: list[str]) -> None:
    assert remove(bundle, *paths) == 2
    assert [path.name for path in bundle.parent.iterdir()] == ["b.tgz"]
    assert capsys.readouterr().err.count("\n") == 1


def test_no_file_is_replaced(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = bundle.with_name("other.tgz")
    other.write_text("mine")
    assert remove(bundle, LOGS[0], "-o", other) == 2
    assert other.read_text() == "mine"
    assert "it is not replaced" in capsys.readouterr().err
    bundle.with_name("b.removed.tgz").write_text("mine")
    assert remove(bundle, LOGS[0]) == 0
    assert bundle.with_name("b.removed.tgz").read_text() == "mine"
    assert look(str(bundle.with_name("b.removed.2.tgz")))[0].problems == []


def test_where_it_cannot_be_written_is_two_and_says_what_to_do(bundle: Path) -> None:
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (100, 100))
    command = [sys.executable, "-B", "-m", "runai_collect", "remove", str(bundle), LOGS[0]]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
    new = bundle.with_name("b.removed.tgz")
    words = f"the bundle cannot be written to {new}: File too large; free space, or name another place with -o"
    assert (done.returncode, done.stderr) == (2, f"runai-collect remove: {words}\n")
    assert [path.name for path in bundle.parent.iterdir()] == ["b.tgz"]
    done = subprocess.run([*command, "-o", str(bundle.parent / "none" / "b.tgz")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_damaged_bundle_is_not_written_anew_as_if_it_were_whole(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = bundle.read_bytes()
    bundle.write_bytes(data[: len(data) * 2 // 3])
    assert remove(bundle, LOGS[0]) == 1
    assert "is not as it was written" in capsys.readouterr().err
    assert [path.name for path in bundle.parent.iterdir()] == ["b.tgz"]


@pytest.mark.parametrize("steps", [[{}], [{"id": 1, "request": [], "scope": {}, "status": "ok"}], [{"id": "a", "seconds": "x"}]])
def test_a_manifest_that_nobody_writes_ends_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], steps: Any) -> None:
    entries = [{"path": name, "bytes": 2, "sha256": hashlib.sha256(b"{}").hexdigest()} for name in ("bundle.json", "x")]
    made = {"steps": steps, "members": entries}
    content = [("top/bundle.json", b"{}"), ("top/x", b"{}"), ("top/manifest.json", json.dumps(made).encode())]
    (tmp_path / "b.tgz").write_bytes(packed(content))
    assert remove(tmp_path / "b.tgz", "x") == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["b.tgz"]


@pytest.mark.parametrize("depth", [500, 1200])
def test_a_deep_manifest_ends_in_one_line_or_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str], depth: int) -> None:
    digest = hashlib.sha256(b"{}").hexdigest()
    entries = [{"path": name, "bytes": 2, "sha256": digest, "step": "a"} for name in ("bundle.json", "x")]
    step = '{"id": "a", "request": "", "scope": "", "status": "ok", "kind": ' + "[" * depth + "]" * depth + "}"
    made = json.dumps({"finished": "", "state": "complete", "members": entries})[:-1] + f', "steps": [{step}]}}'
    (tmp_path / "b.tgz").write_bytes(packed([("top/bundle.json", b"{}"), ("top/x", b"{}"), ("top/manifest.json", made.encode())]))
    code = remove(tmp_path / "b.tgz", "x")
    assert (code, capsys.readouterr().err.count("\n")) in ((0, 0), (1, 1))


def test_what_the_last_scan_found_can_be_taken_out(tmp_path: Path) -> None:
    """The way out of a blocked bundle."""
    blocked = write(tmp_path / "b.tgz", "complete", secret=True)
    assert blocked.name == "b.tgz.blocked"
    remove(blocked, LOGS[1])
    assert (tmp_path / "b.removed.tgz.blocked").exists()
    remove(blocked, LOGS[0])
    assert (tmp_path / "b.removed.tgz").exists()


Answers = dict[str, tuple[Status, tuple[Missing, ...]]]


@pytest.fixture(scope="module")
def answers() -> Callable[[Path], Answers]:
    pack = load_packs([default_pack()])

    def of(path: Path) -> Answers:
        facts = build_facts(open_bundle(path), kinds=pack.kinds, signatures=Finder(pack.signatures))
        return {outcome.rule.id: (outcome.status, outcome.missing) for outcome in evaluate(pack, facts)}

    return of


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("nodes/gpu-1/", "RAI-GPU-006"),
        ("certificates/", "RAI-TLS-002"),
        ("resources/core/v1/pods/", "RAI-IMG-003"),
        ("resources/core/v1/nodes/", "RAI-GPU-006"),
        ("resources/run.ai/", "RAI-NET-004"),
        ("configmaps/", "RAI-RUN-006"),
        ("resources/core/v1/configmaps/", "RAI-RUN-006"),
        ("secrets/", "RAI-TLS-001"),
        ("cluster/version.json", "RAI-GPU-012"),
        ("logs/", "RAI-GPU-014"),
        ("helm/", "RAI-RUN-010"),
        ("logs/runai/", "RAI-NET-012"),     # of the next one no rule needs anything
        ("cluster/discovery.json", ""),
    ],
)
def test_a_rule_that_needed_it_says_unknown_and_none_says_pass(
    tmp_path: Path, answers: Callable[[Path], Answers], path: str, rule: str
) -> None:
    """On a real bundle of a healthy cluster: no rule may answer anything but what it did before, or unknown."""
    new = tmp_path / "new.tgz"
    assert remove(SAMPLES / "healthy.tgz", path, "-o", new) == 0
    before, after = answers(SAMPLES / "healthy.tgz"), answers(new)
    assert open_bundle(new).info.problems == ()
    changed = {one: found for one, found in after.items() if found[0] != before[one][0]}
    assert {found[0] for found in changed.values()} <= {Status.UNKNOWN, Status.BLOCKED}
    if rule:
        assert changed[rule][0] == Status.UNKNOWN
        assert any("remove" in missing.taken_out for missing in changed[rule][1])
