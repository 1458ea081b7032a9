"""The start page: what it is, what to drop, what the loaded data show by name, three doors."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import OpenPage, opener
from tests.app.reading import GROUPS, ITEMS, PREDICTIONS, QRELS, RUN, TWELVE, VARIANTS, markup, of_files, title, words
from tests.app.test_data import upload


def doors(at: AppTest) -> dict[str, str]:
    """Label of the last link to each page: the finding, where it has one."""
    return {link.proto.page: link.proto.label.replace("\\", "") for link in at.get("page_link")}


@pytest.fixture(scope="module")
def home() -> AppTest:
    """Home on the example."""
    with pytest.MonkeyPatch.context() as patch:
        return opener(patch)("home")


def test_it_says_what_it_is_what_to_drop_and_for_whom(home: AppTest) -> None:
    said = words(home)
    assert title(home) == "What does fairness cost, and to whom?"
    assert len(home.get("file_uploader")) == 1
    assert "Drop everything at once: search results, ratings, labels, answers. File names do not matter." in said
    assert all(kind in said for kind in ("Researchers", "Policy makers", "Teachers"))
    assert "What the example shows" in said
    assert not home.get("plotly_chart")


def test_every_finding_is_a_door_to_its_page_and_has_names(home: AppTest) -> None:
    found = doors(home)
    assert re.match(
        r"Documents labelled .+ get \d+\u202f% of attention \(\d+ to \d+\u202f%\); the target is \d+", found["groups"]
    )
    assert re.match(
        r"bm25: the same quality is possible with attention spread \d+\u202f% more evenly \(\d+ to \d+\u202f%\)$",
        found["tradeoff"],
    )
    assert re.search(r"\d", found["social_bias"])
    assert found["demographic_qa"].startswith("No significant difference between groups")
    assert found["attribution"].startswith("43 sources given, 10 used (")
    said = words(home)
    assert "bm25 by region, 14 queries, first 10 ranks" in said
    assert {"compare", "policy_lab", "export", "learn"} <= found.keys()


def test_findings_are_those_of_their_pages(home: AppTest, app_test: OpenPage) -> None:
    found = doors(home)
    assert title(app_test("demographic_qa")) == found["demographic_qa"]
    assert title(app_test("social_bias")) == found["social_bias"]
    assert title(app_test("groups")) == found["groups"]


def test_the_sentence_on_groups_is_counted_by_hand(app_test: OpenPage) -> None:
    # d1 asia, d2 and d3 europe, africa nowhere: attention 1, 0.63 + 0.5, 0 in each of twelve equal
    # lists, 1.82 of 3.95 on five documents without a label: they could be africa's third.
    at = app_test("home", dataset=of_files(run=TWELVE, qrels=QRELS, groups=GROUPS))
    assert doors(at)["groups"] == "46\u202f% of attention goes to unlabelled documents: no verdict on equal shares"
    target = '{"asia": 0.9, "europe": 0.1}'  # 1 of 2.13 = 47 % for asia, which can have 71 % at most
    at = app_test("home", dataset=of_files(run=TWELVE, qrels=QRELS, groups=GROUPS, target=target))
    assert "“asia” get 47\u202f% of labelled attention; the target is 90\u202f%" in doors(at)["groups"]
    assert "What your data show" in words(at)


def test_pictures_draw_what_their_sentences_say(home: AppTest) -> None:
    pictures = re.findall(r'<div class="fv-small".*?</div>', markup(home), re.DOTALL)
    assert len(pictures) == 5
    shares, _, leans, sources, needs = pictures
    # furthest off: 37 % and 34 % of 20 %, 8 % of 20 %, 14 % of 25 %; the range ends at the largest share
    assert re.findall(r"<span>([A-Z].*?)</span>", shares) == ["North America", "Europe", "Africa", "Asia"]
    targets = re.findall(r'fv-target" style="left:([\d.]+)%', shares)
    assert float(targets[2]) == pytest.approx(100 * 0.20 / 0.372, abs=0.2)
    assert leans.count("fv-filled") == 4
    assert (sources.count("fv-used"), sources.count("<i ") + sources.count("<i>")) == (10, 43)
    lengths = [float(width) for width in re.findall(r"width:([\d.]+)%", needs)]
    assert lengths == [100.0, pytest.approx(70, abs=1)]  # 30 % more evenly


def test_what_is_not_loaded_is_not_found(app_test: OpenPage) -> None:
    at = app_test("home", dataset=of_files(run=RUN))
    assert "Nothing can be compared yet" in words(at)
    assert not doors(at).keys() & {"attribution", "demographic_qa", "social_bias"}
    answers = of_files(variants=VARIANTS, items=ITEMS, predictions=PREDICTIONS)
    at = app_test("home", dataset=answers)
    assert doors(at)["demographic_qa"] == "Too many answers are unread to compare groups"
    assert doors(at)["social_bias"] == title(app_test("social_bias", dataset=answers))


def test_one_query_claims_no_difference(app_test: OpenPage) -> None:
    at = app_test("home", dataset=of_files(run=RUN, qrels=QRELS[: QRELS.index("q2")]))
    assert doors(at)["tradeoff"] == "sysA: too few queries to compare policies"


def test_files_dropped_here_are_shown_on_data(app_test: OpenPage) -> None:
    at = upload(app_test("home"), my_run=RUN, my_qrels=QRELS)
    assert title(at) == "2 of 3 queries can be evaluated"
