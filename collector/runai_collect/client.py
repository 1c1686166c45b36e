"""API paths → answers and pages, with retries and bounds: the one place that opens a socket. Only GET is ever sent."""

import http.client
import json
import socket
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union, cast
from urllib.parse import urlencode

from . import __version__
from .plan import Limits

USER_AGENT = "runai-collect/" + __version__
JSON = "application/json"
# The fallback must stand at the end: a server that knows no aggregated discovery answers 406 to the first two alone (1.20.2).
DISCOVERY = ("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
             "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json")
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"


class StoppedError(Exception):
    """The run is to end: Ctrl-C, a signal or the deadline."""


class UnreachableError(Exception):
    """No cluster, no login or no kubectl: there is nothing to collect. The text is for the person who ran the collector."""


class ApiError(Exception):
    """A request that failed for good. ``status`` is one of the manifest's statuses; ``code`` the HTTP code or None."""

    def __init__(self, status: str, message: str, code: Optional[int] = None, body: bytes = b"") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.body = body


class TooLargeError(ApiError):
    """An answer beyond the bound."""


class Answer(NamedTuple):
    """A whole answer of the API server, whatever its status."""

    status: int
    headers: Dict[str, str]         # names in lower case
    body: bytes


class Page(NamedTuple):
    """One page of a list: the decoded objects, what a reader should know of it ("" = nothing), and all of the answer."""

    items: List[Dict[str, Any]]
    note: str
    document: Dict[str, Any]


class Tally:
    """What one step has cost and brought so far; the step reports it also when it fails half-way."""

    def __init__(self) -> None:
        self.objects = 0
        self.pages = 0
        self.bytes = 0
        self.retries = 0


class Stop:
    """The one signal that ends a run early. The first reason given stays; ``moment`` is a time of ``time.monotonic``, or None."""

    def __init__(self, moment: Optional[float] = None) -> None:
        self._over = False      # no Event: a signal handler may not wait for the lock that its own thread holds
        self._moment = moment
        self.reason = ""
        self.signal = 0

    def set(self, reason: str, number: int = 0) -> None:
        """End the run for a reason: ``interrupted``, ``deadline`` or ``size-limit``."""
        if not self._over:
            self.reason, self.signal = reason, number
        self._over = True

    def check(self) -> None:
        """Raise StoppedError when the run is to end."""
        if self._moment is not None and time.monotonic() >= self._moment:
            self.set("deadline")
        if self._over:
            raise StoppedError(self.reason)

    def is_set(self) -> bool:
        """Return whether the run is to end."""
        try:
            self.check()
        except StoppedError:
            return True
        return False

    def wait(self, seconds: float) -> None:
        """Sleep, but no longer than till the run is to end; then raise StoppedError."""
        until = time.monotonic() + seconds
        self.check()
        while time.monotonic() < until:
            time.sleep(min(0.05, max(0.0, until - time.monotonic())))
            self.check()


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


Connect = Callable[[float], http.client.HTTPConnection]


