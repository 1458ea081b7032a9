"""Counts of answers to some items add up to those of all: rows and changes are the same to the last bit."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UndefinedError, UsageError
from fairviz.model import BiasAnswers, BiasItems, BoolArray, Factor
from fairviz.studies.social_bias.changes import bias_changes, changes_of, tables_of
from fairviz.studies.social_bias.measures import OutOfChoice
from fairviz.studies.social_bias.rows import bias_rows, rows_of
from fairviz.studies.social_bias.tallies import PairTally, answer_tally, answers_together, pair_tally, pairs_together
from tests.studies.social_bias.bias_world import OUT, C, S, U, answers_of, items_of, worlds

AGAINST = ("setting", "w/o RAG")


def some(answers: BiasAnswers, keep: BoolArray) -> BiasAnswers:
    """The answers of some rows; values keep their numbers."""
    return BiasAnswers(
        factors=tuple(Factor(f.name, f.values, f.codes[keep]) for f in answers.factors),
        items=answers.items[keep],
        choices=answers.choices[keep],
    )


def parts_of(answers: BiasAnswers, part_of_item: Sequence[int]) -> list[BiasAnswers]:
    """The answers to the items of each part; a part may have none."""
    parts = np.array(part_of_item)[answers.items]
    return [some(answers, parts == part) for part in range(max(part_of_item) + 1)]


@given(
    world=worlds(),
    cut=st.lists(st.integers(0, 3), min_size=14, max_size=14),
    by=st.sampled_from([(), ("model", "setting"), ("model", "setting", "instruction"), ("category", "stereotyped")]),
    ooc=st.sampled_from(["drop", "count"]),
)
def test_rows_of_parts_are_those_of_all(
    world: tuple[BiasItems, BiasAnswers], cut: list[int], by: tuple[str, ...], ooc: OutOfChoice
) -> None:
    items, answers = world
    items = replace(items, stereotyped=Factor.of("stereotyped", [("old", "young")[i % 2] for i in range(len(items))]))
    tallies = [answer_tally(items, part, by) for part in parts_of(answers, cut)]
    together = answers_together([tally.condensed() if i % 2 else tally for i, tally in enumerate(tallies)])
    whole = bias_rows(items, answers, by=by, ooc=ooc, n_resamples=20)
    assert repr(rows_of(together, ooc=ooc, n_resamples=20)) == repr(whole)


@given(
    world=worlds(),
    cut=st.lists(st.integers(0, 3), min_size=14, max_size=14),
    groups=st.booleans(),
    ooc=st.sampled_from(["drop", "count"]),
)
def test_changes_of_parts_are_those_of_all(
    world: tuple[BiasItems, BiasAnswers], cut: list[int], groups: bool, ooc: OutOfChoice
) -> None:
    items, answers = world
    by = ["model", "instruction"]
    try:
        whole = bias_changes(items, answers, by=by, ooc=ooc, groups=groups, n_resamples=20)
    except (UsageError, UndefinedError) as error:
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            changes_of(partly(items, answers, by, cut, groups), ooc=ooc, groups=groups, n_resamples=20)
    else:
        tallies = partly(items, answers, by, cut, groups)
        assert repr(changes_of(tallies, ooc=ooc, groups=groups, n_resamples=20)) == repr(whole)


def partly(items: BiasItems, answers: BiasAnswers, by: Sequence[str], cut: list[int], groups: bool) -> list[PairTally]:
    return [
        pairs_together([pair_tally(items, part, columns, AGAINST).condensed() for part in parts_of(answers, cut)])
        for columns in tables_of(by, AGAINST, groups=groups)
    ]


def test_many_answers_are_few_cells_and_p_is_the_same() -> None:
    """1,200 items of 12 templates: 12 × 3 contexts × at most 4 answers, and tests that are made of them."""
    rng = np.random.default_rng(1)
    items = items_of([(f"T{i % 12}", "asc"[i // 12 % 3]) for i in range(1200)])
    sides = [
        (
            {"model": "m", "setting": setting},
            {i: (S, C, U, OUT)[c] for i, c in enumerate(rng.choice(4, 1200, p=[0.4, 0.3, 0.28, 0.02]).tolist())},
        )
        for setting in ("w/o RAG", "full-set")
    ]
    answers = answers_of(sides)
    parts = parts_of(answers, [i % 7 for i in range(1200)])
    tally = answers_together([answer_tally(items, part, ["model", "setting"]).condensed() for part in parts])
    assert tally.cells.rows.size <= 2 * 12 * 3 * 4  # settings, templates, contexts, answers
    whole = bias_rows(items, answers, by=["model", "setting"])
    assert any(not np.isnan(p) for row in whole for p in row.p.values())
    assert repr(rows_of(tally)) == repr(whole)
    changes = changes_of(partly(items, answers, ["model"], [i % 7 for i in range(1200)], False))
    assert repr(changes) == repr(bias_changes(items, answers, by=["model"]))
    assert all(change.tested for change in changes)


def test_what_keeps_the_reference_apart_is_looked_for_in_all_parts() -> None:
    """Item 0 is answered twice with k 5 and 10, item 1 twice by one retriever each: both columns are named."""
    items = items_of([("A", "a"), ("B", "a")])
    base = {"model": "m", "setting": "w/o RAG"}
    sides = [
        ({**base, "retriever": "x", "k": "5"}, {0: S, 1: S}),
        ({**base, "retriever": "x", "k": "10"}, {0: S}),
        ({**base, "retriever": "y", "k": "5"}, {1: S}),
        ({"model": "m", "setting": "full", "retriever": "x", "k": "5"}, {0: C, 1: C}),
    ]
    tallies = [pair_tally(items, part, ["model"], AGAINST) for part in parts_of(answers_of(sides), [0, 1])]
    with pytest.raises(UsageError, match=r"keep answers apart by retriever, k$"):
        pairs_together(tallies).check()
