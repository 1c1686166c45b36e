"""Objects put together from texts for people, and when better files replace them."""

from typing import Any

from runai_analyze.bundle.intake import Intake
from runai_analyze.bundle.intake.described import NOT_SHOWN
from runai_analyze.facts.workloads import unready_reason
from runai_analyze.objects import paths
from runai_collect import layout

from tests.bundle.intake.member import TestFile, bodies, intake, messages
from tests.bundle.intake.test_describe import NODE, POD

WIDE = """\
NAME    STATUS   ROLES    AGE   VERSION
gpu-1   Ready    <none>   1d    v9.9.9
gpu-2   Ready    <none>   1d    v1.31.2
"""
DETAIL = "NAME    CPUs   RAM        GPU-cap\ngpu-2   64     527955Mi   8\n"


def given(*texts: str, whole: bool = True) -> Intake:
    into = intake()
    for number, text in enumerate(texts):
        into.text(TestFile(f"{number}.txt", text.encode(), whole))
    return into


def nodes(into: Intake) -> dict[str, dict[str, Any]]:
    return {body["metadata"]["name"]: body for body in bodies(into) if body["kind"] == "Node"}


def test_the_mark_is_one_that_tests_and_facts_take_for_hidden() -> None:
    assert layout.marker("not-shown") == paths.NOT_SHOWN == NOT_SHOWN


def test_a_pod_that_is_not_ready_without_a_reason_says_so() -> None:
    into = given(POD.replace("CrashLoopBackOff", "").replace("      Reason:       \n", ""))
    into.settle()
    (pod,) = [body for body in bodies(into) if body["kind"] == "Pod"]
    assert unready_reason(pod) == "Ready is False"


def test_a_description_is_believed_before_a_table_in_any_order() -> None:
    for order in ((NODE, WIDE), (WIDE, NODE)):
        into = given(*order)
        into.settle()
        assert nodes(into)["gpu-1"]["status"]["nodeInfo"]["kubeletVersion"] == "v1.31.2"
        assert nodes(into)["gpu-1"]["status"]["capacity"]["nvidia.com/gpu"] == "8"


def test_tables_complete_each_other() -> None:
    into = given(WIDE, DETAIL)
    into.settle()
    node = nodes(into)["gpu-2"]
    assert node["status"]["capacity"] == {"cpu": "64", "memory": "527955Mi", "nvidia.com/gpu": "8"}
    assert node["status"]["conditions"][0]["status"] == "True"
    assert node["metadata"]["labels"] == NOT_SHOWN


def test_an_object_of_its_own_file_comes_first() -> None:
    into = given(NODE)
    into.object({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}}, "node.yaml")
    into.settle()
    assert nodes(into) == {"gpu-1": {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}}}


def test_the_last_object_of_a_text_that_was_cut_is_left_out() -> None:
    into = given(f"{NODE}\n\n{POD}", whole=False)
    into.settle()
    assert sorted(body["kind"] for body in bodies(into)) == ["Event", "Node"]
    assert "the archive ends in the middle of this file" in messages(into)


def test_what_cannot_be_read_costs_its_kind_the_claim_to_be_whole() -> None:
    into = given(POD[: POD.index("Tolerations")])
    assert list(into.damaged) == [("Pod", "")]


def test_other_texts_are_a_problem() -> None:
    into = given("hello\n")
    assert messages(into) == ["it is neither what kubectl describe prints nor a table that is known"]
    assert into.damaged == {}


def test_names_by_what_told_them() -> None:
    into = given(NODE, WIDE)
    assert into.drafts.names("Node") == {"gpu-1", "gpu-2"}
    assert into.drafts.names("Node", rank=2) == {"gpu-1"}


def test_an_event_told_twice_is_one() -> None:
    listed = "LAST SEEN   TYPE      REASON         OBJECT       MESSAGE\n"
    listed += "5m          Warning   NodeNotReady   node/gpu-1   Node gpu-1 status is now: NodeNotReady\n"
    into = given(listed, NODE)
    into.settle()
    (event,) = [body for body in bodies(into) if body["kind"] == "Event"]
    assert event["count"] == 12


def test_events_of_their_own_file_come_first() -> None:
    into = given(NODE)
    into.object({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e.1", "namespace": "default"}}, "events.yaml")
    into.settle()
    assert [body["metadata"]["name"] for body in bodies(into) if body["kind"] == "Event"] == ["e.1"]
