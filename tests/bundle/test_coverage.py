"""What is lacking, from the manifest's steps."""

from dataclasses import replace

import pytest
from runai_analyze.bundle.coverage import Coverage
from runai_analyze.bundle.reasons import taken_out
from runai_analyze.model import Step

DISCOVERY = {
    "complete": True,
    "groups": [
        {
            "group": "",
            "version": "v1",
            "stale": False,
            "resources": [{"kind": "Pod"}, {"kind": "Service"}, {"kind": "Namespace"}, {"kind": "Node", "namespaced": False}],
        },
        {"group": "serving.knative.dev", "version": "v1", "stale": False, "resources": [{"kind": "Service"}]},
        {"group": "metrics.k8s.io", "version": "v1beta1", "stale": True, "resources": []},
    ],
}


def step(kind: str, status: str, namespace: str = "", group: str = "", message: str = "") -> Step:
    suffix = f"@{namespace}" if namespace else ""
    return Step(
        f"list:{group or 'core'}/v1/{kind.lower()}s{suffix}", "", "", status, message, kind=kind, group=group, namespace=namespace
    )


def coverage(*steps: Step, cut: bool = False, namespaces: str = "") -> Coverage:
    known = [replace(step, taken_out=taken_out(step.message)) for step in steps]
    return Coverage(known, cut, DISCOVERY, namespaces=set(namespaces.split()))


def test_a_list_that_was_read_or_found_empty_lacks_nothing() -> None:
    for status in ("ok", "empty", "not_found"):
        assert coverage(step("Pod", status)).of("Pod", "", ()) == ()


def test_a_refused_list_says_why_and_which_command_supplies_it() -> None:
    (missing,) = coverage(step("Pod", "forbidden", message="pods is forbidden")).of("Pod", None, ())
    assert missing.what == "Pod"
    assert missing.reason == "the account may not read it"
    assert missing.command == "kubectl get pods -A -o yaml"


def test_other_reasons_are_told_with_the_collectors_words() -> None:
    (missing,) = coverage(step("Pod", "error", message="500 Internal Server Error")).of("Pod", "", ())
    assert missing.reason == "the request failed (500 Internal Server Error)"


def test_a_kind_without_namespaces_is_asked_for_without_them() -> None:
    (missing,) = coverage(step("Node", "forbidden")).of("Node", "", ())
    assert missing.command == "kubectl get nodes -o yaml"


def test_a_truncated_list_is_no_whole_list() -> None:
    assert coverage(step("Pod", "truncated")).of("Pod", "", ())[0].reason == "not all of it was read"


def test_a_kind_that_is_not_served_lacks_nothing() -> None:
    assert coverage().of("RunaiConfig", "run.ai", ()) == ()


def test_a_kind_of_a_group_that_did_not_answer_is_lacking() -> None:
    assert coverage().of("PodMetrics", "metrics.k8s.io", ())[0].reason == "the bundle has no step for it"


def test_without_discovery_a_kind_without_a_step_is_lacking() -> None:
    assert Coverage((), False, None).of("RunaiConfig", "run.ai", ())
    assert Coverage((), False, {"complete": False, "groups": []}).of("RunaiConfig", "run.ai", ())


def test_a_refused_list_that_was_read_in_one_namespace_covers_that_one() -> None:
    found = coverage(
        step("Namespace", "forbidden"),
        step("Pod", "forbidden"),
        step("Pod", "ok", "runai"),
        step("Pod", "timeout", "kube-system"),
    )
    assert found.of("Pod", "", ("runai",)) == ()
    assert found.of("Pod", "", ("kube-system",))[0].what == "Pod in kube-system"
    assert found.of("Pod", "", ("kube-system",))[0].command == "kubectl get pods -n kube-system -o yaml"
    assert found.of("Pod", "", ("other",))[0].what == "Pod"
    assert found.of("Pod", "", ("runai*",))
    assert found.of("Pod", "", ())


