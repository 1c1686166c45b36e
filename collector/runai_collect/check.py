"""--check: say what a run would lack, and read no more than that takes. There is no bundle."""

import json
import sys

from .advice import warning
from .client import Client, Stop
from .gather import begin
from .plan import Options
from .progress import Progress, show
from .steps import Session
from .summary import incomplete
from .writer import BundleWriter


def check(client: Client, options: Options, stop: Stop, progress: Progress, context_namespace: str, as_json: bool) -> bool:
    """Print what a run would lack, and return whether that is nothing, as far as one object of each kind shows.
    Raises StoppedError."""
    writer = BundleWriter("", "check", 0)
    try:
        missing = begin(Session(client, writer, options, stop, progress), context_namespace, True)[3]
    finally:
        writer.abandon(False)
    failed = [step for step in writer.steps if incomplete([step]) and not step.id.startswith("list:")]
    progress.end()
    stop.check()
    complete = not missing and not failed
    said = warning(missing, options) + ["%s: %s %s" % (step.id, step.status, step.message) for step in failed]
    said += ["Nothing is refused that this run reads, as far as one object of each kind shows."] if complete else []
    said += ["Whether nvidia-smi may be run (create pods/exec) shows only when it is tried."] if options.exec_ else []
    document = {"complete": complete, "missing": [lack._asdict() for lack in missing],
                "failed": [{"step": step.id, "status": step.status, "message": step.message} for step in failed], "said": said}
    show(sys.stdout, json.dumps(document, indent=1) + "\n" if as_json else "\n".join(said + [""]))
    return complete
