"""Some of the rules: by severity, area, status, kind, pack, Run:ai release, and by words that a person remembers of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from runai_analyze.objects.versions import parse_range, parse_version
from runai_analyze.ruleset.rule import Rule

_CLOSE = 80  # percent of the letters of a word that must agree
_PREFIX = 95  # what a word counts whose beginning was searched for
_WORD = re.compile(r"[\w:.-]*\w", re.UNICODE)


@dataclass(frozen=True)
class Wish:
    """Which rules a person asks for; empty: any. Several values of one kind: either. ``runai``: a release such as 2.25."""

    severities: tuple[str, ...] = ()
    areas: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    packs: tuple[str, ...] = ()
    runai: str = ""
    search: str = ""


def choose(rules: Iterable[Rule], wish: Wish) -> tuple[Rule, ...]:
    """Return the rules that a person asked for, by id; of a search the best first, and by id where they are as good.

    Raises ValueError when ``runai`` is no release.
    """
    fitting = sorted((rule for rule in rules if _fits(rule, wish)), key=lambda rule: rule.id)
    if not wish.search:
        return tuple(fitting)
    scored = [(score, rule) for rule in fitting if (score := search_score(rule, wish.search))]
    return tuple(rule for _, rule in sorted(scored, key=lambda pair: (-pair[0], pair[1].id)))


def _fits(rule: Rule, wish: Wish) -> bool:
    kinds = {kind.lower() for kind in wish.kinds}
    return (
        (not wish.severities or rule.severity.word in wish.severities)
        and (not wish.areas or rule.area in wish.areas)
        and (not wish.statuses or rule.status in wish.statuses)
        and (not kinds or bool(kinds & {rule.select.kind.lower(), kind_of(rule).lower()}))
        and (not wish.packs or rule.pack in wish.packs)
        and (not wish.runai or _applies(rule, wish.runai))
    )


def kind_of(rule: Rule) -> str:
    """Return the kind that a rule looks at as rules write it: ``Node``, ``RunaiConfig.run.ai``, ``GpuNode``."""
    group = rule.select.group
    return rule.select.kind if group is None or group == "made" else f"{rule.select.kind}.{group}"


def _applies(rule: Rule, release: str) -> bool:
    """Return whether a rule may apply to a release; one that cannot be told from the range (2.25 in >=2.25.3) may."""
    version = parse_version(release)
    return not rule.scope.runai or parse_range(rule.scope.runai).contains(version) is not False


def search_score(rule: Rule, search: str) -> int:
    """Return how well a rule fits the words that were searched for, at most 100; 0 when one of them is nowhere in it."""
    said = " ".join((rule.id, rule.title, rule.message.text, rule.fix, rule.select.kind, rule.area, *rule.docs))
    words = sorted(set(_WORD.findall(said.casefold())))
    scores = [_word_score(word, words) for word in _WORD.findall(search.casefold())]
    return round(sum(scores) / len(scores)) if scores and all(scores) else 0


def _word_score(word: str, words: Sequence[str]) -> float:
    if word in words:
        return 100
    if any(other.startswith(word) or (len(word) > 3 and word in other) for other in words):
        return _PREFIX
    best = max((fuzz.ratio(word, other) for other in words), default=0)
    return best if best >= _CLOSE else 0
