"""One object of each kind is asked for; what is refused is told with what to ask for, and not asked again."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from runai_collect import plan
from runai_collect.advice import warning
from runai_collect.client import Stop
from runai_collect.lists import Lists, Scope
from runai_collect.preflight import Missing, check
from runai_collect.steps import Session, list_label
from runai_collect.wishes import Wishes

from tests.collector.servers import Answer, FaultServer, Handler, ok, serving, silent, status
from tests.collector.test_lists import KINDS
from tests.collector.test_steps import manifest, session_of

CUSTOM = [plan.Kind("run.ai", plural, "v1", "X", True) for plural in ("projects", "nodepools", "runaijobs")]
PLANNED = [plan.Target(kind) for kind in (*plan.KINDS, *CUSTOM)]
EVERYWHERE = Scope(True, True, ["runai"], ())
LEFT_OUT = "left out on request: objects of the namespaces kube-* (--exclude)"
REFUSED = b'{"kind":"Status","message":"events is forbidden: User \\"x\\" cannot list resource"}'
POD = {"metadata": {"name": "a-1", "namespace": "runai"}}


def refusing(*words: str) -> Answer:
    """Refuses paths with one of the words; any other list holds one pod."""

    def answer(handler: Handler) -> None:
        path = handler.path.split("?")[0]
        if any(path.endswith(word) for word in words):
            status(403, REFUSED)(handler)
        else:
            ok(json.dumps({"kind": "PodList", "metadata": {}, "items": [POD]}).encode())(handler)

    return answer


def asked(server: FaultServer) -> Counter[str]:
    return Counter(path.split("?")[0] for path in server.paths)


def with_options(session: Session, **changes: object) -> Session:
    session.options = session.options._replace(**changes)  # type: ignore[arg-type]
    return session


def test_each_kind_is_asked_once_for_one_object(tmp_path: Path) -> None:
    with serving(refusing()) as server:
        assert check(session_of(tmp_path, server), PLANNED, EVERYWHERE) == []
    kinds = {target.kind.path() for target in PLANNED if target.kind.plural != "namespaces"}
    more = {"/api/v1/secrets", "/api/v1/namespaces/runai/pods/a-1/log"}
    more.add("/api/v1/namespaces/runai/secrets/runai-cluster-domain-tls-secret")
    assert asked(server) == Counter(kinds | more)
    assert [path for path in server.paths if "limit=1" not in path and "/namespaces/runai/" not in path] == []


def test_no_value_of_a_secret_is_asked_for(tmp_path: Path) -> None:
    with serving(refusing()) as server:
        check(session_of(tmp_path, server), PLANNED, EVERYWHERE)
    ways = [(path, headers["Accept"]) for path, headers in zip(server.paths, server.headers, strict=True) if "/secrets" in path]
    assert len(ways) == 2
    assert [path for path, accept in ways if "includeObject=None" not in path or "as=Table" not in accept] == []


def test_of_a_log_one_byte_is_asked_for(tmp_path: Path) -> None:
    with serving(refusing()) as server:
        check(session_of(tmp_path, server), PLANNED, EVERYWHERE)
    assert [path.split("?")[1] for path in server.paths if "/log" in path] == ["tailLines=1&limitBytes=1"]


def test_what_is_refused_is_told_with_the_roles_to_ask_for(tmp_path: Path) -> None:
    with serving(refusing("/events", "/secrets", "/log")) as server:
        session = session_of(tmp_path, server)
        missing = check(session, PLANNED, EVERYWHERE)
    assert {(lack.sort, lack.name, lack.tier) for lack in missing} == {
        ("list in the whole cluster", "events", "base"),
        ("list in the whole cluster", "secrets", "+secrets"),
        ("logs", "of pods", "base"),
    }
    assert warning(missing, session.options) == [
        "not allowed: list in the whole cluster: events, secrets",
        "not allowed: logs: of pods",
        "To ask an administrator for: the roles that runai-collect --rbac +secrets+exec prints",
    ]


def test_only_what_is_wanted_is_asked_for(tmp_path: Path) -> None:
    with serving(refusing("/secrets")) as server:
        session = with_options(session_of(tmp_path, server), secrets=False, logs=False)
        assert check(session, PLANNED, EVERYWHERE) == []
    assert not [path for path in server.paths if "/secrets" in path or "/log" in path]


def test_namespaces_that_cannot_be_listed_are_missing(tmp_path: Path) -> None:
    for outcome, found in (("forbidden", "no"), "forbidden"), (("truncated", LEFT_OUT), ""), (("timeout", "no"), "timeout"):
        (tmp_path / outcome[0]).mkdir()
        with serving(refusing()) as server:
            session = session_of(tmp_path / outcome[0], server)
            session.skip(list_label(plan.NAMESPACES, ""), *outcome)
            missing = check(session, PLANNED, Scope(True, False, ["runai"], ("runai",)))
        assert missing == [Missing("base", "list in the whole cluster", found, "namespaces")][: bool(found)]


def test_the_log_that_is_tried_is_one_that_the_run_reads(tmp_path: Path) -> None:
    def other_first(handler: Handler) -> None:
        place = "runai" if "/namespaces/runai/" in handler.path else "ceph"
        body = {"kind": "PodList", "metadata": {}, "items": [{"metadata": {"name": "p", "namespace": place}}]}
        ok(json.dumps(body).encode())(handler)

    for number, (scope, places) in enumerate(
        (
            (EVERYWHERE, ["runai"]),
            (Scope(True, True, ["ceph", "x"], ()), []),
            (Scope(False, False, ["ceph"], ("ceph",)), ["ceph"]),
        )
    ):
        (tmp_path / str(number)).mkdir()
        with serving(other_first) as server:
            check(session_of(tmp_path / str(number), server), PLANNED, scope)
        assert [path.split("/")[4] for path in server.paths if "/log?" in path] == places


def test_no_log_is_tried_that_was_left_out(tmp_path: Path) -> None:
    with serving(refusing()) as server:
        session = session_of(tmp_path, server)
        session.filter = Wishes(("path:logs",), ())
        check(session, PLANNED, EVERYWHERE)
    assert not [path for path in server.paths if "/log?" in path]


def test_with_namespaces_it_asks_there_and_nowhere_else(tmp_path: Path) -> None:
    scope = Scope(False, False, ["runai", "team-a"], ("runai", "team-a"))
    with serving(refusing("/namespaces/team-a/pods")) as server:
        session = with_options(session_of(tmp_path, server), namespaces=("runai", "team-a"))
        missing = check(session, PLANNED, scope)
        said = warning(missing, session.options)[-1]
    paths = asked(server)
    assert {path for path in paths if path.endswith("/pods")} == {
        "/api/v1/namespaces/runai/pods",
        "/api/v1/namespaces/team-a/pods",
    }
    assert not [path for path in paths if path in ("/api/v1/pods", "/api/v1/events", "/api/v1/secrets")]
    assert [(lack.sort, lack.name) for lack in missing] == [("list in namespace team-a", "pods")]
    assert said == "To ask an administrator for: the roles that runai-collect --rbac +secrets+exec -n runai -n team-a prints"


def test_a_refused_list_is_not_asked_again_and_its_step_says_the_same(tmp_path: Path) -> None:
    events = [plan.Target(KINDS["events"])]
    steps = []
    for number, first in enumerate((True, False)):
        (tmp_path / str(number)).mkdir()
        with serving(refusing("/events")) as server:
            session = session_of(tmp_path / str(number), server)
            if first:
                check(session, events, EVERYWHERE)
            Lists(session).everything(events, EVERYWHERE)
        assert asked(server)["/api/v1/events"] == 1
        steps.append({name: dict(step, seconds=0) for name, step in manifest(session).items()})
    assert steps[0] == steps[1]
    refused = steps[0]["list:core/v1/events"]
    assert (refused["status"], refused["code"]) == ("forbidden", 403)
    assert "User" in str(refused["message"])


@pytest.mark.parametrize("odd", [b'{"items":[null]}', b'{"items":[{"metadata":{"name":5}}]}', b"[]", b"<html>", b'{"items":7}'])
def test_odd_answers_are_left_to_the_lists(tmp_path: Path, odd: bytes) -> None:
    with serving(ok(odd)) as server:
        assert check(session_of(tmp_path, server), PLANNED, EVERYWHERE) == []
    assert not [path for path in server.paths if "/log" in path]


def test_a_kind_that_is_not_served_is_not_missing(tmp_path: Path) -> None:
    with serving(status(404)) as server:
        assert check(session_of(tmp_path, server), PLANNED, EVERYWHERE) == []


def test_a_dead_server_is_seen_early(tmp_path: Path) -> None:
    with serving(silent(3)) as server:
        session = session_of(tmp_path, server, Stop())
        session.limits = session.limits._replace(preflight=0.2, preflight_answer=0.4)
        begin = time.monotonic()
        missing = check(session, PLANNED, EVERYWHERE)
    assert time.monotonic() - begin < 2
    assert {lack.status for lack in missing} == {"timeout"}
    assert warning(missing, session.options)[0].startswith("no good answer (timeout): list in the whole cluster: nodes")
    assert len(server.paths) <= session.limits.list_workers


def test_the_time_is_bounded_and_what_was_not_asked_counts_when_nothing_else_is_wanted(tmp_path: Path) -> None:
    def slow(handler: Handler) -> None:
        time.sleep(0.1)
        refusing()(handler)

    for thorough in (False, True):
        (tmp_path / str(thorough)).mkdir()
        with serving(slow) as server:
            session = session_of(tmp_path / str(thorough), server)
            session.limits = session.limits._replace(preflight=0.3, check=0.3)
            begin = time.monotonic()
            missing = check(session, PLANNED, EVERYWHERE, thorough)
        assert time.monotonic() - begin < 1
        assert 0 < len(server.paths) < len(PLANNED)
        assert bool(missing) == thorough


def test_one_kind_of_a_custom_group_comes_before_the_others(tmp_path: Path) -> None:
    """A role names such a group whole: when the time is up, each group was looked at."""
    with serving(refusing()) as server:
        session = session_of(tmp_path, server)
        session.limits = session.limits._replace(list_workers=1)
        check(session, [plan.Target(kind) for kind in (*CUSTOM, KINDS["pods"])], EVERYWHERE)
    names = [path.split("?")[0].split("/")[-1] for path in server.paths]
    assert names[:3] == ["projects", "pods", "secrets"]
    assert names[4:6] == ["nodepools", "runaijobs"]


def test_an_interrupted_run_is_not_told_of_refusals(tmp_path: Path) -> None:
    with serving(refusing()) as server:
        session = session_of(tmp_path, server, Stop())
        session.stop.set("interrupted", 2)
        assert check(session, PLANNED, EVERYWHERE) == []
    assert server.paths == []
