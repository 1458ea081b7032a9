"""Statements about shares of attention: the policy that holds them for the least loss, beside today's lists."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest

from fairviz.display.methods import AgainstTarget
from fairviz.display.theme import LIGHT
from fairviz.errors import InputError, UsageError
from fairviz.kernels.grouping import pooled_shares
from fairviz.model import Dataset, Run
from fairviz.points.shares import attention_by_group
from fairviz.reranking.catalogue import find_reranker
from fairviz.resources import example_folder
from fairviz.studies.policy_lab.analysis import PolicyLabAnalysis, analyse, prices_under
from fairviz.studies.policy_lab.charts import least_loss_figure
from fairviz.studies.policy_lab.findings import four_fifths_words, line_words
from fairviz.studies.policy_lab.settings import PolicyLabSettings
from fairviz.studies.policy_lab.stated import Stated, StatedOutcome, cost_of, stated_outcome, wrong_labels
from fairviz.studies.policy_lab.strengths import reranked, strength_of
from tests.loaded import load_dataset
from tests.metrics.labels import hard_labels
from tests.nouns import qrels_of, run_of

SECOND = 1 / np.log2(3)
"""Attention at rank 2, where that at rank 1 is 1."""
QUERIES = tuple(f"q{at:02}" for at in range(12))
ALIKE = run_of({query: {f"{query}a": 1.0, f"{query}b": 0.5} for query in QUERIES})
"""Twelve queries of a useful document a of group x, and b of group y below it."""
USEFUL = qrels_of({query: {f"{query}a": 1} for query in QUERIES})
SIDE = hard_labels({f"{query}{doc}": group for query in QUERIES for doc, group in (("a", "x"), ("b", "y"))})


def stated_of(
    bounds: Mapping[str, Any] | None, run: Run = ALIKE, by_query: Mapping[str, float] | None = None, **settings: Any
) -> Stated:
    data = Dataset(runs=(run,), qrels=(USEFUL,), labels=(SIDE,), weights=by_query)
    text = "" if bounds is None else json.dumps({SIDE.attribute: bounds})
    return Stated(data, PolicyLabSettings(statements=text, k=2, against=AgainstTarget(0, "uniform"), **settings))


def outcome_of(bounds: Mapping[str, Any] | None, *, fixed: bool = False, **settings: Any) -> StatedOutcome:
    return stated_outcome(stated_of(bounds, **settings), budget=0.03, fixed=fixed)


@pytest.fixture(scope="module")
@cache
def example() -> Dataset:
    """One for all that import it: what is computed of it is kept."""
    names = ("bm25.run", "usefulness.qrels", "region.tsv", "provider.tsv", "target.json")
    return load_dataset([(name, (example_folder() / name).read_bytes()) for name in names]).dataset


FIVE = {
    "region": {
        "North America": {"max": 0.3},
        "Asia": {"min": 0.2},
        "Africa": {"min": 0.15},
        "Latin America": {"min": 0.1},
    },
    "provider": {"large": {"min": 0.4}},
}


def on_example(data: Dataset, bounds: Mapping[str, Any] | None, **settings: Any) -> PolicyLabAnalysis:
    text = "" if bounds is None else json.dumps(bounds)
    known = {"against": AgainstTarget(0, "file"), "methods": ("det-greedy",)}
    return analyse(data, PolicyLabSettings(statements=text, **(known | settings)))


# By hand.


def test_half_for_the_second_group_turns_half_of_the_lists() -> None:
    """Of 1 + s of attention y has s, 38.7 %. Turning a list moves 1 − s of it and loses 1 − s of quality; half of the
    attention for y needs (1 + s)/2 − s = (1 − s)/2 more a query: six of the twelve lists turned, at a loss of
    (1 − s)/2. One more point is (1 + s)/100 of attention, and costs as much quality.
    """
    found = outcome_of({"y": {"min": 0.5}})
    x, y = found.groups.rows(named=True)
    near = pytest.approx
    assert (x["today"], y["today"]) == (near(1 / (1 + SECOND)), near(SECOND / (1 + SECOND)))
    assert (x["after"], y["after"]) == (near(0.5), near(0.5))
    assert found.by_scores == near(-(1 - SECOND) / 2)
    assert found.cost["change"] == near(-(1 - SECOND) / 2)
    assert y["price"] == near(-(1 + SECOND))
    assert np.isnan(x["price"])
    assert found.stated.distance_today == near(0.5 - SECOND / (1 + SECOND))
    assert (found.distance, found.n_lotteries, found.cost["stays"]) == (near(0.0, abs=1e-9), 0, "no")
    assert [(row["held_today"], row["holds"]) for row in (x, y)] == [(True, True), (False, True)]
    turned = found.queries["change"].to_numpy()
    assert sorted(turned) == near([SECOND - 1] * 6 + [0.0] * 6)


def test_what_no_list_can_do_is_missed_by_as_little_as_can_be() -> None:
    """With every list turned y has 1 of 1 + s, 61.3 %: 8.7 points are missing to 70 %, and y's statement says so."""
    found = outcome_of({"y": {"min": 0.7}, "x": {"max": 0.9}})
    assert found.smallest == pytest.approx(0.7 - 1 / (1 + SECOND))
    assert found.distance == pytest.approx(found.smallest)
    assert found.groups["holds_back"].to_list() == [False, True]
    assert found.groups["holds"].to_list() == [True, False]
    assert found.groups["price"].is_nan().all()


