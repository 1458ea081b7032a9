"""The two axes by hand: points off target, and quality."""

import numpy as np
import pytest

from fairviz.kernels.grouping import Missing
from fairviz.kernels.pool import RankedLists, pool
from fairviz.model import Target
from fairviz.studies.policy_lab.bench import Bench, ListPolicy, as_policy, bench_of, points_off
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from tests.metrics.labels import labels_of
from tests.nouns import qrels_of, run_of
from tests.studies.policy_lab.beside import held_of

RUN = run_of({"q1": {"a": 4, "b": 3, "c": 2, "d": 1}, "q2": {"a": 2, "e": 1}})
QRELS = qrels_of({"q1": {"a": 1, "d": 2}, "q2": {"e": 1}, "q3": {"a": 1}})
BY_DOCUMENT = {"a": {"x": 1.0}, "b": {"x": 1.0}, "c": {"y": 1.0}, "d": {"y": 1.0}}
LABELS = labels_of(BY_DOCUMENT)
HALF = Target(groups=("x", "y"), shares=np.array([0.5, 0.5]))


def axes(**choices: object) -> Bench:
    options = {"browsing": "topk", "k": 2} | choices
    settings = PolicyLabSettings(**options)  # type: ignore[arg-type]
    return bench_of(pool(RUN, QRELS), held_of(RUN, QRELS, LABELS, HALF, settings.unlabelled), settings)


def test_today_by_hand() -> None:
    """q1 shows a, b (both x): attention 2, 0; q2 one place of x: all of it is x, half of |1 − .5| + |0 − .5| = 50 off.

    nDCG@2 of q1: gains 1, 0 in the order a, b; DCG = 1; ideal d (2), a (1): 2 + 1/log2(3).
    q2 shows a (x) and e (unlabelled); DCG 1/log2(3) of 1.
    q3 was not ranked: undefined.
    """
    read = axes()
    policy = as_policy(read.orders, read)
    attention, quality = read.read(policy)
    np.testing.assert_allclose(attention, [[2, 0], [1, 0], [np.nan, np.nan]])
    assert points_off(attention[:2], read.target) == pytest.approx(50)
    np.testing.assert_allclose(quality, [1 / (2 + 1 / np.log2(3)), 1 / np.log2(3), np.nan])


def test_unlabelled_documents_as_a_group() -> None:
    """q2 shows a and e: shares x ½, y 0, unlabelled ½ against ½, ½, 0: half of 0 + ½ + ½ = 50.

    With topk both count alike; were e left out, x would have all.
    """
    read = axes(unlabelled="group")
    policy = as_policy(read.orders, read)
    attention, _ = read.read(policy)
    np.testing.assert_allclose(attention[1], [1, 0, 1])
    assert points_off(attention[1:2], read.target) == pytest.approx(50)


def test_documents_to_which_the_attribute_does_not_apply_are_not_unlabelled() -> None:
    """q2 shows a (x) and e, which no group can have: as before it is all x, and nothing of it lacks a label."""
    free = labels_of({**BY_DOCUMENT, "e": {}})
    missing: Missing
    for missing in ("drop", "group"):
        settings = PolicyLabSettings(browsing="topk", k=2, unlabelled=missing)
        read = bench_of(pool(RUN, QRELS), held_of(RUN, QRELS, free, HALF, missing), settings)
        policy = as_policy(read.orders, read)
        attention, _ = read.read(policy)
        np.testing.assert_allclose(attention[:2, :2], [[2, 0], [1, 0]])
        np.testing.assert_allclose(attention[:2, 2:], 0)
        np.testing.assert_allclose(read.members.unlabelled, 0)


def test_a_mixture_is_read_by_its_expected_attention() -> None:
    """Half a, b and half c, d in q1: each group has half of the attention, 0 points off."""
    read = axes()
    lists = RankedLists(np.array([0, 1, 2, 3]), np.array([0, 2, 4]), np.array([0, 0]))
    policy = ListPolicy(lists=lists, chances=np.array([0.5, 0.5]), n_rows=read.pools.docs.size)
    attention, quality = read.read(policy)
    assert points_off(attention[:1], read.target) == pytest.approx(0)
    # DCG: ½ · 1 (a first) + ½ · 2/log2(3) (d second)
    assert quality[0] == pytest.approx((0.5 + 1 / np.log2(3)) / (2 + 1 / np.log2(3)))
