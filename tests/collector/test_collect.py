"""The whole collector against a real API server: options, refusals, and every way in which a run can end early."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import tarfile
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from runai_collect.client import TABLE
from runai_collect.plan import CERTIFICATE_SECRETS

from tests.cluster import Cluster

pytestmark = pytest.mark.cluster

COLLECTOR = Path(__file__).parent.parent.parent / "collector"
NODE = "gpu-1"
SECRET = "zX9fourthHorse"


class Bundle:
    """What a test looks at: members by their name below the top folder, and the manifest's steps by id."""

    def __init__(self, path: Path) -> None:
        self.members: dict[str, bytes] = {}
        with tarfile.open(path, "r|gz") as archive:
            for member in archive:
                content = archive.extractfile(member)
                assert content is not None
                self.members[member.name.split("/", 1)[1]] = content.read()
        self.manifest = json.loads(self.members["manifest.json"])
        self.steps = {step["id"]: step for step in self.manifest["steps"]}

    def rows(self, prefix: str) -> list[dict[str, Any]]:
        return [json.loads(line) for name, data in self.members.items() if name.startswith(prefix) for line in data.splitlines()]

    def status(self, step: str) -> str:
        return str(self.steps[step]["status"])


@pytest.fixture(scope="module")
def site(kubelet_cluster: Cluster) -> Iterator[Cluster]:
    """A small cluster: Run:ai's namespace, a GPU node with its driver pod, an unhealthy pod of a team, Secrets."""
    cluster = kubelet_cluster
    cluster.reset()
    for name in ("runai", "gpu-operator", "team-a"):
        cluster.client.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    status = {**cluster.node_status(), "capacity": {"cpu": "8", "nvidia.com/gpu": "8"}}
    cluster.client.load({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}, "status": status})
    load_pod(cluster, "gpu-operator", "driver-1", "nvidia-driver-ctr")
    load_pod(cluster, "runai", "agent-1", "main", env=[{"name": "NGC_API_KEY", "value": SECRET}])
    load_pod(cluster, "team-a", "training-1", "main", ready=False)
    cluster.client.load(
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "runai"}, "stringData": {"a": SECRET}}
    )
    for name, namespace in (("runai-public", "runai"), ("settings", "team-a")):
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": {"k": "v"}}
        cluster.client.load(body)
    folder = cluster.kubelet_dir / "gpu-operator" / "driver-1" / "nvidia-driver-ctr"
    folder.mkdir(parents=True)
    answer = {"argv": ["nvidia-smi", "-q", "-x"], "stdout": "<nvidia_smi_log></nvidia_smi_log>"}
    (folder / "exec.json").write_text(json.dumps([answer]))
    write_log(cluster, "team-a", "training-1", "one\npassword=" + SECRET + "\n")
    write_log(cluster, "runai", "agent-1", "".join(f"line {number}\n" for number in range(50)))
    return cluster


def load_pod(cluster: Cluster, namespace: str, name: str, container: str, ready: bool = True, **fields: Any) -> None:
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
    entry = {"name": container, "image": "x", "imageID": "", "ready": ready, "restartCount": 0, "state": state}
    cluster.client.load(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"nodeName": NODE, "containers": [{"name": container, "image": "x", **fields}]},
            "status": {"phase": "Running", "containerStatuses": [entry]},
        }
    )


def write_log(cluster: Cluster, namespace: str, pod: str, text: str) -> None:
    folder = cluster.kubelet_dir / namespace / pod
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.log").write_text(text)


def start(cluster: Cluster, out: Path, *arguments: str, user: str = "admin", **options: Any) -> "subprocess.Popen[str]":
    environment = {**cluster.environment(user), "PYTHONPATH": str(COLLECTOR), "TMPDIR": str(out.parent)}
    command = [sys.executable, "-B", "-m", "runai_collect", "-o", str(out), *arguments]
    options.setdefault("preexec_fn", lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))  # also where the tests run under nohup
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def collect(cluster: Cluster, out: Path, *arguments: str, code: int = 0, user: str = "admin") -> tuple[Bundle, str]:
    process = start(cluster, out, *arguments, user=user)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == code, stdout + stderr
    assert [path.name for path in out.parent.iterdir()] == [out.name], "something was left behind"
    return Bundle(out), stdout


