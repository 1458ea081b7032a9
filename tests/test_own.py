"""Measures, re-rankers and formats of people's own, and the laws that they are held to."""

import io
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairviz as fv
from fairviz import extras
from fairviz.errors import InputError, UsageError
from fairviz.io.dataset import add_file
from fairviz.model import Dataset
from fairviz.testing import check_attention, check_format, check_measure, check_reranker
from tests.cli.conftest import Command, fairviz
from tests.own import nothing_added

__all__ = ["fairviz", "nothing_added"]

pytestmark = [pytest.mark.filterwarnings("ignore::fairviz.DataWarning"), pytest.mark.usefixtures("nothing_added")]
EXAMPLE = Path(__file__).parent / "small" / "data" / "demo"
RUN, QRELS, REGION, SAMPLES = (
    str(EXAMPLE / name) for name in ("bm25.run", "usefulness.qrels", "region.tsv", "samples.alpha-4.run.gz")
)
PLUGIN = '''
import fairviz as fv

@fv.measure("Useful@k", better="higher", range=(0, 3))
def useful(gains, *, least=0):
    """Mean usefulness of the first k."""
    return gains[gains >= least].mean() if (gains >= least).any() else float("nan")

@fv.reranker("upside-down")
def upside_down(n):
    """The run from below."""
    return list(range(n))[::-1]

@fv.attention("first")
def first(rank):
    return rank == 1
'''


def test_a_measure_of_lists_is_the_mean_over_the_lists_of_a_query() -> None:
    @fv.measure("Useful@k", better="higher", range=(0, 3))
    def useful(gains: np.ndarray, *, least: int = 0) -> float:
        return float(gains[gains >= least].sum() / 5)

    ours = fv.evaluate([RUN, SAMPLES], QRELS, ["Useful@5", "Useful(least=3)@5"]).frame()
    grades = fv.qrels(QRELS).frame().set_index(["query_id", "doc_id"])["grade"]
    lists = fv.run(RUN).frame().groupby("query_id").head(5)
    by_hand = lists.join(grades, on=["query_id", "doc_id"]).fillna(0.0)
    assert ours["value"][0] == pytest.approx(by_hand.groupby("query_id")["grade"].sum().mean() / 5)
    assert ours["value"][1] < ours["value"][0]
    check_measure("Useful@5")


def test_a_measure_of_exposure_is_what_fairviz_has_of_its_own() -> None:
    @fv.measure("OwnEED@k", better="lower", range=(0, 100))
    def disparity(exposure: np.ndarray) -> float:
        return float((exposure**2).sum())

    rows = fv.evaluate([RUN, SAMPLES], QRELS, ["OwnEED@5", "EED(norm='none')@5"]).frame("per-query")
    both = rows.pivot_table(index=["system", "query_id"], columns="measure", values="value")
    np.testing.assert_allclose(both["OwnEED@5"], both["EED(norm='none')@5"])


def test_groups_and_the_target_are_read_in_one_order() -> None:
    @fv.measure("OffTarget@k", better="lower")
    def off(groups: np.ndarray, target: np.ndarray) -> float:
        return float(np.abs(groups.sum(axis=0) / groups.sum() - target).sum() / 2)

    data = {"groups": REGION, "target": str(EXAMPLE / "target.json")}
    measures = ["OffTarget@10", "AWRF(distance='l1', browsing='topk')@10"]
    rows = fv.evaluate(RUN, QRELS, measures, **data).frame("per-query")
    both = rows.pivot_table(index="query_id", columns="measure", values="value")
    np.testing.assert_allclose(2 * both["OffTarget@10"], both["AWRF(distance='l1', browsing='topk')@10"])


