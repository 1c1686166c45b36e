"""No text can freeze the redactor: the time that it takes grows as the text does, whatever stands there."""

import re
from typing import Any

import pytest
from runai_collect import blocks, hints, logs, named, names, progress, redact, redact_text, shapes, steps, writer

from tests.collector.hostile import RUNS, around, patterns, texts, too_slow

pytestmark = pytest.mark.fuzz

PATTERNS = {
    name: pattern
    for pattern, name in {
        pattern: f"{module.__name__.rpartition('.')[2]} {name}"
        for module in (hints, redact_text, redact, named, names, blocks, shapes, logs, steps, writer, progress)
        for name, pattern in patterns(module).items()
    }.items()
}
# Patterns that are only tried at one place, behind a name or on a whole value, or on some hundred characters.
ANCHORED = re.compile(
    r"named _(FORMS|VALUE_FIRST|PROSE)|names _(DOUBTFUL|MACHINE_MADE|REFERENCE|OBJECT|OBJECT_NAME|COUNT) |_LOGIN_PAIR|"
    r"_STAMP|SHAPES\[\d+\]\[4\]|blocks _LINE|redact _NAME"
)
# What makes the rules look at a text, in the notations that they know.
BEGINS = (
    "password", "password: ", "password='", 'password="', "password={", "name: password", '"name":"password","value":"', "secret",
    "secret: ", "secrets:\n- ", "api key ", "secret access key: ", "authorization", "authorization: ", "Authorization: Digest a=",
    "Bearer ", "cookie:", "?sig=", "&key=", "a:b@tcp(", "http://u:p@h ",
    "u:p1x2y3@h:80 ", "eyJ", "eyJaaaaaaaa.", "<key>password</key>",
    "<password>", "| password ", "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----\n", "kind: Secret\ndata:\n  a: ",
    '{"kind":"Secret","data":{"', "kind: Secret\n", "password:\n", "password: |\n  ",
    "password \\\n", "password\\n", "password\x1b[",
    "mysql -u a -p", "docker login -p ", "echo aaaa | ", "configure set key", "htpasswd -b ",
    "password is ", "identified by ", "-u ",
    "$6$", "AAAABBBBCCCCDDDDEEEEFFFF", "a:80:a:a:", "value: a name: password", "\uff50assword",
    "wandb login ", "--password ", "[",
    '{"a":"', "password=\\", "user-key --from-literal=",
)  # fmt: skip


@pytest.mark.parametrize("name", PATTERNS)
def test_no_pattern_takes_longer_than_its_text_grows(name: str) -> None:
    pattern: re.Pattern[Any] = PATTERNS[name]

    def work(text: str) -> None:
        subject: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8")
        pattern.match(subject)
        pattern.fullmatch(subject)
        if not ANCHORED.search(name):
            pattern.sub(subject[:0], subject)

    assert too_slow(work, texts(pattern), 0.006) == []


def everything(text: str) -> None:
    """All ways into the redactor."""
    redact_text.redact_text(text)
    redact_text.redact_line(text.replace("\n", " "))
    writer.find_shapes(text.encode())
    logs.clean_log(text, 0, 10**9, 1 << 16)
    spec = {
        "secret": text,
        "token": [text],
        text: "x",
        "env": [{"name": "password", "value": text}, {"name": text, "value": "x"}],
    }
    container = {"args": ["--password", text, "-p"], "command": text.split(" ")}
    redact.redact_object(
        {"kind": "Pod", "metadata": {"annotations": {"x/auth-secret": text, "a": text}}, "spec": spec, "c": container}
    )


@pytest.mark.parametrize("begin", BEGINS)
def test_no_text_takes_longer_than_it_grows(begin: str) -> None:
    assert too_slow(everything, around(begin, RUNS[::2]), 0.25, 8000) == []
