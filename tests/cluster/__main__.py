"""`python -m tests.cluster`: the test cluster for a person. `build` only builds its programs."""

import argparse
import os
import signal
import sys
import time

from tests.cluster.binaries import find_binaries
from tests.cluster.building import MissingBinariesError
from tests.cluster.old_server import find_old_binaries, find_old_server
from tests.cluster.server import Cluster

OLD_SITE = "old-site"  # the scenario that stands on the old server


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=__doc__)
    parser.add_argument("action", nargs="?", choices=("run", "build"), default="run")
    parser.add_argument("--scenario", help="a folder of tests/cluster/scenarios to load, such as healthy")
    options = parser.parse_args()
    try:
        if options.action == "build":
            say(f"ready: {find_binaries(say)}, {find_old_server(say)}")
            return 0
        binaries = (find_old_binaries if options.scenario == OLD_SITE else find_binaries)(say)
    except MissingBinariesError as missing:
        say(str(missing))
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):  # a shell that starts us in the background ignores the first
        signal.signal(number, lambda *_: sys.exit(0))
    with Cluster(binaries) as cluster:
        if options.scenario:
            from tests.cluster.scenario import load  # only who loads one needs it

            say(f"loading the scenario {options.scenario}")
            load(cluster, options.scenario)
        say("the cluster runs; in another terminal:")
        print(f"export KUBECONFIG={cluster.kubeconfig()}", flush=True)
        print(f"export PATH={cluster.binaries.kubectl.parent}:$PATH", flush=True)
        say(f"every request is recorded in {cluster.folder}/recording.jsonl; Ctrl-C ends the cluster")
        while True:
            time.sleep(1)  # a signal that comes just before signal.pause() would be waited out for ever


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
