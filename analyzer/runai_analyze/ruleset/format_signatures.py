"""The part of the format's table that is about signatures/: known messages in logs, which the kind LogLine is made of."""

from __future__ import annotations

from runai_analyze.ruleset.keys import Key

SIGNATURE_BLOCKS: dict[str, tuple[Key, ...]] = {
    "signatures": (Key("signatures", "blocks", "known messages in logs", required=True, block="signature"),),
    "signature": (
        Key("id", "text", "its name for rules: small letters, digits and hyphens, never used twice", required=True),
        Key("title", "text", "what the message means, in a few words", required=True),
        Key("component", "text", "whose message it is: nccl, gpu-operator, runai", required=True),
        Key("pattern", "text", "the regular expression is found somewhere in the line; (?i) before it: capitals do not matter"),
        Key("similar_to", "texts", "in place of pattern: the line says nearly the same; names, numbers and times do not matter"),
        Key("contains", "text", "with similar_to: words that the line must hold in any case; capitals do not matter"),
        Key("score", "number", "for similar_to: how similar the line must be, 50 to 100 percent; 85 when not written"),
        Key("source", "text", "where the message is known from", required=True),
        Key("kb", "texts", "knowledge base numbers"),
        Key("matches", "texts", "lines that it must find", required=True),
        Key("others", "texts", "lines that look alike and that it must not find", required=True),
    ),
}
