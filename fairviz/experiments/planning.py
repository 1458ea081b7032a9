"""Which α to record, and how often, so that EU is known at every α of interest for the fewest calls.

Answers recorded at a few α say something of those between (:mod:`fairviz.policies.reweighting`), and equal prompts are
asked once: at a large α a hundred drawn lists are a handful of calls. Both depend on the scores alone, so that designs
can be tried before anything is asked: rankings are drawn as the experiment would draw them, their weights at every
wanted α give its effective size, and the distinct ones are what is paid for.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from fairviz.errors import UndefinedError
from fairviz.model import FloatArray, IntArray, Run
from fairviz.model.arrays import segment_ids, segment_sums
from fairviz.policies.plackett_luce import PlackettLuce
from fairviz.policies.reweighting import (
    LEAST_EFFECTIVE,
    balance_weights,
    effective_mean,
    effective_size,
    log_chances,
)
from fairviz.pool import RankedLists, pool, ranked_lists
from fairviz.stats.bootstrap import LEVEL

USUAL_ALPHAS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
"""α that are recorded where nothing else is asked for, beside both ends of the wanted range."""

SIZES = (25, 30, 40, 50, 70, 100, 140, 200, 280, 400)
"""Rankings per question and α that are tried: 25 is the least effective size, and each α is shown."""

MOST_ALPHAS = 5
"""α recorded at most."""

MOST_QUESTIONS = 20
"""Questions on which designs are tried; calls are scaled to all."""

MOST_PROPOSED = 5

MARGIN = 1.1
"""Effective sizes of the trial are divided by it: other draws have other sizes, and 24.9 are refused."""


class Spread(NamedTuple):
    """How much utility varies.

    Attributes:
        answers: Standard deviation between answers to different rankings for one question.
        questions: Standard deviation between the questions' expected utilities; 0 where the interval is to hold for
            the questions at hand and no others.
    """

    answers: float
    questions: float = 0.0


class Population(NamedTuple):
    """Questions for which rankings are drawn from the scores of one retriever.

    Attributes:
        run: The scores (min–max, offset 1).
        spread: How much utility varies, of a pilot or assumed.
        n_questions: Questions that will be asked; None: those of the run.
    """

    run: Run
    spread: Spread
    n_questions: int | None = None

    @property
    def size(self) -> int:
        """Questions that will be asked."""
        return len(self.run.query_ids) if self.n_questions is None else self.n_questions


class Proposal(NamedTuple):
    """A design, and what it gives in every population.

    Attributes:
        alphas: α to record.
        n_samples: Rankings per question and α.
        calls: Distinct rankings of all questions, in expectation: what is asked.
        half_width: Half the 95 % interval of EU at the wanted α where it is widest.
        n_effective: Effective size at the wanted α where it is smallest.
    """

    alphas: tuple[float, ...]
    n_samples: int
    calls: int
    half_width: float
    n_effective: float


def spread_of(utilities: FloatArray, offsets: IntArray) -> Spread:
    """The spread in a pilot, by analysis of variance: what chance in the answers adds between questions is taken off.

    Args:
        utilities: (O) utility of each answer, NaN = none.
        offsets: (Q+1) answers of each question, recorded at one α.

    Raises:
        UndefinedError: If no question has two answers with a utility.

    Examples:
        >>> spread_of(np.array([0.0, 1.0, 0.0, 1.0]), np.array([0, 2, 4]))  # nothing between the questions
        Spread(answers=0.7071067811865476, questions=0.0)
    """
    known = ~np.isnan(utilities)
    counts = segment_sums(known.astype(np.float64), offsets)
    values = np.where(known, utilities, 0.0)
    means = segment_sums(values, offsets) / np.maximum(counts, 1)
    squares = segment_sums(np.where(known, values - means[segment_ids(offsets)], 0.0) ** 2, offsets)
    free = float(np.maximum(counts - 1, 0).sum())
    if not free:
        raise UndefinedError("a pilot shows how much utility varies where a question has two answers with a utility")
    within = float(squares.sum()) / free
    answered = counts > 0
    between = float(means[answered].var(ddof=1)) if answered.sum() > 1 else 0.0
    return Spread(within**0.5, max(between - within * float((1 / counts[answered]).mean()), 0.0) ** 0.5)


def proposed(
    populations: Sequence[Population],
    *,
    k: int,
    wanted: Sequence[float],
    half_width: float,
    rng: np.random.Generator,
    candidates: Sequence[float] | None = None,
) -> list[Proposal]:
    """Designs under which EU is known at every wanted α in every population, the cheapest first.

    Known means: the effective size is at least 25, and the interval as narrow as wanted. A wanted α that is recorded
    counts with its own answers. The smallest and the largest wanted α are always recorded, since nothing is estimated
    beyond them.

    Args:
        populations: Where rankings will be drawn: one of each task and retriever.
        k: Items that a context holds.
        wanted: α at which EU is to be known.
        half_width: Half the width that its 95 % interval may have.
        rng: Source of chance of the trial.
        candidates: α that may be recorded; None: :data:`USUAL_ALPHAS` within the wanted range.

    Returns:
        The cheapest design of each set of α, at most :data:`MOST_PROPOSED`.

    Raises:
        UndefinedError: If no design that was tried is enough; the text says how narrow an interval can get.
    """
    _check(populations, wanted, half_width)
    low, high = float(min(wanted)), float(max(wanted))
    inside = [alpha for alpha in (USUAL_ALPHAS if candidates is None else candidates) if low < alpha < high]
    alphas = tuple(dict.fromkeys((low, *sorted(set(inside)), high)))
    cells = [
        _Cell(_trial(_some_questions(one.run, rng), alphas, wanted, k=k, rng=rng), one, _needed(half_width, one))
        for one in populations
    ]
    found: list[Proposal] = []
    for members in _designs(len(alphas)):
        dearest = found[-1].calls if len(found) == MOST_PROPOSED else float("inf")
        design = _cheapest(cells, members, dearest=dearest)
        if design is not None:
            found = sorted([*found, design], key=lambda one: (one.calls, len(one.alphas)))[:MOST_PROPOSED]
    if not found:
        raise UndefinedError(_why(half_width, populations))
    return found


def promised(
    populations: Sequence[Population],
    *,
    k: int,
    wanted: Sequence[float],
    alphas: Sequence[float],
    n_samples: int,
    rng: np.random.Generator,
) -> Proposal:
    """What a design gives, whether it is enough or not.

    Args:
        populations: Where rankings will be drawn.
        k: Items that a context holds.
        wanted: α at which EU is to be known, none beyond those that are recorded.
        alphas: α that are recorded.
        n_samples: Rankings per question and α.
        rng: Source of chance of the trial.
    """
    _check(populations, wanted, 1.0)
    recorded = tuple(sorted(set(alphas)))
    cells = [
        _Cell(_trial(_some_questions(one.run, rng), recorded, wanted, k=k, rng=rng, n_draws=n_samples), one, 0.0)
        for one in populations
    ]
    return _tried(cells, tuple(range(len(recorded))), n_samples).design


class _Cell(NamedTuple):
    """A population, a trial on some of its questions, and how many effective answers each question needs."""

    trial: "_Trial"
    population: Population
    needed: float


class _Attempt(NamedTuple):
    """A design with what it gives, and by how much the worst population has too little of it (1 = just enough)."""

    design: Proposal
    lack: float


def _tried(cells: Sequence[_Cell], members: tuple[int, ...], n_samples: int) -> _Attempt:
    sizes = [float(cell.trial.sizes(members, n_samples).min()) for cell in cells]
    widths = [_half_width(size, cell.population) for size, cell in zip(sizes, cells, strict=True)]
    design = Proposal(
        tuple(cells[0].trial.alphas[c] for c in members),
        n_samples,
        _calls(cells, members, n_samples),
        max(widths),
        min(sizes),
    )
    return _Attempt(design, max(cell.needed / max(size, 1e-9) for size, cell in zip(sizes, cells, strict=True)))


def _calls(cells: Sequence[_Cell], members: tuple[int, ...], n_samples: int) -> int:
    return sum(int(np.ceil(cell.trial.calls(members, n_samples) * cell.population.size)) for cell in cells)


def _cheapest(cells: Sequence[_Cell], members: tuple[int, ...], *, dearest: float) -> Proposal | None:
    """The fewest rankings of some α that are enough; None where none are, or they cost more than what is known."""
    least = max(cell.needed for cell in cells)  # a recorded α has no more than its own answers
    for n_samples in SIZES:
        if n_samples < least:
            continue
        if _calls(cells, members, n_samples) >= dearest:
            return None
        attempt = _tried(cells, members, n_samples)
        if attempt.lack <= 1:
            return attempt.design
        least = 0.9 * n_samples * attempt.lack  # sizes grow with draws, hardly faster
    return None


def _check(populations: Sequence[Population], wanted: Sequence[float], half_width: float) -> None:
    spreads = [part for one in populations for part in one.spread]
    if not len(wanted) or not half_width > 0 or not populations or min(spreads) < 0:
        raise ValueError("wanted α, a positive half width and spreads of at least 0 are needed")
    for one in populations:
        if not one.run.query_ids:
            raise UndefinedError(f"{one.run.system} has no question to draw rankings for")
        if one.size < 2:
            raise UndefinedError("an interval needs two questions")


def _half_width(n_effective: float, of: Population) -> float:
    """Student's t times the standard error of a mean over questions, each with so many effective answers."""
    if not n_effective:
        return float("inf")
    variance = (of.spread.questions**2 + of.spread.answers**2 / n_effective) / of.size
    return -float(stdtrit(of.size - 1, (1 - LEVEL) / 2)) * variance**0.5