def test_a_namespace_that_does_not_exist_holds_nothing() -> None:
    found = coverage(step("Namespace", "forbidden"), step("Namespace", "not_found", "runai-backend"), step("Pod", "forbidden"))
    assert found.of("Pod", "", ("runai-backend",)) == ()
    assert found.of("Namespace", "", ("runai-backend",)) == ()


def test_with_all_namespaces_known_every_one_of_them_must_have_been_read() -> None:
    steps = [step("Namespace", "ok"), step("Secret", "ok", "a"), step("Secret", "ok", "b")]
    assert coverage(*steps, namespaces="a b").of("Secret", "", ()) == ()
    found = coverage(*steps, step("Secret", "forbidden", "c"), namespaces="a b c")
    (missing,) = found.of("Secret", "", ())
    assert (missing.what, missing.command) == ("Secret in c", "kubectl get secrets -n c")
    assert found.of("Secret", "", ("a", "b*")) == ()


@pytest.mark.parametrize("status", ["forbidden", "timeout", "error", "truncated", "skipped"])
def test_a_list_that_failed_is_lacking_however_well_the_namespaces_are_known(status: str) -> None:
    for kind in ("Pod", "Node"):
        found = coverage(step("Namespace", "ok"), step(kind, status), namespaces="a b")
        for namespaces in ((), ("a",), ("a*",)):
            assert [missing.what for missing in found.of(kind, "", namespaces)] == [kind]


@pytest.mark.parametrize("first", ["forbidden", ""])
def test_a_namespace_that_was_never_asked_is_lacking(first: str) -> None:
    whole = [step("Pod", first)] if first else []
    found = coverage(step("Namespace", "ok"), *whole, step("Pod", "ok", "a"), namespaces="a b")
    assert found.of("Pod", "", ("a",)) == ()
    assert found.of("Pod", "", ("a*",)) == ()
    assert found.of("Pod", "", ("no-such-namespace",)) == ()
    for namespaces in ((), ("b",), ("a", "b"), ("b*",)):
        assert len(found.of("Pod", "", namespaces)) == 1, namespaces


def test_namespaces_are_known_only_when_their_list_is_whole_and_was_read() -> None:
    steps = (step("Pod", "forbidden"), step("Pod", "ok", "a"))
    for found in (
        coverage(step("Namespace", "truncated"), *steps, namespaces="a"),
        coverage(step("Namespace", "ok"), *steps),
        coverage(*steps, namespaces="a"),
    ):
        assert found.of("Pod", "", ()) != ()
        assert found.of("Pod", "", ("b",)) != ()
    damaged = coverage(step("Namespace", "ok"), *steps, namespaces="a")
    assert damaged.of("Pod", "", ()) == ()
    damaged.damaged["Namespace", ""] = "a line cannot be read"
    assert damaged.of("Pod", "", ()) != ()


def test_of_two_steps_about_the_same_the_worse_one_counts() -> None:
    for statuses in (("ok", "forbidden"), ("forbidden", "ok")):
        assert coverage(*(step("Node", status) for status in statuses)).of("Node", "", ()) != ()


def test_where_damage_cannot_be_charged_to_a_kind_every_kind_is_lacking() -> None:
    found = coverage(step("Pod", "ok"), step("Node", "ok"), Step("helm", "", "", "ok"))
    found.all_damaged = "a member is missing"
    for kind, group in (("Pod", ""), ("Node", ""), ("HelmRelease", "made"), ("Certificate", "made")):
        assert found.of(kind, group, ())[0].reason == "a member is missing"


def test_secrets_that_were_left_out_are_lacking_in_every_namespace() -> None:
    found = coverage(step("Namespace", "ok"), Step("secrets", "", "", "skipped", "--no-secrets", kind="Secret"))
    for namespaces in ((), ("runai",), ("runai*",)):
        (missing,) = found.of("Secret", "", namespaces)
        assert (missing.reason, missing.taken_out) == ("left out on request: --no-secrets", ("--no-secrets",))


