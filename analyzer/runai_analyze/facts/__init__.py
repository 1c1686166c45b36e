"""Facts: what rules compare. Parsing, joining and counting happen here, in small reviewed functions."""

from .build import BundleFacts, build_facts
from .examples import example_facts
from .field import Field
from .inventory import Inventory
from .kinds import FIELDS, cluster_paths, fields_of

__all__ = ["FIELDS", "BundleFacts", "Field", "Inventory", "build_facts", "cluster_paths", "example_facts", "fields_of"]
