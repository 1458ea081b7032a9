"""Collections: told apart by their queries, named so that a person can tell them apart, each a task."""

from collections.abc import Mapping
from pathlib import Path

from fairviz.model import Factors, Qrels, Run, collections, with_tasks
from tests.loaded import load_dataset
from tests.nouns import qrels_of, run_of


def run(system: str, *queries: str) -> Run:
    return run_of({query: {"d": 1.0} for query in queries}, system)


def judged(name: str, *queries: str) -> Qrels:
    return qrels_of({query: {"d": 1} for query in queries}, name)


def tasks(*files: Run | Qrels, table: Mapping[str, Factors] | None = None) -> dict[str, str | None]:
    runs, qrels = [f for f in files if isinstance(f, Run)], [f for f in files if isinstance(f, Qrels)]
    found = collections(runs, qrels, table or {})
    return {name: said.task for name, said in with_tasks(table or {}, found).items()}


TWO = (run("a", "1", "2"), run("b", "2", "3"), run("c", "8"), judged("qrels-dl19", "1", "3"), judged("qrels-dl20", "8"))


def test_files_with_disjoint_queries_are_of_two_collections_and_each_is_a_task() -> None:
    assert tasks(*TWO) == {"a": "dl19", "b": "dl19", "c": "dl20"}
    found = collections(TWO[:3], TWO[3:], {})
    assert [(one.name, len(one.query_ids), one.systems) for one in found] == [
        ("dl19", 2, ("a", "b")),
        ("dl20", 1, ("c",)),
    ]


def test_files_that_share_queries_through_a_third_are_of_one_collection() -> None:
    assert tasks(run("a", "1"), run("b", "2"), judged("all", "1", "2")) == {}
    assert tasks(run("a", "1"), run("b", "2"), run("both", "1", "2")) == {}


def test_a_run_that_no_judgements_know_is_no_collection_but_a_mistake() -> None:
    assert tasks(run("a", "1"), run("lost", "q1"), judged("qrels", "1")) == {}
    assert tasks(*TWO, run("lost", "q1")) == tasks(*TWO)


def test_without_judgements_collections_are_called_by_their_first_system() -> None:
    assert tasks(run("a", "1"), run("b", "1"), run("c", "8")) == {"a": "a", "b": "a", "c": "c"}


def test_the_task_that_a_table_says_goes_before_and_names_the_rest_of_its_collection() -> None:
    said = {"a": Factors(task="passages", retriever="bm25")}
    assert tasks(*TWO, table=said) == {"a": "passages", "b": "passages", "c": "dl20"}
    several = {"a": Factors(task="one"), "b": Factors(task="two")}
    assert tasks(*TWO, table=several) == {"a": "one", "b": "two", "c": "dl20"}


def test_real_files_of_two_tracks_are_two_collections(shared: Path) -> None:
    folder = shared / "data" / "real" / "runs"
    names = ("rag24.test.run.gz", "rag24.test.qrels.gz", "cacm-bm25.run", "cacm.qrels", "raggy-dev.bm25.run.gz")
    loaded = load_dataset([folder / name for name in names]).dataset
    assert [(one.name, len(one.query_ids), len(one.systems)) for one in loaded.collections] == [
        ("rag24.test", 89, 1),
        ("cacm", 52, 1),
    ]
