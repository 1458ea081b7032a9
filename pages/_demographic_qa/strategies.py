"""Remedies: DP and EO by strategy, scores over datasets, the majority vote; one's own, then the published tables."""

import numpy as np
import streamlit as st

from fairviz.io.published import read_published
from fairviz.show.words import count, interval, number, percent, signed
from fairviz.studies.demographic_qa.baselines import is_plain
from fairviz.studies.demographic_qa.conditions import ordered_strategies, widest_ends
from fairviz.studies.demographic_qa.figures_conditions import PairRow, PairsView, pairs_alt, pairs_figure, pairs_span
from fairviz.studies.demographic_qa.figures_grids import ScoreGrid, scores_alt, scores_figure
from fairviz.studies.demographic_qa.findings import equal_opportunity_words
from fairviz.studies.demographic_qa.names import heading, spoken, strategy_name
from fairviz.studies.demographic_qa.published import (
    CITED,
    PAPER,
    ablation_view,
    ablation_words,
    published_ablations,
    published_disparities,
    published_rows,
    published_scores,
)
from fairviz.studies.demographic_qa.remedies import (
    Disparity,
    disparities_title,
    score_range,
    scores_title,
    vote_counts,
    vote_title,
    vote_within_words,
)
from fairviz.studies.demographic_qa.strategies import StrategyRow
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from fairviz.studies.demographic_qa.views import DISPARITY, score_grid
from pages._demographic_qa.results import Combination, Settings, Votes, comparable, setting_words, short_names
from pages._kit import Column, Row, Two, colours, counts_line, el, page_table, section, show_figure


def disparities(settings: Settings, votes: Votes) -> None:
    """DP and EO of one attribute: strategies of the chosen model, or all models."""
    top = st.container()
    attributes = list(dict.fromkeys(row.attribute for row in settings.selected.rows))
    if not attributes:
        return
    attribute = attributes[0]
    if len(attributes) > 1:
        attribute = st.selectbox("Groups of", attributes, key="attribute", bind="query-params", width=190)
    combinations = compared(settings)
    rows = [
        (name, combination, strategy)
        for name, combination in zip(_names(combinations), combinations, strict=True)
        for strategy in votes[combination.file, combination.by].rows
        if strategy.get("attribute") == attribute
    ]
    disparity_rows = [_disparity(name, combination, strategy) for name, combination, strategy in rows]
    significant = [ends.significant for ends in widest_ends([strategy.row for _, _, strategy in rows])]
    plain = [i for i, row in enumerate(disparity_rows) if row.plain]
    disparity_rows += [_voted(name, strategy) for name, _, strategy in rows if not strategy.within.note]
    setting = setting_words(combinations[0])
    with top:
        plain_significant = any(significant[i] for i in plain if i < len(significant)) if plain else any(significant)
        section(
            f"{heading(attribute)}: {disparities_title(disparity_rows, significant=plain_significant)}",
            "■ DP: largest gap in the rate between two groups. ○ EO: the same among answerable "
            f"questions.{f' All with {setting}.' if setting else ''} A largest gap is never below "
            "0 and leans upwards with few answers. + vote: within each group, over its variants.",
        )
    left, right = st.columns([5, 6], gap="large")
    with left:
        view = _view(disparity_rows, "ROUGE-L, % ↑" if _by_mean_rouge(settings) else "score, % ↑")
        figure = pairs_figure(view, span=pairs_span([view], zero=True), colours=colours())
        show_figure(figure, "disparities", pairs_alt(view))
    with right:
        _table(disparity_rows)
    counts_line(equal_opportunity_words([strategy.row for _, _, strategy in rows]))
    if any(strategy.row.dp_letters for _, _, strategy in rows):
        counts_line(
            "DP by options: Ŷ = 1 is “answers option L”, right or wrong, one option against the "
            "rest. Its mean can be near 0 where right answers differ: wrong answers spread over "
            "the options and cancel out."
        )


def published_parity() -> None:
    """Tables 3 and 4."""
    tables = [read_published(PAPER, n) for n in (3, 4)]
    views = [published_disparities(table) for table in tables]
    titles = {disparities_title(published_rows(table), published=True) for table in tables}
    title = titles.pop() if len(titles) == 1 else "Published: DP and EO by strategy"
    section(
        title,
        f"DeepSeek-R1-8B ({CITED}, Tables 3 and 4; no intervals are printed). ■ DP, ○ EO, bold: highest score.",
    )
    span = pairs_span(views, zero=True)
    names = ("MedMCQA", "EquityMedQA")
    for column, view, name in zip(st.columns(2, gap="large"), views, names, strict=True):
        with column:
            st.html(el("h3", name, cls="fv-part"))
            show_figure(
                pairs_figure(view, span=span, colours=colours()), f"published-{name}", f"{name}. {pairs_alt(view)}"
            )


