"""Nothing that was not seen counts as seen: each step of a whole bundle fails, or is gone, and no rule then knows another answer.

With the members of a failed step left in, a rule may still answer as before; without them it may only say unknown.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from runai_analyze.bundle import open_bundle
from runai_analyze.engine import evaluate
from runai_analyze.facts import build_facts
from runai_analyze.facts.index import INDEXED
from runai_analyze.model import Status
from runai_analyze.ruleset import Pack, default_pack, load_packs
from runai_analyze.ruleset.signatures import Finder

from tests.bundle import leaving

HEALTHY = Path(__file__).parent.parent / "samples" / "healthy.tgz"
PLANNED = ("inference", "distributed", "autoscaling", "mpi")
# The status that a step gets, or that it is removed, and whether what it brought stays; further statuses of failed steps differ
# from these in their words only. "ok" without what it brought: lost, and the manifest says nothing of it.
CHANGES = (("forbidden", "gone"), ("truncated", "kept"), ("removed", "kept"), ("removed", "gone"), ("ok", "gone"))

Answers = dict[str, tuple[Status, str]]


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_packs([default_pack()])


@pytest.fixture(scope="module")
def whole() -> leaving.Whole:
    return leaving.read(HEALTHY)


@pytest.fixture(scope="module")
def answer(pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Callable[[leaving.Whole], Answers]:
    path = tmp_path_factory.mktemp("false-pass") / "b.tgz"

    def of(bundle: leaving.Whole) -> Answers:
        opened = open_bundle(leaving.write(bundle, path))
        facts = build_facts(opened, kinds=pack.kinds, planned=PLANNED, signatures=Finder(pack.signatures))
        return {outcome.rule.id: (outcome.status, outcome.message) for outcome in evaluate(pack, facts)}

    return of


def asked_about(pack: Pack, bundle: leaving.Whole) -> list[str]:
    """Return the ids of the steps that a rule or a fact depends on; of the Secrets' those of Run:ai and one without any, of the
    logs' one."""
    kinds = {kind for kind, _ in pack.kinds} | {kind for kind, _ in INDEXED}
    one_log = next(id_ for step in bundle.steps if (id_ := str(step["id"])).startswith("log:"))
    return [
        id_
        for step in bundle.steps
        if (not (id_ := str(step["id"])).startswith("log") or id_ == one_log)
        and (not id_.startswith("list:") or step["kind"] in kinds)
        and (not id_.startswith("secrets@") or id_ in ("secrets@runai", "secrets@default", "secrets@knative-serving"))
    ]


def changed(bundle: leaving.Whole, id_: str, status: str, keep: bool) -> leaving.Whole:
    """Return a copy in which the step has the status, or is gone; what it brought stays in, or does not."""
    other = copy.copy(bundle)
    other.members = dict(bundle.members)
    other.steps = [dict(step) for step in bundle.steps if step["id"] != id_ or status != "removed"]
    for step in other.steps:
        if step["id"] == id_ and status != "ok":
            step["status"] = status
    if not keep:
        drop(other, id_)
    return other


def drop(bundle: leaving.Whole, id_: str) -> None:
    """Take out what a step brought, and every word about it."""
    name, _, place = id_.partition("@")
    if name == "secrets":
        bundle.keep_rows("secrets/", lambda row: row["namespace"] != place)
    elif id_.startswith("certificate:"):
        bundle.keep_rows("certificates/", lambda row: f"{row['namespace']}/{row['name']}" != id_.partition(":")[2])
    elif id_.startswith("log:"):
        bundle.drop(f"logs/{id_.partition(':')[2]}.log")
    elif id_.startswith("nvidia-smi:"):
        bundle.drop(f"nodes/{id_.partition(':')[2]}/")
    elif id_.startswith("list:"):
        bundle.drop("resources/" + name.removeprefix("list:") + "/", *(["configmaps/"] if name.endswith("/configmaps") else []))
    else:
        bundle.drop(f"cluster/{name}.", f"{name}/")


def differences(before: Answers, after: Answers) -> Iterator[str]:
    for rule, (status, message) in after.items():
        if status not in (before[rule][0], Status.UNKNOWN, Status.BLOCKED):
            yield f"{rule}: {before[rule][0].value} → {status.value}: {message}"


@pytest.mark.parametrize(("status", "members"), CHANGES)
def test_no_rule_knows_another_answer_when_a_step_fails(
    pack: Pack, whole: leaving.Whole, answer: Callable[[leaving.Whole], Answers], status: str, members: str
) -> None:
    before = answer(whole)
    assert {one for one, _ in before.values()} == {Status.PASS, Status.NOT_APPLICABLE}
    wrong = {
        id_: found
        for id_ in asked_about(pack, whole)
        if (found := list(differences(before, answer(changed(whole, id_, status, members == "kept")))))
    }
    assert wrong == {}


@pytest.mark.parametrize("asked", ["gpu-operator", "runai"])
def test_a_list_that_was_read_in_one_namespace_says_nothing_about_the_others(
    whole: leaving.Whole, answer: Callable[[leaving.Whole], Answers], asked: str
) -> None:
    before = answer(whole)
    for kind in ("deployments", "daemonsets", "statefulsets"):
        part = changed(whole, f"list:apps/v1/{kind}", "forbidden", keep=True)
        part.keep_rows(f"resources/apps/v1/{kind}/", lambda body: body["metadata"]["namespace"] == asked)
        (step,) = (step for step in part.steps if step["id"] == f"list:apps/v1/{kind}")
        count = sum(len(content.splitlines()) for name, content in part.members.items() if f"/{kind}/" in name)
        part.steps.append({**step, "id": f"{step['id']}@{asked}", "namespace": asked, "status": "ok", "objects": count})
        step["objects"] = 0
        part.narrowed = {step["id"]: f"{step['id']}@{asked}"}
        assert list(differences(before, answer(part))) == []
