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

from fairviz.errors import UndefinedError
from fairviz.experiments.asking import Answerer, Answers, Question, Round
from fairviz.experiments.components.registry import retriever_of
from fairviz.experiments.inputs import read_collection, read_referenced_questions
from fairviz.experiments.protocols import Document, Example, Identities, Json, Prompt, Retriever, identity_of
from fairviz.experiments.store import Store
from fairviz.experiments.variants.config import FULL, WITHOUT, OpenQuestions, VariantConfig
from fairviz.experiments.variants.people import Variant, make_variants
from fairviz.experiments.variants.questions import ClosedQuestion, read_closed_questions, shuffled
from fairviz.experiments.variants.strategies import MAJORITY, Answered, Strategy
from fairviz.model import Note

Row: TypeAlias = Mapping[str, object]

NO_RETRIEVER = "no retrieval"
"""Called so among retrievers, with k = 0, where nothing is retrieved."""


class Condition(NamedTuple):
    """How a model is asked."""

    strategy: str
    retriever: str
    k: int
    shots: int = 0

    @property
    def said(self) -> str:
        """The strategy as answers carry it: examples are part of how it is asked.

        Examples:
            >>> Condition("plain", "bm25", 5).said, Condition("plain", "bm25", 5, shots=4).said
            ('plain', 'plain, 4 shots')
        """
        shots = f"{self.shots} shot{'' if self.shots == 1 else 's'}"
        return f"{self.strategy}, {shots}" if self.shots else self.strategy


class Part(NamedTuple):
    """Questions of one file, and who answers them how.

    Attributes:
        dataset: What to call them: "closed" and "open", or the name of the file.
        closed: Whether they have options.
        models: Names of who answers.
        variants: All variants by question, without the questions that are examples.
        options: Options of each question, none for open questions.
        examples: Questions that are examples, with their right letters, for the most shots.
        details: Columns of an answer that its question decides.
    """

    dataset: str
    closed: bool
    models: tuple[str, ...]
    variants: Sequence[Variant]
    options: Mapping[str, tuple[str, ...]]
    examples: tuple[Example, ...]
    details: Callable[[Variant, Answered], dict[str, object]]


