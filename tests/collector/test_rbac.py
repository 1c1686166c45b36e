"""The roles are what the plan reads, and no more; the YAML is read back by a parser of somebody else's."""

from argparse import ArgumentTypeError
from typing import Any

import pytest
import yaml
from runai_collect import plan, rbac
from runai_collect.cli import main

Document = dict[str, Any]
ALL = rbac.TIERS


def documents(*tiers: str, **options: Any) -> list[Document]:
    return list(yaml.safe_load_all(rbac.manifest(tiers, **options)))


def granted(found: list[Document]) -> set[tuple[str, str, str, str]]:
    """Every (namespace, verb, group, resource) of the roles; a resource with names reads "secrets/name"."""
    return {
        (role["metadata"].get("namespace", ""), verb, group, resource + (f"/{name}" if name else ""))
        for role in found
        if role["kind"] in ("Role", "ClusterRole")
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for name in rule.get("resourceNames", [""])
    }


def test_base_lists_every_planned_kind_and_reads_logs_and_nothing_else() -> None:
    custom = {("", "list", group, "*") for group in {*plan.CUSTOM_GROUPS, *rbac.ENDING_GROUPS}}
    kinds = {("", "list", kind.group, kind.plural) for kind in plan.KINDS}
    rest = {("kube-node-lease", "list", "coordination.k8s.io", "leases"), ("", "get", "", "pods/log")}
    assert granted(documents("base")) == custom | kinds | rest


def test_no_group_is_named_that_is_not_read() -> None:
    assert [group for group in rbac.ENDING_GROUPS if not plan.custom_group(group)] == []


def test_secrets_adds_the_list_and_the_named_ones_where_they_stand() -> None:
    more = granted(documents("base", "+secrets")) - granted(documents("base"))
    named = {(namespace, "get", "", "secrets/" + name) for namespace, name in plan.CERTIFICATE_SECRETS}
    assert more == {("", "list", "", "secrets")} | named
    assert ("openshift-monitoring", "get", "", "secrets/runai-ca-cert") in more


def test_a_secret_of_an_ingress_is_added_by_name() -> None:
    more = granted(documents(*ALL, certificates=[("shop", "1e5")])) - granted(documents(*ALL))
    assert more == {("shop", "get", "", "secrets/1e5")}


def test_exec_is_granted_in_gpu_namespaces_only() -> None:
    more = granted(documents("base", "+exec")) - granted(documents("base"))
    assert {namespace for namespace, *_ in more} == {
        "gpu-operator",
        "nvidia-gpu-operator",
        "gpu-operator-resources",
        "nvidia-dra-driver-gpu",
    }
    assert {(verb, resource) for _, verb, _, resource in more} == {
        ("get", "pods"),
        ("get", "pods/proxy"),
        ("get", "pods/exec"),
        ("create", "pods/exec"),
    }


def test_no_tier_has_a_verb_beyond_get_and_list_but_exec() -> None:
    assert {row for row in granted(documents(*ALL)) if row[1] not in ("get", "list")} == {
        (namespace, "create", "", "pods/exec") for namespace in plan.EXEC_NAMESPACES
    }


def test_every_role_is_bound_to_the_account_and_to_nobody_else() -> None:
    found = documents(*ALL)
    roles = {(one["kind"], one["metadata"]["name"], one["metadata"].get("namespace")) for one in found if "rules" in one}
    bound = {
        (one["roleRef"]["kind"], one["roleRef"]["name"], one["metadata"].get("namespace")) for one in found if "roleRef" in one
    }
    assert bound == roles
    account = [{"kind": "ServiceAccount", "name": "runai-collect", "namespace": "runai-collect"}]
    assert [one["subjects"] for one in found if "subjects" in one and one["subjects"] != account] == []
    assert [one["kind"] for one in found[:2]] == ["Namespace", "ServiceAccount"]


