"""Tables of answers to variants as people write them, as the one that is read: a row for each answer.

``qid attribute value gold prediction`` under the names that other tables use; a column per group that holds its answers
(``qid, gold, neutral, Black, White``); a column per attribute beside the answer (``qid, gold, race, gender,
prediction``), of which those that a row fills are mentioned together.
"""

import json
from collections.abc import Callable, Set

import polars as pl

from fairviz.io.cells import Cells
from fairviz.io.json import as_text
from fairviz.io.notes import NoteBook, shown
from fairviz.model.arrays import read_once

NAMES = {
    "qid": ("qid", "question_id", "example_id", "sample_id", "item_id", "id"),
    "attribute": ("attribute", "demographic"),
    "value": ("value", "attribute_value", "group"),
    "gold": ("gold", "gold_answer", "correct_answer", "ground_truth"),
    "prediction": ("prediction", "raw_prediction", "pred", "raw_answer", "response", "output"),
}
"""What columns are called; where several are there, the first counts."""
_QUESTION = NAMES["qid"][:2]
"""Names that say that it is a question: "id" is of anything."""
ATTRIBUTES = frozenset(
    (
        *("race", "ethnicity", "gender", "sex", "age", "religion", "nationality", "country", "disability", "income"),
        *("sexual_orientation", "sexual orientation", "socioeconomic_status", "socioeconomic status", "education"),
    )
)
"""Columns in place of ``attribute`` and ``value``: any others may hold anything."""
REFERENCES = frozenset(("none", "neutral", "original", "reference", "baseline"))
"""What conditions of reference are called."""
_NO_GROUPS = frozenset(("question", "query", "text", "context", "options", "choices", "subject", "topic", "category"))
"""Columns that hold no answers, whatever else does."""
_NO_VALUE = frozenset(("", "none", "null", "n/a", "na", "-"))
GROUP = "group"
"""The attribute of groups that have a column each."""


def has_column_per_group(names: Set[str]) -> bool:
    """Whether a table has answers in columns that are called as groups are, one of them neutral.

    Examples:
        >>> has_column_per_group({"qid", "gold", "neutral", "black"}), has_column_per_group({"qid", "gold", "black"})
        (True, False)
    """
    answered = names & {*NAMES["prediction"], *NAMES["attribute"], *NAMES["value"]}
    matches = [names & {*_QUESTION}, names & {*NAMES["gold"]}, names & REFERENCES]
    return all(matches) and not answered


def has_column_per_attribute(names: Set[str]) -> bool:
    """Whether a table has the values of attributes in columns that are called as these are.

    Examples:
        >>> has_column_per_attribute({"qid", "race", "prediction"}), has_column_per_attribute({"qid", "prediction"})
        (True, False)
    """
    named = names & {*NAMES["attribute"], *NAMES["value"]}
    matches = [names & {*_QUESTION}, names & {*NAMES["prediction"]}, names & ATTRIBUTES]
    return all(matches) and not named


def one_row_per_answer(cells: Cells, columns: Set[str], notes: NoteBook) -> Cells:
    """The cells under the names that are read, a row for each answer.

    Args:
        cells: Those of the file.
        columns: All columns that are read.
        notes: Where it is noted what columns were taken for.
    """
    names = {*cells.names} & {*cells.frame.columns}
    written: Callable[[str], str] = str if cells.in_table else json.dumps
    if has_column_per_group(names):
        others = columns | _NO_GROUPS | _IDS | {""}
        groups = [name for name in cells.names if name in names - others]
        listed = ", ".join(shown(cells.names[name], 30) for name in groups)
        notes.add(f"read as answers, a column for each group: {listed}", 1 if cells.in_table else None)
        cells = _unpivoted(cells, groups, written)
    elif has_column_per_attribute(names):
        attributes = [name for name in cells.names if name in names & ATTRIBUTES]
        cells = _joined(cells, attributes, written)
    called = {
        alias: name
        for name, aliases in NAMES.items()
        for alias in [next((alias for alias in aliases if alias in cells.names), name)]
        if alias in cells.names and alias != name
    }
    renamed = {called.get(name, name): text for name, text in cells.names.items()}
    return cells._replace(frame=cells.frame.rename(called, strict=False), names=renamed)


_IDS = frozenset((*NAMES["qid"], *NAMES["gold"]))


def _unpivoted(cells: Cells, groups: list[str], written: Callable[[str], str]) -> Cells:
    """A row for each cell of the columns of groups, in the order of the file."""
    rest = cells.frame.drop(groups).with_columns(line=cells.lines).with_row_index("row")
    parts = [
        rest.with_columns(
            attribute=pl.lit(written("none" if name in REFERENCES else GROUP)),
            value=pl.lit(written(cells.names[name])),
            prediction=cells.frame[name],
        )
        for name in groups
    ]
    frame = pl.concat(parts).sort("row", maintain_order=True)
    names = {name: text for name, text in cells.names.items() if name not in groups}
    names |= {name: name for name in ("attribute", "value", "prediction")}
    return cells._replace(frame=frame.drop("row", "line"), names=names, lines=frame["line"])


def _joined(cells: Cells, attributes: list[str], written: Callable[[str], str]) -> Cells:
    """The attributes that each row fills, and their values, joined by "+"; a row that fills none is of no group."""
    frame = cells.frame

    def filled(*row: str | None) -> dict[str, str]:
        """What a row fills, by attribute."""
        texts = [cell if cells.in_table or cell is None else as_text(json.loads(cell)) for cell in row]
        values = {cells.names[name]: (text or "").strip() for name, text in zip(attributes, texts, strict=True)}
        return {name: text for name, text in values.items() if text.casefold() not in _NO_VALUE}

    def attribute_of(*row: str | None) -> str:
        return written("+".join(filled(*row)) or "none")

    def value_of(*row: str | None) -> str:
        return written("+".join(filled(*row).values()))

    rows = frame.select(attributes)
    columns = {"attribute": read_once(rows, attribute_of), "value": read_once(rows, value_of)}
    names = {name: text for name, text in cells.names.items() if name not in attributes}
    return cells._replace(
        frame=frame.drop(attributes).with_columns(**columns), names=names | {name: name for name in columns}
    )
