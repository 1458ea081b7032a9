"""A target that moves gives the numbers of ``evaluate``."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.metrics.spec import parse_measures
from fairviz.model import GroupLabels, Qrels, Run, Target
from fairviz.studies.groups.moving_target import TargetBench
from tests.nouns import qrels_of
from tests.strategies import judged, runs
from tests.studies.groups.test_shares import LABELS, RUN, soft_labels

TEXTS = [
    "AWRF@3",
    "AWRF(distance='l1', over='system', browsing='dcg')@3",
    "AWRF(missing='group')@3",
    "nDKL@3",
    "nDRKL@3",
    "KL@3",
    "MinSkew@3",
    "MaxSkew@3",
    "Skew(group='a')@3",
    "InfeasibleIndex@3",
    "InfeasibleCount@3",
    "FeasibleRank@3",
    "FairTrecAWRF@3",
    "FAIR(irm='nDCG')@3",
    "FairTrecScore@3",
    "FAIR@3",
]


def targets(groups: tuple[str, ...]) -> st.SearchStrategy[Target]:
    size = len(groups)
    raw = st.lists(st.integers(0, 10), min_size=size, max_size=size).filter(any)
    return raw.map(lambda each: Target(groups=groups, shares=np.array(each) / sum(each)))


@settings(max_examples=25, deadline=None)
@given(runs(), judged(), soft_labels(), targets(("a", "b", "c")), targets(("a", "b", "c")))
def test_the_numbers_are_those_of_evaluate(
    run: Run, qrels: Qrels, labels: GroupLabels, first: Target, then: Target
) -> None:
    assume(set(run.query_ids) & set(qrels.query_ids))  # what joins nothing is left out by name
    assume({run.doc_ids[doc] for doc in run.docs} & set(labels.doc_ids))
    specs = parse_measures(TEXTS)
    bench = TargetBench(run, qrels, labels)
    bench.values(specs, first)  # what is kept between two moves must not keep the target
    result = bench.values(specs, then)
    wanted = evaluate([run], specs, qrels=[qrels], labels=labels, target=then, refuse=False)
    refused = {each.measure for each in wanted.refused}
    assert {one.measure for one in result if one.refused} == refused
    rows = [(one.value, one.n_queries, one.n_undefined, *one.interval) for one in result if not one.refused]
    afresh = [
        (one.value, one.n_queries, one.n_undefined, *interval)
        for one, interval in zip(wanted.scores, score_intervals(wanted.scores, seed=0), strict=True)
    ]
    np.testing.assert_allclose(rows, afresh, rtol=1e-9, atol=1e-12)


def test_a_move_by_hand() -> None:
    # first two places hold one a and one b: on target at one half each; all b: |½−0| + |½−1| = 1
    (spec,) = parse_measures(["AWRF(distance='l1', browsing='topk', over='system')@2"])
    bench = TargetBench(RUN, None, LABELS)
    even = Target(groups=("a", "b"), shares=np.array([0.5, 0.5]))
    only = Target(groups=("a", "b"), shares=np.array([0.0, 1.0]))
    values = [bench.values([spec], target)[0].value for target in (even, only, even)]
    assert values == pytest.approx([0.0, 1.0, 0.0])


def test_what_is_not_allowed_says_why() -> None:
    specs = parse_measures(["FAIR@3", "Skew(group='nobody')@3"])
    target = Target(groups=("a", "b"), shares=np.array([0.5, 0.5]))
    result = TargetBench(RUN, None, LABELS).values(specs, target)
    assert "judgements" in result[0].refused
    assert "nobody" in result[1].refused
    useful = qrels_of({"q1": {"d1": 1}})
    assert not TargetBench(RUN, useful, LABELS).values(specs, target)[0].refused