def _needed(half_width: float, of: Population) -> float:
    """Effective answers per question for a half width; infinite where questions alone vary more than that."""
    error = half_width / -float(stdtrit(of.size - 1, (1 - LEVEL) / 2))
    left = of.size * error**2 - of.spread.questions**2
    return max(LEAST_EFFECTIVE, of.spread.answers**2 / left if left > 0 else float("inf"))


def _why(half_width: float, populations: Sequence[Population]) -> str:
    widest = max(populations, key=lambda one: _half_width(float("inf"), one))
    least = _half_width(float("inf"), widest)
    if least >= half_width:
        return (
            f"{widest.size} questions differ too much for an interval of ± {half_width:g}: however many answers, it is "
            f"± {least:.3g}; ask more questions"
        )
    return (
        f"no {MOST_ALPHAS} α with at most {SIZES[-1]} rankings each give ± {half_width:g} at every wanted α; "
        "want fewer α or a wider interval"
    )


def _designs(n_candidates: int) -> list[tuple[int, ...]]:
    """Sets of candidates that hold both ends."""
    ends, inner = (0, n_candidates - 1), range(1, n_candidates - 1)
    return [tuple(sorted({*ends, *more})) for size in range(MOST_ALPHAS - 1) for more in combinations(inner, size)]


