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

A new layout is one function from a row to an ``Item`` here, recognised by its keys (:func:`is_bias_items`), with
the columns that it adds. How the biased option is found, and words of "unknown" and of languages, are in
:mod:`fairviz.io.bbq_targets`. Answers need nothing: they are matched by category and example id.
"""

import csv
import json
import re
from collections.abc import Container, Sequence
from functools import lru_cache
from typing import Any, TextIO, cast

import numpy as np

from fairviz.errors import InputError
from fairviz.io.answer_table import Column, Layout, Row, one_of, read_rows, texts
from fairviz.io.bbq_targets import (
    WORDS,
    Item,
    biased_options,
    folded,
    language_named,
    language_of,
    option_named,
    says_unknown,
    spoken,
)
from fairviz.io.json import Json, as_text, is_encodable
from fairviz.io.log_tools import read_log
from fairviz.io.names import folded as folded_name
from fairviz.io.names import is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source, reader
from fairviz.model import BiasItems, Factor
from fairviz.model.answers import NO_TARGET
from fairviz.numerals import count, plural

_KOBBQ_ID = re.compile(r"(?P<category>\S(?:.*\S)?)-(?P<template>\w+)-\w+-(?P<condition>amb|dis)-(?P<polarity>bsd|cnt)")
_VERSION = re.compile(r"[a-z]+$")
_PYTHON_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_PYTHON_LIST = re.compile(rf"\[\s*(?:(?:{_PYTHON_TEXT.pattern})\s*(?:,\s*(?:{_PYTHON_TEXT.pattern})\s*)*)?\]")
_ESCAPED = re.compile(r"\\(['\"\\])")
_SEPARATOR = re.compile(r"\s*[;,|、，；]\s*")

_any_text = texts("text", "text")


def _text(*names: str, filled: bool = False) -> Column[str]:
    return Column(_any_text, names, filled)


def _names(value: Json, name: str, row: Row) -> tuple[str, ...]:
    """Names in a list, a JSON or Python list in a cell, or a phrase."""
    listed: Any = value
    if isinstance(value, str) and value.strip().startswith("["):
        listed = _list_in(value.strip())
        if listed is None:
            raise row.wrong(f"not a list: {shown(value)}", 'Write a JSON list, such as ["old"].')
        if "\\u" in value and not is_encodable([*listed]):
            fix = "Replace the half character; it cannot be written as UTF-8."
            raise row.wrong(f"lone surrogate in {shown(value)}", fix)
    if isinstance(listed, list | tuple):
        elements = (as_text(element) or "" for element in cast("Sequence[Json]", listed))
        return tuple(text.strip() for text in elements if not is_blank(text))
    return tuple(part for part in _SEPARATOR.split((as_text(value) or "").strip()) if part)


@lru_cache(maxsize=1024)  # few lists stand in many rows
def _list_in(text: str) -> tuple[Json, ...] | None:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list):
        return tuple(cast(list[Json], value))
    if _PYTHON_LIST.fullmatch(text):
        return tuple(_ESCAPED.sub(r"\1", quoted[1:-1]) for quoted in _PYTHON_TEXT.findall(text))
    return None


def _option(*names: str) -> Column[int | None]:
    """An option by number, None where the field is absent or blank."""
    wrong, blank = "{name} must be 0, 1 or 2, found {cell}", ("", "nan", "none", "na")
    read = one_of(option_named, wrong, "Number from 0.", text=_any_text, blank=blank)
    return Column(cast("Any", read), names)


def _either(name: str, kinds: str, choices: str) -> Column[str]:
    """One of two kinds of conditions or polarities, which the file must say."""
    of_word = {word: kind for kind, words in WORDS[kinds].items() for word in words}
    wrong, fix = "{name} {cell} is not known", f"Write {choices}."
    read = one_of(lambda text: of_word.get(folded(text)), wrong, fix, text=_any_text, tidy=str)
    return Column(read, (name,), filled=True)


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
_STEREOTYPED = Column(_names, ("stereotyped_groups", "bias_targeted_groups"))
_SAMPLE = _text("sample_id", filled=True)
_CHOICES = Column(_names, ("choices",))
_BIASED, _ANSWER = _text("biased_answer", filled=True), _text("answer", filled=True)

LAYOUT = Layout("Known are the fields of BBQ, JBBQ, CBBQ and KoBBQ, and item tables.")


def is_kobbq(record: Container[str]) -> bool:
    """Whether a record has KoBBQ's fields."""
    return "choices" in record and "biased_answer" in record


