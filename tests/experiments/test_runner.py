import gzip
import json
import os
import zlib
from pathlib import Path

import pytest

from fairviz.errors import InputError, OutputError, UndefinedError, UsageError
from fairviz.experiments.runner import Experiment
from fairviz.io.manifest import faults
from fairviz.io.qrels import read_qrels
from fairviz.io.rankings import read_run
from fairviz.io.whole import sole_writer, write_text
from tests.experiments.tiny import tiny_toml
from tests.io.written import read_samples
from tests.lines import write_lines

pytestmark = pytest.mark.usefixtures("word_counting")

DEMO = Path(__file__).resolve().parents[2] / "tests" / "small" / "data" / "demo"

CONFIG = tiny_toml('output = "made"', "alphas = [2]", "n_samples = 4", "k = 2", "seed = 1")
DOCUMENTS = {
    "d1": "Hold a burn under cool running water for twenty minutes.",
    "d2": "Cool the burn with running water, then cover it.",
    "d3": "A burn is no reason to panic, said the cool nurse.",
    "d4": "Oil the chain of a bicycle twice a year.",
    "d5": "Every bicycle needs a chain.",
    "d6": "Bees sleep.",
    "d7": "Leaves fall.",
    "d8": "Snow melts.",
}


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    queries = {"q1": "How do I cool a burn?", "q2": "How do I oil a bicycle chain?"}
    answers = {
        "q1": ["Hold it under cool running water for twenty minutes, then cover it."],
        "q2": ["Oil the chain twice a year."],
    }
    write_lines(
        tmp_path,
        corpus=[{"doc_id": d, "title": "-", "text": t} for d, t in DOCUMENTS.items()],
        queries=[{"query_id": q, "text": t} for q, t in queries.items()],
        references=[{"query_id": q, "answers": a} for q, a in answers.items()],
    )
    (tmp_path / "tiny.toml").write_text(CONFIG)
    return tmp_path / "tiny.toml"


def records(path: Path) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


def test_questions_with_fewer_useful_documents_are_dropped_and_reported_and_nothing_left_is_an_error(
    tiny: Path,
) -> None:
    report = Experiment(tiny).run()
    # d1 and d2 bring q1 nearer to its reference than the question said back; only d4 helps q2.
    assert [note.message for note in report.notes if "dropped" in note.message] == [
        "question q2 dropped: 1 useful documents"
    ]
    made = tiny.parent / "made"
    assert read_run(made / "bm25.run").value.query_ids == ("q1", "q2")
    assert read_qrels(made / "utility.qrels").value.query_ids == ("q1",)
    assert {r["query_id"] for r in records(made / "outputs.alpha-2.jsonl.gz")} == {"q1"}
    tiny.write_text("min_useful = 3\n" + CONFIG)
    with pytest.raises(UndefinedError, match="no question has min_useful = 3 useful documents, the best has 2"):
        Experiment(tiny).run()


@pytest.mark.parametrize(
    ("name", "line", "message"),
    [
        ("references.jsonl", '{"query_id": "q1", "answers": ["a"]}', "no answer to question q2"),
        ("corpus.jsonl", '{"doc_id": "d1", "text": "?"}', r"corpus\.jsonl: BM25 needs at least one word"),
    ],
)
def test_a_question_without_answers_and_documents_without_a_word_are_named(
    tiny: Path, name: str, line: str, message: str
) -> None:
    (tiny.parent / name).write_text(line)
    with pytest.raises(InputError, match=message):
        Experiment(tiny).run()


def test_a_question_that_finds_nothing_is_answered_without_context(tiny: Path) -> None:
    with (tiny.parent / "queries.jsonl").open("a") as file:
        file.write('\n{"query_id": "q3", "text": "Xyzzy?"}')
    with (tiny.parent / "references.jsonl").open("a") as file:
        file.write('\n{"query_id": "q3", "answers": ["Plugh."]}')
    tiny.write_text("min_useful = 0\n" + CONFIG)
    Experiment(tiny).run()
    last = records(tiny.parent / "made" / "outputs.deterministic.jsonl.gz")[-1]
    assert (last["query_id"], last["ranking"], last["text"]) == ("q3", [], "Xyzzy?")


