"""The majority vote: what it adds to single variants, its tie rule, and the published ablation."""

import math

import streamlit as st

from fairviz.io.published import read_published
from fairviz.model import Dataset
from fairviz.show.table import csv_text
from fairviz.show.words import count, interval, listing, percent, plural, signed
from fairviz.studies.demographic_qa.conditions import condition_gaps
from fairviz.studies.demographic_qa.figures_conditions import PairRow, PairsView, pairs_alt, pairs_figure, pairs_span
from fairviz.studies.demographic_qa.figures_groups import (
    GroupPanel,
    gaps_alt,
    gaps_figure,
    gaps_span,
    groups_alt,
    groups_figure,
    shared_span,
)
from fairviz.studies.demographic_qa.findings import (
    agreement_words,
    cells_finding,
    counts_words,
    errors_counts,
    errors_title,
    gap_words,
    heading,
    panels_title,
    question_title,
    spoken,
    strategy_name,
    unit_of,
)
from fairviz.studies.demographic_qa.questions import (
    DependentQuestion,
    ErrorCase,
    GivenAnswer,
    dependent_questions,
    error_cases,
)
from fairviz.studies.demographic_qa.remedies import (
    CITED,
    PAPER,
    ablation_words,
    gaps_title,
    panel_title,
    vote_counts,
    vote_title,
    vote_within_words,
)
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.tables import dependent_content, errors_content
from fairviz.studies.demographic_qa.views import ablation_view, gap_marks, group_panel, published_ablations
from pages._demographic_qa.results import Answers, Settings, comparable, conditions, short_names
from pages._demographic_qa.strategies import Votes
from pages._kit import (
    Bar,
    Column,
    Html,
    Toned,
    Two,
    colours,
    counts_line,
    download_row,
    el,
    html_table,
    join,
    rule,
    section,
    show_figure,
    user_text,
)
from pages._kit.cache import cached

# Right answers by group: a panel per attribute, intersectional cells, gaps of every condition.


IN_A_ROW = 3
"""Panels side by side; on a phone they stand below each other."""

CELL_ROW = 46
"""Height of a row of intersectional cells in px."""


def accuracy(chosen: Settings) -> None:
    """A panel per attribute, on one scale that no control but the outcome moves."""
    rows, unit = chosen.chosen.single, unit_of(chosen.chosen.kind, chosen.threshold)
    section(
        panels_title(rows),
        "With 95 % intervals (bootstrap over questions). Dashed: the same questions with no "
        "attribute given. Under each panel: the paired gap, on the same questions.",
    )
    span = _span(chosen, unit)
    for start in range(0, len(rows), IN_A_ROW):
        columns = st.columns(min(IN_A_ROW, max(len(rows), 2)), gap="medium")
        for column, row in zip(columns, rows[start : start + IN_A_ROW], strict=False):
            with column:
                _head(heading(row.attribute))
                _panel(row, unit, span)
                counts_line(gap_words(row, unit=unit))
    counts_line(counts_words(rows))
    counts_line(agreement_words(rows))


def cells(chosen: Settings) -> None:
    """Every combination of two attributes; small ones stay in sight."""
    unit = unit_of(chosen.chosen.kind, chosen.threshold)
    for row in chosen.chosen.cells:
        rule()
        found = cells_finding(row, unit=unit)
        section(found.title, found.sentence)
        left, right = st.columns([3, 2], gap="large")
        with left:
            _panel(row, unit, _span(chosen, unit, cells=True), height=CELL_ROW)
        with right:
            counts_line(gap_words(row, unit=unit))
            counts_line(counts_words([row]))


