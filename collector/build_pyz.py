#!/usr/bin/env python3
"""Build runai-collect.pyz: the collector as one file that any Python from 3.6 on runs. The same content anywhere, and the same
bytes from every Python that has the same zlib."""

import os
import sys
import zipfile
from typing import List

HERE = os.path.dirname(os.path.abspath(__file__))
SHEBANG = b"#!/usr/bin/env python3\n"
# The earliest time that a zip can hold.
MOMENT = (1980, 1, 1, 0, 0, 0)


def build(target: str) -> None:
    """Write the zipapp to ``target``: sorted names, fixed times and modes."""
    package = os.path.join(HERE, "runai_collect")
    with open(target, "wb") as file:
        file.write(SHEBANG)
        with zipfile.ZipFile(file, "w") as archive:
            for name in ["__main__.py"] + ["runai_collect/" + name for name in _modules(package)]:
                with open(os.path.join(package, os.path.basename(name)), "rb") as source:
                    _add(archive, name, source.read())
    os.chmod(target, 0o755)  # noqa: S103 - a program, for everybody to run


def _modules(package: str) -> List[str]:
    return sorted(name for name in os.listdir(package) if name.endswith((".py", ".txt")))


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, MOMENT)
    entry.create_system, entry.external_attr, entry.compress_type = 3, 0o644 << 16, zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)


if __name__ == "__main__":
    build(sys.argv[1] if len(sys.argv) > 1 else "runai-collect.pyz")
