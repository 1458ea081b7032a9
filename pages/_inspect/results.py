"""What the Inspect page knows of one query: exposure, drawn lists, recorded outputs."""

from dataclasses import dataclass

import numpy as np

from fairviz.exposure import Gain
from fairviz.model import Dataset, Pools, RagOutputs, RankingSample, Run
from fairviz.policies import PlackettLuce
from fairviz.pool import pool
from fairviz.studies.queries import one_query
from fairviz.studies.queries.one_query import Seen
from pages._kit import Tone
from pages._kit.cache import cached
from pages._kit.controls import AS_PUBLISHED, ScorePolicy

PAIRED_CUTOFF = 20
"""Items taken as given where outputs record none: as many as TREC RAG gives."""


def tone(gain: float) -> Tone:
    """The fill of a grade, as in the chart."""
    steps: tuple[Tone, ...] = ("grade0", "grade1", "grade2", "grade3")
    return steps[int(np.clip(gain, 0, 3))]


@cached
def pools_of(loaded: Dataset, system: int, judgements: int | None) -> Pools:
    """One run aligned with one set of judgements."""
    return pool(loaded.runs[system], None if judgements is None else loaded.qrels[judgements])


@cached
def seen(
    loaded: Dataset,
    system: int,
    judgements: int | None,
    query: str,
    k: int,
    alpha: float,
    gain: Gain = "graded",
    policy: ScorePolicy = AS_PUBLISHED,
) -> Seen:
    """One query at α, remembered."""
    pools = pools_of(loaded, system, judgements)
    return one_query.seen(pools, query, k=k, alpha=alpha, gain=gain, scores=policy.scores, offset=policy.offset)


def drawn_lists(
    run: Run, query: str, *, k: int, alpha: float, policy: ScorePolicy, n_lists: int, seed: int
) -> list[list[str]]:
    """Lists of one query drawn now; equal seeds, equal lists."""
    at = run.query_ids.index(query)
    rows = slice(int(run.offsets[at]), int(run.offsets[at + 1]))
    query_run = Run(
        system=run.system,
        query_ids=(query,),
        doc_ids=run.doc_ids,
        offsets=np.array([0, rows.stop - rows.start], dtype=np.int64),
        docs=run.docs[rows],
        scores=run.scores[rows],
    )
    rng = np.random.default_rng(seed)
    sample = PlackettLuce(alpha, policy.offset, policy.scores).sample(query_run, depth=k, n_samples=n_lists, rng=rng)
    return recorded_lists(sample, query, n_lists)


def recorded_lists(sample: RankingSample, query: str, n_lists: int) -> list[list[str]]:
    """The first recorded lists of one query."""
    at = sample.query_ids.index(query)
    first, last = (int(end) for end in sample.query_offsets[at : at + 2])
    return [
        [sample.doc_ids[d] for d in sample.docs[sample.sample_offsets[s] : end]]
        for s, end in enumerate(sample.sample_offsets[first + 1 : last + 1][:n_lists], start=first)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One recorded output.

    Attributes:
        sample: Its id within the query.
        text: The answer.
        sentences: Its sentences with the items that each cites; empty where that is not recorded.
        given: Items given to the generator, best first.
        used: Items that the answer uses.
        utility: As recorded; NaN where it was not.
        paired: Whether ``given`` are the first items of the run, for want of a record.
    """

    sample: str
    text: str
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    given: tuple[str, ...]
    used: tuple[str, ...]
    utility: float
    paired: bool


def answers(outputs: RagOutputs, query: str, run: Run | None) -> list[Answer]:
    """The recorded outputs of one query; the first items of the run that fed them where none are recorded as given."""
    at = outputs.query_ids.index(query)
    listed = None
    if outputs.given_from != "ranking" and run is not None and query in run.query_ids:
        row = run.query_ids.index(query)
        first, last = (int(end) for end in run.offsets[row : row + 2])
        docs = run.docs[first : min(last, first + (outputs.k or PAIRED_CUTOFF))]
        listed = tuple(run.doc_ids[d] for d in docs)
    return [_answer(outputs, o, listed) for o in range(*map(int, outputs.offsets[at : at + 2]))]


def _answer(outputs: RagOutputs, o: int, listed: tuple[str, ...] | None) -> Answer:
    def names(docs: np.ndarray, offsets: np.ndarray) -> tuple[str, ...]:
        return tuple(outputs.doc_ids[d] for d in docs[offsets[o] : offsets[o + 1]])

    recorded = [] if outputs.sentences is None else outputs.sentences.of(o, outputs.texts[o])
    return Answer(
        sample=outputs.samples[o],
        text=outputs.texts[o],
        sentences=tuple((text, tuple(outputs.doc_ids[d] for d in docs)) for text, docs in recorded),
        given=names(outputs.given, outputs.given_offsets) if listed is None else listed,
        used=names(outputs.attributed, outputs.attributed_offsets),
        utility=float(outputs.utilities[o]),
        paired=listed is not None,
    )
