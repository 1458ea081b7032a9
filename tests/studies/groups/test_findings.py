"""Titles about groups: every branch, numbers counted by hand."""

import numpy as np
import pytest

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
    per_item_title,
    unknown_sentence,
    unknown_title,
)
from fairviz.studies.groups.off_target import DistanceRange, ShareRange, off_target
from fairviz.studies.groups.shares import GroupExposure

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


HALVES = exposure([[3.0, 1.0], [1.0, 3.0], [0.0, 0.0]], [1.0, 1.0, 4.0])
MANY_HALVES = exposure([[3.0, 1.0], [1.0, 3.0], [0.0, 0.0]] * 5, [1.0, 1.0, 4.0] * 5)


def test_a_group_off_target_is_named() -> None:
    result = exposure([[3.0, 1.0]] * 10, [0.0] * 10)
    said = headline(result, np.array([0.01, 0.01]), np.array([0.5, 0.5]), where="Here.")
    assert said.title == (f"Documents labelled women get 75{P} of labelled attention; your target is 50{P}")
    assert said.sentence == "Here. 10 of 10 queries have labelled documents there."


def test_what_cannot_be_told_is_not_claimed() -> None:
    said = headline(MANY_HALVES, np.array([0.2, 0.05]), np.array([0.6, 0.4]), where="Here.")
    assert said.title == "No group's share of labelled attention can be told from your target"
    assert "10 of 15 queries" in said.sentence


def test_a_larger_gap_that_cannot_be_told_does_not_win() -> None:
    # women 50 against 20, uncertain; men 50 against 45, certain
    said = headline(MANY_HALVES, np.array([0.3, 0.01]), np.array([0.2, 0.45]), where="")
    assert said.title.startswith("Documents labelled men get 50")


def test_close_numbers_show_a_decimal() -> None:
    said = headline(MANY_HALVES, np.array([0.01, 0.3]), np.array([0.496, 0.504]), where="")
    assert f"get 50.0{P}" in said.title
    assert f"is 49.6{P}" in said.title


def test_too_little_is_said_to_be_so() -> None:
    unknown = np.array([NAN, NAN])
    one = headline(exposure([[1.0, 0.0]], [0.0]), unknown, np.array([0.5, 0.5]), where="")
    none = headline(exposure([[0.0, 0.0]], [1.0]), unknown, np.array([0.5, 0.5]), where="")
    assert one.title.startswith("One query has labelled documents: too few")
    nine = headline(exposure([[1.0, 0.0]] * 9, [0.0] * 9), np.zeros(2), np.array([0.5, 0.5]), where="")
    assert nine.title.startswith("Nine queries have labelled documents: too few")
    assert none.title == "No attention falls on a labelled document"


def test_the_unknown_comes_first() -> None:
    # 6 of 14 unlabelled; 8 of 14 places in 2 of 3 queries
    assert unknown_title(HALVES) == (f"First of all: 43{P} of attention goes to documents with no label")
    assert unknown_sentence(HALVES) == (
        f"Shares of labelled attention describe the other 57{P}: 8 of 14 places seen, in 2 of 3 queries."
    )
    assert "has a label" in unknown_title(exposure([[1.0, 1.0]], [0.0]))


@pytest.mark.parametrize(
    ("share", "p", "n", "said"),
    [
        (0.34, 0.01, 20, f"34{P}, 11 points under"),
        (0.6, 0.049, 10, f"60{P}, 15 points over"),
        (0.5, 0.05, 20, f"50{P}, not distinguishable from 45{P}"),
        (0.453, 0.01, 20, f"45{P}, 0.3 points over"),
        (0.5, 0.01, 9, f"50{P}, too few queries to compare"),
        (0.5, NAN, 20, f"50{P}, too few queries to compare"),
        (NAN, NAN, 0, "undefined: no labelled attention"),
    ],
)
def test_words_beside_a_group(share: float, p: float, n: int, said: str) -> None:
    assert gap_words(share, p, 0.45, n) == said


