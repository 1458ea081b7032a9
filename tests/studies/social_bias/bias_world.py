"""Small worlds of bias items and answers, for tests."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from hypothesis import strategies as st

from fairviz.model import BiasItems, IntArray
from fairviz.model.answers import ITEM_SCHEMA
from fairviz.studies.social_bias.answers import answer_frame
from fairviz.studies.social_bias.rows import bias_changes, bias_rows
from tests.nouns import enum_of

S, C, U, OUT = "s", "c", "u", "-"
"""Answers in words of the paper; in every item option 0 is s, 1 is c, 2 is unknown."""
CHOICE = {S: 0, C: 1, U: 2, OUT: -1}


def items_of(rows: Sequence[tuple[str, str]], *, category: str = "Age", no_target: Sequence[int] = ()) -> BiasItems:
    """Items from (template, context) pairs: context "a", "s" or "c"; named rows have no target."""
    n = len(rows)
    gold = [{"a": 2, "s": 0, "c": 1}[context] for _, context in rows]
    target = [-1 if i in no_target else 0 for i in range(n)]
    columns: dict[str, Any] = {
        "category": [category] * n,
        "language": ["English"] * n,
        "id": list(map(str, range(n))),
        "template": [template for template, _ in rows],
        "ambiguous": [context == "a" for _, context in rows],
        "nonnegative": [False] * n,
        "gold": gold,
        "unknown": [2] * n,
        "target": target,
        "stereotyped": ["old"] * n,
        "context": [f"context {i}" for i in range(n)],
        "question": [f"question {i}?" for i in range(n)],
        "options": [["the old one", "the young one", "not known"]] * n,
        "groups": [None] * n,
    }
    return BiasItems(pl.DataFrame(columns, schema=ITEM_SCHEMA))


def with_columns(items: BiasItems, **columns: Any) -> BiasItems:
    """The same questions with other columns."""
    changed = [pl.Series(name, values, dtype=ITEM_SCHEMA[name]) for name, values in columns.items()]
    return BiasItems(items.frame.with_columns(changed))


def answers_of(items: BiasItems, sides: Sequence[tuple[Mapping[str, str], Mapping[int, str]]]) -> pl.DataFrame:
    """Answers of several producers: (columns, {item: answer}) each."""
    columns = list(dict.fromkeys(name for producer, _ in sides for name in producer))
    rows = [(producer, item, what) for producer, said in sides for item, what in said.items()]
    factors = [enum_of(name, [producer.get(name, "") for producer, _, _ in rows]) for name in columns]
    return frame_of(items, factors, [item for _, item, _ in rows], [CHOICE[what] for _, _, what in rows])


def frame_of(
    items: BiasItems,
    factors: Sequence[pl.Series],
    answered: Sequence[int] | IntArray,
    choices: Sequence[int] | IntArray,
    words: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Answers by column: who answered, which item, with which option."""
    said = pl.repeat(None, len(answered), dtype=pl.Enum([]), eager=True)
    recorded = pl.DataFrame(factors).with_columns(
        item=pl.Series(answered, dtype=pl.Int32),
        choice=pl.Series(choices, dtype=pl.Int8),
        words=said if words is None else enum_of("words", words),
    )
    return answer_frame(items, recorded)


def rows_of(items: BiasItems, answers: pl.DataFrame, **settings: Any) -> list[dict[str, Any]]:
    """The rows that answers are measured by."""
    return bias_rows(items, answers, **settings).rows(named=True)


def changes_of(answers: pl.DataFrame, **settings: Any) -> list[dict[str, Any]]:
    """The changes of these rows."""
    return bias_changes(answers, **settings).rows(named=True)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[BiasItems, pl.DataFrame]:
    """Items of a few templates, answered by one or two models in one or two settings."""
    template, context = st.sampled_from("ABC"), st.sampled_from("asc")
    rows = draw(st.lists(st.tuples(template, context), min_size=1, max_size=14))
    items = items_of(rows, no_target=draw(st.lists(st.integers(0, 3), max_size=2)))
    answer = st.sampled_from([S, C, U, U, OUT])
    said = st.fixed_dictionaries({}, optional=dict.fromkeys(range(len(rows)), answer))
    producers = [
        {"model": model, "setting": setting, "instruction": instruction}
        for model in ("m1", "m2")[: draw(st.integers(1, 2))]
        for setting in ("w/o RAG", "full-set")
        for instruction in ("1", "2")[: draw(st.integers(1, 2))]
    ]
    sides = [(producer, draw(said)) for producer in producers]
    if not any(answers for _, answers in sides):
        sides[0] = (sides[0][0], {0: U})
    return items, answers_of(items, sides)
