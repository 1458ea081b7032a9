"""The Policy lab: its finding, what a budget moves and does not, before and after, downloads."""

import json
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from fairviz.studies.policy_lab.progressive import ProgressivePrices
from tests.app.conftest import OpenPage
from tests.app.reading import EVIL, of_files, title, words

COMPUTING = "Computing what each re-ranker costs"
DOCS = "abcdefgh"
RUN = "".join(
    f"q{q} Q0 {doc} {rank} {20 - rank} base\n" for q in range(1, 13) for rank, doc in enumerate(DOCS, start=1)
)
"""Twelve queries, the same eight documents in the order of their names."""
QRELS = "".join(f"q{q} 0 a 1\nq{q} 0 {'b' if q % 2 else 'e'} 1\n" for q in range(1, 13))
GROUPS = "doc_id\tside\n" + "".join(f"{doc}\t{'left' if doc in 'abcd' else 'right'}\n" for doc in DOCS)
TARGET = '{"left": 0.5, "right": 0.5}'
SMALL = {"run": RUN, "qrels": QRELS, "groups": GROUPS, "target": TARGET}


def settled(at: AppTest) -> AppTest:
    """The page once its curves are complete; it computes a little on every run."""
    for _ in range(120):
        if title(at) != COMPUTING:
            return at
        at.run()
        assert not at.exception, at.exception
    raise AssertionError("the curves never ended")


def opened(app_test: OpenPage, data: Dataset | None = None, **link: str) -> AppTest:
    return settled(app_test("policy_lab", dataset=data, link=dict(link)))


def chart(at: AppTest, key: str) -> dict[str, Any]:
    (found,) = (c for c in at.get("plotly_chart") if key in c.proto.id)
    return json.loads(found.proto.spec)


def test_the_example_has_a_finding_with_its_numbers(app_test: OpenPage) -> None:
    at = opened(app_test)
    assert re.search(r"ocuments labelled “\w.*” go from [\d.]+\s% to [\d.]+\s% of attention", title(at))
    said = words(at)
    for text in (
        "could be",
        "at random on each visit",
        "The price of fairness",
        "seed 0",
        "exact expected attention",
        "queries lose quality",
        "Closest to the target within the budget.",
    ):
        assert text in said
    for verdict in ("free", "costs nothing", "unbiased", "is fair", "debias"):
        assert verdict not in said.replace("fairviz", "").lower()


def test_today_by_hand(app_test: OpenPage) -> None:
    """Top 2 is a, b: all attention on left, target ½: 50 points off.

    nDCG@2: odd queries have a and b useful, 1; even ones a and e, 1 / (1 + 1/log2(3)) = 0.613.
    """
    at = opened(app_test, of_files(**SMALL), k="2")
    said = words(at)
    even = 1 / (1 + 1 / np.log2(3))
    assert re.search(r"50\.0 → ", said)
    assert f"{(1 + even) / 2:.3f} → " in said
    assert "one set of 12 queries in every number" in said
    today = next(t for t in chart(at, "price")["data"] if t["name"] == "today")
    assert today["x"] == [pytest.approx(50)]


def test_every_chosen_re_ranker_has_a_line_and_a_row(app_test: OpenPage) -> None:
    at = opened(app_test, of_files(**SMALL), k="4")
    names = {trace["name"] for trace in chart(at, "price")["data"]}
    assert names >= {
        "det-greedy",
        "det-cons",
        "det-const-sort",
        "fair-epsilon-greedy",
        "fa-ir",
        "fairness-of-exposure",
        "plackett-luce",
        "today",
    }
    at.multiselect(key="lab_methods").set_value(["det-greedy", "novelty"]).run()
    settled(at)
    names = {trace["name"] for trace in chart(at, "price")["data"]}
    assert {"det-greedy", "novelty"} <= names
    assert "fa-ir" not in names


