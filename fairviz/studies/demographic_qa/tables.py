"""Tables of answers to variants, for papers and files; rates are between 0 and 1."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fairviz.model import PublishedTable
from fairviz.show.table import Cell, Json, Table, keyed
from fairviz.studies.demographic_qa.conditions import Condition, ConditionGap, StrategyRow
from fairviz.studies.demographic_qa.gaps import PairedGap
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.questions import DependentQuestion, ErrorCase
from fairviz.studies.demographic_qa.rows import Outcome, VariantRow
from fairviz.studies.demographic_qa.sheet import GroupRate
from fairviz.studies.demographic_qa.votes import VoteResult

# Measured answers to variants as JSON.


MeasuredOutcome: TypeAlias = Outcome | Literal["rouge_l"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one file of answers says.

    Attributes:
        rows: One per combination of columns and attribute.
        all_values: One per combination: the values of all attributes side by side.
        strategies: The same rows with both votes.
        cases: Evidence × answer by group, where the evidence is known.
        outcome: What is measured of an answer: whether it is right ("correct"; "letters" also
            names the options), or its "rouge_l".
    """

    rows: tuple[VariantRow, ...]
    all_values: tuple[VariantRow, ...]
    strategies: tuple[StrategyRow, ...]
    cases: tuple[ErrorCase, ...]
    outcome: MeasuredOutcome = "correct"


def answers_body(found: Sequence[Measured]) -> dict[str, Json]:
    """The lists of every file, one after another."""
    return {
        "rows": [row_body(row, one.outcome) for one in found for row in one.rows],
        "all_values": [row_body(row, one.outcome) for one in found for row in one.all_values],
        "strategies": [_strategy(row) for one in found for row in one.strategies],
        "error_cases": [_case(case) for one in found for case in one.cases],
    }


def row_body(row: VariantRow, outcome: MeasuredOutcome) -> dict[str, Json]:
    """One row; every rate stands beside its count."""
    vote = row.vote
    first = row.overlap[0] if row.overlap else None
    body: dict[str, Json] = {
        **dict(row.by),
        "attribute": row.attribute,
        "outcome": outcome,
        "n_questions": row.n_questions,
        "n_unknown": row.n_unknown,
        "accuracy": row.accuracy,
        "intervals": {group.value: list(group.interval) for group in row.groups},
        "n": {group.value: group.n for group in row.groups},
        "n_unparsed": {group.value: group.n_unparsed for group in row.groups},
        "small": [group.value for group in row.groups if group.small],
        "reference": {one.value: one.rate for one in row.conditions},
        "n_reference": {one.value: one.n for one in row.conditions},
        "score": row.score,
        "score_interval": list(row.score_interval),
        "dp": row.dp,
        **dict(zip(("best", "worst"), ends(row.best, row.worst), strict=True)),
        "eo": row.eo,
        **dict(zip(("eo_best", "eo_worst"), ends(row.eo_best, row.eo_worst), strict=True)),
        "accuracy_answerable": {group.value: group.rate_answerable for group in row.groups},
        "n_answerable": {group.value: group.n_answerable for group in row.groups},
        "gaps": [_gap(gap) for gap in row.gaps],
        "agree": row.agreement.agree,
        "all_correct": row.agreement.all_correct,
        "any_correct": row.agreement.any_correct,
        "n_complete": row.agreement.n,
        "n_incomplete": row.agreement.n_incomplete,
        "overlap_k": first.k if first else None,
        "overlap_all": first.all if first else None,
        "overlap_pairwise": first.pairwise if first else None,
        "overlap_neutral": first.neutral if first else None,
        "overlap": [overlap_body(one) for one in row.overlap],
        "vote_accuracy": vote.accuracy if vote else None,
        "vote": _vote(vote) if vote else None,
    }
    if outcome == "letters":
        letters = row.letters
        body |= {
            "dp_letters": letters.dp,
            "eo_letters": letters.eo,
            "dp_macro": letters.dp_macro,
            "dp_max": letters.dp_max,
            "eo_macro": letters.eo_macro,
            "eo_max": letters.eo_max,
        }
    return body


def ends(best: str, worst: str) -> tuple[str | None, str | None]:
    """The groups of the largest difference; None where there is none, or all rates are equal."""
    return (best, worst) if best != worst else (None, None)


