"""The world of kubectl: kubeconfigs, login plug-ins, proxies, certificates. What works there works here; what fails is a line."""

import datetime
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from tests.cluster import Cluster, certificates
from tests.cluster.certificates import Certificates, make_certificates
from tests.collector.secure_server import secure
from tests.collector.servers import Handler, ok, status

pytestmark = pytest.mark.cluster

COLLECTOR = Path(__file__).parent.parent.parent / "collector"
TOKEN = "pluginTokenQ7xT3vLk9"
VERSION = b'{"kind":"Version","gitVersion":"v1.35.4"}'
# The program with less patience for a login, so that a test need not wait for half a minute.
IMPATIENT = "import sys; from runai_collect import cli, connect; connect.LOGIN_SECONDS = 2.0; sys.exit(cli.main())"
QUICK = ("--no-logs", "--no-exec", "--no-secrets", "--qps", "200")


class Done(NamedTuple):
    """A run of the collector: its exit code, what it said on stderr, and its seconds."""

    code: int
    said: str
    seconds: float

    @property
    def last(self) -> str:
        return self.said.splitlines()[-1]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("keys"), "login")


@pytest.fixture
def kubectl(cluster_binaries: Any) -> Path:
    path: Path = cluster_binaries.kubectl
    return path


def kubeconfig(folder: Path, server: str, authority: Path | None = None, name: str = "config", **user: Any) -> Path:
    cluster: dict[str, Any] = {"server": server}
    if authority is not None:
        cluster["certificate-authority"] = str(authority)
    return write(folder / name, cluster, user, "here")


def write(path: Path, cluster: dict[str, Any], user: dict[str, Any], context: str) -> Path:
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        "current-context": context,
    }
    path.write_text(json.dumps(document))
    return path


def plugin(folder: Path, script: str) -> dict[str, Any]:
    """A login plug-in, as a kubeconfig's user has it. `token N` prints the credentials."""
    path, version = folder / "login.sh", "client.authentication.k8s.io/v1"
    credentials = {"apiVersion": version, "kind": "ExecCredential", "status": {"token": TOKEN}}
    text = json.dumps(credentials).replace(TOKEN, TOKEN + "-$1")
    path.write_text("#!/bin/sh\ntoken() { cat <<END\n" + text + "\nEND\n}\n" + script + "\n")
    path.chmod(0o755)
    return {"exec": {"apiVersion": version, "command": str(path), "interactiveMode": "IfAvailable"}}


