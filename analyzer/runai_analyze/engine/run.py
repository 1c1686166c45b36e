"""One rule on its way through a bundle: it looks at every object once, keeps what its answer needs, and answers at the end."""

from __future__ import annotations

import re
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from runai_analyze.engine.commands import filled
from runai_analyze.engine.conditions import Branch, compile_conditions
from runai_analyze.engine.counting import Counting
from runai_analyze.engine.environment import Environment
from runai_analyze.engine.findings import MOST_FINDINGS, Draft, Drafts, evidence_of, origin, values_key
from runai_analyze.engine.leaf import PARTLY_HIDDEN, Proof
from runai_analyze.engine.logic import Answer
from runai_analyze.engine.messages import Words, finish, prepare
from runai_analyze.engine.missing import Gaps, list_command, object_command, plural_of
from runai_analyze.engine.scope import Applies, Presence, applies_to_cluster, applies_to_objects, both
from runai_analyze.engine.selection import Filter, absent_ref, names_one_object
from runai_analyze.engine.values import cut, display
from runai_analyze.model import Evidence, Facts, Item, Missing, ObjectRef, Outcome, RuleInfo, Severity, Status, Unknown
from runai_analyze.objects.paths import HIDDEN
from runai_analyze.ruleset.rule import Case, Rule

_MOST_SEEN = 5
_NONE = display([])
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,9})?", re.ASCII)


