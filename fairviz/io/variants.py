"""Answers to demographic variants of questions: the same question about different people.

One row per answer, JSON Lines, CSV or TSV with the columns ``qid attribute value gold prediction``
and, where they are known, ``model dataset strategy retriever k retrieved answerable evidence
kind``. ``attribute`` none (or neutral, original, nothing) is a condition of reference;
"race+gender" with "Asian+female" is an intersectional variant.

Nearly all that a row says is said by many, so that a file is read, checked and noted over what is distinct; the line
of a row is looked up where a message needs it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TextIO, TypeAlias

import polars as pl

from fairviz.io.answer_table import (
    AnswerColumn,
    AnswerTable,
    Coded,
    depth,
    ids,
    one_of,
    one_string,
    option_words,
    truth,
)
from fairviz.io.answer_text import LETTERS
from fairviz.io.answer_words import LETTER, LETTER_IN_WORDS, TEXT
from fairviz.io.cells import cells_of, read_cells
from fairviz.io.json import FileRow, Head, Json
from fairviz.io.limits import LONG_ANSWER, MAX_VALUES
from fairviz.io.log_tools import read_log
from fairviz.io.names import check_ids, folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.rag_results import is_rag_results, rag_result_records
from fairviz.io.source import Source, reader
from fairviz.io.variant_rows import (
    NAMES,
    REFERENCES,
    has_column_per_attribute,
    has_column_per_group,
    one_row_per_answer,
    read_options,
)
from fairviz.model import VariantAnswers
from fairviz.model.arrays import distinct_rows, first_repeated
from fairviz.numerals import count, part_of, plural

# What rows say, column by column.


FACTORS = ("model", "dataset", "strategy", "retriever", "k")
"""Columns that say who answered how."""

_REFERENCES = REFERENCES | {"", "null", "n/a", "na", "-"}
_JOINS = re.compile(r"[+×&|]")


def _stripped(value: Json, name: str, row: FileRow) -> str:
    return one_string(value, name, row).strip()


def _question(value: Json, name: str, row: FileRow) -> str:
    question = _stripped(value, name, row)
    if is_blank(question):
        raise row.wrong("qid is empty", "Give every row the id of its question.")
    return question


def _prediction(value: Json, name: str, row: FileRow) -> str | None:
    """The answer, None where it is absent."""
    prediction = None if value is None else one_string(value, name, row)
    if prediction and len(prediction) > LONG_ANSWER:
        n_words = len(prediction.split())
        if n_words > LONG_ANSWER:
            row.notes.add(f"answer is {n_words} words long", row.line, kind="long answer")
    return prediction


def _kind(text: str) -> str | None:
    return text if text in ("", "closed", "open") else None


_ATTRIBUTE, _VALUE = (AnswerColumn(_stripped, (name,)) for name in ("attribute", "value"))
_QUESTION = AnswerColumn(_question, ("qid",))
_PREDICTION, _RETRIEVED = AnswerColumn(_prediction, ("prediction",)), AnswerColumn(ids, ("retrieved",))
_COLUMNS: dict[str, AnswerColumn[Any]] = {
    "kind": AnswerColumn(
        one_of(_kind, "kind is {cell!r}", "Write closed or open.", tidy=lambda text: text.strip().lower()), ("kind",)
    ),
    "prediction": _PREDICTION,
    **{name: AnswerColumn(depth if name == "k" else _stripped, (name,)) for name in FACTORS},
    "gold": AnswerColumn(_stripped, ("gold",)),
    "answerable": AnswerColumn(truth, ("answerable",)),
    "evidence": AnswerColumn(truth, ("evidence",)),
    "retrieved": _RETRIEVED,
    "options": AnswerColumn(option_words, ("options", "choices")),
}
_FIX = "Columns are qid, attribute, value, gold, prediction (or retrieved); others may be absent."
_REQUIRED = ("qid", "attribute", "value")
_COLUMN_NAMES = {*_REQUIRED, *(name for column in _COLUMNS.values() for name in column.names)}


def is_variants(keys: set[str]) -> bool:
    """Whether a header or the keys of a record are those of answers to demographic variants.

    A column may be missing, or all may stand in one cell: the reader then says so.

    Examples:
        >>> is_variants({"qid", "attribute", "value", "gold", "prediction"})
        True
        >>> is_variants({"query_id", "text"})
        False
    """
    names = {folded(name) for key in keys for name in key.split(";")}
    if "qid" in names and len(names & {*_REQUIRED, "gold", "prediction"}) >= 3:
        return True
    named = all(names & {*NAMES[name]} for name in ("qid", "attribute", "value"))
    answered = bool(names & {*NAMES["prediction"], "retrieved"})
    return (named and answered) or has_column_per_group(names) or has_column_per_attribute(names)


_Mention: TypeAlias = tuple[tuple[tuple[str, str], ...], str]
"""What a row is about: attributes with their values in file order, or else the name of a condition of reference."""


def _mention(row: FileRow) -> _Mention:
    """What a row mentions."""
    attribute, value = _ATTRIBUTE.of(row), _VALUE.of(row)
    if attribute.casefold() in _REFERENCES:
        named = attribute.casefold() in ("neutral", "original", "reference", "baseline")
        blank = value.casefold() in ("", "none", "null", "n/a", "na", "-")
        return (), (attribute if named else "neutral") if blank else value
    if not value:
        fix = f"Name the value of {shown(attribute)}, or write none as attribute."
        raise row.wrong(f"no value of {shown(attribute)}", fix)
    if value.casefold() == "neutral":
        message = f"{shown(attribute)} / neutral is no group: read as condition of reference"
        row.notes.add(message, row.line, kind="neutral value")
        return (), "neutral"
    joins = set(_JOINS.findall(attribute))
    if not joins & set(value):
        return ((attribute, value),), ""
    split = re.compile("[" + re.escape("".join(sorted(joins))) + "]")
    names = [name.strip() for name in split.split(attribute)]
    values = [part.strip() for part in split.split(value)]
    if len(names) != len(values) or not all(names) or not all(values):
        reason = f"{shown(attribute)} names {plural(len(names), 'attribute')}, {shown(value)} {len(values)}"
        fix = 'Give one value for each attribute: "race+gender", "Asian+female".'
        raise row.wrong(reason, fix)
    if len({name.casefold() for name in names}) < len(names):
        raise row.wrong(f"{shown(attribute)} names an attribute twice", "Name it once.")
    return tuple(zip(names, values, strict=True)), ""


def _names(row: FileRow) -> tuple[str, str]:
    """The question and the variant of a row as the file has them, for messages: "q1", "race / Asian"."""
    attribute, value = _ATTRIBUTE.of(row), _VALUE.of(row)
    return _QUESTION.of(row), f"{attribute or 'none'} / {value or _mention(row)[1]}"


# From rows to the noun, and back.


@reader
def read_variants(source: Source) -> Parsed[VariantAnswers]:
    """Read answers to demographic variants.

    Whether answers are closed is said by the column ``kind``, or found by their golds:
    :func:`~fairviz.io.variant_rows.read_options` says how. What a closed answer must look
    like to be read: :mod:`fairviz.io.answer_text`.

    Args:
        source: A path or ``(name, bytes)``: JSON Lines, CSV or TSV, plain or gzip'ed.

    Returns:
        The answers with notes; ``lines`` holds the first line of each question.

    Raises:
        InputError: The file cannot be read, no two groups can be compared, a variant of a question
            is answered twice, or its variants have different right answers.
    """
    notes = NoteBook(source.name)
    table, is_table = _table(source, notes)
    question, mentions = table.coded(_QUESTION.of, _QUESTION), table.coded(_mention, _ATTRIBUTE, _VALUE)
    fields = {name: table.coded(column.of, column) for name, column in _COLUMNS.items()}
    table.check()
    if is_table:
        if not (table.has(_PREDICTION) or table.has(_RETRIEVED)):
            raise table.missing("prediction")
        _note_other_columns(table, notes)
    mentioned = _mentioned(mentions, table, notes)
    questions, prediction = _questions(fields["dataset"], question), fields["prediction"].column()
    codes = {"dataset": fields["dataset"].codes, "question": questions.codes, "options": fields["options"].codes}
    words = {"kind": fields["kind"].column(), "gold": fields["gold"].column(), "prediction": prediction}
    kind, options, read_by = read_options(pl.DataFrame(codes | words), fields["options"].values, table)
    frame = pl.DataFrame(
        [
            *(fields[name].enum(name) for name in FACTORS if any(fields[name].values)),
            questions.enum("question"),
            *mentioned,
            words["gold"].alias("gold"),
            prediction.fill_null("").alias("words"),
            *options,
            *(fields[name].column(pl.Boolean).alias(name) for name in ("answerable", "evidence")),
            fields["retrieved"].lists().alias("retrieved"),
            fields["options"].lists().alias("offered"),
        ]
    )
    answers = VariantAnswers(source.stem, kind, frame)
    recorded = prediction.null_count() < len(answers)
    n_variants = _check_together(answers, table, notes, read_by=read_by, recorded=recorded)
    lines = dict(zip(questions.values, map(table.line, questions.firsts), strict=True))
    check_ids(questions.values, "question id", lambda i: lines[questions.values[i]], notes)
    documents = dict.fromkeys(doc for docs in fields["retrieved"].values for doc in docs or ())
    check_ids(tuple(documents), "document id", lambda _: None, notes)
    n_questions = f"{count(len(questions.values))} question{'s' if len(questions.values) > 1 else ''}"
    label = f"demographic variants: {n_questions} × {n_variants}, {_answers_in_words(answers)}"
    return notes.parsed(answers, label, lines)


def _table(source: Source, notes: NoteBook) -> tuple[AnswerTable, bool]:
    """The rows of a table, and that it is one; else those of another tool's log, or of ``rag_results``."""
    keys = Head(source).record_keys
    if is_rag_results(keys):
        records = rag_result_records(source, notes)
    elif (log := read_log(source, notes)) is not None:
        records = log.to_variants()
    else:
        cells = one_row_per_answer(read_cells(source, notes, coded=True), _COLUMN_NAMES, notes)
        return AnswerTable(cells, _FIX, notes, required=_REQUIRED), True
    return AnswerTable(cells_of(records, source.name), _FIX, notes, required=_REQUIRED), False


