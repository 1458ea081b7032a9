"""Questions that test for social bias, in the layouts of BBQ and its sisters.

The target rule is in :mod:`fairviz.io.bbq_targets`.
"""

import csv
import json
import re
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, NamedTuple, TextIO, cast

import numpy as np

from fairviz.errors import InputError
from fairviz.io.answer_table import answer_table
from fairviz.io.bbq_targets import (
    Sides,
    as_text,
    biased_options,
    folded,
    is_ambiguous,
    is_nonnegative,
    language_named,
    language_of,
    option_named,
    says_unknown,
)
from fairviz.io.json import Json
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source
from fairviz.model import BiasItems, Factor
from fairviz.model.bias import NO_TARGET

# Records of bias questions in the layouts of BBQ, JBBQ, CBBQ, KoBBQ and flat tables.
#
# ====== ============================================================================================
# BBQ    ``example_id question_index question_polarity context_condition category context question
#        ans0 ans1 ans2 label``, ``answer_info {ans0: [text, group], …}`` and ``additional_metadata
#        {subcategory, stereotyped_groups, …}`` (Parrish et al. 2022)
# JBBQ   as BBQ; ``additional_metadeta`` (so spelt) holds the source (Yanaka et al. 2024)
# CBBQ   flat, ``ambiguous | disambiguous``, ``bias_targeted_groups`` a phrase; numbers are strings
#        (Huang and Xiong 2024)
# KoBBQ  ``sample_id`` = category-template and version-fillers-amb|dis-bsd|cnt, ``choices`` a list of
#        three, ``biased_answer`` and ``answer`` in words (Jin et al. 2024)
# table  ``text0 … group2``, ``stereotyped_groups`` as a JSON list, ``unknown_loc``, ``target_loc``
# ====== ============================================================================================


Record = dict[str, Json]

_IDS = ("example_id", "sample_id", "item_id", "id")

_STEREOTYPED = ("stereotyped_groups", "bias_targeted_groups")

_UNKNOWN_COLUMNS = ("unknown_loc", "unknown_id")

_TARGET_COLUMNS = ("target_loc", "bias_target")

_KOBBQ_ID = re.compile(r"(?P<category>.+)-(?P<template>\w+)-(?P<fillers>\w+)-(amb|dis)-(bsd|cnt)")

_VERSION = re.compile(r"[a-z]+$")

_PYTHON_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")

_PYTHON_LIST = re.compile(rf"\[\s*(?:(?:{_PYTHON_TEXT.pattern})\s*(?:,\s*(?:{_PYTHON_TEXT.pattern})\s*)*)?\]")

_ESCAPED = re.compile(r"\\(['\"\\])")

_SEPARATOR = re.compile(r"\s*[;,|、，；]\s*")


class RawItem(NamedTuple):
    """One record as it is read; ``gold`` and ``unknown`` not yet checked against each other.

    Attributes:
        unknown: The option that the file says is "unknown"; None where it does not say.
        target: The biased option that the file says, :data:`NO_TARGET` for "undefined"; None where
            the file does not say.
        groups: Groups of the options; None where the file has none.
    """

    line: int
    category: str
    language: str
    id: str
    question_index: str
    ambiguous: bool
    nonnegative: bool
    gold: int
    unknown: int | None
    target: int | None
    context: str
    question: str
    options: tuple[str, str, str]
    texts: tuple[str, str, str]
    groups: tuple[str, str, str] | None
    stereotyped: tuple[str, ...]


def is_kobbq(record: Record | set[str]) -> bool:
    """Whether a record has KoBBQ's fields."""
    return "choices" in record and "biased_answer" in record


def raw_item(record: Record, line: int, file: str, number: int) -> RawItem:
    """A record in whichever layout it has.

    Args:
        record: Its fields, keys in lower case.
        line: Where it stands.
        file: Name of the file.
        number: How many records stand before it, the id of a record that has none.

    Raises:
        InputError: A field is missing or says what it cannot.
    """
    fields = _Fields(record, line, file)
    return _kobbq(fields) if is_kobbq(record) else _bbq(fields, number)


