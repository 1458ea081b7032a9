"""What a target costs, in a file that plays."""

import re

import pytest

from fairviz.attention import attention
from fairviz.display.html import Play, Section
from fairviz.display.table import Table
from fairviz.model import Target
from fairviz.studies.policy_lab.price import point_summary
from fairviz.studies.policy_lab.prices import Prices
from fairviz.studies.policy_lab.report import PricedRun, report_sections
from tests.steps import counted
from tests.studies.groups.test_report import example

FEW = ("det-greedy",)


@pytest.fixture
def priced(monkeypatch: pytest.MonkeyPatch) -> PricedRun:
    monkeypatch.setattr("fairviz.studies.policy_lab.report.FIRST", FEW)
    one = example()
    assert one.qrels is not None
    grid = one.grid._replace(targets=one.grid.targets[3:5], names=one.grid.names[3:5], start=1)
    return PricedRun(one.run, one.qrels, one.labels, one.exposure.groups, grid, one.k, "dcg")


def test_every_target_is_paid_for_by_the_methods_of_the_page(priced: PricedRun) -> None:
    with counted() as steps:
        (play,) = report_sections(priced)
    assert isinstance(play, Play)
    assert (steps.done, play.start, len(play.frames)) == (2, 1, 2)
    for frame, shares in zip(play.frames, priced.grid.targets, strict=True):
        (methods,) = frame.blocks
        assert isinstance(methods, Table)
        prices = Prices(
            priced.run,
            priced.qrels,
            priced.labels,
            Target(groups=priced.groups, shares=shares),
            attention=attention("dcg", cutoff=5),
            k=5,
        )
        prices.compute(FEW)
        (row,) = methods.rows
        settings = {(each.point.off, 100 * each.point.change, each.point.n_worse) for each in prices.settings(FEW[0])}
        now = point_summary(prices.today, 0, prices.today)
        assert row[3] < now.off
        assert re.search(r" gains?; |No group's share of attention changes significantly", frame.paragraphs[1])
        assert "By estimate, not significantly: " in frame.paragraphs[1]
        assert any((off, change, worse) == pytest.approx((row[3], row[4], row[7])) for off, change, worse in settings)


def test_many_queries_are_paid_for_at_one_target_and_very_many_at_none(
    priced: PricedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairviz.studies.policy_lab.report.MOST_QUERIES", 20)  # 14 queries, two targets
    (alone,) = report_sections(priced)
    assert isinstance(alone, Section)
    assert "Computed for this target alone: 14 queries" in alone.paragraphs[-1]
    (unset,) = report_sections(priced._replace(is_set=False))
    assert isinstance(unset, Section)
    assert "Computed for equal shares alone: 14 queries" in unset.paragraphs[-1]
    assert "target" not in " ".join([unset.title, *unset.paragraphs])
    monkeypatch.setattr("fairviz.studies.policy_lab.report.MOST_QUERIES", 10)
    (none,) = report_sections(priced)
    assert none.blocks == ()
    assert report_sections(priced._replace(is_set=False))[0].title == "What equal shares cost"  # type: ignore[union-attr]
