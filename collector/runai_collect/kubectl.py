"""The customer's kubectl or oc: a read-only proxy on a private socket, and exec. The one place that starts a process."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from .client import Client, Stop, UnixConnection, UnreachableError
from .plan import KUBECTL_CONFIG, KUBECTL_EXEC, KUBECTL_PROXY, Limits
from .redact_text import redact_text

_KLOG = re.compile(r"[EWIF]\d{4} \d\d:")
STDERR_BYTES = 64 << 10
FIRST_EXEC = 5.0                # seconds that others wait for the first, which finds out what is served: the cache then has it
Tell = Callable[[str], None]
# Ends what outlives the collector when that is killed (its pipe then ends), on any system: process groups, and the folder.
_WATCHDOG = """
import contextlib, os, shutil, signal, sys
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
for group in groups:
    with contextlib.suppress(OSError):
        getattr(os, "killpg", os.kill)(group, getattr(signal, "SIGKILL", signal.SIGTERM))
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


class Ran(NamedTuple):
    """How a process ended. ``code`` is None when it had to be ended: ``timed_out``, or ``cut`` because it printed too much."""

    code: Optional[int]
    stdout: bytes
    stderr: bytes
    seconds: float
    timed_out: bool
    cut: bool


class Config(NamedTuple):
    """What the kubeconfig says of the context in use. No credentials."""

    cluster: str
    context: str
    namespace: str
    server_path: str                # "" for nearly all; Rancher and some gateways serve under a path
    server: str = ""                # host:port of the API server
    plugin: str = ""                # the program that logs in, when one does


class Kubectl:
    """The customer's kubectl or oc: a read-only proxy, and exec. Use as a context manager: nothing of it outlives the block, but
    what a login plug-in starts in a session of its own."""

    def __init__(self, program: str, kubeconfig: str, context: str, limits: Limits, stop: Stop, say: Tell) -> None:
        self._argv = [program] + ["--kubeconfig=" + kubeconfig] * bool(kubeconfig) + ["--context=" + context] * bool(context)
        self._kubeconfig, self._limits, self._stop, self._say = kubeconfig, limits, stop, say
        self._process = self._watchdog = None  # type: Optional[subprocess.Popen[bytes]]
        self._over, self._ready, self._served = threading.Event(), threading.Event(), threading.Event()
        self._first = threading.Lock()      # whoever takes it is first, and keeps it
        self._client = Client(self._connect, limits, stop, self._failure)
        self._said = "no reason given"
        self.heard = ""         # the last words of a login plug-in
        # The prefix is that of the paths which the proxy serves, where it listens on a port: nobody else knows it.
        self._folder = self._port = self._prefix = ""

    def __enter__(self) -> "Kubectl":
        # The path of a Unix socket has about 100 bytes at most.
        long = hasattr(socket, "AF_UNIX") and len(tempfile.gettempdir()) >= 70
        self._folder = tempfile.mkdtemp(prefix="runai-collect-", dir="/tmp" if long else None)  # noqa: S108
        self._argv.append("--cache-dir=" + os.path.join(self._folder, "cache"))
        self._watchdog = subprocess.Popen([sys.executable, "-ISc", _WATCHDOG, self._folder], stdin=subprocess.PIPE,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.end()
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._watchdog is not None:
            self._watchdog.communicate()

    def config(self) -> Config:
        """Return the context in use. Raises UnreachableError when the kubeconfig cannot be read or holds no such context."""
        ran = run_bounded(self._argv + list(KUBECTL_CONFIG), 30.0, 1 << 20, self._stop, self._tell)
        said = ran.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2].strip()
        why = missing_files(self._kubeconfig) or said[:500] or "kubectl gave no answer in 30 seconds"
        if ran.code == 0:
            why = "kubectl config view gave no JSON"
            with suppress(ValueError, AttributeError, TypeError, IndexError):
                return read_config(json.loads(ran.stdout.decode("utf-8", "replace")))
        raise UnreachableError("the kubeconfig cannot be used: " + why)

    def start(self, server_path: str) -> Client:
        """Start the proxy and return a client on it. Raises UnreachableError when it does not come up."""
        listen = ["--unix-socket=" + os.path.join(self._folder, "api.sock")]
        if not hasattr(socket, "AF_UNIX"):
            from .port import listen_on_port
            self._prefix, listen = listen_on_port(self._say)
        argv = self._argv + list(KUBECTL_PROXY) + listen + ["--append-server-path=true"] * bool(server_path)
        process = self._process = _begin(argv, self._tell)
        end_with_the_run(self._stop, self._over, self.end)
        for stream, hear in ((process.stdout, self._hear_ready), (process.stderr, self._hear)):
            threading.Thread(target=_listen, args=(stream, hear), daemon=True).start()
        begin = time.monotonic()
        while not self._ready.wait(0.1):
            self._stop.check()
            if process.poll() is not None or time.monotonic() - begin > 30:
                raise UnreachableError("kubectl proxy did not start: " + self._said)
        return self._client

    def exec(self, namespace: str, pod: str, container: str, argv: Tuple[str, ...]) -> Ran:
        """Run a program in a container, without a shell, terminal or input. Bounded in time and output."""
        places = {"NAMESPACE": namespace, "POD": pod, "CONTAINER": container}
        command = self._argv + [places.get(part, part) for part in KUBECTL_EXEC] + list(argv)
        first = self._first.acquire(False) or not self._served.wait(FIRST_EXEC)
        self._client.pace(4 if first else 2)       # requests: what is served (two, since Kubernetes 1.26), the pod, exec
        try:
            return run_bounded(command, self._limits.exec_timeout, self._limits.exec_output, self._stop, self._tell)
        finally:
            self._served.set()

    def end(self) -> None:
        """End the proxy, so that every read on it ends too. May be called more than once, and from any thread."""
        if self._process is not None:
            _end(self._process, self._tell)

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        if self._prefix:
            from .port import PrefixConnection
            return PrefixConnection(self._port, self._prefix, timeout)
        return UnixConnection(os.path.join(self._folder, "api.sock"), timeout)

    def _tell(self, line: str) -> None:
        """Tell the watchdog of a group that began ("+5") or ended ("-5")."""
        pipe = self._watchdog and self._watchdog.stdin
        with suppress(OSError, ValueError):     # somebody ended it, or all is over
            os.write(pipe.fileno() if pipe else -1, (line + "\n").encode("ascii"))

    def _hear(self, line: str) -> None:
        # A login plug-in may say here where to sign in: the person must see it, but no token. kubectl's own log lines are for
        # the error message alone.
        self._said = line = redact_text(line)[0]
        if not _KLOG.match(line):
            self.heard = line
            self._say("kubectl: " + line)

    def _hear_ready(self, line: str) -> None:
        self._port = line.rpartition(":")[2]
        self._ready.set()

    def _failure(self) -> str:
        ended = self._process is not None and self._process.poll() is not None
        return "kubectl proxy ended: " + self._said if ended else ""


