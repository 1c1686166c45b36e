"""The part of the format's table that is about packs: pack.yaml, site.yaml and suppressions.yaml."""

from __future__ import annotations

from runai_analyze.ruleset.keys import SEVERITIES, Key

PACK_BLOCKS: dict[str, tuple[Key, ...]] = {
    "pack": (
        Key("name", "text", "name of the pack", required=True),
        Key("version", "text", "its version", required=True),
        Key("engine", "text", "range of versions of runai-analyze that can run it", required=True),
        Key("changelog", "texts", "what changed", required=True),
        Key("collect", "block", "what the collector must read beside its own plan", block="collect"),
    ),
    "collect": (
        Key("kinds", "blocks", "kinds of objects", block="collected kind"),
        Key("groups", "texts", "API groups, with all their kinds: more.example.com"),
        Key("configmaps", "texts", "ConfigMaps as NAMESPACE/NAME; * and ? are wildcards"),
        Key("logs", "blocks", "logs of pods", block="collected log"),
    ),
    "collected kind": (
        Key("group", "text", "its API group", required=True),
        Key("plural", "text", "its plural in small letters, as in the API: widgets", required=True),
        Key("version", "text", "the version to read: v1", required=True),
        Key("kind", "text", "the kind: Widget", required=True),
        Key("namespaced", "yes/no", "whether its objects are in namespaces", required=True),
    ),
    "collected log": (
        Key("namespace", "text", "the pods' namespace; * and ? are wildcards", required=True),
        Key("pod", "text", "their name; * and ? are wildcards", required=True),
    ),
    "site": (Key("changes", "blocks", "what this site changes in rules of earlier packs", required=True, block="change"),),
    "change": (
        Key("rule", "text", "id of the rule", required=True),
        Key("enabled", "yes/no", "false: the rule is not run, and the report lists it as switched off"),
        Key("severity", "text", "how bad it is here", choices=SEVERITIES),
        Key("params", "map", "other values for params of the rule"),
        Key("reason", "text", "why; the report prints it", required=True),
    ),
    "suppressions": (
        Key("suppressions", "blocks", "findings that this site accepts for a time", required=True, block="suppression"),
    ),
    "suppression": (
        Key("rule", "text", "id of the rule; needed with match"),
        Key("match", "block", "which of its findings", block="match"),
        Key("fingerprint", "text", "in place of match: the one finding with this fingerprint, as the report prints it"),
        Key("reason", "text", "why it is accepted", required=True),
        Key("by", "text", "who accepted it", required=True),
        Key("until", "text", "the last day on which it is accepted, at most a year away: 2027-03-31", required=True),
        Key("since", "text", "the day on which it was accepted; a bundle may be older or newer than that"),
    ),
    "match": (
        Key("kind", "text", "kind of the object that the finding is about"),
        Key("namespace", "text", "its namespace; * and ? are wildcards"),
        Key("name", "text", "its name; * and ? are wildcards"),
    ),
}