def scores(settings: Settings, votes: Votes) -> None:
    """Scores of every model and dataset by strategy, as a grid."""
    of_kind = [combination for combination in settings.answers if combination.kind == settings.selected.kind]
    combinations = [
        combination for combination in of_kind if setting_words(combination) == setting_words(compared(settings)[0])
    ]
    strategies = ordered_strategies(list(dict.fromkeys(combination.part("strategy") for combination in combinations)))
    if len(strategies) < 2:
        return
    majority_vote = "Majority Vote"
    whole = {
        (combination.file, combination.by): votes[combination.file, combination.by].whole
        for combination in combinations
    }
    cells: list[tuple[str, str, str, float]] = []
    for combination in combinations:
        vote = whole[combination.file, combination.by]
        if vote is None:
            continue
        model, dataset, strategy = (combination.part(n) for n in ("model", "dataset", "strategy"))
        cells.append((model, dataset, strategy_name(strategy), vote.row.score))
        if is_plain(strategy):
            cells.append((model, dataset, majority_vote, vote.all.accuracy))
    columns = [*(strategy_name(name) for name in strategies), majority_vote]
    grid = score_grid(cells, columns)
    several_models = len({cell[0] for cell in cells}) > 1
    section(
        score_range(
            [(model if several_models else dataset, strategy) for model, dataset, strategy, _ in cells],
            [cell[3] for cell in cells],
        ),
        f"Score, %, mean over all variants; bold: a row's highest. Colour: points above (teal) or "
        f"below (amber) {grid.columns[0]}; not tested here. Majority Vote: over all variants of "
        f"the answers by {grid.columns[0]}.",
    )
    _grid(grid, "scores")


def published_strategies() -> None:
    """Table 2: score and overlap of four models on four datasets."""
    table = read_published(PAPER, 2)
    grid, overlap = published_scores(table), published_scores(table, "overlap")
    section(
        scores_title(grid.columns, grid.values, published=True),
        f"{CITED}, Table 2. Bold: a row's highest. Colour: points above (teal) or below (amber) "
        "Plain. Score: accuracy, ROUGE-L for EquityMedQA.",
    )
    columns = st.columns(2, gap="medium")
    for column, name, view in zip(columns, ("Score, %", "Overlap, %"), (grid, overlap), strict=True):
        with column:
            st.html(el("h3", name, cls="fv-part"))
            figure = scores_figure(view, colours=colours())
            show_figure(figure, f"table-2-{name[:5].lower()}", f"{name}. {scores_alt(view)}")


def votes(settings: Settings, votes_of: Votes) -> None:
    """Mean of the variants → vote, per condition; the published ablation beside it."""
    combinations = [
        (combination, whole)
        for combination in comparable(settings.answers, settings.selected)
        if (whole := votes_of[combination.file, combination.by].whole) is not None
    ]
    if not combinations:
        return
    gains = [whole for _, whole in combinations]
    names = short_names(tuple(combination for combination, _ in combinations))
    rows_of_selected = votes_of[settings.selected.file, settings.selected.by].rows
    left, right = st.columns([5, 6], gap="large")
    with left:
        section(
            vote_title(gains),
            "○ mean of the variants, ● vote over all of them and the neutral one; change in points "
            "at the right. Intervals: paired bootstrap over questions; tests: paired t, Holm over the conditions.",
        )
        rows = tuple(
            PairRow(
                name=name,
                first=100 * gain.row.score,
                second=100 * gain.all.accuracy,
                words=signed(100 * gain.change, 1),
                hover=f"{interval(100 * gain.interval.low, 100 * gain.interval.high, 1)} points, {gain.n} questions",
            )
            for name, gain in zip(names, gains, strict=True)
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
            f"construction and says nothing. {vote_within_words(rows_of_selected)}"
        )
    with right:
        published_vote()


def published_vote() -> None:
    """Table 6."""
    table = read_published(PAPER, 6)
    section(
        "Published: with the vote, DP and EO are lower on both datasets"
        if all(
            max(ablation.dp[1] - ablation.dp[0], ablation.eo[1] - ablation.eo[0]) < 0
            for ablation in published_ablations(table)
        )
        else "Published: DP and EO without and with the vote",
        f"DeepSeek-R1-8B ({CITED}, Table 6). ○ without, ● with the vote. Whether the vote is "
        "within groups is not said; over all variants DP would be 0.",
    )
    views = [(ablation, ablation_view(ablation)) for ablation in published_ablations(table)]
    span = pairs_span([view for _, view in views], zero=True)
    for column, (ablation, view) in zip(st.columns(2, gap="medium"), views, strict=True):
        with column:
            st.html(el("h3", heading(ablation.dataset), cls="fv-part"))
            show_figure(
                pairs_figure(view, span=span, colours=colours()),
                f"ablation-{ablation.dataset}",
                f"{ablation.dataset}. {pairs_alt(view)}",
            )
    counts_line(ablation_words(table))


