"""Remedies: DP and EO by strategy, scores over datasets; one's own, then the published tables."""

from typing import TypeAlias

import numpy as np
import streamlit as st

from fairviz.io.published import read_published
from fairviz.show.words import count, number, percent
from fairviz.studies.demographic_qa.conditions import StrategyRow, is_plain, ordered_strategies, widest_ends
from fairviz.studies.demographic_qa.figures_conditions import PairRow, PairsView, pairs_alt, pairs_figure, pairs_span
from fairviz.studies.demographic_qa.figures_grids import ScoreGrid, scores_alt, scores_figure
from fairviz.studies.demographic_qa.findings import equal_opportunity_words, heading, spoken, strategy_name
from fairviz.studies.demographic_qa.remedies import (
    CITED,
    PAPER,
    Disparity,
    disparities_title,
    published_rows,
    score_range,
    scores_title,
)
from fairviz.studies.demographic_qa.sheet import By
from fairviz.studies.demographic_qa.views import DISPARITY, published_disparities, published_scores, score_grid
from pages._demographic_qa.results import Answers, Settings, Voted, comparable, setting_words, short_names
from pages._kit import Column, Two, colours, counts_line, el, html_table, section, show_figure

Votes: TypeAlias = dict[tuple[int, By], Voted]
"""Votes of each combination, by file and columns."""


def disparities(chosen: Settings, votes: Votes) -> None:
    """DP and EO of one attribute: strategies of the chosen model, or all models."""
    top = st.container()
    attributes = list(dict.fromkeys(row.attribute for row in chosen.chosen.rows))
    if not attributes:
        return
    attribute = attributes[0]
    if len(attributes) > 1:
        attribute = st.selectbox("Groups of", attributes, key="attribute", bind="query-params", width=190)
    shown = compared(chosen)
    rows = [
        (name, one, voted)
        for name, one in zip(_names(shown), shown, strict=True)
        for voted in votes[one.file, one.by].rows
        if voted.get("attribute") == attribute
    ]
    found = [_disparity(name, one, voted) for name, one, voted in rows]
    told = [each.apart for each in widest_ends([voted.row for _, _, voted in rows])]
    plain = [i for i, row in enumerate(found) if row.plain]
    found += [_voted(name, voted) for name, _, voted in rows if not voted.within.note]
    setting = setting_words(shown[0])
    with top:
        apart = any(told[i] for i in plain if i < len(told)) if plain else any(told)
        section(
            f"{heading(attribute)}: {disparities_title(found, told=apart)}",
            "■ DP: largest gap in the rate between two groups. ○ EO: the same among answerable "
            f"questions.{f' All with {setting}.' if setting else ''} A largest gap is never below "
            "0 and leans upwards with few answers. + vote: within each group, over its variants.",
        )
    left, right = st.columns([5, 6], gap="large")
    with left:
        view = _view(found, "ROUGE-L, % ↑" if _mean(chosen) else "score, % ↑")
        figure = pairs_figure(view, span=pairs_span([view], zero=True), colours=colours())
        show_figure(figure, "disparities", pairs_alt(view))
    with right:
        _table(found, rows)
    counts_line(equal_opportunity_words([voted.row for _, _, voted in rows]))
    if any(voted.row.dp_letters for _, _, voted in rows):
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


