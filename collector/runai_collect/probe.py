"""--probe: how the machine on which the collector runs reaches what Run:ai needs: name, TCP, proxy, TLS, HTTP. What is sent to
each endpoint says ``endpoints.PROBE_SENDS``, and it is nothing else."""

import base64
import http.client
import socket
import ssl
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Dict, Iterator, List, Optional, Tuple
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from . import layout
from .client import USER_AGENT, Tally
from .endpoints import PROBE_CONNECT, PROBE_HEAD, Endpoint, Note, choose
from .redact_text import redact_text
from .steps import Label, Outcome, Session
from .summary import counted

Facts = Dict[str, Any]
_UNKNOWN_NAME = (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))


def run_probes(session: Session, found: List[Note]) -> None:
    """Probe what the objects of Run:ai and its release name."""
    endpoints = choose(found, session.limits.probes)
    session.part("; ".join(["Probing %s from here" % counted(len(endpoints), "endpoint")] + proxies()))
    session.parallel([partial(_step, session, one) for one in endpoints], session.limits.probe_workers)


def _step(session: Session, endpoint: Endpoint) -> None:
    name = "%s:%d" % endpoint[:2]
    label = Label("probe:" + name, "%s %s://%s/" % (PROBE_HEAD, "https" if endpoint.tls else "http", name), "host")
    session.do(label, partial(_look, session, endpoint, "%s%s.json" % (layout.PROBES, name.replace(":", "-")), label.id))


def _look(session: Session, endpoint: Endpoint, member: str, step: str, tally: Tally) -> Outcome:
    """Probe in a thread that is left behind when it takes too long: a resolver knows no timeout, and a server may drip."""
    left_out = session.filter.path(member)
    if left_out:
        return "skipped", left_out
    probe, until = Probe(endpoint, session.limits.probe_timeout), time.monotonic() + session.limits.probe_total
    thread = threading.Thread(target=probe.run, daemon=True)
    thread.start()
    try:
        while thread.is_alive() and time.monotonic() < until:
            thread.join(0.05)
            session.stop.check()
        status, message, document = _told(probe, session.limits.probe_total)
    finally:
        probe.give_up()
    session.writer.add_json(member, document, step)
    tally.objects = 1
    return status, message


def _told(probe: "Probe", total: float) -> Tuple[str, str, Facts]:
    status, words = probe.ended or ("timeout", "no answer within %g seconds" % total)
    message = words if status == "ok" else "%s: %s" % (probe.phase, words)
    return status, message, dict(probe.endpoint._asdict(), status=status, message=message, proxy=probe.proxy_words,
                                 proxy_login=probe.proxy_login, phases=dict(reversed(probe.phases[:])))     # the first counts


class Probe:
    """One attempt. Its ``phases`` grow as they end, also badly; ``phase`` is the one that runs; ``ended`` is a step's outcome."""

    def __init__(self, endpoint: Endpoint, timeout: float) -> None:
        self.endpoint = endpoint
        self.phase = ""
        self.phases: List[Tuple[str, Facts]] = []
        self.ended: Optional[Tuple[str, str]] = None
        self.distrust = ""
        self._given_up, self._stream = False, None  # type: bool, Optional[socket.socket]
        self._timeout = timeout
        self._proxy = _proxy(endpoint)
        self.proxy_words = self._proxy and _place(self._proxy)
        self.proxy_login = bool(_login(self._proxy))        # whether it stands in the proxy's URL, and was sent to it

    def run(self) -> None:
        """Go through all phases, or up to the one that fails."""
        try:
            try:
                with self._phase("name") as facts:
                    found = socket.getaddrinfo(self.endpoint.host, self.endpoint.port, 0, socket.SOCK_STREAM)
                    facts["addresses"] = sorted({str(info[4][0]) for info in found})
            except OSError:
                if not self._proxy:     # which may know names that this machine does not
                    raise
            stream = self._open()
            if self.endpoint.tls:
                with self._phase("tls") as facts:
                    stream = self._tls(stream, facts)
            with self._phase("http") as facts:
                self._http(stream, facts)
            self.ended = "ok", self.distrust
        except Exception as error:  # noqa: BLE001 - whatever it was, it is what was to be found out
            self.ended = _words(error)
        finally:
            if self._stream:
                self._stream.close()

    def give_up(self) -> None:
        """End what still runs: a server that drips would keep a thread and its socket for ever."""
        self._given_up = True
        with suppress(OSError):
            if self._stream:
                socket.socket.shutdown(self._stream, socket.SHUT_RDWR)

    @contextmanager
    def _phase(self, name: str) -> Iterator[Facts]:
        facts, begin, before = {}, time.monotonic(), self.phase  # type: Facts, float, str
        self.phase = name
        try:
            yield facts
            self.phase = before
        except Exception as error:
            facts["error"] = _words(error)[1]
            raise
        finally:
            self.phases.append((name, dict(facts, seconds=round(time.monotonic() - begin, 3))))

    def _open(self) -> socket.socket:
        """Connect to the endpoint, or to the proxy and through it."""
        with self._phase("tcp") as facts:
            if self._proxy and self._proxy.scheme != "http":
                raise OSError("a proxy that is spoken to with %s is not supported" % self._proxy.scheme)
            place = (self._proxy.hostname or "", self._proxy.port or 80) if self._proxy else self.endpoint[:2]
            stream = self._stream = socket.create_connection(place, self._timeout)
            if self._given_up:
                raise OSError("it took too long to get there")
            facts["address"] = stream.getpeername()[0]
        if self._proxy and self.endpoint.tls:
            with self._phase("proxy") as facts:
                target = "%s:%d" % (_bracketed(self.endpoint.host), self.endpoint.port)
                if _ask(stream, PROBE_CONNECT, target, target, _login(self._proxy), facts).status != 200:
                    raise OSError("the proxy answered HTTP %d" % facts["status"])
        return stream

    def _tls(self, stream: socket.socket, facts: Facts) -> ssl.SSLSocket:
        """Shake hands as somebody who checks, and when that fails once more as somebody who does not, to see what is served."""
        context = ssl.create_default_context()
        try:
            wrapped = self._handshake(context, stream)
        except (ssl.SSLError, ssl.CertificateError) as error:
            self.distrust = "this machine does not trust it: " + _words(error)[1]
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            wrapped = self._handshake(context, self._open())
        facts.update(trusted=not self.distrust, version=wrapped.version())
        facts["chain"], facts["chain_is"] = _chain(wrapped)
        return wrapped

    def _handshake(self, context: ssl.SSLContext, stream: socket.socket) -> ssl.SSLSocket:
        wrapped = self._stream = context.wrap_socket(stream, server_hostname=self.endpoint.host, do_handshake_on_connect=False)
        try:
            wrapped.do_handshake()
        except BaseException:
            wrapped.close()
            raise
        return wrapped

    def _http(self, stream: socket.socket, facts: Facts) -> None:
        through = self._proxy if not self.endpoint.tls else None
        host = _bracketed(self.endpoint.host)
        target = "http://%s:%d/" % (host, self.endpoint.port) if through else "/"
        answer = _ask(stream, PROBE_HEAD, target, host, _login(through), facts)
        facts["server"] = _cleaned(answer.getheader("Server"))
        location = urlsplit(answer.getheader("Location") or "")
        facts["redirect"] = _cleaned(location._replace(netloc=location.netloc.rpartition("@")[2], query="", fragment="").geturl())


