"""The one message to the customer: everything that was missing, each read-only command once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..model import BundleInfo, Outcome, Request, Step
from .text import count_words, cut, listing, moment, sentence

RECOLLECT = "runai-collect"
_LIST = re.compile(r"list:(?P<group>[^/]+)/[^/]+/(?P<plural>[^@/]+)(?:@(?P<namespace>.+))?$")
_REFUSED_SHOWN = 12


def build_request(outcomes: Iterable[Outcome], bundle: BundleInfo, cluster: str, questions: Sequence[str] = ()) -> Request:
    """Return the message that asks for what no outcome could be judged without, and the questions that no bundle answers.

    The text is empty when there is neither.
    """
    commands = _commands(outcomes)
    again = _again(bundle)
    if again:
        commands.append((again, RECOLLECT))
    return Request(_text(commands, bundle, cluster, questions) if commands or questions else "", tuple(commands))


def refused(steps: Iterable[Step]) -> tuple[str, ...]:
    """Return what the API server refused to list, as ``pods`` or ``pods in namespace runai``, sorted."""
    return tuple(sorted({_refusal(step) for step in steps if step.status == "forbidden"}))


def _commands(outcomes: Iterable[Outcome]) -> list[tuple[str, str]]:
    wanted: dict[str, list[str]] = {}
    for outcome in outcomes:
        for missing in outcome.missing:
            command = missing.command.strip()
            if command and command != RECOLLECT:
                wanted.setdefault(command, []).append(cut(missing.what, 160))
    return [(_joined(whats), command) for command, whats in sorted(wanted.items())]


def _joined(whats: Sequence[str]) -> str:
    once = sorted(set(whats))
    shown, more = once[:4], len(once) - 4
    return listing([*shown, f"{more} more"] if more > 0 else shown)


def _again(bundle: BundleInfo) -> str:
    """Return why the collector should run once more; empty when it saw all that it asked for."""
    denied = refused(bundle.steps)
    if denied:
        shown = list(denied[:_REFUSED_SHOWN])
        if len(denied) > len(shown):
            shown.append(f"{len(denied) - len(shown):,} more")
        return f"Another bundle, taken by a user who may also get and list {listing(shown)}"
    if bundle.state != "complete":
        return "Another bundle, as this one is not whole"
    return ""


def _refusal(step: Step) -> str:
    match = _LIST.match(step.id)
    if match is None:
        return cut(step.request or step.id, 120)
    group = match["group"]
    plural = match["plural"] if group == "core" else f"{match['plural']}.{group}"
    return cut(f"{plural} in namespace {match['namespace']}" if match["namespace"] else f"{plural} (all namespaces)", 120)


def _text(commands: Sequence[tuple[str, str]], bundle: BundleInfo, cluster: str, questions: Sequence[str]) -> str:
    wants = [count_words(len(commands), "output")] if commands else []
    wants += [count_words(len(questions), "answer")] if questions else []
    lines = [f"Subject: {cluster}: {listing(wants)} that we still need", "", "Hello,", ""]
    lines.append(f"thank you for the bundle of {moment(bundle.captured)}. It leaves something open.")
    if commands:
        them = "the command" if len(commands) == 1 else "the commands"
        lines += [f"Please run {them} below and send us the output.", "Nothing is changed, and no password or key is printed."]
    for number, (what, command) in enumerate(commands, 1):
        lines += ["", f"{number}. {sentence(what)}", command]
    if questions:
        lines += ["", "Please also tell us:" if commands else "Please tell us:"]
        lines += [f"- {cut(question, 600)}" for question in questions]
    return "\n".join(lines) + "\n"