def _note_other_columns(table: AnswerTable, notes: NoteBook) -> None:
    """Note the columns that are not read."""
    others = [shown(name, 30) for name in table.cells.names if name and name not in _COLUMN_NAMES]
    if others:
        more = f" and {len(others) - 8} more" if len(others) > 8 else ""
        notes.add(f"columns not read: {', '.join(others[:8])}{more}")


def _questions(datasets: Coded[str], questions: Coded[str]) -> Coded[str]:
    """The question of each row; ids that several datasets use are told apart by dataset."""
    pairs = pl.DataFrame({"dataset": datasets.codes, "question": questions.codes})
    if pairs.n_unique() == len(questions.values):
        return questions
    return Coded.of(datasets.column() + "/" + questions.column())


def _mentioned(mentions: Coded[_Mention], table: AnswerTable, notes: NoteBook) -> pl.DataFrame:
    """Attributes with their values, else the condition of reference, of every row.

    Names that differ only by case or blanks are one, and noted.

    Raises:
        InputError: There are more attributes or values than an analysis of groups can have.
    """
    names: dict[tuple[str, str], dict[str, str]] = {}  # folded name -> first spelling, by what is named
    noted: set[tuple[str, str, str]] = set()

    def spelling(name: str, row: int, what: str, attribute: str = "") -> str:
        spellings = names.setdefault((what, attribute), {})
        first = spellings.setdefault(folded(name), name)
        if len(spellings) > MAX_VALUES:
            fix = "Name the attribute in one column and its value in the other."
            raise table.row(row).wrong(f"more than {count(MAX_VALUES)} different {what}", fix)
        if name != first and (what, attribute, name) not in noted:
            how = "case" if name.casefold() == first.casefold() else "blanks"
            message = f"{what} differ only by {how}: {shown(name)} / {shown(first)}: read as one"
            notes.add(message, table.line(row), kind=f"{what} spelt")
            noted.add((what, attribute, name))
        return first

    values: list[dict[str, str]] = []
    conditions: list[str | None] = []
    for (mentioned, reference), row in zip(mentions.values, mentions.firsts, strict=True):
        of_row: dict[str, str] = {}
        for attribute, value in mentioned:
            name = spelling(attribute, row, "attributes")
            of_row[name] = spelling(value, row, "values", name)
        values.append(of_row)
        conditions.append(None if mentioned else spelling(reference, row, "values"))
    attributes = list(names.get(("attributes", ""), {}).values())
    kinds = sorted(names.get(("values", ""), {}).values(), key=lambda name: name.casefold() != "neutral")
    in_order = [[name for name in attributes if name in of_row] for of_row in values]
    mentioned = [[of_row[name] for name in order] for of_row, order in zip(values, in_order, strict=True)]
    columns = {"attributes": in_order, "values": mentioned, "condition": conditions}
    schema = {"attributes": pl.List(pl.Enum(attributes)), "values": pl.List(pl.String), "condition": pl.Enum(kinds)}
    return pl.DataFrame(columns, schema=schema)[mentions.codes]


