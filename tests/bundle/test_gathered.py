"""Steps that say what was lost on the way, and the best of several bundles."""

from runai_analyze.bundle.coverage import Coverage
from runai_analyze.bundle.gathered import best_steps, effective_steps
from runai_analyze.model import Step

PODS = Step("list:core/v1/pods", "", "cluster", "ok", kind="Pod")
FOREIGN = Step("list:core/pods", "", "cluster", "forbidden", kind="Pod")
SMI = Step("nvidia-smi:gpu-1", "", "cluster", "ok")
LOGS = Step("log:runai/a/c", "", "namespace", "ok", namespace="runai")
HELM = Step("helm", "", "cluster", "ok")


def statuses(coverage: Coverage) -> dict[str, str]:
    return {step.id: step.status for step in effective_steps(coverage)}


def test_without_damage_steps_are_what_they_are() -> None:
    assert effective_steps(Coverage([PODS, SMI, LOGS, HELM], False, None)) == (PODS, SMI, LOGS, HELM)


def test_damage_of_a_kind_takes_its_wholeness_alone() -> None:
    found = statuses(Coverage([PODS, HELM], False, None, damaged={("Pod", ""): "a line cannot be read"}))
    assert found == {PODS.id: "truncated", "helm": "ok"}


def test_damage_of_helm_releases() -> None:
    found = statuses(Coverage([PODS, HELM], False, None, damaged={("HelmRelease", "made"): "a line cannot be read"}))
    assert found == {PODS.id: "ok", "helm": "truncated"}


def test_damage_of_anything_takes_all_lists() -> None:
    assert statuses(Coverage([PODS, SMI, HELM], False, None, all_damaged="x")) == {
        PODS.id: "truncated", SMI.id: "ok", "helm": "truncated"}


def test_a_cut_takes_all_lists_and_logs() -> None:
    found = statuses(Coverage([PODS, SMI, LOGS], True, None))
    assert found == {PODS.id: "truncated", SMI.id: "ok", LOGS.id: "truncated"}
    assert statuses(Coverage([PODS], True, None))["logs"] == "truncated"


def test_a_lost_step_is_an_error_with_the_reason() -> None:
    (step,) = effective_steps(Coverage([SMI], False, None, lost={SMI.id: "the member is missing"}))
    assert (step.status, step.message) == ("error", "the member is missing")


def test_of_steps_that_asked_for_the_same_the_best_counts() -> None:
    assert best_steps([[FOREIGN], [PODS]]) == (PODS,)


def test_of_equal_steps_the_newest_counts() -> None:
    empty = Step("list:core/pods", "", "cluster", "empty", kind="Pod")
    assert best_steps([[empty], [PODS]]) == (empty,)


def test_steps_of_namespaces_stand_side_by_side() -> None:
    one, other = (Step(f"list:core/v1/pods@{name}", "", "namespace", "ok", kind="Pod", namespace=name) for name in "ab")
    assert best_steps([[one], [other]]) == (one, other)
