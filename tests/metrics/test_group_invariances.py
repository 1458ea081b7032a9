"""What does not matter to group measures: names, order, a group in halves, labels all there."""

import math
from dataclasses import replace

from hypothesis import assume, given, settings

from fairviz.metrics.catalogue import CATALOGUE
from fairviz.metrics.group_evidence import GroupMeasure
from tests.metrics.group_worlds import agree_all, labels_of, together, value, worlds
from tests.metrics.literal_groups import UNLABELLED, World
from tests.metrics.test_group_laws import hard, in_query

GROUP_MEASURES = [one.name for one in CATALOGUE.values() if isinstance(one, GroupMeasure)]


def texts_of(world: World) -> list[str]:
    single = ("Skew", "PreF", "FAIRBinomial", "logDP", "logEUR", "logRUR", "PAIR")
    soft = any(0 < w < 1 for each in world.labels.values() for w in each.values())
    return [
        f"{name}(group='A'{', step=2' if name == 'PreF' else ''})" if name in single else name
        for name in GROUP_MEASURES
        if not (soft and not CATALOGUE[name].soft)  # type: ignore[attr-defined]
    ]


@given(world=worlds())
@settings(max_examples=20)
def test_the_names_of_groups_do_not_matter(world: World) -> None:
    other = {"A": "é, ü", "B": "A", "C": "B"}
    renamed = replace(
        world,
        labels={d: {other[g]: w for g, w in each.items()} for d, each in world.labels.items()},
        groups=[other[g] for g in world.groups],
        target=world.target
        if isinstance(world.target, str)
        else {other[g]: share for g, share in world.target.items()},
    )
    new_names = {text: text.replace("'A'", "'é, ü'") for text in texts_of(world)}
    found = together(renamed, new_names.values())
    agree_all({text: found[new] for text, new in new_names.items()}, together(world, new_names))


@given(world=worlds())
@settings(max_examples=20)
def test_the_order_of_groups_and_labels_does_not_matter(world: World) -> None:
    turned = replace(
        world,
        labels=dict(list(world.labels.items())[::-1]),
        groups=list(reversed(world.groups)),
    )
    texts = texts_of(world)
    agree_all(together(turned, texts), together(world, texts))


@given(world=worlds(n_groups=2))
@settings(max_examples=30)
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
@settings(max_examples=20)
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
