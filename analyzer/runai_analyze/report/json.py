"""The report for other programs: one JSON document, everything that the page shows and everything that it cuts."""

from __future__ import annotations

import json
from typing import Any

from ..model import Acceptance, Accepted, BundleInfo, Evidence, Finding, ObjectRef, Outcome, Report

SCHEMA_VERSION = 1


def render_json(report: Report) -> str:
    """Return the document; keys stand in a fixed order, every key is always there, and times are RFC 3339 in UTC."""
    # A lone surrogate cannot be written as UTF-8; it can only come from a bundle made to break something.
    return json.dumps(document(report), ensure_ascii=False, indent=1).encode("utf-8", "replace").decode() + "\n"


def document(report: Report) -> dict[str, Any]:
    """Return the document as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": report.tool,
        "cluster": report.cluster_name,
        "verdict": report.verdict,
        "can_run": report.can_run,
        "notes": list(report.notes),
        "counts": {status.value: number for status, number in report.counts.items()},
        "facts": [{"label": fact.label, "value": fact.value, "note": fact.note} for fact in report.facts],
        "first": [{"rule": it.rule, "message": it.message, "fingerprint": it.fingerprint} for it in report.first],
        "outcomes": [_outcome(outcome) for outcome in report.outcomes],
        "checklist": _checklist(report),
        "releases": [
            {
                "release": fit.release,
                "fits": fit.fits,
                "current": fit.current,
                "parts": [dict(zip(("component", "found", "wanted", "answer"), part, strict=True)) for part in fit.parts],
            }
            for fit in report.releases
        ],
        "gpus": [dict(vars(row)) for row in report.gpus],
        "request": {
            "text": report.request.text,
            "commands": [{"what": what, "command": command} for what, command in report.request.commands],
        },
        "inventory": [
            {
                "name": table.name,
                "title": table.title,
                "columns": list(table.columns),
                "rows": [list(row) for row in table.rows],
                "total": table.total,
                "note": table.note,
            }
            for table in report.inventory
        ],
        "bundle": _bundle(report.bundle),
        "packs": [dict(vars(pack)) for pack in report.packs],
        "tables": [dict(vars(table)) for table in report.tables],
        "changes": [dict(vars(change)) for change in report.changes],
        "acceptances": [
            {**_acceptance(it.entry), "state": it.state, "findings": it.findings, "words": it.words} for it in report.acceptances
        ],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    rule = outcome.rule
    return {
        "rule": rule.id,
        "title": rule.title,
        "severity": outcome.severity.word,
        "area": rule.area,
        "rule_status": rule.status,
        "checklist": rule.checklist,
        "pack": rule.pack,
        "status": outcome.status.value,
        "message": outcome.message,
        "seen": outcome.seen,
        "looked_at": outcome.looked_at,
        "blocked_by": outcome.blocked_by,
        "impact": rule.impact,
        "fix": rule.fix,
        "commands": [dict(vars(command)) for command in outcome.commands],
        "docs": [dict(zip(("title", "extract", "source"), doc, strict=True)) for doc in rule.docs],
        "kb": list(rule.kb),
        "internal_note": rule.internal_note,
        "missing": [dict(vars(missing)) for missing in outcome.missing],
        "findings": [_finding(finding) for finding in outcome.findings],
        "more": outcome.more,
        "accepted": [_accepted(it) for it in outcome.accepted],
        "lapsed": [{"fingerprint": it.finding.fingerprint, **_acceptance(it.entry)} for it in outcome.lapsed],
    }


def _accepted(it: Accepted) -> dict[str, Any]:
    return {**_finding(it.finding), "accepted": _acceptance(it.entry)}


def _acceptance(entry: Acceptance) -> dict[str, Any]:
    return dict(vars(entry))


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "severity": finding.severity.word,
        "message": finding.message,
        "subject": _ref(finding.subject),
        "fingerprint": finding.fingerprint,
        "show": [{"title": title, "value": value} for title, value in finding.show],
        "fix": finding.fix,
        "kb": list(finding.kb),
        "evidence": [_evidence(evidence) for evidence in finding.evidence],
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "subject": _ref(evidence.subject),
        "path": evidence.path,
        "found": evidence.found,
        "wanted": evidence.wanted,
        "because": evidence.because,
    }


def _ref(ref: ObjectRef) -> dict[str, Any]:
    return {"kind": ref.kind, "namespace": ref.namespace, "name": ref.name, "member": ref.member, "line": ref.line}


def _checklist(report: Report) -> dict[str, Any]:
    return {
        "release": report.checklist_release,
        "release_note": report.release_note,
        "lines": [
            {
                "section": line.section,
                "id": line.id,
                "title": line.title,
                "answer": line.answer,
                "seen": line.seen,
                "rules": list(line.rules),
                "note": line.note,
                "optional": line.optional,
            }
            for line in report.checklist
        ],
    }


def _bundle(bundle: BundleInfo) -> dict[str, Any]:
    return {
        **_about(bundle),
        "clock_skew_seconds": bundle.clock_skew_seconds,
        "options": dict(bundle.options),
        "removed": list(bundle.removed),
        "exposed": [dict(vars(one)) for one in bundle.exposed],
        "parts": [_about(part) for part in bundle.parts],
        "problems": [dict(vars(problem)) for problem in bundle.problems],
        "steps": [dict(vars(step)) for step in bundle.steps],
    }


def _about(bundle: BundleInfo) -> dict[str, Any]:
    return {
        "file_name": bundle.file_name,
        "size": bundle.size,
        "sha256": bundle.sha256,
        "format": bundle.format,
        "collector": bundle.collector,
        "holder": bundle.holder,
        "captured": bundle.captured.isoformat().replace("+00:00", "Z") if bundle.captured else None,
        "state": bundle.state,
    }
