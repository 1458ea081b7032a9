"""The Inspect page: one query, from the list to the answer."""

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.display.words import count, number
from fairviz.evaluation.evaluate import evaluate
from fairviz.kernels.attention import TopK
from fairviz.kernels.exposure import Gain
from fairviz.kernels.grouping import Preset
from fairviz.kernels.pool import pool
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import ScoreScale, Target
from fairviz.points.curves import CurveSettings, tradeoff_curve
from pages._kit.link import name_mark
from pages._kit.session import example
from tests.app.conftest import OpenPage
from tests.app.reading import GROUPS, QRELS, RUN, markup, of_files, plain, press, title, words
from tests.lines import run_lines
from tests.nouns import run_of


def test_the_example_from_list_to_answer(app_test: OpenPage) -> None:
    at = app_test("inspect", link={"draws": "true"})
    assert title(at) == "The deterministic top 5 contains 4 of 10 relevant documents"
    assert at.get("plotly_chart")
    assert "8 lists, α = 2, seed 42" in words(at)
    assert "✓ used" in words(at)
    assert "<mark>" in markup(at)  # the sentences that the answer took
    before = words(at)
    at.slider(key="alpha").set_value(8.0).run()
    assert words(at) != before
    assert title(at) == "The deterministic top 5 contains 4 of 10 relevant documents"


def test_of_a_query_without_judgements_nothing_is_said_to_be_relevant_or_not(app_test: OpenPage) -> None:
    at = app_test("inspect", dataset=of_files(run=RUN, qrels=QRELS), link={"q": "q3"})
    assert title(at) == "This query has no judgements"
    assert "grades unknown" in words(at)
    assert "on relevant documents (deterministic: –) –" in " ".join(words(at).split())
    row = re.search(r"<tr[^>]*>(?:(?!</tr>).)*d1(?:(?!</tr>).)*</tr>", markup(at), re.S)
    assert "unjudged" in row[0]
    assert "–" in row[0], "its ideal has no exposure"


def test_exposure_at_alpha_0_is_counted_by_hand(app_test: OpenPage) -> None:
    # 8 items drawn by pure chance, 2 seen: each 2/8 = 0.25; of the first two, 0.5 of 2 = 25 %.
    at = app_test("inspect", dataset=of_files(run=RUN, qrels=QRELS), link={"k": "2", "alpha": "0"})
    said = words(at)
    assert "0.250" in said
    assert "25\u202f%" in said
    assert title(at) == "The deterministic top 2 contains 1 of 2 relevant documents"


def test_groups_stand_beside_the_documents(app_test: OpenPage) -> None:
    # d1 asia, d2 and d3 europe, d4 and d5 without a label: the first five of each list
    data = of_files(run=RUN, qrels=QRELS, groups=GROUPS)
    at = app_test("inspect", dataset=data)
    said = plain(words(at))
    assert "Of the first 5 documents, by region: 1 labelled “asia”, 2 labelled “europe” and 2 without a label." in said
    assert "1 d1 asia 2" in said
    assert "2 d2 europe" in said
    assert "4 d4 no label" in said
    assert "fv-hatched" in markup(at)
    assert "region" not in words(app_test("inspect", dataset=of_files(run=RUN, qrels=QRELS)))
    data = of_files(run=RUN, qrels=QRELS, groups=GROUPS + "d4\tdoes not apply\n")
    said = plain(words(app_test("inspect", dataset=data)))
    assert "1 labelled “asia”, 2 labelled “europe”, 1 to which it does not apply and 1 without a label." in said
    assert "4 d4 does not apply" in said


def test_soft_labels_show_their_parts(app_test: OpenPage) -> None:
    soft = "doc_id\tregion\tweight\nd1\tasia\t0.5\nd1\teurope\t0.25\nd2\tasia\t1\n"
    data = of_files(run=RUN, qrels=QRELS, groups=soft)
    at = app_test("inspect", dataset=data)
    said = plain(words(at))
    assert "asia 50 % europe 25 % no label 25 %" in said
    rounded = "1.5 labelled “asia”, 0.2 labelled “europe” and 3.2 without a label"  # 0.25 and 3.25, to even
    assert rounded in said
    link = next(one.proto for one in at.get("page_link") if one.proto.page == "policy_lab")
    assert "q1" in link.query_string


