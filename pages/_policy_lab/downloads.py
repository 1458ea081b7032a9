"""Downloads of the Policy lab: tables, the re-ranked run, a one-page brief."""

import io

import streamlit as st

from fairviz.io import write_run, write_samples
from fairviz.metrics.spec import parse_measure
from fairviz.metrics.standard import standard_values
from fairviz.model import Dataset, RankingSample, Run
from fairviz.rerank.catalogue import find_reranker
from fairviz.show.html import Figure
from fairviz.show.table import csv_text, latex_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import Finding, number, percent, plural
from fairviz.studies.policy_lab.brief import Brief, brief_html
from fairviz.studies.policy_lab.figures import price_alt, price_figure
from fairviz.studies.policy_lab.findings import without_words
from fairviz.studies.policy_lab.lists import reranked_run
from fairviz.studies.policy_lab.progressive import GrowingPrices
from fairviz.studies.policy_lab.tables import bought_table, tables
from pages._kit import counts_line, download_row, section
from pages._policy_lab.lists import Shown
from pages._policy_lab.results import (
    LABELS,
    LETTERS,
    SEED,
    Results,
    Settings,
    lacking,
)

STEM = "fairviz-price"

N_SAMPLES = 20
"""Rankings per query in the file of a policy."""

HEIGHT = 300
"""Of the chart in the brief, in px: what fits on a page with everything else."""


def downloads(
    loaded: Dataset,
    growing: GrowingPrices,
    chosen: Settings,
    found: Results,
    shown: Shown | None,
    said: Finding,
) -> None:
    """The row of tables, the run, the brief; files are written when a button is pressed."""
    section("Take it with you", "The numbers as tables, the lists as a run, the finding on a page.")
    table = bought_table(
        found.every,
        found.best,
        labels=LABELS,
        symbols=LETTERS,
        refused=found.refused,
        caption=f"What each re-ranker buys for {found.view.budget:g} % of {chosen.quality_label}",
        points=found.points,
    )
    standings = {"today": [found.now], **found.found}
    download_row(
        STEM,
        frame_csv=lambda: csv_text(tables(growing.run.system, standings, labels=LABELS)[STEM]),
        latex=lambda: latex_text(table, label="tab:price"),
    )
    if shown is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.download_button(
            "Download the re-ranked run (TREC)",
            lambda: run_text(loaded, growing, chosen, shown),
            file_name=f"{growing.run.system}+{shown.method}.run",
            mime="text/plain",
            icon=":material/download:",
            on_click="ignore",
            key="lab-run",
        )
        st.download_button(
            "One-page brief",
            lambda: brief(loaded, growing, chosen, found, shown, said),
            file_name="fairviz-brief.html",
            mime="text/html",
            icon=":material/description:",
            on_click="ignore",
            key="lab-brief",
        )
    counts_line(_about_run(growing, chosen, shown))


def run_text(loaded: Dataset, growing: GrowingPrices, chosen: Settings, shown: Shown) -> str:
    """The whole run re-ranked, in TREC's six columns; a policy as drawn samples."""
    ranked = _ranked(loaded.runs[chosen.system], growing, shown)
    text = io.StringIO()
    if isinstance(ranked, RankingSample):
        write_samples(ranked, text)
    else:
        write_run(ranked, text)
    return text.getvalue()


def brief(
    loaded: Dataset,
    growing: GrowingPrices,
    chosen: Settings,
    found: Results,
    shown: Shown,
    said: Finding,
) -> str:
    """The finding for one target as a page that prints."""
    light, dark = in_both_themes(lambda colours: price_figure(found.view, colours=colours, height=HEIGHT))
    shares = growing.axes.target[0] if len(growing.axes.target) else []
    groups = growing.axes.members.groups
    goal = ", ".join(f"{g} {percent(float(s))}" for g, s in zip(groups, shares, strict=True))
    words = loaded.texts or {}
    asked = "" if shown.found is None else words.get(shown.found.query_id, shown.found.query_id)
    return brief_html(
        Brief(
            finding=said,
            data=f"{loaded.name}: {growing.run.system}, top {chosen.k}, "
            f"{plural(found.now.n_queries, 'query', 'queries')}.",
            target=goal,
            figure=Figure(light, dark, price_alt(found.view), name=STEM),
            bought=bought_table(
                found.every,
                found.best,
                labels=LABELS,
                symbols=LETTERS,
                refused={},
                points=found.points,
            ),
            question=asked,
            shown=shown.found,
            reranking=shown.label,
            limits=without_words(*lacking(growing)),
            k=chosen.k,
            depth=chosen.depth,
            quality=chosen.quality_label,
        ),
        plotly_js=plotly_script(),
    )


def _ranked(run: Run, growing: GrowingPrices, shown: Shown) -> Run | RankingSample:
    return reranked_run(
        run,
        find_reranker(shown.method),
        growing.whole_bench,
        shown.strength,
        seed=SEED,
        n_samples=N_SAMPLES,
    )


def _about_run(growing: GrowingPrices, chosen: Settings, shown: Shown) -> str:
    """What the file holds, and the number that another tool will give for it."""
    curve = growing.curve(shown.method)
    about = f"{shown.label}: all {len(growing.run.query_ids)} queries of the run"
    if find_reranker(shown.method).is_policy:
        return f"{about}; {N_SAMPLES} rankings of each drawn, seed {SEED}, number in column 2."
    if curve is None or chosen.quality != "nDCG":
        return f"{about}."
    spec = parse_measure(f"nDCG@{chosen.k}")
    today = standard_values(growing.run, growing.qrels, [spec])[0].values
    values = curve.at(shown.strength).quality
    known = values == values
    # ir-measures counts a judged query without a value as 0
    mean = float(values[known].sum() / max(today.size, 1))
    repeats = " (mean of the repeats; the file holds one)" if find_reranker(shown.method).random else ""
    return (
        f"{about}. ir-measures gives it nDCG@{chosen.k} = {number(mean, 4)}{repeats} over all "
        f"{today.size} judged queries, those without anything useful counted as 0; today's file: "
        f"{number(float(today.mean()), 4)}."
    )
