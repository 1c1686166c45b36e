"""The test cluster itself: what it answers, what its proxy records, and that it leaves nothing running."""

import base64
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.cluster import ApiError, Binaries, Cluster
from tests.cluster.binaries import KUBERNETES, SOURCES
from tests.cluster.server import Via

pytestmark = pytest.mark.cluster

REPORT = "".join(f"gpu {number}\n" for number in range(40_000))  # more than one WebSocket frame and one TLS record


@pytest.fixture(scope="module")
def node(cluster: Cluster) -> Iterator[Cluster]:
    """A node and a pod on it, empty again for the next module."""
    cluster.reset()
    cluster.client.load({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}, "status": cluster.node_status()})
    cluster.client.load(pod("driver"))
    yield cluster
    cluster.reset()


@pytest.fixture
def talking(node: Cluster, kubelet_cluster: Cluster) -> Cluster:
    """The pod answers exec and has logs."""
    place = node.kubelet_dir / "default" / "driver"
    (place / "main").mkdir(parents=True, exist_ok=True)
    answers = [
        {"argv": ["nvidia-smi"], "stdout_file": "../report", "stderr": "no devices\n", "exit_code": 9},
        {"argv": ["nvidia-smi", "-L"], "stdout": "GPU 0\n"},
        {"argv": ["broken"], "error": "failed to exec in container: OCI runtime exec failed"},
    ]
    (place / "report").write_text(REPORT)
    (place / "main" / "exec.json").write_text(json.dumps(answers))
    (place / "main.log").write_text("2026-08-21T10:00:00.5Z one\n2026-08-21T11:00:00Z two\n2026-08-21T12:00:00Z three\n")
    (place / "main.previous.log").write_text("old\n")
    return node


def pod(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"nodeName": "gpu-1", "containers": [{"name": "main", "image": "registry.invalid/driver:1"}]},
        "status": {"phase": "Running"},
    }


def test_the_server_is_the_release_that_go_mod_names(cluster: Cluster) -> None:
    required = [line.split() for line in (SOURCES / "go.mod").read_text().splitlines() if "k8s.io/kubernetes v" in line]
    assert [line[1] for line in required] == [KUBERNETES] == ["v1.35.4"]
    version = json.loads(cluster.kubectl("version", "-o", "json", check=True).stdout)["serverVersion"]
    if "KUBEBUILDER_ASSETS" not in os.environ:
        assert (version["gitVersion"], version["major"], version["minor"]) == ("v1.35.4", "1", "35")


def test_exec_keeps_stdout_stderr_and_exit_code_apart(talking: Cluster) -> None:
    answer = talking.kubectl("exec", "driver", "--", "nvidia-smi")
    assert answer.stdout.decode() == REPORT
    assert answer.stderr == b"no devices\ncommand terminated with exit code 9\n"
    assert answer.returncode == 9


def test_eight_execs_at_a_time_all_arrive_whole(talking: Cluster) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: talking.kubectl("exec", "driver", "--", "nvidia-smi"), range(16)))
    assert {(answer.returncode, answer.stdout.decode() == REPORT) for answer in answers} == {(9, True)}


def test_exec_of_a_missing_program_ends_with_126(talking: Cluster) -> None:
    answer = talking.kubectl("exec", "driver", "--", "sh", "-c", "true")
    assert b'exec: "sh": executable file not found in $PATH' in answer.stderr
    assert answer.returncode == 126


def test_exec_that_the_runtime_refuses_is_an_internal_error(talking: Cluster) -> None:
    answer = talking.kubectl("exec", "driver", "--", "broken")
    assert b"Internal error occurred: error executing command in container: failed to exec" in answer.stderr
    assert answer.returncode == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "one\ntwo\nthree\n"),
        (["--tail=2"], "two\nthree\n"),
        (["--tail=2", "--timestamps"], "2026-08-21T11:00:00Z two\n2026-08-21T12:00:00Z three\n"),
        (["--since-time=2026-08-21T11:30:00Z"], "three\n"),
        (["--limit-bytes=5"], "one\nt"),
        (["--previous"], "old\n"),
    ],
)
def test_logs_obey_the_options_of_kubectl(talking: Cluster, options: list[str], expected: str) -> None:
    assert talking.kubectl("logs", "driver", *options, check=True).stdout.decode() == expected


def test_logs_that_are_not_there_are_refused_as_a_kubelet_does(talking: Cluster) -> None:
    place = talking.kubelet_dir / "default" / "waiting.txt"
    talking.client.load(pod("waiting"))
    place.parent.joinpath("waiting").mkdir(exist_ok=True)
    refusal = 'container "main" in pod "waiting" is waiting to start: ContainerCreating'
    place.parent.joinpath("waiting", "main.log.error").write_text(refusal + "\n")
    assert refusal in talking.kubectl("logs", "waiting").stderr.decode()
    place.parent.joinpath("waiting", "main.log.error").unlink()
    answer = talking.kubectl("logs", "waiting", "--previous").stderr.decode()
    assert 'BadRequest): previous terminated container "main" in pod "waiting" not found' in answer