def test_a_complete_bundle(site: Cluster, tmp_path: Path) -> None:
    bundle, said = collect(site, tmp_path / "b.tgz")
    assert next(iter(bundle.members)) == "bundle.json"
    assert bundle.manifest["state"] == "complete"
    assert stat.S_IMODE((tmp_path / "b.tgz").stat().st_mode) == 0o600
    assert "nothing was changed" in said
    about = json.loads(bundle.members["bundle.json"])
    assert abs(about["clock"]["skew_seconds"]) <= 2
    assert about["clock"]["server"].endswith("Z")


def test_a_run_is_told_in_a_few_lines_without_the_names_of_steps(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path / "b.tgz")
    _, stderr = process.communicate(timeout=60)
    assert stderr.splitlines() == [
        "Reading the API server's health and what it serves",
        "Checking what may be read",
        "Reading objects",
        "Reading the names of Secrets",
        "Reading certificates",
        "Running nvidia-smi",
        "Reading logs of 3 pods",
    ]


def test_a_run_does_not_tell_of_what_was_left_out(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path / "b.tgz", "--no-secrets", "--no-exec", "--no-logs")
    _, stderr = process.communicate(timeout=60)
    assert stderr.splitlines() == [
        "Reading the API server's health and what it serves",
        "Checking what may be read",
        "Reading objects",
    ]


def test_no_secret_is_in_it_and_each_place_is_told(site: Cluster, tmp_path: Path) -> None:
    bundle, _ = collect(site, tmp_path / "b.tgz")
    assert not [name for name, data in bundle.members.items() if SECRET.encode() in data]
    rows = {(row["member"], row.get("object"), row["where"], row["rule"]) for row in bundle.rows("redactions/")}
    assert ("resources/core/v1/pods/0001.jsonl", "Pod runai/agent-1", "spec.containers[0].env[0].value", "key") in rows
    assert ("logs/team-a/training-1/main.log", None, "line 2", "password") in rows


def test_secrets_by_name_and_configmaps_by_digest(site: Cluster, tmp_path: Path) -> None:
    bundle, _ = collect(site, tmp_path / "b.tgz")
    secret = next(row for row in bundle.rows("secrets/") if row["name"] == "s")
    assert (secret["namespace"], secret["type"], secret["keys"]) == ("runai", "Opaque", 1)
    rows = {(row["namespace"], row["name"]): row["keys"] for row in bundle.rows("configmaps/")}
    assert rows["team-a", "settings"]["k"]["size"] == 1
    assert len(rows["team-a", "settings"]["k"]["digest"]) == 32
    assert rows["team-a", "settings"]["k"] == rows["runai", "runai-public"]["k"]
    assert [body["metadata"]["name"] for body in bundle.rows("resources/core/v1/configmaps/")] == ["runai-public"]


def test_digests_cannot_be_compared_across_bundles(site: Cluster, tmp_path: Path) -> None:
    digests = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        bundle, _ = collect(site, tmp_path / name / "b.tgz", "--no-logs", "--no-exec", "--no-secrets")
        digests |= {row["keys"]["k"]["digest"] for row in bundle.rows("configmaps/") if row["name"] == "settings"}
    assert len(digests) == 2


def test_what_is_not_wanted_is_left_out_and_told(site: Cluster, tmp_path: Path) -> None:
    site.clear_recording()
    bundle, said = collect(site, tmp_path / "b.tgz", "--no-exec", "--no-logs", "--no-secrets")
    skipped = {step: row["message"] for step, row in bundle.steps.items() if row["status"] == "skipped"}
    assert skipped == {
        f"nvidia-smi:{NODE}": "--no-exec",
        "logs": "--no-logs",
        "secrets": "--no-secrets",
        "certificates": "--no-secrets",
    }
    paths = [entry["path"] for entry in site.recording()]
    assert not [path for path in paths if "/secrets" in path or "/log?" in path or "/exec" in path]
    assert not [name for name in bundle.members if name.startswith(("secrets/", "helm/", "certificates/", "logs/", "nodes/"))]
    assert "  logs (--no-logs)\n" in said
    options = json.loads(bundle.members["bundle.json"])["options"]
    assert (options["exec"], options["logs"], options["secrets"], options["certificates"]) == (False, False, False, True)