@pytest.mark.parametrize(
    ("name", "function", "reason"),
    [
        ("nDCG@k", lambda gains: 0.0, "is the name of another measure"),
        ("EED", lambda gains: 0.0, "is the name of another measure"),
        ("my measure", lambda gains: 0.0, "is no name of a measure"),
        ("Mine", lambda ranks: 0.0, "'ranks' is nothing that a measure reads; it reads exposure, gains"),
    ],
)
def test_what_is_no_measure_is_refused(name: str, function: object, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        fv.measure(name, better="higher")(function)  # type: ignore[type-var] -- a function of any kind


def test_a_function_that_fails_is_named_with_its_query() -> None:
    fv.measure("Fails", better="higher")(lambda gains: gains["no"])
    with pytest.raises(UsageError, match=r"^Fails: of query q01: IndexError: "):
        fv.evaluate(RUN, QRELS, ["Fails"])
    fv.measure("Words", better="higher")(lambda gains: "many")
    with pytest.raises(UsageError, match="returns 'many', expected a number"):
        fv.evaluate(RUN, QRELS, ["Words"])


def test_laws_of_measures_find_what_breaks_them() -> None:
    rng = np.random.default_rng(0)
    broken = {
        "Large@k": (lambda gains: gains.sum(), "lies outside its range"),
        "Chance@k": (lambda gains: rng.random(), "differs when it is measured again"),
    }
    for name, (function, law) in broken.items():
        fv.measure(name, better="higher")(function)
        with pytest.raises(AssertionError, match=law):
            check_measure(name.replace("@k", "@5"))


def test_a_reranker_orders_lists_and_has_options() -> None:
    @fv.reranker("first-last", label="FirstLast")
    def first_last(n: int, k: int, *, swap: float = 1.0) -> list[int]:
        """The last document first."""
        return [n - 1, *range(n - 1)][:k] if swap else list(range(k))

    run = fv.run(RUN)
    moved = fv.rerank(run, "first-last", k=3).frame().groupby("query_id")["doc_id"].first()
    last = run.frame().groupby("query_id")["doc_id"].last()
    assert moved.to_dict() == last.to_dict()
    kept = fv.rerank(run, "FirstLast", k=3, swap=0).frame().groupby("query_id")["doc_id"].first()
    assert kept.to_dict() == run.frame().groupby("query_id")["doc_id"].first().to_dict()
    assert "first-last" in fv.rerankers()["name"].tolist()
    check_reranker("first-last")


def test_policy_lab_tries_an_own_reranker() -> None:
    @fv.reranker("round-robin")
    def round_robin(groups: np.ndarray) -> list[int]:
        """Groups take turns."""
        turn = (np.cumsum(groups, axis=0) * groups).sum(axis=1)
        return np.argsort(turn, kind="stable").tolist()

    result = fv.policy_lab(RUN, QRELS, groups=REGION, target="uniform", methods="round-robin", k=5)
    assert set(result.to_polars("points")["reranker"]) == {"today", "round-robin"}
    check_reranker("round-robin")


def test_laws_of_rerankers_find_what_breaks_them() -> None:
    fv.reranker("lost")(lambda n: [0] * n)
    with pytest.raises(UsageError, match="different positions below"):
        check_reranker("lost")
    with pytest.raises(UsageError, match="is the name of another re-ranker"):
        fv.reranker("DetGreedy")(lambda n: range(n))


def test_a_format_is_read_like_any_table(tmp_path: Path) -> None:
    @fv.format("lists of the search log", "run", recognises=lambda text: text.startswith("SEARCHLOG"))
    def search_log(text: str) -> Iterator[dict[str, object]]:
        for line in text.splitlines()[1:]:
            query, docs = line.split(" => ")
            for rank, doc in enumerate(docs.split(), start=1):
                yield {"query_id": query, "doc_id": doc, "score": -rank}

    sample = b"SEARCHLOG 1\nq1 => a b c\nq2 => b a\n"
    (tmp_path / "log.txt").write_bytes(sample)
    (run,) = fv.load(tmp_path / "log.txt").runs
    assert run.frame().groupby("query_id")["doc_id"].agg(list).to_dict() == {"q1": ["a", "b", "c"], "q2": ["b", "a"]}
    check_format(sample, label="lists of the search log")
    with pytest.raises(InputError, match=r"log\.txt: lists of the search log: ValueError"):
        add_file(Dataset(), ("log.txt", b"SEARCHLOG 1\nq1 a b\n"))
    with pytest.raises(InputError, match=r"^log\.txt: lists of the search log: no records"):
        add_file(Dataset(), ("log.txt", b"SEARCHLOG 1\n"))
    with pytest.raises(InputError, match=r"^log\.txt: row 1: duplicate document a for query q1 \(first in row 0\)"):
        add_file(Dataset(), ("log.txt", b"SEARCHLOG 1\nq1 => a a\n"))


def test_a_parquet_file_is_no_text_of_a_format() -> None:
    @fv.format("requests with hits", "run", recognises=lambda text: text.startswith('{"request"'))
    def hits(text: str) -> Iterator[dict[str, object]]:
        yield {"query_id": "q", "doc_id": "d", "score": 1}

    table = io.BytesIO()
    pl.DataFrame({"request": ["q1"], "hits": [["d1"]]}).write_parquet(table)
    with pytest.raises(
        InputError, match=r"^a\.parquet: a Parquet file, and requests with hits is a format of text"
    ) as refused:
        add_file(Dataset(), ("a.parquet", table.getvalue()))
    assert "table of run" in refused.value.fix


def test_a_name_that_is_given_anew_is_computed_anew() -> None:
    data = fv.load(RUN, QRELS, REGION)
    constants = []
    for constant in (1.0, 2.0):

        @fv.measure("Constant@k", better="higher", range=(0, 3))
        def constantly(gains: np.ndarray, *, value: float = constant) -> float:
            return value

        defined = ir_measures.define_byquery(lambda qrels, run, value=constant: value, name="Defined")
        fv.attention("first-few")(lambda rank, last=constant: rank <= last)
        values = fv.evaluate(data, measures=["Constant@5", defined]).frame()["value"].tolist()
        constants += [(*values, fv.groups(data, browsing="first-few", k=5).to_polars("shares")["share"].to_list())]
    assert (constants[0][:2], constants[1][:2]) == ((1, 1), (2, 2))
    assert constants[0][2] != constants[1][2]


def test_what_ir_measures_defines_is_taken_as_it_is_and_has_its_values() -> None:
    def hits(qrels: pd.DataFrame, run: pd.DataFrame) -> float:
        relevant = qrels[qrels["relevance"] > 0]["doc_id"]
        return float(run[run["doc_id"].isin(relevant)]["score"].sum() / len(run))

    own = ir_measures.define_byquery(hits, name="Hits")
    run, qrels = list(ir_measures.read_trec_run(RUN)), list(ir_measures.read_trec_qrels(QRELS))
    theirs = {(str(row.measure), row.query_id): row.value for row in ir_measures.iter_calc([own, own @ 5], qrels, run)}
    result = fv.evaluate(RUN, QRELS, [own, own @ 5, "AP"])
    ours = result.frame("per-query").set_index(["measure", "query_id"])["value"].to_dict()
    assert {key: ours[key] for key in theirs} == pytest.approx(theirs)
    assert fv.evaluate(RUN, QRELS, "Hits@5").frame()["value"][0] == result.frame()["value"][1]
    failing = ir_measures.define(lambda qrels, run: 1 / 0, name="Fails")
    for measure, reason in (
        (failing, "Fails: ZeroDivisionError"),
        (ir_measures.define_byquery(lambda qrels, run: 1.0), "give it name="),
        (ir_measures.define_byquery(hits, name="nDCG"), "nDCG is the name of another measure"),
        (ir_measures.define_byquery(hits, name="AWRF"), "AWRF is the name of another measure"),
        (ir_measures.define_byquery(hits, name="Titles", run_inputs=["title"]), "Titles reads the column 'title'"),
    ):
        with pytest.raises(UsageError, match=reason):
            fv.evaluate(RUN, QRELS, [measure])


def test_attention_of_ones_own_is_taken_wherever_attention_is() -> None:
    """A function that halves is the geometric model, weights in a list are a function that ends."""

    @fv.attention("own-halving")
    def halving(rank: int) -> float:
        return 0.5**rank

    fv.attention("three")(lambda rank: [1, 0.6, 0.4, 0][min(rank, 4) - 1])
    own, geometric, listed, three = (
        fv.groups(RUN, QRELS, groups=REGION, browsing=browsing, k=10).to_polars("shares")
        for browsing in ("own-halving", "geometric", [1, 0.6, 0.4], "three")
    )
    assert own["share"].to_list() == pytest.approx(geometric["share"].to_list())
    assert three.equals(listed)
    assert not three.equals(geometric)
    measures = [f"AWRF(browsing={name!r})@10" for name in ("geometric", "own-halving", "three", "1,0.6,0.4")]
    values = fv.evaluate(RUN, QRELS, measures, groups=REGION, target="uniform").frame()["value"].tolist()
    assert (values[0], values[2]) == (pytest.approx(values[1]), values[3])
    curves = [fv.tradeoff(RUN, QRELS, attention=how, k=5, alpha=4) for how in ("three", [1, 0.6, 0.4, 0, 0])]
    assert curves[0].to_polars().equals(curves[1].to_polars())
    check_attention("own-halving")


@pytest.mark.parametrize(
    ("attention", "reason"),
    [
        ("steep", "expected one of topk, rbp, geometric, log, dcg, got 'steep'"),
        ([1, 2], "2 at rank 2: expected at least 0 and at most 1, that of the rank above"),
        ([0, 0], "0 at rank 1: expected above 0"),
        ("1,1.2.3", "expected numbers with commas between them"),
    ],
)
def test_attention_that_rises_or_is_none_is_refused(attention: str | list[float], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        fv.groups(RUN, QRELS, groups=REGION, browsing=attention)


def test_laws_of_attention_can_be_broken() -> None:
    fv.attention("rising")(lambda rank: rank)
    with pytest.raises(AssertionError, match="rising: 2 at rank 2"):
        check_attention("rising")
    with pytest.raises(UsageError, match="dcg is the name of another attention"):
        fv.attention("dcg")(float)


def test_a_command_takes_a_file_of_ones_own(fairviz: Command, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(PLUGIN)
    assert "upside-down" in fairviz("rerank", "--plugin", tmp_path / "own.py", "--help").out
    (tmp_path / "limits.toml").write_text('limits = ["Useful@5 >= 0"]')
    assert fairviz("check", RUN, QRELS, "-l", tmp_path / "limits.toml", "--plugin", tmp_path / "own.py").code == 0
    done = fairviz("evaluate", RUN, QRELS, "--plugin", tmp_path / "own.py", "-m", "Useful@5", "--format", "json")
    assert (done.code, done.json["tables"]["means"][0]["measure"]) == (0, "Useful@5")
    listed = fairviz("measures", "Useful", "--plugin", tmp_path / "own.py", "--format", "json").json
    (row,) = listed["tables"]["measures"]
    assert (row["title"], row["needs"]) == ("Mean usefulness of the first k", "rankings, judgements")
    shares = ("groups", RUN, QRELS, REGION, "--plugin", tmp_path / "own.py", "--browsing", "first", "-k", "9", "-j")
    assert fairviz(*shares).json["settings"]["browsing"] == "first"
    assert "expected one of topk" in fairviz("groups", RUN, QRELS, REGION, "--browsing", "second").err
    (tmp_path / "broken.py").write_text("import fairviz\n1 / 0\n")
    wrong = fairviz("evaluate", RUN, "--plugin", tmp_path / "broken.py", "-m", "EED@5")
    assert (wrong.code, wrong.errors[-1]) == (
        2,
        f"error: {tmp_path}/broken.py:2: ZeroDivisionError: division by zero. Mend it.",
    )


def test_a_package_brings_measures_which_are_loaded_when_a_name_is_unknown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "brought.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    point = EntryPoint("useful", "brought:useful", "fairviz.measures")
    monkeypatch.setattr(extras, "entry_points", lambda group: [point] if group == point.group else [])
    monkeypatch.setattr(extras, "_LOADED", set[str]())
    assert fv.evaluate(RUN, QRELS, ["Useful@5"]).frame()["measure"].tolist() == ["Useful@5"]
