"""Problems: each once, printable, and not without end."""

from runai_analyze.bundle.limits import Problems, printable


def test_a_problem_is_told_once() -> None:
    problems = Problems(5)
    problems.add("a", "broken")
    problems.add("a", "broken")
    assert len(problems.all()) == 1


def test_what_cannot_be_printed_is_escaped_and_what_is_long_is_cut() -> None:
    assert printable("a\x1b[2J\u202eb\n") == "a\\x1b[2J\\u202eb\\n"
    assert printable("x" * 500) == "x" * 200 + "…"
    assert printable("ä «redacted»") == "ä «redacted»"


def test_problems_beyond_the_limit_are_counted_once_each() -> None:
    problems = Problems(2)
    for _ in range(3):
        for name in "abcde":
            problems.add(name, "broken")
    assert [problem.member for problem in problems.all()] == ["a", "b", ""]
    assert problems.all()[-1].message == "3 more problems are not listed"
