"""The report: built once from facts and outcomes, then printed as HTML, PDF, JSON and a summary for the terminal."""

from .build import build_report
from .html import render_html
from .json import render_json
from .pdf import PdfUnavailable, render_pdf
from .summary import summary_lines

__all__ = ["PdfUnavailable", "build_report", "render_html", "render_json", "render_pdf", "summary_lines"]
