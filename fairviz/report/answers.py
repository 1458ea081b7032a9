"""Numbers of recorded answers, as ``fairviz bias`` and ``fairviz variants`` give them: every recorded column apart."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fairviz.display.table import Table
from fairviz.model import Dataset
from fairviz.studies.demographic_qa import analysis as of_variants
from fairviz.studies.demographic_qa.frames import Answerable
from fairviz.studies.demographic_qa.rows import MIN_SIZE
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.demographic_qa.votes import TieRule
from fairviz.studies.social_bias.analysis import analyse
from fairviz.studies.social_bias.settings import BiasSettings


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
    return _with_rows("bias", analyse(loaded, BiasSettings(unknown=reading.unknown, seed=seed)).tables)


def variant_answers(loaded: Dataset, reading: Reading, *, seed: int) -> dict[str, Table]:
    """Tables of answers to questions with demographic variants by stem, those that have rows.

    Args:
        loaded: The data.
        reading: How they are read.
        seed: Of every bootstrap.

    Raises:
        InputError: The answers cannot be counted so.
    """
    if not loaded.variants:
        return {}
    asked = VariantsSettings(
        vote_ties=reading.ties,
        threshold=reading.threshold if any(one.kind == "open" for one in loaded.variants) else None,
        min_size=reading.min_size,
        answerable=reading.answerable,
        seed=seed,
    )
    return _with_rows("variants", of_variants.analyse(replace(loaded, runs=()), asked).tables)


def _with_rows(kind: str, tables: Mapping[str, Table]) -> dict[str, Table]:
    return {f"{kind}-{stem}": table for stem, table in tables.items() if table.rows}
