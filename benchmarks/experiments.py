"""How memory and time of an experiment grow with documents and questions: requests written, responses collected.

Nobody is asked: what a batch service would do is a loop over the lines, and is not measured.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.measuring import Child, Row, child

BASE = (2_000, 200)
"""Documents and questions."""

GROWN = 10

N_WORDS = 20_000
WORDS_OF_A_DOCUMENT = 80
WORDS_OF_A_QUESTION = 10

GENERATOR = """
[[retriever]]
name = "bm25"
[[generator]]
name = "openai"
base_url = "http://127.0.0.1:9/v1"
model = "nobody"
max_tokens = 16
"""

DESCRIPTIONS: Mapping[str, str] = {
    "rankings": """
corpus = "corpus.jsonl"
queries = "queries.jsonl"
references = "references.jsonl"
usefulness = "useful.qrels"
alphas = [1, 4]
n_samples = 10
min_useful = 0
attributor = { name = "lexical" }
""",
    "bias": """
items = "items.csv"
corpus = { file = "documents.tsv" }
""",
    "variants": """
questions = "questions.jsonl"
corpus = "corpus.jsonl"
settings = ["w/o RAG", "full-set"]
k = 5
people = { sex = ["male", "female"] }
""",
}
"""By kind."""


def rows(*, small: bool) -> Iterator[Row]:
    """Of each kind: seconds and peak memory at the base, and with ten times the documents or the questions."""
    n_documents, n_questions = BASE
    sizes = (BASE, (GROWN * n_documents, n_questions), (n_documents, GROWN * n_questions))
    for kind in ["variants"] if small else DESCRIPTIONS:
        for size in [(40, 10)] if small else sizes:
            with TemporaryDirectory() as folder:
                yield from _measured(kind, *size, Path(folder))


def _measured(kind: str, n_documents: int, n_questions: int, folder: Path) -> Iterator[Row]:
    _write_material(folder, n_documents, n_questions)
    study = folder / "study.toml"
    study.write_text(f'kind = "{kind}"\nname = "grown"\n{DESCRIPTIONS[kind]}{GENERATOR}')
    command = [sys.executable, "-m", "fairviz", "experiment"]
    planned = child([*command, "requests", str(study)], folder=folder)
    n_requests = _answer(folder / "grown" / "requests.jsonl", folder / "responses.jsonl")
    collected = child([*command, "collect", str(study), str(folder / "responses.jsonl")], folder=folder)
    what = f"{kind}: {n_documents:,} documents, {n_questions:,} questions, {n_requests:,} requests"
    for step, ended in (("requests", planned), ("collect", collected)):
        yield Row(what=f"{what}: {step}", value=ended.peak / 1e6, unit="MB", note=_shown(ended))


def _shown(ended: Child) -> str:
    return f"{ended.busy:.3g} s of processor time"


def _answer(requests: Path, responses: Path) -> int:
    """What a batch service would send back; gives the number of lines."""
    n_lines = 0
    with requests.open() as lines, responses.open("w") as to:
        for line in lines:
            custom_id = json.loads(line)["custom_id"]
            message = {"content": "ABC"[n_lines % 3]}
            body = {"choices": [{"message": message}], "usage": {"prompt_tokens": 100, "completion_tokens": 1}}
            to.write(json.dumps({"custom_id": custom_id, "response": {"body": body}}) + "\n")
            n_lines += 1
    return n_lines


def _write_material(folder: Path, n_documents: int, n_questions: int) -> None:
    """Documents and questions of words as frequent as in a language, for every kind."""
    rng = np.random.default_rng(0)

    def texts(n: int, n_words: int) -> list[str]:
        drawn = (N_WORDS ** rng.random((n, n_words))).astype(int)
        return [" ".join(f"w{word}" for word in row) for row in drawn.tolist()]

    documents = {f"d{number}": text for number, text in enumerate(texts(n_documents, WORDS_OF_A_DOCUMENT))}
    questions = {f"q{number}": text for number, text in enumerate(texts(n_questions, WORDS_OF_A_QUESTION))}
    _write_lines(folder / "corpus.jsonl", ({"doc_id": name, "text": text} for name, text in documents.items()))
    _write_lines(folder / "queries.jsonl", ({"query_id": name, "text": text} for name, text in questions.items()))
    _write_lines(folder / "references.jsonl", ({"query_id": name, "answers": ["w1 w2"]} for name in questions))
    _write_lines(
        folder / "questions.jsonl",
        ({"query_id": name, "text": text, "options": ["yes", "no"], "gold": "A"} for name, text in questions.items()),
    )
    useful = (f"{name} 0 d{number} 1\n" for name in questions for number in range(3))
    (folder / "useful.qrels").write_text("".join(useful))
    sides = ("stereo", "anti", "neutral")
    (folder / "documents.tsv").write_text(
        "doc_id\ttext\tpolarity\n"
        + "".join(f"{name}\t{text}\t{sides[place % 3]}\n" for place, (name, text) in enumerate(documents.items()))
    )
    columns = "category,example_id,question_index,question_polarity,context_condition,context,question"
    columns += ",ans0,ans1,ans2,text0,text1,text2,group0,group1,group2,stereotyped_groups,label,unknown_loc,target_loc"
    people = ",".join(["old", "young", "unknown"] * 3)
    (folder / "items.csv").write_text(
        "\n".join(
            [
                columns,
                *(
                    f'Age,{place},{1 + place // 4},neg,ambig,{text},Who?,{people},"[""old""]",2,2,0'
                    for place, text in enumerate(questions.values())
                ),
            ]
        )
        + "\n"
    )


def _write_lines(path: Path, records: Iterator[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
