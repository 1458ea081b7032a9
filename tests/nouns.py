"""Small nouns from literals, for tests."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from fairviz.model import Qrels, RankingSample, Run


def offsets_of(parts: Sequence[Sequence[object]]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)


def codes_of(parts: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], np.ndarray]:
    index: dict[str, int] = {}
    codes = [index.setdefault(doc, len(index)) for part in parts for doc in part]
    return tuple(index), np.array(codes, dtype=np.int32)


def enum_of(name: str, rows: Sequence[str]) -> pl.Series:
    """A column of names, which stand in the order of their first row."""
    return pl.Series(name, rows, dtype=pl.Enum(list(dict.fromkeys(rows))))


def run_of(scores: Mapping[str, Mapping[str, float]], system: str = "sys") -> Run:
    """Ranked by score, ties by document id descending."""
    lists = [sorted(docs.items(), key=lambda item: (item[1], item[0]), reverse=True) for docs in scores.values()]
    doc_ids, docs = codes_of([[doc for doc, _ in ranked] for ranked in lists])
    return Run(
        system=system,
        query_ids=tuple(scores),
        doc_ids=doc_ids,
        offsets=offsets_of(lists),
        docs=docs,
        scores=np.array([score for ranked in lists for _, score in ranked], dtype=np.float64),
    )


def sample_of(
    rankings: Mapping[str, Sequence[Sequence[str]]], system: str = "sys", alpha: float | None = None
) -> RankingSample:
    lists = [ranking for drawn in rankings.values() for ranking in drawn]
    doc_ids, docs = codes_of(lists)
    return RankingSample(
        system=system,
        alpha=alpha,
        query_ids=tuple(rankings),
        doc_ids=doc_ids,
        query_offsets=offsets_of(list(rankings.values())),
        sample_offsets=offsets_of(lists),
        docs=docs,
    )


def qrels_of(grades: Mapping[str, Mapping[str, int]], name: str = "qrels") -> Qrels:
    doc_ids, docs = codes_of([list(judged) for judged in grades.values()])
    return Qrels(
        name=name,
        query_ids=tuple(grades),
        doc_ids=doc_ids,
        offsets=offsets_of([list(judged) for judged in grades.values()]),
        docs=docs,
        grades=np.array([g for judged in grades.values() for g in judged.values()], dtype=np.int64),
    )
