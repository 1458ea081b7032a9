"""Group measures against the papers word for word, on random rankings, judgements and labels."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from fairviz.analysis.evaluate import evaluate
from fairviz.metrics.spec import parse_measure
from fairviz.model import GroupLabels, Qrels, Scores, SystemScore, Target
from tests.metrics import literal_groups as literal
from tests.metrics.literal_groups import NAN, World, mean
from tests.metrics.test_group_conformance import with_subtopics
from tests.nouns import qrels_of, run_of, sample_of

DOCS = "abcdefgh"
QUERIES = ("q1", "q2", "q3")
PRESETS = ("uniform", "population", "corpus", "relevance")
Options = Mapping[str, Any]
Found = dict[str, float] | float
"""A value per query, or one of the system."""


# --- random worlds ---


@st.composite
def worlds(draw: st.DrawFn, *, hard: bool = False, n_groups: int | None = None) -> World:
    n = n_groups or draw(st.integers(2, 3))
    groups = ["A", "B", "C"][:n]
    ranking = st.lists(st.sampled_from(DOCS), min_size=1, max_size=7, unique=True)
    asked = draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True))
    most = draw(st.sampled_from([1, 3]))
    rankings = {q: draw(st.lists(ranking, min_size=1, max_size=most)) for q in asked}
    grade = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1)
    judged = draw(st.lists(st.sampled_from(QUERIES), min_size=1, unique=True))
    quarters = [{"A": 1.0}, {"B": 1.0}, {groups[-1]: 1.0}, {}]
    if not hard:
        quarters += [{"A": 0.5, "B": 0.5}, {"A": 0.25, groups[-1]: 0.5}, {"B": 0.75}]
    label = draw(st.lists(st.sampled_from(quarters), min_size=len(DOCS), max_size=len(DOCS)))
    by_hand = st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any)
    target = draw(st.sampled_from(PRESETS) | by_hand)
    if isinstance(target, list):
        target = {g: share / sum(target) for g, share in zip(groups, target, strict=True)}
    return World(
        rankings,
        {q: draw(grade) for q in judged},
        {doc: weights for doc, weights in zip(DOCS, label, strict=True) if weights},
        groups,
        target,
    )


def labels_of(world: World) -> GroupLabels:
    dense = [[world.weight(doc, g) for g in world.groups] for doc in world.labels]
    return GroupLabels(
        attribute="group",
        groups=tuple(world.groups),
        doc_ids=tuple(world.labels),
        weights=csr_array(np.array(dense).reshape(len(dense), len(world.groups))),
    )


def qrels_in(world: World) -> Qrels:
    qrels = qrels_of(world.grades)
    if not world.subtopics:
        return qrels
    ((query, _),) = world.grades.items()
    return with_subtopics(qrels, {d: sorted(t) for d, t in world.subtopics[query].items()})


def value(world: World, text: str) -> Found:
    """By its measure string, as the command line computes it."""
    if all(len(each) == 1 for each in world.rankings.values()):
        falling = {
            q: {doc: float(-rank) for rank, doc in enumerate(ranking)}
            for q, (ranking,) in world.rankings.items()
        }
        system = run_of(falling)
    else:
        system = sample_of(world.rankings)
    target = world.target
    if not isinstance(target, str):
        target = Target(groups=tuple(target), shares=np.array(list(target.values()), dtype=float))
    found = evaluate(
        [system],
        [parse_measure(text)],
        qrels=[qrels_in(world)],
        labels=labels_of(world),
        target=target,  # type: ignore[arg-type]
    ).scores[0]
    if isinstance(found, SystemScore):
        return found.value
    assert isinstance(found, Scores)
    return dict(zip(found.query_ids, found.values.tolist(), strict=True))


def agree(got: Found, wanted: Found) -> None:
    if isinstance(got, dict) and isinstance(wanted, dict):
        assert got.keys() == wanted.keys()
        for query, one in wanted.items():
            assert got[query] == pytest.approx(one, abs=1e-9, nan_ok=True), query
    else:
        assert got == pytest.approx(wanted, abs=1e-9, nan_ok=True)


def measure_string(name: str, options: Options, k: int | None = None) -> str:
    inside = ", ".join(f"{key}={value!r}" for key, value in options.items())
    return f"{name}({inside})" + (f"@{k}" if k else "")


def cut(ranking: Any, k: int | None) -> list[str]:
    return list(ranking)[:k] if k else list(ranking)


cutoffs = st.none() | st.integers(1, 9)
missing = st.sampled_from(["drop", "group"])
browsing = st.sampled_from(
    [
        {"browsing": "geometric"},
        {"browsing": "geometric", "gamma": 0.3},
        {"browsing": "log"},
        {"browsing": "dcg"},
        {"browsing": "rbp", "p": 0.6},
        {"browsing": "topk"},
        {"browsing": "cascade"},
        {"browsing": "cascade", "p": 0.9, "phi": 0.25},
    ]
)


def largest(world: World) -> float:
    return float(max((g for each in world.grades.values() for g in each.values()), default=0))


def weights_in(world: World, query: str, ranking: list[str], options: Options) -> list[float]:
    return literal.attention(options, ranking, world.gain(query), max(largest(world), 0.0))


def per_query(
    world: World, one: Callable[[str, list[str]], float], queries: Any
) -> dict[str, float]:
    """Mean over the rankings of each query that have a value."""
    return {q: mean([one(q, list(r)) for r in world.rankings.get(q, ())]) for q in queries}


# --- statistical parity ---


@given(
    world=worlds(),
    model=browsing,
    distance=st.sampled_from(["jsd", "kl", "l1", "absdiff"]),
    how=missing,
    k=cutoffs,
)
def test_awrf(world: World, model: Options, distance: str, how: str, k: int | None) -> None:
    """Eq. 3: distance of the groups' shares of attention from the target."""
    options = {"distance": distance, **model, "missing": how, "group": "A"}
    seen = world.treated(how)

    def one(query: str, ranking: list[str]) -> float:
        shown = cut(ranking, k)
        on = literal.on_groups(seen, shown, weights_in(world, query, shown, options))
        return literal.distance(distance, literal.shares(on), seen.shares(query), "A")

    agree(value(world, measure_string("AWRF", options, k)), per_query(world, one, world.rankings))


