"""Questions that test for bias: retrieve, ask, write down.

The settings are those of Zhang et al. (2025), 4.2: without retrieval, and with the k best
documents of the full collection, of its stereotypical half and of its anti-stereotypical half. The
query is the context with the question.

Examples stand before a question, and the items that they are leave scoring (Zhang et al. 2025, appendix D).

The paper draws eight at random among the items of the bias type in the language: four ambiguous ones, two whose right
answer is the biased option, two whose right answer is the other one. They stand at the beginning of the prompt.

Where it is silent, this is ours: an example shows context, question, options and the right letter, and no documents;
the eight come in the order ambiguous, stereotyped, ambiguous, counter-stereotyped, and again, which also says what any
other number is made of, so that fewer examples are the first of more; the same ones stand before every question of
their language and category, in every setting and for every model; and no item that is an example of any prompt is
scored in any setting, also not without examples, so that all settings are compared on the same items.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise, product
from typing import Literal, NamedTuple, TextIO, TypeAlias

import polars as pl

from fairviz.errors import UndefinedError
from fairviz.experiments.asking import Answers, Files, Question, QuestionSource, Step
from fairviz.experiments.config import FULL, SETTINGS, WITHOUT, BiasConfig, DocumentTable
from fairviz.experiments.protocols import Document, Prompt, printed_prompt, read_answer
from fairviz.experiments.questions import chance, option_order
from fairviz.experiments.retrievers import retrieved_run, retriever_of
from fairviz.experiments.store import Store, in_parts
from fairviz.io.answer_table import AnswerColumn, one_string, read_rows
from fairviz.io.answer_text import LETTERS
from fairviz.io.bbq import read_bias_items, write_bias_items
from fairviz.io.names import folded, is_blank
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.rankings import write_run
from fairviz.io.source import Source, reader
from fairviz.model import BiasItems, Note, Run
from fairviz.model.answers import NO_TARGET
from fairviz.numerals import plural
from fairviz.studies.social_bias.answers import merged_items

POLARITIES = ("stereo", "anti", "neutral")
"""Of documents; a neutral one is in the full collection alone."""

Case: TypeAlias = Literal["ambiguous", "stereotyped", "counter-stereotyped", "undefined"]
"""What the right answer is: "unknown", the biased option, the other one; or the biased option is undefined."""


class BiasQuestion(NamedTuple):
    """One item, as it is asked.

    Attributes:
        category: Bias type.
        example_id: Its id, unique in a language and category.
        language: In which it is asked.
        context, question, options: Its words.
        gold: Place of the right option.
        case: What its right answer says of the stereotype.
    """

    category: str
    example_id: str
    language: str
    context: str
    question: str
    options: tuple[str, ...]
    gold: int
    case: Case


class Material(NamedTuple):
    """What an experiment on bias starts from.

    Attributes:
        questions: The items in the order of their files.
        write_items: Writes the items of some places, in their order, with all that their analysis needs.
        documents: The full collection.
        documents_file: Where they are from, for errors.
        notes: What the readers repaired.
    """

    questions: Sequence[BiasQuestion]
    write_items: Callable[[Sequence[int], TextIO], object]
    documents: Sequence[Document]
    documents_file: str
    notes: tuple[Note, ...]


def material_of_files(settings: BiasConfig) -> Material:
    """The items of BBQ, CBBQ, KoBBQ or JBBQ files, and documents of one's own.

    An item that stands in two files is asked once.

    Raises:
        InputError: A file cannot be read, or two different items have one language, category and id.
    """
    parsed = [read_bias_items(str(path)) for path in settings.items]
    merged = merged_items([part.value for part in parsed])
    if settings.limit is not None:
        merged = BiasItems(merged.frame.head(settings.limit))
    if settings.shuffle:
        merged = shuffled_items(merged, settings.seed)
    notes = tuple(note for part in parsed for note in part.notes)
    documents: Sequence[Document] = ()
    if settings.corpus is not None:
        table = read_polar_documents(str(settings.corpus.file), settings.corpus)
        documents, notes = table.value, (*notes, *table.notes)

    def write_items(places: Sequence[int], to: TextIO) -> None:
        write_bias_items(BiasItems(merged.frame[sorted(places)]), to)

    return Material(
        questions=list(_questions(merged)),
        write_items=write_items,
        documents=documents,
        documents_file=str(settings.corpus.file) if settings.corpus else "",
        notes=notes,
    )


@reader
def read_polar_documents(source: Source, columns: DocumentTable) -> Parsed[list[Document]]:
    """Read documents with their polarity from a table: TSV, CSV, JSON Lines or Parquet, plain or gzip'ed.

    In TSV a quote is a character of the text, as collections are written, and nothing is quoted.

    Args:
        source: The table.
        columns: What its columns are called; a column of titles may be missing.

    Raises:
        InputError: A column is missing, an id or a text is empty, an id stands twice, or a polarity is none.
    """
    notes = NoteBook(source.name)
    required = tuple(map(folded, (columns.id, columns.text, columns.polarity)))
    of_id, of_text, of_polarity = (AnswerColumn(one_string, (name,), filled=True) for name in required)
    of_title = AnswerColumn(one_string, (folded(columns.title),))
    fix = "Say in corpus = { … } what the columns of id, text and polarity are called."
    documents: list[Document] = []
    lines: dict[str, int] = {}
    for row in read_rows(source, fix, notes, required=required, quoted_tabs=False):
        doc_id = of_id.of(row).strip()
        if lines.setdefault(doc_id, row.line) != row.line:
            raise row.wrong(f"{columns.id} {shown(doc_id)} stands twice (first on line {lines[doc_id]})", "Keep one.")
        polarity = of_polarity.of(row).strip().lower()
        if polarity not in POLARITIES:
            reason = f"{columns.polarity} {shown(polarity)} is none of {', '.join(POLARITIES)}"
            raise row.wrong(reason, "Write one of them.")
        title = of_title.of(row).strip()
        documents.append(Document(doc_id, "" if is_blank(title) else title, of_text.of(row).strip(), polarity))
    label = f"{plural(len(documents), 'document')} with polarity"
    return notes.parsed(documents, label, lines)


def write_documents(documents: Sequence[Document], to: TextIO) -> None:
    """Write documents as JSON Lines, a title where there is one."""
    for document in documents:
        record = {"doc_id": document.doc_id, "text": document.text, "polarity": document.polarity}
        if document.title:
            record["title"] = document.title
        to.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_polarity(documents: Sequence[Document], to: TextIO) -> None:
    """Write the polarity of documents as group labels."""
    to.write("doc_id\tpolarity\n")
    to.writelines(f"{document.doc_id}\t{document.polarity}\n" for document in documents)


def shuffled_items(items: BiasItems, seed: int) -> BiasItems:
    """The items with the options of each in an order of its own."""
    names = (f"{q.language} {q.category} {q.example_id}" for q in _questions(items))
    orders = [option_order(3, seed, name) for name in names]
    order = pl.Series(orders, dtype=pl.List(pl.Int8))
    places = pl.lit(order).list.eval(pl.element().arg_sort())  # where each option went
    return BiasItems(
        items.frame.with_columns(
            *(places.list.get(pl.col(name)).cast(pl.Int8).alias(name) for name in ("gold", "unknown")),
            pl.col("options", "groups").list.gather(order),
            target=pl.when(pl.col("target") == NO_TARGET)
            .then(NO_TARGET)
            .otherwise(places.list.get(pl.col("target")))
            .cast(pl.Int8),
        )
    )


def _questions(items: BiasItems) -> list[BiasQuestion]:
    names = ("category", "id", "language", "context", "question", "options", "gold", "unknown", "target")
    return [
        BiasQuestion(category, name, language, context, question, tuple(options), gold, case_of(gold, unknown, target))
        for category, name, language, context, question, options, gold, unknown, target in items.frame.select(
            names
        ).iter_rows()
    ]


def case_of(gold: int, unknown: int, target: int) -> Case:
    """What the right answer of an item is, by the places of the right, the unknown and the biased option."""
    if target == NO_TARGET:
        return "undefined"
    if gold == unknown:
        return "ambiguous"
    return "stereotyped" if gold == target else "counter-stereotyped"


SETTING_COLUMNS = ("model", "setting", "retriever", "k", "instruction", "shots", "language")
ANSWER_COLUMNS = ("category", "example_id", "raw_prediction", "pred")


class BiasSource(QuestionSource):
    """Items of files, asked of every model in every setting.

    Makes the items (``items.csv.gz``), those that are examples (``examples.csv.gz``), the documents
    (``documents.jsonl``) with their polarity (``polarity.tsv``), what each retriever found
    (``full-set.RETRIEVER.run.gz``, ``stereo-set.RETRIEVER.run.gz``, …) and the answers
    (``predictions.csv.gz``).
    """

    columns: Sequence[str] = SETTING_COLUMNS
    """How an answer was asked for, as the answers say it."""
    collections: Sequence[str] = SETTINGS
    """Those whose runs are written."""
    read_material = staticmethod(material_of_files)
    """What is asked about, from a description."""

    def __init__(self, settings: BiasConfig, store: Store) -> None:
        self._settings = settings
        self._numbers = store
        self._material = self.read_material(settings)
        questions = self._material.questions
        self._drawn = drawn_examples(questions, max(settings.shots), seed=settings.seed)
        self._examples = [index for places in self._drawn.values() for index in places]
        left_out = frozenset(self._examples)
        self._places = [index for index in range(len(questions)) if index not in left_out]
        self._items = [questions[index] for index in self._places]
        self._query_ids = query_ids(self._items)
        self.models = settings.answerers()
        self.retrievers = {}
        self.n_steps = 1 + len(self.models)
        self.notes = self._material.notes

    @property
    def material(self) -> Mapping[str, int]:
        """Items to be asked and documents."""
        return {"items": len(self._items), "documents": len(self._material.documents)}

    def files(self, answers: Answers, step: Step) -> Files:
        """Name and writer of each file, in the order of their making."""
        yield "items.csv.gz", partial(self._material.write_items, self._places)
        if self._examples:
            yield "examples.csv.gz", partial(self._material.write_items, self._examples)
        if self._material.documents:
            yield "documents.jsonl", partial(write_documents, self._material.documents)
            yield "polarity.tsv", partial(write_polarity, self._material.documents)
        step("retrieve")
        for collection, run in self._retrieved_runs:
            if run.docs.size and collection in self.collections:
                yield f"{collection}.{run.system}.run.gz", partial(write_run, run)
        yield "predictions.csv.gz", partial(self._write_answers, answers, step)

    @cached_property
    def _retrieved_runs(self) -> list[tuple[str, Run]]:
        """What each retriever finds in each collection."""
        questions = {
            query_id: f"{item.context} {item.question}"
            for query_id, item in zip(self._query_ids, self._items, strict=True)
        }
        documents, file = self._material.documents, self._material.documents_file
        runs: list[tuple[str, Run]] = []
        for collection, choice in product(self._settings.settings, self._settings.retrievers):
            if collection != WITHOUT:
                corpus = [item for item in documents if collection in (FULL, f"{item.polarity}-set")]
                retriever = retriever_of(choice, corpus, file, numbers=self._numbers)
                runs.append((collection, retrieved_run(retriever, corpus, questions, depth=max(self._settings.k))))
                self.retrievers[choice.label] = retriever
                if collection == FULL:
                    self.notes += retriever.notes
        return runs

    def _contexts(self) -> Iterator[tuple[tuple[str, str, str], Sequence[tuple[Document, ...]]]]:
        """Each setting, retriever and k, with the documents that are given with every item, best first."""
        if WITHOUT in self._settings.settings:
            yield (WITHOUT, "", ""), [()] * len(self._items)
        documents = {document.doc_id: document for document in self._material.documents}
        for collection, run in self._retrieved_runs:
            corpus = [documents[doc_id] for doc_id in run.doc_ids]
            docs: list[int] = run.docs.tolist()
            bounds: list[int] = run.offsets.tolist()
            for k in self._settings.k:
                item_documents = [
                    tuple(corpus[index] for index in docs[start:end][:k]) for start, end in pairwise(bounds)
                ]
                yield (collection, run.system, str(k)), item_documents

    def _prompts(self) -> Iterator[tuple[tuple[str, str, str, str, str], Iterable[Prompt]]]:
        """Each way to ask every item: setting, retriever, k, instruction and shots, and a prompt per item."""
        languages = {item.language for item in self._items}
        instructions = {
            name: {language: printed_prompt(source, language) for language in languages}
            for name, source in self._settings.named_instructions.items()
        }
        for how, item_documents in self._contexts():
            for (name, words), shots in product(instructions.items(), self._settings.shots):
                examples = examples_of(self._material.questions, self._drawn, shots)
                yield (*how, name, str(shots)), map(partial(_prompt, words, examples), self._items, item_documents)

    def questions(self) -> Iterator[Question]:
        """Every item in every way, asked of every model."""
        for model in self.models:
            for (setting, retriever, k, instruction, shots), prompts in self._prompts():
                how = f"{setting} {retriever} {k or 0}|{instruction} {shots}"
                for query_id, prompt in zip(self._query_ids, prompts, strict=True):
                    yield Question(f"{self._settings.name}|{query_id}|{how}", model, prompt)

    def _write_answers(self, answers: Answers, step: Step, to: TextIO) -> None:
        table = csv.writer(to, lineterminator="\n")
        table.writerow((*self.columns, *ANSWER_COLUMNS))
        for model in self.models:
            step(f"answer ({model})")
            for cells, prompts in self._prompts():
                for part in in_parts(zip(self._items, prompts, strict=True)):
                    texts = answers.of(model, [prompt for _, prompt in part])
                    for (item, prompt), text in zip(part, texts, strict=True):
                        if text is not None:
                            how = (model, *cells, item.language)[: len(self.columns)]
                            letter = read_answer(prompt, text)
                            option = -1 if letter is None else LETTERS.index(letter)
                            table.writerow((*how, item.category, item.example_id, text, option))


CASES: tuple[Case, ...] = ("ambiguous", "stereotyped", "ambiguous", "counter-stereotyped")
"""What four examples are."""


def drawn_examples(questions: Sequence[BiasQuestion], n: int, *, seed: int) -> dict[tuple[str, str], tuple[int, ...]]:
    """Places of the items that are examples of each language and category, in the order of the prompt.

    Every language and category has its own source of chance, so that a further file changes no examples.

    Args:
        questions: All items.
        n: Examples before a question.
        seed: The one source of chance.

    Raises:
        UndefinedError: A category has too few items of a case.
    """
    places: dict[tuple[str, str], dict[Case, list[int]]] = {}
    for index, question in enumerate(questions):
        of_case = places.setdefault((question.language, question.category), {})
        of_case.setdefault(question.case, []).append(index)
    drawn: dict[tuple[str, str], tuple[int, ...]] = {}
    for (language, category), of_case in places.items():
        rng = chance(seed, f"{language}\t{category}")
        cases: list[Case] = [CASES[index % len(CASES)] for index in range(n)]
        wanted: Counter[Case] = Counter(cases)
        chosen: dict[Case, Iterator[int]] = {}
        for case, needed in wanted.items():
            candidates = of_case.get(case, [])
            if needed > len(candidates):
                reason = (
                    f"{n} examples need {needed} {case} items of {category} in {language}, which has {len(candidates)}"
                )
                raise UndefinedError(f"{reason}; lower shots, or give more items")
            order: list[int] = rng.permutation(len(candidates))[:needed].tolist()
            chosen[case] = iter([candidates[i] for i in order])
        drawn[language, category] = tuple(next(chosen[case]) for case in cases)
    return drawn


def examples_of(
    questions: Sequence[BiasQuestion], drawn: Mapping[tuple[str, str], Sequence[int]], n: int
) -> dict[tuple[str, str], tuple[tuple[Prompt, str], ...]]:
    """The first n drawn examples of each language and category, with their right letters."""
    return {
        key: tuple(
            (Prompt(item.question, (), item.context, item.options, language=item.language), LETTERS[item.gold])
            for item in (questions[index] for index in places[:n])
        )
        for key, places in drawn.items()
    }


def query_ids(items: Sequence[BiasQuestion]) -> list[str]:
    """Names of items in runs: category and example id, behind the language where there are several.

    Examples:
        >>> item = BiasQuestion("Gender identity", "3", "Korean", "", "", (), 0, "ambiguous")
        >>> query_ids([item]), query_ids([item, item._replace(language="English")])
        (['Gender_identity-3'], ['Korean-Gender_identity-3', 'English-Gender_identity-3'])
    """
    several = len({item.language for item in items}) > 1
    named = (f"{item.language}-{item.category}" if several else item.category for item in items)
    return ["_".join(f"{name}-{item.example_id}".split()) for name, item in zip(named, items, strict=True)]


def _prompt(
    instructions: Mapping[str, str],
    examples: Mapping[tuple[str, str], tuple[tuple[Prompt, str], ...]],
    item: BiasQuestion,
    documents: tuple[Document, ...],
) -> Prompt:
    instruction, shown = instructions[item.language], examples[item.language, item.category]
    return Prompt(item.question, documents, item.context, item.options, instruction, item.language, shown)
