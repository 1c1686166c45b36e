"""What nodes keep back for the system. Values worked out by hand from the quantities."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from .helpers import facts_of, is_unknown, items_of, node


def facts(capacity: dict[str, Any], allocatable: dict[str, Any]) -> dict[str, Any]:
    (item,) = items_of(facts_of(node(capacity=capacity, allocatable=allocatable)), "Node")
    found = item.body["facts"]
    return {name: found.get(name) for name in ("capacity", "allocatable", "huge_pages", "reserved", "reserved_share")}


def test_what_is_kept_back_in_cores_bytes_and_percent() -> None:
    found = facts(
        {"cpu": "8", "memory": "32Gi", "ephemeral-storage": "100Gi"},
        {"cpu": "7500m", "memory": "30Gi", "ephemeral-storage": "90Gi"},
    )
    assert found["capacity"] == {"cpu": 8, "memory": 34359738368, "ephemeral_storage": 107374182400}
    assert found["allocatable"] == {"cpu": 7.5, "memory": 32212254720, "ephemeral_storage": 96636764160}
    assert found["reserved"] == {"cpu": 0.5, "memory": 2147483648, "ephemeral_storage": 10737418240}
    assert found["reserved_share"] == {"cpu": 6.25, "memory": 6.25, "ephemeral_storage": 10.0}
    assert found["huge_pages"] is None


def test_huge_pages_are_no_reservation_of_the_system() -> None:
    found = facts({"memory": "64Gi", "hugepages-1Gi": "16Gi", "hugepages-2Mi": "0"}, {"memory": "47Gi", "hugepages-1Gi": "16Gi"})
    assert (found["huge_pages"], found["reserved"], found["reserved_share"]) == (
        17179869184,
        {"memory": 1073741824},
        {"memory": 1.56},
    )


@pytest.mark.parametrize(
    ("capacity", "allocatable", "reserved", "share"),
    [
        ({"cpu": "4"}, {"cpu": "4"}, {"cpu": 0}, {"cpu": 0.0}),
        ({"cpu": "4"}, {}, {}, {}),
        ({}, {"cpu": "4"}, {}, {}),
        ({"cpu": "4"}, {"cpu": "5"}, {"cpu": 0}, {"cpu": 0.0}),
        ({"cpu": "0"}, {"cpu": "0"}, {"cpu": 0}, {}),
    ],
)
def test_nodes_that_say_less(capacity: Any, allocatable: Any, reserved: Any, share: Any) -> None:
    found = facts(capacity, allocatable)
    assert (found["reserved"], found["reserved_share"]) == (reserved, share)


def test_what_is_no_quantity_is_unknown_with_the_reason() -> None:
    found = facts({"memory": "much", "cpu": "4"}, {"memory": "1Gi", "cpu": "3"})
    for name in ("capacity", "reserved", "reserved_share"):
        assert is_unknown(found[name]["memory"]), name
    assert found["reserved"]["memory"].missing.reason == "memory: not a quantity: much"
    assert found["reserved"]["cpu"] == 1
    assert is_unknown(facts({"memory": "1Gi", "hugepages-2Mi": "x"}, {"memory": "1Gi"})["huge_pages"])


def test_a_rule_compares_them_with_quantities(tmp_path: Path) -> None:
    from runai_analyze.engine import evaluate

    from tests.ruleset.packs import RULE, load_rule

    text = RULE.replace("status.allocatable.cpu\n    at_least: 8", "facts.capacity.memory\n    at_least: 16Gi\n    tolerance: 6%")
    pack = load_rule(
        tmp_path,
        text.replace('allocatable: {cpu: "16"}', "capacity: {memory: 16Gi}").replace(
            'allocatable: {cpu: "4"}', "capacity: {memory: 4Gi}"
        ),
    )
    sold_as_16 = {**node("n", capacity={"memory": "15.6Gi"}), "apiVersion": "v1"}
    (outcome,) = evaluate(pack, facts_of(sold_as_16))
    assert outcome.status.value == "pass"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("file", "reserved", "share"),
    [
        # capacity 4, 16407112Ki, 125293548Ki; allocatable 3500m, 15256136Ki, 115470533646
        (
            "must-gather-clean-ocp-aws-ip-10-0-129-220.ec2.internal.yaml",
            {"cpu": 0.5, "memory": 1178599424, "ephemeral_storage": 12830059506},
            {"cpu": 12.5, "memory": 7.02, "ephemeral_storage": 10.0},
        ),
        # capacity and allocatable alike: Docker Desktop reserves nothing
        (
            "nri-kubernetes-1_35-nodes.yaml",
            {"cpu": 0, "memory": 0, "ephemeral_storage": 0},
            {"cpu": 0.0, "memory": 0.0, "ephemeral_storage": 0.0},
        ),
    ],
)
def test_real_nodes(corpus: Path, file: str, reserved: Any, share: Any) -> None:
    content = yaml.load((corpus / "k8s-nodes" / file).read_text(), yaml.CSafeLoader)
    body = content["items"][0] if "items" in content else content
    (item,) = items_of(facts_of(body), "Node")
    assert (item.body["facts"]["reserved"], item.body["facts"]["reserved_share"]) == (reserved, share)
