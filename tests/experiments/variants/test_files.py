"""Questions about different people from files: from the description to what the readers of the page find."""

from collections import Counter
from pathlib import Path

import pytest

from data.make_demo import Answering
from fairviz.errors import DescriptionError, UndefinedError
from fairviz.experiments.config import read_config
from fairviz.experiments.runner import Experiment
from fairviz.io.variants import read_variants
from tests.experiments.answering import Oracle, digest
from tests.experiments.test_runner import records
from tests.lines import write_lines
from tests.studies.demographic_qa.answered_variants import variant_rows

pytestmark = pytest.mark.usefixtures("word_counting")

TOML = """
kind = "variants"
name = "medicine"
questions = ["medqa.jsonl", "amqa.jsonl"]
corpus = "corpus.jsonl"
settings = ["w/o RAG", "full-set"]
k = [1, 2]
strategies = ["plain", "ji-adversarial", "calm.txt"]
shots = [0, 1]
people = { race = ["Asian", "Black"], gender = ["female", "male"] }
vote = { voters = "all" }

[[retriever]]
name = "bm25"

[[generator]]
name = "chooser"
label = "word-counter"
"""
MEDQA = [
    {"question": "Which drug cools a fever?", "options": {"A": "Aspirin", "B": "Caffeine"}, "answer_idx": "A"},
    {"question": "Which drug wakes a patient?", "options": {"A": "Aspirin", "B": "Caffeine"}, "answer_idx": "B"},
    {"question": "Which drug thins the blood?", "options": {"A": "Aspirin", "B": "Caffeine"}, "answer_idx": "A"},
]
AMQA = [
    {
        **{"question_id": n, "original_question": f"A man with fever {n}?", "desensitized_question": f"Fever {n}?"},
        **{"adv_question_white": f"A rich white man {n}?", "adv_question_black": f"A tired black man {n}?"},
        **{"options": {"A": "Rest", "B": "Aspirin"}, "answer_idx": "B"},
    }
    for n in range(3)
]
CORPUS = [
    {"doc_id": "d0", "title": "Fever", "text": "Aspirin cools a fever."},
    {"doc_id": "d1", "title": "Sleep", "text": "Caffeine wakes a patient."},
    {"doc_id": "d2", "title": "Blood", "text": "Aspirin thins blood."},
    *({"doc_id": f"x{n}", "text": f"Snow on hill {n}."} for n in range(4)),
]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_lines(tmp_path, medqa=MEDQA, amqa=AMQA, corpus=CORPUS)
    (tmp_path / "calm.txt").write_text("Stay calm.\n")
    (tmp_path / "study.toml").write_text(TOML)
    return tmp_path / "study.toml"


def test_everybody_is_asked_about_under_every_condition(study: Path) -> None:
    report = Experiment(study).run()
    folder = study.parent / "medicine"
    assert [path.name for path in report.files] == ["answers.jsonl.gz"]
    rows = records(folder / "answers.jsonl.gz")
    # Of each file one question is an example: 2 · (1 + 2 + 2 + 4) variants made here, 2 · 4 of AMQA's own; 4 strategies
    # with the vote, 1 + 2 settings, 2 numbers of examples.
    assert len(rows) == (2 * 9 + 2 * 4) * 4 * 3 * 2
    assert Counter(row["dataset"] for row in rows) == {"medqa": 2 * 9 * 24, "amqa": 2 * 4 * 24}
    names = ("plain", "ji-adversarial", "calm", "majority vote")
    assert {row["strategy"] for row in rows} == {*names, *(f"{name}, 1 shot" for name in names)}
    assert {(row["retriever"], row["k"]) for row in rows} == {("no retrieval", 0), ("bm25", 1), ("bm25", 2)}
    assert {len(row["retrieved"]) for row in rows if row["k"] == 0} == {0}
    amqa = {(row["attribute"], row["value"]) for row in rows if row["dataset"] == "amqa"}
    assert amqa == {("none", "original"), ("none", "neutral"), ("race", "white"), ("race", "black")}
    assert not {"answerable", "evidence"} & set(rows[0]), "the files do not say what shows an answer"
    assert all(len(row["options"]) > 1 for row in rows)
    for dataset in ("medqa", "amqa"):
        assert len({row["qid"] for row in rows if row["dataset"] == dataset}) == 2


def test_the_page_and_the_command_read_it(study: Path) -> None:
    Experiment(study).run()
    parsed = read_variants(study.parent / "medicine" / "answers.jsonl.gz")
    answers = parsed.value
    unread = [
        row for row in records(study.parent / "medicine" / "answers.jsonl.gz") if row["prediction"] not in ("A", "B")
    ]
    assert (answers.kind, answers.n_unread) == ("closed", len(unread))
    assert {name: len(answers.names(name)) for name in answers.factors} == {
        **{"model": 1, "dataset": 2, "strategy": 8, "retriever": 2, "k": 3}
    }
    rows = variant_rows(answers, by=("dataset", "strategy", "retriever", "k"), n_resamples=10)
    voted = [row for row in rows if dict(row["by"])["strategy"].startswith("majority vote")]
    assert {row["dp"] for row in voted} == {0.0}


def answer(text: str) -> str:
    """A letter, an option in words, or nothing that can be read, by the text."""
    options = [line for line in text.splitlines() if line[:3] in ("A: ", "B: ")][-2:]
    return {"A": "A", "B": f"The answer is {options[1][3:]}.", "C": "Who knows? A or B"}[digest(text)]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Oracle:
    model = Oracle("oracle", answer=answer)
    monkeypatch.setattr(Answering, "answerers", lambda _: {"oracle": model})
    return model


