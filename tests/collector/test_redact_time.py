"""Texts that froze the redactor once take time that grows as they do. The search for others is ``test_linear.py``'s."""

import json
import subprocess
import sys

import pytest

# What stands first, what is repeated, what stands at the end.
FREEZERS = [
    ("secret: ", "aa-", "_x"),
    ("secrets:\n- ", "aa-", "_"),
    ("", "?sig=", ""),
    ("name: password", " ", ""),
    ("authorization", " ", ""),
    ("<key>password</key>", " ", "<"),
    ("| password", " ", "|"),
    ("secret key", " ", ""),
    ("secret", " ", "x key token"),
    (":@tcp( ", "-", ""),
    (". ", "eyJ-", ""),
]
# In a process of its own: a pattern that does not end hears no signal.
_MEASURE = """
import json, sys, time
from runai_collect.redact import redact_object
from runai_collect.redact_text import redact_text
from runai_collect.writer import find_shapes
begin, unit, end = json.loads(sys.argv[1])
took = []
for size in (2000, 20000, 40000):
    text = begin + unit * (size // len(unit)) + end
    best = []
    for _ in range(2):
        start = time.process_time()
        redact_text(text)
        redact_object({"kind": "X", "metadata": {"annotations": {"x/auth-secret": text}}, "a": text, "b": ["--x", text]})
        find_shapes(text.encode())
        best.append(time.process_time() - start)
    took.append(min(best))
print(json.dumps(took))
"""


@pytest.mark.parametrize("freezer", FREEZERS, ids=lambda freezer: freezer[0].strip() + freezer[1])
def test_a_text_twice_as_long_takes_about_twice_the_time(freezer: tuple[str, str, str]) -> None:
    command = [sys.executable, "-c", _MEASURE, json.dumps(freezer)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    _, once, twice = json.loads(ran.stdout)
    assert twice < 3 * once + 0.05
