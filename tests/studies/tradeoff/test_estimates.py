"""Answers re-weighted to another α: by enumeration, by hand, and on the example with one α held out."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from fairviz.errors import UndefinedError
from fairviz.evaluation.outputs import AnswerUtilities, attributed_disparity_values, attribution_values, utility_values
from fairviz.kernels.attention import TopK
from fairviz.kernels.attribution import attribution
from fairviz.kernels.exposure import sample_exposure
from fairviz.kernels.pool import pool
from fairviz.metrics.exposure import ee_disparity
from fairviz.model import RagOutputs, Run
from fairviz.points.columns import refusal
from fairviz.points.estimates import Estimate, Estimates, estimated, estimated_points, expected_disparity
from fairviz.policies import PlackettLuce
from fairviz.studies.tradeoff.columns import estimates_table, points_table
from fairviz.studies.tradeoff.findings import estimates_note
from tests.loaded import example
from tests.nouns import run_of
from tests.studies.attribution.recorded import Output, measured, recorded

SCORES = {"a": 4.0, "b": 3.5, "c": 2.0, "d": 1.0}
RUN = run_of({"q": SCORES})


def answer(given: str) -> Output:
    """An answer as a function of its list: utility by who leads, documents a and d are cited."""
    return given, "".join(sorted({"a", "d"} & set(given))), 0.2 * "dcba".find(given[0]) + 0.1 * "dcba".find(given[1])


def answers(lists: Sequence[str], alpha: float) -> RagOutputs:
    return recorded({"q": [answer(given) for given in lists]}, alpha=alpha)


EVERY = ["".join(pair) for pair in itertools.permutations("abcd", 2)]
"""All 12 rankings of two documents: at α = 0 each is as likely as any other, so that one of each is no noise."""


def weights_at(alpha: float) -> list[float]:
    """Chances of the 12 rankings, written out: w(a) / Σw · w(b) / (Σw − w(a))."""
    w = {doc: float(np.exp(((score - 1) / 3 + 1) ** alpha)) for doc, score in SCORES.items()}
    total = sum(w.values())
    return [w[a] / total * w[b] / (total - w[a]) for a, b in EVERY]


def test_the_whole_list_decides_however_much_of_it_is_looked_at() -> None:
    """The first document alone has another chance than the two that were given."""
    both, first = (estimated(RUN, [answers(EVERY, 0.0)], np.array([2.0]), k=k) for k in (2, 1))
    assert first.utility.values == pytest.approx(both.utility.values)
    assert first.rate.values[0, 0] == pytest.approx(
        sum(p * (given[0] in "ad") for p, given in zip(weights_at(2.0), EVERY, strict=True))
    )


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_a_list_of_every_kind_gives_the_expectation(alpha: float) -> None:
    """EU(α) = Σ p_α(r) u(r) over the 12 rankings."""
    chances = weights_at(alpha)
    made = estimated(RUN, [answers(EVERY, 0.0)], np.array([alpha]), k=2)
    literal = sum(p * answer(given)[2] for p, given in zip(chances, EVERY, strict=True))
    assert made.utility.values[0, 0] == pytest.approx(literal)
    cited = sum(p * len(answer(given)[1]) / 2 for p, given in zip(chances, EVERY, strict=True))
    assert made.rate.values[0, 0] == pytest.approx(cited)
    assert made.utility.sizes[0, 0] == pytest.approx(1 / sum(p**2 for p in chances))  # Kish, weights 12 p
    assert made.recorded == (0.0,)


def test_disparity_of_attribution_is_taken_over_pairs_of_different_answers() -> None:
    """Σ_{s≠t} w_s w_t ⟨x_s, x_t⟩ / Σ_{s≠t} w_s w_t, and with what the plug-in of 12 answers adds."""
    chances = weights_at(1.5)
    made = estimated(RUN, [answers(EVERY, 0.0)], np.array([1.5]), k=2, estimator="unbiased")
    pairs = [(s, t) for s in range(12) for t in range(12) if s != t]
    common = {(s, t): len(set(answer(EVERY[s])[1]) & set(answer(EVERY[t])[1])) for s, t in pairs}
    literal = sum(chances[s] * chances[t] * common[s, t] for s, t in pairs) / sum(
        chances[s] * chances[t] for s, t in pairs
    )
    assert made.attributed.values[0, 0] == pytest.approx(literal / 2)  # k = 2
    square = sum(p * len(answer(given)[1]) for p, given in zip(chances, EVERY, strict=True))
    plugin = estimated(RUN, [answers(EVERY, 0.0)], np.array([1.5]), k=2)
    assert plugin.attributed.values[0, 0] == pytest.approx((literal + (square - literal) / 12) / 2)


@pytest.mark.parametrize("estimator", ["plugin", "unbiased"])
def test_where_all_answers_are_of_one_alpha_it_gives_the_recorded_measures(estimator: str) -> None:
    lists = ["ab", "ba", "ab", "cd", "ad"]
    one = answers(lists, 3.0)
    made = estimated(RUN, [one], np.array([3.0]), k=2, estimator=estimator)  # type: ignore[arg-type]
    matches = attribution(one, k=2)
    literal = attributed_disparity_values(matches, estimate=estimator)  # type: ignore[arg-type]
    assert made.utility.values[0] == pytest.approx(utility_values(one, AnswerUtilities()))
    assert made.rate.values[0] == pytest.approx(attribution_values(matches))
    assert made.attributed.values[0] == pytest.approx(literal)
    assert made.utility.sizes[0] == pytest.approx([5])


def test_standard_errors_are_those_of_a_mean_where_weights_are_alike() -> None:
    """Utilities of ab, ba, cd: 0.6 + 0.2, 0.4 + 0.3, 0.2 + 0; √Σ(u − mean)² / 3."""
    made = estimated(RUN, [answers(["ab", "ba", "cd"], 2.0)], np.array([2.0]), k=2)
    utilities = np.array([0.8, 0.7, 0.2])
    assert made.utility.errors[0, 0] == pytest.approx(np.sqrt(((utilities - utilities.mean()) ** 2).sum()) / 3)


def test_utilities_that_were_not_recorded_are_left_out_of_eu_alone() -> None:
    one = answers(["ab", "ba", "cd"], 2.0)
    one = replace(one, utilities=np.array([0.8, np.nan, 0.2]))
    made = estimated(RUN, [one], np.array([2.0]), k=2)
    assert (made.utility.values[0, 0], made.utility.sizes[0, 0]) == pytest.approx((0.5, 2))
    assert made.rate.sizes[0, 0] == pytest.approx(3)
    none = estimated(RUN, [replace(one, utilities=np.full(3, np.nan))], np.array([2.0]), k=2)
    assert np.isnan(none.utility.values).all()
    assert np.isnan(none.utility.n_effective).all()
    assert none.n_effective == pytest.approx([3])


def without_utility(outputs: RagOutputs) -> RagOutputs:
    return replace(outputs, utilities=np.full(outputs.utilities.size, np.nan))


def test_answers_without_a_utility_change_no_weight_of_eu() -> None:
    """EU from α = 0 and 4 is the same whatever was recorded at 2 without a utility; EAR is from all three."""
    ends = [answers(EVERY, 0.0), answers(["ab", "ab", "ba", "ac", "ab"], 4.0)]
    between_them = answers(["ab", "ba", "ac", "ca", "bc"] * 4, 2.0)
    least, most = (estimated(RUN, recorded, np.array([1.5]), k=2) for recorded in (ends, [*ends, between_them]))
    silent = estimated(RUN, [*ends, without_utility(between_them)], np.array([1.5]), k=2)
    assert silent.utility.values == pytest.approx(least.utility.values)
    assert silent.utility.errors == pytest.approx(least.utility.errors)
    assert silent.utility.sizes == pytest.approx(least.utility.sizes)
    assert silent.rate.values == pytest.approx(most.rate.values)
    assert silent.attributed.values == pytest.approx(most.attributed.values)


def test_the_mixture_of_eu_is_that_of_each_query() -> None:
    """One query has utilities at every α, the other lacks some at α = 4: each as if it were alone."""
    low, high = answers(EVERY, 0.0), answers(["ab", "ba", "ab", "ac"], 4.0)
    gappy = replace(high, utilities=np.where([True, True, False, False], high.utilities, np.nan))
    alone = [
        estimated(RUN, [low, one], np.array([2.0]), k=2).utility.values[0, 0]
        for one in (high, answers(["ab", "ba"], 4.0))
    ]
    both = [
        recorded({query: [answer(given) for given in lists] for query in "pq"}, alpha=one.alpha)
        for one, lists in ((low, EVERY), (high, ["ab", "ba", "ab", "ac"]))
    ]
    both[1] = replace(both[1], utilities=np.concatenate([high.utilities, gappy.utilities]))
    made = estimated(run_of({"p": SCORES, "q": SCORES}), both, np.array([2.0]), k=2)
    assert made.utility.values[0] == pytest.approx(alone)


def test_alpha_outside_the_answers_that_have_a_utility_is_undefined() -> None:
    """Utilities at α = 4 and 8 alone: EU at 1.5 is no value between recorded ones, though lists were given at 1."""
    with_utility = [answers(["ab"] * 60 + EVERY, 4.0), answers(["ab"] * 60, 8.0)]
    silent = [without_utility(answers(EVERY * 5, alpha)) for alpha in (0.0, 1.0)]
    made = estimated(RUN, [*silent, *with_utility], np.array([0.5, 6.0]), k=2)
    assert np.isnan(made.utility.values[:, 0]).tolist() == [True, False]
    assert np.isnan(made.utility.n_effective).tolist() == [True, False]
    assert made.utility.shown.tolist()[0] is False
    assert not np.isnan(made.rate.values).any()


def test_a_query_without_answers_is_undefined_and_counts_in_no_size() -> None:
    run = run_of({"p": SCORES, "q": SCORES})
    made = estimated(run, [answers(EVERY, 0.0)], np.array([0.0]), k=2)
    assert np.isnan(made.utility.values[0]).tolist() == [True, False]
    assert made.utility.n_effective == pytest.approx([12])


def test_what_cannot_have_been_drawn_is_refused() -> None:
    known = answers(["ab"], 1.0)
    for unknown in (replace(known, given_from="references"), replace(known, alpha=None), replace(known, alpha=-1.0)):
        with pytest.raises(UndefinedError, match="only where each says its list, and an alpha"):
            estimated(RUN, [unknown], np.array([1.0]), k=2)
    with pytest.raises(UndefinedError, match="no answers were recorded"):
        estimated(RUN, [], np.array([1.0]), k=2)
    with pytest.raises(UndefinedError, match="1 of the given lists show documents twice, or some that sys lacks"):
        estimated(RUN, [answers(["ab", "ah"], 1.0)], np.array([1.0]), k=2)
    backwards = run_of({"q": {doc: -score for doc, score in SCORES.items()}})
    drawn = [answers(["ab"] * 120, 8.0), answers(EVERY * 10, 0.0)]
    assert estimated(RUN, drawn, np.array([1.0]), k=2).utility.values.size
    with pytest.raises(UndefinedError, match="were not drawn from the scores of sys"):
        estimated(backwards, drawn, np.array([1.0]), k=2)


def test_plugin_disparity_is_what_samples_have_in_the_mean() -> None:
    """Four samples of 3 rankings, 2,000 times over: mean ‖ε̂‖², on the attainable scale, within the noise."""
    rng = np.random.default_rng(1)
    pools = pool(RUN, None)
    drawn = PlackettLuce(1.5).sample(RUN, depth=2, n_samples=6000, rng=rng).docs.reshape(2000, 3, 2)
    shown = np.zeros((2000, 4))
    np.add.at(shown, (np.arange(2000)[:, None, None], drawn), 1 / 3)
    raw = float((shown**2).sum(axis=1).mean())
    literal = (raw - 2 * 2 / 4) / (2 - 2 * 2 / 4)  # between (Σv)² / n and Σv²
    expected = expected_disparity(RUN, np.array([1.5]), k=2, n_samples=np.array([3.0]))
    assert expected[0, 0] == pytest.approx(literal, abs=0.02)
    exact = ee_disparity(PlackettLuce(1.5).exposure(pools, TopK(2)), pools.offsets)[0] - 1
    assert expected_disparity(RUN, np.array([1.5]), k=2)[0, 0] == pytest.approx(exact)
    assert sample_exposure(PlackettLuce(1.5).sample(RUN, depth=2, n_samples=1, rng=rng), pools, TopK(2)).n_samples == 1


# On the example.


def of_alpha() -> dict[float, RagOutputs]:
    return {one.alpha: one for one in example().outputs if one.alpha is not None}


def without(alpha: float) -> Estimates:
    rest = [one for own, one in of_alpha().items() if own != alpha]
    return estimated(example().runs[0], rest, np.array([alpha]), k=5, estimator="unbiased")


@pytest.mark.parametrize("held_out", [1.0, 2.0])
def test_a_held_out_alpha_is_estimated_within_two_standard_errors(held_out: float) -> None:
    """Of both: the recorded value has its own."""
    made = without(held_out)
    truth = estimated(example().runs[0], [of_alpha()[held_out]], np.array([held_out]), k=5, estimator="unbiased")
    for estimate, known in zip(made.measures, truth.measures, strict=True):
        error = np.hypot(estimate.mean_errors, known.mean_errors)
        assert abs(estimate.means - known.means) < 2 * error, estimate.measure
    assert (made.disparity == truth.disparity).all()


@pytest.mark.parametrize("held_out", [4.0, 8.0])
def test_a_held_out_alpha_that_the_others_do_not_cover_is_refused(held_out: float) -> None:
    made = without(held_out)
    assert made.n_effective[0] < 5
    for estimate in made.measures:
        assert np.isnan([*estimate.means, *estimate.mean_errors]).all()
        assert np.isnan(estimate.intervals(seed=0)).all()
    assert not made.curve().alphas.size
    assert refusal(made) == f"not estimated at α = {held_out:g}: effective size 2, at least 25 is needed"
    assert estimates_note(made) == refusal(made)


def test_points_stand_on_the_scale_of_the_recorded_curve() -> None:
    """At the recorded α, EE-D by the formula lies within the noise of the plug-in from the same answers."""
    run: Run = example().runs[0]
    qrels = next(one for one in example().qrels if one.generator)
    alphas = np.array([1.0, 4.0])
    expected = expected_disparity(run, alphas, k=5, qrels=qrels, n_samples=np.full(len(run.query_ids), 100.0))
    for row, alpha in zip(expected, alphas, strict=True):
        points = measured(of_alpha()[alpha], k=5, candidates=run, qrels=qrels)
        assert tuple(points["query_id"]) == run.query_ids
        assert row.mean() == pytest.approx(points["EED"].mean(), abs=0.005)


def test_tables_mark_what_is_estimated_and_keep_what_is_refused() -> None:
    known = [one for alpha, one in of_alpha().items() if alpha != 2]
    made = estimated(example().runs[0], known, np.array([2.0, 3.0]), k=5)
    table = estimates_table(made)
    first, second = (dict(zip(table.keys, row, strict=True)) for row in table.rows)
    assert (first["alpha"], first["estimated"]) == (2, "estimated")
    assert first["EU_low"] < first["EU"] < first["EU_high"]  # type: ignore[operator]
    assert (second["alpha"], second["estimated"]) == (3, "refused")
    assert np.isnan([second["EU"], second["EED"], second["EAED_low"]]).all()  # type: ignore[list-item]
    points = points_table([made.curve()])
    row = dict(zip(points.keys, points.rows[0], strict=True))
    assert (row["alpha"], row["estimated"], row["n_samples"]) == (2, True, None)
    assert row["n_effective"] == first["n_effective"] == pytest.approx(35.7, abs=0.1)
    assert (row["EU"], row["EED"]) == pytest.approx((first["EU"], first["EED"]))
    note = estimates_note(made)
    assert note.startswith("1 point between the recorded α, estimated")
    assert note.endswith("not estimated at α = 3: effective size 18, at least 25 is needed")
    drawn = estimated_points(made, system="bm25", seed=0)
    assert (drawn.line.alphas.tolist(), drawn.n_effective) == ([2], pytest.approx([35.7], abs=0.1))
    assert [drawn.low[0], drawn.high[0]] == [first["EU_low"], first["EU_high"]]


def test_a_share_of_the_best_divides_values_and_errors_alike() -> None:
    one = Estimate(
        measure="EU", values=np.array([[0.4, 0.3]]), errors=np.array([[0.04, 0.01]]), sizes=np.array([[50.0, 1.0]])
    )
    share = one.over_best(np.array([0.8, 0.0]))  # nothing shows what could be reached for the second
    assert share.values[0] == pytest.approx([0.5, np.nan], nan_ok=True)
    assert (share.means, share.mean_errors) == (pytest.approx([0.5]), pytest.approx([0.05]))
    assert share.n_effective == pytest.approx([50])
