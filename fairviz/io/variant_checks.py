"""What answers to variants say together: refused where they contradict themselves, noted where they are odd."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.errors import InputError
from fairviz.io.answer_table import AnswerTable
from fairviz.io.answer_words import LETTER, LETTER_IN_WORDS, TEXT
from fairviz.io.notes import NoteBook, shown
from fairviz.model import IndexArray, IntArray, VariantAnswers
from fairviz.model.answers import NOT_MENTIONED, UNKNOWN
from fairviz.model.arrays import alike, first_repeated
from fairviz.numerals import count, part_of, plural

_VOTERS = 3
"""Two voters that differ are always tied: a vote begins with three."""
_NEUTRAL = "neutral"
"""The condition of reference that votes."""


class VariantRows(NamedTuple):
    """All rows of a file.

    Attributes:
        answers: What they say.
        frame: (R) the number of each row, its ``producer``, ``question``, ``variant`` and ``choice`` by code, its
            ``gold`` in words, null where none is known.
        firsts: The first row of each variant.
        line: Where a row stands.
        names: The question and the variant of a row as the file has them.
    """

    answers: VariantAnswers
    frame: pl.DataFrame
    firsts: IntArray
    line: Callable[[int], int]
    names: Callable[[int], tuple[str, str]]

    @classmethod
    def of(
        cls,
        answers: VariantAnswers,
        variants: tuple[IndexArray, IntArray],
        table: AnswerTable,
        names: Callable[[int], tuple[str, str]],
    ) -> "VariantRows":
        """The rows of answers, with the variant of each and the first row of each variant."""
        golds, codes = answers.options, answers.golds.astype(np.int32)
        if answers.kind == "open":
            golds, codes = (
                [" ".join(gold.split()) or None for gold in answers.gold_words.values],
                answers.gold_words.codes,
            )
        factors = {factor.name: factor.codes for factor in answers.factors} or {"": np.zeros(len(answers))}
        frame = pl.DataFrame(
            {
                "producer": alike(pl.DataFrame(factors))[0],
                "question": answers.questions,
                "variant": variants[0],
                "choice": answers.choices,
                "gold": pl.Series([*golds, None], dtype=pl.String).gather(codes),
            }
        )
        return cls(answers, frame.with_row_index("row"), variants[1], table.line, names)

    def label(self, variant: int) -> str:
        """A variant, for people: "Asian", "Asian+female", "neutral"."""
        row = int(self.firsts[variant])
        codes: list[int] = self.answers.given[row].tolist()
        values = [names[code] for names, code in zip(self.answers.values, codes, strict=True) if code != NOT_MENTIONED]
        return "+".join(values) or self.answers.conditions[int(self.answers.condition[row])]


_KNOWN = pl.col("gold").is_not_null()


def check_variants(rows: VariantRows, notes: NoteBook, *, read_by: Mapping[str, int], recorded: bool) -> None:
    """Refuse rows that contradict each other, and a file that compares nothing; note what is odd.

    Args:
        rows: The rows.
        notes: Where to note.
        read_by: How many answers each rule read.
        recorded: Whether any answer is recorded.

    Raises:
        InputError: One producer answers a variant twice; right answers differ between the variants of a question; no
            two groups can be compared.
    """
    _refuse_repeated(rows, notes.file)
    differing = _differing_golds(rows, notes.file)
    _check_values(rows.answers, notes)
    if recorded and not rows.frame.select(_KNOWN.any()).item():
        notes.add("no gold answers: accuracy and equal opportunity unavailable", rows.line(0))
    else:
        _note_golds(rows, differing, notes)
    if recorded:
        _note_unread(rows, read_by, notes)
    _note_incomplete(rows, notes)
    if rows.answers.options:
        _note_tied_votes(rows, notes)


def _refuse_repeated(rows: VariantRows, file: str) -> None:
    """Refuse a second answer of one producer to a variant of a question."""
    repeated = first_repeated(rows.frame.select("producer", "question", "variant"))
    if repeated is None:
        return
    row, before = repeated
    by = ", ".join(filter(None, (factor.values[int(factor.codes[row])] for factor in rows.answers.factors)))
    who = f" by {shown(by)}" if by else ""
    reason = f"duplicate prediction for {' / '.join(map(shown, rows.names(row)))}{who} (line {rows.line(before)})"
    raise InputError(reason, file=file, line=rows.line(row), fix="Keep one answer of each.")


def _check_values(answers: VariantAnswers, notes: NoteBook) -> None:
    """Refuse a file in which no two groups can be compared; note an attribute of one value."""
    if not answers.attributes:
        reason = "no demographic variants found"
        fix = "Put all variants of a question into one file, with attribute and value on each row."
        raise InputError(reason, file=notes.file, fix=fix)
    single = [a for a, values in zip(answers.attributes, answers.values, strict=True) if len(values) < 2]
    for attribute in single:
        reason = f"attribute {shown(attribute)} has a single value: nothing to compare"
        if len(single) == len(answers.attributes):
            raise InputError(reason, file=notes.file, fix="Put all variants of a question into one file.")
        notes.add(reason)


def _differing_golds(rows: VariantRows, file: str) -> pl.DataFrame:
    """The rows whose right answer is not that of the first row of their question.

    A file in which every group has one right answer in all its (two or more) questions is of another design: the group
    decides the answer. Any other is refused.

    Raises:
        InputError: Right answers differ between the variants of a question.
    """
    known = rows.frame.filter(_KNOWN)
    differing = known.with_columns(pl.col("gold", "row").first().over("question").name.prefix("first_"))
    differing = differing.filter(pl.col("gold") != pl.col("first_gold"))
    by_variant = known.group_by("variant").agg(pl.col("gold", "question").n_unique())
    if by_variant.select(((pl.col("gold") == 1) & (pl.col("question") > 1)).all()).item():
        return differing
    for row, gold, before, first in differing.select("row", "gold", "first_row", "first_gold").head(1).iter_rows():
        question = shown(rows.names(row)[0])
        reason = f"gold answer of {question} is {shown(gold)} here but {shown(first)} on line {rows.line(before)}"
        fix = "All variants of a question have one right answer; correct it or drop the question."
        raise InputError(reason, file=file, line=rows.line(row), fix=fix)
    return differing


def _note_golds(rows: VariantRows, differing: pl.DataFrame, notes: NoteBook) -> None:
    """Note rows without a right answer, that the group decides it, and options never right for one group."""
    n = len(rows.answers)
    without = rows.frame.filter(~_KNOWN)["row"]
    if 0 < without.len() < n:
        message = f"{part_of(without.len(), plural(n, 'row'), 'has', 'have')} no gold answer"
        notes.add(message, rows.line(without[0]))
    if not differing.is_empty():
        n_questions = plural(differing["question"].n_unique(), "question")
        message = f"gold answers differ between the variants of {n_questions}, by group"
        notes.add(message, rows.line(differing["row"][0]))
    if rows.answers.kind == "open":
        return
    golds = rows.frame.filter(_KNOWN).select("variant", "gold").unique()
    for a, values in enumerate(rows.answers.values):
        given = rows.answers.given[rows.firsts[golds["variant"]], a]
        right = [set(golds["gold"].filter(given == code)) for code in range(len(values))]
        for own, value in zip(right, values, strict=True):
            for option in sorted(set[str]().union(*right) - own):
                notes.add(f"group {shown(value)} has no gold {shown(option)}: TPR undefined", kind="no gold")


def _note_unread(rows: VariantRows, read_by: Mapping[str, int], notes: NoteBook) -> None:
    """Note answers that are empty, or name no option.

    The number of those that need parsing counts beside them the answers that are no right option
    as it stands, such as "B. Cross-linking".
    """
    answers = rows.answers
    closed = answers.kind == "closed"
    right = {option for code, option in enumerate(answers.options) if (answers.golds == code).any()}
    as_right = np.array([word.strip() in right if closed else bool(word.strip()) for word in answers.words.values])
    odd = np.flatnonzero(~as_right[answers.words.codes])
    if not closed:
        if odd.size:
            message = f"{part_of(odd.size, plural(len(answers), 'answer'), 'is', 'are')} empty"
            notes.add(message, rows.line(int(odd[0])))
        return
    if set(read_by) - {LETTER, LETTER_IN_WORDS, TEXT}:
        notes.add(f"answers read by: {', '.join(f'{rule} {count(n)}' for rule, n in read_by.items())}")
    unread = rows.frame.filter(pl.col("choice") == UNKNOWN)
    if unread.is_empty():
        return
    by_label: Counter[str] = Counter()
    for variant, n in unread.group_by("variant", maintain_order=True).len().iter_rows():
        by_label[rows.label(variant)] += n
    by_group = by_label.most_common()
    groups = ", ".join(f"{shown(label, 30)} {count(n)}" for label, n in by_group[:12])
    more = ", …" if len(by_group) > 12 else ""
    message = f"{part_of(odd.size, plural(len(answers), 'prediction'), 'needs', 'need')} parsing"
    n_unread = unread.height
    says = "one names no option and counts" if n_unread == 1 else f"{count(n_unread)} name no option and count"
    notes.add(f"{message}; {says} as no answer: {groups}{more}", rows.line(int(odd[0])))


def _note_incomplete(rows: VariantRows, notes: NoteBook) -> None:
    """Note questions that lack a variant which others of their producer have."""
    frame, answers = rows.frame, rows.answers
    sets = frame.group_by("producer", "question", maintain_order=True).agg(pl.col("row").first(), "variant")
    all_variants = frame.group_by("producer").agg(pl.col("variant").unique().alias("all"))
    sets = sets.join(all_variants, on="producer", maintain_order="left")
    lacking = sets.filter(pl.col("variant").list.len() < pl.col("all").list.len())
    if lacking.is_empty():
        return
    first = lacking.filter(pl.col("producer") == pl.col("producer").min()).row(0, named=True)
    order = np.lexsort((answers.condition[rows.firsts], *answers.given[rows.firsts].T[::-1])).tolist()
    missing = min({*first["all"]} - {*first["variant"]}, key=order.index)
    what = "questions" if all_variants.height == 1 else "sets of variants"
    complete = part_of(sets.height - lacking.height, f"{count(sets.height)} {what}", "is", "are")
    question = shown(rows.names(first["row"])[0])
    notes.add(f"question {question} lacks variant {shown(rows.label(missing))}; {complete} complete")


def _note_tied_votes(rows: VariantRows, notes: NoteBook) -> None:
    """Note tied majority votes, and a file of one question.

    Those vote who vote by default where votes are measured: every variant about somebody and the
    neutral question; an original question does not. Unreadable answers are one answer of their own.

    One question with two values is a pair that speaks for itself; with more values the largest
    difference over groups looks like a rate, and can only be 0 or 1.
    """
    answers = rows.answers
    neutral = [answers.conditions.index(_NEUTRAL)] if _NEUTRAL in answers.conditions else []
    voters = rows.frame.filter(np.isin(answers.condition, [NOT_MENTIONED, *neutral]))
    cast_votes = voters.group_by("producer", "question", "choice").len("n")
    is_largest = pl.col("n") == pl.col("n").max()
    votes = cast_votes.group_by("producer", "question").agg(pl.col("n").sum(), is_largest.sum().alias("n_largest"))
    decided = votes.filter(pl.col("n") >= _VOTERS)
    n_tied = decided.filter(pl.col("n_largest") > 1).height
    if n_tied:
        what = "question" if voters["producer"].n_unique() == 1 else "vote"
        message = f"majority vote tied on {count(n_tied)} of {plural(decided.height, what)}"
        who = "all groups and the neutral question vote" if neutral else "all groups vote"
        notes.add(f"{message} ({who}, unreadable answers as one answer)")
    if len(answers.question_ids) == 1 and any(len(values) > 2 for values in answers.values):
        notes.add("1 question: disparity can only be 0 or 1")
