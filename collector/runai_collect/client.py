"""API paths → answers and pages, with retries and bounds: the one place that sends requests to it. Only GET is ever
sent. Connections: a Unix socket here, else ``port`` or ``inpod``."""

import http.client
import io
import json
import random
import socket
import sys
import threading
import time
from array import array
from contextlib import ExitStack, suppress
from copy import copy
from typing import AbstractSet, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union, cast
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
SINGLE = 2 << 20                # bytes of an answer that is no page of a list: a Secret has 1 MiB at most
REFUSAL = 64 << 10              # and of one that is an error: its status alone is taken of a longer one
LONGEST_WAIT = 60               # seconds that a server may ask us to wait; one that asks for more is taken at its word: no
LATER = "the list changed while it was read: the later pages are of a later moment"
BROKE = "the connection broke before the answer was complete"
AGAIN = "the place in the list was lost while it was read: it was read once more from its start"


Written = Callable[[Dict[str, Any]], str]


class StoppedError(Exception):
    """The run is to end: Ctrl-C, a signal or the deadline."""


class SpentError(StoppedError):
    """What the calling thread does has had its share of the time or of the bundle, in words; the run goes on."""


class UnreachableError(Exception):
    """No cluster, no login or no kubectl: there is nothing to collect. The text is for the person who ran the collector."""


class ApiError(Exception):
    """A request that failed for good. ``status`` is one of the manifest's statuses; ``code`` the HTTP code or None."""

    def __init__(self, status: str, message: str, code: Optional[int] = None, body: bytes = b"") -> None:
        super().__init__(message)
        self.status, self.message, self.code, self.body = status, message, code, body


class TooLargeError(ApiError):
    """An answer beyond the bound."""


class Answer(NamedTuple):
    """A whole answer of the API server, whatever its status."""

    status: int
    headers: Dict[str, str]         # names in lower case
    body: bytes


class Page(NamedTuple):
    """One page of a list: the decoded objects, what a reader should know of it ("" = nothing), and all of the answer. Of a long
    list ``written`` returns the line of an object in which nothing is to be hidden, "" when something may be."""

    items: List[Dict[str, Any]]
    note: str
    document: Dict[str, Any]
    written: Optional[Written]


class Tally:
    """What one step has cost and brought so far; the step reports it also when it fails half-way. A list goes on at ``token``."""

    objects = pages = bytes = retries = 0
    lost, left_out = 0, False       # objects of an odd shape or that could not be redacted; whether a wish left something out
    seconds, token, note = 0.0, "", ""
    expired_at, twice = -1, 0       # the number of pages at which the token expired; objects that came a second time
    before: AbstractSet[int] = frozenset()      # what was known when the list had to be read again

    def __init__(self) -> None:
        self.known = array("q")     # eight bytes for each object of a list


class Stop:
    """The one signal that ends a run early. The first reason given stays; ``moment`` is a time of ``time.monotonic``."""

    def __init__(self, moment: float = float("inf")) -> None:
        self._over = False      # no Event: a signal handler may not wait for the lock that its own thread holds
        self._moment, self._mine = moment, threading.local()
        self.reason, self.signal = "", 0

    def set(self, reason: str, number: int = 0) -> None:
        """End the run for a reason: ``interrupted``, ``deadline`` or ``size-limit``."""
        if not self._over:
            self.reason = reason
        self._over, self.signal = True, self.signal or number

    def share(self, seconds: float, why: str, spent: Callable[[], str]) -> None:
        """Bound what the calling thread does from now on: to a time, which then was its ``why``, and till ``spent`` says why."""
        self._mine.until, self._mine.why, self._mine.spent = time.monotonic() + seconds, why, spent

    def left(self, own: bool = True) -> float:
        """Return the seconds that are left to the run, or to the calling thread's own share of it."""
        until = getattr(self._mine, "until", self._moment) if own else self._moment
        return float(min(self._moment, until) - time.monotonic())

    def check(self) -> None:
        """Raise StoppedError when the run is to end, SpentError when the calling thread's share of it has."""
        if self.left(False) <= 0:
            self.set("deadline")
        if self._over:
            raise StoppedError(self.reason)
        why = self._mine.why if self.left() <= 0 else getattr(self._mine, "spent", str)()
        if why:
            raise SpentError(why)

    def is_set(self) -> bool:
        """Return whether the run is to end."""
        with suppress(StoppedError):
            self.check()
            return False
        return True

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


class Watched:
    """What comes on a socket, with something that is called before each wait, and may raise. Without it a server that sends ever
    more of a head, or ever another "100 Continue", is never silent and never done."""

    def __init__(self, raw: Any, before: Callable[[], None]) -> None:
        self._raw, self._before = raw, before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def readinto(self, buffer: Any) -> Any:
        """Read what is there."""
        self._before()
        return self._raw.readinto(buffer)


