"""The made kind ``CollectionProblem``: what the collector could not get, and what of the bundle could not be read."""

from __future__ import annotations

from collections.abc import Iterable

from ..bundle.source import Source
from ..model import Item, ObjectRef, Problem, Step

# "empty" and "not_found" are answers: there are none.
_FINE = ("ok", "empty", "not_found")


def collection_problems(source: Source, more: Iterable[Problem], unplanned: Iterable[str]) -> list[Item]:
    """Return the items: failed steps in the manifest's order, damaged members, Secrets of which values stood in the bundle, kinds
    that rules ask for and nobody collected."""
    info = source.info
    steps = [_item(step.id, step.status, step.message or f"code {step.code}", step.kind) for step in info.steps if failed(step)]
    members = [_item(problem.member, "damaged", problem.message, "") for problem in (*info.problems, *more)]
    shown = [
        _item(f"{one.namespace}/{one.name}", "exposed", f"{one.values} of its values stood in {one.member}", "Secret")
        for one in info.exposed
    ]
    never = [_item(kind, "not_planned", "rules ask for this kind, and the bundle has no step for it", kind) for kind in unplanned]
    return [*steps, *members, *shown, *never]


def failed(step: Step) -> bool:
    """Tell whether a step did not supply what it was for. Logs that the plan leaves out (``logs@NS``) are no failure."""
    return step.status not in _FINE and not (step.status == "skipped" and step.id.startswith("logs@"))


def _item(name: str, status: str, message: str, kind: str) -> Item:
    body = {
        "apiVersion": "made/v1",
        "kind": "CollectionProblem",
        "metadata": {"name": name or "bundle"},
        "status": status,
        "message": message,
    }
    if kind:
        body["about"] = kind
    return Item("CollectionProblem", "made", body, ObjectRef("CollectionProblem", name or "bundle", "", "manifest.json"))
