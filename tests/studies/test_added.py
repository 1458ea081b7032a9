"""A study that somebody adds is a folder and a line: command, function, report, bundle, page and downloads follow."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

import fairviz as fv
from fairviz import studies
from fairviz.cli import main as commands
from fairviz.display.html import Section
from fairviz.display.table import Column, Table
from fairviz.reporting import assemble
from fairviz.studies.study import Analysis, Study
from tests.app.conftest import OpenPage, app_test
from tests.app.reading import words
from tests.cli.conftest import Command, fairviz

__all__ = ["app_test", "fairviz"]

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.DataWarning")
EXAMPLE = Path(__file__).parents[2] / "tests" / "small" / "data" / "demo"
LENGTHS = Study("lengths", "lengths", "how many queries each system ranks")


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a folder in ``fairviz/studies`` and a line in ``STUDIES`` do; the folder is ``added/lengths`` here."""
    every = (*studies.STUDIES, LENGTHS)
    monkeypatch.setattr(studies, "STUDIES", every)
    monkeypatch.setattr(assemble, "STUDIES", every)
    monkeypatch.setitem(commands.COMMANDS, LENGTHS.command, LENGTHS.purpose)
    monkeypatch.setattr(studies, "__path__", [*studies.__path__, str(Path(__file__).parent / "added")])


RUN = str(EXAMPLE / "bm25.run")
QRELS = str(EXAMPLE / "usefulness.qrels")


def test_it_is_a_command_with_its_settings(fairviz: Command) -> None:
    done = fairviz("lengths", RUN, "--least", 3, "--format", "csv")
    assert (done.code, done.out) == (0, "system,n_queries\nbm25,14\n")
    assert (
        fairviz("lengths", RUN, "--least", 0).errors[-1].startswith("error: argument --least: expected a whole number")
    )
    assert "documents that a query has at least (default 1)" in " ".join(fairviz("lengths", "--help").out.split())


def test_it_is_a_function_with_the_same_settings() -> None:
    result = fv.lengths(RUN, least=100)  # type: ignore[attr-defined] -- made when it is asked for
    assert result.frame().to_dict("records") == [{"system": "bm25", "n_queries": 0}]
    assert result.findings[0].title == "bm25 ranks 0 queries"


def test_it_is_a_part_of_reports_and_bundles() -> None:
    report = fv.report(RUN, QRELS, k=3, alpha=[0, 8])
    assert "bm25 ranks 14 queries" in report.html()
    with ZipFile(BytesIO(report.bundle())) as bundle:
        assert bundle.read("tables/lengths.csv").decode() == "system,n_queries\nbm25,14\n"


def test_it_is_a_page_with_controls_downloads_and_its_command(app_test: OpenPage) -> None:
    at = app_test("studies", link={"question": "Lengths", "lengths-least": "40"})
    assert "bm25 ranks 10 queries" in words(at)
    assert at.number_input(key="lengths-least").value == 40
    assert [button.label for button in at.get("download_button")][:2] == ["CSV", "LaTeX"]
    assert at.code[-1].value.endswith("--least 40")


@pytest.mark.parametrize("study", studies.STUDIES, ids=lambda study: study.command)
def test_every_study_is_shown_on_the_example(app_test: OpenPage, study: Study) -> None:
    at = app_test("studies", link={"question": study.title})
    answered = [code.value for code in at.code if code.value.startswith(f"fairviz {study.command} ")]
    assert answered or "These data, so set, do not answer it" in words(at)


def test_without_a_finding_its_first_table_heads_the_report() -> None:
    table = Table.of([{"n": 3}], [Column("n", "queries")], "Queries of each system")
    assert Analysis(tables={"lengths": table}).in_report() == [Section("Queries of each system", (), (table,))]
