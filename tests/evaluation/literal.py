"""DESIGN 2.1, 2.2 and 2.5 word for word: slow, on plain lists and dictionaries, for comparison.

Nothing here is shared with fairviz, and nothing is clever.
"""

import math
from collections.abc import Mapping, Sequence

NAN = math.nan

Lists = Sequence[Sequence[str]]
"""The rankings of one query, best first."""


def weight(browsing: str, rank: int, cutoff: int | None, *, p: float, gamma: float) -> float:
    """Attention at a rank from 1 on."""
    if cutoff is not None and rank > cutoff:
        return 0.0
    if browsing == "topk":
        return 1.0
    if browsing == "rbp":
        return p ** (rank - 1)
    if browsing == "geometric":
        return gamma * (1 - gamma) ** (rank - 1)
    if browsing == "log":
        return 1 / math.log2(max(rank, 2))
    return 1 / math.log2(rank + 1)


def attended(
    gains: Sequence[int], browsing: str, cutoff: int | None, *, p: float, gamma: float, phi: float, largest: int
) -> list[float]:
    """Attention at each rank of a list whose items have these gains."""
    if browsing != "cascade":
        ranks = range(1, len(gains) + 1)
        return [weight(browsing, r, cutoff, p=p, gamma=gamma) for r in ranks]
    attention: list[float] = []
    unsatisfied = 1.0
    for rank, gain in enumerate(gains, start=1):
        seen = weight("rbp", rank, cutoff, p=p, gamma=gamma)
        attention.append(seen * unsatisfied)
        unsatisfied *= 1 - (phi * gain / largest if largest > 0 else 0)
    return attention


def exposure_measures(
    rankings: Lists,
    grades: Mapping[str, int],
    *,
    largest: int = 1,
    phi: float = 0.5,
    browsing: str = "topk",
    cutoff: int | None = None,
    p: float = 0.8,
    gamma: float = 0.5,
    norm: str = "attainable",
    gain: str = "graded",
    rel: int = 1,
    pool: str = "run+judged",
    estimate: str = "plugin",
) -> dict[str, float]:
    """EED, EER and EEL of one query; NaN = undefined. ``largest``: grade of all judgements."""
    if not rankings:
        return {"EED": NAN, "EER": NAN, "EEL": NAN}
    items = sorted({doc for ranking in rankings for doc in ranking})
    if pool == "run+judged":
        items = sorted({*items, *grades})
    gains = {doc: max(grades.get(doc, 0), 0) for doc in items}
    if gain == "binary":
        gains = {doc: int(value >= rel) for doc, value in gains.items()}
        largest = int(largest >= rel)
    n = len(items)

    def attention(ranking: Sequence[str]) -> list[float]:
        told = [gains[doc] for doc in ranking]
        return attended(told, browsing, cutoff, p=p, gamma=gamma, phi=phi, largest=largest)

    drawn: list[dict[str, float]] = []
    for ranking in rankings:
        seen = dict.fromkeys(items, 0.0)
        for doc, attention_there in zip(ranking, attention(ranking), strict=True):
            seen[doc] = attention_there
        drawn.append(seen)
    n_samples = len(drawn)
    exposure = {doc: sum(seen[doc] for seen in drawn) / n_samples for doc in items}

    ideal = sorted(items, key=lambda doc: -gains[doc])
    v = attention(ideal)
    target: dict[str, float] = {}
    for doc in items:
        block = [v[r] for r in range(n) if gains[ideal[r]] == gains[doc]]
        target[doc] = sum(block) / len(block)

    disparity = sum(e * e for e in exposure.values())
    relevance = sum(exposure[doc] * target[doc] for doc in items)
    loss = sum((exposure[doc] - target[doc]) ** 2 for doc in items)
    if estimate == "unbiased":
        mean_square = sum(sum(e * e for e in seen.values()) for seen in drawn) / n_samples
        unbiased = NAN
        if n_samples > 1:
            unbiased = (n_samples * disparity - mean_square) / (n_samples - 1)
        loss = loss - disparity + unbiased
        disparity = unbiased
    raw = {"EED": disparity, "EER": relevance, "EEL": loss}
    if norm == "none":
        return raw
    rising = sorted(target.values())
    falling = rising[::-1]
    v_squares = sum(x * x for x in v)
    worst = sum(a * b for a, b in zip(v, rising, strict=True))
    best = sum(a * b for a, b in zip(v, falling, strict=True))
    ends = {
        "EED": (sum(v) ** 2 / n, v_squares),
        "EER": (worst, best),
        "EEL": (0.0, v_squares + sum(t * t for t in rising) - 2 * worst),
    }
    return {name: between(raw[name], *ends[name]) for name in raw}


def between(value: float, low: float, high: float) -> float:
    """Min–max; undefined where the ends are one number (up to rounding)."""
    if abs(high - low) <= 1e-12 * abs(high):
        return NAN
    return (value - low) / (high - low)


def output_measures(
    given: Lists, attributed: Lists, k: int, *, norm: str = "k", estimate: str = "plugin"
) -> dict[str, float]:
    """EAR and EAED of one query: what each output was given, and what it attributes."""
    shown = [set(items[:k]) for items in given]
    counted = [set(cited) & kept for cited, kept in zip(attributed, shown, strict=True)]
    n = len(counted)
    if not any(shown):
        return {"EAR": NAN, "EAED": NAN}
    rate = sum(len(each) / k for each in counted) / n
    items = set().union(*counted)
    share = {doc: sum(doc in each for each in counted) / n for doc in items}
    disparity = sum(e * e for e in share.values())
    if estimate == "unbiased":
        mean_square = sum(len(each) for each in counted) / n
        disparity = (n * disparity - mean_square) / (n - 1) if n > 1 else NAN
    return {"EAR": rate, "EAED": disparity / k if norm == "k" else disparity}


def mean_of_defined(values: Sequence[float]) -> float:
    """Mean over the queries that have a value; NaN if none has."""
    defined = [value for value in values if not math.isnan(value)]
    return sum(defined) / len(defined) if defined else NAN
