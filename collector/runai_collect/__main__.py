"""``python -m runai_collect`` and, as it stands, the entry of runai-collect.pyz. Python 2 must be able to read this file."""

import sys

if sys.version_info < (3, 6):
    sys.exit("runai-collect: Python 3.6 or later is needed, and this is %d.%d" % sys.version_info[:2])

if __name__ == "__main__":
    try:
        from runai_collect.cli import main

        sys.exit(main())
    except KeyboardInterrupt:       # before main listens to signals
        sys.exit(130)
