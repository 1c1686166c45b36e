"""kubectl's proxy on a port of this machine, where the system has no Unix sockets (Windows). Nobody finds the port without the
prefix of its paths."""

import http.client
import secrets
from typing import Any, Callable, List, Tuple


class PrefixConnection(http.client.HTTPConnection):
    """HTTP to a proxy on a port of this machine that serves all under a prefix."""

    def __init__(self, port: str, prefix: str, timeout: float) -> None:
        super().__init__("127.0.0.1:" + port, timeout=timeout)
        self._prefix = prefix

    def putrequest(self, method: str, url: str, *arguments: Any, **options: Any) -> None:
        """Begin a request below the prefix."""
        super().putrequest(method, self._prefix + url, *arguments, **options)


def listen_on_port(say: Callable[[str], None]) -> Tuple[str, List[str]]:
    """Return a prefix that nobody knows, and the arguments with which the proxy serves under it alone; say what that means."""
    prefix = "/" + secrets.token_hex(16)
    say("this system has no Unix sockets: till the end of the run the cluster can be read through a port of 127.0.0.1, by "
        "whoever can see the command lines of your processes")
    return prefix, ["--port=0", "--address=127.0.0.1", "--api-prefix=%s/" % prefix]
