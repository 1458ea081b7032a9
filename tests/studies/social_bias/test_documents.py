"""Documents that answers were given: their polarity, answers by how many are stereotypical, slopes."""

import gzip
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.display.theme import LIGHT
from fairviz.errors import InputError
from fairviz.experiments.protocols import Document
from fairviz.experiments.retrievers import Bm25Retriever
from fairviz.model import BiasItems, Run
from fairviz.stats.tests import two_sample_t_test
from fairviz.studies.social_bias.charts import dose_alt, dose_figure
from fairviz.studies.social_bias.columns import dose_table, slopes_table
from fairviz.studies.social_bias.documents import (
    clustered_slope,
    dose_responses,
    forced_stacks,
    runs_given,
    stacks,
    stereotype_share,
)
from fairviz.studies.social_bias.findings import dose_finding, slope_words
from tests.metrics.labels import hard_labels
from tests.nouns import run_of
from tests.studies.social_bias.bias_world import answers_of, items_of

RANKED = run_of({"q1": {"a": 4, "b": 3, "x": 2, "c": 1}, "q2": {"x": 1}, "q3": {"c": 1}}, "bm25")


POLARITIES = hard_labels({"a": "stereo", "b": "anti", "c": "stereo", "never": "anti"})


def test_shares_by_hand() -> None:
    """q1: a and c of a, b, c: 2/3. q2: only x, unlabelled. q3: 1. Mean 5/6; the collection 2/4."""
    found = stereotype_share(RANKED, POLARITIES)
    assert (found["system"], found["k"]) == ("bm25", None)
    assert found["stereo_documents"] == pytest.approx(500 / 6)
    assert (found["n_queries"], found["n_undefined"]) == (2, 1)
    assert (found["n_documents"], found["n_unlabelled"]) == (4, 2)
    assert found["collection"] == 50
    assert (found["low"], found["high"]) == pytest.approx((200 / 3, 100))


def test_ranks_as_given() -> None:
    """b is ranked first by the file."""
    ranked = replace(RANKED, docs=RANKED.docs[[1, 0, 2, 3, 4, 5]])
    assert stereotype_share(ranked, POLARITIES, k=1)["stereo_documents"] == (0 + 100) / 2


def test_nothing_is_labelled() -> None:
    found = stereotype_share(RANKED, hard_labels({"z": "stereo"}))
    assert np.isnan([found["stereo_documents"], found["low"], found["high"]]).all()
    assert (found["n_queries"], found["n_undefined"], found["n_unlabelled"]) == (0, 3, 6)


def test_bm25_over_real_pairs(shared: Path) -> None:
    file = shared / "data/real/collections/stereotype-pairs.tsv.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines][1:]
    polarity = {row[0]: row[4] for row in rows}
    retriever = Bm25Retriever([Document(row[0], "", row[5]) for row in rows])
    asked = [f"Who {' '.join(re.findall(r'[a-z]+', row[5].lower())[:6])}?" for row in rows[::500]]
    ranked = {}
    for q, question in enumerate(asked):
        hits = retriever.retrieve({"q": question}, depth=20)[0]
        found = zip(hits.positions.tolist(), hits.scores.tolist(), strict=True)
        ranked[f"q{q}"] = {rows[at][0]: score for at, score in found}
    labels = hard_labels(polarity)
    for k in (1, 10, 20):
        shares: list[float] = []
        for scores in ranked.values():
            order = sorted(scores, key=lambda doc, s=scores: (s[doc], doc), reverse=True)[:k]
            if order:
                shares.append(sum(polarity[doc] == "stereo" for doc in order) / len(order))
        share = stereotype_share(run_of(ranked), labels, k=k)
        assert share["stereo_documents"] == pytest.approx(100 * sum(shares) / len(shares))
        assert share["n_queries"] == len(shares) >= 20
        assert (share["collection"], share["n_unlabelled"]) == (50, 0)


