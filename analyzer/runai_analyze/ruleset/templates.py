"""``{{ … }}`` in messages, and as arguments: read once, never evaluated as code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset.meant import path_meant
from runai_analyze.ruleset.rule import Template, Variable

_ONE_OF = {"hosts": "host", "names": "name", "keys": "key", "classes": "class"}
_PLACE = re.compile(r"[A-Za-z0-9]+", re.ASCII)
_VARIABLE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_WORDS = ("found", "wanted", "failed_keys", "count")
FILTERS = ("join", "count", "ago")


class TemplateError(ValueError):
    """What is wrong with a template, ``shift`` characters into its text."""

    def __init__(self, message: str, shift: int) -> None:
        super().__init__(message)
        self.shift = shift


def parse_template(text: str) -> Template:
    """Return the parts of a text; raises ``TemplateError``."""
    return Template(text, tuple(_parts(text, ("{{", "}}"))))


def parse_command(text: str) -> Template:
    """Return the parts of a command, in which ``}}`` alone is fine: JSON ends so. Raises ``TemplateError``."""
    return Template(text, tuple(_parts(text, ("{{",))))


def with_placeholders(template: Template) -> str:
    """Return a command with a word in capitals where a name goes: ``kubectl describe node NAME``."""
    return "".join(part if isinstance(part, str) else placeholder(part) for part in template.parts)


def placeholder(variable: Variable) -> str:
    """Return what stands in a command for a name that is not known: the last word of the path in capitals, of a list one."""
    words: list[str] = _PLACE.findall(variable.name) or ["name"]
    return _ONE_OF.get(words[-1], words[-1]).upper()


def whole_variable(text: str) -> str | None:
    """Return what stands inside when the text is one ``{{ … }}`` and nothing else; None otherwise."""
    match = _VARIABLE.fullmatch(text.strip())
    return match[1].strip() if match else None


def variables(template: Template) -> Iterator[Variable]:
    """Yield the variables of a template."""
    yield from (part for part in template.parts if isinstance(part, Variable))


def _parts(text: str, marks: tuple[str, ...]) -> Iterator[str | Variable]:
    position = 0
    for match in _VARIABLE.finditer(text):
        if match.start() > position:
            yield _plain(text, position, match.start(), marks)
        yield _variable(match[1].strip(), match.start())
        position = match.end()
    if position < len(text):
        yield _plain(text, position, len(text), marks)


def _plain(text: str, start: int, end: int, marks: tuple[str, ...]) -> str:
    for mark in marks:
        if mark in text[start:end]:
            raise TemplateError(f'"{mark}" without its other half', text.index(mark, start))
    return text[start:end]


def _variable(inside: str, shift: int) -> Variable:
    name, *filters = (part.strip() for part in inside.split("|"))
    if len(filters) == 2 and not set(filters) & set(FILTERS):
        return replace(_variable(name, shift), forms=(filters[0], filters[1]))
    if len(filters) > 1 or (filters and filters[0] not in FILTERS):
        raise TemplateError(f'"{" | ".join(filters)}" is no filter; there are {", ".join(FILTERS)}', shift)
    chosen = filters[0] if filters else ""
    if name in _WORDS:
        return Variable(name, name=name, filter=chosen)  # type: ignore[arg-type]
    if name.startswith("params."):
        return Variable("params", name=name.removeprefix("params."), filter=chosen)  # type: ignore[arg-type]
    try:
        path = compile_path(name.removeprefix("cluster."))
    except ValueError as error:
        raise TemplateError(f"{error}{path_meant(name)}", shift) from None
    return Variable("cluster" if name.startswith("cluster.") else "path", path, name, chosen)  # type: ignore[arg-type]
