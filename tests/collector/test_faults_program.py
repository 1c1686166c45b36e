"""The whole program, through kubectl, on a site that misbehaves: what hangs, what never ends, and how a run is ended early."""

import json
import os
import resource
import signal
import subprocess
import sys
import tarfile
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.collector.fault_server import CUSTOM, Program, Site, event, of
from tests.collector.servers import Handler, ok, silent
from tests.collector.test_collect import children_of, is_running
from tests.collector.test_faults import EVENTS, LIST, large_custom

NODE = "nvidia-smi:gpu-1"
SOON = 6.0  # seconds in which an interrupted run ends
CONFIGMAPS = "/api/v1/configmaps"


def test_a_healthy_site_through_kubectl(program: Program) -> None:
    bundle, _ = program.run()
    assert bundle.manifest["state"] == "complete"
    assert bundle.status(NODE) == "ok"
    assert len([name for name in bundle.members if name.startswith("logs/")]) == 3


def test_a_clock_one_day_off_is_told(program: Program, server: Site) -> None:
    server.clock = 86_400.0
    bundle, _ = program.run("--no-logs", "--no-exec")
    about = json.loads(bundle.members["bundle.json"])
    assert abs(about["clock"]["skew_seconds"] + 86_400) <= 3


def test_a_server_that_answers_nothing_at_all(program: Program, server: Site) -> None:
    server.fault("", silent(30), always=True)
    program.limits["request_timeout"] = 1.0
    process = program.start()
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "no answer in time" in stderr
    assert list(program.out.iterdir()) == []


def test_what_kubectl_hands_on_of_a_broken_connection(program: Program, server: Site) -> None:
    """kubectl unpacks gzip that it asked for itself, and passes on what was cut and what is no gzip."""
    server.fault(LIST, ok(b"\x1f\x8b\x08\0garbage", Content_Encoding="gzip"), always=True)
    server.fault("/configmaps", hang_up, always=True)
    program.limits["attempts"] = 2
    bundle, said = program.run("--no-logs", "--no-exec", code=1)
    assert bundle.status(EVENTS) == "error"
    assert bundle.status("list:core/v1/configmaps") == "error"
    assert bundle.manifest["state"] == "complete"
    assert bundle.status("list:core/v1/pods") == "ok"
    assert "Traceback" not in said


def test_an_exec_that_hangs_costs_its_node_alone(program: Program) -> None:
    program.exec_script = "sleep 60"
    program.write_kubectl()
    program.limits["exec_timeout"] = 1.0
    bundle, _ = program.run(code=1)
    assert (bundle.status(NODE), bundle.manifest["state"]) == ("timeout", "complete")
    assert len([name for name in bundle.members if name.startswith("logs/")]) == 3


def test_an_exec_that_prints_a_gigabyte_costs_its_node_alone(program: Program) -> None:
    program.exec_script = "head -c 1000000000 /dev/zero"
    program.write_kubectl()
    begin = time.monotonic()
    bundle, _ = program.run(code=1)
    assert bundle.status(NODE) == "error"
    assert "more than the limit was printed" in bundle.steps[NODE]["message"]
    assert time.monotonic() - begin < 20
    assert len([name for name in bundle.members if name.startswith("logs/")]) == 3


def hang_up(handler: Handler) -> None:
    handler.close_connection = True


