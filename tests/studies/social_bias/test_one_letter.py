"""A model that gives one letter whatever is asked gets no verdict; one that answers by content always does."""

import numpy as np
import polars as pl
import pytest

from fairviz.display.theme import LIGHT
from fairviz.model import BiasItems, IntArray
from fairviz.stats.tests import OnePlace, one_place
from fairviz.studies.social_bias.analysis import levels_charts
from fairviz.studies.social_bias.columns import levels_table, rows_table
from fairviz.studies.social_bias.findings import change_finding, levels_finding, rows_finding
from fairviz.studies.social_bias.rows import bias_rows, levels
from tests.nouns import enum_of
from tests.studies.social_bias.bias_world import changes_of, frame_of, items_of, rows_of, with_columns

N = 120


def shuffled(rng: np.random.Generator, n: int = N, category: str = "Age") -> BiasItems:
    """Items of 12 templates, half of them ambiguous, whose options stand in any order."""
    items = items_of([(f"{category} {i % 12}", "aasc"[i // 12 % 4]) for i in range(n)], category=category)
    places = rng.permuted(np.tile(np.arange(3, dtype=np.int8), (n, 1)), axis=1)  # of s, c, "unknown"
    of_kind = {0: places[:, 0], 1: places[:, 1], 2: places[:, 2]}
    gold = np.choose(items.frame["gold"].to_numpy(), list(of_kind.values())).astype(np.int8)
    return with_columns(items, gold=gold, unknown=places[:, 2], target=places[:, 0])


def answered(items: BiasItems, **sides: IntArray) -> pl.DataFrame:
    """Choices of each model for all items."""
    n = len(items)
    models = enum_of("model", [model for model in sides for _ in range(n)])
    choices = np.concatenate(list(sides.values())).astype(np.int8)
    return frame_of(items, [models], np.tile(np.arange(n, dtype=np.int32), len(sides)), choices)


def by_content(items: BiasItems, rng: np.random.Generator, shares: tuple[float, float, float]) -> IntArray:
    """Answers along the stereotype, against it and "unknown" with these chances, wherever they stand."""
    target, unknown = items.frame["target"].to_numpy(), items.frame["unknown"].to_numpy()
    places = np.stack([target, 3 - target - unknown, unknown], axis=1)
    return places[np.arange(len(items)), rng.choice(3, len(items), p=shares)].astype(np.int64)


@pytest.mark.parametrize("shares", [(0.4, 0.3, 0.3), (0.1, 0.05, 0.85), (0, 0, 1), (1, 0, 0)])
def test_a_model_that_answers_by_content_is_never_said_to_give_one_letter(shares: tuple[float, float, float]) -> None:
    """Of 200 worlds of 26 questions at most ten, α; there is none. Twenty models answer the same questions."""
    flagged = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        items = shuffled(rng, 26)
        models = answered(items, **{f"m{i}": by_content(items, rng, shares) for i in range(20)})
        rows = rows_of(items, models, by=("model",), n_resamples=1)
        assert len(rows) == 20
        flagged += sum(row["letter"] is not None for row in rows)
    assert flagged == 0


def test_options_in_one_order_explain_one_letter() -> None:
    """Where "unknown" is always C, a model that always answers C may mean it."""
    items = items_of([(f"T{i % 12}", "aasc"[i // 12 % 4]) for i in range(N)])
    (row,) = rows_of(items, answered(items, m=np.full(N, 2)), by=("model",), n_resamples=1)
    assert row["letter"] is None


def test_a_small_table_of_one_letter_says_nothing() -> None:
    """Nine answers are too few for a verdict; ten of A alone, 3 · (5/9)¹⁰ = .008, are not."""
    for n, expected in ((9, None), (10, OnePlace(0, 10, 10))):
        assert one_place(np.array([n, 0, 0]), np.full(3, 1 / 3)) == expected
    assert one_place(np.array([600, 200, 200]), np.full(3, 1 / 3)) is None  # two answers in five, however sure that is


def test_23_of_26_answers_of_one_letter_are_counted_and_have_no_verdict() -> None:
    items = shuffled(np.random.default_rng(1), 26)
    choices = np.array([0] * 23 + [1, 2, 1])
    rows = bias_rows(items, answered(items, m=choices), by=("model", "category"), n_resamples=1)
    row = levels(rows, "diffbias_a").row(0, named=True)
    assert [row[name] for name in ("letter", "n_letter", "n_read")] == [0, 23, 26]
    assert row["verdict"] == "23 of 26 answers are A"


def test_headline_row_chart_and_table_say_which_letter_and_draw_no_verdict() -> None:
    """Of two models on as many questions one reads them; the other gives C, and leans nowhere."""
    rng = np.random.default_rng(2)
    items = shuffled(rng, 480)
    answers = answered(items, reads=by_content(items, rng, (0.8, 0.1, 0.1)), same=np.full(480, 2))
    shown = levels(bias_rows(items, answers, by=("model", "category"), n_resamples=50), "diffbias_a")
    reads, same = rows = shown.rows(named=True)
    assert reads["letter"] is None
    assert [same[name] for name in ("letter", "n_letter", "n_read")] == [2, 480, 480]
    assert same["n_tests"] == 2  # both contexts of the other model: nothing of this one is in the family
    found = levels_finding(rows, "diffbias_a", names={})
    assert found.title.startswith("reads leans towards the stereotype on Age")
    assert "No verdict: same gives one letter whatever is asked (480 of 480 answers are C)." in found.sentence
    assert "480 of 480 answers are C" in levels_table(shown, "diffbias_a", {}).rows[1]
    assert "one letter whatever is asked" in rows_finding(rows).sentence
    table = rows_table(shown)
    assert [line[table.keys.index("one_letter")] for line in table.rows] == ["", "480 of 480 answers are C"]
    figure = levels_charts(levels_table(shown, "diffbias_a", {}))["levels"].draw(colours=LIGHT)
    dots = next(trace for trace in figure.data if trace.name == "value")
    assert dots.marker.color[1] == LIGHT.page
    assert dots.text[1] == "same · 480 of 480 answers are C"

    alone = levels_finding([same], "diffbias_a", names={})
    assert alone.title == "same gives one letter whatever is asked (480 of 480 answers are C)"
    assert rows_finding([same]).title == "None of 1 row can be tested"


def test_a_change_to_or_from_one_letter_has_no_verdict() -> None:
    rng = np.random.default_rng(3)
    items = shuffled(rng, 480)
    answers = answered(items, reads=by_content(items, rng, (0.8, 0.1, 0.1)), same=np.full(480, 2))
    for reference in ("reads", "same"):
        changes = changes_of(answers, by=("category",), against=("model", reference), n_resamples=50)
        assert {(change["tested"], change["verdict"]) for change in changes} == {
            (False, "one letter whatever is asked")
        }
        found = change_finding(changes[:1], column="model", value="a", reference=reference, names={})
        assert "one letter is given whatever is asked" in found.title
