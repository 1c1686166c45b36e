"""A server whose answers are small on the wire and large in memory: the collector stays below what it promises."""

from pathlib import Path

import pytest

from tests.collector.fault_server import KINDS, Program, site
from tests.collector.servers import Answer, Handler, ok, status
from tests.collector.test_faults_program import peak_of

PROMISED = 150  # MB, at any size and from any server
LISTS = r"\?limit="
PLURALS = {kind.plural: kind.kind for kind in KINDS}


def many(value: str, count: int) -> bytes:
    return ",".join([value] * count).encode()


def of_its_kind(inner: str, pages: int, single: int) -> Answer:
    """A list of one object with so many values, on a page of many or alone."""

    def answer(handler: Handler) -> None:
        path, _, query = handler.path.partition("?")
        count = single if "limit=1" in query.split("&") else pages
        name = PLURALS[path.rpartition("/")[2]]
        values = ",".join([inner % (number, number) if "%" in inner else inner for number in range(count)])
        start = f'{{"kind":"{name}List","metadata":{{}},"items":[{{"metadata":{{"name":"x"}},"spec":{{"a":['
        handler.reply(200, f"{start}{values}]}}}}]}}".encode())

    return answer


EMPTY = b"[" + many("{}", 1 << 20) + b"]"
ROWS = b"[" + many('{"verbs":["list"]}', 44_000) + b"]"
# Of all answers to paths with the pattern: the answer.
BOMBS: dict[str, tuple[str, Answer]] = {
    "lists of empty objects": (LISTS, ok(b'{"kind":"PodList","metadata":{},"items":' + EMPTY + b"}")),
    "objects of empty objects": (LISTS, of_its_kind("[{},{},{}]", 300_000, 1 << 20)),
    "as many values as are taken": (LISTS, of_its_kind('{"%x":"%x"}', 80_000, 170_000)),
    "a Secret by name": ("/secrets/", ok(b'{"kind":"Secret","metadata":{},"data":{},"x":' + EMPTY + b"}")),
    "discovery": ("^/apis?$", ok(b'{"kind":"APIGroupDiscoveryList","items":' + EMPTY + b"}")),
    "discovery of many kinds": (
        "^/apis?$",
        ok(b'{"kind":"APIGroupDiscoveryList","items":[{"versions":[{"resources":' + ROWS + b"}]}]}"),
    ),
    "a table of Secrets": ("includeObject", ok(b'{"kind":"Table","metadata":{},"rows":' + EMPTY + b"}")),
    "refusals": (LISTS, status(403, b'{"kind":"Status","message":' + EMPTY + b"}")),
}


@pytest.mark.parametrize("what", BOMBS)
def test_no_answer_takes_more_memory_than_is_promised(tmp_path: Path, what: str) -> None:
    pattern, answer = BOMBS[what]
    with site() as server:
        server.fault(pattern, answer, always=True)
        process = Program(server, tmp_path, limits={"attempts": 1}).start("--no-exec", "--no-logs", "--deadline", "60s")
        peak = peak_of(process)
        stdout, stderr = process.communicate(timeout=10)
    assert process.returncode in (0, 1), stdout + stderr
    assert peak < PROMISED, f"{peak} MB"
