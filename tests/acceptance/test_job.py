"""The sample Job on a real API server: it is taken as it stands, and what it runs makes the bundle that kubectl's way makes."""

import base64
import copy
import json
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.acceptance.programs import ROOT, Collected, build_pyz, collect, pythons, run
from tests.acceptance.site import Site
from tests.cluster import Cluster

pytestmark = pytest.mark.cluster

SAMPLE = ROOT / "samples" / "collect-job.yaml"
NAMESPACE = "runai-collect"
QUICK = ("--qps", "100")
# What a pod has at a fixed place lies elsewhere here: the one thing that is not as in the Job.
DRIVER = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from runai_collect import inpod
inpod.ACCOUNT = sys.argv.pop(1)
from runai_collect.cli import main
sys.exit(main())
"""


@dataclass(frozen=True)
class Ways:
    """The bundles of both ways, and what the API server was asked on the way through a pod."""

    kubectl: Collected
    pods: dict[str, Collected]  # by Python version
    recording: list[dict[str, Any]]
    token: str


@pytest.fixture(scope="module")
def cluster(site: Site) -> Iterator[Cluster]:
    with site.changed("healthy") as shown:
        yield shown


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_pyz(tmp_path_factory.mktemp("program") / "runai-collect.pyz")


@pytest.fixture(scope="module")
def prepared(cluster: Cluster, program: Path) -> Cluster:
    """The first step of the sample's head."""
    roles = program.parent / "runai-collect-rbac.yaml"
    roles.write_bytes(run(["python3", str(program), "--rbac", "all"], cluster.environment(), program.parent, 60).stdout)
    cluster.kubectl("apply", "-f", str(roles))  # what the cluster lacks of namespaces is reported
    cluster.kubectl("-n", NAMESPACE, "create", "configmap", NAMESPACE, f"--from-file={program}", check=True)
    return cluster


@pytest.fixture(scope="module")
def ways(prepared: Cluster, program: Path, tmp_path_factory: pytest.TempPathFactory) -> Ways:
    folder = tmp_path_factory.mktemp("ways")
    made = prepared.kubectl("-n", NAMESPACE, "create", "token", NAMESPACE, "--duration=1h", check=True)
    token = made.stdout.decode().strip()
    config = json.loads(prepared.kubeconfig().read_text())
    config["users"][0]["user"] = {"token": token}
    (folder / "kubeconfig").write_text(json.dumps(config))
    command = ["python3", "-I", str(program)]
    by_kubectl = collect(command, folder / "k.tgz", {**prepared.environment(), "KUBECONFIG": str(folder / "kubeconfig")}, *QUICK)
    prepared.clear_recording()
    found = pythons()
    pods = {f"{v[0]}.{v[1]}": in_pod(found[v], program, folder / f"{v[1]}", config, token) for v in (min(found), max(found))}
    return Ways(by_kubectl, pods, prepared.recording(), token)


def in_pod(python: str, program: Path, folder: Path, config: Mapping[str, Any], token: str) -> Collected:
    """Run the Job's own command with the environment and the files that its container would have, and no kubectl."""
    account = folder / "account"
    account.mkdir(parents=True)
    details = config["clusters"][0]["cluster"]
    host, _, port = details["server"].rpartition("//")[2].partition(":")
    (account / "token").write_text(token)
    (account / "namespace").write_text(NAMESPACE)
    (account / "ca.crt").write_bytes(base64.b64decode(details["certificate-authority-data"]))
    container = job()["spec"]["template"]["spec"]["containers"][0]
    interpreter, flag, path, output, bundle = container["command"]
    assert (interpreter, flag, path, output) == ("python3", "-I", "/program/runai-collect.pyz", "-o")
    environment = {
        "PATH": "/nowhere",
        "KUBERNETES_SERVICE_HOST": host,
        "KUBERNETES_SERVICE_PORT": port,
        "HTTPS_PROXY": "http://x:1",
    }
    environment |= {row["name"]: row["value"] for row in container["env"]}
    command = [python, flag, "-c", DRIVER, str(program), str(account)]
    return collect(command, folder / Path(bundle).name, environment, *QUICK)


def job() -> dict[str, Any]:
    (document,) = yaml.safe_load_all(SAMPLE.read_text())
    assert isinstance(document, dict)
    return document


def test_the_server_takes_the_job_as_it_stands(prepared: Cluster) -> None:
    dry: Sequence[str] = ("apply", "--dry-run=server", "-f", str(SAMPLE))
    for arguments in (dry, ("apply", "-f", str(SAMPLE)), ("delete", "--wait=false", "-f", str(SAMPLE))):
        done = prepared.kubectl(*arguments)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr
        assert done.stdout.startswith(b"job.batch/runai-collect created") or arguments[0] == "delete"


