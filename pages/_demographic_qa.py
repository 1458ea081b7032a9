"""Parts of the page Demographic QA: its controls, answers by group, what was retrieved, what mitigates differences."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import polars as pl
import streamlit as st

from fairviz.display.marks import narrowest
from fairviz.display.words import Finding, considered, interval, number, percent, plural, signed
from fairviz.errors import InputError
from fairviz.model import Dataset
from fairviz.stats.tests import ROUNDING
from fairviz.studies.demographic_qa.across import Across, across, models_words
from fairviz.studies.demographic_qa.analysis import CONDITIONS, analyse
from fairviz.studies.demographic_qa.answers import COLUMNS, COUNTED, GROUP, Record, doses
from fairviz.studies.demographic_qa.charts import (
    groups_alt,
    groups_figure,
    overlap_alt,
    overlap_figure,
    overlap_floor,
    shared_span,
)
from fairviz.studies.demographic_qa.columns import (
    doses_table,
    errors_table,
    overlap_pairs_table,
    quality_table,
    rows_table,
    strategies_table,
)
from fairviz.studies.demographic_qa.combinations import (
    Combination,
    cases_about,
    comparable_answers,
    measured_combinations,
    measured_rows,
    measured_votes,
    recorded_overlaps,
    vote_gains,
)
from fairviz.studies.demographic_qa.findings import (
    alone_words,
    cells_finding,
    conditions_words,
    counts_words,
    doses_title,
    equal_opportunity_words,
    errors_title,
    estimators_words,
    gap_words,
    headline,
    overlap_title,
    quality_title,
    quality_words,
    verdict_words,
    vote_title,
    widest_first,
    widest_pair,
)
from fairviz.studies.demographic_qa.names import heading, shortened, words_of
from fairviz.studies.demographic_qa.retrieval import n_tests, overlaps_of_runs, variant_families, variant_quality
from fairviz.studies.demographic_qa.settings import CUTOFFS, MIN_SIZE, Answerable, TieRule, VariantsSettings
from pages._kit import at_least, callout, colours, counts_line, fold, in_rows, section, show_chart, show_figure
from pages._kit.commands import study_files
from pages._kit.controls import CHOICES, choose, choose_number, choose_one, usual_judgements, whole_number
from pages._kit.html import (
    Cell,
    Drawing,
    PageColumn,
    PageRow,
    Span,
    Tone,
    around_zero,
    el,
    glyph,
    page_table,
    two_lines,
)
from pages._kit.session import cached

LONG = 20_000
"""Answers from which on the time of counting is shown."""
LARGEST_LEAST = 1000
"""Answers below which a group can be called small."""
NOT_GIVEN = "not given"
"""What an option is called whose column a file does not have."""


class PageChoice(NamedTuple):
    """What the page is set to.

    Attributes:
        how: Which answers are right, which groups are small, which questions are answerable: a key of what is kept.
        ties: What happens at a tied vote.
        answers: Every combination that is loaded.
        selected: The one that is shown.
        earlier: The version that it is compared with; None for none.
        provoked: Whether its questions are said to be written to provoke a difference.
    """

    how: VariantsSettings
    ties: TieRule
    answers: tuple[Combination, ...]
    selected: Combination
    earlier: Combination | None
    provoked: bool

    @property
    def finding(self) -> Finding:
        """The title of the page."""
        return headline(self.selected.rows, who=f"answers of {self.selected.words}")

    @property
    def votes(self) -> VariantsSettings:
        """How votes are counted."""
        return replace(self.how, vote_ties=self.ties)

    def siblings(self, *columns: str) -> tuple[Combination, ...]:
        """Answers that differ from the chosen ones in these parts at most, the chosen ones among them."""
        return comparable_answers(self.answers, self.selected, *columns)

    def rows(self, *columns: str) -> list[Record]:
        """Their rows."""
        return [row for combination in self.siblings(*columns) for row in combination.rows]

    def words(self, stem: str) -> str:
        """What models, prompts or retrieval change, in words."""
        parts = CONDITIONS[stem]
        return conditions_words(stem, self.rows(*parts), several=len(self.siblings(*parts)) > 1)

    def command_settings(self, attribute: str = "", compared: int = CUTOFFS[0]) -> VariantsSettings:
        """Settings as a command takes them; the chosen answers by those parts that tell some apart."""
        telling = [name for name in COLUMNS if len({other.parts[name] for other in self.answers}) > 1]
        only = tuple(f"{name}={self.selected.parts[name]}" for name in telling or COLUMNS[:1])
        against = f"model={self.earlier.parts['model']}" if self.earlier else ""
        return replace(self.votes, only=only, against=against, attribute=attribute, compared=compared)


def controls(loaded: Dataset) -> PageChoice:
    """The row of controls; a control stands only where there is a choice."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        row_of_controls = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
        with st.popover("More", type="tertiary"):
            ties = choose("ties", draw=st.selectbox)
            small, about = "Small groups have fewer answers than", words_of("help")["small"]
            min_size = choose_number(small, 1, LARGEST_LEAST, MIN_SIZE, "min_size", help=about)
            how = VariantsSettings(min_size=min_size, answerable=_answerable(loaded))
            provoked: bool = choose("provoked", draw=st.radio)
    with counting(loaded):
        answers = measured_combinations(loaded, how)
    with row_of_controls:
        selected = _choose(answers)
        threshold = choose("rouge", draw=st.selectbox, width=150) if selected.kind == "open" else None
        earlier = _choose_earlier(comparable_answers(answers, selected, "model"), selected)
    if threshold is not None:
        how = replace(how, threshold=threshold)
        with counting(loaded):
            answers = measured_combinations(loaded, how)
        of_key = {each.key: each for each in answers}
        selected, earlier = of_key[selected.key], earlier and of_key[earlier.key]
    return PageChoice(how, ties, answers, selected, earlier, provoked)


