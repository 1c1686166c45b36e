"""Files as kubectl prints them, read for a new rule."""

import json

import pytest
from runai_analyze.authoring.facts_page import Kind
from runai_analyze.authoring.pasted import read_pasted

NODE = "apiVersion: v1\nkind: Node\nmetadata:\n  name: w1\nspec:\n  unschedulable: true\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  namespace: shop\nstatus:\n  phase: Running\n"


def test_one_object() -> None:
    (found,) = read_pasted("a.yaml", NODE.encode())
    assert (found.kind, found.name, found.signs[0].words) == (Kind("Node", None), "w1", "it is cordoned")


def test_several_documents_the_clearest_first() -> None:
    found = read_pasted("a.yaml", f"{POD}---\n{NODE}".encode())
    assert [one.name for one in found] == ["w1", "shop/p"]


def test_a_list() -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"}}]}
    assert [one.name for one in read_pasted("a.json", json.dumps(listed).encode())] == ["a"]


def test_the_list_of_an_api_server_names_the_kind_once() -> None:
    listed = {"apiVersion": "apps/v1", "kind": "DeploymentList", "items": [{"metadata": {"name": "a"}}]}
    (found,) = read_pasted("a.json", json.dumps(listed).encode())
    assert (found.kind, found.body["apiVersion"]) == (Kind("Deployment", None), "apps/v1")


def test_a_long_list_in_json_is_read_as_json() -> None:
    items = [{"kind": "Pod", "metadata": {"name": f"p{number}", "namespace": "shop"}} for number in range(5000)]
    found = read_pasted("a.json", json.dumps({"kind": "List", "items": items}).encode())
    assert len(found) == 5000


@pytest.mark.parametrize(
    ("version", "kind", "written"),
    [
        ("v1", "Node", "Node"),
        ("apps/v1", "Deployment", "Deployment"),
        ("run.ai/v1", "RunaiConfig", "RunaiConfig.run.ai"),
        ("serving.knative.dev/v1", "Service", "Service.serving.knative.dev"),
        ("extensions/v1beta1", "Deployment", "Deployment.extensions"),
        ("extensions/v1beta1", "Ingress", "Ingress"),
    ],
)
def test_kind(version: str, kind: str, written: str) -> None:
    text = f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: a}}\n"
    assert read_pasted("a.yaml", text.encode())[0].kind.written == written


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "a.yaml holds no object"),
        (b"just words", "a.yaml holds no object"),
        (b"kind: Node\n", "a.yaml holds no object"),
        (b"kind: 'Node; rm -rf'\nmetadata: {name: a}\n", "a.yaml holds no object"),
        (b"kind: Node\nmetadata: {name: a\n", "a.yaml:"),
        (b"\x00\x01\x02", "a.yaml:"),
        (b"a: &a [x]\nb: &b [*a, *a]\nkind: Node\nmetadata: {name: a}\n", "a.yaml:"),
        (b"[" * 5000, "a.yaml:"),
        (b"x" * (16 * 2**20 + 1), "a.yaml is larger than 16 MiB"),
        (b'{"a":' * 200 + b"1" + b"}" * 200, "a.yaml:"),
    ],
)
def test_what_cannot_be_read_is_said(data: bytes, said: str) -> None:
    with pytest.raises(ValueError) as raised:
        read_pasted("a.yaml", data)
    assert str(raised.value).startswith(said)
