"""Export: tables, figures and commands of the loaded data, to take into a paper or a class."""

from fairviz.report.systems import lead_of
from pages._export.answers import answer_part
from pages._export.bundle import Parts, bundle_part, cite_part
from pages._export.curves import curve_part
from pages._export.measures import measure_part
from pages._export.study import save_part
from pages._kit import callout, dataset, header, rule

HOW = r"""
**CSV** has every digit; undefined is an empty cell. A text cell that a spreadsheet would run as a
formula gets an apostrophe; numbers never do. **LaTeX** needs `\usepackage{booktabs}`; a table
that is too wide is narrowed, its intervals stand beneath the values. **HTML** is
one file that needs no network, follows light and dark, and prints.

**Figures**: "Figure …" below a chart prints it at the size of a column, a page or a slide, as PDF and
SVG with a caption. "Download SVG" at the top right of every chart gives it as it stands, in the theme you see.
Figures and tables that you pin go into the bundle.

A number leaves with what it takes to get it again: the settings, the fingerprint of the data, and
the command.
"""


def page() -> None:
    """Show the parts; nothing heavy is computed before it is asked for."""
    loaded = dataset()
    header(
        f"Export · {loaded.name}",
        "Tables, figures, and the commands behind them",
        f"{lead_of(loaded)} Tables come with the command to reproduce them.",
        how=HOW,
    )
    save_part(loaded)
    rule()
    measures = measure_part(loaded)
    rule()
    curves = curve_part(loaded)
    rule()
    answers = answer_part(loaded, curves.k if curves else None)
    figure_part()
    parts = Parts(measures, curves, answers)
    if any(parts):
        rule()
        bundle_part(loaded, parts)
    rule()
    cite_part()


def figure_part() -> None:
    """How any chart becomes a picture."""
    callout(
        "Any chart of any page as SVG",
        "Hover over a chart and select “Download SVG” at its top right: the file has the theme that "
        "you see. Your browser draws it, nothing is sent. Charts to hover over are in the HTML files.",
        calm=True,
    )


page()
