"""Facts for tests of the engine: the objects given, what was not collected, and a cluster."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runai_analyze.engine import evaluate
from runai_analyze.model import Item, Missing, ObjectRef, Outcome
from runai_analyze.ruleset import Pack

from tests.ruleset.packs import RULE, load_rule

CAPTURED = datetime(2026, 12, 1, 12, tzinfo=UTC)


@dataclass
class SomeFacts:
    """Objects in the order given; ``uncollected`` names kinds that were not read."""

    objects: Sequence[Mapping[str, Any]] = ()
    cluster: Mapping[str, Any] = field(default_factory=dict)
    uncollected: Sequence[str] = ()
    bundle_time: datetime | None = CAPTURED
    origins: Mapping[str, ObjectRef] = field(default_factory=dict)
    asked: list[frozenset[tuple[str, str | None]]] = field(default_factory=list)

    @property
    def cluster_item(self) -> Item:
        return Item("Cluster", "made", self.cluster, ObjectRef("Cluster", "test"), self.origins)

    def items(self, kinds: frozenset[tuple[str, str | None]]) -> Iterator[Item]:
        self.asked.append(kinds)
        yield self.cluster_item
        for body in self.objects:
            metadata = body["metadata"]
            group = str(body.get("apiVersion", "")).rpartition("/")[0]
            ref = ObjectRef(body["kind"], metadata["name"], metadata.get("namespace", ""), "member", 1)
            yield Item(body["kind"], group, body, ref, self.origins if group == "made" else {})

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        return (Missing(kind, "forbidden"),) if kind in self.uncollected else ()


def thing(name: str = "a", kind: str = "Gadget", namespace: str = "", **fields: Any) -> dict[str, Any]:
    """Return an object; ``fields`` are its top-level fields. A Gadget is a custom kind, which may have any field."""
    if kind == "Gadget":
        fields.setdefault("apiVersion", "example.com/v1")
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})}
    return {"kind": kind, "metadata": metadata, **fields}


def rule_text(selection: str, message: str = "wrong", more: str = "") -> str:
    """Return a rule with another selection block (``for_each`` to ``expect``), message and further keys."""
    head, _ = RULE.split("for_each:\n")
    return f'{head}{selection.strip()}\nmessage: "{message}"\nfix: {{text: Mend it.}}\n{more}{examples_for(selection)}'


def examples_for(selection: str) -> str:
    """Return examples that look like those of a rule about the kind of a selection; nobody runs them."""
    named = re.search(r'"?kind"?: "?(\w+)(?:\.([\w.-]+))?', selection)
    kind, group = (named[1], named[2]) if named else ("Node", None)
    version = f"apiVersion: {group}/v1, " if group else ""
    given = f"given: [{{kind: {kind}, {version}metadata: {{name: a}}}}], result:"
    lacking = f"given: [], not_collected: [{kind}{f'.{group}' if group else ''}], result: unknown"
    return f"examples:\n  - {{name: good, {given} pass}}\n  - {{name: bad, {given} fail}}\n  - {{name: not seen, {lacking}}}\n"


def run_rule(folder: Path, rule: str, facts: SomeFacts, **files: str) -> Outcome:
    """Return the outcome of one rule."""
    (outcome,) = evaluate(load_rule(folder, rule, **files), facts)
    return outcome


def expect_rule(condition: str, **keys: str) -> str:
    """Return a rule whose every Gadget must meet one condition, written as YAML flow."""
    return rule_text(f"for_each: {{kind: Gadget.example.com}}\nexpect: [{condition}]", **keys)


def status_of(folder: Path, pack: Pack | str, *objects: Mapping[str, Any], **facts: Any) -> str:
    """Return the status of a rule on some objects."""
    rules = pack if isinstance(pack, Pack) else load_rule(folder, pack)
    return evaluate(rules, SomeFacts(objects, **facts))[0].status.value
