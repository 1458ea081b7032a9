"""Data on which sentences go wrong (``../shared/data/hard``, ``real/fair``): what both pages must not say, and must.

Groups & targets and the Policy lab are read as a person reads them; three re-rankers stand for all.
"""

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.display.markup import style
from fairviz.model import Dataset
from tests.app.conftest import OpenPage
from tests.app.reading import markup, of_files, plain, title, words
from tests.app.target import component, rows
from tests.app.test_groups import opened as unfolded
from tests.app.test_policy_lab import SMALL, opened
from tests.lines import run_lines
from tests.loaded import dataset_of

FEW_METHODS = ("det-greedy", "fairness-of-exposure", "plackett-luce")
NEVER = (
    "µ",
    "μ",
    "no change in quality",
    "can be told",
    "distinguishable",
    "nothing to buy",
    "from 0 % to 0 %",
    "50.0 to 50.0",
    "50.0 → 50.0",
    "50 to 50",
    "between 50 points and 50 points",
    "Only better retrieval helps",
    "no return",
    "1 groups",
    "4390514",
)
"""What neither page says of any data."""


def hard(shared: Path, name: str) -> Dataset:
    return loaded(sorted((shared / "data" / "hard").glob(f"{name}.*")), name)


def loaded(paths: list[Path], name: str) -> Dataset:
    return dataset_of(((path.name, path.read_bytes()) for path in paths), name=name)


