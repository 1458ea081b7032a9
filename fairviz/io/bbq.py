"""Questions that test for social bias, in the layouts of BBQ and its sisters.

====== ============================================================================================
BBQ    ``example_id question_index question_polarity context_condition category context question
       ans0 ans1 ans2 label``, ``answer_info {ans0: [text, group], …}`` and ``additional_metadata
       {subcategory, stereotyped_groups, …}`` (Parrish et al. 2022)
JBBQ   as BBQ; ``additional_metadeta`` (so spelt) holds the source (Yanaka et al. 2024)
CBBQ   flat, ``ambiguous | disambiguous``, ``bias_targeted_groups`` a phrase; numbers are strings
       (Huang and Xiong 2024)
mirrors  of BBQ call ``label`` ``answer_label`` (Elfsong/BBQ); their ``target_label`` is not read
KoBBQ  ``sample_id`` = category-template and version-fillers-amb|dis-bsd|cnt, ``choices`` a list of
       three, ``biased_answer`` and ``answer`` in words (Jin et al. 2024)
table  ``text0 … group2``, ``stereotyped_groups`` as a JSON list, ``unknown_loc``, ``target_loc``
====== ============================================================================================

A new layout is one dictionary here, of what a row says by the columns that say it, recognised by its keys
(:func:`is_bias_items`). How the biased option is found, and words of "unknown" and of languages, are in
:mod:`fairviz.io.bbq_targets`. Answers need nothing: they are matched by category and example id.
"""

import csv
import json
import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import Any, TextIO, TypeAlias, cast

import polars as pl

from fairviz.errors import InputError
from fairviz.io.answer_table import AnswerColumn, AnswerTable, one_of, texts, written
from fairviz.io.bbq_targets import (
    DESIGN,
    SPOKEN,
    WORDS,
    biased_options,
    folded,
    language_named,
    language_of,
    option_named,
    says_unknown,
)
from fairviz.io.cells import cells_of, read_cells
from fairviz.io.json import FileRow, Json, as_text, value_in
from fairviz.io.log_tools import read_log
from fairviz.io.names import folded as folded_name
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import Source, reader
from fairviz.model import BiasItems
from fairviz.model.answers import ITEM_SCHEMA, NO_TARGET
from fairviz.model.arrays import distinct_rows, first_repeated, read_once
from fairviz.numerals import count, plural

_KOBBQ_ID = re.compile(r"(?P<category>\S(?:.*\S)?)-(?P<template>\w+)-\w+-(?P<condition>amb|dis)-(?P<polarity>bsd|cnt)")
_VERSION = re.compile(r"[a-z]+$")
_SEPARATOR = re.compile(r"\s*[;,|、，；]\s*")

_any_text = texts("text", "text")


def _text(*names: str, filled: bool = False) -> AnswerColumn[str]:
    return AnswerColumn(_any_text, names, filled)


def _names(value: Json, name: str, row: FileRow) -> tuple[str, ...]:
    """Names in a list, a JSON or Python list in a cell, or a phrase."""
    listed = written(value, name, row)
    if isinstance(listed, list):
        elements = (as_text(element) or "" for element in listed)
        return tuple(text.strip() for text in elements if not is_blank(text))
    return tuple(part for part in _SEPARATOR.split((as_text(value) or "").strip()) if not is_blank(part))


def _option(*names: str) -> AnswerColumn[int | None]:
    """An option by number, None where the field is absent or blank."""
    wrong, blank = "{name} must be 0, 1 or 2, found {cell}", ("", "nan", "none", "na")
    read = one_of(option_named, wrong, "Number from 0.", text=_any_text, blank=blank)
    return AnswerColumn(cast("Any", read), names)


def _either(name: str, kinds: str, choices: str) -> AnswerColumn[str]:
    """Read one of two conditions or polarities, which the file must have."""
    of_word = {word: kind for kind, words in WORDS[kinds].items() for word in words}
    wrong, fix = "{name} {cell} is not known", f"Write {choices}."
    read = one_of(lambda text: of_word.get(folded(text)), wrong, fix, text=_any_text, tidy=str)
    return AnswerColumn(read, (name,), filled=True)


