"""runai-rules new: asks, or takes an object that shows the fault, and writes a rule with its examples."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import click

from runai_analyze.errors import UserError
from runai_analyze.plain import visible

from .guard import end_with, one_each
from .new_file import name_for_pack, write_rule
from .reading import SEVERITIES, many, pack_here, read

if TYPE_CHECKING:
    from runai_analyze.authoring.facts_page import Kind
    from runai_analyze.authoring.new import Condition, NewRule
    from runai_analyze.authoring.pasted import Pasted
    from runai_analyze.authoring.proposal import Asked, Sign
    from runai_analyze.ruleset.reading import Remembered
    from runai_analyze.ruleset.rule import Rule

_MOST_SIGNS = 9
_SETTINGS = ("ConfigMap", "Secret")


class Answers(NamedTuple):
    """What was said on the command line; empty: ask, or take what is proposed."""

    rule_id: str
    title: str
    severity: str
    area: str
    kind: str
    conditions: tuple[str, ...]
    faults: tuple[str, ...]
    namespaces: tuple[str, ...]
    names: tuple[str, ...]
    message: str
    fix: str
    owner: str
    good: str
    bad: str
    pick: str
    name: str
    yes: bool


@click.command()
@click.argument("pack", required=False, type=click.Path(file_okay=False, path_type=Path), metavar="[PACK]")
@click.option("--from-object", "pasted", type=click.Path(allow_dash=True, dir_okay=False), metavar="FILE",
              help="What kubectl get -o yaml printed of an object with the fault (-: standard input), or a bundle, with --kind.")
@click.option("--object", "name", default="", metavar="NAME", help="Of several objects in FILE, the one of this name.")
@click.option("--pick", default="", metavar="N[,N]", help="Which of the signs that were found make the rule. [default: 1]")
@click.option("--id", "rule_id", default="", metavar="ID", help="[default: the next free number of the area]")
@click.option("--title", default="", help="The fault, as a headline.")
@click.option("--severity", default="", type=click.Choice(("", *SEVERITIES)), metavar="WORD", help=f"{', '.join(SEVERITIES)}.")
@click.option("--area", default="", metavar="AREA", help="The part of the product; the folder of the file.")
@click.option("--kind", default="", metavar="KIND", help="What the rule looks at, such as Node.")
@click.option("--expect", "conditions", multiple=True, metavar="'FIELD TEST VALUE'",
              help="What a healthy object meets; may be given several times.")
@click.option("--fault", "faults", multiple=True, metavar="'FIELD TEST VALUE'",
              help="What an object with the fault meets; may be given several times.")
@click.option("--good", default="", metavar="VALUE", help="A value that meets the condition, for the examples.")
@click.option("--bad", default="", metavar="VALUE", help="A value that does not.")
@click.option("--namespace", "namespaces", multiple=True, callback=one_each, metavar="NAME",
              help="Look only in this namespace; * and ? fit. Several: give it several times.")
@click.option("--name", "names", multiple=True, callback=one_each, metavar="NAME",
              help="Look only at objects of this name; * and ? fit. Several: give it several times.")
@click.option("--message", default="", help="What is wrong, with {{ fields }}.")
@click.option("--fix", default="", help="What the customer does.")
@click.option("--owner", default="", help="Who answers for the rule. [default: support]")
@click.option("--changed", default="", metavar="DAY", help="[default: today]")
@click.option("--yes", is_flag=True, help="Ask nothing: take what is proposed.")
def new(pack: Path | None, pasted: str | None, changed: str, **given: object) -> None:
    """Write a new rule: linted, and with examples that hold.

    PACK is the folder of your pack; it is made where it is not there. Nothing is ever overwritten. Values of environment
    variables, of Secrets and ConfigMaps, and tokens never come into the file.

    FIELD is a path, spec.replicas, or label NAME, or annotation NAME:  --fault "spec.replicas equals 0"
    --fault "annotation acme.example/managed not_equals true". The rule is held against the object that you give.
    """
    from runai_analyze.ruleset.reading import Remembered

    said = Answers(**given)  # type: ignore[arg-type]
    folder = _folder(pack, said.yes)
    remembered = Remembered()  # the new file is read in its pack, of which nothing else has changed
    objects = _read_objects(pasted, said) if pasted else ()
    chosen = _choose_object(objects, said) if objects else None
    rule = _answered(said, _known(folder, remembered), chosen, changed or date.today().isoformat())
    write_rule(folder, rule, chosen, remembered, ask=not said.yes)


# --- The pack ---------------------------------------------------------------------------------------------------------------


def _folder(pack: Path | None, yes: bool) -> Path:
    folder = pack or pack_here()
    return folder or Path("my-rules" if yes else click.prompt("Folder for your rules (a pack)", default="my-rules"))


def _known(folder: Path, remembered: Remembered) -> tuple[str, tuple[Rule, ...], list[str]]:
    """Return the name of the pack, its rules with those that it builds on, and the ids in use; there may be no pack yet."""
    from runai_analyze.ruleset import pack_name

    files = [path.stem for path in folder.glob("*/*.yaml")]
    if not (folder / "pack.yaml").is_file():
        return name_for_pack(folder), (), files
    rules = read((folder,), remembered=remembered).pack.rules
    return pack_name(folder), rules, files + [rule.id for rule in rules]


# --- The object -------------------------------------------------------------------------------------------------------------


def _read_objects(place: str, said: Answers) -> tuple[Pasted, ...]:
    from runai_analyze.authoring.pasted import MOST_BYTES, read_bundle, read_pasted

    try:
        if place.endswith((".tgz", ".tar.gz")):
            return read_bundle(Path(place), _kind(said, None), said.name)
        with click.open_file(place, "rb") as file:
            data = file.read(MOST_BYTES + 1)
        return read_pasted(place, data)
    except OSError as error:
        _refuse(f"{place} cannot be read: {error.strerror}")
    except ValueError as error:
        _refuse(str(error))
    except UserError as error:
        end_with(error)


def _choose_object(objects: Sequence[Pasted], said: Answers) -> Pasted:
    named = [one for one in objects if said.name in (one.name, one.body["metadata"]["name"])] if said.name else list(objects)
    if not named:
        _refuse(f"there is no object {said.name!r}; there are {', '.join(one.name for one in objects[:9])}")
    if len(named) > 1 and not said.yes and not said.name:
        for number, one in enumerate(named[:_MOST_SIGNS], start=1):
            words = one.signs[0].words if one.signs else "nothing looks wrong"
            click.echo(visible(f"  {number}  {one.kind.name} {one.name}: {words}"))
        numbers = click.IntRange(1, min(len(named), _MOST_SIGNS))
        return named[click.prompt("Which object shows the fault?", type=numbers, default=1) - 1]
    return named[0]


def _choose_signs(chosen: Pasted, said: Answers) -> tuple[Sign, ...]:
    signs = chosen.signs[:_MOST_SIGNS]
    click.echo(visible(f"{chosen.kind.name} {chosen.name}: {many(len(chosen.signs), 'sign')} of a fault"))
    for number, sign in enumerate(signs, start=1):
        click.echo(visible(f"  {number}  {sign.words}    ({sign.asked.path})"))
    if chosen.left_out:
        click.echo(visible(f"left out, because it may be secret: {', '.join(chosen.left_out)}"))
    if not signs:
        nothing = "nothing in this object looks wrong by itself: say what does"
        fields = f"runai-rules facts {chosen.kind.written} lists the fields"
        if said.yes:
            _refuse(f"{nothing}, with --fault 'FIELD TEST VALUE' or --expect; {fields}")
        click.echo(f"{nothing}; {fields}")
        return ()
    ask = "Which of them make the rule? (several: 1,3)"
    text = said.pick or ("1" if said.yes or len(signs) == 1 else click.prompt(ask, default="1"))
    numbers = [int(part) for part in text.split(",") if part.strip().isdigit()]
    if not numbers or not all(1 <= number <= len(signs) for number in numbers):
        _refuse(f"{text!r} names none of the signs 1 to {len(signs)}")
    picked = tuple(signs[number - 1] for number in dict.fromkeys(numbers))
    if len({sign.made for sign in picked}) > 1:
        _refuse("these signs are about different kinds and cannot make one rule")
    return picked


# --- The answers ------------------------------------------------------------------------------------------------------------


def _answered(said: Answers, known: tuple[str, tuple[Rule, ...], list[str]], chosen: Pasted | None, day: str) -> NewRule:
    from runai_analyze.authoring import new as making
    from runai_analyze.authoring.samples import NoSampleError
    from runai_analyze.ruleset.vocabulary import AREAS

    pack, rules, used = known
    typed = said.conditions or said.faults
    signs = _choose_signs(chosen, said) if chosen and not typed else ()
    kind = _kind(said, chosen)
    conditions, fault = _conditions(said, signs, chosen)
    first = signs[0].asked if signs else conditions[0].asked
    wanted = None if signs or fault else first
    area = _ask(said, "area", "Area", making.area_of(kind.name), AREAS)
    proposed = making.next_id(used, making.prefix_of(rules, pack), area)
    rule = making.NewRule(
        id=_ask(said, "rule_id", "Id", proposed),
        title=_ask(said, "title", "Title: the fault, as a headline", signs[0].title if signs else making.title_of(kind, first)),
        severity=_ask(said, "severity", "Severity", "medium", SEVERITIES),
        area=area,
        kind=kind,
        conditions=conditions,
        fault=fault,
        message=_ask(said, "message", "Message", signs[0].message if signs else making.message_of(kind, first)),
        fix=_ask(said, "fix", "What should the customer do?", making.fix_of(signs[0] if signs else None, kind, wanted)),
        owner=said.owner or "support",
        changed=day,
        namespaces=said.namespaces or _own(chosen, "namespace"),
        names=said.names or _own(chosen, "name"),
    )
    try:
        if signs and chosen:
            return making.from_sign(rule, chosen.body, signs)
        return making.from_conditions(rule, said.good, said.bad, chosen.body if chosen else None)
    except NoSampleError as error:
        _refuse(str(error))


def _own(chosen: Pasted | None, key: str) -> tuple[str, ...]:
    """Return the name, or namespace, of an object that is the only one of its sort: settings are found by their name."""
    if chosen is None or chosen.kind.written not in _SETTINGS:
        return ()
    value = chosen.body["metadata"].get(key)
    return (str(value),) if value else ()


def _ask(said: Answers, name: str, question: str, proposed: str, choices: Sequence[str] = ()) -> str:
    given = str(getattr(said, name))
    if given and choices and given not in choices:
        _refuse(f"{given!r} is none of {', '.join(choices)}")
    if given or said.yes:
        return given or proposed
    kind = click.Choice(choices) if choices else None
    return str(click.prompt(question, default=proposed, type=kind, show_choices=bool(choices)))


def _kind(said: Answers, chosen: Pasted | None) -> Kind:
    from runai_analyze.authoring.facts_page import find_kind

    if chosen is not None and not said.kind:
        return chosen.kind
    while True:
        text = said.kind or ("" if said.yes else click.prompt("Kind: what does the rule look at?", default="Pod"))
        if not text:
            _refuse("--kind or --from-object is needed: what does the rule look at?")
        try:
            return find_kind(text)
        except ValueError as error:
            if said.kind:
                _refuse(str(error))
            click.echo(str(error), err=True)


def _conditions(said: Answers, signs: Sequence[Sign], chosen: Pasted | None) -> tuple[tuple[Condition, ...], bool]:
    """Return the conditions that were typed, and whether they say what is wrong; none where signs make the rule."""
    from runai_analyze.authoring.new import parse_condition

    if said.conditions and said.faults:
        _refuse("--expect and --fault do not go together: say what a healthy object meets, or what a broken one does")
    if signs:
        return (), False
    texts, fault = said.conditions or said.faults, bool(said.faults) or (chosen is not None and not said.conditions)
    if not texts and said.yes:
        _refuse("--expect or --fault is needed: FIELD TEST VALUE, such as: spec.unschedulable not_equals true")
    try:
        asked = [parse_condition(text) for text in texts] or [_asked(fault)]
    except ValueError as error:
        _refuse(str(error))
    return tuple(_condition(one, chosen if fault else None) for one in asked), fault


def _asked(fault: bool) -> Asked:
    """Return the condition that a person types; asks again until it is one."""
    from runai_analyze.authoring.new import parse_condition

    question = "What is wrong with it? FIELD TEST VALUE, such as spec.replicas equals 0"
    while True:
        try:
            return parse_condition(click.prompt(question if fault else "What does a healthy one meet? FIELD TEST VALUE"))
        except ValueError as error:
            click.echo(visible(str(error)), err=True)


def _condition(asked: Asked, chosen: Pasted | None) -> Condition:
    """Return a condition of the rule; where the fault is that a field of the given object is not so, not set is the fault too."""
    from runai_analyze.authoring.new import Condition, means_absent

    if chosen is None or not means_absent(asked, chosen.whole):
        return Condition(asked)
    click.echo(visible(f"{asked.path} is not set in {chosen.kind.name} {chosen.name}: when_absent: pass counts that as met"))
    return Condition(asked, when_absent="pass")


def _refuse(words: str) -> NoReturn:
    raise click.UsageError(visible(words))
