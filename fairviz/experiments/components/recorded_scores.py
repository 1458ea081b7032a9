"""Attribution by recorded scores: of entailment, or of whatever else says that a document supports an answer."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from fairviz.counts import count
from fairviz.errors import InputError
from fairviz.experiments.protocols import Prompt
from fairviz.io.json import Fields, json_records
from fairviz.io.notes import NoteBook, shown
from fairviz.io.source import as_source


class RecordedScores:
    """A document supports an answer if their recorded score reaches a threshold.

    The file has lines ``{"doc_id": …, "answer": …, "score": …}``: the score depends on the document and the whole text
    of the answer, whatever the question and the ranking.

    Args:
        name: Shown beside attribution measures.
        file: The scores.
        threshold: The score that is enough.

    Raises:
        InputError: The file cannot be read, or has two scores for a document and an answer.
    """

    def __init__(self, *, name: str = "scores", file: Path, threshold: float = 0.5) -> None:
        self.name = name
        self._file = str(file)
        self._threshold = threshold
        self._scores = _read_scores(file)

    def attribute(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[list[bool]]:
        """For each prompt and answer, which of the given documents have a high enough score.

        Raises:
            InputError: A pair has no score.
        """
        asked = [
            [(document.doc_id, answer) for document in prompt.documents]
            for prompt, answer in zip(prompts, answers, strict=True)
        ]
        missing = {pair: None for of_answer in asked for pair in of_answer if pair not in self._scores}
        if missing:
            doc_id, answer = next(iter(missing))
            reason = (
                f"lacks {count(len(missing))} scores that are needed, such as of {shown(doc_id)} and “{shown(answer)}”"
            )
            raise InputError(reason, file=self._file, fix='Add lines {"doc_id": …, "answer": …, "score": …}.')
        return [[self._scores[pair] >= self._threshold for pair in of_answer] for of_answer in asked]


def _read_scores(file: Path) -> dict[tuple[str, str], float]:
    source = as_source(str(file))
    scores: dict[tuple[str, str], float] = {}
    with closing(json_records(source, NoteBook(source.name))) as records:
        for line, record in records:
            fields = Fields(record, line, source.name)
            pair = fields.identifier("doc_id"), fields.text("answer")
            score = record.get("score")
            if isinstance(score, bool) or not isinstance(score, int | float) or score != score:
                reason, fix = f"score {shown(repr(score))} is no number", 'Write "score": 0.5.'
            elif scores.get(pair, score) != score:
                reason, fix = f"{shown(pair[0])} and this answer have another score on a line before", "Keep one."
            else:
                scores[pair] = float(score)
                continue
            raise InputError(reason, file=source.name, line=line, fix=fix)
    return scores
