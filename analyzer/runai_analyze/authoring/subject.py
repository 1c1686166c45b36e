"""What a rule is tried on: a bundle, or a file of objects as ``kubectl get -o yaml`` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..bundle import open_bundle
from ..errors import UserError
from ..facts import build_facts, example_facts
from ..facts.build import BundleFacts
from ..ruleset.examples import read_fixture
from ..ruleset.needs import kinds_of, needs_of
from ..ruleset.rule import Rule, Signature
from ..ruleset.signatures import Finder
from ..ruleset.vocabulary import CUSTOM_KINDS, GROUP_OF, MADE

Kinds = frozenset[tuple[str, str | None]]
_OBJECTS = (".yaml", ".yml", ".json")


class Subject(NamedTuple):
    """The facts, and what a reader must know about where they come from; empty: a whole bundle."""

    facts: BundleFacts
    note: str = ""


def read_subject(
    path: Path,
    rules: Sequence[Rule],
    every_fact: bool = False,
    kinds: Kinds | None = None,
    signatures: Sequence[Signature] = (),
) -> Subject:
    """Return the facts that the rules ask of a bundle or a file of objects.

    A kind of which the file holds no object counts as not collected: it may be there. ``every_fact``: those that the rules do not
    name too; ``kinds``: all that may be asked for, in place of those of the rules; ``signatures``: what logs are searched for.
    Raises ``BundleError`` for what is no bundle, ``UserError`` for a file of objects that cannot be read.
    """
    kinds = kinds or kinds_of(rules)
    if path.suffix not in _OBJECTS:
        bundle = open_bundle(path)
        state = bundle.info.state
        note = "" if state == "complete" else f"The bundle is not whole ({state}): what is missing in it is unknown."
        needs = None if every_fact else needs_of(rules)
        return Subject(build_facts(bundle, kinds=kinds, needs=needs, signatures=Finder(signatures)), note)
    try:
        source, objects = read_fixture(str(path), path.read_bytes())
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error
    if source.mistakes:
        first, more = source.mistakes[0], len(source.mistakes) - 1
        raise UserError(f"{path} holds no objects as kubectl prints them", f"{first}{f' (and {more} more)' if more else ''}")
    lacking = tuple(_lacking({str(body.get("kind")) for body in objects}, kinds))
    facts = example_facts(given=objects, cluster={}, not_collected=lacking, bundle_time=None, kinds=kinds)
    said = f"{len(objects)} object{'' if len(objects) == 1 else 's'} of a file"
    return Subject(facts, f"{said}: kinds that it does not hold are unknown, and so is the time when it was made.")


def _lacking(there: set[str], kinds: Kinds) -> list[str]:
    """Return the kinds of which there is no object, as ``not_collected`` names them."""
    asked = {f"{kind}.{group}" for kind, group in kinds if group not in (None, MADE) and kind not in there}
    custom = {full for kind, full in CUSTOM_KINDS.items() if kind not in there}
    return sorted({kind for kind in GROUP_OF if kind not in there} | custom | asked)