def test_an_output_tells_how_it_was_made_and_the_deterministic_answer_is_that_by_hand(tiny: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    folder = tiny.parent / "elsewhere"
    report = Experiment(tiny, output=folder).run(progress=lambda *step: steps.append(step))
    assert [done for _, done, _ in steps] == [0, 1, 2, 3, 4]
    assert {n for _, _, n in steps} == {5}
    assert [path.name for path in report.files] == [
        "bm25.run",
        "utility.qrels",
        "samples.alpha-2.run.gz",
        "outputs.alpha-2.jsonl.gz",
        "outputs.deterministic.jsonl.gz",
        "outputs.oracle.jsonl.gz",
    ]
    sampled = records(folder / "outputs.alpha-2.jsonl.gz")
    assert [r["sample"] for r in sampled] == ["1", "2", "3", "4"]
    first = {k: v for k, v in sampled[0].items() if k not in ("ranking", "text", "utility")}
    assert first == {
        "system": "bm25-extractive-alpha-2",
        "task": "tiny",
        "retriever": "bm25",
        "generator": "extractive",
        "policy": "plackett-luce",
        "alpha": 2.0,
        "k": 2,
        "query_id": "q1",
        "sample": "1",
        "attributed": first["attributed"],
    }
    assert all(set(r["attributed"]) <= set(r["ranking"]) for r in sampled)
    samples = read_samples(folder / "samples.alpha-2.run.gz").value
    drawn = [samples.doc_ids[doc] for doc in samples.docs]
    assert drawn == [doc for r in sampled for doc in r["ranking"]]
    assert {frozenset(r["ranking"]) for r in records(folder / "outputs.oracle.jsonl.gz")} == {frozenset({"d1", "d2"})}
    (only,) = records(folder / "outputs.deterministic.jsonl.gz")
    assert only["policy"] == "deterministic"
    # d1, d2, d3 hold "cool" and "burn" once each; of them d2 (5 words) and d3 (6) are shortest.
    assert only["ranking"] == ["d2", "d3"]
    assert only["text"] == f"{DOCUMENTS['d2']} {DOCUMENTS['d3']}"
    # The 9 + 11 words share "cool running water then cover it" with the reference's 12, in order:
    # ROUGE-L F1 = 2 · 6 / (20 + 12).
    assert only["utility"] == 0.375
    assert only["attributed"] == ["d2", "d3"]


def test_one_alpha_of_the_example_is_reproduced_byte_for_byte(tmp_path: Path) -> None:
    described = (DEMO / "experiment.toml").read_text()
    for name in ("corpus", "queries", "references"):
        described = described.replace(f'"{name}.jsonl"', f'"{(DEMO / name).as_posix()}.jsonl"')
    (tmp_path / "x.toml").write_text(described.replace("[1, 2, 4, 8]", "[2]"))
    made = Experiment(tmp_path / "x.toml", output=tmp_path / "made").run().files
    same = ["bm25.run", "samples.alpha-2.run.gz", "outputs.alpha-2.jsonl.gz", "outputs.deterministic.jsonl.gz"]
    assert {*same} <= {path.name for path in made}
    for name in same:
        first, second = (
            gzip.decompress(content) if name.endswith(".gz") else content
            for content in ((tmp_path / "made" / name).read_bytes(), (DEMO / name).read_bytes())
        )
        assert first == second, name


@pytest.mark.slow
def test_the_example_is_reproduced_byte_for_byte(tmp_path: Path) -> None:
    report = Experiment(DEMO / "experiment.toml", output=tmp_path).run()
    assert not [note for note in report.notes if "dropped" in note.message]
    exact = "zlib-ng" not in zlib.ZLIB_RUNTIME_VERSION  # another compressor, the same text
    for made in report.files:
        shipped = (DEMO / made.name).read_bytes()
        if made.suffix == ".gz":
            assert gzip.decompress(made.read_bytes()) == gzip.decompress(shipped), made.name
            assert made.read_bytes()[4:8] == bytes(4), "no time"
        if made.suffix != ".gz" or exact:
            assert made.read_bytes() == shipped, made.name
    made = {path.name for path in report.files}
    written = {"corpus.jsonl", "queries.jsonl", "references.jsonl", "usefulness.qrels"} | {
        "region.tsv",
        "provider.tsv",
        "target.json",
        "experiment.toml",
        "README.md",
        "manifest.json",
    }
    shipped = {path.name for path in DEMO.iterdir() if path.is_file()}
    assert shipped == made | written, "nothing stale, nothing else"


def test_the_manifest_is_the_same_wherever_results_are_written(tiny: Path) -> None:
    made = [Experiment(tiny, output=tiny.parent / name).run() for name in ("here", "there")]
    assert made[0].manifest.read_bytes() == made[1].manifest.read_bytes()
    assert [faults(report.manifest.parent) for report in made] == [[], []]
    body = json.loads(made[0].manifest.read_text())
    assert list(body["files"]) == [path.name for path in made[0].files]
    named = [entry["name"] for entry in body["inputs"]]
    assert named == ["tiny.toml", "corpus.jsonl", "queries.jsonl", "references.jsonl"]
    assert (body["configuration"]["seed"], body["configuration"]["corpus"]) == (1, "corpus.jsonl")
    assert body["configuration"]["retriever"][0]["name"] == "bm25"
    assert "components" not in body, "none has weights"


def test_broken_results_in_the_way_are_made_again_and_said(tiny: Path) -> None:
    report = Experiment(tiny).run()
    (dropped,) = report.notes
    whole = {path: path.read_bytes() for path in (*report.files, report.manifest)}
    packed = next(path for path in report.files if path.suffix == ".gz")
    for path, content in (
        (packed, whole[packed][:40]),  # cut
        (packed, whole[packed][:10] + b"\xff" * 20),  # no deflate stream
        (report.files[0], b""),
        (report.manifest, b"{"),
    ):
        path.write_bytes(content)
        note, *others = Experiment(tiny).run().notes
        assert others == [dropped]
        assert str(note) == f"{tiny.parent / 'made'}: unfinished results were made again: {path.name} " + (
            "cannot be read" if path == report.manifest else "is not the file of manifest.json"
        )
        assert {path: path.read_bytes() for path in whole} == whole
    assert Experiment(tiny).run().notes == (dropped,)


def test_one_run_at_a_time_writes_to_a_folder(tiny: Path) -> None:
    made = tiny.parent / "made"
    made.mkdir()
    with (
        sole_writer(made / ".fairviz.lock", "made"),
        pytest.raises(OutputError, match=rf"made: process {os.getpid()} is writing it"),
    ):
        Experiment(tiny).run()
    assert list(made.iterdir()) == []
    Experiment(tiny).run()


def test_a_folder_in_the_place_of_a_file_is_named(tiny: Path) -> None:
    (tiny.parent / "made" / "utility.qrels").mkdir(parents=True)
    with pytest.raises(OutputError, match=r"utility\.qrels: is a folder"):
        Experiment(tiny).run()
    assert not (tiny.parent / "made" / "manifest.json").exists()
    for name in ("a\0b", "corpus.jsonl"):
        with pytest.raises(UsageError, match=r"output: the folder .* cannot be made"):
            Experiment(tiny, output=tiny.parent / name).run()


def test_a_compressed_file_that_holds_the_text_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"text", 1, mtime=99))
    before = path.read_bytes()
    (tmp_path / ".x.gz.lock").touch()  # of a writer that was killed when the file had its name already
    write_text(path, lambda to: to.write("text"))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    write_text(path, lambda to: to.write("other"))
    assert gzip.decompress(path.read_bytes()) == b"other"
