"""The Compare page: the example's policies, a small grid counted by hand, eight plain runs, a table of systems."""

import json
from itertools import product

from streamlit.testing.v1 import AppTest

from fairviz.model import Dataset
from fairviz.studies.compare.analysis import analyse
from fairviz.studies.compare.settings import GridSettings
from pages._kit.link import name_mark
from tests.app.conftest import OpenPage
from tests.app.reading import EVIL, QRELS, RUN, grey, markup, of_files, title, words
from tests.app.test_tradeoff import chart
from tests.loaded import dataset_of

LIFT = {("bm25", "small"): 0.0, ("bm25", "large"): 0.1, ("dense", "small"): 0.2, ("dense", "large"): 0.3}
"""Utility of a system above 0.4, whatever it is given: the true difference of its AUC."""


def small_files(*, tasks: tuple[str, ...] = ("one", "two"), name: str = "dense") -> list[tuple[str, bytes]]:
    """Two lists of three documents at each of two α: at α = 1 both orders, at α = 8 one; 12 queries."""
    files: list[tuple[str, bytes]] = []
    for task, ((retriever, generator), lift) in product(tasks, LIFT.items()):
        called = name if retriever == "dense" else retriever
        lines = [
            {
                "system": f"{task}-{called}-{generator}",
                "task": task,
                "retriever": called,
                "generator": generator,
                "policy": "plackett-luce",
                "alpha": alpha,
                "k": 1,
                "query_id": f"{task}-q{q}",
                "sample": str(n),
                "ranking": ranking,
                "text": "x",
                "utility": 0.4 + lift + 0.002 * q + (0.002 * (q % 3) if lift else 0.0),
                "attributed": [],
            }
            for alpha, lists in ((1.0, (["d1"], ["d2"])), (8.0, (["d1"], ["d1"])))
            for q in range(12)
            for n, ranking in enumerate(lists)
        ]
        body = "\n".join(map(json.dumps, lines)).encode()
        files.append((f"{task}.{called}.{generator}.jsonl", body))
    judged = "".join(f"{task}-q{q} 0 d1 1\n{task}-q{q} 0 d2 0\n" for task in tasks for q in range(12))
    return [*files, ("all.qrels", judged.encode())]


def small_grid(*, tasks: tuple[str, ...] = ("one", "two"), name: str = "dense") -> Dataset:
    return dataset_of(small_files(tasks=tasks, name=name))


def test_a_task_brings_all_its_data_sets() -> None:
    """Both data sets of one task stand in its tables, not the last alone."""
    files = small_files(tasks=("one", "two"))
    for name in (b"one", b"two"):
        said, meant = b'"task": "%b"' % name, b'"task": "qa", "dataset": "%b"' % name
        files = [(file, body.replace(said, meant)) for file, body in files]
    areas = analyse(dataset_of(files), GridSettings(k=1, task="qa")).tables["areas"]
    assert {row[areas.keys.index("dataset")] for row in areas.rows} == {"one", "two"}


OPEN: dict[str, str | list[str]] = {"compare_panels": "true", "compare_areas": "true", "compare_intervals": "true"}
"""Folds of the page, as a link opens them."""


def corners(at: AppTest) -> list[str]:
    drawn = [trace for trace in chart(at, "compare-panels")["data"] if trace["name"] == "corner"]
    texts = [text for trace in drawn for text in trace["text"]]
    return [text.replace("<b>", "").replace("</b>", "").strip("\N{THIN SPACE}") for text in texts]


def test_the_example_compares_its_own_policies(app_test: OpenPage) -> None:
    at = app_test("compare", link=OPEN)
    assert title(at).startswith("Exposure-optimal gives significantly more quality than Plackett–Luce (AUC +")
    said = words(at)
    assert "dotted: oracle limit, in no count or test" in said
    assert "2 policies side by side" in said
    assert "paired bootstrap (one test considered)" in said
    assert "filled: unlikely to be chance (one test considered)" in said
    assert "own deterministic list, paired t-test (all 10 tests considered)" in said
    assert "Holm" not in grey(at)
    assert "lowers quality in 10 of 10 comparisons with deterministic lists, at every level of disparity" in said
    assert len(corners(at)) == 2
    assert "Oracle limit" not in said
    assert {"own", "others", "baseline", "deterministic", "limit"} <= {
        trace["name"] for trace in chart(at, "compare-panels")["data"]
    }


def test_a_grid_has_the_differences_that_were_put_into_it(app_test: OpenPage) -> None:
    at = app_test("compare", dataset=small_grid(), link=OPEN)
    assert title(at) == (
        "On one, bm25 + large, dense + small and dense + large give significantly more utility than bm25 + small"
    )
    said = words(at)
    assert "On two, tested by itself: 3 of 3 more, none less." in said
    # utility does not move with α: AUC is its mean, 0.4 + lift + 0.002 · 5.5 + 0.002 · 1 where there is a lift
    assert sorted(corners(at)) == ["0.411 baseline", "0.513 +0.102", "0.613 +0.202", "0.713 +0.302"]
    annotations = {str(note["text"]) for note in chart(at, "compare-panels")["layout"]["annotations"]}
    assert {"bm25", "dense", "small", "large"} <= annotations