def write_variants(answers: VariantAnswers, to: TextIO) -> None:
    """Write answers as JSON Lines; :func:`read_variants` gives them back.

    Args:
        answers: The answers.
        to: An open text file.

    Raises:
        ValueError: Names of attributes or values leave no character to join them with.
    """
    documents = answers.frame["retrieved"].null_count() < len(answers)
    for row in answers.frame.iter_rows(named=True):
        record: dict[str, Json] = {name: row[name] for name in answers.factors}
        record["qid"] = row["question"]
        record["attribute"], record["value"] = _variant(row["attributes"], row["values"], row["condition"])
        record["gold"] = row["gold"]
        if row["words"] or not documents:
            record["prediction"] = row["words"]
        if row["retrieved"]:
            record["retrieved"] = row["retrieved"]
        record |= {name: row[name] for name in ("answerable", "evidence") if row[name] is not None}
        record["kind"] = answers.kind
        if row["offered"] is not None:
            record["options"] = row["offered"]
        to.write(json.dumps(record, ensure_ascii=False) + "\n")


def _variant(attributes: Sequence[str], values: Sequence[str], condition: str | None) -> tuple[str, str]:
    """An attribute and a value as a row of a file has them.

    Raises:
        ValueError: No character that joins attributes is free of use in them.
    """
    if condition is not None:
        return "none", condition
    for join in "+|×&":
        if len(attributes) == 1 or not any(join in name for name in (*attributes, *values)):
            return join.join(attributes), join.join(values)
    raise ValueError(f"no character is left to join {tuple(attributes)} and {tuple(values)} with")