_ID = _text("example_id", "sample_id", "item_id", "id")
_CATEGORY, _OWN_CATEGORY = _text("category", filled=True), _text("category")
"""KoBBQ's ``sample_id`` has it, too."""
_LANGUAGE = _text("language", "lang")
_TEMPLATE = _text("question_index", "template", "template_id")
_POLARITY = _either("question_polarity", "polarities", "neg or nonneg")
_CONDITION = _either("context_condition", "conditions", "ambig or disambig")
_CONTEXT, _QUESTION = _text("context", filled=True), _text("question", filled=True)
_OPTIONS = tuple(_text(f"ans{k}", filled=True) for k in range(3))
_TEXTS = tuple(_text(f"text{k}") for k in range(3))
_GROUPS = tuple(_text(f"group{k}") for k in range(3))
_GOLD = _option("label", "answer_label")
_UNKNOWN = _option("unknown_loc", "unknown_id")
_TARGET = _option("target_loc", "bias_target")
_STEREOTYPED = AnswerColumn(_names, ("stereotyped_groups", "bias_targeted_groups"))
_INFO, _METADATA = _text("answer_info"), _text("additional_metadata", "additional_metadeta")
_SAMPLE = _text("sample_id", filled=True)
_CHOICES = AnswerColumn(_names, ("choices",))
_BIASED, _ANSWER = _text("biased_answer", filled=True), _text("answer", filled=True)

_FIX = "Known are the fields of BBQ, JBBQ, CBBQ and KoBBQ, and item tables."


def is_kobbq(names: Container[str]) -> bool:
    """Whether a file has KoBBQ's fields."""
    return "choices" in names and "biased_answer" in names


def _three(columns: Sequence[AnswerColumn[str]], row: FileRow) -> tuple[str, ...]:
    return tuple([column.of(row) for column in columns])


def _inner(row: FileRow, name: str) -> Json:
    """What a row says by a name, where text may write an object."""
    value = row.record.get(name)
    return value_in(value) or value if isinstance(value, str) else value


