"""``runai-collect inspect BUNDLE``: what is in it, what was hidden, what could not be read, and whether it is as written."""

import argparse
import hashlib
import json
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import layout
from .printed import printed
from .progress import program, show
from .reader import BundleError, Reader, clean, objects, read_json, read_rows
from .summary import counted, size_words, some

INTACT, DAMAGED, USAGE = 0, 1, 2
_MOST_NAMES, _MOST_PLACES = 100000, 100000      # told apart; an attacker may invent as many as there are lines
_PLACE = ("member", "object", "where", "rule")
_FINE = ("ok", "empty")
_EXITS = """Nothing is extracted. Exit codes: 0 the bundle is as it was written; 1 it is damaged, cut or changed; 2 usage, the
file is no bundle, or stdout takes nothing"""


class Found(NamedTuple):
    """What a walk over a bundle found: ``about`` is its bundle.json, ``manifest`` is empty when it was cut."""

    about: Dict[str, Any]
    manifest: Dict[str, Any]
    members: Dict[str, Tuple[int, str]]     # by path: bytes, SHA-256
    kinds: Dict[str, Dict[str, int]]        # by folder: objects of each namespace ("-": of none)
    rules: Dict[str, int]                   # by redaction rule: values
    places: List[Dict[str, str]]            # where they were hidden, when that was asked for
    problems: List[str]


def main(arguments: List[str]) -> int:
    """Run ``runai-collect inspect``; returns the exit code."""
    parser = argparse.ArgumentParser(prog=program() + " inspect", description="Show what is in a bundle.", epilog=_EXITS)
    parser.add_argument("bundle", metavar="BUNDLE")
    parser.add_argument("--steps", action="store_true", help="show every step, not only those that did not end well")
    parser.add_argument("--redactions", action="store_true", help="show every place where something was hidden")
    parser.add_argument("--member", metavar="PATH", help="print this member, and nothing else")
    parser.add_argument("--json", action="store_true", help="all of it, for scripts")
    chosen = parser.parse_args(arguments)
    try:
        found, content = look(chosen.bundle, chosen.redactions, chosen.member)
        text = json.dumps(found._asdict(), sort_keys=True, indent=1) if chosen.json else _text(found, chosen.steps)
    except (BundleError, RecursionError) as error:      # the second: its description is nested as nobody's is
        show(sys.stderr, "runai-collect inspect: %s\n" % clean(error))
        return USAGE
    if chosen.member is None:
        taken = show(sys.stdout, text + "\n")
    elif content is None:
        show(sys.stderr, "runai-collect inspect: there is no %s in it\n" % clean(chosen.member))
        return USAGE
    else:
        taken = _print_member(content)
        show(sys.stderr, "".join(["runai-collect inspect: %s\n" % clean(line) for line in found.problems]))
    return USAGE if not printed(taken) else DAMAGED if found.problems else INTACT


def look(path: str, places: bool = False, wanted: Optional[str] = None) -> Tuple[Found, Optional[bytes]]:
    """Return what is in a bundle, and the content of one member, None when there is none of that name. Raises BundleError."""
    reader, content, found = Reader(path), None, Found({}, {}, {}, {}, {}, [], [])
    kinds = {}  # type: Dict[Tuple[str, str], int]
    for name, data, _ in reader.members():
        if name in found.members:
            found.problems.append("%s is there twice" % name)
        found.members[name] = len(data), hashlib.sha256(data).hexdigest()
        content = data if name == wanted else content
        if name in (layout.BUNDLE, layout.MANIFEST):
            (found.about if name == layout.BUNDLE else found.manifest).update(read_json(data))
        for row in read_rows(data) if name.endswith(".jsonl") else ():
            if name.startswith(layout.REDACTIONS):
                _count(found.rules, _word(row.get("rule")), "others")
                if places and len(found.places) < _MOST_PLACES:
                    found.places.append({key: str(row.get(key, ""))[:300] for key in _PLACE})
            else:
                folder, namespace = name.rpartition("/")[0], _word(_mapping(row.get("metadata", row)).get("namespace"))
                _count(kinds, (folder, namespace), (folder, "others"))
    for folder, namespace in kinds:
        found.kinds.setdefault(folder, {})[namespace] = kinds[folder, namespace]
    found.problems.extend(([reader.damage] if reader.damage else []) + _differences(found))
    return found, content


def _count(counts: Dict[Any, int], name: Any, others: Any) -> None:
    key = name if name in counts or len(counts) < _MOST_NAMES else others
    counts[key] = counts.get(key, 0) + 1


