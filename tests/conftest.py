"""What all tests share: the test cluster's fixtures and the corpus folder."""

import os
from pathlib import Path

import pytest

pytest_plugins = ["tests.cluster.fixtures"]

ROOT = Path(__file__).parent.parent


def corpus_folder() -> Path:
    """Return the folder of real files made by others; it may not exist."""
    return Path(os.environ.get("RUNAI_CORPUS", ROOT.parent / "shared" / "corpus"))


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus folder; skips where there is none."""
    folder = corpus_folder()
    if not folder.is_dir():
        pytest.skip(f"the corpus of real files is not there ({folder}); set RUNAI_CORPUS to its folder")
    return folder