class _Fields(NamedTuple):
    record: Record
    line: int
    file: str

    def text(self, key: str) -> str:
        """A field that must not be empty."""
        value = self.optional(key)
        if not value.strip():
            found = ", ".join(shown(name, 20) for name in list(self.record)[:12])
            what = f"{key} is empty" if key in self.record else f"missing {key} (found: {found})"
            raise self.wrong(what, f"Give {key} in every row.")
        return value

    def optional(self, *keys: str) -> str:
        """The first of these fields that is there, "" for none."""
        for key in keys:
            if key in self.record:
                value = self.record[key]
                text = value if isinstance(value, str) else as_text(value)
                if text is None:
                    raise self.wrong(f"{key} must be text", f"Give {key} as text.")
                return text
        return ""

    def said(self, key: str, reading: Callable[[str], bool | None], choices: str) -> bool:
        text = self.text(key)
        value = reading(text)
        if value is None:
            raise self.wrong(f"{key} {shown(text)} is not known", f"Write {choices}.")
        return value

    def option(self, *keys: str) -> int | None:
        """An option by number, None where the field is absent or blank."""
        text = self.optional(*keys).strip()
        if not text or text.casefold() in ("nan", "none", "na"):
            return None
        value = option_named(text)
        if value is None:
            key = next(key for key in keys if key in self.record)
            raise self.wrong(f"{key} must be 0, 1 or 2, found {shown(text)}", "Number from 0.")
        return value

    def wrong(self, reason: str, fix: str) -> InputError:
        return InputError(reason, file=self.file, line=self.line, fix=fix)


def _bbq(fields: _Fields, number: int) -> RawItem:
    record = fields.record
    options = (fields.text("ans0"), fields.text("ans1"), fields.text("ans2"))
    texts, groups = _about_options(fields, options)
    question = fields.text("question")
    gold = fields.option("label")
    if gold is None:
        raise fields.wrong("label is missing: the right option", "Give label as 0, 1 or 2.")
    stereotyped = _stereotyped(fields)
    target: int | None = None
    if any(column in record for column in _TARGET_COLUMNS):
        chosen = fields.option(*_TARGET_COLUMNS)
        target = NO_TARGET if chosen is None else chosen
    return RawItem(
        line=fields.line,
        category=fields.text("category").strip(),
        language=_language(fields, question, cbbq="bias_targeted_groups" in record),
        id=fields.optional(*_IDS).strip() or str(number),
        question_index=fields.optional("question_index", "template", "template_id").strip() or question,
        ambiguous=fields.said("context_condition", is_ambiguous, "ambig or disambig"),
        nonnegative=fields.said("question_polarity", is_nonnegative, "neg or nonneg"),
        gold=gold,
        unknown=fields.option(*_UNKNOWN_COLUMNS),
        target=target,
        context=fields.text("context"),
        question=question,
        options=options,
        texts=texts,
        groups=groups,
        stereotyped=stereotyped,
    )


def _about_options(
    fields: _Fields, options: tuple[str, str, str]
) -> tuple[tuple[str, str, str], tuple[str, str, str] | None]:
    """Short texts and groups of the options, from ``answer_info`` or columns of a table."""
    info = fields.record.get("answer_info")
    if isinstance(info, dict):
        pairs: list[tuple[str, str]] = []
        for key in ("ans0", "ans1", "ans2"):
            pair = info.get(key)
            if not isinstance(pair, list) or not 1 <= len(pair) <= 2:
                reason = f"answer_info {key} must be [text, group]"
                raise fields.wrong(reason, "Give text and group of each option.")
            said = [as_text(value) or "" for value in pair]
            pairs.append((said[0], said[-1] if len(said) == 2 else ""))
        one, two, three = pairs
        return (one[0], two[0], three[0]), (one[1], two[1], three[1])
    if all(f"group{k}" in fields.record for k in range(3)):
        groups = (fields.optional("group0"), fields.optional("group1"), fields.optional("group2"))
        if all(f"text{k}" in fields.record for k in range(3)):
            texts = (fields.optional("text0"), fields.optional("text1"), fields.optional("text2"))
            return texts, groups
        return options, groups
    return options, None


def _stereotyped(fields: _Fields) -> tuple[str, ...]:
    metadata = fields.record.get("additional_metadata", fields.record.get("additional_metadeta"))
    within = cast(Record, metadata) if isinstance(metadata, dict) else {}
    for record in (fields.record, within):
        for key in _STEREOTYPED:
            if key in record:
                return _names(record[key], fields)
    return ()


def _names(value: Json, fields: _Fields) -> tuple[str, ...]:
    """Names in a list, a JSON or Python list in a cell, or a phrase."""
    if isinstance(value, str) and value.strip().startswith("["):
        value = _list_in(value, fields)
    if isinstance(value, list):
        return tuple(text.strip() for each in value if (text := as_text(each)))
    text = as_text(value) or ""
    return tuple(name for name in _SEPARATOR.split(text.strip()) if name)


def _list_in(cell: str, fields: _Fields) -> list[Json]:
    text = cell.strip()
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list):
        return cast(list[Json], value)
    if _PYTHON_LIST.fullmatch(text):
        return [_unescaped(found[1:-1]) for found in _PYTHON_TEXT.findall(text)]
    reason = f"not a list: {shown(cell)}"
    raise fields.wrong(reason, 'Write a JSON list, such as ["old"].')


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _language(fields: _Fields, question: str, *, cbbq: bool = False) -> str:
    named = fields.optional("language", "lang")
    if named.strip():
        return language_named(named)
    return "Chinese" if cbbq else language_of(question + fields.optional("context"))