def test_a_link_wins_over_what_was_chosen_before(app_test: OpenPage) -> None:
    at = app_test("inspect", link={"q": "q03", "k": "3", "alpha": "4"})
    assert (at.selectbox(key="q").value, at.number_input(key="k").value, at.slider(key="alpha").value) == ("q03", 3, 4)
    assert "query q03 · k = 3" in words(at)
    at.selectbox(key="q").set_value("q05").run()
    assert at.selectbox(key="q").value == "q05"
    at.switch_page("pages/tradeoff.py").run()
    assert at.selectbox(key="q").value == "q05"  # the query that is looked at follows
    at.query_params["q"] = "q07"
    at.switch_page("pages/inspect.py").run()
    assert at.selectbox(key="q").value == "q07"
    assert "query q07" in words(at)


def test_equal_seeds_draw_equal_lists(app_test: OpenPage) -> None:
    first, again = (app_test("inspect", link={"draws": "true"}) for _ in range(2))
    other = app_test("inspect", link={"draw_seed": "7", "draws": "true"})
    assert words(first) == words(again)
    assert words(first) != words(other).replace("seed 7", "seed 42")


@pytest.mark.parametrize(("n_queries", "depth"), [(1000, 5), (2, 1000)])
def test_large_runs_are_inspected(app_test: OpenPage, n_queries: int, depth: int) -> None:
    scores = {f"d{i}": -i for i in range(depth)}
    run = run_of({f"q{i}": scores for i in range(n_queries)}, "large")
    small = of_files(qrels=f"q0 0 d1 {n_queries}\n")  # another fingerprint each time
    object.__setattr__(small, "runs", (run,))
    at = app_test("inspect", dataset=small)
    assert f"of {count(depth)}, in the order of scores" in words(at)


GRADED = "graded", "graded", "EER@2"
BINARY = "grade ≥ 1", "binary", "EER(rel=1)@2"


@pytest.mark.parametrize(
    ("rel", "gain", "measure", "scores", "offset"),
    [(*BINARY, "given", 1), (*GRADED, "given", 1), *((*GRADED, scores, 0) for scores in ("given", "ranks", "zscore"))],
)
def test_relevance_and_the_scale_of_scores_are_those_that_are_set_and_named(
    app_test: OpenPage, rel: str, gain: Gain, measure: str, scores: ScoreScale, offset: int
) -> None:
    spaced = "".join(f"q{q} Q0 d{i} {i} {2.0**-i} sysA\n" for q in (1, 2, 3) for i in range(1, 9))
    data = of_files(run=spaced, qrels=QRELS)
    link: dict[str, str | list[str]] = {"k": "2", "rel": rel, "scores": scores, "draws": "true"}
    said = words(app_test("inspect", dataset=data, link=link if offset else {**link, "offset": "0, as printed"}))
    shape = CurveSettings(alphas=np.array([2.0]), attention=TopK(2), gain=gain, scores=scores, offset=offset)
    curve = tradeoff_curve(pool(data.runs[0], data.qrels[0]), shape, system="sysA", policy="plackett-luce")
    shown = {"EE-D, disparity ↓": curve.disparity, f"{measure}, quality ↑": curve.quality}
    for label, values in shown.items():
        assert re.search(rf"{re.escape(label)}\s+(\S+)", said)[1] == number(float(values[0, 0]))  # q1 is shown first
    named = "offset=0" if scores == "given" else f"scores={scores}, offset=0"
    assert (f"({named})" in said) == (not offset)
    assert (f"α = 2, Plackett–Luce with {named}, seed 42" in said) == (not offset)


