"""Answers to variants as rows: every result in one function, for the command, the page, its downloads and the report.

Rates are between 0 and 1. Every row begins with the columns that say who answered how (model, dataset, strategy,
retriever, k) as far as they are recorded; columns that say nothing anywhere are left out. Overlap and ranking quality
are in ``tables_retrieval``. Nested JSON is in ``bodies``.
"""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from operator import attrgetter

from fairviz.display.published import most_decimals
from fairviz.display.table import Cell, Column, Kind, Table
from fairviz.display.words import listing, plural
from fairviz.model import PublishedTable
from fairviz.stats.bootstrap import described
from fairviz.studies.demographic_qa.chance import Difference
from fairviz.studies.demographic_qa.conditions import differing
from fairviz.studies.demographic_qa.findings import option_words
from fairviz.studies.demographic_qa.names import condition_name
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.questions import DependentQuestion, Dose
from fairviz.studies.demographic_qa.results import AnswerResults, RetrievalResults
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.sheet import By, GroupRate
from fairviz.studies.demographic_qa.strategies import StrategyRow
from fairviz.studies.demographic_qa.tables_retrieval import (
    REFERENCE,
    overlap_pairs_table,
    retrieval_tables,
)
from fairviz.studies.demographic_qa.votes import BY_CONSTRUCTION

BOOTSTRAP = described("questions", seed=0)
STRATEGIES = f"Largest differences between groups; a vote over all variants has DP 0 by construction; {BOOTSTRAP}"

_MEASURES = {
    "dp": "DP",
    "eo": "EO",
    "ddp": "change of DP",
    "deo": "change of EO",
    "vote_within_dp": "DP, vote within",
    "vote_within_eo": "EO, vote within",
    "vote_within_ddp": "change of DP by it",
    "vote_within_deo": "change of EO by it",
}
_BESIDE: tuple[tuple[str, str, Kind], ...] = (
    ("chance", "by chance", "number"),
    ("low", "low", "interval"),
    ("high", "high", "interval"),
    ("p", "p", "p"),
    ("p_holm", "p (Holm)", "p"),
)