def overlap_body(one: Overlap) -> dict[str, Json]:
    """Overlap in percent at one depth."""
    return {
        "attribute": one.attribute,
        "k": one.k,
        "all": one.all,
        "pairwise": one.pairwise,
        "neutral": one.neutral,
        "intervals": {name: list(ends) for name, ends in one.intervals.items()},
        "by_value": one.by_value,
        "pairs": [
            {"first": v, "second": w, "overlap": percent, "n": one.n_pairs[v, w]}
            for (v, w), percent in one.pairs.items()
        ],
        "n_questions": one.n_questions,
        "n_neutral": one.n_neutral,
        "n_incomplete": one.n_incomplete,
        "n_short": one.n_short,
    }


def _gap(gap: PairedGap) -> dict[str, Json]:
    return {
        "first": gap.first,
        "second": gap.second,
        "gap": gap.gap,
        "ci_low": gap.interval.low,
        "ci_high": gap.interval.high,
        "n": gap.n,
        "first_only": gap.first_only,
        "second_only": gap.second_only,
        "p": gap.p,
        "p_holm": gap.p_holm,
    }


def _vote(vote: VoteResult) -> dict[str, Json]:
    return {
        "voters": vote.voters,
        "ties": vote.ties,
        "n_votes": vote.n_votes,
        "n_ties": vote.n_ties,
        "n_abstained": vote.n_abstained,
        "n_voters": vote.n_voters,
        "accuracy": vote.accuracy,
        "ci_low": vote.interval.low,
        "ci_high": vote.interval.high,
        "accuracy_by_group": vote.accuracy_by_group,
        "dp": vote.dp,
        "eo": vote.eo,
        **dict(zip(("best", "worst"), ends(vote.best, vote.worst), strict=True)),
        "note": vote.note,
    }


def _strategy(one: StrategyRow) -> dict[str, Json]:
    row = one.row
    return {
        **dict(row.by),
        "attribute": row.attribute,
        "score": row.score,
        "vote_score": one.all.accuracy,
        "change": one.change,
        "ci_low": one.interval.low,
        "ci_high": one.interval.high,
        "n": one.n,
        "dp": row.dp,
        "vote_within_dp": one.within.dp,
        "eo": row.eo,
        "vote_within_eo": one.within.eo,
        "vote_within_accuracy": one.within.accuracy,
        "vote_within_note": one.within.note,
        "overlap_all": row.overlap[0].all if row.overlap else None,
    }


def _case(case: ErrorCase) -> dict[str, Json]:
    return {
        **dict(case.by),
        "attribute": case.attribute or None,
        "value": case.value,
        "evidence_right_answer_right": case.right_right,
        "evidence_right_answer_wrong": case.right_wrong,
        "evidence_wrong_answer_right": case.wrong_right,
        "evidence_wrong_answer_wrong": case.wrong_wrong,
        "n_unknown": case.n_unknown,
    }


# Measured answers to variants as tables.


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
    return Table(keyed(*_columns(found), *ROW_COLUMNS), lines)


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
    return Table(keyed(*_columns(found), *columns), tuple(lines))


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
    return Table(
        keyed(*_columns(found), *GAP_COLUMNS, signed=("gap",), p=("p", "p_holm")),
        lines,
    )


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
    return Table(
        keyed(*_columns(found), *STRATEGY_COLUMNS, signed=("change",)),
        lines,
    )


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
    return Table(keyed(*_columns(found), *CASE_COLUMNS), lines)


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
    return table.select(
        [
            key
            for place, key in enumerate(table.keys)
            if any(row[place] not in (None, "") and row[place] == row[place] for row in table.rows)
        ]
    )


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
        keyed(
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
        keyed(
            "condition",
            "strategy",
            "attribute",
            "first",
            "second",
            "gap",
            "low",
            "high",
            "p (Holm)",
            "small",
            signed=("gap", "low", "high"),
            p=("p (Holm)",),
        ),
        tuple(
            (one.name, one.strategy, one.attribute, one.first, one.second, one.gap, one.low, one.high, one.p, one.small)
            for one in gaps
        ),
        caption="Paired gap in the rate, first minus second group; McNemar's exact test, Holm over "
        f"the table; {BOOTSTRAP}",
    )


def disparities_content(rows: Sequence[tuple[str, StrategyRow]]) -> Table:
    """DP and EO of each condition and attribute, without and with the vote."""
    return Table(
        keyed(
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
            signed=("vote minus score", "low", "high"),
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
        keyed("lists", "attribute", "k", "first", "second", "overlap", "n"),
        tuple(rows),
        caption="Retrieval overlap in percent: shared per all documents, mean over questions",
        decimals=1,
    )


def errors_content(cases: Sequence[ErrorCase]) -> Table:
    """Evidence × answer by group."""
    return Table(
        keyed(
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
        keyed("question", "right answer", "group", "reference", "answer", "score"),
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
        keyed(*((*table.columns, "note") if flags else table.columns)),
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
