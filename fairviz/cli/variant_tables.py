"""Measured answers to variants as tables."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from fairviz.analysis.retrieval_overlap import Overlap
from fairviz.analysis.variant_groups import GroupRate
from fairviz.analysis.variant_row import VariantRow
from fairviz.cli.variant_body import Measured, ends
from fairviz.report.content import Cell, Table

GROUP_COLUMNS = ("attribute", "value", "{}", "low", "high", "n", "n_unparsed", "small", "{}_answerable", "n_answerable")
"""{} is the name of the outcome's mean."""
ROW_COLUMNS = (
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
    "vote_accuracy",
    "n_ties",
    "vote_dp",
    "overlap_k",
    "overlap_all",
    "overlap_pairwise",
    "overlap_neutral",
)
GAP_COLUMNS = ("attribute", "first", "second", "gap", "low", "high", "n", "first_only", "second_only", "p", "p_holm")
STRATEGY_COLUMNS = (
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
)
CASE_COLUMNS = (
    "attribute",
    "value",
    "evidence_right_answer_right",
    "evidence_right_answer_wrong",
    "evidence_wrong_answer_right",
    "evidence_wrong_answer_wrong",
    "n_unknown",
)


def answer_tables(found: Sequence[Measured]) -> dict[str, Table]:
    """Attributes, their groups, paired gaps, both votes, evidence × answer, each by its name."""
    tables = {
        "rows": rows_table(found),
        "groups": groups_table(found),
        "gaps": gaps_table(found),
        "strategies": strategies_table(found),
        "errors": cases_table(found),
    }
    return {name: _without_empty(table) for name, table in tables.items()}


def rows_table(found: Sequence[Measured]) -> Table:
    """One line per combination and attribute, and depth of the overlap."""
    lines = tuple(
        (*_row(row), *_overlap(overlap))
        for one in found
        for row in (*one.rows, *one.all_values)
        for overlap in row.overlap or (None,)
    )
    return Table((*_columns(found), *ROW_COLUMNS), lines)


def groups_table(found: Sequence[Measured]) -> Table:
    """One line per group; conditions of reference once per combination, without an attribute."""
    lines: list[tuple[Cell, ...]] = []
    for row in (row for one in found for row in one.rows):
        lines += [(*_by(row), row.attribute, *_group(group)) for group in row.groups]
    referred = {row.by: row.conditions for one in found for row in one.rows}
    for by, conditions in referred.items():
        lines += [(*(v for _, v in by), "(reference)", *_group(one)) for one in conditions]
    mean = _mean_of({one.outcome for one in found})
    columns = tuple(column.format(mean) for column in GROUP_COLUMNS)
    return Table((*_columns(found), *columns), tuple(lines))


def gaps_table(found: Sequence[Measured]) -> Table:
    """One line per pair of groups of an attribute."""
    lines = tuple(
        (
            *_by(row),
            row.attribute,
            gap.first,
            gap.second,
            gap.gap,
            *gap.interval,
            gap.n,
            gap.first_only,
            gap.second_only,
            gap.p,
            gap.p_holm,
        )
        for one in found
        for row in one.rows
        for gap in row.gaps
    )
    return Table((*_columns(found), *GAP_COLUMNS), lines, signed=("gap",), p_values=("p", "p_holm"))


def strategies_table(found: Sequence[Measured]) -> Table:
    """One line per combination and attribute: without the vote, and with it."""
    lines = tuple(
        (
            *_by(one.row),
            one.row.attribute,
            one.row.score,
            one.all.accuracy,
            one.change,
            *one.interval,
            one.n,
            one.row.dp,
            one.within.dp,
            one.row.eo,
            one.within.eo,
            one.row.overlap[0].all if one.row.overlap else None,
        )
        for each in found
        for one in each.strategies
    )
    return Table((*_columns(found), *STRATEGY_COLUMNS), lines, signed=("change",))


def cases_table(found: Sequence[Measured]) -> Table:
    """One line per group: evidence right or wrong × answer right or wrong."""
    lines = tuple(
        (
            *(v for _, v in case.by),
            case.attribute or "(reference)",
            case.value,
            case.right_right,
            case.right_wrong,
            case.wrong_right,
            case.wrong_wrong,
            case.n_unknown,
        )
        for one in found
        for case in one.cases
    )
    return Table((*_columns(found), *CASE_COLUMNS), lines)


def _mean_of(outcomes: AbstractSet[str]) -> str:
    """What the mean outcome of a group is called: a share of right answers is a rate."""
    if "rouge_l" not in outcomes:
        return "rate"
    return "rouge_l" if len(outcomes) == 1 else "score"


def _row(row: VariantRow) -> tuple[Cell, ...]:
    vote, letters, agreed = row.vote, row.letters, row.agreement
    return (
        *_by(row),
        row.attribute,
        row.n_questions,
        row.score,
        row.dp,
        *ends(row.best, row.worst),
        row.eo,
        letters.dp_macro,
        letters.dp_max,
        letters.eo_macro,
        letters.eo_max,
        agreed.agree,
        agreed.all_correct,
        agreed.any_correct,
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
    )


def _by(row: VariantRow) -> tuple[str, ...]:
    return tuple(value for _, value in row.by)


def _columns(found: Sequence[Measured]) -> tuple[str, ...]:
    rows = [row for one in found for row in one.rows]
    return tuple(name for name, _ in rows[0].by) if rows else ()


def _without_empty(table: Table) -> Table:
    """The table without columns that say nothing anywhere, such as overlaps without documents."""
    kept = [
        c for c in range(len(table.columns)) if any(row[c] not in (None, "") and row[c] == row[c] for row in table.rows)
    ]
    return Table(
        tuple(table.columns[c] for c in kept),
        tuple(tuple(row[c] for c in kept) for row in table.rows),
        table.caption,
        table.decimals,
        table.signed,
        table.p_values,
    )
