"""``runai-collect remove BUNDLE PATH…``: a new bundle without some members, that says so, and in which nothing seems complete
that is not."""

import argparse
import fnmatch
import os
import re
import sys
from typing import Any, Dict, List, Set

from . import __version__, layout
from .cli import unwritable
from .inspect import DAMAGED, INTACT, USAGE, Found, look
from .progress import program, show
from .reader import BundleError, Reader, clean, objects, read_rows
from .summary import counted
from .writer import BundleWriter, Step

# Rows of many steps share the members of these folders: by folder, how the ids of those steps begin.
_SHARED = {layout.CONFIGMAPS: "list:core/v1/configmaps", layout.SECRETS: "secrets", layout.HELM: "helm",
           layout.CERTIFICATES: "certificate"}
_HOW = """PATH is a member (nodes/a/nvidia-smi.xml), a folder (logs/runai/) or a pattern ('nodes/*/*.txt'). The bundle itself
stays as it is. Exit codes: 0 written; 1 the bundle is damaged; 2 usage, or the new one cannot be written there"""
_AFTERWARDS = """
What was taken out afterwards
  %s, by runai-collect %s remove: %s.
  %s names them under "removed".
"""


def main(arguments: List[str]) -> int:
    """Run ``runai-collect remove``; returns the exit code."""
    parser = argparse.ArgumentParser(prog=program() + " remove", description="Write a bundle anew, without some of its members.",
                                     epilog=_HOW)
    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument("paths", metavar="PATH", nargs="+")
    parser.add_argument("-o", "--output", metavar="NEW", default="", help="the bundle to write (default: BUNDLE.removed.tgz)")
    chosen = parser.parse_args(arguments)
    try:
        found = look(chosen.bundle)[0]
        if found.problems:
            show(sys.stderr, "runai-collect remove: %s is not as it was written, so it cannot be written anew: %s\n" % (
                clean(chosen.bundle), clean("; ".join(found.problems[:3]))))
            return DAMAGED
        gone = _choose(found, str(found.about.get("name")), chosen.paths)
        if chosen.output and os.path.lexists(chosen.output):
            raise BundleError("%s exists; it is not replaced" % chosen.output)
        new = chosen.output or re.sub(r"(\.tgz|\.tar\.gz)?(\.blocked)?$", "", chosen.bundle) + ".removed.tgz"
        try:
            written = _write(chosen.bundle, new, found, gone, chosen.paths)
        except OSError as error:
            raise BundleError(unwritable(new, error))
    except BundleError as error:
        show(sys.stderr, "runai-collect remove: %s\n" % clean(error))
        return USAGE
    except (KeyError, TypeError, ValueError, RecursionError) as error:      # it is none of ours
        show(sys.stderr, "runai-collect remove: the new bundle cannot be written: %s\n" % clean(repr(error)))
        return DAMAGED
    show(sys.stdout, "%s without %s\n" % (clean(written), counted(len(gone), "member")))
    return INTACT


def _choose(found: Found, top: str, paths: List[str]) -> Set[str]:
    """Return the members that are meant. Raises BundleError when a path means none, or one that has to stay."""
    gone = set()  # type: Set[str]
    for path in paths:
        path = path[len(top) + 1:] if path.startswith(top + "/") else path
        meant = {name for name in found.members
                 if name == path or name.startswith(path.rstrip("/") + "/") or fnmatch.fnmatchcase(name, path)}
        if not meant:
            raise BundleError("nothing in the bundle is called %s" % path)
        gone |= meant
    kept = sorted(gone & {layout.BUNDLE, layout.MANIFEST})
    if kept:
        raise BundleError("%s cannot be removed: it says what the bundle is, and what is not in it" % kept[0])
    return gone


def _write(path: str, new: str, found: Found, gone: Set[str], patterns: List[str]) -> str:
    """Write the bundle anew and return its name."""
    reader, writer = Reader(path), None
    entries = {entry["path"]: entry for entry in objects(found.manifest, "members")}
    try:
        for name, data, moment in reader.members():
            if writer is None:
                writer = BundleWriter(new, reader.top, moment)
            if name in gone or name == layout.MANIFEST:
                continue
            if name == layout.README:
                more = _AFTERWARDS % (counted(len(gone), "file"), __version__, ", ".join(patterns), layout.MANIFEST)
                data += more.encode("utf-8", "replace")
            if name.startswith(layout.REDACTIONS):
                rows = [row for row in read_rows(data) if row.get("member") not in gone]
                writer.add_page(layout.REDACTIONS, rows, entries[name]["step"])
            else:
                writer.add(entries[name].get("name", name), data, entries[name]["step"])
        assert writer is not None
        writer.steps = _steps(found.manifest, entries, gone)
        writer.extra["removed"] = objects(found.manifest, "removed") + [{
            "by": "runai-collect " + __version__, "patterns": patterns,
            "members": [{key: entries[name][key] for key in ("path", "bytes", "step")} for name in sorted(gone)]}]
        writer.finish(found.manifest["finished"], found.manifest["state"], bool(writer.hits) and path.endswith(".blocked"))
        return writer.path
    except BaseException:
        if writer is not None:
            writer.abandon(True)
        raise


def _steps(manifest: Dict[str, Any], entries: Dict[str, Dict[str, Any]], gone: Set[str]) -> List[Step]:
    """Return the steps of a manifest; those of which a member is gone as cut ones, so that no rule takes them for complete."""
    members = {}  # type: Dict[str, Set[str]]
    for name, entry in entries.items():
        members.setdefault(_SHARED.get(name.split("/")[0] + "/", entry["step"]), set()).add(name)
    steps = [Step(**{key: entry[key] for key in Step._fields if key in entry}) for entry in objects(manifest, "steps")]
    for number, step in enumerate(steps):
        own = members.get(step.id, set())
        for start in _SHARED.values() if step.objects else ():
            own = own | members.get(start, set()) if (step.id + "@").startswith((start + "@", start + ":")) else own
        if own & gone:
            message = layout.REMOVED + "%d of %d members%s" % (
                len(own & gone), len(own), layout.BEFORE + step.message if step.message else "")
            steps[number] = step._replace(status="truncated", message=message)
    return steps
