"""What Windows lacks (Unix sockets, process groups, some signals, select on files, hard links) taken away, on a real API server.

What cannot be tried here: Windows' own processes, consoles and files.
"""

import http.client
import json
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from runai_collect import progress
from runai_collect.client import Stop, Tally
from runai_collect.kubectl import _WATCHDOG, Kubectl
from runai_collect.plan import Limits

from tests.cluster import Cluster

COLLECTOR = Path(__file__).parent.parent.parent / "collector"
NODE = "gpu-1"
LESS = """
import os, select, signal, socket, subprocess, sys
for module, names in ((socket, "AF_UNIX"), (os, "killpg link O_NOFOLLOW getuid umask fork"), (signal, "SIGHUP SIGQUIT SIGKILL")):
    for name in names.split():
        delattr(module, name)
subprocess.Popen.kill = lambda self: self.send_signal(9)
def only_sockets(readers, writers, others, patience=None):
    raise OSError(10038, "An operation was attempted on something that is not a socket")
select.select = only_sockets
"""
DRIVER = LESS + "from runai_collect.cli import main\nsys.exit(main())\n"


@pytest.fixture(scope="module")
def site(kubelet_cluster: Cluster) -> Cluster:
    """A GPU node with its driver pod, and a log."""
    cluster = kubelet_cluster
    cluster.reset()
    cluster.client.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-operator"}})
    status = {**cluster.node_status(), "capacity": {"cpu": "8", "nvidia.com/gpu": "8"}}
    cluster.client.load({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}, "status": status})
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    name = "nvidia-driver-ctr"
    entry = {"name": name, "image": "x", "imageID": "", "ready": True, "restartCount": 0, "state": state}
    cluster.client.load(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "driver-1", "namespace": "gpu-operator"},
            "spec": {"nodeName": NODE, "containers": [{"name": name, "image": "x"}]},
            "status": {"phase": "Running", "containerStatuses": [entry]},
        }
    )
    folder = cluster.kubelet_dir / "gpu-operator" / "driver-1" / name
    folder.mkdir(parents=True)
    answer = {"argv": ["nvidia-smi", "-q", "-x"], "stdout": "<nvidia_smi_log></nvidia_smi_log>"}
    (folder / "exec.json").write_text(json.dumps([answer]))
    (folder.parent / f"{name}.log").write_text("one line\n")
    return cluster


def start(cluster: Cluster, folder: Path, driver: str = DRIVER) -> "subprocess.Popen[str]":
    environment = {**cluster.environment(), "PYTHONPATH": str(COLLECTOR), "TMPDIR": str(folder)}
    command = [sys.executable, "-c", driver, "-o", str(folder / "b.tgz")]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def members(path: Path) -> dict[str, bytes]:
    with tarfile.open(path, "r:gz") as archive:
        return {entry.name.split("/", 1)[1]: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]


@pytest.mark.cluster
def test_a_whole_collection(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path)
    stdout, stderr = process.communicate(timeout=100)
    assert process.returncode == 0, stdout + stderr
    assert [path.name for path in tmp_path.iterdir()] == ["b.tgz"]
    found = members(tmp_path / "b.tgz")
    assert json.loads(found["manifest.json"])["state"] == "complete"
    assert b"<nvidia_smi_log>" in found[f"nodes/{NODE}/nvidia-smi.xml"]
    assert found["logs/gpu-operator/driver-1/nvidia-driver-ctr.log"].endswith(b" one line\n")
    assert stderr.count("this system has no Unix sockets") == 1
    assert "Reading objects" in stderr


@pytest.mark.cluster
def test_ctrl_c_leaves_a_bundle_and_nothing_else(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path)
    assert process.stderr is not None
    while "Reading objects" not in process.stderr.readline():
        pass
    children = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert json.loads(members(tmp_path / "b.tgz")["manifest.json"])["state"] == "interrupted"
    assert [path.name for path in tmp_path.iterdir()] == ["b.tgz"]
    assert len(children) >= 2  # the proxy and the watchdog
    assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []


@pytest.mark.cluster
def test_nobody_can_use_the_port_without_the_prefix(site: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("socket.AF_UNIX")
    said: list[str] = []
    with Kubectl(str(site.binaries.kubectl), str(site.kubeconfig()), "", Limits(), Stop(), said.append) as kubectl:
        client = kubectl.start("")
        assert client.get("/version", Tally()).status == 200
        for path in ("/version", "/api/v1/nodes", "/", "/static/", "/" + "0" * 32 + "/version"):
            stranger = http.client.HTTPConnection("127.0.0.1", kubectl._port, timeout=5)
            stranger.request("GET", path)
            assert stranger.getresponse().status == 404, path
        writer = kubectl._connect(5)
        writer.request("POST", "/api/v1/namespaces", body=b"{}")
        assert writer.getresponse().status == 403
        assert (kubectl._prefix, len(kubectl._prefix)) != ("", 0)
        assert len(kubectl._prefix) == 33
        assert "--address=127.0.0.1" in kubectl._process.args  # type: ignore[union-attr,operator]
    assert [line for line in said if "no Unix sockets" in line] == said


def test_the_watchdog_ends_what_is_left_without_process_groups(tmp_path: Path) -> None:
    sleeper = subprocess.Popen(["sleep", "60"])
    (tmp_path / "folder").mkdir()
    less = "import os, signal; del os.killpg, signal.SIGKILL\n"
    command = [sys.executable, "-ISc", less + _WATCHDOG, str(tmp_path / "folder")]
    subprocess.run(command, input=f"+{sleeper.pid}\n", text=True, check=True, timeout=20)
    assert sleeper.wait(10) == -signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_what_is_said_is_seen_where_files_cannot_be_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def only_sockets(*_: object) -> None:
        raise OSError(10038, "no socket")

    monkeypatch.setattr(progress.select, "select", only_sockets)
    with (tmp_path / "screen").open("w") as screen:
        progress.show(screen, "first ", 0.02)
        progress.show(screen, "second", 0.02)
    assert (tmp_path / "screen").read_text() == "first second"