def test_an_ordinary_user_may_do_nothing_until_a_role_allows_it(node: Cluster) -> None:
    refused = node.kubectl("get", "pods", user="podreader")
    assert b'User "podreader" cannot list resource "pods"' in refused.stderr
    with pytest.raises(ApiError) as error:
        node.client_for("podreader").get("/api/v1/namespaces/default/pods")
    assert (error.value.status, error.value.reason) == (403, "Forbidden")
    rule = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
    group = "rbac.authorization.k8s.io"
    metadata = {"name": "podreader", "namespace": "default"}
    node.client.apply({"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": [rule]})
    binding = {
        "roleRef": {"apiGroup": group, "kind": "Role", "name": "podreader"},
        "subjects": [{"apiGroup": group, "kind": "User", "name": "podreader"}],
    }
    node.client.apply({"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": metadata, **binding})
    assert b"driver" in node.kubectl("get", "pods", user="podreader", check=True).stdout


def test_the_recording_shows_each_request_and_no_token(talking: Cluster) -> None:
    talking.clear_recording()
    talking.kubectl("exec", "driver", "--", "nvidia-smi", "-L", check=True)
    read, executed = talking.recording()
    assert (read["method"], read["path"], read["status"]) == ("GET", "/api/v1/namespaces/default/pods/driver", 200)
    assert (read["kind"], read["content_type"], read["headers"]["Authorization"]) == ("Pod", "application/json", "***")
    assert executed["path"].startswith("/api/v1/namespaces/default/pods/driver/exec?command=nvidia-smi&command=-L&")
    assert (executed["method"], executed["status"], executed["upgraded"], executed["aborted"]) == ("GET", 101, True, False)
    assert executed["headers"]["Sec-WebSocket-Protocol"] == "v5.channel.k8s.io"
    assert talking.token("admin") not in json.dumps([read, executed])


def test_the_audit_log_names_user_and_verb_of_an_exec(talking: Cluster) -> None:
    talking.kubectl("exec", "driver", "--", "nvidia-smi", "-L", via="direct", check=True)
    events = [event for event in talking.audit() if event.get("objectRef", {}).get("subresource") == "exec"]
    assert {(event["user"]["username"], event["verb"], event["level"]) for event in events} == {("admin", "get", "Metadata")}


def test_secrets_come_as_a_table_to_kubectl_get(node: Cluster) -> None:
    value = base64.b64encode(b"hunter2").decode()
    metadata = {"name": "pull", "namespace": "default"}
    node.client.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"password": value}})
    node.clear_recording()
    assert b"pull" in node.kubectl("get", "secrets", check=True).stdout
    (listed,) = [record for record in node.recording() if "/secrets" in record["path"]]
    assert (listed["kind"], listed["status"]) == ("Table", 200)
    node.kubectl("get", "secret", "pull", "-o", "json", check=True)
    assert node.recording()[-1]["kind"] == "Secret"


def test_the_proxy_rewrites_the_version_and_nothing_else(node: Cluster) -> None:
    node.set_version({"gitVersion": "v1.33.5-eks-3025e55"})
    answer = json.loads(node.kubectl("version", "-o", "json", check=True).stdout)["serverVersion"]
    honest = json.loads(node.kubectl("version", "-o", "json", via="direct", check=True).stdout)["serverVersion"]
    assert answer == {**honest, "gitVersion": "v1.33.5-eks-3025e55"}
    node.set_version(None)
    assert json.loads(node.kubectl("version", "-o", "json", check=True).stdout)["serverVersion"] == honest


def test_a_held_request_waits_until_it_is_let_go(node: Cluster) -> None:
    proxied = node.client_for("admin", "proxy")
    with ThreadPoolExecutor(1) as pool:
        with node.holding("/pods[?]limit=7") as wait:
            held = pool.submit(proxied.get, "/api/v1/pods?limit=7")
            wait()
            assert len(proxied.list("/api/v1/pods", limit=8)) >= 1  # others pass
            assert not held.done()
        assert held.result(timeout=30)["kind"] == "PodList"


def test_a_watch_that_its_client_leaves_is_recorded_as_aborted(node: Cluster) -> None:
    node.clear_recording()
    command = [str(node.binaries.kubectl), "get", "--raw", "/api/v1/pods?watch=true"]
    with subprocess.Popen(command, env=node.environment(), stdout=subprocess.PIPE) as watch:
        assert watch.stdout is not None
        assert b'"type":"ADDED"' in watch.stdout.readline()
        watch.kill()
    (record,) = node.recording()
    assert (record["path"], record["status"], record["aborted"]) == ("/api/v1/pods?watch=true", 200, True)


