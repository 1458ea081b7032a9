"""Numbers of recorded answers, as ``fairviz bias`` and ``fairviz variants`` give them: every recorded column apart."""

from collections.abc import Mapping
from dataclasses import replace

from fairviz.display.table import Table
from fairviz.model import Dataset
from fairviz.studies.demographic_qa import analysis as of_variants
from fairviz.studies.demographic_qa.settings import VariantsSettings
from fairviz.studies.social_bias.analysis import analyse
from fairviz.studies.social_bias.settings import BiasSettings


def bias_answers(loaded: Dataset, asked: BiasSettings) -> dict[str, Table]:
    """Tables of answers to questions with a stereotyped answer by stem, those that have rows.

    Args:
        loaded: The data.
        asked: How they are read.

    Raises:
        InputError: Answers and questions do not join.
    """
    if not (loaded.bias_items and loaded.bias_predictions):
        return {}
    return _with_rows("bias", analyse(loaded, asked).tables)


def variant_answers(loaded: Dataset, asked: VariantsSettings) -> dict[str, Table]:
    """Tables of answers to questions with demographic variants by stem, those that have rows.

    Args:
        loaded: The data.
        asked: How they are read.

    Raises:
        InputError: The answers cannot be counted so.
    """
    if not loaded.variants:
        return {}
    if not any(one.kind == "open" for one in loaded.variants):
        asked = replace(asked, threshold=None)
    return _with_rows("variants", of_variants.analyse(replace(loaded, runs=()), asked).tables)


def _with_rows(kind: str, tables: Mapping[str, Table]) -> dict[str, Table]:
    return {f"{kind}-{stem}": table for stem, table in tables.items() if table.rows}
