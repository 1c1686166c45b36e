"""Credentials in the settings of container runtimes and kubelets, which the redaction of texts does not know by name. Pure."""

import re
from typing import List, Tuple

from . import layout

RULE = "runtime-credential"
_SECTION = re.compile(r"\s*\[+\s*([^\[\]].*?)\]+\s*(?:#.*)?$")
# containerd: [plugins."…".registry.configs."HOST".auth], [host."URL".header]; everything in them may be a credential.
_SECRET_SECTION = re.compile(r"(?i)(?:^|[.\s\"'])(?:auths?|headers?)[\"']?\s*$")
_SECRET_ROW = re.compile(r"(?i)\s*#?\s*[\"']?(?:auths?|headers?|HttpHeaders|username|password|identitytoken|staticPodURLHeader)"
                         r"[\"']?\s*[=:]")
_KEY = re.compile(r"\s*(?:\"[\w.-]+\"|'[\w.-]+'|[\w.-]+)\s*[=:]\s*")


def hide_credentials(text: str) -> Tuple[str, List[Tuple[int, str]]]:
    """Return settings (TOML, JSON or YAML) without what logs in at registries and mirrors, and (line, rule) of what was hidden.
    Comments count too: what was in force before often stands in them."""
    rows, found, inside, depth = [], [], False, -1  # type: List[str], List[Tuple[int, str]], bool, int
    for number, row in enumerate(text.split("\n"), 1):
        section, indent = _SECTION.match(row), len(row) - len(row.lstrip())
        if section and not row.rstrip().endswith(","):
            inside = bool(_SECRET_SECTION.search(section.group(1)))
        depth = depth if row.strip() and indent > depth >= 0 else -1
        if not section and row.strip() and (inside or depth >= 0 or _SECRET_ROW.match(row)):
            depth = indent if depth < 0 and row.rstrip().endswith((":", "{", "[")) else depth
            key = _KEY.match(row)
            row = (key.group() if key else row[:indent]) + layout.marker(RULE)
            found.append((number, RULE))
        rows.append(row)
    return "\n".join(rows), found
