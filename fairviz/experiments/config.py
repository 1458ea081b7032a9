"""What an experiment is asked for: its description, a TOML file of one of three kinds, and every mistake in it at once.

A class is the one place that says what a key means, what it may be and what it is where it is not set. Components are
named in tables of their own (classes of :class:`~fairviz.experiments.description.Component`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from fairviz.experiments.attributors import AttributorTable
from fairviz.experiments.description import (
    DistinctLabels,
    DistinctNames,
    DistinctPrompts,
    FileBeside,
    Files,
    FolderBeside,
    Name,
    OneOrMore,
    Parameters,
    Seed,
    Text,
    checked,
    distinct,
    name_or_file,
    prompt_label,
)
from fairviz.experiments.labels import Utility
from fairviz.experiments.openai_server import OpenAI
from fairviz.experiments.people import MAJORITY, STRATEGIES, Form, Strategy, Voters, majority, strategy_of
from fairviz.experiments.protocols import PLACES, printed_prompt, prompt_names
from fairviz.experiments.retrievers import RetrieverTable, RetrieverTables
from fairviz.io.text import read_toml
from fairviz.studies.demographic_qa.settings import TieRule


class Description(Parameters):
    """A description of any kind; paths are relative to its file."""

    _file: Path = PrivateAttr()

    name: Name
    """Of the experiment; recorded in what it makes."""

    output: FolderBeside | None = None
    """Folder to write to; not set: one of the experiment's name."""

    max_failures: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Share of the answers of a round that may be missing in the end: results are made without them, and say so."""

    limit: Annotated[int, Field(ge=1)] | None = None
    """So many first questions of each task or file are asked, to try a study out; not set: all."""

    seed: Seed = 0
    """The one source of chance."""

    generators: Annotated[tuple[OpenAI, ...], Field(alias="generator", min_length=1), DistinctLabels, OneOrMore]
    """Who answers; of demographic variants the closed questions."""

    def model_post_init(self, context: Any, /) -> None:
        """Keep which file it is."""
        self._file = Path(context["file"])

    @property
    def file(self) -> Path:
        """The TOML file."""
        return self._file

    @property
    def folder(self) -> Path:
        """Where it writes."""
        return self.output or self.file.parent / self.name

    def answerers(self) -> dict[str, Any]:
        """Who answers, by name: the tables of generators under their labels."""
        return {table.label: table for table in self.generators}


K: TypeAlias = Annotated[int, Field(ge=1, le=1_000)]
"""Documents that are given."""
Ks: TypeAlias = Annotated[tuple[K, ...], Field(min_length=1), distinct(), OneOrMore]
Shots: TypeAlias = Annotated[int, Field(ge=0, le=32)]

WITHOUT = "w/o RAG"
FULL = "full-set"


class ChoiceDescription(Description):
    """A description of questions with options: without documents or with retrieved ones, behind examples or none."""

    shuffle: bool = False
    """Whether the options of each question stand in an order of their own, drawn by the seed."""
    shots: Annotated[tuple[Shots, ...], Field(min_length=1), distinct(), OneOrMore] = (0,)
    """Numbers of examples before a question (8 in appendix D of Zhang et al. 2025)."""
    retrievers: Annotated[RetrieverTables, Field(alias="retriever")] = ()
    """The retrievers, each over every collection."""

    @property
    def retrieves(self) -> bool:
        """Whether documents are given in any setting."""
        return vars(self)["settings"] != (WITHOUT,)


# Questions over sampled rankings: one task, or several.


Policy: TypeAlias = Literal["plackett-luce", "deterministic", "oracle"]

Alpha: TypeAlias = Annotated[float, Field(ge=0, le=64)]


def _template(path: Path) -> Path:
    missing = [placeholder for placeholder in PLACES if placeholder not in printed_prompt(str(path))]
    if missing:
        raise ValueError(f"names {path}, which lacks {' and '.join(missing)}")
    return path


Template: TypeAlias = Annotated[FileBeside, AfterValidator(_template)]


class TaskMaterial(Parameters):
    """What a task starts from."""

    corpus: FileBeside
    """JSONL of documents."""
    profiles: bool = False
    """Whether each document belongs to the question that its ``query_id`` names, and is found for no other (LaMP)."""
    queries: FileBeside
    """JSONL of questions."""
    references: FileBeside
    """JSONL of right answers."""
    utility: Utility = "rougeL"
    """How well an answer matches its references: a string utility, or the metric of a task of LaMP."""
    usefulness: FileBeside | None = None
    """Judgements (qrels) of which documents are useful; not set: those with a positive utility gain."""
    prompt: Template | None = None
    """Text file with {question} and {documents}: what a language model is sent; lines with # say where it is from. Not
    set: documents, question and "Answer:", since Kim & Diaz print no prompt."""


class TaskConfig(TaskMaterial):
    """One task of several."""

    name: Name
    """Recorded as ``task`` in every output."""


class RankingConfig(Description):
    """Questions over sampled rankings; the defaults are those of Kim & Diaz (2025), section 4."""

    kind: Literal["rankings"] = "rankings"
    """Sampled rankings and answers to them."""
    policies: Annotated[tuple[Policy, ...], Field(min_length=1), distinct(), OneOrMore] = get_args(Policy)
    """How rankings are made of what is retrieved."""
    alphas: Annotated[tuple[Alpha, ...], Field(min_length=1), distinct(), OneOrMore] = (1, 2, 4, 8)
    """Fairness controls of Plackett–Luce rankings."""
    k: Ks = (5,)
    """Numbers of documents given to the generators."""
    depth: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Documents retrieved for a question, at most."""
    label_depth: Annotated[int, Field(ge=1)] | None = None
    """Of each retriever so many best documents are labelled; not set: the whole corpus. A label costs a call per
    generator, and so does a question."""
    n_samples: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Rankings drawn per question and α, and from the oracle."""
    min_useful: Annotated[int, Field(ge=0, le=1_000)] = 2
    """Questions with fewer useful documents are dropped."""
    retrievers: Annotated[RetrieverTables, Field(alias="retriever", min_length=1)]
    """The retrievers, each over every corpus."""
    attributors: Annotated[
        tuple[AttributorTable, ...], Field(alias="attributor", min_length=1), DistinctLabels, OneOrMore
    ]
    """Who says which documents an answer rests on; each has outputs of its own."""

    @property
    def tasks(self) -> tuple[TaskConfig, ...]:
        """The tasks, at least one."""
        raise NotImplementedError


class OneTask(TaskMaterial, RankingConfig):
    """One task, named like the experiment."""

    @property
    def tasks(self) -> tuple[TaskConfig, ...]:
        """The only one."""
        material = {name: getattr(self, name) for name in TaskMaterial.model_fields}
        return (TaskConfig.model_construct(name=self.name, **material),)


class SeveralTasks(RankingConfig):
    """Tasks that are answered in the same ways and never averaged."""

    described: Annotated[tuple[TaskConfig, ...], Field(alias="task"), Field(min_length=1), DistinctNames]
    """Tables [[task]]."""

    @model_validator(mode="after")
    def _alike(self) -> "SeveralTasks":
        if len({task.usefulness is None for task in self.described}) > 1:
            raise ValueError("needs usefulness in all tables [[task]] or in none")
        return self

    @property
    def tasks(self) -> tuple[TaskConfig, ...]:
        """The tables [[task]]."""
        return self.described


# Questions that test for bias.


Setting: TypeAlias = Literal["w/o RAG", "full-set", "stereo-set", "anti-set"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)


PRINTED = {number: f"zhang-{number}" for number in (1, 2)}
"""Instructions that descriptions called by a number."""

Instruction: TypeAlias = Annotated[
    int | str | Path, name_or_file((*PRINTED, *(name for name in prompt_names() if "." not in name)))
]


class DocumentTable(Parameters):
    """Documents in a table, and what its columns are called."""

    file: FileBeside
    """TSV, CSV, JSON Lines or Parquet."""
    id: Text = "doc_id"
    """What the column of ids is called."""
    text: Text = "text"
    """What that of texts is called."""
    polarity: Text = "polarity"
    """What that of polarities is called, which are stereo, anti or neutral."""
    title: Text = "title"
    """What that of titles is called; it may be missing."""


class BiasConfig(ChoiceDescription):
    """Questions that test for bias."""

    kind: Literal["bias"]
    """Questions that test for bias."""
    items: Files
    """Questions of BBQ, CBBQ, KoBBQ or JBBQ, also as tables and Parquet."""
    corpus: DocumentTable | None = None
    """The documents with their polarity."""
    settings: Annotated[tuple[Setting, ...], Field(min_length=1), distinct()] = SETTINGS
    """Without retrieval, and from which part of the collection."""
    k: Ks = (5, 10)
    """Numbers of documents given to the models."""
    instructions: Annotated[tuple[Instruction, ...], Field(min_length=1), DistinctPrompts] = (1,)
    """zhang-1 and zhang-2 (Zhang et al. 2025, Table 6; also 1 and 2), plain, or text files of instructions."""

    @model_validator(mode="after")
    def _complete(self) -> "BiasConfig":
        if self.retrieves and self.corpus is None:
            raise ValueError('needs corpus, or settings = ["w/o RAG"]')
        if self.retrieves and not self.retrievers:
            raise ValueError('needs a table [[retriever]], or settings = ["w/o RAG"]')
        return self

    @property
    def named_instructions(self) -> dict[str, str]:
        """Prompt by its name in the column ``instruction``."""
        return {
            str(prompt_label(instruction)): PRINTED[instruction] if isinstance(instruction, int) else str(instruction)
            for instruction in self.instructions
        }


# Demographic variants of questions.


class ClosedQuestions(Parameters):
    """Questions with options."""

    questions: FileBeside
    """JSONL of questions, options and the right one."""


class OpenQuestions(Parameters):
    """Questions with reference answers, and who answers them."""

    questions: FileBeside
    """JSONL of questions."""
    references: FileBeside
    """JSONL of right answers, of which the first of a question is taken."""
    generator: OpenAI
    """Who answers them."""


class Vote(Parameters):
    """Every variant's answer is what most variants chose, asked plainly."""

    voters: Voters = "all"
    """All variants of a question and its neutral one; or, for each group, all variants about it."""
    ties: TieRule = "neutral"
    """The neutral question's answer where it is among the tied ones; no answer; the first given; the first letter."""


