"""What a person is told who has no way to the cluster, or not every right."""

from runai_collect import plan
from runai_collect.advice import _ADVICE, advise, warning
from runai_collect.preflight import Missing


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


def test_who_lacks_secrets_alone_may_do_without() -> None:
    lines = warning([Missing("+secrets", "list in the whole cluster", "forbidden", "secrets")], plan.Options())
    assert (
        lines[-1]
        == "To ask an administrator for: the roles that runai-collect --rbac +secrets prints, or do without: --no-secrets"
    )


def test_many_refusals_are_a_few_lines() -> None:
    missing = [Missing("base", "list in the whole cluster", "forbidden", kind.plural) for kind in plan.KINDS]
    lines = warning(missing, plan.Options(exec_=False, secrets=False))
    first = ", ".join(kind.plural for kind in plan.KINDS[:8])
    assert lines == [
        f"not allowed: list in the whole cluster: {first} and {len(plan.KINDS) - 8} more",
        "To ask an administrator for: the roles that runai-collect --rbac base prints",
    ]


def test_nothing_missing_is_no_line() -> None:
    assert warning([], plan.Options()) == []