def run(folder: Path, kubectl: Path | str, *arguments: str, **environment: str) -> Done:
    surroundings = {
        "PATH": f"{Path(kubectl).parent}:/usr/bin:/bin",
        "HOME": str(folder),
        "PYTHONPATH": str(COLLECTOR),
        "LC_ALL": "C.UTF-8",
        **environment,
    }
    command = [sys.executable, "-c", IMPATIENT, "-o", str(folder / "b.tgz"), *QUICK, *arguments]
    begin = time.monotonic()
    done = subprocess.run(
        command, env=surroundings, cwd=folder, capture_output=True, text=True, timeout=100, start_new_session=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert TOKEN not in done.stdout + done.stderr
    return Done(done.returncode, done.stderr, time.monotonic() - begin)


def unreachable(done: Done, *words: str) -> None:
    """The run ended with one line that has all these words, and no bundle."""
    assert done.code == 3, done.said
    assert done.last.startswith("runai-collect: ")
    for word in words:
        assert re.search(word, done.last), done.last


# What works.


@pytest.mark.parametrize("user", ["token", "plugin", "certificate"])
def test_every_login_of_kubectl_works(tmp_path: Path, kubectl: Path, keys: Certificates, user: str) -> None:
    users = {
        "token": {"token": TOKEN + "-1"},
        "plugin": plugin(tmp_path, "echo 'To sign in, open https://login.example/device' >&2; token 1"),
        "certificate": {"client-certificate": str(keys.server), "client-key": str(keys.server_key)},
    }
    clients = keys.authority if user == "certificate" else None
    with secure(keys, ok(VERSION), clients=clients) as server:
        config = kubeconfig(tmp_path, f"https://127.0.0.1:{server.server_port}", keys.authority, **users[user])
        done = run(tmp_path, kubectl, "--kubeconfig", str(config))
    assert done.code in (0, 1), done.said
    assert len(server.paths) > 20
    if user != "certificate":
        assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {TOKEN}-1"}
    assert ("kubectl: To sign in, open https://login.example/device" in done.said) is (user == "plugin")


def test_a_token_that_ends_midway_is_renewed(tmp_path: Path, kubectl: Path, keys: Certificates) -> None:
    count = f"echo x >> {tmp_path}/runs; token $(wc -l < {tmp_path}/runs | tr -d ' ')"
    with secure(keys, ok(VERSION)) as server:
        config = kubeconfig(tmp_path, f"https://127.0.0.1:{server.server_port}", keys.authority, **plugin(tmp_path, count))

        def answer(handler: Handler) -> None:
            old = handler.headers["Authorization"].endswith("-1") and len(server.paths) > 10
            (status(401, b'{"kind":"Status","message":"Unauthorized"}') if old else ok(VERSION))(handler)

        server.answers = [answer]
        done = run(tmp_path, kubectl, "--kubeconfig", str(config))
    assert done.code in (0, 1), done.said
    assert (tmp_path / "runs").read_text() == "x\nx\n"
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {TOKEN}-{number}" for number in (1, 2)}
    assert server.headers[-1]["Authorization"].endswith("-2")
    assert "Unauthorized" not in done.said


def test_a_plugin_that_asks_for_something_elsewhere_is_waited_for(tmp_path: Path, kubectl: Path, keys: Certificates) -> None:
    """It says where to sign in, and gets the token when the person has done that: longer than the patience for silence."""
    with secure(keys, ok(VERSION)) as server:
        user = plugin(tmp_path, "echo 'open https://login.example and enter ABCD-EFGH' >&2; sleep 5; token 1")
        config = kubeconfig(tmp_path, f"https://127.0.0.1:{server.server_port}", keys.authority, **user)
        done = run(tmp_path, kubectl, "--kubeconfig", str(config))
    assert done.code in (0, 1), done.said
    assert "kubectl: open https://login.example and enter ABCD-EFGH" in done.said


def test_oc_stands_in_for_kubectl(tmp_path: Path, cluster: Cluster) -> None:
    shutil.copy(cluster.binaries.kubectl, tmp_path / "oc")
    done = run(tmp_path, tmp_path / "oc", PATH=f"{tmp_path}:/usr/bin:/bin", KUBECONFIG=str(cluster.kubeconfig()))
    assert done.code == 0, done.said


def test_several_kubeconfigs_are_merged_and_one_may_be_missing(tmp_path: Path, cluster: Cluster) -> None:
    whole = json.loads(cluster.kubeconfig().read_text())
    parts = [dict(whole, users=[]), dict(whole, clusters=[], contexts=[], **{"current-context": ""})]
    paths = [tmp_path / "clusters", tmp_path / "missing", tmp_path / "users"]
    for path, part in zip((paths[0], paths[2]), parts, strict=True):
        path.write_text(json.dumps(part))
    done = run(tmp_path, cluster.binaries.kubectl, KUBECONFIG=os.pathsep.join(map(str, paths)))
    assert done.code == 0, done.said


@pytest.mark.parametrize("context", ["arn:aws:eks:eu-1:0:cluster/prod", "a b'\"$(x)", "-x=é/..", "admin@prod|1"])
def test_a_context_may_have_any_name(tmp_path: Path, cluster: Cluster, context: str) -> None:
    whole = json.loads(cluster.kubeconfig().read_text())
    whole["contexts"][0]["name"] = context
    whole["current-context"] = "another"
    (tmp_path / "config").write_text(json.dumps(whole))
    done = run(tmp_path, cluster.binaries.kubectl, f"--context={context}", KUBECONFIG="config")
    assert done.code == 0, done.said


def test_a_server_under_a_path(tmp_path: Path, kubectl: Path, keys: Certificates) -> None:
    with secure(keys, ok(VERSION)) as server:
        url = f"https://127.0.0.1:{server.server_port}/k8s/clusters/c-m-1"
        done = run(tmp_path, kubectl, "--kubeconfig", str(kubeconfig(tmp_path, url, keys.authority, token="t")))
    assert done.code in (0, 1), done.said
    assert {path.startswith("/k8s/clusters/c-m-1/") for path in server.paths} == {True}
    assert "/k8s/clusters/c-m-1/version" in server.paths


@contextmanager
def tunnels(port: int) -> Iterator[tuple[str, list[str]]]:
    """An HTTP proxy that takes CONNECT, and brings all to one port of this machine; yields its URL and whom it was asked for."""
    listener = socket.create_server(("127.0.0.1", 0))
    asked: list[str] = []

    def relay(client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            asked.append(client.recv(4096).split(b" ")[1].decode())
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    (server if source is client else client).sendall(data)

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=relay, args=(client,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        listener.close()


@pytest.mark.parametrize("by", ["kubeconfig", "environment"])
def test_a_proxy_is_used(tmp_path: Path, cluster: Cluster, by: str) -> None:
    whole = json.loads(cluster.kubeconfig().read_text())
    details = whole["clusters"][0]["cluster"]
    port = int(details["server"].rpartition(":")[2])
    details.update({"server": "https://api.cluster.example:6443", "tls-server-name": "localhost"})
    with tunnels(port) as (url, asked):
        if by == "kubeconfig":
            details["proxy-url"] = url
        (tmp_path / "config").write_text(json.dumps(whole))
        variables = {"HTTPS_PROXY": url} if by == "environment" else {}
        done = run(tmp_path, cluster.binaries.kubectl, KUBECONFIG="config", **variables)
    assert done.code == 0, done.said
    assert set(asked) == {"api.cluster.example:6443"}


# What fails.


PLUGINS = {
    "fails": (
        "echo 'Account locked: call the help desk' >&2; exit 1",
        ["the login failed", "exit code 1", r"plug-in login\.sh, which said: Account locked: call the help desk", "log in, till"],
    ),
    "asks on stdin": (
        "printf 'Password: ' >&2; read -r word || { echo 'no password was given' >&2; exit 3; }; token 1",
        ["the login failed", "exit code 3", "which said: Password: ", "log in, till"],
    ),
    "asks on the terminal": (
        "read -r word < /dev/tty || exit 4; token 1",
        ["the login failed", "exit code", r"which said: .*/dev/tty", "log in, till"],
    ),
    "hangs": ("sleep 60", ["the login failed: no answer in time", r"login plug-in login\.sh", "log in, till"]),
    "prints what is no credential": ("echo hello", ["the login failed", "log in, till"]),
    "answers in another version": (
        "token 1 | sed s,io/v1,io/v1beta1,",
        ["the login failed", "plugin returned version .*v1beta1", "update the older"],
    ),
}


@pytest.mark.parametrize("fault", PLUGINS)
def test_a_plugin_that_gives_no_token(tmp_path: Path, kubectl: Path, fault: str) -> None:
    script, words = PLUGINS[fault]
    done = run(tmp_path, kubectl, "--kubeconfig", str(kubeconfig(tmp_path, "https://127.0.0.1:1", **plugin(tmp_path, script))))
    unreachable(done, *words, "context here, server 127.0.0.1:1")
    assert done.seconds < 15


def test_a_plugin_that_is_slower_than_the_deadline_is_named(tmp_path: Path, kubectl: Path) -> None:
    user = plugin(tmp_path, "echo 'open https://login.example' >&2; sleep 60")
    config = kubeconfig(tmp_path, "https://127.0.0.1:1", **user)
    done = run(tmp_path, kubectl, "--kubeconfig", str(config), "--deadline", "3s")
    unreachable(done, "the login failed: .*deadline", r"login plug-in login\.sh, which said: open https://login\.example")
    assert done.seconds < 15


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"apiVersion": "client.authentication.k8s.io/v1alpha1"}, ["invalid apiVersion .*v1alpha1", "update the older"]),
        ({"command": "no-such-plugin"}, ["the login failed", "no-such-plugin not found", "log in, till"]),
        ({"interactiveMode": "Always"}, ["the login failed", "standard input is not a terminal", "log in, till"]),
    ],
)
def test_a_plugin_that_cannot_be_run(tmp_path: Path, kubectl: Path, fields: dict[str, str], words: list[str]) -> None:
    user = plugin(tmp_path, "token 1")
    user["exec"].update(fields)
    unreachable(run(tmp_path, kubectl, "--kubeconfig", str(kubeconfig(tmp_path, "https://127.0.0.1:1", **user))), *words)


