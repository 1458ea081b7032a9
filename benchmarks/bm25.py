"""BM25 as one sparse matrix, against ``rank_bm25`` itself on a corpus of 66,695 documents."""

from collections.abc import Iterator

import numpy as np
from rank_bm25 import BM25Okapi

from benchmarks.measuring import Goal, Row, interleaved, ratio, shown
from fairviz.experiments.retrievers import Bm25Index

N_DOCUMENTS = 66_695
N_TERMS = 200_000
MEAN_LENGTH = 60
FUNCTION_WORDS = 100
"""Ranks of Zipf's law that are left out: function words are in no index here."""
QUESTION_LENGTH = 8


def rows(*, small: bool) -> Iterator[Row]:
    """Ratio of times per question, and the largest difference of a score."""
    rng = np.random.default_rng(0)
    corpus = zipfian_corpus(300 if small else N_DOCUMENTS, rng=rng)
    questions = zipfian_texts(np.full(3 if small else 10, QUESTION_LENGTH), rng=rng)
    ours, theirs = Bm25Index(corpus), BM25Okapi(corpus)
    by_us, by_them = interleaved(
        lambda: [ours.scores(question) for question in questions],
        lambda: [theirs.get_scores(question) for question in questions],
        repeats=1 if small else 3,
    )
    per_question = [[s / len(questions) for s in seconds] for seconds in (by_us, by_them)]
    yield Row(
        what="BM25, rank-bm25's get_scores / ours, per question",
        value=ratio(by_them, by_us),
        unit="×",
        goal=Goal(300, at_least=True),
        note=f"{shown(per_question[1])} / {shown(per_question[0])}; {len(corpus):,} documents, "
        f"{QUESTION_LENGTH} words asked",
    )
    gaps = [np.abs(ours.scores(q) - theirs.get_scores(q)).max() for q in questions]
    yield Row(what="largest difference of a BM25 score to rank-bm25", value=float(max(gaps)), unit="", goal=Goal(1e-9))


def zipfian_corpus(n_documents: int, *, rng: np.random.Generator) -> list[list[str]]:
    """Documents of about 60 words whose frequencies follow Zipf's law."""
    return zipfian_texts(np.maximum(rng.poisson(MEAN_LENGTH, n_documents), 1), rng=rng)


def zipfian_texts(lengths: np.ndarray[tuple[int], np.dtype[np.int64]], *, rng: np.random.Generator) -> list[list[str]]:
    """Texts of given lengths; the word of rank r has a chance ∝ 1 / r."""
    chances = np.cumsum(1 / np.arange(FUNCTION_WORDS + 1, FUNCTION_WORDS + N_TERMS + 1))
    drawn = np.searchsorted(chances, rng.random(int(lengths.sum())) * chances[-1])
    names = np.array([f"w{term}" for term in range(N_TERMS + 1)], dtype=object)
    words: list[str] = names[drawn].tolist()
    ends = np.cumsum(lengths)
    return [words[end - n : end] for n, end in zip(lengths, ends, strict=True)]
