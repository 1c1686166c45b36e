"""Measure against the floor of the same run, and print ratios: ``python -m tests.bench [NAME] …``, the names stand in BENCHES."""

import sys

from tests.bench import analyze, collect, conditions, foreign, made, redact, rules, watch

BENCHES = {
    "analyze": analyze.main,
    "collect": collect.main,
    "conditions": conditions.main,
    "foreign": foreign.main,
    "made": made.main,
    "redact": redact.main,
    "rules": rules.main,
    "watch": watch.main,
}


def main() -> None:
    """Run the bench that is named, with the arguments behind it."""
    name = sys.argv[1] if len(sys.argv) > 1 else "analyze"
    if name not in BENCHES:
        sys.exit(f"there is no bench {name}; there are {', '.join(BENCHES)}")
    BENCHES[name](sys.argv[2:])


if __name__ == "__main__":
    main()