class VariantSource:
    """Questions about different people, asked of every model in every way.

    Makes the answers to questions with options (``answers.jsonl.gz``) and to open questions
    (``open.jsonl.gz``), with the documents that were retrieved.
    """

    def __init__(self, settings: VariantConfig, store: Store) -> None:
        self._settings = settings
        self.notes: tuple[Note, ...] = ()
        self._numbers = store
        self._found = self._retrievers()
        models: dict[str, Answerer] = dict(settings.answerers())
        self._parts = [self._closed_part(name, path, tuple(models)) for name, path in settings.question_files.items()]
        if settings.open is not None:
            generator = settings.open.generator.build()
            models[generator.name] = generator
            self._parts.append(self._open_part(settings.open, generator.name))
        self.models: Mapping[str, Answerer] = models
        self.n_rounds = 1
        self.n_steps = len({part.closed for part in self._parts})
        self.n_useful: dict[str, int] = {}
        self.dropped: tuple[str, ...] = ()

    @property
    def material(self) -> Mapping[str, int]:
        """Questions about different people, and documents."""
        return {"variants": sum(len(part.variants) for part in self._parts), "documents": self._n_documents}

    @property
    def identities(self) -> Identities:
        """Of the retrievers."""
        return {"retriever": {label: finder.identity for label, finder in self._found.items()}}

    def rounds(self, answers: Answers) -> Iterator[Round]:
        """Everything at once: no strategy asks what depends on an answer."""
        yield Round("answer", self._asked_questions)

    def outlook(self, answers: Answers) -> Iterator[Round]:
        """The one round."""
        yield from self.rounds(answers)

    def files(self, answers: Answers, step: Callable[[str], None]) -> Iterator[tuple[str, Callable[[TextIO], object]]]:
        """Name and writer of each file, in the order of their making."""
        for closed, name, what in (
            (True, "answers.jsonl.gz", "answer questions with options"),
            (False, "open.jsonl.gz", "answer open questions"),
        ):
            parts = [part for part in self._parts if part.closed == closed]
            if parts:
                step(what)
                yield name, partial(self._write_rows, parts, answers)
        self.notes += tuple(note for finder in self._found.values() for note in finder.notes)

    def _retrievers(self) -> dict[str, "Finder"]:
        """The retrievers by name, and nothing at all as one of them."""
        found = {NO_RETRIEVER: Finder(None, (), 0)}
        self._n_documents = 0
        if self._settings.corpus:
            collection = read_collection(self._settings.corpus)
            self.notes += collection.notes
            self._n_documents = len(collection.value)
            for choice in self._settings.retrievers:
                retriever = retriever_of(choice, collection.value, collection.file, numbers=self._numbers)
                depth = max((*self._settings.k, *(self._settings.ks or ())))
                found[choice.label] = Finder(retriever, collection.value, depth)
        return found

    def _closed_part(self, name: str, path: Path, models: tuple[str, ...]) -> Part:
        settings = self._settings
        parsed = read_closed_questions(str(path))
        self.notes += parsed.notes
        questions = dict(islice(parsed.value.items(), settings.limit))
        if settings.shuffle:
            questions = {query_id: shuffled(one, settings.seed, query_id) for query_id, one in questions.items()}
        examples = _examples(questions, max(settings.shots), settings.seed, str(path))
        for query_id in examples:
            del questions[query_id]

        def details(variant: Variant, answered: Answered) -> dict[str, object]:
            question = questions[variant.question_id]
            known: dict[str, object] = {"gold": question.gold}
            if question.evidence is not None:
                first = {document.doc_id for document in answered.documents[: settings.evidence_at]}
                known["answerable"] = bool(question.evidence)
                known["evidence"] = bool(question.evidence & first)
            return {**known, "kind": "closed"}

        options = {query: question.options for query, question in questions.items()}
        shown = tuple(examples.values())
        return Part(name, True, models, _variants(questions, settings), options, shown, details)

    def _open_part(self, described: OpenQuestions, model: str) -> Part:
        """The right answer is the first reference."""
        questions, references, notes = read_referenced_questions(described.questions, described.references)
        self.notes += notes
        questions = dict(islice(questions.items(), self._settings.limit))

        def details(variant: Variant, answered: Answered) -> dict[str, object]:
            return {"gold": references[variant.question_id][0], "kind": "open"}

        return Part("open", False, (model,), variants_of(questions, self._settings), {}, (), details)

    def _asked(self, part: Part) -> Iterator[tuple[str, Condition, Strategy]]:
        """Every model under every condition."""
        for place, model in enumerate(part.models):
            for condition in conditions(self._settings, closed=part.closed, widely=place == 0):
                yield model, condition, self._settings.named_strategies[condition.strategy]

    def _asked_questions(self) -> Iterator[Question]:
        for model, part in product(self.models, self._parts):
            for answerer, condition, strategy in self._asked(part):
                if answerer != model:
                    continue
                prompts: list[Prompt] = []

                def remember(asked: Sequence[Prompt], prompts: list[Prompt] = prompts) -> list[str | None]:
                    prompts += asked
                    return [""] * len(asked)

                strategy(part.variants, self._asking(part, condition, remember))
                use = f"{self._settings.name}|{part.dataset}|{' '.join(map(str, condition))}"
                for number, prompt in enumerate(prompts, start=1):
                    yield Question(f"{use}|{number}", model, prompt)

    def _write_rows(self, parts: Sequence[Part], answers: Answers, to: TextIO) -> None:
        """Rows of answers, the variants of one question together."""
        for part in parts:
            for model, condition, strategy in self._asked(part):
                asking = self._asking(part, condition, partial(answers.of, model))
                answered = strategy(part.variants, asking)
                for row in self._rows(part, model, condition, answered):
                    to.write(json.dumps(row, ensure_ascii=False) + "\n")

    def _rows(self, part: Part, model: str, condition: Condition, answers: Sequence[Answered]) -> Iterator[Row]:
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
                "strategy": condition.said,
                "retriever": condition.retriever,
                "k": condition.k,
                "retrieved": [document.doc_id for document in answered.documents],
                **part.details(variant, answered),
            }
            if answered.prompt.options:
                row["options"] = answered.prompt.options
            yield row

    def _asking(
        self, part: Part, condition: Condition, answered: Callable[[Sequence[Prompt]], list[str | None]]
    ) -> "Asking":
        examples = part.examples[: condition.shots]
        return Asking(self._found[condition.retriever], condition.k, answered, part.options, examples)


class Finder:
    """The documents of a question by one retriever, found once for every k.

    Args:
        retriever: Finds documents, None: there are none.
        corpus: The documents it finds.
        depth: Documents that are asked for, at most.
    """

    def __init__(self, retriever: Retriever | None, corpus: Sequence[Document], depth: int) -> None:
        self._retriever = retriever
        self._corpus = corpus
        self._depth = depth
        self._places: dict[str, list[int]] = {}

    @property
    def identity(self) -> Mapping[str, Json]:
        """The retriever's."""
        return identity_of(self._retriever)

    @property
    def notes(self) -> tuple[Note, ...]:
        """The retriever's."""
        return self._retriever.notes if self._retriever else ()

    def first(self, questions: Mapping[str, str], k: int) -> list[tuple[Document, ...]]:
        """The best k of each question, given by its query id, best first."""
        if self._retriever is None:
            return [()] * len(questions)
        new = {query_id: text for query_id, text in questions.items() if text not in self._places}
        for text, hits in zip(new.values(), self._retriever.retrieve(new, depth=self._depth), strict=True):
            self._places[text] = hits.positions.tolist()
        return [tuple(self._corpus[place] for place in self._places[text][:k]) for text in questions.values()]


