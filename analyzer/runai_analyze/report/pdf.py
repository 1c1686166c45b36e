"""The report as a PDF: the short edition, set by WeasyPrint from the same templates, in fonts that ship with the project."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from typing import Any

from ..errors import Exit, UserError
from ..model import Report
from . import assets
from .html import page

FONTS = (
    ("Report Sans", 400, "fonts/IBMPlexSans-Regular.woff2"),
    ("Report Sans", 600, "fonts/IBMPlexSans-SemiBold.woff2"),
    ("Report Mono", 400, "fonts/IBMPlexMono-Regular.woff2"),
)


class PdfUnavailable(UserError):  # noqa: N818 - says what is the case
    """This machine lacks what the PDF needs; every other format can be written."""

    exit_code = Exit.INCOMPLETE


def render_pdf(report: Report) -> bytes:
    """Return the PDF: tagged, with bookmarks and embedded fonts, the same bytes for the same report on the same machine.

    Raises ``PdfUnavailable`` when Pango is not installed.
    """
    weasyprint = _weasyprint()
    html = weasyprint.HTML(string=page(report, paper=True, style=_style(), script="", policy=""), url_fetcher=_fetcher())
    with _quiet():
        pdf: bytes = html.write_pdf(pdf_variant="pdf/ua-1", pdf_identifier=report.bundle.sha256[:32].encode())
    return pdf


def _weasyprint() -> Any:
    """Import WeasyPrint when it is needed: it takes 0.3 s, and without Pango prints a banner to stdout and raises OSError."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            import weasyprint
    except (ImportError, OSError) as error:
        raise PdfUnavailable(
            f"the PDF needs the Pango library, which is not on this machine ({str(error).splitlines()[0][:120]})",
            "Debian and Ubuntu: apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; "
            "Fedora and RHEL: dnf install pango; macOS: brew install pango; the HTML needs none of this",
        ) from error
    return weasyprint


def _style() -> str:
    faces = "".join(
        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; src: url({assets.data_url(path, "font/woff2")}); }}\n'
        for family, weight, path in FONTS
    )
    return faces + assets.text("paper.css")


def _fetcher() -> Any:
    """Return what WeasyPrint may load: ``data:`` URLs, which are our fonts. Since 70 a plain function is refused."""
    from weasyprint.urls import URLFetcher

    class DataOnly(URLFetcher):  # type: ignore[misc]
        """Refuses every URL that leaves the document."""

        def fetch(self, url: str, headers: dict[str, str] | None = None) -> Any:
            if not url.startswith("data:"):
                raise ValueError("a report loads nothing")
            return super().fetch(url, headers)

    return DataOnly()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep WeasyPrint's remarks on CSS, and on a machine without fonts (ours come along), away from the terminal."""
    loggers = [logging.getLogger(name) for name in ("weasyprint", "fontTools")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings(action="ignore", category=UserWarning):
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
