"""Group measures against the papers word for word, on random lists, judgements and labels."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairviz.evaluation.evaluate import evaluate
from fairviz.metrics.catalogue import parse_measure
from fairviz.model import Scores
from tests.metrics import literal_groups
from tests.metrics.group_worlds import (
    DOCS,
    Found,
    Options,
    agree,
    agree_all,
    browsing,
    cut,
    cutoffs,
    labels_of,
    measure_string,
    missing,
    per_query,
    together,
    value,
    weights_in,
    worlds,
)
from tests.metrics.literal_groups import NAN, World, mean
from tests.nouns import run_of

# --- statistical parity ---


@given(world=worlds(), model=browsing, distance=st.sampled_from(["jsd", "kl", "l1", "absdiff"]), how=missing, k=cutoffs)
def test_awrf(world: World, model: Options, distance: str, how: str, k: int | None) -> None:
    """Eq. 3: distance of the groups' shares of attention from the target; a cascade needs judged queries."""
    options = {"distance": distance, **model, "missing": how, "group": "A"}
    seen = world.treated(how)

    def one(query: str, ranking: list[str]) -> float:
        shown = cut(ranking, k)
        on = literal_groups.on_groups(seen, shown, weights_in(world, query, shown, options))
        return literal_groups.distance(distance, literal_groups.shares(on), seen.shares(query), "A")

    asked = world.grades if model["browsing"] == "cascade" else world.rankings
    agree(value(world, measure_string("AWRF", options, k)), per_query(world, one, asked))


@given(world=worlds(), model=browsing, how=missing, k=cutoffs)
def test_awrf_of_a_system(world: World, model: Options, how: str, k: int | None) -> None:
    """ε_π = E_πρ[ε_L] against the mean target of the queries that were ranked (a cascade: judged, too)."""
    options = {**model, "missing": how, "over": "system"}
    seen = world.treated(how)
    means: list[dict[str, float]] = []
    cascade = model["browsing"] == "cascade"
    ranked = {q: drawn for q, drawn in world.rankings.items() if not cascade or q in world.grades}
    for query, drawn in ranked.items():
        each = [
            literal_groups.on_groups(seen, shown, weights_in(world, query, shown, options))
            for shown in (cut(ranking, k) for ranking in drawn)
        ]
        means.append({g: sum(on[g] for on in each) / len(each) for g in seen.groups})
    attention = {g: mean([one[g] for one in means]) for g in seen.groups}
    target = {g: mean([seen.shares(q)[g] for q in ranked]) for g in seen.groups}
    wanted = literal_groups.distance("jsd", literal_groups.shares(attention), target, "")
    agree(value(world, measure_string("AWRF", options, k)), wanted)


@given(
    world=worlds(hard=True),
    distance=st.sampled_from(["ND", "RD", "KL"]),
    step=st.integers(2, 3),
    normalise=st.booleans(),
    group=st.sampled_from([None, "A", "B"]),
)
@settings(max_examples=20)
def test_prefix_fairness(world: World, distance: str, step: int, normalise: bool, group: str | None) -> None:
    """Eq. 1, its Z the largest value over all lists of the same make-up, by enumeration."""
    if group is None and distance != "KL":
        group = "B"
    options: dict[str, Any] = {"distance": distance, "step": step, "normalise": normalise}
    if group:
        options["group"] = group

    def one(_: str, ranking: list[str]) -> float:
        labels = [world.labels[doc] for doc in ranking if doc in world.labels]
        return literal_groups.prefix_fairness(labels, group, name=distance, step=step, normalise=normalise)

    agree(value(world, measure_string("PreF", options)), per_query(world, one, world.rankings))


@given(world=worlds(hard=True), k=cutoffs, p=st.none() | st.sampled_from([0.1, 0.5, 0.7, 0, 1]))
def test_fair_binomial(world: World, k: int | None, p: float | None) -> None:
    """Eq. 2: unlabelled items are trials that are not protected."""
    options: dict[str, Any] = {"group": "A"} | ({} if p is None else {"p": p})

    def one(query: str, ranking: list[str]) -> float:
        chance = p if p is not None else world.shares(query)["A"]
        return literal_groups.binomial(cut(ranking, k), lambda d: world.weight(d, "A") == 1, chance)

    got = value(world, measure_string("FAIRBinomial", options, k))
    agree(got, per_query(world, one, world.rankings))


Prefixes = Callable[[World, list[str], literal_groups.Shares], float]

