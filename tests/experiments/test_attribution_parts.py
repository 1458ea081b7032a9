"""Attribution by parts: the same files, and the same numbers in the store, whoever does the work."""

import gzip
import json
import multiprocessing
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib.util import find_spec
from itertools import chain, repeat
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from fairviz.errors import InputError, UsageError
from fairviz.experiments import attribution_parts
from fairviz.experiments.components.nli import PairClassifier
from fairviz.experiments.components.registry import chosen
from fairviz.experiments.runner import STORE, Experiment
from fairviz.experiments.store import Store
from fairviz.partitions import executors
from fairviz.partitions.executors import Alone, Together, Work, workers
from tests.experiments.tiny_onnx import WORDS, classifier
from tests.partitions.test_executors import Mortal

DESCRIPTION = """
kind = "rankings"
name = "parts"
corpus = "corpus.jsonl"
queries = "queries.jsonl"
references = "references.jsonl"
usefulness = "useful.qrels"
alphas = [1, 8]
k = [1, 3]
n_samples = 6
min_useful = 1
seed = 4
[[retriever]]
name = "bm25"
[[retriever]]
name = "lsa"
rank = 3
[[generator]]
name = "extractive"
n_shared = 1
[[attributor]]
name = "nli"
folder = "model"
threshold = 0.3
[[attributor]]
name = "nli"
label = "claims"
folder = "model"
hypothesis = "sentences"
threshold = 0.4
[[attributor]]
name = "lexical"
[[attributor]]
name = "citations"
"""
N_QUESTIONS = 9


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Questions that share documents and answers; one that finds nothing."""
    for size in ("PROMPTS", "ROUND"):
        monkeypatch.setattr(attribution_parts, size, 7)
    monkeypatch.setattr(attribution_parts, "PAIRS", 5)
    monkeypatch.setattr("fairviz.experiments.retrieval_parts.QUESTIONS", 4)
    rng = Random(3)
    text = lambda: " . ".join(" ".join(rng.choices(WORDS[3:9], k=4)) for _ in range(3)) + " ."  # noqa: E731
    lines = {
        "corpus": [{"doc_id": f"d{n}", "title": "", "text": text()} for n in range(12)],
        "queries": [{"query_id": f"q{n}", "text": rng.choice(WORDS[3:9]) + " roof"} for n in range(N_QUESTIONS - 1)]
        + [{"query_id": "nothing", "text": "xyzzy"}],
        "references": [{"query_id": f"q{n}", "answers": [text()]} for n in range(N_QUESTIONS - 1)]
        + [{"query_id": "nothing", "answers": ["-"]}],
    }
    for name, records in lines.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    ids = [record["query_id"] for record in lines["queries"]]
    (tmp_path / "useful.qrels").write_text("".join(f"{one} 0 d{n} 1\n" for n, one in enumerate(ids)))
    classifier(tmp_path / "model")
    (tmp_path / "study.toml").write_text(DESCRIPTION)
    return tmp_path / "study.toml"


def made(study: Path, output: str, work: Work | None) -> tuple[dict[str, bytes], list[tuple[str, int, bytes]]]:
    """Every file but the store, and the arrays in it; what progress was told is one more file."""
    told: list[tuple[str, int, int]] = []
    folder = study.parent / output
    experiment = Experiment(study, output=folder, work=work)
    with experiment.writing():
        experiment.ask()
        report = experiment.write(progress=lambda *step: told.append(step))
    files = {path.name: path.read_bytes() for path in (*report.files, report.manifest)}
    with closing(sqlite3.connect(folder / STORE)) as store:
        arrays = store.execute("select key, width, numbers from arrays order by key").fetchall()
    return {**files, "told": repr((told, report.notes, report.dropped)).encode()}, arrays


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """How often each pair was computed in this process."""
    computed: Counter[tuple[str, str]] = Counter()
    encode = PairClassifier.encode

    def counted(self: PairClassifier, texts: Sequence[tuple[str, str]]) -> Iterator[object]:
        computed.update(texts)
        return encode(self, texts)

    monkeypatch.setattr(PairClassifier, "encode", counted)
    return computed


def test_parts_give_the_files_of_the_whole_and_compute_each_pair_once(
    study: Path, encoded: Counter[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    files, arrays = made(study, "whole", None)
    assert any(b'"attributed": ["' in gzip.decompress(content) for name, content in files.items() if ".nli." in name)
    assert set(encoded.values()) == {1}
    assert len(arrays) == len(encoded) > 100
    for size in (1, 7, 10_000):
        monkeypatch.setattr(attribution_parts, "PROMPTS", size)
        monkeypatch.setattr(attribution_parts, "ROUND", size)
        encoded.clear()
        assert made(study, f"parts-{size}", Alone()) == (files, arrays)
        assert set(encoded.values()) == {1}


def test_what_a_dead_worker_had_is_computed_again(study: Path) -> None:
    lives = chain([2, 9, 1, 30, 20, 40], repeat(10_000))
    whole = made(study, "whole", None)
    died = made(study, "died", Together(lambda: Mortal(lives), 2))
    assert next(lives) == 10_000, "not all of them died"
    assert died == whole


def test_a_second_run_computes_nothing(study: Path, encoded: Counter[tuple[str, str]]) -> None:
    first = made(study, "out", Alone())
    encoded.clear()
    assert made(study, "out", Alone()) == first
    assert not encoded.total()


def test_what_was_computed_before_an_error_is_kept(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made(study, "whole", None)
    kept: list[str] = []
    keep = Store.keep

    def interrupted(self: Store, arrays: dict) -> None:
        if len(kept) > 20:
            raise KeyboardInterrupt
        keep(self, arrays)
        kept.extend(arrays)

    monkeypatch.setattr(Store, "keep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made(study, "stopped", Alone())
    with closing(sqlite3.connect(study.parent / "stopped" / STORE)) as store:
        assert store.execute("select key from arrays order by key").fetchall() == [(key,) for key in sorted(kept)]
    monkeypatch.setattr(Store, "keep", keep)
    assert made(study, "stopped", Alone()) == whole


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_errors_are_those_of_one_process(study: Path, file: str) -> None:
    (study.parent / "model" / file).write_bytes(b"\x80broken")
    said = []
    for number, work in enumerate((None, Alone())):
        with pytest.raises(InputError) as caught:
            made(study, f"out-{number}", work)
        said.append((str(caught.value), caught.value.file, caught.value.fix))
    assert said[0] == said[1]


def test_scores_and_citations_are_looked_up_here(study: Path) -> None:
    scores = study.parent / "scores.jsonl"
    scores.write_text('{"doc_id": "d1", "answer": "-", "score": 1}\n')
    for choice in (chosen("attributor", "citations"), chosen("attributor", "scores", file=scores)):
        made_of = attribution_parts.attribution(choice, numbers=Store(study.parent / "no.sqlite"), work=Alone())
        assert type(made_of) is attribution_parts.QuestionByQuestion


def test_a_worker_with_other_weights_is_told(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(Alone):
        def results(self, function, tasks):
            for task in tasks:
                if function is attribution_parts._encoded_there:
                    classifier(study.parent / "model", seed=1)
                yield function(task)

    monkeypatch.setattr(attribution_parts, "_BUILT", {})
    with pytest.raises(UsageError, match="attributor nli: a worker finds other files under its path than this command"):
        made(study, "out", Elsewhere())


def test_weights_that_changed_are_other_weights(study: Path) -> None:
    before = made(study, "before", Alone())
    classifier(study.parent / "model", seed=1)
    after = made(study, "after", Alone())
    assert after == made(study, "whole", None)
    assert after[1] != before[1]


def test_experiments_without_attribution_are_refused(tmp_path: Path) -> None:
    demo = Path(__file__).parents[2] / "data" / "demo" / "bias" / "experiment.toml"
    with pytest.raises(UsageError, match='kind "rankings", and this is of kind "bias"; run it without'):
        Experiment(demo, output=tmp_path, work=Alone())


@pytest.fixture
def own_main(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new process imports the main module again, in whose place a page that was under test has left app.py."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


@pytest.mark.slow
@pytest.mark.usefixtures("own_main")
def test_two_processes_write_the_same_bytes_also_where_one_is_killed(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = made(study, "whole", None)
    killed: list[str] = []
    keep, n_kept = Store.keep, 0

    def kill_one(self: Store, arrays: dict) -> None:
        nonlocal n_kept
        n_kept += 1
        if n_kept in (2, 8):
            process = multiprocessing.active_children()[-1]
            process.kill()
            process.join()
            killed.append(process.name)
        keep(self, arrays)

    with workers(2) as work:
        assert made(study, "two", work) == whole
        monkeypatch.setattr(Store, "keep", kill_one)
        assert made(study, "killed", work) == whole
    assert len(killed) == 2


@pytest.mark.slow
@pytest.mark.skipif(find_spec("distributed") is None, reason='pip install "fairviz[scale]"')
@pytest.mark.usefixtures("own_main")
def test_a_cluster_writes_the_same_bytes(study: Path) -> None:
    distributed = executors.optional("distributed", extra="scale", component="this test")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    whole = made(study, "whole", None)
    cluster = distributed.LocalCluster(host="127.0.0.1", **options)
    with cluster, workers(dask=cluster.scheduler_address) as work:
        assert made(study, "cluster", work) == whole
        classifier(study.parent / "model", seed=1)  # its workers have the old weights in memory
        assert made(study, "other", work) == made(study, "others", None)
