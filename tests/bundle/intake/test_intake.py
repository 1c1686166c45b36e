"""What an intake keeps of the files that formats give it, and what it says of the rest."""

import hashlib
import json

from tests.bundle.intake.member import TestFile, bodies, intake, messages, secret, taken

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "namespace": "x"}}
PODS = """apiVersion: v1
items:
- metadata:
    name: a
    namespace: x
- metadata:
    name: b
    namespace: x
kind: PodList
"""


def test_items_of_a_list_have_its_kind_and_lines_of_their_own() -> None:
    into = taken(PODS)
    found = [(record.body["kind"], record.body["metadata"]["name"], record.line) for record in into.spool.records(None)]
    assert found == [("Pod", "a", 3), ("Pod", "b", 6)]


def test_lines_of_indented_json() -> None:
    text = json.dumps({"apiVersion": "v1", "items": [POD, {**POD, "metadata": {"name": "b"}}], "kind": "List"}, indent=4)
    lines = [record.line for record in taken(text).spool.records(None)]
    assert [text.split("\n")[line - 1].strip() for line in lines] == ["{", "{"]
    assert lines == [4, 12]


def test_the_same_object_twice_is_one() -> None:
    into = taken({"kind": "List", "items": [POD, {**POD, "spec": {"later": True}}]})
    assert bodies(into) == [POD]
    assert into.seen == {("Pod", "", "x"): 1}


def test_half_of_an_object_is_none() -> None:
    half = PODS[: PODS.index("kind: PodList") - len("    namespace: x\n")]
    into = taken("apiVersion: v1\nkind: PodList\n" + half.split("\n", 1)[1], whole=False)
    assert [body["metadata"]["name"] for body in bodies(into)] == ["a"]
    assert "the archive ends in the middle of this file" in messages(into)


def test_a_cut_json_list_keeps_its_whole_items() -> None:
    text = json.dumps({"kind": "PodList", "apiVersion": "v1", "items": [POD, {**POD, "metadata": {"name": "b"}}]})
    into = taken(text[: text.index('"b"')])
    assert bodies(into) == [POD]
    assert into.damaged == {("", ""): "a.yaml cannot be read"}


def test_a_document_that_says_its_kind_damages_no_other() -> None:
    into = taken("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a: b\n")
    assert into.damaged == {("Deployment", "apps"): "a.yaml cannot be read"}


def test_secrets_in_objects_are_hidden_and_counted() -> None:
    container = {"name": "c", "env": [{"name": "DB_PASSWORD", "value": "Tr0ub4dor-and-3"}]}
    into = taken({**POD, "spec": {"containers": [container]}})
    assert bodies(into)[0]["spec"]["containers"][0]["env"][0]["value"] == "«redacted:password»"
    assert into.hidden == {"password": 1}


_BESIDE = "apiVersion: v1\nitems:\n- kind: Pod\n  spec: %s\n- kind: Pod\n  metadata: {name: b}\nkind: PodList\n"


def test_what_is_hidden_and_no_secret_is_not_counted() -> None:
    address = "/apis/rbac.authorization.k8s.io/v1/roles/a"
    about = {"name": "a", "selfLink": address, "annotations": {"objectset.rio.cattle.io/applied": "H4sI"}}
    into = taken({"apiVersion": "v1", "kind": "Role", "metadata": about})
    assert bodies(into)[0]["metadata"]["annotations"] == {"objectset.rio.cattle.io/applied": "«redacted:annotation»"}
    assert into.hidden == {}


def test_an_object_of_too_many_values_is_left_out_and_told() -> None:
    into = taken(_BESIDE % ("[" + "{}," * 200_001 + "]"))
    assert [body["metadata"]["name"] for body in bodies(into)] == ["b"]
    assert messages(into) == ["line 4: it holds more values than an object can"]
    assert ("Pod", "") in into.damaged


def test_an_object_that_is_too_deep_costs_no_other() -> None:
    into = taken(_BESIDE % ("[" * 300 + "]" * 300))
    assert [body["metadata"]["name"] for body in bodies(into)] == ["b"]
    assert messages(into) == ["line 4: it nests more than 100 levels deep"]


def test_an_object_beyond_eight_mebibytes_is_left_out() -> None:
    into = taken({**POD, "spec": {"text": "word " * ((9 << 20) // 5)}})
    assert bodies(into) == []
    assert messages(into) == ["Pod a was left out: it is longer than 8 MiB"]


def test_a_name_that_no_object_has() -> None:
    into = taken({**POD, "metadata": {"name": "a" * 501}})
    assert bodies(into) == []
    assert into.damaged == {("Pod", ""): "a.yaml cannot be read"}


def test_a_helm_secret_is_a_release_too() -> None:
    body = secret("sh.helm.release.v1.x.v2", "helm.sh/release.v1", release="H4sIAAAA")
    body["metadata"]["labels"] = {"owner": "helm", "name": "x", "version": "2", "status": "deployed", "other": "no"}
    into = taken(body)
    rows = {record.area: record.body for record in into.spool.records(None)}
    assert rows["helm"]["labels"] == {"owner": "helm", "name": "x", "version": "2", "status": "deployed"}
    assert rows["secret"]["keys"] == 1


def crd(versions: object) -> dict[str, object]:
    spec = {"group": "x.example", "names": {"kind": "X"}, "versions": versions}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "xs"}, "spec": spec}


def test_of_a_schema_stays_what_our_own_bundles_keep() -> None:
    (body,) = bodies(taken(crd([{"name": "v1", "served": True, "schema": {"openAPIV3Schema": {"type": "object"}}}])))
    (version,) = body["spec"]["versions"]
    digest = hashlib.sha256(b'{"openAPIV3Schema":{"type":"object"}}').hexdigest()
    assert version == {"name": "v1", "served": True, "schema": {"sha256": digest}}


def test_a_definition_of_an_odd_shape_is_left_out_and_told() -> None:
    into = taken(crd([7]))
    assert bodies(into) == []
    assert ("CustomResourceDefinition", "apiextensions.k8s.io") in into.damaged


def test_utf_16_is_read_and_told() -> None:
    into = intake()
    into.objects(TestFile("a.json", b"\xff\xfe" + json.dumps(POD).encode("utf-16-le")))
    assert bodies(into) == [POD]
    assert messages(into) == ["it is in UTF-16"]
