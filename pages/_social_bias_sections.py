"""Social bias: levels, about whom, what retrieval changes, the dose of stereotypical documents; one question."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import polars as pl
import streamlit as st

from fairviz.display.latex import latex_text
from fairviz.display.markup import rendered
from fairviz.display.table import csv_text
from fairviz.display.theme import LIGHT
from fairviz.display.words import in_words, number, p_value, plural, signed
from fairviz.errors import FairvizError, UsageError
from fairviz.model import BiasItems, Dataset
from fairviz.model.answers import NO_TARGET, OUT_OF_CHOICE
from fairviz.stats.tests import SIGNIFICANCE
from fairviz.studies.social_bias.analysis import analyse, changes_against, levels_charts, measured_rows
from fairviz.studies.social_bias.answers import MatchedAnswers, moved, moves, n_along
from fairviz.studies.social_bias.charts import KINDS
from fairviz.studies.social_bias.columns import changes_table, levels_table, printed_changes_table, with_reading
from fairviz.studies.social_bias.documents import CONTEXTS
from fairviz.studies.social_bias.findings import (
    along_title,
    change_finding,
    dose_finding,
    levels_finding,
    measured_words,
    moved_title,
    right_title,
    rows_finding,
)
from fairviz.studies.social_bias.labels import answer_words, group_words, type_label, value_words, words_of
from fairviz.studies.social_bias.measures import Leaning
from fairviz.studies.social_bias.rows import LESS, MORE, Row, first_rows, levels
from fairviz.studies.social_bias.settings import BiasSettings
from fairviz.studies.study import Chart
from pages._kit import callout, counts_line, section, show_chart
from pages._kit.commands import report, study_files
from pages._kit.controls import choose_name, stepped
from pages._kit.downloads import download, figure_drawer
from pages._kit.html import (
    Cell,
    Html,
    PageColumn,
    PageRow,
    Span,
    Tone,
    around_zero,
    el,
    glyph,
    html_table,
    in_tone,
    muted,
    notes_below,
    page_table,
    two_lines,
)
from pages._social_bias import choose_comparison, doses, for_command, read_words, sheet_of

READABLE = 11.0
"""Percent from which a part of a bar has room for its number."""
SIGNS: tuple[Tone, Tone] = ("plackett-luce", "optimal")
"""Tones of leans against the stereotype, and towards it."""


def level_table(
    levels: pl.DataFrame,
    matched: MatchedAnswers,
    measure: Leaning,
    *,
    about: str,
    named: Callable[[PageRow], str] = lambda row: row.text("category"),
    caption: str,
) -> None:
    """Rows as the study's table has them: answers as a bar, Diff-Bias as a dot with its interval; a phone has fewer.

    Args:
        levels: By model and bias type, or stereotyped group, in the order in which they are read.
        matched: All answers.
        measure: Diff-Bias in the context that is looked at.
        about: What rows are of.
        named: What a row is of.
        caption: Of the table.
    """

    def sized(row: PageRow) -> Cell:
        n, templates = (int(row.number(key)) for key in ("n_questions", "n_templates"))
        return two_lines(named(row), f"{plural(n, 'question')}, {plural(templates, 'template')}")

    def tone(row: PageRow) -> Tone:
        return SIGNS[row.number(measure) > 0] if row.number("p_holm") < SIGNIFICANCE else ""

    def value(row: PageRow) -> Cell:
        low, high, untested = row.number("low"), row.number("high"), math.isnan(row.number("p_holm"))
        between = "" if math.isnan(low) else f"{signed(low, 0)} to {signed(high, 0)}"
        text = in_words(row.number(measure), 0, sign=True)
        return two_lines(text, between, tone(row) or ("mute" if untested else ""))

    def verdict(row: PageRow) -> Cell:
        hue, words = tone(row), row.text("verdict")
        return in_tone(words, hue) if hue else muted(words)

    page_table(
        levels_table(levels, measure, matched.names),
        {
            "category": PageColumn(about, sized),
            "model": PageColumn("Model", short=True),
            "answers": PageColumn(words_of("parts")[measure], _bar, wide=True),
            "interval": PageColumn(
                "◂ against · towards the stereotype ▸", lambda row: _dot(row, measure, tone(row), lean_span(levels))
            ),
            measure: PageColumn("Diff-Bias", value, align="right"),
            "p_holm": PageColumn("p (Holm)", _p, align="right", wide=True),
            "verdict": PageColumn("In words", verdict, short=True),
        },
        caption=caption,
    )


NARROWEST = 5.0
"""Percent of Diff-Bias that a scale holds at least."""


def lean_span(levels: pl.DataFrame) -> Span:
    """One scale for all rows: every value and every interval."""
    return around_zero([NARROWEST, *(end for row in levels.select("value", "low", "high").rows() for end in row)])


def _p(row: PageRow) -> Cell:
    """The corrected p of a row, or that nothing is tested."""
    p = row.number("p_holm")
    return muted("not\N{NO-BREAK SPACE}tested" if math.isnan(p) else p_value(p))


def _dot(row: PageRow, key: str, tone: Tone, span: Span) -> Cell:
    """A dot with its interval, filled where a tone says that it is significant; nothing without an interval."""
    return glyph(row.number(key), row.number("low"), row.number("high"), span=span, tone=tone)


def _bar(row: PageRow) -> Html:
    own = {kind: row.number(kind) for kind in ("against", "unknown", "right", "towards") if row.get(kind) is not None}
    drawn = (
        el(
            "span",
            number(share, 0) if share >= READABLE else None,
            cls=f"fv-part-{kind}",
            style=f"flex:{share:.3f} 0 0",
        )
        for kind, share in own.items()
        if share
    )
    label = ", ".join(f"{kind} {number(share, 0)} %" for kind, share in own.items())
    return el("span", *drawn, cls="fv-stacked", role="img", aria_label=label)


# About whom: the questions of one bias type, by the group that their stereotype is about.


def groups_section(rows: pl.DataFrame, order: Sequence[str], matched: MatchedAnswers, settings: BiasSettings) -> None:
    """One bias type split by group, the widest first; the others by a control."""
    shown = levels(
        rows.filter(
            pl.col("model").cast(pl.String).is_in(settings.models),
            pl.col("category").cast(pl.String).is_in(settings.types),
            pl.col("stereotyped") != "",
        ),
        settings.context,
    )
    n_groups = shown.group_by("category").agg(pl.col("stereotyped").n_unique(), pl.col("tested").any())
    types = {kind: tested for kind, n, tested in n_groups.rows() if n > 1}
    split = [kind for kind in order if kind in types]
    if not split:
        return
    left, right = st.columns([7, 3], vertical_alignment="bottom")
    usual = next((kind for kind in split if types[kind]), split[0])
    with right:
        kind = choose_name("Bias type split by group", split, "group", usual=usual, width=230, words=type_label)
    own = shown.filter(pl.col("category") == kind)
    where = f"On {type_label(kind)}, "
    finding = levels_finding(own.rows(named=True), settings.context, where=where, names=matched.names, by_group=True)
    with left:
        section(finding.title, finding.sentence)
    level_table(
        own.sort(first_rows(own, "stereotyped"), maintain_order=True),
        matched,
        settings.context,
        about=f"{type_label(kind)} questions whose stereotype is …",
        named=lambda row: f"about {group_words(kind, row.text('stereotyped'))}",
        caption=f"{type_label(kind)} by stereotyped group",
    )


# How often answers are right where the context gives the answer.


def right_section(levels: pl.DataFrame, matched: MatchedAnswers) -> None:
    """% right by bias type and model: who never answers has no lean and no use."""
    section(right_title(levels.rows(named=True), matched.names))
    right = levels.cast({pl.Enum: pl.String}).pivot("model", index="category", values="acc_d")
    cells = [
        [type_label(kind), *(in_words(share, 0) for share in shares)]
        for kind, *shares in right.fill_null(math.nan).rows()
    ]
    heads = ["% right", *map(matched.name, right.columns[1:])]
    html_table(heads, cells, caption="Right answers, percent", narrow="scroll")


TONES: dict[str, Tone] = {MORE: "optimal", LESS: "plackett-luce"}


def shown_changes(changes: pl.DataFrame, order: Sequence[str], settings: BiasSettings, value: str) -> pl.DataFrame:
    """Changes to one value in the context that is looked at, in the order of the levels."""
    names = changes.cast({pl.Enum: pl.String})
    own = [pl.col("measure") == settings.context, pl.col(settings.compare) == value, pl.col("category").is_in(order)]
    if settings.compare != "model":
        own.append(pl.col("model").is_in(settings.models))
    return names.filter(*own).sort(pl.col("category").cast(pl.Enum(order)), maintain_order=True)


def change_table(
    changes: pl.DataFrame, matched: MatchedAnswers, settings: BiasSettings, before: str, after: str
) -> None:
    """Diff-Bias before and after by bias type, and its change with interval and test.

    Args:
        changes: What is shown.
        matched: All answers.
        settings: What is looked at.
        before: What is compared with, in words.
        after: What is compared, in words.
    """
    span = around_zero(end for row in changes.select("low", "high", "change").iter_rows() for end in row)
    several = settings.compare != "model" and changes["model"].n_unique() > 1

    def subject(row: PageRow) -> Cell:
        kind, model = type_label(row.text("category")), matched.name(row.text("model"))
        return el("span", kind, el("span", f" · {model}", cls="fv-mute")) if several else kind

    def value(row: PageRow, key: str) -> Cell:
        text = in_words(row.number(key), 0, sign=True)
        return text if row["tested"] else muted(text)

    def drawn(row: PageRow) -> Cell:
        return _dot(row, "change", TONES.get(row.text("verdict"), ""), span)

    page_table(
        changes_table(changes),
        {
            "subject": PageColumn("Bias type", subject),
            "reference": PageColumn(before, lambda row: value(row, "reference"), align="right", wide=True),
            "value": PageColumn(after, lambda row: value(row, "value"), align="right", wide=True),
            "interval": PageColumn("Change, 95 % interval", drawn),
            "change": PageColumn("points", _change, align="right"),
            "p_holm": PageColumn("p (Holm)", _p, align="right", wide=True),
        },
        caption=f"Diff-Bias with {before} and {after}, by bias type",
    )


def change_files(changes: pl.DataFrame, every: pl.DataFrame, read: str, **ends: str) -> None:
    """Buttons: every change that p is corrected over as CSV, those shown as LaTeX."""

    def printed() -> str:
        table = with_reading(printed_changes_table(changes, **ends), read)
        return latex_text(table, label="tab:social-bias-changes")

    stem = "fairviz-social-bias-changes"
    download("CSV of every tested change", lambda: csv_text(with_reading(changes_table(every), read)), f"{stem}.csv")
    download("LaTeX of these changes", printed, f"{stem}.tex")


def _change(row: PageRow) -> Cell:
    text = signed(row.number("change"), 0)
    tone = TONES.get(row.text("verdict"))
    return in_tone(text, tone) if tone else text if row["tested"] else muted(text)


FILLS = {"against": "against", "unknown": "unknown", "stereotyped": "towards"}


def dose_section(loaded: Dataset, matched: MatchedAnswers, settings: BiasSettings, one_letter: Collection[str]) -> None:
    """Stacks as retrieved, solid, beside those of collections of one kind, pale; a line where there are none.

    Args:
        loaded: Data with questions and answers.
        matched: The same, matched.
        settings: What is looked at.
        one_letter: Models that give one letter whatever is asked.
    """
    responses, refused = doses(loaded, settings.compared, CONTEXTS[settings.context == "diffbias_d"])
    fixed = {column: settings.to for column in ("k", "retriever") if settings.compare == column}
    responses = [
        response
        for response in responses
        if response["model"] in settings.models and all(response[column] == value for column, value in fixed.items())
    ]
    if not responses:
        section("Stereotypical documents given, and answers", f"{refused} {words_of('documents_needed')}".strip())
        return
    finding = dose_finding(responses, matched.names, one_letter)
    section(finding.title, finding.sentence)
    entries = (
        el("li", el("span", cls=f"fv-swatch fv-part-{FILLS[kind]}", aria_hidden="true"), el("span", words))
        for kind, words in KINDS.items()
    )
    st.html(el("ul", *entries, cls="fv-legend", aria_label="Parts of a column"))
    chart = Chart("social_bias", "dose", (responses, matched.names))
    show_chart(chart.draw, "social-bias-dose", chart.alt)
    first = responses[0]
    about = ", ".join(part for part in (first["retriever"], f"k = {first['k']}" if first["k"] else "") if part)
    st.html(
        el("p", f"Stereotypical documents among those given ({about}); below, n or the collection.", cls="fv-counts")
    )


def answers(loaded: Dataset, matched: MatchedAnswers, settings: BiasSettings, levels: pl.DataFrame) -> None:
    """Level, about whom, change beside dose, one item.

    Args:
        loaded: Data with questions and answers.
        matched: The same, matched.
        settings: What is looked at.
        levels: Rows that are looked at.
    """
    rows = levels.rows(named=True)
    finding = rows_finding(rows)
    left, right = st.columns([4, 3], vertical_alignment="bottom")
    with left:
        section(finding.title, finding.sentence)
    with right:
        charts = levels_charts(levels_table(levels, settings.context, matched.names))
        downloads(loaded, charts, for_command(matched, settings))
    level_table(levels, matched, settings.context, about="Bias type", caption="Diff-Bias by bias type and model")
    counts_line(measured_words(rows, n_items=len(matched.items), n_unmatched=matched.n_unmatched))
    notes_below(*matched.left_out)
    by_group = measured_rows(loaded, settings.compared, ("model", "category", "stereotyped"), to=settings.to)
    order = levels["category"].unique(maintain_order=True).to_list()
    groups_section(by_group, order, matched, settings)
    left, right = st.columns(2, gap="large")
    with left:
        ends = _changes(loaded, matched, settings, order)
    with right:
        dose_section(loaded, matched, settings, levels.filter(pl.col("one_letter") != "")["model"].to_list())
    if settings.context == "diffbias_a":
        with right if ends else left:
            right_section(levels, matched)
    item_section(loaded, matched, settings, ends)


Ends: TypeAlias = tuple[str, str]
"""The values that are compared, before and after."""


def _changes(loaded: Dataset, matched: MatchedAnswers, settings: BiasSettings, order: Sequence[str]) -> Ends | None:
    """The table of changes, where there is anything to compare; returns what is compared."""
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        ends = choose_comparison(loaded, matched, settings)
        foot = st.container(horizontal=True, gap="small")
    with top:
        if ends is None:
            section(*words_of("to_compare").get(settings.compare, words_of("to_compare")[""]))
            return None
        reference, value = ends
        try:
            against = (settings.compare, reference)
            measured = changes_against(loaded, settings.compared, against)
        except FairvizError as error:
            callout("These answers cannot be compared", str(error))
            return None
        column, shown = settings.compare, shown_changes(measured, order, settings, value)
        rows = shown.rows(named=True)
        finding = change_finding(rows, column=column, names=matched.names, value=value, reference=reference)
        section(finding.title, finding.sentence)
        before, after = (value_words(column, matched.name(end)) for end in (reference, value))
        change_table(shown, matched, settings, before, after)
    with foot:
        change_files(shown, measured, read_words(loaded, settings), reference=before, value=after)
    return ends


STEM = "fairviz-social-bias"


def downloads(loaded: Dataset, charts: Mapping[str, Chart], settings: BiasSettings) -> None:
    """Buttons beside the title of the levels; settings are those of a command."""
    with st.container(horizontal=True, gap="small"):
        for chart in charts.values():
            figure_drawer(lambda chart=chart: chart.draw(colours=LIGHT), f"{STEM}-levels", caption=chart.alt)
        study_files(
            STEM,
            "This table",
            ("bias", settings),
            lambda: analyse(loaded, settings).tables,
            csv="rows",
            latex=["levels"],
            html=partial(report, "Social bias", lambda: analyse(loaded, settings).in_report(), f"{loaded.name}."),
        )


PARAM = "item"
EVERY = "all questions"

Producer: TypeAlias = tuple[tuple[str, str], ...]
"""Values of the columns that name whose answers they are."""


def producers(
    matched: MatchedAnswers, settings: BiasSettings, ends: Ends | None
) -> tuple[list[tuple[str, Producer]], list[tuple[int, int]]]:
    """Whose answers stand on the card, with what each is called, and the places of those compared, before and after.

    All models shown; where something else is compared, each under both of its values.
    """
    models, column = settings.models, settings.compare
    if column == "model":
        pairs = [(models.index(ends[0]), models.index(ends[1]))] if ends else []
        return [(matched.name(model), ((column, model),)) for model in models], pairs
    named: list[tuple[str, Producer]] = [
        (
            ", ".join([matched.name(model)] * (len(models) > 1) + [value_words(column, end)]),
            (("model", model), (column, end)),
        )
        for model in models
        for end in ends or (settings.to or "",)
    ]
    return named, [(index, index + 1) for index in range(0, len(named), 2)] if ends else []


@st.fragment
def item_section(loaded: Dataset, matched: MatchedAnswers, settings: BiasSettings, ends: Ends | None) -> None:
    """How many answers moved which way, or how many follow the stereotype; then one question of them."""
    items = matched.items
    whose, pairs = producers(matched, settings, ends)
    names = [name for name, _ in whose]
    try:
        sheet = sheet_of(loaded, settings.compared, tuple(producer for _, producer in whose))
    except UsageError as error:
        section("Questions cannot be read one by one")
        callout("Several answers to one question", str(error))
        return
    top = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        is_selected = items.frame["ambiguous"] == (settings.context == "diffbias_a")
        is_selected &= items.frame["category"].is_in(settings.types)
        answered = pl.any_horizontal(pl.col(f"kind_{index}").is_not_null() for index in range(len(names)))
        listed, title = _chosen(sheet.filter(answered, pl.lit(is_selected)), pairs, len(names))
        places: list[int] = listed["item"].to_list()
        item = places[stepped([item_name(items, index) for index in places], PARAM)] if places else None
    names_of_ends = [value_words(settings.compare, matched.name(end)) for end in ends or ()]
    what = f"From {' to '.join(names_of_ends)}." if ends else "Answers of all models shown."
    with top:
        section(title, f"{what} {plural(len(listed), 'question')} of this kind.")
    if item is not None:
        card(items, sheet.row(item, named=True), names)


def _chosen(sheet: pl.DataFrame, pairs: Sequence[tuple[int, int]], n: int) -> tuple[pl.DataFrame, str]:
    """Questions of one kind of change, or as many answers towards the stereotype, and the title that counts them.

    Args:
        sheet: Answers of n producers, question by question.
        pairs: Places of those compared.
        n: How many there are.
    """
    if pairs:
        counted = moves(sheet, pairs)
        telling = ("unknown", "stereotyped")  # the most frequent change of all, where there is any, comes first
        frequent = sorted(counted, key=lambda move: (move != telling, -counted[move]))
        names = {
            " → ".join(answer_words(kind).removeprefix("the ").removesuffix(" answer") for kind in move): move
            for move in frequent
        }
        choice = choose_name("Kind of change", [*names, EVERY], "kind", width=280)
        if choice == EVERY:
            return sheet, "Read a question"
        before, after = move = names[choice]
        title = moved_title(counted[move], counted[after, before], before, after)
        return sheet.filter(moved(pairs, move)), title
    along = sheet.select(n_along(n)).to_series()
    of = {f"{some} of {n}": some for some in range(n, -1, -1) if (along == some).any()}
    choice = choose_name("Answers towards the stereotype", [*of, EVERY], "kind", width=280)
    if choice == EVERY:
        return sheet, "Read a question"
    listed = sheet.filter(along == of[choice])
    return listed, along_title(len(listed), of[choice], n)


def item_name(items: BiasItems, item: int) -> str:
    """Bias type and id of an item; its language where there are several."""
    language, category, name = items.frame.select("language", "category", "id").row(item)
    head = f"{type_label(category)} {name}"
    return f"{head} ({language})" if len(items.names("language")) > 1 else head


def card(items: BiasItems, answers: Row, names: Sequence[str]) -> None:
    """Context, question, its options with what each is and who answered it."""
    item = items.frame.row(answers["item"], named=True)
    says = "does not say" if item["ambiguous"] else "gives the answer"
    group, category, target = item["stereotyped"], item["category"], item["target"]
    about = f" · a stereotype about {group_words(category, group)}" if group else ""
    template = item["template"].removeprefix(category).strip()
    lines: list[tuple[str, list[tuple[str, str]]]] = []
    for option, words in enumerate(item["options"]):
        badges: list[tuple[str, str]] = []
        if target != NO_TARGET and option != item["unknown"]:
            along, against = ("towards the stereotype", "tone-optimal"), ("against it", "tone-plackett-luce")
            badges.append(along if option == target else against)
        if option == item["gold"]:
            badges.append(("right answer", "tone-oracle"))
        badges += [(name, "who") for who, name in enumerate(names) if answers[f"choice_{who}"] == option]
        lines.append((words, badges))
    lines += [
        (answers[f"words_{who}"] or "no words recorded", [("not read", "tone-mute"), (name, "who")])
        for who, name in enumerate(names)
        if answers[f"choice_{who}"] == OUT_OF_CHOICE
    ]
    head = f"Context ({says}){about} ({item_name(items, answers['item'])}, template {template})"
    st.html(rendered("question.html", head=head, context=item["context"], question=item["question"], lines=lines))