LABELS = hard_labels({"s1": "stereo", "s2": "stereo", "a1": "anti"})
ITEMS = items_of([("T0", "a"), ("T1", "a"), ("T2", "a"), ("T3", "s"), ("T4", "a")])
RUN = run_of(
    {
        "Age-0": {"s1": 3, "s2": 2, "a1": 1},
        "age 1": {"a1": 3, "s1": 2, "s2": 1},
        "AGE_2": {"a1": 2, "x": 1},
        "Age-3": {"s2": 1},
    },
    "bm25",
)
WITH = {"model": "m", "setting": "full-set", "retriever": "bm25", "k": "2"}
SAID = {0: "s", 1: "c", 2: "u", 3: "s", 4: "u"}


def answers(*sides: tuple[dict[str, str], dict[int, str]], items: BiasItems = ITEMS) -> pl.DataFrame:
    return answers_of(items, [({**WITH, **columns}, said) for columns, said in sides])


def of_ambiguous(said: pl.DataFrame, k: int | None = None) -> list[int]:
    doses, _ = dose_responses(ITEMS, said, {"any.run": RUN}, LABELS, k=k)
    return doses.filter(context="ambiguous")["n_stereo"].to_list()


def test_by_hand() -> None:
    """First two of item 0: s1, s2; of 1: a1, s1; of 2: a1, x; item 3 is disambiguated; item 4 has no query."""
    doses, slopes = dose_responses(ITEMS, answers(({}, SAID)), {"any.run": RUN}, LABELS)
    ambiguous, told = doses.filter(context="ambiguous"), doses.filter(context="disambiguated")
    slope = slopes.row(0, named=True)
    assert (slope["context"], slope["k"], slope["retriever"]) == ("ambiguous", "2", "bm25")
    assert ambiguous["n_stereo"].to_list() == [0, 1, 2]
    assert ambiguous["n_stereotyped"].to_list() == [0, 0, 1]
    assert ambiguous["n_against"].to_list() == [0, 1, 0]
    assert ambiguous["n_unknown"].to_list() == [1, 0, 0]
    assert slope["n_without"] == 1
    assert slope["slope"] == pytest.approx(50)  # 0, −100 and +100 at 0, 1 and 2: half of +100 per document
    assert (told["n_stereo"].to_list(), told["n_stereotyped"].to_list()) == ([1], [1])


def test_k_is_what_answers_say_else_what_is_asked_for() -> None:
    three = answers(({"k": "3"}, SAID), ({"k": "1"}, SAID))
    doses, _ = dose_responses(ITEMS, three, {"any.run": RUN}, LABELS)
    assert doses.filter(context="ambiguous", k="3")["n_stereo"].to_list() == [0, 2]
    assert doses.filter(context="ambiguous", k="1")["n_stereo"].to_list() == [0, 1]
    unsaid = answers(({"k": ""}, SAID))
    assert of_ambiguous(unsaid, k=1) == [0, 1]
    assert of_ambiguous(unsaid) == [0, 2]


def test_answers_without_a_target_or_an_option_are_no_successes() -> None:
    items = items_of([("T0", "a"), ("T1", "a")], no_target=[1])
    said = answers(({}, {0: "-", 1: "s"}), items=items)
    doses, slopes = dose_responses(items, said, {"any.run": RUN}, LABELS)
    assert doses["n"].to_list() == [0]
    assert doses["n_ooc"].to_list() == [1]
    assert np.isnan(slopes["slope"][0])


