"""Formulas as MathML, which browsers draw by themselves: the usual renderer loads a script from another site."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

NAME = "mathml"


def formula(latex: str, *, block: bool = False) -> str:
    """LaTeX as MathML; what docutils does not know is an error of the build, not a formula cut short."""
    return tex2mathml(latex, as_block=block)


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(formula(node.astext()))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{formula(node.astext(), block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register it."""
    app.add_html_math_renderer(NAME, (_inline, None), (_block, None))
