"""Agreement and metrics down the ranks as rows."""

import numpy as np
import pytest

from fairviz.evaluation.compare import MeasuredSystems
from fairviz.evaluation.rankings import Refusal
from fairviz.studies.agreement.columns import consistent_table, left_out_table, pairs_table, systems_table
from fairviz.studies.agreement.pairs import ConsistentPair
from fairviz.studies.ranks.columns import correlation_table, series_table
from fairviz.studies.ranks.series import SERIES, RankSeries, series_correlations
from tests.studies.agreement.test_findings import NAN, of


def test_tables_hold_every_number() -> None:
    table = pairs_table([of(0.5, NAN, -0.25)])
    assert table.keys == ("measure_a", "measure_b", "tau", "n_systems", "data")
    assert table.rows[2] == ("logEUR", "FAIR(irm='nDCG')@10", -0.25, 16, "data")
    measured = MeasuredSystems(
        name="data",
        systems=("a",),
        measures=("AWRF", "logDP"),
        better=("lower", "closest to 0"),
        values=np.array([[0.1, -0.5]]),
    )
    assert systems_table(measured).keys == ("system", "AWRF", "logDP")
    assert systems_table(measured).headings == ("system", "AWRF ↓", "logDP →0")
    assert systems_table(measured).rows == (("a", 0.1, -0.5),)
    twice = [Refusal(system, "PreF", "two groups") for system in "ab"]
    assert left_out_table(twice).rows == (("PreF", 2, "two groups"),)
    pair = ConsistentPair("A", "B", (0.5, 0.25))
    assert consistent_table([pair], ["x", "y"]).rows == (("A", "B", 0.5, 0.25),)


def test_series_tables() -> None:
    values = np.random.default_rng(0).random((len(SERIES), 4, 10))
    series = RankSeries(system="s", irm="alpha_nDCG", query_ids=tuple("abcd"), values=values)
    long = series_table([series])
    assert len(long.rows) == len(SERIES) * 10
    assert long.rows[9] == ("s", "FAIR", 10, pytest.approx(values[0, :, 9].mean()), 4)
    result = series_correlations(series, rng=np.random.default_rng(0), n_resamples=20)
    table = correlation_table(result)
    assert len(table.rows) == 4
    assert table.rows[0][:3] == ("s", 10, "nDCG")
    assert table.rows[0][7] == 10
    assert table.rows[0][-1] == 4
