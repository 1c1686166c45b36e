"""README.txt of a bundle: what it is, what it tells, what was left out, how to look inside."""

import pkgutil

from . import __version__, layout, plan
from .filters import filter_of


def resource(name: str) -> str:
    """Return a text that stands beside the modules, also in a zipapp."""
    data = pkgutil.get_data(__package__, name)
    assert data is not None
    return data.decode("utf-8")


def readme_text(name: str, options: plan.Options) -> str:
    """Return the README of the bundle ``name``."""
    text, whole, names, nothing, left_out = resource("readme.txt").split("==\n")
    filters = filter_of(options)
    certificates = options.certificates and not filters.folder(layout.CERTIFICATES)
    secrets = nothing if not options.secrets or filters.kind(plan.SECRET) else whole if certificates else names
    patterns = "\n".join(["    " + pattern for pattern in plan.CONFIGMAPS_WITH_DATA])
    return text.format(name=name, version=__version__, configmaps=patterns, secrets=secrets,
                       left_out=_left_out(options, left_out))


def _left_out(options: plan.Options, rows: str) -> str:
    """Return what the person who ran the collector left out, as a paragraph: of ``rows`` (field: words) those that hold."""
    found = []
    for field, _, words in [row.partition(": ") for row in rows.splitlines()]:
        value = options.record()[field]
        if value is False or (value and value is not True):
            found.append("  " + words.format(", ".join(value) if isinstance(value, list) else value) + "\n")
    return "\nWhat was left out on request\n" + "".join(found) if found else ""
