"""The rows of the report's inventory."""

from pathlib import Path

from runai_analyze.bundle import open_bundle
from runai_analyze.facts import build_facts

from .helpers import deployment, facts_of, node
from .test_build import bundle


def test_tables_of_a_bundle(tmp_path: Path) -> None:
    found = build_facts(open_bundle(bundle().write(tmp_path / "b.tgz")), frozenset()).inventory()
    tables = {table.name: table for table in found.tables}
    assert list(tables) == [
        "nodes",
        "namespaces",
        "workloads",
        "images",
        "crds",
        "storage_classes",
        "ingress_classes",
        "certificates",
        "configmaps",
        "secrets",
        "helm",
    ]
    assert [row[0] for row in tables["nodes"].rows] == ["g1", "s1"]
    assert tables["nodes"].rows[0][1] == "GPU"
    assert tables["secrets"].rows == (("runai", "s", "kubernetes.io/tls", "2", "25d"),)
    assert tables["helm"].rows == (("runai", "runai-cluster", "deployed", "1"),)
    assert tables["configmaps"].rows == (("runai", "runai-public", "cluster-version", "yes"), ("runai", "x", "a, b", "no"))
    assert all(table.total == len(table.rows) for table in found.tables)
    assert all(len(row) == len(table.columns) for table in found.tables for row in table.rows)


def test_the_gpu_rows(tmp_path: Path) -> None:
    (row,) = build_facts(open_bundle(bundle().write(tmp_path / "b.tgz")), frozenset()).inventory().gpus
    assert (row.node, row.nvidia_smi, row.labels, row.capacity, row.allocatable, row.requested) == ("g1", 2, 2, 2, 2, 0)
    assert (row.model, row.driver_version, row.gap, row.note) == ("X", "580.95.05", "", "")


def test_a_table_says_that_its_kind_was_not_collected() -> None:
    tables = {table.name: table for table in facts_of(not_collected=["Node"]).inventory().tables}
    assert tables["nodes"].note == "not all were collected: it was not collected"
    assert tables["namespaces"].note == ""


def test_workloads_of_runai_come_first_and_those_of_the_customer_do_not_stand_there() -> None:
    given = (
        deployment("gpu-operator", "b", "x:1", status={"readyReplicas": 1}),
        deployment("runai", "a", "nvcr.io/x:2.25"),
        deployment("team", "c", "secret/model:1"),
    )
    tables = {table.name: table for table in facts_of(*given, node()).inventory().tables}
    assert [row[:4] for row in tables["workloads"].rows] == [
        ("Deployment", "runai", "a", "0/1"),
        ("Deployment", "gpu-operator", "b", "1/1"),
    ]
    assert ("nvcr.io/x", "2.25", "1") in tables["images"].rows
