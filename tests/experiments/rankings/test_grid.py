"""A small grid from its description to the files that pages open: two tasks, retrievers, generators and k."""

from pathlib import Path

import pytest

from fairviz.errors import DescriptionError, InputError
from fairviz.experiments import rankings as source
from fairviz.experiments.asking import Answers
from fairviz.experiments.config import read_config
from fairviz.experiments.protocols import prompt_text
from fairviz.experiments.runner import Experiment
from fairviz.experiments.store import Store
from fairviz.io.qrels import read_qrels
from fairviz.io.tables import read_factors
from fairviz.model import Factors, qrels_for
from tests.experiments.test_runner import records
from tests.lines import write_lines
from tests.loaded import load_dataset

pytestmark = pytest.mark.usefixtures("word_counting")

GRID = """
name = "grid"
alphas = 2
k = [1, 2]
n_samples = 3
min_useful = 1
policies = ["plackett-luce", "oracle"]
[[task]]
name = "colours"
corpus = "colours.jsonl"
queries = "colours.queries.jsonl"
references = "colours.references.jsonl"
[[task]]
name = "stars"
corpus = "stars.jsonl"
queries = "stars.queries.jsonl"
references = "stars.references.jsonl"
utility = "lamp-3"
[[retriever]]
name = "bm25"
[[retriever]]
name = "bm25"
label = "flat"
b = 0
[[generator]]
name = "extractive"
label = "short"
n_sentences = 1
[[generator]]
name = "extractive"
label = "long"
n_shared = 1
[attributor]
name = "lexical"
"""
TASKS = {
    "colours": (
        {"c1": "red fox runs", "c2": "red hen sits", "c3": "blue fox sleeps"},
        "red fox?",
        ["red fox runs", "red hen sits"],
    ),
    "stars": ({"s1": "good 5", "s2": "poor 1", "s3": "good film 3"}, "good film?", ["good film 3"]),
}


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    for task, (documents, question, answers) in TASKS.items():
        files = {
            task: [{"doc_id": doc_id, "text": text} for doc_id, text in documents.items()],
            f"{task}.queries": [{"query_id": f"q-{task}", "text": question}],
            f"{task}.references": [{"query_id": f"q-{task}", "answers": answers}],
        }
        write_lines(tmp_path, **files)
    (tmp_path / "grid.toml").write_text(GRID.replace('utility = "lamp-3"', ""))
    return tmp_path / "grid.toml"


def test_factors_are_fields_and_names_of_files_hold_those_with_several_values(grid: Path) -> None:
    report = Experiment(grid).run()
    names = [path.name for path in report.files]
    cells = [
        (task, retriever, generator, policy, k)
        for task in TASKS
        for retriever in ("bm25", "flat")
        for policy in ("alpha-2", "oracle")
        for generator in ("short", "long")
        for k in (1, 2)
    ]
    written = [f"outputs.{task}.{r}.{g}.{policy}.k-{k}.jsonl.gz" for task, r, g, policy, k in cells]
    assert [name for name in names if name.startswith("outputs")] == written
    assert {name for name in names if name not in written} == {
        *(f"{task}.{retriever}.run" for task in TASKS for retriever in ("bm25", "flat")),
        *(f"samples.{task}.{retriever}.alpha-2.run.gz" for task in TASKS for retriever in ("bm25", "flat")),
        *("utility.short.qrels", "utility.long.qrels", "systems.tsv"),
    }
    for (task, retriever, generator, policy, k), name in zip(cells, written, strict=True):
        for answer in records(report.files[names.index(name)]):
            fields = [answer[field] for field in ("task", "retriever", "generator", "policy", "k")]
            kind = "oracle" if policy == "oracle" else "plackett-luce"
            assert fields == [task, retriever, generator, kind, k]
            assert len(answer["ranking"]) == k
            assert answer["query_id"] == f"q-{task}"
    one, two = (
        records(report.files[names.index(f"outputs.colours.bm25.short.alpha-2.k-{k}.jsonl.gz")]) for k in (1, 2)
    )
    assert [answer["ranking"] for answer in one] == [answer["ranking"][:1] for answer in two]


