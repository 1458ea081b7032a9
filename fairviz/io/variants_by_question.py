"""Answers to demographic variants in Parquet, question by question: answers larger than memory.

What ``fairviz convert`` writes: a table of answers as any other (:mod:`fairviz.io.variant_rows`), in which all answers
to a question stand together, whoever gave them, in the order of the questions' first rows. So some questions are read
and counted alone, and what is drawn question by question is the same as of the original. What only all rows can tell,
such as which option an answer names, is decided when the file is written, and stands beside the words.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, BinaryIO

import numpy as np
import pyarrow

from fairviz.io.arrow import numbers_of, text_ids
from fairviz.io.converted import as_it_says, damaged, said_in
from fairviz.io.notes import Parsed
from fairviz.io.row_groups import (
    CODES,
    TEXTS,
    GroupWriter,
    coded,
    factor_among,
    factor_of,
    flat,
    numbers_or,
    offsets_in,
    read_groups,
)
from fairviz.io.source import Source
from fairviz.lookup import encoded
from fairviz.model import Factor, IntArray, Note, VariantAnswers
from fairviz.model.variants import UNKNOWN, AnswerKind, AnyRecorded

_pa: Any = pyarrow

KEY = b"fairviz variants"
"""Under it the file says what it is, in JSON."""
VERSION = 1

PLACE, QUESTION, VARIANT = "place", "qid", "variant"
GOLD, WORDS, GOLD_OPTION, CHOICE = "gold", "prediction", "gold_option", "choice"
ANSWERABLE, EVIDENCE, RETRIEVED, OFFERED, KIND = "answerable", "evidence", "retrieved", "options", "kind"
ATTRIBUTE, VALUE = "attribute", "value"

COLUMNS: dict[str, Any] = {
    **{QUESTION: CODES, ATTRIBUTE: CODES, VALUE: CODES, GOLD: _pa.string(), WORDS: _pa.string(), KIND: CODES},
    **{ANSWERABLE: _pa.int8(), EVIDENCE: _pa.int8(), RETRIEVED: TEXTS, OFFERED: TEXTS},
    **{VARIANT: _pa.int32(), GOLD_OPTION: _pa.int16(), CHOICE: _pa.int16(), PLACE: _pa.int64()},
}
"""Names and types of the columns that every file has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutVariants:
    """What a file says of itself.

    Attributes:
        name: What to call the answers.
        factors: Columns that say who answered how, and their values in the order of the original.
        attributes, values, conditions, kind: As in :class:`~fairviz.model.variants.VariantAnswers`.
        variants: (V) each variant that occurs: the code of its value of each attribute, and that of its condition.
        labels: (V) attribute and value of each, as a table has them.
        options: Options that are right or chosen.
        places: Where each option that could have been named stands among these; −1 = nowhere; the last is of none.
        recorded: What any answer records.
        offered: Whether options of questions are recorded.
        kinds: Each combination of who answered how with a variant: codes of the factors, and the variant.
        n_questions: How many there are.
        sizes: Answers in each row group.
        notes: What reading the original left to be known: lines and messages.
    """

    name: str
    factors: dict[str, tuple[str, ...]]
    attributes: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    conditions: tuple[str, ...]
    kind: AnswerKind
    variants: tuple[tuple[int, ...], ...]
    labels: tuple[tuple[str, str], ...]
    options: tuple[str, ...] = ()
    places: tuple[int, ...] = (UNKNOWN,)
    recorded: AnyRecorded = field(default_factory=AnyRecorded)
    offered: bool = False
    kinds: tuple[tuple[int, ...], ...] = ()
    n_questions: int = 0
    sizes: tuple[int, ...] = ()
    notes: tuple[tuple[int | None, str], ...] = ()


