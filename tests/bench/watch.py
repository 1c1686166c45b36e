"""``runai-rules watch`` on a sample bundle: from the save to the last line that it prints, against a plain run of
``runai-rules try`` on the same rule and bundle, which starts anew, reads the rules and reads the bundle."""

import argparse
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runai_analyze.ruleset import default_pack

SAMPLES = Path(__file__).parents[2] / "samples"
LIMIT = 0.5  # seconds that a turn may take
_PROGRAM = [sys.executable, "-c", "from runai_analyze.rules_cli import main; main()"]
_END = "waiting for the next save, Ctrl-C ends"


def plain(rule: Path, bundle: Path) -> float:
    """Return the seconds of one run that starts anew."""
    start = time.perf_counter()
    subprocess.run([*_PROGRAM, "try", str(rule), str(bundle)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def turns(rule: Path, bundle: Path, rounds: int) -> list[float]:
    """Return the seconds from each save of the rule to the end of what watch prints."""
    process = subprocess.Popen([*_PROGRAM, "watch", str(rule), str(bundle)], stdout=subprocess.PIPE, text=True)
    text = rule.read_text()
    taken = []
    try:
        _wait(process)
        for number in range(rounds):
            time.sleep(0.2)
            start = time.perf_counter()
            rule.write_text(f"{text}# save {number}\n")
            _wait(process)
            taken.append(time.perf_counter() - start)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
    return taken


def _wait(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if line.rstrip().endswith(_END):
            return
    sys.exit("watch ended")


def main(arguments: list[str]) -> None:
    """Save a rule of a copy of the shipped pack again and again, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench watch", description=__doc__)
    parser.add_argument("--rule", default="RAI-NOD-010")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args(arguments)
    late = False
    for bundle in sorted(SAMPLES.glob("*.tgz")):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copytree(default_pack(), Path(folder) / "rules")
            rule = next(copy.rglob(f"{options.rule}.yaml"))
            base = statistics.median(plain(rule, bundle) for _ in range(3))
            taken = sorted(turns(rule, bundle, options.rounds))
        middle, worst = statistics.median(taken), taken[-1]
        late = late or middle > LIMIT
        print(f"{bundle.name:20} plain run {base:5.2f} s   turn {middle:5.2f} s ({middle / base:4.2f}), worst {worst:5.2f} s")
    print(f"limit of a turn {LIMIT:.2f} s: {'missed' if late else 'kept'}")
    sys.exit(1 if late else 0)
