"""Facts that are asked again and again: every kind is made once, when it is first asked for, and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from ..model import Facts, Item, Missing


class KeptFacts:
    """``Facts`` in memory, for objects that are few or rules that are few. Items come in the order of the first asking."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._kept: dict[tuple[str, str | None], list[Item]] = {}
        self._coverage: dict[tuple[str, str | None, tuple[str, ...]], tuple[Missing, ...]] = {}
        self.cluster: Mapping[str, Any] = facts.cluster
        self.bundle_time: datetime | None = facts.bundle_time

    @property
    def cluster_item(self) -> Item:
        """The ``Cluster`` object itself."""
        return self._facts.cluster_item

    def items(self, kinds: frozenset[tuple[str, str | None]]) -> Iterator[Item]:
        """Stream the objects of the kinds; what was not asked for before is read once, and kept."""
        lacking = sorted(kinds - self._kept.keys(), key=str)
        if lacking:
            for kind in lacking:
                self._kept[kind] = []
            for item in self._facts.items(frozenset(lacking)):
                for kind in lacking:
                    if item.kind == kind[0] and kind[1] in (None, item.group):
                        self._kept[kind].append(item)
                        break
        for kind in sorted(kinds, key=str):
            yield from self._kept[kind]

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """What is lacking of a kind, as the facts behind say it."""
        key = (kind, group, tuple(namespaces))
        if key not in self._coverage:
            self._coverage[key] = self._facts.coverage(kind, group, namespaces)
        return self._coverage[key]