def test_what_re_ranking_cannot_do() -> None:
    reach = Attainable(
        low=np.array([0.0, 0.8]),
        high=np.array([0.2, 1.0]),
        without=np.array([92, 1]),
        n_queries=618,
    )
    said = attainable_notes(reach, np.array([0.45, 0.55]), ("women", "men"), noun=("question", "questions"))
    assert said == [
        f"Your target of 45{P} for documents labelled women is out of reach: no re-ranking of "
        f"these candidates gives them more than 20{P}.",
        f"Your target of 55{P} for documents labelled men is out of reach: no re-ranking of these "
        f"candidates gives them less than 80{P}.",
        "Re-ranking cannot add documents: 92 of 618 questions have no candidate labelled women "
        "and 1 of 618 questions has no candidate labelled men.",
    ]
    inside = Attainable(low=np.array([0.0, 0.0]), high=np.array([1.0, 1.0]), without=np.array([0, 0]), n_queries=9)
    assert attainable_notes(inside, np.array([0.5, 0.5]), ("a", "b"), noun=("q", "qs")) == []


def bins(first: list[float], last: list[float], width: float) -> RankBins:
    shares = np.array([first, last])
    return RankBins(
        first=np.array([1, 3]),
        last=np.array([2, 9]),
        n=np.array([40.0, 40.0]),
        shares=shares,
        low=shares - width,
        high=shares + width,
    )


def test_the_top_against_what_is_below() -> None:
    said = by_rank_title(bins([0.24, 0.76], [0.12, 0.88], 0.01), ("both", "one"))
    assert said == (f"Documents labelled both hold 24{P} of labelled places at ranks 1–2 and 12{P} at ranks 3–9")
    wide = by_rank_title(bins([0.24, 0.76], [0.12, 0.88], 0.2), ("both", "one"))
    assert wide.endswith("; the intervals overlap")


def test_a_change_that_can_be_told_comes_before_a_larger_one() -> None:
    shares = np.array([[0.50, 0.20, 0.30], [0.20, 0.32, 0.48]])
    half = np.array([0.3, 0.01, 0.01])
    result = RankBins(
        first=np.array([1, 3]),
        last=np.array([2, 9]),
        n=np.array([40.0, 40.0]),
        shares=shares,
        low=shares - half,
        high=shares + half,
    )
    assert by_rank_title(result, ("a", "b", "c")).startswith("Documents labelled c hold 30")


def test_attention_per_document() -> None:
    # women 4 attention on 4 candidates, men 4 on 16
    result = exposure([[2.0, 2.0]] * 10, [0] * 10, [[2.0, 8.0]] * 10)
    assert per_item_title(result, np.array([[NAN, 0.01], [0.01, NAN]])) == (
        "One of the documents labelled women gets 4.0 times the attention of one of the documents labelled men"
    )
    unsure = per_item_title(result, np.array([[NAN, 0.06], [0.06, NAN]]))
    assert unsure == "Attention per document cannot be told apart between groups"


def test_missing_labels_leave_room_or_not() -> None:
    wide = ShareRange(np.array([0.1, 0.1]), np.array([0.9, 0.9]))
    tight = ShareRange(np.array([0.7, 0.1]), np.array([0.9, 0.3]))
    target = np.array([0.5, 0.5])
    assert "could be on target" in bounds_title(wide, target, ("women", "men"))
    assert bounds_title(tight, target, ("women", "men")) == (
        "Whatever the missing labels are, documents labelled women and men are off target"
    )
    none = ShareRange(np.array([0.7, 0.3]), np.array([0.7, 0.3]))
    assert bounds_title(none, target, ("women", "men")).startswith("Hardly any attention")
    assert bounds_sentence(DistanceRange(0.0, 0.8), 0.5) == (
        "On labelled attention alone 25 points are off target; if the unlabelled attention were "
        "known, between 0 points and 40 points of all attention would be."
    )


def test_how_far_off_by_hand() -> None:
    # |.6−.5| + |.4−.5| = .2, half of it is .1; .6/.5 = 1.2 and .4/.5 = .8
    result = off_target(np.array([0.6, 0.4]), np.array([[0.6, 0.4], [0.7, 0.3], [0.5, 0.5]]), np.array([0.5, 0.5]), 2)
    assert result.off == pytest.approx(0.1)
    assert result.interval == pytest.approx((0.0, 0.2))  # two queries: all that was drawn
    assert (result.least, result.most) == (1, 0)
    assert (result.least_ratio, result.most_ratio) == pytest.approx((0.8, 1.2))
    nobody = off_target(np.array([1.0, 0.0]), np.empty((0, 2)), np.array([0.0, 0.0]), 0)
    assert nobody.least == -1
