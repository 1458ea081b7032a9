"""Agreement of measures by hand: tau and chance, tables, and what is said of it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.compare import MeasuredSystems, direction, measured_systems
from fairviz.evaluation.rankings import Refusal
from fairviz.metrics.describe import Better
from fairviz.metrics.spec import parse_measures
from fairviz.model import Scores
from fairviz.studies.agreement.columns import consistent_table, left_out_table, pairs_table, systems_table
from fairviz.studies.agreement.findings import (
    agreement_sentence,
    agreement_title,
    chance_sentence,
    choice_sentences,
    consistent_sentence,
    consistent_title,
)
from fairviz.studies.agreement.pairs import Agreement, ConsistentPair, PairAgreement, agreement, consistent_pairs
from fairviz.studies.ranks.columns import correlation_table, series_table
from fairviz.studies.ranks.series import SERIES, RankSeries, series_correlations


def table(values: list[list[float]], better: tuple[Better, ...]) -> MeasuredSystems:
    array = np.array(values, dtype=float).reshape(len(values), len(better))
    return MeasuredSystems(
        name="data",
        systems=tuple(f"s{i}" for i in range(len(array))),
        measures=tuple("ABCDEF"[: len(better)]),
        better=better,
        values=array,
    )


def scores(system: str, measure: str, *values: float) -> Scores:
    ids = tuple(map(str, range(len(values))))
    return Scores(system=system, measure=measure, query_ids=ids, values=np.array(values))


def test_each_measure_is_turned_to_its_own_ideal() -> None:
    # all three put s0 before s1 before s2
    result = agreement(table([[3, 0.1, 0.0], [2, 0.2, -0.5], [1, 0.3, 0.9]], ("higher", "lower", "closest to 0")))
    assert [(p.measure_a, p.measure_b) for p in result.pairs] == [("A", "B"), ("A", "C"), ("B", "C")]
    assert [p.tau for p in result.pairs] == [1, 1, 1]
    assert [p.n_systems for p in result.pairs] == [3, 3, 3]


def test_a_reversed_pair_and_its_matrix() -> None:
    result = agreement(table([[1, 1], [2, 2], [3, 3]], ("higher", "lower")))
    assert result.pairs[0].tau == -1
    assert result.pairs[0].tau == -1


def test_undefined_leave_the_pair_and_infinite_stay() -> None:
    inf, nan = np.inf, np.nan
    result = agreement(
        table([[1, inf, nan], [2, 3, nan], [3, -2, 1], [nan, 1, 2]], ("higher", "closest to 0", "lower"))
    )
    # A and B over s0–s2: |B| = ∞, 3, 2, so higher A is nearer 0 in B
    assert result.pairs[0] == PairAgreement("A", "B", 1.0, 3)
    assert result.pairs[1].n_systems == 1
    assert math.isnan(result.pairs[1].tau)
    # B and C over s2, s3: |B| = 2 and 1, C = 1 and 2: reversed
    assert result.pairs[2] == PairAgreement("B", "C", -1.0, 2)
    assert [p.tau for p in result.defined] == [-1.0, 1.0]


def test_no_measure_no_system() -> None:
    assert agreement(table([], ())).pairs == ()
    lonely = agreement(table([[1, 2]], ("higher", "higher")))
    assert math.isnan(lonely.pairs[0].tau)
    assert lonely.pairs[0].n_systems == 1
    assert not lonely.pairs[0].beyond_chance()


def test_beyond_chance() -> None:
    # 5 systems: only |τ| = 1 is rare enough (2 of 120 orders)
    assert PairAgreement("A", "B", -1.0, 5).beyond_chance()
    assert not PairAgreement("A", "B", 0.8, 5).beyond_chance()
    assert not PairAgreement("A", "B", 1.0, 4).beyond_chance()
    assert not PairAgreement("A", "B", float("nan"), 9).beyond_chance()


def test_beyond_chance_accounts_for_the_number_of_pairs() -> None:
    # 5 systems, |τ| = 1 has probability 1/60: below 5 %, but not below 5 % / 6
    names = tuple("ABCD")
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    few = tuple(PairAgreement(a, b, -1.0, 5) for a, b in pairs)
    result = Agreement(name="d", variant="c", measures=names, pairs=few)
    assert result.beyond_chance == ()
    alone = Agreement(name="d", variant="c", measures=("A", "B"), pairs=few[:1])
    assert alone.beyond_chance == few[:1]
    many = tuple(
        PairAgreement(a, b, tau, 30)
        for (a, b), tau in zip(pairs, (0.9, 0.1, -0.5, 0.2, -0.9, float("nan")), strict=True)
    )
    told = Agreement(name="d", variant="c", measures=names, pairs=many).beyond_chance
    assert [one.tau for one in told] == [-0.9, -0.5, 0.9]


def test_pairs_that_keep_their_sign_strongest_first() -> None:
    def one(name: str, *taus: float) -> Agreement:
        names = [("A", "B"), ("A", "C"), ("B", "C")]
        pairs = [PairAgreement(*pair, tau, 9) for pair, tau in zip(names, taus, strict=True)]
        return Agreement(name=name, variant="c", measures=tuple("ABC"), pairs=tuple(pairs))

    first, second = one("one", 0.9, 0.3, -0.5), one("two", 0.2, -0.3, -0.4)
    result = consistent_pairs([first, second])
    assert [(p.measure_a, p.measure_b, p.taus) for p in result] == [("B", "C", (-0.5, -0.4)), ("A", "B", (0.9, 0.2))]
    assert [p.agrees for p in result] == [False, True]
    nan = float("nan")
    assert consistent_pairs([first, one("three", nan, 0.0, 1.0)]) == ()
    assert len(consistent_pairs([first])) == 3
    assert consistent_pairs([]) == ()


def test_a_pair_is_the_same_in_either_order() -> None:
    forth = agreement(table([[1, 2], [2, 5]], ("higher", "higher")))
    back = Agreement(name="b", variant="c", measures=("B", "A"), pairs=(PairAgreement("B", "A", 0.5, 2),))
    assert consistent_pairs([forth, back])[0].taus == (1.0, 0.5)


def test_scores_become_a_table() -> None:
    specs = parse_measures(["nDCG@5 EED@5 EU"])
    result = measured_systems(
        "data",
        [scores("a", "nDCG@5", 0.5, 0.7), scores("a", "EED@5", 0.25), scores("b", "nDCG@5", float("nan"))],
        specs,
    )
    assert result.systems == ("a", "b")
    assert result.measures == ("nDCG@5", "EED@5")
    assert result.better == ("higher", "lower")
    np.testing.assert_allclose(result.values, [[0.6, 0.25], [np.nan, np.nan]])


def test_directions_are_the_catalogues() -> None:
    assert [direction(spec) for spec in parse_measures(["EED@5 EER@5 nDCG@5"])] == ["lower", "higher", "higher"]


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match="shape"):
        table([[1, 2, 3]], ("higher", "lower"))


@given(st.lists(st.tuples(*[st.floats(-3, 3)] * 3), min_size=2, max_size=8))
def test_rising_transforms_change_nothing(rows: list[tuple[float, float, float]]) -> None:
    better: tuple[Better, ...] = ("higher", "lower", "closest to 0")
    values = np.round(np.array(rows), 3)
    before = agreement(table(values.tolist(), better))
    after = agreement(table((values * 7).tolist(), better))
    assert [p.tau for p in before.pairs] == pytest.approx([p.tau for p in after.pairs], nan_ok=True)


def test_nothing_is_said_of_measures_over_too_few_queries() -> None:
    """Nine queries: τ stands there, the pair is of those of which nothing is told; ten say something."""
    for n in (9, 10):
        scored = [scores(f"s{i}", name, *[float(i)] * n) for i in range(12) for name in ("nDCG@10", "nDCG@5")]
        found = agreement(measured_systems("data", scored, parse_measures(["nDCG@10", "nDCG@5"])))
        assert [pair.tau for pair in found.defined] == [1]
        assert len(found.told) == len(found.beyond_chance) == len(consistent_pairs([found, found])) == (n == 10)


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


NAN = float("nan")


def of(*taus: float, n: int = 16) -> Agreement:
    names = [("AWRF", "logEUR"), ("AWRF", "FAIR(irm='nDCG')@10"), ("logEUR", "FAIR(irm='nDCG')@10")]
    pairs = tuple(PairAgreement(*pair, tau, n) for pair, tau in zip(names, taus, strict=False))
    return Agreement(name="data", variant="c", measures=("AWRF", "logEUR", "FAIR(irm='nDCG')@10"), pairs=pairs)


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
        (of(0.8, 0.9, 0.7), "All 3 measures agree on the order of the 16 systems (τ at least 0.70)"),
        (of(-1.0, 1.0, -1.0, n=4), "With 4 systems we cannot say which of 3 measures agree"),
        (of(NAN, NAN, NAN), "No two measures order the 16 systems: values are undefined or equal"),
        (of(NAN, NAN, NAN, n=1), "One system has no order that measures could agree on"),
        (of(), "Nothing to compare: no system has a value"),
    ],
)
def test_the_title_holds_for_every_outcome(found: Agreement, title: str) -> None:
    assert agreement_title(found) == title


def test_what_it_means_for_a_choice() -> None:
    said = choice_sentences(of(-0.57, 0.95, 0.1))
    assert said[1] == ("AWRF and FAIR@10 order the systems most alike (τ = 0.95): reporting both adds little.")
    assert said[2] == ("AWRF and logEUR disagree most (τ = −0.57): report both, or say why one is enough.")
    assert "under 0.38" in said[3]
    weak = choice_sentences(of(-0.2, 0.1, 0.1))
    assert ", not significant" in weak[1]
    assert not any("most alike" in text for text in weak)
    assert len(choice_sentences(of(NAN, NAN, NAN))) == 1


def test_chance_is_said_with_the_number_of_pairs() -> None:
    assert "even τ = 1 can be chance" in chance_sentence(of(0.1, 0.2, 0.3, n=4))
    many = Agreement(
        name="d", variant="b", measures=("A",) * 10, pairs=tuple(PairAgreement("A", "B", 0.1, 16) for _ in range(45))
    )
    assert chance_sentence(many).endswith("Of 45 pairs expect up to two beyond that by luck.")
    assert "luck" not in chance_sentence(of(0.1, 0.2, 0.3))


def test_the_grey_line_counts_what_is_missing() -> None:
    said = agreement_sentence(of(0.5, NAN, NAN), n_refused=2)
    assert "τ-c" in said
    assert "over 16 systems" in said
    assert "2 pairs undefined (hatched)" in said
    assert "2 measures could not be computed" in said
    assert "undefined" not in agreement_sentence(of(0.5, 0.1, 0.2))


def test_pairs_that_hold_in_all_data_sets() -> None:
    pairs = [ConsistentPair("EEL", "AWRF", (0.8, 0.6), True), ConsistentPair("KL", "logDP", (-0.5, -0.3), True)]
    assert consistent_sentence(pairs, ["region", "size"]) == (
        "1 pair of measures agrees significantly in both data sets (region and size): most of all EEL and AWRF, "
        "τ at least 0.60. 1 pair opposes each other significantly throughout: most of all KL and logDP, τ at "
        "most −0.30."
    )
    both = consistent_title(pairs, ["region", "size"])
    assert both == "1 pair of measures agrees significantly by region and by size, one disagrees"
    assert consistent_title(pairs[1:], ["region", "size"]).startswith("1 pair of measures disagrees significantly")
    unsure = [ConsistentPair("EEL", "AWRF", (0.3, 0.2))]
    assert consistent_title(unsure, ["region", "size"]).startswith("No pair of measures agrees or disagrees")
    assert consistent_sentence(unsure, ["region", "size"]) == (
        "1 pair of measures has one sign of τ in both data sets (region and size), none of them significantly."
    )
    assert "No pair" in consistent_sentence([], ["region", "size"])


def test_too_few_queries_have_no_title_and_no_choice() -> None:
    few = replace(of(-1.0, 0.5), pairs=tuple(pair._replace(few=True) for pair in of(-1.0, 0.5).pairs))
    assert agreement_title(few) == "Too few queries to compare measures: under ten"
    assert choice_sentences(few) == ("Choosing a measure is choosing a question; these systems cannot show it.",)
