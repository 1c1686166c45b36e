"""The commands of a fix with the names of a finding put in, where a name can do nothing in a shell but be a name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from runai_analyze.engine.environment import cluster_value
from runai_analyze.engine.messages import Words
from runai_analyze.model import MOST_COMMANDS, Command
from runai_analyze.objects.paths import ABSENT
from runai_analyze.ruleset.rule import Rule, Template, Variable
from runai_analyze.ruleset.templates import placeholder, variables

_LONGEST: Final = 253
# Names of Kubernetes objects, hosts, and keys of labels: they begin and end with a letter or digit, and hold nothing that a
# shell, quotes or kubectl would read as more than a part of the name.
_NAME = re.compile(r"(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)
_Key = tuple[str, str]  # source and name of a variable
_Names = Mapping[_Key, Sequence[str]]


def filled(rule: Rule, words: Words) -> tuple[Command, ...]:
    """Return the commands of the rule for one object; none when no command of the rule has a place for a name."""
    if not any(next(variables(template), None) for template in rule.command_templates):
        return ()
    return tuple(
        Command(run, command.risk, command.run_by, step)
        for step, (command, template) in enumerate(zip(rule.commands, rule.command_templates, strict=True))
        for run in dict.fromkeys(_runs(template, words))
    )


def _runs(template: Template, words: Words) -> Iterator[str]:
    """Yield the command once for each name where one variable has several; of two such variables nobody knows the pairs."""
    names: dict[_Key, Sequence[str]] = {
        (variable.source, variable.name): _names(variable, words) for variable in variables(template)
    }
    several = [key for key, values in names.items() if len(values) > 1]
    if len(several) != 1:
        yield _run(template, {key: values if len(values) == 1 else () for key, values in names.items()})
        return
    for name in names[several[0]][: MOST_COMMANDS + 1]:
        yield _run(template, {**names, several[0]: (name,)})


def _run(template: Template, names: _Names) -> str:
    return "".join(part if isinstance(part, str) else _one(part, names) for part in template.parts)


def _one(variable: Variable, names: _Names) -> str:
    return next(iter(names[variable.source, variable.name]), placeholder(variable))


def _names(variable: Variable, words: Words) -> list[str]:
    """Return what may stand for the variable; a value that is no plain name is replaced by the placeholder."""
    values = [value if _is_name(value) else placeholder(variable) for value in _values(variable, words)]
    return list(dict.fromkeys(str(value) for value in values))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST and _NAME.fullmatch(value) is not None


def _values(variable: Variable, words: Words) -> Iterator[object]:
    for value in _found(variable, words):
        if isinstance(value, list | tuple):
            yield from value
        elif value is not ABSENT:
            yield value


def _found(variable: Variable, words: Words) -> Sequence[object]:
    if variable.source == "failed_keys":
        return words.failed_keys
    if variable.source == "params":
        return [words.params.get(variable.name, "")]
    if variable.path is None or (variable.source == "path" and words.body is None):
        return []
    if variable.source == "cluster":
        resolved = cluster_value(variable.path, words.environment)
        several = isinstance(resolved.value, list | tuple) and len(resolved.value) != 1
        return [] if resolved.missing or several else [resolved.value]  # of several in the cluster a person chooses one
    return variable.path.values(words.body)
