"""Answers to variants and runs of variants as tables: which columns of the rows stand where, for every surface.

Rates are between 0 and 1, overlap is in percent. Every table of answers begins with the columns that say who answered
how (model, dataset, strategy, retriever, k) as far as they are recorded; columns that say nothing anywhere are left
out.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

import polars as pl

from fairviz.display.table import Audience, Column, Table, declared, keyed
from fairviz.display.words import listing, plural
from fairviz.stats.bootstrap import described
from fairviz.stats.tests import ROUNDING
from fairviz.studies.demographic_qa.across import Across
from fairviz.studies.demographic_qa.answers import ALL_VALUES, NEUTRAL, Record
from fairviz.studies.demographic_qa.names import condition_name, differing, shortened, words_of
from fairviz.studies.demographic_qa.retrieval import n_tests
from fairviz.studies.demographic_qa.since import LaterAnswers
from fairviz.studies.demographic_qa.votes import BY_CONSTRUCTION

REFERENCE = "(reference)"
"""Stands where a condition of reference has no attribute."""
BOOTSTRAP = described("questions", seed=0)
STRATEGIES = f"Largest differences between groups; a vote over all variants has DP 0 by construction; {BOOTSTRAP}"

SIGNED = ("change", "gap", "ddp", "deo", "vote_within_ddp", "vote_within_deo", "difference")


INTERVAL = ("low", "high")
TEST = ("low", "high", "p", "p_holm")
OPTIONS = ("dp_macro", "dp_max", "eo_macro", "eo_max")
AGREEMENT = ("agree", "all_correct", "any_correct")
OVERLAP = ("all", "pairwise", "neutral")
WORST = ("rate_worst_low", "rate_worst_high")
GAP = ("first", "second", "gap", "low", "high", "n", "first_only", "second_only", "p", "p_holm", "n_tests")


def _level(of: str) -> tuple[str, ...]:
    """What stands beside a largest difference: chance level, interval, p."""
    return tuple(f"{of}_{what}" for what in ("chance", *TEST))


def _change(of: str) -> tuple[str, ...]:
    """The change of a largest difference, its interval and p."""
    return (of, *(f"{of}_{what}" for what in TEST))


LEVELS = (
    *(*_level("dp"), *_level("eo"), "answerable", "base", *_change("ddp"), *_change("deo")),
    *("by_construction", "vote_by_construction"),
)
"""What stands beside DP and EO, and the change against the base (ddp, deo)."""
VOTED = (
    *("p", "p_holm", *_level("vote_within_dp"), *_level("vote_within_eo")),
    *(*_change("vote_within_ddp"), *_change("vote_within_deo")),
)
"""Tests of what votes change, what stands beside DP and EO of a vote within groups, and their change by it."""


@cache
def _labels() -> dict[str, str]:
    """What people call a column, where its key does not say it."""
    measures, beside = words_of("measures"), words_of("beside")
    named = {f"{key}_{what}": f"{label}, {words}" for key, label in measures.items() for what, words in beside.items()}
    return {**measures, **named, **words_of("columns")}


def _columns(columns: Sequence[str | Column]) -> list[Column]:
    """Columns by their keys; single options and p before correction are for programs."""
    return [
        replace(column, audience="programs") if column.key in OPTIONS or column.key.endswith("_p") else column
        for column in declared(columns, _labels(), signed=SIGNED)
    ]


def _table(
    columns: Sequence[str | Column],
    rows: Sequence[Record],
    *,
    caption: str = "",
    decimals: int = 3,
    audience: Audience = "all",
) -> Table:
    """Rows by the keys of their columns; those of answers behind the columns that say who answered how.

    Tables of answers lack columns that say nothing anywhere.

    Args:
        columns: Keys, or columns that are not what their key says.
        rows: The rows; of answers each has its combination as "by", of which one may lack columns.
        caption: Of the table.
        decimals: Digits that people read.
        audience: For whom it is.
    """
    named: list[dict[str, str]] = [dict(row.get("shown", row.get("by", ()))) for row in rows]
    by = dict.fromkeys(chain.from_iterable(named), "")
    lines = [row | by | own for row, own in zip(rows, named, strict=True)]
    table = Table.of(lines, _columns((*by, *columns)), caption, decimals=decimals, audience=audience)
    return table.without_empty() if any("by" in row for row in rows) else table


def cells_of(row: Record) -> Record:
    """The row with what stands in words, or is nested, as cells; no group is best where all rates are equal."""
    base, apart = row["base"], row["best"] != row["worst"]
    vote: Record = row["vote"] or {}
    words = condition_name(dict(differing(base or (), row["by"]))) or "without retrieval"
    by_construction = vote.get("note") == BY_CONSTRUCTION
    return row | {
        "best": row["best"] if apart else None,
        "worst": row["worst"] if apart else None,
        "vote_accuracy": vote.get("accuracy"),
        "n_ties": vote.get("n_ties"),
        "vote_dp": vote.get("dp"),
        "base": "" if base is None else words,
        "by_construction": "yes" if row["by_construction"] else "",
        "vote_by_construction": "yes" if by_construction else "",
    }


def _overlap_cells(overlap: Record | None) -> Record:
    return {f"overlap_{key}": overlap[key] if overlap else None for key in ("k", *OVERLAP)}


def rows_table(rows: Sequence[Record]) -> Table:
    """One line per combination and attribute, and depth of the overlap."""
    first = ("attribute", "n_questions", "score", "dp", "best", "worst", "eo")
    vote = ("one_answer", "vote_accuracy", "n_ties", "vote_dp")
    return _table(
        (*first, *OPTIONS, *AGREEMENT, *vote, "overlap_k", *(f"overlap_{each}" for each in OVERLAP), *LEVELS),
        [cells_of(row) | _overlap_cells(overlap) for row in rows for overlap in row["overlap"] or (None,)],
    )


def groups_table(rows: Sequence[Record], *, captioned: bool = False) -> Table:
    """One line per group; conditions of reference once per combination, without an attribute.

    Args:
        rows: By attribute.
        captioned: Whether to say above it what a rate counts.
    """
    groups = [(row, row["attribute"], group) for row in rows for group in row["groups"]]
    references = {row["by"]: row for row in rows}
    groups += [(row, REFERENCE, condition) for row in references.values() for condition in row["conditions"]]
    rouge = {row["unit"] == "ROUGE-L" for row in rows}  # a share of right answers is a rate
    mean = "rate" if True not in rouge else "rouge_l" if len(rouge) == 1 else "score"
    shown = ("rate", *INTERVAL, "n", "n_unparsed", "small", "rate_answerable", "n_answerable", *WORST)
    named = {key: key.replace("rate", mean, 1) for key in shown}
    lines = [
        row
        | {"attribute": attribute, "value": group["value"]}
        | {name: group[key] for key, name in named.items()}
        | {"small": "small" if group["small"] else ""}
        for row, attribute, group in groups
    ]
    caption = f"Rate of {rows[0]['unit']} by group; {BOOTSTRAP}" if captioned and rows else ""
    return _table(("attribute", "value", *named.values()), lines, caption=caption)


def gaps_table(rows: Sequence[Record], *, what: str = "gaps") -> Table:
    """One line per pair of groups of an attribute; the caption says over how many pairs p is corrected.

    Args:
        rows: By attribute.
        what: Pairs of groups, or "to_reference": each group and the questions that mention nobody.
    """
    gaps: list[Record] = [row | gap for row in rows for gap in row[what]]
    if what != "gaps":
        return _table(("attribute", *GAP), gaps, audience="programs")
    gaps = [gap | {"small": "small" if gap["small"] else ""} for gap in gaps]
    sizes = dict.fromkeys(gap["n_tests"] for gap in gaps if not math.isnan(gap["p"]))
    corrected = f"Holm over {listing([plural(n, 'pair') for n in sizes], 'or')}"
    caption = f"Paired gap in the rate, first minus second group; McNemar's exact test, {corrected}"
    return _table(("attribute", *GAP, "small"), gaps, caption=caption)


COUNTED = ("n_unknown", "n_complete", "n_incomplete", "score_low", "score_high")
OF_VOTE = ("voters", "ties", "n_votes", "n_ties", "n_abstained", "n_voters", "accuracy", *INTERVAL, "dp", "eo", "note")


def counts_table(rows: Sequence[Record]) -> Table:
    """One line per row: what it and its vote rest on."""
    lines: list[Record] = []
    for row in rows:
        vote: Record = row["vote"] or {}
        own: Record = {"n_changed": None if row["base"] is None else row["ddp_n"]}
        lines.append(row | own | {f"vote_{key}": vote.get(key) for key in OF_VOTE})
    of_vote = (f"vote_{key}" for key in OF_VOTE)
    return _table(("attribute", "n_questions", *COUNTED, "n_changed", *of_vote), lines, audience="programs")


def options_table(rows: Sequence[Record]) -> Table:
    """One line per option of closed answers: the largest difference between groups in how often they give it."""
    lines = [
        row | {"option": option, "dp": dp, "eo": row["eo_letters"][option]}
        for row in rows
        for option, dp in row["dp_letters"].items()
    ]
    return _table(("attribute", "option", "dp", "eo"), lines, audience="programs")


def strategies_table(rows: Sequence[Record], *, caption: str = "") -> Table:
    """One line per combination and attribute that voted: without the vote, and with it."""
    score = ("attribute", "score", "vote_score", "change", "low", "high", "n")
    parity = ("dp", "vote_within_dp", "eo", "vote_within_eo", "overlap_all", "dp_macro", "dp_max", "n_ties")
    lines = [
        row | _overlap_cells(next(iter(row["overlap"]), None)) | {"n_ties": row["vote_n_ties"]}
        for row in rows
        if "change" in row
    ]
    return _table((*score, *parity, *VOTED), lines, caption=caption)


def errors_table(cases: pl.DataFrame) -> Table:
    """One line per group: evidence right or wrong × answer right or wrong."""
    return Table.of(_with_reference(cases), _columns(cases.columns)).without_empty()


def doses_table(doses: pl.DataFrame) -> Table:
    """One line per group: documents in common, right evidence, right answers with and without it."""
    columns = (
        "attribute",
        "value",
        Column("overlap_neutral", "documents in common with nobody's", "share"),
        "n",
        Column("evidence", "right evidence", "share"),
        Column("n_with", "answers with it"),
        Column("right_with", "right with it", "share"),
        Column("right_without", "right without it", "share"),
    )
    caption = "What retrieval gave each group, and how often its answers are right with right evidence and without"
    return Table.of(_with_reference(doses), _columns(columns), caption).without_empty()


def _with_reference(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows whose conditions of reference have a name where groups have an attribute."""
    return rows.with_columns(pl.col("attribute").replace("", REFERENCE))