@given(world=worlds(), model=browsing, how=missing, k=cutoffs)
def test_awrf_of_a_system(world: World, model: Options, how: str, k: int | None) -> None:
    """ε_π = E_πρ[ε_L] against the mean target of the queries that were ranked."""
    options = {**model, "missing": how, "over": "system"}
    seen = world.treated(how)
    means: list[dict[str, float]] = []
    for query, drawn in world.rankings.items():
        each = [
            literal.on_groups(seen, shown, weights_in(world, query, shown, options))
            for shown in (cut(ranking, k) for ranking in drawn)
        ]
        means.append({g: sum(on[g] for on in each) / len(each) for g in seen.groups})
    attention = {g: sum(one[g] for one in means) / len(means) for g in seen.groups}
    target = {g: mean([seen.shares(q)[g] for q in world.rankings]) for g in seen.groups}
    wanted = literal.distance("jsd", literal.shares(attention), target, "")
    agree(value(world, measure_string("AWRF", options, k)), wanted)


@given(
    world=worlds(hard=True),
    distance=st.sampled_from(["ND", "RD", "KL"]),
    step=st.integers(2, 3),
    normalise=st.booleans(),
    group=st.sampled_from([None, "A", "B"]),
)
@settings(max_examples=80)
def test_prefix_fairness(
    world: World, distance: str, step: int, normalise: bool, group: str | None
) -> None:
    """Eq. 1, its Z the largest value over all lists of the same make-up, by enumeration."""
    if group is None and distance != "KL":
        group = "B"
    options: dict[str, Any] = {"distance": distance, "step": step, "normalise": normalise}
    if group:
        options["group"] = group

    def one(_: str, ranking: list[str]) -> float:
        labels = [world.labels[doc] for doc in ranking if doc in world.labels]
        return literal.prefix_fairness(labels, group, name=distance, step=step, normalise=normalise)

    agree(value(world, measure_string("PreF", options)), per_query(world, one, world.rankings))


