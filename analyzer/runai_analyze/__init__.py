"""runai-analyze: turns a support bundle into findings, offline."""

from runai_collect import __version__

__all__ = ["__version__"]