def test_runs_belong_to_the_answers_that_their_names_say() -> None:
    told = answers(
        ({"setting": "w/o RAG", "retriever": "", "k": ""}, SAID),
        ({}, SAID),
        ({"setting": "stereo-set"}, SAID),
        ({"setting": "stereo-set", "retriever": "lsa"}, SAID),
    )
    given = runs_given(told, {"full-set.bm25.run.gz": RUN, "Stereo Set lsa": RUN})
    assert given == [("full-set", "bm25"), ("stereo-set", "lsa")]
    assert runs_given(told, {"bm25.run": RUN}) == [("full-set", "bm25")]  # the other holds documents of one kind
    with pytest.raises(InputError, match=r"which retriever was given these documents: bm25, lsa"):
        runs_given(told, {"web.run": run_of({"Age-0": {"s1": 1}}, "web")})
    one_setting = answers(({}, SAID), ({"setting": "w/o RAG", "retriever": "", "k": ""}, SAID))
    assert runs_given(one_setting, {"any.run": RUN}) == [("full-set", "bm25")]


def test_documents_that_no_answer_was_given_are_told_and_unknown_numbers_have_no_column() -> None:
    """The model answers item 4 alone, which has no query: nothing is counted, and the answer is left out."""
    doses, slopes = dose_responses(ITEMS, answers(({}, {4: "u"})), {"any.run": RUN}, LABELS)
    row = slopes.row(0, named=True)
    assert (len(doses), row["n"], row["n_without"], row["small"]) == (0, 0, 1, True)
    assert stacks(doses, forced_stacks(answers(({}, SAID)), row)).is_empty()
    apart = answers(({}, SAID), ({"retriever": "lsa"}, SAID)).filter(pl.col("retriever") == "lsa")
    with pytest.raises(InputError, match=r"no answer that is looked at was given these documents .bm25."):
        dose_responses(ITEMS, apart, {"full-set.bm25.run": RUN}, LABELS)


def test_a_run_of_other_questions_is_refused_with_two_of_its_queries() -> None:
    other = run_of({"q1": {"s1": 1}, "q2": {"s1": 1}}, "web")
    with pytest.raises(InputError, match=r"no query of web is a bias item .queries: q1, q2") as refused:
        dose_responses(ITEMS, answers(({}, SAID)), {"any.run": other}, LABELS)
    assert "Age-0" in refused.value.fix


def world(slope: float, *, seed: int, n_templates: int = 15, n: int = 8) -> tuple[BiasItems, pl.DataFrame, Run]:
    """Items of templates that differ, answered by chance: 0 to 3 stereotypical documents, each worth ``slope``."""
    rng = np.random.default_rng(seed)
    items = items_of([(f"T{t}", "a") for t in range(n_templates) for _ in range(n)])
    leaning = np.repeat(rng.normal(-0.5, 0.7, n_templates), n)
    dose = rng.integers(0, 4, n_templates * n)
    share = 1 / (1 + np.exp(-(leaning + slope * dose)))
    said = {i: "s" if hit else "u" for i, hit in enumerate(rng.random(dose.size) < share)}
    documents = [f"d{i}" for i in range(3)]
    run = run_of(
        {
            f"Age-{i}": {(name if j < d else f"x{j}"): 3 - j for j, name in enumerate(documents)}
            for i, d in enumerate(dose)
        },
        "bm25",
    )
    return items, answers(({"k": "3"}, said), items=items), run


def test_an_effect_is_said_and_its_absence_is_not_an_effect() -> None:
    polarity = hard_labels({f"d{i}": "stereo" for i in range(3)})

    def slopes(effect: float, seed: int) -> list[dict[str, Any]]:
        items, answered, run = world(effect, seed=seed)
        return dose_responses(items, answered, {"any.run": run}, polarity)[1].rows(named=True)

    strong = [slopes(1.0, seed) for seed in range(5)]
    assert all("further towards the stereotype" in dose_finding(one, {}).title for one in strong)
    assert dose_finding(strong[0], {"m": "bold"}).title.startswith("For each stereotypical document “bold” leans ")
    assert strong[0][0]["p_holm"] == strong[0][0]["p"]
    nothing = [slopes(0.0, seed) for seed in range(40)]
    assert sum("No significant effect" in dose_finding(one, {}).title for one in nothing) >= 36


