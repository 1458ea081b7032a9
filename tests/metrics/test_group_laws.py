"""What must hold for group measures whatever the data, and what does not matter to them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairviz.evaluation.evaluate import evaluate
from fairviz.metrics.catalogue import CATALOGUE, parse_measure
from fairviz.metrics.group_measures import GroupMeasure
from tests.metrics.group_worlds import Found, agree_all, evaluated, labels_of, qrels_in, together, value, worlds
from tests.metrics.literal_groups import UNLABELLED, World, fair_terms, ideal
from tests.nouns import run_of

ALL_OF_A = {doc: {"A": 1.0} for doc in "abcdefgh"}


def values(found: Found) -> list[float]:
    each = found.values() if isinstance(found, Mapping) else [found]
    return [one for one in each if not math.isnan(one)]


def hard(groups: Sequence[str], target: Mapping[str, float], rel: int = 0) -> World:
    """One list whose items have these groups, the first ``rel`` of them useful."""
    docs = [f"d{i:02}" for i in range(len(groups))]
    return World(
        {"q": [docs]},
        {"q": {doc: int(i < rel) for i, doc in enumerate(docs)}},
        {doc: {group: 1.0} for doc, group in zip(docs, groups, strict=True) if group},
        sorted({*target, *filter(None, groups)}),
        target,
    )


def in_query(found: Found) -> float:
    assert isinstance(found, dict)
    return found["q"]


def of_best_lists(world: World, query: str, irm: str, k: int) -> tuple[float, float]:
    """Sum of gains of the greedy ideal list, and of the best of all lists of k useful items."""
    gain = world.gain(query)

    def covers(doc: str) -> Mapping[str, float]:
        return {g: world.weight(doc, g) for g in world.groups} if gain(doc) > 0 else {}

    def total(ranking: Sequence[str]) -> float:
        return sum(fair_terms(irm, ranking[:k], gain, covers, alpha=0.5, p=0.8))

    useful = [doc for doc in world.pool(query) if gain(doc) > 0]
    best = max(map(total, permutations(useful, min(k, len(useful)))))
    return total(ideal(irm, useful, gain, covers, 0.5)), best


def test_a_list_that_beats_the_greedy_one_is_not_clipped_and_said() -> None:
    """Useful a = A, c = B, f and h half of each: greedy takes h, f, a by id; f c a gains more."""
    half = {"A": 0.5, "B": 0.5}
    labels: dict[str, Mapping[str, float]] = {doc: {"A": 1.0} for doc in "abdeg"}
    world = World(
        {"q1": [list("fca")]},
        {"q1": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0, "f": 1, "g": 0, "h": 1}},
        {**labels, "c": {"B": 1.0}, "f": half, "h": half},
        ["A", "B"],
        "uniform",
    )
    (found,) = values(value(world, "FAIR@3"))
    greedy, best = of_best_lists(world, "q1", "alpha_nDCG", 3)
    assert found == pytest.approx(1.03063, abs=1e-5)
    assert 1 < found <= best / greedy
    result = evaluated(world, run_of({"q1": {"f": 3.0, "c": 2.0, "a": 1.0}}), ["FAIR@3"])
    (told,) = [note.message for note in result.notes if "above 1" in note.message]
    assert told.startswith("FAIR@3: 1 query above 1, not clipped: documents cover several aspects")


# --- FAIR and the measures that it discounts ---

PLAIN = {
    "FAIR(irm='nDCG')@{k}": "nDCG(dcg='log2')@{k}",
    "FAIR(irm='alpha_nDCG')@{k}": "alpha_nDCG@{k}",
    "FAIR(irm='ERR_IA')@{k}": "nERR_IA@{k}",
    "FAIR(irm='NRBP', p=0.5)": "nNRBP",
    "FAIR(irm='AP')": "AP",
}


@given(world=worlds(hard=True), k=st.integers(1, 7), on_target=st.booleans())
def test_fair_is_at_most_the_usual_measure_and_equal_to_it_on_target(world: World, k: int, on_target: bool) -> None:
    """ir-measures' value of the same list: reached where every item is of one group and due."""
    ranking = next(iter(world.rankings.values()))[0]
    grades = {doc: int(g > 0) for doc, g in next(iter(world.grades.values())).items()}
    assume(any(grades.values()))
    assume(not world.labels or set(ranking) & set(world.labels))
    topics = {doc: {f"t{ord(doc) % 3}"} for doc, grade in grades.items() if grade}
    world = replace(world, rankings={"q": [ranking]}, grades={"q": grades}, subtopics={"q": topics})
    if on_target:
        world = replace(world, labels=ALL_OF_A, target={"A": 1.0, "B": 0.0})
    usual = {discounted.format(k=k): parse_measure(plain.format(k=k)) for discounted, plain in PLAIN.items()}
    run = run_of({"q": {doc: float(-rank) for rank, doc in enumerate(ranking)}})
    plain = evaluate([run], list(usual.values()), qrels=[qrels_in(world)]).scores
    for (text, found), of_plain in zip(together(world, usual).items(), plain, strict=True):
        for result in values(found):
            if on_target:
                assert result == pytest.approx(of_plain.value, abs=1e-6), text
            else:
                assert result <= of_plain.value + 1e-6, text


