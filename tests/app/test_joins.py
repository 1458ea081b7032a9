"""Rankings that join nothing or are of other depths, and which run fed which outputs: on every page."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.evaluation.systems import named_rankings
from fairviz.model import Dataset, qrels_for
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import QRELS, RUN, title, words
from tests.app.test_attribution import charts, outputs
from tests.lines import json_lines, run_lines
from tests.loaded import dataset_of

PAGES = ("data", "tradeoff", "groups", "policy_lab", "inspect", "export")
LOST = "301 Q0 d1 1 2 lost\n302 Q0 d2 1 2 lost\n"
THREE = ("q1", "q2", "q3")
BACKWARDS = run_lines("sysB", dict.fromkeys(THREE, ("d8", "d7", "d6", "d5", "e1", "e2")))
"""Holds none of d1–d4, which the recorded outputs list."""
IDS = "no query in common with the qrels: 301, 302 here, q1, q2 there"


def of(**files: str) -> Dataset:
    return dataset_of((name.replace("_", "."), text.encode()) for name, text in files.items())


def deep(tag: str, depth: int) -> str:
    return run_lines(tag, dict.fromkeys(THREE, tuple(f"d{i}" for i in range(depth))))


JUDGED = "".join(f"{q} 0 d{i} {i % 2}\n" for q in THREE for i in range(90))


@pytest.mark.parametrize("page", PAGES)
def test_a_run_that_joins_nothing_is_named_at_the_top_and_left_out(app_test: OpenPage, page: str) -> None:
    groups = "doc_id\tregion\nd1\tasia\nd2\teurope\n"
    at = app_test(page, dataset=of(a_run=RUN, lost_run=LOST, my_qrels=QRELS, region_tsv=groups))
    said = words(at)
    assert "Left out of every comparison: lost" in said
    assert f"lost.run: {IDS}. Check that both files belong to the same collection." in said
    if page != "data":
        assert not any("lost" in box.options for box in at.selectbox)


@pytest.mark.parametrize("page", PAGES)
def test_where_no_run_joins_it_is_an_error_with_ids_of_both(app_test: OpenPage, page: str) -> None:
    at = app_test(page, dataset=of(lost_run=LOST, my_qrels=QRELS))
    said = words(at)
    assert "lost cannot be measured" in said
    assert IDS in said
    assert "EE-D – to –" not in said
    titles = {"tradeoff": "lost and the judgements have no query in common", "data": "0 of 2 queries can be evaluated"}
    assert title(at) == titles.get(page, title(at))


def test_lists_of_other_depths_are_compared_to_their_common_depth_which_every_page_says(app_test: OpenPage) -> None:
    loaded = of(a_run=deep("a", 80), short_run=deep("short", 12), my_qrels=JUDGED)
    data = words(app_test("data", dataset=loaded))
    assert "Lists cut to their common depth of 12" in data
    assert "run · depth 80" in data
    for page in ("tradeoff", "compare"):
        at = app_test(page, dataset=loaded)
        assert "lists cut to their common depth of 12" in words(at), page
    alone = of(a_run=deep("a", 12), short_run=deep("short", 12), my_qrels=JUDGED)
    assert title(app_test("tradeoff", dataset=loaded)) == title(app_test("tradeoff", dataset=alone))
    third = of(a_run=deep("a", 9), b_run=deep("b", 9), c_run=deep("c", 9).partition("q3")[0], my_qrels=JUDGED)
    assert "minus that of a, 2–3 queries" in words(app_test("home", dataset=third))


def paired(**more: str) -> Dataset:
    return of(b_run=BACKWARDS, a_run=RUN, my_qrels=QRELS, bot_jsonl=outputs(), **more)


def test_the_run_that_holds_what_is_cited_is_taken_on_every_page(app_test: OpenPage) -> None:
    loaded = paired()
    at = app_test("attribution", dataset=loaded, link={"items": "4"})
    assert fed(at) == "sysA"
    assert "citations fall with rank" in words(at)  # whether they do: too few queries to tell
    data = app_test("data", dataset=loaded)
    assert fed(data) == "sysA"
    assert "sysA, by coverage" in words(data)
    inspect = app_test("inspect", dataset=loaded, link={"system": "sysB"})
    assert "retrieved = first 8 of sysA" in words(inspect)
    commands = " ".join(code.value for code in app_test("export", dataset=loaded).code)
    assert "--pair bot=sysA" in commands


def fed(at: AppTest) -> str | None:
    (box,) = [box for box in at.selectbox if str(box.key).startswith("fed-")]
    return box.value


def test_what_a_person_says_holds_on_all_pages_and_in_the_address(app_test: OpenPage) -> None:
    at = app_test("attribution", dataset=paired(), link={"items": "4"})
    (box,) = [box for box in at.selectbox if str(box.key).startswith("fed-")]
    box.set_value("sysB").run()
    assert fed(at) == "sysB"
    pair = f"{name_mark('bot')}-{name_mark('sysB')}"
    assert at.query_params["fed"] in (pair, [pair])
    assert "Many cited documents are not in the first 4 of sysB" in words(at)
    at.switch_page("pages/data.py").run()
    assert fed(at) == "sysB"
    assert "sysB, as chosen" in words(at)
    assert at.query_params["fed"] in (pair, [pair])
    linked = app_test("inspect", dataset=paired(), link={"system": "sysA", "fed": pair})
    assert "retrieved = first 6 of sysB" in words(linked)
    lost = app_test(
        "attribution", dataset=paired(), link={"items": "4", "fed": f"{name_mark('bot')}-{name_mark('nobody')}"}
    )
    assert fed(lost) == "sysA"


def test_runs_that_fit_alike_are_asked_about(app_test: OpenPage) -> None:
    twin = RUN.replace("sysA", "twin")
    loaded = of(a_run=RUN, t_run=twin, my_qrels=QRELS, bot_jsonl=outputs())
    at = app_test("attribution", dataset=loaded, link={"items": "4"})
    assert fed(at) is None
    assert "Several runs may have fed bot" in words(at)
    assert title(at) == "Which run fed these answers?"
    assert "Several runs may have fed bot" in words(app_test("data", dataset=loaded))
    export = words(app_test("export", dataset=loaded))
    assert "Measures that these data do not allow" in export
    assert "several runs may have fed bot" in export
    at = app_test("attribution", dataset=loaded, link={"items": "4", "fed": "bot=twin"})
    assert "citations fall with rank" in words(at)  # whether they do: too few queries to tell


def test_references_alone_draw_no_ranks(app_test: OpenPage) -> None:
    """All listed references are cited: no difference between ranks is stated."""
    loaded = of(bot_jsonl=outputs(cited=(0, 1, 2, 3)))
    at = app_test("attribution", dataset=loaded, link={"items": "4"})
    assert title(at) == "Which documents the answers were given is not known"
    said = words(at)
    assert "list little but what was cited" in said
    assert "Load the run that fed the generator" in said
    assert charts(at) == []
    assert re.search(r"–\s+no interval\s+4\.0 of 4\s", said)  # sources given are not known, four are used
    beside = app_test("attribution", dataset=of(a_run=RUN, bot_jsonl=outputs(cited=(0, 1, 2, 3))), link={"items": "4"})
    assert charts(beside)


def test_labels_of_two_generators_stop_neither_export_nor_outputs(app_test: OpenPage) -> None:
    def answers(name: str) -> str:
        lines = (
            {
                "system": name,
                "generator": name,
                "query_id": q,
                "ranking": ["d1", "d2"],
                "attributed": ["d1"],
                "utility": 1,
            }
            for q in ("q1", "q2")
        )
        return json_lines(lines)

    loaded = of(a_run=RUN, g_qrels=QRELS, h_qrels=QRELS + "q1 0 d2 1\n", g_jsonl=answers("g"), h_jsonl=answers("h"))
    owners = [replace(labels, generator=labels.name) for labels in loaded.qrels]
    loaded = replace(loaded, qrels=tuple(owners))
    assert [labels.generator for labels in loaded.qrels] == ["g", "h"]
    at = app_test("export", dataset=loaded)
    said = words(at)
    assert "These measures cannot be computed" not in said
    assert "EAR@5" in said
    for generator in ("g", "h"):  # sysA fed both
        assert re.search(rf"\ssysA\s.*?\s{generator}\s", said)  # system and labels in two columns
    assert "(labels of" not in said
    assert qrels_for(loaded.qrels, "h") is loaded.qrels[1]
    assert qrels_for(loaded.qrels, "other") is None


def test_rankings_left_out_do_not_shift_names(app_test: OpenPage) -> None:
    """Files and rankings stay side by side where the first run is left out."""
    loaded = of(lost_run=LOST, a_run=RUN, my_qrels=QRELS)
    left = replace(loaded, runs=loaded.runs[1:], unjoined=loaded.runs[:1])
    assert [each.system for each in named_rankings(left)] == ["sysA"]
    drawn = of(a_run=RUN, b_run=RUN, a_samples="".join(f"q1 {i} d1 1 1 sysA;alpha=2\n" for i in (1, 2)))
    assert [each.system for each in named_rankings(replace(drawn, samples=()))] == ["a", "b"]
    assert left.arrangement != loaded.arrangement
    assert left.fingerprint == loaded.fingerprint


@pytest.mark.parametrize("page", ["data", "groups", "policy_lab"])
def test_a_run_without_a_labelled_document_is_named(app_test: OpenPage, page: str) -> None:
    groups = "doc_id\tregion\ne1\tasia\ne2\teurope\n"
    at = app_test(page, dataset=of(b_run=BACKWARDS, a_run=RUN, my_qrels=QRELS, region_tsv=groups))
    said = words(at)
    assert "Left out of comparisons by region: sysA" in said
    assert "a.run: no labelled document occurs in the run: e1, e2 here, d1, d2 there" in said


OF_B = "x1 0 d1 1\nx1 0 d2 0\nx2 0 d8 2\n"


@pytest.mark.parametrize("page", ["tradeoff", "inspect", "policy_lab", "groups", "home", "export"])
def test_a_run_is_measured_against_judgements_of_its_own_queries(app_test: OpenPage, page: str) -> None:
    """Two tasks, two judgements: no choice of a run and judgements leaves a page without numbers."""
    groups = "doc_id\tregion\nd1\tasia\nd2\teurope\n"
    second = RUN.replace("sysA", "sysB").replace("q", "x")
    loaded = of(b_run=second, a_run=RUN, my_qrels=QRELS, other_qrels=OF_B, region_tsv=groups)
    at = app_test(page, dataset=loaded, link={"judgements": "my", "system": "sysB"})
    assert not [box for box in at.selectbox if box.key == "judgements"]  # only one speaks of its queries
    said = words(at)
    assert "have no query in common" not in said
    if page == "tradeoff":
        assert "2 queries in every point of the curves" in said
        assert "Left out" not in said
    if page == "inspect":
        assert "this query has no judgements" not in said
    if page in ("tradeoff", "inspect"):
        at.selectbox(key="system").set_value("sysA").run()
        assert "have no query in common" not in words(at)


def two_collections() -> Dataset:
    """Of three queries each; two systems ranked both, and the lists of the second are shallower."""
    files: dict[str, str] = {}
    for name, letter, depth in (("dl19", "q", 80), ("dl20", "t", 12)):
        queries, docs = [f"{letter}{i}" for i in (1, 2, 3)], tuple(f"d{i}" for i in range(depth))
        files[f"{name}-bm25_run"] = run_lines("bm25", dict.fromkeys(queries, docs))
        files[f"{name}-dense_run"] = run_lines("dense", dict.fromkeys(queries, docs[::-1]))
        files[f"{name}_qrels"] = JUDGED.replace("q", letter)
    return of(**files, region_tsv="doc_id\tregion\nd1\tasia\nd2\teurope\n")


COLLECTIONS = "Two collections: dl19 (3 queries, 2 systems), dl20 (3 queries, 2 systems)."


def test_data_names_each_collection_with_its_queries_and_systems(app_test: OpenPage) -> None:
    at = app_test("data", dataset=two_collections())
    assert COLLECTIONS in words(at)
    assert "collection." not in words(at)
    assert "What systems are made of: 4 systems without task or retriever" in [one.label for one in at.expander]
    assert " collections: " not in words(app_test("data", dataset=of(a_run=RUN, b_run=BACKWARDS, my_qrels=QRELS)))


def test_compare_looks_at_one_collection_and_tests_the_other_by_itself(app_test: OpenPage) -> None:
    at = app_test("compare", dataset=two_collections())
    assert title(at).startswith("On dl19, ")
    assert "On dl20, tested by itself" in words(at)
    other = app_test("compare", dataset=two_collections(), link={"task": "dl20"})
    assert title(other).startswith("On dl20, ")
    assert next(box for box in other.selectbox if box.label == "Baseline").options == ["dl20-bm25", "dl20-dense"]


@pytest.mark.parametrize("page", [*PAGES, "compare", "agreement"])
def test_no_page_joins_a_run_with_the_judgements_of_another_collection(app_test: OpenPage, page: str) -> None:
    said = words(app_test(page, dataset=two_collections()))
    assert "same collection" not in said
    assert "Left out" not in said


def test_lists_in_outputs_are_covered_by_the_judgements_of_their_own_collection(app_test: OpenPage) -> None:
    listed = '{"query_id": "t1", "system": "bot", "ranking": ["d1"], "text": "yes"}\n'
    at = app_test("data", dataset=of(a_run=RUN, my_qrels=QRELS, other_qrels="t1 0 d1 1\nt1 0 d2 0\n", bot_jsonl=listed))
    assert "no judged query" not in words(at)
    assert "Two collections: my (3 queries, 1 system), other (1 query, 1 system)." in words(at)
