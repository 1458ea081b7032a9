"""Membership and targets by hand: soft, missing and per-query labels, presets, unlabelled items."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import fairviz as fv
from fairviz.errors import UsageError
from fairviz.kernels.grouping import (
    PRESETS,
    UNLABELLED,
    Membership,
    group_sums,
    membership,
    target_shares,
    unlabelled_part,
    with_unlabelled,
)
from fairviz.kernels.pool import pool
from fairviz.model import GroupLabels, Pools, Target
from tests.nouns import qrels_of, run_of

RUN = run_of({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"b": 2, "x": 1}})
QRELS = qrels_of({"q1": {"a": 2, "d": 1, "b": 0}, "q2": {"b": 1, "a": -1}})


def labels_of(weights: dict[str, tuple[float, ...]], query_ids: tuple[str, ...] | None = None) -> GroupLabels:
    """Groups A, B (and C) of documents; names after a slash are the same document elsewhere."""
    return GroupLabels(
        attribute="group",
        groups=("A", "B", "C")[: len(next(iter(weights.values())))],
        doc_ids=tuple(name.split("/")[0] for name in weights),
        weights=csr_array(np.array(list(weights.values()), dtype=float)),
        query_ids=query_ids,
    )


HARD = labels_of({"a": (1, 0), "b": (0, 1), "d": (0.5, 0.25), "far": (1, 0)})


@pytest.fixture
def pools() -> Pools:
    """q1: a b c, then d (judged alone); q2: b x, then a."""
    return pool(RUN, QRELS)


def of_docs(pools: Pools, members: Membership) -> list[dict[str, list[float]]]:
    """Per query: document -> weights."""
    spans = zip(pools.offsets[:-1].tolist(), pools.offsets[1:].tolist(), strict=True)
    return [{pools.doc_ids[pools.docs[row]]: members.weights[row].tolist() for row in range(*span)} for span in spans]


def test_membership(pools: Pools) -> None:
    members = membership(pools, HARD)
    assert of_docs(pools, members) == [
        {"a": [1, 0], "b": [0, 1], "c": [0, 0], "d": [0.5, 0.25]},
        {"b": [0, 1], "x": [0, 0], "a": [1, 0]},
    ]
    assert members.groups == ("A", "B")
    assert members.corpus.tolist() == [2.5, 1.25]
    assert members.is_soft
    assert members.known.all()
    assert members.index("B") == 1
    with pytest.raises(UsageError, match="no group is named 'X'; groups: A, B"):
        members.index("X")


def test_groups_of_the_target_follow_those_of_the_labels(pools: Pools) -> None:
    target = Target(groups=("B", "Z"), shares=np.array([0.5, 0.5]))
    members = membership(pools, HARD, target)
    assert members.groups == ("A", "B", "Z")
    assert not members.weights[:, 2].any()
    assert not members.known[:, 2].any()
    assert target_shares(target, members, pools).tolist() == [[0, 0.5, 0.5]] * 2


def test_labels_of_each_query(pools: Pools) -> None:
    """b is A for q1 and B for q2; of C nobody ranked or judged for q2 is, but q2 has it."""
    own = labels_of(
        {"b/1": (1, 0, 0), "b/2": (0, 1, 0), "far": (0, 0, 1), "a": (0, 1, 0), "b/9": (1, 0, 0)},
        query_ids=("q1", "q2", "q2", "q1", "q9"),
    )
    members = membership(pools, own)
    assert of_docs(pools, members) == [
        {"a": [0, 1, 0], "b": [1, 0, 0], "c": [0, 0, 0], "d": [0, 0, 0]},
        {"b": [0, 1, 0], "x": [0, 0, 0], "a": [0, 0, 0]},
    ]
    assert members.known.tolist() == [[True, True, False], [False, True, True]]
    assert target_shares("uniform", members, pools).tolist() == [[0.5, 0.5, 0], [0, 0.5, 0.5]]


def test_labels_of_other_queries_only(pools: Pools) -> None:
    members = membership(pools, labels_of({"a": (1, 0)}, query_ids=("q9",)))
    assert not members.weights.any()
    assert not members.known.any()
    assert np.isnan(target_shares("uniform", members, pools)).all()
    assert target_shares("corpus", members, pools).tolist() == [[1, 0]] * 2


def test_presets(pools: Pools) -> None:
    """population, q1: a + d/2 = 1.5 of A, b + d/4 = 1.25 of B; q2: one each.

    corpus: a, d/2, far = 2.5 of A, b, d/4 = 1.25 of B. relevance, q1: A has (2 + 1/2) / 1.5, B
    (0 + 1/4) / 1.25; q2: b has 1, a less than nothing, which is 0.
    """
    members = membership(pools, HARD)
    wanted = {
        "uniform": [[0.5, 0.5], [0.5, 0.5]],
        "population": [[1.5 / 2.75, 1.25 / 2.75], [0.5, 0.5]],
        "corpus": [[2 / 3, 1 / 3]] * 2,
        "relevance": [[(5 / 3) / (5 / 3 + 0.2), 0.2 / (5 / 3 + 0.2)], [0, 1]],
    }
    for preset in PRESETS:
        assert target_shares(preset, members, pools) == pytest.approx(np.array(wanted[preset]))


def test_what_the_data_do_not_say(pools: Pools) -> None:
    """Nothing labelled in q2's pool, and nothing useful."""
    members = membership(pools, labels_of({"c": (1, 0), "d": (0, 1)}))
    assert np.isnan(target_shares("population", members, pools)).tolist() == [[False] * 2, [True] * 2]
    nothing = pool(RUN, qrels_of({"q1": {"a": 0}, "q2": {"b": -1}}))
    members = membership(nothing, HARD)
    assert np.isnan(target_shares("relevance", members, nothing)).all()