def test_with_namespaces_nothing_namespaced_is_granted_elsewhere() -> None:
    rows = granted(documents(*ALL, options=plan.Options(("gpu-operator", "runai"))))
    namespaced = {(kind.group, kind.plural) for kind in plan.KINDS if kind.namespaced}
    assert {row for row in rows if not row[0] and row[2:] in namespaced | {("", "secrets"), ("", "pods/log")}} == set()
    assert {row[0] for row in rows} == {"", "kube-node-lease", "gpu-operator", "runai"}
    assert ("runai", "list", "", "pods") in rows
    assert {row[0] for row in rows if row[3] == "pods/exec"} == {"gpu-operator"}
    assert ("", "list", "", "nodes") in rows


def test_what_a_plan_file_adds_is_granted_too() -> None:
    kinds = (plan.Kind("rbac.authorization.k8s.io", "roles", "v1", "Role", True), plan.KINDS[0])
    extra = plan.Extra("my rules.json", "", kinds, ("example.com",))
    more = granted(documents("base", options=plan.Options(extra=extra))) - granted(documents("base"))
    assert more == {("", "list", "rbac.authorization.k8s.io", "roles"), ("", "list", "example.com", "*")}
    assert "--no-secrets --no-exec --plan-file 'my rules.json'\n" in rbac.manifest(("base",), (), plan.Options(extra=extra))


def test_a_run_without_logs_is_granted_none() -> None:
    less = granted(documents("base")) - granted(documents("base", options=plan.Options(logs=False)))
    assert less == {("", "get", "", "pods/log")}
    assert "--no-secrets --no-exec --no-logs\n" in rbac.manifest(("base",), (), plan.Options(logs=False))


def test_the_head_names_the_flags_that_match() -> None:
    lines = {tiers: rbac.manifest(tiers) for tiers in (("base",), ("base", "+secrets"), ("base", "+exec"), ALL)}
    runs = [next(line for line in text.splitlines() if "--kubeconfig runai-collect" in line) for text in lines.values()]
    assert [line.split("runai-collect.kubeconfig")[1].split() for line in runs] == [
        ["--no-secrets", "--no-exec"],
        ["--no-exec"],
        ["--no-secrets"],
        [],
    ]


def test_it_says_what_a_thief_of_the_token_could_do() -> None:
    comments = "\n".join(line[2:] for line in rbac.manifest(ALL).splitlines() if line.startswith("#"))
    assert "can list every Secret with its values" in " ".join(comments.split())
    assert "root on each GPU node" in " ".join(comments.split())
    assert comments.count("+exec: nvidia-smi") == 1, "the same comment stands over one role"


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("base", ("base",)),
        ("+secrets", ("base", "+secrets")),
        ("+exec", ("base", "+exec")),
        ("+exec+secrets", ALL),
        ("base+secrets", ("base", "+secrets")),
        ("all", ALL),
    ],
)
def test_tiers_are_read(text: str, tiers: tuple[str, ...]) -> None:
    assert rbac.read_tiers(text) == tiers


@pytest.mark.parametrize("text", ["", "admin", "+admin", "all+exec", "basement"])
def test_other_tiers_are_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match=r"is not base, \+secrets"):
        rbac.read_tiers(text)


def test_the_program_prints_it_without_a_cluster(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["--rbac", "+secrets", "--certificate", "shop/tls"]) == 0
    assert capsys.readouterr().out == rbac.manifest(("base", "+secrets"), [("shop", "tls")])


@pytest.mark.parametrize("wrong", ["tls", "shop/", "/tls", "shop/a b", "shop/../x", 'shop/x"', "Shop/tls"])
def test_what_names_no_secret_is_refused(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--rbac", "--certificate", wrong])
    assert ended.value.code == 2
    assert "certificate" in capsys.readouterr().err


def test_who_cannot_grant_the_list_of_secrets_is_told_what_else_there_is() -> None:
    text = " ".join(rbac.manifest(("base", "+secrets")).replace("# ", "").split())
    assert "a run with --no-secrets" in text
    assert "base with the certificate Roles below alone" in text
