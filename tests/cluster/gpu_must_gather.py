"""NVIDIA's own must-gather of the GPU Operator, out of its Go module: the tests let it look at the test cluster."""

import os
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.building import download_module, find_go

MODULE, VERSION = "github.com/NVIDIA/gpu-operator", "v0.0.0-20250917190837-d73a0086a6ba"


def find_must_gather(environ: Mapping[str, str] = os.environ) -> Path:
    """The script, in Go's folder of modules (40 MB to fetch, once). Raises MissingBinariesError."""
    wanted = "must-gather of the GPU Operator"
    module = download_module(find_go(wanted, environ), f"{MODULE}@{VERSION}", wanted, environ)
    return Path(module["Dir"]) / "hack" / "must-gather.sh"
