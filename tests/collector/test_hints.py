"""The cheap test: what it lets by, and that it costs no secret whatever stands around one."""

import pytest
from runai_collect import hints
from runai_collect.hints import NAMES, UNSEEN, hints_of, is_clean, narrow_text, plain_text, remember
from runai_collect.redact_text import redact_line
from runai_collect.shapes import SHAPES


def rules(text: str) -> list[str]:
    return [SHAPES[at].rule for at in sorted(hints_of(text)) if at >= 0]


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-30T12:00:00Z I1130 reconcile.go:7] queue drained in 3.5 s",
        "registry.example.com/app@sha256:" + "5e" * 32,
        "containerd://" + "0f" * 32,
        "0d9a5e52-53a4-4f3c-9d0f-2f6f8f1f8a11",
        '{"level": "info", "ts": 1.5, "msg": "pod bound"}',
    ],
)
def test_plain_texts_need_no_rule(text: str) -> None:
    assert hints_of(text) == frozenset()


def test_a_word_leads_to_the_rules_it_may_need() -> None:
    assert rules("pulled with ghp_x") == ["github-token"]
    assert NAMES in hints_of("PGPASSWORD=x")
    assert rules("http://user@host") == ["url-userinfo", "url-userinfo"]
    assert "github-token" not in rules("pulled with ghp")  # the sign that goes with the word is missing


@pytest.mark.parametrize(
    "before", ["", "@", "$", "?", "&", "~", "\\", "“", "«", "é ", "1 ", "_ ", "=", "\x01", "\u200b", "\u00a0"]
)
@pytest.mark.parametrize("secret", ["hf_" + "aB" * 17, "ghp_" + "a1" * 18, "AKIA" + "Q7" * 8, "sk-" + "aB1" * 14])
def test_no_sign_before_a_token_hides_it_from_the_test(before: str, secret: str) -> None:
    assert secret not in redact_line(f"pulled with {before}{secret} today")[0]


@pytest.mark.parametrize("host", ["sha-registry.example.com", "sha256-mirror", "shanghai.example.com", "db"])
def test_no_name_of_a_host_hides_the_password_before_it(host: str) -> None:
    assert "Zx81fR4n" not in redact_line(f"dial http://app:Zx81fR4n@{host}/x")[0]


def test_what_a_terminal_does_not_show_is_noticed() -> None:
    assert UNSEEN in hints_of("se\u200bcret")
    assert UNSEEN in hints_of("\x1b[32mINFO\x1b[0m")
    assert plain_text("\x1b[32mINFO\x1b[0m se\u200bcret \\u001b[0mx") == "INFO secret x"
    assert narrow_text("ＴＯＫＥＮ：x") == "TOKEN:x"


def test_json_is_never_clean_because_names_count_in_it_that_do_not_elsewhere() -> None:
    text = '{"seed": "x"}'
    remember(text)
    assert not is_clean(text)
    assert is_clean("nvidia.com/gpu")


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "_MOST", 50)
    for number in range(300):
        word = "".join(chr(ord("b") + int(digit)) for digit in str(number))
        assert is_clean(f"q{word}x")
    assert len(hints.CLEAN) <= 52
    assert len(hints._PLAIN) + len(hints._HINTED) <= 52
