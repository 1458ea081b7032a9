"""Demographic variants from questions to answers: make variants → retrieve → answer.

After Ji et al. (2025): every question is asked as it is, about people with each value of each
attribute, and about people with a value of every attribute.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TextIO, cast

from fairviz.errors import InputError, UsageError
from fairviz.experiment.bias import K, Model, build_model, read_models, read_retrievers
from fairviz.experiment.config import check_keys, choice_of, number_of, numbers_of, read_toml, text_of, texts_of
from fairviz.experiment.protocols import Document, Generator, Prompt, Retriever
from fairviz.experiment.registry import Choice, build_generator, retriever_of
from fairviz.experiment.runner import ExperimentReport, Progress, made_folder, read_documents, silent, write_text
from fairviz.experiment.strategies import STRATEGIES, Answered, read_closed_questions
from fairviz.experiment.variants import ATTRIBUTES, FORMS, Form, Variant, make_variants
from fairviz.io.corpus import read_queries, read_references
from fairviz.io.json import Fields, json_records
from fairviz.io.notes import NoteBook, Parsed, shown
from fairviz.io.source import FileInput, Source, as_source
from fairviz.model import Note

# The TOML file of an experiment with demographic variants (``kind = "variants"``).


KEYS = (
    "kind",
    "name",
    "corpus",
    "output",
    "ks",
    "k",
    "evidence_at",
    "strategies",
    "form",
    "attributes",
    "closed",
    "open",
    "retriever",
    "model",
)

DEFAULT_KS = (10, 15, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestions:
    """Questions with reference answers, and who answers them."""

    questions: Path
    references: Path
    generator: Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantConfig:
    """An experiment with demographic variants; paths are relative to its file.

    Attributes:
        name: What to call it.
        corpus: The JSONL files of documents, together the collection.
        output: The folder it writes to.
        ks: Numbers of documents given; every retriever with each of them, by the first strategy
            and the first model.
        k: Documents given by the first retriever to every model under every strategy.
        evidence_at: The evidence of an answer is right where one of so many first documents is a
            document that holds the answer.
        strategies: Names of :data:`~fairviz.experiment.strategies.STRATEGIES`.
        form: Form of the variants.
        attributes: Attribute → values.
        closed: JSONL of questions with options.
        open: Questions with reference answers, None for none.
        retrievers: The retrievers.
        models: Who answers the closed questions.
    """

    name: str
    corpus: tuple[Path, ...]
    output: Path
    ks: tuple[int, ...]
    k: int
    evidence_at: int
    strategies: tuple[str, ...]
    form: Form
    attributes: Mapping[str, tuple[str, ...]]
    closed: Path
    open: OpenQuestions | None
    retrievers: tuple[Choice, ...]
    models: tuple[Model, ...]


def read_variant_config(path: Path) -> VariantConfig:
    """Read and check the description of an experiment with variants.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        UsageError: If a key or value is not accepted; the text lists what is.
    """
    table = read_toml(path)
    where = str(path)
    check_keys(table, KEYS, where)
    folder = path.parent
    corpus = texts_of(table, "corpus", where)
    if not corpus:
        raise UsageError(f"{where}: corpus must list at least one file of documents")
    strategies = texts_of({"strategies": ["plain"], **table}, "strategies", where)
    form = text_of({"form": "prefix", **table}, "form", where)
    if form not in FORMS:
        raise UsageError(f"{where}: form must be one of: {', '.join(FORMS)}; got {form!r}")
    if not strategies or not all(name in STRATEGIES for name in strategies):
        raise UsageError(f"{where}: strategies must be among: {', '.join(STRATEGIES)}")
    closed = _table(table, "closed", where)
    check_keys(closed, ("questions",), f"{where}: [closed]")
    return VariantConfig(
        name=text_of(table, "name", where),
        corpus=tuple(folder / name for name in corpus),
        output=folder / text_of({"output": ".", **table}, "output", where),
        ks=numbers_of(table, "ks", where, default=DEFAULT_KS, accepted=K),
        k=number_of(table, "k", where, default=15, accepted=K),
        evidence_at=number_of(table, "evidence_at", where, default=3, accepted=K),
        strategies=strategies,
        form=form,
        attributes=_attributes(table, where),
        closed=folder / text_of(closed, "questions", f"{where}: [closed]"),
        open=_open_questions(table, path) if "open" in table else None,
        retrievers=read_retrievers(table, path),
        models=read_models(table, path),
    )


def _attributes(table: dict[str, object], where: str) -> dict[str, tuple[str, ...]]:
    if "attributes" not in table:
        return dict(ATTRIBUTES)
    attributes = _table(table, "attributes", where)
    return {name: texts_of(attributes, name, f"{where}: [attributes]") for name in attributes}


def _open_questions(table: dict[str, object], path: Path) -> OpenQuestions:
    where = f"{path}: [open]"
    described = _table(table, "open", str(path))
    check_keys(described, ("questions", "references", "generator"), where)
    return OpenQuestions(
        questions=path.parent / text_of(described, "questions", where),
        references=path.parent / text_of(described, "references", where),
        generator=choice_of(described.get("generator"), "generator", where),
    )


def _table(table: dict[str, object], key: str, where: str) -> dict[str, object]:
    value = table.get(key)
    if not isinstance(value, dict):
        raise UsageError(f"{where}: a table [{key}] is needed")
    return cast("dict[str, object]", value)


# Files of generated variants: JSON Lines that an experiment reads as its questions, too.


def read_variant_questions(file: FileInput | Source) -> Parsed[tuple[Variant, ...]]:
    """Read variants ``{query_id, qid, attribute, value, text, gold?}``.

    The names of the published queries, ``variant_id`` and ``question``, are read as well.

    Raises:
        InputError: A record lacks a field, or a variant id stands twice.
    """
    source = as_source(file)
    book = NoteBook(source.name)
    variants: list[Variant] = []
    lines: dict[str, int] = {}
    with closing(json_records(source, book)) as records:
        for line, record in records:
            fields = Fields(record, line, source.name)
            key = "variant_id" if "variant_id" in record else "query_id"
            query_id = fields.identifier(key)
            if lines.setdefault(query_id, line) != line:
                reason = f"{key} {shown(query_id)} stands twice (first on line "
                reason += f"{lines[query_id]})"
                raise InputError(reason, file=source.name, line=line, fix="Keep one.")
            variants.append(
                Variant(
                    query_id=query_id,
                    question_id=fields.identifier("qid"),
                    attribute=fields.identifier("attribute"),
                    value=fields.identifier("value"),
                    text=fields.identifier("text" if "text" in record else "question"),
                    gold=fields.text("gold"),
                )
            )
    n = len({variant.question_id for variant in variants})
    label = f"{len(variants):,} variants of {n:,} questions"
    return Parsed(value=tuple(variants), file=source.name, format=label, notes=book.collected, lines=lines)


def write_variant_questions(variants: Iterable[Variant], to: TextIO) -> None:
    """Write variants; :func:`read_variant_questions` gives them back.

    Args:
        variants: What to write, one line each.
        to: An open text file.
    """
    for one in variants:
        record = {
            "query_id": one.query_id,
            "qid": one.question_id,
            "attribute": one.attribute,
            "value": one.value,
            "text": one.text,
        }
        if one.gold:
            record["gold"] = one.gold
        to.write(json.dumps(record, ensure_ascii=False) + "\n")


Record = Mapping[str, object]


class Condition(NamedTuple):
    """How a model is asked."""

    strategy: str
    retriever: str
    k: int


class Asking:
    """Retrieves for a variant's text and answers it; equal texts are retrieved and answered once.

    Args:
        retriever: Finds documents.
        corpus: The documents it finds.
        k: Documents given, at most.
        generator: Answers.
        options: Options of each question, none for open questions.
    """

    def __init__(
        self,
        retriever: Retriever,
        corpus: Sequence[Document],
        k: int,
        generator: Generator,
        options: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._retriever = retriever
        self._corpus = corpus
        self._k = k
        self._generator = generator
        self._options = options

    def __call__(self, variants: Sequence[Variant], *, instruction: str = "") -> list[Answered]:
        """One answer per variant, in order."""
        keys = [(variant.question_id, variant.text) for variant in variants]
        distinct = list(dict.fromkeys(keys))
        prompts = [
            Prompt(text, self._found(text), "", self._options.get(question, ()), instruction)
            for question, text in distinct
        ]
        answers = self._generator.generate(prompts)
        pairs = zip(prompts, answers, strict=True)
        answered = [Answered(answer, prompt.documents) for prompt, answer in pairs]
        found = dict(zip(distinct, answered, strict=True))
        return [found[key] for key in keys]

    def _found(self, text: str) -> tuple[Document, ...]:
        hits = self._retriever.retrieve(text, depth=self._k)
        places: list[int] = hits.positions.tolist()
        return tuple(self._corpus[place] for place in places)


def run_variants(config: Path, *, output: Path | None = None, progress: Progress | None = None) -> ExperimentReport:
    """Make every file of an experiment with variants; the same files give the same bytes.

    Writes the answers to questions with options (``answers.jsonl.gz``) and to open questions
    (``open.jsonl.gz``), with the documents that were retrieved.

    Args:
        config: The TOML file.
        output: Folder to write to, in the place of the configuration's.
        progress: Called before each step.

    Raises:
        InputError: If a file cannot be read, or a question has no reference answer.
        UsageError: If the configuration says what is not accepted.
    """
    settings = read_variant_config(config)
    tell = progress or silent
    read = [read_documents(path) for path in settings.corpus]
    notes = [note for parsed in read for note in parsed.notes]
    corpus = _distinct([document for parsed in read for document in parsed.value], settings)
    file = str(settings.corpus[0])
    retrievers = {one.name: retriever_of(one, corpus, file) for one in settings.retrievers}
    folder = made_folder(output or settings.output, config)
    files = [folder / "answers.jsonl.gz"]
    tell("answer questions with options", 1, 2)
    write_text(files[0], partial(_write, list(_closed(settings, corpus, retrievers, notes))))
    if settings.open is not None:
        tell("answer open questions", 2, 2)
        rows = list(_open_answers(settings, settings.open, corpus, retrievers, notes))
        files.append(folder / "open.jsonl.gz")
        write_text(files[1], partial(_write, rows))
    return ExperimentReport(files=tuple(files), notes=tuple(notes))


def variants_of(questions: Mapping[str, str], settings: VariantConfig) -> list[Variant]:
    """All variants by question: neutral, one attribute, then every attribute at once."""
    form = settings.form
    made = list(make_variants(questions, settings.attributes, form=form))
    if len(settings.attributes) > 1:
        made += make_variants(questions, settings.attributes, form=form, combine=True, neutral=False)
    places = {question: place for place, question in enumerate(questions)}
    return sorted(made, key=lambda variant: places[variant.question_id])


def _closed(
    settings: VariantConfig,
    corpus: Sequence[Document],
    retrievers: Mapping[str, Retriever],
    notes: list[Note],
) -> Iterator[Record]:
    """Rows of the questions with options, the variants of one question together."""
    parsed = read_closed_questions(settings.closed)
    notes += parsed.notes
    questions = parsed.value
    variants = variants_of({query: one.text for query, one in questions.items()}, settings)
    options = {query: one.options for query, one in questions.items()}

    def details(variant: Variant, answered: Answered) -> dict[str, object]:
        question = questions[variant.question_id]
        first = {document.doc_id for document in answered.documents[: settings.evidence_at]}
        return {
            "gold": question.gold,
            "answerable": bool(question.evidence),
            "evidence": bool(question.evidence & first),
            "kind": "closed",
        }

    for place, model in enumerate(settings.models):
        generator = build_model(model)
        for condition in _conditions(settings, widely=place == 0):
            asking = Asking(retrievers[condition.retriever], corpus, condition.k, generator, options)
            answered = STRATEGIES[condition.strategy](variants, asking)
            yield from _rows(model.name, "closed", condition, variants, answered, details)


def _open_answers(
    settings: VariantConfig,
    described: OpenQuestions,
    corpus: Sequence[Document],
    retrievers: Mapping[str, Retriever],
    notes: list[Note],
) -> Iterator[Record]:
    """Rows of the open questions; the right answer is the first reference."""
    questions = read_queries(str(described.questions))
    references = read_references(str(described.references))
    notes += [*questions.notes, *references.notes]
    for query in questions.value:
        if not references.value.get(query):
            fix = "Add a line with its query_id and answers."
            raise InputError(f"no answer to question {query}", file=references.file, fix=fix)
    variants = variants_of(questions.value, settings)
    generator = build_generator(described.generator)

    def details(variant: Variant, answered: Answered) -> dict[str, object]:
        return {"gold": references.value[variant.question_id][0], "kind": "open"}

    for condition in _conditions(settings, widely=False):
        asking = Asking(retrievers[condition.retriever], corpus, condition.k, generator, {})
        answered = STRATEGIES[condition.strategy](variants, asking)
        yield from _rows(generator.name, "open", condition, variants, answered, details)


def _conditions(settings: VariantConfig, *, widely: bool) -> Iterator[Condition]:
    """Every strategy at k with the first retriever; widely: the first one everywhere besides."""
    first = settings.retrievers[0].name
    narrow = [Condition(strategy, first, settings.k) for strategy in settings.strategies]
    yield from narrow
    if widely:
        for retriever in settings.retrievers:
            for k in settings.ks:
                condition = Condition(settings.strategies[0], retriever.name, k)
                if condition not in narrow:
                    yield condition


def _rows(
    model: str,
    dataset: str,
    condition: Condition,
    variants: Sequence[Variant],
    answered: Sequence[Answered],
    details: Callable[[Variant, Answered], dict[str, object]],
) -> Iterator[Record]:
    for variant, one in zip(variants, answered, strict=True):
        yield {
            "qid": variant.question_id,
            "attribute": variant.attribute,
            "value": variant.value,
            "prediction": one.answer,
            "model": model,
            "dataset": dataset,
            **condition._asdict(),
            "retrieved": [document.doc_id for document in one.documents],
            **details(variant, one),
        }


def _distinct(corpus: list[Document], settings: VariantConfig) -> list[Document]:
    seen: set[str] = set()
    for document in corpus:
        if document.doc_id in seen:
            reason = f"doc_id {document.doc_id!r} is in two files of the collection"
            raise InputError(reason, file=str(settings.corpus[-1]), fix="Give each its own id.")
        seen.add(document.doc_id)
    return corpus


def _write(rows: Sequence[Record], to: TextIO) -> None:
    for row in rows:
        to.write(json.dumps(row, ensure_ascii=False) + "\n")
