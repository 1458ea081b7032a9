"""``--chart``: the file, and what is refused before anything is computed."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.test_grid import answers
from tests.cli.test_tradeoff import five
from tests.display.views import content_for_file

__all__ = ["answers", "content_for_file", "five"]


@pytest.mark.usefixtures("content_for_file")
def test_a_curve_is_drawn_beside_what_is_printed(fairviz: Command, five: tuple[str, ...]) -> None:
    alone = fairviz(*five).out
    assert fairviz(*five, "--chart", "one.svg", "--width", "174", "--points", "9").out == alone
    content, factor = json.loads(re.sub("<.*?>", "", unescape(Path("one.svg").read_text())))
    assert content["layout"]["width"] * factor == pytest.approx(174 / 25.4 * 96)  # px


@pytest.mark.usefixtures("content_for_file")
def test_a_grid_has_a_panel_for_each_system(fairviz: Command, answers: tuple[str, ...]) -> None:
    done = fairviz(*answers, "--chart", "grid.pdf", "--rows", "retriever")
    assert done.code == 0, done.err
    assert Path("grid.pdf").read_bytes().startswith(b"%PDF")
    done = fairviz(*answers, "--chart", "grid.pdf", "--task", "lamp-2")
    assert done.errors[-1] == "error: --task lamp-2: expected one of lamp-1"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--chart", "one.eps"], "error: --chart one.eps: expected a name that ends in .svg, .pdf or .png or .html"),
        (["--chart", "one.pdf", "--points", "6"], "error: text of 6 points: expected 7 to 40 points"),
        (["--chart", "one.pdf", "--system", "two"], "error: --system two: expected one of five"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(
    fairviz: Command, five: tuple[str, ...], options: list[str], error: str
) -> None:
    done = fairviz(*five, *options)
    assert (done.code, done.errors[-1]) == (2, error)
    assert not Path("one.pdf").exists()