def _bbq(row: Row, number: int) -> Item:
    """A record of BBQ, JBBQ or CBBQ, or of a table; one without an id is called by its number."""
    options = _three(_OPTIONS, row)
    texts, groups = _about_options(row, options)
    question = _QUESTION.of(row)
    gold = _GOLD.of(row)
    if gold is None:
        raise row.wrong("label is missing: the right option", "Give label as 0, 1 or 2.")
    stereotyped = _stereotyped(row)
    target = _TARGET.of(row) if _TARGET.name_in(row.record) else None
    if target is None and _TARGET.name_in(row.record):
        target = NO_TARGET
    return Item(
        line=row.line,
        category=_CATEGORY.of(row).strip(),
        language=_language(row, question, cbbq="bias_targeted_groups" in row.record),
        id=str(number) if is_blank(_ID.of(row)) else _ID.of(row).strip(),
        question_index=_TEMPLATE.of(row).strip() or question,
        ambiguous=_CONDITION.of(row) == "ambiguous",
        nonnegative=_POLARITY.of(row) == "nonnegative",
        gold=gold,
        unknown=NO_TARGET if (unknown := _UNKNOWN.of(row)) is None else unknown,
        target=target,
        context=_CONTEXT.of(row),
        question=question,
        options=options,
        texts=texts,
        groups=groups,
        stereotyped=stereotyped,
    )


def _three(columns: Sequence[Column[str]], row: Row) -> tuple[str, ...]:
    return tuple([column.of(row) for column in columns])


