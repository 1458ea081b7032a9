"""Answers re-weighted to other α, in worlds small enough to enumerate: how near estimates come to the truth.

A world is 14 questions with scores, and a generator that is a table: utility and attributed documents of every list of
3 of 9 documents. Answers are recorded by designs that cover the other α well or badly; the truth at any α is a sum over
all 504 lists of each question.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np

from benchmarks.measuring import Goal, Row
from fairviz.kernels.pool import RankedLists
from fairviz.model import FloatArray, RagOutputs, Run
from fairviz.points.estimates import Estimate, estimated
from fairviz.policies import PlackettLuce
from fairviz.policies.reweighting import LEAST_EFFECTIVE, effective_mean, log_chances
from fairviz.stats.bootstrap import bootstrap_intervals

N_QUESTIONS, N_ITEMS, K = 14, 9, 3
LISTS = np.array(list(permutations(range(N_ITEMS), K)))
WANTED = np.array([0.5, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0])
DESIGNS = (((1.0, 4.0, 8.0), 33), ((1.0, 2.0, 4.0, 8.0), 25), ((1.0, 8.0), 50), ((0.0, 3.0, 8.0), 33), ((2.0,), 100))
"""α that are recorded, and how often each."""
POPULATION = 100
"""Times as many questions as a world has, whose mean is the population's, for intervals over questions."""


