"""Pages of long lists: they are read as JSON is, and plain objects are written as the server wrote them."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from runai_collect.items import Items
from runai_collect.redact import redact_object

from tests.collector.servers import Answer, Handler, ok, serving
from tests.collector.test_steps import session_of

FIELDS = {"f:spec": {'k:{"name":"main"}': {".": {}, "f:x]": {}}}}
KEPT = {"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": "2026-11-30T12:00:00Z"}
ENTRY = {**KEPT, "fieldsType": "FieldsV1"}
POD: dict[str, Any] = {
    "metadata": {"name": "a", "namespace": "team-a", "uid": "6ce5b876-cab4-4e94-b3ac-cc8fbab1b49d"},
    "spec": {"containers": [{"name": "main", "image": "i:1", "args": ["--steps", "10"], "env": [{"name": "A", "value": "b c"}]}]},
}


def compact(value: Any) -> str:
    """JSON as API servers write it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pod(**changed: Any) -> dict[str, Any]:
    return {**POD, "metadata": {**POD["metadata"], "managedFields": [{**ENTRY, "fieldsV1": FIELDS}], **changed}}


def page(*items: Any) -> str:
    metadata = {"resourceVersion": "7", "continue": "eyJ2IjoibWV0YS5rOHMuaW8vdjEi", "remainingItemCount": 12}
    return compact({"kind": "PodList", "apiVersion": "v1", "metadata": metadata, "items": list(items)}) + "\n"


def named(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "apiVersion": "v1", "kind": "Pod"}


def lines(text: str) -> list[str]:
    items = Items()
    found = items.load(text)["items"]
    for one in found:
        one.update(named(one))
    return [items.written(one) for one in found]


def test_a_page_is_read_as_json_is_but_for_managed_fields() -> None:
    document = Items().load(page(pod(), pod(name="b", managedFields=[{**ENTRY, "fieldsV1": FIELDS}, {**ENTRY, "fieldsV1": {}}])))
    assert document["items"] == [pod(managedFields=[KEPT]), pod(name="b", managedFields=[KEPT, KEPT])]
    assert {name: document[name] for name in ("kind", "apiVersion")} == {"kind": "PodList", "apiVersion": "v1"}
    assert document["metadata"]["continue"] == "eyJ2IjoibWV0YS5rOHMuaW8vdjEi"


ODD_ENTRIES: list[Any] = [
    [None],
    [],
    [{"manager": "x"}],
    [{**ENTRY, "fieldsV1": {"a": [{}], "b": 1}}],
    [{**ENTRY, "fieldsV1": {'v:"a}]"': {}}}],
    [{**ENTRY, "fieldsV1": {"ends with a \\": {}}}],
    [{**ENTRY, "manager": 'a"b', "fieldsV1": {}}],
    [{**ENTRY, "fieldsV1": {"manager": {}}}, "x"],
]


@pytest.mark.parametrize("entries", ODD_ENTRIES)
def test_odd_managed_fields_change_nothing_else(entries: Any) -> None:
    values = [pod(managedFields=entries), pod(name="b", managedFields=entries), pod(name="c")]
    read = Items().load(page(*values))["items"]
    for one, true in zip(read, values, strict=True):
        assert one == true or redact_object(one) == redact_object(true)


