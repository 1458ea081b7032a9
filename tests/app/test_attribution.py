"""The Attribution page: what is given beside what is used."""

import json
import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import OpenPage
from tests.app.reading import QRELS, RUN, grey, markup, of_files, title, words
from tests.app.test_tradeoff import chart, numbers


def outputs(system: str = "bot", *, cited: tuple[int, ...] = (0, 1), elsewhere: str = "d2") -> str:
    """TREC RAG answers to q1–q3: two of four references cited, one answer per query."""
    return "".join(
        json.dumps(
            {
                "run_id": system,
                "topic_id": query,
                "topic": f"What is {query}?",
                "references": ["d1", elsewhere, "d3", "d4"],
                "response_length": 3,
                "answer": [{"text": f"Because of {query}.", "citations": list(cited)}],
            }
        )
        + "\n"
        for query in ("q1", "q2", "q3")
    )


def charts(at: AppTest) -> list[str]:
    return [c.proto.id for c in at.get("plotly_chart")]


OPEN = {"other_axes": "true", "one_query": "true", "by_source": "true"}
"""Folds of the page, as a link opens them."""


def test_the_example_says_how_many_sources_are_given_and_used(app_test: OpenPage) -> None:
    at = app_test("attribution", link=OPEN)
    assert title(at).startswith("43 sources given, 10 used (")
    said = words(at)
    assert "fewer sources than they were given in all four settings in which the list varies" in said
    assert "Effective number of sources: as if so many shared attention alike" in said
    assert re.sub(r"\s+", " ", said).count("43 given → 10 used") == 1
    assert markup(at).count("<i") == 43 + 23 + 8 + 5 + 5  # a dot per source given
    assert "filled: unlikely to be chance (paired t, all 4 tests considered)" in grey(at)
    assert "Holm" not in grey(at)
    for claim in (
        "Use is more concentrated than retrieval in 14 of 14 queries (α = 2)",
        "Citations fall with rank: 43\u202f% at rank 1, 28\u202f% at rank 5",
        "An answer cites 1.4 to 3.2 of 5 documents on average",
        "Use is significantly more concentrated than retrieval in 4 of 4 settings",
        "share used? (EAR, EE-D)",
        "used more? (EAR, EE-R)",
        "34.2\u202f%",  # of the documents cited are of small providers, 60.4 % of those given
        "1\u202f400 answers · 14 queries, 14 with citations",
    ):
        assert claim in said
    assert len(charts(at)) == 4  # three pairs of axes, and citations by rank


def test_what_is_folded_is_drawn_when_it_is_opened_and_alpha_moves_points_but_not_the_title(app_test: OpenPage) -> None:
    at = app_test("attribution")
    assert [key for c in charts(at) for key in ("attribution-eed-eaed", "cited-by-rank") if key in c] == [
        "attribution-eed-eaed",
        "cited-by-rank",
    ]
    assert len(charts(at)) == 2
    assert "Selected query" not in words(at)
    moved = app_test("attribution", link={"lists_at": "8"})
    assert "α = 8" in [t.get("name") for t in chart(moved, "attribution-eed-eaed")["data"]]
    assert title(at) == title(moved)


@pytest.mark.parametrize("scale", ["min-max", "share", "k"])
def test_the_title_is_of_shares_whatever_scale_is_shown(app_test: OpenPage, scale: str) -> None:
    at = app_test("attribution", link={"scale": scale})
    assert title(at).startswith("43 sources given, 10 used (")
    names = {t.get("name") for t in chart(at, "attribution-eed-eaed")["data"]}
    assert "y = x" in names
    assert ("equal chance" in names) == (scale == "k")


def test_a_linked_query_is_ringed_and_shown(app_test: OpenPage) -> None:
    at = app_test("attribution", link={"q": "q03", **OPEN})
    for key in ("attribution-eed-eaed", "attribution-eed-ear", "attribution-eer-ear"):
        (ring,) = (t for t in chart(at, key)["data"] if t.get("name") == "selected")
        assert len(numbers(ring["x"])) == 1
    assert "Selected query q03" in words(at)


def test_real_files_with_one_answer_each_speak_of_ranks(app_test: OpenPage) -> None:
    loaded = of_files(run=RUN, qrels=QRELS, rag=outputs())
    at = app_test("attribution", dataset=loaded, link={"items": "4", **OPEN})
    assert title(at) == "4 sources given, 2 used: one answer per query, nothing to test"
    said = words(at)
    assert "Too few queries to tell how citations fall with rank." in said
    assert "if by chance" not in said
    assert "one answer per query cannot show which" in said
    assert "EAE-D / k equals EAR" in said
    assert "one answer per query" in said
    assert "2 of 4" in said


def test_many_citations_from_elsewhere_are_a_warning_unless_lists_are_taken_as_recorded(app_test: OpenPage) -> None:
    """The first 4 of the run are d1–d4; d7 is cited in every answer: 3 of 6 citations."""
    loaded = of_files(run=RUN, rag=outputs(elsewhere="d7"))
    at = app_test("attribution", dataset=loaded, link={"items": "4", **OPEN})
    said = words(at)
    assert "Many cited documents are not in the first 4 of sysA" in said
    assert "3 of 6" in said
    recorded = app_test("attribution", dataset=loaded, link={"items": "4", "fed": "bot=recorded", **OPEN})
    assert "Many cited documents" not in words(recorded)
    assert "2 of 4" in words(recorded)
    calm = app_test("attribution", dataset=of_files(run=RUN, rag=outputs()), link={"items": "4"})
    assert "Many cited documents" not in words(calm)


def test_one_of_several_generators_is_looked_at(app_test: OpenPage) -> None:
    answering = {"base_a_top4": (0,), "base_b_top4": (0, 1)}
    one, two = (of_files(run=RUN, qrels=QRELS, rag=outputs(name, cited=cited)) for name, cited in answering.items())
    both = replace(one, outputs=(*one.outputs, *two.outputs), files=(*one.files, *two.files))
    at = app_test("attribution", dataset=both, link={"items": "4", **OPEN})
    assert title(at).startswith("4 sources given, 1 used")
    assert at.selectbox(key="answers_of").options == ["base_a_top4", "base_b_top4"]
    at.selectbox(key="answers_of").set_value("base_b_top4").run()
    assert title(at).startswith("4 sources given, 2 used")
    assert "base_b_top4 · k = 4" in words(at)