def dependent_table(questions: Sequence[Record]) -> Table:
    """Every answer to every question whose answer depends on the attribute."""
    rows = [
        {"qid": question["question_id"], "gold": question["gold"], "prediction": answer["words"], **answer}
        for question in questions
        for answer in question["answers"]
    ]
    caption = "Questions that are answered differently for different groups"
    return _table(("qid", "gold", "value", "reference", "prediction", "score"), rows, caption=caption)


def model_gaps_table(across: Across) -> Table:
    """The gap of the same two groups in every model."""
    rows = [{"model": combination.model, **ends.gap, "score": ends.row["score"]} for combination, ends in across.models]
    worse, better = across.people
    caption = f"Right answers about {better} minus those about {worse}, by model"
    return _table(("model", *GAP[2:8], "p_holm", "n_tests", "score"), rows, caption=caption)


def model_pairs_table(across: Across) -> Table:
    """Differences between the gaps of two models, paired by question."""
    names = [combination.model for combination, _ in across.models]
    rows = [pair | {"first": names[pair["first"]], "second": names[pair["second"]]} for pair in across.pairs]
    columns = (
        "first",
        "second",
        Column("difference", "second minus first", "signed"),
        "low",
        "high",
        "n",
        "p",
        "p_holm",
    )
    return _table(
        columns, rows, caption="Gaps of two models, paired by question; p: exact sign flips, Holm over all pairs"
    )


