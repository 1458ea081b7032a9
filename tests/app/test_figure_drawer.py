"""The drawer of figures: its command gives the file that it hands out, and a pin goes into the bundle."""

import json
import shlex
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.cli.main import main
from fairviz.reporting.assemble import assembled
from fairviz.resources import example_folder
from fairviz.studies.measures.settings import MeasuresSettings
from pages._export import request
from pages._kit.downloads import _files
from pages._kit.keeping import PINS
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import QRELS, RUN, markup, of_files, words
from tests.app.test_compare import small_files, small_grid
from tests.display.views import content_for_file
from tests.loaded import load_dataset

__all__ = ["content_for_file"]
DET_GREEDY: dict[str, str | list[str]] = {"methods": "det-greedy"}
"""Of the Policy lab, which has to pay for each of its methods."""
FEW = of_files(run=RUN, qrels=QRELS)
"""Data of the bundles that pins go into, whatever page they are of: a report of the example takes seconds."""


@pytest.fixture(autouse=True)
def nothing_printed_before() -> None:
    _files.clear()


def run(command: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.chdir(folder)
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    assert program == "fairviz"
    assert main(arguments) == 0


def ready(at: AppTest, key: str) -> AppTest:
    """The page once its button is there: what is folded away is opened, what takes time grows."""
    at.session_state["lab-methods"] = True
    at.run()
    while not any(button.key == key for button in at.button):
        at.run()
    return at


def test_without_a_browser_the_drawer_names_the_download_of_the_chart(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/nowhere/chromium")
    monkeypatch.setenv("PATH", "/nowhere")
    at = ready(app_test("policy_lab", link=DET_GREEDY), "fairviz-least-loss-figure")
    at.button(key="fairviz-least-loss-figure").click().run()
    assert "hover over the chart in the dashboard and select “Download SVG”" in markup(at)  # of a dialog


@pytest.mark.usefixtures("content_for_file")
def test_the_command_of_the_curves_gives_the_file_that_the_drawer_hands_out(
    app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = app_test("tradeoff")
    while not any(button.key == "fairviz-tradeoff-figure" for button in at.button):
        at.run()
    at.button(key="fairviz-tradeoff-figure").click().run()
    command = at.code[-1].value
    at.button(key="fairviz-tradeoff-figure-pin").click().run()
    (made,) = at.session_state[PINS].values()
    assert made.command == command
    assert made.caption.startswith("EER@5 over EE-D, mean of 14 queries, k = 5, α from 0 to 8. Solid: Plackett–Luce of")
    file = tmp_path / "fairviz-tradeoff.pdf"
    run(command.replace("fairviz-tradeoff.pdf", str(file)), monkeypatch, example_folder().parents[1])
    assert file.read_bytes() == made.pdf


@pytest.mark.usefixtures("content_for_file")
def test_the_command_of_the_panels_gives_the_file_that_the_drawer_hands_out(
    app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of recorded answers of two tasks, and of runs."""
    for name, content in small_files():
        (tmp_path / name).write_bytes(content)
    runs = [("a.run", RUN.encode()), ("b.run", RUN.replace("sysA", "sysB").encode()), ("all.qrels", QRELS.encode())]
    (tmp_path / "runs").mkdir()
    for name, content in runs:
        (tmp_path / "runs" / name).write_bytes(content)
    link = {"colour": "generator", "pin": name_mark("dense + large")}
    opened = {"compare_panels": "true"}
    of_runs = load_dataset(runs, name="Runs").dataset
    cases = (
        (small_grid(), link, tmp_path),
        (of_runs, {"k": "1"}, tmp_path / "runs"),
        (of_runs, {"k": "1", "pol": "plackett-luce_uniform"}, tmp_path / "runs"),
    )
    for loaded, settings, folder in cases:
        at = app_test("compare", dataset=loaded, link={**settings, **opened})
        at.button(key="fairviz-compare-panels-figure").click().run()
        command = at.code[-1].value
        assert command.startswith("fairviz grid ")
        at.button(key="fairviz-compare-panels-figure-pin").click().run()
        (made,) = at.session_state[PINS].values()
        run(command.replace(".pdf", ".svg"), monkeypatch, folder)
        assert (folder / "fairviz-compare-panels.svg").read_bytes() == made.svg


@pytest.mark.usefixtures("content_for_file")
def test_a_chart_without_a_command_and_a_table_are_pinned_and_go_into_the_bundle(app_test: OpenPage) -> None:
    at = ready(app_test("policy_lab", link=DET_GREEDY), "fairviz-least-loss-figure")
    at.button(key="fairviz-price-pin").click()
    at.button(key="fairviz-least-loss-figure").click().run()
    assert {button.label for button in at.get("download_button")} >= {"PDF", "SVG", "PNG"}
    at.button(key="fairviz-least-loss-figure-pin").click().run()
    table, figure = at.session_state[PINS].values()
    assert figure.command == ""
    assert "points of attention missing" in figure.caption
    assert figure.pdf.startswith(b"%PDF")
    for label, left in (("Unpin", 1), ("Pin for the bundle", 2)):
        at.button(key="fairviz-least-loss-figure").click().run()
        button = at.button(key="fairviz-least-loss-figure-pin")
        assert button.label == label
        button.click().run()
        assert len(at.session_state[PINS]) == left
    assert table.csv.startswith("system,reranker,strength,")
    assert "\\begin{tab" in table.latex
    assert table.page.startswith("Policy lab, ?methods=det-greedy&data=")

    wanted = replace(request(FEW, MeasuresSettings())[0], alpha=(0.0, 8.0))  # a report draws its chart for each α
    bundle = assembled(FEW, wanted).bundle(figures=[figure], pinned=[table])
    with ZipFile(BytesIO(bundle)) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    assert files["figures/fairviz-least-loss.pdf"] == figure.pdf
    assert files["figures/fairviz-least-loss.svg"] == figure.svg
    assert "{figures/fairviz-least-loss.pdf}" in files["figures/figures.tex"].decode()
    assert "figures/fairviz-least-loss.pdf" in str(json.loads(files["manifest.json"]))
    assert "figures/fairviz-least-loss.svg" in files["README.txt"].decode()
    assert files["pinned/fairviz-price.csv"].decode() == table.csv
    latex = files["pinned/fairviz-price.tex"].decode()
    assert latex.replace("{tab:pinned-fairviz-price-", "{tab:") == table.latex
    assert table.page in files["reproduce.sh"].decode()

    assert at.button(key="fairviz-price-pin").label == "Unpin"
    at.switch_page("pages/export.py").run()
    assert "1 pinned figure and 1 pinned table, ready for the bundle" in words(at)
    assert "Pinned: fairviz-least-loss and fairviz-price" in words(at)
    at.button(key="unpin-figures").click().run()
    assert "pinned figure" not in words(at)
    assert "Pinned: " not in words(at)


def test_a_table_that_cannot_be_pinned_says_why() -> None:
    def page() -> None:
        from pages._kit.downloads import download_row

        download_row("stem", "Table", frame_csv=lambda: str(1 / 0), source="A paper")

    at = AppTest.from_function(page).run()
    at.button(key="stem-pin").click().run()
    assert "stem could not be pinned: this is a fault in fairviz" in words(at)