def test_a_token_that_is_not_taken(tmp_path: Path, cluster: Cluster) -> None:
    whole = json.loads(cluster.kubeconfig().read_text())
    whole["users"][0]["user"] = {"token": TOKEN}
    (tmp_path / "config").write_text(json.dumps(whole))
    done = run(tmp_path, cluster.binaries.kubectl, KUBECONFIG="config")
    unreachable(done, "the login failed: Unauthorized", r"context acme-gpu, server 127\.0\.0\.1:\d+", "log in, till")


def expired(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Certificates:
    """Certificates of three weeks ago, for a week."""

    past = SimpleNamespace(now=lambda zone: datetime.datetime.now(zone) - datetime.timedelta(days=21))
    clock = SimpleNamespace(datetime=past, timedelta=datetime.timedelta, UTC=datetime.UTC)
    monkeypatch.setattr(certificates, "datetime", clock)
    return make_certificates(folder, "expired")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("authority", ["unknown authority", "certificate authority"]),
        ("expired", ["expired", "must be renewed, or a clock is wrong"]),
        ("name", [r"valid for 127\.0\.0\.1|doesn't contain any IP SANs|not 127\.0\.0\.2", "certificate authority"]),
        ("no client certificate", ["certificate required", "certificate authority|log in"]),
    ],
)
def test_certificates_that_do_not_fit(
    tmp_path: Path, kubectl: Path, keys: Certificates, monkeypatch: pytest.MonkeyPatch, fault: str, words: list[str]
) -> None:
    served, trusted, address, clients = keys, keys.authority, "127.0.0.1", None
    if fault == "authority":
        trusted = make_certificates(tmp_path, "another").authority
    if fault == "expired":
        served = expired(tmp_path, monkeypatch)
        trusted = served.authority
    if fault == "name":
        address = "127.0.0.2"
    if fault == "no client certificate":
        clients = keys.authority
    with secure(served, ok(VERSION), address, clients) as server:
        config = kubeconfig(tmp_path, f"https://{address}:{server.server_port}", trusted, token=TOKEN)
        done = run(tmp_path, kubectl, "--kubeconfig", str(config))
    unreachable(done, "the cluster cannot be reached", f"server {address}:", *words)
    assert server.paths == []


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ("https://127.0.0.1:1", ["refused", "VPN, firewall and proxy variables"]),
        ("https://no-such-host.invalid:6443", ["lookup no-such-host.invalid", "and DNS"]),
    ],
)
def test_a_server_that_is_not_there(tmp_path: Path, kubectl: Path, server: str, words: list[str]) -> None:
    done = run(tmp_path, kubectl, "--kubeconfig", str(kubeconfig(tmp_path, server, token=TOKEN)))
    unreachable(done, "the cluster cannot be reached", "context here, server " + server.rpartition("/")[2], *words)


