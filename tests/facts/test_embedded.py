"""What ConfigMaps hold as YAML or JSON: read where a path leads there, bounded, and unknown with the reason elsewhere."""

import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from runai_analyze.facts.embedded import Parsed, read_embedded
from runai_analyze.model import Unknown
from runai_analyze.objects.paths import ABSENT, compile_path
from runai_analyze.rules_cli import main

from .helpers import configmap, item_of

CONFIG = """\
server:
  port: 8080
  hosts: [a.example, b.example]
limits: {cpu: 500m, 1: one, true: yes}
since: 2026-01-01
time: 1:30
mode: 0644
rate: 1e3
"""


def value(body: Any, path: str) -> object:
    return compile_path(path).one(body)


def test_a_path_leads_into_yaml() -> None:
    body = item_of("ConfigMap", configmap("a", "c", **{"config.yaml": CONFIG}))
    assert value(body, 'facts.parsed["config.yaml"].server.port') == 8080
    assert compile_path('facts.parsed["config.yaml"].server.hosts[*]').values(body) == ["a.example", "b.example"]
    assert value(body, 'facts.parsed["config.yaml"].server.nothing') is ABSENT
    assert value(body, 'facts.parsed["other.yaml"].server') is ABSENT


def test_a_path_leads_into_json() -> None:
    body = item_of("ConfigMap", configmap("a", "c", **{"x.json": '{"a": [{"b": "c"}]}'}))
    assert value(body, 'facts.parsed["x.json"].a[0].b') == "c"


def test_values_are_typed_as_kubernetes_types_them() -> None:
    assert read_embedded(CONFIG) == {
        "server": {"port": 8080, "hosts": ["a.example", "b.example"]},
        "limits": {"cpu": "500m", "1": "one", "true": True},
        "since": "2026-01-01",
        "time": "1:30",
        "mode": 0o644,
        "rate": 1000.0,
    }


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("just words", "it is plain text"),
        ("", "it is plain text"),
        ("a: [1, 2", "line 2: did not find expected ',' or ']'"),
        ("a: b: c", "line 1: mapping values are not allowed in this context"),
        ("a: 1\n---\nb: 2\n", "it holds several documents"),
        ("a: &x [1]\nb: *x\n", "it uses YAML's aliases"),
        ("a: !!python/object:os.system x\n", "it uses YAML's tags"),
        ("a: !secret x\n", "it uses YAML's tags"),
        ("[" * 200 + "]" * 200, "it nests more than 100 levels deep"),
        ("- " * 200 + "a", "it nests more than 100 levels deep"),
        ("x: " + "y" * 300_000, "it is longer than 256 KiB"),
        ('{"x": "' + "y" * 1_100_000 + '"}', "it is longer than 1024 KiB"),
        ("- 1\n" * 60_000, "it holds more than 50000 values"),
        ("a: \x01", "unacceptable character #x0001: control characters are not allowed"),
        ("a: " + "9" * 5000, "it holds a number that is too long"),
    ],
)
def test_says_why_not(content: str, why: str) -> None:
    assert read_embedded(content) == why


def test_a_bomb_costs_nothing() -> None:
    steps = zip("abcdefgh", "bcdefghi", strict=True)
    bomb = "a: &a [x, x]\n" + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in steps)
    start = time.perf_counter()
    assert read_embedded(bomb) == "it uses YAML's aliases"
    assert time.perf_counter() - start < 0.1


def test_what_cannot_be_read_is_unknown_with_the_reason() -> None:
    body = item_of("ConfigMap", configmap("a", "c", script="echo hello"))
    found = value(body, "facts.parsed.script.port")
    assert isinstance(found, Unknown)
    assert found.missing.what == "what script of ConfigMap a/c says"
    assert found.missing.reason == "it cannot be read as YAML or JSON: it is plain text"


def test_what_was_hidden_is_unknown() -> None:
    body = item_of("ConfigMap", configmap("a", "c", whole="«redacted:token»", part="password: «redacted:password»\nport: 1\n"))
    whole = value(body, "facts.parsed.whole.x")
    assert isinstance(whole, Unknown)
    assert whole.missing.reason == "the value was hidden by the collector"
    assert value(body, "facts.parsed.part.port") == 1
    assert isinstance(value(body, "facts.parsed.part.password.x"), Unknown)


def test_nothing_is_read_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr("runai_analyze.facts.embedded.read_embedded", lambda content: read.append(content) or {})
    parsed = Parsed("a/c", {"one": "x", "two": "y"}, {})
    assert (list(parsed), len(parsed), "one" in parsed) == (["one", "two"], 2, True)
    read.clear()
    assert (parsed.get("two"), parsed.get("two"), parsed.get("three")) == ({}, {}, None)
    assert read == ["y"]


def test_binary_data_is_unknown_and_missing_data_too() -> None:
    body = item_of("ConfigMap", {**configmap("a", "c"), "binaryData": {"x": "AAAA"}})
    found = value(body, "facts.parsed.x.y")
    assert isinstance(found, Unknown)
    assert found.missing.reason == "it is binary"


RULE = """\
id: ACME-CFG-001
title: The server listens on another port
severity: high
area: runai
status: stable
revision: 1
changed: 2026-11-30
owner: runai
for_each: {kind: ConfigMap, namespace: runai, name: server}
expect:
  - {field: 'facts.parsed["config.yaml"].server.port', equals: 8080}
message: 'The port is {{ facts.parsed["config.yaml"].server.port }}'
fix: {text: set it to 8080}
examples:
  - name: another
    given: [{kind: ConfigMap, metadata: {namespace: runai, name: server}, data: {config.yaml: "server: {port: 9090}"}}]
    result: fail
    message_contains: The port is 9090
  - name: right
    given: [{kind: ConfigMap, metadata: {namespace: runai, name: server}, data: {config.yaml: "server: {port: 8080}"}}]
    result: pass
  - name: plain text
    given: [{kind: ConfigMap, metadata: {namespace: runai, name: server}, data: {config.yaml: "no yaml"}}]
    result: unknown
"""
PACK = 'name: acme\nversion: 1\nengine: ">=0.1"\nchangelog: [first rules]\n'


def test_a_rule_can_look_into_a_configmap(tmp_path: Path) -> None:
    (tmp_path / "runai").mkdir()
    (tmp_path / "pack.yaml").write_text(PACK)
    (tmp_path / "runai" / "ACME-CFG-001.yaml").write_text(RULE)
    result = CliRunner().invoke(main, ["test", str(tmp_path)])
    assert (result.exit_code, "3 examples ok" in result.output) == (0, True), result.output
