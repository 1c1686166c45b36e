"""The little markup of the rules' texts."""

from runai_analyze.report.prose import inline, prose


def test_paragraphs_commands_and_lists() -> None:
    text = "One line\ngoes on.\n\n    kubectl get x\n      -o yaml\n\n- first\n- second\n  goes on"
    assert prose(text) == (
        "<p>One line goes on.</p>\n<pre>kubectl get x\n  -o yaml</pre>\n<ul><li>first</li><li>second goes on</li></ul>"
    )


def test_code_is_marked_after_escaping() -> None:
    assert inline("Set `a<b>` now") == "Set <code>a&lt;b&gt;</code> now"
    assert inline("a ` b") == "a ` b"


def test_markup_of_a_bundle_does_not_get_through() -> None:
    assert prose("<script>alert(1)</script>\n\n    <b>\n\n- <i>") == (
        "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<pre>&lt;b&gt;</pre>\n<ul><li>&lt;i&gt;</li></ul>"
    )


def test_nothing_gives_nothing() -> None:
    assert prose("") == prose(" \n\n ") == ""
