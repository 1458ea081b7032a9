"""Answers to variants and runs of variants as tables: which columns of the rows stand where, for every surface.

Rates are between 0 and 1, overlap is in percent. Every table of answers begins with the columns that say who answered
how (model, dataset, strategy, retriever, k) as far as they are recorded; columns that say nothing anywhere are left
out.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from fairviz.display.published import most_decimals
from fairviz.display.table import Column, Kind, Table, keyed
from fairviz.display.words import listing, plural
from fairviz.model import PublishedTable
from fairviz.stats.bootstrap import described
from fairviz.studies.demographic_qa.frames import Record
from fairviz.studies.demographic_qa.names import condition_name, differing
from fairviz.studies.demographic_qa.questions import CASES
from fairviz.studies.demographic_qa.rows import AnswerResults
from fairviz.studies.demographic_qa.runs import RetrievalResults, VariantQuality
from fairviz.studies.demographic_qa.votes import BY_CONSTRUCTION

REFERENCE = "(reference)"
"""Stands where a condition of reference has no attribute."""
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


INTERVAL = ("low", "high")
TEST = ("low", "high", "p", "p_holm")
OPTIONS = ("dp_macro", "dp_max", "eo_macro", "eo_max")
AGREEMENT = ("agree", "all_correct", "any_correct")
OVERLAP = ("all", "pairwise", "neutral")
WORST = ("rate_worst_low", "rate_worst_high")
GAP = ("first", "second", "gap", "low", "high", "n", "first_only", "second_only", "p", "p_holm", "n_tests")

LEVELS = (
    *(f"{measure}_{what}" for measure in ("dp", "eo") for what in ("chance", *TEST)),
    "answerable",
    "base",
    *(f"{measure}{what}" for measure in ("ddp", "deo") for what in ("", *(f"_{each}" for each in TEST))),
    "by_construction",
    "vote_by_construction",
)
"""What stands beside DP and EO: chance level, interval, p, and the change against the base (ddp, deo)."""

VOTED = (
    "p",
    "p_holm",
    *(f"vote_within_{measure}_{what}" for measure in ("dp", "eo") for what in ("chance", *TEST)),
    *(f"vote_within_{measure}{what}" for measure in ("ddp", "deo") for what in ("", *(f"_{each}" for each in TEST))),
)
"""Tests of what votes change, what stands beside DP and EO of a vote within groups, and their change by it."""


def _table(
    results: Sequence[AnswerResults], keys: Sequence[str], rows: Sequence[Record], *, caption: str = ""
) -> Table:
    """Rows behind the columns that say who answered how, without columns that say nothing anywhere.

    Args:
        results: One per file: the names of their combinations' columns come first, "" where a combination lacks one.
        keys: Of the other cells.
        rows: The rows, each with its combination as "by".
        caption: Of the table.
    """
    measured = (row for each in results for row in (*each.rows, *each.all_values, *each.cases))
    by = tuple(dict.fromkeys(name for row in measured for name, _ in row["by"]))
    cells = [(*(dict(row["by"]).get(name, "") for name in by), *(row[key] for key in keys)) for row in rows]
    columns = tuple(TYPED_COLUMNS.get(key, Column(key)) for key in (*by, *keys))
    return Table(columns, tuple(cells), caption=caption).without_empty()


def cells_of(row: Record) -> Record:
    """The row with what stands in words, or is nested, as cells."""
    base = row["base"]
    vote: Record = row["vote"] or {}
    words = condition_name(dict(differing(base or (), row["by"]))) or "without retrieval"
    by_construction = vote.get("note") == BY_CONSTRUCTION
    return row | {
        **dict(zip(("best", "worst"), ends_or_none(row["best"], row["worst"]), strict=True)),
        "vote_accuracy": vote.get("accuracy"),
        "n_ties": vote.get("n_ties"),
        "vote_dp": vote.get("dp"),
        "base": "" if base is None else words,
        "by_construction": "yes" if row["by_construction"] else "",
        "vote_by_construction": "yes" if by_construction else "",
    }


def ends_or_none(best: str, worst: str) -> tuple[str | None, str | None]:
    """The groups of the largest difference; None where there is none, or all rates are equal."""
    return (best, worst) if best != worst else (None, None)


def _overlap_cells(overlap: Record | None) -> Record:
    return {f"overlap_{key}": overlap[key] if overlap else None for key in ("k", *OVERLAP)}


def rows_table(results: Sequence[AnswerResults]) -> Table:
    """One line per combination and attribute, and depth of the overlap."""
    rows = [row for result in results for row in (*result.rows, *result.all_values)]
    first = ("attribute", "n_questions", "score", "dp", "best", "worst", "eo")
    vote = ("one_answer", "vote_accuracy", "n_ties", "vote_dp")
    return _table(
        results,
        (*first, *OPTIONS, *AGREEMENT, *vote, "overlap_k", *(f"overlap_{each}" for each in OVERLAP), *LEVELS),
        [cells_of(row) | _overlap_cells(overlap) for row in rows for overlap in row["overlap"] or (None,)],
    )


def groups_table(results: Sequence[AnswerResults], *, unit: str = "") -> Table:
    """One line per group; conditions of reference once per combination, without an attribute.

    Args:
        results: One per file.
        unit: What a rate counts, for the caption ("right answers").
    """
    rows = [row for result in results for row in result.rows]
    groups = [(row["by"], row["attribute"], group) for row in rows for group in row["groups"]]
    references = {row["by"]: row["conditions"] for row in rows}
    groups += [(by, REFERENCE, condition) for by, conditions in references.items() for condition in conditions]
    outcomes = {result.outcome for result in results}  # a share of right answers is a rate
    mean = "rate" if "rouge_l" not in outcomes else "rouge_l" if len(outcomes) == 1 else "score"
    shown = ("rate", *INTERVAL, "n", "n_unparsed", "small", "rate_answerable", "n_answerable", *WORST)
    named = {key: key.replace("rate", mean, 1) for key in shown}
    lines = [
        {"by": by, "attribute": attribute, "value": group["value"]}
        | {name: group[key] for key, name in named.items()}
        | {"small": "small" if group["small"] else ""}
        for by, attribute, group in groups
    ]
    return _table(
        results,
        ("attribute", "value", *named.values()),
        lines,
        caption=f"Rate of {unit} by group; {BOOTSTRAP}" if unit else "",
    )


def gaps_table(results: Sequence[AnswerResults]) -> Table:
    """One line per pair of groups of an attribute; the caption says over how many pairs p is corrected."""
    gaps = _within(results, "gaps")
    sizes = dict.fromkeys(gap["n_tests"] for gap in gaps if not math.isnan(gap["p"]))
    corrected = f"Holm over {listing([plural(n, 'pair') for n in sizes], 'or')}"
    return _table(
        results,
        ("attribute", *GAP),
        gaps,
        caption=f"Paired gap in the rate, first minus second group; McNemar's exact test, {corrected}",
    )


COUNTED = ("n_unknown", "n_complete", "n_incomplete", "score_low", "score_high")
OF_VOTE = (
    "voters",
    "ties",
    "n_votes",
    "n_ties",
    "n_abstained",
    "n_voters",
    "accuracy",
    "low",
    "high",
    "dp",
    "eo",
    "note",
)


def counts_table(results: Sequence[AnswerResults]) -> Table:
    """One line per row: what it and its vote rest on."""
    rows = [row for result in results for row in result.rows]
    lines: list[Record] = []
    for row in rows:
        vote: Record = row["vote"] or {}
        own: Record = {key: row[key] for key in ("by", "attribute", "n_questions", *COUNTED)}
        own["n_changed"] = None if row["base"] is None else row["ddp_n"]
        lines.append(own | {f"vote_{key}": vote.get(key) for key in OF_VOTE})
    of_vote = (f"vote_{key}" for key in OF_VOTE)
    keys = ("attribute", "n_questions", *COUNTED, "n_changed", *of_vote)
    return replace(_table(results, keys, lines), audience="programs")


def options_table(results: Sequence[AnswerResults]) -> Table:
    """One line per option of closed answers: the largest difference between groups in how often they give it."""
    rows = [row for result in results if result.outcome == "letters" for row in result.rows]
    lines = [
        {"by": row["by"], "attribute": row["attribute"], "option": option, "dp": dp, "eo": row["eo_letters"][option]}
        for row in rows
        for option, dp in row["dp_letters"].items()
    ]
    return replace(_table(results, ("attribute", "option", "dp", "eo"), lines), audience="programs")


def reference_gaps_table(results: Sequence[AnswerResults]) -> Table:
    """One line per group: the paired gap to the questions that mention nobody."""
    return replace(_table(results, ("attribute", *GAP), _within(results, "to_reference")), audience="programs")


def _within(results: Sequence[AnswerResults], what: str) -> list[Record]:
    """Rows that stand in rows, with the combination and the attribute of these."""
    rows = (row for result in results for row in result.rows)
    return [{"by": row["by"], "attribute": row["attribute"], **each} for row in rows for each in row[what]]


def strategies_table(results: Sequence[AnswerResults], *, caption: str = "") -> Table:
    """One line per combination and attribute: without the vote, and with it."""
    rows = [row for result in results for row in result.strategies]
    score = ("attribute", "score", "vote_score", "change", "low", "high", "n")
    parity = ("dp", "vote_within_dp", "eo", "vote_within_eo", "overlap_all", "dp_macro", "dp_max", "n_ties")
    return _table(
        results,
        (*score, *parity, *VOTED),
        [row | _overlap_cells(next(iter(row["overlap"]), None)) for row in rows],
        caption=caption,
    )


def errors_table(results: Sequence[AnswerResults]) -> Table:
    """One line per group: evidence right or wrong × answer right or wrong."""
    cases: list[Record] = [
        case | {"attribute": case["attribute"] or REFERENCE} for result in results for case in result.cases
    ]
    return _table(results, ("attribute", "value", *CASES, "n_unknown", "n"), cases)


def doses_table(doses: Sequence[Record]) -> Table:
    """One line per group: documents in common, right evidence, right answers with and without it."""
    columns = (
        Column("attribute"),
        Column("value", "group"),
        Column("overlap_neutral", "documents in common with nobody's", kind="share"),
        Column("n", kind="number"),
        Column("evidence", "right evidence", kind="share"),
        Column("n_with", "answers with it", kind="number"),
        Column("right_with", "right with it", kind="share"),
        Column("right_without", "right without it", kind="share"),
    )
    caption = "What retrieval gave each group, and how often its answers are right with right evidence and without"
    rows = [dose | {"attribute": dose["attribute"] or REFERENCE} for dose in doses]
    return _plain(columns, rows, caption=caption).without_empty()


def _plain(columns: tuple[Column, ...], rows: Iterable[Record], *, caption: str = "", decimals: int = 3) -> Table:
    """The rows as they are."""
    cells = tuple(tuple(row[column.key] for column in columns) for row in rows)
    return Table(columns, cells, caption=caption, decimals=decimals)


def dependent_table(questions: Sequence[Record]) -> Table:
    """Every answer to every question whose answer depends on the attribute."""
    columns = (
        Column("qid", "question"),
        Column("gold", "right answer"),
        Column("value", "group"),
        Column("reference"),
        Column("prediction", "answer"),
        Column("score", kind="number"),
    )
    rows = [
        {"qid": question["question_id"], "gold": question["gold"], "prediction": answer["words"], **answer}
        for question in questions
        for answer in question["answers"]
    ]
    return _plain(columns, rows, caption="Questions that are answered differently for different groups")


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


# What is retrieved


def overlap_table(overlaps: Sequence[Record]) -> Table:
    """The three estimators of each attribute and depth."""
    ends = [(name, end) for name in OVERLAP for end in INTERVAL]
    rows = [
        one | {f"{name}_{end}": one["intervals"][name][INTERVAL.index(end)] for name, end in ends} for one in overlaps
    ]
    counts = (*(f"{name}_{end}" for name, end in ends), "n_neutral", "n_incomplete", "n_short")
    columns = (
        *keyed("attribute", "k", *OVERLAP, "n_questions"),
        *(Column(key, kind="number", audience="programs") for key in counts),
    )
    return _plain(columns, rows, decimals=2)


def overlap_values_table(overlaps: Sequence[Record]) -> Table:
    """The list of each value with the one without attribute."""
    rows = [overlap | line for overlap in overlaps for line in _with_neutral(overlap)]
    return _plain(keyed("attribute", "value", "k", "overlap_neutral", "n"), rows, decimals=2)


def _with_neutral(overlap: Record) -> list[Record]:
    return [
        {"value": value, "overlap_neutral": percent, "n": overlap["n_by_value"][value]}
        for value, percent in overlap["by_value"].items()
    ]


def overlap_pairs_table(overlaps: Sequence[tuple[str, Record]]) -> Table:
    """Every pair of lists, the one without attribute among them, then the three estimators.

    Args:
        overlaps: Whose lists (answers, a retriever), and their overlap.
    """
    rows: list[Record] = []
    for name, overlap in overlaps:
        lines = [("neutral", line["value"], line["overlap_neutral"], line["n"]) for line in _with_neutral(overlap)]
        lines += [(*pair, percent, overlap["n_pairs"][pair]) for pair, percent in overlap["pairs"].items()]
        lines += [(f"estimator {kind}", "", overlap[kind], overlap["n_questions"]) for kind in OVERLAP]
        rows += [
            overlap | {"lists": name, **dict(zip(("first", "second", "overlap", "n"), line, strict=True))}
            for line in lines
        ]
    return _plain(
        keyed("lists", "attribute", "k", "first", "second", "overlap", "n"),
        rows,
        caption="Retrieval overlap in percent: shared per all documents, mean over questions",
        decimals=1,
    )


def quality_table(quality: VariantQuality) -> Table:
    """Ranking quality of the list of each value, against the one without attribute."""
    columns = (
        Column("attribute"),
        Column("value", "group"),
        Column("measure"),
        Column("mean", kind="number"),
        Column("low", kind="interval"),
        Column("high", kind="interval"),
        Column("n_questions", "questions", kind="number"),
        Column("difference", "to neutral", kind="signed"),
        Column("difference_low", kind="interval"),
        Column("difference_high", kind="interval"),
        Column("p", kind="p"),
        Column("p_holm", "p (Holm)", kind="p"),
    )
    rows = [row | {"attribute": row["attribute"] or REFERENCE} for row in quality.rows]
    caption = f"Paired t-test against neutral, Holm over {plural(quality.n_tests, 'test')}"
    return _plain(columns, rows, caption=caption, decimals=4)


def quality_gaps_table(quality: VariantQuality) -> Table:
    """The largest difference in ranking quality between two values of an attribute."""
    return _plain(
        (
            *keyed("attribute", "measure", "gap", "best", "worst", "low", "high", "n_questions"),
            Column("p", kind="p"),
            Column("p_holm", "p (Holm)", kind="p"),
        ),
        quality.gaps,
        caption="Paired t-test of the two groups, Holm over all pairs of groups that were searched",
        decimals=4,
    )


def tables(
    *,
    answers: Sequence[AnswerResults] | None = None,
    unit: str = "",
    retrieval: RetrievalResults | None = None,
    overlaps: Sequence[tuple[str, Record]] | None = None,
    doses: Sequence[Record] | None = None,
    dependent: Sequence[Record] | None = None,
    published: Sequence[PublishedTable] = (),
) -> dict[str, Table]:
    """Every table of what is known, by name: ``fairviz variants --table NAME`` has the first ones.

    Args:
        answers: One per file.
        unit: What a rate counts ("right answers"), for captions; empty: none, as on a terminal.
        retrieval: What runs of variants say.
        overlaps: Whose lists (answers, a retriever), and their overlap.
        doses: What retrieval gave each group, and what became of it.
        dependent: Questions whose answer depends on the attribute.
        published: Tables of a paper.
    """
    made: dict[str, Table] = {}
    if answers is not None:
        made["rows"] = rows_table(answers)
        made["groups"] = groups_table(answers, unit=unit)
        made["gaps"] = gaps_table(answers)
        made["strategies"] = strategies_table(answers, caption=STRATEGIES if unit else "")
        made["errors"] = errors_table(answers)
        more = {
            "counts": counts_table(answers),
            "options": options_table(answers),
            "to_reference": reference_gaps_table(answers),
        }
        made |= {stem: table for stem, table in more.items() if table.rows}
    if retrieval is not None and retrieval.overlaps:
        made["overlap"] = overlap_table(retrieval.overlaps)
        made["overlap_values"] = overlap_values_table(retrieval.overlaps)
    if retrieval is not None and retrieval.quality is not None:
        made["quality"] = quality_table(retrieval.quality)
        made["quality_gaps"] = quality_gaps_table(retrieval.quality)
    if overlaps is not None:
        made["overlap_pairs"] = overlap_pairs_table(overlaps)
    if doses is not None:
        made["doses"] = doses_table(doses)
    if dependent is not None:
        made["dependent"] = dependent_table(dependent)
    return made | {f"published_{table.number}": published_table(table) for table in published}
