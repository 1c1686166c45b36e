"""The tables of the reference page in rules/README.md, made from the tables that the program itself goes by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from runai_analyze.engine.conditions import compile_conditions
from runai_analyze.engine.environment import Environment
from runai_analyze.facts.kinds import FIELDS, MADE_MEANINGS
from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset.codes import CODES
from runai_analyze.ruleset.format import BLOCKS, TESTS, Key
from runai_analyze.ruleset.rule import Condition, Group, Literal_, Test

_RULE_BLOCKS = (
    ("rule", "A rule"),
    ("applies_to", "`applies_to`"),
    ("selection", "`for_each`, `report_each`, `count`"),
    ("condition", "A condition"),
    ("cell", "A cell of a table, in place of an argument"),
    ("case", "`cases`"),
    ("fix", "`fix`"),
    ("command", "`fix.commands`"),
    ("example", "`examples`"),
)
_PACK_BLOCKS = (
    ("pack", "`pack.yaml`"),
    ("collect", "`collect` of `pack.yaml`"),
    ("table", "`tables/NAME.yaml`"),
    ("table cell", "A cell of a table"),
    ("signature", "`signatures/NAME.yaml`, each of `signatures`"),
    ("change", "`site.yaml`, each of `changes`"),
    ("suppression", "`suppressions.yaml`, each of `suppressions`"),
    ("line", "`checklist.yaml`, each of `lines`"),
)
_FORMS = {
    "text": "text",
    "texts": "text, or a list",
    "yes/no": "true or false",
    "number": "number",
    "block": "keys",
    "blocks": "list",
    "conditions": "list of conditions",
    "argument": "value, list, `{{ cluster.X }}`, `{{ params.X }}` or a cell",
    "map": "names of your own",
    "names": "name, list, or `{not: …}`",
    "object": "object",
    "objects": "list of objects",
}
_ARGUMENTS: Mapping[str, str | tuple[str, ...]] = {
    "exists": "true",
    "one_of": ("a", "b"),
    "not_one_of": ("a", "b"),
    "at_least": "4",
    "at_most": "4",
    "more_than": "4",
    "less_than": "4",
    "version": ">=1.33",
    "after": "2026-12-01T00:00:00Z",
    "before": "2026-12-01T00:00:00Z",
    "min_length": "1",
    "equals_field": "spec.other",
}
_ANSWERS = {True: "true", False: "false", None: "unknown"}


def blocks() -> str:
    """Return a table for each block of a rule: key, what may stand there, what it means."""
    return "\n\n".join(_block(name, title) for name, title in _RULE_BLOCKS)


def pack_blocks() -> str:
    """Return a table for each block of the other files of a pack."""
    return "\n\n".join(_block(name, title) for name, title in _PACK_BLOCKS)


def _block(name: str, title: str) -> str:
    keys = [key for key in BLOCKS[name] if name != "condition" or key not in TESTS]
    more = ", and exactly one of the tests" if name == "condition" else ""
    rows = ((_key(key), _form(key), key.help) for key in keys)
    return f"**{title}**{more}\n\n{_table(('Key', 'What stands there', 'Meaning'), rows)}"


def _key(key: Key) -> str:
    return f"**`{key.name}`**" if key.required else f"`{key.name}`"


def _form(key: Key) -> str:
    if key.choices:
        return " ".join(f"`{choice}`" for choice in key.choices)
    if key.begins:
        return " or ".join(f"`{start}` …" for start in key.begins)
    return _FORMS[key.form]


def tests() -> str:
    """Return the tests, each with what it answers on a field that is not set."""
    return _table(("Test", "True when", "Field not set", "… in `none_of`", "… `when_absent: pass`"), map(_test_row, TESTS))


def _test_row(key: Key) -> tuple[str, ...]:
    if key.name == "exists":
        return f"`{key.name}`", key.help, "`true`: false, `false`: true", "the opposite", "has no use"
    plain, passing = _condition(key.name, ""), _condition(key.name, "pass")
    answers = (_answer(plain), _answer(Group("none_of", (plain,))), _answer(passing))
    return f"`{key.name}`", key.help, *answers


def _condition(test: str, when_absent: str) -> Condition:
    argument = Literal_(_ARGUMENTS.get(test, "a"))
    return Condition(compile_path("spec.field"), Test(test, argument), when_absent)  # type: ignore[arg-type]


def _answer(condition: Condition | Group) -> str:
    """Return what the engine answers on an object without the field."""
    return _ANSWERS[compile_conditions((condition,), Environment({}, {}, None), "all").judge({"spec": {"other": "a"}})]


def kinds() -> str:
    """Return the kinds that the program makes, and the facts on kinds of Kubernetes."""
    made = _table(("Kind", "One object of it is"), ((f"`{kind}`", meaning) for kind, meaning in sorted(MADE_MEANINGS.items())))
    facts: dict[str, list[str]] = {}
    for field in FIELDS:
        if field.kind not in MADE_MEANINGS:
            facts.setdefault(field.kind, []).append(f"`{field.path}`")
    rows = ((f"`{kind}`", " ".join(names)) for kind, names in sorted(facts.items()))
    return f"{made}\n\n{_table(('Kind of Kubernetes', 'Facts'), rows)}"


def codes() -> str:
    """Return the kinds of mistakes that lint knows."""
    return _table(("Code", "Level", "What is wrong"), ((f"`{code.name}`", code.level, code.meaning) for code in CODES))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    return "\n".join(_lines(head, rows))


def _lines(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        cells = [_escaped(cell) for cell in row]
        yield f"| {' | '.join(cells)} |"


def _escaped(cell: str) -> str:
    """Return a cell in which nothing is taken for markup but what stands in backticks."""
    text = cell.replace("|", "\\|")
    return text if "`" in text else text.replace("<", "&lt;").replace("*", "\\*")


PARTS: Mapping[str, Callable[[], str]] = {
    "blocks": blocks,
    "tests": tests,
    "kinds": kinds,
    "files": pack_blocks,
    "codes": codes,
}
