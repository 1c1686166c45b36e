"""How the time and the file are shared out: parts in the order of their importance; what one leaves goes to the next, and at
the end to what was put off."""

import ctypes
import time
from contextlib import suppress

from .client import Stop
from .writer import BundleWriter

# Of what is left when a part begins it gets its weight's share among itself and the parts after it. "" is the end: all of it.
PARTS = (("health", 8),
         ("objects", 12), ("secrets", 2), ("certificates", 1), ("nvidia-smi", 5), ("probes", 1), ("logs", 4), ("", 2))
TIME, SIZE, FULL = "its share of the deadline", "its share of --max-size", "no room was left for it: --max-size"
LEAST = 1.0                     # seconds that anything gets: less would be spent on asking alone


class Budget:
    """Shares out the time that a run has and the bytes that its bundle may have."""

    def __init__(self, stop: Stop, writer: BundleWriter) -> None:
        self._stop = stop
        self._writer = writer
        self.part("")

    def part(self, name: str) -> None:
        """Begin a part of the run."""
        weights = [weight for _, weight in PARTS[[part for part, _ in PARTS].index(name):]]
        share = weights[0] / sum(weights)
        self._until = time.monotonic() + self._stop.left(False) * share
        self._floor = self._writer.room() * (1 - share)     # room that the part leaves to the others

    def grant(self, step: str, fraction: float) -> None:
        """Let the calling thread have a fraction of what is left to the part, for one step."""
        before, most = self._writer.packed.get(step, 0), (self._writer.room() - self._floor) * fraction

        def spent() -> str:
            over = self._writer.room() <= self._floor or self._writer.packed.get(step, 0) - before > most
            return SIZE if over else ""
        left = self._until - time.monotonic()
        self._stop.share(max(LEAST, left * fraction) if left > 0 else 0.0, TIME, spent)

    def release(self) -> None:
        """Let the calling thread have all that the run has."""
        self._stop.share(float("inf"), "", str)


def save_memory() -> None:
    """Let glibc hand large blocks back at once, and keep one heap for all threads: left to itself it held 198 MB instead of 136
    where lists had objects of 8 MiB (glibc 2.36). Other systems' C libraries know no such wish."""
    with suppress(OSError, AttributeError, TypeError):
        for parameter, value in ((-3, 1 << 18), (-8, 1)):       # M_MMAP_THRESHOLD, M_ARENA_MAX of malloc.h
            ctypes.CDLL(None).mallopt(parameter, value)