@pytest.mark.parametrize("name", ["x", 'quoted "managedFields":[', "\\", "ä\u2028", '"managedFields":[{"manager":"'])
def test_no_text_looks_like_the_parts_of_a_page(name: str) -> None:
    value = pod(annotations={"a": name, name + "]},{": "}]}"})
    read = Items().load(page(value, pod()))["items"]
    assert read == [{**value, "metadata": {**value["metadata"], "managedFields": [KEPT]}}, pod(managedFields=[KEPT])]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"items":[', '{"items":[{}', '{"items":[{}}', page(pod())[:-9], page(pod()) + "x"]
)
def test_what_is_no_json_is_none_here_either(text: str) -> None:
    try:
        true = json.loads(text)
    except ValueError:
        with pytest.raises(json.JSONDecodeError):
            Items().load(text)
    else:
        assert Items().load(text) == true


@pytest.mark.parametrize(
    "text",
    [
        '{"items":[{"metadata":{"name":"a"}}],"items":[{"metadata":{"name":"b"}}]}',
        '{"items":[{"metadata":{"name":"a"}}],"kind":"XList","metadata":{"continue":"t"}}',
        '{ "items" : [ {"metadata":{"name":"a"}} ] }',
        '{"kind":"XList","items":null}',
        '{"kind":"XList","items":[]}',
    ],
)
def test_pages_of_another_form_are_read_too(text: str) -> None:
    assert Items().load(text) == json.loads(text)


def test_a_plain_object_is_written_as_the_server_wrote_it() -> None:
    text = page(pod(), pod(name="b"))
    assert [json.loads(one) for one in lines(text)] == [
        named(pod(managedFields=[KEPT])),
        named(pod(name="b", managedFields=[KEPT])),
    ]
    assert lines(text)[0].startswith('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"team-a"')


def test_one_that_has_its_kind_already_is_not_given_another() -> None:
    custom = {
        "apiVersion": "run.ai/v1",
        "kind": "Project",
        "metadata": {"name": "p", "ownerReferences": [{"kind": "Department"}]},
    }
    assert lines(compact({"apiVersion": "v1", "items": [custom], "kind": "ProjectList", "metadata": {}})) == [
        compact(custom) + "\n"
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"annotations": {"x": "password=Zx81fR4nQ7"}},
        {"annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"apiVersion":"v1","x":1}'}},
        {"annotations": {"x": "\ud800"}},
        {"managedFields": [{**ENTRY, "fieldsV1": {"a": [{}]}}]},
        {"labels": {"DB_PASSWORD": "Zx81fR4nQ7"}},
        {"deep": json.loads("[" * 310 + "]" * 310 + "")},
    ],
)
def test_one_that_is_to_be_changed_is_written_in_the_usual_way(changed: dict[str, Any]) -> None:
    wanted = lines(page(pod(), pod(**changed)).replace("\ud800", "\\ud800"))
    assert wanted[1] == ""


def test_a_blank_does_not_keep_a_name_from_being_seen() -> None:
    text = page(pod()).replace('"image":', '"password" :"Zx81fR4nQ7","image":')
    assert lines(text) == [""]


def test_a_page_costs_no_more_than_reading_and_redacting_it() -> None:
    """It is what this is for: a third of the time, here for pods that differ in their names, addresses and hashes."""

    def many(number: int) -> str:
        return page(*(pod(name=f"train-{number}-{at:05}", annotations={"ip": f"10.{number}.0.{at}"}) for at in range(200)))

    took = []
    for read in (lines, lambda text: [redact_object(one) for one in json.loads(text)["items"]]):
        spent = []
        read(many(99))
        for turn in range(3):  # others use the machine too
            texts = [many(20 * turn + number) for number in range(20)]
            begin = time.process_time()
            for text in texts:
                read(text)
            spent.append(time.process_time() - begin)
        took.append(min(spent))
    assert took[0] < took[1]


SECRET = "Zx81fR4nQ7tL"


def paged(pages: list[bytes]) -> Answer:
    def answer(handler: Handler) -> None:
        number = int(handler.path.partition("continue=")[2] or 0)
        ok(pages[number])(handler)

    return answer


def test_a_list_of_many_pages_is_written_whole_and_without_secrets(tmp_path: Path) -> None:
    from tests.collector.test_lists import KINDS, SCOPE, Lists, members, plan

    def body(number: int) -> bytes:
        token = {"continue": str(number + 1)} if number < 3 else {}
        secret = [{"name": "DB_PASSWORD", "value": SECRET}] if number == 2 else []
        values = [
            {**pod(name=f"p-{number}-{at}", uid=f"u-{number}-{at}"), "spec": {"env": secret * (at == 1)}} for at in range(3)
        ]
        return compact({"kind": "PodList", "apiVersion": "v1", "metadata": token, "items": values}).encode()

    with serving(paged([body(number) for number in range(4)])) as server:
        session = session_of(tmp_path, server)
        Lists(session).everything([plan.Target(KINDS["pods"])], SCOPE)
        session.writer.finish("", "complete")
    found = members(session)
    written = [json.loads(one) for name in sorted(found) if "/pods/" in name for one in found[name].splitlines()]
    assert [one["metadata"]["name"] for one in written] == [f"p-{number}-{at}" for number in range(4) for at in range(3)]
    assert all(one["kind"] == "Pod" and one["metadata"]["managedFields"] == [KEPT] for one in written)
    assert SECRET not in "".join(found.values())
    assert written[7]["spec"] == {"env": [{"name": "DB_PASSWORD", "value": "«redacted:password»"}]}
    assert [json.loads(row)["object"] for name in found if "redactions/" in name for row in found[name].splitlines()] == [
        "Pod team-a/p-2-1"
    ]
