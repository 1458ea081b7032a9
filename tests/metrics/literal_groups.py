"""Group measures word for word from the papers: loops over lists and dictionaries, no arrays.

Raj et al. (comparing paper), Gao et al. (FAIR paper), and the notes of the shared conformance data.
Every function of a ranking returns NaN where the measure is undefined.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NAN = math.nan
UNLABELLED = "unlabelled"
Shares = Mapping[str, float]
Gain = Callable[[str], float]


@dataclass(frozen=True)
class World:
    """Rankings, judgements and labels of the same queries.

    Attributes:
        rankings: Query -> its rankings.
        grades: Query -> document -> grade.
        labels: Document -> group -> weight; weights sum to at most 1.
        groups: All groups, in order.
        target: Share of each group, or the name of a preset.
        subtopics: Query -> document -> subtopics that it is relevant to; empty: groups are these.
    """

    rankings: Mapping[str, Sequence[Sequence[str]]]
    grades: Mapping[str, Mapping[str, int]]
    labels: Mapping[str, Shares]
    groups: Sequence[str]
    target: Shares | str
    subtopics: Mapping[str, Mapping[str, set[str]]] = field(default_factory=dict)

    def gain(self, query: str) -> Gain:
        """Unjudged and negative grades are worth nothing."""
        judged = self.grades.get(query, {})
        return lambda doc: float(max(judged.get(doc, 0), 0))

    def pool(self, query: str) -> list[str]:
        ranked = [doc for ranking in self.rankings.get(query, ()) for doc in ranking]
        return list(dict.fromkeys([*ranked, *self.grades.get(query, {})]))

    def weight(self, doc: str, group: str) -> float:
        return self.labels.get(doc, {}).get(group, 0.0)

    def treated(self, missing: str) -> "World":
        """With ``missing='group'`` what is unlabelled is a group of its own."""
        if missing == "drop":
            return self
        docs = {doc for q in {*self.rankings, *self.grades} for doc in self.pool(q)} | {*self.labels}
        labels = {doc: dict(self.labels.get(doc, {})) for doc in docs}
        for weights in labels.values():
            weights[UNLABELLED] = 1 - sum(weights.values())
        target = self.target
        if target == "corpus":
            sums = {g: sum(self.weight(doc, g) for doc in self.labels) for g in self.groups}
            target = shares(sums)  # a corpus of labels has nothing unlabelled in it
        return World(self.rankings, self.grades, labels, [*self.groups, UNLABELLED], target, self.subtopics)

    def shares(self, query: str) -> Shares:
        """Target of a query; NaN where the data do not say."""
        if not isinstance(self.target, str):
            return {g: self.target.get(g, 0.0) for g in self.groups}
        pool, gain = self.pool(query), self.gain(query)
        size = {g: sum(self.weight(doc, g) for doc in pool) for g in self.groups}
        gained = {g: sum(self.weight(doc, g) * gain(doc) for doc in pool) for g in self.groups}
        return shares(
            {
                "uniform": dict.fromkeys(self.groups, 1.0),
                "population": size,
                "corpus": {g: sum(self.weight(doc, g) for doc in self.labels) for g in self.groups},
                "relevance": {g: gained[g] / size[g] if size[g] else 0.0 for g in self.groups},
            }[self.target]
        )


def shares(amounts: Shares) -> Shares:
    total = sum(amounts.values())
    return {g: amount / total if total else NAN for g, amount in amounts.items()}


# --- divergence of distributions ---


def kl(p: Shares, q: Shares) -> float:
    """Σ p ln(p/q), 0 ln 0 = 0."""
    if any(map(math.isnan, [*p.values(), *q.values()])):
        return NAN
    total = 0.0
    for g, share in p.items():
        if share > 0 and q[g] == 0:
            return math.inf
        total += share * math.log(share / q[g]) if share > 0 else 0.0
    return total


def distance(name: str, p: Shares, q: Shares, group: str) -> float:
    match name:
        case "jsd":
            middle = {g: (p[g] + q[g]) / 2 for g in p}
            return kl(p, middle) / 2 + kl(q, middle) / 2
        case "kl":
            return kl(p, q)
        case "l1":
            return sum(abs(p[g] - q[g]) for g in p)
        case "sq":
            return sum((p[g] - q[g]) ** 2 for g in p)
        case _:
            return abs(p[group] - q[group])


# --- attention (Table 3; RBP from p⁰, as DESIGN 2.1) ---


def attention(options: Mapping[str, Any], ranking: Sequence[str], gain: Gain, top: float) -> list[float]:
    weights: list[float] = []
    satisfied = 1.0
    for rank, doc in enumerate(ranking, start=1):
        gamma, p = options.get("gamma", 0.5), options.get("p", 0.8)
        match options.get("browsing", "geometric"):
            case "geometric":
                weights.append(gamma * (1 - gamma) ** (rank - 1))
            case "log":
                weights.append(1 / math.log2(max(rank, 2)))
            case "dcg":
                weights.append(1 / math.log2(rank + 1))
            case "rbp":
                weights.append(p ** (rank - 1))
            case "topk":
                weights.append(1.0)
            case _:
                weights.append(p ** (rank - 1) * satisfied)
        worth = gain(doc) / top if top else 0.0
        if options.get("gain") == "binary":
            worth = float(gain(doc) >= options.get("rel", 1))
        satisfied *= 1 - options.get("phi", 0.5) * worth
    return weights


def on_groups(world: World, ranking: Sequence[str], weights: Sequence[float]) -> dict[str, float]:
    """ε_L = G(L)ᵀ a_L."""
    pairs = list(zip(ranking, weights, strict=True))
    return {g: sum(world.weight(doc, g) * a for doc, a in pairs) for g in world.groups}


# --- measures of prefixes ---


def counts(world: World, prefix: Sequence[str]) -> dict[str, float]:
    return {g: sum(world.weight(doc, g) for doc in prefix) for g in world.groups}


def prefix_divergence(name: str, world: World, ranking: Sequence[str], target: Shares) -> list[float]:
    prefixes = [shares(counts(world, ranking[:i])) for i in range(1, len(ranking) + 1)]
    return [NAN if math.isnan(sum(p.values())) else distance(name, p, target, "") for p in prefixes]


def prefix_kl(world: World, ranking: Sequence[str], target: Shares) -> list[float]:
    return [kl(shares(counts(world, ranking[:i])), target) for i in range(1, len(ranking) + 1)]


def discounted(terms: Sequence[float]) -> float:
    """(1/Z) Σ term_i / log2(i+1); a prefix without labels adds 0 and stays in Z."""
    if all(map(math.isnan, terms)):
        return NAN
    z = sum(1 / math.log2(i + 2) for i in range(len(terms)))
    return sum(t / math.log2(i + 2) for i, t in enumerate(terms) if not math.isnan(t)) / z


def closeness(divergence: Sequence[float]) -> float:
    """nDRKL (Gao et al., Eq. 8); a prefix without labels counts as on target."""
    if all(map(math.isnan, divergence)):
        return NAN
    return discounted([1.0 if math.isnan(d) else 1 / (d + 1) for d in divergence])


def skew(world: World, ranking: Sequence[str], target: Shares, group: str) -> float:
    share = shares(counts(world, ranking))[group]
    if math.isnan(share) or not target[group] > 0:
        return NAN
    return math.log(share / target[group]) if share else -math.inf


def short(world: World, ranking: Sequence[str], target: Shares) -> list[float]:
    """Groups with fewer than ⌊p_g i⌋ items, for each prefix."""
    if any(map(math.isnan, target.values())):
        return [NAN] * len(ranking)
    result: list[float] = []
    for i in range(1, len(ranking) + 1):
        have = counts(world, ranking[:i])
        least = {g: math.floor(target[g] * i + 1e-9) for g in world.groups}
        result.append(float(sum(have[g] < least[g] - 1e-9 for g in world.groups)))
    return result


def prefix_fairness(labels: Sequence[Shares], group: str | None, *, name: str, step: int, normalise: bool) -> float:
    """PreF of a list of labels (Eq. 1), the maximum over all its orders by enumeration."""
    groups = sorted({g for label in labels for g in label})
    whole = {g: sum(label.get(g, 0.0) for label in labels) for g in groups}
    group = group if group is not None else ""
    rest = sum(n for g, n in whole.items() if g != group)
    if len(labels) < step or sum(n > 0 for n in whole.values()) < 2:
        return NAN
    if group and not (whole.get(group, 0.0) > 0 and rest > 0):
        return NAN

    def ratio(some: Shares) -> float:
        plus = some.get(group, 0.0)
        minus = sum(n for g, n in some.items() if g != group)
        return plus / minus if plus and minus else 0.0

    def raw(order: Sequence[Shares]) -> float:
        total = 0.0
        for i in range(step, len(order) + 1, step):
            part = {g: sum(label.get(g, 0.0) for label in order[:i]) for g in groups}
            if name == "ND":
                n, m = sum(part.values()), sum(whole.values())
                one = abs(part.get(group, 0.0) / n - whole.get(group, 0.0) / m)
            elif name == "RD":
                one = abs(ratio(part) - ratio(whole))
            elif group:  # KL of one group against the rest
                one = kl(_split(part, group), _split(whole, group)) / math.log(2)
            else:
                one = kl(shares(part), shares(whole)) / math.log(2)
            total += one / math.log2(i)
        return total

    if not normalise:
        return raw(labels)
    most = max(raw(order) for order in _orders(labels))
    return raw(labels) / most if most > 0 else NAN


def _split(part: Shares, group: str) -> Shares:
    plus = part.get(group, 0.0)
    return shares({"+": plus, "-": sum(part.values()) - plus})


def _orders(labels: Sequence[Shares]) -> list[list[Shares]]:
    """All orders that can be told apart."""
    if not labels:
        return [[]]
    kinds = {tuple(sorted(label.items())): at for at, label in enumerate(labels)}
    return [[labels[at], *rest] for at in kinds.values() for rest in _orders([*labels[:at], *labels[at + 1 :]])]


def binomial(ranking: Sequence[str], protected: Callable[[str], bool], p: float) -> float:
    """Eq. 2, summed from j = 0."""
    if math.isnan(p) or not ranking:
        return NAN
    total = 0.0
    for k in range(1, len(ranking) + 1):
        m = sum(protected(doc) for doc in ranking[:k])
        total += sum(math.comb(k, j) * p**j * (1 - p) ** (k - j) for j in range(m + 1))
    return total / len(ranking)


# --- usefulness ---


def pair_accuracy(world: World, ranking: Sequence[str], gain: Gain, one: str, others: Sequence[str]) -> float:
    """P(d1 above d2 | gain(d1) > gain(d2), d1 in one, d2 in the others) (Eq. 11)."""
    right = total = 0.0
    for i, d1 in enumerate(ranking):
        for j, d2 in enumerate(ranking):
            if gain(d1) > gain(d2):
                w = world.weight(d1, one) * sum(world.weight(d2, g) for g in others)
                total += w
                right += w if i < j else 0.0
    return right / total if total > 0 else NAN


def fair_terms(
    irm: str,
    ranking: Sequence[str],
    gain: Gain,
    covers: Callable[[str], Shares],
    *,
    alpha: float,
    p: float,
    top: float = 4.0,
) -> list[float]:
    """IRM_i of each rank (Gao et al., Eq. 4–7); constants of a query left out.

    AP: precision at useful ranks; ERR (Chapelle et al. 2009) with grades up to ``top``; NRBP (Clarke et al. 2009).
    """
    seen: dict[str, float] = {}
    still: dict[str, float] = {}
    unsatisfied = 1.0
    terms: list[float] = []
    for i, doc in enumerate(ranking, start=1):
        aspects = covers(doc)
        if irm == "nDCG":
            terms.append(gain(doc) / math.log2(i + 1))
        elif irm == "RBP":
            terms.append((1 - p) * p ** (i - 1) if gain(doc) > 0 else 0.0)
        elif irm == "AP":
            found = sum(gain(d) > 0 for d in ranking[:i])
            terms.append(found / i if gain(doc) > 0 else 0.0)
        elif irm == "ERR":
            satisfies = (2 ** gain(doc) - 1) / 2**top
            terms.append(unsatisfied * satisfies / i)
            unsatisfied *= 1 - satisfies
        elif irm == "NRBP":
            terms.append(p ** (i - 1) * sum(j * (1 - alpha) ** seen.get(a, 0.0) for a, j in aspects.items()))
        elif irm == "alpha_nDCG":
            g = sum(j * (1 - alpha) ** seen.get(a, 0.0) for a, j in aspects.items())
            terms.append(g / math.log2(i + 1))
        else:
            chance = {a: alpha * j for a, j in aspects.items()}
            terms.append(sum(r * still.get(a, 1.0) for a, r in chance.items()) / i)
            for a, r in chance.items():
                still[a] = still.get(a, 1.0) * (1 - r)
        for a, j in aspects.items():
            seen[a] = seen.get(a, 0.0) + j
    return terms


def ideal(irm: str, pool: Sequence[str], gain: Gain, covers: Callable[[str], Shares], alpha: float) -> list[str]:
    """By gain, or greedily by what the measure adds; of equal items the larger id first."""
    left = sorted(pool, reverse=True)
    if irm in ("nDCG", "RBP", "AP", "ERR"):
        return sorted(left, key=gain, reverse=True)
    order: list[str] = []
    while left:
        interest: dict[str, float] = {}
        for doc in order:
            for a, j in covers(doc).items():
                fade = 1 - alpha * j if irm == "ERR_IA" else (1 - alpha) ** j
                interest[a] = interest.get(a, 1.0) * fade
        new = {doc: sum(j * interest.get(a, 1.0) for a, j in covers(doc).items()) for doc in left}
        best = max(left, key=lambda doc: round(new[doc], 12))  # the first of equals
        order.append(best)
        left.remove(best)
    return order


def fair(terms: Sequence[float], divergence: Sequence[float], most: float, *, additive: bool) -> float:
    """Eq. 1, or IRM / (KL(D_k) + 1); a prefix without labels is not discounted."""
    if most <= 0 or all(map(math.isnan, divergence)):
        return NAN
    known = [0.0 if math.isnan(d) else d for d in divergence]
    if additive:
        return sum(t / (d + 1) for t, d in zip(terms, known, strict=True)) / most
    return sum(terms) / (known[-1] + 1) / most


def expected_target(pool: Sequence[str], gain: Gain, weights: Sequence[float]) -> dict[str, float]:
    """ε*: items of equal gain share the attention of the places they fill in an ideal list."""
    order = sorted(pool, key=gain, reverse=True)
    result: dict[str, float] = {}
    for doc in pool:
        block = [i for i, other in enumerate(order) if gain(other) == gain(doc)]
        result[doc] = sum(weights[i] for i in block) / len(block)
    return result


def mean(values: Sequence[float]) -> float:
    """Of what is defined; NaN if nothing is."""
    known = [v for v in values if not math.isnan(v)]
    return sum(known) / len(known) if known else NAN
