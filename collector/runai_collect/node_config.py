"""Credentials in the settings of container runtimes and kubelets, which the redaction of texts does not know by name. Pure."""

import re
from typing import List, Tuple

from . import layout

RULE = "runtime-credential"
# containerd: [plugins."…".registry.configs."HOST".auth], [host."URL".header]; everything in them may be a credential.
_SECRET_SECTION = re.compile(r"(?i)(?:^|[.\s\"'])(?:auths?|headers?)[\"']?$")
# Anywhere in a row, as a key or a part of a dotted one.
_SECRET_KEY = re.compile(r"(?i)(?:^|[\s{,.\"'#])(?:auths?|headers?|HttpHeaders|username|password|identitytoken|"
                         r"staticPodURLHeader)[\"']?\s*(?:[=:]|\.[^=]{0,200}=)\s*")
_KEY = re.compile(r"\s*(?:\"[\w.-]+\"|'[\w.-]+'|[\w.-]+)\s*[=:]\s*")
_NO_BRACKETS = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")


def hide_credentials(text: str) -> Tuple[str, List[Tuple[int, str]]]:
    """Return settings (TOML, JSON or YAML) without what logs in at registries and mirrors, and (line, rule) of what was hidden.
    Comments count too: what was in force before often stands in them."""
    rows, found, inside, depth, opened = [], [], False, -1, 0  # type: List[str], List[Tuple[int, str]], bool, int, int
    for number, row in enumerate(text.split("\n"), 1):
        section, indent = "" if opened else _section(row), len(row) - len(row.lstrip())
        inside = bool(_SECRET_SECTION.search(section)) if section else inside
        depth = depth if row.strip() and indent > depth >= 0 else -1
        within = inside or depth >= 0 or opened > 0
        key = _KEY.match(row) if within else _SECRET_KEY.search(row)
        if not section and row.strip() and (within or key):
            start = key.end() if key else indent
            depth = indent if depth < 0 and row.rstrip().endswith((":", "{", "[", "=")) else depth
            opened = max(0, opened + _opened(row[start:]))
            if row[start:].strip(" \t\r]},"):       # more than what closes
                row = row[:start] + layout.marker(RULE)
                found.append((number, RULE))
        rows.append(row)
    return "\n".join(rows), found


def _section(row: str) -> str:
    """Return the name of a TOML section that begins with this row, "" when none does."""
    head = row.partition("#")[0].strip()
    return head.strip("[] \t") if head.startswith("[") and head.endswith("]") else ""


def _opened(part: str) -> int:
    """Return how many brackets stay open behind a part of a row."""
    plain = _NO_BRACKETS.sub("", part)
    return plain.count("[") + plain.count("{") - plain.count("]") - plain.count("}")
