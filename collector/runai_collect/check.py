"""--check: say what a run would lack, and read no more than that takes. There is no bundle."""

import os
import sys
import tempfile

from .client import Client, Stop
from .gather import begin
from .plan import Options
from .progress import Progress, show
from .steps import Session
from .summary import incomplete
from .writer import BundleWriter


def check(client: Client, options: Options, stop: Stop, progress: Progress, context_namespace: str) -> bool:
    """Return whether a run would lack nothing, as far as one object of each kind shows. Raises StoppedError."""
    with tempfile.TemporaryDirectory(prefix="runai-collect-") as folder:        # what was read goes with it
        writer = BundleWriter(os.path.join(folder, "check.tgz"), "check", 0)
        try:
            missing = begin(Session(client, writer, options, stop, progress), context_namespace, True)[3]
        finally:
            writer.abandon(True)
    failed = [step for step in writer.steps if incomplete([step]) and not step.id.startswith("list:")]
    for step in failed:
        progress.say("%s: %s %s" % (step.id, step.status, step.message))
    progress.end()
    stop.check()
    complete = not missing and not failed
    if complete:
        show(sys.stdout, "Nothing is refused that this run reads, as far as one object of each kind shows.\n")
    if options.exec_:
        show(sys.stdout, "Whether nvidia-smi may be run (create pods/exec) shows only when it is tried.\n")
    return complete
