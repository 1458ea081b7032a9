"""Our numbers beside those of other programs, on the shipped example: a table of the documentation, held by its test.

Each row computes both; what is said of it is how far its numbers may be apart.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytrec_eval
from rank_bm25 import BM25Okapi
from rouge_score.rouge_scorer import RougeScorer

import fairviz as fv
from fairviz.bridges.fairlearn import metric_frame
from fairviz.errors import DataWarning
from fairviz.evaluation.evaluate import evaluate
from fairviz.experiments.retrievers import Bm25Index, words
from fairviz.io.corpus import read_corpus, read_queries
from fairviz.io.groups import read_groups
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_run
from fairviz.metrics.catalogue import parse_measures
from fairviz.metrics.utility import rouge_1, rouge_l
from fairviz.model import FloatArray, Scores

DEMO = Path(__file__).parents[1] / "data" / "demo"
TREC_EVAL = {
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
    "AP": "map",
    "AP@10": "map_cut_10",
    "P@5": "P_5",
    "R@10": "recall_10",
    "RR": "recip_rank",
    "Success@1": "success_1",
}
"""Our measure, and trec_eval's name of it."""


class Equality(NamedTuple):
    """Numbers that two programs compute.

    Attributes:
        ours: What we call them.
        package: The other program's package.
        theirs: What it calls them.
        of: What they are computed of.
        gaps: Computes both, and gives the differences.
        most: How far they may be apart.
        why: Why they are not equal to the last digits; empty where they are.
    """

    ours: str
    package: str
    theirs: str
    of: str
    gaps: Callable[[], FloatArray]
    most: float
    why: str = ""


def _trec_eval(measure: str) -> Callable[[], FloatArray]:
    def gaps() -> FloatArray:
        run, qrels = read_run(str(DEMO / "bm25.run")).value, read_qrels(str(DEMO / "usefulness.qrels")).value
        (ours,) = evaluate([run], parse_measures([measure]), qrels=[qrels]).scores
        assert isinstance(ours, Scores)
        ranked = pd.read_csv(DEMO / "bm25.run", sep=" ", header=None, dtype={0: str})
        judged = pd.read_csv(DEMO / "usefulness.qrels", sep=" ", header=None, dtype={0: str})
        scores = {query: dict(zip(rows[2], rows[4], strict=True)) for query, rows in ranked.groupby(0)}
        grades = {query: dict(zip(rows[2], rows[3], strict=True)) for query, rows in judged.groupby(0)}
        name = TREC_EVAL[measure]
        asked = name if name[-1].isalpha() else ".".join(name.rsplit("_", 1))
        theirs = pytrec_eval.RelevanceEvaluator(grades, {asked}).evaluate(scores)
        return np.array([value - theirs[query][name] for query, value in zip(ours.query_ids, ours.values, strict=True)])

    return gaps


def _rouge(name: str, ours: Callable[[str, list[str]], float]) -> Callable[[], FloatArray]:
    def gaps() -> FloatArray:
        lines = (DEMO / "references.jsonl").read_text().splitlines()
        references = {row["query_id"]: row["answers"] for row in map(json.loads, lines)}
        (outputs, *_) = read_outputs(str(DEMO / "outputs.alpha-2.jsonl.gz")).value.outputs
        queries = np.repeat(np.array(outputs.query_ids), np.diff(outputs.offsets)).tolist()
        pairs = set(zip(queries, outputs.texts, strict=True))
        scorer = RougeScorer([name])
        return np.array(
            [
                ours(text, references[query]) - scorer.score_multi(references[query], text)[name].fmeasure
                for query, text in sorted(pairs)
            ]
        )

    return gaps


def _bm25() -> FloatArray:
    texts = [words(text) for text in read_corpus(str(DEMO / "corpus.jsonl")).value.values()]
    ours, theirs = Bm25Index(texts), BM25Okapi(texts)
    questions = map(words, read_queries(str(DEMO / "queries.jsonl")).value.values())
    return np.concatenate([ours.scores(question) - theirs.get_scores(question) for question in questions])


def _parity() -> FloatArray:
    answers = DEMO / "variants" / "answers.jsonl.gz"
    gaps: list[float] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of answers that name no option: both leave them out
        ours = fv.variants(answers, by="strategy").frame()
        for attribute in ("race", "gender"):
            theirs = metric_frame(answers, attribute, control="strategy").difference()
            rows = ours[ours["attribute"] == attribute]
            gaps += [dp - theirs[strategy] for strategy, dp in zip(rows["strategy"], rows["dp"], strict=True)]
    return np.array(gaps)


def _divergence() -> FloatArray:
    import FairRankTune

    region = read_groups(str(DEMO / "region.tsv")).value
    known = set(region.doc_ids)  # FairRankTune needs a group for each
    lines = [line for line in (DEMO / "bm25.run").read_text().splitlines() if line.split()[2] in known]
    run = read_run(("labelled.run", "\n".join(lines).encode())).value
    (ours,) = evaluate([run], parse_measures(["nDKL"]), labels=region, target="population").scores
    assert isinstance(ours, Scores)
    of = dict(zip(region.doc_ids, region.weights.toarray().argmax(axis=1).tolist(), strict=True))
    gaps: list[float] = []
    for query, value in zip(ours.query_ids, ours.values, strict=True):
        row = run.query_ids.index(query)
        docs = [run.doc_ids[doc] for doc in run.docs[run.offsets[row] : run.offsets[row + 1]].tolist()]
        ranking = pd.DataFrame({"ranking": docs})
        gaps.append(float(value) - FairRankTune.NDKL(ranking, {doc: of[doc] for doc in docs}))
    return np.array(gaps)


def _amortised() -> FloatArray:
    from tests.reranking.joint_program import largest_utility, random_instance

    gaps: list[float] = []
    for seed in range(40):
        instance = random_instance(np.random.default_rng(seed))
        optimum = largest_utility(instance, instance.slack)
        if optimum == optimum:
            gaps.append(instance.solve().utility - optimum)
    return np.array(gaps)


RUN, ANSWERS = "example, each query", "example, each answer"
EQUALITIES = (
    *(
        Equality(ours, "pytrec-eval-terrier", f"trec_eval's {theirs}", RUN, _trec_eval(ours), 1e-12)
        for ours, theirs in TREC_EVAL.items()
    ),
    Equality("BM25", "rank-bm25", "BM25Okapi", "example, each question and passage", _bm25, 1e-12),
    Equality("ROUGE-1", "rouge-score", "rouge1", ANSWERS, _rouge("rouge1", rouge_1), 1e-12),
    Equality("ROUGE-L", "rouge-score", "rougeL", ANSWERS, _rouge("rougeL", rouge_l), 1e-12),
    Equality(
        "demographic parity difference",
        "fairlearn",
        "MetricFrame.difference",
        "example, each strategy and attribute",
        _parity,
        1e-12,
    ),
    Equality(
        "nDKL", "FairRankTune", "NDKL", "example, labelled documents", _divergence, 1e-5, "it adds 1e-7 to every share"
    ),
    Equality(
        "amortised re-ranking",
        "scipy",
        "linprog by HiGHS",
        "40 random instances, over doubly stochastic matrices",
        _amortised,
        1e-7,
        "its tolerance is 1e-10 of each row",
    ),
)


def rows() -> Iterator[tuple[str, ...]]:
    """What the table says of each."""
    for one in EQUALITIES:
        apart = f"{one.most:.0e}".replace("e-0", "e-").replace("-", "−")
        other = f"{one.theirs} ({one.package} {version(one.package)})"
        yield one.ours, other, one.of, f"{apart}{f': {one.why}' if one.why else ''}"
