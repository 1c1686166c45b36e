"""Commands of a fix: the names of a finding put in, where they are names and nothing else."""

from pathlib import Path
from typing import Any

import pytest
from runai_analyze.model import Command, Outcome

from tests.engine.facts import SomeFacts, examples_for, run_rule, thing
from tests.ruleset.packs import RULE

LOOK = "kubectl describe pod {{ metadata.name }} -n {{ metadata.namespace }}"
EACH = "for_each: {kind: Gadget.example.com}\nexpect: [{field: ok, equals: 'yes'}]"


def outcome_of(folder: Path, run: str, *objects: dict[str, Any], selection: str = EACH, more: str = "", **facts: Any) -> Outcome:
    """Return the outcome of a rule with one command."""
    head, _ = RULE.split("for_each:\n")
    fix = f"fix:\n  text: Mend it.\n  commands:\n    - run: >-\n        {run}\n      risk: read only\n      run_by: customer\n"
    rule = f"{head}{selection}\nmessage: wrong\n{more}{fix}{examples_for(selection)}"
    return run_rule(folder, rule, SomeFacts(objects, **facts))


def runs(outcome: Outcome) -> list[str]:
    return [command.run for finding in outcome.findings for command in finding.commands]


def test_names_are_put_in_for_each_finding(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, LOOK, thing("web-1", namespace="shop"), thing("db", namespace="team.a"))
    assert runs(outcome) == ["kubectl describe pod web-1 -n shop", "kubectl describe pod db -n team.a"]
    assert outcome.rule.commands == (Command("kubectl describe pod NAME -n NAMESPACE", "read only", "customer"),)
    assert [command.run for command in outcome.commands] == runs(outcome)


@pytest.mark.parametrize(
    "value",
    [
        "a b",
        "$(reboot)",
        "`reboot`",
        "a;b",
        "a'b",
        'a"b',
        "-rf",
        "--all",
        "a\nb",
        "a/b/c",
        "../a",
        "a|b",
        "*.example.com",
        "ａ",
        "x" * 254,
        "",
        7,
        {"a": 1},
        "«redacted:name»",
        "a\n",
    ],
)
def test_what_is_no_plain_name_leaves_the_placeholder(tmp_path: Path, value: object) -> None:
    assert runs(outcome_of(tmp_path, "ping {{ spec.host }}", thing(spec={"host": value}))) == ["ping HOST"]


@pytest.mark.parametrize("value", ["gw.acme.example", "10.0.0.7", "nvidia.com/gpu.count", "kubernetes.podspec-x", "A", "a_b"])
def test_names_hosts_and_keys_are_put_in(tmp_path: Path, value: str) -> None:
    assert runs(outcome_of(tmp_path, "ping {{ spec.host }}", thing(spec={"host": value}))) == [f"ping {value}"]


def test_a_field_that_is_not_there_leaves_the_placeholder(tmp_path: Path) -> None:
    assert runs(outcome_of(tmp_path, "ping {{ spec.host }} {{ cluster.runai.url_host }}", thing())) == ["ping HOST HOST"]


def test_the_cluster_and_params_can_be_named(tmp_path: Path) -> None:
    more = "params: {port: https}\n"
    cluster = {"runai": {"url_host": "gw.acme.example"}}
    run = "curl {{ cluster.runai.url_host }}:{{ params.port }}"
    assert runs(outcome_of(tmp_path, run, thing(), more=more, cluster=cluster)) == ["curl gw.acme.example:https"]


@pytest.mark.parametrize(("classes", "run"), [(["ceph"], "use ceph"), (["ceph", "nfs"], "use CLASS"), ([], "use CLASS")])
def test_of_several_in_the_cluster_a_person_chooses(tmp_path: Path, classes: list[str], run: str) -> None:
    cluster = {"storage": {"classes": classes}}
    assert runs(outcome_of(tmp_path, "use {{ cluster.storage.classes }}", thing(), cluster=cluster)) == [run]


def test_several_names_give_several_commands(tmp_path: Path) -> None:
    run = "ssl {{ hosts }}:443 -name {{ hosts }} {{ metadata.name }}"
    assert runs(outcome_of(tmp_path, run, thing(hosts=["a.x", "b.x", "*.x"]))) == [
        "ssl a.x:443 -name a.x a",
        "ssl b.x:443 -name b.x a",
        "ssl HOST:443 -name HOST a",
    ]


