"""Probes against real servers on this machine: each failure has its name, and nothing but the connection is sent."""

from __future__ import annotations

import datetime
import json
import os
import socket
import ssl
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from runai_analyze.bundle import open_bundle
from runai_collect import endpoints, plan, probe
from runai_collect.client import USER_AGENT, Client, Stop, StoppedError
from runai_collect.endpoints import PROBE_ENDPOINTS, Endpoint
from runai_collect.plan import Limits, Options
from runai_collect.planned import plan_json, plan_text
from runai_collect.progress import Progress
from runai_collect.steps import Session
from runai_collect.writer import BundleWriter, Step

from tests.collector.fault_server import CUSTOM, of, read_directly, site
from tests.collector.test_collect import COLLECTOR
from tests.collector.test_pyz import pythons

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)
ANSWER = b"HTTP/1.1 200 OK\r\nServer: acme-gw/1.2\r\nContent-Length: 0\r\n\r\n"
Talk = Callable[[socket.socket], None]


@dataclass
class Authority:
    """A root, an intermediate of it, and server certificates with the whole chain behind them."""

    folder: Path

    def __post_init__(self) -> None:
        self.root, self.root_key = self.certificate("root", None, None)
        self.middle, self.middle_key = self.certificate("middle", self.root, self.root_key)
        (self.folder / "root.pem").write_bytes(pem(self.root))

    def certificate(
        self, name: str, issuer: Any, issuer_key: Any, *, server: bool = False, expired: bool = False, host: str = "localhost"
    ) -> Any:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        signer = issuer_key or key
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer.subject if issuer else subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - 9 * DAY)
            .not_valid_after(NOW + (-2 if expired else 9) * DAY)
            .add_extension(x509.BasicConstraints(ca=not server, path_length=None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        )
        if server:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        else:
            unused = dict.fromkeys(("digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
                                    "key_agreement", "encipher_only", "decipher_only"), False)  # fmt: skip
            builder = builder.add_extension(x509.KeyUsage(key_cert_sign=True, crl_sign=True, **unused), critical=True)
        return builder.sign(signer, hashes.SHA256()), key

    def context(self, **how: Any) -> ssl.SSLContext:
        leaf, key = self.certificate("leaf", self.middle, self.middle_key, server=True, **how)
        private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        (self.folder / "server.pem").write_bytes(private + pem(leaf) + pem(self.middle))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "server.pem")
        return context


def pem(certificate: Any) -> bytes:
    return bytes(certificate.public_bytes(serialization.Encoding.PEM))


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def trust(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the root one that this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.folder / "root.pem"))


