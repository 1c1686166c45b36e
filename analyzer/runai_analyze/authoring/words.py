"""Conditions, tests and their arguments in plain English, from the rule itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from runai_analyze.engine.environment import row_key
from runai_analyze.engine.values import as_text
from runai_analyze.objects.paths import Each, Key, Path
from runai_analyze.objects.versions import parse_version
from runai_analyze.ruleset.rule import (
    Argument,
    Cell,
    ClusterValue,
    Condition,
    Conditions,
    Group,
    Literal_,
    ParamValue,
    Table,
    TableCell,
    Template,
    Test,
    Text,
)

_INDENT = "  "
_RELEASE = "runai.release"
_MOST_LISTED = 12  # values of a list that are written out
_MOMENT = re.compile(r"bundle_time(?:\s*(?P<sign>[-+])\s*(?P<span>\S+))?", re.ASCII)

PHRASES: Mapping[str, str] = {
    "equals": "is {}",
    "not_equals": "is anything but {}",
    "one_of": "is {}",
    "not_one_of": "is none of {}",
    "exists": "is set",
    "contains": "contains {}",
    "starts_with": "starts with {}",
    "ends_with": "ends with {}",
    "matches": "matches the pattern {}",
    "at_least": "is at least {}",
    "at_most": "is at most {}",
    "more_than": "is more than {}",
    "less_than": "is less than {}",
    "version": "is a version in the range {}",
    "after": "is later than {}",
    "before": "is earlier than {}",
    "covers_host": "is valid for the host {}",
    "equals_field": "is the same as {}",
    "min_length": "has at least {} characters, elements or keys",
    "similar_to": "reads much like {}",
}
_GROUPS = {
    "any_of": "at least one of these is met:",
    "all_of": "all of these are met:",
    "none_of": "none of these is met:",
}


@dataclass(frozen=True)
class Telling:
    """What the words are made with. ``release``: the Run:ai release that tables are read for; empty: none was named."""

    tables: Mapping[str, Table]
    release: str = ""


def condition_lines(conditions: Conditions, telling: Telling, expected: bool, depth: int = 0) -> Iterator[str]:
    """Yield conditions in words, one a line, members of a group further in.

    ``expected``: they stand in ``expect``, where every value must meet them and one that is not set is a fault.
    """
    for condition in conditions:
        if isinstance(condition, Group):
            yield f"{_INDENT * depth}- {_GROUPS[condition.mode]}"
            if condition.because:
                yield f"{_INDENT * (depth + 1)}Why: {condition.because}"
            inside = expected and condition.mode != "none_of"
            yield from condition_lines(condition.members, telling, inside, depth + 1)
        else:
            first, *more = _condition(condition, telling, expected)
            yield f"{_INDENT * depth}- {first}"
            yield from (f"{_INDENT * (depth + 1)}{line}" for line in more)


def _condition(condition: Condition, telling: Telling, expected: bool) -> Iterator[str]:
    yield f"{_subject(condition, telling, expected)} {words_of_test(condition.test, telling)}"
    if condition.test.because:
        yield f"Why: {condition.test.because}"
    absent = _absent(condition, expected)
    if absent:
        yield absent


def _subject(condition: Condition, telling: Telling, expected: bool) -> str:
    name = path_words(condition.path)
    if condition.keys is not None:
        return f"{'each of' if expected else 'one of'} the keys {argument_words(condition.keys, telling)} of {name}"
    if any(isinstance(step, Each) for step in condition.path.steps):
        return f"{'every' if expected else 'at least one'} {name}"
    return name


def path_words(path: Path) -> str:
    """Return a path as people name it: ``label runai/queue``, else as it is written."""
    names = [step.name for step in path.steps if isinstance(step, Key)]
    if len(names) == len(path.steps) == 3 and names[0] == "metadata" and names[1] in ("labels", "annotations"):
        return f"{names[1].removesuffix('s')} {names[2]}"
    return path.text


def _absent(condition: Condition, expected: bool) -> str:
    if condition.test.name == "exists":
        return ""
    if condition.when_absent == "unknown":
        asked = f' The customer is asked: "{condition.ask}"' if condition.ask else ""
        return f"Where it is not set, the answer is unknown.{asked}"
    if condition.when_absent == "pass":
        return "Where it is not set, that is fine." if expected else "Where it is not set, this counts as met."
    if expected:
        return "Where it is not set, that is a fault."
    negative = condition.test.name in ("not_equals", "not_one_of")  # of these one may think otherwise
    return "Where it is not set, this counts as not met." if condition.when_absent == "fail" or negative else ""


# --- Tests and arguments ----------------------------------------------------------------------------------------------------


def words_of_test(test: Test, telling: Telling) -> str:
    """Return a test with its argument: ``is at least 16Gi (6 % less is fine)``."""
    argument = argument_words(test.argument, telling, test.name)
    notes = [note for note in (_score(test), _tolerance(test), "upper and lower case do not matter" * test.ignore_case) if note]
    if test.name == "exists":
        words = "is set" if argument.lower() in ("true", "yes") else "is not set"
    elif test.name == "min_length" and argument == "1":
        words = "is not empty"
    else:
        words = PHRASES[test.name].replace("{}", argument)
    if test.wanted:
        notes.append(f"in words: {test.wanted}")
    return f"{words} ({'; '.join(notes)})" if notes else words


def _tolerance(test: Test) -> str:
    way = "less" if test.name == "at_least" else "more"
    return f"{test.tolerance * 100:g} % {way} is fine" if test.tolerance else ""


def _score(test: Test) -> str:
    return f"at least {test.score} % similar" if test.name == "similar_to" and test.score else ""


def argument_words(argument: Argument, telling: Telling, test: str = "equals") -> str:
    """Return an argument in words; a cell of a table with its value for the release."""
    if isinstance(argument, Literal_):
        return _literal(argument.value, test)
    if isinstance(argument, ParamValue):
        return f"{_literal(argument.value, test)} (param {argument.name}, which a site may change)"
    if isinstance(argument, ClusterValue):
        here = f" ({telling.release})" if argument.path.text == _RELEASE and telling.release else ""
        return f"the cluster's {argument.path.text}{here}"
    return _cell_words(argument, telling, test)


def _literal(value: Text, test: str = "equals") -> str:
    if isinstance(value, tuple):
        return either([_quoted(item) for item in value], "and" if test in ("equals", "contains") else "or")
    moment = _MOMENT.fullmatch(value.strip()) if test in ("after", "before") else None
    if moment is None:
        return value if test == "version" else _quoted(value)
    if not moment["span"]:
        return "the time when the bundle was made"
    return f"{moment['span']} {'after' if moment['sign'] == '+' else 'before'} the bundle was made"


def _quoted(text: str) -> str:
    return text if re.fullmatch(r"[^\s\"']+", text) else f'"{text}"'


def either(names: Sequence[str], word: str = "or") -> str:
    """Return names as a sentence lists them: ``a, b or c``; of a long list the first ones and how many more."""
    if len(names) > _MOST_LISTED:
        names = [*names[: _MOST_LISTED - 1], f"{len(names) - _MOST_LISTED + 1} more"]
    return f" {word} ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else "nothing"


# --- Tables -----------------------------------------------------------------------------------------------------------------


def _cell_words(argument: TableCell, telling: Telling, test: str) -> str:
    table = telling.tables[argument.table]
    key = _row_of(argument, table, telling)
    if key is not None:
        return _value_of_row(argument, table, key, telling, test)
    where = f"{_start(test)} column {argument.column} of table {argument.table}"
    row = argument.row
    if isinstance(row, ClusterValue) and row.path.text == _RELEASE:
        return f"{where} for your Run:ai release ({_example_row(argument, table, test)})"
    return f"{where}, row {argument_words(row, telling)} ({_example_row(argument, table, test)})"


def _start(test: str) -> str:
    return "of" if test == "version" else "the value in"


def _row_of(argument: TableCell, table: Table, telling: Telling) -> str | None:
    """Return the row that is known without a bundle, as it is written; None where only the bundle tells."""
    row = argument.row
    if isinstance(row, ClusterValue):
        return telling.release if row.path.text == _RELEASE and telling.release else None
    return as_text(row.value)


def _value_of_row(argument: TableCell, table: Table, key: str, telling: Telling, test: str) -> str:
    name = row_key(table, key)
    cell = table.rows[name].get(argument.column) if name is not None else None
    place = f"table {argument.table}, row {name or key}"
    if cell is None or cell.value is None:
        place = f"column {argument.column} of table {argument.table}"
        return f"{_start(test)} {place}, which says nothing for {key}: the answer is unknown"
    return f"{_literal(cell.value, test)} ({place}{_confidence(cell)})"


def _confidence(cell: Cell) -> str:
    """Return how weak a figure is, and what that means for the severity."""
    most = {"third_party": "low", "derived": "low", "uncertain": "info"}.get(cell.confidence, "")
    return f", {cell.confidence.replace('_', ' ')}: never worse than {most}" if most else ""


def _example_row(argument: TableCell, table: Table, test: str) -> str:
    """Return the newest row that has a value, or the first ones where rows are no releases."""
    known = [(key, cell) for key, row in table.rows.items() if (cell := row.get(argument.column)) and cell.value is not None]
    if not known:
        return "it has no value yet"
    chosen = [max(known, key=lambda pair: _order(pair[0]))] if all(_order(key) for key, _ in known) else known[:3]
    rest = "; …" if len(chosen) > 1 and len(known) > len(chosen) else ""
    return "; ".join(f"{key}: {_literal(cell.value or '', test)}" for key, cell in chosen) + rest


def _order(key: str) -> tuple[int, ...]:
    try:
        return parse_version(key).numbers
    except ValueError:
        return ()


# --- Messages ---------------------------------------------------------------------------------------------------------------


def template_words(template: Template) -> str:
    """Return a message with what is put in written as ``<path>``."""
    return "".join(part if isinstance(part, str) else _variable(part.name or part.source, part.forms) for part in template.parts)


def _variable(name: str, forms: tuple[str, str] | None) -> str:
    return forms[1].replace("#", f"<{name}>") if forms else f"<{name}>"