def test_two_lists_are_not_paired(tmp_path: Path) -> None:
    assert runs(outcome_of(tmp_path, "x {{ some }} {{ others }}", thing(some=["a", "b"], others=["c", "d"]))) == ["x SOME OTHERS"]


def test_failed_keys(tmp_path: Path) -> None:
    selection = "for_each: {kind: Gadget.example.com}\nexpect: [{field: data, keys: [f.a, f.b], equals: enabled}]"
    run = """patch -p '{"data":{"{{ failed_keys }}":"enabled"}}'"""
    assert runs(outcome_of(tmp_path, run, thing(data={"f.c": "x"}), selection=selection)) == [
        """patch -p '{"data":{"f.a":"enabled"}}'""",
        """patch -p '{"data":{"f.b":"enabled"}}'""",
    ]


def test_a_finding_on_several_objects_has_a_command_for_each_up_to_a_bound(tmp_path: Path) -> None:
    things = [thing(f"n{number:02}", namespace="x") for number in range(12)]
    outcome = outcome_of(tmp_path, LOOK, *things, more="group_by: metadata.namespace\n")
    assert runs(outcome) == [f"kubectl describe pod n{number:02} -n x" for number in range(10)] + [
        "kubectl describe pod NAME -n NAMESPACE"
    ]
    assert runs(outcome_of(tmp_path, LOOK, *things[:2], more="group_by: metadata.namespace\n")) == [
        "kubectl describe pod n00 -n x",
        "kubectl describe pod n01 -n x",
    ]


def test_an_object_that_is_missing_is_named_where_the_rule_names_it(tmp_path: Path) -> None:
    one = "for_each: {kind: Gadget.example.com, namespace: ns, name: g1, if_none: fail}\nexpect: [{field: ok, equals: 'yes'}]"
    any_one = "for_each: {kind: Gadget.example.com, namespace: ns, if_none: fail}\nexpect: [{field: ok, equals: 'yes'}]"
    assert runs(outcome_of(tmp_path, LOOK, selection=one)) == ["kubectl describe pod g1 -n ns"]
    assert runs(outcome_of(tmp_path, LOOK, selection=any_one)) == ["kubectl describe pod NAME -n ns"]


def test_commands_without_a_place_for_a_name_stay_the_rules(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, "kubectl get nodes -o jsonpath='{.x}}'", thing())
    assert runs(outcome) == []
    assert outcome.commands == outcome.rule.commands


def test_commands_of_all_findings_stand_by_kind(tmp_path: Path) -> None:
    text = RULE.replace(
        "fix: {text: Buy a larger one.}",
        "fix:\n  text: Buy one.\n  commands:\n"
        "    - {run: 'drain {{ metadata.name }}', risk: changes the cluster, run_by: customer}\n"
        "    - {run: get nodes, risk: read only, run_by: customer}",
    )
    nodes = [thing(name, "Node", status={"allocatable": {"cpu": "4"}}) for name in ("a", "b")]
    outcome = run_rule(tmp_path, text, SomeFacts(nodes))
    assert [command.run for command in outcome.commands] == ["drain a", "drain b", "get nodes"]


def test_the_order_of_the_rule_stays(tmp_path: Path) -> None:
    head, _ = RULE.split("for_each:\n")
    lines = [("get {{ metadata.name }}", "read only"), ("scale {{ metadata.name }}", "changes the cluster (pods)"),
             ("rollout status {{ metadata.name }}", "read only")]
    commands = "".join(f"    - {{run: '{run}', risk: {risk}, run_by: customer}}\n" for run, risk in lines)
    rule = f"{head}{EACH}\nmessage: wrong\nfix:\n  text: Mend it.\n  commands:\n{commands}{examples_for(EACH)}"
    outcome = run_rule(tmp_path, rule, SomeFacts([thing("a"), thing("b")]))
    assert runs(outcome) == ["get a", "scale a", "rollout status a", "get b", "scale b", "rollout status b"]
    assert [command.run for command in outcome.commands] == [
        "get a", "get b", "scale a", "scale b", "rollout status a", "rollout status b",
    ]
