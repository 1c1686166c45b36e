"""Reading a must-gather takes less than libyaml's own loader on the same bytes; ``python -m tests.bench foreign`` measures it."""

from pathlib import Path

from tests.bench.foreign import MOST, ratio, read, write_must_gather
from tests.bench.generator import Size


def test_a_must_gather_is_read_in_time(tmp_path: Path) -> None:
    """A tenth of 2,000 pods; the best of three tries, for others use the machine too."""
    path, size = tmp_path / "a.tgz", Size(nodes=5, pods=200, events=100, logs=0, smi=0)
    files = write_must_gather(path, size)
    assert read(path) == size.pods + size.events + size.nodes
    assert any(ratio(path, files) <= MOST for _ in range(3))