def end_with_the_run(stop: Stop, over: threading.Event, end: Callable[[], None]) -> None:
    """Call ``end`` as soon as the run is to end: nothing else wakes a thread in a read on which nothing comes."""
    def watch() -> None:
        while not over.wait(0.05):
            if stop.is_set():
                end()
    threading.Thread(target=watch, daemon=True).start()


def missing_files(wanted: str) -> str:
    """Return that the kubeconfig does not exist where kubectl looks for it, "" when one does."""
    named = wanted or os.environ.get("KUBECONFIG", "") or os.path.join(os.path.expanduser("~"), ".kube", "config")
    files = [wanted] if wanted else [name for name in named.split(os.pathsep) if name]
    return "" if any(os.path.exists(name) for name in files) else "%s does not exist" % " and ".join(files or [named])


def read_config(document: Dict[str, Any]) -> Config:
    """Return what `kubectl config view --minify -o json` says, in which credentials do not stand."""
    context, cluster, user = [(document.get(name) or [{}])[0] for name in ("contexts", "clusters", "users")]
    details = context.get("context") or {}
    server = urlsplit((cluster.get("cluster") or {}).get("server") or "")
    plugin = os.path.basename(((user.get("user") or {}).get("exec") or {}).get("command") or "")
    return Config(details.get("cluster") or "cluster", context.get("name") or "", details.get("namespace") or "",
                  server.path.rstrip("/"), server.netloc.rpartition("@")[2], plugin)


def run_bounded(argv: List[str], timeout: float, most: int, stop: Stop, tell: Tell = lambda line: None) -> Ran:
    """Run a program without input; its process group is ended at the timeout, past ``most`` bytes, or when ``stop`` says so."""
    process, begin = _begin(argv, tell), time.monotonic()
    stdout, stderr, full = bytearray(), bytearray(), threading.Event()
    readers = [threading.Thread(target=_read_bounded, args=(stream, output, bound, full), daemon=True)
               for stream, output, bound in ((process.stdout, stdout, most), (process.stderr, stderr, STDERR_BYTES))]
    for reader in readers:
        reader.start()
    while process.poll() is None and not (full.is_set() or stop.is_set() or time.monotonic() - begin > timeout):
        time.sleep(0.02)
    code = process.poll()
    timed_out = code is None and not full.is_set()
    _end(process, tell)
    for reader in readers:
        reader.join(2.0)
    stop.check()
    return Ran(code, bytes(stdout[:most]), bytes(stderr), time.monotonic() - begin, timed_out, full.is_set())


def _begin(argv: List[str], tell: Tell) -> "subprocess.Popen[bytes]":
    """Start a process that has no input (kubectl asks for a user name otherwise) and its own group (Ctrl-C does not reach it).
    Raises UnreachableError when it cannot be run."""
    try:
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True, creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0))
    except OSError as error:
        raise UnreachableError("%s cannot be run: %s" % (argv[0], error.strerror))
    tell("+%d" % process.pid)
    return process


def _read_bounded(stream: Any, output: bytearray, most: int, full: threading.Event) -> None:
    for part in iter(lambda: stream.read1(65536), b""):
        output.extend(part)
        if len(output) > most:
            full.set()
            return


def _listen(stream: Any, hear: Callable[[str], None]) -> None:
    """Hear each line that is not empty, of a long one its begin."""
    begins = True
    for part in iter(lambda: stream.readline(4096), b""):
        text = part.decode("utf-8", "replace").strip()
        if text and begins:
            hear(text[:500])
        begins = part.endswith(b"\n")


def _end(process: "subprocess.Popen[bytes]", tell: Tell) -> None:
    """End a process that leads its own group, and the group with it."""
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if process.poll() is None:
            try:
                os.killpg(process.pid, number)
            except (OSError, AttributeError):       # Windows has no groups to end
                process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(2.0)
    tell("-%d" % process.pid)