class Client:
    """Reads of one API server through connections that ``connect(timeout)`` makes: one a thread, kept open."""

    def __init__(self, connect: Connect, limits: Limits, stop: Stop, describe_failure: Callable[[], str] = lambda: "") -> None:
        self._connect = connect
        self._limits = limits
        self._stop = stop
        self._describe_failure = describe_failure
        self._local = threading.local()
        self._lock = threading.Lock()
        self._next = 0.0

    def get(self, path: str, tally: Tally, accept: str = JSON) -> Answer:
        """Return the answer to a GET, once it is neither an overload nor a broken connection.
        Raises ApiError for what stayed broken and for every status from 400 on; StoppedError when the run is to end."""
        answer = self._with_retries(path, accept, tally, True)
        assert isinstance(answer, Answer)
        if answer.status >= 400:
            raise _refusal(answer)
        return answer

    def get_json(self, path: str, tally: Tally, accept: str = JSON) -> Tuple[Dict[str, Any], Answer]:
        """Return a decoded JSON object and the answer it came in. Raises ApiError also when the answer is something else."""
        answer = self.get(path, tally, accept)
        return _decode(answer), answer

    def pages(self, path: str, tally: Tally, size: int = 0, accept: str = JSON,
              parameters: Tuple[Tuple[str, str], ...] = (), kind: str = "") -> Iterator[Page]:
        """Yield the pages of a list, smaller ones when the objects are large. Raises as ``get``, and when an answer is not of
        the ``kind`` that was asked for: who asks for Pods must not be handed Secrets.
        Never ``resourceVersion=0``: with it servers ignore the limit and send the whole list at once (seen on 1.20 and 1.36)."""
        limit = size or self._limits.page
        token, note, cut = "", "", False
        while True:
            query = (("limit", str(limit)),) + parameters + ((("continue", token),) if token else ())
            try:
                document, answer = self.get_json(path + "?" + urlencode(query), tally, accept)
            except TooLargeError:
                if cut or limit == 1:
                    raise
                cut, limit = True, max(1, limit // 20)      # no object is larger than 2 MB
                continue
            except ApiError as error:
                # An expired token comes with one to go on with: the rest of the list is then of a later moment.
                token = _next_token(error)
                if error.code != 410 or not token or note:
                    raise
                note = "the list changed while it was read: the later pages are of a later moment"
                continue
            if kind and document.get("kind") != kind:
                raise ApiError("error", "the server did not answer with a %s" % kind)
            items = document.get("items") or document.get("rows") or []
            before = token
            tally.pages += 1
            tally.bytes += len(answer.body)
            token = (document.get("metadata") or {}).get("continue") or ""
            yield Page(items, note, document)
            if not token:
                return
            if token == before:
                raise ApiError("error", "the server gives the same page again and again")
            if len(answer.body) > self._limits.page_target:
                limit = max(1, limit * self._limits.page_target // len(answer.body))

    def stream(self, path: str, tally: Tally, most: int) -> Iterator[bytes]:
        """Yield the parts of an answer, at most ``most`` bytes. Raises as ``get``; retried only before the first part."""
        response = self._with_retries(path, "*/*", tally, False)
        if isinstance(response, Answer):
            raise _refusal(response)
        taken = 0
        try:
            for part in self._parts(response):
                taken += len(part)
                tally.bytes += len(part)
                yield part
                if taken >= most:
                    self.close()
                    return
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(error)

    def _with_retries(self, path: str, accept: str, tally: Tally, whole: bool) -> Union[Answer, http.client.HTTPResponse]:
        for attempt in range(self._limits.attempts):
            last = attempt == self._limits.attempts - 1
            try:
                answer = self._once(path, accept, whole)
            except ApiError as error:
                if last or error.status == "timeout" or isinstance(error, TooLargeError) or self._describe_failure():
                    raise
                delay = 2.0 ** (attempt - 1)
            else:
                wait = _retry_after(answer, attempt) if isinstance(answer, Answer) else None
                if wait is None or last:
                    return answer
                delay = wait
            tally.retries += 1
            self._stop.wait(delay)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, path: str, accept: str, whole: bool) -> Union[Answer, http.client.HTTPResponse]:
        self._pace()
        try:
            response = self._send(path, accept)
            headers = {name.lower(): value for name, value in response.getheaders()}
            if not whole and response.status < 400:
                return response
            return Answer(response.status, headers, b"".join(self._parts(response)))
        except (OSError, http.client.HTTPException) as error:
            raise self._failed(error)

    def _failed(self, error: Exception) -> ApiError:
        self.close()
        self._stop.check()
        return _broken(error, self._describe_failure())

    def _send(self, path: str, accept: str) -> http.client.HTTPResponse:
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect(self._limits.request_timeout)
        # Without an Accept-Encoding of ours kubectl asks for gzip on the wire and hands over plain bytes.
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.putheader("Accept", accept)
        connection.putheader("User-Agent", USER_AGENT)
        connection.endheaders()
        return cast(http.client.HTTPResponse, connection.getresponse())

    def _parts(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        begin, taken = time.monotonic(), 0
        expected = response.length
        while True:
            self._stop.check()
            part = response.read1(1 << 18)
            if not part:
                break
            taken += len(part)
            yield part
            if taken > self._limits.answer:
                self.close()
                raise TooLargeError("error", "the answer is larger than %d MB" % (self._limits.answer >> 20))
            if time.monotonic() - begin > self._limits.request_total:
                self.close()
                raise ApiError("timeout", "the answer was not complete after %d seconds" % self._limits.request_total)
        if expected is not None and taken < expected:
            raise http.client.IncompleteRead(b"", expected - taken)
        # read1 does not notice the end by itself, and the connection then refuses the next request (3.6 to 3.13).
        response.close()

    def close(self) -> None:
        """Close the calling thread's connection; the next request opens another."""
        connection = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None:
            connection.close()

    def _pace(self) -> None:
        with self._lock:
            now = time.monotonic()
            wait = self._next - now
            self._next = max(now, self._next) + 1.0 / self._limits.requests_per_second
        if wait > 0:
            self._stop.wait(wait)
        self._stop.check()


def _broken(error: Exception, detail: str) -> ApiError:
    if isinstance(error, socket.timeout):
        return ApiError("timeout", "no answer in time")
    reason = "the connection broke before the answer was complete" if isinstance(error, http.client.HTTPException) else str(error)
    return ApiError("error", detail or reason)


def _retry_after(answer: Answer, attempt: int) -> Optional[float]:
    """Return how long to wait before the same request is sent again, None when its answer stands."""
    if answer.status not in (401, 429, 500, 502, 503, 504):
        return None
    asked = answer.headers.get("retry-after", "")
    if answer.status == 429 or asked.isdigit():
        return min(30.0, float(asked)) if asked.isdigit() else 2.0 ** (attempt - 1)
    # A dead aggregated API stays dead (503), a login plug-in renews a token once (401), a failed health check is an answer (500).
    most = {401: 1, 500: 1}.get(answer.status, 2)
    return 2.0 ** (attempt - 1) if attempt < most and not answer.body.startswith(b"[+]") else None


_STATUSES = {401: "forbidden", 403: "forbidden", 404: "not_found", 405: "not_found", 408: "timeout", 504: "timeout"}


def _refusal(answer: Answer) -> ApiError:
    return ApiError(_STATUSES.get(answer.status, "error"), _message(answer), answer.status, answer.body)


def _message(answer: Answer) -> str:
    """Return the server's words, bounded; of an answer that is no Status only its type and first words."""
    kind = answer.headers.get("content-type", "").split(";")[0]
    if kind == JSON:
        try:
            message = json.loads(answer.body.decode("utf-8")).get("message")
            if isinstance(message, str) and message:
                return message[:500]
        except (ValueError, AttributeError):
            pass
    text = " ".join(answer.body[:300].decode("utf-8", "replace").split()) if kind == "text/plain" else ""
    return text or "HTTP %d, %s" % (answer.status, kind or "no content type")


def _decode(answer: Answer) -> Dict[str, Any]:
    kind = answer.headers.get("content-type", "").split(";")[0]
    if kind != JSON:
        raise ApiError("error", "the answer is %s, not JSON" % (kind or "of no known type"), answer.status)
    try:
        document = json.loads(answer.body.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ApiError("error", "the answer is not valid JSON (%s)" % type(error).__name__, answer.status)
    if not isinstance(document, dict):
        raise ApiError("error", "the answer is JSON, but not an object", answer.status)
    return document


def _next_token(error: ApiError) -> str:
    try:
        token = json.loads(error.body.decode("utf-8"))["metadata"]["continue"]
    except (ValueError, KeyError, TypeError):
        return ""
    return token if isinstance(token, str) else ""
