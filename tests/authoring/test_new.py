"""New rules: their numbers, their texts, and that lint and test find nothing wrong with them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.authoring.cover import cover
from runai_analyze.authoring.facts_page import Kind, find_kind
from runai_analyze.authoring.new import (
    Condition,
    NewRule,
    area_of,
    fix_of,
    from_conditions,
    from_sign,
    message_of,
    next_id,
    parse_condition,
    prefix_of,
    title_of,
)
from runai_analyze.authoring.new_text import text_of_rule
from runai_analyze.authoring.pasted import Pasted, read_pasted
from runai_analyze.authoring.proposal import Asked
from runai_analyze.authoring.signs import signs_of
from runai_analyze.engine.examples import run_examples
from runai_analyze.rules_cli.reading import example_maker
from runai_analyze.ruleset import default_pack, read_packs
from runai_analyze.ruleset.vocabulary import AREAS

from tests.authoring.test_signs import conditions, pod, thing
from tests.ruleset.packs import PACK, load_rule

EMPTY = NewRule("TST-NOD-001", "", "medium", "nodes", Kind("Node", None), (), False, "", "Do it.", "support", "2026-12-01")


def of_sign(one: Pasted | dict[str, Any], number: int = 0, name: str = "TST-NOD-001") -> NewRule:
    """Return the rule of one sign of an object."""
    found = one if isinstance(one, Pasted) else Pasted(one, one, (), signs_of(one))
    sign = found.signs[number]
    rule = replace(EMPTY, id=name, kind=found.kind, title=sign.title, message=sign.message, fix=fix_of(sign, found.kind))
    return from_sign(replace(rule, area=area_of(found.kind.name)), found.body, [sign])


def typed(kind: str, *texts: str, fault: bool = False, **named: str) -> NewRule:
    """Return the rule of conditions as a person types them."""
    asked = tuple(Condition(parse_condition(text)) for text in texts)
    rule = replace(EMPTY, kind=find_kind(kind), conditions=asked, fault=fault)
    rule = replace(rule, title=title_of(rule.kind, asked[0].asked), message=message_of(rule.kind, asked[0].asked))
    return from_conditions(rule, **named)


def problems(folder: Path, *rules: NewRule) -> list[str]:
    """Return all that lint and test say about rules, in a pack of their own."""
    (folder / "pack.yaml").write_text(PACK)
    for rule in rules:
        (folder / rule.area).mkdir(exist_ok=True)
        (folder / rule.area / f"{rule.id}.yaml").write_text(text_of_rule(rule))
    pack, mistakes = read_packs([default_pack(), folder])
    own = [rule for rule in pack.rules if rule.pack == "tests"]
    differing = [difference.lines for _, _, difference in run_examples(pack, example_maker(), own) if difference]
    count = [] if len(own) == len(rules) else [f"{len(own)} rules of {len(rules)}"]
    return [*map(str, mistakes), *map(str, differing), *count]


BROKEN = [
    pod({"name": "a", "state": {"waiting": {"reason": "ImagePullBackOff"}}}, phase="Pending", **conditions(Ready="False")),
    pod({"name": "a", "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}, "restartCount": 9}),
    pod(phase="Failed", reason="Evicted"),
    thing(
        "Node",
        "v1",
        spec={"unschedulable": True, "taints": [{"key": "a/b"}]},
        status=conditions(Ready="Unknown", DiskPressure="True"),
    ),
    thing("Node", "v1", status={"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "7"}}),
    thing("Deployment", "apps/v1", spec={"replicas": 3}, status={"readyReplicas": 1, **conditions(Available="False")}),
    thing("DaemonSet", "apps/v1", status={"desiredNumberScheduled": 2, "numberReady": 1}),
    thing("StatefulSet", "apps/v1", spec={"replicas": 2}, status={}),
    thing("PersistentVolumeClaim", "v1", status={"phase": "Pending"}),
    thing("Job", "batch/v1", status={"failed": 4, **conditions(Failed="True")}),
    thing("Service", "v1", spec={"type": "LoadBalancer"}),
    thing("ClusterPolicy", "nvidia.com/v1", status={"state": "notReady", **conditions(Ready="False", Error="True")}),
    thing("RunaiConfig", "run.ai/v1", status=conditions(Deployed="False")),
    thing("Event", "v1", type="Warning", reason="FailedMount", message="MountVolume.SetUp failed for volume x : no such file"),
    {
        **thing("Namespace", "v1", status={"phase": "Terminating"}),
        "metadata": {"name": "x", "deletionTimestamp": "2026-01-01T00:00:00Z", "labels": {"a/b": "paused"}},
    },
]


def test_the_rule_of_every_sign_passes_lint_and_test_at_once(tmp_path: Path) -> None:
    signs = [(body, number) for body in BROKEN for number in range(len(signs_of(body)))]
    rules = [of_sign(body, number, f"TST-NEW-{place:03}") for place, (body, number) in enumerate(signs, start=1)]
    assert len(rules) > 25
    assert problems(tmp_path, *rules) == []


@pytest.mark.corpus
def test_real_objects_give_rules_that_pass_lint_and_test_at_once(corpus: Path, tmp_path: Path) -> None:
    found = list(_different(corpus))
    rules = [of_sign(one, number, f"TST-COR-{place:03}") for place, (one, number) in enumerate(found, start=1)]
    assert len({one.name for one, _ in found}) >= 20
    assert len({rule.kind.name for rule in rules}) >= 10
    assert problems(tmp_path, *rules) == []


def _different(corpus: Path) -> Iterator[tuple[Pasted, int]]:
    """Yield the signs of the objects of the corpus, each kind and condition once."""
    seen = set()
    for folder in ("k8s-pods", "k8s-nodes", "k8s-workloads", "k8s-cr", "k8s-mixed", "k8s-events", "openshift-clusteroperators"):
        for file in sorted((corpus / folder).glob("*.[yj]*")):
            try:
                pasted = read_pasted(file.name, file.read_bytes())
            except ValueError:  # not YAML, or no objects
                continue
            for one in pasted:
                for number, sign in enumerate(one.signs):
                    if (one.kind, sign.asked) not in seen:
                        seen.add((one.kind, sign.asked))
                        yield one, number


TYPED: list[tuple[str, list[str], bool]] = [
    ("node", ["spec.unschedulable not_equals true"], False),
    ("node", ["status.allocatable.memory at_least 16Gi", "status.nodeInfo.kubeletVersion version >=1.33"], False),
    ("node", ["spec.taints exists"], True),
    ("pod", ["facts.restarts more_than 10"], True),
    ("pod", ["spec.containers[*].image matches ^docker.io/"], True),
    ("pod", ["status.message similar_to 'no space left on device'"], True),
    ("ns", ["label pod-security.kubernetes.io/enforce one_of privileged,baseline"], False),
    ("gpunode", ["nvidia_smi.ok equals true"], False),
    ("certificate", ["not_after before bundle_time + 30d"], True),
    ("certificate", ["dns_names covers_host a.example.com"], False),
    ("cluster", ["kubernetes.version version 1.33 - 1.35"], False),
    ("runaiconfig", ["status.conditions[type=Deployed].status equals True"], False),
    ("deploy", ["facts.ready equals_field facts.desired"], False),
    ("cm", ["data contains a, b"], False),
    ("svc", ["spec.ports min_length 1"], False),
]


def test_typed_conditions_give_rules_that_pass_lint_and_test(tmp_path: Path) -> None:
    rules = [
        replace(typed(kind, *texts, fault=fault), id=f"TST-TYP-{number:03}")
        for number, (kind, texts, fault) in enumerate(TYPED, start=1)
    ]
    assert problems(tmp_path, *rules) == []


def test_several_signs_must_all_be_there(tmp_path: Path) -> None:
    body = thing("Deployment", "apps/v1", spec={"replicas": 3}, status={"readyReplicas": 1, **conditions(ReplicaFailure="True")})
    signs = signs_of(body)[:2]
    rule = replace(EMPTY, kind=Kind("Deployment", None), title=signs[0].title, message="{{ metadata.name }} is broken")
    text = text_of_rule(made := from_sign(rule, body, signs))
    assert problems(tmp_path, made) == []
    assert "report_each:\n  kind: Deployment\n  where:    # what is wrong\n    - none_of:\n        - field: facts.ready\n" in text


def test_where_the_rule_looks_only_at_some_an_example_proves_it(tmp_path: Path) -> None:
    body = pod({"name": "a", "state": {"waiting": {"reason": "CrashLoopBackOff"}}})
    of_fault = replace(of_sign(body), id="TST-LIM-001", namespaces=("runai*",), names=("web", "shop-?"))
    of_fault = from_sign(of_fault, body, signs_of(body)[:1])
    expected = replace(typed("cm", "data.mode equals on"), id="TST-LIM-002", names=("settings",))
    expected = from_conditions(expected, body={"kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}})
    assert problems(tmp_path, of_fault, expected) == []
    pack, _ = read_packs([default_pack(), tmp_path])
    own = [rule for rule in pack.rules if rule.pack == "tests"]
    assert [one.whole for one in cover(pack, example_maker(), own)] == [True, True]
    assert [example.result for example in expected.examples] == ["fail", "pass", "not_applicable", "unknown"]


@pytest.mark.parametrize(
    ("text", "kind", "fix"),
    [
        ("spec.a equals b", Kind("Node", None), "Set spec.a of the Node to b."),
        ("status.a equals b", Kind("Node", None), "Describe the Node: its events and messages say what it waits for."),
        (
            "nvidia_smi.ok equals true",
            Kind("GpuNode", "made"),
            "Describe the GpuNode: its events and messages say what it waits for.",
        ),
    ],
)
def test_what_to_do_is_proposed(text: str, kind: Kind, fix: str) -> None:
    assert fix_of(None, kind, parse_condition(text)) == fix


def test_the_text() -> None:
    rule = of_sign(
        pod({"name": "a", "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}}, "ready": False})
    )
    assert (
        text_of_rule(replace(rule, namespaces=("runai",)))
        == """\
