"""Questions that test for social bias, in the layouts of BBQ and its sisters.

Layouts: :mod:`fairviz.formats.bias_layouts`; the target rule: :mod:`fairviz.formats.bias_targets`.
"""

import csv
import json
from collections.abc import Sequence
from contextlib import closing
from typing import TextIO

import numpy as np

from fairviz.errors import InputError
from fairviz.formats.answer_table import answer_table
from fairviz.formats.bias_layouts import RawItem, is_kobbq, raw_item
from fairviz.formats.bias_targets import Sides, biased_options
from fairviz.formats.bias_words import folded, says_unknown
from fairviz.formats.notes import NoteBook, Parsed, shown
from fairviz.formats.source import FileInput, Source, as_source
from fairviz.model import BiasItems, Factor
from fairviz.model.bias import NO_TARGET

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
    book = NoteBook(source.name)
    rows = _rows(source, book)
    _refuse_repeated_ids(rows, source.name)
    unknown = _unknown_options(rows, book)
    templates = [_template(row) for row in rows]
    targets = _targets(rows, unknown, templates, book)
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
    return Parsed(value=items, file=source.name, format=label, notes=book.notes, lines=lines)


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


def _rows(source: Source, book: NoteBook) -> list[RawItem]:
    table = answer_table(source, book)
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
                book.add("no example_id: items are numbered from 0", line, kind="no id")
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


def _unknown_options(rows: Sequence[RawItem], book: NoteBook) -> list[int]:
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
            raise InputError(reason, file=book.file, line=row.line, fix=fix)
        if row.target == unknown:
            reason = f"the biased option {unknown} is the unknown one"
            fix = "Leave target_loc blank where it is undefined."
            raise InputError(reason, file=book.file, line=row.line, fix=fix)
        if row.ambiguous != (row.gold == unknown):
            kind = "ambiguous" if row.ambiguous else "disambiguated"
            which = "not unknown" if row.ambiguous else "unknown"
            message = f"the right option of an {kind} item is {which}"
            book.add(message.replace("an dis", "a dis"), row.line, kind=f"gold {kind}")
        found.append(unknown)
    return found


def _targets(rows: Sequence[RawItem], unknown: Sequence[int], templates: Sequence[str], book: NoteBook) -> list[int]:
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
        book.add(message + 'the one whose opposite is called "non" is taken')
    targets = [found if row.target is None else row.target for row, found in zip(rows, computed.targets, strict=True)]
    _note_differences(rows, computed.targets, book)
    undefined = [row for row, target in zip(rows, targets, strict=True) if target == NO_TARGET]
    if undefined:
        message = f"the biased option of {len(undefined):,} of {len(rows):,} items is undefined: "
        book.add(message + "they are excluded and counted", undefined[0].line)
    return targets


def _note_differences(rows: Sequence[RawItem], computed: Sequence[int], book: NoteBook) -> None:
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
    book.add(message, row.line)
