"""Membership and targets by hand: soft, missing and per-query labels, presets, unlabelled items."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fairviz as fv
from fairviz.errors import UsageError
from fairviz.kernels.grouping import Membership, membership, target_shares, unlabelled_part
from fairviz.kernels.pool import pool
from fairviz.model import Pools, Target
from tests.metrics.labels import labels_of
from tests.nouns import qrels_of, run_of

RUN = run_of({"q1": {"a": 3, "b": 2, "c": 1}, "q2": {"b": 2, "x": 1}})
QRELS = qrels_of({"q1": {"a": 2, "d": 1, "b": 0}, "q2": {"b": 1, "a": -1}})


HARD = labels_of({"a": {"A": 1}, "b": {"B": 1}, "d": {"A": 0.5, "B": 0.25}, "far": {"A": 1}})


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
    assert members.labelled.all()
    assert members.index("B") == 1
    with pytest.raises(UsageError, match="no group is named 'X'; groups: A, B"):
        members.index("X")


def test_groups_of_the_target_follow_those_of_the_labels(pools: Pools) -> None:
    target = Target(groups=("B", "Z"), shares=np.array([0.5, 0.5]))
    members = membership(pools, HARD, target)
    assert members.groups == ("A", "B", "Z")
    assert not members.weights[:, 2].any()
    assert not members.labelled[:, 2].any()
    assert target_shares(target, members, pools).tolist() == [[0, 0.5, 0.5]] * 2


def test_labels_of_other_queries_only(pools: Pools) -> None:
    members = membership(pools, replace(labels_of({"a": {"A": 1}}, "AB"), query_ids=("q9",)))
    assert not members.weights.any()
    assert not members.labelled.any()
    assert np.isnan(target_shares("uniform", members, pools)).all()
    assert target_shares("corpus", members, pools).tolist() == [[1, 0]] * 2


def test_targets_by_hand(pools: Pools) -> None:
    """Rounded shares are stretched to 1; a query that the target lacks has none."""
    members = membership(pools, HARD)
    rounded = Target(groups=("B", "A"), shares=np.array([0.3333, 0.6666]))
    assert target_shares(rounded, members, pools) == pytest.approx(np.array([[0.6666 / 0.9999, 0.3333 / 0.9999]] * 2))
    one = Target(groups=("A", "B"), shares=np.array([[0.25, 0.75]]), query_ids=("q2",))
    result = target_shares(one, members, pools)
    assert np.isnan(result[0]).all()
    assert result[1].tolist() == [0.25, 0.75]


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
