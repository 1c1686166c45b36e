"""Lists of odd answers: one object costs itself, a list of something else is never kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from runai_collect import plan
from runai_collect.lists import Lists, Scope
from runai_collect.steps import Session

from tests.collector.servers import Answer, Handler, ok, serving, status
from tests.collector.test_steps import manifest, session_of
from tests.collector.test_writer import read

SCOPE = Scope(True, True, [], ())
KINDS = {kind.plural: kind for kind in plan.KINDS if not kind.group}


def body(kind: str, *items: Any) -> bytes:
    return json.dumps({"kind": kind, "metadata": {}, "items": items}).encode()


def everywhere(**answers: bytes) -> Answer:
    """The answer to the list of each plural; any other is empty."""

    def answer(handler: Handler) -> None:
        plural = handler.path.split("?")[0].split("/")[-1]
        ok(answers.get(plural, body("LeaseList")))(handler)

    return answer


def members(session: Session) -> dict[str, str]:
    return {name: data.decode() for name, data in read(Path(session.writer.path)).items()}


@pytest.mark.parametrize("may_list", [True, False])
def test_a_named_namespace_that_may_not_be_read_is_looked_for_in_the_list(tmp_path: Path, may_list: bool) -> None:
    def answer(handler: Handler) -> None:
        found = [{"metadata": {"name": "team-a"}}] if handler.path.endswith("?fieldSelector=metadata.name%3Dteam-a") else []
        (ok(body("NamespaceList", *found)) if may_list and "fieldSelector" in handler.path else status(403))(handler)

    with serving(answer) as server:
        session = session_of(tmp_path, server)
        session.options = session.options._replace(namespaces=("team-a", "team-b"))
        lists = Lists(session)
        scope = lists.scope([plan.Target(KINDS["namespaces"])], "")
    steps = manifest(session)
    assert [steps[f"list:core/v1/namespaces@{name}"]["status"] for name in ("team-a", "team-b")] == (
        ["ok", "not_found"] if may_list else ["forbidden"] * 2
    )
    assert scope.namespaces == (["team-a"] if may_list else ["team-a", "team-b"])
    assert ("named-namespaces" in steps) == may_list


def test_an_object_of_an_odd_shape_costs_itself_alone(tmp_path: Path) -> None:
    good = [{"metadata": {"name": name, "namespace": "runai"}} for name in ("first", "last")]
    odd: list[Any] = [
        None,
        [1],
        {},
        {"metadata": None},
        {"metadata": {"name": 5}},
        {"metadata": {"name": "\ud800bad"}},
        {"metadata": {"name": "s"}, "kind": "Secret"},
        {"metadata": {"name": "x"}, "status": {"containerStatuses": ["not an object"]}},
    ]
    with serving(everywhere(pods=body("PodList", good[0], *odd, good[1]))) as server:
        session = session_of(tmp_path, server)
        Lists(session).everything([plan.Target(KINDS["pods"])], SCOPE)
    step = manifest(session)["list:core/v1/pods"]
    assert (step["status"], step["objects"]) == ("truncated", 2)
    assert step["message"] == (
        "8 objects were of an odd shape or could not be redacted, and were left out: Pod without a name, Pod without a name, "
        "Pod without a name, Pod without a name, Pod without a name"
    )
    lines = members(session)["top/resources/core/v1/pods/0001.jsonl"].splitlines()
    assert [json.loads(line)["metadata"]["name"] for line in lines] == ["first", "last"]


def test_where_the_gpu_operator_is_stands_in_what_no_user_makes(tmp_path: Path) -> None:
    """ClusterPolicy and NVIDIADriver are the cluster's; those of another group, or of a namespace, anybody's."""
    policy = {"kind": "ClusterPolicy", "metadata": {"name": "p"}, "status": {"namespace": "own"}}
    kinds = [
        (plan.Kind("nvidia.com", "clusterpolicies", "v1", "ClusterPolicy", False), "own"),
        (plan.Kind("nvidia.com", "nvidiadrivers", "v1alpha1", "NVIDIADriver", False), "drivers"),
        (plan.Kind("nvidia.com", "clusterpolicies", "v1", "ClusterPolicy", True), "alice"),
        (plan.Kind("kyverno.io", "clusterpolicies", "v1", "ClusterPolicy", False), "kyverno"),
    ]
    lists = Lists(session_of(tmp_path))
    for kind, namespace in kinds:
        lists._note(kind, {**policy, "kind": kind.kind, "status": {"namespace": namespace}})
    lists._note(kinds[0][0], {**policy, "status": None})
    assert lists.seen.nvidia - {""} == {"own", "drivers", *plan.SMI_NAMESPACES}


@pytest.mark.parametrize(("namespace", "believed"), [("own", True), ("kube-system", True), ("alice", False)])
def test_a_pod_is_nvidias_where_the_operator_is_and_that_is_read_first(tmp_path: Path, namespace: str, believed: bool) -> None:
    policies = plan.Kind("nvidia.com", "clusterpolicies", "v1", "ClusterPolicy", False)
    policy = {"metadata": {"name": "p"}, "status": {"namespace": "own"}}
    running = {"name": "nvidia-driver-ctr", "ready": True, "state": {"running": {}}}
    driver = {
        "metadata": {"name": "driver", "namespace": namespace},
        "spec": {"nodeName": "n1", "containers": [{"name": "nvidia-driver-ctr"}]},
        "status": {"phase": "Running", "containerStatuses": [running]},
    }
    answers = everywhere(pods=body("PodList", driver), clusterpolicies=body("ClusterPolicyList", policy))
    with serving(answers) as server:
        lists = Lists(session_of(tmp_path, server))
        lists.everything([plan.Target(KINDS["pods"]), plan.Target(policies)], SCOPE)
    assert list(lists.seen.gpu) == ["n1"] * believed
    assert [pod.name for pod in lists.seen.log_pods] == ["driver"] * believed


def test_labels_that_are_a_list_do_not_cost_the_nodes(tmp_path: Path) -> None:
    nodes = body("NodeList", {"metadata": {"name": "a", "labels": ["x"]}}, {"metadata": {"name": "b"}})
    with serving(everywhere(nodes=nodes)) as server:
        session = session_of(tmp_path, server)
        Lists(session).everything([plan.Target(KINDS["nodes"])], SCOPE)
    assert manifest(session)["list:core/v1/nodes"]["objects"] == 1


def test_a_namespace_without_a_name_does_not_cost_the_list(tmp_path: Path) -> None:
    with serving(everywhere(namespaces=body("NamespaceList", {}, {"metadata": {"name": "runai"}}))) as server:
        session = session_of(tmp_path, server)
        scope = Lists(session).scope([plan.Target(KINDS["namespaces"])], "")
    assert (scope.listed, scope.namespaces) == (True, ["runai"])


def test_who_asks_for_pods_is_not_handed_secrets(tmp_path: Path) -> None:
    secrets = body("SecretList", {"metadata": {"name": "s"}, "data": {"word": "aGlkZGVu"}})
    with serving(everywhere(pods=secrets)) as server:
        session = session_of(tmp_path, server)
        Lists(session).everything([plan.Target(KINDS["pods"])], SCOPE)
    step = manifest(session)["list:core/v1/pods"]
    assert (step["status"], step["message"]) == ("error", "the server did not answer with a PodList")
    assert not [data for data in members(session).values() if "aGlkZGVu" in data]


def test_objects_that_were_left_out_are_named(tmp_path: Path) -> None:
    bad = [{"metadata": {"name": f"p{number}", "namespace": "runai"}, "kind": "Secret"} for number in range(7)]
    with serving(
        everywhere(pods=body("PodList", *bad), nodes=body("NodeList", {"metadata": {"name": "n"}, "kind": "X"}))
    ) as server:
        session = session_of(tmp_path, server)
        Lists(session).everything([plan.Target(KINDS["pods"]), plan.Target(KINDS["nodes"])], SCOPE)
    steps = manifest(session)
    message = str(steps["list:core/v1/pods"]["message"])
    assert message.endswith("were left out: Pod runai/p0, Pod runai/p1, Pod runai/p2, Pod runai/p3, Pod runai/p4")
    assert str(steps["list:core/v1/nodes"]["message"]).endswith("left out: Node n")
