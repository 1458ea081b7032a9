"""``{says} PAGE?SETTINGS``: lines that a page of the dashboard shows on the example; a test opens it and looks."""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

NAMES = {
    "groups": "Groups & targets",
    "policy_lab": "Policy lab",
    "learn": "Learn",
    "data": "Data",
    "demographic_qa": "Demographic QA",
}
"""What the navigation calls a script."""


class Says(SphinxDirective):
    """A quotation of a page, under its name."""

    has_content = True
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A box with the page's name and a paragraph per line."""
        page = self.arguments[0].partition("?")[0]
        said = (nodes.paragraph("", line) for line in self.content if line)
        return [nodes.admonition("", nodes.title("", f"{NAMES[page]} says"), *said, classes=["says"])]


def setup(app: Sphinx) -> None:
    """Register it."""
    app.add_directive("says", Says)
