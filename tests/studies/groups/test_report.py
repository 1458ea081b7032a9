"""Groups and targets that play: at each share the file holds what the study says of that target."""

from functools import cache

import numpy as np
import pytest

from fairviz.display.html import Play
from fairviz.display.table import Table
from fairviz.io.groups import read_groups
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_run
from fairviz.io.targets import read_target
from fairviz.model import Target
from fairviz.points.targets import target_grid
from fairviz.resources import example_folder
from fairviz.studies.groups.findings import headline, reach_sentence
from fairviz.studies.groups.report import TargetedRun, report_sections, targeted

DEMO = example_folder()


@cache
def example() -> TargetedRun:
    run, judged = read_run(DEMO / "bm25.run").value, read_qrels(DEMO / "usefulness.qrels").value
    labels, target = read_groups(DEMO / "region.tsv").value, read_target(DEMO / "target.json").value
    found = targeted(run, judged, labels, target, k=5)
    assert found is not None
    return found


def test_every_target_of_the_grid_is_told_in_the_words_of_the_page() -> None:
    one = example()
    (play,) = report_sections(one)
    assert isinstance(play, Play)
    assert one.exposure.groups[one.grid.group] == "Africa"  # 4 % of attention, target 20 %: furthest below
    assert [name.replace("\u202f", "") for name in play.stops] == [f"{5 * i}%" for i in range(9)]
    assert play.start == 4
    for i, (frame, target) in enumerate(zip(play.frames, one.grid.targets, strict=True)):
        shares, five = frame.blocks
        assert isinstance(shares, Table)
        assert isinstance(five, Table)
        told = {row[0]: row[4] for row in shares.rows}
        assert told == pytest.approx(dict(zip(one.exposure.groups, target.tolist(), strict=True)))
        assert told["Africa"] == pytest.approx(0.05 * i)
        assert told["Asia"] == pytest.approx(0.25 * (1 - 0.05 * i) / 0.8, abs=1e-4)  # 25 of the other 80
        assert frame.title == headline(one.exposure, target, where="bm25,", moved=one.grid.group).title
        nearest = one.reach.nearest(target)
        assert frame.paragraphs[-1] == reach_sentence(
            one.reach, nearest, target, one.exposure.groups, noun=("query", "queries")
        )
        assert len(five.rows) == 5


def test_before_a_target_is_set_the_report_begins_with_equal_shares_and_moves_to_targets() -> None:
    one = example()
    equal = targeted(one.run, one.qrels, one.labels, "uniform", k=5)
    assert equal is not None
    (play,) = report_sections(equal, is_set=False)
    assert isinstance(play, Play)
    first, moved = play.frames[equal.grid.start], play.frames[-1]
    assert "an equal share would be 20" in first.title
    assert first.paragraphs[0].startswith("For equal shares, ")
    answers = first.blocks[1]
    assert isinstance(answers, Table)
    assert "target" not in " ".join(str(cell) for row in answers.rows for cell in row)
    assert "; the target is " in moved.title


def test_the_target_that_was_asked_for_is_on_the_grid_as_it_is() -> None:
    weights = np.array([1 / 3, 1 / 6, 1 / 2])
    grid = target_grid(weights, 0)
    assert (grid.targets[grid.start] == weights).all()
    assert [name.replace("\u202f", "") for name in grid.names[2:6]] == ["20%", "30%", "33%", "40%"]
    assert grid.names[-1].startswith("70")
    assert all(target.sum() == pytest.approx(1) for target in grid.targets)


def test_without_a_target_for_these_groups_nothing_plays() -> None:
    run, labels = example().run, example().labels
    elsewhere = Target(groups=("Mars", "Venus"), shares=np.array([0.5, 0.5]))
    assert targeted(run, None, labels, elsewhere, k=5) is None
    assert targeted(run, None, labels, None, k=5) is None
