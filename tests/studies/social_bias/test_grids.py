"""Values of bias by row, block and column: order, bold, moves, printed tables."""

import numpy as np
import pytest

from fairviz.model import PublishedTable
from fairviz.studies.social_bias.published import (
    VIEWS,
    published_grid,
    published_view,
    stereotypical_shares,
    view_grid,
)

TABLE = PublishedTable(
    paper="p",
    number=1,
    title="t",
    columns=("model", "type", "setting", "diffbias_a"),
    meanings=("", "", "", ""),
    flags=("", "printed twice", "", "", "", ""),
    rows=(
        ("m1", "Age", "none", 5.0),
        ("m1", "Age", "stereo", 9.0),
        ("m1", "Race", "none", -2.0),
        ("m1", "Race", "stereo", -2.0),
        ("m2", "Age", "none", 7.0),
        ("m2", "Age", "stereo", 4.0),
    ),
)
"""m2 has no Race."""
GRID = published_grid(TABLE, "diffbias_a", block="type")


def test_names_keep_their_order_and_missing_cells_are_undefined() -> None:
    assert (GRID.rows, GRID.blocks, GRID.columns) == (("m1", "m2"), ("Age", "Race"), ("none", "stereo"))
    assert np.isnan(GRID.values[1, 1]).all()
    assert GRID.flags == {(0, 0, 1): "printed twice"}


def test_the_mean_is_over_what_is_there() -> None:
    """Age none (5 + 7) / 2, stereo (9 + 4) / 2; Race is m1's alone."""
    assert GRID.mean.tolist() == [[6.0, 6.5], [-2.0, -2.0]]


def test_bold_is_the_highest_and_lowest_of_a_row_and_nothing_of_equal_values() -> None:
    assert GRID.is_bold(0, 0, "extremes") == [True, True]
    assert GRID.is_bold(0, 1, "extremes") == [False, False]
    assert GRID.is_bold(0, 0, "nearest 0") == [True, False]
    assert GRID.is_bold(1, 0, "highest") == [True, False]


def test_a_printed_table_becomes_a_grid_in_the_order_asked_for() -> None:
    table = PublishedTable(
        paper="p",
        number=1,
        title="t",
        columns=("model", "setting", "diffbias_a"),
        meanings=("", "", ""),
        flags=("", "", "odd", ""),
        rows=(("b", "stereo", 1.0), ("a", "stereo", None), ("b", "none", 3.0), ("a", "none", 4.0)),
    )
    grid = published_grid(table, "diffbias_a", order=("none", "stereo"))
    assert (grid.rows, grid.blocks, grid.columns) == (("b", "a"), ("",), ("none", "stereo"))
    assert grid.values[0, 0].tolist() == [3.0, 1.0]
    assert np.isnan(grid.values[1, 0, 1])
    assert grid.flags == {(0, 0, 0): "odd"}


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.slug)
def test_every_printed_view_is_whole(view) -> None:  # type: ignore[no-untyped-def]
    for measure in ("diffbias_a", "diffbias_d", "acc_a", "acc_d"):
        grid = view_grid(view, measure)
        assert not np.isnan(grid.values).any()
        assert grid.columns == view.columns


def test_cells_of_the_paper_are_where_the_paper_has_them() -> None:
    """Table 2: Age, w/o RAG, GPT-3.5 is 41.79 / 5.92; Table 5: Contriever finds 59.10 %."""
    grid = view_grid(VIEWS[0], "diffbias_a")
    assert grid.values[grid.rows.index("GPT-3.5"), grid.blocks.index("Age"), 0] == 41.79
    assert view_grid(VIEWS[0], "diffbias_d").values[0, grid.blocks.index("Age"), 0] == 5.92
    assert stereotypical_shares() == {"VectorIndex": 48.59, "BM25": 46.04, "Contriever": 59.10}
    assert published_view("generators").number("acc_a") == 8
