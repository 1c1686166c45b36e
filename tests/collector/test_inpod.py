"""The pod's service account as the way to the cluster: TLS is verified, the token is the newest, and stands in no message."""

import base64
import datetime
import ipaddress
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from runai_collect import inpod
from runai_collect.client import ApiError, Stop, Tally, UnreachableError
from runai_collect.inpod import InPod, is_pod
from runai_collect.plan import Limits

from tests.cluster import Cluster
from tests.cluster.certificates import Certificates, make_certificates
from tests.collector.secure_server import SecureServer, secure
from tests.collector.servers import ok, silent, status

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJmYWtlIn0.c2lnbmF0dXJlT2ZUaGVUb2tlbg"
COLLECTOR = Path(__file__).parent.parent.parent / "collector"
LIMITS = Limits(requests_per_second=1000, attempts=1, exec_timeout=2.0)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("keys"), "pod")


@pytest.fixture
def account(tmp_path: Path, keys: Certificates, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that a pod has, and its environment but for the port."""
    (tmp_path / "token").write_text(TOKEN + "\n")
    (tmp_path / "namespace").write_text("runai")
    (tmp_path / "ca.crt").write_bytes(keys.authority.read_bytes())
    monkeypatch.setattr(inpod, "ACCOUNT", str(tmp_path))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "1")
    monkeypatch.delenv("CLUSTER_NAME", raising=False)
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    return tmp_path


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[SecureServer], None]:
    return lambda server: monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.server_port))


def test_a_pod_is_known_by_its_account(account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_pod()
    (account / "token").unlink()
    assert not is_pod()
    (account / "token").write_text(TOKEN)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST")
    assert not is_pod()


def test_it_says_where_it_is(account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with InPod(LIMITS, Stop()) as pod:
        assert pod.config() == ("in-cluster", "", "runai", "", "127.0.0.1:1", "")
    monkeypatch.setenv("CLUSTER_NAME", "prod")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
    with InPod(LIMITS, Stop()) as pod:
        assert pod.config()[0::4] == ("prod", "[fd00::1]:1")


def test_each_request_has_the_newest_token(account: Path, keys: Certificates, at: Callable[[SecureServer], None]) -> None:
    with secure(keys, ok()) as server:
        at(server)
        with InPod(LIMITS, Stop()) as pod:
            client = pod.start("")
            client.get("/version", Tally())
            (account / "token").write_text("renewed")
            client.get("/version", Tally())
        assert [headers["Authorization"] for headers in server.headers] == ["Bearer " + TOKEN, "Bearer renewed"]
        assert all(headers["User-Agent"].startswith("runai-collect/") for headers in server.headers)


@pytest.mark.parametrize("broken", ["two\nlines " + TOKEN, "", "ümlaut" + TOKEN])
def test_a_broken_token_stands_in_no_message(
    account: Path, keys: Certificates, at: Callable[[SecureServer], None], broken: str
) -> None:
    (account / "token").write_text(broken)
    with secure(keys, ok()) as server:
        at(server)
        with InPod(LIMITS, Stop()) as pod:
            with pytest.raises(ApiError, match="holds no token") as caught:
                pod.start("").get("/version", Tally())
            assert TOKEN[:10] not in str(caught.value)
            ran = pod.exec("n", "p", "c", ("nvidia-smi",))
            assert (ran.code, b"holds no token" in ran.stderr, TOKEN[:10].encode() in ran.stderr) == (1, True, False)
        assert server.paths == []


def test_exec_asks_for_the_program_and_its_container(
    account: Path, keys: Certificates, at: Callable[[SecureServer], None]
) -> None:
    with secure(keys, status(404, b'{"message":"no pod","reason":"NotFound"}')) as server:
        at(server)
        with InPod(LIMITS, Stop()) as pod:
            ran = pod.exec("ns", "p", "c", ("a b", "-x=&"))
    query = "container=c&stdout=true&stderr=true&command=a+b&command=-x%3D%26"
    assert server.paths == ["/api/v1/namespaces/ns/pods/p/exec?" + query]
    assert (ran.code, ran.stderr) == (1, b"Error from server (NotFound): no pod")


def test_a_refused_token_stands_in_no_message(account: Path, keys: Certificates, at: Callable[[SecureServer], None]) -> None:
    with secure(keys, status(401, b'{"message":"Unauthorized","reason":"Unauthorized"}')) as server:
        at(server)
        with InPod(LIMITS, Stop()) as pod:
            with pytest.raises(ApiError) as caught:
                pod.start("").get("/version", Tally())
            assert (caught.value.code, caught.value.message) == (401, "Unauthorized")
            assert pod.exec("n", "p", "c", ("x",)).stderr == b"Error from server (Unauthorized): Unauthorized"


def test_a_server_of_another_authority_gets_no_token(
    account: Path, tmp_path_factory: pytest.TempPathFactory, at: Callable[[SecureServer], None]
) -> None:
    others = make_certificates(tmp_path_factory.mktemp("others"), "other")
    with secure(others, ok()) as server:
        at(server)
        with InPod(LIMITS, Stop()) as pod, pytest.raises(ApiError, match="CERTIFICATE_VERIFY_FAILED"):
            pod.start("").get("/version", Tally())
        assert server.headers == []


def test_a_server_of_another_name_gets_no_token(
    account: Path, keys: Certificates, at: Callable[[SecureServer], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with secure(keys, ok(), "127.0.0.2") as server:
        at(server)
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.2")
        with InPod(LIMITS, Stop()) as pod, pytest.raises(ApiError, match=r"CERTIFICATE_VERIFY_FAILED|doesn't match"):
            pod.start("").get("/version", Tally())
        assert server.headers == []


def plain_keys(folder: Path, host: str) -> Certificates:
    """As older clusters have them: an authority without key identifiers or key usage, which Python 3.13's default refuses."""
    authority_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    now = datetime.datetime.now(datetime.UTC)
    made = Certificates(*(folder / name for name in ("ca", "server", "key", "unused")))
    for path, name, key, issuer in ((made.authority, "ca", authority_key, True), (made.server, "s", server_key, False)):
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ca")]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=issuer, path_length=None), critical=True)
        )
        if not issuer:
            address = x509.IPAddress(ipaddress.ip_address(host))
            builder = builder.add_extension(x509.SubjectAlternativeName([address]), critical=False)
        path.write_bytes(builder.sign(authority_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    form = serialization.PrivateFormat.TraditionalOpenSSL
    made.server_key.write_bytes(server_key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()))
    return made


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_ipv6_and_authorities_of_older_clusters(
    account: Path, at: Callable[[SecureServer], None], monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    keys = plain_keys(account, host)
    (account / "ca.crt").write_bytes(keys.authority.read_bytes())
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    with secure(keys, ok(), host) as server:
        at(server)
        with InPod(LIMITS, Stop()) as pod:
            assert pod.start("").get("/version", Tally()).status == 200
        assert server.headers[0]["Host"] == (f"[{host}]" if ":" in host else host) + f":{server.server_port}"


@pytest.mark.parametrize(("name", "text"), [("ca.crt", None), ("ca.crt", "no PEM"), ("namespace", None)])
def test_an_account_that_is_not_whole_is_told(account: Path, name: str, text: str | None) -> None:
    (account / name).unlink()
    if text is not None:
        (account / name).write_text(text)
    with pytest.raises(UnreachableError, match="the service account of this pod cannot be used"), InPod(LIMITS, Stop()):
        pass


def test_the_end_of_the_run_ends_a_read_on_which_nothing_comes(
    account: Path, keys: Certificates, at: Callable[[SecureServer], None]
) -> None:
    with secure(keys, silent(20)) as server:
        at(server)
        stop = Stop()
        with InPod(LIMITS, stop) as pod:
            client = pod.start("")
            ended: list[str] = []

            def read() -> None:
                try:
                    client.get("/version", Tally())
                except BaseException as error:
                    ended.append(type(error).__name__)

            thread = threading.Thread(target=read)
            thread.start()
            while not server.paths:
                time.sleep(0.01)
            begin = time.monotonic()
            stop.set("interrupted")
            thread.join(10)
            assert (ended, time.monotonic() - begin < 2) == (["StoppedError"], True)


def test_an_exec_on_which_nothing_comes_ends_in_time(
    account: Path, keys: Certificates, at: Callable[[SecureServer], None]
) -> None:
    with secure(keys, silent(20)) as server:
        at(server)
        with InPod(LIMITS, Stop()) as pod:
            begin = time.monotonic()
            ran = pod.exec("n", "p", "c", ("nvidia-smi",))
    assert (ran.code, ran.timed_out, 2 <= time.monotonic() - begin < 5) == (None, True, True)


DRIVER = "import sys; from runai_collect import cli, inpod; inpod.ACCOUNT = sys.argv.pop(1); sys.exit(cli.main())"


def start(account: Path, server: SecureServer | None, *arguments: str) -> "subprocess.Popen[str]":
    environment = {
        "PATH": "/nowhere",
        "PYTHONPATH": str(COLLECTOR),
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(server.server_port if server else 1),
    }
    command = [sys.executable, "-c", DRIVER, str(account), "-o", str(account / "b.tgz"), *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    stdout, stderr = process.communicate(timeout=60)
    assert "Traceback" not in stderr
    assert TOKEN not in stdout + stderr
    return process.returncode, stderr


def test_what_fails_in_a_pod_is_one_line(account: Path, keys: Certificates, tmp_path_factory: pytest.TempPathFactory) -> None:
    where = r"\(server 127\.0\.0\.1:\d+\); "
    code, said = ended(start(account, None))
    assert (code, said.count("\n")) == (3, 1)
    assert re.search("cannot be reached: .*refused " + where + "check the server's address", said), said
    with secure(keys, status(401, b'{"message":"Unauthorized"}')) as server:
        code, said = ended(start(account, server))
    assert (code, said.count("\n")) == (3, 1)
    assert re.search("the login failed: Unauthorized " + where, said), said
    others = make_certificates(tmp_path_factory.mktemp("others"), "other")
    with secure(others, ok()) as server:
        code, said = ended(start(account, server))
    assert (code, said.count("\n")) == (3, 1)
    assert re.search("cannot be reached: .*CERTIFICATE_VERIFY_FAILED.*" + where + "compare the trusted certificate", said), said
    assert not (account / "b.tgz").exists()


def test_a_signal_in_a_pod_leaves_a_bundle(account: Path, keys: Certificates) -> None:
    with secure(keys, ok(b'{"gitVersion":"v1.30.0"}')) as server:
        server.answers = [ok(b'{"gitVersion":"v1.30.0"}'), ok(b'{"gitVersion":"v1.30.0"}'), silent(30)]
        process = start(account, server)
        while len(server.paths) < 3:
            assert process.poll() is None
            time.sleep(0.05)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)  # as the kubelet ends a pod
        code, _ = ended(process)
    assert (code, time.monotonic() - begin < 5) == (143, True)
    assert (account / "b.tgz").exists()


def exec_everywhere(cluster: Cluster, account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a real API server and kubelet answer: a program that fails, one that is missing, no pod, no right."""
    config = json.loads(cluster.kubeconfig(via="direct").read_text())["clusters"][0]["cluster"]
    (account / "ca.crt").write_bytes(base64.b64decode(config["certificate-authority-data"]))
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", config["server"].rpartition(":")[2])
    put_pod(cluster)
    for user, pod, argv, answer in (
        ("admin", "exec-1", ("smi", "-q"), (9, b"o" * 300_000, b"warning\n")),
        ("admin", "exec-1", ("nothing",), (126, b"", b"executable file not found")),
        ("admin", "none", ("smi", "-q"), (1, b"", b'Error from server (NotFound): pods "none" not found')),
        ("viewer", "exec-1", ("smi", "-q"), (1, b"", b"Error from server (Forbidden): pods")),
    ):
        (account / "token").write_text(cluster.token(user))
        with InPod(Limits(), Stop()) as way:
            ran = way.exec("default", pod, "main", argv)
        assert (ran.code, ran.stdout, ran.timed_out, ran.cut) == (answer[0], answer[1], False, False), ran.stderr
        assert answer[2] in ran.stderr


def put_pod(cluster: Cluster) -> None:
    cluster.client.load({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "exec"}, "status": cluster.node_status()})
    cluster.client.load(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "exec-1", "namespace": "default"},
            "spec": {"nodeName": "exec", "containers": [{"name": "main", "image": "x"}]},
        }
    )
    folder = cluster.kubelet_dir / "default" / "exec-1" / "main"
    folder.mkdir(parents=True, exist_ok=True)
    answer = {"argv": ["smi", "-q"], "stdout": "o" * 300_000, "stderr": "warning\n", "exit_code": 9}
    (folder / "exec.json").write_text(json.dumps([answer]))


@pytest.mark.cluster
def test_exec_on_a_real_server(kubelet_cluster: Cluster, account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exec_everywhere(kubelet_cluster, account, monkeypatch)


@pytest.mark.cluster
def test_exec_on_an_old_server(old_cluster: Cluster, account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exec_everywhere(old_cluster, account, monkeypatch)
