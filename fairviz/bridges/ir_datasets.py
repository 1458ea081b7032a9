"""Judgements and scored documents of ir_datasets' catalogue as nouns: ``qrels("vaswani")``, ``run("...")``.

ir_datasets downloads what it has not yet, from where its catalogue says; fairviz asks nothing of any network by itself.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false, reportMissingTypeStubs=false
# ir_datasets has no types.

from typing import Any

import ir_datasets
import pandas as pd

from fairviz.api.nouns import Ranked
from fairviz.api.nouns import qrels as qrels_of
from fairviz.api.nouns import run as run_of
from fairviz.errors import UsageError
from fairviz.model import Qrels


def qrels(dataset: Any, *, subtopics: bool | None = None) -> Qrels:
    """The judgements of a data set.

    Args:
        dataset: Its name in the catalogue, such as "msmarco-passage/trec-dl-2019", or ir_datasets' object.
        subtopics: Whether subtopics count; None: where a document is judged twice for a query.

    Raises:
        UsageError: There is no such data set, or it has no judgements.
        InputError: Judgements cannot be used: names the row and column.
    """
    found, name = _found(dataset, "qrels", "judgements")
    return qrels_of(pd.DataFrame(found.qrels_iter()), name=name, subtopics=subtopics)


def run(dataset: Any) -> Ranked:
    """The scored documents that a data set comes with, those that a re-ranker begins with.

    Args:
        dataset: Its name in the catalogue, or ir_datasets' object.

    Raises:
        UsageError: There is no such data set, or it has no scored documents.
        InputError: Rows cannot be used: names the row and column.
    """
    found, name = _found(dataset, "scoreddocs", "scored documents")
    return run_of(pd.DataFrame(found.scoreddocs_iter()), name=name)


def _found(dataset: Any, kind: str, words: str) -> tuple[Any, str]:
    """The data set and what to call it."""
    try:
        found = ir_datasets.load(dataset) if isinstance(dataset, str) else dataset
    except KeyError:
        raise UsageError(f"ir_datasets has no data set {dataset!r}") from None
    name = (
        dataset if isinstance(dataset, str) else str(getattr(dataset, "dataset_id", lambda: "dataset")() or "dataset")
    )
    if not getattr(found, f"has_{kind}")():
        raise UsageError(f"{name} has no {words}")
    return found, name