@dataclass(frozen=True)
class StoredVariants:
    """A file of answers, of which any row groups can be read.

    Attributes:
        path: Where it is; every process that reads of it finds it there.
        about: What it says of itself.
    """

    path: str
    about: AboutVariants

    def notes(self, file: str) -> tuple[Note, ...]:
        """What reading the original left to be known."""
        return tuple(Note(file, line, message) for line, message in self.about.notes)

    @property
    def kinds(self) -> VariantAnswers:
        """One answer of each kind, of which nothing is known but who gave it, how, and to which variant."""
        kinds = np.array(self.about.kinds, dtype=np.int64).reshape(-1, len(self.about.factors) + 1)
        n = len(kinds)
        nothing, none = Factor("", ("",), np.zeros(n, dtype=np.int32)), np.full(n, UNKNOWN, dtype=np.int16)
        return self._noun(
            factors=tuple(
                Factor(name, values, kinds[:, i].astype(np.int32))
                for i, (name, values) in enumerate(self.about.factors.items())
            ),
            question_ids=("",),
            questions=nothing.codes,
            variants=kinds[:, -1],
            golds=none,
            choices=none,
            gold_words=nothing,
            words=nothing,
            answerable=none.astype(np.int8),
            evidence=none.astype(np.int8),
            doc_ids=(),
            retrieved_offsets=np.zeros(n + 1, dtype=np.int64),
            retrieved=np.zeros(0, dtype=np.int32),
            offered=None,
        )

    def question_ids(self, first: int, behind: int) -> tuple[str, ...]:
        """The questions of some row groups."""
        return _asked(read_groups(self.path, range(first, behind), [QUESTION])).values

    def part(self, first: int, behind: int) -> VariantAnswers:
        """The answers of some row groups, question by question; codes of questions, words and documents are its own."""
        return self._answers(read_groups(self.path, range(first, behind)))

    def whole(self) -> VariantAnswers:
        """All answers, in the order of the original."""
        table = read_groups(self.path, range(len(self.about.sizes))).combine_chunks()
        return self._answers(table.take(_pa.array(np.argsort(numbers_of(table[PLACE].chunks)))))

    def _answers(self, table: Any) -> VariantAnswers:
        about = self.about
        asked = _asked(table)
        places = np.array(about.places, dtype=np.int16)
        with as_it_says(self.path):
            return self._noun(
                factors=tuple(factor_among(name, values, table[name].chunks) for name, values in about.factors.items()),
                question_ids=asked.values,
                questions=asked.codes,
                variants=numbers_of(table[VARIANT].chunks).astype(np.int64),
                golds=places[numbers_or(UNKNOWN, table[GOLD_OPTION].chunks)],
                choices=places[numbers_or(UNKNOWN, table[CHOICE].chunks)],
                gold_words=factor_of(GOLD, table[GOLD].chunks),
                words=factor_of(WORDS, table[WORDS].chunks),
                answerable=numbers_or(UNKNOWN, table[ANSWERABLE].chunks),
                evidence=numbers_or(UNKNOWN, table[EVIDENCE].chunks),
                **_documents(table[RETRIEVED].chunks),
                offered=_offered(table) if about.offered else None,
            )

    def _noun(self, *, variants: IntArray, **columns: Any) -> VariantAnswers:
        about = self.about
        codes = np.array(about.variants, dtype=np.int16).reshape(-1, len(about.attributes) + 1)
        return VariantAnswers(
            name=about.name,
            attributes=about.attributes,
            values=about.values,
            given=codes[variants, :-1],
            conditions=about.conditions,
            condition=codes[variants, -1],
            kind=about.kind,
            options=about.options,
            **columns,
        )


def _asked(table: Any) -> Factor:
    return factor_of(QUESTION, [piece.dictionary_decode() for piece in table[QUESTION].chunks])


def _documents(lists: Sequence[Any]) -> dict[str, Any]:
    """Documents of each row, and their ids in the order of the first row that has them."""
    codes, ids = encoded([text_ids(piece) for piece in flat(lists)])
    return {"doc_ids": tuple(ids), "retrieved_offsets": offsets_in(lists), "retrieved": codes}


def _offered(table: Any) -> Factor:
    cells = [json.dumps(words or [], ensure_ascii=False) for words in table[OFFERED].to_pylist()]
    return Factor.of(OFFERED, cells)


def stored_variants(path: str | os.PathLike[str]) -> StoredVariants | None:
    """The file, where it is one of ours; nothing but its last lines is read.

    Raises:
        InputError: It is damaged, or was written by another version.
    """
    found = said_in(path, KEY, VERSION)
    if found is None:
        return None
    with as_it_says(path):
        found.said["recorded"] = AnyRecorded(*found.said["recorded"])
        stored = StoredVariants(str(path), about := AboutVariants(**found.said))
        if about.sizes != found.sizes or {*COLUMNS, *about.factors} - found.columns:
            raise damaged(path)
        stored.kinds  # noqa: B018 -- whether all that it names is there
    return stored


def variants_in_memory(source: Source) -> Parsed[VariantAnswers] | None:
    """All of a converted file; None where it is none."""
    stored = None if source.path is None else stored_variants(source.path)
    if stored is None:
        return None
    notes = stored.notes(source.name)
    return Parsed(
        value=stored.whole(), file=source.name, format="converted answers to demographic variants", notes=notes
    )


class Writer(GroupWriter):
    """Writes a file some questions at a time.

    Args:
        to: An open file.
        about: What it will say of itself as far as it is known before.
    """

    def __init__(self, to: BinaryIO, about: AboutVariants) -> None:
        schema = _pa.schema([*COLUMNS.items(), *((name, CODES) for name in about.factors)])
        super().__init__(to, schema, write_statistics=False)
        self._about = about

    def write(self, columns: Mapping[str, Any]) -> None:
        """Write a row group: all answers to some questions.

        Args:
            columns: Questions, texts and lists as Arrow has them, all else as arrays: the codes of factors, variants
                and candidates.
        """
        about, cells = self._about, dict(columns)
        variants = _pa.array(cells[VARIANT].astype(np.int32))
        for name, values in about.factors.items():
            cells[name] = coded(cells[name], values)
        for place, name in enumerate((ATTRIBUTE, VALUE)):
            names = list(dict.fromkeys(label[place] for label in about.labels))
            codes = np.array([names.index(label[place]) for label in about.labels], dtype=np.int32)
            cells[name] = coded(codes[cells[VARIANT]], names)
        cells[KIND] = coded(np.zeros(len(variants), dtype=np.int32), (about.kind,))
        cells[VARIANT] = variants
        for name in (ANSWERABLE, EVIDENCE, GOLD_OPTION, CHOICE):
            cells[name] = _pa.array(cells[name], mask=cells[name] == UNKNOWN)
        self._add(cells)

    def close(self, **known: Any) -> AboutVariants:
        """Write what the file says of itself, and end it.

        Args:
            known: What is known of it only now, by the names of :class:`AboutVariants`.
        """
        about = replace(self._about, sizes=tuple(self.sizes), **known)
        self._end(KEY, VERSION, asdict(about))
        return about