def test_relevance_has_a_threshold_for_each_grade_of_the_judgements(app_test: OpenPage) -> None:
    passages = "q1 0 7000001 3\nq1 0 7000002 1\nq1 0 7000003 0\n"
    run = "q1 Q0 7000002 1 3 s\nq1 Q0 7000001 2 2 s\nq1 Q0 7000003 3 1 s\n"
    at = app_test("inspect", dataset=of_files(run=run, qrels=passages), link={"k": "1", "rel": "grade ≥ 3"})
    control = at.button_group(key="rel")
    assert control.options == ["graded", "grade ≥ 1", "grade ≥ 3"]
    assert "counts from grade 2 on" in control.proto.help
    # Only 7000001 is useful now, and the first list of one shows 7000002.
    assert "The deterministic top 1 contains" in words(at)
    assert "EER(rel=3)@1" in words(at)
    other = app_test("inspect", dataset=of_files(run=RUN, qrels=QRELS))
    assert "counts from grade 2 on" not in other.button_group(key="rel").proto.help


def test_one_setting_of_relevance_follows_to_the_next_page(app_test: OpenPage) -> None:
    at = app_test("inspect", link={"rel": "grade ≥ 1"})
    for page in ("attribution", "home", "tradeoff", "inspect", "export", "inspect"):
        at.switch_page(f"pages/{page}.py").run()
        assert page in ("home", "export") or at.session_state["rel"] == "grade ≥ 1"
        assert page in ("home", "attribution") or "EER(rel=1)@5" in words(at)
    at.button_group(key="rel").set_value("graded").run()
    assert "EER(rel=1)@5" not in words(at)
    at.switch_page("pages/tradeoff.py").run()
    assert "EER(rel=1)@5" not in words(at)


OTHER = run_lines("sysB", dict.fromkeys(("q2", "q1"), ("d8", "d3", "d1", "d7")))
"""The only useful document of q2 first, both of q1 below it; no list for q3."""


def rows(at: AppTest) -> list[str]:
    """The queries of the table, in order."""
    return at.dataframe[0].value["query"].tolist()


def test_queries_are_sorted_by_a_measure_and_stepped_through(app_test: OpenPage) -> None:
    # k = 1: of the useful d1, d3 of q1 the first list shows d1, grade 2; of q2 it shows d1, which is not useful;
    # q3 is not judged.
    data = of_files(run=RUN, qrels=QRELS)
    at = app_test("inspect", dataset=data, link={"k": "1", "sort": "EER_list"})
    assert rows(at) == ["q2", "q1", "q3"]
    assert "sorted by EER@1, deterministic, lowest first" in words(at)
    assert at.selectbox(key="q").value == "q1"
    assert "the one shown is number 2 of 3" in words(at)
    assert "undefined, sorted last: 1 (" in words(at)
    at.button(key="next").click().run()
    assert at.selectbox(key="q").value == "q3"
    at.button(key="next").click().run()
    assert at.selectbox(key="q").value == "q3"  # there is none after it
    at.button(key="previous").click().run()
    at.button(key="previous").click().run()
    assert at.selectbox(key="q").value == "q2"
    at.segmented_control(key="order").set_value("highest first").run()
    assert rows(at) == ["q1", "q2", "q3"]
    assert "sorted by EER@1, deterministic, highest first" in words(at)
    assert at.selectbox(key="q").value == "q1"  # an order just chosen begins with its first query
    assert "the one shown is number 1 of 3" in words(at)
    at = app_test("inspect", dataset=data, link={"k": "100", "sort": "EER_list"})  # undefined for every query
    assert at.dataframe[0].value.columns[:2].tolist() == ["query", "along"]


