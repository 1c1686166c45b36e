"""The formats of bundles, one small module each, and the list that names them."""

from __future__ import annotations

from collections.abc import Sequence

from ..intake.format import Format, Match
from .bug_report import FORMAT as NVIDIA_FILES
from .dump import FORMAT as DUMP
from .gpu_operator import FORMAT as GPU_OPERATOR
from .insights import FORMAT as INSIGHTS
from .loose import FORMAT as LOOSE
from .must_gather import FORMAT as MUST_GATHER
from .node_bundle import FORMAT as NODE_BUNDLE
from .preinstall import FORMAT as PREINSTALL
from .rancher import FORMAT as RANCHER
from .runai_gpu import FORMAT as GPU_SH
from .runai_logs import FORMAT as RUNAI_LOGS
from .runai_scripts import FORMAT as CLUSTER_SH
from .runai_workload import FORMAT as WORKLOAD_SH
from .sonobuoy import FORMAT as SONOBUOY
from .sos import FORMAT as SOS
from .troubleshoot import FORMAT as TROUBLESHOOT

# Asked in this order; of several that know the names, the one with the most markers is taken.
FORMATS: tuple[Format, ...] = (
    MUST_GATHER,
    INSIGHTS,
    DUMP,
    TROUBLESHOOT,
    SONOBUOY,
    RANCHER,
    NODE_BUNDLE,
    GPU_OPERATOR,
    SOS,
    NVIDIA_FILES,
    CLUSTER_SH,
    GPU_SH,
    WORKLOAD_SH,
    RUNAI_LOGS,
    PREINSTALL,
    LOOSE,
)


def recognise(names: Sequence[str]) -> tuple[Format, Match] | None:
    """Return the format of a foreign bundle and where it stands in the archive; None when no format knows it."""
    found = [(form, match) for form in FORMATS if (match := form.match(names)) is not None]
    return max(found, key=lambda one: one[1].markers, default=None)