def since_tables(compared: Sequence[LaterAnswers], title: str = "") -> dict[str, Table]:
    """Gaps, groups and questions of later versions beside earlier ones: what changed, paired by question.

    Args:
        compared: The comparisons.
        title: What is said of one, above its gaps.
    """
    before, after, change = Column("then", "before"), Column("now", "now"), Column("change", "change", "signed")
    changed = (before, after, change, "low", "high", "n", "p", "p_holm")
    paired = "paired by question; p corrected (Holm) over the rows of each comparison"
    lead = f"{title}. " if title else ""
    return {
        "since-gaps": _table(
            ("attribute", *changed),
            _named(compared, "gaps"),
            caption=f"{lead}Largest difference between groups, before and now; {BOOTSTRAP}, {paired}",
        ),
        "since-groups": _table(
            ("attribute", "value", *changed),
            _named(compared, "groups"),
            caption=f"Mean outcome of each group, before and now; {paired}",
        ),
        "since-questions": _table(
            ("qid", before, after, change, Column("worse", "worse about")),
            [
                row | {"qid": row["question"], "worse": ", ".join(map(shortened, row["worse"]))}
                for row in _named(compared, "questions")
                if row["change"] < -ROUNDING
            ],
            caption="Questions that got worse over all groups: mean outcome, before and now",
        ),
    }