def test_two_systems_stand_side_by_side(app_test: OpenPage) -> None:
    data = of_files(**{"run": RUN, "b.run": OTHER}, qrels=QRELS)
    link = {"k": "3", "beside": name_mark("sysB"), "sort": "EER_list_difference", "q": "q1"}
    at = app_test("inspect", dataset=data, link=link)
    # q2: the first list shows none of one useful document, the other does
    assert rows(at)[0] == "q2"
    # q1: the same share of the useful slot; q2: 0 − 1. One of two queries makes all of it.
    assert "1 of 2 queries makes 100\u202f% of the difference" in words(at)
    assert -1.0 in [cell for cell in at.dataframe[0].value.iloc[0] if isinstance(cell, float)]
    # q1: d1 d2 d3 beside d8 d3 d1; d1 and d3 are useful and in both
    said = plain(words(at))
    assert "2 documents of the first 3 in both; relevant: 2 of 3 and 2 of 3, of these 0 and 0 in one list only" in said
    assert re.search(r"1 d1 2 0\.\d{3} both d8 unjudged 0\.\d{3} only here", said)
    at = app_test("inspect", dataset=data, link={**link, "q": "q3"})
    assert "sysB has no list for query q3." in words(at)


def test_queries_selected_in_a_chart_are_the_table(app_test: OpenPage) -> None:
    marks = "-".join(map(name_mark, ("q3", "q1", "q8")))
    at = app_test("inspect", dataset=of_files(run=RUN, qrels=QRELS), link={"queries": marks, "q": "q3"})
    assert rows(at) == ["q1", "q3"]
    assert "2 of 3 queries, selected in a chart" in words(at)
    press(at, "All queries")
    assert rows(at) == ["q1", "q2", "q3"]
    assert "queries" not in at.query_params


def test_sentences_stand_with_what_they_cite(app_test: OpenPage) -> None:
    one = (
        '{"run_id": "one", "topic_id": "q1", "references": ["d4", "d1"], "response_length": 2, "answer": '
        '[{"text": "Sit.", "citations": [1, 0]}, {"text": "Go.", "citations": []}]}\n'
    )
    data = of_files(run=RUN, qrels=QRELS, rag=one + one.replace('"one"', '"two"').replace("Go.", "Stay."))
    at = app_test("inspect", dataset=data, link={"q": "q1"})
    said = plain(words(at))
    assert "1 Sit. given at 1 given at 4 2 Go. no citation" in said
    assert "1 of 2 sentences without a citation" in said
    assert "Stay." not in said
    at.selectbox(key="answers_beside").set_value("2 · two").run()
    assert "2 Stay. no citation" in plain(words(at))
    at.segmented_control(key="table_of").set_value("answers").run()
    assert rows(at) == ["q1"]
    assert "Queries of one beside two" in words(at)


def test_measures_of_groups_are_of_the_labels_that_are_shown_and_their_target(app_test: OpenPage) -> None:
    # of the example's labels the target file speaks of the second, region: those are shown first
    loaded = example()
    assert [labels.attribute for labels in loaded.labels] == ["provider", "region"]
    at = app_test("inspect", link={"query_measures": "AWRF"})
    assert "groups: region, target: Africa 20\u202f%" in words(at)

    def measured(attribute: int, target: Target | Preset | None) -> dict[str, float]:
        (score,) = evaluate(
            [loaded.runs[0]], parse_measures(["AWRF"]), labels=loaded.labels[attribute], target=target
        ).scores
        return dict(zip(score.query_ids, score.values.tolist(), strict=True))

    def shown(at: AppTest) -> dict[str, float]:
        table = at.dataframe[0].value
        headings = json.loads(at.dataframe[0].proto.columns)
        (column,) = (name for name, said in headings.items() if said.get("label", "").startswith("AWRF"))
        return dict(zip(table["query"], table[column], strict=True))

    assert shown(at) == pytest.approx(measured(1, loaded.target))
    at.selectbox(key="labels").set_value("provider").run()
    assert "groups: provider, target: uniform" in words(at)
    assert shown(at) == pytest.approx(measured(0, "uniform"))


def test_a_measure_that_is_none_is_said(app_test: OpenPage) -> None:
    at = app_test("inspect", link={"query_measures": "nonsense@5"})
    assert "nonsense" in words(at)
    assert rows(at)[0] == "q01"