def test_a_proxy_that_is_not_there(tmp_path: Path, kubectl: Path) -> None:
    cluster = {"server": "https://a.example", "proxy-url": "http://127.0.0.1:1"}
    path = write(tmp_path / "config", cluster, {"token": TOKEN}, "here")
    unreachable(run(tmp_path, kubectl, "--kubeconfig", str(path)), "proxyconnect", "refused", "proxy variables")


def test_a_page_of_a_load_balancer_is_no_cluster(tmp_path: Path, kubectl: Path, keys: Certificates) -> None:
    with secure(keys, status(503, b"<html>maintenance</html>", "text/html")) as server:
        config = kubeconfig(tmp_path, f"https://127.0.0.1:{server.server_port}", keys.authority, token=TOKEN)
        done = run(tmp_path, kubectl, "--kubeconfig", str(config))
    unreachable(done, "the cluster cannot be reached: HTTP 503, text/html", "VPN, firewall and proxy variables")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ["is a directory"]),
        ("", ["current-context", "with --context NAME"]),
        ("apiVersion: v1\n\tkind: [" + TOKEN, ["the kubeconfig cannot be used", "--kubeconfig FILE"]),
        ("just words " + TOKEN, ["the kubeconfig cannot be used", "--kubeconfig FILE"]),
        ("\x00\x7fELF" + TOKEN, ["the kubeconfig cannot be used", "--kubeconfig FILE"]),
    ],
)
def test_a_kubeconfig_that_cannot_be_used(tmp_path: Path, kubectl: Path, content: str | None, words: list[str]) -> None:
    path = tmp_path / "config"
    if content is None:
        path.mkdir()
    else:
        path.write_text(content)
    unreachable(run(tmp_path, kubectl, "--kubeconfig", str(path)), *words)


def test_a_context_that_is_not_there(tmp_path: Path, kubectl: Path) -> None:
    path = kubeconfig(tmp_path, "https://127.0.0.1:1", token=TOKEN)
    done = run(tmp_path, kubectl, "--kubeconfig", str(path), "--context", "nowhere")
    unreachable(done, "the kubeconfig cannot be used", "nowhere", "with --context NAME")