def gaps(chosen: Settings) -> None:
    """The gap of every model and strategy, an attribute per panel, on one scale."""
    answers = comparable(chosen.answers, chosen.chosen)
    if len(answers) < 2:
        return
    found = condition_gaps(conditions(answers))
    every = [one for some in found.values() for one in some]
    if not every:
        return
    rule()
    remedies = sorted({strategy_name(one.strategy) for one in every if one.remedy})
    filled = f" Hollow: no remedy. Filled: {listing(remedies)}." if remedies else ""
    section(
        gaps_title(every),
        f"Paired gap, points, with 95 % intervals.{filled} Right of 0: the "
        "first-named group does better. Tests: McNemar, Holm over all gaps shown.",
    )
    marks = {name: gap_marks(some) for name, some in found.items()}
    span = gaps_span(list(marks.values()))
    names = list(found)
    for start in range(0, len(names), IN_A_ROW):
        columns = st.columns(min(IN_A_ROW, max(len(names), 2)), gap="medium")
        for column, name in zip(columns, names[start : start + IN_A_ROW], strict=False):
            with column:
                title = panel_title(found[name])
                _head(title)
                figure = gaps_figure(marks[name], span=span, colours=colours())
                show_figure(figure, f"gaps-{names.index(name)}", gaps_alt(marks[name], title))


def _head(text: str) -> None:
    st.html(el("h3", text, cls="fv-part"))


def _panel(row: VariantRow, unit: str, span: tuple[float, float], *, height: int = 0) -> None:
    panel = group_panel(row, unit=unit)
    size = {"row": height} if height else {}
    figure = groups_figure(panel, span=span, colours=colours(), **size)
    show_figure(figure, f"answers-{row.attribute.replace('+', '-')}", groups_alt(panel))


def _span(chosen: Settings, unit: str, *, cells: bool = False) -> tuple[float, float]:
    """Of all answers of this kind, so that a choice of model does not move the scale."""
    alike = [one for one in chosen.answers if one.kind == chosen.chosen.kind]
    return shared_span([panel for one in alike for panel in _panels(one, unit, cells=cells)])


def _panels(one: Answers, unit: str, *, cells: bool) -> list[GroupPanel]:
    return [group_panel(row, unit=unit) for row in (one.cells if cells else one.single)]


# The questions behind the rates: evidence and answers counted, answers that depend on a group.


SHOWN = 200
"""Questions in the table of all; the CSV has the others, too."""

LONGEST = 220
"""Characters of an answer in the table."""


@cached
def dependent(
    loaded: Dataset,
    file: int,
    by: tuple[tuple[str, str], ...],
    attribute: str,
    threshold: float | None,
) -> tuple[DependentQuestion, ...]:
    """Questions of one combination whose answer depends on the attribute."""
    return dependent_questions(loaded.variants[file], attribute, where=by, threshold=threshold)


@cached
def errors(
    loaded: Dataset, file: int, columns: tuple[str, ...], threshold: float | None, judged: bool
) -> tuple[ErrorCase, ...]:
    """Evidence × answer of one file, by combination and group."""
    answers = loaded.variants[file]
    if answers.kind == "open" and threshold is None:
        return ()
    qrels = loaded.qrels[0] if judged else None
    return error_cases(answers, by=columns, threshold=threshold, qrels=qrels)


def error_section(loaded: Dataset, chosen: Settings) -> None:
    """Table 7 of the paper as counts."""
    one = chosen.chosen
    columns = tuple(name for name, _ in one.by)
    known = bool((loaded.variants[one.file].evidence >= 0).any())
    judged = not known and bool(loaded.qrels)
    every = errors(loaded, one.file, columns, chosen.threshold, judged)
    found = [each for each in every if each.by == one.by and each.n]
    rule()
    if not found:
        section("Where answers went wrong: the evidence is not known", _why(chosen))
        return
    single = [each for each in found if "+" not in each.attribute]
    source = "by the loaded judgements" if judged else "as recorded"
    section(
        errors_title(single),
        f"Answers about each group, by whether the evidence given was right ({source}) and whether "
        "the answer was. The paper's Table 7 shows three such cases, without counts.",
    )
    heads = [
        Column(label="Group"),
        Column(label="answers", align="right"),
        Column(label="evidence right, answer right", align="right"),
        Column(label="evidence right, answer wrong", align="right"),
        Column(label="evidence wrong, answer right", align="right"),
        Column(label="both wrong", align="right"),
        Column(label="answer wrong on right evidence", wide=True),
    ]
    rows = [
        [
            Two(top=spoken(each.value), below=heading(each.attribute) or "no group"),
            count(each.n),
            *(_part(n, each.n) for n in (each.right_right, each.right_wrong, each.wrong_right, each.wrong_wrong)),
            Bar(length=each.right_wrong / max(each.right_right + each.right_wrong, 1), tone="loss"),
        ]
        for each in single
    ]
    html_table(heads, rows, caption="Evidence and answers by group", narrow="scroll")
    counts_line(errors_counts(single))
    download_row("fairviz-errors", frame_csv=lambda: csv_text(errors_content(found)))


