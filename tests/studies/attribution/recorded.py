"""Small recorded outputs to test with."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from fairviz.kernels.attribution import attribution
from fairviz.model import Qrels, RagOutputs, Run
from fairviz.model.rankings import GivenFrom
from fairviz.points.outputs import output_points
from tests.nouns import qrels_of

Output = tuple[str, str, float]
"""(items given, items attributed, utility); items are single letters."""

DOCS = tuple("abcdefgh")


def recorded(
    answers: Mapping[str, Sequence[Output]],
    *,
    system: str = "bot",
    texts: Sequence[str] | None = None,
    source: GivenFrom = "ranking",
    task: str | None = None,
    retriever: str | None = None,
    generator: str | None = None,
    policy: str | None = None,
    alpha: float | None = None,
    dataset: str | None = None,
) -> RagOutputs:
    """Outputs by query id."""
    flat = [output for outputs in answers.values() for output in outputs]
    given, cited = ([DOCS.index(d) for row in flat for d in row[column]] for column in (0, 1))
    sizes = [len(outputs) for outputs in answers.values()]
    return RagOutputs(
        system=system,
        query_ids=tuple(answers),
        doc_ids=DOCS,
        offsets=np.cumsum([0, *sizes]),
        samples=tuple(str(s) for n in sizes for s in range(n)),
        given_from=source,
        given_offsets=np.cumsum([0, *(len(row[0]) for row in flat)]),
        given=np.array(given, dtype=np.int32),
        attributed_offsets=np.cumsum([0, *(len(row[1]) for row in flat)]),
        attributed=np.array(cited, dtype=np.int32),
        texts=tuple(texts or [""] * len(flat)),
        utilities=np.array([row[2] for row in flat], dtype=np.float64),
        task=task,
        retriever=retriever,
        generator=generator,
        policy=policy,
        alpha=alpha,
        dataset=dataset,
    )


def judged(useful: Mapping[str, str]) -> Qrels:
    """Items of grade 1 in lower case and of grade 0 in upper case, by query id."""
    return qrels_of({query: {d.lower(): int(d.islower()) for d in items} for query, items in useful.items()})


def measured(*outputs: RagOutputs, k: int, run: Run | None = None, **settings: object) -> pl.DataFrame:
    """Points of some outputs; candidates are those of the run that fed them, else the items of their own lists."""
    points = (
        output_points(one, attribution(one, k=k, paired=run), **{"candidates": run, **settings})  # type: ignore[arg-type]
        for one in outputs
    )
    named = pl.lit(run and run.system, pl.String)
    return pl.concat([rows.with_columns(place=pl.lit(i, pl.Int64), run=named) for i, rows in enumerate(points)])
