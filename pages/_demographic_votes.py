"""The majority vote: what it adds to single variants, its tie rule, and the published ablation."""

import streamlit as st

from fairviz.figures.variant_pairs import PairRow, PairsView, pairs_alt, pairs_figure, pairs_span
from fairviz.figures.variant_published import ablation_view, published_ablations
from fairviz.formats.published import read_published
from fairviz.report.variant_published import CITED, PAPER, ablation_words
from fairviz.report.variant_remedies import vote_counts, vote_title, vote_within_words
from fairviz.report.variant_words import heading
from fairviz.report.words import interval, signed
from pages._demographic_results import comparable, short_names
from pages._demographic_settings import Settings
from pages._demographic_strategies import Votes
from pages._shared import colours, counts_line, el, section, show_figure


def votes(chosen: Settings, voted: Votes) -> None:
    """Mean of the variants → vote, per condition; the published ablation beside it."""
    shown = [
        (one, whole)
        for one in comparable(chosen.answers, chosen.chosen)
        if (whole := voted[one.file, one.by].whole) is not None
    ]
    if not shown:
        return
    gains = [whole for _, whole in shown]
    names = short_names(tuple(one for one, _ in shown))
    own = voted[chosen.chosen.file, chosen.chosen.by].rows
    left, right = st.columns([5, 6], gap="large")
    with left:
        section(
            vote_title(gains),
            "○ mean of the variants, ● vote over all of them and the neutral one; change in points "
            "at the right. Intervals: paired bootstrap over questions.",
        )
        rows = tuple(
            PairRow(
                name=name,
                first=100 * one.row.score,
                second=100 * one.all.accuracy,
                said=signed(100 * one.change, 1),
                hover=f"{interval(100 * one.interval.low, 100 * one.interval.high, 1)} points, {one.n} questions",
            )
            for name, one in zip(names, gains, strict=True)
        )
        view = PairsView(
            rows=rows,
            first="mean of the variants",
            second="vote",
            axis="score, %  (→ more is better)",
            head="points",
            decimals=1,
        )
        span = pairs_span([view], zero=False)
        show_figure(pairs_figure(view, span=span, colours=colours()), "vote", pairs_alt(view))
        counts_line(vote_counts(gains))
        counts_line(
            "A vote over all variants gives every group the same answer: its DP is 0 by "
            f"construction and says nothing. {vote_within_words(own)}"
        )
    with right:
        published_vote()


def published_vote() -> None:
    """Table 6."""
    table = read_published(PAPER, 6)
    section(
        "Published: with the vote, DP and EO are lower on both datasets"
        if all(max(one.dp[1] - one.dp[0], one.eo[1] - one.eo[0]) < 0 for one in published_ablations(table))
        else "Published: DP and EO without and with the vote",
        f"DeepSeek-R1-8B ({CITED}, Table 6). ○ without, ● with the vote. Whether the vote is "
        "within groups is not said; over all variants DP would be 0.",
    )
    views = [(one, ablation_view(one)) for one in published_ablations(table)]
    span = pairs_span([view for _, view in views], zero=True)
    for column, (one, view) in zip(st.columns(2, gap="medium"), views, strict=True):
        with column:
            st.html(el("h3", heading(one.dataset), cls="fv-part"))
            show_figure(
                pairs_figure(view, span=span, colours=colours()),
                f"ablation-{one.dataset}",
                f"{one.dataset}. {pairs_alt(view)}",
            )
    counts_line(ablation_words(table))