@given(world=worlds(hard=True), k=cutoffs, p=st.none() | st.sampled_from([0.1, 0.5, 0.7]))
def test_fair_binomial(world: World, k: int | None, p: float | None) -> None:
    """Eq. 2: unlabelled items are trials that are not protected."""
    options: dict[str, Any] = {"group": "A"} | ({} if p is None else {"p": p})

    def one(query: str, ranking: list[str]) -> float:
        chance = p if p is not None else world.shares(query)["A"]
        return literal.binomial(cut(ranking, k), lambda d: world.weight(d, "A") == 1, chance)

    got = value(world, measure_string("FAIRBinomial", options, k))
    agree(got, per_query(world, one, world.rankings))


Prefixes = Callable[[World, list[str], literal.Shares], float]

PREFIX: dict[str, Prefixes] = {
    "KL": lambda w, r, t: literal.prefix_kl(w, r, t)[-1],
    "nDKL": lambda w, r, t: literal.discounted(literal.prefix_kl(w, r, t)),
    "nDRKL": lambda w, r, t: literal.discounted([1 / (d + 1) for d in literal.prefix_kl(w, r, t)]),
    "Skew": lambda w, r, t: literal.skew(w, r, t, "A"),
    "MinSkew": lambda w, r, t: min(_skews(w, r, t), default=NAN),
    "MaxSkew": lambda w, r, t: max(_skews(w, r, t), default=NAN),
    "InfeasibleCount": lambda w, r, t: sum(literal.short(w, r, t)),
    "InfeasibleIndex": lambda w, r, t: sum(n / n if n else n for n in literal.short(w, r, t)),
    "FeasibleRank": lambda w, r, t: _feasible(literal.short(w, r, t)),
}


def _skews(world: World, ranking: list[str], target: literal.Shares) -> list[float]:
    each = [literal.skew(world, ranking, target, g) for g in world.groups]
    return [one for one in each if not math.isnan(one)]


def _feasible(short: list[float]) -> float:
    if math.isnan(sum(short)):
        return NAN
    return float(next((i for i, n in enumerate(short) if n), len(short)))


@pytest.mark.parametrize("name", PREFIX)
@given(world=worlds(), how=missing, k=cutoffs)
@settings(max_examples=40)
def test_measures_of_prefixes(name: str, world: World, how: str, k: int | None) -> None:
    seen = world.treated(how)
    options = {"missing": how} | ({"group": "A"} if name == "Skew" else {})

    def one(query: str, ranking: list[str]) -> float:
        return PREFIX[name](seen, cut(ranking, k), seen.shares(query))

    agree(value(world, measure_string(name, options, k)), per_query(world, one, world.rankings))


# --- exposure of whole systems ---


def query_parts(
    world: World, model: Options, k: int | None, queries: Any
) -> dict[str, dict[str, float]]:
    """Per query: exposure of A and the rest, of useful items alike, sizes, mean gains."""
    parts: dict[str, dict[str, float]] = {}
    for query in queries:
        drawn, gain = world.rankings.get(query, ()), world.gain(query)
        sides = {"+": {"A"}, "-": {*world.groups} - {"A"}}
        found: dict[str, float] = {}
        for side, groups in sides.items():

            def weigh(doc: str, groups: set[str] = groups) -> float:
                return sum(world.weight(doc, g) for g in groups)

            size = sum(weigh(doc) for doc in world.pool(query))
            useful = sum(weigh(doc) * gain(doc) for doc in world.pool(query))
            exposed, realised = [], []
            for ranking in drawn:
                shown = cut(ranking, k)
                at = list(zip(shown, weights_in(world, query, shown, model), strict=True))
                exposed.append(sum(weigh(doc) * a for doc, a in at))
                realised.append(sum(weigh(doc) * a * gain(doc) for doc, a in at))
            found |= {
                f"E{side}": sum(exposed) / len(exposed) if drawn else NAN,
                f"R{side}": sum(realised) / len(realised) if drawn else NAN,
                f"n{side}": size,
                f"U{side}": useful / size if size and drawn else NAN,
            }
        parts[query] = found
    return parts


