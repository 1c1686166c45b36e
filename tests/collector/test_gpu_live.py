"""nvidia-smi, and who tells instead, against a real API server: hanging, odd and missing programs, pods/proxy, init logs."""

import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from runai_collect import plan
from runai_collect.client import Stop
from runai_collect.connect import open_cluster
from runai_collect.gather import gather
from runai_collect.progress import Progress
from runai_collect.steps import Session
from runai_collect.writer import BundleWriter

from tests.cluster import Cluster
from tests.collector.servers import FaultServer, ok
from tests.collector.test_collect import Bundle
from tests.collector.test_gpu_sources import PAGE, TABLE

pytestmark = pytest.mark.cluster

XML = "<nvidia_smi_log></nvidia_smi_log>"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.95\n"
LABELS = {"nvidia.com/gpu.present": "true", "nvidia.com/gpu.product": "NVIDIA-H100", "nvidia.com/gpu.count": "4"}
RUNTIME_ERROR = 'OCI runtime exec failed: exec: "nvidia-smi": executable file not found in $PATH'
# What nvidia-smi does in the driver's container of a node. "fine" and "host" have it elsewhere, "nobody" has no pod at all.
NODES: dict[str, dict[str, Any] | None] = {
    "fine": {"stdout": XML},
    "hangs": {"delay_seconds": 8.0, "stdout": XML},
    "rubbish": {"stdout": "\x1b[31mhello\n"},
    "absent": {"exit_code": 127, "stderr": RUNTIME_ERROR},
    "mismatch": {"exit_code": 18, "stdout": MISMATCH},
    "nobody": None,
}


SPARE = "192.0.2.1"  # for documentation: nobody has it


