"""Numbers of recorded answers, as ``fairviz bias`` and ``fairviz variants`` give them: every recorded column apart."""

from collections.abc import Mapping
from dataclasses import dataclass

from fairviz.display.table import Table
from fairviz.model import Dataset
from fairviz.studies.demographic_qa.analysis import MIN_SIZE, answer_results, of_one_table
from fairviz.studies.demographic_qa.columns import tables as variant_tables
from fairviz.studies.demographic_qa.frames import Answerable
from fairviz.studies.demographic_qa.loaded import judgements, recorded_columns
from fairviz.studies.demographic_qa.votes import TieRule, VoteRule
from fairviz.studies.social_bias.columns import tables as bias_tables
from fairviz.studies.social_bias.items import merged_items
from fairviz.studies.social_bias.measured import measured_bias


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How recorded answers are read and counted: with the files, all that their numbers depend on.

    Attributes:
        unknown: Wordings of unread answers that are read as "unknown", of questions with a stereotyped answer.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
        min_size: Groups with fewer answers are marked small.
        answerable: Which questions are answerable, where a file does not say so.
        ties: What decides a tied vote.
    """

    unknown: tuple[str, ...] = ()
    threshold: float | None = None
    min_size: int = MIN_SIZE
    answerable: Answerable = "evidence"
    ties: TieRule = "neutral"


def bias_answers(loaded: Dataset, reading: Reading, *, seed: int) -> dict[str, Table]:
    """Tables of answers to questions with a stereotyped answer by stem, those that have rows.

    Args:
        loaded: The data.
        reading: How they are read.
        seed: Of every bootstrap.

    Raises:
        InputError: Answers and questions do not join.
    """
    if not (loaded.bias_items and loaded.bias_predictions):
        return {}
    items = merged_items(loaded.bias_items)
    measured = measured_bias(items, loaded.bias_predictions, unknown=reading.unknown, seed=seed)
    return _with_rows("bias", bias_tables(measured.results))


def variant_answers(loaded: Dataset, reading: Reading, *, seed: int) -> dict[str, Table]:
    """Tables of answers to questions with demographic variants by stem, those that have rows.

    Args:
        loaded: The data.
        reading: How they are read.
        seed: Of every bootstrap.

    Raises:
        InputError: The answers cannot be counted so.
    """
    answers = [
        answer_results(
            one,
            by=recorded_columns(loaded.variants),
            rule=VoteRule(voters="all", ties=reading.ties),
            threshold=None if one.kind == "closed" else reading.threshold,
            min_size=reading.min_size,
            qrels=judgements(loaded),
            answerable=reading.answerable,
            seed=seed,
        )
        for one in loaded.variants
    ]
    return _with_rows("variants", variant_tables(answers=of_one_table(answers))) if answers else {}


def _with_rows(kind: str, tables: Mapping[str, Table]) -> dict[str, Table]:
    return {f"{kind}-{stem}": table for stem, table in tables.items() if table.rows}
