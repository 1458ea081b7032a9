"""Documents to which an attribute does not apply: they take attention, and are in the base of no share."""

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.metrics.group_worlds import agree_all, evaluated, together, worlds
from tests.metrics.literal_groups import World
from tests.metrics.test_group_laws import hard, texts_of
from tests.nouns import run_of

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
