"""The tables of the Trade-off page, and its downloads: points as CSV, tables as LaTeX, all as one HTML file."""

from functools import partial

import numpy as np

from fairviz.display.html import html_text
from fairviz.display.theme import LIGHT, plotly_script
from fairviz.display.words import considered, count, listing, number, p_value, plural, signed
from fairviz.evaluation.compare import Comparison
from fairviz.points.summary import CurveSummary
from fairviz.points.view import POLICY_NAMES
from fairviz.points.words import change_title, detectable_words, left_out_words
from fairviz.studies.tradeoff.analysis import TradeoffAnalysis, report_sections
from fairviz.studies.tradeoff.charts import tradeoff_caption
from fairviz.studies.tradeoff.findings import area_title, areas_title
from fairviz.studies.tradeoff.settings import TEST_NAMES, TradeoffSettings
from pages._kit import counts_line, section
from pages._kit.commands import study_command, study_files
from pages._kit.downloads import figure_drawer
from pages._kit.html import (
    Cell,
    Column,
    Key,
    Row,
    Tone,
    Toned,
    Two,
    around_zero,
    change,
    muted,
    page_table,
    reach,
    with_interval,
)
from pages._kit.session import dataset

JOINER, NO_BREAK = "\N{WORD JOINER}", "\N{NO-BREAK SPACE}"
APART = ("higher", "lower")
ENDS = ("disparity_low", "disparity_high")


def area_table(made: TradeoffAnalysis, selection: TradeoffSettings, *, several: bool) -> None:
    """AUC and slope of each curve over the range all cover, and paired differences over the same range.

    Args:
        made: Its areas, the highlighted curve's first; systems without a query in common with it stand apart.
        selection: The page's settings.
        several: Whether curves are of several systems, which are named then.
    """
    areas, quality = made.areas, selection.quality_name
    first = areas.rows[0]
    if len(areas.rows) == 1:
        title = "Area and slope"
    elif several:
        title = areas_title(areas.gaps, first.system)
    else:
        title = area_title(areas.gaps[0], better="optimal", other="Plackett–Luce", quality=quality)
    n_queries = plural(first.n_defined, "query", "queries")
    corrected = f"; Δ paired by query ({considered(len(areas.gaps))})" if areas.gaps else ""
    section(
        title,
        f"Mean {quality} under the curve along α; 95 % bootstrap over {n_queries}; EE-D "
        f"{number(first.low, 2)} to {number(first.high, 2)}, which all curves cover{corrected}"
        + (f". {said}" if (said := detectable_words(areas.gaps)) else ""),
    )
    beside = len(areas.rows) > 2  # else the only difference stands below the two curves
    other = _name(areas.rows[-1], several=several) if several else ""
    page_table(
        made.tables["areas"],
        show=("curve", "auc", "slope", *(["delta"] if beside else [])),
        drawn={
            "curve": lambda row: _curve_key(row, several=several, highlighted=first.system),
            "auc": with_interval("auc", "auc_low", "auc_high"),
            "slope": with_interval("slope", "slope_low", "slope_high"),
            "delta": _difference_cell,
        },
        columns={"curve": "Curve", "auc": "AUC ↑", "delta": Column(label="Δ AUC", align="right")},
        below=() if beside else [_difference_row(gap, other) for gap in areas.gaps],
        caption="Area under each curve and its slope",
        narrow="scroll",
    )
    if areas.left_out:
        counts_line(left_out_words(areas.left_out))
    apart = [gap.system for gap in areas.gaps if not gap.n_queries and gap.system not in areas.left_out]
    if apart:
        counts_line(f"No query in common with {first.system}, so not compared: {listing(list(dict.fromkeys(apart)))}.")


