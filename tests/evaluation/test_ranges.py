"""Runs and samples that stay in their file, measured range by range, beside the same rows in memory."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from fairviz.errors import InputError, UsageError
from fairviz.evaluation.evaluate import Evaluation, evaluate, score_intervals
from fairviz.io import stored
from fairviz.io.dataset import add_file
from fairviz.io.source import Options
from fairviz.io.stored import StoredRun, StoredSample
from fairviz.metrics.catalogue import parse_measures
from fairviz.model import Dataset, Scores
from fairviz.policies import PlackettLuce
from fairviz.studies.baseline.analysis import analyse
from fairviz.studies.baseline.settings import BaselineSettings

DEMO = Path(__file__).parents[2] / "tests" / "small" / "data" / "demo"
SMALL = 90
"""Rows of a range: two queries of the example's 50 documents do not fit."""
STANDARD = (
    "nDCG@10",
    "AP",
    "RR",
    "P@5",
    "alpha_nDCG@10",
    "RBP",
    "ERR_IA@10",
    "Judged@10",
    "Success@5",
    "INST(max_rel=3)",
)
OF_GROUPS = (
    *("AWRF@5", "AWRF(missing='group')@5", "PreF", "KL@5", "nDKL@10", "nDRKL@10", "MinSkew@5", "MaxSkew@5"),
    *(
        "InfeasibleIndex@5",
        "InfeasibleCount@5",
        "FeasibleRank",
        "IAA@5",
        "FAIR@5",
        "FairTrecAWRF@20",
        "FairTrecScore@20",
    ),
)
OF_SYSTEM = (
    "EED(by='group', over='system')@5",
    "EEL(by='group', over='system')@5",
    "AWRF(over='system')@5",
    "IAA(over='system')@5",
    "logDP(over='system')@5",
)
OF_ONE_GROUP = ("FAIRBinomial", "Skew", "logDP", "logEUR", "logRUR", "PAIR")


@pytest.fixture
def small_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored, "RANGE", SMALL)


def example(name: str) -> bytes:
    return (
        gzip.decompress(packed.read_bytes()) if (packed := DEMO / f"{name}.gz").exists() else (DEMO / name).read_bytes()
    )


def rows_of_example() -> pl.DataFrame:
    """The example's run, its queries in another order than the judgements', its scores rounded, so that some are tied.

    One judged query lacks, one is not judged, and the first and the last have three documents.
    """
    lines = pl.read_csv(example("bm25.run"), separator=" ", has_header=False)
    names = ("query_id", "sample", "doc_id", "rank", "score", "system")
    rows = lines.rename(dict(zip(lines.columns, names, strict=True))).drop("sample")
    first, second, *_, last = rows["query_id"].unique(maintain_order=True)
    short = pl.col("query_id").is_in([second, last]) & (pl.col("rank") > 3)
    rows = rows.filter((pl.col("query_id") != first) & ~short).with_columns(pl.col("score").round(0))
    rows = pl.concat(reversed(rows.partition_by("query_id", maintain_order=True)))
    unjudged = rows.filter(pl.col("query_id") == second).with_columns(query_id=pl.lit("not-judged"))
    return pl.concat([rows, unjudged])


def loaded(file: Path, *, ranges: bool) -> Dataset:
    data = add_file(Dataset(), file, Options(ranges="all" if ranges else "none"))
    for name in ("usefulness.qrels", "provider.tsv"):
        data = add_file(data, (name, example(name)))
    return data


def measured(data: Dataset, measures: Sequence[str], *, refuse: bool = True) -> Evaluation:
    return evaluate(
        (*data.runs, *data.samples),
        parse_measures(list(measures)),
        qrels=data.qrels,
        labels=data.labels[0],
        target="uniform",
        refuse=refuse,
    )


@pytest.fixture
def both(tmp_path: Path, small_ranges: None) -> tuple[Dataset, Dataset]:
    file = tmp_path / "big.parquet"
    rows_of_example().write_parquet(file)
    whole, by_range = (loaded(file, ranges=ranges) for ranges in (False, True))
    assert isinstance(by_range.runs[0], StoredRun)
    assert not isinstance(whole.runs[0], StoredRun)
    assert len(by_range.runs[0].ranges) > 5
    return whole, by_range


