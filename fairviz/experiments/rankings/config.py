"""The description of questions over sampled rankings (``kind = "rankings"``, or none): one task, or several."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

from pydantic import AfterValidator, Field, model_validator

from fairviz.experiments.components.registry import AttributorTable, GeneratorTable, RetrieverTables
from fairviz.experiments.description import (
    Description,
    DistinctLabels,
    DistinctNames,
    FileBeside,
    K,
    Name,
    OneOrMore,
    Parameters,
    Seed,
    distinct,
)
from fairviz.experiments.prompts import PLACES, printed_prompt
from fairviz.experiments.rankings.labels import Utility

if TYPE_CHECKING:
    from fairviz.experiments.rankings.source import RankingSource
    from fairviz.experiments.store import Store

Policy: TypeAlias = Literal["plackett-luce", "deterministic", "oracle"]

Alpha: TypeAlias = Annotated[float, Field(ge=0, le=64)]


def _template(path: Path) -> Path:
    missing = [place for place in PLACES if place not in printed_prompt(str(path))]
    if missing:
        raise ValueError(f"names {path}, which lacks {' and '.join(missing)}")
    return path


Template: TypeAlias = Annotated[FileBeside, AfterValidator(_template)]


class Material(Parameters):
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


class TaskConfig(Material):
    """One task of several."""

    name: Name
    """Recorded as ``task`` in every output."""


class RankingConfig(Description):
    """Questions over sampled rankings; the defaults are those of Kim & Diaz (2025), section 4."""

    kind: Literal["rankings"] = "rankings"
    policies: Annotated[tuple[Policy, ...], Field(min_length=1), distinct(), OneOrMore] = get_args(Policy)
    """How rankings are made of what is retrieved."""
    alphas: Annotated[tuple[Alpha, ...], Field(min_length=1), distinct(), OneOrMore] = (1, 2, 4, 8)
    """Fairness controls of Plackett–Luce rankings."""
    k: Annotated[tuple[K, ...], Field(min_length=1), distinct(), OneOrMore] = (5,)
    """Numbers of documents given to the generators."""
    depth: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Documents retrieved for a question, at most."""
    limit: Annotated[int, Field(ge=1)] | None = None
    """So many first questions of each task are asked, to try a study out; not set: all."""
    label_depth: Annotated[int, Field(ge=1)] | None = None
    """Of each retriever so many best documents are labelled; not set: the whole corpus. A label costs a call per
    generator, and so does a question."""
    n_samples: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Rankings drawn per question and α, and from the oracle."""
    min_useful: Annotated[int, Field(ge=0, le=1_000)] = 2
    """Questions with fewer useful documents are dropped."""
    seed: Seed = 0
    """The one source of chance."""
    retrievers: Annotated[RetrieverTables, Field(alias="retriever", min_length=1)]
    generators: Annotated[tuple[GeneratorTable, ...], Field(alias="generator", min_length=1), DistinctLabels, OneOrMore]
    attributors: Annotated[
        tuple[AttributorTable, ...], Field(alias="attributor", min_length=1), DistinctLabels, OneOrMore
    ]
    """Who says which documents an answer rests on; each has outputs of its own."""

    @property
    def tasks(self) -> tuple[TaskConfig, ...]:
        """The tasks, at least one."""
        raise NotImplementedError

    def source(self, store: "Store") -> "RankingSource":
        """The questions that it describes."""
        from fairviz.experiments.rankings.source import RankingSource

        return RankingSource(self, store)


class OneTask(Material, RankingConfig):
    """One task, named like the experiment."""

    @property
    def tasks(self) -> tuple[TaskConfig, ...]:
        """The only one."""
        material = {name: getattr(self, name) for name in Material.model_fields}
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
        """As described."""
        return self.described
