"""One condition over many objects, against the floor of the same run: a function written by hand for that one question, which is
as careful as the engine must be (absent, hidden, unknown and odd shapes are answers of their own). Nothing general can be faster.
Images repeat, and are matched by hand with Python's ``re``; names are all different, and are matched by hand with RE2 as the
engine does: where a stranger may have written the pattern, a function by hand needs the same bound on its time.

Both sides go over the same pod-like objects; the engine's side is ``evaluate`` of a pack with one rule, with all that it does.
"""

import argparse
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

import re2
from runai_analyze.engine import evaluate
from runai_analyze.engine.logic import Answer
from runai_analyze.model import Item, Missing, ObjectRef
from runai_analyze.objects.quantities import parse_quantity
from runai_analyze.ruleset import load_packs
from runai_analyze.ruleset.rule import Pack

from tests.engine.facts import rule_text
from tests.ruleset.packs import write_pack

MOST = 3.0  # times the floor; more is a failure
OBJECTS = 150_000
_HIDDEN = "«redacted:"
_BOUND = parse_quantity("256Gi")


# --- The questions: what a rule says, and the same by hand --------------------------------------------------------------------


def label_equals(body: dict[str, Any]) -> Answer:
    metadata = body.get("metadata")
    if not isinstance(metadata, dict):
        return False if metadata is None else None
    labels = metadata.get("labels")
    if not isinstance(labels, dict):
        return False if labels is None else None
    value = labels.get("app")
    if isinstance(value, str):
        return None if _HIDDEN in value else value == "database"
    return False if value is None else None


def phase_one_of(body: dict[str, Any]) -> Answer:
    status = body.get("status")
    if not isinstance(status, dict):
        return False if status is None else None
    value = status.get("phase")
    if isinstance(value, str):
        return None if _HIDDEN in value else value in ("Failed", "Unknown")
    return False if value is None else None


def image_matches(body: dict[str, Any], search: Callable[[str], object]) -> Answer:
    spec = body.get("spec")
    if not isinstance(spec, dict):
        return False if spec is None else None
    containers = spec.get("containers")
    if not isinstance(containers, list):
        return False if containers is None else None
    answer: Answer = False
    for container in containers:
        if not isinstance(container, dict):
            answer = None
            continue
        image = container.get("image")
        if isinstance(image, str):
            if _HIDDEN in image or len(image) > 4096:
                answer = None
            elif search(image):
                return True
        elif image is not None:
            answer = None
    return answer


def memory_at_least(body: dict[str, Any]) -> Answer:
    spec = body.get("spec")
    if not isinstance(spec, dict):
        return False if spec is None else None
    containers = spec.get("containers")
    if not isinstance(containers, list):
        return False if containers is None else None
    answer: Answer = False
    for container in containers:
        found = one_memory(container)
        if found is True:
            return True
        if found is None:
            answer = None
    return answer


def one_memory(container: Any) -> Answer:
    for name in ("resources", "requests", "memory"):
        if not isinstance(container, dict):
            return None
        container = container.get(name)
        if container is None:
            return False
    if isinstance(container, str) and _HIDDEN in container:
        return None
    try:
        return parse_quantity(container) >= _BOUND
    except ValueError:
        return None


def absent_path(body: dict[str, Any]) -> Answer:
    spec = body.get("spec")
    if not isinstance(spec, dict):
        return False if spec is None else None
    value = spec.get("runtimeClassName")
    if isinstance(value, str):
        return None if _HIDDEN in value else value == "kata"
    return False if value is None else None


def condition_status(body: dict[str, Any]) -> Answer:
    status = body.get("status")
    if not isinstance(status, dict):
        return False if status is None else None
    conditions = status.get("conditions")
    if not isinstance(conditions, list):
        return False if conditions is None else None
    answer: Answer = False
    for condition in conditions:
        if not isinstance(condition, dict):
            answer = None
        elif condition.get("type") == "Ready":
            value = condition.get("status")
            if isinstance(value, str):
                if value == "Unknown":
                    return True
            elif value is not None:
                answer = None
    return answer