StrategyName: TypeAlias = Annotated[str | Path, name_or_file(STRATEGIES)]

People: TypeAlias = Mapping[Text, Annotated[tuple[Text, ...], Field(min_length=1), distinct()]]


class VariantConfig(ChoiceDescription):
    """Demographic variants of questions."""

    kind: Literal["variants"]
    """Demographic variants of questions."""
    questions: Files | None = None
    """Questions with options and the right one: our JSONL, MedQA, MedMCQA, MMLU, MIRAGE, AMQA."""
    closed: ClosedQuestions | None = None
    """One such file, whose questions are called "closed"."""
    open: OpenQuestions | None = None
    """Questions with answers in words, asked about the same people."""
    corpus: Files | None = None
    """JSONL files of documents, together the collection."""
    settings: Annotated[tuple[Literal["w/o RAG", "full-set"], ...], Field(min_length=1), distinct()] = (FULL,)
    """Without and with retrieval."""
    k: Ks = (15,)
    """Numbers of documents given."""
    ks: Annotated[tuple[K, ...], Field(min_length=1), distinct()] | None = None
    """Asks less: every strategy with the first retriever and k, the first strategy and model with all of these."""
    evidence_at: K = 3
    """The evidence of an answer is right where one of so many first documents is a document that holds the answer."""
    strategies: Annotated[tuple[StrategyName, ...], Field(min_length=1), DistinctPrompts] = ("plain",)
    """Ways to ask: plain, ji-chain-of-thought, ji-counterfactual, ji-adversarial, consistency, no-mention, or text
    files of instructions."""
    vote: Vote | None = None
    """A majority vote over variants, as one strategy more."""
    form: Form = "prefix"
    """How a variant names a person."""
    people: People | None = None
    """Attribute → values; the paper's where it is not set. Questions that bring their people keep them."""

    @model_validator(mode="after")
    def _complete(self) -> "VariantConfig":
        if not self.questions and self.closed is None:
            raise ValueError("needs questions")
        if self.questions and self.closed is not None:
            raise ValueError("has questions and [closed]; keep questions")
        if self.retrieves and not (self.corpus and self.retrievers):
            raise ValueError('needs corpus and a table [[retriever]], or settings = ["w/o RAG"]')
        if len(self.question_files) < len(self.questions or (None,)):
            raise ValueError("has two files of questions of one name; rename one")
        return self

    @property
    def question_files(self) -> dict[str, Path]:
        """Files of questions with options, by what their questions are called."""
        if self.closed is not None:
            return {"closed": self.closed.questions}
        return {path.name.partition(".")[0]: path for path in self.questions or ()}

    @property
    def named_strategies(self) -> dict[str, Strategy]:
        """How is asked, by the name in the column ``strategy``."""
        named = {str(prompt_label(strategy)): strategy_of(str(strategy)) for strategy in self.strategies}
        return named if self.vote is None else {**named, MAJORITY: majority(self.vote.voters, self.vote.ties)}


