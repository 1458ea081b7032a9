"""A result has the same columns from the command line as from the buttons of the dashboard."""

import pytest

from fairviz.cli.main import main
from tests.app.conftest import OpenPage
from tests.dashboard import ROOT

DEMO = ROOT / "data" / "demo"
RUN, QRELS = str(DEMO / "bm25.run"), str(DEMO / "usefulness.qrels")


def header(text: str) -> str:
    """The first line of a CSV text."""
    return text.splitlines()[0]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints."""
    capsys.readouterr()
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_points_of_curves(app_test: OpenPage, downloads: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    app_test("tradeoff")
    command = printed(
        capsys, "tradeoff", RUN, "--qrels", QRELS, "-k", "5", "--alpha", "0,8", "--table", "curves", "--format", "csv"
    )
    assert header(downloads["fairviz-tradeoff.csv"]) == header(command)


@pytest.mark.parametrize(("measure", "groups"), [("nDCG@10", ()), ("AWRF", ("--groups", str(DEMO / "region.tsv")))])
def test_values_of_measures(
    app_test: OpenPage,
    downloads: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    measure: str,
    groups: tuple[str, ...],
) -> None:
    app_test("export", link={"measures": measure})
    target = ("--target", str(DEMO / "target.json")) if groups else ()
    command = header(
        printed(capsys, "evaluate", RUN, "--qrels", QRELS, *groups, *target, "-m", measure, "--format", "csv")
    )
    page = header(downloads["fairviz-means.csv"])
    assert page == f"{command},retriever,policy,alpha"  # of the example's other systems


def test_values_of_queries(app_test: OpenPage, downloads: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    app_test("export", link={"measures": "nDCG@10", "rows": "Per query"})
    command = printed(
        capsys, "evaluate", RUN, "--qrels", QRELS, "-m", "nDCG@10", "--table", "per-query", "--format", "csv"
    )
    assert header(downloads["fairviz-queries.csv"]) == f"{header(command)},retriever,policy,alpha"