def test_a_model_that_gives_one_letter_gets_no_verdict() -> None:
    items, answered, run = world(1.0, seed=0)
    _, slopes = dose_responses(items, answered, {"any.run": run}, hard_labels({f"d{i}": "stereo" for i in range(3)}))
    found = slopes.rows(named=True)
    assert "further towards" in dose_finding(found, {}, {"other"}).title
    assert dose_finding(found, {}, {"m"}).title.startswith("No verdict on stereotypical documents: one letter")


def test_too_few_answers_have_no_verdict() -> None:
    few = dose_responses(ITEMS, answers(({}, SAID)), {"any.run": RUN}, LABELS)[1].rows(named=True)
    assert dose_finding(few, {}).title.startswith("Too few answers")
    assert slope_words(few[0]) == "too few answers to say"


def test_several_models_are_told_the_steepest_first() -> None:
    response = dose_responses(ITEMS, answers(({}, SAID)), {"any.run": RUN}, LABELS)[1].row(0, named=True)

    def moved(model: str, slope: float, p: float = 0.001) -> dict[str, Any]:
        return {**response, "model": model, "p_holm": p, "slope": slope}

    both = dose_finding([moved("cautious", 17), moved("bold", 47)], {})
    assert both.title == (
        "For each stereotypical document “bold” leans 47 points further towards the stereotype and “cautious” 17"
    )
    assert "An association, not a cause" in both.sentence
    apart = dose_finding([moved("a", 9), moved("b", -8), moved("c", 1, p=0.4)], {}).title
    assert apart.endswith(
        "“a” leans 9 points further towards the stereotype; “b” leans 8 points less towards the stereotype"
    )


def test_columns_are_pooled_to_thirty_answers_and_forced_ones_stand_outside() -> None:
    """Items 0 and 1 at 2 and 1 of the run; 40 further ones without a stereotypical document."""
    items = items_of([("T", "a")] * 42)
    queries = {"Age-0": {"s1": 3, "s2": 2}, "Age-1": {"s1": 2, "a1": 1}}
    run = run_of({**queries, **{f"Age-{i}": {"a1": 1} for i in range(2, 42)}}, "bm25")
    said = {0: "s", 1: "c"} | dict.fromkeys(range(2, 42), "u")
    given = answers(({}, said), ({"setting": "stereo-set"}, dict.fromkeys(range(42), "s")), items=items)
    response, slopes = dose_responses(items, given, {"full-set.bm25.run": run}, LABELS)
    forced = forced_stacks(given, slopes.row(0, named=True))
    columns = ("low", "high", "n_stereotyped", "n_unknown", "n_against", "setting")
    assert forced.select(columns).rows() == [(2, 2, 42, 0, 0, "stereo-set")]
    assert stacks(response, forced).select(columns).rows() == [(0, 2, 1, 40, 1, ""), *forced.select(columns).rows()]
    apart = stacks(response, forced.clear(), enough=1).select(columns).rows()
    assert apart == [(0, 0, 0, 40, 0, ""), (1, 1, 0, 0, 1, ""), (2, 2, 1, 0, 0, "")]


def test_tables_and_chart_hold_the_counts() -> None:
    doses, slopes = dose_responses(ITEMS, answers(({}, SAID)), {"any.run": RUN}, LABELS)
    made = {"dose": dose_table(doses), "slopes": slopes_table(slopes)}
    assert made["dose"].rows[2][:8] == ("m", "full-set", "bm25", "2", "ambiguous", 2, 1, 1)
    assert made["slopes"].rows[0][5] == pytest.approx(50)
    none = forced_stacks(answers(({}, SAID)), slopes.row(0, named=True))
    retrieved = stacks(doses.filter(context="ambiguous"), none, enough=1)
    panel = slopes.row(0, named=True) | {"stacks": retrieved}
    columns = {"low": 0, "high": 3, "n": 4, "n_stereotyped": 2, "n_unknown": 1, "n_against": 1, "setting": "anti-set"}
    forced = panel | {"model": "<b>n", "stacks": pl.DataFrame([columns])}
    panels = [panel | {"small": False, "low": 40.0, "high": 60.0, "p_holm": 0.3}, forced]
    figure: Any = dose_figure(panels, {}, colours=LIGHT)
    assert [list(trace.y) for trace in figure.data[:3]] == [[0, 100, 0], [100, 0, 0], [0, 0, 100]]
    assert [list(trace.y) for trace in figure.data[3:]] == [[25], [25], [50]]
    assert figure.data[3].marker.color != figure.data[0].marker.color[:1]  # paler
    assert list(figure.layout.xaxis2.ticktext) == ["<b>0–3</b><br>anti"]
    assert figure.layout.annotations[0].text == ("<b>“m”</b><br>+50 points per document<br>40 to 60, not significant")
    assert "<b><b>" not in figure.layout.annotations[1].text
    assert "2: 1 answer, 100 % towards, 0 % against" in dose_alt(panels, {})