def _answers_in_words(answers: VariantAnswers) -> str:
    """What kind of answers they are, and their options."""
    if not (answers.frame["words"] != "").any():
        return "documents only"
    if answers.kind == "open":
        return "open answers"
    options = answers.names("choice")
    letters = all(len(option) == 1 and option in LETTERS for option in options)
    shortest = "".join(options) if letters else ", ".join(shown(o, 20) for o in options)
    return f"closed answers {shortest}"


# What answers say together: refused where they contradict themselves, noted where they are odd.


_VOTERS = 3
"""Two voters that differ are always tied: a vote begins with three."""
_NEUTRAL = "neutral"
"""The condition of reference that votes."""
_HAS_RIGHT = pl.col("right").is_not_null()


def _check_together(
    answers: VariantAnswers, table: AnswerTable, notes: NoteBook, *, read_by: Mapping[str, int], recorded: bool
) -> int:
    """Refuse rows that contradict each other, and a file that compares nothing; note what is odd.

    Args:
        answers: The answers.
        table: Where their rows stand.
        notes: Where to note.
        read_by: How many answers each rule read.
        recorded: Whether any answer is recorded.

    Returns:
        How many variants there are.

    Raises:
        InputError: One producer answers a variant twice; right answers differ between the variants of a question; no
            two groups can be compared.
    """
    mention = ["attributes", "values", "condition"]
    label = pl.coalesce(pl.col("condition").cast(pl.String), pl.col("values").list.join("+"))
    distinct = answers.frame.select(mention).unique(maintain_order=True)  # few, which rows share
    variants = distinct.with_columns(label=label).with_row_index("variant")
    right = pl.col("gold").str.replace_all(r"\s+", " ").str.strip_chars().replace("", None)
    whose = answers.frame.with_columns(pl.lit(0).alias(""))  # a file that records none has one producer
    producers, _ = distinct_rows(whose.select("", *answers.factors))
    right = right if answers.kind == "open" else pl.col("right").cast(pl.String)
    rows = answers.frame.join(variants, on=mention, nulls_equal=True, maintain_order="left")
    rows = rows.with_columns(right=right, producer=pl.Series(producers)).with_row_index("row")
    _refuse_repeated(rows, answers.factors, table)
    differing = _differing_golds(rows, table)
    _check_values(answers.groups, notes)
    if recorded and not rows.select(_HAS_RIGHT.any()).item():
        notes.add("no gold answers: accuracy and equal opportunity unavailable", table.line(0))
    else:
        _note_golds(answers, rows, differing, table, notes)
    if recorded:
        _note_unread(answers, rows, read_by, table, notes)
    _note_incomplete(rows, table, notes)
    if answers.kind == "closed":
        _note_tied_votes(answers, rows, notes)
    return variants.height


