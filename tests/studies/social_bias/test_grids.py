"""Values of bias by row, block and column: order, bold, moves, printed tables."""

import numpy as np
import pytest

from fairviz.model import PublishedTable
from fairviz.studies.social_bias.published import (
    VIEWS,
    Cell,
    bias_grid,
    difference,
    marks,
    moves,
    published_grid,
    published_view,
    stereotypical_shares,
    view_grid,
)

CELLS = [
    Cell("m1", "Age", "none", 5.0),
    Cell("m1", "Age", "stereo", 9.0, flag="printed twice"),
    Cell("m1", "Race", "none", -2.0),
    Cell("m1", "Race", "stereo", -2.0),
    Cell("m2", "Age", "none", 7.0),
    Cell("m2", "Age", "stereo", 4.0),
]
"""m2 has no Race."""


def test_names_keep_their_order_and_missing_cells_are_undefined() -> None:
    grid = bias_grid(CELLS, "diffbias_a")
    assert (grid.rows, grid.blocks, grid.columns) == (
        ("m1", "m2"),
        ("Age", "Race"),
        ("none", "stereo"),
    )
    assert np.isnan(grid.values[1, 1]).all()
    assert grid.flags == {(0, 0, 1): "printed twice"}


def test_the_mean_is_over_what_is_there() -> None:
    """Age none (5 + 7) / 2, stereo (9 + 4) / 2; Race is m1's alone."""
    grid = bias_grid(CELLS, "diffbias_a")
    assert grid.mean.tolist() == [[6.0, 6.5], [-2.0, -2.0]]
    assert grid.line("m1").tolist() == [[5.0, 9.0], [-2.0, -2.0]]
    assert grid.line("nobody").tolist() == grid.mean.tolist()


def test_bold_is_the_highest_and_lowest_of_a_row_and_nothing_of_equal_values() -> None:
    grid = bias_grid(CELLS, "diffbias_a")
    assert marks(grid)[0].tolist() == [[-1, 1], [0, 0]]
    assert marks(grid)[1, 0].tolist() == [1, -1]
    assert marks(grid, "nearest 0")[0, 0].tolist() == [1, 0]
    assert marks(grid, "highest")[1, 0].tolist() == [1, 0]


def test_ties_are_marked_alike() -> None:
    cells = [Cell("m", "", name, value) for name, value in zip("abc", (3.0, 1.0, 3.0), strict=True)]
    assert marks(bias_grid(cells, "acc_a"))[0, 0].tolist() == [1, -1, 1]


def test_moves_count_pairs_that_both_have() -> None:
    """Changes: m1 Age +4, m1 Race 0, m2 Age −3; m2 Race is missing: 1 up, 1 down, mean 1/3."""
    grid = bias_grid(CELLS, "diffbias_a")
    assert difference(grid, "none", "stereo")[0].tolist() == [4.0, 0.0]
    found = moves(grid, "none", "stereo")
    assert (found.n_up, found.n_down, found.n) == (1, 1, 3)
    assert found.mean == pytest.approx(1 / 3)


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
    grid = published_grid(table, "diffbias_a", columns=("none", "stereo"))
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