def counted_elsewhere(chosen: Mapping[str, str]) -> VariantsSettings:
    """How the page counts answers where it is not shown: by what was chosen there, as far as that can be."""
    fields = {
        "threshold": CHOICES["rouge"]["values"].get(chosen.get("rouge", "")),
        "min_size": whole_number(1, LARGEST_LEAST)(chosen.get("min_size", "")),
        "answerable": CHOICES["answerable"]["values"].get(chosen.get("answerable", "")),
        "vote_ties": CHOICES["ties"]["values"].get(chosen.get("ties", "")),
    }
    return VariantsSettings.of({name: value for name, value in fields.items() if value is not None})


def across_of(loaded: Dataset, settings: PageChoice) -> Across | None:
    """The gap of the title in every model and run."""
    return across(loaded, settings.how, settings.selected.key)


def cases_of(loaded: Dataset, settings: PageChoice) -> pl.DataFrame:
    """Evidence × answer of the chosen answers, by single attributes."""
    return cases_about(loaded, settings.selected.key, settings.selected.shown, settings.how)


def counting(loaded: Dataset) -> AbstractContextManager[None]:
    """Says that it counts, where that takes a while."""
    n = sum(len(answers) for answers in loaded.variants)
    return st.spinner(f"Counting {plural(n, 'answer')} …", show_time=n > LONG)


def _choose(answers: tuple[Combination, ...]) -> Combination:
    """Narrow down, part by part."""
    remaining = list(answers)
    for name, label in words_of("parts").items():
        values = list(dict.fromkeys(combination.parts[name] or NOT_GIVEN for combination in remaining))
        if len({combination.parts[name] for combination in answers}) > 1:
            key = "depth" if name == "k" else name  # other pages call their cutoff k
            value = choose_one(label, values, key, width=190 if name == "model" else 150)
            remaining = [
                combination for combination in remaining if (combination.parts[name] or NOT_GIVEN) == value
            ] or remaining
    return remaining[0]


