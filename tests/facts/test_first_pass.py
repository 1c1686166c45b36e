"""The first look at a bundle: what is kept for which kinds."""

from typing import Any

import pytest
from runai_analyze.facts.examples import ExampleSource
from runai_analyze.facts.first_pass import look_through, watch_for

from .pods import event, pod, thing

OBJECTS: list[dict[str, Any]] = [{"apiVersion": "v1", **pod("p")}, {"apiVersion": "v1", **event("p", "X", "x")}]
JOB = {"apiVersion": "batch/v1", **thing("Job", "j")}
POD, JOB_KEY = ("Pod", "", "a", "p"), ("Job", "batch", "a", "j")


@pytest.mark.parametrize(
    ("kind", "pods", "jobs", "events", "images"),
    [
        ("EventGroup", True, True, 1, 0),
        ("Container", False, True, 0, 0),
        ("Image", False, False, 0, 1),
        ("Pod", False, False, 0, 0),
    ],
)
def test_only_what_a_kind_is_made_of_is_kept(kind: str, pods: bool, jobs: bool, events: int, images: int) -> None:
    source = ExampleSource([*OBJECTS, JOB], (), None)
    index, watched = look_through(source, frozenset([(kind, "made")]))
    assert (watched.traces.get(POD) is not None, watched.traces.get(JOB_KEY) is not None) == (pods, jobs)
    assert (len(watched.events.folded), len(watched.images.by_reference)) == (events, images)
    assert index.of("Node", "") == []


def test_a_bare_name_asks_for_the_made_kind() -> None:
    assert watch_for(frozenset([("Container", None)])).kinds == {"Container"}
    assert watch_for(frozenset([("Container", "x.example")])).kinds == set()