def all_three(body: dict[str, Any]) -> Answer:
    answers = (phase_pending(body), label_equals(body))
    return False if False in answers else None if None in answers else True


def name_matches(body: dict[str, Any], search: Callable[[bytes], object]) -> Answer:
    metadata = body.get("metadata")
    if not isinstance(metadata, dict):
        return False if metadata is None else None
    name = metadata.get("name")
    if isinstance(name, str):
        return None if _HIDDEN in name or len(name) > 4096 else search(name.encode()) is not None
    return False if name is None else None


def phase_pending(body: dict[str, Any]) -> Answer:
    status = body.get("status")
    if not isinstance(status, dict):
        return False if status is None else None
    value = status.get("phase")
    if isinstance(value, str):
        return None if _HIDDEN in value else value == "Pending"
    return False if value is None else None


def any_of_two(body: dict[str, Any]) -> Answer:
    first = phase_one_of(body)
    if first is True:
        return True
    second = absent_path(body)
    return True if second is True else None if first is None or second is None else False


def named(body: dict[str, Any]) -> Answer:
    metadata = body.get("metadata") or {}
    if not fnmatchcase(metadata.get("namespace") or "", "runai-team-1*"):
        return False
    return phase_one_of(body)


@dataclass(frozen=True)
class Question:
    """One line of the bench. ``selection``: what stands in the rule's ``report_each``."""

    name: str
    selection: str
    by_hand: Callable[[dict[str, Any]], Answer]


def questions() -> list[Question]:
    """Return the questions."""
    search, linear = re.compile("^docker[.]io/library/.*:latest$").search, re2.compile("^pod-[0-9]+-x$").search
    one_of = "{field: status.phase, one_of: [Failed, Unknown]}"
    label = "{label: app, equals: database}"
    kata = "{field: spec.runtimeClassName, equals: kata}"
    return [
        Question("label equals", f"where: [{label}]", label_equals),
        Question("phase one_of", f"where: [{one_of}]", phase_one_of),
        Question("absent field", f"where: [{kata}]", absent_path),
        Question(
            "image matches",
            "where: [{field: 'spec.containers[*].image', matches: '^docker[.]io/library/.*:latest$'}]",
            lambda body: image_matches(body, search),
        ),
        Question(
            "name matches",
            "where: [{field: metadata.name, matches: '^pod-[0-9]+-x$'}]",
            lambda body: name_matches(body, linear),
        ),
        Question(
            "memory at_least",
            "where: [{field: 'spec.containers[*].resources.requests.memory', at_least: 256Gi}]",
            memory_at_least,
        ),
        Question(
            "condition of a type",
            "where: [{field: 'status.conditions[type=Ready].status', equals: Unknown}]",
            condition_status,
        ),
        Question("two, both", f"where: [{{field: status.phase, equals: Pending}}, {label}]", all_three),
        Question("two, either", f"where: [{{any_of: [{one_of}, {kata}]}}]", any_of_two),
        Question("namespace by glob", f"namespace: runai-team-1*, where: [{one_of}]", named),
    ]


# --- Objects -------------------------------------------------------------------------------------------------------------------


def pods(count: int) -> list[dict[str, Any]]:
    """Return pod-like objects: mostly ordinary, a few with what a bundle can hold besides; few match any question."""
    rng = random.Random(4)
    return [_pod(number, rng) for number in range(count)]