NOTHING = "nothing"
"""What an earlier version is called where none is chosen."""


def _choose_earlier(models: Sequence[Combination], selected: Combination) -> Combination | None:
    """The model that the chosen one is compared with, such as its last version; nobody unless one is named."""
    by_model = {each.parts["model"]: each for each in models if each is not selected}
    about = "An earlier version, or another model: what changed, question by question."
    chosen = choose_one("Compare with", [NOTHING, *by_model], "earlier", width=170, help=about)
    return by_model.get(chosen)


def _answerable(loaded: Dataset) -> Answerable:
    """Which questions EO counts; the file's own column wins, and then there is nothing to choose."""
    if all(answers.frame["answerable"].is_not_null().any() for answers in loaded.variants):
        return "evidence"
    return choose("answerable", draw=st.selectbox)


def files(loaded: Dataset, settings: VariantsSettings, name: str, title: str, **wanted: Any) -> None:
    """Buttons for tables of the study; see :func:`~pages._kit.commands.study_files`."""
    study_files(name, title, ("variants", settings), lambda: analyse(loaded, settings).tables, **wanted)


def groups_chart(row: Record, span: tuple[float, float]) -> None:
    """The rates of one attribute's groups."""
    key = f"answers-{row['attribute'].replace('+', '-')}"
    show_chart(partial(groups_figure, row, span=span), key, groups_alt(row))


def gaps_and_doses(loaded: Dataset, settings: PageChoice) -> None:
    """The widest gap of each attribute with its test, beside what retrieval gave each group."""
    texts = words_of("page")
    cases, rows = cases_of(loaded, settings), settings.selected.rows
    of_retrieval = doses_table(doses(cases, [overlap for row in rows for overlap in row["overlap"]]))
    left, right = st.columns([6, 5], gap="large") if of_retrieval.rows else (nullcontext(), nullcontext())
    with left:
        section("The widest gap of each attribute", texts["gaps"])
        gaps_table(settings)
    if not of_retrieval.rows:
        counts_line(texts["no_documents"])
        return
    with right:
        section(doses_title(cases, rows), texts["doses"])
        has_room_for = [key for key in of_retrieval.keys if key not in ("attribute", "n")]
        page_table(of_retrieval.select(has_room_for), narrow="scroll")


def gaps_table(settings: PageChoice) -> None:
    """One line per attribute: the gap, what chance gives, who alone was right."""
    rows = settings.selected.rows
    shown = widest_first(rows)
    of_attribute = {row["attribute"]: row for row in shown}
    span = around_zero([end for row in shown for end in (100 * _widest_gap(row), *_points_between(row))])

    def own(row: PageRow) -> Record:
        return of_attribute[row.text("attribute")]

    page_table(
        rows_table(shown),
        {
            "attribute": PageColumn("Groups", lambda row: _pair(own(row))),
            "dp": PageColumn("gap, points", lambda row: _gap_points(own(row)), align="right"),
            "bar": PageColumn("95 % interval", lambda row: _gap_bar(own(row), span)),
            "words": PageColumn("In words", lambda row: _in_words(own(row))),
        },
        caption="The widest gap of each attribute",
    )
    counts_line(counts_words(rows))
    if settings.selected.kind == "open":
        counts_line(words_of("as_they_stand"))


def _pair(row: Record) -> Cell:
    ends = widest_pair(row)
    names = [] if ends is None else [shortened(group["value"]) for group in (ends.best, ends.worst)]
    pair = " − ".join(names) if _widest_gap(row) > ROUNDING else "all equal"
    return two_lines(heading(row["attribute"]), pair if names else "")


def _widest_gap(row: Record) -> float:
    """The widest gap over the questions of both groups; DP where no two groups share any."""
    ends = widest_pair(row)
    return row["dp"] if ends is None else ends.gap["gap"]