id: TST-NOD-001
title: A container waits with CrashLoopBackOff
severity: medium    # critical high medium low info: rules/README.md says which is which
area: kubernetes
status: draft    # then test, then stable
revision: 1
changed: 2026-12-01
owner: support
report_each:
  kind: Pod
  namespace: runai
  where:    # what is wrong
    - field: "status.containerStatuses[*].state.waiting.reason"
      equals: CrashLoopBackOff
message: "A container of Pod {{ metadata.namespace }}/{{ metadata.name }} waits: {{ found }}"
fix:
  text: Read the log of the container's last run, and its exit code.
  commands:
    - {run: "kubectl describe pod {{ metadata.name }} -n {{ metadata.namespace }}", risk: read only, run_by: customer}
examples:
  - name: the fault
    given:
      - apiVersion: v1
        kind: Pod
        metadata:
          name: p
          namespace: "n"
        status:
          containerStatuses:
            - name: a
              state:
                waiting:
                  reason: CrashLoopBackOff
    result: fail
    message_contains: p
  - name: as it should be
    given:
      - apiVersion: v1
        kind: Pod
        metadata:
          name: p
          namespace: "n"
        status:
          containerStatuses:
            - name: a
              state: {}
    result: pass
  - name: could not be read
    given: []
    not_collected: [Pod]
    result: unknown