def test_one_list_for_everybody_misses_what_a_lottery_holds() -> None:
    """45 % for y turns (0.45 (1 + s) − s) / (1 − s) · 12 = 3.35 lists: one query switches, then shows the likelier."""
    lottery, fixed = outcome_of({"y": {"min": 0.45}}), outcome_of({"y": {"min": 0.45}}, fixed=True)
    assert (lottery.n_lotteries, fixed.n_lotteries) == (1, 0)
    part = (0.45 * (1 + SECOND) - SECOND) / (1 - SECOND) * 12 - 3
    assert lottery.queries["chance"].min() == pytest.approx(max(part, 1 - part))
    missed = part * (1 - SECOND) / (1 + SECOND) / 12
    assert lottery.missed == pytest.approx(missed)
    assert fixed.distance == pytest.approx(missed)
    assert fixed.groups["holds"].to_list() == [True, False]
    assert lottery.one_list["change"] == pytest.approx(fixed.cost["change"]) == -3 * (1 - SECOND) / 12


def test_without_statements_today_stands() -> None:
    found = outcome_of(None)
    assert found.stated.asked is None
    assert found.statements.is_empty()
    assert found.groups["after"].to_list() == pytest.approx(found.groups["today"].to_list())
    assert (found.cost["change"], found.n_lotteries, found.distance) == (0.0, 0, 0.0)
    assert set(found.groups["word"]) == {"stays"}


@pytest.mark.parametrize(
    ("least", "wrong", "ends", "holds"),
    # Half of the attention is y's: 5 % of it may not be, and 5 % of the other half may. Today y has s / (1 + s).
    [
        (0.5, 0.05, (0.475, 0.525), False),
        (0.5, 0.0, (0.5, 0.5), True),
        (0.1, 0.1, (0.9 * SECOND / (1 + SECOND), (SECOND + 0.1) / (1 + SECOND)), True),
    ],
)
def test_shares_under_wrong_labels(least: float, wrong: float, ends: tuple[float, float], holds: bool) -> None:
    rows = wrong_labels(outcome_of({"y": {"min": least}}), 0.9, [f"x={100 * wrong:g}", f"y={100 * wrong:g}"])
    row = rows.row(by_predicate=pl.col("group") == "y", named=True)
    assert wrong_labels(outcome_of({"y": {"min": least}}), wrong).equals(rows)
    assert (row["least"], row["most"]) == pytest.approx(ends)
    assert row["still_holds"] is holds


def test_a_largest_share_falls_to_wrong_labels_at_its_upper_end() -> None:
    """x has 61.3 %: with a fifth of wrong labels up to 61.3 + 0.2 · 38.7 = 69.0 %, with a quarter up to 71.0 %."""
    found = outcome_of({"x": {"max": 0.7}})
    still = [wrong_labels(found, wrong).filter("has_statement")["still_holds"].item() for wrong in (0.2, 0.25)]
    assert still == [True, False]
    assert not wrong_labels(found, 0.2, ["y=25"]).filter("has_statement")["still_holds"].item()


def test_attention_per_candidate() -> None:
    """Twelve candidates of each group: the ratio is that of the attention at rank 2 to that at rank 1, after it 1."""
    found = outcome_of({"y": {"min": 0.5}})
    assert f": {SECOND:.2f} today (“y” to “x”), 1.00 after (" in four_fifths_words(found)
    few = found.groups.with_columns(n_candidates=9)
    assert four_fifths_words(found._replace(groups=few)) == ""