def _points_between(row: Record) -> tuple[float, float]:
    """The interval of best − worst that every sentence prints; NaN where there is none."""
    ends = widest_pair(row)
    return (float("nan"), float("nan")) if ends is None else (100 * ends.interval.low, 100 * ends.interval.high)


def _gap_bar(row: Record, span: Span) -> Cell:
    if math.isnan(row["dp"]):
        return ""
    tone: Tone = "loss" if verdict_words(row) == "significant" else ""
    return glyph(100 * _widest_gap(row), *_points_between(row), span=span, tone=tone)


def _gap_points(row: Record) -> Cell:
    if math.isnan(row["dp"]):
        return "undefined"
    by_chance = not math.isnan(row["dp_chance"]) and abs(row["dp"] - _widest_gap(row)) < ROUNDING
    return two_lines(f"{100 * _widest_gap(row):.1f}", f"by chance {100 * row['dp_chance']:.1f}" if by_chance else "")


def _in_words(row: Record) -> Cell:
    verdict = verdict_words(row)
    return two_lines(verdict, alone_words(row), "loss" if verdict == "significant" else "mute")


def overlap(loaded: Dataset, settings: PageChoice | None) -> None:
    """Triangles of the documents recorded with answers, and of runs of variants, whose quality is beside them."""
    selected = settings.selected if settings is not None else None
    recorded = selected is not None and any(row["overlap"] for row in selected.rows)
    retrieved = variant_families(loaded)
    if not recorded and not retrieved:
        return
    cutoffs, look = [str(n) for n in CUTOFFS], {"draw": st.segmented_control, "required": True}
    k = int(choose_one("k, documents compared", cutoffs, "compared", **look))
    every: list[tuple[str, Record]] = []
    if recorded and selected is not None:
        overlaps = recorded_overlaps(loaded, selected.key, k)
        _overlaps(overlaps, "overlap", selected.parts["retriever"], "the answers' documents")
        every += [("answers", of_attribute) for of_attribute in overlaps]
    for index, retriever in enumerate(retrieved):
        overlaps = overlaps_of_retriever(loaded, retriever, k)
        _overlaps(overlaps, f"overlap-{index}", retriever, f"runs {retriever}")
        every += [(retriever, of_attribute) for of_attribute in overlaps]
        _quality(loaded, retriever)
    counts_line(words_of("page")["estimators"])
    study = "variants", settings.command_settings(compared=k) if settings else VariantsSettings(compared=k)
    stem = "overlap_pairs"
    study_files("fairviz-overlap", "Documents in common", study, lambda: {stem: overlap_pairs_table(every)}, csv=stem)


@cached
def overlaps_of_retriever(loaded: Dataset, retriever: str, k: int) -> list[Record]:
    """Overlap of each attribute of one retriever's runs."""
    return overlaps_of_runs(variant_families(loaded)[retriever], k)


@cached
def quality_of_runs(loaded: Dataset, retriever: str) -> tuple[list[Record], list[Record]] | InputError:
    """nDCG@10 of each variant's run and its gaps, or why no run joins the judgements."""
    runs = variant_families(loaded)[retriever]
    judgements = usual_judgements(loaded, next(iter(runs.values()), None))
    try:
        return variant_quality(runs, loaded.qrels[judgements])[:2]
    except InputError as error:
        return error


