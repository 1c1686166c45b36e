"""Unknown propagates: what a fact is when the kind that it is computed from was not fully collected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..bundle.source import Source
from ..model import Unknown


@dataclass(frozen=True)
class Gaps:
    """Answers what could not be seen; wraps the coverage of a bundle."""

    source: Source

    def of(self, *kinds: tuple[str, str], namespaces: Sequence[str] = ()) -> Unknown | None:
        """Return the first gap in these kinds (in these namespaces; empty: all) as a value; None: all was collected."""
        for kind, group in kinds:
            missing = self.source.coverage(kind, group, namespaces)
            if missing:
                return Unknown(missing[0])
        return None

    def unless_seen(self, found: Any, *kinds: tuple[str, str], namespaces: Sequence[str] = (), otherwise: Any = None) -> Any:
        """Return what was found; where nothing was found, the gap in the kinds, and ``otherwise`` when there is none."""
        if found not in (None, False, "", 0):
            return found
        return self.of(*kinds, namespaces=namespaces) or otherwise
