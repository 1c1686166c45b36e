"""What is remembered of objects: owners and states."""

from typing import Any

import pytest
from runai_analyze.bundle.source import Record
from runai_analyze.errors import BundleError
from runai_analyze.facts.examples import ExampleSource
from runai_analyze.facts.gaps import Gaps
from runai_analyze.facts.kinds import api_version_of
from runai_analyze.facts.owners import Top
from runai_analyze.facts.states import State
from runai_analyze.facts.traces import Traces, passed_over
from runai_analyze.model import ObjectRef

from .helpers import is_unknown
from .pods import owner, pod, thing

GAPS = Gaps(ExampleSource([], (), None))


def traces(*bodies: dict[str, Any], pods: bool = True) -> Traces:
    found = Traces(pods)
    for number, body in enumerate(bodies, start=1):
        found.add(Record("object", {"apiVersion": api_version_of(body["kind"]), **body}, "m", number))
    return found


def test_an_objects_state_and_owner() -> None:
    found = traces(pod("p", owner("ReplicaSet", "r")), thing("ReplicaSet", "r", spec={"replicas": 1}))
    assert found.get(("Pod", "", "a", "p")) == (State.WELL, ("ReplicaSet", "apps", "a", "r"), "m", 1)
    assert found.get(("ReplicaSet", "apps", "a", "r")) == (State.FAILING, None, "m", 2)
    assert found.get(("ReplicaSet", "", "a", "r")) is None
    assert found.get(("Pod", "", "b", "p")) is None


def test_where_an_object_stands() -> None:
    found = traces(pod("p"), pod("q"))
    assert found.ref(("Pod", "", "a", "q")) == ObjectRef("Pod", "q", "a", "m", 2)
    assert found.ref(("Pod", "", "a", "gone")) == ObjectRef("Pod", "gone", "a")


def test_pods_of_one_set_share_the_name_of_their_owner() -> None:
    found = traces(*(pod(name, owner("ReplicaSet", "".join(["r", "s"]))) for name in ("p", "q")))
    one, other = (found.get(("Pod", "", "a", name)) for name in ("p", "q"))
    assert one
    assert other
    assert one[1] is other[1]


def test_pods_are_remembered_only_where_events_ask_for_them() -> None:
    found = traces(pod("p"), thing("Job", "j"), pods=False)
    assert found.get(("Pod", "", "a", "p")) is None
    assert found.get(("Job", "batch", "a", "j"))


def test_the_top_of_the_owners_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = traces(
        pod("p", owner("ReplicaSet", "r")), thing("ReplicaSet", "r", owner("Deployment", "d")), thing("Deployment", "d")
    )
    start = ("ReplicaSet", "apps", "a", "r")
    assert found.top(start, GAPS) == Top(("Deployment", "apps", "a", "d"))
    monkeypatch.setattr("runai_analyze.facts.traces.top_of", lambda *given: pytest.fail("again"))
    assert found.top_of_pod(pod("q", owner("ReplicaSet", "r")), GAPS) == Top(("Deployment", "apps", "a", "d"))


def test_an_object_that_is_gone_has_an_unknown_owner_and_one_of_a_passed_over_kind_is_its_own() -> None:
    found = traces()
    assert is_unknown(found.top(("Pod", "", "a", "gone"), GAPS).gap)
    assert found.top(("ConfigMap", "", "a", "c"), GAPS) == Top(("ConfigMap", "", "a", "c"))


@pytest.mark.parametrize(
    ("kind", "group", "passed"),
    [
        ("ConfigMap", "", True),
        ("EndpointSlice", "discovery.k8s.io", True),
        *((kind, "", True) for kind in ["Endpoints", "Event", "Secret", "ServiceAccount"]),
        *((kind, "rbac.authorization.k8s.io", True) for kind in ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]),
        ("Role", "x.example", False),  # somebody else's
        ("Pod", "", False),
    ],
)
def test_kinds_of_which_nothing_is_remembered(kind: str, group: str, passed: bool) -> None:
    assert passed_over(kind, group) is passed


def test_rows_and_files_are_no_objects() -> None:
    found = Traces(pods=True)
    found.add(Record("secret", {"namespace": "a", "name": "s"}, "m", 1))
    assert found.get(("", "", "a", "s")) is None


@pytest.mark.parametrize(("bound", "value"), [("_MOST", 2), ("_MOST_TEXT", 4)])
def test_more_objects_than_any_cluster_has_are_refused(bound: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"runai_analyze.facts.traces.{bound}", value)
    with pytest.raises(BundleError, match="more than any cluster has"):
        traces(pod("a"), pod("b"), pod("c"))
