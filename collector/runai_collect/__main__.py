"""``python -m runai_collect`` and the entry of runai-collect.pyz."""

import sys

from runai_collect.cli import main

if __name__ == "__main__":
    sys.exit(main())
