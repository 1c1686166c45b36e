"""What a rule can look at: the kinds, the fields of each, and what a bundle holds of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from runai_analyze.engine.values import display
from runai_analyze.facts.kinds import FIELDS, MADE_MEANINGS, fields_of
from runai_analyze.model import Facts, Item, Unknown
from runai_analyze.objects.paths import ABSENT, compile_path
from runai_analyze.ruleset import default_pack, load_packs
from runai_analyze.ruleset.fields import custom_kinds
from runai_analyze.ruleset.kind_paths import kind_paths
from runai_analyze.ruleset.mistakes import did_you_mean
from runai_analyze.ruleset.vocabulary import CUSTOM_KINDS, GROUP_OF, MADE, SHORT_KINDS

from .observed import observed_paths
from .subject import read_subject

_MOST_EXAMPLES = 3
_WIDEST = 60
_METADATA = ("metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.creationTimestamp")


class Kind(NamedTuple):
    """A kind as rules write it. ``group`` is ``made`` for those that the program makes, None for a built-in kind."""

    name: str
    group: str | None

    @property
    def written(self) -> str:
        """How it stands behind ``kind:`` in a rule."""
        return self.name if self.group in (None, MADE) else f"{self.name}.{self.group}"


@dataclass(frozen=True)
class Seen:
    """What a bundle holds of one field: of how many objects, some of the values, how often it is not set or unknown, and why."""

    objects: int
    values: tuple[str, ...] = ()
    different: int = 0
    absent: int = 0
    unknown: int = 0
    why: str = ""


@dataclass(frozen=True)
class Line:
    """One field of a kind; ``seen`` is None where no bundle was asked."""

    path: str
    type: str
    meaning: str
    seen: Seen | None = None


@dataclass(frozen=True)
class Page:
    """All that is said about one kind. ``objects``: how many a bundle holds; None where none was asked."""

    kind: Kind
    meaning: str
    facts: tuple[Line, ...]
    fields: tuple[Line, ...]
    objects: int | None = None
    gaps: tuple[str, ...] = ()


def kinds() -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Yield (title, rows of kind and meaning): the made kinds, the kinds with facts, the other ones."""
    yield "Kinds that the program makes, so that no rule has to join", tuple(sorted(MADE_MEANINGS.items()))
    counts: dict[str, int] = {}
    for field in FIELDS:
        if field.kind not in MADE_MEANINGS:
            counts[field.kind] = counts.get(field.kind, 0) + 1
    yield (
        "Kinds of Kubernetes with facts beside what kubectl shows",
        tuple((kind, f"{count} fact{'s' * (count > 1)}") for kind, count in sorted(counts.items())),
    )
    yield "Other kinds of Kubernetes", tuple((kind, "") for kind in sorted(set(GROUP_OF) - set(counts)))
    yield "Custom kinds that rules often name (any other one is written Kind.group too)", tuple(
        (name, "") for name in sorted(CUSTOM_KINDS.values())
    )


def find_kind(word: str) -> Kind:
    """Return the kind that a person means: ``node``, ``po``, ``Pods``, ``runaiconfig``, ``Service.serving.knative.dev``.

    Raises ValueError that says what was probably meant.
    """
    name, dot, group = word.partition(".")
    if dot and name[:1].isupper():
        return Kind(name, group)
    small = name.lower()
    forms = (small, small.removesuffix("s"), small.removesuffix("es"), f"{small.removesuffix('ies')}y")
    made = {kind.lower(): kind for kind in MADE_MEANINGS}
    built_in = {kind.lower(): kind for kind in GROUP_OF} | SHORT_KINDS
    custom = {full.partition(".")[0].lower(): full for full in (*custom_kinds(), *CUSTOM_KINDS.values())}
    for form in forms:
        if form in made:
            return Kind(made[form], MADE)
        if form in built_in and not dot:
            return Kind(built_in[form], None)
        if form in custom and (not dot or custom[form].lower() == f"{form}.{group}".lower()):
            kind, _, group = custom[form].partition(".")
            return Kind(kind, group)
    known = [*MADE_MEANINGS, *GROUP_OF, *(full.partition(".")[0] for full in custom.values())]
    raise ValueError(f'there is no kind "{word}"{did_you_mean(word, known)}; a custom kind is written Kind.group')


