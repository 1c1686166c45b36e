"""Facts about nodes."""

import pytest

from .helpers import facts_of, is_unknown, items_of, node

CONTROL = {"node-role.kubernetes.io/control-plane": ""}
SYSTEM = {"node-role.kubernetes.io/runai-system": ""}
GPU = {"nvidia.com/gpu.present": "true"}
TAINT = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]


def roles(*nodes: dict[str, object], fact: str = "runai_system", **options: object) -> dict[str, object]:
    return {item.ref.name: item.body["facts"][fact] for item in items_of(facts_of(*nodes, **options), "Node")}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("image", "family", "version"),
    [
        ("Ubuntu 22.04.4 LTS", "ubuntu", "22.04.4"),
        ("Red Hat Enterprise Linux CoreOS 418.94.202503061016-0", "rhcos", "418.94.202503061016"),
        ("Red Hat Enterprise Linux 9.4 (Plow)", "rhel", "9.4"),
        ("Container-Optimized OS from Google", "cos", None),
        ("Amazon Linux 2023.6.20250218", "amazon-linux", "2023.6.20250218"),
        ("Bottlerocket OS 1.19.2 (aws-k8s-1.29)", "bottlerocket", "1.19.2"),
        ("Oracle Linux Server 8.9", "oracle-linux", "8.9"),
        ("SUSE Linux Enterprise Server 15 SP5", "sles", "15"),
        ("Debian GNU/Linux 12 (bookworm)", "debian", "12"),
        ("Flatcar Container Linux by Kinvolk 3815.2.0 (Oklo)", "flatcar", "3815.2.0"),
        ("Talos (v1.7.0)", "talos", "1.7.0"),
        ("Windows Server 2022 Datacenter", "windows", "2022"),
        ("Rocky Linux 9.3 (Blue Onyx)", "other", "9.3"),
    ],
)
def test_operating_systems(image: str, family: str, version: str | None) -> None:
    facts = items_of(facts_of(node(image=image)), "Node")[0].body["facts"]
    assert (facts["os_family"], facts.get("os_version")) == (family, version)


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("containerd://1.7.13", "containerd", "1.7.13"),
        ("cri-o://1.31.6-2.rhaos4.18.gitda737c9.el9", "cri-o", "1.31.6"),
        ("docker://20.10.13", "docker", "20.10.13"),
    ],
)
def test_container_runtimes(text: str, name: str, version: str) -> None:
    assert items_of(facts_of(node(runtime=text)), "Node")[0].body["facts"]["runtime"] == {"name": name, "version": version}


def test_labelled_system_nodes_are_the_only_ones() -> None:
    assert roles(node("a", labels=SYSTEM), node("b"), node("c", labels=CONTROL)) == {"a": True, "b": False, "c": False}


def test_without_the_label_system_nodes_are_those_that_are_neither_gpu_nor_control_plane() -> None:
    assert roles(
        node("a"), node("g", labels=GPU), node("c", labels=CONTROL), node("t", taints=[{"key": "x", "effect": "NoSchedule"}])
    ) == {
        "a": True,
        "g": False,
        "c": False,
        "t": False,
    }


def test_where_there_is_no_other_every_schedulable_node_is_a_system_node() -> None:
    assert roles(node("g", labels=GPU), node("c", labels=CONTROL, taints=TAINT)) == {"g": True, "c": False}


def test_when_nodes_are_lacking_nobody_knows_the_system_nodes_but_by_label() -> None:
    found = roles(node("a", labels=SYSTEM), node("b"), not_collected=["Node"])
    assert found["a"] is True
    assert is_unknown(found["b"])


def test_a_control_plane_that_takes_pods_is_a_worker_too() -> None:
    nodes = (
        node("a", labels=CONTROL),
        node("b", labels=CONTROL, taints=TAINT),
        node("w", taints=[{"key": "x", "effect": "NoExecute"}]),
    )
    assert roles(*nodes, fact="worker") == {"a": True, "b": False, "w": True}
    assert roles(node("c", labels=CONTROL, unschedulable=True), fact="worker") == {"c": False}


def test_taints_of_conditions_do_not_count() -> None:
    nodes = (node("a", labels=CONTROL, taints=[{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]),)
    assert roles(*nodes, fact="worker") == {"a": True}


def test_ready_means_true() -> None:
    assert roles(node("a"), node("b", ready="Unknown"), fact="ready") == {"a": True, "b": False}


def test_what_labels_would_tell_is_unknown_where_they_are_not_shown() -> None:
    bodies = [node("table-1"), node("table-2", capacity={"nvidia.com/gpu": "8"})]
    for body in bodies:
        body["metadata"]["labels"] = "«redacted:not-shown»"
    for fact in ("control_plane", "runai_system", "worker"):
        assert all(is_unknown(value) for value in roles(*bodies, fact=fact).values())
    found = roles(*bodies, fact="gpu")
    assert is_unknown(found["table-1"])
    assert found["table-2"] is True