def _word(name: object) -> str:
    return str(name or "-")[:63]


def _differences(found: Found) -> List[str]:
    if not found.manifest:
        return ["%s is not there: %s could be read, and none be checked" % (layout.MANIFEST, counted(len(found.members), "file"))]
    listed = {str(entry.get("path")): (entry.get("bytes"), entry.get("sha256")) for entry in objects(found.manifest, "members")}
    wrong = ([(name, "is missing") for name in set(listed) - set(found.members)] +
             [(name, "is not in the manifest") for name in set(found.members) - set(listed) - {layout.MANIFEST}] +
             [(name, "is not as it was written") for name in listed if found.members.get(name, listed[name]) != listed[name]])
    return ["%s %s" % pair for pair in sorted(wrong)]


def _text(found: Found, every_step: bool) -> str:
    about, manifest, steps = found.about, found.manifest, objects(found.manifest, "steps")
    cluster, options = [_mapping(about.get(key)) for key in ("cluster", "options")]
    ended = {}  # type: Dict[str, int]
    for step in steps:
        _count(ended, _word(step.get("status")), "others")
    sections = (
        ("Bundle", [("name", about.get("name")), ("cluster", cluster.get("name")), ("collector", about.get("collector")),
                    ("time", "%s to %s" % (about.get("started"), manifest.get("finished", "?"))),
                    ("state", manifest.get("state", "cut"))]),
        ("Options", [(key.replace("_", " "), json.dumps(options[key])) for key in sorted(options)
                     if options[key] is not None]),
        ("Files", _folders(found.members)),
        ("Objects, by namespace", [(folder, sum(counts.values()), some(["%s %d" % pair for pair in _most_first(counts)]))
                                   for folder, counts in sorted(found.kinds.items())]),
        ("Hidden values, by rule", sorted(found.rules.items())),
        ("Places of hidden values", [[row[key] for key in _PLACE] for row in found.places]),
        ("Steps, by outcome", sorted(ended.items())),
        ("Steps" if every_step else "Steps that did not end well", [
            (step.get("status"), step.get("id"), step.get("objects"), step.get("message"))
            for step in steps if every_step or step.get("status") not in _FINE]),
        ("Removed by the customer", [(entry.get("bytes"), entry.get("path"))
                                     for run in objects(manifest, "removed") for entry in objects(run, "members")]),
        ("Not as it should be", [(problem,) for problem in found.problems]),
    )  # type: Sequence[Tuple[str, Sequence[Sequence[Any]]]]
    lines = [line for title, rows in sections if rows for line in [title] + _table(rows) + [""]]
    if not found.problems:
        lines.append("All %s are as the manifest says." % counted(len(found.members), "file"))
    return "\n".join([clean(line) for line in lines])


def _table(rows: Sequence[Sequence[Any]]) -> List[str]:
    """Return rows as lines in which columns stand under each other."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [min(70, max([len(row[column]) for row in cells])) for column in range(len(cells[0]))]
    return ["  " + "  ".join([cell.ljust(width) for cell, width in zip(row, widths)]).rstrip() for row in cells]  # noqa: B905


def _folders(members: Dict[str, Tuple[int, str]]) -> List[Tuple[str, str, str]]:
    """Return each folder of the first level, and of objects and logs of the second, with its files and their size."""
    sizes = {}  # type: Dict[str, List[int]]
    for name, (size, _) in members.items():
        parts = name.split("/")
        for depth in range(1, 3 if name.startswith((layout.RESOURCES, layout.LOGS)) else 2):
            sizes.setdefault("/".join(parts[:depth]) + ("/" if len(parts) > depth else ""), []).append(size)
    return [(name, counted(len(sizes[name]), "file"), size_words(sum(sizes[name]))) for name in sorted(sizes)]


def _most_first(counts: Dict[str, int]) -> List[Tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _mapping(value: object) -> Dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _print_member(content: bytes) -> bool:
    """Print a member as it is, or on a terminal so that nothing in it is obeyed; return whether stdout took it."""
    if sys.stdout is None or sys.stdout.isatty():
        lines = content.decode("utf-8", "backslashreplace").split("\n")
        return show(sys.stdout, "\n".join([clean(line, len(line)) for line in lines]))
    try:
        with open(sys.stdout.fileno(), "wb", closefd=False) as stream:
            stream.write(content)
        return True
    except OSError as error:
        return isinstance(error, BrokenPipeError)
