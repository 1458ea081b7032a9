"""Measures of fairviz as metrics of LensKit (2025 and later): ``RunAnalysis().add_metric(Fairness("AWRF@10", ...))``.

A metric is a value of the whole run, the one that :func:`fairviz.evaluate` gives for the same lists: a user is a query,
an item a document, the order of the list the ranking. Items of the test data are relevant; their grade is 1, or what
stands in the field ``grade``.
"""

from typing import Any

from lenskit.data import ItemListCollection
from lenskit.metrics import GlobalMetric

from fairviz.api.functions import evaluate
from fairviz.api.nouns import Labels, Shares
from fairviz.api.nouns import labels as read_labels
from fairviz.api.nouns import target as target_of
from fairviz.metrics.catalogue import parse_measure


class Fairness(GlobalMetric):
    """One measure of fairviz over all lists of a run.

    Args:
        measure: As typed in ``fairviz evaluate``, "AWRF@10"; ``fairviz measures`` lists them.
        groups: Groups of items, whatever :func:`fairviz.groups` reads.
        target: Share of attention of each group, whatever :func:`fairviz.target` reads.
        grade: A field of the test data with whole numbers, how relevant an item is; None: 1 for each.

    Raises:
        UsageError: There is no such measure, or a parameter is not accepted.
        InputError: Groups or target cannot be read.
    """

    def __init__(
        self, measure: str, *, groups: Labels | None = None, target: Shares | None = None, grade: str | None = None
    ) -> None:
        self.measure = parse_measure(measure).text
        self.groups = None if groups is None else read_labels(groups)
        self.target = None if target is None else target_of(target)
        self.grade = grade

    @property
    def label(self) -> str:
        """The measure as it was typed."""
        return self.measure

    def measure_run(self, output: ItemListCollection, test: ItemListCollection, /) -> float:
        """The value of the run; NaN where no list has one."""
        lists, judged = _rows(output), _rows(test)
        lists["score"] = -lists["rank"].astype(float)
        judged["grade"] = judged[self.grade] if self.grade else 1
        result = evaluate(
            lists[["query_id", "doc_id", "score"]],
            judged[["query_id", "doc_id", "grade"]],
            self.measure,
            groups=self.groups,
            target=self.target,
        )
        return float(result.frame()["value"].iloc[0])


def _rows(lists: ItemListCollection) -> Any:
    """A row per item with its list's key as text: parts of a key are joined by "/"."""
    frame: Any = lists.to_df()
    keys = list(lists.key_fields)
    frame["query_id"] = frame[keys].astype(str).agg("/".join, axis=1)
    frame["doc_id"] = frame["item_id"].astype(str)
    return frame
