"""Questions about different people: make variants, retrieve, answer.

After Ji et al. (2025): every question is asked as it is, about people with each value of each
attribute, and about people with a value of every attribute; or about the people that its file brings.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple, TextIO, TypeAlias

import numpy as np

from fairviz.display.words import listing
from fairviz.errors import UndefinedError
from fairviz.experiments.asking import Answers, Files, Question, QuestionSource, Step
from fairviz.experiments.config import FULL, WITHOUT, VariantConfig
from fairviz.experiments.people import ATTRIBUTES, MAJORITY, Answered, Ask, Strategy, Variant, make_variants
from fairviz.experiments.protocols import Document, Prompt
from fairviz.experiments.questions import (
    ClosedQuestion,
    read_closed_questions,
    read_collection,
    read_referenced_questions,
    shuffled,
)
from fairviz.experiments.retrievers import retriever_of
from fairviz.experiments.store import Store
from fairviz.model import Note
from fairviz.numerals import plural

Row: TypeAlias = Mapping[str, object]
Answering: TypeAlias = Callable[[Sequence[Prompt]], list[str | None]]

NO_RETRIEVER = "no retrieval"
"""Called so among retrievers, with k = 0, where nothing is retrieved."""


class ModelCondition(NamedTuple):
    """How a model is asked."""

    strategy: str
    retriever: str
    k: int
    shots: int = 0

    @property
    def strategy_words(self) -> str:
        """The strategy as answers carry it: examples are part of how it is asked.

        Examples:
            >>> [ModelCondition("plain", "bm25", 5, shots=shots).strategy_words for shots in (0, 4)]
            ['plain', 'plain, 4 shots']
        """
        shots = f"{self.shots} shot{'' if self.shots == 1 else 's'}"
        return f"{self.strategy}, {shots}" if self.shots else self.strategy


class QuestionPart(NamedTuple):
    """Questions of one file, and who answers them how.

    Attributes:
        dataset: What to call them: "closed" and "open", or the name of the file.
        closed: Whether they have options.
        models: Names of who answers.
        variants: All variants by question, without the questions that are examples.
        questions: The questions by their ids; open ones have no options, and a right answer in words.
        examples: Questions that are examples, with their right letters, for the most shots.
    """

    dataset: str
    closed: bool
    models: tuple[str, ...]
    variants: Sequence[Variant]
    questions: Mapping[str, ClosedQuestion]
    examples: tuple[tuple[Prompt, str], ...] = ()


class VariantSource(QuestionSource):
    """Questions about different people, asked of every model in every way.

    Makes the answers to questions with options (``answers.jsonl.gz``) and to open questions
    (``open.jsonl.gz``), with the documents that were retrieved.
    """

    def __init__(self, settings: VariantConfig, store: Store) -> None:
        self._settings = settings
        self.retrievers = {}
        self._corpus: Sequence[Document] = ()
        if settings.corpus:
            collection = read_collection(settings.corpus)
            self.notes += collection.notes
            self._corpus = collection.value
            for choice in settings.retrievers:
                self.retrievers[choice.label] = retriever_of(choice, self._corpus, collection.file, numbers=store)
        self._places: dict[str, dict[str, list[int]]] = {label: {} for label in self.retrievers}
        models = settings.answerers()
        self._parts = [self._closed_part(name, path, tuple(models)) for name, path in settings.question_files.items()]
        if settings.open is not None:
            label = settings.open.generator.label
            models[label] = settings.open.generator
            texts, references, notes = read_referenced_questions(settings.open.questions, settings.open.references)
            self.notes += notes
            texts = dict(islice(texts.items(), settings.limit))  # of the references the first is the right answer
            questions = {query: ClosedQuestion(text, (), references[query][0]) for query, text in texts.items()}
            variants = self._variants(texts, str(settings.open.questions))
            self._parts.append(QuestionPart("open", False, (label,), variants, questions))
        self.models = models
        self.n_steps = len({part.closed for part in self._parts})

    @property
    def material(self) -> Mapping[str, int]:
        """Questions about different people, and documents."""
        return {"variants": sum(len(part.variants) for part in self._parts), "documents": len(self._corpus)}

    def files(self, answers: Answers, step: Step) -> Files:
        """Name and writer of each file, in the order of their making."""
        closed, open_ = ([part for part in self._parts if part.closed == closed] for closed in (True, False))
        if closed:
            step("answer questions with options")
            yield "answers.jsonl.gz", partial(self._write_rows, closed, answers)
        if open_:
            step("answer open questions")
            yield "open.jsonl.gz", partial(self._write_rows, open_, answers)
        self.notes += tuple(note for retriever in self.retrievers.values() for note in retriever.notes)

    def _closed_part(self, name: str, path: Path, models: tuple[str, ...]) -> QuestionPart:
        settings = self._settings
        parsed = read_closed_questions(str(path))
        self.notes += parsed.notes
        questions = dict(islice(parsed.value.items(), settings.limit))
        if settings.shuffle:
            questions = {
                query_id: shuffled(closed_question, settings.seed, query_id)
                for query_id, closed_question in questions.items()
            }
        examples = _examples(questions, max(settings.shots), settings.seed, str(path))
        for query_id in examples:
            del questions[query_id]
        # About the people of the file, or those of the description where a question brings none.
        made = {query: question.text for query, question in questions.items() if not question.people}
        variants = [
            *self._variants(made, str(path)),
            *(person for question in questions.values() for person in question.people),
        ]
        return QuestionPart(name, True, models, variants, questions, tuple(examples.values()))

    def _variants(self, questions: Mapping[str, str], file: str) -> list[Variant]:
        """All variants by question: neutral, one attribute, then every attribute at once.

        Raises:
            UndefinedError: Questions mention nobody, so that none has a variant.
        """
        settings = self._settings
        variants, not_made = make_variants(questions, settings.people or ATTRIBUTES, form=settings.form, mention="both")
        reasons = [f"{plural(n, 'variant')} not made: {reason}" for reason, n in not_made.items()]
        if reasons and len(variants) == len(questions):
            raise UndefinedError(f'{file}: {listing(reasons)}; form = "prefix" makes them of any question')
        self.notes += tuple(Note(file, None, reason) for reason in reasons)
        return variants

    def _conditions(self, part: QuestionPart) -> Iterator[tuple[str, ModelCondition, Strategy]]:
        """Every model under every condition."""
        for index, model in enumerate(part.models):
            for condition in conditions(self._settings, closed=part.closed, widely=index == 0):
                yield model, condition, self._settings.named_strategies[condition.strategy]

    def questions(self) -> Iterator[Question]:
        """Every variant under every condition; a strategy is followed with empty answers, to see what it asks."""
        for model, part in product(self.models, self._parts):
            for answerer, condition, strategy in self._conditions(part):
                if answerer != model:
                    continue
                prompts: list[Prompt] = []

                def remember(new_prompts: Sequence[Prompt], prompts: list[Prompt] = prompts) -> list[str | None]:
                    prompts += new_prompts
                    return [""] * len(new_prompts)

                strategy(part.variants, self._asking(part, condition, remember))
                use = f"{self._settings.name}|{part.dataset}|{' '.join(map(str, condition))}"
                for number, prompt in enumerate(prompts, start=1):
                    yield Question(f"{use}|{number}", model, prompt)

    def _write_rows(self, parts: Sequence[QuestionPart], answers: Answers, to: TextIO) -> None:
        """Rows of answers, the variants of one question together."""
        for part in parts:
            for model, condition, strategy in self._conditions(part):
                asking = self._asking(part, condition, partial(answers.of, model))
                answered = strategy(part.variants, asking)
                for row in self._rows(part, model, condition, answered):
                    to.write(json.dumps(row, ensure_ascii=False) + "\n")

    def _rows(
        self, part: QuestionPart, model: str, condition: ModelCondition, answers: Sequence[Answered]
    ) -> Iterator[Row]:
        """One row per variant with an answer, with the options that its question has."""
        for variant, answered in zip(part.variants, answers, strict=True):
            if answered.answer is None:
                continue
            row: dict[str, object] = {
                "qid": variant.question_id,
                "attribute": variant.attribute,
                "value": variant.value,
                "prediction": answered.answer,
                "model": model,
                "dataset": part.dataset,
                "strategy": condition.strategy_words,
                "retriever": condition.retriever,
                "k": condition.k,
                "retrieved": [document.doc_id for document in answered.prompt.documents],
                "gold": part.questions[variant.question_id].gold,
            }
            evidence = part.questions[variant.question_id].evidence
            if evidence is not None:
                first = {document.doc_id for document in answered.prompt.documents[: self._settings.evidence_at]}
                row |= {"answerable": bool(evidence), "evidence": bool(evidence & first)}
            row["kind"] = "closed" if part.closed else "open"
            if answered.prompt.options:
                row["options"] = answered.prompt.options
            yield row

    def _documents(self, questions: Mapping[str, str], retriever: str, k: int) -> list[tuple[Document, ...]]:
        """The best k of each question, given by its query id, best first; they are found once for every k."""
        if retriever == NO_RETRIEVER:
            return [()] * len(questions)
        places = self._places[retriever]
        new = {query_id: text for query_id, text in questions.items() if text not in places}
        depth = max((*self._settings.k, *(self._settings.ks or ())))
        hits = self.retrievers[retriever].retrieve(new, depth=depth)
        places |= {text: of_text.positions.tolist() for text, of_text in zip(new.values(), hits, strict=True)}
        return [tuple(self._corpus[position] for position in places[text][:k]) for text in questions.values()]

    def _asking(self, part: QuestionPart, condition: ModelCondition, answered: Answering) -> Ask:
        """Retrieves for a variant's text and answers it; equal texts are answered once."""

        def ask(variants: Sequence[Variant], instruction: str) -> list[Answered]:
            first: dict[tuple[str, str], str] = {}
            for variant in variants:
                first.setdefault((variant.question_id, variant.text), variant.query_id)
            texts = {query_id: text for (_, text), query_id in first.items()}
            rankings = self._documents(texts, condition.retriever, condition.k)
            examples = part.examples[: condition.shots]
            prompts = [
                Prompt(text, documents, "", part.questions[question].options, instruction, examples=examples)
                for (question, text), documents in zip(first, rankings, strict=True)
            ]
            answers = dict(zip(first, map(Answered, answered(prompts), prompts), strict=True))
            return [answers[variant.question_id, variant.text] for variant in variants]

        return ask