def own_address() -> str:
    """An address of this machine that is not loopback, "" when it has none; nobody is contacted for it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((SPARE, 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def spare_address(verb: str) -> bool:
    command = ["ip", "address", verb, SPARE + "/32", "dev", "lo"]
    return bool(shutil.which("ip")) and subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def address() -> Iterator[str]:
    """An address to which an API server opens connections for pods/proxy: it refuses loopback ones."""
    found = own_address()
    if not found and not spare_address("add"):
        pytest.skip("no address but loopback ones, to which API servers do not connect, and only root can give it another")
    yield found or SPARE
    if not found:
        spare_address("del")


class Page(FaultServer):
    """A DCGM exporter."""

    def __init__(self, address: str) -> None:
        super().__init__([ok(PAGE)])
        self.server_close()
        self.socket = socket.create_server((address, 0))
        self.server_port = self.socket.getsockname()[1]


def load_pod(cluster: Cluster, node: str, name: str, container: str, ip: str = "", port: int = 0, **status: Any) -> None:
    entry = {"name": container, "image": "x", "imageID": "", "ready": True, "restartCount": 0}
    ports = [{"containerPort": port}] if port else []
    spec = {"nodeName": node, "containers": [{"name": container, "image": "x", "ports": ports}]}
    if "initContainerStatuses" in status:
        spec["initContainers"] = [{"name": one["name"], "image": "x"} for one in status["initContainerStatuses"]]
    running = {**entry, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}
    address = {"podIP": ip, "podIPs": [{"ip": ip}]} if ip else {}
    found = {"phase": "Running", "containerStatuses": [running], **address, **status}
    metadata = {"name": name, "namespace": "gpu-operator"}
    cluster.client.load({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": found})


def answer(cluster: Cluster, pod: str, container: str, *answers: dict[str, Any]) -> None:
    folder = cluster.kubelet_dir / "gpu-operator" / pod / container
    folder.mkdir(parents=True)
    (folder / "exec.json").write_text(json.dumps(answers))


@pytest.fixture(scope="module")
def site(kubelet_cluster: Cluster) -> Cluster:
    cluster = kubelet_cluster
    cluster.reset()
    cluster.client.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-operator"}})
    for node, described in NODES.items():
        metadata = {"name": node, "labels": LABELS}
        cluster.client.load({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": cluster.node_status()})
        if described is not None:
            load_pod(cluster, node, "driver-" + node, "nvidia-driver-ctr")
            answer(cluster, "driver-" + node, "nvidia-driver-ctr", {"argv": ["nvidia-smi", "-q", "-x"], **described})
    checks = {"name": "toolkit-validation", "image": "x", "imageID": "", "ready": True, "restartCount": 0}
    done = {**checks, "state": {"terminated": {"exitCode": 0, "startedAt": None, "finishedAt": None}}}
    load_pod(cluster, "hangs", "validator-hangs", "nvidia-operator-validator", initContainerStatuses=[done])
    (cluster.kubelet_dir / "gpu-operator" / "validator-hangs").mkdir()
    (cluster.kubelet_dir / "gpu-operator" / "validator-hangs" / "toolkit-validation.log").write_text(TABLE)
    load_pod(cluster, "nobody", "dcgm-nobody", "nvidia-dcgm-exporter", "127.0.0.9")
    return cluster


def collect(cluster: Cluster, folder: Path, options: plan.Options) -> tuple[dict[str, tuple[str, str]], Bundle]:
    """The steps of the nodes and the bundle of a run in this process, whose execs end after two seconds."""
    stop, limits = Stop(), options.limits._replace(exec_timeout=2.0)
    environment = cluster.environment("admin")
    kubectl = shutil.which("kubectl", path=environment["PATH"]) or ""
    with open_cluster(kubectl, environment["KUBECONFIG"], "", limits, stop, lambda line: None) as way:
        client = way.start(way.config().server_path)
        writer = BundleWriter(str(folder / "b.tgz"), "top", 1)
        session = Session(client, writer, options._replace(limits=limits), stop, Progress(True))
        gather(session, way.exec, "default")
        writer.finish("2026-01-01T00:00:00Z", "complete")
    bundle = Bundle(folder / "b.tgz")
    steps = {step["id"][11:]: step for step in bundle.manifest["steps"] if step["id"].startswith("nvidia-smi:")}
    return {node: (step["status"], step["message"]) for node, step in steps.items()}, bundle


@pytest.fixture(scope="module")
def whole(site: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, tuple[str, str]], Bundle]:
    return collect(site, tmp_path_factory.mktemp("live"), plan.Options())


def source(bundle: Bundle, node: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(bundle.members[f"nodes/{node}/source.json"])
    return value


def test_what_answers_is_kept_whatever_it_says(whole: tuple[dict[str, tuple[str, str]], Bundle]) -> None:
    steps, bundle = whole
    assert steps["fine"] == ("ok", "")
    assert steps["rubbish"] == ("ok", "")
    assert steps["mismatch"] == ("ok", "nvidia-smi ended with exit code 18")
    assert bundle.members["nodes/fine/nvidia-smi.xml"].decode() == XML
    assert bundle.members["nodes/mismatch/nvidia-smi.xml"].decode() == MISMATCH
    assert bundle.members["nodes/rubbish/nvidia-smi.xml"] == b"hello\n"
    assert [source(bundle, node)["sees"] for node in ("fine", "mismatch")] == ["all of the node's GPUs"] * 2


def test_a_hanging_one_is_ended_and_the_validators_log_tells(whole: tuple[dict[str, tuple[str, str]], Bundle]) -> None:
    steps, bundle = whole
    status, message = steps["hangs"]
    assert status == "timeout"
    assert message.endswith("1 GPU according to the validator's logs: NVIDIA A100-SXM4-80GB, driver 535.1")
    attempt = source(bundle, "hangs")["attempts"][0]
    assert (attempt["status"], attempt["exit_code"], 2 <= attempt["seconds"] < 7) == ("timeout", None, True)
    assert b"running nvidia-smi" in bundle.members["nodes/hangs/validator.log"]


def test_a_missing_program_is_an_error_and_labels_tell(whole: tuple[dict[str, tuple[str, str]], Bundle]) -> None:
    steps, bundle = whole
    assert steps["absent"][0] == "error"
    assert steps["absent"][1].startswith("OCI runtime exec failed")
    assert steps["absent"][1].endswith("; 4 GPUs according to GFD labels: NVIDIA-H100")
    assert source(bundle, "absent")["attempts"][0]["exit_code"] == 127


def test_a_page_that_the_server_may_not_reach_is_told_by_its_words(whole: tuple[dict[str, tuple[str, str]], Bundle]) -> None:
    steps, bundle = whole
    status, message = steps["nobody"]
    assert (status, message.endswith("GFD labels: NVIDIA-H100")) == ("error", True)
    assert "not allowed" in source(bundle, "nobody")["others"]["the DCGM exporter"]


def test_the_exporters_page_through_the_api_server(site: Cluster, address: str, tmp_path: Path) -> None:
    exporter = Page(address)
    with exporter:
        threading.Thread(target=exporter.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        load_pod(site, "nobody", "dcgm-real", "nvidia-dcgm-exporter", address, exporter.server_port)
        site.client.delete("/api/v1/namespaces/gpu-operator/pods/dcgm-nobody")
        steps, bundle = collect(site, tmp_path, plan.Options(logs=False))
        exporter.shutdown()
    assert steps["nobody"][1].endswith("; 2 GPUs according to the DCGM exporter: NVIDIA H100, driver 570.1")
    assert exporter.paths == ["/metrics"]
    assert bundle.members["nodes/nobody/dcgm-metrics.txt"].decode().split("\n", 1)[1] == PAGE.decode()
