"""The HTML: one file that loads nothing, says everything, and is not moved by what a bundle holds."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from runai_analyze.model import Evidence, Report, Severity, Status
from runai_analyze.report.html import render_html
from runai_analyze.report.making import STATUS_WORDS

from .sample import CJK, SCRIPT, Lists, Pack, bundle, finding, outcome, outcomes, ref, rule, sample

VOID = {"meta", "br", "wbr", "input", "link", "img"}
SVG_VOID = {"path", "rect", "line", "circle", "polygon"}


class Page(HTMLParser):
    """Reads a page: the tags with their attributes, the headings, the text, and whether tags close in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.headings: list[int] = []
        self.words: list[str] = []
        self.mistakes: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.mistakes.append(f"</{tag}> at {self.getpos()}")

    def handle_data(self, data: str) -> None:
        if "script" not in self.open and "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, attribute: str) -> list[str]:
        return [attrs[attribute] or "" for _, attrs in self.tags if attribute in attrs]


@pytest.fixture(scope="module")
def html() -> str:
    return render_html(sample())


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_tags_close_in_order(page: Page) -> None:
    assert (page.mistakes, page.open) == ([], [])


def test_ids_are_unique_and_links_lead_somewhere(page: Page) -> None:
    ids = page.all("id")
    assert len(ids) == len(set(ids))
    targets = [href for tag, attrs in page.tags if tag == "a" and (href := attrs.get("href"))]
    assert targets
    assert [href for href in targets if not href.startswith("#") or href[1:] not in ids] == []
    assert [
        name for name in page.all("aria-labelledby") + page.all("data-filter") + page.all("data-for") if name not in ids
    ] == []


def test_headings_descend_one_level_at_a_time(page: Page) -> None:
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False))


