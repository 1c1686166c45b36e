"""runai-rules new as a person runs it: with answers, with options, and with an object."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from runai_analyze.rules_cli import main

from tests.bundle.builder import Builder, node
from tests.ruleset.packs import RULE, write_pack

BROKEN = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web-1", "namespace": "shop", "managedFields": [{"manager": "kubelet"}], "uid": "1-2-3"},
    "spec": {"containers": [{"name": "web", "image": "web:1", "env": [{"name": "KEY", "value": "hunter2-hunter2"}]}]},
    "status": {
        "phase": "Pending",
        "conditions": [{"type": "Ready", "status": "False"}],
        "containerStatuses": [{"name": "web", "state": {"waiting": {"reason": "ImagePullBackOff"}}}],
    },
}


def run(*arguments: object, text: str | bytes = "") -> Result:
    return CliRunner().invoke(main, ["new", *map(str, arguments)], input=text)


def written(result: Result) -> Path:
    """Return the rule file that was written."""
    line = next(line for line in result.stdout.splitlines() if line.startswith("wrote ") and "no mistakes" in line)
    return Path(line.removeprefix("wrote ").partition(":")[0])


def test_an_object_becomes_a_rule_that_lint_and_test_and_cover_find_right(tmp_path: Path) -> None:
    (tmp_path / "pod.json").write_text(json.dumps(BROKEN))
    pack = tmp_path / "acme"
    result = run(pack, "--from-object", tmp_path / "pod.json", "--yes")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[:6] == [
        "Pod shop/web-1: 3 signs of a fault",
        "  1  a container waits: ImagePullBackOff    (status.containerStatuses[*].state.waiting.reason)",
        "  2  condition Ready is False    (status.conditions[type=Ready].status)",
        "  3  status.phase is Pending    (status.phase)",
        "left out, because it may be secret: values of environment variables",
        f"wrote {pack}/pack.yaml: the pack acme",
    ]
    file = written(result)
    assert file == pack / "kubernetes" / "ACME-KUB-001.yaml"
    text = file.read_text()
    assert "hunter2" not in text
    assert "managedFields" not in text
    for command in ("lint", "test", "cover"):
        assert CliRunner().invoke(main, [command, str(pack)]).exit_code == 0


def test_standard_input_and_another_sign(tmp_path: Path) -> None:
    result = run(tmp_path, "--from-object", "-", "--yes", "--pick", "2", text=json.dumps(BROKEN))
    assert "status.conditions[type=Ready].status" in written(result).read_text()


def test_several_signs_in_one_rule(tmp_path: Path) -> None:
    result = run(tmp_path, "--from-object", "-", "--yes", "--pick", "1,3", text=json.dumps(BROKEN))
    text = written(result).read_text()
    assert "state.waiting.reason" in text
    assert "field: status.phase\n      equals: Pending\n" in text


def test_an_object_is_taken_from_a_bundle(tmp_path: Path) -> None:
    nodes = [node("w1"), node("w2", spec={"unschedulable": True}), node("w3", spec={"unschedulable": True})]
    bundle = Builder().list("Node", "v1", *nodes).write(tmp_path / "site.tgz")
    pack = tmp_path / "acme"
    result = run(pack, "--from-object", bundle, "--kind", "node", "--yes")
    assert "Node w2: 1 sign of a fault\n  1  it is cordoned    (spec.unschedulable)\n" in result.stdout
    assert "facts" not in written(result).read_text()
    assert "Node w3: 1 sign" in run(pack, "--from-object", bundle, "--kind", "node", "--object", "w3", "--yes").stdout
    missing = run(pack, "--from-object", bundle, "--kind", "node", "--object", "w9", "--yes")
    assert (missing.exit_code, "holds no Node of the name w9" in missing.stderr) == (2, True)
    assert run(pack, "--from-object", tmp_path / "gone.tgz", "--kind", "node", "--yes").exit_code == 3
    assert "--kind or --from-object is needed" in run(pack, "--from-object", bundle, "--yes").stderr


def test_an_event_makes_a_rule_about_all_events_like_it(tmp_path: Path) -> None:
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "web.1", "namespace": "shop"},
        "type": "Warning",
        "reason": "FailedMount",
        "involvedObject": {"kind": "Pod", "name": "web", "namespace": "shop"},
    }
    listed = json.dumps({"kind": "List", "items": [event, BROKEN]})
    text = written(run(tmp_path, "--from-object", "-", "--yes", "--object", "web.1", text=listed)).read_text()
    assert (
        "report_each:\n  kind: EventGroup\n  where:    # what is wrong\n    - field: reason\n      equals: FailedMount\n" in text
    )
    assert "      - apiVersion: v1\n        kind: Event\n" in text


def test_of_several_objects_the_clearest_or_the_named_one(tmp_path: Path) -> None:
    other = {**BROKEN, "metadata": {"name": "web-2", "namespace": "shop"}, "status": {"phase": "Failed"}}
    listed = json.dumps({"kind": "List", "items": [other, BROKEN]})
    assert "Pod shop/web-1: 3 signs" in run(tmp_path, "--from-object", "-", "--yes", text=listed).stdout
    assert "Pod shop/web-2: 1 sign " in run(tmp_path, "--from-object", "-", "--yes", "--object", "web-2", text=listed).stdout


def test_options_answer_everything(tmp_path: Path) -> None:
    words = "Node {{ metadata.name }} is cordoned"
    options = {
        "--id": "ACME-NOD-042",
        "--title": "A node is cordoned",
        "--severity": "high",
        "--area": "nodes",
        "--kind": "node",
        "--expect": "spec.unschedulable not_equals true",
        "--message": words,
        "--fix": "Uncordon it.",
        "--owner": "field",
        "--changed": "2026-12-24",
    }
    result = run(tmp_path, *(word for pair in options.items() for word in pair), "--yes")
    text = written(result).read_text()
    assert text.startswith(
        "id: ACME-NOD-042\ntitle: A node is cordoned\nseverity: high    # critical high medium low info: "
        "rules/README.md says which is which\narea: nodes\nstatus: draft    # then test, then stable\nrevision: 1\n"
        "changed: 2026-12-24\nowner: field\nfor_each:\n  kind: Node\nexpect:    # what a healthy one meets\n"
        '  - field: spec.unschedulable\n    not_equals: "true"\nmessage: "Node {{ metadata.name }} is cordoned"\n'
    )


def test_settings_are_found_by_their_name(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: features, namespace: shop}\ndata: {mode: secret-or-not}\n"
    result = run(tmp_path, "--from-object", "-", "--expect", "data.mode equals on", "--yes", text=text)
    rule = written(result).read_text()
    assert "  kind: ConfigMap\n  namespace: shop\n  name: features\n" in rule
    assert "secret-or-not" not in rule
    assert CliRunner().invoke(main, ["cover", str(tmp_path)]).exit_code == 0


def test_asked_and_answered(tmp_path: Path) -> None:
    answers = "nodd\nnode\nspec.x\nspec.unschedulable not_equals true\n\n\nA node is cordoned\n\n\nUncordon it.\n"
    result = run(tmp_path, text=answers)
    assert result.exit_code == 0, result.output
    assert 'there is no kind "nodd"; did you mean "Node"?' in result.stderr
    assert '"spec.x" is no condition: FIELD TEST VALUE' in result.stderr
    text = written(result).read_text()
    assert "title: A node is cordoned\nseverity: medium " in text
    assert "  text: Uncordon it.\n" in text


def test_the_next_number_of_the_pack_is_proposed(tmp_path: Path) -> None:
    write_pack(tmp_path, RULE.replace("RAI-TST-001", "ACME-NOD-004"), "ACME-NOD-004.yaml")
    result = run(tmp_path, "--kind", "node", "--expect", "spec.unschedulable not_equals true", "--yes")
    assert written(result).name == "ACME-NOD-005.yaml"


def test_where_the_pack_has_a_schema_the_rule_names_it(tmp_path: Path) -> None:
    arguments = ["--kind", "node", "--expect", "spec.unschedulable not_equals true", "--yes"]
    assert written(run(tmp_path, *arguments)).read_text().startswith("id: ")
    (tmp_path / "rule.schema.json").write_text("{}")
    assert written(run(tmp_path, *arguments)).read_text().startswith("# yaml-language-server: $schema=../rule.schema.json\nid: ")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    folder = write_pack(tmp_path)
    result = run(folder, "--id", "RAI-TST-001", "--area", "nodes", "--kind", "node", "--expect", "spec.podCIDR exists", "--yes")
    assert result.exit_code == 2
    assert "RAI-TST-001.yaml is there already, and nothing is overwritten; take another --id" in result.stderr
    assert (folder / "nodes" / "RAI-TST-001.yaml").read_text() == RULE


def test_a_rule_with_a_mistake_is_shown_and_not_written(tmp_path: Path) -> None:
    result = run(tmp_path, "--kind", "node", "--expect", "spec.unschedulabel equals true", "--yes")
    assert result.exit_code == 4
    assert 'Node has no field "spec.unschedulabel"; did you mean "unschedulable"?' in result.stderr
    assert not list(tmp_path.glob("*/*.yaml"))


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        (["--yes"], "", "--kind or --from-object is needed"),
        (["--yes", "--kind", "node"], "", "--expect or --fault is needed"),
        (["--yes", "--kind", "nodd", "--expect", "a exists"], "", 'did you mean "Node"?'),
        (["--yes", "--kind", "node", "--expect", "a exists", "--fault", "a exists"], "", "do not go together"),
        (["--yes", "--kind", "node", "--expect", "a frob"], "", '"frob" is no test'),
        (["--yes", "--kind", "node", "--expect", "spec.podCIDR matches ^a{3}-b$"], "", "name one with --good"),
        (["--yes", "--from-object", "/nowhere"], "", "/nowhere cannot be read: No such file"),
        (["--yes", "--from-object", "-"], "words", "holds no object with kind"),
        (["--yes", "--from-object", "-", "--pick", "7"], json.dumps(BROKEN), "'7' names none of the signs 1 to 3"),
        (["--yes", "--from-object", "-", "--object", "x"], json.dumps(BROKEN), "there is no object 'x'; there are shop/web-1"),
        (["--yes", "--from-object", "-"], "kind: Node\nmetadata: {name: a}", "nothing in this object looks wrong by itself"),
        (["--yes", "--from-object", "-", "--area", "moon"], json.dumps(BROKEN), "'moon' is none of kubernetes"),
    ],
)
def test_what_is_lacking_is_said(tmp_path: Path, arguments: list[str], text: str, said: str) -> None:
    result = run(tmp_path, *arguments, text=text)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not list(tmp_path.glob("*/*.yaml"))


@pytest.mark.parametrize("secret", ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.dGhpc2lzYXNpZ25hdHVyZQ", "AKIAIOSFODNN7EXAMPLQ"])
def test_a_secret_in_a_word_that_shows_the_fault_never_comes_into_the_file(tmp_path: Path, secret: str) -> None:
    body = {**BROKEN, "metadata": {**BROKEN["metadata"], "annotations": {"a": secret}}}  # type: ignore[dict-item]
    body["spec"] = {"containers": [{"name": "web", "args": [f"--token={secret}"]}]}
    body["status"] = {"phase": "Failed", "reason": f"token={secret}", "message": f"Bearer {secret}"}
    result = run(tmp_path, "--from-object", "-", "--yes", text=json.dumps(body))
    assert secret not in written(result).read_text()
    assert secret not in result.output


def test_words_of_an_object_cannot_drive_the_terminal(tmp_path: Path) -> None:
    body = {**BROKEN, "metadata": {"name": "a\x1b[2J", "namespace": "shop"}}
    result = run(tmp_path, "--from-object", "-", "--yes", text=json.dumps(body))
    assert "\x1b" not in result.output


DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "backend", "namespace": "runai-backend", "annotations": {"acme.example/tier": "gold"}},
    "spec": {"replicas": 0},
}


def on_deployment(pack: Path, *arguments: str, text: str = "") -> Result:
    (pack.parent / "deployment.json").write_text(json.dumps(DEPLOYMENT))
    return run(pack, "--from-object", pack.parent / "deployment.json", *arguments, text=text)


def test_an_object_without_signs_leads_to_a_question(tmp_path: Path) -> None:
    result = on_deployment(tmp_path / "acme", text="spec.replicas equals 0" + "\n" * 9)
    assert "say what does" in result.stdout
    assert "report_each:\n  kind: Deployment\n  where:    # what is wrong\n    - field: spec.replicas\n      equals: " in (
        written(result).read_text()
    )


def test_what_fails_leaves_no_pack_behind(tmp_path: Path) -> None:
    refused = on_deployment(tmp_path / "acme", "--yes")
    assert (refused.exit_code, "with --fault 'FIELD TEST VALUE'" in refused.stderr) == (2, True)
    assert not (tmp_path / "acme").exists()
    elsewhere = on_deployment(tmp_path / "acme", "--fault", "spec.replicas equals 0", "--namespace", "runai", "--yes")
    assert "is not found by this rule:\n    it looks only at other namespaces or names\n" in elsewhere.stderr
    assert (elsewhere.exit_code, (tmp_path / "acme").exists()) == (4, False)


def test_a_rule_that_does_not_find_its_object_is_not_written_unasked(tmp_path: Path) -> None:
    typed = ("--fault", "spec.replicas equals 0", "--fault", "annotation acme.example/tier equals silver")
    result = on_deployment(tmp_path / "acme", *typed, "--yes")
    assert result.exit_code == 4
    assert 'metadata.annotations["acme.example/tier"] is set to something, and the rule looks for equals silver' in result.stderr
    assert on_deployment(tmp_path / "acme", *typed, text="\n" * 6 + "y\n").exit_code == 0


def test_a_fault_that_is_not_set_in_the_object_counts_as_met(tmp_path: Path) -> None:
    typed = ("--fault", "spec.replicas equals 0", "--fault", "annotation acme.example/managed not_equals true")
    places = ("--namespace", "runai", "--namespace", "runai-backend", "--yes")
    result = on_deployment(tmp_path / "acme", *typed, *places)
    assert result.exit_code == 0, result.output
    assert "when_absent: pass" in written(result).read_text()
    (tmp_path / "list.json").write_text(json.dumps({"kind": "List", "items": [DEPLOYMENT]}))
    tried = CliRunner().invoke(main, ["try", str(written(result)), str(tmp_path / "list.json")])
    assert "outcome: fail" in tried.stdout
    assert CliRunner().invoke(main, ["cover", str(written(result))]).exit_code == 0


@pytest.mark.parametrize(
    ("option", "written_as"),
    [("--namespace", "--namespace runai --namespace runai-backend"), ("--name", "--name runai --name runai-backend")],
)
def test_several_names_in_one_option_are_said_to_be_several(option: str, written_as: str, tmp_path: Path) -> None:
    result = on_deployment(tmp_path / "acme", "--fault", "spec.replicas equals 0", option, "runai,runai-backend", "--yes")
    assert (result.exit_code, f"one each, given several times: {written_as}" in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("metadata.annotations[acme/managed] not_equals true", 'write metadata.annotations["acme/managed"]'),
        ("spec.replicas == 0", 'did you mean "equals"?'),
        ("spec..replicas equals 0", "not a path from character 5 on"),
        ("spec.replicas equals_field spec[", "not a path"),
        ("metadata.creationTimestamp after notatime", "not a time: notatime"),
        ("spec.replicas version x", "not a version: x"),
    ],
)
def test_a_condition_that_is_none_is_answered_in_one_line(condition: str, said: str, tmp_path: Path) -> None:
    result = on_deployment(tmp_path / "acme", "--fault", condition, "--yes")
    assert (result.exit_code, said in result.stderr) == (2, True), result.output
