"""How few queries make the difference of two systems."""

import numpy as np
import pytest

from fairviz.display.table import Column
from fairviz.studies.queries.analysis import QueryMeasures, difference_finding, fewest_queries


def beside(first: list[float], second: list[float]) -> QueryMeasures:
    """Two systems by one measure."""

    def one(name: str, values: list[float]) -> QueryMeasures:
        n = len(values)
        return QueryMeasures(
            name=name,
            query_ids=tuple(f"q{i}" for i in range(n)),
            columns=(Column("nDCG@10", "nDCG@10", "number"),),
            values=np.array(values)[:, None],
            along=np.empty((n, 0)),
            alphas=np.empty(0),
            along_label="",
        )

    return one("A", first).compared_with(one("B", second))


@pytest.mark.parametrize(
    ("differences", "n"),
    [
        ([0.6, 0.1, -0.2, 0.5], 1),  # D = 1.0, 0.6 ≥ 0.5
        ([0.25, 0.25, 0.25, 0.25], 2),  # half of 1 by two quarters
        ([-0.4, 0.1, -0.3, -0.2], 1),  # D = −0.8, 0.4 ≥ 0.4
        ([0.5, -0.5], 0),
        ([0.9, -0.8], 1),  # D = 0.1: the first alone makes nine times as much
    ],
)
def test_the_fewest_queries_that_make_half(differences: list[float], n: int) -> None:
    assert fewest_queries(np.array(differences)) == n


def test_few_queries_make_the_difference() -> None:
    # Differences: 0.6, 0.4, eight of 0.05 and two of −0.1; D = 1.0 + 0.4 − 0.2 = 1.2, mean 0.1.
    # 0.6 makes half of 1.2, 50 %; two go the other way.
    second = [0.2] * 12
    first = [0.8, 0.6, *[0.25] * 8, 0.1, 0.1]
    finding = difference_finding(beside(first, second), "nDCG@10")
    assert finding.title == "1 of 12 queries makes 50\u202f% of the difference"
    assert finding.sentence.startswith("A minus B, nDCG@10: +0.100 on average (no significant difference)")
    assert finding.sentence.endswith("2 queries go the other way.")


def test_a_difference_that_is_none_by_chance_says_so() -> None:
    finding = difference_finding(beside([0.5, 0.6] * 6, [0.2] * 12))
    # 6 × 0.4 + 6 × 0.3 = 4.2: five times 0.4 are 2.0 and less than half, six are 2.4
    assert finding.title == "6 of 12 queries make 57\u202f% of the difference"
    assert "significant, p < 0.001" in finding.sentence


def test_what_has_no_difference_has_no_share() -> None:
    finding = difference_finding(beside([0.5, 0.3], [0.3, 0.5]))
    assert finding.title == "No difference in nDCG@10 on average"
    assert difference_finding(beside([np.nan], [0.3])) is None
    finding = difference_finding(beside([0.5, np.nan, 0.4], [0.3, 0.1, 0.4]))
    assert "(too few to test)" in finding.sentence
    assert "of 2 queries" in finding.title