def test_every_measure_has_the_values_intervals_and_warnings_of_the_run_in_memory(
    both: tuple[Dataset, Dataset],
) -> None:
    group = both[0].labels[0].groups[0]
    measures = [*STANDARD, *OF_GROUPS, *(f"{name}(group='{group}')@5" for name in OF_ONE_GROUP)]
    measures += ["EED@5", "EER@5", "EEL@5", "EED(estimate='unbiased')@5", "EER(pool='run')@5", "EED(browsing='rbp')"]
    in_memory, by_range = (measured(data, [*measures, *OF_SYSTEM], refuse=False) for data in both)
    assert len(in_memory.scores) > 20
    assert_same_values(in_memory, by_range)
    read = {str(note) for note in both[0].notes if "big.parquet" in note.file}
    assert read | {str(note) for note in in_memory.notes} == {str(note) for note in by_range.notes}
    assert any("tied scores" in note for note in read)
    assert any("2 queries ranked shorter" in str(note) for note in by_range.notes)  # of two ranges
    assert {refusal.measure for refusal in by_range.refused} >= {refusal.measure for refusal in in_memory.refused}


def assert_same_values(in_memory: Evaluation, by_range: Evaluation) -> None:
    """Values, bands and intervals of both are the same."""
    assert [score.measure for score in in_memory.scores] == [score.measure for score in by_range.scores]
    for ours, theirs in zip(in_memory.scores, by_range.scores, strict=True):
        assert (ours.system, ours.query_ids) == (theirs.system, theirs.query_ids), ours.measure
        assert (ours.ranked == theirs.ranked).all()
        assert ours.flags == theirs.flags, ours.measure
        np.testing.assert_allclose(theirs.value, ours.value, rtol=0, atol=1e-12, err_msg=ours.measure)
        if isinstance(ours, Scores):
            assert isinstance(theirs, Scores)
            np.testing.assert_allclose(theirs.values, ours.values, rtol=0, atol=1e-12, err_msg=ours.measure)
            assert (ours.tied is None) == (theirs.tied is None)
            if ours.tied is not None and theirs.tied is not None:
                np.testing.assert_allclose(theirs.tied, ours.tied, rtol=0, atol=1e-12)
    intervals = (np.array(score_intervals(each.scores, seed=3)) for each in (in_memory, by_range))
    np.testing.assert_allclose(*intervals, rtol=0, atol=1e-12)


def test_a_sum_over_all_items_is_refused_with_a_way_out(both: tuple[Dataset, Dataset]) -> None:
    with pytest.raises(UsageError, match=r"one value over all items.*over='query'"):
        measured(both[1], ["IAA(by='item', over='system')@5"])
    (refused,) = measured(both[1], ["Gini@5"], refuse=False).refused
    assert "big.parquet is read range by range" in refused.reason


def test_two_runs_are_compared_as_in_memory_with_what_nobody_judged(both: tuple[Dataset, Dataset]) -> None:
    rows = rows_of_example().with_columns(score=pl.col("rank"), system=pl.lit("upside-down"))
    columns = ("query_id", pl.lit("Q0"), "doc_id", "rank", "score", "system")
    run = rows.select(*columns).write_csv(separator=" ", include_header=False).encode()
    settings = BaselineSettings(measures=("nDCG@5", "AP", "P@5"))
    in_memory, by_range = (analyse(add_file(data, ("upside-down", run)), settings).tables["compared"] for data in both)
    assert in_memory.rows == by_range.rows
    assert all(row[in_memory.keys.index("n_unjudged")] for row in in_memory.rows)


