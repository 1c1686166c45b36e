"""Where secrets stand in a cluster: each place puts a name and a value, or a line of text, into an object or a log, and gives
back what the redactor makes of it. Beside them: the corpora, and random values for their placeholders."""

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import yaml
from runai_collect.logs import clean_log
from runai_collect.redact import redact_object

from tests.plant_values import Value

CORPORA = Path(__file__).parent / "corpora"
SECTIONS = ("values", "names", "texts")
STAMP = "2026-11-30T12:00:00.000000000Z "
ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "U": string.ascii_uppercase + "234567",
    "L": string.ascii_letters,
    "H": "0123456789abcdef",
    "D": string.digits,
    "B": string.ascii_letters + string.digits + "+/",
}
_HOLE = re.compile(r"\{([AULHDB])(\d+)\}")


@dataclass(frozen=True)
class Row:
    """One row of a corpus. ``name`` is empty for a text, and for a value that is known by its form."""

    id: str
    name: str
    template: str

    def filled(self, dice: random.Random) -> Value:
        """The text with random characters for its placeholders; those of eight and more are what must not be seen."""
        made: list[str] = []

        def fill(match: "re.Match[str]") -> str:
            alphabet, count = ALPHABETS[match[1]], int(match[2])
            made.append(_random(dice, alphabet, count))
            return made[-1]

        text = _HOLE.sub(fill, self.template)
        return Value(text, tuple(piece for piece in made if len(piece) >= 8))


def _random(dice: random.Random, alphabet: str, count: int) -> str:
    """Random characters of each sort that the alphabet has, as every key of this length has them."""
    sorts = [sort for sort in (string.ascii_lowercase, string.ascii_uppercase, string.digits) if set(sort) & set(alphabet)]
    while True:
        text = "".join(dice.choices(alphabet, k=count))
        if count < 8 or (all(set(sort) & set(text) for sort in sorts) and re.search("[A-Za-z0-9]{8}", text)):
            return text


def rows(corpus: str, section: str) -> list[Row]:
    data = yaml.safe_load((CORPORA / f"{corpus}.yaml").read_text("utf-8"))[section]
    return [Row(name, name if section == "names" else "", value) for name, value in data.items()]


def dumped(value: dict[str, Any]) -> str:
    return json.dumps(redact_object(value)[0], ensure_ascii=False)


def pod(**fields: Any) -> str:
    return dumped({"kind": "Pod", "spec": {"containers": [{"name": "main", "image": "i:1", **fields}]}})


