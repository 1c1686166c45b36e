"""What is asked of Secrets, and what is said when it could not be."""

import json
import re
from pathlib import Path

from runai_collect import plan
from runai_collect.certificates import Reference
from runai_collect.lists import Lists, Scope
from runai_collect.secret_lists import read_certificates, read_secret_names

from tests.collector.servers import Handler, ok, serving
from tests.collector.test_lists import KINDS
from tests.collector.test_steps import manifest, session_of
from tests.collector.test_writer import read

COLUMNS = [{"name": name} for name in ("Name", "Type", "Data", "Age")]
TYPES = {"words": "Opaque", "site": "kubernetes.io/tls", "runai-ca-cert": "Opaque"}


def secrets(handler: Handler) -> None:
    """A namespace `runai` with three Secrets."""
    if "Table" in handler.headers["Accept"]:
        rows = [{"cells": [name, kind, 1, "1d"]} for name, kind in TYPES.items()]
        ok(json.dumps({"kind": "Table", "columnDefinitions": COLUMNS, "rows": rows}).encode())(handler)
    else:
        ok(json.dumps({"kind": "PartialObjectMetadataList", "metadata": {"name": "x"}, "items": []}).encode())(handler)


def test_an_ingress_does_not_make_an_opaque_secret_be_read_whole(tmp_path: Path) -> None:
    """Those of the plan are: a CA's certificate lies in an Opaque Secret."""
    scope = Scope(True, True, ["runai"], ())
    with serving(secrets) as server:
        session = session_of(tmp_path, server)
        seen = Lists(session).seen
        seen.references.update(Reference("runai", name, "Ingress runai/x") for name in TYPES)
        read_secret_names(session, scope, seen)
        read_certificates(session, scope, seen)
    steps = manifest(session)
    assert (steps["certificate:runai/words"]["status"], steps["certificate:runai/words"]["message"]) == (
        "skipped",
        "its type is not kubernetes.io/tls: it is not read whole",
    )
    assert sorted(path for path in server.paths if path.endswith(("/words", "/site", "/runai/secrets/runai-ca-cert"))) == [
        "/api/v1/namespaces/runai/secrets/runai-ca-cert",
        "/api/v1/namespaces/runai/secrets/site",
    ]


def test_no_name_that_an_object_gives_leads_to_another_path(tmp_path: Path) -> None:
    """The name in a Gateway's certificateRefs may be anything."""
    names = ["../services/web/proxy/shutdown", "..", "a/b", "x?watch=1", "e\x1b[31m", "-x", "x" * 254, "A"]
    with serving(secrets) as server:
        session = session_of(tmp_path, server)
        seen = Lists(session).seen
        seen.references.update(Reference("runai", name, "Gateway runai/x") for name in [*names, "site.a-1"])
        seen.references.add(Reference("../x", "site", "Gateway runai/x"))
        read_certificates(session, Scope(True, False, ["runai"], ()), seen)
    bad = [step for step in manifest(session).values() if step["message"] == "no Secret can have this name"]
    assert (len(bad), {step["status"] for step in bad}) == (len(names) + 1, {"error"})
    assert all(re.fullmatch(r"/api/v1/namespaces/[a-z-]+/secrets/[a-z0-9.-]+", path) for path in server.paths)
    assert "/api/v1/namespaces/runai/secrets/site.a-1" in server.paths


def test_a_name_is_one_part_of_a_path() -> None:
    assert plan.SECRET.path("a/../b c%é") == "/api/v1/namespaces/a%2F..%2Fb%20c%25%C3%A9/secrets"


def test_an_interrupted_run_does_not_say_that_somebody_refused(tmp_path: Path) -> None:
    with serving(secrets) as server:
        session = session_of(tmp_path, server)
        session.stop.set("interrupted", 2)
        lists = Lists(session)
        scope = lists.scope([plan.Target(KINDS["namespaces"])], "")
        read_secret_names(session, scope, lists.seen)
    steps = manifest(session)
    assert {step["status"] for step in steps.values()} == {"skipped"}
    assert steps["secrets"]["message"] == "interrupted"


def test_a_server_that_knows_no_tables_is_an_error(tmp_path: Path) -> None:
    hidden = {"kind": "SecretList", "metadata": {}, "items": [{"metadata": {"name": "s"}, "data": {"a": "aGlkZGVu"}}]}
    with serving(ok(json.dumps(hidden).encode())) as server:
        session = session_of(tmp_path, server)
        read_secret_names(session, Scope(True, True, ["runai"], ()), Lists(session).seen)
    steps = manifest(session)
    assert (steps["secrets@runai"]["status"], steps["helm"]["status"]) == ("error", "error")
    assert b"aGlkZGVu" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_of_helm_only_its_own_secrets_and_its_own_labels_are_kept(tmp_path: Path) -> None:
    own = {"name": "runai", "owner": "helm", "status": "deployed", "version": "3", "modifiedAt": "1767225600"}
    items = [
        {"metadata": {"name": "sh.helm.release.v1.runai.v3", "namespace": "runai", "labels": {**own, "team": "hunter2"}}},
        {"metadata": {"name": "database", "namespace": "runai", "labels": {**own, "password": "hunter2"}}},
    ]
    body = json.dumps({"kind": "PartialObjectMetadataList", "metadata": {}, "items": items}).encode()
    with serving(lambda handler: (secrets if "Table" in handler.headers["Accept"] else ok(body))(handler)) as server:
        session = session_of(tmp_path, server)
        read_secret_names(session, Scope(True, True, ["runai"], ()), Lists(session).seen)
    assert manifest(session)["helm"]["objects"] == 1
    rows = read(Path(session.writer.path))["top/helm/0001.jsonl"]
    assert [json.loads(row) for row in rows.splitlines()] == [
        {"namespace": "runai", "name": "sh.helm.release.v1.runai.v3", "labels": own}
    ]


def test_no_certificate_is_asked_for_in_a_namespace_that_is_known_not_to_be_there(tmp_path: Path) -> None:
    """A Role cannot be there either, and the answer would be a refusal."""
    body = json.dumps({"kind": "NamespaceList", "metadata": {}, "items": [{"metadata": {"name": "runai"}}]}).encode()
    with serving(lambda handler: ok(body)(handler) if "namespaces?" in handler.path else secrets(handler)) as server:
        session = session_of(tmp_path, server)
        lists = Lists(session)
        scope = lists.scope([plan.Target(KINDS["namespaces"])], "")
        read_certificates(session, scope, lists.seen)
    steps = manifest(session)
    step = steps["certificate:runai-backend/runai-backend-tls"]
    assert (step["status"], step["message"]) == ("not_found", "there is no namespace runai-backend")
    assert steps["certificate:runai/runai-ca-cert"]["status"] == "ok"
    assert not [path for path in server.paths if "runai-backend" in path]


def test_certificates_are_asked_for_where_the_namespaces_were_not_all_seen(tmp_path: Path) -> None:
    with serving(secrets) as server:
        session = session_of(tmp_path, server)
        read_certificates(session, Scope(True, True, ["runai"], ()), Lists(session).seen)
    assert "/api/v1/namespaces/runai-backend/secrets/runai-backend-tls" in server.paths