def _refuse_repeated(rows: pl.DataFrame, factors: Sequence[str], table: AnswerTable) -> None:
    """Refuse a second answer of one producer to a variant of a question."""
    repeated = first_repeated(rows.select("producer", "question", "variant"))
    if repeated is None:
        return
    row, before = repeated
    by: str = ", ".join(filter(None, (rows[name][row] for name in factors)))
    who = f" by {shown(by)}" if by else ""
    variant = " / ".join(map(shown, _names(table.row(row))))
    reason = f"duplicate prediction for {variant}{who} (line {table.line(before)})"
    raise table.row(row).wrong(reason, "Keep one answer of each.")


def _check_values(groups: Mapping[str, Sequence[str]], notes: NoteBook) -> None:
    """Refuse a file in which no two groups can be compared; note an attribute of one value."""
    if not groups:
        reason = "no demographic variants found"
        raise notes.wrong(reason, "Put all variants of a question into one file, with attribute and value on each row.")
    single = [attribute for attribute, values in groups.items() if len(values) < 2]
    for attribute in single:
        reason = f"attribute {shown(attribute)} has a single value: nothing to compare"
        if len(single) == len(groups):
            raise notes.wrong(reason, "Put all variants of a question into one file.")
        notes.add(reason)


def _differing_golds(rows: pl.DataFrame, table: AnswerTable) -> pl.DataFrame:
    """The rows whose right answer is not that of the first row of their question.

    A file in which every group has one right answer in all its (two or more) questions is of another design: the group
    decides the answer. Any other is refused.

    Raises:
        InputError: Right answers differ between the variants of a question.
    """
    gold_rows = rows.filter(_HAS_RIGHT).select("row", "question", "variant", "right")
    differing = gold_rows.with_columns(pl.col("right", "row").first().over("question").name.prefix("first_"))
    differing = differing.filter(pl.col("right") != pl.col("first_right"))
    by_variant = gold_rows.group_by("variant").agg(pl.col("right", "question").n_unique())
    if by_variant.select(((pl.col("right") == 1) & (pl.col("question") > 1)).all()).item():
        return differing
    for row, gold, before, first in differing.select("row", "right", "first_row", "first_right").head(1).iter_rows():
        question = shown(_names(table.row(row))[0])
        reason = f"gold answer of {question} is {shown(gold)} here but {shown(first)} on line {table.line(before)}"
        fix = "All variants of a question have one right answer; correct it or drop the question."
        raise table.row(row).wrong(reason, fix)
    return differing


def _note_golds(
    answers: VariantAnswers, rows: pl.DataFrame, differing: pl.DataFrame, table: AnswerTable, notes: NoteBook
) -> None:
    """Note rows without a right answer, that the group decides it, and options never right for one group."""
    without = rows.filter(~_HAS_RIGHT)["row"]
    if 0 < without.len() < len(answers):
        message = f"{part_of(without.len(), plural(len(answers), 'row'), 'has', 'have')} no gold answer"
        notes.add(message, table.line(without[0]))
    if not differing.is_empty():
        n_questions = plural(differing["question"].n_unique(), "question")
        message = f"gold answers differ between the variants of {n_questions}, by group"
        notes.add(message, table.line(differing["row"][0]))
    if answers.kind == "open":
        return
    right: dict[tuple[str, str], set[str]] = {}
    golds = rows.filter(_HAS_RIGHT).select("attributes", "values", "right").explode("attributes", "values").unique()
    for attribute, value, option in golds.iter_rows():
        right.setdefault((attribute, value), set()).add(option)
    for attribute, values in answers.groups.items():
        every = set[str]().union(*(right.get((attribute, value), ()) for value in values))
        for value in values:
            for option in sorted(every - right.get((attribute, value), set())):
                notes.add(f"group {shown(value)} has no gold {shown(option)}: TPR undefined", kind="no gold")