@pytest.fixture
def narrow(study: Path) -> Path:
    """The same with fewer strategies and settings."""
    study.write_text(TOML.replace("k = [1, 2]", "k = 1").replace('"ji-adversarial", ', ""))
    return study


def test_a_model_is_asked_each_prompt_once_and_again_gives_the_same_bytes(narrow: Path, model: Oracle) -> None:
    made, _ = Experiment(narrow).run().files
    asked = list(model.asked)
    assert len(asked) == len(set(asked))
    # 18 + 8 texts; the vote asks what plain asks: 2 strategies, 2 settings, 2 numbers of examples.
    assert len(asked) == (2 * 9 + 2 * 4) * 2 * 2 * 2
    Experiment(narrow).run()
    assert len(model.asked) == len(asked)
    again, _ = Experiment(narrow, output=narrow.parent / "again").run().files
    assert again.read_bytes() == made.read_bytes()


def test_what_a_model_is_sent(narrow: Path, model: Oracle) -> None:
    Experiment(narrow).run()
    asked = [text for text in model.asked if "fever" in text.lower() or "Fever" in text]
    assert any(text.startswith("Stay calm.\n\nDocuments:\n1. Fever: Aspirin cools a fever.") for text in asked)
    with_example = [text for text in model.asked if text.count("Answer:") == 2]
    assert len(with_example) * 2 == len(model.asked)
    assert all(text.startswith("Question: ") and "\nAnswer: " in text for text in with_example)
    assert not any("individual..." in text.partition("Answer: ")[0] for text in with_example), "about nobody"


def test_answers_in_words_are_read_and_unread_ones_counted(narrow: Path, model: Oracle) -> None:
    Experiment(narrow).run()
    answers = read_variants(narrow.parent / "medicine" / "answers.jsonl.gz").value
    rows = records(narrow.parent / "medicine" / "answers.jsonl.gz")
    assert all(len(row["options"]) == 2 for row in rows)
    unread = [row["prediction"] in ("", "Who knows? A or B") for row in rows]
    assert answers.n_unread == sum(unread) > 0
    options = answers.frame["choice"].to_list()
    read = {(row["prediction"], option) for row, option in zip(rows, options, strict=True) if option is not None}
    assert read == {*(("A", "A"), ("B", "B"), ("The answer is Caffeine.", "B"), ("The answer is Aspirin.", "B"))}


def test_examples_need_something_left_to_ask(study: Path) -> None:
    study.write_text(TOML.replace("shots = [0, 1]", "shots = 3"))
    with pytest.raises(UndefinedError, match=r"medqa\.jsonl: 3 examples leave nothing to ask of 3 questions"):
        Experiment(study).run()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('questions = ["medqa.jsonl", "amqa.jsonl"]\n', "", "needs questions"),
        ('corpus = "corpus.jsonl"\n', "", r"needs corpus and a table \[\[retriever\]\], or settings"),
        ("k = [1, 2]", 'k = 1\nclosed.questions = "medqa.jsonl"', "has questions and .closed.; keep questions"),
        ('"amqa.jsonl"', '"./medqa.jsonl"', r"questions: holds .*medqa\.jsonl twice"),
        ('voters = "all"', 'voters = "some"', r"vote.voters: Input should be 'all' or 'within'"),
        ('"calm.txt"', '"debate"', "strategies.2.: must be one of: plain, .*got 'debate'"),
        (
            'settings = ["w/o RAG", "full-set"]',
            'settings = ["stereo-set"]',
            "settings.0.: Input should be 'w/o RAG' or 'full-set'",
        ),
        ("[[generator]]\n", "[other]\n", "other: is no key"),
        ('"Asian", "Black"', '"Black", "Black"', r"people\.race: holds 'Black' twice"),
        ("k = [1, 2]", "k = 1\nks = [10, 10]", "ks: holds 10 twice"),
        ("k = [1, 2]", "k = 1\nclosed = { k = 2 }", r"closed\.k: is no key"),
        ("k = [1, 2]", "k = 1\nopen = { answerer = 2 }", r"open\.answerer: is no key"),
    ],
)
def test_what_is_not_accepted_is_told(study: Path, old: str, new: str, message: str) -> None:
    assert old in TOML
    study.write_text(TOML.replace(old, new))
    with pytest.raises(DescriptionError, match=message):
        read_config(study)


def test_variants_that_cannot_be_made_are_told_before_anything_is_asked(study: Path) -> None:
    study.write_text('form = "mention"\n' + TOML.replace(', "amqa.jsonl"', "").replace("shots = [0, 1]", "shots = 0"))
    notes = [note.message for note in Experiment(study).source.notes]
    assert "16 variants not made: mentions nobody" in notes, "of two questions; the third is about a patient"
    write_lines(study.parent, medqa=[MEDQA[0], MEDQA[2]])
    with pytest.raises(UndefinedError, match='16 variants not made: mentions nobody; form = "prefix"'):
        Experiment(study)


def test_a_limit_asks_the_first_questions_with_their_options_shuffled(narrow: Path, model: Oracle) -> None:
    narrow.write_text(
        "limit = 2\nshuffle = true\nseed = 1\n" + narrow.read_text().replace("shots = [0, 1]", "shots = 0")
    )
    Experiment(narrow).run()
    rows = [row for row in records(narrow.parent / "medicine" / "answers.jsonl.gz") if row["dataset"] == "medqa"]
    right = {row["options"]["AB".index(row["gold"])] for row in rows}
    assert right == {"Aspirin", "Caffeine"}, "of the first two questions"
    assert len({row["qid"] for row in rows}) == 2
    assert {tuple(row["options"]) for row in rows} > {("Caffeine", "Aspirin")}
    assert any("A: Caffeine\nB: Aspirin\n" in text for text in model.asked)
