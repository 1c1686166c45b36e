"""Folded events: what is one group, how often and when it happened, and whether it still is so."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from runai_analyze.bundle import open_bundle
from runai_analyze.bundle.source import Record
from runai_analyze.facts import build_facts
from runai_analyze.facts.events import EventFold, about_of, count_of, event_groups, registry_of, times_of
from runai_analyze.facts.examples import ExampleSource
from runai_analyze.facts.gaps import Gaps
from runai_analyze.facts.traces import Traces
from runai_analyze.model import Unknown

from tests.bundle.builder import Builder

from .helpers import facts_of, is_unknown, items_of, node
from .pods import ended, event, owner, pod, thing, waiting

SET = thing("ReplicaSet", "web-7c5d9f6b4b", owner("Deployment", "web"))
DEPLOYMENT = thing("Deployment", "web")
WEB = (SET, DEPLOYMENT)
BY_SET = owner("ReplicaSet", "web-7c5d9f6b4b")


def groups(*given: Mapping[str, Any], **options: Any) -> list[Mapping[str, Any]]:
    return [item.body for item in items_of(facts_of(*given, **options), "EventGroup")]


def group(*given: Mapping[str, Any], **options: Any) -> Mapping[str, Any]:
    (body,) = groups(*given, **options)
    return body


# --- What is one group ------------------------------------------------------------------------------------------------------


def test_events_of_the_pods_of_one_deployment_that_say_the_same_are_one_group() -> None:
    one, two = pod("web-7c5d9f6b4b-x7x9z", BY_SET), pod("web-7c5d9f6b4b-q2w4r", BY_SET)
    body = group(
        *WEB,
        one,
        two,
        event(one, "BackOff", "Back-off restarting failed main in web-7c5d9f6b4b-x7x9z_a(8f0c5a1e-0000-4000-8000-000000000001)"),
        event(two, "BackOff", "Back-off restarting failed main in web-7c5d9f6b4b-q2w4r_a(8f0c5a1e-0000-4000-8000-000000000002)"),
    )
    assert body["owner"] == {"kind": "Deployment", "name": "web", "namespace": "a"}
    assert (body["count"], body["object_count"]) == (2, 2)
    assert body["objects"] == ["Pod a/web-7c5d9f6b4b-q2w4r", "Pod a/web-7c5d9f6b4b-x7x9z"]
    assert (body["reason"], body["type"]) == ("BackOff", "Warning")


@pytest.mark.parametrize(
    ("change", "count"),
    [
        ({}, 1),
        ({"reason": "Other"}, 2),
        ({"message": "Back-off pulling something else"}, 2),
        ({"type": "Normal"}, 2),
        ({"namespace": "b"}, 2),
    ],
)
def test_what_tells_groups_apart(change: dict[str, str], count: int) -> None:
    one = event("p", "BackOff", "Back-off 10s", name="e1")
    two = event(
        "p", change.get("reason", "BackOff"), change.get("message", "Back-off 20s"), name="e2", type=change.get("type", "Warning")
    )
    if "namespace" in change:
        two["metadata"]["namespace"] = two["involvedObject"]["namespace"] = change["namespace"]
    assert len(groups(one, two)) == count


def test_pods_that_are_gone_are_one_group_by_the_part_of_their_name_that_is_not_drawn() -> None:
    body = group(event("web-7c5d9f6b4b-x7x9z", "BackOff", "x"), event("web-7c5d9f6b4b-q2w4r", "BackOff", "x"))
    assert body["object_count"] == 2
    assert is_unknown(body["owner"]["name"])
    assert body["owner"]["name"].missing.reason.endswith("is not in the cluster any more")


def test_an_owner_that_was_not_collected_is_unknown_with_the_reason() -> None:
    lost = pod("web-7c5d9f6b4b-x7x9z", BY_SET)
    body = group(lost, event(lost, "BackOff", "x"), not_collected=["ReplicaSet"])
    assert body["owner"]["kind"] == Unknown(body["owner"]["name"].missing)
    assert body["owner"]["name"].missing.what == "ReplicaSet"
    assert body["facts"]["still_failing"] == "no"


def test_an_event_about_a_node_has_the_node_as_its_owner_and_no_namespace() -> None:
    seen = {**node("n1"), "apiVersion": "v1"}
    body = group(seen, event(seen, "Rebooted", "Node n1 has been rebooted"))
    assert body["owner"] == {"kind": "Node", "name": "n1"}
    assert "namespace" not in body["metadata"]


def test_a_group_is_in_the_namespace_of_its_owner() -> None:
    body = group(event("p", "X", "x"))
    assert (body["kind"], body["apiVersion"], body["metadata"]["namespace"]) == ("EventGroup", "made/v1", "a")


def test_an_event_of_somebody_elses_api_is_none() -> None:
    assert groups({**event("p", "X", "x"), "apiVersion": "eventing.example/v1"}) == []


def test_the_name_of_a_group_hangs_on_its_words_alone() -> None:
    (one,) = items_of(facts_of(*WEB, event(DEPLOYMENT, "X", "took 5s", name="e1")), "EventGroup")
    (two,) = items_of(facts_of(*WEB, event(DEPLOYMENT, "X", "took 7s", name="e2")), "EventGroup")
    assert one.ref.name == two.ref.name
    assert one.ref.name.startswith("Deployment/web/X ")


def test_evidence_names_the_newest_event_and_where_it_stands() -> None:
    old = event(DEPLOYMENT, "X", "took 5s", name="e1", lastTimestamp="2026-01-01T00:00:00Z")
    new = event(DEPLOYMENT, "X", "took 7s", name="e2", lastTimestamp="2026-01-02T00:00:00Z")
    for given in ([old, new], [new, old]):
        (item,) = items_of(facts_of(*WEB, *given), "EventGroup")
        real = item.origins[""]
        assert (real.kind, real.namespace, real.name, real.line) == ("Event", "a", "e2", 3 + given.index(new))
        assert item.body["message"] == "took 7s"


def test_evidence_about_the_state_names_an_object_that_fails_and_about_the_owner_the_owner() -> None:
    well, bad = (
        pod("web-7c5d9f6b4b-q2w4r", BY_SET),
        pod("web-7c5d9f6b4b-x7x9z", BY_SET, state=waiting("CrashLoopBackOff"), restarts=2),
    )
    (item,) = items_of(facts_of(*WEB, well, bad, event(well, "BackOff", "x"), event(bad, "BackOff", "x")), "EventGroup")
    state, above = item.origins["facts"], item.origins["owner"]
    assert (str(state), state.line, str(above), above.line) == ("Pod a/web-7c5d9f6b4b-x7x9z", 4, "Deployment a/web", 2)


# --- Counts and times, of both APIs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "count"),
    [
        ({}, 1),
        ({"count": 7}, 7),
        ({"count": None, "series": {"count": 40}}, 40),
        ({"count": 1, "series": {"count": 3}}, 3),
        ({"deprecatedCount": 12}, 12),
        ({"count": 0}, 1),
        ({"count": -3}, 1),
        ({"count": 10**30}, 2**31 - 1),
        ({"count": "many", "series": "x"}, 1),
    ],
)
def test_how_often(fields: dict[str, Any], count: int) -> None:
    assert count_of(fields) == count


def shown(fields: dict[str, Any]) -> list[str]:
    return sorted(time.isoformat() for time in times_of(fields))


def test_when() -> None:
    first, last = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
    both = ["2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"]
    assert shown({"firstTimestamp": first, "lastTimestamp": last}) == both
    assert shown({"deprecatedFirstTimestamp": first, "deprecatedLastTimestamp": last}) == both
    assert shown({"eventTime": "2026-01-01T00:00:00.000000Z", "series": {"lastObservedTime": last}}) == both
    assert shown({"firstTimestamp": None, "eventTime": None, "metadata": {"creationTimestamp": first}}) == both[:1]
    assert shown({"firstTimestamp": first, "metadata": {"creationTimestamp": last}}) == both[:1]
    assert shown({"firstTimestamp": "yesterday", "lastTimestamp": 5}) == []


def newer(name: str) -> dict[str, Any]:
    """The same as an event of events.k8s.io/v1."""
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"namespace": "a", "name": name},
        "regarding": {"kind": "Pod", "apiVersion": "v1", "namespace": "a", "name": "p"},
        "reason": "FailedScheduling",
        "note": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
        "type": "Warning",
        "eventTime": "2026-01-01T00:00:00.123456Z",
        "series": {"count": 4, "lastObservedTime": "2026-01-01T08:00:00.000000Z"},
        "reportingController": "runai-scheduler",
    }


def test_both_apis_fold_together_and_the_same_event_counts_once() -> None:
    message = "0/5 nodes are available: 5 Insufficient nvidia.com/gpu."
    older = event("p", "FailedScheduling", message, name="e1", count=2, lastTimestamp="2026-01-01T04:00:00Z")
    again = {**older, "apiVersion": "events.k8s.io/v1", "regarding": older["involvedObject"], "note": message}
    body = group(older, newer("e2"), again, newer("e2"))
    assert (body["count"], body["first"], body["last"]) == (6, "2026-01-01T00:00:00Z", "2026-01-01T08:00:00Z")
    assert (body["component"], body["cause"], body["causes"]) == ("runai-scheduler", "no-gpu", ["no-gpu"])


def test_what_an_event_is_about_without_its_api_version() -> None:
    assert about_of({"involvedObject": {"kind": "Deployment", "namespace": "a", "name": "d"}}) == ("Deployment", "apps", "a", "d")
    assert about_of({"involvedObject": {"kind": "Node", "namespace": "x", "name": "n"}}) == ("Node", "", "", "n")
    assert about_of({"involvedObject": "x", "regarding": None}) == ("", "", "", "")


def test_the_namespace_of_what_an_event_is_about() -> None:
    of_event = {"metadata": {"namespace": "a"}}
    assert about_of({**of_event, "involvedObject": {"kind": "Pod", "name": "p"}}) == ("Pod", "", "a", "p")
    for kind in ("Namespace", "PersistentVolume"):
        assert about_of({**of_event, "involvedObject": {"kind": kind, "namespace": "a", "name": "n"}}) == (kind, "", "", "n")


@pytest.mark.parametrize(
    "fields",
    [
        {"source": {"component": "kubelet"}},
        {"deprecatedSource": {"component": "kubelet"}},
        {"reportingComponent": "kubelet"},
        {"reportingComponent": "", "source": {"component": "kubelet"}},
        {"reportingController": "kubelet", "source": {"component": "other"}},
    ],
)
def test_who_reports_it(fields: dict[str, Any]) -> None:
    assert group(event("p", "X", "x", **fields))["component"] == "kubelet"


def test_of_events_about_an_image_the_registry_is_told() -> None:
    body = group(event("p", "Failed", 'Failed to pull image "reg.example:5000/team/app:1": dial tcp: i/o timeout'))
    assert (body["image"], body["registry"], body["cause"]) == ("reg.example:5000/team/app:1", "reg.example:5000", "timeout")
    assert "registry" not in group(event("p", "BackOff", "Back-off restarting failed container"))
    assert (registry_of("busybox"), registry_of("nvcr.io/nvidia/driver:1")) == ("docker.io", "nvcr.io")
    assert is_unknown(registry_of("UPPER/Case:1"))


# --- Still failing or recovered ---------------------------------------------------------------------------------------------

PULL = 'Failed to pull image "nvcr.io/x/y:1": not found'
SCHEDULING = "0/3 nodes are available: 3 Insufficient cpu."


@pytest.mark.parametrize(
    ("seen", "reason", "message", "state"),
    [
        (pod("p"), "BackOff", "Back-off restarting failed container", "well"),
        (pod("p", state=waiting("CrashLoopBackOff"), restarts=4), "BackOff", "Back-off restarting failed container", "failing"),
        (pod("p", state=waiting("ImagePullBackOff")), "Failed", PULL, "failing"),
        # It crashes now, but its image was pulled: the event about the image is history.
        (pod("p", state=waiting("CrashLoopBackOff"), restarts=4), "Failed", PULL, "well"),
        (pod("p", state=waiting("CrashLoopBackOff"), restarts=4), "FailedScheduling", SCHEDULING, "well"),
        (pod("p", state={}, node=""), "FailedScheduling", SCHEDULING, "failing"),
        (pod("p", state=waiting("ContainerCreating")), "FailedMount", "MountVolume.SetUp failed", "failing"),
        (pod("p", state=waiting("CrashLoopBackOff"), restarts=1), "FailedMount", "MountVolume.SetUp failed", "well"),
        (thing("Deployment", "d", spec={"replicas": 1}, status={"readyReplicas": 1}), "FailedCreate", "x", "well"),
        (thing("ReplicaSet", "r", spec={"replicas": 1}, status={}), "FailedCreate", "exceeded quota", "failing"),
        (thing("PersistentVolumeClaim", "c", status={"phase": "Pending"}), "ProvisioningFailed", "x", "failing"),
    ],
)
def test_one_object(seen: dict[str, Any], reason: str, message: str, state: str) -> None:
    facts = group(seen, event(seen, reason, message))["facts"]
    assert (facts["state"], facts["still_failing"]) == (state, "yes" if state == "failing" else "no")
    assert len(facts["failing_objects"]) == (state == "failing")


@pytest.mark.parametrize(
    ("reasons", "seen", "state"),
    [
        ("FailedScheduling NotTriggerScaleUp Unschedulable", pod("p", state={}, node=""), "failing"),
        ("FailedScheduling NotTriggerScaleUp Unschedulable", pod("p", state=waiting("CrashLoopBackOff"), restarts=1), "well"),
        ("FailedAttachVolume FailedMount FailedMapVolume", pod("p", state=waiting("ContainerCreating")), "failing"),
        ("FailedAttachVolume FailedMount FailedMapVolume", pod("p", state=waiting("CrashLoopBackOff"), restarts=1), "well"),
        ("FailedCreatePodSandBox NetworkNotReady", pod("p", state=waiting("ContainerCreating")), "failing"),
        ("FailedCreatePodSandBox NetworkNotReady", pod("p", state=waiting("CrashLoopBackOff"), restarts=1), "well"),
    ],
)
def test_what_each_reason_is_about(reasons: str, seen: dict[str, Any], state: str) -> None:
    for reason in reasons.split():
        assert group(seen, event(seen, reason, "x"))["facts"]["state"] == state, reason


@pytest.mark.parametrize(
    ("above", "state"),
    [
        (thing("Job", "j", status={"conditions": [{"type": "Complete", "status": "True"}]}), "well"),
        (thing("Job", "j", status={"conditions": [{"type": "Failed", "status": "True"}]}), "failing"),
        (None, "failing"),
    ],
)
def test_a_pod_that_failed_matters_unless_its_owner_is_well(above: dict[str, Any] | None, state: str) -> None:
    failed = pod("j-1", owner("Job", "j", "batch/v1"), state=ended(1, "Error"), phase="Failed")
    given = [failed, event(failed, "BackOff", "x"), *([above] if above else [])]
    assert group(*given)["facts"]["state"] == state


def test_evicted_pods_that_lie_about_are_history() -> None:
    evicted = pod("web-7c5d9f6b4b-x7x9z", BY_SET, state={}, phase="Failed")
    full = {**SET, "spec": {"replicas": 1}, "status": {"readyReplicas": 1}}
    assert group(evicted, full, DEPLOYMENT, event(evicted, "Evicted", "x"))["facts"]["still_failing"] == "no"


def test_a_cause_that_may_have_been_hidden_is_unknown() -> None:
    body = group(event("p", "Failed", 'Failed to pull image "«redacted:host:1»/app:1": «redacted:text:2»'))
    assert is_unknown(body["cause"])
    assert is_unknown(body["registry"])
    body = group(event("p", "Failed", 'Failed to pull image "«redacted:host:1»/app:1": dial tcp: i/o timeout'))
    assert body["cause"] == "timeout"


def test_an_object_that_is_gone_has_recovered() -> None:
    facts = group(event("gone", "BackOff", "x"))["facts"]
    assert facts == {"still_failing": "no", "state": "gone", "failing_objects": []}


def test_where_pods_were_not_collected_nobody_can_tell() -> None:
    facts = group(event("p", "BackOff", "x"), not_collected=["Pod"])["facts"]
    assert is_unknown(facts["still_failing"])
    assert facts["still_failing"].missing.command == "kubectl get pod -A -o yaml"
    assert is_unknown(facts["state"])


def test_of_kinds_that_do_not_say_how_they_are_nobody_can_tell() -> None:
    for about in (thing("ConfigMap", "s"), thing("Project", "g")):
        facts = group(about, event(about, "X", "x"))["facts"]
        assert is_unknown(facts["still_failing"]), about["kind"]


def test_one_that_fails_is_enough_and_one_that_nobody_knows_beats_the_well_ones() -> None:
    well, bad = (
        pod("web-7c5d9f6b4b-x7x9z", BY_SET),
        pod("web-7c5d9f6b4b-q2w4r", BY_SET, state=waiting("CrashLoopBackOff"), restarts=2),
    )
    facts = group(*WEB, well, bad, event(well, "BackOff", "x"), event(bad, "BackOff", "x"))["facts"]
    assert facts == {"still_failing": "yes", "state": "failing", "failing_objects": ["Pod a/web-7c5d9f6b4b-q2w4r"]}
    other = thing("Project", "g", owner("Deployment", "web"))
    facts = group(*WEB, well, other, event(well, "BackOff", "x"), event(other, "BackOff", "x"))["facts"]
    assert is_unknown(facts["still_failing"])


# --- Coverage, bounds, and many ---------------------------------------------------------------------------------------------


def test_without_events_there_is_a_gap() -> None:
    found = facts_of(pod("p"), not_collected=["Event"])
    (missing,) = found.coverage("EventGroup", None, ())
    assert missing.what == "Event"
    assert facts_of(pod("p")).coverage("EventGroup", None, ()) == ()


def fold_of(*bodies: Mapping[str, Any]) -> EventFold:
    fold = EventFold()
    for number, body in enumerate(bodies, start=1):
        fold.add(Record("object", {"apiVersion": "v1", **body}, "m", number))
    return fold


def test_one_event_fifty_thousand_times_is_one() -> None:
    one = event("p", "BackOff", "x", count=3)
    fold = fold_of(*[one] * 50_000)
    (folded,) = fold.folded.values()
    assert folded.count == 3


def test_fifty_thousand_events_that_say_the_same_are_one_group() -> None:
    fold = fold_of(*(event("p", "BackOff", f"Back-off {number}s", name=f"e{number}") for number in range(50_000)))
    (folded,) = fold.folded.values()
    assert folded.count == 50_000


@pytest.mark.parametrize(("bound", "value"), [("_MOST_FOLDED", 2), ("_MOST_EVENTS", 2), ("_MOST_TEXT", 4)])
def test_more_events_than_any_cluster_has_are_counted_and_reported(
    bound: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"runai_analyze.facts.events.{bound}", value)
    given = [event(name, "X", "x") for name in ("a", "b", "c", "d")]
    found = facts_of(*given)
    assert len(items_of(found, "EventGroup")) == 2
    (missing,) = found.coverage("EventGroup", None, ())
    assert (missing.what, missing.reason) == ("events", "the bundle holds more events than are looked at: 2 were left out")


def test_long_and_strange_texts_are_cut_and_never_raise() -> None:
    strange: list[dict[str, Any]] = [
        {
            "kind": "Event",
            "metadata": {"name": "a"},
            "involvedObject": {"kind": "K" * 5000, "name": "n" * 5000},
            "message": "m" * 10**6,
        },
        {"kind": "Event", "metadata": {"name": "b"}, "message": 5, "reason": [], "type": {}, "count": "x", "series": 7},
        {"kind": "Event", "metadata": {"name": "c"}, "involvedObject": {"kind": "", "name": None, "apiVersion": 5}},
    ]
    bodies = [item.body for item in event_groups(fold_of(*strange), Traces(pods=True), Gaps(ExampleSource([], (), None)))]
    assert len(bodies) == 2  # b and c say nothing about nothing
    assert max(len(str(value)) for body in bodies for value in body.values()) < 3_000


def test_groups_come_in_one_order_whatever_the_order_of_the_events() -> None:
    given = [event(name, reason, "x") for name in ("q", "p") for reason in ("B", "A")]
    names = [item.ref.name for item in items_of(facts_of(*given), "EventGroup")]
    assert names == [item.ref.name for item in items_of(facts_of(*given[::-1]), "EventGroup")]
    assert [name.partition(" ")[0] for name in names] == ["Pod/p/A", "Pod/p/B", "Pod/q/A", "Pod/q/B"]


def test_a_kind_that_no_rule_asked_for_costs_another_look_and_gives_the_same(tmp_path: Path) -> None:
    bundle = Builder().list("Pod", "v1", pod("p")).list("Event", "v1", event("p", "BackOff", "x"))
    source = open_bundle(bundle.write(tmp_path / "b.tgz"))
    asked = build_facts(source, frozenset([("EventGroup", "made")]))
    late = build_facts(source, frozenset())
    assert items_of(asked, "EventGroup") == items_of(late, "EventGroup") != []


# --- Real clusters ----------------------------------------------------------------------------------------------------------


def real(corpus: Path, *names: str) -> list[dict[str, Any]]:
    """Return the objects of files that kubectl and its like wrote; some leave out what kind the elements of a list are."""
    found = []
    for name in names:
        content = yaml.load((corpus / name).read_text(), yaml.CSafeLoader)
        listed = content if isinstance(content, list) else content["items"]
        found += [{"kind": "Event" if "events" in name else "Pod", "apiVersion": "v1", **body} for body in listed]
    return found


@pytest.mark.corpus
def test_old_events_of_a_healthy_openshift_cluster_are_history(corpus: Path) -> None:
    """Read by eye: 59 warnings, all from the installation; every pod that is still there runs and is ready."""
    given = real(
        corpus,
        "k8s-events/must-gather-clean-ocp-aws-openshift-monitoring-events.yaml",
        "k8s-pods/must-gather-clean-ocp-aws-openshift-monitoring-pods.yaml",
    )
    found = [body for body in groups(*given) if body["type"] == "Warning"]
    assert {body["facts"]["still_failing"] for body in found} == {"no"}
    mounts = [body for body in found if body["reason"] == "FailedMount" and body.get("cause") == "missing-secret"]
    assert sorted((body["count"], body["facts"]["state"]) for body in mounts) == [(6, "well"), (6, "well"), (7, "gone")]
    scheduling = [body for body in found if body["reason"] == "FailedScheduling"]
    assert sum(body["count"] for body in scheduling) == 54
    assert {cause for body in scheduling for cause in body["causes"]} == {"taint", "affinity", "no-node", "node-not-ready"}


@pytest.mark.corpus
def test_of_three_pods_that_crashed_the_one_that_is_left_still_does(corpus: Path) -> None:
    """Read by eye: 94, 2 and 2 times; velero-6996dd565b-xl44t alone is among the pods, and its container waits."""
    found = [
        body
        for body in groups(*real(corpus, "k8s-events/sbctl-events-velero.json", "k8s-pods/sbctl-pods-velero.json"))
        if body["type"] == "Warning"
    ]
    assert sorted((body["count"], body["facts"]["state"]) for body in found) == [(2, "failing"), (96, "gone")]
    (left,) = (body for body in found if body["facts"]["state"] == "failing")
    assert left["facts"]["failing_objects"] == ["Pod velero/velero-6996dd565b-xl44t"]
    assert left["last"] == "2022-04-12T00:58:17Z"


@pytest.mark.corpus
def test_warnings_of_an_old_cluster_whose_pods_all_run_now(corpus: Path) -> None:
    """Read by eye, of Kubernetes 1.8: 19 probes that failed, and pods that waited for the first node; nothing fails any more."""
    given = real(
        corpus, "k8s-events/sonobuoy-results-0.10-kube-system-events.json", "k8s-pods/sonobuoy-results-0.10-kube-system-pods.json"
    )
    found = [body for body in groups(*given) if body.get("type") == "Warning"]
    pods = [body for body in found if body["objects"][0].startswith("Pod ")]
    assert {body["facts"]["state"] for body in pods} == {"well"}
    assert sum(body["count"] for body in pods if body["reason"] == "Unhealthy") == 20
    assert sum(body["count"] for body in pods if body["cause"] == "no-cpu") == 9
    assert [body["cause"] for body in found if body["reason"] == "FailedCreate"] == ["missing-service-account"] * 2


@pytest.mark.corpus
def test_an_image_that_cannot_be_pulled(corpus: Path) -> None:
    """Read by eye: the pod waits for noimage.com/no-such-image; the scheduler's event is about a pod that is gone."""
    given = real(
        corpus,
        "k8s-events/troubleshoot-events-message-image-pull-fail.json",
        "k8s-pods/troubleshoot-pods-message-image-pull-fail.json",
    )
    found = {(body["reason"], body.get("cause")): body for body in groups(*given, not_collected=["ReplicaSet"])}
    pull = found["Failed", "tls"]
    assert (pull["registry"], pull["count"], pull["facts"]["still_failing"]) == ("noimage.com", 4, "yes")
    assert (pull["first"], pull["last"]) == ("2023-07-11T05:34:46Z", "2023-07-11T05:36:12Z")
    assert is_unknown(pull["owner"]["name"])
    gpus = found["FailedScheduling", "no-gpu"]
    assert (gpus["count"], gpus["facts"]["state"], gpus["component"]) == (3, "gone", "default-scheduler")


@pytest.mark.corpus
def test_every_real_event_folds(corpus: Path) -> None:
    names = sorted(path for path in (corpus / "k8s-events").glob("*.*") if path.suffix in (".json", ".yaml"))
    assert names
    for path in names:
        given = real(corpus, f"k8s-events/{path.name}")
        found = groups(*given)
        assert sum(body["count"] for body in found) == sum(count_of(body) for body in given), path.name
        assert all(body["facts"]["still_failing"] for body in found), path.name