PREFIX: dict[str, Prefixes] = {
    "KL": lambda w, r, t: literal_groups.prefix_kl(w, r, t)[-1],
    "nDKL": lambda w, r, t: literal_groups.discounted(literal_groups.prefix_kl(w, r, t)),
    "nDRKL": lambda w, r, t: literal_groups.closeness(literal_groups.prefix_kl(w, r, t)),
    "Skew": lambda w, r, t: literal_groups.skew(w, r, t, "A"),
    "MinSkew": lambda w, r, t: min(_skews(w, r, t), default=NAN),
    "MaxSkew": lambda w, r, t: max(_skews(w, r, t), default=NAN),
    "InfeasibleCount": lambda w, r, t: sum(literal_groups.short(w, r, t)),
    "InfeasibleIndex": lambda w, r, t: sum(n / n if n else n for n in literal_groups.short(w, r, t)),
    "FeasibleRank": lambda w, r, t: _feasible(literal_groups.short(w, r, t)),
}


def _skews(world: World, ranking: list[str], target: literal_groups.Shares) -> list[float]:
    each = [literal_groups.skew(world, ranking, target, g) for g in world.groups]
    return [one for one in each if not math.isnan(one)]


def _feasible(short: list[float]) -> float:
    if math.isnan(sum(short)):
        return NAN
    return float(next((i for i, n in enumerate(short) if n), len(short)))


@given(world=worlds(), how=missing, k=cutoffs)
@settings(max_examples=20)
def test_measures_of_prefixes(world: World, how: str, k: int | None) -> None:
    """All of them of each world: drawing it takes longer than measuring."""
    seen = world.treated(how)

    def by_hand(measure: Prefixes) -> Found:
        return per_query(world, lambda q, ranking: measure(seen, cut(ranking, k), seen.shares(q)), world.rankings)

    wanted: dict[str, Found] = {}
    for name, measure in PREFIX.items():
        options = {"missing": how} | ({"group": "A"} if name == "Skew" else {})
        wanted[measure_string(name, options, k)] = by_hand(measure)
    agree_all(together(world, wanted), wanted)


# --- exposure of whole systems ---


def query_parts(world: World, model: Options, k: int | None, queries: Any) -> dict[str, dict[str, float]]:
    """Per query: exposure of A and the rest, of useful items alike, sizes, mean gains."""
    parts: dict[str, dict[str, float]] = {}
    for query in queries:
        drawn, gain = world.rankings.get(query, ()), world.gain(query)
        sides = {"+": {"A"}, "-": {*world.groups} - {"A"}}
        result: dict[str, float] = {}
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
            result |= {
                f"E{side}": sum(exposed) / len(exposed) if drawn else NAN,
                f"R{side}": sum(realised) / len(realised) if drawn else NAN,
                f"n{side}": size,
                f"U{side}": useful / size if size and drawn else NAN,
            }
        parts[query] = result
    return parts


def ratio(part: Mapping[str, float], name: str, eps: float, *, of_system: bool = False) -> float:
    sides: list[float] = []
    for side in "+-":
        quantity = part[("R" if name == "logRUR" else "E") + side]
        if name != "logDP":
            u = part["U" + side]
            quantity = quantity / u if u > 0 else NAN
        if math.isnan(quantity) or quantity + eps <= 0:
            return NAN
        endless = of_system and quantity == 0
        sides.append(-math.inf if endless else math.log(quantity + eps))
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
    usefulness = name != "logDP" or model["browsing"] == "cascade"
    queries = world.grades if usefulness else world.rankings
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
        wanted = ratio(whole, name, eps, of_system=True)
    agree(value(world, measure_string(name, options, k)), wanted)


