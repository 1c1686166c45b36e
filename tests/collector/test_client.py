"""Reads against a server that misbehaves: retries, bounds, pages."""

import contextlib
import json
import socket
import threading
import time
from http.client import HTTPConnection
from urllib.parse import parse_qs, urlsplit

import pytest
from runai_collect.client import AGAIN, LATER, ApiError, Client, Page, SpentError, Stop, StoppedError, Tally
from runai_collect.plan import Limits

from tests.collector.servers import Answer, Handler, cut, cut_chunk, drip, ok, serving, silent, status


def page(names: str, token: str = "") -> bytes:
    return json.dumps(
        {"kind": "List", "metadata": {"continue": token}, "items": [{"metadata": {"name": name}} for name in names]}
    ).encode()


def test_it_says_who_it_is_and_asks_for_no_encoding() -> None:
    with serving(ok()) as server:
        server.client().get("/version", Tally())
    assert server.headers[0]["User-Agent"].startswith("runai-collect/")
    assert "Accept-Encoding" not in server.headers[0]
    assert "Authorization" not in server.headers[0]


def test_one_connection_serves_many_requests() -> None:
    ports: set[int] = set()
    with serving(lambda handler: (ports.add(handler.client_address[1]), handler.reply(200, b"{}"))[0]) as server:
        client = server.client()
        for _ in range(5):
            client.get("/x", Tally())
    assert len(ports) == 1


def test_an_overload_is_waited_out_as_the_server_asks() -> None:
    tally = Tally()
    with serving(status(429, Retry_After="1"), ok()) as server:
        begin = time.monotonic()
        assert server.client().get("/x", tally).status == 200
    assert 0.9 < time.monotonic() - begin < 5
    assert tally.retries == 1


@pytest.mark.parametrize("fault", [cut(b'{"kind":', 1000), cut_chunk(), status(502, b"<html>", "text/html"), status(401)])
def test_what_may_pass_is_tried_again(fault: object) -> None:
    tally = Tally()
    with serving(fault, ok()) as server:  # type: ignore[arg-type]
        assert server.client().get_json("/x", tally)[0] == {"kind": "X"}
    assert tally.retries == 1


@pytest.mark.parametrize(
    ("answer", "state", "code", "message"),
    [
        (status(403, b'{"kind":"Status","message":"pods is forbidden"}'), "forbidden", 403, "pods is forbidden"),
        (status(404), "not_found", 404, "no"),
        (status(400, b"bad", "text/plain"), "error", 400, "bad"),
        (status(503, b"service unavailable", "text/plain", Retry_After="0"), "error", 503, "service unavailable"),
        (status(502, b"<html>secret page</html>", "text/html", Retry_After="0"), "error", 502, "HTTP 502, text/html"),
        (status(504, Retry_After="0"), "timeout", 504, "no"),
    ],
)
def test_what_does_not_pass_is_told_with_the_servers_words(answer: object, state: str, code: int, message: str) -> None:
    with serving(answer) as server, pytest.raises(ApiError) as caught:  # type: ignore[arg-type]
        server.client().get("/x", Tally())
    assert (caught.value.status, caught.value.code, caught.value.message) == (state, code, message)


def test_requests_are_tried_five_times_at_most() -> None:
    with serving(status(429, Retry_After="0")) as server, pytest.raises(ApiError):
        server.client().get("/x", Tally())
    assert len(server.paths) == 5


def test_a_page_of_a_load_balancer_is_no_list_though_it_says_200() -> None:
    answer = ok(b"<html>maintenance</html>", kind="text/html")
    with serving(answer) as server, pytest.raises(ApiError, match="text/html, not JSON"):
        server.client().get_json("/x", Tally())


def test_json_that_is_cut_is_an_error_of_the_answer() -> None:
    with serving(ok(b'{"kind":')) as server, pytest.raises(ApiError, match="not valid JSON"):
        server.client().get_json("/x", Tally())


def test_silence_ends_after_the_timeout() -> None:
    with serving(silent(3)) as server, pytest.raises(ApiError) as caught:
        server.client(request_timeout=0.2).get("/x", Tally())
    assert caught.value.status == "timeout"


def test_a_body_that_drips_ends_though_the_socket_is_never_silent() -> None:
    begin = time.monotonic()
    with serving(drip(0.05, b" " * 200 + b"{}")) as server, pytest.raises(ApiError) as caught:
        server.client(request_total=0.3).get("/x", Tally())
    assert caught.value.status == "timeout"
    assert time.monotonic() - begin < 3


