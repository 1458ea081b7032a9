"""How the documentation is built: ``make docs``; warnings are errors, nothing is fetched while it is built or read."""

import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.inspect import TypeAliasForwardRef

HERE = Path(__file__).parent
sys.path[:0] = [
    str(HERE),
    str(HERE.parent),
]  # accessible.py, generated.py, mathml.py and says.py; the dashboard's pages

# First: descriptions of experiments read their own sources, which takes longer the more modules there are.
import fairviz.experiments.config  # noqa: E402, F401, I001

import accessible  # noqa: E402
import generated  # noqa: E402
import mathml  # noqa: E402
import says  # noqa: E402
from fairviz import __version__  # noqa: E402

project = "fairviz"
author = "The fairviz developers"
project_copyright = author
release = version = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]
exclude_patterns = ["_build"]
smartquotes = False  # quotes belong to what is typed
autodoc_type_aliases = {
    name: name for name in ("Answers", "Judgements", "Labels", "Loadable", "Path", "Rankings", "Records", "Shares")
}
TypeAliasForwardRef.__repr__ = lambda self: self.name  # autodoc shows it as it represents itself
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False  # what is returned is said in words

html_theme = "furo"
html_title = f"fairviz {release}"
html_static_path = ["_static"]
html_css_files = ["fairviz.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = mathml.NAME
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


def setup(app: Sphinx) -> None:
    """What is generated from the code, formulas without a script from elsewhere, pages for all."""
    accessible.setup(app)
    generated.setup(app)
    mathml.setup(app)
    says.setup(app)