class World(NamedTuple):
    """Questions, and what a generator says to every list.

    Attributes:
        run: Their scores.
        utilities: (Q, L) utility of the answer to each list.
        cited: (Q, n) whether the generator attributes an item when it is given.
    """

    run: Run
    utilities: FloatArray
    cited: FloatArray

    def chances(self, alpha: float) -> FloatArray:
        """(Q, L) of each list."""
        n = len(self.run.query_ids)
        rows = (LISTS[None] + N_ITEMS * np.arange(n)[:, None, None]).reshape(-1)
        lists = RankedLists(rows, np.arange(0, rows.size + 1, K), np.repeat(np.arange(n), len(LISTS)))
        return np.exp(log_chances(PlackettLuce(alpha), self.run, lists)).reshape(n, -1)

    def truth(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """(Q) EU and (Q) EAE-D / k."""
        chances = self.chances(alpha)
        shown = np.zeros((len(LISTS), N_ITEMS))
        np.put_along_axis(shown, LISTS, 1.0, axis=1)
        attributed = (chances @ shown) * self.cited
        return (chances * self.utilities).sum(axis=1), (attributed**2).sum(axis=1) / K


def world(n: int, rng: np.random.Generator) -> World:
    """Questions whose scores, useful items and generators differ."""
    scores = np.sort(rng.gamma(0.8, size=(n, N_ITEMS)), axis=1)[:, ::-1]
    useful = rng.random((n, N_ITEMS)) < 0.35
    seen = useful[:, LISTS]
    base = rng.beta(1, 2, size=(n, 1))
    kinds = (
        0.5 * base + seen @ np.array([0.3, 0.15, 0.05]),  # the first items count most
        0.1 * base + 0.7 * seen.any(axis=2),  # one useful item is enough
        0.3 * rng.beta(0.5, 0.8, size=seen.shape[:2]) + 0.7 * seen.mean(axis=2),  # every list has an answer of its own
    )
    run = Run(
        system="world",
        query_ids=tuple(map(str, range(n))),
        doc_ids=tuple(map(str, range(N_ITEMS))),
        offsets=np.arange(n + 1, dtype=np.int64) * N_ITEMS,
        docs=np.tile(np.arange(N_ITEMS, dtype=np.int32), n),
        scores=scores.ravel(),
    )
    utilities = np.choose(rng.integers(3, size=(n, 1)), kinds)
    return World(run, utilities, (useful | (rng.random(useful.shape) < 0.5)).astype(np.float64))


def answers(of: World, alpha: float, n_samples: int, rng: np.random.Generator) -> RagOutputs:
    """What is recorded at one α."""
    drawn = PlackettLuce(alpha).sample(of.run, depth=K, n_samples=n_samples, rng=rng)
    lists = drawn.docs.reshape(-1, K)
    question = np.repeat(np.arange(len(of.run.query_ids)), n_samples)
    codes = N_ITEMS ** np.arange(K)
    place = np.zeros(int((LISTS @ codes).max()) + 1, dtype=np.int64)
    place[LISTS @ codes] = np.arange(len(LISTS))
    cites = of.cited[question[:, None], lists] > 0
    return RagOutputs(
        system="world",
        query_ids=of.run.query_ids,
        doc_ids=of.run.doc_ids,
        offsets=np.arange(len(of.run.query_ids) + 1, dtype=np.int64) * n_samples,
        samples=tuple(map(str, np.tile(np.arange(n_samples), len(of.run.query_ids)))),
        given_from="ranking",
        given_offsets=drawn.sample_offsets,
        given=drawn.docs,
        attributed_offsets=np.concatenate([[0], np.cumsum(cites.sum(axis=1))]).astype(np.int64),
        attributed=lists[cites],
        texts=("",) * len(lists),
        utilities=of.utilities[question, place[lists @ codes]],
        policy="plackett-luce",
        alpha=alpha,
    )


class Found(NamedTuple):
    """One estimate of one world: how far it is off in standard errors, and whether its interval holds the population.

    Attributes:
        measure: "EU" or "EAED".
        size: Effective size: the harmonic mean of the questions'.
        mean_size: Their arithmetic mean.
        off: |estimate − truth| / standard error.
        holds: Of the interval over questions; for EU.
    """

    measure: str
    size: float
    mean_size: float
    off: float
    holds: bool


def estimates(n_worlds: int, rng: np.random.Generator) -> Iterator[Found]:
    """Every design in worlds of their own, at each wanted α that is not recorded."""
    everybody = world(min(POPULATION, n_worlds) * N_QUESTIONS, rng)
    means = {alpha: float(everybody.truth(alpha)[0].mean()) for alpha in WANTED.tolist()}
    for number in range(n_worlds):
        alphas, n_samples = DESIGNS[number % len(DESIGNS)]
        one = world(N_QUESTIONS, rng)
        asked = WANTED[~np.isin(WANTED, alphas)]
        made = estimated(one.run, [answers(one, a, n_samples, rng) for a in alphas], asked, k=K, estimator="unbiased")
        truths = [one.truth(alpha) for alpha in asked.tolist()]
        for place, estimate in enumerate((made.utility, made.attributed)):
            ends = bootstrap_intervals([*estimate.values], seed=number)
            for a, alpha in enumerate(asked.tolist()):
                yield _found(estimate, a, float(truths[a][place].mean()), means[alpha] in ends[a])


def _found(estimate: Estimate, a: int, truth: float, holds: bool) -> Found:
    error = float(np.sqrt((estimate.errors[a] ** 2).sum())) / N_QUESTIONS
    off = abs(float(estimate.values[a].mean()) - truth) / error
    return Found(estimate.measure, float(estimate.n_effective[a]), float(estimate.sizes[a].mean()), off, holds)


class Errors(NamedTuple):
    """Of estimates of EU that are shown, over many draws of one design: root mean squares, and the bias."""

    self_normalised: float
    plain: float
    bias: float


def both_means(n_draws: int, rng: np.random.Generator) -> Iterator[Errors]:
    """Σwu / Σw against Σwu / N, in one world for each design."""
    for alphas, n_samples in DESIGNS:
        one = world(N_QUESTIONS, rng)
        recorded = np.stack([one.chances(alpha) for alpha in alphas])
        recorded /= recorded.sum(axis=2, keepdims=True)  # multinomial refuses what rounding adds
        drawn = rng.multinomial(n_samples, recorded, size=(n_draws, *recorded.shape[:2])).sum(axis=1)
        for alpha in WANTED.tolist():
            weights = one.chances(alpha) / recorded.mean(axis=0)
            total, squares = (drawn * weights).sum(axis=2), (drawn * weights**2).sum(axis=2)
            if effective_mean(total**2 / squares).mean() >= LEAST_EFFECTIVE:
                sums, truth = (drawn * weights * one.utilities).sum(axis=2), one.truth(alpha)[0].mean()
                off = (sums / total).mean(axis=1) - truth
                plain = (sums / (n_samples * len(alphas))).mean(axis=1) - truth
                yield Errors(float((off**2).mean() ** 0.5), float((plain**2).mean() ** 0.5), float(off.mean()))


def rows(*, small: bool) -> Iterator[Row]:
    """Shares of estimates within two standard errors of the truth, by effective size, and of intervals that hold."""
    n_worlds, n_draws = (5, 3) if small else (3_000, 500)
    rng = np.random.default_rng(0)
    found = list(estimates(n_worlds, rng))
    for measure, goal in (("EU", 0.93), ("EAED", 0.92)):
        of_measure = [one for one in found if one.measure == measure]
        for low, high in ((LEAST_EFFECTIVE, np.inf), (15.0, LEAST_EFFECTIVE), (8.0, 15.0), (0.0, 8.0)):
            yield _within_two(
                f"{measure} within 2 s.e. of the truth, effective size {low:g} to {high:g}",
                [one for one in of_measure if low <= one.size < high],
                Goal(goal, at_least=True) if low == LEAST_EFFECTIVE else None,
            )
        yield _within_two(
            f"{measure} within 2 s.e. of the truth, refused although the arithmetic mean of sizes is enough",
            [one for one in of_measure if one.size < LEAST_EFFECTIVE <= one.mean_size],
        )
    shown = [one.holds for one in found if one.measure == "EU" and one.size >= LEAST_EFFECTIVE]
    yield Row(
        what=f"95 % intervals over {N_QUESTIONS} questions that hold the population's EU",
        value=float(np.mean(shown)),
        unit="",
        goal=Goal(0.93, at_least=True),
        note=f"{len(shown):,} intervals",
    )
    both = list(both_means(n_draws, rng))
    ratios = [one.self_normalised / one.plain for one in both]
    bias = max(abs(one.bias) / one.self_normalised for one in both)
    yield Row(
        what="root mean square of EU's deviation, self-normalised to plain mean",
        value=float(np.median(ratios)),
        unit="×",
        goal=Goal(1.0),
        note=f"median of {len(both)} designs and α, at most {max(ratios):.2f}; bias at most {bias:.2f} of it",
    )


def _within_two(what: str, those: list[Found], goal: Goal | None = None) -> Row:
    share = float(np.mean([one.off < 2 for one in those])) if those else 0.0
    return Row(what=what, value=share, unit="", goal=goal, note=f"{len(those):,} estimates")
