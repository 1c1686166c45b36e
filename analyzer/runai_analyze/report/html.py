"""The report as one HTML file: no request of any kind, one hashed style, one hashed script, readable without either."""

from __future__ import annotations

import base64
import hashlib
from functools import partial

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..model import Report
from ..plain import visible
from . import assets, making, page_one, prose, ranking, text, view

LONGEST = 4000


def render_html(report: Report) -> str:
    """Return the whole file."""
    style, script = assets.text("screen.css"), assets.text("screen.js")
    return page(report, paper=False, style=style, script=script, policy=policy(style, script))


def page(report: Report, paper: bool, style: str, script: str, policy: str) -> str:
    """Return the page for the screen or for paper; ``style`` and ``script`` are ours and are put in as they are."""
    template = environment(paper).get_template("report.html.j2")
    # Both go between tags of their own; what could end the tag early must not stand in them.
    assert "</" not in style
    assert "</" not in script
    ours = {"style": Markup(style), "script": Markup(script)}  # noqa: S704 - files of the package
    return template.render(v=view.build_view(report, paper), r=report, paper=paper, policy=policy, **ours)


def policy(style: str, script: str) -> str:
    """Return the content policy: nothing is loaded, and only this very style and this very script count."""
    return f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"


def environment(paper: bool) -> Environment:
    """Return the templates' environment: everything that is printed is made visible, cut and escaped, without being asked."""
    env = Environment(
        loader=FileSystemLoader(assets.templates()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    env.filters.update(
        cut=text.cut,
        brief=text.brief,
        # WeasyPrint 70 breaks a word anywhere before it would break it at a <wbr>.
        breaks=partial(text.breaks, mark="\u200b" if paper else "<wbr>"),
        moment=text.moment,
        size=text.size,
        sentence=text.sentence,
        slug=text.slug,
        missing=view.missing_words,
        prose=prose.prose,
        inline=prose.inline,
        harmless=view.is_harmless,
        option=view.option_words,
    )
    env.globals.update(
        count=text.count,
        count_words=text.count_words,
        listing=text.listing,
        rank=ranking.rank,
        group_by=view.group_by,
        status_words={status.value: words for status, words in making.STATUS_WORDS.items()},
        answer_words=view.ANSWER_WORDS,
        rank_words=view.RANK_WORDS,
        behind_words=view.behind_words,
        verdict_length=view.VERDICT,
        lead_length=view.LEAD,
        checklist_words=view.checklist_words,
        component_words=page_one.component_words,
        table_words=view.table_words,
    )
    return env


def _finalize(value: object) -> object:
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible(value) if len(value) <= LONGEST else text.cut(value, LONGEST)


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