# A description of any kind.


ExperimentConfig: TypeAlias = RankingConfig | BiasConfig | VariantConfig

KINDS: Mapping[str, tuple[type[ExperimentConfig], ...]] = {
    "rankings": (OneTask, SeveralTasks),
    "bias": (BiasConfig,),
    "variants": (VariantConfig,),
}
"""By the key ``kind``: sampled rankings and answers to them, without and with tables [[task]]; bias questions;
demographic variants."""


class Kind(BaseModel):
    """What the other keys depend on."""

    kind: Literal["rankings", "bias", "variants"] = "rankings"


def read_config(path: Path) -> ExperimentConfig:
    """Read and check the description of an experiment; no component is loaded.

    Raises:
        InputError: If the file cannot be read or is no TOML.
        DescriptionError: If keys or values are not accepted; its text has a line for each.
    """
    tables = read_toml(path)
    kind = checked(Kind, tables, path).kind
    return checked(KINDS[kind][-1 if "task" in tables else 0], tables, path)


class OnlyRetrievers(Parameters):
    """The tables [[retriever]] of a description of any kind; the rest is not looked at."""

    model_config = ConfigDict(extra="ignore")

    retrievers: Annotated[RetrieverTables, Field(alias="retriever", min_length=1)]


def retrievers_of(tables: Mapping[str, Any], file: Path) -> tuple[RetrieverTable, ...]:
    """The retrievers among the tables of a description, whose other keys are not looked at.

    Args:
        tables: Those of the description.
        file: Where they are from, for messages; what they name is looked for beside it.

    Raises:
        DescriptionError: If a table of a retriever is not accepted, or there is none.
    """
    return checked(OnlyRetrievers, tables, file).retrievers


def config_schema() -> dict[str, Any]:
    """The JSON schema of a description, of each kind; what ``fairviz experiment check --schema`` prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Description of an experiment of fairviz",
        "oneOf": [described.model_json_schema() for kind in KINDS.values() for described in kind],
    }
