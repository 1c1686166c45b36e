"""Fixtures: the objects of an example in a file as kubectl prints it."""

from pathlib import Path

import pytest

from tests.ruleset.packs import RULE, load_rule, mistakes_in, write_pack

SMALL = "{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4'}}}"
GIVEN = 'given: [{kind: Node, metadata: {name: a}, status: {allocatable: {cpu: "4"}}}]'
WITH_FIXTURE = RULE.replace(GIVEN, "fixture: small-node")


@pytest.mark.parametrize(
    "printed",
    [
        SMALL,
        f"apiVersion: v1\nkind: List\nitems: [{SMALL}]",
        f"apiVersion: v1\nkind: NodeList\nitems: [{SMALL}]",
        f"---\n{SMALL}\n---\n",
        '{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"},\n\t"status": '
        '{"allocatable": {"cpu": "4"}}}]}',
    ],
    ids=["one object", "list", "typed list", "documents", "json with tabs"],
)
def test_the_objects_are_those_of_the_file(tmp_path: Path, printed: str) -> None:
    pack = load_rule(tmp_path, WITH_FIXTURE, **{"fixtures__small-node": printed})
    (body,) = pack.rules[0].examples[1].given
    assert body == {"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "4"}}}


def test_several_documents_are_several_objects(tmp_path: Path) -> None:
    pack = load_rule(tmp_path, WITH_FIXTURE, **{"fixtures__small-node": f"{SMALL}\n---\n{SMALL.replace('name: a', 'name: b')}\n"})
    assert [body["metadata"]["name"] for body in pack.rules[0].examples[1].given] == ["a", "b"]


@pytest.mark.parametrize(
    ("printed", "mistake"),
    [
        ("", "fixtures/small-node.yaml:1:1: empty the file holds no object"),
        (
            "No resources found\n",
            "fixtures/small-node.yaml:1:1: bad-object an object of an example is a map with kind and metadata",
        ),
        ("{kind: Node}", "fixtures/small-node.yaml:1:1: bad-object an object of an example needs metadata with a name"),
        (
            f"{SMALL}\n---\n{SMALL.replace('allocatable', 'allocateable')}",
            'fixtures/small-node.yaml:3:44: bad-object there is no field "allocateable"; did you mean "allocatable"?',
        ),
        ("kind: &a Node", "fixtures/small-node.yaml:1:7: alias anchors (&) and aliases (*) are not read: write the value out"),
    ],
)
def test_what_is_wrong_with_a_fixture_is_said_in_the_fixture(tmp_path: Path, printed: str, mistake: str) -> None:
    (found,) = mistakes_in(write_pack(tmp_path, WITH_FIXTURE, **{"fixtures__small-node": printed}))
    assert found.split("\n")[0].startswith(mistake)


def test_a_fixture_that_is_not_there_is_said_at_its_name(tmp_path: Path) -> None:
    rule = WITH_FIXTURE.replace("fixture: small-node", "fixture: smal-node")
    (found,) = mistakes_in(write_pack(tmp_path, rule, **{"fixtures__small-node": SMALL}))
    assert found == (
        'nodes/RAI-TST-001.yaml:21:14: unknown-fixture the pack has no fixtures/smal-node.yaml; did you mean "small-node"?\n'
        "        fixture: smal-node\n"
        "                 ^"
    )