def ratio(part: Mapping[str, float], name: str, eps: float) -> float:
    sides: list[float] = []
    for side in "+-":
        quantity = part[("R" if name == "logRUR" else "E") + side]
        if name != "logDP":
            u = part["U" + side]
            quantity = quantity / u if u > 0 else NAN
        if math.isnan(quantity) or quantity + eps <= 0:
            return NAN
        sides.append(math.log(quantity + eps))
    return sides[0] - sides[1]


@pytest.mark.parametrize("name", ["logDP", "logEUR", "logRUR"])
@given(
    world=worlds(),
    model=browsing,
    k=cutoffs,
    over=st.sampled_from(["system", "query"]),
    aggregate=st.sampled_from(["sum", "mean"]),
    eps=st.sampled_from([1e-6, 0.0]),
)
def test_ratios_of_exposure(
    name: str, world: World, model: Options, k: int | None, over: str, aggregate: str, eps: float
) -> None:
    """Eq. 4, 6, 7; Υ(G) is the mean gain of the group's items, expected over queries."""
    options = {**model, "group": "A", "over": over, "aggregate": aggregate, "eps": eps}
    queries = world.rankings if name == "logDP" else world.grades
    parts = query_parts(world, model, k, queries)
    if aggregate == "mean":
        for part in parts.values():
            for side in "+-":
                for of in "ER":
                    n = part["n" + side]
                    part[of + side] = part[of + side] / n if n else NAN
    if over == "query":
        wanted: Found = {q: ratio(part, name, eps) for q, part in parts.items()}
    else:
        keys = next(iter(parts.values()), {})
        whole = {key: mean([part[key] for part in parts.values()]) for key in keys}
        wanted = ratio(whole, name, eps)
    agree(value(world, measure_string(name, options, k)), wanted)


def inequity_parts(
    world: World, query: str, options: Options, k: int | None
) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Attention and usefulness of each item, each normalised to 1 per ranking."""
    found: list[tuple[dict[str, float], dict[str, float]]] = []
    for ranking in world.rankings.get(query, ()):
        shown = cut(ranking, k)
        attended = dict(zip(shown, weights_in(world, query, shown, options), strict=True))
        useful = {doc: world.gain(query)(doc) for doc in ranking}
        if sum(useful.values()) and sum(attended.values()):
            found.append((dict(literal.shares(attended)), dict(literal.shares(useful))))
    return found


@given(
    world=worlds(),
    model=browsing,
    k=cutoffs,
    over=st.sampled_from(["system", "query"]),
    how=missing,
)
def test_inequity_of_attention_of_groups(
    world: World, model: Options, k: int | None, over: str, how: str
) -> None:
    """Eq. 8, over groups: ‖ε − Υ‖₁ of shares."""
    options = {**model, "over": over, "missing": how}
    seen = world.treated(how)

    def sums(query: str) -> list[dict[str, float]] | None:
        each = inequity_parts(world, query, options, k)
        if not each:
            return None
        return [
            {
                g: sum(seen.weight(doc, g) * x for part in each for doc, x in part[i].items())
                / len(each)
                for g in seen.groups
            }
            for i in (0, 1)
        ]

    def distance(attended: literal.Shares, useful: literal.Shares) -> float:
        a, r = literal.shares(attended), literal.shares(useful)
        return sum(abs(a[g] - r[g]) for g in a)

    parts = {q: sums(q) for q in world.grades}
    got = value(world, measure_string("IAA", options, k))
    if over == "query":
        agree(got, {q: distance(*part) if part else NAN for q, part in parts.items()})
        return
    known = [part for part in parts.values() if part]
    if not known:
        agree(got, NAN)
        return
    totals = [{g: sum(part[i][g] for part in known) for g in seen.groups} for i in (0, 1)]
    agree(got, distance(*totals))


@given(world=worlds(), model=browsing, k=cutoffs, over=st.sampled_from(["system", "query"]))
def test_inequity_of_attention_of_items(
    world: World, model: Options, k: int | None, over: str
) -> None:
    """Biega et al.: Σ_d |A_d − R_d|, both summed over rankings; the system's over all queries."""
    options = {**model, "by": "item", "over": over}
    by_query = {
        q: [
            {doc: a.get(doc, 0.0) - r.get(doc, 0.0) for doc in {*a, *r}}
            for a, r in inequity_parts(world, q, options, k)
        ]
        for q in world.grades
    }

    def total(gaps: list[dict[str, float]]) -> float:
        docs = {doc for each in gaps for doc in each}
        return sum(abs(sum(each.get(doc, 0.0) for each in gaps)) for doc in docs)

    got = value(world, measure_string("IAA", options, k))
    if over == "query":
        agree(got, {q: total(gaps) if gaps else NAN for q, gaps in by_query.items()})
    else:
        flat = [one for gaps in by_query.values() for one in gaps]
        agree(got, total(flat) if flat else NAN)