def config(text: str) -> str:
    return dumped({"kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"settings": text}})


def custom(**spec: Any) -> str:
    return dumped({"apiVersion": "run.ai/v1", "kind": "TrainingWorkload", "metadata": {"name": "t"}, "spec": spec})


def log(*lines: str) -> str:
    text = "".join(STAMP + line + "\n" for line in "\n".join(["started", *lines, "done"]).split("\n"))
    cleaned = clean_log(text, 0, 10**9, 1 << 16)[0]
    assert cleaned.count("\n") == text.count("\n")
    return cleaned


def based(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def option(name: str) -> str:
    return "--" + re.sub("([a-z])([A-Z])", r"\1-\2", name).lower().replace("_", "-").replace(".", "-")


# A name and a value.
NAMED: dict[str, Callable[[str, str], str]] = {
    "env list": lambda name, value: pod(env=[{"name": "A", "value": "b"}, {"name": name, "value": value}]),
    "env map": lambda name, value: custom(environmentVariables={"items": {name: {"value": value}}}),
    "plain env map": lambda name, value: custom(env={name: value}),
    "args with =": lambda name, value: pod(args=["serve", f"{option(name)}={value}", "--port=80"]),
    "args apart": lambda name, value: pod(args=["serve", option(name), value, "--port", "80"]),
    "args behind the command": lambda name, value: pod(command=["serve", option(name)], args=[value, "--port=80"]),
    "annotation": lambda name, value: dumped({"kind": "Service", "metadata": {"annotations": {f"example.com/{name}": value}}}),
    "shell in an annotation": lambda name, value: dumped(
        {"kind": "Service", "metadata": {"annotations": {"example.com/command": f"{name}={value} run --now"}}}
    ),
    "label": lambda name, value: dumped({"kind": "Service", "metadata": {"labels": {name: value}}}),
    "ConfigMap key": lambda name, value: dumped({"kind": "ConfigMap", "data": {name: value}}),
    "YAML": lambda name, value: config(f"db:\n  user: app\n  {name}: {json.dumps(value, ensure_ascii=False)}\n  port: 5432\n"),
    "YAML list of pairs": lambda name, value: config(
        f"env:\n- name: {name}\n  value: {json.dumps(value)}\n- name: A\n  value: b\n"
    ),
    "JSON": lambda name, value: config(json.dumps({"db": {"user": "app", name: value, "port": 1}}, ensure_ascii=False)),
    "pretty JSON": lambda name, value: config(
        "# v1\n" + json.dumps({"db": {name: value, "port": 1}}, indent=2, ensure_ascii=False)
    ),
    "INI": lambda name, value: config(f"[db]\nuser = app\n{name} = {value}\nport = 1\n"),
    "properties": lambda name, value: config(f"db.user=app\n{name}={value}\ndb.port=1\n"),
    "TOML": lambda name, value: config(f'[db]\nuser = "app"\n{name} = {json.dumps(value)}\nport = 1\n'),
    "shell": lambda name, value: config(f"#!/bin/sh\nset -e\nexport {name}={quote(value)}\nexec run\n"),
    "XML": lambda name, value: config(
        f"<property>\n  <name>{name}</name>\n  <value>{escape(value)}</value>\n</property>\n<x>1</x>\n"
    ),
    "XML attribute": lambda name, value: config(f'<add key="{name}" value={quoteattr(value)} />\n<x/>\n'),
    "base64 of YAML": lambda name, value: config("blob: " + based(f"user: app\n{name}: {value}\n") + "\n"),
    "base64 of JSON": lambda name, value: custom(
        blob=based(json.dumps({"user": "application", name: value}, ensure_ascii=False))
    ),
    "Helm values": lambda name, value: custom(
        values=f"global:\n  image: i:1\n  {name}: {json.dumps(value, ensure_ascii=False)}\n"
    ),
    "custom resource": lambda name, value: custom(database={"user": "app", name: value}),
    "parameters": lambda name, value: custom(parameters=[{"name": name, "value": value}, {"name": "a", "value": "b"}]),
    "parameters with long names": lambda name, value: custom(parameters=[{"parameterName": name, "parameterValue": value}]),
    "event": lambda name, value: dumped({"kind": "Event", "message": f"start failed: {name}={value} user=app"}),
    "log with =": lambda name, value: log(f"I1130 12:00:00.1 main.go:7] open user=app {name}={value} port=1"),
    "log with a colon": lambda name, value: log(f"INFO config: user: app, {name}: {value}, port: 1"),
    "JSON log": lambda name, value: log(json.dumps({"level": "info", "config": {name: value}, "n": 1}, ensure_ascii=False)),
    "YAML in a log": lambda name, value: log("config:", "  user: app", f"  {name}: {value}", "  port: 1"),
    "Go struct in a log": lambda name, value: log(f"config: &{{User:app {name}:{value} Port:1}}"),
}

# A line of text, or a value that is known by its form.
PLAIN: dict[str, Callable[[str], str]] = {
    "env value": lambda text: pod(env=[{"name": "SETTING", "value": text}]),
    "argument": lambda text: pod(args=["run", text, "--now"]),
    "script": lambda text: pod(command=["/bin/sh", "-c", f"set -e\n{text}\nexec serve"]),
    "annotation": lambda text: dumped({"kind": "Service", "metadata": {"annotations": {"example.com/note": text}}}),
    "ConfigMap value": config,
    "ConfigMap line": lambda text: config(f"# settings\n{text}\nend\n"),
    "JSON": lambda text: config(json.dumps({"a": {"setting": text, "n": 1}}, ensure_ascii=False)),
    "base64": lambda text: custom(blob=based(f"settings of the app: \n{text}\nend\n")),
    "base64 twice": lambda text: custom(blob=based(based(f"settings of the app: \n{text}\nend\n"))),
    "Helm values": lambda text: custom(values=f"a:\n  setting: {json.dumps(text, ensure_ascii=False)}\n"),
    "custom resource": lambda text: custom(steps=[{"run": text}]),
    "status": lambda text: dumped({"kind": "App", "status": {"conditions": [{"type": "Ready", "message": f"failed: {text}"}]}}),
    "event": lambda text: dumped({"kind": "Event", "message": f'Error: command "run" ended: {text}'}),
    "log": lambda text: log(text),
    "klog": lambda text: log(f"E1130 12:00:00.000001       1 main.go:7] {text}"),
    "JSON log": lambda text: log(json.dumps({"level": "info", "msg": text, "n": 1}, ensure_ascii=False)),
    "coloured log": lambda text: log(f"\x1b[32mINFO\x1b[0m {text}"),
}

# What no program would write so, or what nobody could tell there: a pair of places and rows (patterns of their ids).
SENSELESS: tuple[tuple[str, str], ...] = (
    # These are what they are only as a line of their own.
    ("status|event|klog|JSON log|coloured log|Helm values", "pgpass|redis-conf|dockerfile|continued"),
    # Where a value has no quotes, nobody can tell which of the words behind it are part of it.
    ("shell in an annotation|event|log with .*|.* in a log", "KEY_PASSPHRASE|ROOT_PASSWORD|MNEMONIC"),
    # A name that seldom announces a secret counts only with what looks like one on its own line.
    ("YAML list of pairs|XML", "PIN|tok"),
)


def places(row: Row) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Every place that makes sense for a row, as a function of its value."""
    named = [(place, lambda value, put=put: put(row.name, value)) for place, put in NAMED.items()] if row.name else []
    plain = [] if row.name else list(PLAIN.items())
    for place, put in [*named, *plain]:
        if not any(re.fullmatch(where, place) and re.fullmatch(which, row.id) for where, which in SENSELESS):
            yield place, put
