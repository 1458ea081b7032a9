"""The page Agreement: the example, six runs of eight documents, and much data."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias, get_args

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.display.methods import AgainstTarget
from fairviz.evaluation.systems import rankings_by_alpha
from fairviz.model import Dataset, Run
from fairviz.studies.ranks.analysis import analyse
from fairviz.studies.ranks.settings import Algorithm, RanksSettings
from pages._kit.link import name_mark
from pages._kit.session import example
from pages._kit.target import session_key
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, of_files, title, words
from tests.lines import run_lines
from tests.nouns import run_of, sample_of

ORDERS = ("12345678", "21345678", "87654321", "13572468", "24681357", "56781234")


def six(name: str = "sys", n: int = 6) -> Dataset:
    """Six runs of eight documents; judgements and labels as elsewhere in these tests."""
    lines = run_lines(f"{name} {n}", {"q1": [f"d{d}" for d in ORDERS[n - 1]]})  # n is part of the fingerprint
    loaded = of_files(run=lines, qrels=QRELS, groups=GROUPS)
    runs: list[Run] = []
    for i, order in enumerate(ORDERS[:n]):
        scores = {f"d{d}": 9.0 - r for r, d in enumerate(order)}
        runs.append(run_of({"q1": scores, "q2": scores}, f"{name}{i}"))
    return replace(loaded, runs=tuple(runs))


Opened: TypeAlias = Callable[[Dataset], AppTest]


@pytest.fixture
def opened(app_test: OpenPage) -> Opened:
    """Opens the page at k = 4."""
    return lambda loaded: app_test("agreement", dataset=loaded, link={"k": "4"})


def move(at: AppTest) -> None:
    """Asia to 80 % of the target, as the editor does."""
    where = session_key(six(), 0, six().labels[0].groups)
    at.session_state[where] = replace(at.session_state[where], weights=np.array([0.8, 0.1, 0.1]), is_set=True)
    at.run()


def test_the_example_says_what_each_measure_says_of_five_systems(app_test: OpenPage) -> None:
    at = app_test("agreement", link={"k": "4", "labels": name_mark("provider")})
    assert "14 judged queries · FAIR undefined for none of them" in words(at)
    assert title(at) == (
        "Choosing a measure is choosing a system: IAA and FAIR@4 disagree on all 6 pairs of systems that both tell "
        "apart"
    )
    assert "5 systems are too few to say which measures agree in general." in words(at)
    assert "What each measure says of your systems, best first" in words(at)
    assert "Report " in words(at)
    assert "in both data sets" in words(at)
    assert "pairs of measures, none of them undefined" in words(at)
    assert len(at.get("plotly_chart")) >= 2 + 2 + 4  # triangles, strips, ranks


def test_uploads_are_compared_and_left_out_measures_named(opened: Opened) -> None:
    at = opened(six())
    said = words(at)
    assert "Kendall's τ-c between measures over 6 systems" in said
    assert "Not computed: logDP" in said  # three groups
    assert "Choose one group to compute logDP" in said
    assert "group='…'" not in said
    at.selectbox(key="one_group").set_value("asia").run()
    assert "logDP" not in words(at).partition("Not computed")[2].partition(".")[0]
    move(at)
    assert "asia 80" in words(at)


def test_what_a_person_chooses_is_followed(opened: Opened) -> None:
    at = opened(six())
    at.segmented_control(key="tau").set_value("τ-b").run()
    assert "Kendall's τ-b" in words(at)
    at.segmented_control(key="ranks").set_value("10").run()
    names = ["0-greedy, RJ", "0.5-greedy, NoRJ", "DetCons"]
    at.multiselect(key="rerank_chosen").set_value(names).run()
    assert "FAIR and" in words(at)
    # q2: what is useful has no group to cover; q9: judged and not ranked
    assert "FAIR undefined for 2 of them" in words(at)
    [picked] = [one for one in at.multiselect if one.label == "Measures"]
    picked.set_value(["AWRF"]).run()
    assert "Choose two measures to compare" in words(at)
    next(each for each in at.multiselect if each.label == "Measures").set_value(["FAIRBinomial", "PAIR"]).run()
    assert title(at) == "None of these measures can be computed"


def test_one_system_is_told(opened: Opened) -> None:
    at = opened(six(n=1))
    said = words(at)
    assert "One system has no order that measures could agree on" in said
    assert "Load more runs" in said


def test_much_data_waits_for_a_button(monkeypatch: pytest.MonkeyPatch, opened: Opened) -> None:
    monkeypatch.setattr("pages._agreement.MOST_AT_ONCE", 10)
    monkeypatch.setattr("pages._agreement.MOST_UNASKED", 10)
    at = opened(six())
    assert title(at) == "13 measures of 6 systems can be compared"
    assert not at.get("plotly_chart")
    at.button(key="agreement-again").click().run()
    assert "Kendall's τ-c between measures over 6 systems" in words(at)
    assert at.get("plotly_chart")


def test_a_target_that_moves_leaves_a_large_comparison_where_it_was(
    monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    monkeypatch.setattr("pages._agreement.MOST_AT_ONCE", 10)
    at = opened(six())
    assert "The target has changed" not in words(at)
    move(at)
    assert "The target has changed" in words(at)
    assert "asia 33" in words(at)
    at.button(key="agreement-again").click().run()
    assert "asia 80" in words(at)
    assert "The target has changed" not in words(at.run())


DAILY = ("DetCons", "0.5-greedy, NoRJ")


@pytest.mark.parametrize(
    "algorithm", [one if one in DAILY else pytest.param(one, marks=pytest.mark.slow) for one in get_args(Algorithm)]
)
def test_every_algorithm_of_the_figure_gives_a_series(algorithm: Algorithm) -> None:
    against = AgainstTarget(0, "uniform")
    found = analyse(example(), RanksSettings(depth=5, irm="nDCG", rerank=(algorithm,), against=against))
    means = [row[3] for row in found.tables["series"].rows if row[:2] == (algorithm, "FAIR")]
    assert len(means) == 5
    assert np.isfinite(np.array(means, dtype=np.float64)).all()


def test_systems_of_one_name_are_told_apart() -> None:
    loaded = six()
    drawn = sample_of({"q1": [["d1", "d2"]], "q2": [["d2", "d1"]]}, "sys0", alpha=2.0)
    again = replace(drawn, alpha=None)
    names = [s.system for s in rankings_by_alpha(replace(loaded, samples=(drawn, drawn, again)))]
    assert names[6:] == ["sys0, α = 2", "sys0, α = 2 (2)", "sys0, sample 3"]
    assert len({*names}) == 9