def _named(compared: Sequence[LaterAnswers], part: str) -> list[Record]:
    """The rows of a part of each comparison, with the later version that they are of."""
    return [{"by": each.now.by, "shown": each.now.shown, **row} for each in compared for row in getattr(each, part)]


def failing_table(across: Across) -> Table:
    """Questions that are right about one group and wrong about the other, those that fail in most models first."""
    others = [Column(name, f"{shortened(value)} wrong") for name, value in across.others]
    rows = [
        row | {"qid": row["question"], "gold": row["right"], "prediction": ", ".join(row["answered"])}
        for row in across.questions.to_dicts()
    ]
    columns = (
        "qid",
        "gold",
        "prediction",
        Column("n_models", "fails in models"),
        Column("n_runs", "of all ways of asking (runs)"),
    )
    worse, better = across.people
    caption = f"Questions answered right about {better} and wrong about {worse}, by how many models fail so"
    return _table((*columns, *others), rows, caption=caption)


# What is retrieved


def overlap_table(overlaps: Sequence[Record]) -> Table:
    """The three estimators of each attribute and depth."""
    ends = {f"{name}_{end}": (name, index) for name in OVERLAP for index, end in enumerate(INTERVAL)}
    rows = [
        overlap | {key: overlap["intervals"][name][index] for key, (name, index) in ends.items()}
        for overlap in overlaps
    ]
    counts = (Column(key, audience="programs") for key in (*ends, "n_neutral", "n_incomplete", "n_short"))
    return _table(("attribute", "k", *OVERLAP, "n_questions", *counts), rows, decimals=2)


def overlap_values_table(overlaps: Sequence[Record]) -> Table:
    """The list of each value with the one without attribute."""
    rows = [
        overlap | {"value": pair["second"], "overlap_neutral": pair["overlap"], "n": pair["n"]}
        for overlap in overlaps
        for pair in overlap["pairs"]
        if pair["first"] is None
    ]
    return _table(keyed("attribute", "value", "k", "overlap_neutral", "n"), rows, decimals=2)


def overlap_pairs_table(overlaps: Sequence[tuple[str, Record]]) -> Table:
    """Every pair of lists, the one without attribute among them, then the three estimators.

    Args:
        overlaps: Whose lists (answers, a retriever), and their overlap.
    """
    rows: list[Record] = []
    for name, overlap in overlaps:
        whole = overlap | {"lists": name, "n": overlap["n_questions"]}
        rows += [whole | pair | {"first": pair["first"] or NEUTRAL} for pair in overlap["pairs"]]
        rows += [whole | {"first": f"estimator {kind}", "second": "", "overlap": overlap[kind]} for kind in OVERLAP]
    caption = "Retrieval overlap in percent: shared per all documents, mean over questions"
    return _table(("lists", "attribute", "k", "first", "second", "overlap", "n"), rows, caption=caption, decimals=1)


def quality_table(quality: Sequence[Record]) -> Table:
    """Ranking quality of the list of each value, against the one without attribute."""
    columns = (
        *("attribute", "value", "measure", "mean", *INTERVAL),
        Column("n_questions", "questions"),
        Column("difference", "to neutral", "signed"),
        *("difference_low", "difference_high", "p", "p_holm"),
    )
    rows = [row | {"attribute": row["attribute"] or REFERENCE} for row in quality]
    caption = f"Paired t-test against neutral, Holm over {plural(n_tests(quality), 'test')}"
    return _table(columns, rows, caption=caption, decimals=4)


def quality_gaps_table(gaps: Sequence[Record]) -> Table:
    """The largest difference in ranking quality between two values of an attribute."""
    columns = (*keyed("attribute", "measure", "gap", "best", "worst", *INTERVAL, "n_questions"), "p", "p_holm")
    caption = "Paired t-test of the two groups, Holm over all pairs of groups that were searched"
    return _table(columns, gaps, caption=caption, decimals=4)


def answer_tables(answers: Sequence[Record], cases: pl.DataFrame) -> dict[str, Table]:
    """Every table of answers by its name, those of special interest where they have rows.

    Args:
        answers: Rows by combination and attribute.
        cases: Evidence × answer by group.
    """
    single = [row for row in answers if row["attribute"] != ALL_VALUES]
    more = {
        "counts": counts_table(single),
        "options": options_table(single),
        "to_reference": gaps_table(single, what="to_reference"),
    }
    return {
        "rows": rows_table(answers),
        "groups": groups_table(single),
        "gaps": gaps_table(single),
        "strategies": strategies_table(single),
        "errors": errors_table(cases),
        **{stem: table for stem, table in more.items() if table.rows},
    }