@given(
    world=worlds(),
    kind=st.sampled_from(["inter", "intra", "pairwise"]),
    group=st.sampled_from([None, "A", "B"]),
    k=cutoffs,
)
def test_pairs(world: World, kind: str, group: str | None, k: int | None) -> None:
    """Eq. 11; without a group A_{G−} − A_{G+}, G+ being the smaller group by all labels."""
    options: dict[str, Any] = {"kind": kind}
    if group is None and len(world.groups) > 2:
        group = "C"
    if group:
        options["group"] = group
    size = {g: sum(world.weight(doc, g) for doc in world.labels) for g in world.groups}
    smaller = "A" if size["A"] < size["B"] else "B"

    def accuracy(query: str, ranking: list[str], of: str) -> float:
        met = {
            "inter": [g for g in world.groups if g != of],
            "intra": [of],
            "pairwise": list(world.groups),
        }[kind]
        return literal.pair_accuracy(world, cut(ranking, k), world.gain(query), of, met)

    def one(query: str, ranking: list[str]) -> float:
        if group:
            return accuracy(query, ranking, group)
        other = "B" if smaller == "A" else "A"
        return accuracy(query, ranking, other) - accuracy(query, ranking, smaller)

    agree(value(world, measure_string("PAIR", options, k)), per_query(world, one, world.grades))


@given(
    world=worlds(),
    model=st.sampled_from([{"browsing": "rbp", "p": 0.7}, {"browsing": "dcg"}, {}]),
    over=st.sampled_from(["system", "query"]),
    how=missing,
    gain=st.sampled_from(["graded", "binary"]),
    k=st.integers(1, 6),
)
def test_expected_exposure_of_groups(
    world: World, model: Options, over: str, how: str, gain: str, k: int
) -> None:
    """Eq. 5, 9, 10 of groups; EE-R without the factor 2."""
    model = model or {"browsing": "topk"}
    seen = world.treated(how)
    exposure: dict[str, dict[str, float]] = {}
    target: dict[str, dict[str, float]] = {}
    for query in world.grades:
        drawn = world.rankings.get(query, ())
        if not drawn:
            continue
        pool = world.pool(query)
        full = literal.attention(model, pool, lambda _: 0.0, 0.0)
        v = [a if rank < k else 0.0 for rank, a in enumerate(full)]
        seen_at = {
            doc: sum(v[list(r).index(doc)] for r in drawn if doc in r) / len(drawn) for doc in pool
        }
        graded = world.gain(query)

        def worth(doc: str, graded: literal.Gain = graded) -> float:
            return graded(doc) if gain == "graded" else float(graded(doc) >= 1)

        wanted = literal.expected_target(pool, worth, v)
        for into, of in ((exposure, seen_at), (target, wanted)):
            into[query] = {g: sum(seen.weight(d, g) * of[d] for d in pool) for g in seen.groups}
    options = {**model, "by": "group", "norm": "none", "over": over, "missing": how, "gain": gain}
    kernels: dict[str, Callable[[literal.Shares, literal.Shares], float]] = {
        "EED": lambda e, _: sum(x**2 for x in e.values()),
        "EER": lambda e, t: sum(e[g] * t[g] for g in e),
        "EEL": lambda e, t: sum((e[g] - t[g]) ** 2 for g in e),
    }
    for name, kernel in kernels.items():
        got = value(world, measure_string(name, options, k))
        if over == "query":
            asked = world.grades
            agree(got, {q: kernel(exposure[q], target[q]) if q in exposure else NAN for q in asked})
            continue
        if not exposure:
            agree(got, NAN)
            continue
        e, t = (
            {g: sum(one[g] for one in of.values()) / len(of) for g in seen.groups}
            for of in (exposure, target)
        )
        agree(got, kernel(e, t))


