"""NVIDIA's own must-gather of the GPU Operator, out of its Go module: the tests let it look at the test cluster."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.cluster.building import MissingBinariesError

MODULE, VERSION = "github.com/NVIDIA/gpu-operator", "v0.0.0-20250917190837-d73a0086a6ba"


def find_must_gather(environ: Mapping[str, str] = os.environ) -> Path:
    """The script, in Go's folder of modules (40 MB to fetch, once). Raises MissingBinariesError."""
    go = shutil.which("go", path=environ.get("PATH", ""))
    if go is None:
        raise MissingBinariesError("no must-gather of the GPU Operator: install Go (https://go.dev/dl)")
    command = [go, "mod", "download", "-json", f"{MODULE}@{VERSION}"]
    done = subprocess.run(command, env=dict(environ), capture_output=True, text=True, check=False)
    if done.returncode:
        raise MissingBinariesError(f"no must-gather of the GPU Operator: its module cannot be had: {done.stderr.strip()[-300:]}")
    return Path(json.loads(done.stdout)["Dir"]) / "hack" / "must-gather.sh"
