"""Make the bundles in samples/ anew: load each scenario into the test cluster and run the real collector on it."""

import subprocess
import sys
from pathlib import Path

from tests.cluster import Cluster, find_binaries
from tests.cluster.scenario import load

SAMPLES = Path(__file__).parent.parent / "samples"
SCENARIOS = ("healthy", "broken-site", "pre-install")


def main() -> None:
    """Write samples/<scenario>.tgz for every scenario."""
    SAMPLES.mkdir(exist_ok=True)
    with Cluster(find_binaries()) as cluster:
        for name in SCENARIOS:
            cluster.reset()
            load(cluster, name)
            path = SAMPLES / f"{name}.tgz"
            path.unlink(missing_ok=True)
            command = [sys.executable, "-m", "runai_collect", "-o", str(path), "--quiet"]
            code = subprocess.run(command, env=cluster.environment(), check=False).returncode
            if code not in (0, 1):
                sys.exit(f"runai-collect ended with {code} on {name}")
            print(f"{path}  {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
