"""``--figure`` and ``fairviz figure``: the file, and what is refused before anything is computed."""

import sys
from pathlib import Path

import pytest

from fairviz.display.paper import Paper, lost_words, printed
from fairviz.display.theme import LIGHT
from fairviz.extras import installing
from fairviz.studies.tradeoff.figures import tradeoff_figure
from tests.cli.conftest import Command
from tests.cli.test_curve import five
from tests.cli.test_tradeoff import answers
from tests.display.test_print_figure import no_other_fonts
from tests.display.views import line, view

__all__ = ["answers", "five", "no_other_fonts"]


def test_a_curve_is_drawn_beside_what_is_printed(fairviz: Command, five: tuple[str, ...]) -> None:
    alone = fairviz(*five).out
    assert fairviz(*five, "--figure", "one.svg", "--width", "177mm").out == alone
    assert 'width="501' in Path("one.svg").read_text()  # points
    fairviz(*five, "--figure", "marked.svg", "--width", "177mm", "--mark-alpha", 2)
    assert Path("marked.svg").read_bytes() != Path("one.svg").read_bytes()
    fairviz(*five, "--figure", "again.svg", "--width", "177mm")
    assert Path("again.svg").read_bytes() == Path("one.svg").read_bytes()


def test_a_grid_has_a_panel_for_each_system(fairviz: Command, answers: tuple[str, ...]) -> None:
    done = fairviz(*answers, "--figure", "grid.pdf", "--rows", "retriever")
    assert done.code == 0, done.err
    assert Path("grid.pdf").read_bytes().startswith(b"%PDF")
    done = fairviz(*answers, "--figure", "grid.pdf", "--task", "lamp-2")
    assert done.errors[-1] == "error: --task lamp-2: expected one of lamp-1"


def test_a_drawing_is_printed(fairviz: Command, files: Path) -> None:
    chart = tradeoff_figure(view(), colours=LIGHT, point=view().at(2))
    (files / "chart.json").write_text(chart.to_json())
    done = fairviz("figure", "chart.json", "chart.svg", "--greyscale", "--call-outs", "--font-size", 8)
    assert (done.code, done.out) == (0, "")
    asked = Paper(greyscale=True, call_outs=True, font_size=8)
    assert (files / "chart.svg").read_bytes() == printed(chart, asked, "svg")
    done = fairviz("figure", "chart.json", "chart.svg", "--font", "serif")
    assert (done.out, done.err) == ("", "")
    assert (files / "chart.svg").read_bytes() == printed(chart, Paper(family="serif"), "svg")
    (files / "chart.json").write_text("[1, 2")
    assert fairviz("figure", "chart.json", "chart.svg").errors[-1].startswith("error: chart.json: not a chart. Give")


@pytest.mark.usefixtures("no_other_fonts")
def test_letters_that_no_font_has_are_said(fairviz: Command, files: Path) -> None:
    (files / "chart.json").write_text(tradeoff_figure(view(others=[line(system="日")]), colours=LIGHT).to_json())
    done = fairviz("figure", "chart.json", "chart.svg")
    assert done.errors == ["warning: chart.svg: " + lost_words("日")]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--figure", "one.png"], "error: --figure one.png: expected a name that ends in .svg or .pdf"),
        (["--figure", "one.pdf", "--font-size", "6"], "error: --font-size 6: expected 7 to 40 points"),
        (["--figure", "one.pdf", "--system", "two"], "error: --system two: expected one of five"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(
    fairviz: Command, five: tuple[str, ...], options: list[str], error: str
) -> None:
    done = fairviz(*five, *options)
    assert (done.code, done.errors[-1]) == (2, error)
    assert not Path("one.pdf").exists()


def test_without_matplotlib_it_is_said_how_to_install_it(
    fairviz: Command, five: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = fairviz(*five, "--figure", "one.pdf")
    assert done.code == 2
    assert done.errors[-1] == f"error: a figure for a paper needs matplotlib: {installing(['print'])}"
