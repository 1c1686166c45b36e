"""A pack and a site's pack after it, on disk, for tests of what a site may change."""

from pathlib import Path

from runai_analyze.ruleset import Pack, load_packs, read_packs
from runai_analyze.ruleset.mistakes import Mistake

from tests.ruleset.packs import RULE, write_files, write_pack

ACME = 'name: acme\nversion: 1.2\nengine: ">=0.1"\nchangelog: [first]\n'
# The rule of the first pack: one param that is a quantity, one that is a list.
TUNED = RULE.replace(
    "    at_least: 8\n", '    at_least: "{{ params.least }}"\n  - field: metadata.name\n    not_one_of: "{{ params.never }}"\n'
).replace("owner: tests\n", 'owner: tests\nparams: {least: "8", never: [x, y]}\n')


def write_site(folder: Path, rule: str = TUNED, pack: str = ACME, **files: str) -> list[Path]:
    """Write the pack "tests" with a rule, and the pack "acme" with ``files`` (``__`` for ``/``); return both, in their order."""
    site = folder / "acme"
    write_files(site, **{"pack": pack, **files})
    return [write_pack(folder / "first", rule), site]


def site_pack(folder: Path, rule: str = TUNED, **files: str) -> Pack:
    """Return both packs as one; they must be without mistakes."""
    return load_packs(write_site(folder, rule, **files))


def site_mistakes(folder: Path, rule: str = TUNED, **files: str) -> list[Mistake]:
    """Return the errors in both packs."""
    return [mistake for mistake in read_packs(write_site(folder, rule, **files))[1] if mistake.level == "error"]


def printed(folder: Path, rule: str = TUNED, **files: str) -> list[str]:
    """Return the errors as they are printed, without the name of the site's folder."""
    return [str(mistake).replace(f"{folder}/acme/", "") for mistake in site_mistakes(folder, rule, **files)]