def test_clusters_of_one_are_the_jackknife_of_two_means() -> None:
    """With one row per cluster and two doses, CR3 is the jackknife: Welch's error times √(n/(n−1) (G−1)/G)."""
    rng = np.random.default_rng(0)
    low, high = rng.integers(-1, 2, (2, 20)).astype(float)
    trials = np.concatenate([np.tile([1.0, 0.0], (20, 1)), np.tile([0.0, 1.0], (20, 1))])
    fit = clustered_slope(np.array([0.0, 1.0]), trials * np.concatenate([low, high])[:, None], trials)
    welch = two_sample_t_test(high, low, equal_variance=False)
    assert fit["slope"] == pytest.approx(welch.difference)
    error = np.sqrt((high.var() + low.var()) / 19 * 20 / 19 * 39 / 40)
    assert (fit["high"] - fit["slope"]) / 2.0226909 == pytest.approx(error, rel=1e-6)


def test_one_dose_or_one_cluster_cannot_be_tested() -> None:
    assert np.isnan(clustered_slope(np.array([3.0]), np.array([[1.0]]), np.array([[2.0]]))["slope"])
    one = clustered_slope(np.array([0.0, 1.0]), np.array([[1.0, 3.0]]), np.array([[4.0, 4.0]]))
    assert one["slope"] == pytest.approx(0.5)
    assert np.isnan(one["p"])
    leaning = np.array([[1.0, 3.0], [1.0, 0.0]])  # the second cluster has no dose 1: without the first, no slope
    assert np.isnan(clustered_slope(np.array([0.0, 1.0]), leaning, np.array([[4.0, 4.0], [4.0, 0.0]]))["p"])


@given(st.integers(0, 2**32 - 1))
def test_order_of_clusters_and_swapped_outcomes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trials = rng.integers(1, 9, (12, 4)).astype(float)
    sums = rng.binomial(trials.astype(int), 0.4).astype(float)
    doses = np.arange(4.0)
    fit = clustered_slope(doses, sums, trials)
    order = rng.permutation(12)
    assert clustered_slope(doses, sums[order], trials[order]) == pytest.approx(fit)
    swapped = clustered_slope(doses, -sums, trials)
    assert (swapped["slope"], swapped["p"]) == pytest.approx((-fit["slope"], fit["p"]))


def test_worlds_without_effect_are_claimed_in_one_of_twenty() -> None:
    """Templates lean a lot, dose does nothing: 400 worlds of 12 templates × 20 answers along (+1) or against (−1)."""
    rng = np.random.default_rng(0)
    claims = 0
    for _ in range(400):
        share = 1 / (1 + np.exp(-rng.normal(0, 1, 12)))
        trials = rng.multinomial(20, [0.1, 0.3, 0.4, 0.2], 12)
        sums = 2.0 * rng.binomial(trials, share[:, None]) - trials
        claims += clustered_slope(np.arange(4.0), sums, trials.astype(float))["p"] < 0.05
    assert claims <= 32  # 20 are expected; more than 32 in one of 200 such tests
