"""Fairlearn's MetricFrame of answers: groups, difference and control columns as ``fairviz variants`` has them."""

import pytest

import fairviz as fv
from fairviz.errors import UsageError
from tests.docs.blocks import ROOT

pytest.importorskip("fairlearn", reason="fairlearn is absent: pip install fairlearn")

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.errors.DataWarning")

ANSWERS = ROOT / "tests" / "small" / "data" / "demo" / "variants" / "answers.jsonl.gz"


def test_the_frame_is_that_of_variants() -> None:
    from fairlearn.metrics import MetricFrame

    from fairviz.bridges.fairlearn import metric_frame

    found = metric_frame(ANSWERS, "race", control="strategy")
    assert isinstance(found, MetricFrame)
    variants = fv.variants(ANSWERS, by="strategy")
    rows = variants.frame().query("attribute == 'race'").set_index("strategy")
    groups = variants.frame("groups").query("attribute == 'race'").set_index(["strategy", "value"])
    for (strategy, value), rate in found.by_group.items():
        assert rate == pytest.approx(groups.rate[strategy, value])
    for strategy, difference in found.difference().items():
        assert difference == pytest.approx(rows.dp[strategy])


def test_answers_whose_right_one_is_not_recorded_count_nowhere() -> None:
    from fairviz.bridges.fairlearn import metric_frame

    golds = {"q1": "A", "q2": ""}
    rows = [
        {"qid": q, "attribute": "race", "value": value, "gold": gold, "prediction": "A"}
        for q, gold in golds.items()
        for value in ("Asian", "White")
    ]
    found, wanted = metric_frame(rows, "race"), fv.variants(rows, min_size=1).frame("groups")
    assert found.by_group.tolist() == wanted.rate.tolist() == [1.0, 1.0]


def test_other_metrics_and_intersections() -> None:
    from fairviz.bridges.fairlearn import metric_frame

    found = metric_frame(ANSWERS, "race+gender", metrics={"errors": lambda _, right: float((right == 0).sum())})
    assert len(found.by_group) == 12
    assert found.overall["errors"] == found.by_group["errors"].sum()


def test_what_does_not_fit_is_said() -> None:
    from fairviz.bridges.fairlearn import metric_frame

    for attribute, control, words in (("age", None, "no attribute 'age'"), ("race", "colour", "no column 'colour'")):
        with pytest.raises(UsageError, match=words):
            metric_frame(ANSWERS, attribute, control=control)