TYPED_COLUMNS = {
    column.key: column
    for column in (
        Column("value", "group"),
        Column("low", kind="interval"),
        Column("high", kind="interval"),
        Column("n", kind="number"),
        Column("n_unparsed", "unreadable", kind="number"),
        Column("rate_answerable", "rate answerable", kind="number"),
        Column("rouge_l_answerable", "ROUGE-L answerable", kind="number"),
        Column("rouge_l", "ROUGE-L", kind="number"),
        Column("n_answerable", "n answerable", kind="number"),
        Column("rate", kind="number"),
        *(
            Column(f"{mean}_worst_{end}", f"{label}, worst case {end}", kind="interval")
            for mean, label in (("rate", "rate"), ("rouge_l", "ROUGE-L"), ("score", "score"))
            for end in ("low", "high")
        ),
        Column("score", kind="number"),
        Column("dp", "DP", kind="number"),
        Column("eo", "EO", kind="number"),
        Column("dp_macro", "DP options, mean", "number", "programs"),
        Column("dp_max", "DP options, max", "number", "programs"),
        Column("eo_macro", "EO options, mean", "number", "programs"),
        Column("eo_max", "EO options, max", "number", "programs"),
        Column("vote_accuracy", "vote", kind="number"),
        Column("vote_dp", "DP, vote", kind="number"),
        Column("vote_score", "vote", kind="number"),
        Column("change", "vote minus score", kind="signed"),
        Column("vote_within_dp", "DP, vote within", kind="number"),
        Column("vote_within_eo", "EO, vote within", kind="number"),
        Column("n_ties", "ties", kind="number"),
        Column("overlap_all", "overlap, all", kind="number"),
        Column("answerable", "answerable if"),
        Column("base", "compared with"),
        *(
            Column(f"{key}_{what}", f"{label}, {words}", kind, "programs" if what == "p" else "all")
            for key, label in _MEASURES.items()
            for what, words, kind in _BESIDE
        ),
        Column("ddp", "change of DP", kind="signed"),
        Column("deo", "change of EO", kind="signed"),
        Column("vote_within_ddp", "change of DP by it", kind="signed"),
        Column("vote_within_deo", "change of EO by it", kind="signed"),
        Column("overlap_pairwise", "overlap, pairwise", kind="number"),
        Column("overlap_neutral", "overlap, neutral", kind="number"),
        Column("gap", kind="signed"),
        Column("p", kind="p"),
        Column("p_holm", "p (Holm)", kind="p"),
        Column("n_tests", "tests", kind="number"),
        Column("evidence_right_answer_right", "evidence right, answer right", kind="number"),
        Column("evidence_right_answer_wrong", "evidence right, answer wrong", kind="number"),
        Column("evidence_wrong_answer_right", "evidence wrong, answer right", kind="number"),
        Column("evidence_wrong_answer_wrong", "both wrong", kind="number"),
        Column("n_unknown", "not known", kind="number"),
        Column("one_answer", "one answer whatever is asked"),
        Column("by_construction", "0 by construction"),
        Column("vote_by_construction", "vote: 0 by construction"),
    )
}
"""Columns whose label or kind is not what their key says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantResults:
    """What is known of variants of questions; None = not measured.

    Attributes:
        answers: One per file.
        unit: What a rate counts ("right answers"), for captions; empty: none, as on a terminal.
        retrieval: What runs of variants say.
        overlaps: Whose lists (answers, a retriever), and their overlap.
        doses: What retrieval gave each group, and what became of it.
        dependent: Questions whose answer depends on the attribute.
        published: Tables of a paper.
    """

    answers: Sequence[AnswerResults] | None = None
    unit: str = ""
    retrieval: RetrievalResults | None = None
    overlaps: Sequence[tuple[str, Overlap]] | None = None
    doses: Sequence[Dose] | None = None
    dependent: Sequence[DependentQuestion] | None = None
    published: Sequence[PublishedTable] = ()


def rows_table(results: Sequence[AnswerResults]) -> Table:
    """One line per combination and attribute, and depth of the overlap."""
    rows = [row for result in results for row in (*result.rows, *result.all_values)]
    return _table(
        [row.by for row in rows],
        (
            "attribute",
            "n_questions",
            "score",
            "dp",
            "best",
            "worst",
            "eo",
            "dp_macro",
            "dp_max",
            "eo_macro",
            "eo_max",
            "agree",
            "all_correct",
            "any_correct",
            "one_answer",
            "vote_accuracy",
            "n_ties",
            "vote_dp",
            "overlap_k",
            "overlap_all",
            "overlap_pairwise",
            "overlap_neutral",
            *LEVELS,
        ),
        [
            (row.by, (*_row(row), *_overlap(overlap), *level_cells(row).values()))
            for row in rows
            for overlap in row.overlap or (None,)
        ],
    )


def groups_table(results: Sequence[AnswerResults], *, unit: str = "") -> Table:
    """One line per group; conditions of reference once per combination, without an attribute.

    Args:
        results: One per file.
        unit: What a rate counts, for the caption ("right answers").
    """
    rows = [row for result in results for row in result.rows]
    lines = [(row.by, (row.attribute, *_group(group))) for row in rows for group in row.groups]
    references = {row.by: row.conditions for row in rows}
    lines += [
        (by, (REFERENCE, *_group(condition))) for by, conditions in references.items() for condition in conditions
    ]
    mean = _mean_of({result.outcome for result in results})
    return _table(
        [row.by for row in rows],
        (
            "attribute",
            "value",
            mean,
            "low",
            "high",
            "n",
            "n_unparsed",
            "small",
            f"{mean}_answerable",
            "n_answerable",
            f"{mean}_worst_low",
            f"{mean}_worst_high",
        ),
        lines,
        caption=f"Rate of {unit} by group; {BOOTSTRAP}" if unit else "",
    )


_GAP = ("first", "second", "gap", "low", "high", "n", "first_only", "second_only", "p", "p_holm", "n_tests")
_gap_cells = attrgetter(*(f"interval.{key}" if key in ("low", "high") else key for key in _GAP))


def gaps_table(results: Sequence[AnswerResults]) -> Table:
    """One line per pair of groups of an attribute."""
    rows = [row for result in results for row in result.rows]
    return _table(
        [row.by for row in rows],
        ("attribute", *_GAP),
        [(row.by, (row.attribute, *_gap_cells(gap))) for row in rows for gap in row.gaps],
        caption=f"Paired gap in the rate, first minus second group; McNemar's exact test, {gaps_words(rows)}",
    )


def gaps_words(rows: Sequence[VariantRow]) -> str:
    """Over how many tests p of the table of gaps is corrected: of single attributes, and of their combinations."""
    sizes = dict.fromkeys(gap.n_tests for row in rows for gap in row.gaps if not math.isnan(gap.p))
    return f"Holm over {listing([plural(n, 'pair') for n in sizes], 'or')}"


def strategies_table(results: Sequence[AnswerResults], *, caption: str = "") -> Table:
    """One line per combination and attribute: without the vote, and with it."""
    strategies = [strategy for result in results for strategy in result.strategies]
    return _table(
        [row.by for result in results for row in result.rows],
        (
            "attribute",
            "score",
            "vote_score",
            "change",
            "low",
            "high",
            "n",
            "dp",
            "vote_within_dp",
            "eo",
            "vote_within_eo",
            "overlap_all",
            "dp_macro",
            "dp_max",
            "n_ties",
            *VOTED,
        ),
        [(strategy.by, (*_strategy(strategy), *voted_cells(strategy).values())) for strategy in strategies],
        caption=caption,
    )


def errors_table(results: Sequence[AnswerResults]) -> Table:
    """One line per group: evidence right or wrong × answer right or wrong."""
    cases = [case for result in results for case in result.cases]
    return _table(
        [case.by for case in cases],
        (
            "attribute",
            "value",
            "evidence_right_answer_right",
            "evidence_right_answer_wrong",
            "evidence_wrong_answer_right",
            "evidence_wrong_answer_wrong",
            "n_unknown",
            "n",
        ),
        [
            (
                case.by,
                (
                    case.attribute or REFERENCE,
                    case.value,
                    case.right_right,
                    case.right_wrong,
                    case.wrong_right,
                    case.wrong_wrong,
                    case.n_unknown,
                    case.n,
                ),
            )
            for case in cases
        ],
    )


def doses_table(doses: Sequence[Dose]) -> Table:
    """One line per group: documents in common, right evidence, right answers with and without it."""
    return Table(
        (
            Column("attribute"),
            Column("value", "group"),
            Column("overlap_neutral", "documents in common with nobody's", kind="share"),
            Column("n", kind="number"),
            Column("evidence", "right evidence", kind="share"),
            Column("n_with", "answers with it", kind="number"),
            Column("right_with", "right with it", kind="share"),
            Column("right_without", "right without it", kind="share"),
        ),
        tuple((dose.attribute or REFERENCE, *dose[1:]) for dose in doses),
        caption="What retrieval gave each group, and how often its answers are right with right evidence and without",
    ).without_empty()


def dependent_table(questions: Sequence[DependentQuestion]) -> Table:
    """Every answer to every question whose answer depends on the attribute."""
    return Table(
        (
            Column("qid", "question"),
            Column("gold", "right answer"),
            Column("value", "group"),
            Column("reference"),
            Column("prediction", "answer"),
            Column("score", kind="number"),
        ),
        tuple(
            (question.question_id, question.gold, answer.value, answer.reference, answer.words, answer.score)
            for question in questions
            for answer in question.answers
        ),
        caption="Questions that are answered differently for different groups",
    )


PRINTED_AS = {
    "accuracy": "accuracy, %",
    "rouge_l": "ROUGE-L, %",
    "score": "score, %",
    "overlap": "overlap, %",
    "dp": "DP",
    "eo": "EO",
    "with_mv": "with the vote",
    "no_mv": "without the vote",
}
"""Headings of published columns."""


def published_table(table: PublishedTable) -> Table:
    """A published table as shipped, with as many decimals as it prints, and its flags."""
    columns = [
        Column(key, PRINTED_AS.get(key, key), decimals=most_decimals(table.column(key))) for key in table.columns
    ]
    flags = any(table.flags)
    return Table(
        (*columns, Column("note")) if flags else tuple(columns),
        tuple((*row, flag) if flags else row for row, flag in zip(table.rows, table.flags, strict=True)),
        caption=f"Table {table.number}: {table.title}",
    )


LEVELS = (
    *(f"{measure}_{what}" for measure in ("dp", "eo") for what in ("chance", "low", "high", "p", "p_holm")),
    "answerable",
    "base",
    *(f"{measure}{what}" for measure in ("ddp", "deo") for what in ("", "_low", "_high", "_p", "_p_holm")),
    "by_construction",
    "vote_by_construction",
)
"""What stands beside DP and EO: chance level, interval, p, and the change against the base (ddp, deo)."""

VOTED = (
    "p",
    "p_holm",
    *(f"vote_within_{measure}_{what}" for measure in ("dp", "eo") for what in ("chance", "low", "high", "p", "p_holm")),
    *(f"vote_within_{measure}{what}" for measure in ("ddp", "deo") for what in ("", "_low", "_high", "_p", "_p_holm")),
)
"""Tests of what votes change, what stands beside DP and EO of a vote within groups, and their change by it."""


def level_cells(row: VariantRow) -> dict[str, Cell]:
    """Cells of :data:`LEVELS`."""
    return {
        **_level("dp", row.dp_level),
        **_level("eo", row.eo_level),
        "answerable": row.definition,
        "base": "" if row.base is None else (condition_name(dict(differing(row.base, row.by))) or "without retrieval"),
        **_change("ddp", row.dp_change),
        **_change("deo", row.eo_change),
        "by_construction": "yes" if row.by_construction else "",
        "vote_by_construction": "yes" if row.vote and row.vote.note == BY_CONSTRUCTION else "",
    }


def _level(name: str, level: Difference) -> dict[str, Cell]:
    low, high = level.interval
    cells = {"chance": level.chance, "low": low, "high": high, "p": level.p, "p_holm": level.p_holm}
    return {f"{name}_{key}": value for key, value in cells.items()}


def _change(name: str, change: Difference) -> dict[str, Cell]:
    low, high = change.interval
    return {
        name: change.value,
        f"{name}_low": low,
        f"{name}_high": high,
        f"{name}_p": change.p,
        f"{name}_p_holm": change.p_holm,
    }


def voted_cells(strategy: StrategyRow) -> dict[str, Cell]:
    """Cells of :data:`VOTED`."""
    return {
        "p": strategy.p,
        "p_holm": strategy.p_holm,
        **_level("vote_within_dp", strategy.within.dp_level),
        **_level("vote_within_eo", strategy.within.eo_level),
        **_change("vote_within_ddp", strategy.dp_change),
        **_change("vote_within_deo", strategy.eo_change),
    }


def _table(
    of_rows: Sequence[By], keys: Sequence[str], lines: Sequence[tuple[By, tuple[Cell, ...]]], *, caption: str = ""
) -> Table:
    """Lines behind the columns that say who answered how, without columns that say nothing anywhere.

    Args:
        of_rows: Combinations of columns: their names come first, "" where a combination lacks one.
        keys: Of the other cells.
        lines: Combination and cells of each.
        caption: Of the table.
    """
    by = tuple(dict.fromkeys(name for combination in of_rows for name, _ in combination))
    rows = tuple((*(dict(combination).get(name, "") for name in by), *cells) for combination, cells in lines)
    return Table(_columns(*by, *keys), rows, caption=caption).without_empty()


def _columns(*keys: str) -> tuple[Column, ...]:
    return tuple(TYPED_COLUMNS.get(key, Column(key)) for key in keys)


def _mean_of(outcomes: AbstractSet[str]) -> str:
    """What the mean outcome of a group is called: a share of right answers is a rate."""
    if "rouge_l" not in outcomes:
        return "rate"
    return "rouge_l" if len(outcomes) == 1 else "score"


def _row(row: VariantRow) -> tuple[Cell, ...]:
    vote, letters, agreement = row.vote, row.letters, row.agreement
    return (
        row.attribute,
        row.n_questions,
        row.score,
        row.dp,
        *ends_or_none(row.best, row.worst),
        row.eo,
        letters.dp_macro,
        letters.dp_max,
        letters.eo_macro,
        letters.eo_max,
        agreement.agree,
        agreement.all_correct,
        agreement.any_correct,
        option_words(row.one_option) if row.one_option else None,
        vote.accuracy if vote else None,
        vote.n_ties if vote else None,
        vote.dp if vote else None,
    )


def _overlap(overlap: Overlap | None) -> tuple[Cell, ...]:
    if overlap is None:
        return (None,) * 4
    return (overlap.k, overlap.all, overlap.pairwise, overlap.neutral)


def _group(group: GroupRate) -> tuple[Cell, ...]:
    return (
        group.value,
        group.rate,
        *group.interval,
        group.n,
        group.n_unparsed,
        "small" if group.small else "",
        group.rate_answerable,
        group.n_answerable,
        *group.worst,
    )


def _strategy(strategy: StrategyRow) -> tuple[Cell, ...]:
    row, letters = strategy.row, strategy.row.letters
    return (
        row.attribute,
        row.score,
        strategy.all.accuracy,
        strategy.change,
        *strategy.interval,
        strategy.n,
        row.dp,
        strategy.within.dp,
        row.eo,
        strategy.within.eo,
        row.overlap[0].all if row.overlap else None,
        letters.dp_macro,
        letters.dp_max,
        strategy.all.n_ties,
    )


def ends_or_none(best: str, worst: str) -> tuple[str | None, str | None]:
    """The groups of the largest difference; None where there is none, or all rates are equal."""
    return (best, worst) if best != worst else (None, None)


def tables(results: VariantResults) -> dict[str, Table]:
    """Every table that there are results for, by name: ``fairviz variants --table NAME`` has the first ones."""
    made: dict[str, Table] = {}
    if results.answers is not None:
        unit = results.unit
        made["rows"] = rows_table(results.answers)
        made["groups"] = groups_table(results.answers, unit=unit)
        made["gaps"] = gaps_table(results.answers)
        made["strategies"] = strategies_table(results.answers, caption=STRATEGIES if unit else "")
        made["errors"] = errors_table(results.answers)
    if results.retrieval is not None:
        made |= retrieval_tables(results.retrieval)
    if results.overlaps is not None:
        made["overlap_pairs"] = overlap_pairs_table(results.overlaps)
    if results.doses is not None:
        made["doses"] = doses_table(results.doses)
    if results.dependent is not None:
        made["dependent"] = dependent_table(results.dependent)
    made |= {f"published_{table.number}": published_table(table) for table in results.published}
    return made
