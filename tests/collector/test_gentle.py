"""What the real API server says of a run: how many requests came in a second."""

from datetime import datetime
from pathlib import Path

import pytest

from tests.cluster import Cluster
from tests.collector.test_collect import collect

pytestmark = pytest.mark.cluster


def times_of(cluster: Cluster) -> list[float]:
    """When each request of the collector came, by the API server's own audit log; exec is kubectl's own request."""
    events = [event for event in cluster.audit() if str(event.get("userAgent", "")).startswith("runai-collect/")]
    return sorted(datetime.fromisoformat(str(event["requestReceivedTimestamp"])).timestamp() for event in events)


def test_no_second_has_more_requests_than_asked_for(kubelet_cluster: Cluster, tmp_path: Path) -> None:
    """Among four threads; the first request of a run, which finds out whether there is a login, is counted apart."""
    kubelet_cluster.reset()
    collect(kubelet_cluster, tmp_path / "b.tgz", "--qps", "10")
    times = times_of(kubelet_cluster)
    assert len(times) > 60
    busiest = max(sum(1 for other in times if 0 <= other - one < 1) for one in times)
    assert busiest <= 11
    assert (len(times) - 1) / (times[-1] - times[0]) > 7, "and it is no slower than it must be"