def peak_of(process: "subprocess.Popen[str]") -> int:
    """Return the most memory that a process had, in MB, once it has ended."""
    most = 0
    while process.poll() is None:
        try:
            lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        except OSError:
            break
        most = max([most] + [int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")])
        time.sleep(0.05)
    return most


def test_memory_is_bounded_at_any_size(program: Program, server: Site) -> None:
    """200,000 events, and objects of 8 MiB of four kinds, which are read at the same time."""
    total = 200_000
    encoded = [json.dumps(event(number)).encode() for number in range(total)]
    server.lists["/api/v1/events"] = lambda first, count: (encoded[first : first + count], first + count < total)
    large = of([large_custom("large")])
    for path in (CUSTOM.path(), "/api/v1/services", "/apis/apps/v1/deployments", "/apis/batch/v1/jobs"):
        server.lists[path] = large
    server.lists[CONFIGMAPS] = of(
        [{"metadata": {"name": f"c{number}", "namespace": "runai"}, "data": {"x": "y" * (1 << 20)}} for number in range(60)]
    )
    process = program.start()
    peak = peak_of(process)
    stdout, stderr = process.communicate(timeout=10)
    assert process.returncode == 0, stdout + stderr
    assert peak < 150, f"{peak} MB"
    counts: dict[str, int] = {}
    with tarfile.open(program.out / "b.tgz", "r|gz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            folder = member.name.split("/", 1)[1].rpartition("/")[0]
            counts[folder] = counts.get(folder, 0) + content.read().count(b"\n")
    assert counts["resources/core/v1/events"] == total
    assert counts["resources/run.ai/v1/runaiconfigs"] == counts["resources/core/v1/services"] == 1
    assert counts["configmaps"] == 60


# --- ended early ----------------------------------------------------------------------------------------------------------------


PHASES = {
    "the look at one object of each kind": r"/api/v1/pods\?limit=1(&|$)",
    "lists": LIST,
    "secrets": "/namespaces/runai/secrets.*includeObject",
    "certificates": "/secrets/runai-ca-cert",
    "logs": "/pods/agent-1/log",
}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("phase", PHASES)
def test_an_interrupted_run_closes_its_bundle_and_leaves_nothing(
    program: Program, server: Site, phase: str, number: int, code: int
) -> None:
    server.fault(PHASES[phase], silent(30), always=True)
    process = program.start()
    program.wait_for(PHASES[phase])
    children = children_of(process.pid)
    assert children
    begin = time.monotonic()
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in stderr) == (code, False), stderr
    assert time.monotonic() - begin < SOON
    bundle = _only_bundle(program)
    assert bundle["state"] == "interrupted"
    states = {step["id"]: step["status"] for step in bundle["steps"]}
    assert (states["version"], states["list:core/v1/namespaces"]) == ("ok", "ok")
    assert [pid for pid in children if is_running(pid)] == []
    assert "interrupted" in stdout


def _only_bundle(program: Program) -> dict[str, Any]:
    """The manifest of the bundle, the only thing that is left of a run."""
    (path,) = program.out.iterdir()
    assert path.name == "b.tgz"
    with tarfile.open(path, "r|gz") as archive:
        for member in archive:
            if member.name.endswith("/manifest.json"):
                content = archive.extractfile(member)
                assert content is not None
                return dict(json.loads(content.read()))
    raise AssertionError("no manifest")


def test_a_second_interrupt_ends_at_once(program: Program, server: Site) -> None:
    server.fault("/pods/agent-1/log", silent(30), always=True)
    program.exec_script = "trap '' TERM; sleep 60"
    program.write_kubectl()
    process = program.start()
    until = time.monotonic() + 20
    while len(children_of(process.pid)) < 3:  # the watchdog, the proxy and an exec that will not be ended
        assert time.monotonic() < until
        time.sleep(0.05)
    children = children_of(process.pid)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - begin < 5
    assert "Traceback" not in stderr
    assert list(program.out.iterdir()) == []
    until = time.monotonic() + 5
    while [pid for pid in children if is_running(pid)]:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_what_a_killed_run_leaves_can_be_read(program: Program, server: Site) -> None:
    server.fault("/pods/agent-1/log", silent(30), always=True)
    process = program.start()
    program.wait_for("/pods/agent-1/log")
    process.kill()
    process.communicate(timeout=20)
    (path,) = [path for path in program.out.iterdir() if path.name.startswith("b.tgz")]
    assert path.name == "b.tgz.partial"
    data = zlib.decompressobj(31).decompress(path.read_bytes())
    assert b"/bundle.json" in data
    assert b"resources/core/v1/nodes/0001.jsonl" in data
    second = program.start("--no-logs")
    _, stderr = second.communicate(timeout=60)
    assert f"{program.out / 'b.tgz'}.partial stays: another run writes it, or was killed" in stderr
    assert path.exists()
    assert (program.out / "b.tgz").exists()


def test_a_full_disk_keeps_the_part_and_names_it(program: Program, server: Site) -> None:
    """The limit is met in the middle, among many threads."""
    events = [event(number, os.urandom(200).hex()) for number in range(2000)]
    server.lists["/api/v1/events"] = of(events)
    limit = 200_000
    process = program.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    assert f"{program.out / 'b.tgz.partial'}" in stderr
    assert "Traceback" not in stderr
    assert [path.name for path in program.out.iterdir()] == ["b.tgz.partial"]


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="mounting a small file system is for root, on Linux")
def test_a_small_file_system_that_fills_up(program: Program, server: Site) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "none", str(program.out)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("this root may not mount a file system")
    try:
        server.lists["/api/v1/events"] = of([event(number, os.urandom(200).hex()) for number in range(2000)])
        process = program.start()
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 2
        assert "No space left on device" in stderr
        assert [path.name for path in program.out.iterdir()] == ["b.tgz.partial"]
    finally:
        subprocess.run(["umount", str(program.out)], check=True)
