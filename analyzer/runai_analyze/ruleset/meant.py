"""What an author meant who knows kubectl, JSONPath or another rule language: their words, and what they are called here."""

from __future__ import annotations

import re

_TESTS = {
    "equals": "== = eq is equal equal_to value same_as",
    "not_equals": "!= <> ne neq not not_equal is_not",
    "one_of": "in any in_list oneof values",
    "not_one_of": "not_in notin nin none",
    "exists": "exist is_set present set defined has absent missing",
    "contains": "includes include has_key substring",
    "starts_with": "prefix startswith begins_with",
    "ends_with": "suffix endswith",
    "matches": "regex regexp pattern match =~ like glob",
    "at_least": ">= gte ge min minimum least",
    "at_most": "<= lte le max maximum most",
    "more_than": "> gt greater greater_than above over",
    "less_than": "< lt less below under lower_than",
    "version": "semver version_range in_range",
    "after": "newer_than later_than since",
    "before": "older_than earlier_than until",
    "min_length": "length len size min_items",
    "equals_field": "same_field field_equals",
}
_KEYS = {
    "condition": {
        **_TESTS,
        "field": "path key jsonpath jsonPath",
        "any_of": "or anyOf any",
        "all_of": "and allOf all",
        "none_of": "nor noneOf",
    },
    "expect_count": _TESTS,
    "rule": {
        "title": "name summary headline",
        "impact": "description why rationale",
        "fix": "remediation solution resolution action workaround",
        "severity": "priority level",
        "area": "category component group",
        "examples": "tests test cases_to_test",
        "expect": "conditions condition assert check must",
        "for_each": "match select selector resource",
        "docs": "links references reference",
        "owner": "author maintainer",
        "changed": "date updated modified",
        "params": "parameters vars variables",
    },
    "selection": {"where": "labels selector labelSelector match conditions filter", "kind": "apiVersion kinds resource"},
    "command": {"run": "command cmd exec", "risk": "impact danger", "run_by": "by who"},
    "fix": {"text": "description message steps", "commands": "command run"},
    "example": {"given": "objects input resources bundle", "result": "expect expected outcome", "message_contains": "message"},
    "case": {"when": "if where condition conditions"},
}
_WORDS = {block: {word: key for key, words in keys.items() for word in words.split()} for block, keys in _KEYS.items()}


def key_meant(block: str, word: str) -> str:
    """Return the key of a block for which another language has a word; empty where none has it."""
    return _WORDS.get(block, {}).get(word, "")


_FILTER = re.compile(r"""\[\?\(@\.(\w+)\s*==\s*['"]?([^'")]+)['"]?\)\]""")
# Maps of Kubernetes whose keys are names with dots and slashes.
_NAMED = re.compile(
    r"^(.*?\b(?:labels|annotations|allocatable|capacity|limits|requests|hard|used|nodeSelector|matchLabels|data|parameters))\.(.+)$"
)

_BARE = re.compile(r"""\[(?!\d+\])([^\]\["'=*]+)\]""")  # a name in brackets without quotes


def path_meant(text: str) -> str:
    """Return ``; write …`` with the path as it is written here, for one of JSONPath or jq; empty where it is none of these."""
    meant = text.strip()
    if meant.startswith("{") and meant.endswith("}"):
        meant = meant[1:-1].strip()
    meant = meant.removeprefix("$").removeprefix(".")
    meant = _FILTER.sub(r"[\1=\2]", meant).replace("[]", "[*]").replace("['", '["').replace("']", '"]').replace("\\.", ".")
    meant = _BARE.sub(r'["\1"]', meant)
    named = _NAMED.match(meant)
    if named and re.search(r"[./]", named[2]) and '"' not in named[2]:
        meant = f'{named[1]}["{named[2]}"]'
    return f"; write {meant}" if meant and meant != text else ""