# --- usefulness discounted by divergence ---


@given(
    world=worlds(hard=True),
    irm=st.sampled_from(["alpha_nDCG", "nDCG", "RBP", "ERR_IA"]),
    additive=st.booleans(),
    how=missing,
    k=cutoffs,
    covered=st.none() | st.lists(st.sets(st.sampled_from("xyz")), min_size=8, max_size=8),
)
@settings(max_examples=120)
def test_fair(
    world: World, irm: str, additive: bool, how: str, k: int | None, covered: list[set[str]] | None
) -> None:
    """Gao et al., Eq. 1 to 7; subtopics of the judgements are the aspects, else the groups."""
    if covered is not None:  # one query, its useful documents relevant to some subtopics
        query, grades = next(iter(world.grades.items()))
        topics = {d: t for d, t in zip(DOCS, covered, strict=True) if grades.get(d, 0) > 0 and t}
        grades = {d: g if d in topics else min(g, 0) for d, g in grades.items()}
        world = replace(world, grades={query: grades}, subtopics={query: topics} if topics else {})
    seen = world.treated(how)

    def one(query: str, ranking: list[str]) -> float:
        gain = world.gain(query)

        def covers(doc: str) -> literal.Shares:
            if world.subtopics:
                return dict.fromkeys(sorted(world.subtopics[query].get(doc, ())), 1.0)
            return {g: seen.weight(doc, g) for g in seen.groups} if gain(doc) > 0 else {}

        shown, pool = cut(ranking, k), world.pool(query)
        best = cut(literal.ideal(irm, pool, gain, covers, 0.5), k)
        terms, most = (
            literal.fair_terms(irm, order, gain, covers, alpha=0.5, p=0.8)
            for order in (shown, best)
        )
        divergence = literal.prefix_kl(seen, shown, seen.shares(query))
        return literal.fair(terms, divergence, sum(most), additive=additive)

    options = {"irm": irm, "additive": additive, "missing": how}
    agree(value(world, measure_string("FAIR", options, k)), per_query(world, one, world.grades))


@given(world=worlds(), how=missing, k=cutoffs)
def test_scores_of_the_track(world: World, how: str, k: int | None) -> None:
    """1 − JSD of attention 1/log2(max(r, 2)), and that times nDCG with the same attention."""
    seen = world.treated(how)

    def closeness(query: str, ranking: list[str]) -> float:
        shown = cut(ranking, k)
        on = literal.on_groups(seen, shown, weights_in(world, query, shown, {"browsing": "log"}))
        return 1 - literal.distance("jsd", literal.shares(on), seen.shares(query), "")

    def score(query: str, ranking: list[str]) -> float:
        gain = world.gain(query)
        at = [1 / math.log2(max(r, 2)) for r in range(1, 20)]
        got = sum(a for a, doc in zip(at, cut(ranking, k), strict=False) if gain(doc) > 0)
        n = sum(gain(doc) > 0 for doc in world.pool(query))
        best = sum(at[: min(n, k or n)])
        return got / best * closeness(query, ranking) if best else NAN

    text = measure_string("FairTrecAWRF", {"missing": how}, k)
    agree(value(world, text), per_query(world, closeness, world.rankings))
    text = measure_string("FairTrecScore", {"missing": how}, k)
    agree(value(world, text), per_query(world, score, world.grades))
