"""Groups & targets on data on which sentences go wrong (``../shared/data/hard``, ``real/fair``)."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.app.conftest import OpenPage
from tests.app.reading import title, words
from tests.app.target import component
from tests.app.test_groups import opened
from tests.app.test_hard_data import NEVER, hard, loaded, plain


def said(at: AppTest) -> str:
    """Words of the page and of its targets."""
    text = plain(" ".join([words(at), *(row["words"] for row in component(at)["rows"])]))
    for never in NEVER:
        assert never not in text, never
    return text


def test_a_tiny_minority(app_test: OpenPage, shared: Path) -> None:
    at = app_test("groups", dataset=hard(shared, "tiny"))
    assert plain(title(at)) == "Documents labelled “minority” get none of the attention; an equal share would be 50 %"
    text = said(opened(at, "missing_labels"))
    assert "Documents labelled “majority” hold every labelled place down to rank 10" in text
    assert "Documents labelled “minority” get no attention at all" in text
    assert "50.0 points are off equal shares; the missing labels could not change that." in text
    assert "can get within 7 points of both targets; “minority” can reach at most 43 %." in text
    assert "3 of 40 queries have no document labelled “minority”: re-ranking cannot add documents." in text


def test_twenty_groups_are_sorted_typed_and_counted(app_test: OpenPage, shared: Path) -> None:
    at = app_test("groups", dataset=hard(shared, "twenty"))
    assert plain(title(at)) == "20 groups: most attention for “Group 00” (65 %), none for “Group 16” and “Group 19”"
    given = component(at)
    shares = [row["share"] for row in given["rows"]]
    assert shares == sorted(shares, reverse=True)
    assert [row["today"] for row in given["rows"]][-3:] == ["0.5\u202f%", "0.0\u202f%", "0.0\u202f%"]
    assert shares[0] <= given["scale"], "the axis holds the largest share, without a break"
    assert not any(row["reach"] for row in given["rows"])  # it meets every target
    text = said(at)
    assert "groups are under an equal share, 1 over; for" in text
    assert "Over all queries together, re-ranking can meet all 20 targets at once." in text
    assert "19 of 30 queries have no document labelled “Group 19”, 10 none labelled “Group 17”" in text
    assert "For equal shares, 5 % each, 60 of 100 points of attention would have to move" in text
    assert "60 points from equal shares; two groups get nothing;" in text


def test_groups_below_what_is_seen_are_candidates(app_test: OpenPage, shared: Path) -> None:
    text = said(app_test("groups", dataset=hard(shared, "deep1000")))
    assert "Documents labelled North hold every labelled place down to rank 10" in text
    assert "Documents labelled East, South and West get no attention at all" in text
    assert "can meet all four targets at once" in text  # over the whole list, not over the first hundred
    assert "cannot add documents" not in text


def test_six_queries_say_nothing_anywhere(app_test: OpenPage, shared: Path) -> None:
    folder = shared / "data" / "real" / "fair"
    files = ("fairtrec2022-task2-p09.seq1.trec.run", "gender-labels.tsv", "gender-subtopic.qrels.gz")
    at = app_test("groups", dataset=loaded([folder / name for name in files], "fair"))
    assert title(at) == "Too few queries with labelled documents to compare with a target"
    text = said(opened(at, "all_measures"))
    assert "Too few queries to compare attention per document" in text
    assert "No verdict: 7 queries." in text
    assert "too few queries" in text
    assert "7 queries: too few for intervals and verdicts, so values stand in grey." in text
    assert "Next: label documents at the top of at least three more queries" in text
    for claim in ("would have to move to another group (", "points under", "points over", "significant"):
        assert claim not in text, claim
    given = component(at)
    assert {row["tone"] for row in given["rows"]} == {"silent"}
    assert {row["low"] for row in given["rows"]} == {None}
