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

MOST_PROPOSED = 10

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


class Proposal(NamedTuple):
    """A design that gives what is wanted.

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
    run: Run,
    *,
    k: int,
    wanted: Sequence[float],
    half_width: float,
    spread: Spread,
    rng: np.random.Generator,
    n_questions: int | None = None,
    candidates: Sequence[float] | None = None,
) -> list[Proposal]:
    """Designs under which EU is known at every wanted α, the cheapest first.

    Known means: the effective size is at least 25, and the interval as narrow as wanted. A wanted α that is recorded
    counts with its own answers. The smallest and the largest wanted α are always recorded, since nothing is estimated
    beyond them.

    Args:
        run: The scores from which rankings will be drawn (min–max, offset 1).
        k: Items that a context holds.
        wanted: α at which EU is to be known.
        half_width: Half the width that its 95 % interval may have.
        spread: How much utility varies, of a pilot or assumed.
        rng: Source of chance of the trial.
        n_questions: Questions that will be asked; None: those of the run.
        candidates: α that may be recorded; None: :data:`USUAL_ALPHAS` within the wanted range.

    Returns:
        The cheapest design of each set of α, at most :data:`MOST_PROPOSED`.

    Raises:
        UndefinedError: If no design that was tried is enough; the text says how narrow an interval can get.
    """
    low, high = _ends(run, wanted, half_width, spread)
    n = len(run.query_ids) if n_questions is None else n_questions
    if n < 2:
        raise UndefinedError("an interval needs two questions")
    inside = [alpha for alpha in (USUAL_ALPHAS if candidates is None else candidates) if low < alpha < high]
    trial = _trial(_some_questions(run, rng), (low, *sorted(set(inside)), high), wanted, k=k, rng=rng)
    needed = max(LEAST_EFFECTIVE, _needed(half_width, spread, n))
    found: list[Proposal] = []
    for members in _designs(len(trial.alphas)):
        dearest = found[-1].calls if len(found) == MOST_PROPOSED else float("inf")
        design = _cheapest(trial, members, needed, n_questions=n, dearest=dearest, spread=spread)
        if design is not None:
            found = sorted([*found, design], key=lambda one: (one.calls, len(one.alphas)))[:MOST_PROPOSED]
    if not found:
        raise UndefinedError(_why(half_width, spread, n))
    return found


def _cheapest(
    trial: "_Trial", members: tuple[int, ...], needed: float, *, n_questions: int, dearest: float, spread: Spread
) -> Proposal | None:
    """The fewest rankings of some α that are enough; None where none are, or they cost more than what is known."""
    least = needed  # a recorded α has no more than its own answers
    for n_samples in SIZES:
        if n_samples < least:
            continue
        calls = int(np.ceil(trial.calls(members, n_samples) * n_questions))
        if calls >= dearest:
            return None
        smallest = float(trial.sizes(members, n_samples).min())
        if smallest >= needed:
            alphas = tuple(trial.alphas[c] for c in members)
            return Proposal(alphas, n_samples, calls, _half_width(smallest, spread, n_questions), smallest)
        least = 0.9 * n_samples * needed / smallest if smallest else n_samples  # sizes grow with draws, hardly faster
    return None


def _ends(run: Run, wanted: Sequence[float], half_width: float, spread: Spread) -> tuple[float, float]:
    if not len(wanted) or not half_width > 0 or spread.answers < 0 or spread.questions < 0:
        raise ValueError("wanted α, a positive half width and spreads of at least 0 are needed")
    if not run.query_ids:
        raise UndefinedError(f"{run.system} has no question to draw rankings for")
    return float(min(wanted)), float(max(wanted))


def _half_width(n_effective: float, spread: Spread, n_questions: int) -> float:
    """Student's t times the standard error of a mean over questions, each with so many effective answers."""
    variance = (spread.questions**2 + spread.answers**2 / n_effective) / n_questions
    return -float(stdtrit(n_questions - 1, (1 - LEVEL) / 2)) * variance**0.5


def _needed(half_width: float, spread: Spread, n_questions: int) -> float:
    """Effective answers per question for a half width; infinite where questions alone vary more than that."""
    error = half_width / -float(stdtrit(n_questions - 1, (1 - LEVEL) / 2))
    left = n_questions * error**2 - spread.questions**2
    return spread.answers**2 / left if left > 0 else float("inf")


def _why(half_width: float, spread: Spread, n_questions: int) -> str:
    least = _half_width(float("inf"), spread, n_questions)
    if least >= half_width:
        return (
            f"{n_questions} questions differ too much for an interval of ± {half_width:g}: however many answers, it is "
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


def _trial(run: Run, alphas: Sequence[float], wanted: Sequence[float], *, k: int, rng: np.random.Generator) -> _Trial:
    alphas, pools = tuple(dict.fromkeys(alphas)), pool(run, None)
    drawn: list[RankedLists] = [
        ranked_lists(PlackettLuce(alpha).sample(run, depth=k, n_samples=SIZES[-1], rng=rng), pools) for alpha in alphas
    ]
    shape = len(run.query_ids), len(alphas), SIZES[-1]

    def chances(alpha: float) -> FloatArray:
        each = [log_chances(PlackettLuce(alpha), run, lists).reshape(shape[0], -1) for lists in drawn]
        return np.stack(each, axis=1)

    return _Trial(
        alphas=alphas,
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
