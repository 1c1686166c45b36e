"""README.txt of a bundle: what it is, what it tells, what was left out, how to look inside."""

import pkgutil

from . import __version__, layout, plan
from .filters import Filter


def resource(name: str) -> str:
    """Return a text that stands beside the modules, also in a zipapp."""
    data = pkgutil.get_data(__package__, name)
    assert data is not None
    return data.decode("utf-8")


def readme_text(name: str, options: plan.Options) -> str:
    """Return the README of the bundle ``name``."""
    text, whole, names, nothing = resource("readme.txt").split("==\n")
    filters = Filter(options.exclude, options.only)
    certificates = options.certificates and not filters.folder(layout.CERTIFICATES)
    secrets = nothing if not options.secrets or filters.kind(plan.SECRET) else whole if certificates else names
    patterns = "\n".join(["    " + pattern for pattern in plan.CONFIGMAPS_WITH_DATA])
    return text.format(name=name, version=__version__, configmaps=patterns, secrets=secrets, left_out=_left_out(options))


def _left_out(options: plan.Options) -> str:
    """Return what the person who ran the collector left out, as a paragraph of its own."""
    wishes = (
        (not options.exec_, "nvidia-smi was not run (--no-exec)."),
        (not options.logs, "No logs were read (--no-logs)."),
        (not options.secrets, "Neither names of Secrets nor certificates were read (--no-secrets)."),
        (not options.certificates, "No Secret was read whole (--no-certificates)."),
        (bool(options.namespaces), "Namespaced objects were read of %s only (-n)." % ", ".join(options.namespaces)),
        (bool(options.exclude), "Left out by --exclude: %s." % ", ".join(options.exclude)),
        (bool(options.only), "Left out was all but, by --only: %s." % ", ".join(options.only)),
        (bool(options.since), "Of logs only the last %d minutes were read (--since)." % (options.since // 60)),
    )
    lines = "".join(["  %s\n" % text for wanted, text in wishes if wanted])
    return "\nWhat was left out on request\n" + lines if lines else ""