def test_the_bundle_can_be_copied_as_the_head_says(prepared: Cluster) -> None:
    """With the commands of the head; the pod is made here, as no controller runs, and its kubelet is the fake one."""
    logs, copy_out = re.findall(r"^#      (kubectl .* job/runai-collect -c \w+.*)$", SAMPLE.read_text(), re.M)
    prepared.kubectl("apply", "-f", str(SAMPLE), check=True)
    made = prepared.client.get(f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs/runai-collect")
    spec = made["spec"]["template"]["spec"]
    labels = made["spec"]["template"]["metadata"]["labels"]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "any"}, "status": prepared.node_status()}
    states = [
        {"name": one["name"], "image": "x", "imageID": "", "ready": True, "restartCount": 0, "state": {"running": {}}}
        for one in spec["containers"]
    ]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "runai-collect-x", "namespace": NAMESPACE, "labels": labels},
        "spec": {**spec, "nodeName": "any"},
        "status": {"phase": "Running", "containerStatuses": states},
    }
    for body in (node, pod):
        prepared.client.load(body)
    folder = prepared.kubelet_dir / NAMESPACE / "runai-collect-x"
    (folder / "keep").mkdir(parents=True)
    (folder / "collect.log").write_text("SHA-256 abc\n")
    (folder / "keep" / "exec.json").write_text(json.dumps([{"argv": ["cat", "/bundle/bundle.tgz"], "stdout": "the bundle"}]))
    assert b"SHA-256 abc" in shell(prepared, logs.replace("logs -f", "logs"), folder)
    shell(prepared, copy_out, folder)
    assert (folder / "bundle.tgz").read_text() == "the bundle"
    prepared.client.delete(f"/api/v1/namespaces/{NAMESPACE}/pods/runai-collect-x?gracePeriodSeconds=0")
    prepared.kubectl("delete", "--wait=false", "-f", str(SAMPLE), check=True)


def shell(cluster: Cluster, command: str, folder: Path) -> bytes:
    done = run(["sh", "-c", command], cluster.environment(), folder, 60)
    assert done.code == 0, done
    return done.stdout


def test_the_pod_keeps_to_the_restricted_standard(prepared: Cluster) -> None:
    """The server's own admission judges it, and refuses it without its security context."""
    label = "pod-security.kubernetes.io/enforce=restricted"
    prepared.kubectl("label", "--overwrite", "namespace", NAMESPACE, label, check=True)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": job()["spec"]["template"]["spec"]}
    loose = copy.deepcopy(pod)
    del loose["spec"]["securityContext"]
    for body, fits in ((pod, True), (loose, False)):
        command = [str(prepared.binaries.kubectl), "-n", NAMESPACE, "create", "--dry-run=server", "-f", "-"]
        done = subprocess.run(
            command, input=json.dumps(body).encode(), env=prepared.environment(), capture_output=True, check=False
        )
        assert (done.returncode == 0) is fits, done.stderr
        assert fits or b"violates PodSecurity" in done.stderr


def test_the_program_fits_into_a_configmap(prepared: Cluster, program: Path) -> None:
    kept = prepared.client.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps/{NAMESPACE}")
    assert base64.b64decode(kept["binaryData"]["runai-collect.pyz"]) == program.read_bytes()


def test_both_ways_end_with_the_same_complete_bundle(ways: Ways) -> None:
    assert ways.kubectl.run.code == 0, ways.kubectl.run
    expected = ways.kubectl.bundle.names()
    assert sum(len(names) for names in expected.values()) > 100
    for collected in ways.pods.values():
        assert collected.run.code == 0, collected.run
        assert collected.bundle.manifest["state"] == "complete"
        assert collected.bundle.names() == expected


def test_nvidia_smi_answers_the_same(ways: Ways) -> None:
    files = {name: data for name, data in ways.kubectl.bundle.members.items() if name.endswith((".xml", "smi.txt", "topo.txt"))}
    assert sum(name.endswith(".xml") for name in files) == 4
    for collected in ways.pods.values():
        assert {name: collected.bundle.members[name] for name in files} == files
        for node in {name.split("/")[1] for name in files}:
            attempts = json.loads(collected.bundle.members[f"nodes/{node}/source.json"])["attempts"]
            assert [attempt["exit_code"] for attempt in attempts] == [0] * len(attempts)


def test_only_get_is_sent_and_exec_is_an_upgrade(ways: Ways) -> None:
    assert {entry["method"] for entry in ways.recording} == {"GET"}
    upgrades = [entry for entry in ways.recording if entry["upgraded"]]
    assert len(upgrades) == 3 * 4 * len(ways.pods)  # XML, table, topology of each node
    assert {entry["path"].split("?")[0].rpartition("/")[2] for entry in upgrades} == {"exec"}
    assert {key.lower() for entry in ways.recording for key in entry["headers"]} >= {"authorization", "user-agent"}


def test_the_cluster_has_the_name_that_the_job_gives_it(ways: Ways) -> None:
    for collected in ways.pods.values():
        assert json.loads(collected.bundle.members["bundle.json"])["cluster"]["name"] == "my-cluster"


def test_the_token_is_in_nothing_that_is_written(ways: Ways) -> None:
    for collected in ways.pods.values():
        signature = ways.token.rpartition(".")[2].encode()
        assert signature not in collected.bundle.raw + collected.run.stdout + collected.run.stderr
