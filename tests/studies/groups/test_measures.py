"""Measures of one system under a target, or why there is none."""

import numpy as np
import pytest

from fairviz.model import Target
from fairviz.studies.groups.measures import measure_values
from tests.nouns import qrels_of
from tests.studies.groups.test_shares import LABELS, RUN


def test_a_move_by_hand() -> None:
    # first two places hold one a and one b: on target at one half each; all b: |½−0| + |½−1| = 1
    text = "AWRF(distance='l1', browsing='topk', over='system')@2"
    even = Target(groups=("a", "b"), shares=np.array([0.5, 0.5]))
    only = Target(groups=("a", "b"), shares=np.array([0.0, 1.0]))
    values = [measure_values(RUN, None, LABELS, [text], target)[text].value for target in (even, only)]
    assert values == pytest.approx([0.0, 1.0])


def test_what_is_not_allowed_says_why() -> None:
    target = Target(groups=("a", "b"), shares=np.array([0.5, 0.5]))
    result = measure_values(RUN, None, LABELS, ["FAIR@3", "Skew(group='nobody')@3"], target)
    assert "judgements" in result["FAIR@3"].refused
    assert "nobody" in result["Skew(group='nobody')@3"].refused
    useful = qrels_of({"q1": {"d1": 1}})
    assert not measure_values(RUN, useful, LABELS, ["FAIR@3"], target)["FAIR@3"].refused
