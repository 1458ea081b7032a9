"""Printed values by model, bias type and setting: whole, in order, bold as the paper marks."""

import pytest

from fairviz.studies.social_bias.measures import BiasMeasure
from fairviz.studies.social_bias.published import (
    COLLECTIONS,
    VIEWS,
    PublishedView,
    printed_cells,
    published_view,
    stereotypical_shares,
)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.slug)
@pytest.mark.parametrize("measure", ["diffbias_a", "diffbias_d", "acc_a", "acc_d"])
def test_every_printed_view_is_whole_and_in_order(view: PublishedView, measure: BiasMeasure) -> None:
    cells = printed_cells(view, measure)
    assert not cells["value"].has_nulls()
    for own in cells.partition_by("model", "block"):
        assert tuple(own["column"]) == view.columns


def test_cells_of_the_paper_are_where_the_paper_has_them() -> None:
    """Table 2: Age, w/o RAG, GPT-3.5 is 41.79 / 5.92; Table 5: Contriever finds 59.10 %."""
    for measure, value in (("diffbias_a", 41.79), ("diffbias_d", 5.92)):
        cells = printed_cells(COLLECTIONS, measure).rows(named=True)  # type: ignore[arg-type]
        (cell,) = (cell for cell in cells if (cell["model"], cell["name"]) == ("GPT-3.5", "Age · w/o RAG"))
        assert cell["value"] == value
    assert stereotypical_shares() == {"VectorIndex": 48.59, "BM25": 46.04, "Contriever": 59.10}
    assert published_view("generators").number("acc_a") == 8


def test_bold_is_the_highest_and_lowest_or_the_nearest_to_0() -> None:
    cells = printed_cells(COLLECTIONS, "diffbias_a")
    for own in cells.partition_by("model", "block"):
        ends = own["value"].min(), own["value"].max()
        assert own["bold"].to_list() == [value in ends for value in own["value"]]
    for own in printed_cells(published_view("examples"), "diffbias_a").partition_by("model", "block"):
        assert own["bold"].to_list() == (own["value"].abs() == own["value"].abs().min()).to_list()
