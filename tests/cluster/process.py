"""Child processes that end with us, however we end, and know nothing of the environment."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def start(argv: list[str], log: Path, *, read_first_line: bool = False) -> "subprocess.Popen[bytes]":
    """A process in a session of its own (Ctrl-C reaches only us), without proxy variables, output in `log`.

    With `read_first_line` its stdout is a pipe: see `first_line`. On Linux the kernel kills it when the thread that
    started it ends, so start processes from a thread that lives as long as they shall.
    """
    with log.open("ab") as output:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if read_first_line else output,
            stderr=output,
            env={"PATH": os.defpath, "HOME": str(log.parent), "LC_ALL": "C.UTF-8", "TZ": "UTC"},
            start_new_session=True,
            preexec_fn=_die_with_parent(),
        )


def first_line(process: "subprocess.Popen[bytes]", log: Path) -> str:
    """What the process says when it is ready. Raises RuntimeError with its log where it ended instead."""
    assert process.stdout is not None
    line = process.stdout.readline().decode().strip()
    if not line:
        raise RuntimeError(f"{process.args!r} ended at once: {tail(log)}")
    return line


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ends this one process; what it held is thrown away anyway, so nothing is gained by asking politely."""
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def free_port() -> int:
    """A port of 127.0.0.1 that was free a moment ago; whoever uses it must be ready to be told that it is taken."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def tail(log: Path, size: int = 2000) -> str:
    return log.read_bytes()[-size:].decode(errors="replace") if log.exists() else "(no log)"


def _die_with_parent() -> Callable[[], None] | None:
    if sys.platform != "linux":
        return None  # there the cluster ends by its context manager alone
    prctl = ctypes.CDLL(None).prctl  # looked up before the fork: after it as little as possible may run
    parent = os.getpid()

    def set_signal() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died between the fork and the line above
            os._exit(1)

    return set_signal
