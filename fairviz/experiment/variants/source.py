"""Questions about different people: make variants, retrieve, answer.

After Ji et al. (2025): every question is asked as it is, about people with each value of each
attribute, and about people with a value of every attribute.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TextIO, TypeAlias

from fairviz.experiment.asking import Answerer, Answers, Question, Round
from fairviz.experiment.components.registry import build_generator, build_model, retriever_of
from fairviz.experiment.inputs import read_closed_questions, read_collection, read_referenced_questions
from fairviz.experiment.protocols import Document, Prompt, Retriever
from fairviz.experiment.store import Store
from fairviz.experiment.variants.config import OpenQuestions, VariantConfig
from fairviz.experiment.variants.people import Variant, make_variants
from fairviz.experiment.variants.strategies import STRATEGIES, Answered
from fairviz.model import Note

Row: TypeAlias = Mapping[str, object]


class Condition(NamedTuple):
    """How a model is asked."""

    strategy: str
    retriever: str
    k: int


class Part(NamedTuple):
    """Questions of one kind, and who answers them how.

    Attributes:
        kind: "closed" or "open".
        models: Their names.
        variants: All variants by question.
        options: Options of each question, none for open questions.
        details: Columns of an answer that its question decides.
    """

    kind: str
    models: tuple[str, ...]
    variants: Sequence[Variant]
    options: Mapping[str, tuple[str, ...]]
    details: Callable[[Variant, Answered], dict[str, object]]


class VariantSource:
    """Questions about different people, asked of every model in every way.

    Makes the answers to questions with options (``answers.jsonl.gz``) and to open questions
    (``open.jsonl.gz``), with the documents that were retrieved.
    """

    def __init__(self, settings: VariantConfig, store: Store) -> None:
        self._settings = settings
        collection = read_collection(settings.corpus)
        self._corpus = collection.value
        self._retrievers = {
            choice.label: retriever_of(choice, self._corpus, collection.file) for choice in settings.retrievers
        }
        self.notes: tuple[Note, ...] = collection.notes
        models: dict[str, Answerer] = {model.name: build_model(model) for model in settings.models}
        self._closed = self._closed_part(tuple(models))
        self._open: Part | None = None
        if settings.open is not None:
            generator = build_generator(settings.open.generator)
            models[generator.name] = generator
            self._open = self._open_part(settings.open, generator.name)
        self.models: Mapping[str, Answerer] = models
        self.n_rounds = 1
        self.n_steps = 2
        self.n_useful: dict[str, int] = {}
        self.dropped: tuple[str, ...] = ()

    @property
    def material(self) -> Mapping[str, int]:
        """Questions about different people, and documents."""
        parts = (self._closed, *([self._open] if self._open else []))
        return {"variants": sum(len(part.variants) for part in parts), "documents": len(self._corpus)}

    def rounds(self, answers: Answers) -> Iterator[Round]:
        """Everything at once: no strategy asks what depends on an answer."""
        yield Round("answer", self._asked_questions())

    def outlook(self, answers: Answers) -> Iterator[Round]:
        """The one round."""
        yield from self.rounds(answers)

    def files(self, answers: Answers, step: Callable[[str], None]) -> Iterator[tuple[str, Callable[[TextIO], object]]]:
        """Name and writer of each file, in the order of their making."""
        step("answer questions with options")
        yield "answers.jsonl.gz", partial(_write_rows, list(self._rows(self._closed, answers)))
        if self._open is not None:
            step("answer open questions")
            yield "open.jsonl.gz", partial(_write_rows, list(self._rows(self._open, answers)))

    def _closed_part(self, models: tuple[str, ...]) -> Part:
        settings = self._settings
        parsed = read_closed_questions(settings.closed.questions)
        self.notes += parsed.notes
        questions = parsed.value

        def details(variant: Variant, answered: Answered) -> dict[str, object]:
            question = questions[variant.question_id]
            first = {document.doc_id for document in answered.documents[: settings.evidence_at]}
            return {
                "gold": question.gold,
                "answerable": bool(question.evidence),
                "evidence": bool(question.evidence & first),
                "kind": "closed",
            }

        variants = variants_of({query: question.text for query, question in questions.items()}, settings)
        options = {query: question.options for query, question in questions.items()}
        return Part("closed", models, variants, options, details)

    def _open_part(self, described: OpenQuestions, model: str) -> Part:
        """The right answer is the first reference."""
        questions, references, notes = read_referenced_questions(described.questions, described.references)
        self.notes += notes

        def details(variant: Variant, answered: Answered) -> dict[str, object]:
            return {"gold": references[variant.question_id][0], "kind": "open"}

        return Part("open", (model,), variants_of(questions, self._settings), {}, details)

    def _asked(self, part: Part) -> Iterator[tuple[str, Condition]]:
        """Every model under every condition; only the first one, and only of closed questions, with every k."""
        for place, model in enumerate(part.models):
            for condition in _conditions(self._settings, widely=place == 0 and part.kind == "closed"):
                yield model, condition

    def _asked_questions(self) -> Iterator[Question]:
        for part in filter(None, (self._closed, self._open)):
            for model, condition in self._asked(part):
                prompts: list[Prompt] = []

                def remember(asked: Sequence[Prompt], prompts: list[Prompt] = prompts) -> list[str]:
                    prompts += asked
                    return [""] * len(asked)

                STRATEGIES[condition.strategy](part.variants, self._asking(part, condition, remember))
                use = f"{self._settings.name}|{part.kind}|{condition.strategy} {condition.retriever} {condition.k}"
                for number, prompt in enumerate(prompts, start=1):
                    yield Question(f"{use}|{number}", model, prompt)

    def _rows(self, part: Part, answers: Answers) -> Iterator[Row]:
        """Rows of answers, the variants of one question together."""
        for model, condition in self._asked(part):
            asking = self._asking(part, condition, partial(answers.of, model))
            answered = STRATEGIES[condition.strategy](part.variants, asking)
            yield from _rows(model, part.kind, condition, part.variants, answered, part.details)

    def _asking(self, part: Part, condition: Condition, answered: Callable[[Sequence[Prompt]], list[str]]) -> "Asking":
        return Asking(self._retrievers[condition.retriever], self._corpus, condition.k, answered, part.options)


class Asking:
    """Retrieves for a variant's text and answers it; equal texts are retrieved and answered once.

    Args:
        retriever: Finds documents.
        corpus: The documents it finds.
        k: Documents given, at most.
        answered: Gives one answer per prompt.
        options: Options of each question, none for open questions.
    """

    def __init__(
        self,
        retriever: Retriever,
        corpus: Sequence[Document],
        k: int,
        answered: Callable[[Sequence[Prompt]], list[str]],
        options: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._retriever = retriever
        self._corpus = corpus
        self._k = k
        self._answered = answered
        self._options = options

    def __call__(self, variants: Sequence[Variant], *, instruction: str = "") -> list[Answered]:
        """One answer per variant, in order."""
        keys = [(variant.question_id, variant.text) for variant in variants]
        distinct = list(dict.fromkeys(keys))
        prompts = [
            Prompt(text, self._documents(text), "", self._options.get(question, ()), instruction)
            for question, text in distinct
        ]
        answers = self._answered(prompts)
        answered = {
            key: Answered(answer, prompt.documents)
            for key, prompt, answer in zip(distinct, prompts, answers, strict=True)
        }
        return [answered[key] for key in keys]

    def _documents(self, text: str) -> tuple[Document, ...]:
        hits = self._retriever.retrieve(text, depth=self._k)
        places: list[int] = hits.positions.tolist()
        return tuple(self._corpus[place] for place in places)


def variants_of(questions: Mapping[str, str], settings: VariantConfig) -> list[Variant]:
    """All variants by question: neutral, one attribute, then every attribute at once."""
    form = settings.form
    variants = list(make_variants(questions, settings.attributes, form=form))
    if len(settings.attributes) > 1:
        variants += make_variants(questions, settings.attributes, form=form, combine=True, neutral=False)
    places = {question: place for place, question in enumerate(questions)}
    return sorted(variants, key=lambda variant: places[variant.question_id])


def _conditions(settings: VariantConfig, *, widely: bool) -> Iterator[Condition]:
    """Every strategy at k with the first retriever; widely: the first one everywhere besides."""
    first = settings.retrievers[0].label
    narrow = [Condition(strategy, first, settings.k) for strategy in settings.strategies]
    yield from narrow
    if widely:
        for retriever in settings.retrievers:
            for k in settings.ks:
                condition = Condition(settings.strategies[0], retriever.label, k)
                if condition not in narrow:
                    yield condition


def _rows(
    model: str,
    dataset: str,
    condition: Condition,
    variants: Sequence[Variant],
    answers: Sequence[Answered],
    details: Callable[[Variant, Answered], dict[str, object]],
) -> Iterator[Row]:
    for variant, answered in zip(variants, answers, strict=True):
        yield {
            "qid": variant.question_id,
            "attribute": variant.attribute,
            "value": variant.value,
            "prediction": answered.answer,
            "model": model,
            "dataset": dataset,
            **condition._asdict(),
            "retrieved": [document.doc_id for document in answered.documents],
            **details(variant, answered),
        }


def _write_rows(rows: Sequence[Row], to: TextIO) -> None:
    for row in rows:
        to.write(json.dumps(row, ensure_ascii=False) + "\n")