def _pod(number: int, rng: random.Random) -> dict[str, Any]:
    odd = number % 5_000 == 17
    labels = {"app": rng.choice(["web", "worker", "notebook"]), "project": f"team-{number % 40}", "pod-template-hash": "7d9f"}
    containers = [
        {
            "name": f"c{part}",
            "image": f"registry.example.com/{labels['app']}/main:{number % 90}",
            "resources": {"requests": {"cpu": "500m", "memory": rng.choice(["1Gi", "512Mi", "16Gi"])}},
        }
        for part in range(rng.choice([1, 1, 1, 2]))
    ]
    ready = {"type": "Ready", "status": "False" if odd else "True"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"pod-{number}", "namespace": f"runai-team-{number % 40 + 20}", "labels": labels},
        "spec": {"nodeName": f"node-{number % 900}", "containers": None if odd else containers},
        "status": {
            "phase": "Failed" if odd else rng.choice(["Running", "Succeeded"]),
            "conditions": [{"type": "Initialized", "status": "True"}, ready, {"type": "PodScheduled", "status": "True"}],
        },
    }


class Held:
    """Facts that hold their items, so that the engine alone is measured."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items
        self.cluster: Mapping[str, Any] = {}
        self.cluster_item = Item("Cluster", "made", {}, ObjectRef("Cluster", "bench"))
        self.bundle_time = datetime(2026, 12, 1, tzinfo=UTC)

    def items(self, kinds: frozenset[tuple[str, str | None]]) -> Iterator[Item]:
        """Return an iterator over the items."""
        return iter(self._items)

    def coverage(self, kind: str, group: str | None, namespaces: Sequence[str]) -> tuple[Missing, ...]:
        """Return that nothing is lacking."""
        return ()


# --- Measuring -----------------------------------------------------------------------------------------------------------------


def by_hand(question: Question, items: Sequence[Item]) -> int:
    """Return how many objects match, asked by hand."""
    ask, found = question.by_hand, 0
    for item in items:
        if ask(item.body) is True:  # type: ignore[arg-type]
            found += 1
    return found


def by_rule(pack: Pack, facts: Held) -> int:
    """Return how many objects match, asked by a rule."""
    (outcome,) = evaluate(pack, facts)
    assert outcome.status.value in ("pass", "fail", "unknown"), outcome.message
    return len(outcome.findings)


def best(works: Sequence[Callable[[], int]], rounds: int) -> list[float]:
    """Return the shortest time of each in seconds, taken in turns: what others do on the machine adds to all of them."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, taken in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            taken.append(time.perf_counter() - start)
    return [min(taken) for taken in times]


def load(folder: Path, selection: str) -> Pack:
    """Return a pack of one rule."""
    rule = rule_text(f"report_each: {{kind: Pod, {selection}}}", "found")
    return load_packs([write_pack(folder, rule)])


def ratios(count: int, rounds: int) -> Iterator[tuple[Question, float, float]]:
    """Yield each question with the seconds by hand and by rule; both must find the same."""
    items = [Item("Pod", "", body, ObjectRef("Pod", f"p{number}")) for number, body in enumerate(pods(count))]
    for question in questions():
        with tempfile.TemporaryDirectory() as folder:
            pack = load(Path(folder), question.selection)
        facts = Held(items)
        assert by_hand(question, items) == by_rule(pack, facts), question.name
        hand, rule = best((partial(by_hand, question, items), partial(by_rule, pack, facts)), rounds)
        yield question, hand, rule


def main(arguments: list[str]) -> None:
    """Measure, print, and fail when a condition costs more than it may."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench conditions", description=__doc__)
    parser.add_argument("--objects", type=int, default=OBJECTS)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    print(f"{options.objects:,} objects, the best of {options.rounds} rounds; at most {MOST:g} times the function by hand")
    worst = 0.0
    for question, hand, rule in ratios(options.objects, options.rounds):
        worst = max(worst, rule / hand)
        print(f"{question.name:22} by hand {hand * 1000:7.0f} ms   by rule {rule * 1000:7.0f} ms   {rule / hand:5.2f}")
    if worst > MOST:
        sys.exit(f"a condition costs {worst:.2f} times the function by hand")
