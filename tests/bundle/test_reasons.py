"""Why a step brought nothing, or not all, in words; and whether the customer wanted it so."""

import pytest
from runai_analyze.bundle.reasons import lack, reason, taken_out
from runai_analyze.model import Step
from runai_collect import budget, layout

TEAMS = "objects of the namespaces team-*, lab (--exclude)"
ONLY = "objects of all namespaces but runai (--only)"


def step(status: str, message: str) -> Step:
    return Step("x", "", "", status, message, taken_out=taken_out(message))


@pytest.mark.parametrize(
    ("status", "message", "words"),
    [
        ("skipped", "", "not read"),
        ("skipped", "the limit of all logs was reached", "not read (the limit of all logs was reached)"),
        ("skipped", "--no-secrets", "left out on request: --no-secrets"),
        ("skipped", "restricted to namespaces runai, lab", "left out on request: -n runai, lab"),
        ("skipped", "left out on request: --exclude pods", "left out on request: --exclude pods"),
        ("skipped", "left out on request: not in --only nodes", "left out on request: not in --only nodes"),
        ("truncated", f"left out on request: {TEAMS}", f"left out on request: {TEAMS}"),
        ("skipped", "deadline", "not read: the deadline came first"),
        ("truncated", "deadline", "not read to its end: the deadline came first"),
        ("skipped", "interrupted", "not read: the collection was interrupted first"),
        ("timeout", "not done when the run ended: interrupted", "not read: the collection was interrupted first"),
        ("truncated", f"after 3 pages: {budget.TIME}", "not read to its end: the deadline came first"),
        ("skipped", budget.TIME, "not read: the deadline came first"),
        ("truncated", budget.SIZE, "not read to its end: the bundle's size limit came first"),
        ("skipped", budget.FULL, "not read: the bundle's size limit came first"),
        ("skipped", "size-limit", "not read: the bundle's size limit came first"),
        ("truncated", "after 3 pages: 500", "not all of it was read (after 3 pages: 500)"),
        ("error", "500", "the request failed (500)"),
        ("truncated", "removed by the customer: 1 of 1 members", "the customer took it out"),
        ("truncated", "removed by the customer: 2 of 2 members; before: older lines were left out", "the customer took it out"),
        ("truncated", "removed by the customer: 1 of 3 members", "the customer took out 1 of its 3 files"),
        (
            "truncated",
            "removed by the customer: 1 of 3 members; before: deadline",
            "the customer took out 1 of its 3 files (before: deadline)",
        ),
        (
            "truncated",
            "removed by the customer: 1 of 2 members; before: removed by the customer: 1 of 3 members",
            "the customer took out 1 of its 2 files",
        ),
    ],
)
def test_the_words(status: str, message: str, words: str) -> None:
    assert reason(step(status, message)) == words


def test_every_end_of_a_run_has_words() -> None:
    for end in set(layout.STATES) - {"complete"}:
        assert "came first" in reason(step("skipped", end)) or "interrupted first" in reason(step("skipped", end))


@pytest.mark.parametrize(
    ("message", "wishes"),
    [
        ("--no-exec", ("--no-exec",)),
        ("--no-exec; GPU Feature Discovery tells of 8 GPUs", ("--no-exec",)),
        ("restricted to namespaces runai", ("-n",)),
        ("left out on request: --exclude pods", ("--exclude pods",)),
        ("left out on request: not in --only nodes, pods", ("--only",)),
        (f"left out on request: {TEAMS}", ("--exclude team-*", "--exclude lab")),
        (f"left out on request: {TEAMS}; {ONLY}", ("--exclude team-*", "--exclude lab", "--only")),
        ("removed by the customer: 1 of 2 members", ("remove",)),
        ("removed by the customer: 1 of 2 members; before: left out on request: --exclude x/*", ("remove", "--exclude x/*")),
        ("removed by the customer: 1 of 2 members; before: older lines were left out", ("remove",)),
        ("deadline", ()),
        ("--no-such-option", ()),
        ("its type is not kubernetes.io/tls: it is not read whole", ()),
    ],
)
def test_what_was_on_purpose_is_known_as_it_is_typed(message: str, wishes: tuple[str, ...]) -> None:
    assert taken_out(message) == wishes
    assert lack("Pod", step("truncated", message), "kubectl get pods").taken_out == wishes
