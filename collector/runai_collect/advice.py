"""What is told to a person who has no way to the cluster, or not every right: what is wrong, and what to do."""

import re
from typing import List, Tuple

from .client import ApiError
from .kubectl import Config
from .plan import Options
from .preflight import Missing
from .progress import program
from .redact_text import redact_text
from .summary import in_order, some

# What to do about an error: of the patterns that its words match, the first.
_ADVICE: Tuple[Tuple[str, str], ...] = (
    (r"--kubectl|cannot be written", ""),
    (r"invalid apiVersion|API version", "kubectl and the login plug-in do not fit: update the older of both"),
    (r"login|Unauthorized|exec plugin", "log in, till `kubectl get nodes` works here without a question"),
    (r"expired|not yet valid", "the certificate must be renewed, or a clock is wrong"),
    (r"x509|tls:|certificate", "compare the trusted certificate authority with what the server, or a proxy between, shows"),
    (r"no such host|lookup |Name or service|name resolution", "check the server's name, and DNS"),
    (r"current-context|locate context|context was not found", "choose one of `kubectl config get-contexts` with --context NAME"),
    (r"kubeconfig", "name a file that kubectl can use with --kubeconfig FILE"),
    (r"reached", "check the server's address, VPN, firewall and proxy variables"),
    (r"\[Errno|temporary directory", "temporary files need a folder that takes them: free space, or name one in TMPDIR"),
)


def advise(message: str) -> str:
    """Return the words of an UnreachableError for a person: on one line, without a secret, and with what to do."""
    line = redact_text(" ".join(message.split()))[0]
    advice = next((advice for pattern, advice in _ADVICE if re.search(pattern, line)), "")
    return "%s; %s" % (line, advice) if advice else line


def login_failure(error: ApiError, heard: str, config: Config) -> str:
    """Return why the cluster could not be asked; ``heard`` are the last words of the login plug-in."""
    plugin = config.plugin if error.status == "timeout" or "credentials" in error.message else ""
    what = "the login failed" if error.code == 401 or plugin else "the cluster cannot be reached"
    where = [("context", config.context), ("server", config.server), ("login plug-in", plugin),
             ("which said:", heard if plugin else "")]
    return "%s: %s (%s)" % (what, error.message, ", ".join(["%s %s" % pair for pair in where if pair[1]]))


def warning(missing: List[Missing], options: Options) -> List[str]:
    """Return a few lines for the person who runs the collector, none when nothing is missing."""
    lines: List[str] = []
    for status, sort in sorted({(lack.status, lack.sort) for lack in missing}, key=lambda pair: (pair[0] != "forbidden", pair)):
        names = in_order({lack.name for lack in missing if (lack.status, lack.sort) == (status, sort)})
        how = "not allowed" if status == "forbidden" else "no good answer (%s)" % status
        lines.append("%s: %s: %s" % (how, sort, some(names, 8)))
    tiers = {lack.tier for lack in missing if lack.status == "forbidden"}
    if tiers:
        wide = ("+secrets" if options.secrets else "") + ("+exec" if options.exec_ and "base" in tiers else "")
        asked = (wide or "base") + "".join([" -n " + name for name in options.namespaces])
        lines.append("To ask an administrator for: the roles that %s --rbac %s prints%s" % (
            program(), asked, ", or do without: --no-secrets" if tiers == {"+secrets"} else ""))
    return lines