def test_documents_of_a_profile_are_found_for_its_question_alone(tmp_path: Path) -> None:
    """Both questions ask for the red fox; each has three documents, of which the oracle's are its own, too."""
    texts = ["red fox runs", "red hen sits", "blue fox sleeps"]
    corpus = [{"doc_id": f"{q}{n}", "query_id": q, "text": t} for n, t in enumerate(texts) for q in ("p", "q")]
    files = {
        "corpus": corpus,
        "queries": [{"query_id": q, "text": "red fox?"} for q in ("p", "q")],
        "references": [{"query_id": q, "answers": ["red fox runs"]} for q in ("p", "q")],
    }
    write_lines(tmp_path, **files)
    head, _, tail = GRID.partition("[[task]]")
    named = "".join(f'{name} = "{name}.jsonl"\n' for name in files)
    text = f"{head}profiles = true\n{named}[[retriever]]{tail.partition('[[retriever]]')[2]}"
    (tmp_path / "lamp.toml").write_text(text)
    report = Experiment(tmp_path / "lamp.toml").run()
    outputs = [path for path in report.files if path.name.startswith("outputs")]
    given = {(one["query_id"], doc) for path in outputs for one in records(path) for doc in one["ranking"]}
    assert given
    assert all(doc.startswith(query) for query, doc in given)
    (tmp_path / "corpus.jsonl").write_text('{"doc_id": "x", "query_id": "r", "text": "red"}\n')
    with pytest.raises(InputError, match="query_id r is that of no question"):
        Experiment(tmp_path / "lamp.toml").run()


def test_each_attributor_has_outputs_of_its_own(grid: Path) -> None:
    text = grid.read_text().replace('[attributor]\nname = "lexical"', "")
    text = text.replace("k = [1, 2]", "k = 2").replace('policies = ["plackett-luce", "oracle"]', 'policies = "oracle"')
    more = '[[attributor]]\nname = "lexical"\n[[attributor]]\nname = "lexical"\nlabel = "strict"\nthreshold = 1\n'
    grid.write_text(text + more)
    files = {path.name: path for path in Experiment(grid).run().files}
    loose, strict = (
        records(files[f"outputs.colours.bm25.long.oracle.{label}.jsonl.gz"]) for label in ("lexical", "strict")
    )
    assert {answer["system"] for answer in strict} == {"colours-bm25-long-oracle-strict"}
    assert [answer["text"] for answer in loose] == [answer["text"] for answer in strict]
    n_used = [sum(len(answer["attributed"]) for answer in answers) for answers in (loose, strict)]
    assert n_used[1] < n_used[0]


def test_a_table_says_what_runs_are_made_of_and_whose_labels_are_whose(grid: Path) -> None:
    files = {path.name: path for path in Experiment(grid).run().files}
    assert read_factors(str(files["systems.tsv"])).value == {
        **{f"{t}.{r}": Factors(task=t, retriever=r) for t in TASKS for r in ("bm25", "flat")},
        **{f"utility.{generator}": Factors(generator=generator) for generator in ("short", "long")},
    }
    loaded = load_dataset(map(str, files.values()))
    assert loaded.errors == ()
    described = loaded.dataset.described
    assert [labels.generator for labels in described.qrels] == ["short", "long"]
    assert qrels_for(described.qrels, "long").name == "utility.long"
    assert {run.system for run in described.runs} == {f"{t}.{r}" for t in TASKS for r in ("bm25", "flat")}
    assert described.samples[0].source is not None


def test_every_task_has_its_utility(grid: Path) -> None:
    grid.write_text(GRID)
    with pytest.raises(InputError, match=r"stars\.references\.jsonl: .* query q-stars has 'good film 3'"):
        Experiment(grid).run()
    (grid.parent / "stars.references.jsonl").write_text('{"query_id": "q-stars", "answers": ["5"]}')
    # Short answers: "good 5" is no number, as the question said back is none, so nobody gains a star.
    report = Experiment(grid).run()
    assert [note.message for note in report.notes if "dropped" in note.message] == [
        f"question q-stars for {model} dropped: 0 useful documents" for model in ("short", "long")
    ]
    assert not [path for path in report.files if path.name.startswith(("outputs.stars", "samples.stars"))]