def page(kind: Kind, bundle: FilePath | None = None, everything: bool = False) -> Page:
    """Return what is known about a kind. With a bundle also what it holds of it, and, of real kinds, the fields seen there.

    ``everything``: all the paths of the kind's schema. ``bundle``: also a file that ``kubectl get -o yaml`` wrote. Raises
    ``UserError`` when it cannot be read.
    """
    facts = tuple(Line(field.path, field.type, field.meaning) for field in fields_of(kind.name) if kind.group in (None, MADE))
    fields = tuple(_field_lines(kind, everything)) if kind.group != MADE else ()
    plain = Page(kind, MADE_MEANINGS.get(kind.name, ""), facts, fields)
    return plain if bundle is None else _with_bundle(plain, bundle, everything)


def _field_lines(kind: Kind, everything: bool) -> Iterator[Line]:
    for found in kind_paths(kind.written, 4 if everything else 3):
        if everything or not found.path.startswith("metadata.") or found.path in _METADATA:
            yield Line(*found)


# --- What a bundle holds ----------------------------------------------------------------------------------------------------


def _with_bundle(plain: Page, bundle: FilePath, everything: bool) -> Page:
    wanted = frozenset(((plain.kind.name, plain.kind.group),))
    known = load_packs([default_pack()]).signatures if plain.kind.name == "LogLine" else ()
    subject = read_subject(bundle, (), every_fact=True, kinds=wanted, signatures=known)
    facts = subject.facts
    bodies = [item.body for item in facts.items(wanted) if _is(item, plain.kind)]
    meanings = {line.path: line for line in plain.fields}
    paths = (line for line in plain.fields) if everything else _observed(bodies, meanings, plain.kind)
    return replace(
        plain,
        facts=tuple(replace(line, seen=_seen(line.path, bodies)) for line in plain.facts),
        fields=tuple(replace(line, seen=_seen(line.path, bodies)) for line in paths),
        objects=len(bodies),
        gaps=(subject.note,) if subject.note else tuple(_gaps(facts, plain.kind)),
    )


def _is(item: Item, kind: Kind) -> bool:
    return item.kind == kind.name and (kind.group is None or item.group == kind.group)


def _observed(bodies: Iterable[Mapping[str, Any]], known: Mapping[str, Line], kind: Kind) -> Iterator[Line]:
    if kind.group != MADE:
        for path, type_ in observed_paths(bodies):
            yield Line(path, type_, known[path].meaning if path in known else "")


def _gaps(facts: Facts, kind: Kind) -> Iterator[str]:
    for missing in facts.coverage(kind.name, kind.group, ()):
        yield f"not all were collected: {missing.what}: {missing.reason}"


def _seen(text: str, bodies: Iterable[Mapping[str, Any]]) -> Seen:
    path = compile_path(text)
    counts: dict[str, int] = {}
    objects = absent = unknown = 0
    why = ""
    for body in bodies:
        objects += 1
        found = path.values(body)
        present = [value for value in found if value is not ABSENT and not isinstance(value, Unknown)]
        gap = next((value for value in found if isinstance(value, Unknown)), None)
        absent += not present and gap is None
        unknown += gap is not None
        why = why or (gap.missing.reason if gap else "")
        for value in dict.fromkeys(_short(value) for value in present):
            counts[value] = counts.get(value, 0) + 1
    ranked = sorted(counts, key=lambda value: (-counts[value], value))
    return Seen(objects, tuple(ranked[:_MOST_EXAMPLES]), len(ranked), absent, unknown, why)


def _short(value: object) -> str:
    text = display(value)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
