"""The description of questions over sampled rankings (``kind = "rankings"``, or none)."""

from typing import Annotated, Literal

from pydantic import Field

from fairviz.experiment.components.registry import AttributorTable, GeneratorTable, RetrieverTable
from fairviz.experiment.description import Description, Distinct, FileBeside, K, Seed


class RankingConfig(Description):
    """Questions over sampled rankings; the defaults are those of Kim & Diaz (2025), section 4."""

    kind: Literal["rankings"] = "rankings"
    corpus: FileBeside
    """JSONL of documents."""
    queries: FileBeside
    """JSONL of questions."""
    references: FileBeside
    """JSONL of right answers."""
    alphas: Annotated[tuple[Annotated[float, Field(ge=0, le=64)], ...], Field(min_length=1), Distinct()] = (1, 2, 4, 8)
    """Fairness controls of the sampled rankings."""
    depth: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Documents retrieved for a question, at most."""
    k: K = 5
    """Documents given to the generator."""
    n_samples: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Rankings drawn per question and α, and from the oracle."""
    seed: Seed = 0
    """The one source of chance."""
    min_useful: Annotated[int, Field(ge=0, le=1_000)] = 2
    """Questions with fewer useful documents are dropped."""
    retriever: RetrieverTable
    generator: GeneratorTable
    attributor: AttributorTable