def inequity_parts(
    world: World, query: str, options: Options, k: int | None
) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Attention and usefulness of each item, each normalised to 1 per ranking."""
    result: list[tuple[dict[str, float], dict[str, float]]] = []
    for ranking in world.rankings.get(query, ()):
        shown = cut(ranking, k)
        attended = dict(zip(shown, weights_in(world, query, shown, options), strict=True))
        useful = {doc: world.gain(query)(doc) for doc in ranking}
        if sum(useful.values()) and sum(attended.values()):
            result.append((dict(literal_groups.shares(attended)), dict(literal_groups.shares(useful))))
    return result


@given(world=worlds(), model=browsing, k=cutoffs, over=st.sampled_from(["system", "query"]), how=missing)
def test_inequity_of_attention_of_groups(world: World, model: Options, k: int | None, over: str, how: str) -> None:
    """Eq. 8, over groups: ‖ε − Υ‖₁ of shares."""
    options = {**model, "over": over, "missing": how}
    seen = world.treated(how)

    def sums(query: str) -> list[dict[str, float]] | None:
        each = inequity_parts(world, query, options, k)
        if not each:
            return None
        return [
            {
                g: sum(seen.weight(doc, g) * x for part in each for doc, x in part[i].items()) / len(each)
                for g in seen.groups
            }
            for i in (0, 1)
        ]

    def distance(attended: literal_groups.Shares, useful: literal_groups.Shares) -> float:
        a, r = literal_groups.shares(attended), literal_groups.shares(useful)
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
def test_inequity_of_attention_of_items(world: World, model: Options, k: int | None, over: str) -> None:
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


LEVELS = [0.0, 0.5, 1.0, 3.0, 1e300, -2.0]


@given(
    world=worlds(),
    scores=st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.dictionaries(st.sampled_from(DOCS), st.sampled_from(LEVELS[:5]) | st.sampled_from(LEVELS), min_size=1),
        min_size=1,
    ),
    scale=st.sampled_from(["shares", "minmax"]),
    by=st.sampled_from(["group", "item"]),
    k=cutoffs,
)
def test_inequity_by_the_scores_of_the_system(
    world: World, scores: dict[str, dict[str, float]], scale: str, by: str, k: int | None
) -> None:
    """Raj et al., Eq. 8 with ŷ: shares of raw scores; a query with a negative one has none, unless min–max."""
    assume(not world.labels or {doc for of_query in scores.values() for doc in of_query} & set(world.labels))
    run = run_of(scores)
    spec = parse_measure(measure_string("IAA", {"utility": "score", "scale": scale, "by": by, "over": "query"}, k))
    (found,) = evaluate([run], [spec], labels=labels_of(world)).scores
    assert isinstance(found, Scores)

    def one(given: dict[str, float]) -> float:
        ranking = sorted(given, key=lambda doc: (given[doc], doc), reverse=True)
        low, high = min(given.values()), max(given.values())
        if scale == "minmax":
            useful = {doc: (score - low) / (high - low) if high > low else 0.0 for doc, score in given.items()}
        else:
            useful = given if low >= 0 else dict.fromkeys(given, 0.0)
        if not sum(useful.values()):
            return NAN
        attended = {doc: 0.5 ** (rank + 1) * (rank < (k or 9)) for rank, doc in enumerate(ranking)}
        a, r = literal_groups.shares(attended), literal_groups.shares(useful)
        if by == "item":
            return sum(abs(a[doc] - r[doc]) for doc in given)
        on = [{g: sum(world.weight(d, g) * x for d, x in part.items()) for g in world.groups} for part in (a, r)]
        p, q = (literal_groups.shares(part) for part in on)
        return sum(abs(p[g] - q[g]) for g in world.groups)

    agree(dict(zip(found.query_ids, found.values.tolist(), strict=True)), {q: one(each) for q, each in scores.items()})


def test_scores_are_taken_as_they_are_and_negative_ones_are_counted() -> None:
    """Scores 3 and 1 under attention 1/2, 1/4: |2/3 − 3/4| twice; min–max 1 and 0: |2/3 − 1| twice."""
    run = run_of({"q1": {"a": 3.0, "b": 1.0}, "q2": {"a": 3.0, "b": -1.0}})
    world = World({}, {}, {"a": {"A": 1.0}, "b": {"B": 1.0}}, ["A", "B"], "uniform")
    specs = [
        parse_measure(f"IAA(utility='score', over='query'{more})")
        for more in ("", ", scale='shares'", ", scale='minmax'")
    ]
    found = evaluate([run], specs, labels=labels_of(world))
    values = [score.values.tolist() for score in found.scores if isinstance(score, Scores)]
    for as_they_are in values[:2]:
        assert as_they_are == pytest.approx([1 / 6, NAN], nan_ok=True)
    assert values[2] == pytest.approx([2 / 3, 2 / 3])
    assert [score.n_undefined for score in found.scores] == [1, 1, 0]
    told = [note.message for note in found.notes]
    assert f"{specs[0].text}: 1 query undefined, negative scores have no shares (scale='minmax' takes them)" in told
    assert not any(message.startswith(specs[2].text) for message in told)


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
        met = {"inter": [g for g in world.groups if g != of], "intra": [of], "pairwise": list(world.groups)}[kind]
        return literal_groups.pair_accuracy(world, cut(ranking, k), world.gain(query), of, met)

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
def test_expected_exposure_of_groups(world: World, model: Options, over: str, how: str, gain: str, k: int) -> None:
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
        full = literal_groups.attention(model, pool, lambda _: 0.0, 0.0)
        v = [a if rank < k else 0.0 for rank, a in enumerate(full)]
        seen_at = {doc: sum(v[list(r).index(doc)] for r in drawn if doc in r) / len(drawn) for doc in pool}
        graded = world.gain(query)

        def worth(doc: str, graded: literal_groups.Gain = graded) -> float:
            return graded(doc) if gain == "graded" else float(graded(doc) >= 1)

        wanted = literal_groups.expected_target(pool, worth, v)
        for into, of in ((exposure, seen_at), (target, wanted)):
            into[query] = {g: sum(seen.weight(d, g) * of[d] for d in pool) for g in seen.groups}
    options = {**model, "by": "group", "norm": "none", "over": over, "missing": how, "gain": gain}
    kernels: dict[str, Callable[[literal_groups.Shares, literal_groups.Shares], float]] = {
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
        e, t = ({g: sum(one[g] for one in of.values()) / len(of) for g in seen.groups} for of in (exposure, target))
        agree(got, kernel(e, t))


# --- usefulness discounted by divergence ---


@given(
    world=worlds(),
    irm=st.sampled_from(["alpha_nDCG", "nDCG", "RBP", "ERR_IA", "AP", "ERR", "NRBP"]),
    divergence=st.sampled_from(["kl", "jsd", "l1", "sq"]),
    alpha=st.sampled_from([0.5, 0, 1]),
    additive=st.booleans(),
    how=missing,
    k=cutoffs,
    covered=st.none() | st.lists(st.sets(st.sampled_from("xyz")), min_size=8, max_size=8),
)
@settings(max_examples=20)
def test_fair(
    world: World,
    irm: str,
    divergence: str,
    alpha: float,
    additive: bool,
    how: str,
    k: int | None,
    covered: list[set[str]] | None,
) -> None:
    """Gao et al., Eq. 1 to 7, their other gains and divergences (3.1, 3.3); subtopics are the aspects, else groups."""
    if covered is not None:  # one query, its useful documents relevant to some subtopics
        query = next(name for name in world.grades if name in world.rankings)
        grades = world.grades[query]
        topics = {d: t for d, t in zip(DOCS, covered, strict=True) if grades.get(d, 0) > 0 and t}
        grades = {d: g if d in topics else min(g, 0) for d, g in grades.items()}
        world = replace(world, grades={query: grades}, subtopics={query: topics} if topics else {})
    seen = world.treated(how)

    def one(query: str, ranking: list[str]) -> float:
        gain = world.gain(query)

        def covers(doc: str) -> literal_groups.Shares:
            if world.subtopics:
                return dict.fromkeys(sorted(world.subtopics[query].get(doc, ())), 1.0)
            return {g: seen.weight(doc, g) for g in seen.groups} if gain(doc) > 0 else {}

        shown, pool = cut(ranking, k), world.pool(query)
        best = cut(literal_groups.ideal(irm, pool, gain, covers, alpha), k)
        terms, most = (
            literal_groups.fair_terms(irm, order, gain, covers, alpha=alpha, p=0.8) for order in (shown, best)
        )
        far = literal_groups.prefix_divergence(divergence, seen, shown, seen.shares(query))
        return literal_groups.fair(terms, far, sum(most), additive=additive)

    options = {"irm": irm, "divergence": divergence, "alpha": alpha, "additive": additive, "missing": how}
    agree(value(world, measure_string("FAIR", options, k)), per_query(world, one, world.grades))


@given(world=worlds(), how=missing, k=cutoffs)
def test_scores_of_the_track(world: World, how: str, k: int | None) -> None:
    """1 − JSD of attention 1/log2(max(r, 2)), and that times nDCG with the same attention."""
    seen = world.treated(how)

    def closeness(query: str, ranking: list[str]) -> float:
        shown = cut(ranking, k)
        on = literal_groups.on_groups(seen, shown, weights_in(world, query, shown, {"browsing": "log"}))
        return 1 - literal_groups.distance("jsd", literal_groups.shares(on), seen.shares(query), "")

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
