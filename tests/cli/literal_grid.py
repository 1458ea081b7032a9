"""A grid of recorded answers with known truth, and its tables computed once more from the rows, without fairviz.

Three retrievers × two generators × two tasks, at four α, with a deterministic list and an oracle. ``dense`` is 0.1
better than ``bm25``, ``late`` 0.05; the lists of one model hardly vary, so that it leaves the others no common range.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any, TypeAlias

import numpy as np
from scipy import stats

TASKS, RETRIEVERS = ("lamp-1", "lamp-4"), ("bm25", "dense", "late")
GENERATORS = ("small", "new")
LIFT = {"bm25": 0.0, "dense": 0.1, "late": 0.05}
ALPHAS = (1.0, 2.0, 4.0, 8.0)
K, N_QUERIES, N_DOCS, N_SAMPLES, B = 3, 24, 9, 3, 2000
NARROW = ("lamp-4", "late", "new")
"""The model that is left out: it shows nearly one list at each α."""
EDGES = np.array([0, 0.2, 0.4, 0.6, 0.8, 1.0])

Model: TypeAlias = tuple[str, str, str]
Answer: TypeAlias = dict[str, Any]
Matrix: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


def answers(seed: int = 100) -> list[Answer]:
    """Every answer, as a row of fairviz JSONL."""
    rng = np.random.default_rng(seed)
    rows: list[Answer] = []
    for task in TASKS:
        base, order = rng.uniform(0.2, 0.5, N_QUERIES), {r: rng.permuted(_docs(), axis=1) for r in RETRIEVERS}
        for retriever, generator in product(RETRIEVERS, GENERATORS):
            for policy, alpha in (*(("plackett-luce", a) for a in ALPHAS), ("deterministic", None), ("oracle", None)):
                for q in range(N_QUERIES):
                    for sample in range(1 if policy == "deterministic" else N_SAMPLES):
                        spread = 0.0 if policy != "plackett-luce" or alpha is None else 2 / alpha
                        spread *= 0.2 if (task, retriever, generator) == NARROW else 1
                        noise = rng.gumbel(size=N_DOCS) * spread
                        shown = order[retriever][q][np.argsort(np.arange(N_DOCS) / 3 - noise, kind="stable")]
                        found = sum(doc in (0, 1, 2) for doc in shown[:K].tolist()) / K
                        utility = base[q] + LIFT[retriever] + 0.15 * found + rng.normal(0, 0.03)
                        utility += 0.2 if policy == "oracle" else 0
                        named = {"task": task, "retriever": retriever, "generator": generator, "policy": policy}
                        rows.append(
                            {
                                "system": f"{task}.{retriever}.{generator}.{policy}.{alpha}",
                                "query_id": f"{task}-q{q}",
                                "sample": str(sample),
                                **named,
                                **({} if alpha is None else {"alpha": alpha}),
                                "utility": round(float(utility), 6),
                                "ranking": [f"d{doc}" for doc in shown[:K].tolist()],
                                "text": "x",
                                "attributed": [],
                            }
                        )
    return rows


def _docs() -> np.ndarray:
    return np.tile(np.arange(N_DOCS), (N_QUERIES, 1))


def judgements() -> dict[str, dict[str, int]]:
    """Grades of documents by query: three useful ones, one of them of grade 2."""
    queries = [f"{task}-q{q}" for task in TASKS for q in range(N_QUERIES)]
    return {query: {"d0": 2, "d1": 1, "d2": 1, "d3": 0} for query in queries}


class Literal:
    """Tables of a grid, by model.

    Args:
        rows: Of :func:`answers`.
        grades: Of :func:`judgements`.
        quality: "EU", "EU/best" or "EER".
    """

    def __init__(self, rows: Sequence[Answer], grades: Mapping[str, Mapping[str, int]], quality: str) -> None:
        self.quality = quality
        self._cells: dict[tuple[Model, str, float | None], dict[str, list[Answer]]] = {}
        pools: dict[tuple[Model, str], set[str]] = {}
        best: dict[tuple[str, str, str], float] = {}
        for row in rows:
            model, query = (row["task"], row["retriever"], row["generator"]), row["query_id"]
            cell = self._cells.setdefault((model, row["policy"], row.get("alpha")), {})
            cell.setdefault(query, []).append(row)
            pools.setdefault((model, query), set()).update(row["ranking"], grades[query])
            of = (row["task"], row["generator"], query)
            best[of] = max(best.get(of, -np.inf), row["utility"])
        self.models: list[Model] = list(dict.fromkeys(model for model, _, _ in self._cells))
        self.x: dict[Model, Matrix] = {}
        self.relevance: dict[Model, Matrix] = {}
        self.y: dict[Model, Matrix] = {}
        self.end: dict[Model, Matrix] = {}
        for model in self.models:
            parts = [self._cells[model, "plackett-luce", alpha] for alpha in ALPHAS]
            values = [
                [self._values(model, query, cell[query], pools[model, query], grades[query], best) for query in cell]
                for cell in (*parts, self._cells[model, "deterministic", None])
            ]
            table = np.array(values)  # (A+1, Q, 3)
            self.x[model], self.relevance[model] = table[:-1, :, 0], table[:-1, :, 1]
            chosen = 1 if quality == "EER" else 2
            self.y[model], self.end[model] = table[:-1, :, chosen], table[-1, :, chosen]

    def _values(
        self,
        model: Model,
        query: str,
        answered: Sequence[Answer],
        pool: set[str],
        grades: Mapping[str, int],
        best: Mapping[tuple[str, str, str], float],
    ) -> tuple[float, float, float]:
        """Attainable EE-D and EE-R, and EU, of one query."""
        share = {doc: sum(doc in row["ranking"] for row in answered) / len(answered) for doc in pool}
        utility = sum(row["utility"] for row in answered) / len(answered)
        if self.quality == "EU/best":
            utility /= best[model[0], model[2], query]
        n = len(pool)
        disparity = sum(value**2 for value in share.values())
        ideal = sorted(pool, key=lambda doc: -grades.get(doc, 0))
        target: dict[str, float] = {}
        for grade in {grades.get(doc, 0) for doc in pool}:
            block = [rank for rank, doc in enumerate(ideal) if grades.get(doc, 0) == grade]
            each = sum(rank < K for rank in block) / len(block)
            target |= {ideal[rank]: each for rank in block}
        relevance = sum(share[doc] * target[doc] for doc in pool)
        low, high = (sum(sorted(target.values(), reverse=turn)[:K]) for turn in (False, True))
        return (disparity - K * K / n) / (K - K * K / n), (relevance - low) / (high - low), utility

    def of_task(self, task: str) -> list[Model]:
        """Models of a task, in file order."""
        return [model for model in self.models if model[0] == task]

    def kept(self, task: str) -> list[Model]:
        """Those that leave the others at least 80 % of their common range of EE-D."""
        models = self.of_task(task)

        def width(some: Sequence[Model]) -> float:
            means = [self.x[model].mean(axis=1) for model in some]
            return max(0.0, min(x.max() for x in means) - max(x.min() for x in means))

        while len(models) > 2:
            without = {model: width([other for other in models if other != model]) for model in models[1:]}
            widest = max(without, key=lambda model: without[model])
            if width(models) >= 0.8 * without[widest]:
                break
            models.remove(widest)
        return models

    def areas(self, task: str) -> dict[Model, tuple[Matrix, Matrix]]:
        """(1+B) AUC and slope of each model that is kept: of the data, then of each resample."""
        models = self.kept(task)
        weights = np.concatenate([np.ones((1, N_QUERIES)), resamples()])
        xs = {model: weights @ self.x[model].T / N_QUERIES for model in models}
        ys = {model: weights @ self.y[model].T / N_QUERIES for model in models}
        low = np.max([x.min(axis=1) for x in xs.values()], axis=0)
        high = np.min([x.max(axis=1) for x in xs.values()], axis=0)
        return {
            model: (
                np.array([_area(*both) for both in zip(xs[model], ys[model], low, high, strict=True)]),
                np.array([_slope(*both) for both in zip(xs[model], ys[model], low, high, strict=True)]),
            )
            for model in models
        }

    def intervals(self, model: Model) -> list[dict[str, float]]:
        """Quality by interval of EE-D minus the deterministic list's, with the resampled differences' ends."""
        weights = resamples()
        rows: list[dict[str, float]] = []
        for low, high in pairwise(EDGES):
            x, end = self.x[model], self.end[model]
            at = np.round(x, 9)  # of five samples EE-D is often at the end of an interval
            inside = (at >= low if low > 0 else at > -9) & (at < high if high < 1 else at < 9) & (at != 1)
            there = inside.any(axis=0)
            sums = np.where(inside, self.y[model], 0).sum(axis=0)
            means = sums[there] / inside.sum(axis=0)[there]
            gaps = means - end[there]
            tested = there.sum() > 1
            with np.errstate(invalid="ignore"):
                drawn = weights[:, there] @ gaps / weights[:, there].sum(axis=1)
            ends = expanded(drawn, int(there.sum())) if tested else (np.nan, np.nan)
            base = float(end[there].mean()) if there.any() else np.nan
            difference = float(gaps.mean()) if there.any() else np.nan
            rows.append(
                {
                    "quality": float(means.mean()) if there.any() else np.nan,
                    "difference": difference,
                    "percent": 100 * difference / base if base > 0 else np.nan,
                    "low": ends[0],
                    "high": ends[1],
                    "p": paired_p(gaps) if tested else np.nan,
                    "n_queries": int(there.sum()),
                    "n_points": int(inside.sum()),
                }
            )
        return rows

    def alpha_tests(self, model: Model) -> list[tuple[float, float]]:
        """(difference, p) of EE-D for every two α."""
        x = self.x[model]
        return [(float((x[b] - x[a]).mean()), paired_p(x[b] - x[a])) for a, b in combinations(range(len(ALPHAS)), 2)]

    def correlations(self, model: Model) -> tuple[float, float]:
        """Pearson's and Spearman's r of EE-R and EU over (query, α) points."""
        a, b = (np.round(side, 9).ravel() for side in (self.relevance[model], self.y[model]))  # ties are ties
        return float(stats.pearsonr(a, b).statistic), float(stats.spearmanr(a, b).statistic)


def resamples() -> Matrix:
    """(B, Q) how often each resample of seed 0 holds each query."""
    drawn = np.random.default_rng(0).integers(0, N_QUERIES, size=(B, N_QUERIES))
    return (drawn[:, :, None] == np.arange(N_QUERIES)).sum(axis=1).astype(float)


def expanded(drawn: Matrix, n: int) -> tuple[float, float]:
    """Expanded percentiles (Hesterberg 2015) of resampled statistics of n queries; none where all are equal."""
    outside = stats.norm.cdf(np.sqrt(n / (n - 1)) * stats.t.ppf(0.025, n - 1))
    known = drawn[~np.isnan(drawn)]
    if np.ptp(known) < 1e-12:  # every resample is the data: nothing says how far the mean can be trusted
        return np.nan, np.nan
    return float(np.quantile(known, outside)), float(np.quantile(known, 1 - outside))


def paired_p(gaps: Matrix) -> float:
    """Two-sided p of a paired t-test; where all differences are equal 1 if they are 0, else 0."""
    if np.ptp(gaps) < 1e-9:
        return float(abs(gaps[0]) < 1e-9)
    return float(stats.ttest_1samp(gaps, 0).pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """Step-down p values; NaN is no test."""
    known = sorted((value, i) for i, value in enumerate(p) if not np.isnan(value))
    adjusted, largest = [np.nan] * len(p), 0.0
    for step, (value, i) in enumerate(known):
        largest = max(largest, min(1.0, value * (len(known) - step)))
        adjusted[i] = largest
    return adjusted


def _by_x(x: Matrix, y: Matrix) -> tuple[Matrix, Matrix]:
    """Points from left to right; those of one x, but for rounding, stay in the order of α."""
    order = np.argsort(np.round(x, 12), kind="stable")
    return x[order], y[order]


def _area(x: Matrix, y: Matrix, low: float, high: float) -> float:
    x, y = _by_x(x, y)
    if not low < high:
        return np.nan
    area = 0.0
    for (x0, y0), (x1, y1) in pairwise(zip(x.tolist(), y.tolist(), strict=True)):
        left, right = max(x0, low), min(x1, high)
        if left < right:
            area += (right - left) * (y0 + (y1 - y0) * ((left + right) / 2 - x0) / (x1 - x0))
    return area / (high - low)


def _slope(x: Matrix, y: Matrix, low: float, high: float) -> float:
    x, y = _by_x(x, y)
    if not low < high:
        return np.nan
    cut = np.array([low, *x[(low < x) & (x < high)], high])
    x, y = cut, np.interp(cut, x, y)
    weight = np.gradient(x, edge_order=1) * np.array([0.5, *[1.0] * (len(x) - 2), 0.5])
    dx, dy = x - np.average(x, weights=weight), y - np.average(y, weights=weight)
    return float((weight * dx * dy).sum() / (weight * dx * dx).sum())
