"""What a person can do when there is no way to the cluster."""

import re
from typing import Tuple

from .redact_text import redact_text

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
