"""Titles about groups: every branch, numbers counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.model import FloatArray
from fairviz.stats.bootstrap import Intervals
from fairviz.studies.groups.attainable import Attainable
from fairviz.studies.groups.by_rank import RankBins
from fairviz.studies.groups.findings import (
    attainable_notes,
    bounds_sentence,
    bounds_title,
    by_rank_title,
    gap_words,
    headline,
    off_target_groups,
    per_item_title,
    unknown_sentence,
    unknown_title,
)
from fairviz.studies.groups.off_target import DistanceRange, ShareRange, off_target
from fairviz.studies.groups.shares import GroupExposure, corrected_intervals, share_intervals

P = "\u202f%"
NAN = float("nan")


def exposure(
    attention: list[list[float]],
    unlabelled: list[float],
    candidates: list[list[float]] | None = None,
) -> GroupExposure:
    rows = np.array(attention)
    rest = np.array(unlabelled)
    return GroupExposure(
        system="sys",
        groups=("women", "men"),
        query_ids=tuple(f"q{i}" for i in range(len(rows))),
        attention=rows,
        unlabelled=rest,
        places=rows,
        unlabelled_places=rest,
        candidates=rows if candidates is None else np.array(candidates),
        unlabelled_candidates=rest,
    )


def ends(low: list[float], high: list[float]) -> Intervals:
    return Intervals(np.array(low), np.array(high))


HALVES = exposure([[3.0, 1.0], [1.0, 3.0]] * 5 + [[0.0, 0.0]], [0.0] * 10 + [4.0])
"""Ten queries with labelled attention, 40 in all, and one without: 4 of 44 unlabelled."""


def test_a_group_off_target_is_named() -> None:
    result = exposure([[3.0, 1.0]] * 12, [0.0] * 12)
    said = headline(result, ends([0.7, 0.2], [0.8, 0.3]), np.array([0.5, 0.5]), where="Here.")
    assert said.title == (f"Documents labelled “women” get 75{P} of labelled attention; your target is 50{P}")
    assert said.sentence == "Here. 12 of 12 queries have labelled documents there."


def test_what_does_not_differ_significantly_is_not_claimed() -> None:
    said = headline(HALVES, ends([0.2, 0.2], [0.8, 0.8]), np.array([0.6, 0.4]), where="Here.")
    assert said.title == "No group's share of labelled attention differs significantly from your target"
    assert said.sentence == (
        f"Here. 10 of 11 queries have labelled documents there. 9{P} of attention goes to unlabelled documents."
    )
    on_it = headline(HALVES, ends([0.2, 0.2], [0.8, 0.8]), np.array([0.5, 0.5]), where="")
    assert on_it.title == "Every group's share of labelled attention is on your target"


def test_a_larger_gap_that_is_not_significant_does_not_win() -> None:
    # women 50 against 20 within their wide interval; men 50 against 45, outside of theirs
    said = headline(HALVES, ends([0.1, 0.48], [0.9, 0.52]), np.array([0.2, 0.45]), where="")
    assert said.title.startswith("Documents labelled “men” get 50")


def test_close_numbers_show_a_decimal() -> None:
    said = headline(HALVES, ends([0.499, 0.4], [0.501, 0.6]), np.array([0.496, 0.504]), where="")
    assert f"get 50.0{P}" in said.title
    assert f"is 49.6{P}" in said.title


def test_too_little_is_said_to_be_so() -> None:
    unknown, half = ends([0.9, 0.0], [1.0, 0.1]), np.array([0.5, 0.5])
    few = headline(exposure([[1.0, 0.0]] * 9, [0.0] * 9), unknown, half, where="Here.")
    none = headline(exposure([[0.0, 0.0]], [1.0]), unknown, half, where="")
    assert few.title == "Too few queries with labelled documents to compare with a target"
    assert few.sentence.endswith("A comparison needs at least ten.")
    assert none.title == "No attention falls on a labelled document"
    ten = headline(exposure([[1.0, 0.0]] * 10, [0.0] * 10), unknown, half, where="")
    assert ten.title.startswith("Documents labelled “women” get 100")


def test_one_group_is_compared_with_nothing() -> None:
    alone = replace(HALVES, groups=("women",), attention=HALVES.attention[:, :1])
    said = headline(alone, ends([0.9], [1.0]), np.array([1.0]), where="")
    assert said.title == "Only one group, “women”: nothing to compare"


def test_much_unlabelled_attention_allows_a_verdict_only_where_no_labelling_would_change_it() -> None:
    """8 to 0 with 5 unlabelled of 13: women have 62 to 100 %, whatever the labels: not 50, but perhaps 70."""
    rows = exposure([[0.8, 0.0]] * 10, [0.5] * 10)
    certain = ends([0.95, 0.0], [1.0, 0.05])
    said = headline(rows, certain, np.array([0.5, 0.5]), where="")
    assert said.title.startswith("Documents labelled “women” get 100")
    open_to = headline(rows, certain, np.array([0.7, 0.3]), where="")
    assert open_to.title == f"38{P} of attention goes to unlabelled documents: no verdict on your target"


def test_at_most_one_page_of_twenty_without_any_difference_claims_one() -> None:
    """Null worlds: five groups whose mean attention is at the target; 95 % intervals of each claim far more."""
    rng = np.random.default_rng(0)
    target = np.full(5, 0.2)
    corrected = single = 0
    for _ in range(60):
        rows = rng.dirichlet(target * 4, size=40) * 4.0
        world = replace(exposure(rows.tolist(), [0.0] * 40), groups=tuple("abcde"), unlabelled_candidates=np.zeros(40))
        drawn = share_intervals(world)
        corrected += bool(off_target_groups(world, drawn.shares_corrected, target).any())
        single += bool(off_target_groups(world, drawn.shares, target).any())
    assert corrected <= 6  # 5 % of 60 is 3; more than 6 would be met in 3 % of runs
    assert single > 6


def test_the_unknown_comes_first() -> None:
    assert unknown_title(HALVES) == f"9{P} of attention goes to unlabelled documents"
    assert unknown_sentence(HALVES) == (
        f"Shares of labelled attention describe the other 91{P}: 40 of 44 places seen, in 10 of 11 queries."
    )
    assert "has a label" in unknown_title(exposure([[1.0, 1.0]], [0.0]))


@pytest.mark.parametrize(
    ("share", "low", "high", "said"),
    [
        (0.34, 0.26, 0.42, f"34{P}, 11 points under"),
        (0.6, 0.5, 0.7, f"60{P}, 15 points over"),
        (0.5, 0.42, 0.59, f"50{P}, not significantly different from 45{P}"),
        (0.4501, 0.42, 0.59, f"45{P}, on target"),
        (0.453, 0.452, 0.454, f"45{P}, 0.3 points over"),
        (0.5, NAN, NAN, f"50{P}, no verdict"),
        (NAN, NAN, NAN, "undefined: no labelled attention"),
    ],
)
def test_words_beside_a_group(share: float, low: float, high: float, said: str) -> None:
    assert gap_words(share, low, high, 0.45) == said


def test_what_re_ranking_cannot_do() -> None:
    reach = Attainable(
        low=np.array([0.0, 0.8]),
        high=np.array([0.2, 1.0]),
        without=np.array([92, 1]),
        n_queries=618,
    )
    said = attainable_notes(reach, np.array([0.45, 0.55]), ("women", "men"), noun=("question", "questions"))
    assert said == [
        f"Your target of 45{P} for documents labelled “women” is out of reach: no re-ranking of "
        f"these candidates gives them more than 20{P}.",
        f"Your target of 55{P} for documents labelled “men” is out of reach: no re-ranking of these "
        f"candidates gives them less than 80{P}.",
        "Re-ranking cannot add documents: 92 of 618 questions retrieved no document labelled “women” "
        "and 1 of 618 questions retrieved no document labelled “men”.",
    ]
    inside = Attainable(low=np.array([0.0, 0.0]), high=np.array([1.0, 1.0]), without=np.array([0, 0]), n_queries=9)
    assert attainable_notes(inside, np.array([0.5, 0.5]), ("a", "b"), noun=("q", "qs")) == []


def bins(first: list[float], last: list[float], p: float) -> RankBins:
    shares = np.array([first, last])
    return RankBins(
        first=np.array([1, 3]),
        last=np.array([2, 9]),
        n=np.array([2000.0, 2000.0]),
        shares=shares,
        low=shares,
        high=shares,
        p=np.full(2, p),
    )


def test_the_top_against_what_is_below() -> None:
    said = by_rank_title(bins([0.24, 0.76], [0.12, 0.88], 0.01), ("both", "one"))
    assert said == (f"Documents labelled “both” hold 24{P} of labelled places at ranks 1–2 and 12{P} at ranks 3–9")
    wide = by_rank_title(bins([0.24, 0.76], [0.12, 0.88], 0.06), ("both", "one"))
    assert wide == "No group's share of labelled places differs significantly between ranks 1–2 and ranks 3–9"
    few = by_rank_title(bins([0.24, 0.76], [0.12, 0.88], 0.01), ("both", "one"), few=True)
    assert few == "Too few labelled places to compare ranks: 4\u202f000 in all"
    alike = by_rank_title(bins([0.24, 0.76], [0.23, 0.77], float("nan")), ("both", "one"))
    assert alike == "No group's share of labelled places differs significantly between ranks 1–2 and ranks 3–9"
    alone = by_rank_title(bins([1.0, 0.0], [1.0, 0.0], 0.01), ("both", "one"))
    assert alone == "Documents labelled “both” hold every labelled place down to rank 9"


def test_attention_per_document() -> None:
    # women 2 attention on 2 candidates, men 2 on 8, in each of ten queries
    result = exposure([[2.0, 2.0]] * 10, [0.0] * 10, [[2.0, 8.0]] * 10)
    assert per_item_title(result, ends([1.5, 0.3], [3.0, 0.9])) == (
        "On average a document labelled “women” gets 4.0 times the attention of a document labelled “men”"
    )
    unsure = per_item_title(result, ends([0.5, 0.3], [3.0, 0.9]))
    assert unsure == "Attention per document does not differ significantly between groups"
    nothing = exposure([[2.0, 0.0]] * 10, [0.0] * 10, [[2.0, 8.0]] * 10)
    assert per_item_title(nothing, ends([1.5, 0], [3.0, 0])) == "Documents labelled “men” get no attention at all"
    by_chance = per_item_title(nothing, ends([0.9, 0], [3.0, 1.2]))
    assert by_chance == "Attention per document does not differ significantly between groups"
    few = exposure([[2.0, 2.0]] * 9, [0.0] * 9, [[2.0, 8.0]] * 9)
    assert per_item_title(few, ends([1.5, 0.3], [3.0, 0.9])) == "Too few queries to compare attention per document"


def test_missing_labels_leave_room_or_not() -> None:
    wide = ShareRange(np.array([0.1, 0.1]), np.array([0.9, 0.9]))
    tight = ShareRange(np.array([0.7, 0.1]), np.array([0.9, 0.3]))
    target = np.array([0.5, 0.5])
    assert "could be on its target or off it" in bounds_title(wide, target, ("women", "men"))
    assert bounds_title(tight, target, ("women", "men")) == (
        "Both groups miss the target however unlabelled documents are counted"
    )
    one = ShareRange(np.array([0.7, 0.1]), np.array([0.9, 0.5]))
    assert bounds_title(one, target, ("women", "men")) == (
        "Documents labelled “women” miss the target however unlabelled documents are counted"
    )
    assert bounds_sentence(DistanceRange(1.0, 1.001), 1.0) == (
        "On labelled attention alone 50.0 points are off target; the missing labels could not change that."
    )
    none = ShareRange(np.array([0.7, 0.3]), np.array([0.7, 0.3]))
    assert bounds_title(none, target, ("women", "men")).startswith("All attention goes to labelled documents")
    assert bounds_sentence(DistanceRange(0.0, 0.8), 0.5) == (
        "On labelled attention alone 25.0 points are off target; if the unlabelled attention were "
        "known, between 0.0 and 40.0 points of all attention would be."
    )


def test_how_far_off_by_hand() -> None:
    # |.6−.5| + |.4−.5| = .2, half of it is .1; .6/.5 = 1.2 and .4/.5 = .8
    result = off_target(np.array([0.6, 0.4]), np.array([[0.6, 0.4]] * 3), np.array([0.5, 0.5]), 12)
    assert result.off == pytest.approx(0.1)
    assert np.isnan(result.interval).all()  # every resample is the same
    assert (result.least, result.most) == (1, 0)
    assert (result.least_ratio, result.most_ratio) == pytest.approx((0.8, 1.2))
    nobody = off_target(np.array([1.0, 0.0]), np.empty((0, 2)), np.array([0.0, 0.0]), 1)
    assert nobody.least == -1


def uneven(rng: np.random.Generator, n_queries: int, target: FloatArray) -> GroupExposure:
    """Ten of fifty candidates of every query are shown by chance; queries lean, the target is their mean."""
    leaning = rng.dirichlet(20 * target, size=n_queries)
    candidates = np.stack([rng.multinomial(50, row) for row in leaning])
    seen = np.stack([rng.multivariate_hypergeometric(row, 10) for row in candidates]).astype(np.float64)
    nothing = np.zeros(n_queries)
    return GroupExposure(
        system="s",
        groups=tuple(f"g{g}" for g in range(target.size)),
        query_ids=tuple(f"q{q}" for q in range(n_queries)),
        attention=seen,
        unlabelled=nothing,
        places=seen,
        unlabelled_places=nothing,
        candidates=candidates.astype(np.float64),
        unlabelled_candidates=nothing,
    )


@pytest.mark.parametrize("n_queries", [14, 40])
def test_a_rare_group_that_chance_leaves_out_misses_no_target(n_queries: int) -> None:
    """Twenty groups, the smallest with 1.4 %: 67 of 100 pages claimed that a group never shown was off target."""
    rng, target = np.random.default_rng(0), 1 / np.arange(1.0, 21.0)
    target /= target.sum()
    worlds = [uneven(rng, n_queries, target) for _ in range(40)]
    said = [headline(world, corrected_intervals(world).shares, target, where="").title for world in worlds]
    claims = sum(" get " in title for title in said)
    assert claims <= 5  # 2 are expected
    left_out = uneven(rng, n_queries, np.array([1.0, 1e-9]))  # never shown, though a fifth is due
    title = headline(left_out, corrected_intervals(left_out).shares, np.array([0.8, 0.2]), where="").title
    assert " get " in title
    alone = corrected_intervals(left_out).shares
    assert alone.low[0] > 0.95  # whoever is alone is as sure as who is never shown
    assert alone.high[1] < 0.05