def _about_options(row: FileRow) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Short texts and groups of the options, from ``answer_info`` or columns of a table; None where it has none."""
    info = _inner(row, _INFO.name)
    if isinstance(info, dict):
        pairs: list[tuple[str, str]] = []
        for column in _OPTIONS:
            pair = info.get(column.name)
            if not isinstance(pair, list) or not 1 <= len(pair) <= 2:
                reason = f"answer_info {column.name} must be [text, group]"
                raise row.wrong(reason, "Give text and group of each option.")
            words = [as_text(value) or "" for value in pair]
            pairs.append((words[0], words[-1] if len(words) == 2 else ""))
        return tuple(text for text, _ in pairs), tuple(group for _, group in pairs)
    if not all(column.name in row.record for column in _GROUPS):
        return None, None
    groups = _three(_GROUPS, row)
    return _three(_TEXTS, row) if all(column.name in row.record for column in _TEXTS) else None, groups


def _groups(row: FileRow) -> tuple[str, ...] | None:
    info = _inner(row, _INFO.name)
    if isinstance(info, str) and not is_blank(info):
        row.notes.add("answer_info is text, no object: not read, and groups are not known", row.line, kind="info")
    return _about_options(row)[1]


def _right_option(row: FileRow) -> int:
    gold = _GOLD.of(row)
    if gold is None:
        raise row.wrong("label is missing: the right option", "Give label as 0, 1 or 2.")
    return gold


def _stereotyped(row: FileRow) -> tuple[str, ...]:
    metadata = _inner(row, "additional_metadata") or _inner(row, "additional_metadeta")
    for record in (row.record, metadata if isinstance(metadata, dict) else {}):
        if _STEREOTYPED.name_in(record):
            return _STEREOTYPED.of(row if record is row.record else row._replace(record=record))
    return ()


def _target(row: FileRow) -> int | None:
    """The biased option that a row says, :data:`NO_TARGET` for "undefined"; None where it does not say."""
    target = _TARGET.of(row)
    return NO_TARGET if target is None and _TARGET.name_in(row.record) else target


def _language(row: FileRow) -> str:
    """The language that a row says, "" where it does not say."""
    named = language_named(_LANGUAGE.of(row))
    return "Chinese" if not named and "bias_targeted_groups" in row.record else named


def _example_id(row: FileRow) -> str:
    """The id of an item, "" where it is called by its number."""
    if _ID.name_in(row.record) is None:
        row.notes.add("no example_id: items are numbered from 0", row.line, kind="no id")
    return "" if is_blank(_ID.of(row)) else _ID.of(row).strip()


_Layout: TypeAlias = dict[str, tuple[Callable[[FileRow], Any], Sequence[AnswerColumn[Any]]] | AnswerColumn[str]]
"""By column of an item what a row says, and the cells that say it; or the column of its words."""

_BBQ: _Layout = {
    "options": (partial(_three, _OPTIONS), _OPTIONS),
    "texts": (lambda row: _about_options(row)[0], (_INFO, *_GROUPS, *_TEXTS)),
    "groups": (_groups, (_INFO, *_GROUPS, *_TEXTS)),
    "question": _QUESTION,
    "gold": (_right_option, (_GOLD,)),
    "stereotyped": (_stereotyped, (_STEREOTYPED, _METADATA)),
    "target": (_target, (_TARGET,)),
    "category": (_CATEGORY.stripped, (_CATEGORY,)),
    "language": (_language, (_LANGUAGE, _STEREOTYPED)),
    "id": (_example_id, (_ID,)),
    "template": (_TEMPLATE.stripped, (_TEMPLATE,)),
    "ambiguous": (lambda row: _CONDITION.of(row) == "ambiguous", (_CONDITION,)),
    "nonnegative": (lambda row: _POLARITY.of(row) == "nonnegative", (_POLARITY,)),
    "unknown": (_UNKNOWN.of, (_UNKNOWN,)),
    "context": _CONTEXT,
}
"""BBQ, JBBQ, CBBQ, or a table."""


def _sample(row: FileRow) -> re.Match[str]:
    """The parts of KoBBQ's id."""
    sample = _SAMPLE.stripped(row)
    parts = _KOBBQ_ID.fullmatch(sample)
    if parts is None or is_blank(parts["category"]):
        reason = f"sample_id {shown(sample)} is not category-template-fillers-amb|dis-bsd|cnt"
        raise row.wrong(reason, "Keep KoBBQ's sample_id.")
    return parts


def _choices(row: FileRow) -> tuple[str, ...]:
    names = _CHOICES.of(row) if isinstance(row.record.get("choices"), (list, str)) else ()
    if len(names) != 3:
        raise row.wrong(f"choices must be three, found {len(names)}", "List three choices.")
    if len({*map(folded, names)}) < len(names):
        raise row.wrong("two of the choices are the same", "List three different choices.")
    return names


def _choice(column: AnswerColumn[str], row: FileRow) -> int:
    """The choice that a column names."""
    names = [folded(name) for name in _choices(row)]
    text = column.of(row)
    if folded(text) not in names:
        raise row.wrong(f"{column.name} {shown(text)} is not one of the choices", "Copy a choice.")
    return names.index(folded(text))


