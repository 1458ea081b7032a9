"""Demographic variants from questions to answers: make variants → retrieve → answer.

After Ji et al. (2025): every question is asked as it is, about people with each value of each
attribute, and about people with a value of every attribute.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TextIO

from fairviz.errors import InputError
from fairviz.experiment.bias_runner import build_model
from fairviz.experiment.closed_questions import read_closed_questions
from fairviz.experiment.components import build_generator
from fairviz.experiment.corpus import read_documents
from fairviz.experiment.files import write_text
from fairviz.experiment.protocols import Document, Generator, Prompt, Retriever
from fairviz.experiment.report import ExperimentReport, Progress, made_folder, silent
from fairviz.experiment.retrieval import retriever_of
from fairviz.experiment.strategies import STRATEGIES, Answered
from fairviz.experiment.variant_config import OpenQuestions, VariantConfig, read_variant_config
from fairviz.experiment.variants import Variant, make_variants
from fairviz.formats.words import read_queries, read_references
from fairviz.model import Note

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
