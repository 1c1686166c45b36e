"""The text of an HTML page as a person meets it, from top to bottom."""

from html.parser import HTMLParser

SILENT = {"head", "script", "style", "template", "svg"}
BLOCKS = {
    "p",
    "div",
    "section",
    "header",
    "main",
    "nav",
    "li",
    "ul",
    "ol",
    "td",
    "th",
    "tr",
    "h1",
    "h2",
    "h3",
    "h4",
    "dt",
    "dd",
    "summary",
    "details",
}


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self._words: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.end_block()
        if tag in SILENT:
            self._silent += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in SILENT:
            self._silent -= 1
        if tag in BLOCKS:
            self.end_block()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._words += data.split()

    def end_block(self) -> None:
        if self._words:
            self.blocks.append(" ".join(self._words))
            self._words.clear()


def text_blocks(page: bytes) -> list[str]:
    """The blocks of text (paragraphs, cells, headings) in the order of the page."""
    parser = _Text()
    parser.feed(page.decode())
    parser.end_block()
    return parser.blocks
