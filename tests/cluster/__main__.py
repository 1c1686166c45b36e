"""`python -m tests.cluster`: the test cluster for a person. `build` only builds its programs."""

import argparse
import os
import signal
import sys

from tests.cluster.binaries import MissingBinariesError, find_binaries
from tests.cluster.server import Cluster


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=__doc__)
    parser.add_argument("action", nargs="?", choices=("run", "build"), default="run")
    parser.add_argument("--scenario", help="a folder of tests/cluster/scenarios to load, such as healthy")
    options = parser.parse_args()
    try:
        binaries = find_binaries(say)
    except MissingBinariesError as missing:
        say(str(missing))
        return 1
    if options.action == "build":
        say(f"ready: {binaries.etcd}, {binaries.kube_apiserver}, {binaries.kubelet}, {binaries.kubectl}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Cluster(binaries) as cluster:
        if options.scenario:
            from tests.cluster.scenario import load  # only who loads one needs it

            say(f"loading {options.scenario}")
            load(cluster, options.scenario)
        print(f"export KUBECONFIG={cluster.kubeconfig()}", flush=True)
        say(f"kubectl: {cluster.binaries.kubectl}; recorded requests: {cluster.folder}/recording.jsonl; Ctrl-C ends it")
        wait()
    return 0


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def wait() -> None:
    try:
        while True:
            signal.pause()
    except KeyboardInterrupt:
        say("ending")


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
