"""What a target costs, in a file that plays."""

from dataclasses import replace

import polars as pl
import pytest

from fairviz.model import Dataset, Target
from fairviz.points.targets import TargetGrid, grid_of
from fairviz.reporting.assemble import reported
from fairviz.reporting.request import Request
from fairviz.studies.policy_lab.analysis import sections
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from tests.steps import counted
from tests.studies.groups.test_report import example
from tests.studies.policy_lab.beside import prices_of

FEW = ("det-greedy",)


def asked(target: str = "file") -> tuple[Dataset, PolicyLabSettings]:
    data, beside = example(target)
    return data, PolicyLabSettings(k=5, methods=FEW, against=beside.settings.against)


def two_targets(grid: TargetGrid) -> TargetGrid:
    return grid._replace(targets=grid.targets[3:5], names=grid.names[3:5], start=1)


def test_every_target_is_paid_for_by_the_methods_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    of = "fairviz.studies.policy_lab.analysis"
    monkeypatch.setattr(f"{of}.grid_of", lambda *args: two_targets(grid_of(*args)))
    data, settings = asked()
    with counted() as steps:
        stated, play = sections(data, settings)
    assert stated.title.startswith("All five statements can hold at once: ")
    assert (steps.done, play.start, len(play.frames)) == (2, 1, 2)
    beside = example()[1]
    run, qrels, labels = beside.targeted.of.ranked, beside.targeted.of.qrels, beside.targeted.of.labels
    grid = two_targets(grid_of(beside.fixed.exposure, beside.targeted.target.shares))
    for frame, shares in zip(play.frames, grid.targets, strict=True):
        (methods,) = frame.blocks
        target = Target(groups=beside.targeted.target.groups, shares=shares)
        prices = prices_of(run, qrels, labels, target, k=5)
        prices.compute(FEW)
        (row,) = methods.rows
        tried = prices.tried(FEW[0]).select("off", pl.col("change") * 100, "n_worse").rows()
        assert row[3] < prices.now["off"]
        assert any((off, change, worse) == pytest.approx((row[3], row[4], row[7])) for off, change, worse in tried)


def test_many_queries_are_paid_for_at_one_target_and_very_many_at_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.studies.policy_lab.analysis.MOST_QUERIES", 20)  # 14 queries, nine targets
    _, alone = sections(*asked())
    assert "Computed for this target alone: 14 queries" in alone.paragraphs[-1]
    (unset,) = sections(*asked("uniform"))
    assert "Computed for equal shares alone: 14 queries" in unset.paragraphs[-1]
    assert "target" not in " ".join([unset.title, *unset.paragraphs])
    monkeypatch.setattr("fairviz.studies.policy_lab.analysis.MOST_QUERIES", 10)
    _, none = sections(*asked())
    assert none.blocks == ()
    (unset,) = sections(*asked("uniform"))
    assert unset.title == "What equal shares cost"


def test_a_report_has_the_proposals_and_the_ranks_of_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.studies.policy_lab.analysis.MOST_QUERIES", 10)
    data, settings = asked("uniform")
    proposals = ('Floor={"region": {"Africa": {"min": 0.15}}}',)
    request = Request(measures=("nDCG@5",), k=5, alpha=(0, 8), against=settings.against, proposals=proposals)
    for given in (data, replace(data, qrels=())):
        report = reported(given, request)
        assert "<h2>One proposal: “Floor”</h2>" in report.html()
        assert "Ranks 1 to 10, attention" in report.html()
        assert "--proposal" in report.command
    assert "Ranks 1 to 3, attention" in reported(data, replace(request, ranks=3)).html()
