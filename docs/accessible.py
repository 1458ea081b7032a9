"""What the theme's pages lack for readers of screens and for the keyboard, mended in the pages that were built."""

from pathlib import Path

from sphinx.application import Sphinx

MENDED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    "<pre>": '<pre tabindex="0">',  # long lines scroll, by keyboard, too; so do wide tables
    '<div class="table-wrapper colwidths-auto docutils container">': (
        '<div class="table-wrapper colwidths-auto docutils container" tabindex="0" role="group" aria-label="Table">'
    ),
    '<th class="head"><p></p></th>': "<td></td>",  # no heading, so none is read out
}
"""What stands in a page, and what it becomes."""


def mend(app: Sphinx, error: Exception | None) -> None:
    """Every page of the site; of one that is as it was built before, nothing is left to change."""
    if error is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        before = page.read_text(encoding="utf-8")
        text = before
        for lacking, mended in MENDED.items():
            text = text.replace(lacking, mended)
        if text != before:
            page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Mend pages when all are written."""
    app.connect("build-finished", mend)