GROUP_MEASURES = [one.name for one in CATALOGUE.values() if isinstance(one, GroupMeasure)]


def texts_of(world: World) -> list[str]:
    single = ("Skew", "PreF", "FAIRBinomial", "logDP", "logEUR", "logRUR", "PAIR")
    soft = any(0 < w < 1 for each in world.labels.values() for w in each.values())
    return [
        f"{name}(group='A'{', step=2' if name == 'PreF' else ''})" if name in single else name
        for name in GROUP_MEASURES
        if not (soft and not CATALOGUE[name].soft)  # type: ignore[attr-defined]
    ]


@given(world=worlds(n_groups=2))
@settings(max_examples=12)
def test_a_group_split_in_two_like_halves(world: World) -> None:
    """Each item of B is half of B1, half of B2, their target half of B's: divergences stay."""
    halves = {
        doc: {"A": each.get("A", 0.0), "B1": each.get("B", 0.0) / 2, "B2": each.get("B", 0.0) / 2}
        for doc, each in world.labels.items()
    }
    target = world.shares(next(iter(world.rankings)))
    assume(not any(map(math.isnan, target.values())))
    whole = replace(world, target=target)
    split = replace(
        world,
        labels=halves,
        groups=["A", "B1", "B2"],
        target={"A": target["A"], "B1": target["B"] / 2, "B2": target["B"] / 2},
    )
    texts = (
        "AWRF",
        "AWRF(distance='kl')",
        "AWRF(distance='l1')",
        "KL@3",
        "nDKL",
        "nDRKL",
        "MinSkew",
        "MaxSkew@2",
        "FAIR(irm='nDCG')@3",
        "IAA",
        "logDP(group='A')",
        "PAIR(group='A')",
    )
    agree_all(together(split, texts), together(whole, texts))


@given(world=worlds())
@settings(max_examples=12)
def test_nothing_unlabelled_makes_missing_no_matter(world: World) -> None:
    full = {doc: {"A": 1.0} if doc in "abcd" else {"B": 1.0} for doc in "abcdefgh"}
    target = {"A": 0.25, "B": 0.75}
    labelled = replace(world, labels=full, groups=["A", "B"], target=target)
    takers = [n for n in GROUP_MEASURES if any(p.name == "missing" for p in CATALOGUE[n].parameters)]
    inside = {name: "group='A', " if name == "Skew" else "" for name in takers}
    as_group = together(labelled, [f"{name}({more}missing='group')" for name, more in inside.items()])
    dropped = together(labelled, [f"{name}({more}missing='drop')" for name, more in inside.items()])
    agree_all(dict(zip(takers, as_group.values(), strict=True)), dict(zip(takers, dropped.values(), strict=True)))


def test_the_group_of_the_unlabelled_is_named() -> None:
    world = hard(["A", "", "B", ""], {"A": 0.25, "B": 0.25, UNLABELLED: 0.5})
    assert in_query(value(world, f"Skew(group={UNLABELLED!r}, missing='group')")) == 0
    assert labels_of(world).groups == ("A", "B", UNLABELLED)


def test_a_query_without_a_label_is_in_no_awrf() -> None:
    labels = labels_of(hard(["A", ""], {"A": 0.5, "B": 0.5}))
    specs = [parse_measure(f"AWRF(over={over!r})") for over in ("query", "system")]
    run = run_of({"q": {"d00": 1.0}, "bare": {"d01": 1.0}})
    assert [score.n_undefined for score in evaluate([run], specs, labels=labels, target="uniform").scores] == [1, 1]


# Documents to which an attribute does not apply: they take attention, and are in the base of no share.


QUOTAS = ("InfeasibleIndex", "InfeasibleCount", "FeasibleRank", "FAIRBinomial", "PreF")
"""Measures that count ranks: those of the documents to which the attribute applies."""
OF_GROUPS = ("EED(by='group', norm='none')@4", "EEL(by='group', norm='none')@4")
some_docs = st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=4)