def test_no_certificates_reads_no_secret_whole(site: Cluster, tmp_path: Path) -> None:
    site.clear_recording()
    bundle, _ = collect(site, tmp_path / "b.tgz", "--no-certificates", "--no-logs", "--no-exec")
    assert bundle.steps["certificates"]["message"] == "--no-certificates"
    assert bundle.rows("secrets/")
    assert not [entry for entry in site.recording() if "/secrets/" in entry["path"]]


def test_log_lines(site: Cluster, tmp_path: Path) -> None:
    bundle, _ = collect(site, tmp_path / "b.tgz", "--log-lines", "5", "--no-exec", "--no-secrets")
    lines = bundle.members["logs/runai/agent-1/main.log"].decode().splitlines()
    assert lines[0] == "«cut: only the last 5 lines were asked for»"
    assert [line.split(" ", 1)[1] for line in lines[1:]] == [f"line {number}" for number in range(45, 50)]


def test_namespaces_restrict_what_is_read(site: Cluster, tmp_path: Path) -> None:
    site.clear_recording()
    bundle, said = collect(site, tmp_path / "b.tgz", "-n", "runai", "-n", "team-b", code=1)
    assert bundle.steps[f"nvidia-smi:{NODE}"]["status"] == "skipped"
    assert f"  nvidia-smi on 1 node: {NODE} (restricted to namespaces runai, team-b)\n" in said
    assert {body["metadata"]["namespace"] for body in bundle.rows("resources/core/v1/pods/")} == {"runai"}
    assert [body["metadata"]["name"] for body in bundle.rows("resources/core/v1/nodes/")] == [NODE]
    assert (bundle.status("list:core/v1/pods"), bundle.status("list:core/v1/pods@runai")) == ("skipped", "ok")
    assert bundle.status("list:core/v1/namespaces@team-b") == "not_found"
    assert bundle.steps["named-namespaces"]["message"] == "there is no namespace team-b"
    assert "  failed: what was named (there is no namespace team-b)\n" in said
    namespaced = [entry["path"] for entry in site.recording() if "/namespaces/" in entry["path"]]
    assert {path.split("/namespaces/")[1].split("/")[0].split("?")[0] for path in namespaced} <= {
        "runai",
        "team-b",
        "kube-node-lease",
    }
    assert not [entry for entry in site.recording() if entry["path"].startswith("/api/v1/pods")]


def test_a_named_namespace_is_read_once_however_often_it_is_named(site: Cluster, tmp_path: Path) -> None:
    site.clear_recording()
    collect(site, tmp_path / "b.tgz", "-n", "runai", "-n", "runai", "--no-exec", "--no-logs")
    asked = [entry["path"] for entry in site.recording() if entry["path"].startswith("/api/v1/namespaces/runai/pods?")]
    assert asked == ["/api/v1/namespaces/runai/pods?limit=1", "/api/v1/namespaces/runai/pods?limit=100"]


def test_when_no_named_namespace_is_there_that_is_usage(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path / "b.tgz", "-n", "runia", "--quiet")
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (2, "")
    assert stderr == "runai-collect: there is no namespace runia\n"
    assert list(tmp_path.iterdir()) == []


def test_without_rights_there_is_a_bundle_and_each_refusal_in_it(site: Cluster, tmp_path: Path) -> None:
    bundle, said = collect(site, tmp_path / "b.tgz", code=1, user="viewer")
    assert bundle.rows("resources/") == []
    assert bundle.status("version") == "ok"
    assert bundle.steps["list:core/v1/nodes"]["code"] == 403
    assert bundle.status("list:core/v1/pods@runai") == "forbidden"
    assert "nodes" in bundle.steps["list:core/v1/nodes"]["message"]
    assert "refused" in said


