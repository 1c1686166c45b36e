"""Secret values planted all over a cluster, which no bundle, report or log may ever show.

`plants(seed)` gives the same row for the same seed; a test draws a seed, and prints it on failure. `plant_search.Needles` finds a
plant in any text; `plant_controls.controls()` are the values that a redactor hides by mistake.
"""

from dataclasses import dataclass

from tests.plant_customs import in_customs, in_others
from tests.plant_more import in_more_commands, in_more_logs, in_more_places, in_more_texts
from tests.plant_objects import Thing
from tests.plant_pods import in_annotations, in_containers, in_logs
from tests.plant_secrets import in_configs, in_secrets
from tests.plant_values import Value, Values

PLACES = (in_secrets, in_configs, in_containers, in_annotations, in_customs, in_others, in_logs)
MORE = (in_more_commands, in_more_texts, in_more_places, in_more_logs)


@dataclass(frozen=True)
class Plant:
    """One secret: where it stands in the cluster, and the things that put it there."""

    id: str
    where: str
    value: Value
    things: tuple[Thing, ...]


def plants(seed: int) -> tuple[Plant, ...]:
    values = Values(seed)
    rows = [row for place in PLACES + MORE for row in place(values)]
    return tuple(Plant(name, where, value, tuple(make(value.text))) for name, where, value, make in rows)