Connect = Callable[[float], http.client.HTTPConnection]


class Client:
    """Reads of one API server through connections that ``connect(timeout)`` makes: one a thread, kept open."""

    def __init__(self, connect: Connect, limits: Limits, stop: Stop, describe_failure: Callable[[], str] = lambda: "") -> None:
        self._connect, self._limits, self._stop, self._describe_failure = connect, limits, stop, describe_failure
        self._local, self._lock = threading.local(), threading.Lock()
        self._next = [0.0]      # when the next request may be sent
        self.refused: Dict[str, ApiError] = {}          # paths of lists that are known to be refused: they are not asked again
        self._turns = threading.BoundedSemaphore(2)     # pages that are decoded at a time: each takes ten times its bytes
        self._alone = threading.Lock()                  # a page of one object may be a hundred times as large as others

    def bounded(self, **limits: Any) -> "Client":
        """Return this client with other limits; both keep one pace."""
        other = copy(self)
        other._limits = self._limits._replace(**limits)
        return other

    def get(self, path: str, tally: Tally, accept: str = JSON, most: int = 0) -> Answer:
        """Return the answer to a GET, of ``most`` bytes or the limit's, once it is neither an overload nor a broken connection.
        Raises ApiError for what stayed broken and for every status from 400 on; StoppedError when the run is to end."""
        return cast(Answer, self._with_retries(path, accept, tally, most or self._limits.answer))

    def get_json(self, path: str, tally: Tally, accept: str = JSON, most: int = SINGLE) -> Tuple[Dict[str, Any], Answer]:
        """Return a decoded JSON object and the answer it came in. Raises ApiError also when the answer is something else."""
        answer = self.get(path, tally, accept, most)
        return decode(answer, min(most // 24, self._limits.values)), answer

    def pages(self, path: str, tally: Tally, size: int = 0, accept: str = JSON,
              parameters: Tuple[Tuple[str, str], ...] = (), kind: str = "") -> Iterator[Page]:
        """Yield the pages of a list from ``tally.token`` on, smaller ones when the objects are large; what comes twice is left
        out. Raises as ``get``, and when an answer is not of the ``kind`` that was asked for: who asks for Pods must not be
        handed Secrets.
        Never ``resourceVersion=0``: with it servers ignore the limit and send the whole list at once (seen on 1.20 and 1.36)."""
        if path in self.refused:
            raise self.refused[path]
        most = size or self._limits.page
        limit = min(most, self._limits.first_page)
        while True:
            request = _page_path(path, limit, parameters, tally.token)
            with ExitStack() as held:
                held.enter_context(self._alone if limit == 1 else ExitStack())
                try:
                    answer = self.get(request, tally, accept, 2 * self._limits.page_target * (limit > 1))
                    held.enter_context(self._turns)
                    held.enter_context(self._turns if limit == 1 else ExitStack())      # both
                    load, written = json.loads, None  # type: Callable[[str], Any], Optional[Written]
                    if tally.pages:         # a list that goes on for many pages is worth the means
                        from .items import Items
                        load, written = Items.pair()
                    document = decode(answer, self._limits.values * (1 + (limit == 1)), load)
                except TooLargeError:
                    if limit == 1:
                        raise
                    limit = max(1, limit // 20)
                    continue
                except ApiError as error:
                    if error.code != 410 or not _goes_on(tally, _next_token(error)):
                        raise
                    continue
                taken = len(answer.body)
                token = (document.get("metadata") or {}).get("continue") or ""
                del answer
                limit = max(1, min(most, 2 * limit, limit * self._limits.page_target // max(1, taken)))
                if token not in ("", tally.token) and limit > 1:
                    self._send_ahead(_page_path(path, limit, parameters, token), accept)
                yield _page(document, kind, tally, taken, written)
                del document, load, written
            if not token:
                return
            if token == tally.token:
                raise ApiError("error", "the server gives the same page again and again")
            tally.token = token

    def stream(self, path: str, tally: Tally, most: int) -> Iterator[bytes]:
        """Yield the parts of an answer, at most ``most`` bytes. Raises as ``get``; retried only before the first part."""
        response, until = cast(http.client.HTTPResponse, self._with_retries(path, "*/*", tally, 0)), tally.bytes + most
        try:
            for part in self._parts(response, sys.maxsize):
                tally.bytes += len(part)
                yield part
                if tally.bytes >= until:
                    self.close()
                    return
        except BaseException as error:      # also when nobody wants the rest
            raise self._failed(error)

    def _with_retries(self, path: str, accept: str, tally: Tally, most: int) -> Union[Answer, http.client.HTTPResponse]:
        """Return a whole answer of ``most`` bytes, or when that is 0 one whose body is still to be read. Raises ApiError."""
        for attempt in range(self._limits.attempts):
            last = attempt == self._limits.attempts - 1
            delay = 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)     # noqa: S311 - threads that failed together part
            try:
                answer = self._once(path, accept, most)
            except ApiError as error:
                if last or error.status == "timeout" or isinstance(error, TooLargeError) or self._describe_failure():
                    raise
            else:
                wait = _retry_after(answer, attempt, delay) if isinstance(answer, Answer) else None
                if wait is None or last:
                    if isinstance(answer, Answer) and answer.status >= 400:
                        raise _refusal(answer)
                    return answer
                delay = wait
                if answer.status == 429:        # nothing is sent, on no thread
                    with self._lock:
                        self._next[0] = max(self._next[0], time.monotonic() + delay)
            tally.retries += 1
            self._stop.wait(delay)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, path: str, accept: str, most: int) -> Union[Answer, http.client.HTTPResponse]:
        try:
            if getattr(self._local, "ahead", "") != path:
                self._send(path, accept)
            self._local.ahead, self._local.begin = "", time.monotonic()
            response = cast(http.client.HTTPResponse, self._local.connection.getresponse())
            if not most and response.status < 400:
                return response
            try:
                body = b"".join(self._parts(response, REFUSAL if response.status >= 400 else most))
            except TooLargeError:
                if response.status < 400:
                    raise
                body = b""
            return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, body)
        except BaseException as error:
            raise self._failed(error)

    def _send_ahead(self, path: str, accept: str) -> None:
        """Send the request for the next page already now: the server makes it while this one is looked through."""
        try:
            self._send(path, accept)
            self._local.ahead = path
        except (OSError, http.client.HTTPException, StoppedError):
            self.close()        # whoever asks next sends anew, and is told

    def _failed(self, error: BaseException) -> BaseException:
        """Return what to raise. A connection with half an answer in it serves no other."""
        self.close()
        if not isinstance(error, (OSError, http.client.HTTPException)):
            return error
        self._stop.check()
        if isinstance(error, socket.timeout):
            return ApiError("timeout", "no answer in time")
        broke = isinstance(error, http.client.HTTPException)
        return ApiError("error", self._describe_failure() or (BROKE if broke else str(error)))

    def _send(self, path: str, accept: str) -> None:
        """Send a request on the calling thread's connection. What was sent ahead on it, and is not wanted, is lost."""
        self.pace()
        if getattr(self._local, "ahead", ""):
            self.close()
        connection = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = self._connect(self._patience())
        if connection.sock is None:
            connection.connect()
        self._local.socket, connection.response_class = connection.sock, self._response
        # Without an Accept-Encoding of ours kubectl asks for gzip on the wire and hands over plain bytes.
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.putheader("Accept", accept)
        connection.putheader("User-Agent", USER_AGENT)
        connection.endheaders()

    def _response(self, sock: Any, **options: Any) -> http.client.HTTPResponse:
        response = http.client.HTTPResponse(sock, **options)
        raw = Watched(response.fp.detach(), self._before_read)
        response.fp = io.BufferedReader(cast(io.RawIOBase, raw))
        return response

    def _before_read(self) -> None:
        self._stop.check()
        if time.monotonic() - self._local.begin > self._limits.request_total:
            raise ApiError("timeout", "the answer was not complete after %d seconds" % self._limits.request_total)
        self._local.socket.settimeout(self._patience())

    def _patience(self) -> float:
        return min(self._limits.request_timeout, max(0.05, self._stop.left()))

    def _parts(self, response: http.client.HTTPResponse, most: int) -> Iterator[bytes]:
        taken, expected = 0, response.length
        for part in iter(lambda: response.read1(1 << 18), b""):
            taken += len(part)
            yield part
            if taken > most:
                raise TooLargeError("error", "the answer is larger than %d MB" % (most >> 20))
        if expected is not None and taken < expected:
            raise http.client.IncompleteRead(b"", expected - taken)
        # read1 does not notice the end by itself, and the connection then refuses the next request (3.6 to 3.13).
        response.close()

    def close(self) -> None:
        """Close the calling thread's connection; the next request opens another."""
        connection = getattr(self._local, "connection", None)
        self._local.connection, self._local.ahead = None, ""
        if connection is not None:
            connection.close()

    def pace(self, count: int = 1) -> None:
        """Wait for this thread's turn to send: however many threads there are, and however often they try again, requests are
        never closer to each other than the limit says. Of ``count`` that come at once the next is as much later."""
        while True:
            self._stop.check()
            with self._lock:
                now = time.monotonic()
                wait = self._next[0] - now
                if wait <= 0:
                    self._next[0] = now + count / self._limits.requests_per_second
                    return
            time.sleep(min(wait, 0.05))


def _goes_on(tally: Tally, token: str) -> bool:
    """Return whether a list whose token expired can be read on, and set where: at the token that came instead, of a later
    moment, or once at the start again."""
    if tally.expired_at == tally.pages or not (token or tally.token) or (not token and tally.before):
        return False
    tally.expired_at, tally.token, tally.note = tally.pages, token, LATER if token else AGAIN
    tally.before = tally.before if token else frozenset(tally.known)
    return True


def _page(document: Dict[str, Any], kind: str, tally: Tally, size: int, written: Optional[Written]) -> Page:
    items = document.get("items") or document.get("rows") or []
    if (kind and document.get("kind") != kind) or not isinstance(items, list):
        raise ApiError("error", "the server did not answer with a %s" % (kind or "list"))
    tally.pages += 1
    tally.bytes += size
    fresh: List[Dict[str, Any]] = []
    here = {0}
    for item in items:
        key = _identity(item)
        if key is None or not (key in here or key in tally.before):
            fresh.append(item)
        here.add(key or 0)
    tally.known.extend(here)
    tally.twice += len(items) - len(fresh)
    twice = "%d that came twice were left out" % tally.twice if tally.twice else ""
    return Page(fresh, "; ".join([words for words in (tally.note, twice) if words]), document, written)


def _identity(item: Any) -> Optional[int]:
    """Return a number for an object's uid or name, or for a table row's; None when it has neither."""
    with suppress(AttributeError, KeyError, TypeError):
        metadata = item.get("metadata") or {}
        name = metadata.get("uid") or metadata.get("name") or (item.get("cells") or [None])[0]
        return hash("%s/%s" % (metadata.get("namespace"), name)) if name else None
    return None


def _page_path(path: str, limit: int, parameters: Tuple[Tuple[str, str], ...], token: str) -> str:
    return path + "?" + urlencode((("limit", str(limit)),) + parameters + ((("continue", token),) if token else ()))


def _retry_after(answer: Answer, attempt: int, delay: float) -> Optional[float]:
    """Return how long to wait before the same request is sent again: as the server asks, else ``delay``. None when its answer
    stands."""
    if answer.status not in (401, 429, 500, 502, 503, 504):
        return None
    asked = answer.headers.get("retry-after", "")
    if asked.isdigit():
        return float(asked) if float(asked) <= LONGEST_WAIT else None
    if answer.status == 429:
        return delay
    # A dead aggregated API stays dead (503), a login plug-in renews a token once (401), a failed health check is an answer (500).
    most = {401: 1, 500: 1}.get(answer.status, 2)
    return delay if attempt < most and not answer.body.startswith(b"[+]") else None


_STATUSES = {401: "forbidden", 403: "forbidden", 404: "not_found", 405: "not_found", 408: "timeout", 504: "timeout"}


def _refusal(answer: Answer) -> ApiError:
    return ApiError(_STATUSES.get(answer.status, "error"), _message(answer), answer.status, answer.body)


def _message(answer: Answer) -> str:
    """Return the server's words, bounded; of an answer that is no Status only its type and first words."""
    with suppress(ApiError):
        message = decode(answer, REFUSAL).get("message")
        if isinstance(message, str) and message:
            return message[:500]
    kind = answer.headers.get("content-type", "").split(";")[0]
    text = " ".join(answer.body[:300].decode("utf-8", "replace").split()) if kind == "text/plain" else ""
    return text or "HTTP %d, %s" % (answer.status, kind or "no content type")


def values_of(data: bytes) -> int:
    """Return how many values JSON has, or more: what it takes in memory goes by these, and is up to a hundred times its bytes."""
    return sum([data.count(mark) for mark in (b",", b"[", b"{")])


def decode(answer: Answer, most: int, load: Callable[[str], Any] = json.loads) -> Dict[str, Any]:
    """Return the JSON object of an answer. Raises ApiError when it is none, TooLargeError when it holds more than ``most``."""
    kind = answer.headers.get("content-type", "").split(";")[0]
    if kind != JSON:
        raise ApiError("error", "the answer is %s, not JSON" % (kind or "of no known type"), answer.status)
    if values_of(answer.body) > most:
        raise TooLargeError("error", "the answer has more than %d values" % most, answer.status)
    try:
        document = load(answer.body.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ApiError("error", "the answer is not valid JSON (%s)" % type(error).__name__, answer.status)
    if not isinstance(document, dict):
        raise ApiError("error", "the answer is JSON, but not an object", answer.status)
    return document


def _next_token(error: ApiError) -> str:
    with suppress(ValueError, KeyError, TypeError):
        return str(json.loads(error.body.decode("utf-8"))["metadata"]["continue"] or "")
    return ""
