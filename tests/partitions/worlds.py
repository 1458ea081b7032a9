"""Small collections whose files name queries in different orders and lack some, so that nothing lines up by chance."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from fairviz.model import GivenFrom, Qrels, RagOutputs, RankingSample, Run
from tests.nouns import codes_of, offsets_of, qrels_of, run_of, sample_of

N_QUERIES = 24


def world(seed: int) -> tuple[Run, Qrels, RankingSample]:
    rng = np.random.default_rng(seed)
    names = [f"q{i}" for i in rng.permutation(N_QUERIES)]
    scores: dict[str, dict[str, float]] = {}
    grades: dict[str, dict[str, int]] = {}
    drawn: dict[str, list[list[str]]] = {}
    for query in names[:-2]:
        docs = [f"d{i}" for i in rng.choice(30, size=rng.integers(1, 12), replace=False)]
        scores[query] = {doc: float(rng.normal()) for doc in docs}
        drawn[query] = [rng.permutation(docs).tolist() for _ in range(3)]
    for query in rng.permutation(names[2:]).tolist():
        grades[query] = {f"d{i}": int(rng.integers(-1, 4)) for i in rng.choice(30, size=6, replace=False)}
    return run_of(scores), qrels_of(grades), sample_of(drawn, system="drawn")


def write_groups(folder: Path) -> Path:
    file = folder / "side.tsv"
    rows = [f"d{i}\t{'left' if i % 3 else 'right'}" for i in range(0, 30) if i % 7]
    file.write_text("doc_id\tside\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return file


def answers_world(seed: int) -> list[Run | RankingSample | RagOutputs]:
    """Two runs, samples, and answers of systems that say different things of what they were given."""
    run, _, drawn = world(seed)
    rng = np.random.default_rng(seed + 100)
    other = replace(run_of({query: {f"x{i}": float(i) for i in range(9)} for query in run.query_ids}), system="other")
    queries = rng.permutation([*run.query_ids, "q97", "q98", "q99"]).tolist()
    systems = [
        _answers(rng, run, queries, "ranked", "ranking", generator="g", alpha=1.0),
        _answers(rng, run, queries[4:], "listed", "references", generator="g", alpha=2.0),
        _answers(rng, run, queries[:-3], "guessing", "nowhere", generator="g", policy="oracle"),
        _answers(rng, run, queries[2:], "alone", "ranking", most=1),
        _answers(rng, run, queries[5:], "outside", "ranking", task="t", outside=0.6),
        replace(_answers(rng, run, queries[1:], "cited", "references"), k=3),
    ]
    return [run, other, drawn, *systems]


def _answers(
    rng: np.random.Generator,
    run: Run,
    queries: list[str],
    system: str,
    given_from: GivenFrom,
    *,
    most: int = 4,
    outside: float = 0.0,
    generator: str | None = None,
    policy: str | None = None,
    task: str | None = None,
    alpha: float | None = None,
) -> RagOutputs:
    held = {
        q: [run.doc_ids[d] for d in run.docs[a:b]]
        for q, (a, b) in zip(run.query_ids, pairwise(run.offsets), strict=True)
    }
    n_answers = [int(rng.integers(1, most + 1)) for _ in queries]
    given: list[list[str]] = []
    cited: list[list[str]] = []
    for query, n in zip(queries, n_answers, strict=True):
        for _ in range(n):
            fed = rng.permutation(held.get(query, [])).tolist()[:6]
            some = [doc for doc in fed if rng.random() < 0.5]
            given.append([] if given_from == "nowhere" else some if system == "cited" else fed)
            cited.append([*some, *(["away"] if rng.random() < outside else [])])
    doc_ids, codes = codes_of([*given, *cited])
    n_given = sum(map(len, given))
    utilities = rng.integers(0, 5, size=sum(n_answers)) / 4
    utilities[rng.random(utilities.size) < 0.2] = np.nan
    return RagOutputs(
        system=system,
        query_ids=tuple(queries),
        doc_ids=doc_ids,
        offsets=np.concatenate([[0], np.cumsum(n_answers)]).astype(np.int64),
        samples=tuple(str(i) for n in n_answers for i in range(n)),
        given_from=given_from,
        given_offsets=offsets_of(given),
        given=codes[:n_given],
        attributed_offsets=offsets_of(cited),
        attributed=codes[n_given:],
        texts=tuple(str(rng.integers(0, 7)) for _ in given),
        utilities=utilities,
        generator=generator,
        policy=policy,
        task=task,
        alpha=alpha,
    )