def _overlaps(overlaps: Sequence[Record], key: str, retriever: str, whose: str) -> None:
    """A triangle per attribute, with what it says; keys of charts begin with ``key``."""
    about = ""
    if overlaps:
        first = f"the first {overlaps[0]['k']} documents of {whose}"
        about = f"Overlap of {first} (shared per all), mean over questions, %. {words_of('page')['colour']}"
    section(overlap_title(overlaps, retriever=retriever), about)
    floor = overlap_floor(overlaps)
    for at, of_attribute in enumerate(in_rows(overlaps, max(len(overlaps), 2), gap="large")):
        st.html(el("h3", heading(of_attribute["attribute"]), cls="fv-part"))
        figure = overlap_figure(of_attribute, floor=floor, colours=colours())
        name = f"{key}-{of_attribute['attribute'].replace('+', '-')}"
        with at_least(narrowest(figure), f"heatmap-{key}-{at}"):
            show_figure(figure, name, overlap_alt(of_attribute))
    for overlap_of_attribute in overlaps:
        counts_line(estimators_words(overlap_of_attribute))
        for note in overlap_of_attribute["notes"]:
            counts_line(note)


def _quality(loaded: Dataset, retriever: str) -> None:
    if not loaded.qrels:
        return
    quality = quality_of_runs(loaded, retriever)
    if isinstance(quality, InputError):
        callout(f"The runs and {loaded.qrels[0].name} do not join: {quality.reason}.", quality.fix)
        return
    rows, gaps = quality
    section(quality_title(rows, gaps), f"{words_of('page')['quality']} (paired t-test, {considered(n_tests(rows))}).")
    page_table(quality_table(rows), caption="Ranking quality by variant", narrow="scroll")
    counts_line(quality_words(gaps))


def remedies(loaded: Dataset, settings: PageChoice) -> None:
    """A row per question that a reader has next; each is computed when it is opened."""
    section("What models, prompts, retrieval and a vote change")
    both = len(settings.siblings(*CONDITIONS["retrieval"])) > 1  # then whether it makes a gap worse is asked first
    for stem in sorted(words_of("folds"), key=lambda stem: stem != "retrieval") if both else words_of("folds"):
        _side_by_side(loaded, settings, stem)
    _vote(loaded, settings)
    _cells(loaded, settings)


@st.fragment
def _side_by_side(loaded: Dataset, settings: PageChoice, stem: str) -> None:
    """Models, prompts or retrieval side by side; with retrieval what was retrieved, and the errors behind it."""
    parts = CONDITIONS[stem]
    several, rows = len(settings.siblings(*parts)) > 1, settings.rows(*parts)
    finding = settings.words(stem)
    if not finding:
        return
    if stem == "models" and (gaps := across_of(loaded, settings)):
        finding = models_words(gaps) or finding
    with fold(stem.capitalize(), finding, key=words_of("folds")[stem]["key"]) as opened:
        if opened and (several or stem != "retrieval"):
            _conditions(loaded, settings, rows, parts, stem)
        if opened and stem == "retrieval":
            overlap(loaded, settings)
            _errors(loaded, settings)


def _errors(loaded: Dataset, settings: PageChoice) -> None:
    """Evidence × answer by group, as counts: the paper's Table 7 shows three such cases, without counts."""
    cases = cases_of(loaded, settings)
    table = errors_table(cases.select(*GROUP, *COUNTED))  # who answered is chosen above
    if not table.rows:
        return
    section(errors_title(cases), "Answers about each group, by whether the evidence was right and whether they were.")
    page_table(table, caption="Evidence and answers by group", narrow="scroll")
    files(loaded, settings.command_settings(), "fairviz-errors", "Evidence and answers", csv="errors")


@st.fragment
def _vote(loaded: Dataset, settings: PageChoice) -> None:
    wanted = tuple(combination.key for combination in settings.siblings("model", "strategy"))
    gains = vote_gains(loaded, settings.votes, wanted)
    with fold("Majority vote", vote_title(gains, settings.rows("model", "strategy")), key="vote") as opened:
        if not opened:
            return
        with counting(loaded):
            votes = measured_votes(loaded, settings.votes)
        table = strategies_table([row for key in wanted for row in votes[key]])
        keys = ("model", "strategy", "attribute", "score", "vote_score", "change", "low", "high", "p_holm", "dp")
        shown = table.select([key for key in (*keys, "vote_within_dp", "n_ties") if key in table.keys])
        page_table(shown, caption="Score and gap without and with a vote", narrow="scroll")
        counts_line(f"Ties: {words_of('ties')[settings.ties]}. {words_of('page')['vote']}")


