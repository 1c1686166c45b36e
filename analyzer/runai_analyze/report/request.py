"""The one message to the customer: everything that was missing, each read-only command once, and what no bundle answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..model import BundleInfo, Outcome, Request, Step
from .text import count_words, cut, listing, moment, sentence

RECOLLECT = "runai-collect"
_LIST = re.compile(r"list:(?P<group>[^/]+)/[^/]+/(?P<plural>[^@/]+)(?:@(?P<namespace>.+))?$")
_SHOWN = 12
# What the other steps of the collector need, by the beginning of their id.
_RIGHTS = {
    "secrets": "secrets (only their names and types are taken)",
    "helm": "secrets (only their names and types are taken)",
    "certificate": "the TLS secrets (only their public certificates are taken)",
    "log": "pods/log",
    "nvidia-smi": "pods/exec for nvidia-smi",
    "version": "/version",
    "discovery": "the list of APIs",
}


def build_request(outcomes: Iterable[Outcome], bundle: BundleInfo, cluster: str, questions: Sequence[str] = ()) -> Request:
    """Return the message that asks for what no outcome could be judged without, and the questions that no bundle answers.

    Another bundle stands for every ``kubectl get``, as it hides secret values and raw output does not. The text is empty when
    there is nothing to ask.
    """
    again = _again(bundle)
    outcomes = list(outcomes)
    questions = [*_asked(outcomes), *questions]
    commands = [pair for pair in _commands(outcomes) if not (again and pair[1].startswith("kubectl get "))]
    if bundle.state != "complete":
        commands = []  # a whole bundle brings it all
    if again:
        commands.insert(0, (again, RECOLLECT))
    return Request(_text(commands, bundle, cluster, questions) if commands or questions else "", tuple(commands))


def refused(steps: Iterable[Step]) -> tuple[str, ...]:
    """Return what the API server refused, as a person would grant it: ``nodes``, ``deployments.apps``; core kinds first."""
    found = {_right(step) for step in steps if step.status == "forbidden"}
    return tuple(sorted(found, key=lambda right: ("." in right or " " in right or "/" in right, right)))


def _right(step: Step) -> str:
    match = _LIST.match(step.id)
    if match is None:
        return _RIGHTS.get(re.split("[:@]", step.id)[0], cut(step.id, 80))
    return cut(match["plural"] if match["group"] == "core" else f"{match['plural']}.{match['group']}", 80)


def _commands(outcomes: Iterable[Outcome]) -> list[tuple[str, str]]:
    wanted: dict[str, list[str]] = {}
    for outcome in outcomes:
        for missing in outcome.missing:
            command = missing.command.strip()
            if command and command != RECOLLECT:
                wanted.setdefault(command, []).append(cut(missing.what, 160))
    return [(_joined(whats), command) for command, whats in sorted(wanted.items())]


def _asked(outcomes: Iterable[Outcome]) -> list[str]:
    """Return the questions of the rules, each once, with what it is about."""
    asked = {missing.question: missing.what for outcome in outcomes for missing in outcome.missing if missing.question}
    return [f"{question} ({cut(what, 160)})" for question, what in asked.items()]


def _joined(whats: Sequence[str]) -> str:
    once = sorted(set(whats))
    shown, more = once[:4], len(once) - 4
    return listing([*shown, f"{more} more"] if more > 0 else shown)


def _again(bundle: BundleInfo) -> str:
    """Return why the collector should run once more; empty when it saw all that it asked for."""
    denied = refused(bundle.steps)
    if denied:
        shown = list(denied[:_SHOWN])
        if len(denied) > len(shown):
            shown.append(f"{len(denied) - len(shown):,} more")
        return f"another bundle, taken by a user who may also get and list, in all namespaces: {listing(shown)}"
    return "another bundle, as this one is not whole" if bundle.state != "complete" else ""


def _text(commands: Sequence[tuple[str, str]], bundle: BundleInfo, cluster: str, questions: Sequence[str]) -> str:
    wants = [count_words(len(commands), "output")] if commands else []
    wants += [count_words(len(questions), "answer")] if questions else []
    lines = [f"Subject: {cluster}: {listing(wants)} that we still need", "", "Hello,", ""]
    lines.append(f"thank you for the bundle of {moment(bundle.captured)}. It leaves something open.")
    if commands:
        them = "the command below: it changes" if len(commands) == 1 else "the commands below: they change"
        lines.append(f"Please send us the output of {them} nothing.")
    if any(command.startswith("kubectl ") for _, command in commands):
        lines.append("What kubectl prints is not redacted as a bundle is: please look it over before you send it.")
    for number, (what, command) in enumerate(commands, 1):
        lines += ["", f"{number}. {sentence(what)}", command]
    if questions:
        lines += ["", "Please also tell us:" if commands else "Please tell us:"]
        lines += [f"- {cut(question, 600)}" for question in questions]
    return "\n".join(lines) + "\n"
