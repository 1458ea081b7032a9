"""Measures of parity against the papers word for word, on random lists and labels."""

import math
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics import literal_groups
from tests.metrics.group_worlds import (
    Found,
    Options,
    agree,
    agree_all,
    browsing,
    cut,
    cutoffs,
    measure_string,
    missing,
    per_query,
    together,
    value,
    weights_in,
    worlds,
)
from tests.metrics.literal_groups import NAN, World, mean

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