@st.fragment
def _cells(loaded: Dataset, settings: PageChoice) -> None:
    answers = loaded.variants[settings.selected.file]
    if not (answers.frame["attributes"].list.len() > 1).any():
        return
    with fold("Combinations of groups", "both attributes at once, compared when opened", key="cells") as opened:
        if not opened:
            return
        with counting(loaded):
            cells = measured_rows(loaded, settings.how, cells=True)
        selected = settings.selected
        for row in cells.get(selected.key, ()):
            finding = cells_finding(row)
            section(finding.title, finding.sentence)
            groups_chart(row, shared_span([row]))
            counts_line(gap_words(row))


def _conditions(
    loaded: Dataset, settings: PageChoice, rows: Sequence[Record], columns: Sequence[str], stem: str
) -> None:
    """Score, DP and EO of every attribute under some conditions, with what chance gives and the change."""
    table = rows_table(rows)
    definition = next((row["answerable"] for row in rows if row["answerable"]), "")
    eo = f"EO ({words_of('answerable')[definition]})" if definition else "EO"
    shown = {
        **dict.fromkeys(columns, PageColumn()),
        "attribute": PageColumn(cell=lambda row: shortened(row.text("attribute"))),
        "score": PageColumn("score", _score, align="right"),
        "dp": PageColumn("gap (DP), points", _dp, align="right"),
        "dp_chance": PageColumn("by chance", _points_of("dp_chance"), align="right"),
        "dp_p_holm": PageColumn("p"),
        "ddp": PageColumn("change of the gap", _points_of("ddp", signed), align="right"),
        "ddp_p_holm": PageColumn("p of the change"),
        "eo": PageColumn(eo, _points_of("eo"), align="right"),
        "eo_p_holm": PageColumn("p of EO"),
        "dp_macro": PageColumn("DP by options, mean", _points_of("dp_macro"), align="right"),
        "dp_max": PageColumn("largest", _points_of("dp_max"), align="right"),
        "overlap_all": PageColumn("documents in common, %", lambda row: number(row.number("overlap_all"), 1), "right"),
    }
    page_table(
        table,
        {key: shown[key] for key in shown if key in table.keys},
        caption="Score, DP and EO of each condition",
        narrow="scroll",
    )
    files(loaded, settings.command_settings(), f"fairviz-{stem}", "Scores and gaps", csv=stem, latex=[stem])
    n_tests = max((row["dp_n_tests"] for row in rows), default=0)
    tests = f"p: permutation within questions, changes by swapping questions ({considered(n_tests)})."
    notes = [
        tests if n_tests else "",
        equal_opportunity_words(rows),
        words_of("page")["options"] if "dp_macro" in table.keys else "",
    ]
    for note in filter(None, notes):
        counts_line(note)


def _score(row: PageRow) -> Cell:
    return two_lines(percent(row.number("score"), 1), plural(int(row.number("n_questions")), "question"))


def _points_of(key: str, write: Callable[[float, int], str] = number) -> Drawing:
    """A rate or a difference in points."""
    return lambda row: write(100 * row.number(key), 1)


def _dp(row: PageRow) -> Cell:
    best, worst = row.get("best"), row.get("worst")  # columns that say nothing anywhere are left out
    pair = f"{shortened(str(best))} − {shortened(str(worst))}" if best and worst else "all equal"
    below = "0 by construction" if row.get("by_construction") else pair
    points, low, high = (100 * row.number(f"dp{end}") for end in ("", "_low", "_high"))
    between = "" if math.isnan(low) else f" ({interval(low, high, 1)})"
    return "undefined" if math.isnan(points) else two_lines(f"{number(points, 1)}{between}", below)