def test_helm_releases_of_one_namespace_are_not_those_of_all() -> None:
    why = "restricted to namespaces runai"
    part = Step("helm@runai", "", "", "ok", namespace="runai")
    found = coverage(Step("secrets", "", "", "skipped", why, kind="Secret"), part)
    assert found.of("HelmRelease", "made", ("runai",)) == ()
    assert found.of("HelmRelease", "made", ())[0].reason == "left out on request: -n runai"
    assert coverage(Step("helm", "", "", "ok")).of("HelmRelease", "made", ()) == ()
    refused = (step("Namespace", "ok"), Step("helm", "", "", "forbidden"), part)
    assert len(coverage(*refused, namespaces="runai a").of("HelmRelease", "made", ())) == 1
    tried = coverage(*refused, Step("helm@a", "", "", "forbidden", namespace="a"), namespaces="runai a")
    assert [gap.what for gap in tried.of("HelmRelease", "made", ())] == ["Helm releases in a"]


def test_a_kind_read_in_one_namespace_by_plan_is_not_read_elsewhere() -> None:
    found = coverage(step("Namespace", "ok"), step("Lease", "ok", "kube-node-lease", "coordination.k8s.io"))
    assert found.of("Lease", "coordination.k8s.io", ("kube-node-lease",)) == ()
    assert found.of("Lease", "coordination.k8s.io", ())


def test_a_bare_name_means_the_kind_of_kubernetes_itself() -> None:
    steps = (step("Service", "ok"), step("Service", "forbidden", group="serving.knative.dev"))
    assert coverage(*steps).of("Service", None, ()) == ()
    assert coverage(*steps).of("Service", "serving.knative.dev", ())


def test_in_a_cut_bundle_no_list_is_whole_but_what_is_not_served_is_not_there() -> None:
    found = Coverage((), True, DISCOVERY)
    assert "cut" in found.of("Pod", "", ())[0].reason
    assert found.of("RunaiConfig", "run.ai", ()) == ()


def test_a_damaged_kind_is_lacking() -> None:
    found = coverage(step("Pod", "ok"))
    found.damaged["Pod", ""] = "a line cannot be read"
    assert found.of("Pod", None, ())[0].reason == "a line cannot be read"


def test_certificates_and_nvidia_smi_have_steps_of_their_own() -> None:
    def plain(id_: str, status: str, namespace: str = "") -> Step:
        return Step(id_, "", "", status, namespace=namespace)

    ingress = step("Ingress", "ok", group="networking.k8s.io")
    found = coverage(
        ingress,
        plain("certificate:runai/a", "ok", "runai"),
        plain("certificate:x/b", "forbidden", "x"),
        plain("nvidia-smi:n1", "timeout"),
    )
    assert found.of("Certificate", "made", ("runai",)) == ()
    (missing,) = found.of("Certificate", "made", ())
    assert (missing.what, missing.command) == ("the certificate of x/b", "runai-collect")
    assert coverage(ingress, plain("certificates", "skipped")).of("Certificate", "made", ("runai",))
    assert found.of("NvidiaSmi", "made", ("n1",))[0].reason == "the cluster did not answer in time"
    assert found.of("NvidiaSmi", "made", ("n2",))[0].reason == "it was not asked on this node"


def test_whether_a_group_is_served() -> None:
    assert coverage().served("serving.knative.dev") is True
    assert coverage().served("run.ai") is False
    assert Coverage((), False, {"complete": False, "groups": []}).served("run.ai") is None


# What the collector writes of a list that lacks namespaces on request, and which questions it then leaves open.
WITHOUT_TEAMS = "left out on request: objects of the namespaces team-*, lab (--exclude)"
ONLY_RUNAI = "left out on request: objects of all namespaces but runai, gpu-* (--only)"
BOTH = "left out on request: objects of the namespaces gpu-test (--exclude); objects of all namespaces but runai, gpu-* (--only)"