def _proxy(endpoint: Endpoint) -> Optional[SplitResult]:
    """Return the proxy that the settings of this machine name for an endpoint."""
    return None if proxy_bypass(endpoint.host) else _named("https" if endpoint.tls else "http")


def proxies() -> List[str]:
    """Return through which proxies the settings of this machine lead, for a person."""
    named = [(scheme, _named(scheme)) for scheme in ("http", "https")]
    return ["%s through %s%s" % (scheme, _place(proxy), " with the name and password that stand in its URL" * bool(_login(proxy)))
            for scheme, proxy in named if proxy]


def _named(scheme: str) -> Optional[SplitResult]:
    address = getproxies().get(scheme, "")
    return urlsplit(address if "://" in address else "http://" + address) if address else None


def _place(proxy: SplitResult) -> str:
    try:
        return "%s://%s:%d" % (proxy.scheme, proxy.hostname, proxy.port or 80)
    except ValueError:
        return "an address that is none"


def _login(proxy: Optional[SplitResult]) -> str:
    """Return the header for a proxy whose URL holds a name and a password, which is kept nowhere."""
    if not proxy or proxy.username is None:
        return ""
    pair = "%s:%s" % (unquote(proxy.username), unquote(proxy.password or ""))
    return "Proxy-Authorization: Basic %s\r\n" % base64.b64encode(pair.encode("utf-8")).decode("ascii")


def _ask(stream: socket.socket, method: str, target: str, host: str, more: str, facts: Facts) -> http.client.HTTPResponse:
    request = "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: %s\r\n%s\r\n" % (method, target, host, USER_AGENT, more)
    stream.sendall(request.encode("ascii"))
    answer = http.client.HTTPResponse(stream, method=method)
    answer.fp = _Bounded(answer.fp)  # type: ignore[assignment]
    answer.begin()
    facts["status"] = answer.status
    return answer


class _Bounded:
    """The file of an answer, of which so many bytes are read: of its head, and of each "100 Continue" before it."""

    def __init__(self, file: Any) -> None:
        self._file, self._left = file, 64 << 10

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def readline(self, most: int) -> bytes:
        """Return a line. Raises HTTPException when it was the last that is read."""
        line = self._file.readline(min(most, self._left + 1))  # type: bytes
        self._left -= len(line)
        if self._left < 0:
            raise http.client.LineTooLong("head")
        return line


def _chain(stream: ssl.SSLSocket) -> Tuple[List[str], str]:
    """Return the certificates that were served as PEM, and how much that is: Python tells the whole chain from 3.10 on."""
    teller = stream if hasattr(stream, "get_unverified_chain") else getattr(stream, "_sslobj", None)  # type: Any
    if hasattr(teller, "get_unverified_chain"):
        served = teller.get_unverified_chain() or []
        return [ssl.DER_cert_to_PEM_cert(one) if isinstance(one, bytes) else one.public_bytes() for one in served], "as served"
    leaf = stream.getpeercert(True)
    return [ssl.DER_cert_to_PEM_cert(leaf)] if leaf else [], "the first certificate alone: this Python tells no more"


def _words(error: BaseException) -> Tuple[str, str]:
    """Return the status of a step and what went wrong, in words."""
    if isinstance(error, socket.gaierror):
        return ("not_found" if error.errno in _UNKNOWN_NAME else "error"), "the name does not resolve (%s)" % error.strerror
    if isinstance(error, socket.timeout) or "timed out" in str(error):
        return "timeout", "no answer in time"
    if isinstance(error, http.client.HTTPException):
        return "error", "the answer is no HTTP (%s)" % type(error).__name__
    verdict = getattr(error, "verify_message", "") or getattr(error, "reason", "") or getattr(error, "strerror", "") or str(error)
    return "error", _cleaned(verdict) or type(error).__name__


def _cleaned(text: object) -> str:
    return redact_text(str(text or "")[:300])[0]


def _bracketed(host: str) -> str:
    return "[%s]" % host if ":" in host else host
