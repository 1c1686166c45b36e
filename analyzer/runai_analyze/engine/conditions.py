"""Conditions compiled to closures: one question per object, and afterwards, for the few that need it, why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from runai_analyze.engine.environment import Environment
from runai_analyze.engine.leaf import Judge, Leaf, Mode, Proof, compile_leaf
from runai_analyze.engine.logic import Answer, negate
from runai_analyze.model import Severity
from runai_analyze.ruleset.rule import Conditions, Group


@dataclass(frozen=True)
class Branch:
    """A compiled group, also the list of conditions at the top."""

    mode: Literal["any_of", "all_of", "none_of"]
    members: tuple[Leaf | Branch, ...]
    judge: Judge

    def prove(self, body: Any, answer: Answer) -> Proof:
        """Return what made the group answer so, and how much weight its sources can carry.

        One member that decides alone carries its own weight; when all of them decide together, the weakest source counts.
        """
        if answer is None:
            asked, alone = None, False
        elif self.mode == "none_of":
            asked, alone = not answer, not answer
        else:
            asked, alone = answer, answer == (self.mode == "any_of")
        proofs = [member.prove(body, asked) for member in self.members if member.judge(body) is asked]
        caps = [proof.cap for proof in proofs] or [Severity.CRITICAL]
        return Proof(tuple(row for proof in proofs for row in proof.rows), max(caps) if alone else min(caps))

    def leaves(self) -> Iterator[Leaf]:
        """Yield the conditions in the order written."""
        for member in self.members:
            if isinstance(member, Branch):
                yield from member.leaves()
            else:
                yield member


def compile_conditions(conditions: Conditions, environment: Environment, mode: Mode, fault: bool = False) -> Branch:
    """Return conditions that must all be met as one question about the body of an object.

    ``fault``: meeting them is what is wrong, so the evidence says what is wanted instead: ``anything but 0``.
    """
    return _branch(Group("all_of", conditions), environment, mode, negated=fault, because="")


def _branch(group: Group, environment: Environment, mode: Mode, negated: bool, because: str) -> Branch:
    turned = negated != (group.mode == "none_of")
    # Under none_of a single element that meets the test is one too many, also where all must meet the others.
    leaf_mode: Mode = "all" if mode == "all" and not turned else "any"
    reason = group.because or because
    members = tuple(
        _branch(member, environment, mode, turned, reason)
        if isinstance(member, Group)
        else compile_leaf(member, environment, leaf_mode, turned, reason)
        for member in group.members
    )
    return Branch(group.mode, members, _group_judge(group.mode, [member.judge for member in members]))


def _group_judge(mode: str, judges: Sequence[Judge]) -> Judge:
    if mode == "all_of":
        return judges[0] if len(judges) == 1 else _joined(judges, False)
    some = judges[0] if len(judges) == 1 else _joined(judges, True)
    if mode == "any_of":
        return some
    return lambda body: negate(some(body))


def _joined(judges: Sequence[Judge], decides: bool) -> Judge:
    """Return the answer of all judges: the one that ``decides`` wherever it comes, else unknown where there is one."""

    def joined(body: Any) -> Answer:
        result: Answer = not decides
        for judge in judges:
            answer = judge(body)
            if answer is decides:
                return decides
            if answer is None:
                result = None
        return result

    return joined