def test_a_refused_list_is_asked_for_once(site: Cluster, tmp_path: Path) -> None:
    site.clear_recording()
    process = start(site, tmp_path / "b.tgz", user="viewer")
    _, said = process.communicate(timeout=120)
    bundle = Bundle(tmp_path / "b.tgz")
    asked = [entry["path"] for entry in site.recording() if entry["path"].split("?")[0] in ("/api/v1/nodes", "/api/v1/pods")]
    assert sorted(asked) == ["/api/v1/nodes?limit=1", "/api/v1/pods?limit=1"]
    assert 'cannot list resource "pods"' in bundle.steps["list:core/v1/pods"]["message"]
    assert "not allowed: list in the whole cluster: nodes, namespaces, pods, " in said
    assert "the roles that runai-collect --rbac +secrets+exec prints\n" in said


def test_a_secret_that_is_asked_for_as_a_bare_table_comes_without_its_value(site: Cluster) -> None:
    """So the right to read it is tried, and no value crosses the network."""
    path = "/api/v1/namespaces/runai/secrets/s?includeObject=None"
    answer = site.client.request("GET", path, headers={"Accept": TABLE})
    assert answer.status == 200
    assert json.loads(answer.body)["rows"][0]["cells"][:3] == ["s", "Opaque", 1]
    assert b64encode(SECRET.encode()) not in answer.body
    assert b64encode(SECRET.encode()) in site.client.request("GET", path).body


def test_the_check_ends_without_a_bundle(site: Cluster, tmp_path: Path) -> None:
    for user, code in (("admin", 0), ("viewer", 1)):
        process = start(site, tmp_path / "b.tgz", "--check", "--qps", "100", user=user)
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == code, stderr
        assert ("Nothing is refused" in stdout) == (code == 0)
        assert ("not allowed: list in the whole cluster: " in stdout) == (code == 1)
        assert list(tmp_path.iterdir()) == []


def test_the_check_takes_nothing_for_refused_that_was_left_out(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path / "b.tgz", "--check", "-q", "--exclude", "kube-*", "--qps", "100")
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (0, ""), stdout
    assert stdout.startswith("Nothing is refused")


def test_the_check_is_told_as_json(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path / "b.tgz", "--check", "--json", "--exclude", "nosuch", "--no-exec", user="viewer")
    found = json.loads(process.communicate(timeout=60)[0])
    assert (process.returncode, found["complete"]) == (1, False)
    lack = {"tier": "base", "sort": "list in the whole cluster", "status": "forbidden", "name": "namespaces"}
    assert lack in found["missing"]
    process = start(site, tmp_path / "b.tgz", "--check", "--json", "--exclude", "nosuch", "--no-exec", "--qps", "100")
    found = json.loads(process.communicate(timeout=60)[0])
    words = "there is no namespace nosuch, which --exclude names"
    assert found["failed"] == [{"step": "named-namespaces", "status": "error", "message": words}]
    assert (process.returncode, found["missing"]) == (1, [])


def test_where_the_first_kinds_are_refused_the_others_are_not_asked(site: Cluster, tmp_path: Path) -> None:
    """But in the context's own namespace (``default`` here) every kind is, and what was not asked is not called refused."""
    site.clear_recording()
    bundle, said = collect(site, tmp_path / "b.tgz", code=1, user="viewer")
    in_runai = [step for step in bundle.steps.values() if step["id"].startswith("list:") and step["namespace"] == "runai"]
    asked = sorted(step["id"] for step in in_runai if step["status"] == "forbidden" and step["kind"] != "Namespace")
    assert asked == sorted(
        f"list:{kind}@runai"
        for kind in ("core/v1/pods", "core/v1/events", "core/v1/configmaps", "apps/v1/deployments", "apps/v1/daemonsets")
    )
    others = {step["message"] for step in in_runai if step["status"] == "skipped"}
    assert others == {"not asked: 5 other kinds of this namespace were refused"}
    assert bundle.steps["secrets@runai"]["status"] == "skipped"
    assert bundle.status("list:core/v1/services@default") == "forbidden"
    paths = [entry["path"] for entry in site.recording() if "/namespaces/runai/" in entry["path"]]
    assert len([path for path in paths if "includeObject=None" not in path]) == 5 + len(RUNAI_CERTIFICATES)
    assert "(not asked: 5 other kinds of this namespace were refused)" in said


