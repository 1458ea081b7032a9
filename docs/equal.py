"""Our numbers beside those of other programs, on the shipped example: a table of the documentation, held by its test.

Each row computes both; what is said of it is how far its numbers may be apart.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import chain, pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import pytrec_eval
from rank_bm25 import BM25Okapi
from rouge_score.rouge_scorer import RougeScorer
from scipy.spatial.distance import jensenshannon

import fairviz as fv
from fairviz.bridges.fairlearn import metric_frame
from fairviz.errors import DataWarning
from fairviz.evaluation.evaluate import evaluate
from fairviz.experiments.retrievers import Bm25Index, words
from fairviz.io.corpus import read_corpus, read_queries
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_rankings, read_run
from fairviz.metrics.catalogue import parse_measures
from fairviz.metrics.utility import rouge_1, rouge_l
from fairviz.model import FloatArray, GroupLabels, RankingSample, Run, Scores
from fairviz.stats.correlation import kendall_tau
from fairviz.stats.tests import paired_t_test

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
        package: The other program's package; empty where it is none, and its formula is written down here.
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


def _regions() -> GroupLabels:
    """The region of every document that has one; the warning says how many have none."""
    with warnings.catch_warnings(action="ignore", category=DataWarning):
        return fv.labels(DEMO / "providers.tsv", name="region")


def _divergence() -> FloatArray:
    import FairRankTune

    region = _regions()
    known = set(region.doc_ids)  # FairRankTune needs a group for each
    lines = [line for line in (DEMO / "bm25.run").read_text().splitlines() if line.split()[2] in known]
    run = read_run(("labelled.run", "\n".join(lines).encode())).value
    (ours,) = evaluate([run], parse_measures(["nDKL"]), labels=region, target="population").scores
    assert isinstance(ours, Scores)
    of = dict(zip(region.doc_ids, region.weights.toarray().argmax(axis=1).tolist(), strict=True))
    gaps: list[float] = []
    for query, value in zip(ours.query_ids, ours.values, strict=True):
        docs = _ranked(run, query)
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


# TREC's Fair Ranking Track: its evaluation code is no package, so its published formulas are written down once more.


def _track_awrf() -> FloatArray:
    """AWRF of task 1 of 2022: 1 − JSD of the groups' shares of attention 1/log2(max(rank, 2)) from the target."""
    run, region = read_run(str(DEMO / "bm25.run")).value, _regions()
    (ours,) = evaluate([run], parse_measures(["FairTrecAWRF"]), labels=region, target="uniform").scores
    assert isinstance(ours, Scores)
    weights = dict(zip(region.doc_ids, region.weights.toarray(), strict=True))
    target = np.full(len(region.groups), 1 / len(region.groups))
    gaps: list[float] = []
    for query, value in zip(ours.query_ids, ours.values, strict=True):
        docs = _ranked(run, query)
        attention = np.zeros(target.size)
        for rank, doc in enumerate(docs, start=1):
            attention += weights.get(doc, 0) / np.log2(max(rank, 2))
        gaps.append(float(value) - (1 - jensenshannon(attention / attention.sum(), target) ** 2))
    return np.array(gaps)


def _track_exposure(measure: str) -> Callable[[], FloatArray]:
    """Expected exposure of items: ε is the mean of p^(rank − 1) over a query's rankings, ε* that of useful first."""

    def gaps() -> FloatArray:
        samples = read_rankings(str(DEMO / "samples.alpha-2.run.gz")).value
        qrels = read_qrels(str(DEMO / "usefulness.qrels")).value
        text = f"{measure}(browsing='rbp', p=0.5, gain='binary', norm='none')"
        (ours,) = evaluate([samples], parse_measures([text]), qrels=[qrels]).scores
        assert isinstance(ours, Scores)
        assert isinstance(samples, RankingSample)
        judged = pd.read_csv(DEMO / "usefulness.qrels", sep=" ", header=None, dtype={0: str})
        gaps: list[float] = []
        for query, value in zip(ours.query_ids, ours.values, strict=True):
            grades = judged[judged[0] == query].set_index(2)[3].to_dict()
            at = samples.query_ids.index(query)
            bounds = samples.sample_offsets[samples.query_offsets[at] : samples.query_offsets[at + 1] + 1]
            lists = [
                [samples.doc_ids[doc] for doc in samples.docs[low:high].tolist()] for low, high in pairwise(bounds)
            ]
            docs = sorted({*grades, *chain.from_iterable(lists)})
            exposure = dict.fromkeys(docs, 0.0)
            for ranking in lists:
                for rank, doc in enumerate(ranking, start=1):
                    exposure[doc] += 0.5 ** (rank - 1) / len(lists)
            useful = [doc for doc in docs if grades.get(doc, 0) > 0]
            attention = [0.5**rank for rank in range(len(docs))]
            shared = {True: attention[: len(useful)], False: attention[len(useful) :]}
            target = {doc: np.mean(shared[doc in useful]) for doc in docs}
            parts = {
                "EED": sum(exposure[doc] ** 2 for doc in docs),
                "EER": sum(exposure[doc] * target[doc] for doc in docs),
                "EEL": sum((exposure[doc] - target[doc]) ** 2 for doc in docs),
            }
            gaps.append(float(value) - parts[measure])
        return np.array(gaps)

    return gaps


def _ranked(run: Run, query: str) -> list[str]:
    """The documents of a query, best first."""
    row = run.query_ids.index(query)
    return [run.doc_ids[doc] for doc in run.docs[run.offsets[row] : run.offsets[row + 1]].tolist()]


def _paired() -> FloatArray:
    from scipy.stats import ttest_rel

    rng = np.random.default_rng(0)
    pairs = [rng.normal(size=(2, n)) for n in range(10, 60)]
    return np.array([paired_t_test(*pair).p - ttest_rel(*pair).pvalue for pair in pairs])


def _rank_correlation(variant: Literal["b", "c"]) -> Callable[[], FloatArray]:
    def gaps() -> FloatArray:
        from scipy.stats import kendalltau

        rng = np.random.default_rng(0)
        pairs = [rng.integers(0, 8, size=(2, n)).astype(np.float64) for n in range(10, 60)]  # with ties
        return np.array(
            [kendall_tau(*pair, variant=variant) - kendalltau(*pair, variant=variant).statistic for pair in pairs]
        )

    return gaps


TRACK = "TREC Fair Ranking, {}: its formula, written down once more for this page"
RUN, SAMPLES, ANSWERS = "example, each query", "example, samples, each query", "example, each answer"
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
    Equality("AWRF of the TREC track", "", TRACK.format("task 1 of 2022"), RUN, _track_awrf, 1e-12),
    *(
        Equality(
            f"{ours}, rbp", "", TRACK.format("expected exposure of items"), "example, samples, each query", gaps, 1e-12
        )
        for ours, gaps in ((name, _track_exposure(name)) for name in ("EED", "EER", "EEL"))
    ),
    Equality("Kendall's τ-b", "scipy", "kendalltau", "50 random instances with ties", _rank_correlation("b"), 1e-12),
    Equality("Kendall's τ-c", "scipy", "kendalltau", "50 random instances with ties", _rank_correlation("c"), 1e-12),
    Equality("p of the paired t-test", "scipy", "ttest_rel", "50 random instances", _paired, 1e-12),
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
        other = f"{one.theirs} ({one.package} {version(one.package)})" if one.package else one.theirs
        yield one.ours, other, one.of, f"{apart}{f': {one.why}' if one.why else ''}"
