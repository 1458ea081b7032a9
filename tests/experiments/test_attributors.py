"""Whether a document supports an answer: by shared words, by citations, by recorded scores."""

from pathlib import Path

import pytest

from fairviz.errors import InputError
from fairviz.experiments.attributors import Citations, Lexical, RecordedScores, cited_numbers
from fairviz.experiments.protocols import Document, Prompt
from tests.lines import write_lines

# Words of the sentence: hold, burn, under, cool, tap, water = 6.
SENTENCE = "Hold the burn under cool tap water."


@pytest.mark.parametrize(
    ("threshold", "text", "answer", "supports"),
    [
        (0.5, "cool tap water", SENTENCE, True),  # 3 of 6
        (0.5, "cool tap", SENTENCE, False),  # 2 of 6
        (Lexical().threshold, "Bicycles need oil.", f"{SENTENCE} Bicycles need oil.", True),  # one sentence is enough
        (1, "Water from the tap, cool or not, under a burn: hold on. " + "Much else. " * 50, SENTENCE, True),
        (Lexical().threshold, "anything", "So it is.", False),  # no words
    ],
)
def test_a_document_supports_an_answer_with_enough_of_its_words(
    threshold: float, text: str, answer: str, supports: bool
) -> None:
    assert Lexical(threshold=threshold).supports(1, Document("d", "", text), answer) == supports


def test_each_given_document_is_judged() -> None:
    documents = (Document("a", "", SENTENCE), Document("b", "", "Oil."))
    found = Lexical().attribute([Prompt("?", documents), Prompt("?", ())], [SENTENCE, ""])
    assert found == [[True, False], []]


def test_documents_are_numbered_as_the_prompt_numbers_them() -> None:
    given = tuple(Document(f"d{i}", "", "") for i in range(1, 4))
    prompts = [Prompt("?", given), Prompt("?", given[:1]), Prompt("?", ()), Prompt("?", given)]
    answers = ["Warm [1]. Cold [3].", "See [2].", "[1]", "Nothing."]
    found = Citations().attribute(prompts, answers)
    assert found == [[True, False, True], [False], [], [False, False, False]]


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        ("a [1][2]", {1, 2}),
        ("a [2, 3]; b [ 1 ;5 ]", {1, 2, 3, 5}),
        ("a [2-4]", {2, 3, 4}),
        ("a [2–4,7]", {2, 3, 4, 7}),
        ("a [0]", {0}),
        ("a (1) 2 [x] [1a] [] [1.5]", set()),
        ("[[3]]", {3}),
    ],
)
def test_what_is_a_citation(answer: str, numbers: set[int]) -> None:
    assert cited_numbers(answer) == numbers


A, B = Document("a", "", ""), Document("b", "", "")
Scored = tuple[object, object, object]
ROWS: list[Scored] = [("a", "Yes.", 0.5), ("b", "Yes.", 0.49), ("a", "No.", -3), ("b", "No.", 7)]


def written(folder: Path, rows: list[Scored]) -> Path:
    write_lines(folder, s=(dict(zip(("doc_id", "answer", "score"), row, strict=True)) for row in rows))
    return folder / "s.jsonl"


def test_a_score_that_reaches_the_threshold_is_enough(tmp_path: Path) -> None:
    file = written(tmp_path, [*ROWS, ROWS[0]])
    prompts = [Prompt("q1", (A, B)), Prompt("q2", (B, A)), Prompt("q3", ())]
    assert RecordedScores(file=file).attribute(prompts, ["Yes.", "No.", "-"]) == [[True, False], [True, False], []]
    assert RecordedScores(file=file, threshold=-3).attribute(prompts[:2], ["Yes.", "No."]) == [[True, True]] * 2


def test_a_missing_score_is_told(tmp_path: Path) -> None:
    scores = RecordedScores(file=written(tmp_path, ROWS[:1]))
    with pytest.raises(InputError, match=r"lacks 3 scores that are needed, such as of b and “Yes\."):
        scores.attribute([Prompt("q1", (A, B)), Prompt("q2", (A, B))], ["Yes.", "No."])


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("a", "Yes.", "0.5"), "score '0.5' is no number"),
        (("a", "Yes.", True), "score True is no number"),
        (("a", "Yes.", None), "score None is no number"),
        (("a", "Yes.", 0.6), "have another score on a line before"),
    ],
)
def test_bad_lines_are_told_by_number(tmp_path: Path, row: Scored, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        RecordedScores(file=written(tmp_path, [ROWS[0], row])).prepare()
    assert caught.value.line == 2