RUNAI_CERTIFICATES = [name for namespace, name in CERTIFICATE_SECRETS if namespace == "runai"]


def test_who_may_read_a_late_kind_of_the_own_namespace_gets_it(site: Cluster, tmp_path: Path) -> None:
    group = "rbac.authorization.k8s.io"
    about = {"name": "services", "namespace": "team-a"}
    rules = [{"apiGroups": [""], "resources": ["services"], "verbs": ["list"]}]
    site.client.load({"apiVersion": f"{group}/v1", "kind": "Role", "metadata": about, "rules": rules})
    role = {"apiGroup": group, "kind": "Role", "name": "services"}
    subjects = [{"apiGroup": group, "kind": "User", "name": "collector"}]
    site.client.load(
        {"apiVersion": f"{group}/v1", "kind": "RoleBinding", "metadata": about, "roleRef": role, "subjects": subjects}
    )
    environment = {**site.environment("collector", namespace="team-a"), "PYTHONPATH": str(COLLECTOR)}
    command = [sys.executable, "-m", "runai_collect", "-q", "-o", str(tmp_path / "own.tgz")]
    assert subprocess.run(command, env=environment, check=False).returncode == 1
    assert Bundle(tmp_path / "own.tgz").status("list:core/v1/services@team-a") == "empty"
    (out := tmp_path / "out").mkdir()
    named, _ = collect(site, out / "named.tgz", "-n", "team-a", code=1, user="collector")
    assert named.status("list:core/v1/services@team-a") == "empty"


def test_a_wrong_token_is_three(site: Cluster, tmp_path: Path) -> None:
    config = tmp_path / "config"
    text = site.kubeconfig("admin").read_text()
    config.write_text(text.replace(site.token("admin"), "wrong"))
    (tmp_path / "out").mkdir()
    process = start(site, tmp_path / "out" / "b.tgz", "--kubeconfig", str(config))
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "the login failed" in stderr
    assert "wrong" not in stderr
    assert list((tmp_path / "out").iterdir()) == []


def slow_exec(cluster: Cluster, seconds: float) -> Path:
    path = cluster.kubelet_dir / "gpu-operator" / "driver-1" / "nvidia-driver-ctr" / "exec.json"
    answers = json.loads(path.read_text())
    answers[0]["delay_seconds"] = seconds
    path.write_text(json.dumps(answers))
    return path


@pytest.fixture
def hanging(site: Cluster) -> Iterator[Cluster]:
    """The site, whose nvidia-smi takes a minute."""
    slow_exec(site, 60)
    yield site
    slow_exec(site, 0)


ENDINGS = [(signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGQUIT, 131), (signal.SIGTERM, 143)]


@pytest.mark.parametrize(("number", "code"), ENDINGS)
def test_an_interrupted_run_closes_its_bundle(hanging: Cluster, tmp_path: Path, number: int, code: int) -> None:
    process = start(hanging, tmp_path / "b.tgz")
    assert process.stderr is not None
    for line in process.stderr:
        if line == "Running nvidia-smi\n":
            break
    time.sleep(1.0)  # the exec is on its way
    children = children_of(process.pid)
    assert len(children) >= 2, "the proxy and an exec"
    begin = time.monotonic()
    process.send_signal(number)
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == code
    assert time.monotonic() - begin < 15
    bundle = Bundle(tmp_path / "b.tgz")
    assert bundle.manifest["state"] == "interrupted"
    assert bundle.status("list:core/v1/pods") == "ok"
    assert bundle.status(f"nvidia-smi:{NODE}") == "skipped"
    assert "interrupted" in stdout
    assert [path.name for path in tmp_path.iterdir()] == ["b.tgz"]
    assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []


