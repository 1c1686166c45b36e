"""The command line without a cluster: help, usage, and what is said when there is nothing to collect."""

import errno
import functools
import hashlib
import io
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from runai_collect import __version__, plan
from runai_collect.cli import _gather, finish, main
from runai_collect.client import Stop
from runai_collect.kubectl import Config, Kubectl
from runai_collect.options import build_parser
from runai_collect.progress import Progress
from runai_collect.steps import Label, Session
from runai_collect.writer import BundleWriter, Step

from tests.collector.servers import Answer, FaultServer, Handler, ok, serving, silent

COLLECTOR = Path(__file__).parent.parent.parent / "collector"


def run(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    surroundings = {
        **os.environ,
        "PYTHONPATH": str(COLLECTOR),
        "HOME": str(folder),
        "KUBECONFIG": str(folder / "none"),
        **environment,
    }
    return subprocess.run(
        [sys.executable, "-m", "runai_collect", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=surroundings,
    )


def test_help_and_version(tmp_path: Path) -> None:
    text = run("--help", folder=tmp_path)
    assert text.returncode == 0
    assert "create pods/exec" in text.stdout
    assert run("--version", folder=tmp_path).stdout == f"runai-collect {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--nonsense"],
        ["--deadline", "soon"],
        ["--deadline", "0"],
        ["--log-lines", "-1"],
        ["--log-lines", "²"],
        ["surplus"],
        ["-n", ""],
        ["-n", "a,b"],
        ["-n", "../x"],
        ["-n", "Team"],
    ],
)
def test_usage_is_two(tmp_path: Path, arguments: list[str]) -> None:
    assert run(*arguments, folder=tmp_path).returncode == 2


def test_a_file_that_is_there_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.tgz").write_text("mine")
    assert main(["--json", "-o", str(tmp_path / "b.tgz")]) == 2
    said = capsys.readouterr()
    assert said.err == f"runai-collect: {tmp_path / 'b.tgz'} exists; it is not replaced\n"
    assert json.loads(said.out) == {"error": f"{tmp_path / 'b.tgz'} exists; it is not replaced", "exit_code": 2}
    assert (tmp_path / "b.tgz").read_text() == "mine"