def _about_options(row: Row, options: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Short texts and groups of the options, from ``answer_info`` or columns of a table."""
    info = row.record.get("answer_info")
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
        return options, None
    groups = _three(_GROUPS, row)
    return _three(_TEXTS, row) if all(column.name in row.record for column in _TEXTS) else options, groups


def _stereotyped(row: Row) -> tuple[str, ...]:
    metadata = row.record.get("additional_metadata", row.record.get("additional_metadeta"))
    for record in (row.record, metadata if isinstance(metadata, dict) else {}):
        if _STEREOTYPED.name_in(record):
            return _STEREOTYPED.of(row if record is row.record else row._replace(record=record))
    return ()


def _language(row: Row, question: str, *, cbbq: bool = False) -> str:
    named = _LANGUAGE.of(row)
    if named.strip():
        return language_named(named)
    return "Chinese" if cbbq else language_of(question + (as_text(row.record.get("context")) or ""))


def _kobbq(row: Row) -> Row:
    """A record of KoBBQ in the fields of BBQ."""
    sample = _SAMPLE.of(row).strip()
    parts = _KOBBQ_ID.fullmatch(sample)
    if parts is None or is_blank(parts["category"]):
        reason = f"sample_id {shown(sample)} is not category-template-fillers-amb|dis-bsd|cnt"
        raise row.wrong(reason, "Keep KoBBQ's sample_id.")
    question = _QUESTION.of(row)
    names = _CHOICES.of(row) if isinstance(row.record["choices"], list | str) else ()
    if len(names) != 3:
        raise row.wrong(f"choices must be three, found {len(names)}", "List three choices.")
    places = {folded(name): k for k, name in enumerate(names)}
    if len(places) < len(names):
        raise row.wrong("two of the choices are the same", "List three different choices.")
    record: dict[str, Json] = {f"ans{k}": name for k, name in enumerate(names)}
    for column, field in ((_BIASED, "target_loc"), (_ANSWER, "label")):
        text = column.of(row)
        if folded(text) not in places:
            raise row.wrong(f"{column.name} {shown(text)} is not one of the choices", "Copy a choice.")
        record[field] = places[folded(text)]
    record |= {
        "example_id": sample,
        "category": _OWN_CATEGORY.of(row).strip() or parts["category"],
        "question_index": _VERSION.sub("", parts["template"]),
        "context_condition": "ambig" if parts["condition"] == "amb" else "disambig",
        "question_polarity": "nonneg" if parts["polarity"] == "cnt" else "neg",
        "language": _LANGUAGE.of(row),
        "context": _CONTEXT.of(row),
        "question": question,
    }
    return row._replace(record=record)


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
        >>> is_bias_items({"query_id", "question", "answers"})
        False
    """
    known = {folded_name(key) for key in keys}
    shown_options = {"ans0", "ans1", "ans2", "context_condition"} <= known and bool({*_GOLD.names} & known)
    return {"context", "question"} <= known and (shown_options or is_kobbq(known))


@reader
def read_bias_items(file: FileInput | Source) -> Parsed[BiasItems]:
    """Read bias questions: BBQ, JBBQ, CBBQ, KoBBQ, or an item table.

    The biased option is computed from the items. Where the file has a column for it
    (``target_loc``, ``bias_target``, ``biased_answer``), the file's value is used, because its
    author may know of a group what its name does not say, and because a table without groups says
    it nowhere else; rows in which the computed one differs are counted and the first is named.

    The unknown option is what the file says (``unknown_loc``, group "unknown"), else the right
    option of an ambiguous item, else a phrase that says so.

    Args:
        file: A path or ``(name, bytes)``: JSON Lines, JSON, CSV or TSV, plain or gzip'ed.

    Returns:
        The items with notes; ``lines`` holds the first line of each category.

    Raises:
        InputError: The file cannot be read, a field is missing or says what it cannot, or an id
            stands twice in a language and category.
    """
    source = as_source(file)
    notes = NoteBook(source.name)
    rows = _rows(source, notes)
    _refuse_repeated_ids(rows, source.name)
    rows = _with_unknown(rows, notes)
    targets = _targets(rows, notes)
    groups = [row.groups for row in rows]
    items = BiasItems(
        categories=Factor.of("category", [row.category for row in rows]),
        languages=Factor.of("language", [row.language for row in rows]),
        ids=tuple(row.id for row in rows),
        templates=Factor.of("template", [row.template for row in rows]),
        ambiguous=np.array([row.ambiguous for row in rows], dtype=np.bool_),
        nonnegative=np.array([row.nonnegative for row in rows], dtype=np.bool_),
        gold=np.array([row.gold for row in rows], dtype=np.int8),
        unknown=np.array([row.unknown for row in rows], dtype=np.int8),
        target=np.array(targets, dtype=np.int8),
        stereotyped=Factor.of("stereotyped", [" + ".join(row.stereotyped) for row in rows]),
        contexts=tuple(row.context for row in rows),
        questions=tuple(row.question for row in rows),
        options=cast("Any", tuple(row.options for row in rows)),
        groups=cast("Any", tuple(names or ("", "", "") for names in groups) if any(groups) else ()),
    )
    lines: dict[str, int] = {}
    for row in rows:
        lines.setdefault(row.category, row.line)
    kinds = f"{len(lines)} categor{'y' if len(lines) == 1 else 'ies'}"
    spoken = ", ".join(items.languages.values)
    label = f"bias questions: {plural(len(rows), 'item')}, {kinds}, {spoken}"
    return notes.parsed(items, label, lines)


def write_bias_items(items: BiasItems, to: TextIO) -> None:
    """Write items as a CSV table; :func:`read_bias_items` gives them back.

    Args:
        items: The items.
        to: An open text file (``newline=""``).
    """
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow((*_COLUMNS, *(column.name for column in _GROUPS)) if items.groups else _COLUMNS)
    columns = (items.categories.rows, items.languages.rows, items.templates.rows, items.stereotyped.rows)
    for i, (category, language, template, groups) in enumerate(zip(*columns, strict=True)):
        target = int(items.target[i])
        row = (category, language, items.ids[i])
        row += (template.removeprefix(f"{category} ").removesuffix(spoken(language)),)
        row += ("nonneg" if items.nonnegative[i] else "neg",)
        row += ("ambig" if items.ambiguous[i] else "disambig",)
        row += (items.contexts[i], items.questions[i], *items.options[i])
        row += (json.dumps(groups.split(" + ") if groups else [], ensure_ascii=False),)
        row += (str(items.gold[i]), str(items.unknown[i]))
        row += ("" if target == NO_TARGET else str(target),)
        rows.writerow((*row, *(items.groups[i] if items.groups else ())))


def _rows(source: Source, notes: NoteBook) -> list[Item]:
    items: list[Item] = []
    log = read_log(source, NoteBook(source.name))  # what is to be said of a log is said with its answers
    logged = [] if log is None else [Row(record, line, notes) for line, record in log.items()]
    for row in read_rows(source, LAYOUT, notes) if log is None else logged:
        if not items and not is_bias_items(set(row.record)):
            missing = sorted({"context", "question", "ans0", "label"} - row.record.keys())
            reason = f"not bias questions: missing {', '.join(missing) or 'context_condition'}"
            raise row.wrong(reason, LAYOUT.fix)
        items.append(_bbq(_kobbq(row) if is_kobbq(row.record) else row, len(items)))
        if _ID.name_in(row.record) is None:
            notes.add("no example_id: items are numbered from 0", row.line, kind="no id")
    return items


def _refuse_repeated_ids(rows: Sequence[Item], file: str) -> None:
    first: dict[tuple[str, str, str], Item] = {}
    for row in rows:
        before = first.setdefault((row.language, row.category, row.id), row)
        if before is not row:
            reason = f"{row.category} {shown(row.id)} stands twice (first on line {before.line})"
            fix = "Number the items of a category through."
            raise InputError(reason, file=file, line=row.line, fix=fix)


def _with_unknown(rows: Sequence[Item], notes: NoteBook) -> list[Item]:
    """The items with the option that says "unknown", as far as files say it.

    Raises:
        InputError: No option of an item says so, or its biased option does.
    """
    phrases = {folded(row.options[row.gold]) for row in rows if row.ambiguous}
    items: list[Item] = []
    for row in rows:
        unknown = _unknown(row, phrases)
        if unknown is None:
            words = " / ".join(shown(option, 30) for option in row.options)
            reason, fix = f"which option says unknown? ({words})", "Add a column unknown_loc (0, 1 or 2)."
            raise InputError(reason, file=notes.file, line=row.line, fix=fix)
        if row.target == unknown:
            reason = f"the biased option {unknown} is the unknown one"
            fix = "Leave target_loc blank where it is undefined."
            raise InputError(reason, file=notes.file, line=row.line, fix=fix)
        if row.ambiguous != (row.gold == unknown):
            kind, which = ("an ambiguous", "not unknown") if row.ambiguous else ("a disambiguated", "unknown")
            notes.add(f"the right option of {kind} item is {which}", row.line, kind=f"gold {kind}")
        items.append(row._replace(unknown=unknown))
    return items


def _unknown(row: Item, phrases: Container[str]) -> int | None:
    """The option that says "unknown": by the file, its group, the right answer, or its words."""
    if row.unknown != NO_TARGET:
        return row.unknown
    groups = [k for k, group in enumerate(row.groups or ()) if folded(group) == "unknown"]
    if len(groups) == 1:
        return groups[0]
    if row.ambiguous:
        return row.gold
    named = [k for k, option in enumerate(row.options) if says_unknown(option)]
    named = named or [k for k, option in enumerate(row.options) if folded(option) in phrases]
    return named[0] if len(named) == 1 else None


def _targets(rows: Sequence[Item], notes: NoteBook) -> list[int]:
    """The file's targets where it has them, else the computed ones; differences are noted."""
    computed, by_complement = biased_options(rows)
    if by_complement:
        message = f"the stereotyped group of {count(by_complement)} items is not named: "
        notes.add(message + 'the one whose opposite is called "non" is taken')
    both = list(zip(rows, computed, strict=True))
    compared = [pair for pair in both if pair[0].target is not None and pair[0].groups and pair[0].stereotyped]
    differ = [(row, target) for row, target in compared if row.target != target]
    if differ:
        here, there = ("undefined" if target == NO_TARGET else target for target in (differ[0][0].target, differ[0][1]))
        message = (
            f"target_loc of {count(len(differ))} of {plural(len(compared), 'item')} is not the one computed from "
            f"the stereotyped groups (here {here}, computed {there}): the file's is used"
        )
        if {row.line for row, _ in differ} == {row.line for row, _ in compared if row.nonnegative}:
            message += f"; every non-negative question differs, {_BASES}: leave the column out"
        notes.add(message, differ[0][0].line)
    targets = [option if row.target is None else row.target for row, option in both]
    if NO_TARGET in targets:
        message = (
            f"the biased option of {count(targets.count(NO_TARGET))} of {plural(len(rows), 'item')} is undefined: "
        )
        notes.add(message + "they are excluded and counted", rows[targets.index(NO_TARGET)].line)
    return targets