def _kobbq(fields: _Fields) -> RawItem:
    sample = fields.text("sample_id").strip()
    found = _KOBBQ_ID.fullmatch(sample)
    if found is None:
        reason = f"sample_id {shown(sample)} is not category-template-fillers-amb|dis-bsd|cnt"
        raise fields.wrong(reason, "Keep KoBBQ's sample_id.")
    question, choices = fields.text("question"), fields.record["choices"]
    names = _names(choices, fields) if isinstance(choices, list | str) else ()
    if len(names) != 3:
        raise fields.wrong(f"choices must be three, found {len(names)}", "List three choices.")
    options = (names[0], names[1], names[2])
    places = {folded(name): k for k, name in enumerate(options)}
    said: list[int] = []
    for key in ("biased_answer", "answer"):
        text = fields.text(key)
        if folded(text) not in places:
            raise fields.wrong(f"{key} {shown(text)} is not one of the choices", "Copy a choice.")
        said.append(places[folded(text)])
    ambiguous = sample.rsplit("-", 2)[1] == "amb"
    category = fields.optional("category").strip() or found["category"]
    return RawItem(
        line=fields.line,
        category=category,
        language=_language(fields, question),
        id=sample,
        question_index=_VERSION.sub("", found["template"]),
        ambiguous=ambiguous,
        nonnegative=sample.endswith("cnt"),
        gold=said[1],
        unknown=None,
        target=said[0],
        context=fields.text("context"),
        question=question,
        options=options,
        texts=options,
        groups=None,
        stereotyped=(),
    )


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
    known = {key.strip().lower() for key in keys}
    shown_options = {"ans0", "ans1", "ans2", "label", "context_condition"} <= known
    return {"context", "question"} <= known and (shown_options or is_kobbq(known))


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
    unknown = _unknown_options(rows, notes)
    templates = [_template(row) for row in rows]
    targets = _targets(rows, unknown, templates, notes)
    items = BiasItems(
        categories=Factor.of("category", [row.category for row in rows]),
        languages=Factor.of("language", [row.language for row in rows]),
        ids=tuple(row.id for row in rows),
        templates=Factor.of("template", templates),
        ambiguous=np.array([row.ambiguous for row in rows], dtype=np.bool_),
        nonnegative=np.array([row.nonnegative for row in rows], dtype=np.bool_),
        gold=np.array([row.gold for row in rows], dtype=np.int8),
        unknown=np.array(unknown, dtype=np.int8),
        target=np.array(targets, dtype=np.int8),
        stereotyped=Factor.of("stereotyped", [" + ".join(row.stereotyped) for row in rows]),
        contexts=tuple(row.context for row in rows),
        questions=tuple(row.question for row in rows),
        options=tuple(row.options for row in rows),
    )
    lines: dict[str, int] = {}
    for row in rows:
        lines.setdefault(row.category, row.line)
    kinds = f"{len(lines)} categor{'y' if len(lines) == 1 else 'ies'}"
    spoken = ", ".join(items.languages.values)
    label = f"bias questions: {len(rows):,} items, {kinds}, {spoken}"
    return Parsed(value=items, file=source.name, format=label, notes=notes.collected, lines=lines)