def _some_questions(run: Run, rng: np.random.Generator) -> Run:
    """The run, or as many of its questions as are tried, drawn at random."""
    filled = np.flatnonzero(np.diff(run.offsets))
    some: list[int] = np.sort(rng.permutation(filled)[:MOST_QUESTIONS]).tolist()
    rows = [slice(int(run.offsets[q]), int(run.offsets[q + 1])) for q in some]
    return Run(
        system=run.system,
        query_ids=tuple(run.query_ids[q] for q in some),
        doc_ids=run.doc_ids,
        offsets=np.cumsum([0, *(part.stop - part.start for part in rows)]).astype(np.int64),
        docs=np.concatenate([run.docs[part] for part in rows]),
        scores=np.concatenate([run.scores[part] for part in rows]),
    )


class _Trial(NamedTuple):
    """Rankings drawn at every candidate α: Q questions, C candidates, W wanted α, N draws of each.

    Attributes:
        alphas: (C) candidates.
        wanted: (W) wanted α.
        chances: (C, Q, C, N) log-chance of each draw under each candidate.
        wanted_chances: (W, Q, C, N) the same under each wanted α.
        lists: (Q, C, N) which ranking each draw is: the same number, the same prompt.
    """

    alphas: tuple[float, ...]
    wanted: tuple[float, ...]
    chances: FloatArray
    wanted_chances: FloatArray
    lists: IntArray

    def sizes(self, members: tuple[int, ...], n_samples: int) -> FloatArray:
        """(W) effective size at each wanted α, some candidates being recorded so often each."""
        chosen, n_questions = list(members), self.lists.shape[0]
        recorded = self.chances[chosen][:, :, chosen, :n_samples].reshape(len(chosen), -1)
        shares = np.full(recorded.shape, 1 / len(chosen))
        offsets = np.arange(n_questions + 1, dtype=np.int64) * len(chosen) * n_samples
        at = {self.alphas[c] for c in chosen}
        sizes = [
            n_samples
            if alpha in at
            else effective_mean(
                effective_size(balance_weights(chances[:, chosen, :n_samples].ravel(), recorded, shares), offsets)
            )
            / MARGIN
            for alpha, chances in zip(self.wanted, self.wanted_chances, strict=True)
        ]
        return np.array(sizes, dtype=np.float64)

    def calls(self, members: tuple[int, ...], n_samples: int) -> float:
        """Distinct rankings per question."""
        return np.unique(self.lists[:, list(members), :n_samples]).size / self.lists.shape[0]


def _trial(
    run: Run,
    alphas: Sequence[float],
    wanted: Sequence[float],
    *,
    k: int,
    rng: np.random.Generator,
    n_draws: int = SIZES[-1],
) -> _Trial:
    pools = pool(run, None)
    drawn: list[RankedLists] = [
        ranked_lists(PlackettLuce(alpha).sample(run, depth=k, n_samples=n_draws, rng=rng), pools) for alpha in alphas
    ]
    shape = len(run.query_ids), len(alphas), n_draws

    def chances(alpha: float) -> FloatArray:
        each = [log_chances(PlackettLuce(alpha), run, lists).reshape(shape[0], -1) for lists in drawn]
        return np.stack(each, axis=1)

    return _Trial(
        alphas=tuple(alphas),
        wanted=tuple(wanted),
        chances=np.stack([chances(alpha) for alpha in alphas]),
        wanted_chances=np.stack([chances(alpha) for alpha in wanted]),
        lists=_numbered(drawn, shape),
    )


def _numbered(drawn: Sequence[RankedLists], shape: tuple[int, int, int]) -> IntArray:
    """(Q, C, N) a number for each ranking, equal for equal ones; rows of the run differ between questions."""
    most = max(int(np.diff(lists.offsets).max(initial=0)) for lists in drawn)
    padded = np.full((len(drawn), shape[0] * shape[2], most), -1, dtype=np.int64)
    for c, lists in enumerate(drawn):
        within = np.arange(lists.rows.size) - lists.offsets[segment_ids(lists.offsets)]
        padded[c, segment_ids(lists.offsets), within] = lists.rows
    _, numbers = np.unique(padded.reshape(-1, most), axis=0, return_inverse=True)
    return np.ascontiguousarray(numbers.reshape(len(drawn), shape[0], shape[2]).transpose(1, 0, 2))