def drill(loaded: Dataset, chosen: Settings) -> None:
    """Questions whose answer depends on an attribute, then one of them in full."""
    one = chosen.chosen
    attributes = [row.attribute for row in one.rows]
    if not attributes:
        return
    rule()
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        attribute = st.selectbox("Depends on", attributes, key="depends", bind="query-params", width=190)
        found = dependent(loaded, one.file, one.by, attribute, chosen.threshold)
        ids = [each.question_id for each in found]
        picked = (
            st.selectbox(
                "One question",
                ids,
                key="question",
                bind="query-params",
                width=300,
                help="Those that are right for one group and wrong for another come first.",
            )
            if ids
            else None
        )
    row = next(row for row in one.rows if row.attribute == attribute)
    moved = sum(each.spread > 0 for each in found)
    with top:
        section(
            question_title(len(found), row.n_questions, attribute),
            f"{count(moved)} of them are right for one group and not for another; the others get "
            "different answers that are equally right or wrong.",
        )
    if not found:
        return
    known = next((each for each in found if each.question_id == picked), found[0])
    _one(loaded, known)
    with st.expander(f"All {plural(len(found), 'question')}"):
        _every(found)
    download_row("fairviz-dependent-questions", frame_csv=lambda: csv_text(dependent_content(found)))


def _one(loaded: Dataset, question: DependentQuestion) -> None:
    words = (loaded.texts or {}).get(question.question_id)
    if words:
        user_text(words)
    counts_line(f"Right answer: {question.gold or 'not recorded'}")
    columns = [
        Column(label="Group"),
        Column(label="Answer"),
        Column(label="", align="right", short=True),
    ]
    rows = [[_name(given), _cut(given.words) or "no answer", _badge(given)] for given in question.answers]
    html_table(columns, rows, caption=f"Answers to question {question.question_id} by group")


def _every(found: tuple[DependentQuestion, ...]) -> None:
    values = list(dict.fromkeys(_name(given) for each in found for given in each.answers))
    columns = [Column(label="Question"), Column(label="right")] + [Column(label=value) for value in values]
    rows: list[list[str | Html]] = []
    for each in found[:SHOWN]:
        given = {_name(one): one for one in each.answers}
        line: list[str | Html] = [each.question_id, _cut(each.gold, 24)]
        line += [join(_cut(given[v].words, 24) or "–", " ", _mark(given[v])) if v in given else "" for v in values]
        rows.append(line)
    html_table(columns, rows, caption="Answers by group", narrow="scroll", tall=True)
    if len(found) > len(rows):
        counts_line(f"The first {len(rows)} of {len(found)}; the CSV below has all.")


def _name(given: GivenAnswer) -> str:
    return f"{spoken(given.value)} (no attribute)" if given.reference else spoken(given.value)


def _badge(given: GivenAnswer) -> Toned | str:
    if math.isnan(given.score):
        return "not known"
    if given.score in (0.0, 1.0):
        right = given.score == 1.0
        return Toned(text="✓ right" if right else "✗ wrong", tone="gain" if right else "loss")
    return f"ROUGE-L {percent(given.score)}"


def _mark(given: GivenAnswer) -> Html | str:
    if math.isnan(given.score):
        return ""
    if given.score in (0.0, 1.0):
        right = given.score == 1.0
        return el(
            "strong",
            "✓" if right else "✗",
            cls=f"fv-tone-{'gain' if right else 'loss'}",
            aria_label="right" if right else "wrong",
        )
    return percent(given.score)


def _cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _part(n: int, of: int) -> Two:
    return Two(top=count(n), below=percent(n / of))


def _why(chosen: Settings) -> str:
    if chosen.chosen.kind == "open" and chosen.threshold is None:
        return "Open answers are right or wrong only from a threshold of ROUGE-L on: choose one."
    return "A column evidence (true or false) says whether what was given to the model was right."


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