def test_the_policy_allows_this_style_and_this_script_and_nothing_else(html: str, page: Page) -> None:
    policy = next(attrs["content"] or "" for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules.pop("default-src") == rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    for tag, directive in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules.pop(directive) == f"'sha256-{digest}'"
    assert rules == {}


def test_nothing_is_loaded(html: str, page: Page) -> None:
    loading = {"src", "srcset", "data", "poster", "action", "formaction", "background", "ping", "xlink:href"}
    assert [attrs for _, attrs in page.tags if loading & set(attrs)] == []
    assert {tag for tag, _ in page.tags} & {
        "link",
        "img",
        "iframe",
        "object",
        "embed",
        "base",
        "form",
        "video",
        "audio",
        "image",
        "use",
    } == set()
    (style,) = re.findall("<style>(.*?)</style>", html, re.DOTALL)
    assert "url(" not in style
    assert "@import" not in style


def test_no_attribute_runs_or_styles(page: Page) -> None:
    assert [attrs for _, attrs in page.tags if any(name.startswith("on") or name == "style" for name in attrs)] == []


def test_hostile_text_is_shown_and_does_nothing(html: str, page: Page) -> None:
    assert len([tag for tag, _ in page.tags if tag == "script"]) == 1
    assert SCRIPT in page.text
    assert CJK in page.text
    assert "{{ 7 * 7 }} {% raw %}" in page.text
    assert "‹U+202E›gpj.exe" in page.text
    assert "‹U+001B›[31mred" in page.text
    assert "\u202e" not in html
    assert "\x1b" not in html


def test_a_long_name_is_cut_with_its_length(page: Page) -> None:
    assert "(10,210 characters)" in page.text
    assert max(len(word) for word in page.words) < 4100


def test_page_one_comes_first_and_in_order(page: Page) -> None:
    report = sample()
    order = [
        report.notes[0],
        report.verdict,
        "2 blockers",
        "1 risk",
        "3 not checked",
        "Fix these first, in this order",
        "The certificate of the cluster URL expired two days ago",
        "What we could not see",
        "The message to the customer",
    ]
    start = page.text.index("Skip to the verdict")
    places = [page.text.index(words, start) for words in order]
    assert places == sorted(places)


def test_every_outcome_is_seen(page: Page) -> None:
    for it in outcomes():
        assert it.rule.id in page.text
    for status in Status:
        assert f"{STATUS_WORDS[status]}: {sum(it.status is status for it in outcomes())}" in page.text


def test_a_finding_shows_evidence_fix_risk_and_documentation(page: Page) -> None:
    start = page.text.index("critical certificates RAI-CRT-001")
    article = page.text[start : page.text.index("critical gpu RAI-GPU-002")]
    for words in (
        "Secret runai/ runai-cluster-domain-tls-secret",
        "False",
        "True",
        "the kubelet says so",
        "0001. jsonl: 3",
        "Renew the certificate",
        "read only run by customer",
        "changes the cluster run by customer",
        "kubectl -n runai replace -f secret.yaml",
        "The secret holds a trusted certificate.",
        "Source: 2.25 docs",
        "fingerprint e5d013c8a1b2",
        "Valid until",
    ):
        assert words in article, words


def test_a_cut_bundle_is_said_before_anything_else() -> None:
    page = Page(render_html(sample(info=bundle(state="cut", steps=()))))
    assert page.text.index("This bundle is cut") < page.text.index("Run:ai cluster report")


def test_a_report_without_findings_says_what_that_means() -> None:
    passed = outcome(rule("RAI-A-001", Severity.CRITICAL), Status.PASS)
    text = Page(render_html(sample(given=(passed,), info=bundle(steps=()), fits=(), lists=Lists(), pack=Pack()))).text
    assert "Nothing that was looked at stops Run:ai 2.25 on atlas-prod. No risk was found either." in text
    assert "Nothing to fix first" in text
    assert "The message to the customer" not in text


def test_without_anything_to_fix_page_one_asks_what_no_bundle_answers() -> None:
    passed = outcome(rule("RAI-A-001", Severity.CRITICAL), Status.PASS)
    text = Page(render_html(sample(given=(passed,), info=bundle(steps=())))).text
    assert "Ask before you rely on it Clocks agree Do the clocks of all nodes agree (NTP)?" in text
    assert "Please tell us: - Do the clocks of all nodes agree (NTP)?" in text


def test_ids_that_differ_in_signs_only_have_their_own_anchors() -> None:
    rules = [rule("A.B"), rule("A-B"), rule("A_B")]
    page = Page(render_html(sample(given=[outcome(it, Status.FAIL, findings=(finding(it, "x"),)) for it in rules])))
    assert len(set(page.all("id"))) == len(page.all("id"))


def test_many_rows_are_cut_and_counted() -> None:
    of = rule("RAI-A-001")
    text = Page(render_html(sample(given=[outcome(of, Status.FAIL, findings=(finding(of, "x", rows=1000),))]))).text
    assert "and 600 more rows, in the JSON" in text


def test_the_same_report_gives_the_same_page() -> None:
    assert render_html(sample()) == render_html(sample())


def test_numbers_of_page_one_are_those_of_the_report(page: Page) -> None:
    report: Report = sample()
    unknown = report.counts[Status.UNKNOWN] + report.counts[Status.ERROR]
    assert f"{unknown} not checked" in page.text
    assert f"{report.counts[Status.PASS]} passed" in page.text
    needed = [line for line in report.checklist if not line.optional]
    assert (len(needed), len(report.checklist)) == (5, 7)
    assert "2 of 5 lines that every cluster needs are met, 1 is not, 1 is unknown, 1 is to be asked." in page.text
    assert "0 of 2 optional lines are met" in page.text
    assert report.request.text.count("\n- ") == 1
    assert "1 question that no bundle answers stands in the message to the customer" in page.text


def test_long_words_may_break_where_a_person_would_break_them() -> None:
    of = rule("R")
    row = Evidence(ref("Pod", "a"), "status.reason", "ImagePullBackOff", "NotImagePullBackOff")
    given = [outcome(of, Status.FAIL, findings=(finding(of, "x", evidence=(row,), show=(("Reason", "ErrImagePull"),)),))]
    markup = render_html(sample(given=given))
    for word in ("Image<wbr>Pull<wbr>Back<wbr>Off", "Not<wbr>Image<wbr>Pull<wbr>Back<wbr>Off", "Err<wbr>Image<wbr>Pull"):
        assert word in markup


def test_the_fingerprint_is_the_last_and_least_of_a_finding() -> None:
    of = rule("R", fix="Mend it.")
    markup = render_html(sample(given=[outcome(of, Status.FAIL, findings=(finding(of, "x"),))]))
    assert markup.count("e5d013c8a1b2") == 1
    article = markup[markup.index('<article class="finding"') : markup.index("</article>")]
    assert article.rstrip().endswith('<p class="fingerprint">fingerprint <code>e5d013c8a1b2</code></p>')
