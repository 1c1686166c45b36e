"""What a format of foreign bundles is: how it is recognised, and who takes in its files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .intake import Intake


class Member(Protocol):
    """One plain file of an archive or a folder. ``read`` it before asking for the next one, or it is passed over."""

    name: str
    size: int
    whole: bool  # false after reading a file that the archive's end cut off

    def read(self) -> bytes:
        """Return the content, or what is left of it."""


@dataclass(frozen=True)
class Match:
    """A bundle that a format knows: the folder that all its files stand in (empty, or ending in ``/``), and how sure that is.

    ``markers`` counts the names that only this format has; of several formats the one with more is taken. ``first`` names the
    files that have to be read before all others.
    """

    top: str = ""
    markers: int = 1
    first: tuple[str, ...] = ()


def fullest_folder(names: Sequence[str], markers: Collection[str]) -> tuple[str, int]:
    """Return the folder (empty, or ending in ``/``) that holds most of the files called so, and how many of them it holds."""
    found: dict[str, int] = {}
    for name in names:
        folder, _, file = name.rpartition("/")
        found[folder] = found.get(folder, 0) + (file in markers)
    top = max(sorted(found), key=lambda one: found[one], default="")
    return f"{top}/".lstrip("/"), found.get(top, 0)


@dataclass(frozen=True)
class Format:
    """One foreign format.

    ``match`` sees all names and says whether it knows them. ``take`` is called once for every file below the top folder, with the
    name below it, in any order. ``finish`` is called at the end, with the names, and says what was asked of the cluster and what
    never is (``Intake.collected``, ``Intake.lacks``). ``documents`` are the files that ``Match.first`` named.

    ``holder`` is how sentences call such a bundle: "a must-gather". ``imitation``: no real file of it was at hand for the tests.
    ``supply``: the tool's own command for a namespace (``{}``) that it did not gather, where kubectl's is not the best.
    """

    name: str
    holder: str
    match: Callable[[Sequence[str]], Match | None]
    take: Callable[[Member, Intake], None]
    finish: Callable[[Sequence[str], Intake], None]
    imitation: bool = False
    supply: str = ""
    begin: Callable[[Mapping[str, bytes], Intake], None] = field(default=lambda documents, intake: None)
