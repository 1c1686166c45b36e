"""What a person wants left out. Without --exclude and --only nothing is; ``wishes`` has what these two mean."""

from typing import Any, List, Tuple

from . import plan
from .client import Tally


def filter_of(options: plan.Options) -> "Filter":
    """Return the filter of a run."""
    if not options.exclude and not options.only:
        return Filter()
    from .wishes import Wishes
    return Wishes(options.exclude, options.only)


def name_of(kind: plan.Kind) -> str:
    """Return PLURAL or PLURAL.GROUP."""
    return "%s.%s" % (kind.plural, kind.group) if kind.group else kind.plural


def text_of(value: Any, field: str, part: str = "metadata") -> str:
    """Return a text in a part of what may be no object, "" when there is none."""
    fields = value.get(part) if isinstance(value, dict) else None
    text = fields.get(field) if isinstance(fields, dict) else None
    return text if isinstance(text, str) else ""


class Filter:
    """Leaves nothing out. Each method returns why something is left out, "" when it is not."""

    def kind(self, kind: plan.Kind) -> str:
        """Of a kind; what is read of pods (logs, nvidia-smi) and of Secrets goes with them."""
        return ""

    def list(self, kind: plan.Kind) -> str:
        """Of a list of objects: of those that later steps need no more than the files is left out."""
        return ""

    def namespace(self, name: str) -> str:
        """Of all that is in a namespace, and of itself."""
        return ""

    def path(self, member: str) -> str:
        """Of a file of the bundle."""
        return ""

    def folder(self, folder: str) -> str:
        """Of the pages of a list."""
        return ""

    def keep(self, kind: plan.Kind, values: List[Any], tally: Tally) -> List[Any]:
        """Return the objects of a list of the whole cluster that may stay, and keep in ``tally`` whether any may not. What is no
        object stays, and is told elsewhere."""
        return values

    def namespaces(self) -> str:
        """Of namespaces in general: what a list of the whole cluster lacks, in words that the analyzer reads."""
        return ""

    def unmatched(self, *sorts: str) -> List[Tuple[str, str]]:
        """Return (option, pattern) of what fits nothing that was asked about: mistyped, or of what is not there."""
        return []