def test_nothing_that_is_logged_in_outlives_a_killed_run(hanging: Cluster, tmp_path: Path) -> None:
    process = start(hanging, tmp_path / "b.tgz")
    assert process.stderr is not None
    for line in process.stderr:
        if line == "Running nvidia-smi\n":
            break
    time.sleep(1.0)  # the exec is on its way
    children = children_of(process.pid)
    assert len(children) >= 2, "the proxy and an exec"
    process.kill()
    process.communicate(timeout=10)
    until = time.monotonic() + 10
    while time.monotonic() < until and [pid for pid in children if is_running(pid)]:
        time.sleep(0.1)
    assert [pid for pid in children if is_running(pid)] == []
    assert [path.name for path in tmp_path.iterdir()] == ["b.tgz.partial"]


def is_running(pid: int) -> bool:
    path = Path(f"/proc/{pid}/stat")
    return path.exists() and path.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_a_deadline_is_kept(hanging: Cluster, tmp_path: Path) -> None:
    begin = time.monotonic()
    bundle, said = collect(hanging, tmp_path / "b.tgz", "--deadline", "12s", code=1)
    assert time.monotonic() - begin < 20
    assert bundle.manifest["state"] == "deadline"
    assert bundle.steps[f"nvidia-smi:{NODE}"]["message"] == "deadline"
    assert "not complete (deadline)" in said


def test_a_full_disk_is_an_error_and_the_part_is_named_so(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path / "b.tgz", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 2
    end = stderr.splitlines()[-1]
    assert end.startswith(f"runai-collect: the bundle cannot be written to {tmp_path / 'b.tgz'}: File too large; free space")
    assert f"what was written stands in {tmp_path / 'b.tgz.partial'}: runai-collect inspect reads it" in end
    assert "Traceback" not in stderr
    assert [path.name for path in tmp_path.iterdir()] == ["b.tgz.partial"]


def test_no_cache_of_kubectl_is_left_in_the_home(site: Cluster, tmp_path: Path) -> None:
    (home := tmp_path / "home").mkdir()
    command = [sys.executable, "-m", "runai_collect", "-q", "--no-logs", "--no-secrets", "-o", str(tmp_path / "b.tgz")]
    environment = {**site.environment(), "PYTHONPATH": str(COLLECTOR), "HOME": str(home)}
    subprocess.run(command, env=environment, capture_output=True, check=True)
    assert list(home.iterdir()) == []


def test_quiet_says_the_path_alone(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path / "b.tgz", "--quiet", "--no-exec")
    assert process.communicate(timeout=60) == (f"{tmp_path / 'b.tgz'}\n", "")


def test_a_folder_gets_a_name_of_its_own(site: Cluster, tmp_path: Path) -> None:
    process = start(site, tmp_path, "--quiet", "--no-exec", "--no-logs", "--no-secrets")
    process.communicate(timeout=60)
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("runai-bundle-acme-gpu-")
    with tarfile.open(path) as archive:
        assert {name.split("/")[0] for name in archive.getnames()} == {path.name[:-4]}


def children_of(pid: int) -> list[int]:
    """Every process whose parent is `pid`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(path.parent.name))
    return found


def test_the_proxy_has_no_way_to_change_anything(site: Cluster, tmp_path: Path) -> None:
    """Its own command line says so; the socket lies in a folder of its owner alone."""
    process = start(site, tmp_path / "b.tgz", "--no-exec", "--no-logs")
    assert process.stderr is not None
    process.stderr.readline()
    lines = [Path(f"/proc/{pid}/cmdline").read_text().split("\0") for pid in children_of(process.pid)]
    folder = next(tmp_path.glob("runai-collect-*"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert any("--reject-methods=POST,PUT,PATCH,DELETE" in line for line in lines)
    assert any(f"--unix-socket={folder}/api.sock" in line for line in lines)
    os.read(process.stderr.fileno(), 1)
    process.communicate(timeout=60)
    assert not folder.exists()
