"""Patterns of rules: what is refused says how to write it otherwise, and what is taken is quick on any text."""

import random
import time

import pytest
from runai_analyze.ruleset.patterns import LONGEST_TEXT, ExplosiveError, PatternError, compile_pattern

ONLY_ONE = "this pattern can explode: it has a repeat inside a repeat, (a+)+; one of them says the same"
LOOKS = "a pattern cannot look ahead or back: write what must not be there as a second condition"


@pytest.mark.parametrize(
    ("pattern", "shift", "message"),
    [
        ("a(", 1, "not a regular expression: ( is never closed; the character itself is written \\("),
        ("(a[)]", 0, "not a regular expression: ( is never closed; the character itself is written \\("),
        ("b)", 0, "not a regular expression: ) closes nothing; the character itself is written \\)"),
        ("x[", 1, "not a regular expression: [ is never closed; the character itself is written \\["),
        ("*a", 0, "not a regular expression: * has nothing before it to repeat; the character itself is written \\*"),
        ("a++", 1, "not a regular expression: ++ are two repeats at one place; write one of them"),
        ("a\\", 0, "not a regular expression: a backslash at the end means nothing; the character itself is written \\\\"),
        ("[z-a]", 1, "not a regular expression: z-a is no set of characters; of a range the lower one comes first, [a-z]"),
        ("(?>a)", 0, "not a regular expression: (?> begins no group that there is; plain ( ) or (?: ) will do"),
        ("a\\q", 1, "not a regular expression: \\q has no meaning here"),
        ("a\\Z", 1, "\\Z is not known: write $ for the end of the text"),
        ("(.)\\1", 3, "\\1 refers back to a group, which is not possible: use equals_field, or two conditions"),
        ("(?P<x>a)(?P=x)", 0, "a pattern cannot refer back to a group: use equals_field, or two conditions"),
        ("x(?=y)", 1, LOOKS),
        ("x(?!y)", 1, LOOKS),
        ("(?<=x)y", 0, LOOKS),
        ("(?<!x)y", 0, LOOKS),
        ("a" * 301, 0, "a pattern has at most 300 characters, this has 301"),
        ("\ud800", 0, "not a regular expression: it holds half a character"),
    ],
)
def test_what_is_no_pattern_says_what_to_write(pattern: str, shift: int, message: str) -> None:
    with pytest.raises(PatternError) as error:
        compile_pattern(pattern)
    assert (str(error.value), error.value.shift) == (message, shift)
    assert not isinstance(error.value, ExplosiveError)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(a+)+$", ONLY_ONE),
        ("(a*)*", ONLY_ONE),
        ("x([a-z]+)*@", ONLY_ONE),
        ("((b?a)+)+", ONLY_ONE),
        ("x|(?:(?:a+))+", ONLY_ONE),
        ("(a{500}){500}", "this pattern explodes: {500} repeats more than 1000 times in all"),
        ("a{1001}", "this pattern explodes: {1001} repeats more than 1000 times in all"),
    ],
)
def test_an_explosive_pattern_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(ExplosiveError) as error:
        compile_pattern(pattern)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^runai-", "runai-x"),
        ("a|b", "xb"),
        (r"\d+\.\d+", "1.2"),
        ("(Back|Crash)+.*", "CrashLoop"),
        ("[a-z]{3,5}", "abcd"),
        (r"(\w+ )*x$", "a b x"),
        ("(?i)crash", "CRASH"),
        ("ä", "xäx"),
        ("a", "\ud800a"),
    ],
)
def test_an_ordinary_pattern_is_taken(pattern: str, text: str) -> None:
    assert compile_pattern(pattern).search(text)
    assert not compile_pattern(pattern).search("?")


def test_case_matters_unless_it_is_said_not_to() -> None:
    assert not compile_pattern("crash").search("CRASH")
    assert compile_pattern("crash", ignore_case=True).search("CRASH")


@pytest.mark.parametrize(
    "pattern",
    ["(a|aa)+$", ".*.*.*.*.*x", "(?:a?){40}a{40}x", "(a|a?b?)*c", "[ab]*a[ab]{900}c", "(x|a+)*y", "(?:a?){400}a{400}x"],
)
def test_a_pattern_that_froze_a_backtracking_engine_is_quick_on_the_longest_text(pattern: str) -> None:
    chance = random.Random(7)
    texts = ("a" * (LONGEST_TEXT - 1) + "b", "".join(chance.choice("ab") for _ in range(LONGEST_TEXT)))
    search = compile_pattern(pattern).search
    start = time.process_time()
    assert not any(search(text) and pattern != "(a|aa)+$" for text in texts)
    assert time.process_time() - start < 5
