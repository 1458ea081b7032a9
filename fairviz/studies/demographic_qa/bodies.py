"""Answers to variants as nested JSON, for programs: its keys are a stable interface.

What is flat is a table (``tables``); levels, votes and best groups come from there.
"""

from collections.abc import Sequence

from fairviz.display.table import Json
from fairviz.studies.demographic_qa.findings import option_words
from fairviz.studies.demographic_qa.gaps import PairedGap
from fairviz.studies.demographic_qa.questions import ErrorCase
from fairviz.studies.demographic_qa.results import AnswerResults, MeasuredOutcome
from fairviz.studies.demographic_qa.rows import VariantRow
from fairviz.studies.demographic_qa.strategies import StrategyRow
from fairviz.studies.demographic_qa.tables import ends_or_none, level_cells, voted_cells
from fairviz.studies.demographic_qa.tables_retrieval import fields, overlap_body
from fairviz.studies.demographic_qa.votes import BY_CONSTRUCTION, VoteResult


def answers_body(results: Sequence[AnswerResults]) -> dict[str, Json]:
    """The lists of every file, one after another."""
    strategies = [strategy for result in results for strategy in result.strategies]
    return {
        "rows": [_row_body(row, result.outcome) for result in results for row in result.rows],
        "all_values": [_row_body(row, result.outcome) for result in results for row in result.all_values],
        "strategies": [_strategy_body(strategy) | voted_cells(strategy) for strategy in strategies],
        "error_cases": [_case_body(case) for result in results for case in result.cases],
    }


def _row_body(row: VariantRow, outcome: MeasuredOutcome) -> dict[str, Json]:
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
        "reference": {condition.value: condition.rate for condition in row.conditions},
        "n_reference": {condition.value: condition.n for condition in row.conditions},
        "score": row.score,
        "score_interval": list(row.score_interval),
        "dp": row.dp,
        **dict(zip(("best", "worst"), ends_or_none(row.best, row.worst), strict=True)),
        "eo": row.eo,
        **dict(zip(("eo_best", "eo_worst"), ends_or_none(row.eo_best, row.eo_worst), strict=True)),
        "accuracy_worst_case": {group.value: list(group.worst) for group in row.groups},
        "accuracy_answerable": {group.value: group.rate_answerable for group in row.groups},
        "n_answerable": {group.value: group.n_answerable for group in row.groups},
        "gaps": [_gap_body(gap) for gap in row.gaps],
        **fields(row.agreement, "agree", "all_correct", "any_correct"),
        "one_answer": option_words(row.one_option) if row.one_option else None,
        "n_complete": row.agreement.n,
        "n_incomplete": row.agreement.n_incomplete,
        "overlap_k": first.k if first else None,
        "overlap_all": first.all if first else None,
        "overlap_pairwise": first.pairwise if first else None,
        "overlap_neutral": first.neutral if first else None,
        "overlap": [overlap_body(overlap) for overlap in row.overlap],
        "vote_accuracy": vote.accuracy if vote else None,
        "vote": _vote_body(vote) if vote else None,
    }
    if outcome == "letters":
        letters = row.letters
        body |= {
            "dp_letters": letters.dp,
            "eo_letters": letters.eo,
            **fields(letters, "dp_macro", "dp_max", "eo_macro", "eo_max"),
        }
    body |= level_cells(row)
    body["by_construction"] = row.by_construction
    body["vote_by_construction"] = bool(row.vote and row.vote.note == BY_CONSTRUCTION)
    body["base"] = None if row.base is None else dict(row.base)
    body["answerable"] = row.definition or None
    body["n_changed"] = row.dp_change.n if row.base is not None else None
    body["to_reference"] = [_gap_body(gap) for gap in row.to_reference]
    return body


def _gap_body(gap: PairedGap) -> dict[str, Json]:
    return {
        **fields(gap, "first", "second", "gap"),
        "ci_low": gap.interval.low,
        "ci_high": gap.interval.high,
        **fields(gap, "n", "first_only", "second_only", "p", "p_holm", "n_tests"),
    }


def _vote_body(vote: VoteResult) -> dict[str, Json]:
    return {
        **fields(vote, "voters", "ties", "n_votes", "n_ties", "n_abstained", "n_voters", "accuracy"),
        "ci_low": vote.interval.low,
        "ci_high": vote.interval.high,
        **fields(vote, "accuracy_by_group", "dp", "eo"),
        **dict(zip(("best", "worst"), ends_or_none(vote.best, vote.worst), strict=True)),
        "note": vote.note,
    }


def _strategy_body(strategy: StrategyRow) -> dict[str, Json]:
    row = strategy.row
    return {
        **dict(row.by),
        "attribute": row.attribute,
        "score": row.score,
        "vote_score": strategy.all.accuracy,
        "change": strategy.change,
        "ci_low": strategy.interval.low,
        "ci_high": strategy.interval.high,
        "n": strategy.n,
        "dp": row.dp,
        "vote_within_dp": strategy.within.dp,
        "eo": row.eo,
        "vote_within_eo": strategy.within.eo,
        "vote_within_accuracy": strategy.within.accuracy,
        "vote_within_note": strategy.within.note,
        "overlap_all": row.overlap[0].all if row.overlap else None,
    }


def _case_body(case: ErrorCase) -> dict[str, Json]:
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