def test_no_answer_is_read_beyond_its_bound() -> None:
    with serving(ok(b" " * 3_000_000)) as server, pytest.raises(ApiError, match="larger than 1 MB"):
        server.client(answer=1 << 20).get("/x", Tally())


def test_pages_follow_the_token_with_a_limit_and_never_a_resource_version() -> None:
    tally = Tally()
    with serving(ok(page("ab", "next")), ok(page("c"))) as server:
        pages = list(server.client().pages("/api/v1/pods", tally))
    assert [[item["metadata"]["name"] for item in one.items] for one in pages] == [["a", "b"], ["c"]]
    assert [parse_qs(urlsplit(path).query) for path in server.paths] == [
        {"limit": ["100"]},
        {"limit": ["200"], "continue": ["next"]},
    ]
    assert (tally.pages, [one.note for one in pages]) == (2, ["", ""])


def test_pages_grow_smaller_when_objects_are_large() -> None:
    big = json.dumps({"kind": "List", "metadata": {"continue": "n"}, "items": [{"x": "y" * 40000}]}).encode()
    with serving(ok(big), ok(page("a"))) as server:
        list(server.client(page_target=25000).pages("/x", Tally()))
    assert [int(parse_qs(urlsplit(path).query)["limit"][0]) for path in server.paths] == [100, 100 * 25000 // len(big)]


def limits(paths: list[str]) -> list[int]:
    return [int(parse_qs(urlsplit(path).query)["limit"][0]) for path in paths]


def test_a_page_beyond_the_bound_is_asked_for_in_smaller_ones_down_to_single_objects() -> None:
    big = ok(b" " * 3_000_000)
    bounds = {"page_target": 300_000, "answer": 1 << 20}
    with serving(big, ok(page("ab"))) as server:
        pages = list(server.client(**bounds).pages("/x", Tally()))
    assert [len(one.items) for one in pages] == [2]
    assert limits(server.paths) == [100, 5]
    with serving(big) as server, pytest.raises(ApiError, match="larger than 1 MB"):
        list(server.client(**bounds).pages("/x", Tally()))
    assert limits(server.paths) == [100, 5, 1]


def test_pages_grow_again_after_large_objects_but_never_beyond_the_limit() -> None:
    large = json.dumps({"kind": "List", "metadata": {"continue": "m"}, "items": [{"x": "y" * 40_000}]}).encode()
    pages = [ok(large)] + [ok(page(name, name)) for name in "abcdefg"] + [ok(page("z"))]
    with serving(*pages) as server:
        list(server.client(page_target=25_000).pages("/x", Tally(), 200))
    assert limits(server.paths) == [100, 62, 124, 200, 200, 200, 200, 200, 200]


def test_a_token_that_comes_back_ends_the_list() -> None:
    tally = Tally()
    with serving(ok(page("a", "same"))) as server, pytest.raises(ApiError, match="same page"):
        list(server.client().pages("/x", tally))
    assert (len(server.paths), tally.pages) == (2, 2)


def test_an_answer_of_another_kind_is_no_page() -> None:
    tally = Tally()
    with serving(ok(page("a"))) as server, pytest.raises(ApiError, match="did not answer with a Table") as caught:
        list(server.client().pages("/x", tally, kind="Table"))
    assert (caught.value.status, tally.pages) == ("error", 0)


def test_when_the_proxy_has_ended_nothing_is_tried_again() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    client = Client(
        lambda timeout: HTTPConnection("127.0.0.1", port, timeout=timeout), Limits(), Stop(), lambda: "kubectl proxy ended: why"
    )
    tally = Tally()
    with pytest.raises(ApiError, match="kubectl proxy ended: why"):
        client.get("/x", tally)
    assert tally.retries == 0


def test_a_stream_that_breaks_is_an_error_of_its_own() -> None:
    with serving(cut(b"line", 1000)) as server, pytest.raises(ApiError, match="the connection broke"):
        list(server.client().stream("/log", Tally(), 1000))


def gone(token: str = "") -> bytes:
    return json.dumps({"kind": "Status", "code": 410, "message": "expired", "metadata": {"continue": token}}).encode()


def names(pages: list[Page]) -> list[str]:
    return [item["metadata"]["name"] for one in pages for item in one.items]


def tokens(paths: list[str]) -> list[str]:
    return [parse_qs(urlsplit(path).query).get("continue", [""])[0] for path in paths]


def test_an_expired_token_is_followed_by_the_one_that_the_server_gives_as_often_as_it_does() -> None:
    answers = [ok(page("a", "old")), status(410, gone("later")), ok(page("b", "old2")), status(410, gone("last")), ok(page("c"))]
    with serving(*answers) as server:
        pages = list(server.client().pages("/x", Tally()))
    assert names(pages) == ["a", "b", "c"]
    assert [one.note for one in pages] == ["", LATER, LATER]
    assert tokens(server.paths) == ["", "old", "later", "old2", "last"]


def test_an_expired_token_without_another_begins_the_list_again_without_what_is_known() -> None:
    with serving(ok(page("ab", "old")), status(410), ok(page("xb", "new")), ok(page("c"))) as server:
        pages = list(server.client().pages("/x", Tally()))
    assert names(pages) == ["a", "b", "x", "c"]
    assert pages[-1].note == AGAIN + "; 1 that came twice were left out"
    assert tokens(server.paths) == ["", "old", "", "new"]


@pytest.mark.parametrize(
    "answers",
    [
        [ok(page("a", "old")), status(410), ok(page("a", "old")), status(410)],
        [ok(page("a", "old")), status(410, gone("n")), status(410, gone("m"))],
        [status(410)],
    ],
    ids=["a second time", "one after the other", "at the first page"],
)
def test_a_list_that_only_expires_ends(answers: list[Answer]) -> None:
    with serving(*answers) as server, pytest.raises(ApiError) as caught:
        list(server.client().pages("/x", Tally()))
    assert caught.value.code == 410
    assert len(server.paths) == len(answers)


def test_objects_of_one_name_in_two_namespaces_are_two_and_odd_ones_are_never_the_same() -> None:
    items = [{"metadata": {"name": "x", "namespace": place}} for place in ("a", "b", "a")] + ["odd", "odd", {}, {}]
    body = json.dumps({"kind": "List", "metadata": {}, "items": items}).encode()
    with serving(ok(body)) as server:
        (only,) = server.client().pages("/x", Tally())
    assert only.items == [*items[:2], *items[3:]]
    assert only.note == "1 that came twice were left out"


def test_a_list_goes_on_where_it_was_left() -> None:
    tally, stop = Tally(), Stop()
    with serving(ok(page("a", "one")), ok(page("b", "two")), ok(page("c"))) as server:
        client = server.client(stop)
        stop.share(60, "", lambda: "its share" if tally.pages >= 2 else "")
        with pytest.raises(SpentError, match="its share"):
            list(client.pages("/x", tally))
        stop.share(60, "", str)
        assert names(list(client.pages("/x", tally))) == ["c"]
    assert tokens(server.paths) == ["", "one", "two", "two"]    # the third was asked for ahead, and then not wanted
    assert tally.pages == 3


def test_the_next_page_is_asked_for_while_this_one_is_looked_through() -> None:
    with serving(ok(page("a", "one")), ok(page("b", "two")), ok(page("c"))) as server:
        pages = server.client().pages("/x", Tally())
        assert names([next(pages)]) == ["a"]
        until = time.monotonic() + 5
        while len(server.paths) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        assert tokens(server.paths) == ["", "one"]
        assert names(list(pages)) == ["b", "c"]
    assert tokens(server.paths) == ["", "one", "two"]


def test_a_connection_with_half_an_answer_in_it_serves_no_other() -> None:
    stop, tally = Stop(), Tally()
    with serving(ok(b"x" * 5_000_000), ok()) as server:
        client = server.client(stop)
        stop.share(60, "", lambda: "its share" if stop is client._stop and server.paths else "")
        with pytest.raises(SpentError):
            client.get("/x", tally)
        stop.share(60, "", str)
        assert client.get("/y", tally).body == b'{"kind":"X"}'
    assert (tally.retries, server.paths) == (0, ["/x", "/y"])


def test_a_stream_ends_at_its_bound() -> None:
    with serving(ok(b"x" * 5_000_000, kind="text/plain")) as server:
        client, tally = server.client(), Tally()
        assert 1_000_000 <= sum(len(part) for part in client.stream("/log", tally, 1_000_000)) < 2_000_000
        assert client.get("/x", tally).status == 200


def busiest(times: list[float], seconds: float) -> int:
    """Return the most requests that came within so many seconds."""
    return max(sum(1 for other in times if 0 <= other - one < seconds) for one in times)


def test_the_pace_is_kept_over_all_threads_and_retries() -> None:
    times: list[float] = []
    overload = status(429, Retry_After="0")
    with serving(lambda handler: (times.append(time.monotonic()), overload(handler))[0]) as server:
        client = server.client(requests_per_second=20)

        def ask() -> None:
            with pytest.raises(ApiError):
                client.get("/x", Tally())

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(times) == 30
    assert busiest(times, 0.95) <= 20
    assert times[-1] - times[0] >= 29 / 20 - 0.05


def test_a_client_with_other_limits_keeps_the_same_pace() -> None:
    times: list[float] = []
    with serving(lambda handler: (times.append(time.monotonic()), handler.reply(200, b"{}"))[0]) as server:
        client = server.client(requests_per_second=5)
        client.bounded(request_timeout=3).get("/version", Tally())
        client.get("/api", Tally())
    assert times[1] - times[0] > 0.19


def dripping_headers(first: bytes, again: bytes) -> Answer:
    def answer(handler: Handler) -> None:
        handler.wfile.write(first)
        with contextlib.suppress(OSError):
            for _ in range(600):
                handler.wfile.write(again)
                time.sleep(0.01)

    return answer


@pytest.mark.parametrize(
    ("first", "again"), [(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), (b"HTTP/1.1 200 OK\r\nX: ", b"x"), (b"HTTP/1.1 ", b"2")]
)
def test_what_drips_before_a_body_ends_too(first: bytes, again: bytes) -> None:
    begin = time.monotonic()
    with serving(dripping_headers(first, again)) as server, pytest.raises(ApiError, match="not complete after") as caught:
        server.client(request_total=1).get("/x", Tally())
    assert caught.value.status == "timeout"
    assert time.monotonic() - begin < 4


def test_headers_that_drip_end_with_the_run() -> None:
    stop = Stop(time.monotonic() + 0.5)
    begin = time.monotonic()
    with serving(dripping_headers(b"", b"HTTP/1.1 100 Continue\r\n\r\n")) as server, pytest.raises(StoppedError):
        server.client(stop).get("/x", Tally())
    assert time.monotonic() - begin < 4


def test_an_overload_slows_every_thread() -> None:
    """The other thread's request is sent only when the time is over that the first one was told to wait."""
    with serving(status(429, Retry_After="1"), ok()) as server:
        client = server.client()
        begin = time.monotonic()
        first = threading.Thread(target=lambda: client.get("/x", Tally()))
        first.start()
        while not server.paths:
            time.sleep(0.01)
        time.sleep(0.1)
        client.get("/y", Tally())
        assert time.monotonic() - begin >= 0.95
        first.join()
    assert sorted(server.paths[1:]) == ["/x", "/y"]


def test_a_server_that_asks_for_a_long_time_is_not_asked_again() -> None:
    with serving(status(429, Retry_After="3600")) as server, pytest.raises(ApiError):
        server.client().get("/x", Tally())
    assert len(server.paths) == 1


def test_silence_ends_with_the_share_of_the_thread() -> None:
    stop = Stop()
    stop.share(0.3, "its share of the deadline", str)
    begin = time.monotonic()
    with serving(silent(3)) as server, pytest.raises(SpentError, match="its share of the deadline"):
        server.client(stop).get("/x", Tally())
    assert time.monotonic() - begin < 2
    threading.Thread(target=stop.check).start()  # another thread has no such bound
    assert stop.reason == ""


def test_a_stopped_run_sends_nothing_more() -> None:
    stop = Stop()
    stop.set("interrupted", 2)
    with serving(ok()) as server, pytest.raises(StoppedError):
        server.client(stop).get("/x", Tally())
    assert server.paths == []


def test_the_deadline_ends_waiting_between_attempts() -> None:
    stop = Stop(time.monotonic() + 0.3)
    begin = time.monotonic()
    with serving(status(429, Retry_After="30")) as server, pytest.raises(StoppedError):
        server.client(stop).get("/x", Tally())
    assert time.monotonic() - begin < 5
    assert stop.reason == "deadline"


def test_the_first_reason_to_stop_stays() -> None:
    stop = Stop()
    stop.set("interrupted", 15)
    stop.set("deadline")
    assert (stop.reason, stop.signal) == ("interrupted", 15)


def test_a_signal_after_the_deadline_is_known_and_changes_no_reason() -> None:
    """The second one then ends the run at once."""
    stop = Stop(time.monotonic() - 1)
    assert stop.is_set()
    stop.set("interrupted", 2)
    assert (stop.reason, stop.signal) == ("deadline", 2)