"""
    )


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("spec.a equals b c", Asked("spec.a", "equals", "b c")),
        ('data["a b"] equals x', Asked('data["a b"]', "equals", "x")),
        ("label a.b/c one_of x, y", Asked('metadata.labels["a.b/c"]', "one_of", ("x", "y"))),
        ("annotation a exists", Asked('metadata.annotations["a"]', "exists", "true")),
        ("spec.a one_of x", Asked("spec.a", "one_of", ("x",))),
        ("spec.a contains x,y", Asked("spec.a", "contains", ("x", "y"))),
        ("spec.a similar_to 'no, space'", Asked("spec.a", "similar_to", "no, space")),
        ("spec.a equals a,b", Asked("spec.a", "equals", "a,b")),
    ],
)
def test_a_condition_as_people_type_it(text: str, asked: Asked) -> None:
    assert parse_condition(text) == asked


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("spec.a", '"spec.a" is no condition: FIELD TEST VALUE'),
        ("spec.a equalz b", '"equalz" is no test; did you mean "equals"?'),
        ("spec.a xyzzy b", '"xyzzy" is no test; there are equals not_equals'),
        ("spec.a equals", '"spec.a equals": equals needs a value'),
    ],
)
def test_a_condition_that_is_none(text: str, said: str) -> None:
    with pytest.raises(ValueError) as raised:
        parse_condition(text)
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize(
    ("used", "name"),
    [
        ([], "ACME-NOD-001"),
        (["ACME-NOD-001", "ACME-NOD-007", "RAI-NOD-040", "ACME-GPU-009"], "ACME-NOD-008"),
    ],
)
def test_the_next_number_is_one_that_was_never_used(used: list[str], name: str) -> None:
    assert next_id(used, "ACME", "nodes") == name


@pytest.mark.parametrize("area", AREAS)
def test_every_area_has_its_code(area: str) -> None:
    assert next_id([], "A1", area).startswith("A1-")


def test_the_prefix_is_that_of_the_pack(tmp_path: Path) -> None:
    rule = load_rule(tmp_path).rules[0]
    assert prefix_of([rule], "tests") == "RAI"
    assert [prefix_of([rule], name) for name in ("acme", "my-rules", "1st", "", "a")] == ["ACME", "MYRULES", "ST", "SITE", "SITE"]


@pytest.mark.parametrize(("kind", "area"), [("Node", "nodes"), ("Pod", "kubernetes"), ("Ingress", "network"), ("GpuNode", "gpu")])
def test_area_of(kind: str, area: str) -> None:
    assert area_of(kind) == area