def _note_unread(
    answers: VariantAnswers, rows: pl.DataFrame, read_by: Mapping[str, int], table: AnswerTable, notes: NoteBook
) -> None:
    """Note answers that are empty, or name no option.

    The number of those that need parsing counts beside them the answers that are no right option
    as it stands, such as "B. Cross-linking".
    """
    words = pl.col("words").str.strip_chars()
    if answers.kind == "open":
        empty = rows.filter(words == "")["row"]
        if empty.len():
            message = f"{part_of(empty.len(), plural(len(answers), 'answer'), 'is', 'are')} empty"
            notes.add(message, table.line(empty[0]))
        return
    if set(read_by) - {LETTER, LETTER_IN_WORDS, TEXT}:
        notes.add(f"answers read by: {', '.join(f'{rule} {count(n)}' for rule, n in read_by.items())}")
    unread = rows.filter(pl.col("choice").is_null())
    if unread.is_empty():
        return
    odd = rows.filter(~words.is_in(rows["right"].drop_nulls().unique().to_list()))["row"]
    by_label = unread.group_by("label", maintain_order=True).len().sort("len", descending=True, maintain_order=True)
    groups = ", ".join(f"{shown(label, 30)} {count(n)}" for label, n in by_label.head(12).iter_rows())
    more = ", …" if by_label.height > 12 else ""
    message = f"{part_of(odd.len(), plural(len(answers), 'prediction'), 'needs', 'need')} parsing"
    says = "one names no option and counts"
    if unread.height > 1:
        says = f"{count(unread.height)} name no option and count"
    notes.add(f"{message}; {says} as no answer: {groups}{more}", table.line(odd[0]))


def _note_incomplete(rows: pl.DataFrame, table: AnswerTable, notes: NoteBook) -> None:
    """Note questions that lack a variant which others of their producer have, and the first that is lacking."""
    sets = rows.group_by("producer", "question", maintain_order=True).agg(pl.col("row").first(), "variant")
    of_producer = rows.group_by("producer").agg(pl.col("variant").unique().alias("all"))
    sets = sets.join(of_producer, on="producer", maintain_order="left")
    lacking = sets.filter(pl.col("variant").list.len() < pl.col("all").list.len())
    if lacking.is_empty():
        return
    first = lacking.filter(pl.col("producer") == pl.col("producer").min()).row(0, named=True)
    missing = min({*first["all"]} - {*first["variant"]})
    label: str = rows.filter(pl.col("variant") == missing)["label"][0]
    what = "questions" if of_producer.height == 1 else "sets of variants"
    complete = part_of(sets.height - lacking.height, f"{count(sets.height)} {what}", "is", "are")
    question = shown(_names(table.row(first["row"]))[0])
    notes.add(f"question {question} lacks variant {shown(label)}; {complete} complete")


def _note_tied_votes(answers: VariantAnswers, rows: pl.DataFrame, notes: NoteBook) -> None:
    """Note tied majority votes, and a file of one question.

    Those vote who vote by default where votes are measured: every variant about somebody and the
    neutral question; an original question does not. Unreadable answers are one answer of their own.

    One question with two values is a pair that speaks for itself; with more values the largest
    difference over groups looks like a rate, and can only be 0 or 1.
    """
    condition = pl.col("condition").cast(pl.String)
    voters = rows.filter(condition.is_null() | (condition == _NEUTRAL))
    cast_votes = voters.group_by("producer", "question", "choice").len("n")
    is_largest = pl.col("n") == pl.col("n").max()
    votes = cast_votes.group_by("producer", "question").agg(pl.col("n").sum(), is_largest.sum().alias("n_largest"))
    decided = votes.filter(pl.col("n") >= _VOTERS)
    n_tied = decided.filter(pl.col("n_largest") > 1).height
    if n_tied:
        what = "question" if voters["producer"].n_unique() == 1 else "vote"
        message = f"majority vote tied on {count(n_tied)} of {plural(decided.height, what)}"
        neutral = _NEUTRAL in answers.names("condition")
        who = "all groups and the neutral question vote" if neutral else "all groups vote"
        notes.add(f"{message} ({who}, unreadable answers as one answer)")
    if len(answers.names("question")) == 1 and any(len(values) > 2 for values in answers.groups.values()):
        notes.add("1 question: disparity can only be 0 or 1")
