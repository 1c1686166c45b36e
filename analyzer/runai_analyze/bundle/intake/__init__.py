"""From files that other tools wrote to what the facts read: each format says what a file holds, the intake takes it in.

``Format`` (one small module each under ``formats``) recognises a bundle by the names in it and hands every file to the
``Intake``, which parses, drops what is secret, and keeps it in a ``Spool``; ``ForeignBundle`` shows the spool as a ``Source``.
"""

from .foreign import ForeignBundle
from .format import Format, Match, Member
from .intake import Intake

__all__ = ["ForeignBundle", "Format", "Intake", "Match", "Member"]