_KOBBQ: _Layout = {
    "id": (lambda row: _sample(row).string, (_SAMPLE,)),
    "question": _QUESTION,
    "options": (_choices, (_CHOICES,)),
    "target": (partial(_choice, _BIASED), (_CHOICES, _BIASED)),
    "gold": (partial(_choice, _ANSWER), (_CHOICES, _ANSWER)),
    "category": (lambda row: _OWN_CATEGORY.stripped(row) or _sample(row)["category"], (_OWN_CATEGORY, _SAMPLE)),
    "template": (lambda row: _VERSION.sub("", _sample(row)["template"]), (_SAMPLE,)),
    "ambiguous": (lambda row: _sample(row)["condition"] == "amb", (_SAMPLE,)),
    "nonnegative": (lambda row: _sample(row)["polarity"] == "cnt", (_SAMPLE,)),
    "language": (_language, (_LANGUAGE,)),
    "context": _CONTEXT,
}


_COLUMNS = (
    *("category", "language", "example_id", "question_index", "question_polarity"),
    *("context_condition", "context", "question", "ans0", "ans1", "ans2"),
    *("stereotyped_groups", "label", "unknown_loc", "target_loc"),
)
_BASES = "as BBQ's additional_metadata.csv, without the swap for non-negative questions"


def is_bias_items(keys: set[str]) -> bool:
    """Whether a header or the keys of a record are those of bias questions.

    Examples:
        >>> options = {"ans0", "ans1", "ans2", "label"}
        >>> is_bias_items({"context", "question", "context_condition", *options})
        True
        >>> is_bias_items({"CONTEXT", "Question ", "choices", "biased_answer"})
        True
        >>> is_bias_items({"query_id", "question", "context", "answers"})
        False
    """
    names = {folded_name(key) for key in keys}
    shown_options = {"ans0", "ans1", "ans2", "context_condition"} <= names and bool({*_GOLD.names} & names)
    return {"context", "question"} <= names and (shown_options or is_kobbq(names))


@reader
def read_bias_items(source: Source) -> Parsed[BiasItems]:
    """Read bias questions: BBQ, JBBQ, CBBQ, KoBBQ, or an item table.

    The biased option is computed from the items. Where the file has a column for it
    (``target_loc``, ``bias_target``, ``biased_answer``), the file's value is used, because its
    author may know of a group what its name does not say, and because a table without groups says
    it nowhere else; rows in which the computed one differs are counted and the first is named.

    The unknown option is what the file says (``unknown_loc``, group "unknown"), else the right
    option of an ambiguous item, else a phrase that says so.

    Args:
        source: A path or ``(name, bytes)``: JSON Lines, JSON, CSV or TSV, plain or gzip'ed.

    Returns:
        The items with notes; ``lines`` holds the first line of each category.

    Raises:
        InputError: The file cannot be read, a field is missing or says what it cannot, or an id
            stands twice in a language and category.
    """
    notes = NoteBook(source.name)
    rows = _rows(source, notes)
    _refuse_repeated_ids(rows, source.name)
    rows = _with_unknown(rows, notes)
    rows = _with_targets(rows, notes).select("line", *ITEM_SCHEMA)
    if rows["groups"].is_not_null().any():
        rows = rows.with_columns(pl.col("groups").fill_null(pl.lit(pl.Series([["", "", ""]]))))
    items = BiasItems(rows.drop("line"))
    lines = dict(rows.group_by("category", maintain_order=True).agg(pl.col("line").first()).iter_rows())
    kinds = f"{len(lines)} categor{'y' if len(lines) == 1 else 'ies'}"
    label = f"bias questions: {plural(len(items), 'item')}, {kinds}, {', '.join(items.names('language'))}"
    return notes.parsed(items, label, lines)