def _examples(questions: Mapping[str, ClosedQuestion], n: int, seed: int, file: str) -> dict[str, tuple[Prompt, str]]:
    """Questions drawn as examples, as they are asked about nobody; the first of them are those of fewer shots.

    Ji et al. (2025) ask without examples; that one stands before every question of its file, shows the right letter
    and no documents, and is left out of scoring in every condition is as with questions that test for bias.
    """
    if n >= len(questions):
        raise UndefinedError(f"{file}: {n} examples leave nothing to ask of {len(questions)} questions; lower shots")
    order: list[int] = np.random.default_rng(seed).permutation(len(questions))[:n].tolist()
    query_ids = list(questions)
    drawn = {query_ids[index]: questions[query_ids[index]] for index in order}
    return {
        query: (Prompt(question.text, (), "", question.options), question.gold) for query, question in drawn.items()
    }


def conditions(settings: VariantConfig, *, closed: bool, widely: bool) -> Iterator[ModelCondition]:
    """Every strategy in every setting with every number of examples.

    Where the description has ``ks``, less is asked: every strategy at k with the first retriever, and the first
    strategy, of the first model (``widely``), with every retriever and every number among ``ks`` besides.

    Args:
        settings: The description.
        closed: Whether the questions have options; open ones take no examples, and nobody votes on them.
        widely: Whether the first model is asked.
    """
    strategies = [name for name in settings.named_strategies if closed or name != MAJORITY]
    names = [retriever.label for retriever in settings.retrievers]
    if settings.ks is not None:
        narrow = [ModelCondition(name, names[0], settings.k[0]) for name in strategies]
        wide = [ModelCondition(strategies[0], name, k) for name in names for k in settings.ks]
        yield from dict.fromkeys([*narrow, *(wide if closed and widely else ())])
        return
    retrieved = [(NO_RETRIEVER, 0)] if WITHOUT in settings.settings else []
    retrieved += [(name, k) for name in names for k in settings.k] if FULL in settings.settings else []
    for strategy in strategies:
        for name, k in retrieved:
            for shots in settings.shots if closed else (0,):
                yield ModelCondition(strategy, name, k, shots)
