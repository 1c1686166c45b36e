"""Rules that look at the same objects, side by side: what they have in common is asked of an object once.

That is the kind, the names and namespaces, the same ``where``, and the field that most rules begin with: of those that want it to
read something, a look into a dictionary tells which can be about the object at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from runai_analyze.engine.checks import texts_wanted
from runai_analyze.engine.environment import Environment, resolve
from runai_analyze.engine.run import RuleRun
from runai_analyze.model import Item
from runai_analyze.objects.paths import ABSENT, REDACTED, Path
from runai_analyze.ruleset.rule import Condition, Conditions, Rule

Look = Callable[[Item], None]


class Lanes:
    """All rules by the kind that they look at. ``watchers``: what else wants to see each object of a kind."""

    def __init__(self, runs: Iterable[RuleRun], environment: Environment, watchers: Mapping[str, Look]) -> None:
        alike: dict[tuple[object, ...], list[RuleRun]] = {}
        for run in runs:
            if not run.error and run.applies.answer is not False:
                select = run.rule.select
                alike.setdefault((select.kind, select.group, select.namespaces, select.names), []).append(run)
        self._lanes = [_Lane(together, environment) for together in alike.values()]
        self._watchers = watchers

    def of(self, kind: str, group: str) -> tuple[Look, ...]:
        """Return what is to be done with every object of a kind."""
        looks = [lane.look for lane in self._lanes if lane.kind == kind and group in lane.groups]
        return (self._watchers[kind], *looks) if kind in self._watchers else tuple(looks)

    def close(self) -> None:
        """Tell the rules, once all objects were seen, of how many they were to look at."""
        for lane in self._lanes:
            for run in lane.runs:
                run.taken = lane.seen


class _Lane:
    """The rules of one kind, names and namespaces. ``seen`` counts the objects that these are about."""

    def __init__(self, runs: Sequence[RuleRun], environment: Environment) -> None:
        self.runs = runs
        self.kind = runs[0].rule.select.kind
        self.groups = runs[0].filter.groups
        self.seen = 0
        self._takes = runs[0].filter.takes_name
        self._each: list[Look] = []
        switches: dict[str, _Switch] = {}
        for together in _same_where(runs):
            told = _told_by(together[0].rule, environment)
            look = partial(_look, together[0].where.judge, together, any(run.heeds_all for run in together))
            if told is None or any(run.heeds_all for run in together):
                self._each.append(look)
            else:
                switches.setdefault(told[0].text, _Switch(told[0])).add(look, *told[1:])
        self._switches = list(switches.values())

    def look(self, item: Item) -> None:
        """Show an object of the kind to the rules that can be about it."""
        if self._takes is not None and not self._takes(item):
            return
        self.seen += 1
        for look in self._each:
            look(item)
        for switch in self._switches:
            for look in switch.those_for(item):
                look(item)


def _same_where(runs: Sequence[RuleRun]) -> list[list[RuleRun]]:
    together: dict[Conditions, list[RuleRun]] = {}
    for run in runs:
        together.setdefault(run.rule.select.where, []).append(run)
    return list(together.values())


def _look(judge: Callable[[object], bool | None], runs: Sequence[RuleRun], heeds_all: bool, item: Item) -> None:
    """Ask the ``where`` of some rules once. What breaks there broke for each of them."""
    try:
        selected = judge(item.body)
    except Exception as error:
        for run in runs:
            run.broke(error, item)
        return
    if selected is not False or heeds_all:
        for run in runs:
            run.take(item, selected)


class _Switch:
    """Rules whose ``where`` wants one field to read one of some texts."""

    def __init__(self, path: Path) -> None:
        self._read = path.one
        self._by_text: dict[str, list[Look]] = {}
        self._absent: list[Look] = []
        self._all: list[Look] = []

    def add(self, look: Look, texts: frozenset[str], absent_is_false: bool) -> None:
        """Take in rules; ``absent_is_false``: they are not about objects in which the field is not set."""
        self._all.append(look)
        self._absent += [] if absent_is_false else [look]
        for text in sorted(texts):
            self._by_text.setdefault(text, []).append(look)

    def those_for(self, item: Item) -> Sequence[Look]:
        """Return the rules that the object may be one for; the others are false for it, whatever else it says."""
        value = self._read(item.body)
        if value.__class__ is str:
            found = self._by_text.get(value)
            return found or (self._all if REDACTED in value else ())
        if isinstance(value, bool):
            return self._by_text.get("true" if value else "false", ())
        return self._absent if value is ABSENT else self._all


def _told_by(rule: Rule, environment: Environment) -> tuple[Path, frozenset[str], bool] | None:
    """Return the first field that the ``where`` wants to read a text: the field, the texts, and whether absent is false."""
    for condition in rule.select.where:
        if not isinstance(condition, Condition) or condition.path.fans_out or condition.keys is not None:
            continue
        argument = resolve(condition.test.argument, environment)
        texts = None if argument.missing else texts_wanted(condition.test, argument.value)
        if texts is not None and condition.test.name in ("equals", "one_of"):
            return condition.path, texts, condition.when_absent in ("", "fail")
    return None