def test_a_budget_rings_another_point_and_computes_nothing(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened(app_test)
    before = chart(at, "price")

    def computed(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was re-ranked on a move of the budget")

    monkeypatch.setattr(ProgressivePrices, "_compute", computed)
    at.slider(key="lab_budget").set_value(10.0).run()
    assert not at.exception
    after = chart(at, "price")
    for axis in ("xaxis", "yaxis"):
        assert before["layout"][axis]["range"] == after["layout"][axis]["range"]
    rings = [next(t for t in each["data"] if t["name"] == "within the budget") for each in (before, after)]
    assert rings[0]["x"] != rings[1]["x"]


def test_a_target_moves_everything(app_test: OpenPage) -> None:
    at = opened(app_test, of_files(**SMALL), k="4")
    was = title(at)
    share = next(s for s in at.slider if "share-0" in (s.key or ""))
    share.set_value(90).run()
    assert not at.exception
    assert title(settled(at)) != was
    assert "10 %" in title(at) or "target" in title(at).lower()


def test_a_tiny_budget_may_buy_nothing(app_test: OpenPage) -> None:
    """Every step costs far more than half a percent where only the first documents are useful."""
    qrels = "".join(f"q{q} 0 a 3\nq{q} 0 b 3\n" for q in range(1, 13))
    at = opened(app_test, of_files(**{**SMALL, "qrels": qrels}), k="2")
    at.slider(key="lab_budget").set_value(0.5).run()
    assert re.match(r"No setting within 0\.5\s% raises documents labelled “right” noticeably \(0\.0", title(at))


def test_few_queries_are_said(app_test: OpenPage) -> None:
    run = "".join(line + "\n" for line in RUN.splitlines() if not line.startswith(("q1 ", "q10 ", "q11 ")))
    at = opened(app_test, of_files(**{**SMALL, "run": run}), k="4")
    assert title(at) == "Too few queries to say what the target costs"
    assert "9 queries: too few to compare; ten are needed" in words(at)
    assert "3 judged queries are not in the run" in words(at)


def test_what_re_ranking_cannot_do_is_said(app_test: OpenPage) -> None:
    """q1 and q2 rank left documents alone."""
    run = "".join(
        line + "\n" for line in RUN.splitlines() if not (line.startswith(("q1 ", "q2 ")) and line.split()[2] in "efgh")
    )
    at = opened(app_test, of_files(**{**SMALL, "run": run}), k="4")
    assert "2 of 12 queries retrieved none labelled “right”" in words(at)


def test_a_method_that_does_not_apply_has_its_reason(app_test: OpenPage) -> None:
    assert "it protects one group against the rest; these labels have 5 groups" in words(opened(app_test))


def test_another_distance_and_another_quality(app_test: OpenPage) -> None:
    at = opened(app_test, of_files(**SMALL), k="4")
    at.multiselect(key="lab_methods").set_value(["det-greedy", "fairness-of-exposure"]).run()
    menu = at.selectbox(key="lab_measure")
    menu.set_value(next(name for name in menu.options if name.startswith("NDKL"))).run()
    settled(at)
    assert "distance by NDKL@4" in chart(at, "price")["layout"]["xaxis"]["title"]["text"]
    at.segmented_control(key="lab_quality").set_value("EE-R").run()
    assert "EE-R@4" in words(settled(at))


def test_without_labels_or_judgements_it_says_what_to_load(app_test: OpenPage) -> None:
    said = words(app_test("policy_lab", dataset=of_files(run=RUN, qrels=QRELS)))
    assert "no group labels" in said
    assert "no judgements" in words(app_test("policy_lab", dataset=of_files(run=RUN)))


def test_names_that_are_markup_are_text(app_test: OpenPage) -> None:
    name = EVIL.replace(" ", "")
    files = {**SMALL, "groups": GROUPS.replace("right", name), "run": RUN.replace("base", name)}
    files.pop("target")
    at = opened(app_test, of_files(**files), k="4")
    assert "<img" not in json.dumps(chart(at, "price")).replace("\\u003c", "<")
    assert "<img" not in json.dumps(chart(at, "before-after")).replace("\\u003c", "<")