def change_table(made: TradeoffAnalysis, selection: TradeoffSettings, *, title: str = "") -> None:
    """Quality in each interval of EE-D minus that of the deterministic list.

    Args:
        made: Its interval table.
        selection: The page's settings.
        title: Instead of the finding, where that stands at the head of the page.
    """
    rows, quality = made.changes, selection.quality_name
    n_tested = sum(not np.isnan(row.p_holm) for row in rows)
    section(
        title or change_title(rows, quality),
        f"{quality} minus the deterministic list of the same queries; "
        f"{TEST_NAMES[selection.test]} ({considered(n_tested)})"
        + (f". {said}" if (said := detectable_words(rows)) else ""),
    )
    page_table(
        made.tables["intervals"],
        show=("range", "quality", "difference", "interval", "p_holm", "verdict", "counts"),
        drawn={
            "range": lambda row: f"{JOINER}–{JOINER}".join(f"{row.number(end):.1f}" for end in ENDS),
            "difference": lambda row: change(row) if row["n_queries"] else "–",
            "interval": reach,
            "verdict": _interval_verdict,
            "counts": lambda row: f"{count(int(row.number('n_queries')))} · {count(int(row.number('n_points')))}",
        },
        columns={
            "range": Column(label="EE-D"),
            "quality": Column(label=quality, align="right", wide=True),
            "difference": Column(label="Δ", align="right"),
            "interval": Column(
                label="Δ, 95 % interval",
                span=around_zero(end for row in rows for end in row.interval),
                zero=0.0,
            ),
            "p_holm": f"p{NO_BREAK}(Holm)",
            "verdict": Column(label=""),
            "counts": Column(label="queries · points", align="right", wide=True),
        },
        caption=f"{quality} by interval of EE-D against the deterministic list",
        narrow="scroll",
    )


def _name(area: CurveSummary, *, several: bool) -> str:
    return _curve_name(area.system, area.policy, POLICY_NAMES.get(area.policy, area.policy), several=several)


def _curve_name(system: str, policy: str, words: str, *, several: bool) -> str:
    named = system if policy == "plackett-luce" else f"{system}, {words}"
    return named if several else words


def _curve_key(row: Row, *, several: bool, highlighted: str) -> Key:
    """A curve of another system than the highlighted one is grey, as in the chart."""
    policy, words = str(row["policy"]), row.text("policy")
    tone: Tone = "optimal" if policy == "optimal" else "plackett-luce"
    system = row.text("system")
    return Key(text=_curve_name(system, policy, words, several=several), tone=tone if system == highlighted else "mute")


def _difference_cell(row: Row) -> Cell:
    if row["n_compared"] is None:
        return ""
    if not row["n_compared"]:
        return muted("–")
    ends = row.number("difference_low"), row.number("difference_high")
    return _difference(row.number("difference"), *ends, apart=row.text("verdict") in APART)


def _difference(difference: float, low: float, high: float, *, apart: bool) -> Two:
    """A paired difference; muted where no test tells it from 0."""
    between = "–" if np.isnan(low) else f"{signed(low)} to {signed(high)}"
    return Two(top=signed(difference), below=between, tone="" if apart else "mute")


def _difference_row(gap: Comparison, name: str) -> list[Cell]:
    title = f"Difference, {name}" if name else "Difference, paired"
    verdict = gap.verdict if gap.n_queries else "no query in common"
    words = f"{verdict}, p {p_value(gap.p_holm)}" if gap.verdict in APART else verdict
    return [title, _difference(gap.difference, *gap.interval, apart=gap.verdict in APART), muted(words)]


def _interval_verdict(row: Row) -> Toned:
    verdict = row.text("verdict") if row["n_queries"] else "no points here"
    return muted(verdict.replace(" ", NO_BREAK))


IN_LATEX = ("areas", "intervals")
"""Tables of the LaTeX download."""


def downloads(made: TradeoffAnalysis, selection: TradeoffSettings, *, stem: str = "fairviz-tradeoff") -> None:
    """The row of buttons; files are written when one is pressed.

    Args:
        made: What they hold.
        selection: The page's settings, with the model whose answers the curves are of.
        stem: Name of the files.
    """

    def page() -> str:
        sections = report_sections(made, stem=stem)
        return html_text("Disparity and quality", sections, lead=made.lead, plotly_js=plotly_script())

    files = (stem, "Curves, and this page")
    study_files(*files, ("tradeoff", selection), lambda: made.tables, csv="curves", latex=IN_LATEX, html=page)
    if "tradeoff" in made.charts:
        (view,) = made.charts["tradeoff"].results
        caption = tradeoff_caption(view, made.curves[0], k=selection.n_seen)
        command = partial(study_command, dataset(), "tradeoff", selection)
        figure_drawer(lambda: made.charts["tradeoff"].draw(colours=LIGHT), stem, caption=caption, command=command)
