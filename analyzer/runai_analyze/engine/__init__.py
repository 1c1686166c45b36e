"""Rules on a bundle: compiled once, every object looked at once, three answers."""

from runai_analyze.engine.evaluate import evaluate
from runai_analyze.engine.releases import fit_releases
from runai_analyze.engine.settle import settle

__all__ = ["evaluate", "fit_releases", "settle"]