@pytest.mark.parametrize(
    ("message", "asked", "lacking"),
    [
        (WITHOUT_TEAMS, "runai", False),
        (WITHOUT_TEAMS, "runai gpu-operator", False),
        (WITHOUT_TEAMS, "lab", True),
        (WITHOUT_TEAMS, "team-a", True),
        (WITHOUT_TEAMS, "runai team-a", True),
        (WITHOUT_TEAMS, "", True),
        (WITHOUT_TEAMS, "runai-*", True),
        (ONLY_RUNAI, "runai", False),
        (ONLY_RUNAI, "gpu-operator", False),
        (ONLY_RUNAI, "team-a", True),
        (ONLY_RUNAI, "runai*", True),
        (ONLY_RUNAI, "", True),
        (BOTH, "runai", False),
        (BOTH, "gpu-test", True),
        (BOTH, "team-a", True),
        ("left out on request: objects of the namespaces lab (--exclude)", "runai*", False),
        ("left out on request: objects of the namespaces lab (--exclude)", "la*", True),
        (WITHOUT_TEAMS[:-1], "runai", True),
        ("left out on request: objects of the namespaces «redacted:key» (--exclude)", "runai", True),
        ("left out on request: --exclude resources/core/v1/pods/*", "runai", True),
        ("3 objects were of an odd shape or could not be redacted, and were left out", "runai", True),
    ],
)
def test_what_was_left_out_on_request_is_lacking_and_nothing_else(message: str, asked: str, lacking: bool) -> None:
    found = coverage(step("Pod", "truncated", message=message), step("Namespace", "truncated", message=message))
    assert bool(found.of("Pod", "", tuple(asked.split()))) is lacking


def test_words_alone_make_no_list_that_failed_a_good_one() -> None:
    for status in ("skipped", "error", "forbidden", "timeout"):
        assert coverage(step("Pod", status, message=WITHOUT_TEAMS)).of("Pod", "", ("runai",))


def test_what_was_left_out_is_told_in_the_collectors_words() -> None:
    (missing,) = coverage(step("Pod", "truncated", message=WITHOUT_TEAMS)).of("Pod", "", ("lab",))
    assert missing.reason == WITHOUT_TEAMS


def test_helm_releases_of_other_namespaces_are_there() -> None:
    found = coverage(Step("helm", "", "cluster", "truncated", WITHOUT_TEAMS))
    assert found.of("HelmRelease", "made", ("runai",)) == ()
    assert found.of("HelmRelease", "made", ("lab",))


def test_a_gap_in_one_namespace_was_as_much_on_purpose_as_in_all() -> None:
    found = coverage(step("Namespace", "ok"), step("Pod", "skipped", message="restricted to namespaces a"), namespaces="a b")
    assert [gap.taken_out for gap in found.of("Pod", "", ("b",))] == [("-n",)]
    parts = coverage(step("Pod", "skipped", message="restricted to namespaces a"), step("Pod", "forbidden", "a"))
    assert [gap.taken_out for gap in parts.of("Pod", "", ("a",))] == [()]


def test_without_the_list_of_apis_nothing_tells_that_there_is_no_such_kind() -> None:
    gone = replace(Step("discovery", "", "", "truncated", "removed by the customer: 1 of 1 members"), taken_out=("remove",))
    (missing,) = Coverage([gone], False, None).of("RunaiConfig", "run.ai", ())
    assert missing.taken_out == ("remove",)
    assert missing.reason == "nothing tells whether the cluster has it (list of APIs: the customer took it out)"
    (missing,) = Coverage([replace(gone, status="error", taken_out=())], False, None).of("RunaiConfig", "run.ai", ())
    assert (missing.reason, missing.taken_out) == ("the bundle has no step for it", ())
