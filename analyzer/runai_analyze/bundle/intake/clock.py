"""When a bundle was made, for formats that do not record it: the newest time that the cluster itself wrote into its objects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ...objects.times import parse_time

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")
_ZONES = timedelta(hours=26)  # clocks of the world are up to 26 hours apart


@dataclass
class Clock:
    """Keeps the newest of the times that components write every few seconds: leases, heartbeats of nodes, events."""

    newest: str = ""

    def look(self, body: Mapping[str, Any]) -> None:
        """Look at one object."""
        for told in _told(body):
            if isinstance(told, str) and told > self.newest and _TIME.fullmatch(told):
                self.newest = told

    def read(self, about: datetime | None) -> datetime | None:
        """Return the newest time seen. ``about``: the time by a watch whose zone nobody knows; where the objects' own time is
        more than a day away from it, some component's clock is wrong, and the watch is taken."""
        found: datetime | None = None
        with suppress(ValueError):
            found = parse_time(self.newest)
        if about is None or (found and abs(found - about) <= _ZONES):
            return found
        return about


def _told(body: Mapping[str, Any]) -> Iterator[object]:
    kind = body.get("kind")
    if kind == "Event":
        yield body.get("lastTimestamp")
    elif kind == "Lease":
        yield _map(body.get("spec")).get("renewTime")
    elif kind == "Node":
        conditions = _map(body.get("status")).get("conditions")
        yield from (_map(one).get("lastHeartbeatTime") for one in (conditions if isinstance(conditions, list) else ()))


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
