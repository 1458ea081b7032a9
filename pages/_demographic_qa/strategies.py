"""Remedies: DP and EO by strategy, scores over datasets, the majority vote; one's own, then the published tables."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from fairviz.io.published import read_published
from fairviz.show.html import Figure, Section, section_of
from fairviz.show.latex import latex_text
from fairviz.show.table import Table, csv_text
from fairviz.show.theme import in_both_themes
from fairviz.show.words import count, interval, number, p_value, percent, signed
from fairviz.studies.demographic_qa.answerable import ANSWERABLE_WORDS
from fairviz.studies.demographic_qa.baselines import is_plain
from fairviz.studies.demographic_qa.conditions import ordered_strategies
from fairviz.studies.demographic_qa.figures_conditions import PairRow, PairsView, pairs_alt, pairs_figure, pairs_span
from fairviz.studies.demographic_qa.figures_grids import ScoreGrid, scores_alt, scores_figure
from fairviz.studies.demographic_qa.findings import equal_opportunity_words
from fairviz.studies.demographic_qa.names import heading, strategy_name
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
    disparity_notes,
    disparity_of,
    score_range,
    scores_title,
    vote_counts,
    vote_title,
    vote_within_words,
    voted_disparities,
)
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.tables import VariantResults, tables
from fairviz.studies.demographic_qa.views import DISPARITY, score_grid
from pages._demographic_qa.results import Combination, Settings, Votes, comparable, setting_words, short_names
from pages._kit import (
    Column,
    Row,
    Two,
    colours,
    counts_line,
    download_row,
    el,
    page_table,
    section,
    show_chart,
    show_figure,
)

OPTIONS = (
    "DP by options: Ŷ = 1 is “answers option L”, right or wrong, one option against the rest. Its mean can be near 0 "
    "where right answers differ: wrong answers spread over the options and cancel out."
)


class AttributeDisparities(NamedTuple):
    """DP and EO of one attribute, strategies of the chosen model or all models.

    Attributes:
        attribute: Whose groups.
        rows: Conditions, then their votes within groups.
        answers: The attribute under each condition.
        definition: By what a question is answerable; "" where it is not known.
        title: What they show.
        about: How to read them.
    """

    attribute: str
    rows: list[Disparity]
    answers: list[VariantRow]
    definition: str
    title: str
    about: str

    @property
    def notes(self) -> list[str]:
        """Tests, what EO rests on, and how to read DP of options."""
        notes = [disparity_notes(self.rows), equal_opportunity_words(self.answers)]
        if any(row.dp_letters for row in self.answers):
            notes.append(OPTIONS)
        return [note for note in notes if note]


def disparities_of(settings: Settings, votes: Votes, attribute: str) -> AttributeDisparities:
    """DP and EO of one attribute as the page and its report show them."""
    combinations = compared(settings)
    named = [
        (name, combination, strategy)
        for name, combination in zip(_names(combinations), combinations, strict=True)
        for strategy in votes[combination.file, combination.by].rows
        if strategy.get("attribute") == attribute
    ]
    rows = [disparity_of(name, each.part("strategy"), strategy.row) for name, each, strategy in named]
    rows += voted_disparities([(name, strategy) for name, _, strategy in named])
    setting = setting_words(combinations[0])
    definition = next((strategy.row.definition for *_, strategy in named if strategy.row.definition), "")
    return AttributeDisparities(
        attribute,
        rows,
        [strategy.row for *_, strategy in named],
        definition,
        f"{heading(attribute)}: {disparities_title(rows)}",
        "■ DP: largest gap in the rate between two groups. ○ EO: the same among answerable questions"
        f"{f' ({ANSWERABLE_WORDS[definition]})' if definition else ', which are not known here'}."
        f"{f' All with {setting}.' if setting else ''} A largest gap is never below 0: beside it stands what "
        "chance alone gives. + vote: within each group, over its variants.",
    )


def disparities(settings: Settings, votes: Votes) -> None:
    """DP and EO of one attribute: strategies of the chosen model, or all models."""
    top = st.container()
    attributes = attributes_of(settings)
    if not attributes:
        return
    attribute = attributes[0]
    if len(attributes) > 1:
        attribute = st.selectbox("Groups of", attributes, key="attribute", bind="query-params", width=190)
    shown = disparities_of(settings, votes, attribute)
    with top:
        section(shown.title, shown.about)
    left, _ = st.columns([3, 2], gap="large")
    with left:
        view = disparities_view(settings, shown)
        span = pairs_span([view], zero=True)
        show_chart(lambda palette: pairs_figure(view, span=span, colours=palette), "disparities", pairs_alt(view))
    _table(shown.rows, shown.definition)
    for note in shown.notes:
        counts_line(note)
    _downloads(shown.rows)


def attributes_of(settings: Settings) -> list[str]:
    """Attributes of the chosen answers."""
    return list(dict.fromkeys(row.attribute for row in settings.selected.rows))


def disparity_sections(settings: Settings, votes: Votes, *, name: str) -> list[Section]:
    """A report's section on each attribute: DP and EO with chance levels, intervals and tests.

    Args:
        settings: What the page is set to.
        votes: Of every combination.
        name: What to call a picture that is saved of it.
    """
    sections: list[Section] = []
    for attribute in attributes_of(settings):
        shown = disparities_of(settings, votes, attribute)
        view = disparities_view(settings, shown)
        light, dark = in_both_themes(
            lambda colours, view=view: pairs_figure(view, span=pairs_span([view], zero=True), colours=colours)
        )
        figure = Figure(light, dark, pairs_alt(view), caption=heading(attribute), name=name)
        known = tables(VariantResults(disparities=shown.rows))
        blocks = [figure, "disparities"]
        sections.append(section_of(known, shown.title, shown.about, *shown.notes, blocks=blocks))
    return sections


def _downloads(disparities: list[Disparity]) -> None:
    """The table with every chance level, interval, test and change."""

    def table() -> Table:
        return tables(VariantResults(disparities=disparities))["disparities"]

    download_row(
        "fairviz-disparities",
        frame_csv=lambda: csv_text(table()),
        latex=lambda: latex_text(table(), label="tab:disparities"),
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
    section(
        score_range([cell[3] for cell in cells]),
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


def disparities_view(settings: Settings, shown: AttributeDisparities) -> PairsView:
    """DP and EO of each condition, drawn side by side."""
    disparities, definition = shown.rows, shown.definition
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
        axis=f"{DISPARITY}; EO: {ANSWERABLE_WORDS[definition]}" if definition else DISPARITY,
        head="ROUGE-L, % ↑" if _by_mean_rouge(settings) else "score, % ↑",
        decimals=1,
        squares=True,
    )


def _table(disparities: list[Disparity], definition: str) -> None:
    eo = f"EO ↓ ({ANSWERABLE_WORDS[definition]})" if definition else "EO ↓, points"
    options = any(disparity.dp_macro is not None for disparity in disparities)
    changed = any(not np.isnan(disparity.dp_change.value) for disparity in disparities)
    page_table(
        tables(VariantResults(disparities=disparities))["disparities"],
        show=(
            *("condition", "score", "dp", "chance"),
            *(["change"] if changed else []),
            "eo",
            *(["options"] if options else []),
        ),
        drawn={"score": _score, "dp": _dp, "chance": _chance, "change": _changed, "eo": _eo, "options": _options},
        columns={
            "condition": "Condition",
            "score": Column(label="score ↑", align="right"),
            "dp": Column(label="DP ↓, points", align="right"),
            "chance": Column(label="by chance", align="right"),
            "change": Column(label="change of DP", align="right"),
            "eo": Column(label=eo, align="right"),
            "options": Column(label="DP by options, mean · max", align="right"),
        },
        caption="DP and EO of each condition",
        narrow="scroll",
    )


def _score(row: Row) -> Two:
    n = row["n"]
    return Two(top=percent(row.number("score"), 1), below=f"{count(int(n))} answers" if n else "votes")


def _dp(row: Row) -> Two:
    below = "0 by construction" if row["by_construction"] else row.text("groups")
    return Two(top=f"{_points(row.number('dp'))}{_between(row, 'dp')}", below=below)


def _chance(row: Row) -> Two | str:
    if np.isnan(row.number("dp_chance")):
        return ""
    return Two(top=_points(row.number("dp_chance")), below=f"p {_p(row.number('dp_p_holm'))}")


def _changed(row: Row) -> Two | str:
    change = row.number("ddp")
    if np.isnan(change):
        return ""
    p = row.number("ddp_p_holm")
    below = "not tested" if np.isnan(p) else f"p {_p(p)}"
    return Two(top=f"{signed(100 * change, 1)}{_between(row, 'ddp')}", below=below)


def _eo(row: Row) -> Two | str:
    if np.isnan(row.number("eo")):
        return "undefined"
    chance = row.number("eo_chance")
    below = "" if np.isnan(chance) else f"by chance {_points(chance)}, p {_p(row.number('eo_p_holm'))}"
    return Two(top=_points(row.number("eo")), below=below)


def _between(row: Row, key: str) -> str:
    low, high = row.number(f"{key}_low"), row.number(f"{key}_high")
    return "" if np.isnan(low) else f" ({interval(100 * low, 100 * high, 1)})"


def _p(value: float) -> str:
    text = p_value(value)
    return text if text.startswith("<") else f"= {text}"


def _options(row: Row) -> str:
    if row["dp_macro"] is None:
        return ""
    return f"{_points(row.number('dp_macro'))} · {_points(row.number('dp_max'))}"


def _points(value: float) -> str:
    return number(100 * value, 1)


def _by_mean_rouge(settings: Settings) -> bool:
    return settings.selected.kind == "open" and settings.threshold is None