def outside(world: World, docs: set[str]) -> World:
    """The same world, where the attribute does not apply to some documents (labels of no weight at all)."""
    return replace(
        world,
        labels={
            doc: {} if doc in docs else world.labels[doc] for doc in [*world.labels, *sorted(docs - {*world.labels})]
        },
    )


def unlabelled(world: World, docs: set[str]) -> World:
    return replace(world, labels={doc: each for doc, each in world.labels.items() if doc not in docs})


def removed(world: World, docs: set[str]) -> World:
    kept = {
        query: [[doc for doc in ranking if doc not in docs] for ranking in each]
        for query, each in world.rankings.items()
    }
    return replace(unlabelled(world, docs), rankings=kept)


def every_list_has_a_group(world: World) -> bool:
    return all(
        any(any(world.labels.get(doc, {}).values()) for doc in ranking)
        for each in world.rankings.values()
        for ranking in each
    )


@given(world=worlds(), docs=some_docs)
@settings(max_examples=20, deadline=None)
def test_a_share_is_that_without_such_documents_their_ranks_kept(world: World, docs: set[str]) -> None:
    assume(every_list_has_a_group(unlabelled(world, docs)))
    kept = [text for text in texts_of(world) if not text.startswith(QUOTAS)]
    kept.remove("IAA")  # the whole of a ranking is 1, and unlabelled documents have a part of it
    if all(len(each) == 1 for each in world.rankings.values()):
        kept.append("IAA(over='query')")
    agree_all(together(outside(world, docs), kept), together(unlabelled(world, docs), kept))


@given(world=worlds(hard=True), docs=some_docs)
@settings(max_examples=20, deadline=None)
def test_quotas_are_of_the_ranks_of_other_documents(world: World, docs: set[str]) -> None:
    assume(every_list_has_a_group(unlabelled(world, docs)))
    counted = [text for text in texts_of(world) if text.startswith(QUOTAS)]
    assume(world.target in ("uniform", "corpus") or not isinstance(world.target, str))  # of the pool: without them, too
    agree_all(together(outside(world, docs), counted), together(removed(world, docs), counted))


@given(world=worlds(hard=True), k=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_such_documents_below_the_cutoff_change_nothing(world: World, k: int) -> None:
    assume(all(len(ranking) >= k for each in world.rankings.values() for ranking in each))
    longer = {query: [[*ranking, "x", "y"] for ranking in each] for query, each in world.rankings.items()}
    more = replace(world, rankings=longer, labels={**world.labels, "x": {}, "y": {}})
    texts = [f"{text}@{k}" for text in texts_of(world)]
    assume(
        every_list_has_a_group(
            replace(world, rankings={q: [r[:k] for r in each] for q, each in world.rankings.items()})
        )
    )
    agree_all(together(more, texts), together(world, texts))


def test_unlabelled_documents_as_a_group_are_not_those() -> None:
    world = outside(hard(["A", "B", "", "A"], {"A": 0.5, "B": 0.5}), {"d02"})
    as_group, dropped = "AWRF(distance='l1', missing='group')", "AWRF(distance='l1', missing='drop')"
    found = together(world, [as_group, dropped])
    assert found[as_group] == pytest.approx(found[dropped])
    lacking = together(unlabelled(world, {"d02"}), [as_group, dropped])
    assert lacking[as_group]["q"] > lacking[dropped]["q"]  # type: ignore[index]


def test_a_list_of_such_documents_alone_has_no_value_and_the_reason_is_told() -> None:
    world = outside(hard(["A", "B", "A", "B"], {"A": 0.5, "B": 0.5}, rel=2), {"d00", "d01", "d02", "d03"})
    world = replace(world, labels={**world.labels, "x": {"A": 1.0}, "y": {"B": 1.0}})  # of other rankings
    for text in [*texts_of(world), *OF_GROUPS]:
        found = evaluated(world, run_of({"q": {"d00": 4, "d01": 3, "d02": 2, "d03": 1}}), [text])
        assert math.isnan(found.scores[0].value), text
        if text not in OF_GROUPS:
            assert any("the attribute applies to no ranked document" in note.message for note in found.notes), text


def test_the_places_of_such_documents_are_counted_once_and_lack_no_label() -> None:
    world = outside(hard(["A", "B", "", "", "A", "B"], {"A": 0.5, "B": 0.5}), {"d02", "d03"})
    found = evaluated(world, run_of({"q": {f"d0{i}": 6 - i for i in range(6)}}), ["AWRF", "nDKL"])
    said = [note.message for note in found.notes]
    assert said == ["2 of 6 ranked places hold documents to which the attribute does not apply: they count in no share"]
