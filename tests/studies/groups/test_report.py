"""Groups and targets that play: at each share the file holds what the study says of that target."""

from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np
import pytest

from fairviz.display.methods import AgainstTarget
from fairviz.errors import UndefinedError
from fairviz.kernels.grouping import Preset
from fairviz.model import Dataset
from fairviz.points.targets import grid_of, target_grid
from fairviz.resources import example_folder
from fairviz.studies.groups.analysis import GroupsAnalysis, analyse
from fairviz.studies.groups.findings import headline, reach_sentence
from fairviz.studies.groups.settings import GroupsSettings
from tests.loaded import load_dataset

DEMO = example_folder()


@cache
def example(target: str = "file") -> tuple[Dataset, GroupsAnalysis]:
    """The shipped example beside its target, or another."""
    names = ("bm25.run", "usefulness.qrels", "region.tsv", "target.json")
    data = load_dataset([(name, (DEMO / name).read_bytes()) for name in names]).dataset
    against = AgainstTarget(0, cast("Preset", target))
    return data, analyse(data, GroupsSettings(k=5, against=against))


def test_every_target_of_the_grid_is_told_in_the_words_of_the_page() -> None:
    _, one = example()
    exposure = one.fixed.exposure
    grid = grid_of(exposure, one.targeted.target.shares)
    assert one.sections
    (play,) = one.sections()
    assert exposure.groups[grid.group] == "Africa"  # 4 % of attention, target 20 %: furthest below
    assert [name.replace("\u202f", "") for name in play.stops] == [f"{5 * i}%" for i in range(9)]
    assert play.start == 4
    for i, (frame, target) in enumerate(zip(play.frames, grid.targets, strict=True)):
        shares, five = frame.blocks
        told = {row[0]: row[4] for row in shares.rows}
        assert told == pytest.approx(dict(zip(exposure.groups, target.tolist(), strict=True)))
        assert told["Africa"] == pytest.approx(0.05 * i)
        assert told["Asia"] == pytest.approx(0.25 * (1 - 0.05 * i) / 0.8, abs=1e-4)  # 25 of the other 80
        assert frame.title == headline(exposure, target, where="bm25,", moved=grid.group).title
        reach = one.fixed.reach
        assert frame.paragraphs[-1] == reach_sentence(reach, reach.nearest(target), target, exposure.groups)
        assert len(five.rows) == 5


def test_before_a_target_is_set_the_report_begins_with_equal_shares_and_moves_to_targets() -> None:
    found = example("uniform")[1]
    assert found.sections
    (play,) = found.sections()
    first, moved = play.frames[play.start], play.frames[-1]
    assert "an equal share would be 20" in first.title
    assert first.paragraphs[0].startswith("For equal shares, ")
    answers = first.blocks[1]
    assert "target" not in " ".join(str(cell) for row in answers.rows for cell in row)
    assert "; the target is " in moved.title


def test_the_target_that_was_asked_for_is_on_the_grid_as_it_is() -> None:
    weights = np.array([1 / 3, 1 / 6, 1 / 2])
    grid = target_grid(weights, 0)
    assert (grid.targets[grid.start] == weights).all()
    assert [name.replace("\u202f", "") for name in grid.names[2:6]] == ["20%", "30%", "33%", "40%"]
    assert grid.names[-1].startswith("70")
    assert all(target.sum() == pytest.approx(1) for target in grid.targets)


def test_a_target_for_other_groups_is_refused() -> None:
    data, one = example()
    elsewhere = AgainstTarget(0, (("Mars", 0.5), ("Venus", 0.5)))
    with pytest.raises(UndefinedError, match="the target names none of the groups"):
        analyse(data, replace(one.settings, against=elsewhere))