def scores(chosen: Settings, votes: Votes) -> None:
    """Scores of every model and dataset by strategy, as a grid."""
    shown = [one for one in chosen.answers if one.kind == chosen.chosen.kind]
    alike = [one for one in shown if setting_words(one) == setting_words(compared(chosen)[0])]
    strategies = ordered_strategies(list(dict.fromkeys(one.part("strategy") for one in alike)))
    if len(strategies) < 2:
        return
    voted = "Majority Vote"
    whole = {(one.file, one.by): votes[one.file, one.by].whole for one in alike}
    cells: list[tuple[str, str, str, float]] = []
    for one in alike:
        found = whole[one.file, one.by]
        if found is None:
            continue
        model, dataset, strategy = (one.part(n) for n in ("model", "dataset", "strategy"))
        cells.append((model, dataset, strategy_name(strategy), found.row.score))
        if is_plain(strategy):
            cells.append((model, dataset, voted, found.all.accuracy))
    columns = [*(strategy_name(name) for name in strategies), voted]
    grid = score_grid(cells, columns)
    several = len({cell[0] for cell in cells}) > 1
    section(
        score_range(
            [(model if several else dataset, strategy) for model, dataset, strategy, _ in cells],
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
    for column, name, one in zip(columns, ("Score, %", "Overlap, %"), (grid, overlap), strict=True):
        with column:
            st.html(el("h3", name, cls="fv-part"))
            figure = scores_figure(one, colours=colours())
            show_figure(figure, f"table-2-{name[:5].lower()}", f"{name}. {scores_alt(one)}")


def compared(chosen: Settings) -> tuple[Answers, ...]:
    """Strategies of the chosen model where it has several; else all models."""
    every = comparable(chosen.answers, chosen.chosen)
    own = tuple(one for one in every if one.part("model") == chosen.chosen.part("model"))
    return own if len({one.part("strategy") for one in own}) > 1 else every


def _grid(grid: ScoreGrid, key: str) -> None:
    left, _ = st.columns([3, 1])
    with left:
        show_figure(scores_figure(grid, colours=colours()), key, scores_alt(grid))


def _names(shown: tuple[Answers, ...]) -> list[str]:
    if len({one.part("strategy") for one in shown}) > 1:
        several = len({one.part("model") for one in shown}) > 1
        rest = short_names(shown, without=("strategy",)) if several else [""] * len(shown)
        return [
            f"{name} · {strategy_name(one.part('strategy'))}" if name else strategy_name(one.part("strategy"))
            for name, one in zip(rest, shown, strict=True)
        ]
    return short_names(shown)


def _disparity(name: str, one: Answers, voted: StrategyRow) -> Disparity:
    row = voted.row
    groups = _groups(row.best, row.worst)
    several = one.part("strategy") != ""
    return Disparity(name, several and is_plain(one.part("strategy")), row.dp, row.eo, row.score, groups)


def _voted(name: str, voted: StrategyRow) -> Disparity:
    found = voted.within
    groups = _groups(found.best, found.worst)
    return Disparity(f"{name} + vote", False, found.dp, found.eo, found.accuracy, groups)


def _groups(best: str, worst: str) -> str:
    if best == worst:
        return "all alike" if best else ""
    return f"{spoken(best)} − {spoken(worst)}"


def _view(found: list[Disparity], head: str) -> PairsView:
    known = [row.score for row in found if not np.isnan(row.score)]
    return PairsView(
        rows=tuple(
            PairRow(
                name=row.name,
                first=100 * row.dp,
                second=100 * row.eo,
                said=number(100 * row.score, 1),
                bold=bool(known) and row.score == max(known),
                hover=row.said,
            )
            for row in found
        ),
        first="DP",
        second="EO",
        axis=DISPARITY,
        head=head,
        decimals=1,
        squares=True,
    )


def _table(found: list[Disparity], rows: list[tuple[str, Answers, StrategyRow]]) -> None:
    letters = [voted.row for _, _, voted in rows]
    options = any(row.dp_letters for row in letters)
    columns: list[Column | str] = [
        Column(label="Condition"),
        Column(label="score ↑", align="right"),
        Column(label="DP ↓, points", align="right"),
        Column(label="EO ↓, points", align="right"),
    ]
    if options:
        columns.append(Column(label="DP by options, mean · max", align="right"))
    cells: list[list[str | Two]] = []
    for i, row in enumerate(found):
        one = letters[i] if i < len(letters) else None
        n = sum(group.n for group in one.groups) if one else 0
        line: list[str | Two] = [
            row.name,
            Two(top=percent(row.score, 1), below=f"{count(n)} answers" if n else "votes"),
            Two(top=_points(row.dp), below=row.said),
            _points(row.eo) if not np.isnan(row.eo) else "undefined",
        ]
        if options:
            known = one is not None and bool(one.dp_letters)
            line.append(f"{_points(one.dp_macro)} · {_points(one.dp_max)}" if one and known else "")
        cells.append(line)
    html_table(columns, cells, caption="DP and EO of each condition", narrow="scroll")


def _points(value: float) -> str:
    return number(100 * value, 1)


def _mean(chosen: Settings) -> bool:
    return chosen.chosen.kind == "open" and chosen.threshold is None