@contextmanager
def serving(talk: Talk) -> Iterator[int]:
    """Serve connections on a free port, each in a thread; what a talk raises ends that connection."""
    server = socket.create_server(("127.0.0.1", 0))

    def one(stream: socket.socket) -> None:
        with stream:
            try:
                talk(stream)
            except OSError:
                return

    def accept() -> None:
        while True:
            try:
                stream, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(stream,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def request_of(stream: socket.socket) -> bytes:
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        part = stream.recv(1)
        if not part:
            break
        data += part
    return data


def answering(answer: bytes, seen: list[bytes] | None = None) -> Talk:
    def talk(stream: socket.socket) -> None:
        request = request_of(stream)
        if seen is not None:
            seen.append(request)
        stream.sendall(answer)

    return talk


def with_tls(context: ssl.SSLContext, talk: Talk) -> Talk:
    def wrapped(stream: socket.socket) -> None:
        with context.wrap_socket(stream, server_side=True) as inner:
            talk(inner)

    return wrapped


class Collected:
    """Runs steps into a bundle, and reads it."""

    def __init__(self, folder: Path, **options: Any) -> None:
        limits = Limits(probe_timeout=0.4, probe_total=1.2)
        self.folder = folder
        self.writer = BundleWriter(str(folder / "b.tgz"), "top", 1)
        self.stop = Stop()
        client = Client(lambda timeout: HTTPConnection("127.0.0.1", 1, timeout=timeout), limits, self.stop)
        wishes = Options(limits=limits, probe=True)._replace(**options)
        self.session = Session(client, self.writer, wishes, self.stop, Progress(True))

    def probe(self, *endpoint: Any) -> tuple[Step, dict[str, Any]]:
        probe._step(self.session, Endpoint(*endpoint, ("a test",)))
        return self.writer.steps[-1], self.members()

    def members(self) -> dict[str, Any]:
        self.writer.finish("2026-01-01T00:00:00Z", "complete")
        with tarfile.open(self.writer.path) as archive:
            found = {member.name: stream.read() for member in archive if (stream := archive.extractfile(member))}
        documents = [json.loads(data) for name, data in found.items() if name.startswith("top/probes/")]
        return dict(documents[0]) if documents else {}


@pytest.fixture
def collected(tmp_path: Path) -> Collected:
    return Collected(tmp_path)


def test_a_trusted_server_is_described_phase_by_phase(collected: Collected, authority: Authority, trust: None) -> None:
    seen: list[bytes] = []
    with serving(with_tls(authority.context(), answering(ANSWER, seen))) as port:
        step, found = collected.probe("localhost", port, True)
    assert (step.status, step.message, step.id, step.scope) == ("ok", "", f"probe:localhost:{port}", "host")
    assert step.request == f"HEAD https://localhost:{port}/"
    assert "127.0.0.1" in found["phases"]["name"]["addresses"]
    assert found["phases"]["tcp"]["address"] == "127.0.0.1"
    tls, http = found["phases"]["tls"], found["phases"]["http"]
    assert (tls["trusted"], tls["version"]) == (True, "TLSv1.3")
    assert (http["status"], http["server"], http["redirect"]) == (200, "acme-gw/1.2", "")
    about = {key: found[key] for key in ("what", "host", "port", "tls", "proxy")}
    assert about == {"what": ["a test"], "host": "localhost", "port": port, "tls": True, "proxy": None}
    assert all(0 <= found["phases"][phase]["seconds"] < 2 for phase in ("name", "tcp", "tls", "http"))
    assert seen == [f"HEAD / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: {USER_AGENT}\r\n\r\n".encode()]


@pytest.mark.skipif(sys.version_info < (3, 10), reason="Python tells the served chain from 3.10 on")
def test_the_whole_chain_is_kept_as_it_is_served(collected: Collected, authority: Authority) -> None:
    with serving(with_tls(authority.context(), answering(ANSWER))) as port:
        _, found = collected.probe("localhost", port, True)
    subjects = [x509.load_pem_x509_certificate(one.encode()).subject.rfc4514_string() for one in found["phases"]["tls"]["chain"]]
    assert subjects == ["CN=leaf", "CN=middle"]
    assert found["phases"]["tls"]["chain_is"] == "as served"


CODE = """import json, sys
from runai_collect.endpoints import PROBE_ENDPOINTS, Endpoint
from runai_collect.probe import Probe
probe = Probe(Endpoint("localhost", int(sys.argv[1]), True, ()), 5.0)
probe.run()
print(json.dumps([probe.ended, dict(probe.phases)]))"""


@pytest.mark.parametrize("python", pythons())
def test_every_python_sees_the_same(python: str, authority: Authority, trust: None) -> None:
    collector = str(Path(probe.__file__).parents[1])
    with serving(with_tls(authority.context(), answering(ANSWER))) as port:
        command = [python, "-c", CODE, str(port)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": collector})
    assert done.stderr == ""
    ended, phases = json.loads(done.stdout)
    assert ended == ["ok", ""]
    assert (phases["tls"]["trusted"], phases["tls"]["version"][:5], phases["http"]["status"]) == (True, "TLSv1", 200)
    assert len(phases["tls"]["chain"]) == (2 if phases["tls"]["chain_is"] == "as served" else 1)
    leaf = x509.load_pem_x509_certificate(phases["tls"]["chain"][0].encode())
    assert leaf.subject.rfc4514_string() == "CN=leaf"


def test_where_python_does_not_tell_the_chain_the_leaf_is_kept() -> None:
    class Old:
        """As an SSLSocket before 3.10."""

        def getpeercert(self, binary: bool) -> bytes:
            return b"DER"

    chain, words = probe._chain(Old())  # type: ignore[arg-type]
    assert chain == [ssl.DER_cert_to_PEM_cert(b"DER")]
    assert words == "the first certificate alone: this Python tells no more"


def test_a_certificate_that_nobody_trusts_is_told_and_kept(collected: Collected, authority: Authority) -> None:
    with serving(with_tls(authority.context(), answering(ANSWER))) as port:
        step, found = collected.probe("localhost", port, True)
    assert (step.status, found["phases"]["tls"]["trusted"]) == ("ok", False)
    assert step.message.startswith("this machine does not trust it: ")
    assert "issuer certificate" in step.message
    assert found["phases"]["http"]["status"] == 200
    assert found["phases"]["tls"]["chain"][0].startswith("-----BEGIN CERTIFICATE-----")


def test_an_expired_certificate_is_told(collected: Collected, authority: Authority, trust: None) -> None:
    with serving(with_tls(authority.context(expired=True), answering(ANSWER))) as port:
        step, found = collected.probe("localhost", port, True)
    assert step.message == "this machine does not trust it: certificate has expired"
    assert found["phases"]["tls"]["trusted"] is False


def test_a_certificate_for_another_host_is_told(collected: Collected, authority: Authority, trust: None) -> None:
    with serving(with_tls(authority.context(host="other.example"), answering(ANSWER))) as port:
        step, _ = collected.probe("localhost", port, True)
    assert "mismatch" in step.message


def test_a_closed_port_is_refused(collected: Collected) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    step, found = collected.probe("127.0.0.1", port, True)
    assert (step.status, step.message) == ("error", "tcp: Connection refused")
    assert found["phases"]["tcp"]["error"] == "Connection refused"
    assert "tls" not in found["phases"]


def test_a_silent_server_is_a_timeout_in_its_phase(collected: Collected) -> None:
    with serving(lambda stream: time.sleep(5)) as port:
        step, found = collected.probe("127.0.0.1", port, True)
    assert (step.status, step.message) == ("timeout", "tls: no answer in time")
    assert found["phases"]["tcp"]["address"] == "127.0.0.1"


def test_a_server_that_drips_costs_the_total_and_no_more(collected: Collected) -> None:
    def drip(stream: socket.socket) -> None:
        request_of(stream)
        for byte in ANSWER * 99:
            stream.sendall(bytes([byte]))
            time.sleep(0.2)

    begin = time.monotonic()
    with serving(drip) as port:
        step, found = collected.probe("127.0.0.1", port, False)
    assert time.monotonic() - begin < 3
    assert (step.status, step.message) == ("timeout", "http: no answer within 1.2 seconds")
    assert found["phases"]["tcp"]["address"] == "127.0.0.1"


@pytest.mark.parametrize("tls", [False, True])
def test_a_probe_that_is_given_up_keeps_no_thread_and_no_socket(collected: Collected, tls: bool) -> None:
    ended = threading.Event()

    def drip(stream: socket.socket) -> None:
        stream.recv(65536)
        try:
            stream.sendall(b"\x16\x03\x03\x40\x00" if tls else b"")  # the head of a record of 16 kB, whose end never comes
            while True:
                stream.sendall(b"\x00" if tls else b"HTTP/1.1 100 Continue\r\n\r\n")
                time.sleep(0.1)
        except OSError:
            ended.set()

    before = threading.active_count()
    with serving(drip) as port:
        step, _ = collected.probe("127.0.0.1", port, tls)
        words = "tls: no answer in time" if tls else "http: no answer within 1.2 seconds"
        assert (step.status, step.message) == ("timeout", words)
        assert ended.wait(2)
    for _ in range(40):
        time.sleep(0.05 * (threading.active_count() > before))
    assert threading.active_count() <= before


def test_the_head_of_an_answer_is_bounded(collected: Collected) -> None:
    sent = []

    def flood(stream: socket.socket) -> None:
        request_of(stream)
        while True:
            stream.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 2000)
            sent.append(50_000)

    with serving(flood) as port:
        step, _ = collected.probe("127.0.0.1", port, False)
    assert (step.status, step.message) == ("error", "http: the answer is no HTTP (LineTooLong)")
    assert sum(sent) < 8 << 20, "what the system keeps of it is all that is sent"


def test_large_heads_cost_little_memory(tmp_path: Path) -> None:
    def large(stream: socket.socket) -> None:
        request_of(stream)
        stream.sendall(b"HTTP/1.1 200 OK\r\n" + (b"X: " + b"a" * 65000 + b"\r\n") * 99 + b"\r\n")

    code = (
        "import sys, threading\nfrom runai_collect.probe import Probe\nfrom runai_collect.endpoints import Endpoint\n"
        "probes = [Probe(Endpoint('127.0.0.1', int(sys.argv[1]), False, ('x',)), 5.0) for _ in range(8)]\n"
        "threads = [threading.Thread(target=probe.run) for probe in probes]\n"
        "[thread.start() for thread in threads]\n[thread.join() for thread in threads]\n"
        "print([line for line in open('/proc/self/status') if line.startswith('VmHWM')][0].split()[1])"
    )
    with serving(large) as port:
        ran = subprocess.run([sys.executable, "-c", code, str(port)], cwd=COLLECTOR, capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 80 << 10


def test_a_name_that_does_not_resolve_is_not_found(collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*arguments: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    step, found = collected.probe("none.example", 443, True)
    assert (step.status, step.message) == ("not_found", "name: the name does not resolve (Name or service not known)")
    assert list(found["phases"]) == ["name"]


def test_a_resolver_that_does_not_answer_is_left_behind(collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments: time.sleep(4))
    step, found = collected.probe("slow.example", 443, True)
    assert (step.status, step.message) == ("timeout", "name: no answer within 1.2 seconds")
    assert found["status"] == "timeout"


def test_every_address_is_tried(collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(ANSWER)) as port:
        both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ("127.0.0.2", "127.0.0.1")]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *arguments: both)
        step, found = collected.probe("two.example", port, False)
    assert step.status == "ok"
    assert found["phases"]["name"]["addresses"] == ["127.0.0.1", "127.0.0.2"]
    assert found["phases"]["tcp"]["address"] == "127.0.0.1"


def test_a_redirect_is_kept_without_what_may_be_secret_in_it(collected: Collected) -> None:
    answer = b"HTTP/1.1 302 Found\r\nLocation: https://me:pw@login.example/auth?state=abc&token=xyz#part\r\n\r\n"
    with serving(answering(answer)) as port:
        step, found = collected.probe("127.0.0.1", port, False)
    assert step.status == "ok"
    assert (found["phases"]["http"]["status"], found["phases"]["http"]["redirect"]) == (302, "https://login.example/auth")


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH_9\r\n", b"\x15\x03\x01\x00\x02\x02\x46"])
def test_what_is_no_http_is_said(collected: Collected, answer: bytes) -> None:
    with serving(answering(answer)) as port:
        step, _ = collected.probe("127.0.0.1", port, False)
    assert step.status == "error"
    assert step.message.startswith("http: the answer is no HTTP")


def test_what_is_no_tls_is_said(collected: Collected) -> None:
    with serving(lambda stream: stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
        step, _ = collected.probe("127.0.0.1", port, True)
    assert step.status == "error"
    assert step.message.startswith("tls: ")


def proxy(target: int, seen: list[bytes]) -> Talk:
    """A proxy that connects whatever is asked for to a port of this machine."""

    def talk(stream: socket.socket) -> None:
        seen.append(request_of(stream))
        if not seen[-1].startswith(b"CONNECT "):
            stream.sendall(ANSWER)
            return
        with socket.create_connection(("127.0.0.1", target)) as other:
            stream.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            threading.Thread(target=pump, args=(other, stream), daemon=True).start()
            pump(stream, other)

    return talk


def pump(source: socket.socket, sink: socket.socket) -> None:
    try:
        while part := source.recv(65536):
            sink.sendall(part)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


def test_the_proxy_of_the_settings_is_used_and_its_password_never_kept(
    tmp_path: Path, collected: Collected, authority: Authority, trust: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for a name that only the proxy can resolve."""
    seen: list[bytes] = []
    context = authority.context(host="inside.invalid")
    with serving(with_tls(context, answering(ANSWER))) as port, serving(proxy(port, seen)) as gate:
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:p%40ss@127.0.0.1:{gate}")
        step, found = collected.probe("inside.invalid", 443, True)
    assert (step.status, step.message) == ("ok", "")
    assert b"CONNECT inside.invalid:443 HTTP/1.1\r\n" in seen[0]
    assert b"Proxy-Authorization: Basic bWU6cEBzcw==\r\n" in seen[0]
    assert found["proxy"] == f"http://127.0.0.1:{gate}"
    assert "does not resolve" in found["phases"]["name"]["error"]
    phases = found["phases"]
    assert (phases["proxy"]["status"], phases["tls"]["trusted"], phases["http"]["status"]) == (200, True, 200)
    with tarfile.open(collected.writer.path) as archive:
        text = b"".join(stream.read() for member in archive if (stream := archive.extractfile(member)))
    assert not [secret for secret in (b"p@ss", b"p%40ss", b"bWU6") if secret in text]


@pytest.mark.parametrize(("login", "told"), [("me:p%40ss@", True), ("", False)])
def test_a_login_is_sent_only_from_the_proxys_own_url_and_that_is_told(
    collected: Collected, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], login: str, told: bool
) -> None:
    seen: list[bytes] = []
    monkeypatch.setenv("PROXY_AUTHORIZATION", "Basic bWU6cEBzcw==")
    (collected.folder / ".netrc").write_text("machine 127.0.0.1 login me password pw\n")
    monkeypatch.setenv("HOME", str(collected.folder))
    with serving(proxy(0, seen)) as gate:
        monkeypatch.setenv("https_proxy", f"http://{login}127.0.0.1:{gate}")
        assert probe.proxies() == [
            f"https through http://127.0.0.1:{gate}" + " with the name and password that stand in its URL" * told
        ]
        _, found = collected.probe("inside.invalid", 443, True)
    assert (found["proxy_login"], b"Proxy-Authorization" in seen[0]) == (told, told)


def test_the_plan_names_all_that_is_sent(collected: Collected, monkeypatch: pytest.MonkeyPatch, authority: Authority) -> None:
    """Every method and header that a proxy and a server, whose certificate is not trusted, get to see."""
    through: list[bytes] = []
    direct: list[bytes] = []
    with serving(with_tls(authority.context(), answering(ANSWER, direct))) as port, serving(proxy(port, through)) as gate:
        monkeypatch.setenv("https_proxy", f"http://me:hunter2x@127.0.0.1:{gate}")
        plan_ = json.loads(plan_json(Options(probe=True)))
        text = plan_text(Options(probe=True))
        collected.probe("localhost.invalid", 443, True)
    requests = [request.decode().split("\r\n") for request in through + direct]
    sent = {line.split(": ")[0] for request in requests for line in request[1:] if line} | {one[0].split()[0] for one in requests}
    assert sent == {"CONNECT", "HEAD", "Host", "User-Agent", "Proxy-Authorization"}
    assert len(through) == 2  # once more, without checking
    words = " ".join(plan_["probe_sends"])
    assert [one for one in (*sent, USER_AGENT, "without checking it", f"http://127.0.0.1:{gate}") if one not in words] == []
    assert "hunter2x" not in text
    assert [line for line in plan_["probe_sends"] if " ".join(line.split()) not in " ".join(text.split())] == []
    assert json.loads(plan_json(Options()))["probe_sends"] == []


def test_plain_http_goes_through_its_own_proxy(collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []
    with serving(proxy(0, seen)) as gate:
        monkeypatch.setenv("http_proxy", f"127.0.0.1:{gate}")
        step, found = collected.probe("inside.invalid", 80, False)
    assert (step.status, found["phases"]["http"]["status"]) == ("ok", 200)
    assert seen[0].startswith(b"HEAD http://inside.invalid:80/ HTTP/1.1\r\nHost: inside.invalid\r\n")


def test_no_proxy_is_obeyed(collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("no_proxy", "localhost,.acme.example")
    with serving(answering(ANSWER)) as port:
        step, found = collected.probe("localhost", port, False)
    assert (step.status, found["proxy"]) == ("ok", None)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("socks5://127.0.0.1:1", "tcp: a proxy that is spoken to with socks5 is not supported"),
        ("http://127.0.0.1:1", "tcp: Connection refused"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_said(
    collected: Collected, monkeypatch: pytest.MonkeyPatch, setting: str, message: str
) -> None:
    monkeypatch.setenv("https_proxy", setting)
    step, _ = collected.probe("127.0.0.1", 443, True)
    assert (step.status, step.message) == ("error", message)


def test_a_proxy_that_refuses_is_said(collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n")) as gate:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{gate}")
        step, found = collected.probe("127.0.0.1", 443, True)
    assert (step.status, step.message) == ("error", "proxy: the proxy answered HTTP 407")
    assert found["phases"]["proxy"]["status"] == 407


def test_each_endpoint_is_one_step_and_some_run_at_a_time(collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, float]] = []

    def resolve(host: str, *arguments: object) -> None:
        asked.append((host, time.monotonic()))
        time.sleep(0.3)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    begin = time.monotonic()
    probe.run_probes(collected.session, [("cluster URL", "https://gpu.acme.example")])
    assert time.monotonic() - begin < 0.3 * len(asked) / 3
    assert {host for host, _ in asked} == {"gpu.acme.example", *(one.host for one in PROBE_ENDPOINTS)}
    assert {step.status for step in collected.writer.steps} == {"error"}
    assert len(collected.writer.steps) == len(asked)


def test_what_was_excluded_is_not_connected_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "Probe", None)
    collected = Collected(tmp_path, exclude=("path:probes/*",))
    step, found = collected.probe("127.0.0.1", 443, True)
    assert (step.status, found) == ("skipped", {})


def test_a_run_that_ends_waits_for_no_probe(collected: Collected) -> None:
    threading.Timer(0.2, collected.stop.set, ("interrupted", 2)).start()
    begin = time.monotonic()
    with serving(lambda stream: time.sleep(5)) as port:
        step, _ = collected.probe("127.0.0.1", port, True)
    assert time.monotonic() - begin < 0.8
    assert (step.status, step.message) == ("skipped", "interrupted")
    with pytest.raises(StoppedError):
        collected.stop.check()


@pytest.mark.parametrize("wished", [True, False])
def test_a_collection_probes_the_urls_of_its_runaiconfig_when_that_is_wished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wished: bool
) -> None:
    monkeypatch.setattr(endpoints, "PROBE_ENDPOINTS", ())
    seen: list[bytes] = []
    with serving(answering(ANSWER, seen)) as port, site() as server:
        url = f"http://127.0.0.1:{port}/"
        config = {"metadata": {"name": "runai", "namespace": "runai"}, "spec": {"__internal": {"global": {"clusterURL": url}}}}
        server.lists[CUSTOM.path()] = of([config])
        monkeypatch.setattr(plan.Options.__new__, "__defaults__", plan.Options(probe=wished))
        bundle = read_directly(server, tmp_path)
    assert len(seen) == wished
    assert [name for name in bundle.members if name.startswith("probes/")] == [f"probes/127.0.0.1-{port}.json"] * wished
    assert {problem.member for problem in open_bundle(tmp_path / "b.tgz").info.problems} <= {"bundle.json"}  # it has none here
