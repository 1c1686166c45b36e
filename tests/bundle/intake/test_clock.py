"""The newest time that the cluster itself wrote."""

from datetime import UTC, datetime

import pytest
from runai_analyze.bundle.intake.clock import Clock


@pytest.mark.parametrize(
    ("body", "newest"),
    [
        ({"kind": "Event", "lastTimestamp": "2026-11-30T10:00:00Z"}, "2026-11-30T10:00:00Z"),
        ({"kind": "Lease", "spec": {"renewTime": "2026-11-30T10:00:00.5Z"}}, "2026-11-30T10:00:00.5Z"),
        ({"kind": "Node", "status": {"conditions": [{"lastHeartbeatTime": "2026-11-30T10:00:00Z"}]}}, "2026-11-30T10:00:00Z"),
        ({"kind": "Node", "status": {"conditions": "gone"}}, ""),
        ({"kind": "Event", "lastTimestamp": None}, ""),
        ({"kind": "Event", "lastTimestamp": "9 o'clock"}, ""),
        ({"kind": "ConfigMap", "lastTimestamp": "2026-11-30T10:00:00Z"}, ""),
    ],
)
def test_what_is_looked_at(body: dict[str, object], newest: str) -> None:
    clock = Clock()
    clock.look(body)
    assert clock.newest == newest


NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("newest", "about", "told"),
    [
        ("", None, None),
        ("", NOON, NOON),
        ("2026-11-30T12:00:00Z", None, NOON),
        ("2026-12-01T14:00:00Z", NOON, datetime(2026, 12, 1, 14, tzinfo=UTC)),
        ("2026-12-01T14:00:01Z", NOON, NOON),
        ("2026-99-01T14:00:01Z", NOON, NOON),
    ],
)
def test_which_time_is_taken(newest: str, about: datetime | None, told: datetime | None) -> None:
    assert Clock(newest).read(about) == told