class Asking:
    """Retrieves for a variant's text and answers it; equal texts are answered once.

    Args:
        finder: Finds documents.
        k: Documents given, at most.
        answered: Gives one answer per prompt, None where it is missing.
        options: Options of each question, none for open questions.
        examples: What stands before every question.
    """

    def __init__(
        self,
        finder: Finder,
        k: int,
        answered: Callable[[Sequence[Prompt]], list[str | None]],
        options: Mapping[str, tuple[str, ...]],
        examples: tuple[Example, ...] = (),
    ) -> None:
        self._finder = finder
        self._k = k
        self._answered = answered
        self._options = options
        self._examples = examples

    def __call__(self, variants: Sequence[Variant], *, instruction: str = "") -> list[Answered]:
        """One answer per variant, in order."""
        keys = [(variant.question_id, variant.text) for variant in variants]
        asked: dict[tuple[str, str], str] = {}
        for key, variant in zip(keys, variants, strict=True):
            asked.setdefault(key, variant.query_id)
        found = self._finder.first({query_id: text for (_, text), query_id in asked.items()}, self._k)
        prompts = [
            Prompt(
                text,
                documents,
                "",
                self._options.get(question, ()),
                instruction,
                examples=self._examples,
            )
            for (question, text), documents in zip(asked, found, strict=True)
        ]
        answers = zip(asked, self._answered(prompts), prompts, strict=True)
        answered = {key: Answered(answer, prompt) for key, answer, prompt in answers}
        return [answered[key] for key in keys]


def _variants(questions: Mapping[str, ClosedQuestion], settings: VariantConfig) -> list[Variant]:
    """About the people of the file, or those of the description where a question brings none."""
    ready = {query: question for query, question in questions.items() if question.people}
    made = {query: question.text for query, question in questions.items() if not question.people}
    variants = variants_of(made, settings) if made else []
    for query, question in ready.items():
        for person in question.people:
            name = f"{query}::{'_'.join(person.value.split())}"
            variants.append(Variant(name, query, person.attribute, person.value, person.text))
    return variants


def _examples(questions: Mapping[str, ClosedQuestion], n: int, seed: int, file: str) -> dict[str, Example]:
    """Questions drawn as examples, as they are asked about nobody; the first of them are those of fewer shots.

    Ji et al. (2025) ask without examples; that one stands before every question of its file, shows the right letter
    and no documents, and is left out of scoring in every condition is as with questions that test for bias.
    """
    if n >= len(questions):
        raise UndefinedError(f"{file}: {n} examples leave nothing to ask of {len(questions)} questions; lower shots")
    order: list[int] = np.random.default_rng(seed).permutation(len(questions))[:n].tolist()
    query_ids = list(questions)
    drawn = {query_ids[place]: questions[query_ids[place]] for place in order}
    return {
        query: Example(Prompt(question.text, (), "", question.options), question.gold)
        for query, question in drawn.items()
    }


def variants_of(questions: Mapping[str, str], settings: VariantConfig) -> list[Variant]:
    """All variants by question: neutral, one attribute, then every attribute at once."""
    form = settings.form
    variants = list(make_variants(questions, settings.asked_about, form=form))
    if len(settings.asked_about) > 1:
        variants += make_variants(questions, settings.asked_about, form=form, combine=True, neutral=False)
    places = {question: place for place, question in enumerate(questions)}
    return sorted(variants, key=lambda variant: places[variant.question_id])


def conditions(settings: VariantConfig, *, closed: bool, widely: bool) -> Iterator[Condition]:
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
        narrow = [Condition(name, names[0], settings.k[0]) for name in strategies]
        wide = [Condition(strategies[0], name, k) for name in names for k in settings.ks]
        yield from dict.fromkeys([*narrow, *(wide if closed and widely else ())])
        return
    retrieved = [(NO_RETRIEVER, 0)] if WITHOUT in settings.settings else []
    retrieved += [(name, k) for name in names for k in settings.k] if FULL in settings.settings else []
    for strategy in strategies:
        for name, k in retrieved:
            for shots in settings.shots if closed else (0,):
                yield Condition(strategy, name, k, shots)
