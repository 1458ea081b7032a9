"""Questions that test for bias: expand templates, retrieve, answer.

The settings are those of Zhang et al. (2025), 4.2: without retrieval, and with the k best
documents of the full collection, of its stereotypical half and of its anti-stereotypical half. The
query is the context with the question.
"""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import TextIO

from fairviz.experiment.asking import Answerer, Answers, Question, Round
from fairviz.experiment.bias.config import BiasConfig
from fairviz.experiment.bias.templates import Impression, Item, impressions_of, items_of, read_templates
from fairviz.experiment.components.registry import build_model, retriever_of
from fairviz.experiment.prompts.text import BIAS_INSTRUCTIONS, option_of
from fairviz.experiment.protocols import Document, Prompt
from fairviz.experiment.retrieved import retrieved_run
from fairviz.experiment.store import Store
from fairviz.io.trec import write_run
from fairviz.model import Note, Run

WITHOUT = "w/o RAG"
FULL = "full-set"

COLLECTIONS = (FULL, "stereo-set", "anti-set")

ITEM_COLUMNS = (
    *("category", "example_id", "question_index", "question_polarity", "context_condition"),
    *("context", "question", *(f"{name}{i}" for name in ("ans", "text", "group") for i in range(3))),
    *("subcategory", "stereotyped_groups", "label", "unknown_loc", "target_loc"),
)
SETTING_COLUMNS = ("model", "setting", "retriever", "k", "instruction")
ANSWER_COLUMNS = ("category", "example_id", "raw_prediction", "pred")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The documents given with every item in one setting, best first."""

    setting: str
    retriever: str
    k: int | None
    documents: Sequence[tuple[Document, ...]]


class BiasSource:
    """Items of templates, asked of every model in every setting.

    Makes the items (``items.csv.gz``), the documents (``documents.jsonl``) with their polarity
    (``polarity.tsv``), what each retriever found in the full collection (``full-set.RETRIEVER.run.gz``) and the answers
    (``predictions.csv.gz``).
    """

    def __init__(self, settings: BiasConfig, store: Store) -> None:
        self._settings = settings
        templates = read_templates(settings.templates)
        self._items = list(items_of(templates))
        self._impressions = list(impressions_of(templates))
        self.models: Mapping[str, Answerer] = {model.name: build_model(model) for model in settings.models}
        self.n_rounds = 1
        self.n_steps = 1 + len(self.models)
        self.notes: tuple[Note, ...] = ()
        self.n_useful: dict[str, int] = {}
        self.dropped: tuple[str, ...] = ()

    @property
    def material(self) -> Mapping[str, int]:
        """Items and documents."""
        return {"items": len(self._items), "documents": len(self._impressions)}

    def rounds(self, answers: Answers) -> Iterator[Round]:
        """Everything at once: no question depends on an answer."""
        yield Round("answer", self._asked_questions())

    def outlook(self, answers: Answers) -> Iterator[Round]:
        """The one round."""
        yield from self.rounds(answers)

    def files(self, answers: Answers, step: Callable[[str], None]) -> Iterator[tuple[str, Callable[[TextIO], object]]]:
        """Name and writer of each file, in the order of their making."""
        yield "items.csv.gz", partial(write_item_table, self._items)
        yield "documents.jsonl", partial(_write_documents, self._impressions)
        yield "polarity.tsv", partial(_write_polarity, self._impressions)
        step("retrieve")
        for collection, run in self._retrieved_runs:
            if collection == FULL:
                yield f"{FULL}.{run.system}.run.gz", partial(write_run, run)
        rows: list[tuple[str, ...]] = []
        for name in self.models:
            step(f"answer ({name})")
            for retrieved, number, prompts in self._asked():
                rows += _rows(name, retrieved, number, self._items, answers.of(name, prompts))
        yield "predictions.csv.gz", partial(_write_answers, rows)

    @cached_property
    def _retrieved_runs(self) -> list[tuple[str, Run]]:
        return [(collection, run) for collection in COLLECTIONS for run in self._runs(collection)]

    def _asked(self) -> Iterator[tuple[Retrieved, int, list[Prompt]]]:
        """Each setting and instruction, and the prompts of all items."""
        settings = [Retrieved(WITHOUT, "", None, [()] * len(self._items))]
        for collection, run in self._retrieved_runs:
            settings += [_retrieved(run, self._impressions, collection, k) for k in self._settings.ks]
        for retrieved in settings:
            for number in self._settings.instructions:
                prompts = [
                    Prompt(item.question, documents, item.context, item.options, BIAS_INSTRUCTIONS[number - 1])
                    for item, documents in zip(self._items, retrieved.documents, strict=True)
                ]
                yield retrieved, number, prompts

    def _asked_questions(self) -> Iterator[Question]:
        for name in self.models:
            for retrieved, number, prompts in self._asked():
                for item, prompt in zip(self._items, prompts, strict=True):
                    policy = f"{retrieved.setting} {retrieved.retriever} {retrieved.k or 0}"
                    yield Question(f"{self._settings.name}|{query_id(item)}|{policy}|{number}", name, prompt)

    def _runs(self, collection: str) -> Iterator[Run]:
        """What each retriever finds in a collection."""
        corpus = [
            Document(impression.doc_id, "", impression.text)
            for impression in self._impressions
            if collection in (FULL, f"{impression.polarity}-set")
        ]
        questions = {query_id(item): f"{item.context} {item.question}" for item in self._items}
        for choice in self._settings.retrievers:
            retriever = retriever_of(choice, corpus, str(self._settings.templates))
            yield retrieved_run(retriever, corpus, questions, depth=max(self._settings.ks))


def query_id(item: Item) -> str:
    """Name of an item in runs."""
    return f"{item.category}-{item.example_id}"


def write_item_table(items: Sequence[Item], to: TextIO) -> None:
    """Write items with all columns of BBQ, and where the unknown and the biased option are."""
    table = csv.writer(to, lineterminator="\n")
    table.writerow(ITEM_COLUMNS)
    for item in items:
        table.writerow(
            [
                *(*item[:7], *item.options, *item.texts, *item.groups),
                *("", json.dumps([item.stereotyped]), *item[-3:]),
            ]
        )


def _retrieved(run: Run, impressions: Sequence[Impression], collection: str, k: int) -> Retrieved:
    texts = {impression.doc_id: Document(impression.doc_id, "", impression.text) for impression in impressions}
    corpus = [texts[doc_id] for doc_id in run.doc_ids]
    docs: list[int] = run.docs.tolist()
    bounds: list[int] = run.offsets.tolist()
    documents = [tuple(corpus[place] for place in docs[start:end][:k]) for start, end in pairwise(bounds)]
    return Retrieved(collection, run.system, k, documents)


def _rows(
    model: str, retrieved: Retrieved, instruction: int, items: Sequence[Item], answers: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Rows of answers of one model in one setting."""
    k = "" if retrieved.k is None else str(retrieved.k)
    start = (model, retrieved.setting, retrieved.retriever, k, str(instruction))
    for item, answer in zip(items, answers, strict=True):
        option = option_of(answer, len(item.options))
        yield (*start, item.category, str(item.example_id), answer, str(option))


def _write_documents(impressions: Sequence[Impression], to: TextIO) -> None:
    for impression in impressions:
        to.write(json.dumps(impression._asdict(), ensure_ascii=False) + "\n")


def _write_polarity(impressions: Sequence[Impression], to: TextIO) -> None:
    to.write("doc_id\tpolarity\n")
    to.writelines(f"{impression.doc_id}\t{impression.polarity}\n" for impression in impressions)


def _write_answers(rows: Sequence[tuple[str, ...]], to: TextIO) -> None:
    table = csv.writer(to, lineterminator="\n")
    table.writerow((*SETTING_COLUMNS, *ANSWER_COLUMNS))
    table.writerows(rows)