class RuleRun:
    """A compiled rule and what it has seen so far. ``error`` is set when the rule, or the engine under it, broke.

    ``taken`` counts the objects of its kind, namespaces and names, ``heeds_all``: it wants to see those that its ``where`` leaves
    out too, for what it says about them.
    """

    def __init__(self, rule: Rule, info: RuleInfo, environment: Environment) -> None:
        self.rule = rule
        self.info = info
        self.applies = Applies(True)
        self.error = ""
        self._environment = environment
        self._drafts = Drafts(rule.id, rule.commands)
        self._gaps = Gaps()
        self.taken = 0
        self._judged = 0
        self._matched = 0
        self._failed = 0
        self._first: Any = None
        self._left_out = ""
        self._seen: dict[str, None] = {}
        try:
            self._compile(rule, environment)
        except Exception as error:
            self.error = _trace(error)

    def _compile(self, rule: Rule, environment: Environment) -> None:
        self.applies = applies_to_cluster(rule.scope, environment)
        self.filter = Filter(rule.select)
        self.where = compile_conditions(rule.select.where, environment, "any", fault=rule.select.mode == "report_each")
        self._expect = compile_conditions(rule.expect, environment, "all")
        self._cases = [(case, compile_conditions(case.when, environment, "any")) for case in rule.cases]
        self._counting = Counting(rule, environment) if rule.select.mode == "count" else None
        self._take = {"for_each": self._expect_of, "report_each": self._report, "count": self._count}[rule.select.mode]
        self.heeds_all = rule.select.mode == "count" or rule.select.kind == "Cluster"
        first = next(self._expect.leaves(), None)
        self._shown = first.values if first and rule.checklist and first.tells else None
        self._shown_name = first.name if first else ""

    def take(self, item: Item, selected: Answer) -> None:
        """Judge one object. Never raises: what breaks is kept in ``error``, and the rule stops there."""
        if self.error:
            return
        try:
            self._take(item, selected)
        except Exception as error:
            self.broke(error, item)

    def broke(self, error: Exception, item: Item) -> None:
        """Note that the rule, or the engine under it, broke at an object."""
        place = f", {item.ref.member}:{item.ref.line}" if item.ref.member else ""
        self.error = self.error or f"{_trace(error)} (at {item.ref}{place})"

    # --- the three selections -----------------------------------------------------------------------------------------------

    def _expect_of(self, item: Item, selected: Answer) -> None:
        body = item.body
        if selected is False:
            self._note_left_out(item)
            return
        if self._first is None:
            self._first = body
        self._judged += 1
        if selected is None:
            self._note_unknown(item, self.where)
            return
        self._matched += 1
        answer = self._expect.judge(body)
        self._note_seen(body)
        if answer is False:
            self._fail(item, self._expect.prove(body, False))
        elif answer is None:
            self._note_unknown(item, self._expect)

    def _note_left_out(self, item: Item) -> None:
        """Of a kind of which there is one object, say why the rule is not about it."""
        if item.kind == "Cluster":
            rows = self.where.prove(item.body, False).rows
            self._left_out = f"{rows[0].path} is {display(rows[0].value)}; the rule is for {rows[0].wanted}" if rows else ""

    def _report(self, item: Item, selected: Answer) -> None:
        if selected is True:
            self._matched += 1
            self._fail(item, self.where.prove(item.body, True))
        elif selected is None:
            self._note_unknown(item, self.where)

    def _count(self, item: Item, selected: Answer) -> None:
        assert self._counting is not None
        self._counting.note(item, selected, self.where)
        if selected is None:
            self._note_unknown(item, self.where)

    def _note_unknown(self, item: Item, branch: Branch) -> None:
        self._gaps.objects += 1
        for row in branch.prove(item.body, None).rows:
            if row.missing is None:
                continue
            about_object = row.missing.what == row.path
            what = f"{item.ref} {cut(row.path)}" if about_object else row.missing.what
            showable = about_object and not row.missing.question and not _hidden(row.missing)
            command = row.missing.command or (object_command(item.ref, item.group) if showable else "")
            self._gaps.add(replace(row.missing, what=what, command=command))

    def _note_seen(self, body: Any) -> None:
        """Remember what the first condition looked at, for the line of the checklist that the rule answers."""
        if self._shown is None or len(self._seen) > _MOST_SEEN:
            return
        for value in self._shown(body):
            if not isinstance(value, bool | dict | Unknown):
                self._seen.setdefault(display(value))

    # --- findings -----------------------------------------------------------------------------------------------------------

    def _fail(self, item: Item, proof: Proof) -> None:
        self._failed += 1
        number, case = self._case(item.body)
        severity = min(case.severity if case and case.severity else self.rule.severity, proof.cap)
        group = tuple(values_key(path.values(item.body)) for path in self.rule.group_by)
        key = (str(number), *group) if group else (str(self._failed),)
        draft = self._drafts.get(key) if group else None
        if draft is None:
            if self._drafts.full():
                return
            draft = self._draft(item, proof, case, severity, group)
            self._drafts.put(key, draft)
        commands = filled(self.rule, self._words(item, proof)) if draft.takes_commands() else ()
        draft.add(evidence_of(item, proof), severity, commands)

    def _case(self, body: Any) -> tuple[int, Case | None]:
        for number, (case, when) in enumerate(self._cases, start=1):
            if when.judge(body) is True:
                return number, case
        return 0, None

    def _words(self, item: Item, proof: Proof) -> Words:
        first = proof.rows[0] if proof.rows else None
        return Words(
            self._environment,
            dict(self.rule.params),
            item.body,
            display(first.value) if first else "",
            first.wanted if first else "",
            tuple(dict.fromkeys(row.key for row in proof.rows if row.key)),
        )

    def _draft(self, item: Item, proof: Proof, case: Case | None, severity: Severity, group: tuple[str, ...]) -> Draft:
        words = self._words(item, proof)
        identity = (item.kind, *group) if group else (item.kind, item.ref.namespace, item.ref.name)
        return Draft(
            message=prepare(case.message if case else self.rule.message, words),
            severity=severity,
            subject=origin(item, proof.rows[0].path if proof.rows else ""),
            identity=identity,
            show=tuple((title, cut(finish(prepare(template, words), 1))) for title, template in self.rule.show),
            fix=case.fix if case else "",
            kb=case.kb if case else (),
        )

    @property
    def _looked(self) -> int:
        """How many objects the rule judged: those that its ``where`` selects; of a rule that looks for faults, all."""
        return self._judged if self.rule.select.mode == "for_each" else self.taken

    # --- the answer ---------------------------------------------------------------------------------------------------------

    def outcome(self, facts: Facts, presence: Presence) -> Outcome:
        """Return the rule's answer, once every object was seen. Never raises."""
        if self.error:
            return self._result(Status.ERROR, f"The rule broke: {self.error}")
        try:
            self.applies = both(self.applies, applies_to_objects(self.rule.scope, presence))
            return self._answer(facts)
        except Exception as error:
            return self._result(Status.ERROR, f"The rule broke: {_trace(error)}")

    def _answer(self, facts: Facts) -> Outcome:
        if self.applies.answer is False:
            return self._result(Status.NOT_APPLICABLE, f"{self.applies.reason}.")
        if self.applies.answer is None:
            return self._unknown(self.applies.missing)
        uncollected = self._uncollected(facts)
        if self._counting is not None:
            return self._answer_count(uncollected)
        missing = (*uncollected, *self._gaps.all())
        if len(self._drafts):
            return self._failure(missing)
        if missing:
            return self._unknown(missing)
        if self.rule.select.mode == "for_each" and not self._matched:
            return self._nothing()
        if not self.taken and self.rule.select.if_none == "not_applicable":
            return self._nothing()  # report_each: where is the fault itself; nothing is what has no object to look at
        return self._passed()

    def _uncollected(self, facts: Facts) -> tuple[Missing, ...]:
        select = self.rule.select
        if self.taken and names_one_object(select):
            return ()
        gaps = facts.coverage(select.kind, select.group, select.namespaces)
        command = list_command(select.kind, select.group, select.namespaces)
        return tuple(replace(gap, command=gap.command or command) for gap in gaps)

    def _answer_count(self, uncollected: tuple[Missing, ...]) -> Outcome:
        assert self._counting is not None
        counting = self._counting
        missing = (*uncollected, *self._gaps.all())
        kind = self.rule.select.kind
        self._seen = {f"{counting.sure:,} {kind if counting.sure == 1 else plural_of(kind)}": None}
        if counting.sure == 0 and self.rule.select.if_none and not missing:
            return self._nothing()
        answer, gap = counting.answer(open_ended=bool(uncollected), unsure=self._gaps.objects)
        if answer is None:
            return self._unknown((*missing, *gap))
        words = Words(self._environment, dict(self.rule.params), None, f"{counting.sure:,}", counting.wanted)
        if answer:
            return self._passed(words)
        subject = absent_ref(self.rule.select)
        draft = Draft(prepare(self.rule.message, words), min(self.rule.severity, counting.cap), subject, (self.rule.select.kind,))
        draft.show = tuple((title, cut(finish(prepare(template, words), counting.sure))) for title, template in self.rule.show)
        draft.evidence = counting.evidence(subject)
        draft.more = counting.more()
        draft.objects = counting.sure
        draft.commands.update(dict.fromkeys(filled(self.rule, words)))
        self._drafts.put(("count",), draft)
        return self._failure(missing)

    def _nothing(self) -> Outcome:
        select = self.rule.select
        what = describe(self.rule)
        if select.if_none != "fail":
            return self._result(Status.NOT_APPLICABLE, f"{self._left_out or f'There is no {what}'}.")
        subject = absent_ref(select)
        named = {"kind": subject.kind, "metadata": {"name": subject.name, "namespace": subject.namespace}}
        words = Words(self._environment, dict(self.rule.params))
        message = prepare(select.none_message, words) if select.none_message else (f"There is no {what}.",)
        draft = Draft(message, self.rule.severity, subject, (select.kind, subject.namespace, subject.name))
        evidence = Evidence(subject, "", "no such object", "exists")
        draft.add([evidence], self.rule.severity, filled(self.rule, replace(words, body=named)))
        self._drafts.put(("none",), draft)
        return self._failure(())

    def _failure(self, missing: tuple[Missing, ...]) -> Outcome:
        findings = self._drafts.findings()
        more = len(findings) - 1 + self._drafts.left_out
        note = f" (and {more:,} more)" if more else ""
        if self._drafts.left_out:
            note = f" (and {more:,} more, of which {MOST_FINDINGS - 1:,} are listed)"
        return self._result(Status.FAIL, f"{findings[0].message}{note}", missing)

    def _unknown(self, missing: tuple[Missing, ...]) -> Outcome:
        first = missing[0] if missing else Missing(describe(self.rule), "it could not be found out why")
        some = f" for {self._gaps.objects:,} of {self._looked:,}" if self._gaps.objects and self._looked > 1 else ""
        return self._result(Status.UNKNOWN, f"Unknown{some}: {first.what}: {first.reason}.", missing or (first,))

    def _passed(self, words: Words | None = None) -> Outcome:
        count = self._counting.sure if self._counting else self._looked
        template = self.rule.pass_message
        if template is not None:
            words = words or Words(self._environment, dict(self.rule.params), self._first)
            return self._result(Status.PASS, finish(prepare(template, words), count))
        kind = self.rule.select.kind
        what = kind if count == 1 else plural_of(kind)
        if self._counting is not None:
            return self._result(Status.PASS, f"{count:,} {what} found, wanted {self._counting.wanted}.")
        if self.rule.select.mode == "report_each":
            return self._result(Status.PASS, f"None found; {count:,} {what} looked at.")
        return self._result(Status.PASS, f"{count:,} {what} looked at, {'' if count == 1 else 'all '}as expected.")

    def _result(self, status: Status, message: str, missing: tuple[Missing, ...] = ()) -> Outcome:
        shown = [text for text in self._seen if text != _NONE or len(self._seen) == 1]
        if shown and all(_NUMBER.fullmatch(text) for text in shown):
            shown = [f"{self._shown_name} {min(shown, key=float)}", *sorted(shown, key=float)[1:]]
        seen = ", ".join([*shown[:_MOST_SEEN], *(["…"] if len(shown) > _MOST_SEEN else [])])
        findings = self._drafts.findings() if status is Status.FAIL else ()
        more = self._drafts.left_out if findings else 0
        return Outcome(self.info, status, message, self._looked, findings, missing, seen=cut(seen), more=more)


def describe(rule: Rule) -> str:
    """Return in words what a rule looks at: ``ConfigMap knative-serving/config-features``, ``Pod in namespace a or b``."""
    select = rule.select
    if len(select.names) == 1 and len(select.namespaces) <= 1 and not select.where:
        return str(ObjectRef(select.kind, select.names[0], "".join(select.namespaces)))
    named = f" {_either(select.names)}" if select.names else ""
    place = f" in namespace {_either(select.namespaces)}" if select.namespaces else ""
    return f"{select.kind}{named}{' that the rule is about' if select.where else ''}{place}"


def _either(names: Sequence[str]) -> str:
    return " or ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


def _hidden(missing: Missing) -> bool:
    """Return whether asking for the object again would only ask for what the collector must not read."""
    return missing.reason in (HIDDEN, PARTLY_HIDDEN)


def _trace(error: BaseException) -> str:
    """Return an error and the last places it came through, without paths: the same on every machine."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    places = " < ".join(f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
    return cut(f"{type(error).__name__}: {error}") + f" [{places}]"
