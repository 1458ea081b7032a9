"""The demographic variants of the example, and the experiment that answers them."""

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

from fairviz.errors import DescriptionError
from fairviz.experiments.inputs import read_documents
from fairviz.experiments.questions import read_closed_questions
from fairviz.experiments.runner import Experiment
from fairviz.io.variants import read_variants
from tests.experiments.test_runner import records

pytestmark = pytest.mark.usefixtures("word_counting")

DEMO = Path(__file__).resolve().parents[3] / "data" / "demo" / "variants"
RACE = ["White", "Black", "Asian", "Hispanic"]
GENDER = ["male", "female", "non-binary"]


CLOSED = records(DEMO / "answers.jsonl.gz")


def test_the_files_are_reproduced_byte_for_byte(tmp_path: Path) -> None:
    report = Experiment(DEMO / "experiment.toml", output=tmp_path).run()
    for made in report.files:
        assert records(made) == records(DEMO / made.name), made.name
        packed = (DEMO / made.name).read_bytes()
        assert gzip.decompress(made.read_bytes()) == gzip.decompress(packed), made.name
    written = {"questions.jsonl", "people.jsonl", "experiment.toml", "manifest.json"}
    made = {path.name for path in report.files}
    assert {path.name for path in DEMO.iterdir()} == made | written, "nothing stale, nothing else"


def test_questions_and_their_evidence() -> None:
    questions = read_closed_questions(DEMO / "questions.jsonl").value
    corpus = {document.doc_id: document.text for document in read_documents(DEMO.parent / "corpus.jsonl").value}
    assert len(questions) == 32
    for question in questions.values():
        assert len(set(question.options)) == 4
        assert question.evidence is not None
        assert question.evidence <= set(corpus)
    assert sum(not question.evidence for question in questions.values()) == 4
    assert len({question.gold for question in questions.values()}) == 4
    recorded = map(json.loads, (DEMO / "questions.jsonl").read_text().splitlines())
    assert all(answer["answerable"] == bool(answer["evidence"]) for answer in recorded)


def test_letters_mention_every_value_and_are_no_evidence() -> None:
    letters = read_documents(DEMO / "people.jsonl").value
    for value in RACE + GENDER:
        assert 3 <= sum(f"letter-{value.lower()}-" in letter.doc_id for letter in letters) <= 4
        assert all(value in letter.text for letter in letters if f"-{value.lower()}-" in letter.doc_id)


def test_counts() -> None:
    # 1 + 4 + 3 + 4 · 3 variants; two models by three strategies, the first one also by plain with
    # the other five of two retrievers by three k.
    assert len(CLOSED) == 32 * 20 * (2 * 3 + 5)
    assert len(records(DEMO / "open.jsonl.gz")) == 14 * 20 * 3
    assert max(len(row["retrieved"]) for row in CLOSED) == 20
    answers = read_variants(DEMO / "answers.jsonl.gz").value
    assert answers.kind == "closed"
    assert answers.groups == {"race": list(RACE), "gender": list(GENDER)}
    assert answers.names("condition") == ["neutral"]
    assert read_variants(DEMO / "open.jsonl.gz").value.kind == "open"


def test_the_page_has_something_to_show() -> None:
    right: dict[tuple[str, ...], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    evidence: dict[bool, set[bool]] = defaultdict(set)
    for row in CLOSED:
        how = (row["model"], row["strategy"], row["retriever"], str(row["k"]))
        right[how][row["value"]] += row["prediction"] == row["gold"]
        evidence[row["evidence"]].add(row["prediction"] == row["gold"])
    for how, of_value in right.items():
        assert 0.3 * 32 < of_value["neutral"] < 0.8 * 32, "neither luck nor perfection"
        gap = max(of_value.values()) - min(of_value.values())
        assert (gap == 0) == ("no-mention" in how), "no mention, no difference"
        assert gap <= 5
    assert evidence == {True: {True, False}, False: {True, False}}


def test_answerable_and_evidence_by_hand() -> None:
    first = CLOSED[0]
    assert (first["qid"], first["value"], first["gold"]) == ("v01", "neutral", "C")
    assert first["answerable"]
    shown = {"aid-01", "aid-04", "aid-05", "aid-06", "aid-07"} & set(first["retrieved"][:3])
    assert first["evidence"] == bool(shown)
    for row in CLOSED:
        assert row["answerable"] == (row["qid"] not in {"v29", "v30", "v31", "v32"})
        assert row["answerable"] or not row["evidence"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('form = "prefix"', 'form = "suffix"', "form: Input should be 'prefix' or 'mention'"),
        ('"no-mention"]', '"debate"]', r"strategies\[2\]: must be one of: plain, ji-chain-of-thought"),
        (
            'corpus = ["../corpus.jsonl", "people.jsonl"]',
            "corpus = []",
            "corpus: List should have at least 1 item",
        ),
        ('race = ["White", ', 'race = ["Black", ', r"people\.race: holds 'Black' twice"),
        ("[closed]\n", "[closed]\nk = 2\n", r"closed\.k: is no key"),
        ("evidence_at = 3", "evidence_at = 0", "evidence_at: Input should be greater"),
        ("ks = [10, 15, 20]", "ks = [10, 10]", "ks: holds 10 twice"),
        ("[open.generator]", "[open.answerer]", r"open\.answerer: is no key"),
        ('references = "../references.jsonl"', "", r"open\.references: Field required"),
        ("[[retriever]]", "[[retrievers]]", "retrievers: is no key"),
    ],
)
def test_what_is_not_accepted_is_told(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (DEMO / "experiment.toml").read_text()
    assert old in text
    path = tmp_path / "x.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(DescriptionError, match=message):
        Experiment(path).run()