def compared(settings: Settings) -> tuple[Combination, ...]:
    """Strategies of the chosen model where it has several; else all models."""
    combinations = comparable(settings.answers, settings.selected)
    of_model = tuple(
        combination for combination in combinations if combination.part("model") == settings.selected.part("model")
    )
    return of_model if len({combination.part("strategy") for combination in of_model}) > 1 else combinations


def _grid(grid: ScoreGrid, key: str) -> None:
    left, _ = st.columns([3, 1])
    with left:
        show_figure(scores_figure(grid, colours=colours()), key, scores_alt(grid))


def _names(combinations: tuple[Combination, ...]) -> list[str]:
    if len({combination.part("strategy") for combination in combinations}) > 1:
        several = len({combination.part("model") for combination in combinations}) > 1
        rest = short_names(combinations, without=("strategy",)) if several else [""] * len(combinations)
        return [
            f"{name} · {strategy_name(combination.part('strategy'))}"
            if name
            else strategy_name(combination.part("strategy"))
            for name, combination in zip(rest, combinations, strict=True)
        ]
    return short_names(combinations)


def _disparity(name: str, combination: Combination, strategy: StrategyRow) -> Disparity:
    row = strategy.row
    return Disparity(
        name,
        combination.part("strategy") != "" and is_plain(combination.part("strategy")),
        row.dp,
        row.eo,
        row.score,
        groups=_groups(row.best, row.worst),
        n=sum(group.n for group in row.groups),
        dp_macro=row.dp_macro if row.dp_letters else None,
        dp_max=row.dp_max if row.dp_letters else None,
    )


def _voted(name: str, strategy: StrategyRow) -> Disparity:
    vote = strategy.within
    return Disparity(f"{name} + vote", False, vote.dp, vote.eo, vote.accuracy, groups=_groups(vote.best, vote.worst))


def _groups(best: str, worst: str) -> str:
    if best == worst:
        return "all alike" if best else ""
    return f"{spoken(best)} − {spoken(worst)}"


def _view(disparities: list[Disparity], head: str) -> PairsView:
    scores = [disparity.score for disparity in disparities if not np.isnan(disparity.score)]
    return PairsView(
        rows=tuple(
            PairRow(
                name=disparity.name,
                first=100 * disparity.dp,
                second=100 * disparity.eo,
                words=number(100 * disparity.score, 1),
                bold=bool(scores) and disparity.score == max(scores),
                hover=disparity.groups,
            )
            for disparity in disparities
        ),
        first="DP",
        second="EO",
        axis=DISPARITY,
        head=head,
        decimals=1,
        squares=True,
    )


def _table(disparities: list[Disparity]) -> None:
    options = any(disparity.dp_macro is not None for disparity in disparities)
    page_table(
        tables(VariantResults(disparities=disparities))["disparities"],
        show=("condition", "score", "dp", "eo", *(["options"] if options else [])),
        drawn={"score": _score, "dp": _dp, "eo": _eo, "options": _options},
        columns={
            "condition": "Condition",
            "score": Column(label="score ↑", align="right"),
            "dp": Column(label="DP ↓, points", align="right"),
            "eo": Column(label="EO ↓, points", align="right"),
            "options": Column(label="DP by options, mean · max", align="right"),
        },
        caption="DP and EO of each condition",
        narrow="scroll",
    )


def _score(row: Row) -> Two:
    n = row["n"]
    return Two(top=percent(row.number("score"), 1), below=f"{count(int(n))} answers" if n else "votes")


def _dp(row: Row) -> Two:
    return Two(top=_points(row.number("dp")), below=row.text("groups"))


def _eo(row: Row) -> str:
    return "undefined" if np.isnan(row.number("eo")) else _points(row.number("eo"))


def _options(row: Row) -> str:
    if row["dp_macro"] is None:
        return ""
    return f"{_points(row.number('dp_macro'))} · {_points(row.number('dp_max'))}"


def _points(value: float) -> str:
    return number(100 * value, 1)


def _by_mean_rouge(settings: Settings) -> bool:
    return settings.selected.kind == "open" and settings.threshold is None