def unjudged(**settings: Any) -> PolicyLabAnalysis:
    """The twelve queries of scores 1 and 0.5, without judgements; half of the attention for y."""
    data = Dataset(runs=(ALIKE,), labels=(SIDE,))
    text = json.dumps({SIDE.attribute: {"y": {"min": 0.5}}})
    own = {"k": 2, "against": AgainstTarget(0, "uniform"), "methods": ("det-greedy",)}
    return analyse(data, PolicyLabSettings(statements=text, **(own | settings)))


def test_without_judgements_quality_is_by_scores() -> None:
    """Scores 1 and 0 within a query: turning six of twelve lists loses (1 − s)/2 of it, as the policy itself counts."""
    found = unjudged()
    assert found.stated.cost["change"] == pytest.approx(found.stated.by_scores) == -(1 - SECOND) / 2
    line = found.stated.frontier
    assert line["change"].to_list() == pytest.approx(line["by_scores"].to_list(), abs=1e-12)
    assert found.outcome.quality == "nDCG@2 by scores"
    assert found.outcome.settings.height > 0
    traces = [trace.name for trace in found.charts["least-loss"].draw(colours=LIGHT).data]
    assert ("judgements" in traces, "scores" in traces) == (False, True)
    with pytest.raises(UsageError, match="give --qrels FILE"):
        unjudged(judged=True)


# What is stated, and where that comes from.


def test_a_target_is_exact_statements_and_the_settings_go_before_the_file(example: Dataset) -> None:
    target, stated = on_example(example, None), on_example(example, {"region": {"Africa": {"min": 0.1}}})
    exact = json.loads((example_folder() / "target.json").read_text())
    again = on_example(example, {"region": {group: [share, share] for group, share in exact.items()}})
    assert target.stated.groups.drop("price").equals(again.stated.groups.drop("price"), null_equal=True)
    assert target.stated.statements["low"].to_list() == target.stated.statements["high"].to_list()
    assert stated.stated.statements.select("group", "low", "high").rows() == [("Africa", 0.1, 1.0)]


