"""Processes are bounded in time and output, and nothing of them is left."""

import io
import os
import sys
import threading
import time
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from runai_collect.client import Stop, StoppedError, UnreachableError
from runai_collect.kubectl import Kubectl, _listen, read_config, run_bounded
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


def test_what_a_login_plugin_says_is_shown_without_secrets_and_without_what_commands_a_terminal(tmp_path: Path) -> None:
    program, said = tmp_path / "kubectl", list[str]()
    words = "\\033[2JTo sign in, open https://login.example/device?user_code=ABCD-EFGH and enter the code ABCD-EFGH"
    program.write_text(f"#!/bin/sh\nprintf '{words}\\ngot token=hvs.CAESIJw9QzT4xLmNpRs7Ub2Vk\\n' >&2\nexit 1\n")
    program.chmod(0o755)
    with Kubectl(str(program), "", "", Limits(), Stop(), said.append) as kubectl, pytest.raises(UnreachableError):
        kubectl.start("")
    assert said == [
        "kubectl: To sign in, open https://login.example/device?user_code=ABCD-EFGH and enter the code ABCD-EFGH",
        "kubectl: got token=«redacted:vault-token»",
    ]
    assert "hvs." not in kubectl.heard


class Endless(io.RawIOBase):
    """Many bytes without a line end, then a line."""

    left = 50 << 20

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        part = b"x" * min(len(buffer), self.left) if self.left > 0 else b"\nlater\n" if self.left == 0 else b""
        self.left -= len(part) or 1
        memoryview(buffer).cast("B")[: len(part)] = part
        return len(part)


def test_a_line_without_end_is_said_once_and_not_kept() -> None:
    heard: list[str] = []
    tracemalloc.start()
    _listen(io.BufferedReader(Endless()), heard.append)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(len(line), line[:5]) for line in heard] == [(500, "xxxxx"), (5, "later")]
    assert peak < 1 << 20


def test_execs_keep_the_pace_and_the_first_asks_alone_what_is_served(tmp_path: Path) -> None:
    """Each is two requests, the first four: it asks what the server serves, which the others then find in the cache."""
    program, times = tmp_path / "kubectl", tmp_path / "times"
    proxy = '[ "$2" = proxy ] && echo Starting to serve on x && exec sleep 20'
    program.write_text(f"#!/bin/sh\n{proxy}\ndate +%s.%N >> {times}\nsleep 1\ndate +%s.%N >> {times}\n")
    program.chmod(0o755)
    with Kubectl(str(program), "", "", Limits(requests_per_second=10), Stop(), print) as kubectl:
        kubectl.start("")
        threads = [threading.Thread(target=kubectl.exec, args=("a", "b", "c", ("nvidia-smi",))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    moments = [float(line) for line in times.read_text().split()]
    assert moments[1] - moments[0] > 0.9, "the first ended before the others began"
    starts = sorted(moments[2:])[:3]
    assert [later - earlier > 0.15 for earlier, later in pairwise(starts)] == [True, True]


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
