"""A file, or a part of one, whose content is in memory: for formats that have to look at it before they hand it on."""

from __future__ import annotations

from dataclasses import dataclass

from .format import Member


@dataclass
class Held:
    """A member that can be read more than once."""

    name: str
    data: bytes
    whole: bool = True
    size: int = 0

    def __post_init__(self) -> None:
        """The size is that of what is held."""
        self.size = len(self.data)

    def read(self) -> bytes:
        """Return the content."""
        return self.data


def hold(member: Member) -> Held:
    """Read a member, and keep what was read of it."""
    data = member.read()
    return Held(member.name, data, member.whole)
