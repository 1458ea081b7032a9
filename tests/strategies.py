"""Hypothesis strategies for pools with runs, judgements and sampled rankings."""

import numpy as np
from hypothesis import strategies as st

from fairviz.kernels.attention import Attention, TopK
from fairviz.model import Qrels, RankingSample, Run
from tests.nouns import qrels_of, run_of, sample_of

DOCS = [f"d{i}" for i in range(9)]

CUTOFFS = st.none() | st.integers(1, 8)
attentions: st.SearchStrategy[Attention] = st.one_of(
    st.builds(TopK, st.integers(1, 8)),
    st.builds(Attention, st.just("rbp"), CUTOFFS, patience=st.floats(0.1, 0.95)),
    st.builds(Attention, st.just("geometric"), CUTOFFS, stopping=st.floats(0.1, 0.9)),
    st.builds(Attention, st.sampled_from(["log", "dcg"]), CUTOFFS),
)


@st.composite
def runs(draw: st.DrawFn, queries: int = 3) -> Run:
    scores = st.floats(-5, 5).map(lambda x: round(x, 2))
    lists = st.dictionaries(st.sampled_from(DOCS), scores, min_size=1, max_size=7)
    return run_of({f"q{i}": draw(lists) for i in range(queries)})


@st.composite
def judged(draw: st.DrawFn, queries: int = 3) -> Qrels:
    lists = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1, max_size=8)
    return qrels_of({f"q{i}": draw(lists) for i in range(queries)})


@st.composite
def samples(draw: st.DrawFn, queries: int = 3) -> RankingSample:
    ranking = st.lists(st.sampled_from(DOCS), min_size=1, max_size=7, unique=True)
    drawn = st.lists(ranking, min_size=1, max_size=4)
    return sample_of({f"q{i}": draw(drawn) for i in range(queries)})


def literal_target(gains: list[float], weights: np.ndarray) -> list[float]:
    """DESIGN 2.2 word for word: positions of an ideal ranking shared by items of equal gain."""
    order = sorted(range(len(gains)), key=lambda i: -gains[i])
    target = [0.0] * len(gains)
    for i in order:
        block = [p for p, j in enumerate(order) if gains[j] == gains[i]]
        target[i] = sum(float(weights[p]) for p in block) / len(block)
    return target
