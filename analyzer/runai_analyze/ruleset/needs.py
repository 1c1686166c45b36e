"""What rules need of a bundle: which kinds of objects, and which of their facts. Nothing else is worked out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from runai_analyze.objects.paths import Path
from runai_analyze.ruleset.parts import other_field, parts_of
from runai_analyze.ruleset.rule import ClusterValue, Rule, Scope, Test

ALL_FACTS = "*"  # in place of a fact's name: a rule looks at all of them
_FACT = re.compile(r"facts(?:\.|\[\"?)([^.\[\]\"]+)")


def kinds_of(rules: Iterable[Rule]) -> frozenset[tuple[str, str | None]]:
    """Return the (kind, group) that the rules look at, and what their scopes need."""
    kinds: set[tuple[str, str | None]] = set()
    for rule in rules:
        kinds.add((rule.select.kind, rule.select.group))
        if rule.scope.needs_namespace:
            kinds.add(("Namespace", None))
        if rule.scope.needs_crd:
            kinds.add(("CustomResourceDefinition", None))
    return frozenset(kinds)


def needs_of(rules: Iterable[Rule]) -> frozenset[tuple[str, str]]:
    """Return (kind, name of a fact) for each ``facts.NAME`` that a rule looks at or prints, and (kind, "") for each kind.

    ``("Cluster", "")`` where a rule asks for a value of the cluster; ``(kind, "*")`` where a rule looks at all facts at once.
    """
    needs: set[tuple[str, str]] = set()
    for rule in rules:
        parts = tuple(parts_of(rule))
        needs |= {(rule.select.kind, name) for name in ("", *(_fact(path) for path in _paths(parts)))}
        needs |= {("Namespace", "")} if rule.scope.needs_namespace else set()
        needs |= {("CustomResourceDefinition", "")} if rule.scope.needs_crd else set()
        if _asks_cluster(rule.scope, parts):
            needs.add(("Cluster", ""))
    return frozenset(needs)


def _fact(path: str) -> str:
    if path == "facts" or path.startswith("facts[*]"):
        return ALL_FACTS
    match = _FACT.match(path)
    return match[1] if match else ""


def _paths(parts: Iterable[object]) -> Iterator[str]:
    """Yield the paths into the rule's objects, as written; those into the cluster are left out."""
    for part in parts:
        if isinstance(part, Path):
            yield part.text
        elif isinstance(part, Test) and (other := other_field(part)):
            yield other


def _asks_cluster(scope: Scope, parts: Iterable[object]) -> bool:
    return bool(scope.runai or scope.kubernetes or scope.distribution or scope.feature) or any(
        isinstance(part, ClusterValue) or getattr(part, "source", "") == "cluster" for part in parts
    )
