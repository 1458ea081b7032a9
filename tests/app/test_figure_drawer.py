"""The drawer of figures: its command gives the file that it hands out, and a pin goes into the bundle."""

import json
import shlex
from collections.abc import Sequence
from html import escape
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from plotly.io.json import to_json_plotly
from streamlit.testing.v1 import AppTest

from fairviz.cli.main import main
from fairviz.display.paper import Kind
from fairviz.display.theme import Layout
from fairviz.reporting.assemble import assembled
from pages._export import Parts, request
from pages._kit.downloads import _files
from pages._kit.keeping import FIGURES, TABLES
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import QRELS, RUN, of_files, words
from tests.app.test_compare import small_files, small_grid
from tests.dashboard import ROOT
from tests.loaded import load_dataset

FEW = of_files(run=RUN, qrels=QRELS)
"""Data of the bundles that pins go into, whatever page they are of: a report of the example takes seconds."""


@pytest.fixture
def content_for_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that hold what is printed and how large, as text: ``tests/display/test_paper.py`` prints for a browser."""

    def written(content: Layout, kinds: Sequence[Kind], factor: float) -> list[bytes]:
        text = to_json_plotly([content, factor])
        files = {"pdf": f"%PDF {text}", "svg": f"<svg lang='en'>{escape(text)}</svg>", "png": text}
        return [files[kind].encode() for kind in kinds]

    monkeypatch.setattr("fairviz.display.paper._rendered", written)
    _files.clear()


def run(command: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.chdir(folder)
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    assert program == "fairviz"
    assert main(arguments) == 0


def ready(at: AppTest, key: str) -> AppTest:
    """The page once its button is there: what takes time grows."""
    at.run()
    while not any(button.key == key for button in at.button):
        at.run()
    return at


def test_a_chart_without_a_command_is_handed_out_in_each_kind_of_file(app_test: OpenPage) -> None:
    at = ready(app_test("policy_lab"), "fairviz-frontier-figure")
    at.button(key="fairviz-frontier-figure").click().run()
    assert not at.exception
    assert {button.label for button in at.get("download_button")} >= {"PDF", "SVG", "PNG"}
    at.button(key="fairviz-frontier-figure-pin").click().run()
    (made,) = at.session_state[FIGURES].values()
    assert made.command == ""
    assert "off target" in made.caption
    assert made.pdf.startswith(b"%PDF")


def test_without_a_browser_the_drawer_names_the_download_of_the_chart(
    app_test: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/nowhere/chromium")
    monkeypatch.setenv("PATH", "/nowhere")
    _files.clear()
    at = ready(app_test("policy_lab"), "fairviz-frontier-figure")
    at.button(key="fairviz-frontier-figure").click().run()
    assert not at.exception
    assert "hover over the chart in the dashboard and select “Download SVG”" in words(at)


@pytest.mark.usefixtures("content_for_file")
def test_the_command_of_the_curves_gives_the_file_that_the_drawer_hands_out(
    app_test: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = app_test("tradeoff")
    while not any(button.key == "fairviz-tradeoff-figure" for button in at.button):
        at.run()
    at.button(key="fairviz-tradeoff-figure").click().run()
    assert not at.exception
    command = at.code[-1].value
    at.button(key="fairviz-tradeoff-figure-pin").click().run()
    (made,) = at.session_state[FIGURES].values()
    assert made.command == command
    assert made.caption.startswith("EER@5 over EE-D, mean of 14 queries, k = 5, α from 0 to 8. Solid: Plackett–Luce of")
    file = tmp_path / "fairviz-tradeoff.pdf"
    run(command.replace("fairviz-tradeoff.pdf", str(file)), monkeypatch, ROOT)
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
    of_runs = load_dataset(runs, name="Runs").dataset
    cases = (
        (small_grid(), link, tmp_path),
        (of_runs, {"k": "1"}, tmp_path / "runs"),
        (of_runs, {"k": "1", "pol": ["plackett-luce", "uniform"]}, tmp_path / "runs"),
    )
    for loaded, settings, folder in cases:
        at = app_test("compare", dataset=loaded, link=settings)
        at.button(key="fairviz-compare-figure").click().run()
        assert not at.exception
        command = at.code[-1].value
        assert command.startswith("fairviz grid ")
        at.button(key="fairviz-compare-figure-pin").click().run()
        (made,) = at.session_state[FIGURES].values()
        run(command.replace(".pdf", ".svg"), monkeypatch, folder)
        assert (folder / "fairviz-compare.svg").read_bytes() == made.svg


@pytest.mark.usefixtures("content_for_file")
def test_pinned_figures_go_into_the_bundle(app_test: OpenPage) -> None:
    at = ready(app_test("policy_lab"), "fairviz-frontier-figure")
    at.button(key="fairviz-frontier-figure").click().run()
    at.button(key="fairviz-frontier-figure-pin").click().run()
    (made,) = at.session_state[FIGURES].values()
    for label, left in (("Unpin", 0), ("Pin for the bundle", 1)):
        at.button(key="fairviz-frontier-figure").click().run()
        button = at.button(key="fairviz-frontier-figure-pin")
        assert button.label == label
        button.click().run()
        assert len(at.session_state[FIGURES]) == left
    with ZipFile(BytesIO(assembled(FEW, request(FEW, Parts(None, None, None))).bundle(figures=[made]))) as packed_files:
        assert packed_files.read("figures/fairviz-frontier.pdf") == made.pdf
        assert packed_files.read("figures/fairviz-frontier.svg") == made.svg
        included = packed_files.read("figures/figures.tex").decode()
        listed = json.loads(packed_files.read("manifest.json"))
        contents = packed_files.read("README.txt").decode()
    assert "{figures/fairviz-frontier.pdf}" in included
    assert "figures/fairviz-frontier.pdf" in str(listed)
    assert "figures/fairviz-frontier.svg" in contents
    at.switch_page("pages/export.py").run()
    assert "1 pinned figure, ready for the bundle" in words(at)
    assert "Pinned: fairviz-frontier" in words(at)
    at.button(key="unpin-figures").click().run()
    assert "pinned figure," not in words(at)


def test_pinned_tables_go_into_the_bundle(app_test: OpenPage) -> None:
    at = ready(app_test("policy_lab"), "fairviz-price-pin")
    at.button(key="fairviz-price-pin").click().run()
    assert not at.exception
    (made,) = at.session_state[TABLES].values()
    assert made.csv.startswith("system,reranker,strength,")
    assert "\\begin{tab" in made.latex
    assert made.page.startswith("Policy lab, ?data=")
    with ZipFile(BytesIO(assembled(FEW, request(FEW, Parts(None, None, None))).bundle(pinned=[made]))) as bundled:
        assert bundled.read("pinned/fairviz-price.csv").decode() == made.csv
        latex = bundled.read("pinned/fairviz-price.tex").decode()
        assert latex.replace("{tab:pinned-fairviz-price-", "{tab:") == made.latex
        assert made.page in bundled.read("reproduce.sh").decode()
    at.switch_page("pages/export.py").run()
    assert "Pinned: fairviz-price" in words(at)
    at = ready(at.switch_page("pages/policy_lab.py"), "fairviz-price-pin")
    assert at.button(key="fairviz-price-pin").label == "Unpin"
    at.button(key="fairviz-price-pin").click().run()
    assert not at.session_state[TABLES]


def test_a_table_that_cannot_be_pinned_says_why() -> None:
    def page() -> None:
        from pages._kit.downloads import download_row

        download_row("stem", "Table", frame_csv=lambda: str(1 / 0), source="A paper")

    at = AppTest.from_function(page).run()
    at.button(key="stem-pin").click().run()
    assert not at.exception
    assert "stem could not be pinned: this is a fault in fairviz" in words(at)