def test_task_baseline_and_what_is_left_out_are_in_the_address(app_test: OpenPage) -> None:
    loaded = small_grid()
    link: dict[str, str | list[str]] = {
        "task": name_mark("two"),
        "base": name_mark("dense + large"),
        "with-generator": name_mark("large"),
        "panel_rows": "retriever",
        "order": "highest",
        "pin": name_mark("bm25 + large"),
        **OPEN,
    }
    at = app_test("compare", dataset=loaded, link=link)
    assert title(at) == "On two, bm25 + large gives significantly less utility than dense + large"
    assert corners(at) == ["0.713 baseline", "0.513 \N{MINUS SIGN}0.200"]
    assert "fv-pinned-row" in markup(at)
    kept = {name: at.query_params[name] for name in link}
    said = {name: value if isinstance(value, str) else value[0] for name, value in kept.items()}
    assert said == {name: value if isinstance(value, str) else value[0] for name, value in link.items()}


def test_differences_in_another_quantity_at_a_chosen_alpha_are_in_the_address(app_test: OpenPage) -> None:
    link: dict[str, str | list[str]] = {"difference": "EU", "at": "8"}
    at = app_test("compare", dataset=small_grid(), link=link)
    said = words(at)
    assert "At α = 8, 3 systems have more utility than bm25 + small; the largest difference is +0.302 (" in said
    assert "EU at α = 8 minus that of bm25 + small" in said
    assert at.selectbox(key="at").value == 8.0
    at.segmented_control(key="difference").set_value("EE-R").run()
    assert not at.segmented_control(key="rel").disabled  # it counts in EE-R, whatever stands on the y axis
    assert "At α = 8, no significant difference in quality between bm25 + small and 3 systems" in words(at)
    assert (at.query_params["difference"], at.query_params["at"]) in [("EE-R", "8"), (["EE-R"], ["8"])]
    at.selectbox(key="at").set_value(1.0).run()
    assert "At α = 1, " in words(at)
    assert "at" not in at.query_params  # where it begins: as near to 3 as any


def test_a_cutoff_at_which_nothing_is_defined_is_said(app_test: OpenPage) -> None:
    at = app_test("compare", dataset=of_files(run=RUN, qrels=QRELS), link={"k": "50"})
    assert title(at) == "No curve to compare"
    assert "try a smaller k" in words(at)


def test_why_nothing_can_be_compared_follows_a_colon(app_test: OpenPage) -> None:
    at = app_test("compare", dataset=of_files(run=RUN, qrels="q77 0 d1 1\n"))
    assert title(at) == "Nothing to compare: no system has a curve"
    assert grey(at) == "sysA: no query in common with the qrels: q1, q2 here, q77 there."


def test_what_runs_are_made_of_comes_from_a_table(app_test: OpenPage) -> None:
    """Two runs of one retriever: plain, they are two retrievers; with the table, two tasks that nothing joins."""
    other = RUN.replace("sysA", "sysB").replace("d1 1 8", "d1 8 1.5").replace("d8 8 1", "d8 1 8.5")
    files = [("a.run", RUN.encode()), ("b.run", other.encode()), ("j.qrels", QRELS.encode())]
    plain = app_test("compare", dataset=dataset_of(files))
    assert "2 systems side by side" in words(plain)
    assert "No cell differs significantly from sysA" in words(plain)  # two queries: the main table says so
    assert "dotted: oracle limit" in words(plain)
    link = {"marks": "every two systems (letters)", "frontier": "not drawn"}
    letters = app_test("compare", dataset=dataset_of(files), link=link)
    assert "No two systems differ significantly" in words(letters)
    assert "oracle limit" not in words(letters)
    assert "Oracle limit" not in str(chart(letters, "compare-lines"))
    table = ("systems.csv", b"system,task,retriever\nsysA,first,bm25\nsysB,second,bm25\n")
    at = app_test("compare", dataset=dataset_of([*files, table]))
    assert title(at) == "On first, one system, and nothing to compare it with"
    assert "On second, tested by itself: one system." in words(at)


def test_data_names_task_and_retriever_of_answers_where_they_differ(app_test: OpenPage) -> None:
    assert "one + dense + small, α = 8" in words(app_test("data", dataset=small_grid()))


def test_names_are_text(app_test: OpenPage) -> None:
    at = app_test("compare", dataset=small_grid(tasks=("one",), name=EVIL), link=OPEN)
    assert "<img" not in markup(at)
    drawn = [note for key in ("panels", "lines") for note in chart(at, f"compare-{key}")["layout"]["annotations"]]
    assert not any("<img" in str(note["text"]) for note in drawn)
