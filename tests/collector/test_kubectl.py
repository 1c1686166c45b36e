"""Processes are bounded in time and output, and nothing of them is left."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest
from runai_collect.client import Stop, StoppedError, UnreachableError
from runai_collect.kubectl import Kubectl, read_config, run_bounded
from runai_collect.plan import Limits


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_output_error_and_exit_code_are_kept_apart() -> None:
    ran = run_bounded(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(9)"), 20, 1000, Stop())
    assert (ran.code, ran.stdout, ran.stderr, ran.timed_out, ran.cut) == (9, b"out\n", b"err\n", False, False)


def test_there_is_no_input_to_ask_for() -> None:
    assert run_bounded(python("print(repr(input()))"), 20, 1000, Stop()).code == 1


def test_what_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    child = (
        "import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
        "open({!r}, 'w').write(str(p.pid)); time.sleep(60)".format(str(tmp_path / "pid"))
    )
    ran = run_bounded(python(child), 2.0, 1000, Stop())
    assert (ran.code, ran.timed_out) == (None, True)
    assert _is_gone(int((tmp_path / "pid").read_text()))


def test_what_prints_without_end_is_ended() -> None:
    begin = time.monotonic()
    ran = run_bounded(python("while True: print('x' * 10000)"), 30, 100000, Stop())
    assert (ran.code, ran.cut, len(ran.stdout)) == (None, True, 100000)
    assert time.monotonic() - begin < 15


def test_the_end_of_the_run_ends_a_process() -> None:
    stop = Stop()
    threading.Timer(0.3, lambda: stop.set("interrupted", 2)).start()
    begin = time.monotonic()
    with pytest.raises(StoppedError):
        run_bounded(python("import time; time.sleep(60)"), 60, 1000, stop)
    assert time.monotonic() - begin < 10


def test_a_context_is_read_without_credentials() -> None:
    document = {
        "contexts": [{"name": "ctx", "context": {"cluster": "prod", "namespace": "runai"}}],
        "clusters": [{"name": "prod", "cluster": {"server": "https://me:pw@rancher.example.com:8443/k8s/clusters/c-1/"}}],
        "users": [{"name": "me", "user": {"exec": {"command": "/opt/bin/kubelogin", "args": ["--secret=x"]}}}],
    }
    assert read_config(document) == (
        "prod",
        "ctx",
        "runai",
        "/k8s/clusters/c-1",
        "rancher.example.com:8443",
        "kubelogin",
    )
    assert read_config({"contexts": None, "clusters": []}) == ("cluster", "", "", "", "", "")


def test_a_proxy_that_does_not_start_says_why_and_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    program = tmp_path / "kubectl"
    program.write_text("#!/bin/sh\necho 'error: the plug-in wants a password' >&2\nexit 1\n")
    program.chmod(0o755)
    said: list[str] = []
    with (
        Kubectl(str(program), "", "", Limits(), Stop(), said.append) as kubectl,
        pytest.raises(UnreachableError, match="wants a password"),
    ):
        kubectl.start("")
    assert [path.name for path in tmp_path.iterdir()] == ["kubectl"]
    assert said == ["kubectl: error: the plug-in wants a password"]


def test_every_kubectl_is_told_to_keep_its_cache_in_the_runs_own_folder(tmp_path: Path) -> None:
    """Unless told, kubectl writes to ~/.kube/cache."""
    program, told = tmp_path / "kubectl", tmp_path / "told"
    serve = "[ \"$2\" = config ] && echo '{}' || echo Starting to serve on x"
    program.write_text(f"#!/bin/sh\necho \"$@\" >> {told}\n{serve}\nexec sleep 0.3\n")
    program.chmod(0o755)
    with Kubectl(str(program), "", "", Limits(), Stop(), print) as kubectl:
        folder = kubectl._folder
        kubectl.config()
        kubectl.start("")
        kubectl.exec("a", "b", "c", ("nvidia-smi",))
    rows = [line.split() for line in told.read_text().splitlines()]
    assert [row[1] for row in rows] == ["config", "proxy", "exec"]
    assert {row[0] for row in rows} == {f"--cache-dir={folder}/cache"}
    assert not Path(folder).exists()


def _is_gone(pid: int) -> bool:
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False