def write_bias_items(items: BiasItems, to: TextIO) -> None:
    """Write items as a CSV table; :func:`read_bias_items` gives them back.

    Groups of single options are not kept by the noun, so the table says the target.

    Args:
        items: The items.
        to: An open text file (``newline=""``).
    """
    rows = csv.writer(to, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for i, identifier in enumerate(items.ids):
        category = items.categories.values[int(items.categories.codes[i])]
        language = items.languages.values[int(items.languages.codes[i])]
        template = items.templates.values[int(items.templates.codes[i])]
        groups = items.stereotyped.values[int(items.stereotyped.codes[i])]
        target = int(items.target[i])
        row = (category, language, identifier)
        row += (template.removeprefix(f"{category} ").removesuffix(_spoken(language)),)
        row += ("nonneg" if items.nonnegative[i] else "neg",)
        row += ("ambig" if items.ambiguous[i] else "disambig",)
        row += (items.contexts[i], items.questions[i], *items.options[i])
        row += (json.dumps(groups.split(" + ") if groups else [], ensure_ascii=False),)
        row += (str(items.gold[i]), str(items.unknown[i]))
        rows.writerow((*row, "" if target == NO_TARGET else str(target)))


def _rows(source: Source, notes: NoteBook) -> list[RawItem]:
    table = answer_table(source, notes)
    rows: list[RawItem] = []
    with closing(table.records) as records:
        for line, record in records:
            if not rows and not is_bias_items(set(record)):
                missing = sorted({"context", "question", "ans0", "label"} - record.keys())
                reason = f"not bias questions: missing {', '.join(missing) or 'context_condition'}"
                fix = "Known are the fields of BBQ, JBBQ, CBBQ and KoBBQ, and item tables."
                raise InputError(reason, file=source.name, line=line, fix=fix)
            rows.append(raw_item(record, line, source.name, len(rows)))
            if not {"example_id", "sample_id", "item_id", "id"} & record.keys():
                notes.add("no example_id: items are numbered from 0", line, kind="no id")
    return rows


def _template(row: RawItem) -> str:
    return f"{row.category} {row.question_index}{_spoken(row.language)}"


def _spoken(language: str) -> str:
    """What tells templates of other languages apart."""
    return "" if language == "English" else f" ({language})"


def _refuse_repeated_ids(rows: Sequence[RawItem], file: str) -> None:
    first: dict[tuple[str, str, str], RawItem] = {}
    for row in rows:
        before = first.setdefault((row.language, row.category, row.id), row)
        if before is not row:
            reason = f"{row.category} {shown(row.id)} stands twice (first on line {before.line})"
            fix = "Number the items of a category through."
            raise InputError(reason, file=file, line=row.line, fix=fix)


def _unknown_options(rows: Sequence[RawItem], notes: NoteBook) -> list[int]:
    phrases = {folded(row.options[row.gold]) for row in rows if row.ambiguous}
    found: list[int] = []
    for row in rows:
        unknown = row.unknown
        if unknown is None and row.groups is not None:
            said = [k for k, group in enumerate(row.groups) if folded(group) == "unknown"]
            unknown = said[0] if len(said) == 1 else None
        if unknown is None and row.ambiguous:
            unknown = row.gold
        if unknown is None:
            said = [k for k, option in enumerate(row.options) if says_unknown(option)]
            said = said or [k for k, option in enumerate(row.options) if folded(option) in phrases]
            unknown = said[0] if len(said) == 1 else None
        if unknown is None:
            words = " / ".join(shown(option, 30) for option in row.options)
            reason = f"which option says unknown? ({words})"
            fix = "Add a column unknown_loc (0, 1 or 2)."
            raise InputError(reason, file=notes.file, line=row.line, fix=fix)
        if row.target == unknown:
            reason = f"the biased option {unknown} is the unknown one"
            fix = "Leave target_loc blank where it is undefined."
            raise InputError(reason, file=notes.file, line=row.line, fix=fix)
        if row.ambiguous != (row.gold == unknown):
            kind = "ambiguous" if row.ambiguous else "disambiguated"
            which = "not unknown" if row.ambiguous else "unknown"
            message = f"the right option of an {kind} item is {which}"
            notes.add(message.replace("an dis", "a dis"), row.line, kind=f"gold {kind}")
        found.append(unknown)
    return found


def _targets(rows: Sequence[RawItem], unknown: Sequence[int], templates: Sequence[str], notes: NoteBook) -> list[int]:
    """The file's targets where it has them, else the computed ones; differences are noted."""
    sides = [
        Sides(
            row.category,
            name,
            row.nonnegative,
            k,
            row.options,
            row.texts,
            row.groups,
            row.stereotyped,
        )
        for row, name, k in zip(rows, templates, unknown, strict=True)
    ]
    computed = biased_options(sides)
    if computed.by_complement:
        message = f"the stereotyped group of {computed.by_complement:,} items is not named: "
        notes.add(message + 'the one whose opposite is called "non" is taken')
    targets = [found if row.target is None else row.target for row, found in zip(rows, computed.targets, strict=True)]
    _note_differences(rows, computed.targets, notes)
    undefined = [row for row, target in zip(rows, targets, strict=True) if target == NO_TARGET]
    if undefined:
        message = f"the biased option of {len(undefined):,} of {len(rows):,} items is undefined: "
        notes.add(message + "they are excluded and counted", undefined[0].line)
    return targets


def _note_differences(rows: Sequence[RawItem], computed: Sequence[int], notes: NoteBook) -> None:
    compared = [
        (row, target)
        for row, target in zip(rows, computed, strict=True)
        if row.target is not None and row.groups is not None and row.stereotyped
    ]
    differ = [(row, target) for row, target in compared if row.target != target]
    if not differ:
        return
    row, target = differ[0]
    names = {NO_TARGET: "undefined"}
    message = (
        f"target_loc of {len(differ):,} of {len(compared):,} items is not the one computed from "
        f"the stereotyped groups (here {names.get(row.target or 0, row.target)}, computed "
        f"{names.get(target, target)}): the file's is used"
    )
    nonnegative = sum(row.nonnegative for row, _ in compared)
    if len(differ) == nonnegative and all(row.nonnegative for row, _ in differ):
        message += f"; every non-negative question differs, {_BASES}: leave the column out"
    notes.add(message, row.line)
