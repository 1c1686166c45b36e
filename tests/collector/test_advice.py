"""What a person is told to do when there is no way to the cluster."""

from runai_collect.advice import _ADVICE, advise


def test_advice_is_one_line_without_secrets() -> None:
    token = "ghp_" + "a1B2" * 9
    said = advise(f"the login failed: first\nsecond  {token}\r\n")
    assert said.startswith("the login failed: first second «redacted:")
    assert token not in said
    assert "\n" not in said


def test_every_kind_of_advice_can_be_given() -> None:
    """Each pattern is reached: none stands behind one that takes its words."""
    for pattern, advice in _ADVICE[1:]:
        assert advise(pattern.split("|")[0].strip()).endswith("; " + advice)
