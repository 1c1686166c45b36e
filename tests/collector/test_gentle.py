"""What the real API server says of a run: how many requests came in a second."""

from datetime import datetime
from pathlib import Path

import pytest

from tests.cluster import Cluster
from tests.collector.test_collect import collect
from tests.collector.test_gpu_live import LABELS, answer, load_pod

pytestmark = pytest.mark.cluster


def times_of(cluster: Cluster) -> list[float]:
    """When each request of the collector came, by the API server's own audit log; exec is kubectl's own request."""
    events = [event for event in cluster.audit() if str(event.get("userAgent", "")).startswith("runai-collect/")]
    return sorted(datetime.fromisoformat(str(event["requestReceivedTimestamp"])).timestamp() for event in events)


def test_exec_keeps_the_pace_too(kubelet_cluster: Cluster, tmp_path: Path) -> None:
    """Each is two requests of kubectl at once, and the first two more: they come after as long a silence."""
    kubelet_cluster.reset()
    kubelet_cluster.client.load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-operator"}})
    for node in ("a", "b", "c", "d"):
        status = kubelet_cluster.node_status()
        metadata = {"name": node, "labels": LABELS}
        kubelet_cluster.client.load({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": status})
        load_pod(kubelet_cluster, node, "driver-" + node, "nvidia-driver-ctr")
        smi = {"argv": ["nvidia-smi", "-q", "-x"], "stdout": "<nvidia_smi_log></nvidia_smi_log>"}
        answer(kubelet_cluster, "driver-" + node, "nvidia-driver-ctr", smi)
    collect(kubelet_cluster, tmp_path / "b.tgz", "--qps", "10", "--only", "nodes", "--only", "pods", "--no-logs")
    sent = {
        str(event["auditID"]): datetime.fromisoformat(str(event["requestReceivedTimestamp"])).timestamp()
        for event in kubelet_cluster.audit()
        if str(event.get("userAgent", "")).startswith(("runai-collect/", "kubectl/"))
    }
    times = sorted(sent.values())
    assert len(times) > 12 * 2 + 2 + 8
    assert max(sum(1 for other in times if 0 <= other - one < 1) for one in times) <= 13
    assert times[-1] - times[0] > (len(times) - 4) / 10


def test_no_second_has_more_requests_than_asked_for(kubelet_cluster: Cluster, tmp_path: Path) -> None:
    """Among four threads."""
    kubelet_cluster.reset()
    collect(kubelet_cluster, tmp_path / "b.tgz", "--qps", "10")
    times = times_of(kubelet_cluster)
    assert len(times) > 60
    busiest = max(sum(1 for other in times if 0 <= other - one < 1) for one in times)
    assert busiest <= 11
    assert (len(times) - 1) / (times[-1] - times[0]) > 7, "and it is no slower than it must be"
