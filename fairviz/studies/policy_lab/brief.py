"""What one target costs, on one page of A4: for people who decide and do not read code."""

from dataclasses import dataclass

from fairviz.show.html import Figure, Section, html_text
from fairviz.show.table import Cell, Column, Table
from fairviz.show.words import UNDEFINED, Finding, signed
from fairviz.studies.policy_lab.findings import before_after_finding
from fairviz.studies.policy_lab.lists import BeforeAfter
from fairviz.studies.policy_lab.tables import LabResults, tables

MOST_ROWS = 6
"""Re-rankers in the table: the nearest ones."""
MOST_RANKS = 8
"""Ranks of the query: a page has no room for more."""
LONGEST = 150
"""Characters of a question."""

COLUMNS = (
    Column("reranker", "Re-ranker"),
    Column("strength"),
    Column("off_target", "off target", "number"),
    Column("change", "change of quality, 95 % interval"),
    Column("words", "in words"),
)
"""Columns of the table that the page has room for: the interval stands beside the change."""
STYLE = """
body { max-width: 52rem; }
@media print {
  @page { size: A4; margin: 11mm 13mm; }
  body { font-size: 8.6pt; line-height: 1.32; }
  h1 { font-size: 15pt; margin: 0 0 1mm; } h2 { font-size: 10.5pt; margin: 2mm 0 .6mm;
    padding-top: 1.4mm; }
  p { max-width: none; margin: 0 0 .8mm; } figure { margin: 1mm 0; }
  table { font-size: 8pt; } tbody th { min-width: 0; }
  th, td { padding: .35mm 1.6mm; } .scroll { margin: 1mm 0; }
  .plot { min-height: 0; } caption { padding-bottom: .4mm; }
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What the page says.

    Attributes:
        finding: Title and sentence.
        data: What was re-ranked, in a few words.
        target: Shares by group, in words.
        figure: The price of fairness.
        purchases: What each re-ranker achieves within the budget.
        question: The query that is shown, in words.
        lists: Its two lists; None for none.
        reranking: Re-ranker and strength that made the second.
        limits: What re-ranking cannot do here.
        k: Ranks that count.
        depth: Candidates that were re-ranked.
        quality: Name of the quality measure.
        lottery: That a method shows lists at random, in words; empty where none does.
    """

    finding: Finding
    data: str
    target: str
    figure: Figure
    purchases: Table
    question: str
    lists: BeforeAfter | None
    reranking: str
    limits: str
    k: int
    depth: int
    quality: str
    lottery: str = ""


def brief_html(brief: Brief, *, plotly_js: str) -> str:
    """A self-contained page that prints on one sheet of A4.

    Args:
        brief: What it says.
        plotly_js: Source of plotly.js.
    """
    sections = [
        Section("The price", (brief.finding.sentence, f"Target: {brief.target}."), (brief.figure,)),
        Section("What each re-ranking method achieves within the budget", (), (_rows(brief.purchases),)),
    ]
    if brief.lists is not None:
        finding = before_after_finding(brief.lists, brief.quality)
        question = brief.question
        if len(question) > LONGEST:
            question = f"{question[:LONGEST]}…"
        table = tables(LabResults(lists=brief.lists))["before-after"]
        rows = Table(table.columns, table.rows[:MOST_RANKS])
        text = f"“{question}”, {brief.reranking}: {finding.title}. {finding.sentence}"
        sections.append(Section("One query, before and after", (text,), (rows,)))
    sections.append(Section("Method and caution", (_method(brief), f"{brief.limits} {_caution()}")))
    return html_text(brief.finding.title, sections, lead=brief.data, plotly_js=plotly_js, style=STYLE)


def _rows(table: Table) -> Table:
    """The nearest re-rankers, the interval beside the change."""
    rows: list[tuple[Cell, ...]] = []
    for cells in table.rows[:MOST_ROWS]:
        row = dict(zip(table.keys, cells, strict=True))
        low, high = (_signed(row[end]) for end in ("low", "high"))
        between = "" if row["low"] is None else f" ({low} to {high})"
        paid = None if row["change_percent"] is None else f"{_signed(row['change_percent'])} %{between}"
        rows.append((row["reranker"], row["strength"], row["off_target"], paid, row["words"]))
    return Table(COLUMNS, tuple(rows), table.caption, table.decimals)


def _signed(cell: Cell) -> str:
    return signed(cell, 1) if isinstance(cell, float) else UNDEFINED


def _method(brief: Brief) -> str:
    return (
        f"The first {brief.depth} documents of every query were re-ranked for the top {brief.k}. "
        "Distance: points of attention that would have to move to another group (half the L1 distance of the "
        "shares of attention over all queries together), unless the chart names another. Cost: change of "
        f"mean {brief.quality} compared with today's lists; intervals are 95 % paired bootstraps over "
        f"queries, 2\u202f000 resamples, seed 0. {brief.lottery}"
    ).rstrip()


def _caution() -> str:
    return (
        "Labels and judgements come from the data and may be incomplete or wrong. A list on "
        "target meets the shares that were set, not every need of the people behind a label; who "
        "sets them should say why. The nearest point was chosen on the same queries that it is "
        "measured on: expect a little less on new ones."
    )