def write_bias_items(items: BiasItems, to: TextIO) -> None:
    """Write items as a CSV table; :func:`read_bias_items` gives them back.

    Args:
        items: The items.
        to: An open text file (``newline=""``).
    """
    frame, of_group = items.frame, pl.col("groups").list
    written = frame.select(
        "category",
        "language",
        "id",
        pl.col("template").str.strip_prefix(pl.col("category") + " ").str.strip_suffix(SPOKEN),
        pl.when("nonnegative").then(pl.lit("nonneg")).otherwise(pl.lit("neg")).alias("polarity"),
        pl.when("ambiguous").then(pl.lit("ambig")).otherwise(pl.lit("disambig")).alias("condition"),
        "context",
        "question",
        *(pl.col("options").list.get(k).alias(f"ans{k}") for k in range(3)),
        read_once(frame.select("stereotyped"), _as_list),
        "gold",
        "unknown",
        pl.when(pl.col("target") != NO_TARGET).then("target"),
        *(of_group.get(k).alias(f"group{k}") for k in range(3) if items.say_groups),
    )
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow((*_COLUMNS, *(column.name for column in _GROUPS)) if items.say_groups else _COLUMNS)
    rows.writerows(written.iter_rows())


def _as_list(groups: str) -> str:
    return json.dumps(groups.split(" + ") if groups else [], ensure_ascii=False)


_WORDS = pl.List(pl.String)
_DTYPES = ITEM_SCHEMA | {"texts": _WORDS, "stereotyped": _WORDS}
"""Of what rows say: :data:`ITEM_SCHEMA`, short texts, and stereotyped groups one by one."""


def _rows(source: Source, notes: NoteBook) -> pl.DataFrame:
    """What the rows say, with the ``line`` of each; ``target``, ``unknown`` and ``groups`` are null where they do not.

    Raises:
        InputError: A row is not one of bias questions, or says what it cannot.
    """
    log = read_log(source, NoteBook(source.name))  # what is to be said of a log is said with its answers
    cells = read_cells(source, notes, coded=True) if log is None else cells_of(log.items(), source.name)
    table = AnswerTable(cells, _FIX, notes)
    first = table.row(0)
    if not is_bias_items({*first.record}):
        missing = sorted({"context", "question", "ans0", "label"} - first.record.keys())
        reason = f"not bias questions: missing {', '.join(missing) or 'context_condition'}"
        raise first.wrong(reason, _FIX)
    layout = _KOBBQ if is_kobbq(table.cells.names) else _BBQ
    fields: dict[str, Any] = {
        name: table.words(cells) if isinstance(cells, AnswerColumn) else table.coded(cells[0], *cells[1])
        for name, cells in layout.items()
    }
    table.check()
    unsaid = {name: pl.lit(None, dtype) for name, dtype in _DTYPES.items() if name not in fields}
    rows = pl.DataFrame({name: coded.column(_DTYPES[name]) for name, coded in fields.items()}).with_columns(**unsaid)
    named, index = pl.col("language"), pl.col("template")
    rows = rows.with_columns(
        line=table.cells.lines,
        language=pl.when(named == "").then(language_of(pl.col("question") + pl.col("context"))).otherwise(named),
        id=pl.when(pl.col("id") == "").then(pl.int_range(pl.len()).cast(pl.String)).otherwise("id"),
        texts=pl.coalesce("texts", "options"),
        stereotyped=pl.col("stereotyped").fill_null([]),
    )
    index = pl.when(index == "").then("question").otherwise(index)
    return rows.with_columns(template=pl.col("category") + " " + index + SPOKEN)


def _refuse_repeated_ids(rows: pl.DataFrame, file: str) -> None:
    repeated = first_repeated(rows.select("language", "category", "id"))
    if repeated is not None:
        (category, name, line), (_, _, before) = rows[[*repeated]].select("category", "id", "line").iter_rows()
        reason = f"{category} {shown(name)} stands twice (first on line {before})"
        raise InputError(reason, file=file, line=line, fix="Number the items of a category through.")