@pytest.mark.parametrize(
    ("bounds", "error", "words"),
    [
        ({"regoin": {"Africa": {"min": 0.1}}}, UsageError, "nearest: region"),
        ({"region": {"Afrika": {"min": 0.1}}}, UsageError, "nearest: Africa"),
        ({"region": {"Africa": {"min": 15}}}, InputError, "a share of Africa is 15"),
        ({"region": {"Africa": {"min": 0.6}, "Asia": {"min": 0.6}}}, InputError, "sum to 1.2, more than 1"),
    ],
)
def test_bad_statements_are_refused_in_one_line(
    example: Dataset, bounds: Mapping[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        on_example(example, bounds)


# Laws.


def test_no_setting_of_any_method_loses_less_by_scores_at_its_distance(example: Dataset) -> None:
    """The law of the black line: utility at the distance of the setting is no less than that of the setting."""
    region = {"region": FIVE["region"]}
    settings = PolicyLabSettings(statements=json.dumps(region), against=AgainstTarget(0, "file"))
    stated, bench = Stated(example, settings), prices_under(example, settings).bench
    (own,) = stated.stated
    tried = 0
    for name in ("det-greedy", "det-cons", "det-const-sort", "fair-epsilon-greedy", "plackett-luce", "amortised"):
        for strength in strength_of(find_reranker(name)).grid[::3]:
            for policy in reranked(find_reranker(name), bench, strength, n_repeats=1, seed=0):
                exposure = policy(bench.attention)
                shares = pooled_shares(attention_by_group(exposure, bench.pools, own.members)[stated.queries])
                best = stated.policy(stated.statements.distance(shares))
                assert stated.utility(exposure) <= best.utility * (1 + 1e-9), (name, strength)
                tried += 1
    assert tried > 15


def test_no_cross_lies_above_the_solid_line_and_judgements_may_tell_otherwise(example: Dataset) -> None:
    found = on_example(example, FIVE, methods=("det-greedy", "det-const-sort"))
    crosses = found.prices.crosses(found.outcome.reaches)
    stated, line = found.stated, found.stated.frontier.sort("distance")
    assert set(crosses["method"]) == {"det-greedy", "det-const-sort"}
    for row in crosses.rows(named=True):
        best = stated.stated.policy(row["distance"] / 100)
        assert row["by_scores"] <= stated.stated.by_scores(best.utility) + 1e-9
        assert row["by_scores"] <= np.interp(row["distance"], line["distance"], line["by_scores"]) + 1e-3
    drawn = {trace.name: trace for trace in found.charts["least-loss"].draw(colours=LIGHT).data}["methods"]
    assert drawn.y == pytest.approx((100 * crosses["by_scores"]).to_list())
    assert "Other methods by scores: DetGreedy " in found.charts["least-loss"].alt
    assert "Crosses" not in line_words(stated)
    higher = crosses.with_columns(change=pl.Series([0.2, -0.5]))
    above = f"as estimated, {find_reranker(crosses['method'][0]).label} lies above the dashed line."
    assert line_words(stated, higher).endswith(above)
    assert line_words(stated, higher.with_columns(change=-0.5)).endswith("Crosses: other methods by scores.")
    out = crosses.with_columns(distance=pl.Series([99.0, 1.0]), change=-0.5)
    for beyond in (out, crosses.with_columns(by_scores=pl.Series([-0.9, -0.01]), change=-0.5)):
        outside = f"{find_reranker(crosses['method'][0]).label}"
        assert line_words(stated, beyond).endswith(f"by scores; 1 of 2 lies outside the picture ({outside}).")
        drawn = {trace.name: trace for trace in least_loss_figure(stated, beyond, colours=LIGHT).data}["methods"]
        assert len(drawn.x) == 1


def test_the_line_falls_ever_faster_and_ends_at_the_statements(example: Dataset) -> None:
    found = on_example(example, FIVE).stated
    line = found.frontier
    distance, loss = line["distance"].to_numpy(), line["by_scores"].to_numpy()
    assert distance[0] == pytest.approx(100 * found.stated.distance_today)
    assert (distance[-1], loss[0]) == (pytest.approx(0.0, abs=1e-6), pytest.approx(0.0, abs=1e-9))
    assert loss[-1] == pytest.approx(found.by_scores)
    slopes = np.diff(loss) / np.diff(distance)
    assert (np.diff(slopes) >= -1e-9).all()
    last = line.row(-1, named=True)
    assert (last["change"], last["change_low"]) == (found.cost["change"], found.cost["change_low"])


def test_what_one_group_gains_others_pay_and_lotteries_are_few(example: Dataset) -> None:
    found = on_example(example, FIVE).stated
    for (_,), groups in found.groups.group_by("attribute"):
        assert groups["change"].sum() == pytest.approx(0.0, abs=1e-12)
        assert groups["after"].sum() == pytest.approx(1.0)
    assert found.n_lotteries <= found.statements.height == 5
    assert found.statements["holds"].all()
    crossing = found.groups.filter(attribute="region × provider")["group"].to_list()
    assert "Africa × small" in crossing


def weighed(by_query: Mapping[str, float] | None, *twice: str, **settings: Any) -> StatedOutcome:
    """Twelve queries of three documents, some of them a second time under another name, under two statements."""
    rng = np.random.default_rng(11)
    scores, grades, groups = (
        rng.random((12, 3)),
        rng.integers(0, 2, (12, 3)),
        rng.choice(["x", "y"], (12, 3), p=[0.7, 0.3]),
    )
    rows = [(query, at) for at, query in enumerate(QUERIES)]
    rows += [(f"{query}b", QUERIES.index(query)) for query in twice]
    run = run_of({query: {f"{query}{at}{doc}": scores[at, doc] for doc in range(3)} for query, at in rows})
    qrels = qrels_of({query: {f"{query}{at}{doc}": int(grades[at, doc]) for doc in range(3)} for query, at in rows})
    labels = hard_labels({f"{query}{at}{doc}": str(groups[at, doc]) for query, at in rows for doc in range(3)})
    text = json.dumps({labels.attribute: {"y": {"min": 0.45}}})
    data = Dataset(runs=(run,), qrels=(qrels,), labels=(labels,), weights=None if by_query is None else dict(by_query))
    own = PolicyLabSettings(statements=text, k=2, against=AgainstTarget(0, "uniform"), **settings)
    return stated_outcome(Stated(data, own), budget=0.03, fixed=False)


OF_QUERIES = ("change", "change_low", "change_high")


@pytest.mark.parametrize("weights", [dict.fromkeys(QUERIES, 3.0), dict.fromkeys((*QUERIES, "of no run"), 0.5)])
def test_queries_that_are_asked_alike_weigh_nothing(weights: Mapping[str, float]) -> None:
    plain, again = weighed(None), weighed(weights)
    assert plain.groups.drop("word", "group", "attribute").cast(float).to_numpy() == pytest.approx(
        again.groups.drop("word", "group", "attribute").cast(float).to_numpy(), abs=1e-12, nan_ok=True
    )
    assert [plain.cost[key] for key in OF_QUERIES] == pytest.approx([again.cost[key] for key in OF_QUERIES], abs=1e-12)
    assert plain.queries["change"].to_list() == pytest.approx(again.queries["change"].to_list(), abs=1e-12)
    assert plain.frontier.to_numpy() == pytest.approx(again.frontier.to_numpy(), abs=1e-12)


def test_a_query_of_weight_two_counts_as_two() -> None:
    twice = [query for query in QUERIES[:7] if query != "q03"]
    known = dict.fromkeys(QUERIES, 1.0) | dict.fromkeys(twice, 2.0)
    once, doubled, alike = weighed(known), weighed(None, *twice), weighed(known, weights="alike")
    for key in ("today", "after", "change", "price"):
        assert once.groups[key].to_list() == pytest.approx(doubled.groups[key].to_list(), abs=1e-9, nan_ok=True), key
    assert [each.groups["base"][0] / each.groups["base"][1] for each in (once, doubled)] == pytest.approx([32 / 13] * 2)
    assert once.cost["change"] == pytest.approx(doubled.cost["change"], abs=1e-9)
    assert once.by_scores == pytest.approx(doubled.by_scores, abs=1e-9)
    assert once.stated.distance_today == pytest.approx(doubled.stated.distance_today, abs=1e-12)
    assert alike.groups["after"].to_list() == weighed(None).groups["after"].to_list()
    assert abs(once.groups["today"][0] - alike.groups["today"][0]) > 0.001


def test_a_query_without_a_weight_is_left_out() -> None:
    found = weighed(dict.fromkeys(QUERIES[:10], 1.0))
    assert found.stated.n_without_weight == 2
    assert found.cost["n_queries"] == found.queries.height > 3
    assert set(found.queries["query_id"]) <= set(QUERIES[:10])
    nothing = weighed({"other": 1.0})
    assert (nothing.cost["n_queries"], nothing.queries.height) == (0, 0)


# Worlds without an effect.


def test_a_loss_of_the_whole_budget_is_seldom_said_to_stay_in_it() -> None:
    """Queries lose 5 % of quality on average, with noise: a budget of 5 % is said to hold in 5 % of worlds at most."""
    rng, said, worlds = np.random.default_rng(3), 0, 200
    stated = stated_of({"y": {"min": 0.5}})
    (row,) = stated.read(stated.lists(stated.policy(), fixed=False), stated.attributes)
    weights = rng.multinomial(12, np.full(12, 1 / 12), size=2000) / 12
    drawn: dict[str, Any] = {}
    for _ in range(worlds):
        change = rng.normal(-0.05, 0.1, size=12)
        drawn = {"change": change.mean(), "changes": weights @ change, "worst": min(change.min(), 0.0)}
        drawn |= dict(zip(("change_low", "change_high"), np.quantile(drawn["changes"], [0.025, 0.975]), strict=True))
        said += cost_of(row | drawn, 0.05)["stays"] == "yes"
    assert 0 < said / worlds <= 0.05
    assert cost_of(row | drawn, 0.5)["stays"] == "yes"


@pytest.mark.slow
def test_shares_of_an_attribute_that_has_nothing_to_do_with_the_statement_are_seldom_said_to_move() -> None:
    """Labels of a second attribute are drawn by lot: a move of its shares is claimed in 5 % of worlds at most."""
    rng, claimed, worlds = np.random.default_rng(5), 0, 100
    docs = [[f"{query}d{at}" for at in range(12)] for query in QUERIES]
    run = run_of(
        {query: {doc: 20.0 - at for at, doc in enumerate(own)} for query, own in zip(QUERIES, docs, strict=True)}
    )
    qrels = qrels_of({query: {own[0]: 1, own[5]: 1} for query, own in zip(QUERIES, docs, strict=True)})
    every = [doc for own in docs for doc in own]
    text = json.dumps({"side": {"y": {"min": 0.6}}})
    for _ in range(worlds):
        first = replace(
            hard_labels(dict(zip(every, rng.choice(["x", "y"], len(every)), strict=True))), attribute="side"
        )
        second = replace(
            hard_labels(dict(zip(every, rng.choice(["u", "v"], len(every)), strict=True))), attribute="lot"
        )
        data = Dataset(runs=(run,), qrels=(qrels,), labels=(first, second))
        settings = PolicyLabSettings(statements=text, k=5, against=AgainstTarget(0, "uniform"))
        found = stated_outcome(Stated(data, settings), budget=0.03, fixed=False)
        claimed += (found.groups.filter(attribute="lot")["word"] == "moves").any()
    assert claimed / worlds <= 0.05