@pytest.mark.parametrize("output", ["none/b.tgz", "none/", "link", "file/b.tgz"])
def test_what_cannot_be_written_is_told_before_the_login(tmp_path: Path, output: str) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "file").write_text("mine")
    done = run("--kubectl", "no-such-program", "-o", output, folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "exists" in done.stderr if output == "link" else "cannot be written to the folder" in done.stderr
    assert output == "link" or done.stderr.endswith("; name another place with -o\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link"]


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_disk_that_is_full_is_told_before_the_login(tmp_path: Path, more: list[str]) -> None:
    command = [sys.executable, "-B", "-m", "runai_collect", "--kubectl", "no-such-program", "-o", str(tmp_path), *more]
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_FSIZE, (100, 100))
    done = subprocess.run(command, cwd=COLLECTOR, capture_output=True, text=True, preexec_fn=limit, check=False)
    error = f"the bundle cannot be written to the folder {tmp_path}: File too large; free space, or name another place with -o"
    assert (done.returncode, done.stderr) == (2, f"runai-collect: {error}\n")
    assert done.stdout == (json.dumps({"error": error, "exit_code": 2}) + "\n" if more else "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["--rbac", "--plan", "--plan --json"])
@pytest.mark.parametrize(("redirect", "code"), [(">/dev/full", 2), (">&-", 2), ("| true", 0), ("| cat", 0)])
def test_what_stdout_does_not_take_is_no_success(tmp_path: Path, what: str, redirect: str, code: int) -> None:
    command = f"set -o pipefail; {sys.executable} -m runai_collect {what} {redirect}"
    done = subprocess.run(["bash", "-c", command], cwd=COLLECTOR, capture_output=True, text=True, check=False)
    words = "runai-collect: stdout is closed, or its disk full: not all that was asked for could be written\n"
    assert (done.returncode, done.stderr) == (code, words if code else "")


def test_a_check_needs_no_place_for_a_bundle(tmp_path: Path) -> None:
    done = run("--check", "--kubectl", "no-such-program", "-o", "none/b.tgz", folder=tmp_path)
    assert (done.returncode, done.stderr[:33]) == (3, "runai-collect: no-such-program wa")


def test_a_machine_without_room_for_temporary_files_ends_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **options: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/x")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    assert main(["--kubectl", sys.executable, "-o", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.endswith("free space, or name one in TMPDIR\n")


def test_without_kubectl_it_is_three_and_one_line(tmp_path: Path) -> None:
    done = run("--kubectl", "no-such-program", folder=tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "runai-collect: no-such-program was not found; name it with --kubectl PATH\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("arguments", "variable", "missing"), [(("--kubeconfig", "no.yaml"), "a", "no.yaml"), ((), "a:b", "a and b")]
)
def test_a_kubeconfig_that_does_not_exist_is_named(
    tmp_path: Path, cluster_binaries: object, arguments: tuple[str, ...], variable: str, missing: str
) -> None:
    kubectl = str(cluster_binaries.kubectl)  # type: ignore[attr-defined]
    done = run("--kubectl", kubectl, *arguments, folder=tmp_path, KUBECONFIG=variable)
    assert (done.returncode, done.stdout) == (3, "")
    advice = "name a file that kubectl can use with --kubeconfig FILE"
    assert done.stderr == f"runai-collect: the kubeconfig cannot be used: {missing} does not exist; {advice}\n"


def test_a_usage_error_is_two_lines(tmp_path: Path) -> None:
    said = run("--nonsense", folder=tmp_path).stderr
    assert said == "usage: runai-collect [options]\nrunai-collect: error: unrecognized arguments: --nonsense\n"


@pytest.mark.cluster
def test_a_cluster_that_does_not_answer_is_three(tmp_path: Path, cluster_binaries: object) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "config").write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n"
        f"clusters: [{{name: a, cluster: {{server: 'https://127.0.0.1:{port}'}}}}]\nusers: [{{name: a, user: {{token: x}}}}]\n"
    )
    kubectl = str(cluster_binaries.kubectl)  # type: ignore[attr-defined]
    done = run("-o", "b.tgz", "--kubeconfig", "config", "--kubectl", kubectl, folder=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "b.tgz").exists()


def site_of(server: FaultServer, folder: Path) -> list[str]:
    """Options for a run against a server that misbehaves."""
    (folder / "config").write_text(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: a, user: a}}]\n"
        f"clusters: [{{name: a, cluster: {{server: 'http://127.0.0.1:{server.server_port}'}}}}]\n"
        "users: [{name: a, user: {}}]\n"
    )
    return ["--kubeconfig", "config", "-o", "b.tgz"]


def only_below(path: str, answer: Answer) -> Answer:
    """Answers as a small server does, and with `answer` where a path begins so."""

    def choose(handler: Handler) -> None:
        (answer if handler.path.startswith(path) else ok(b'{"gitVersion":"v1.30.0"}'))(handler)

    return choose


@pytest.mark.cluster
@pytest.mark.parametrize(("path", "code"), [("/version", 3), ("/livez", 1), ("/api/v1/namespaces", 1)])
def test_the_deadline_ends_a_read_on_which_nothing_comes(
    tmp_path: Path, cluster_binaries: object, path: str, code: int
) -> None:
    kubectl = str(cluster_binaries.kubectl)  # type: ignore[attr-defined]
    with serving(only_below(path, silent(30))) as server:
        begin = time.monotonic()
        done = run("--kubectl", kubectl, "--deadline", "3s", *site_of(server, tmp_path), folder=tmp_path)
    assert done.returncode == code, done.stderr
    assert time.monotonic() - begin < 10