@pytest.mark.parametrize("beside", ["nothing", "run", "stored run", "run in another order"])
def test_samples_have_the_values_that_they_have_in_memory(tmp_path: Path, small_ranges: None, beside: str) -> None:
    """Their candidates are those of the run that they were drawn from, wherever that is."""
    run, samples = tmp_path / "run.parquet", tmp_path / "big.parquet"
    rows = rows_of_example()
    rows.write_parquet(run)
    drawn = PlackettLuce(2.0).sample(
        loaded(run, ranges=False).runs[0], depth=8, n_samples=3, rng=np.random.default_rng(0)
    )
    sampled = drawn.to_polars().with_columns(system=pl.lit("bm25;policy=plackett-luce;alpha=2"))
    sampled.filter(pl.col("query_id") != "q05").write_parquet(samples)
    if beside == "run in another order":
        pl.concat(rows.filter(pl.col("query_id") != "q07").partition_by("query_id")[::-1]).write_parquet(run)
    whole, in_file = (loaded(samples, ranges=ranges) for ranges in (False, True))
    if beside != "nothing":
        stored_too = beside != "run"
        whole = add_file(whole, run)
        in_file = add_file(in_file, run, Options(ranges="all" if stored_too else "none"))
        assert isinstance(in_file.runs[0], StoredRun) == stored_too
    assert isinstance(in_file.samples[0], StoredSample)
    assert (in_file.samples[0].policy, in_file.samples[0].alpha) == ("plackett-luce", 2.0)
    assert [file.format for file in whole.files] == [file.format for file in in_file.files]
    measures = ["nDCG@5", "EED@5", "EER@5", "EED(estimate='unbiased')@5", "EER(pool='run')@5", "AWRF@5", *OF_SYSTEM]
    in_memory, by_range = (measured(data, measures) for data in (whole, in_file))
    assert len(in_memory.scores) == len(measures) * (1 if beside == "nothing" else 2)
    assert_same_values(in_memory, by_range)
    assert {str(note) for note in in_memory.notes} <= {str(note) for note in by_range.notes}
    assert any("candidates: " in str(note) for note in by_range.notes)
    np.testing.assert_array_equal(in_file.samples[0].docs, whole.samples[0].docs)  # read where somebody asks


def test_errors_name_the_row_of_the_file(tmp_path: Path, small_ranges: None) -> None:
    file, rows = tmp_path / "big.parquet", rows_of_example()
    last = rows.tail(1)
    pl.concat([rows, last]).write_parquet(file)
    with pytest.raises(InputError) as refused:
        measured(loaded(file, ranges=True), ["nDCG@5"])
    with pytest.raises(InputError) as in_memory:
        loaded(file, ranges=False)
    assert str(refused.value) == str(in_memory.value)
    assert f"row {rows.height}" in str(refused.value)


def test_a_query_that_is_none_is_refused_with_the_row_of_the_file(tmp_path: Path, small_ranges: None) -> None:
    rows = rows_of_example().with_row_index("n")
    name = pl.when(pl.col("n") == rows.height - 1).then(pl.lit("a b")).otherwise("query_id").alias("query_id")
    rows.with_columns(name).drop("n").write_parquet(tmp_path / "big.parquet")
    with pytest.raises(InputError, match=f"row {rows.height - 1}, column 'query_id': query id 'a b' is blank or holds"):
        loaded(tmp_path / "big.parquet", ranges=True)


def test_a_query_in_two_places_is_read_into_memory(tmp_path: Path, small_ranges: None) -> None:
    file, rows = tmp_path / "big.parquet", rows_of_example()
    pl.concat([rows.tail(-1), rows.head(1)]).write_parquet(file)
    assert not isinstance(loaded(file, ranges=True).runs[0], StoredRun)


def test_labels_of_none_of_the_documents_are_refused_as_in_memory(both: tuple[Dataset, Dataset]) -> None:
    messages = list[str]()
    for data in both:
        labels = ("group.tsv", b"doc_id\tprovider\nnobody\tA\n")
        with pytest.raises(InputError) as refused:
            evaluate(
                data.runs, parse_measures(["AWRF@5"]), labels=add_file(Dataset(), labels).labels[0], target="uniform"
            )
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


def test_documents_of_all_queries_are_read_where_somebody_asks(both: tuple[Dataset, Dataset]) -> None:
    (run,), (lazy,) = (data.runs for data in both)
    assert lazy.system == run.system
    assert [lazy.doc_ids[doc] for doc in lazy.docs] == [run.doc_ids[doc] for doc in run.docs]
    np.testing.assert_array_equal(lazy.scores, run.scores)
    with pytest.raises(AttributeError):
        _ = lazy.nothing  # type: ignore[attr-defined]
