"""Agreement of measures by hand: tau and chance, tables, and what is said of it."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.rankings import Refusal
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset, Scores
from fairviz.studies.agreement.analysis import (
    analyse,
    consistent_table,
    left_out_table,
    pairs_table,
    systems_table,
    tables,
)
from fairviz.studies.agreement.correlations import PAIRS, Agreement, agreement_of, consistent_pairs, values_of
from fairviz.studies.agreement.findings import (
    agreement_sentence,
    agreement_title,
    chance_sentence,
    choice_sentences,
    consistent_sentence,
    consistent_title,
)
from fairviz.studies.agreement.orders import Orders
from fairviz.studies.agreement.settings import AgreementSettings
from fairviz.studies.ranks.analysis import SERIES, RankSeries, correlation_table, series_correlations, series_table
from tests.nouns import qrels_of, run_of


def found(values: list[list[float]], *measures: str) -> Agreement:
    """τ of measures from a row of values per system."""
    scored = [
        scores(f"s{i}", name, *[value] * 10)
        for i, row in enumerate(values)
        for name, value in zip(measures, row, strict=True)
    ]
    return agreement_of(values_of(scored, parse_measures(list(measures))), name="data")


def taus(of: Agreement) -> list[float]:
    return of.pairs["tau"].to_list()


def pairs_of(*pairs: tuple[str, str, float, int], few: bool = False, name: str = "data") -> Agreement:
    """Agreement of which the pairs are known: measures, τ, systems."""
    table = pl.DataFrame([(*pair, few) for pair in pairs], schema=PAIRS, orient="row")
    return Agreement(name, "c", table, pl.DataFrame())


def scores(system: str, measure: str, *values: float) -> Scores:
    ids = tuple(map(str, range(len(values))))
    return Scores(system=system, measure=measure, query_ids=ids, values=np.array(values))


def test_each_measure_is_turned_to_its_own_ideal() -> None:
    # all three put s0 before s1 before s2
    result = found([[3, 0.1, 0.0], [2, 0.2, -0.5], [1, 0.3, 0.9]], "AP", "AWRF", "logDP")
    assert result.pairs.rows() == [
        ("AP", "AWRF", 1.0, 3, False),
        ("AP", "logDP", 1.0, 3, False),
        ("AWRF", "logDP", 1.0, 3, False),
    ]
    assert result.measures == ["AP", "AWRF", "logDP"]


def test_undefined_leave_the_pair_and_infinite_stay() -> None:
    inf, nan = np.inf, np.nan
    result = found([[1, inf, nan], [2, 3, nan], [3, -2, 1], [nan, 1, 2]], "AP", "logDP", "AWRF")
    # AP and logDP over s0–s2: |logDP| = ∞, 3, 2, so higher AP is nearer 0 in logDP
    # logDP and AWRF over s2, s3: |logDP| = 2 and 1, AWRF = 1 and 2: reversed
    assert result.pairs["n_systems"].to_list() == [3, 1, 2]
    np.testing.assert_equal(taus(result), [1.0, nan, -1.0])
    assert result.defined["tau"].to_list() == [-1.0, 1.0]


def test_no_measure_no_system() -> None:
    assert found([], "AP").pairs.is_empty()
    lonely = found([[1, 2]], "AP", "nDCG")
    assert math.isnan(taus(lonely)[0])
    assert lonely.n_systems == 1
    assert lonely.beyond_chance.is_empty()


@pytest.mark.parametrize(("tau", "n", "rare"), [(-1.0, 5, 1), (0.8, 5, 0), (1.0, 4, 0), (float("nan"), 9, 0)])
def test_beyond_chance(tau: float, n: int, rare: int) -> None:
    # 5 systems: only |τ| = 1 is rare enough (2 of 120 orders)
    assert pairs_of(("A", "B", tau, n)).beyond_chance.height == rare


def test_beyond_chance_accounts_for_the_number_of_pairs() -> None:
    # 5 systems, |τ| = 1 has probability 1/60: below 5 %, but not below 5 % / 6
    names = [(a, b) for i, a in enumerate("ABCD") for b in "ABCD"[i + 1 :]]
    assert pairs_of(*((*pair, -1.0, 5) for pair in names)).beyond_chance.is_empty()
    many = zip(names, (0.9, 0.1, -0.5, 0.2, -0.9, float("nan")), strict=True)
    told = pairs_of(*((*pair, tau, 30) for pair, tau in many)).beyond_chance
    assert told["tau"].to_list() == [-0.9, -0.5, 0.9]


def test_pairs_that_keep_their_sign_strongest_first() -> None:
    def one(name: str, *taus: float) -> Agreement:
        names = [("A", "B"), ("A", "C"), ("B", "C")]
        return pairs_of(*((*pair, tau, 9) for pair, tau in zip(names, taus, strict=True)), name=name)

    first, second = one("one", 0.9, 0.3, -0.5), one("two", 0.2, -0.3, -0.4)
    result = consistent_pairs([first, second])
    assert result.select("measure_a", "measure_b", "taus", "weakest").rows() == [
        ("B", "C", [-0.5, -0.4], 0.4),
        ("A", "B", [0.9, 0.2], 0.2),
    ]
    nan = float("nan")
    assert consistent_pairs([first, one("three", nan, 0.0, 1.0)]).is_empty()
    assert consistent_pairs([first]).height == 3


def test_scores_become_a_frame() -> None:
    nan = float("nan")
    scored = [scores("a", "nDCG@5", 0.5, 0.7), scores("a", "EED@5", 0.25), scores("b", "nDCG@5", nan)]
    result = values_of(scored, parse_measures(["nDCG@5 EED@5 EU"]))
    assert result["system"].to_list() == ["a", "a", "b"]
    assert result["better"].to_list() == ["higher", "lower", "higher"]
    assert result["n_undefined"].to_list() == [0, 0, 1]
    np.testing.assert_allclose(result["value"], [0.6, 0.25, nan])
    np.testing.assert_allclose(result["turned"], [0.6, -0.25, nan])


@given(st.lists(st.tuples(*[st.floats(-3, 3)] * 3), min_size=2, max_size=8))
def test_rising_transforms_change_nothing(rows: list[tuple[float, float, float]]) -> None:
    values, names = np.round(np.array(rows), 3), ("AP", "AWRF", "logDP")
    before, after = found(values.tolist(), *names), found((values * 7).tolist(), *names)
    assert taus(before) == pytest.approx(taus(after), nan_ok=True)


def test_nothing_is_said_of_measures_over_too_few_queries() -> None:
    """Nine queries: τ stands there, the pair is of those of which nothing is told; ten say something."""
    for n in (9, 10):
        scored = [scores(f"s{i}", name, *[float(i)] * n) for i in range(12) for name in ("nDCG@10", "nDCG@5")]
        result = agreement_of(values_of(scored, parse_measures(["nDCG@10", "nDCG@5"])), name="data")
        assert result.defined["tau"].to_list() == [1]
        said = result.reported, result.beyond_chance, consistent_pairs([result, result])
        assert {pairs.height for pairs in said} == {int(n == 10)}


def test_tables_hold_every_number() -> None:
    table = pairs_table([of(0.5, NAN, -0.25)])
    assert table.keys == ("measure_a", "measure_b", "tau", "n_systems", "data")
    assert table.rows[2] == ("logEUR", "FAIR(irm='nDCG')@10", -0.25, 16, "data")
    values = values_of([scores("a", "AWRF", 0.1), scores("a", "logDP", -0.5)], parse_measures(["AWRF", "logDP"]))
    systems = systems_table(agreement_of(values, name="data"))
    assert systems.keys == ("system", "AWRF", "logDP")
    assert systems.headings == ("system", "AWRF ↓", "logDP →0")
    assert systems.rows == (("a", 0.1, -0.5),)
    twice = [Refusal(system, "PreF", "two groups") for system in "ab"]
    sides = [of(0.5)._replace(name=name, refused=tuple(twice)) for name in ("region", "size")]
    assert left_out_table(sides).rows == (("PreF", "region and size", 2, "two groups"),)
    pair = consistent([("A", "B", (0.5, 0.25))])
    assert consistent_table(pair, ["x", "y"]).rows == (("A", "B", 0.5, 0.25),)
    both = tables([agreement_of(values, name=name) for name in "xy"], pair)["values"]
    assert [row[-1] for row in both.rows] == ["x", "x", "y", "y"]


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


NAN = float("nan")


def of(*taus: float, n: int = 16, few: bool = False) -> Agreement:
    names = [("AWRF", "logEUR"), ("AWRF", "FAIR(irm='nDCG')@10"), ("logEUR", "FAIR(irm='nDCG')@10")]
    return pairs_of(*((*pair, tau, n) for pair, tau in zip(names, taus, strict=False)), few=few)


ORDERS = Orders("data", pl.DataFrame(), pl.DataFrame(), {}, {})
"""Of few systems, whose tests say what there is to say."""


def consistent(pairs: list[tuple[str, str, tuple[float, ...]]], *, beyond_chance: bool = True) -> pl.DataFrame:
    columns = "measure_a", "measure_b", "taus", "weakest", "beyond_chance"
    rows = [(a, b, list(taus), min(map(abs, taus)), beyond_chance) for a, b, taus in pairs]
    return pl.DataFrame(rows, schema=columns, orient="row")


@pytest.mark.parametrize(
    ("found", "title"),
    [
        (of(-0.7, 0.9, -0.1), "AWRF and logEUR disagree on the order of the 16 systems (τ = −0.70)"),
        # −0.4 is beyond what chance gives one pair (0.38), not the worst of three
        (
            of(-0.4, 0.9, 0.1),
            "1 of 3 pairs of measures agrees significantly on the order of the 16 systems, none disagrees",
        ),
        (
            of(0.8, 0.9, 0.1),
            "2 of 3 pairs of measures agree significantly on the order of the 16 systems, none disagrees",
        ),
        (of(-0.1, 0.2, 0.1), "No two of 3 measures agree or disagree significantly on the order of the 16 systems"),
        (
            of(0.8, 0.9, NAN),
            "2 of 2 pairs of measures agree significantly on the order of the 16 systems, none disagrees",
        ),
        (of(0.8, 0.9, 0.7), "All 3 measures agree on the order of the 16 systems (τ at least 0.70)"),
        (of(-1.0, 1.0, -1.0, n=4), "With 4 systems we cannot say which of 3 measures agree"),
        (of(-1.0, 1.0, -1.0, n=9)._replace(orders=ORDERS), "With 9 systems we cannot say which of 3 measures agree"),
        (of(NAN, NAN, NAN), "No two measures order the 16 systems: values are undefined or equal"),
        (of(NAN, NAN, NAN, n=1), "One system has no order that measures could agree on"),
        (of(), "Nothing to compare: no system has a value"),
    ],
)
def test_the_title_holds_for_every_outcome(found: Agreement, title: str) -> None:
    assert agreement_title(found) == title


def test_systems_without_a_value_have_no_orders_to_test() -> None:
    systems = tuple(run_of({"q": {"a": 1.0, "b": 0.5}}, system=name) for name in "xy")
    data = Dataset(name="none", runs=systems, qrels=(qrels_of({"q": {"a": 1, "b": 1}}),))
    found = analyse(data, AgreementSettings(measures=("EER(rel=1)@1", "EER(rel=2)@1")))
    assert found.findings[0].title == "Nothing to compare: no system has a value"


def test_one_measure_with_values_has_no_other_to_agree_with() -> None:
    systems = tuple(run_of({"q": {"a": 1.0, "b": at}}, system=name) for name, at in (("x", 0.5), ("y", 2.0)))
    data = Dataset(name="one", runs=systems, qrels=(qrels_of({"q": {"a": 1, "b": 0}}),))
    (finding,) = analyse(data, AgreementSettings(measures=("nDCG@1", "AWRF"))).findings
    assert finding.title == "nDCG@1 alone has values: there is no other measure that it could agree with"
    assert finding.sentence == "1 measure could not be computed."


def test_what_it_means_for_a_choice() -> None:
    said = choice_sentences(of(-0.57, 0.95, 0.1))
    assert said[1] == ("AWRF and FAIR@10 order the systems most alike (τ = 0.95): reporting both adds little.")
    assert said[2] == ("AWRF and logEUR disagree most (τ = −0.57): report both, or say why one is enough.")
    assert "under 0.38" in said[3]
    assert len(choice_sentences(of(-0.2, 0.1, 0.1))) == 2  # the question, and what chance gives
    assert len(choice_sentences(of(NAN, NAN, NAN))) == 1


def test_chance_is_said_with_the_number_of_pairs() -> None:
    assert "even τ = 1 can be chance" in chance_sentence(of(0.1, 0.2, 0.3, n=4))
    names = [f"m{i}" for i in range(10)]
    many = pairs_of(*((a, b, 0.1, 16) for i, a in enumerate(names) for b in names[i + 1 :]))
    assert chance_sentence(many).endswith("Of 45 pairs expect up to two beyond that by luck.")
    assert "luck" not in chance_sentence(of(0.1, 0.2, 0.3))


def test_the_grey_line_counts_what_is_missing() -> None:
    said = agreement_sentence(of(0.5, NAN, NAN), n_refused=2)
    assert "τ-c" in said
    assert "over 16 systems" in said
    assert "2 pairs undefined (–)" in said
    assert "2 measures could not be computed" in said
    assert "undefined" not in agreement_sentence(of(0.5, 0.1, 0.2))


def test_pairs_that_hold_in_all_data_sets() -> None:
    pairs = consistent([("EEL", "AWRF", (0.8, 0.6)), ("KL", "logDP", (-0.5, -0.3))])
    assert consistent_sentence(pairs, ["region", "size"]) == (
        "1 pair of measures agrees significantly in both data sets (region and size): most of all EEL and AWRF, "
        "τ at least 0.60. 1 pair opposes each other significantly throughout: most of all KL and logDP, τ at "
        "most −0.30."
    )
    both = consistent_title(pairs, ["region", "size"])
    assert both == "1 pair of measures agrees significantly by region and by size, one disagrees"
    assert consistent_title(pairs[1:], ["region", "size"]).startswith("1 pair of measures disagrees significantly")
    unsure = consistent([("EEL", "AWRF", (0.3, 0.2))], beyond_chance=False)
    assert consistent_title(unsure, ["region", "size"]).startswith("No pair of measures agrees or disagrees")
    assert consistent_sentence(unsure, ["region", "size"]) == (
        "1 pair of measures has one sign of τ in both data sets (region and size), none of them significantly."
    )
    assert "No pair" in consistent_sentence(unsure[:0], ["region", "size"])


def test_too_few_queries_have_no_title_and_no_choice() -> None:
    few = of(-1.0, 0.5, few=True)
    assert agreement_title(few) == "Too few queries to compare measures: under ten"
    assert choice_sentences(few) == ("Choosing a measure is choosing a question; these systems cannot show it.",)
