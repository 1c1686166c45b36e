"""Words of kubectl, JSONPath and other rule languages, and what they are called here."""

import pytest
from runai_analyze.objects.paths import compile_path
from runai_analyze.ruleset import meant
from runai_analyze.ruleset.format import BLOCKS
from runai_analyze.ruleset.meant import key_meant, path_meant


@pytest.mark.parametrize(
    ("written", "path"),
    [
        (".status.phase", "status.phase"),
        ("$.status.phase", "status.phase"),
        ("{.status.phase}", "status.phase"),
        ("{ .items[0].x }", "items[0].x"),
        ("spec.containers[].image", "spec.containers[*].image"),
        ('status.conditions[?(@.type=="Ready")].status', "status.conditions[type=Ready].status"),
        (".status.conditions[?(@.type == 'Ready')].status", "status.conditions[type=Ready].status"),
        ("metadata.labels['a.b/c']", 'metadata.labels["a.b/c"]'),
        (r".metadata.labels.kubernetes\.io/arch", 'metadata.labels["kubernetes.io/arch"]'),
        ("status.capacity.nvidia.com/gpu", 'status.capacity["nvidia.com/gpu"]'),
        ("spec.containers[*].resources.limits.nvidia.com/gpu", 'spec.containers[*].resources.limits["nvidia.com/gpu"]'),
        ("data.config.yaml", 'data["config.yaml"]'),
    ],
)
def test_paths(written: str, path: str) -> None:
    assert path_meant(written) == f"; write {path}"
    assert compile_path(path).text == path


@pytest.mark.parametrize("path", ["status.phase", "data.x", "a b", ""])
def test_what_says_nothing_else_is_left(path: str) -> None:
    assert path_meant(path) == ""


@pytest.mark.parametrize(
    ("block", "word", "key"),
    [
        ("condition", ">=", "at_least"),
        ("condition", "regex", "matches"),
        ("rule", "remediation", "fix"),
        ("fix", "x", ""),
        ("?", "x", ""),
    ],
)
def test_keys(block: str, word: str, key: str) -> None:
    assert key_meant(block, word) == key


def test_each_word_leads_to_a_key_that_there_is_and_is_none_itself() -> None:
    for block, words in meant._WORDS.items():
        keys = {key.name for key in BLOCKS[block]}
        assert set(words.values()) <= keys
        assert not set(words) & keys