def test_lists_through_the_proxy_are_those_of_the_server(node: Cluster) -> None:
    names = [f"many-{number:03}" for number in range(60)]
    for name in names:
        metadata = {"name": name, "namespace": "kube-public"}
        node.client.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": "x" * 9000}})
    path = "/api/v1/namespaces/kube-public/configmaps"
    whole = [node.client_for("admin", via).request("GET", path).body for via in ("direct", "proxy")]
    assert whole[0] == whole[1]
    assert node.recording()[-1]["bytes"] == len(whole[0]) > 500_000
    assert [item["metadata"]["name"] for item in node.client_for("admin", "proxy").list(path, limit=7)] == names


def test_load_writes_status_and_waits_for_a_new_kind(node: Cluster) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Project", "plural": "projects"}
    spec = {
        "group": "example.run.ai",
        "scope": "Cluster",
        "names": names,
        "versions": [{**version, "subresources": {"status": {}}}],
    }
    metadata = {"name": "projects.example.run.ai"}
    node.client.load(
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": metadata, "spec": spec}
    )
    project = {"apiVersion": "example.run.ai/v1", "kind": "Project", "metadata": {"name": "team-a"}, "status": {"phase": "Ready"}}
    node.client.load(project)
    assert node.client.get("/apis/example.run.ai/v1/projects/team-a")["status"] == {"phase": "Ready"}
    assert node.client.get("/api/v1/namespaces/default/pods/driver")["status"]["phase"] == "Running"


def test_reset_leaves_an_empty_cluster_behind_the_same_kubeconfig(cluster: Cluster) -> None:
    before = cluster.kubeconfig().read_text()
    cluster.client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "left-over"}})
    cluster.set_version({"gitVersion": "v1.2.3"})
    (cluster.kubelet_dir / "left-over").mkdir()
    cluster.reset()
    assert cluster.kubeconfig().read_text() == before
    assert (cluster.recording(), list(cluster.kubelet_dir.iterdir())) == ([], [])
    assert b"v1.2.3" not in cluster.kubectl("version", check=True).stdout
    namespaces = {item["metadata"]["name"] for item in cluster.client.list("/api/v1/namespaces")}
    assert namespaces <= {"default", "kube-node-lease", "kube-public", "kube-system"}


@pytest.mark.parametrize("via", ["direct", "proxy"])
def test_the_certificates_bear_a_strict_look(cluster: Cluster, via: Via) -> None:
    """Python checks strictly from 3.13 on by itself."""
    user = json.loads(cluster.kubeconfig(via=via).read_text())["clusters"][0]["cluster"]
    strict = ssl.create_default_context(cadata=base64.b64decode(user["certificate-authority-data"]).decode())
    strict.verify_flags |= ssl.VERIFY_X509_STRICT
    port = int(user["server"].rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port)) as raw, strict.wrap_socket(raw, server_hostname="127.0.0.1") as tls:
        assert (tls.getpeercert() or {}).get("subject") == ((("commonName", "cluster"),),)


def test_nothing_listens_beyond_loopback(cluster: Cluster) -> None:
    pids = {process.pid for process in cluster._processes.values()}
    assert len(pids) == (4 if cluster.binaries.kubelet else 3)
    addresses = {address for pid in pids for address in listening_addresses(pid)}
    assert addresses == {"127.0.0.1"}


def test_python_dash_m_serves_a_cluster_that_dies_with_it(cluster: Cluster) -> None:
    command = [sys.executable, "-m", "tests.cluster"]
    with subprocess.Popen(command, cwd=SOURCES.parent.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        try:
            assert run.stdout is not None
            line = run.stdout.readline().decode().strip()
            kubeconfig = line.removeprefix("export KUBECONFIG=")
            kubectl = [str(cluster.binaries.kubectl), "--kubeconfig", kubeconfig, "get", "--raw", "/readyz"]
            assert subprocess.check_output(kubectl) == b"ok"
            children = children_of(run.pid)
            assert len(children) >= 3
        finally:
            run.send_signal(signal.SIGKILL)  # the worst that can happen to it: nothing of its own runs any more
    deadline = time.monotonic() + 10
    while any(is_running(pid) for pid in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    shutil.rmtree(Path(kubeconfig).parent)


def listening_addresses(pid: int) -> Iterator[str]:
    """Addresses of the TCP sockets on which a process listens, IPv6 ones in the kernel's hexadecimal form."""
    inodes = {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:  # 0A: LISTEN
                number = fields[1].split(":")[0]
                yield ".".join(str(byte) for byte in reversed(bytes.fromhex(number))) if table == "tcp" else number


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    """A zombie that nobody has waited for has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_ctrl_c_ends_it_and_its_folder(cluster_binaries: Binaries) -> None:
    command = [sys.executable, "-m", "tests.cluster"]
    with subprocess.Popen(command, cwd=SOURCES.parent.parent, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdout is not None
        kubeconfig = run.stdout.readline().decode().strip().removeprefix("export KUBECONFIG=")
        folder = Path(kubeconfig).parent
        assert folder.is_dir()
        run.send_signal(signal.SIGINT)
    assert (run.returncode, folder.exists()) == (0, False)