def test_targets_by_hand(pools: Pools) -> None:
    """Rounded shares are stretched to 1; a query that the target lacks has none."""
    members = membership(pools, HARD)
    rounded = Target(groups=("B", "A"), shares=np.array([0.3333, 0.6666]))
    assert target_shares(rounded, members, pools) == pytest.approx(np.array([[0.6666 / 0.9999, 0.3333 / 0.9999]] * 2))
    one = Target(groups=("A", "B"), shares=np.array([[0.25, 0.75]]), query_ids=("q2",))
    result = target_shares(one, members, pools)
    assert np.isnan(result[0]).all()
    assert result[1].tolist() == [0.25, 0.75]


def test_unlabelled_items_as_a_group(pools: Pools) -> None:
    members = with_unlabelled(membership(pools, HARD))
    assert members.groups == ("A", "B", UNLABELLED)
    assert of_docs(pools, members)[0] == {"a": [1, 0, 0], "b": [0, 1, 0], "c": [0, 0, 1], "d": [0.5, 0.25, 0.25]}
    assert target_shares("corpus", members, pools)[0] == pytest.approx([2 / 3, 1 / 3, 0])
    assert target_shares("population", members, pools)[1] == pytest.approx([1 / 3] * 3)


def test_a_target_may_give_the_unlabelled_a_share(pools: Pools) -> None:
    target = Target(groups=("A", "B", UNLABELLED), shares=np.array([0.5, 0.25, 0.25]))
    members = with_unlabelled(membership(pools, HARD, target))
    assert members.groups == ("A", "B", UNLABELLED)
    assert members.weights.sum(axis=1) == pytest.approx(1)
    assert target_shares(target, members, pools)[0].tolist() == [0.5, 0.25, 0.25]


def test_weights_that_sum_to_1_but_for_rounding_leave_nothing(pools: Pools) -> None:
    """0.7 + 0.2 + 0.1 is 0.9999999999999999; thirds of three digits miss 1 by a thousandth."""
    tenths = labels_of({"a": (0.7, 0.2, 0.1), "b": (0.333, 0.333, 0.333)})
    members = with_unlabelled(membership(pools, tenths))
    assert members.weights[:2, 3].tolist() == [0, 0]


@given(st.permutations(range(4)))
def test_the_order_of_the_labels_does_not_matter(order: list[int]) -> None:
    pools = pool(RUN, QRELS)
    turned = replace(
        HARD, doc_ids=tuple(HARD.doc_ids[i] for i in order), weights=csr_array(HARD.weights.toarray()[order])
    )
    for preset in PRESETS:
        assert target_shares(preset, membership(pools, turned), pools) == pytest.approx(
            target_shares(preset, membership(pools, HARD), pools)
        )


def test_sums_of_groups(pools: Pools) -> None:
    """Row numbers: q1 has rows 0 to 3, q2 4 to 6."""
    values = np.column_stack([np.arange(7.0), np.ones(7)])
    assert group_sums(values, pools).tolist() == [[6, 4], [15, 3]]


def test_weights_rounded_to_three_decimals_leave_no_part_unlabelled(pools: Pools) -> None:
    # .999 as written; as the machine adds, 1 less it is a little more than a thousandth
    members = membership(pools, labels_of({"a": (0.067, 0.566, 0.366), "b": (0.3, 0.3, 0.399)}))
    parts = of_docs(pools, with_unlabelled(members))
    assert [row[-1] for query in parts for doc, row in query.items() if doc in "ab"] == [0, 0, 0, 0]


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=6), st.sampled_from([999, 1000, 1001]), st.randoms())
def test_sums_off_by_a_thousandth_are_1_in_any_order(parts: list[int], total: int, random: Random) -> None:
    cuts = sorted(min(part, total) for part in parts)
    thousandths = [b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True)]
    random.shuffle(thousandths)
    weights = {f"g{i}": n / 1000 for i, n in enumerate(thousandths) if n}
    assume(len(weights) > 1)  # one group is told
    labels = fv.labels({"a": weights}, name="group")  # without a warning that a part is unlabelled
    row = labels.weights.toarray()
    assert labels.weights.sum() == pytest.approx(total / 1000)
    assert unlabelled_part(row).tolist() == [0]