def test_the_union_of_the_best_documents_is_labelled(grid: Path) -> None:
    whole = source.RankingSource(read_config(grid), Store(grid))
    assert len(list(whole._label_questions())) == 2 * 2 * (1 + 3)
    grid.write_text("label_depth = 1\n" + grid.read_text())
    made = source.RankingSource(read_config(grid), Store(grid))
    # Both retrievers find c1 first: one call alone, and one with it.
    uses = [question.use for question in made._label_questions()]  # a model after the other
    assert [use for use in uses if use.startswith("colours")] == [
        *("colours|q-colours|none|1", "colours|q-colours|label|c1"),
        *("colours|q-colours|none|1", "colours|q-colours|label|c1"),
    ]
    labels = next(path for path in Experiment(grid).run().files if path.name == "utility.short.qrels")
    assert {line.split()[2] for line in labels.read_text().splitlines()} == {"c1", "s3"}


def test_judgements_take_the_place_of_labels(grid: Path) -> None:
    (grid.parent / "j.qrels").write_text("q-colours 0 c2 2\nq-colours 0 gone 1\nq-colours 0 c1 0\n")
    (grid.parent / "empty.qrels").write_text("q-stars 0 s1 0\n")
    text = grid.read_text()
    for task, judged in (("colours", "j"), ("stars", "empty")):
        text = text.replace(f'name = "{task}"', f'name = "{task}"\nusefulness = "{judged}.qrels"')
    grid.write_text(text)
    report = Experiment(grid).run()
    assert [note.message for note in report.notes if "dropped" in note.message] == [
        "question q-stars dropped: 0 useful documents"
    ]
    files = {path.name: path for path in report.files}
    oracle = records(files["outputs.colours.bm25.short.oracle.k-1.jsonl.gz"])
    assert {tuple(answer["ranking"]) for answer in oracle} == {("c2",)}
    assert read_qrels(str(files["judgements.qrels"])).value.query_ids == ("q-colours", "q-stars")
    assert not [name for name in files if name.startswith("utility")]
    made = source.RankingSource(read_config(grid), Store(grid))
    assert list(made._label_questions()) == []
    assert [round_.what for round_ in made.outlook(Answers(made.models, Store(grid)))] == ["answer"]


def test_judgements_are_of_all_tasks_or_of_none(grid: Path) -> None:
    grid.write_text(grid.read_text().replace('name = "stars"', 'name = "stars"\nusefulness = "stars.jsonl"'))
    with pytest.raises(DescriptionError, match=r"needs usefulness in all tables \[\[task\]\] or in none"):
        read_config(grid)


def test_tasks_do_not_share_questions(grid: Path) -> None:
    grid.write_text(grid.read_text().replace('"stars.', '"colours.'))
    with pytest.raises(InputError, match="query_id 'q-colours' is in the tasks colours and stars"):
        Experiment(grid).run()


def test_a_prompt_of_ones_own_is_sent(grid: Path) -> None:
    (grid.parent / "own.txt").write_text("# Source: ours\nRead:\n{documents}\nQ: {question}\n")
    grid.write_text(grid.read_text().replace('name = "colours"', 'name = "colours"\nprompt = "own.txt"'))
    made = source.RankingSource(read_config(grid), Store(grid))
    alone, first, *_, last = [prompt_text(question.prompt) for question in made._label_questions()]
    assert (alone, first) == ("Read:\n\nQ: red fox?", "Read:\n1. red fox runs\nQ: red fox?")
    assert last.endswith("Question: good film?\nAnswer:"), "the other task has none"
    (grid.parent / "own.txt").write_text("{question}")
    with pytest.raises(DescriptionError, match=r"prompt: names .*own\.txt, which lacks \{documents\}"):
        read_config(grid)


def test_one_question_is_answered_at_a_time(grid: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    asked = Answers.of
    monkeypatch.setattr(
        Answers, "of", lambda self, model, prompts: batches.append(len(prompts)) or asked(self, model, prompts)
    )
    Experiment(grid).run()
    assert max(batches) <= 4, "a question with its three documents, or its three rankings"


def test_a_limit_asks_the_first_questions_of_each_task(grid: Path) -> None:
    with (grid.parent / "colours.queries.jsonl").open("a") as file:
        file.write('{"query_id": "second", "text": "blue fox?"}\n')
    with (grid.parent / "colours.references.jsonl").open("a") as file:
        file.write('{"query_id": "second", "answers": ["blue fox"]}\n')
    grid.write_text("limit = 1\n" + grid.read_text())
    made = source.RankingSource(read_config(grid), Store(grid))
    assert {question.use.split("|")[1] for question in made._label_questions()} == {"q-colours", "q-stars"}
