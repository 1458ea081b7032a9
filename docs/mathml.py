"""Formulas as MathML, which browsers draw by themselves: the usual renderer loads a script from another site."""

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

NAME = "mathml"
BARS = r"&#x(?:02016|0007C|02223|02225);"


def formula(latex: str, *, block: bool = False) -> str:
    """LaTeX as MathML; bars stay as high as letters, since the right one would grow with its exponent alone."""
    drawn = convert(latex, display="block" if block else "inline")
    return re.sub(rf"<mo>({BARS})</mo>", r'<mo stretchy="false">\1</mo>', drawn)


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(formula(node.astext()))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{formula(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register it."""
    app.add_html_math_renderer(NAME, (_inline, None), (_block, None))
