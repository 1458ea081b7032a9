"""Tables of answers to variants, for papers and files; rates are between 0 and 1."""

from collections.abc import Sequence

from fairviz.analysis.retrieval_overlap import Overlap
from fairviz.analysis.variant_conditions import Condition, ConditionGap
from fairviz.analysis.variant_drill import DependentQuestion
from fairviz.analysis.variant_errors import ErrorCase
from fairviz.analysis.variant_groups import GroupRate
from fairviz.analysis.variant_strategies import StrategyRow
from fairviz.model import PublishedTable
from fairviz.report.content import Cell, Table

BOOTSTRAP = "95 % percentile bootstrap over questions, 2,000 resamples, seed 0"


def rates_content(conditions: Sequence[Condition], *, unit: str) -> Table:
    """One row per condition, attribute and group; conditions of reference have no attribute."""
    rows: list[tuple[Cell, ...]] = []
    for one in conditions:
        for row in one.rows:
            rows += [_rate(one, row.attribute, group) for group in row.groups]
        if one.rows:
            rows += [_rate(one, "", group) for group in one.rows[0].conditions]
    return Table(
        (
            "condition",
            "strategy",
            "attribute",
            "group",
            "rate",
            "low",
            "high",
            "n",
            "unreadable",
            "rate answerable",
            "n answerable",
            "small",
        ),
        tuple(rows),
        caption=f"Rate of {unit} by group; {BOOTSTRAP}",
    )


def gaps_content(gaps: Sequence[ConditionGap]) -> Table:
    """The widest paired gap of each attribute under each condition."""
    return Table(
        ("condition", "strategy", "attribute", "first", "second", "gap", "low", "high", "p (Holm)", "small"),
        tuple(
            (one.name, one.strategy, one.attribute, one.first, one.second, one.gap, one.low, one.high, one.p, one.small)
            for one in gaps
        ),
        signed=("gap", "low", "high"),
        p_values=("p (Holm)",),
        caption="Paired gap in the rate, first minus second group; McNemar's exact test, Holm over "
        f"the table; {BOOTSTRAP}",
    )


def disparities_content(rows: Sequence[tuple[str, StrategyRow]]) -> Table:
    """DP and EO of each condition and attribute, without and with the vote."""
    return Table(
        (
            "condition",
            "attribute",
            "score",
            "DP",
            "EO",
            "DP options, mean",
            "DP options, max",
            "vote",
            "vote minus score",
            "low",
            "high",
            "DP, vote within",
            "EO, vote within",
            "ties",
        ),
        tuple(
            (
                name,
                one.get("attribute"),
                one.row.score,
                one.row.dp,
                one.row.eo,
                one.row.dp_macro,
                one.row.dp_max,
                one.all.accuracy,
                one.change,
                *one.interval,
                one.within.dp,
                one.within.eo,
                one.all.n_ties,
            )
            for name, one in rows
        ),
        signed=("vote minus score", "low", "high"),
        caption=f"Largest differences between groups; a vote over all variants has DP 0 by construction; {BOOTSTRAP}",
    )


def overlap_content(overlaps: Sequence[tuple[str, Overlap]]) -> Table:
    """Every pair of variants, the list without attribute among them; percent."""
    rows: list[tuple[Cell, ...]] = []
    for name, one in overlaps:
        rows += [
            (name, one.attribute, one.k, "neutral", value, share, one.n_by_value[value])
            for value, share in one.by_value.items()
        ]
        rows += [(name, one.attribute, one.k, *pair, share, one.n_pairs[pair]) for pair, share in one.pairs.items()]
        rows += [
            (name, one.attribute, one.k, f"estimator {kind}", "", value, one.n_questions)
            for kind, value in (("all", one.all), ("pairwise", one.pairwise), ("neutral", one.neutral))
        ]
    return Table(
        ("lists", "attribute", "k", "first", "second", "overlap", "n"),
        tuple(rows),
        caption="Retrieval overlap in percent: shared per all documents, mean over questions",
        decimals=1,
    )


def errors_content(cases: Sequence[ErrorCase]) -> Table:
    """Evidence × answer by group."""
    return Table(
        (
            "attribute",
            "group",
            "n",
            "evidence right, answer right",
            "evidence right, answer wrong",
            "evidence wrong, answer right",
            "both wrong",
            "not known",
        ),
        tuple(
            (
                one.attribute,
                one.value,
                one.n,
                one.right_right,
                one.right_wrong,
                one.wrong_right,
                one.wrong_wrong,
                one.n_unknown,
            )
            for one in cases
        ),
        caption="Answers by whether the evidence given and the answer were right",
    )


def dependent_content(questions: Sequence[DependentQuestion]) -> Table:
    """Every answer to every question whose answer depends on the attribute."""
    return Table(
        ("question", "right answer", "group", "reference", "answer", "score"),
        tuple(
            (each.question_id, each.gold, given.value, given.reference, given.words, given.score)
            for each in questions
            for given in each.answers
        ),
        caption="Questions that are answered differently for different groups",
    )


def published_content(table: PublishedTable) -> Table:
    """A published table as shipped, with its flags."""
    flags = any(table.flags)
    return Table(
        (*table.columns, "note") if flags else table.columns,
        tuple((*row, flag) if flags else row for row, flag in zip(table.rows, table.flags, strict=True)),
        caption=f"Table {table.number}: {table.title}",
        decimals=2,
    )


def _rate(one: Condition, attribute: str, group: GroupRate) -> tuple[Cell, ...]:
    return (
        one.name,
        one.strategy,
        attribute,
        group.value,
        group.rate,
        *group.interval,
        group.n,
        group.n_unparsed,
        group.rate_answerable,
        group.n_answerable,
        group.small,
    )
