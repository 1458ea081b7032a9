import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.compare import MeasuredSystems, direction, measured_systems
from fairviz.metrics.describe import Better
from fairviz.metrics.spec import parse_measures
from fairviz.model import Scores
from fairviz.studies.agreement.pairs import Agreement, PairAgreement, agreement, consistent_pairs


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
        table(
            [[1, inf, nan], [2, 3, nan], [3, -2, 1], [nan, 1, 2]],
            ("higher", "closest to 0", "lower"),
        )
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
    assert [(p.measure_a, p.measure_b, p.taus) for p in result] == [
        ("B", "C", (-0.5, -0.4)),
        ("A", "B", (0.9, 0.2)),
    ]
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
        [
            scores("a", "nDCG@5", 0.5, 0.7),
            scores("a", "EED@5", 0.25),
            scores("b", "nDCG@5", float("nan")),
        ],
        specs,
    )
    assert result.systems == ("a", "b")
    assert result.measures == ("nDCG@5", "EED@5")
    assert result.better == ("higher", "lower")
    np.testing.assert_allclose(result.values, [[0.6, 0.25], [np.nan, np.nan]])


def test_directions_are_the_catalogues() -> None:
    assert [direction(spec) for spec in parse_measures(["EED@5 EER@5 nDCG@5"])] == [
        "lower",
        "higher",
        "higher",
    ]


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
