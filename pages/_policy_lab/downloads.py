"""Downloads of the Policy lab: tables, the re-ranked run, a one-page brief."""

import io
from dataclasses import replace
from functools import partial

import streamlit as st

from fairviz.io import write_run, write_samples
from fairviz.metrics.spec import parse_measure
from fairviz.metrics.standard import standard_values
from fairviz.model import Dataset, RankingSample, Run
from fairviz.rerank.catalogue import find_reranker
from fairviz.show.html import Figure
from fairviz.show.latex import latex_text
from fairviz.show.table import csv_text
from fairviz.show.theme import in_both_themes, plotly_script
from fairviz.show.words import Finding, number, percent, plural, quoted
from fairviz.studies.policy_lab.brief import Brief, brief_html
from fairviz.studies.policy_lab.depth import GroupDepths
from fairviz.studies.policy_lab.figures import price_alt, price_figure
from fairviz.studies.policy_lab.findings import depth_words, lottery_words
from fairviz.studies.policy_lab.lists import reranked_run
from fairviz.studies.policy_lab.progressive import ProgressivePrices
from fairviz.studies.policy_lab.tables import tables
from fairviz.studies.tradeoff.findings import with_policy
from pages._kit import counts_line, download, download_row, section
from pages._policy_lab.lists import SelectedReranking
from pages._policy_lab.results import AT_RANDOM, LABELS, SEED, Results, Settings, purchase_results

STEM = "fairviz-price"
N_SAMPLES = 20
"""Rankings per query in the file of a policy."""
HEIGHT = 300
"""Of the chart in the brief, in px: what fits on a page with everything else."""


def downloads(
    loaded: Dataset,
    prices: ProgressivePrices,
    settings: Settings,
    results: Results,
    selection: SelectedReranking | None,
    finding: Finding,
    depths: GroupDepths,
) -> None:
    """The row of tables, the run, the brief; files are written when a button is pressed."""
    section("Take it with you", "The numbers as tables, the lists as a run, the finding on a page.")
    known = partial(
        tables,
        replace(
            purchase_results(results, settings.quality_label),
            system=prices.run.system,
            point_summaries={"today": [results.now], **results.summaries},
        ),
    )
    download_row(
        STEM,
        frame_csv=lambda: csv_text(with_policy(known()["points"], *settings.policy)),
        latex=lambda: latex_text(with_policy(known()["purchases"], *settings.policy), label="tab:price"),
    )
    if selection is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        download(
            "Download the re-ranked run (TREC)",
            lambda: run_text(loaded, prices, settings, selection),
            file_name=f"{prices.run.system}+{selection.method}.run",
            mime="text/plain",
            key="lab-run",
            kind="secondary",
        )
        download(
            "One-page brief",
            lambda: brief(loaded, prices, settings, results, selection, finding, depths),
            file_name="fairviz-brief.html",
            mime="text/html",
            icon=":material/description:",
            key="lab-brief",
            kind="secondary",
        )
    counts_line(_about_run(prices, settings, selection))


def run_text(loaded: Dataset, prices: ProgressivePrices, settings: Settings, selection: SelectedReranking) -> str:
    """The whole run re-ranked, in TREC's six columns; a policy as drawn samples."""
    ranked = _ranked(loaded.runs[settings.system], prices, selection)
    text = io.StringIO()
    if isinstance(ranked, RankingSample):
        write_samples(ranked, text)
    else:
        write_run(ranked, text)
    return text.getvalue()


def brief(
    loaded: Dataset,
    prices: ProgressivePrices,
    settings: Settings,
    results: Results,
    selection: SelectedReranking,
    finding: Finding,
    depths: GroupDepths,
) -> str:
    """The finding for one target as a page that prints."""
    light, dark = in_both_themes(lambda colours: price_figure(results.view, colours=colours, height=HEIGHT))
    shares = prices.axes.target[0] if len(prices.axes.target) else []
    groups = prices.axes.members.groups
    goal = ", ".join(f"{quoted(g)} {percent(float(s))}" for g, s in zip(groups, shares, strict=True))
    words = loaded.texts or {}
    question = "" if selection.lists is None else words.get(selection.lists.query_id, selection.lists.query_id)
    return brief_html(
        Brief(
            finding=finding,
            data=f"{loaded.name}: {prices.run.system}, top {settings.k}, "
            f"{plural(results.now.n_queries, 'query', 'queries')}.",
            target=goal,
            figure=Figure(light, dark, price_alt(results.view), name=STEM),
            purchases=with_policy(
                tables(replace(purchase_results(results, ""), refused={}, budget=""))["purchases"], *settings.policy
            ),
            question=question,
            lists=selection.lists,
            reranking=selection.label,
            limits=depth_words(depths),
            k=settings.k,
            depth=settings.depth,
            quality=settings.quality_label,
            lottery=lottery_words([LABELS[name] for name in results.summaries if name in AT_RANDOM]),
        ),
        plotly_js=plotly_script(),
    )


def _ranked(run: Run, prices: ProgressivePrices, selection: SelectedReranking) -> Run | RankingSample:
    return reranked_run(
        run,
        find_reranker(selection.method),
        prices.whole_bench,
        selection.strength,
        seed=SEED,
        n_samples=N_SAMPLES,
    )


def _about_run(prices: ProgressivePrices, settings: Settings, selection: SelectedReranking) -> str:
    """What the file holds, and the number that another tool will give for it."""
    curve = prices.curve(selection.method)
    about = f"{selection.label}: all {len(prices.run.query_ids)} queries of the run"
    if find_reranker(selection.method).is_policy:
        return (
            f"{about}. It shows each visitor one of several lists, drawn at random: the file holds {N_SAMPLES} drawn "
            f"rankings of each query, seed {SEED}, their number in column 2."
        )
    if curve is None or settings.quality != "nDCG":
        return f"{about}."
    spec = parse_measure(f"nDCG@{settings.k}")
    today = standard_values(prices.run, prices.qrels, [spec])[0].values
    values = curve.at(selection.strength).quality
    known = values == values
    # ir-measures counts a judged query without a value as 0
    mean = float(values[known].sum() / max(today.size, 1))
    repeats = (
        " (mean of the repeats; its lists are drawn at random, and the file holds one of them)"
        if find_reranker(selection.method).random
        else ""
    )
    return (
        f"{about}. ir-measures gives it nDCG@{settings.k} = {number(mean, 4)}{repeats} over all "
        f"{today.size} judged queries, those without anything useful counted as 0; today's file: "
        f"{number(float(today.mean()), 4)}."
    )