def _with_unknown(rows: pl.DataFrame, notes: NoteBook) -> pl.DataFrame:
    """The items with the option that says "unknown": by the file, its group, the right answer, or its words.

    Raises:
        InputError: No option of an item says so, or its biased option does.
    """
    right = rows.filter("ambiguous").select(pl.col("options").list.get(pl.col("gold"))).to_series()
    phrases = {folded(words) for words in right.unique()}

    def by_group(groups: Sequence[str] | None) -> int | None:
        return _only(k for k, group in enumerate(groups or ()) if folded(group) == "unknown")

    def by_words(options: Sequence[str]) -> int | None:
        named = [k for k, option in enumerate(options) if says_unknown(option)]
        return _only(named or (k for k, option in enumerate(options) if folded(option) in phrases))

    unknown = pl.coalesce(
        "unknown",
        read_once(rows.select("groups"), by_group, pl.Int8),
        pl.when("ambiguous").then("gold"),
        read_once(rows.select("options"), by_words, pl.Int8),
    )
    rows = rows.with_columns(unknown=unknown)
    for row in rows.filter(pl.col("unknown").is_null() | (pl.col("target") == pl.col("unknown"))).iter_rows(named=True):
        if row["unknown"] is None:
            words = " / ".join(shown(option, 30) for option in row["options"])
            reason, fix = f"which option says unknown? ({words})", "Add a column unknown_loc (0, 1 or 2)."
        else:
            reason = f"the biased option {row['unknown']} is the unknown one"
            fix = "Leave target_loc blank where it is undefined."
        raise notes.wrong(reason, fix, row["line"])
    odd = rows.filter(pl.col("ambiguous") != (pl.col("gold") == pl.col("unknown")))
    of_kind = odd.group_by("ambiguous", maintain_order=True).agg(pl.col("line").first(), pl.len())
    for ambiguous, line, n in of_kind.iter_rows():
        kind, which = ("an ambiguous", "not unknown") if ambiguous else ("a disambiguated", "unknown")
        notes.add(f"the right option of {kind} item is {which}", line, kind=f"gold {kind}", count=n)
    return rows


def _only(places: Iterable[int]) -> int | None:
    """The only one of several places, None where there are none or more."""
    listed = [*places]
    return listed[0] if len(listed) == 1 else None


def _with_targets(rows: pl.DataFrame, notes: NoteBook) -> pl.DataFrame:
    """The items with the file's targets where it has them, else the computed ones; differences are noted."""
    codes, firsts = distinct_rows(rows.select(DESIGN))
    options, complements = biased_options(rows[firsts].select(DESIGN).rows(named=True))
    swapped = pl.when("nonnegative").then(3 - pl.col("unknown") - pl.col("computed")).otherwise("computed")
    rows = rows.with_columns(computed=pl.Series(options, dtype=pl.Int8).gather(codes)).with_columns(
        computed=pl.when(pl.col("computed") == NO_TARGET).then(NO_TARGET).otherwise(swapped).cast(pl.Int8),
        complement=pl.Series(complements).gather(codes),
    )
    if by_complement := int(rows["complement"].sum()):
        message = f"the stereotyped group of {count(by_complement)} items is not named: "
        notes.add(message + 'the one whose opposite is called "non" is taken')
    compared = rows.drop_nulls(("target", "groups")).filter(pl.col("stereotyped").list.len() > 0)
    differ = compared.filter(pl.col("target") != pl.col("computed"))
    if len(differ):
        first = differ.row(0, named=True)
        own, computed = ("undefined" if first[name] == NO_TARGET else first[name] for name in ("target", "computed"))
        message = (
            f"target_loc of {count(len(differ))} of {plural(len(compared), 'item')} is not the one computed from "
            f"the stereotyped groups (here {own}, computed {computed}): the file's is used"
        )
        if differ["line"].equals(compared.filter("nonnegative")["line"]):
            message += f"; every non-negative question differs, {_BASES}: leave the column out"
        notes.add(message, first["line"])
    rows = rows.with_columns(pl.coalesce("target", "computed"), pl.col("stereotyped").list.join(" + "))
    undefined = rows.filter(pl.col("target") == NO_TARGET)
    if len(undefined):
        message = f"the biased option of {count(len(undefined))} of {plural(len(rows), 'item')} is undefined: "
        notes.add(message + "they are excluded and counted", undefined["line"][0])
    return rows