@pytest.mark.cluster
def test_a_signal_ends_a_read_on_which_nothing_comes(tmp_path: Path, cluster_binaries: object) -> None:
    kubectl = str(cluster_binaries.kubectl)  # type: ignore[attr-defined]
    with serving(only_below("/livez", silent(30))) as server:
        surroundings = {**os.environ, "PYTHONPATH": str(COLLECTOR)}
        command = [sys.executable, "-m", "runai_collect", "--kubectl", kubectl, *site_of(server, tmp_path)]
        process = subprocess.Popen(command, cwd=tmp_path, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not any(path.startswith("/livez") for path in server.paths):
            time.sleep(0.05)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert (process.returncode, time.monotonic() - begin < 5) == (130, True)
    assert (tmp_path / "b.tgz").exists()


def test_a_fault_of_ours_does_not_cost_what_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a part of the run raises, the bundle is closed with what there is, and says so."""

    def fails(session: Session, run_in_pod: object, namespace: str) -> None:
        session.skip(Label("before", "", "cluster"), "ok", "")
        raise RecursionError

    monkeypatch.setattr("runai_collect.cli.gather", fails)
    stop = Stop()
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    session = Session(None, writer, plan.Options(), stop, Progress(True))  # type: ignore[arg-type]
    _gather(session, Kubectl("kubectl", "", "", plan.Limits(), stop, print), Config("c", "c", "", ""))
    assert [(step.id, step.status) for step in writer.steps] == [("before", "ok"), ("collector", "error")]
    assert finish(writer, stop, Progress(True), build_parser().parse_args(["-q"])) == 1
    assert (tmp_path / "b.tgz").exists()


def test_a_kubectl_that_is_no_program_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(b"\x7fELFxxxx")
    (tmp_path / "text").write_text("text")
    (tmp_path / "program").chmod(0o755)
    done = run("--kubectl", str(tmp_path / "program"), folder=tmp_path)
    assert (done.returncode, done.stderr) == (3, f"runai-collect: {tmp_path / 'program'} cannot be run: Exec format error\n")
    done = run("--kubectl", str(tmp_path / "text"), folder=tmp_path)
    assert (done.returncode, "is no program that can be run" in done.stderr) == (3, True)


class Silent:
    """Progress that nobody sees."""

    def end(self) -> None:
        """Nothing to clear."""


@pytest.mark.parametrize(("insist", "code", "name"), [(False, 4, "b.tgz.blocked"), (True, 0, "b.tgz")])
def test_the_last_scan_blocks_the_bundle_unless_somebody_insists(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], insist: bool, code: int, name: str
) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    writer.add("logs/a.log", b"key AKIA" + b"Q" * 16, "s")
    chosen = build_parser().parse_args(["--keep-despite-scan"] if insist else [])
    assert finish(writer, Stop(), Silent(), chosen) == code
    assert [path.name for path in tmp_path.iterdir()] == [name]
    said = capsys.readouterr().out
    assert "logs/a.log: aws-key" in said
    assert "AKIA" not in said


class Terminal(io.StringIO):
    """A screen of its own."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_one_line_is_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    progress = Progress(False)
    progress.part("Objects")
    progress.step("core/v1/pods")
    progress.part("Short")
    progress.end()
    assert screen.getvalue() == "\rObjects\rObjects: core/v1/pods\rShort" + " " * 16 + "\r     \r"


def test_elsewhere_each_part_has_a_line_and_quiet_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    for progress in (Progress(False), Progress(True)):
        progress.part("one")
        progress.step("two")
    assert screen.getvalue() == "one\n"


@pytest.mark.parametrize(("options", "keys"), [(["--json"], "bundle"), (["--json", "-q"], "bundle")])
def test_the_summary_as_json_is_all_that_stdout_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], keys: str
) -> None:
    writer = BundleWriter(str(tmp_path / "b.tgz"), "top", 1)
    writer.add_step(Step("log:a/b/c", "GET", "namespace", "forbidden", 403, "no"))
    code = finish(writer, Stop(), Progress(True), build_parser().parse_args(options))
    said = json.loads(capsys.readouterr().out)
    digest = hashlib.sha256((tmp_path / "b.tgz").read_bytes()).hexdigest()
    assert (said["bundle"], said["sha256"], said["exit_code"], code) == (str(tmp_path / "b.tgz"), digest, 1, 1)
    assert said["missing"] == [{"why": "refused", "what": "1 log: a/b/c"}]


def test_a_failure_is_json_too(tmp_path: Path) -> None:
    done = run("--json", "--kubectl", "no-such-program", folder=tmp_path)
    assert done.returncode == 3
    said = json.loads(done.stdout)
    assert said["exit_code"] == 3
    assert "no-such-program was not found" in said["error"]
    assert said["error"] in done.stderr
