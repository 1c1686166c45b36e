"""The one message to the customer: what to do first, each read-only command once, and what no bundle answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model import BundleInfo, ChecklistLine, Outcome, Request
from .again import RECOLLECT, another_bundle, by_a_bundle, is_raw, may_be_asked, titles
from .checklist import questions
from .taken_out import TakenOut, narrowed, options_used, taken_out
from .text import brief, capital, count_words, cut, listing, moment

MOST_FIRST = 3


def build_request(
    outcomes: Iterable[Outcome], bundle: BundleInfo, cluster: str, asks: Sequence[str] = (), first: Sequence[str] = ()
) -> Request:
    """Return the message: what to do first, what no outcome could be judged without, and the questions that no bundle answers.

    Another bundle stands for every ``kubectl get``, as it hides secret values and raw output does not. What the customer kept
    back on purpose is asked for in a line of its own, and by no command. The text is empty when there is nothing to say.
    """
    outcomes = list(outcomes)
    kept_back = taken_out(outcomes, bundle)
    without_options = bool(options_used(outcomes))  # a bundle without these options brings all that another one would
    again = another_bundle(outcomes, bundle, without_options)
    covered = by_a_bundle if again or without_options else is_raw if kept_back or narrowed(bundle) else None
    commands = [pair for pair in _commands(outcomes) if not (covered and covered(pair[1]))]
    if bundle.state != "complete":
        commands = []  # a whole bundle brings it all
    if again:
        commands.insert(0, (f"{_ours(bundle)}, {again}", RECOLLECT))
    if not (kept_back or commands or asks or first):
        return Request("", ())
    text = _text(kept_back, commands, bundle, cluster, asks, first[:MOST_FIRST])
    return Request(text, (*((it.what, RECOLLECT) for it in kept_back), *commands))


def all_questions(outcomes: Iterable[Outcome], lines: Iterable[ChecklistLine]) -> tuple[str, ...]:
    """Return what a person must be asked: the questions of the rules, then those of the checklist, each once."""
    of_rules = (missing.question for outcome in outcomes for missing in outcome.missing if missing.question)
    return tuple(dict.fromkeys([*of_rules, *(line.note for line in questions(lines))]))


def _commands(outcomes: Iterable[Outcome]) -> list[tuple[str, str]]:
    wanted: dict[str, list[str]] = {}
    for outcome in outcomes:
        for missing in outcome.missing:
            command = missing.command.strip()
            if command and command != RECOLLECT and not missing.taken_out and may_be_asked(command):
                wanted.setdefault(command, []).append(cut(missing.what, 160))
    return [(titles(whats), command) for command, whats in sorted(wanted.items())]


def _text(
    kept_back: Sequence[TakenOut],
    commands: Sequence[tuple[str, str]],
    bundle: BundleInfo,
    cluster: str,
    asks: Sequence[str],
    first: Sequence[str],
) -> str:
    wants = [count_words(len(first), "thing") + " to do first"] if first else []
    outputs = [command for _, command in commands if command != RECOLLECT]
    another = len(outputs) < len(commands) or any(it.by_options for it in kept_back)
    wants += [_ours(bundle)] if another else ["the bundle as it was"] if kept_back else []
    wants += [f"{count_words(len(outputs), 'output')} that we need"] if outputs else []
    wants += [count_words(len(asks), "question")] if asks else []
    taken = f" of {moment(bundle.captured)}" if bundle.captured else ""
    lines = [f"Subject: {cluster}: {listing(wants)}", "", "Hello,", "", f"thank you for the {_name(bundle)}{taken}."]
    also = bool(kept_back or commands)
    blocks = [_first(first), [it.line for it in kept_back], _wanted(commands), _asked(asks, also)]
    for block in blocks:
        lines += ["", *block] if block else []
    return "\n".join(lines) + "\n"


def _name(bundle: BundleInfo) -> str:
    """Return how the message calls what was sent."""
    return "bundles" if bundle.parts else cut(bundle.holder.removeprefix("an ").removeprefix("a "), 80) or "bundle"


def _ours(bundle: BundleInfo) -> str:
    """Return how the message calls the bundle that it asks for."""
    return "a bundle of runai-collect" if bundle.holder else "another bundle"


def _first(first: Sequence[str]) -> list[str]:
    return ["Please do first:", *(f"{number}. {brief(text, 500)}" for number, text in enumerate(first, 1))] if first else []


def _wanted(commands: Sequence[tuple[str, str]]) -> list[str]:
    if not commands:
        return []
    if [command for _, command in commands] == [RECOLLECT]:
        return [f"Please send us {commands[0][0]}. {RECOLLECT} only reads."]
    them = "the command below: it changes" if len(commands) == 1 else "the commands below: they change"
    lines = [f"Please send us the output of {them} nothing."]
    if any(command.startswith("kubectl ") for _, command in commands):
        lines.append("What kubectl prints is not redacted as a bundle is: please look it over before you send it.")
    for number, (what, command) in enumerate(commands, 1):
        place = ", run on the node itself" if command.startswith("nvidia-smi") else ""
        lines += ["", f"{number}. {capital(what)}{place}", command]
    return lines


def _asked(asks: Sequence[str], also: bool) -> list[str]:
    return ["Please also tell us:" if also else "Please tell us:", *(f"- {brief(ask, 600)}" for ask in asks)] if asks else []