@pytest.fixture
def lab(app_test: OpenPage, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Opens the Policy lab with three re-rankers in sight."""
    monkeypatch.setattr("pages._policy_lab.methods.FIRST", FEW_METHODS)
    return partial(opened, app_test)


def said(at: AppTest) -> str:
    """Words, also those of its targets; titles of charts, axes and annotations."""
    charts = [json.loads(chart.proto.spec)["layout"] for chart in at.get("plotly_chart")]
    notes = [note["text"] for layout in charts for note in layout.get("annotations", ())]
    targets = [row.get("words", "") for row in component(at)["rows"]] if at.get("bidi_component") else []
    text = plain(" ".join([words(at), *notes, *targets]))
    for never in NEVER:
        assert never not in text, never
    return text


def test_a_tiny_minority_is_not_raised_by_nothing(app_test: OpenPage, lab: Any, shared: Path) -> None:
    data = hard(shared, "tiny")
    at = lab(data)
    text = said(at)
    assert "Closest" not in text
    assert not re.search("fv-spot fv-(certain|estimate)", markup(at))
    assert "Re-ranking cannot add documents: of 40 queries 3 retrieved none labelled “minority”." in text
    at = app_test("groups", dataset=data)
    assert plain(title(at)) == "Documents labelled “minority” get none of the attention; an equal share would be 50 %"
    text = said(unfolded(at, "missing_labels"))
    assert "Documents labelled “majority” hold every labelled place down to rank 10" in text
    assert "Documents labelled “minority” get no attention at all" in text
    assert "50.0 points are off equal shares; the missing labels could not change that." in text
    assert "can get within 7 points of both targets; “minority” can reach at most 43 %." in text
    assert "Of 40 queries 3 have no document labelled “minority”: re-ranking cannot add documents." in text


def test_an_interval_wider_than_the_budget_is_not_certain_and_twenty_groups_are_sorted_typed_and_counted(
    app_test: OpenPage, lab: Any, shared: Path
) -> None:
    data = hard(shared, "twenty")
    at = lab(data)
    assert re.search(
        r"quality −\d\.\d % \(−\d+\.\d to .*\): moves, cannot tell whether it stays in budget", plain(words(at))
    )
    assert "it shows each visitor one of several lists at random" in said(at)
    at = app_test("groups", dataset=data)
    assert plain(title(at)) == "20 groups: most attention for “Group 00” (65 %), none for “Group 16” and “Group 19”"
    given = component(at)
    shares = [row["share"] for row in given["rows"]]
    assert shares == sorted(shares, reverse=True)
    assert [row["today"] for row in given["rows"]][-3:] == ["0.5\u202f%", "0.0\u202f%", "0.0\u202f%"]
    assert shares[0] <= given["scale"], "the axis holds the largest share, without a break"
    assert not any(row["reach"] for row in given["rows"])  # it meets every target
    text = said(at)
    assert "groups are under an equal share, 1 over; for" in text
    assert "Re-ranking the documents already retrieved can meet all 20 targets at once." in text
    assert "Of 30 queries 19 have no document labelled “Group 19”, 10 have no document labelled “Group 17”" in text
    assert "For equal shares, 60 of 100 points of attention would have to move" in text
    assert "60 points from equal shares; two groups get nothing;" in text


def test_long_names_are_whole_and_quoted(app_test: OpenPage, lab: Any, shared: Path) -> None:
    data = hard(shared, "longnames")
    names = data.labels[0].groups
    assert max(map(len, names)) > 75
    at = lab(data)
    assert "“a”" in said(at)
    for name in names:
        assert name in words(at)


def test_one_group_is_compared_with_nothing(app_test: OpenPage, lab: Any, shared: Path) -> None:
    data = hard(shared, "onegroup")
    for at in (lab(data), app_test("groups", dataset=data)):
        assert title(at) == "Only one group, “only”: nothing to compare"
        assert "Make what has no label a group of its own" in said(at)
        assert not at.get("plotly_chart")
        assert any(control.label == "Without a label" for control in at.button_group)
    both = lab(data, unlabelled="own group")
    assert "nothing to compare" not in title(both)
    assert "Documents without a label gets" in words(both)


def test_candidates_go_down_to_where_groups_with_a_target_begin(app_test: OpenPage, lab: Any, shared: Path) -> None:
    data = hard(shared, "deep1000")
    at = lab(data)
    text = said(at)
    assert "Re-ranking cannot add documents" not in text
    assert "by estimate every setting that gets nearer costs more than 3 % of quality (nDCG@10)" in text
    assert re.search(r"for 50 queries we look down to rank \d{3}, where some groups first appear", text)
    text = said(app_test("groups", dataset=data))
    assert "Documents labelled North hold every labelled place down to rank 10" in text
    assert "Documents labelled East, South and West get no attention at all" in text
    assert "can meet all four targets at once" in text  # over the whole list, not over the first hundred
    assert "cannot add documents" not in text


def test_six_queries_say_nothing_anywhere(app_test: OpenPage, lab: Any, shared: Path) -> None:
    folder = shared / "data" / "real" / "fair"
    files = ("fairtrec2022-task2-p09.seq1.trec.run", "gender-labels.tsv", "gender-subtopic.qrels.gz")
    data = loaded([folder / name for name in files], "fair")
    at = lab(data)
    text = said(at)
    assert "Too few queries to say what this costs" in text
    assert "Only 6 of 41 queries show labelled documents today" in text
    assert "Next: label documents at the top of at least four more queries; at most 20 % of attention may" in text
    assert style("boxes", "policy_lab") in markup(at)
    assert len(rows(at)) > 1  # those of the target are drawn also where no method is
    for claim in ("closest", "fixed list", "in budget", "points off target", "cannot tell"):
        assert claim not in text
    at = app_test("groups", dataset=data)
    assert title(at) == "Too few queries with labelled documents to compare with a target"
    text = said(unfolded(at, "all_measures"))
    assert "Too few queries to compare attention per document" in text
    assert "No verdict: 7 queries." in text
    assert "7 queries: too few for intervals and verdicts, so values stand in grey." in text
    assert "Next: label documents at the top of at least three more queries" in text
    for claim in ("would have to move to another group (", "points under", "points over", "significant"):
        assert claim not in text, claim
    given = component(at)
    assert {row["tone"] for row in given["rows"]} == {"silent"}
    assert {row["low"] for row in given["rows"]} == {None}


@pytest.mark.parametrize("upload", [False, True], ids=["example", "upload"])
def test_both_pages_show_the_same_numbers(app_test: OpenPage, lab: Any, upload: bool) -> None:
    """Points off target today, and each group's share: one function over the same queries."""
    data = of_files(**SMALL) if upload else None
    link = {"k": "3"} if upload else {}
    at, groups = lab(data, **link), app_test("groups", dataset=data, link=dict(link))
    off = component(groups)["foot"]["gap"].split()[0]
    said_here = plain(words(at))
    assert f"today, {off} points off target" in said_here
    of_groups = {name: row["share"] for name, row in rows(groups).items()}
    assert {name: row["share"] for name, row in rows(at).items()} == pytest.approx(of_groups)


def test_queries_without_judgements_are_in_the_number_of_groups_and_said(app_test: OpenPage, lab: Any) -> None:
    """The run has 14 queries, 12 are judged: the lab is over 12 and says what Groups & targets has over 14."""
    run = SMALL["run"] + run_lines("base", dict.fromkeys(("u1", "u2"), "efgh"))
    data = of_files(**{**SMALL, "run": run})
    off = component(app_test("groups", dataset=data, link={"k": "2"}))["foot"]["gap"].split()[0]
    text = said(lab(data, k="2"))
    assert "12 queries in every mean" in text
    of_all = re.search(
        r"Over all 14 queries with labelled documents, judged or not, ([\d.]+) points of attention would ", text
    )
    assert f"{float(of_all[1]):.0f}" == off
