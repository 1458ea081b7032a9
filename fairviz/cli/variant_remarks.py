"""What a reader of the numbers of ``fairviz variants`` should know."""

from collections.abc import Sequence

import numpy as np

from fairviz.analysis.retrieval_overlap import REPEATED
from fairviz.analysis.variant_row import VariantRow
from fairviz.analysis.variant_sheet import COLUMNS, combinations
from fairviz.cli.variant_body import Measured
from fairviz.formats.notes import Parsed
from fairviz.model import Note, VariantAnswers
from fairviz.model.variants import UNKNOWN


def remarks(read: Sequence[Parsed[VariantAnswers]], found: Sequence[Measured], by: Sequence[str]) -> list[Note]:
    """Notes on the rows of every file, then one on the columns that they pool."""
    notes = [
        Note(parsed.file, None, text)
        for parsed, one in zip(read, found, strict=True)
        for text in _of_file(one, parsed.value)
    ]
    varying = {parsed.file: pooled(parsed.value, by) for parsed in read}
    names = [name for name in COLUMNS if any(name in one for one in varying.values())]
    if names:
        rows = [row for one in found for row in one.rows]
        documents = any(note.endswith(REPEATED) for row in rows for one in row.overlap for note in one.notes)
        rates = "rates are over all of them"
        overlap = ", the overlap is of the first list of each question and value"
        what = f"{rates}{overlap if documents else ''}"
        them = "it" if len(names) == 1 else "them"
        text = f"rows pool {', '.join(names)}: {what}; add {them} to --by"
        notes.append(Note(next(file for file, one in varying.items() if one), None, text))
    return notes


def pooled(answers: VariantAnswers, by: Sequence[str]) -> list[str]:
    """Recorded columns that vary within a combination of the columns of ``by``."""
    factors = [factor for factor in answers.factors if factor.name not in by]
    rows = [rows for _, rows in combinations(answers, by)]
    return [f.name for f in factors if any(np.unique(f.codes[one]).size > 1 for one in rows)]


def _of_file(found: Measured, answers: VariantAnswers) -> list[str]:
    said = [note for row in found.rows for overlap in row.overlap for note in overlap.notes]
    said = [note for note in said if not note.endswith(REPEATED)]
    scored = any(group.n for row in found.rows for group in row.groups)
    if not (answers.answerable != UNKNOWN).any():
        said += ["no row says whether its question is answerable: eo is undefined (null)"] * bool(found.rows)
    elif scored:
        said += [text for row in found.rows for text in _on_eo(row, answers)]
    for row in found.rows:
        small = [group.value for group in row.groups if group.small]
        if small and any(group.n for group in row.groups):
            all_small = "; all are compared" if row.small else ""
            said.append(f"{row.attribute}: fewer than the minimum of answers for {', '.join(small)}{all_small}")
        if not row.alone:
            said.append(f"{row.attribute} is varied in combinations only: their answers count for it")
    return list(dict.fromkeys(said))


def _on_eo(row: VariantRow, answers: VariantAnswers) -> list[str]:
    """Why eo is undefined, leaves groups out, or says what dp says."""
    known = answers.answerable[answers.answerable != UNKNOWN]
    if not known.any():
        return ["no question is answerable: eo is undefined (null)"]
    without = [group.value for group in row.groups if group.n and not group.n_answerable]
    if without:
        left = "is undefined (null)" if row.eo != row.eo else "leaves them out"
        return [f"{row.attribute}: no answerable question about {', '.join(without)}: eo {left}"]
    if known.size == answers.answerable.size and known.all():
        return ["every question is answerable: eo is dp"]
    return []
