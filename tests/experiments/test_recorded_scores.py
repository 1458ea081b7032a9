import json
from pathlib import Path

import pytest

from fairviz.errors import InputError
from fairviz.experiments.attributors import RecordedScores
from fairviz.experiments.protocols import Document, Prompt

A, B = Document("a", "", ""), Document("b", "", "")
ROWS = [("a", "Yes.", 0.5), ("b", "Yes.", 0.49), ("a", "No.", -3), ("b", "No.", 7)]


def written(path: Path, rows: list[tuple[object, object, object]]) -> Path:
    keys = ("doc_id", "answer", "score")
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows))
    return path


def test_a_score_that_reaches_the_threshold_is_enough(tmp_path: Path) -> None:
    file = written(tmp_path / "s.jsonl", [*ROWS, ROWS[0]])
    prompts = [Prompt("q1", (A, B)), Prompt("q2", (B, A)), Prompt("q3", ())]
    assert RecordedScores(file=file).attribute(prompts, ["Yes.", "No.", "-"]) == [[True, False], [True, False], []]
    assert RecordedScores(file=file, threshold=-3).attribute(prompts[:2], ["Yes.", "No."]) == [[True, True]] * 2


def test_a_missing_score_is_told(tmp_path: Path) -> None:
    scores = RecordedScores(file=written(tmp_path / "s.jsonl", ROWS[:1]))
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
def test_bad_lines_are_told_by_number(tmp_path: Path, row: tuple[object, object, object], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        RecordedScores(file=written(tmp_path / "s.jsonl", [ROWS[0], row])).prepare()
    assert caught.value.line == 2
