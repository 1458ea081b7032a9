"""How the documentation is built: ``make docs``; warnings are errors, nothing is fetched while it is built or read."""

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]  # generated.py, mathml.py and says.py; the dashboard's pages

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
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

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
    """What is generated from the code, and formulas without a script from elsewhere."""
    generated.setup(app)
    mathml.setup(app)
    says.setup(app)
