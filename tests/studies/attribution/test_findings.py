"""What recorded answers show: concentration from ``share`` only, citations by rank, EU."""

import numpy as np
import pytest

from fairviz.evaluate.compare import Comparison
from fairviz.stats.bootstrap import UNDEFINED, Interval, PairedDifference
from fairviz.stats.correlation import Correlation
from fairviz.studies.attribution.findings import (
    Rate,
    above_words,
    alpha_title,
    concentration_finding,
    correlation_finding,
    pairing_finding,
    rank_finding,
    rank_title,
    references_finding,
    utility_finding,
)
from fairviz.studies.attribution.panels import OutputSummary, RankDecline
from fairviz.studies.tradeoff.intervals import AboveBaseline, AlphaTest

NAN = float("nan")


def p_of(low: float, high: float) -> float:
    """What a test says where an interval ends there."""
    return NAN if np.isnan(low) else 0.001 if low > 0 or high < 0 else 0.4


def summary(low: float, high: float, setting: str = "α = 1", name: str = "bot") -> OutputSummary:
    return OutputSummary(
        name=name,
        setting=setting,
        rate=0.4,
        rate_interval=UNDEFINED,
        relevance=0.5,
        disparity=0.3,
        given=8.5,
        used=3.2,
        change=PairedDifference((low + high) / 2, Interval(low, high), 14, p_of(low, high)),
        utility=0.3,
        n_queries=14,
        n_outputs=1400,
        single_sample=False,
    )


MORE, LESS, SAME = (0.1, 0.3), (-0.3, -0.1), (-0.1, 0.2)


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        ([MORE], "Consumption is more concentrated than retrieval"),
        ([LESS], "Consumption is less concentrated than retrieval"),
        ([MORE, MORE], "Consumption is more concentrated than retrieval in both sets of answers"),
        ([MORE, SAME, SAME], "Consumption is more concentrated than retrieval in 1 of 3 sets"),
        ([MORE, LESS], "in 1 of 2 sets of answers, less in 1"),
        ([SAME], "No significant difference in concentration"),
        ([(NAN, NAN)], "Too few queries"),
        ([], "Too few queries"),
    ],
)
def test_concentration_is_counted_over_sets_of_answers(changes, title) -> None:  # type: ignore[no-untyped-def]
    assert title in concentration_finding([summary(*change) for change in changes]).title


def test_effective_sources_are_listed() -> None:
    found = concentration_finding([summary(*MORE), summary(*MORE, setting="α = 2")])
    assert "8.5 → 3.2 at α = 1, 8.5 → 3.2 at α = 2" in found.sentence
    assert "14 queries" in found.sentence
    assert "bot" not in found.sentence
    two = concentration_finding([summary(*MORE), summary(*MORE, name="other")])
    assert "(bot)" in two.sentence


def decline(ratio: float, low: float, high: float, last: int = 20) -> RankDecline:
    return RankDecline(0.4, 0.4 / ratio, last, ratio, Interval(low, high), 300, p_of(low - 1, high - 1))


FALLS, FLAT = decline(5.6, 3, 9), decline(1.1, 0.8, 1.5)


def title(*found: RankDecline) -> str:
    named = [(f"bot{i}", each) for i, each in enumerate(found)]
    return rank_finding(named, [], []).title


def test_citations_by_rank_are_the_finding_of_single_outputs() -> None:
    falls = title(FALLS, decline(3.6, 2, 5))
    assert falls == "Rank 1 is cited 4 to 6 times as often as rank 20"
    assert title(decline(1.54, 1.2, 2)) == "Rank 1 is cited 1.5 times as often as rank 20"
    assert title(FALLS, FLAT) == "Rank 1 is cited more often than rank 20 by 1 of 2 generators"
    assert "No significant difference" in title(FLAT)
    assert "Too few" in title(decline(3, NAN, NAN))
    assert "the last rank given" in title(FALLS, decline(5, 3, 9, last=7))


def test_one_output_per_query_is_said() -> None:
    sentence = rank_finding([("bot", FALLS)], [Rate("bot", 0.18)], []).sentence
    assert "EAE-D / k equals EAR" in sentence
    assert "bot 0.18" in sentence
    assert "concentrated than retrieval" not in sentence


def gap(reference: str, verdict: str) -> Comparison:
    return Comparison(
        system="b",
        reference=reference,
        measure="EAR",
        difference=0.05,
        interval=Interval(0.04, 0.07),
        verdict=verdict,
        n_queries=300,
        n_left_out=0,
        p=0.01,  # type: ignore[arg-type]
        p_holm=0.01,
    )


def test_the_largest_rate_is_named_only_where_it_can_be_told_apart() -> None:
    rates = [Rate("a", 0.18), Rate("b", 0.23), Rate("c", 0.2)]

    def sentence(*verdicts: str) -> str:
        gaps = [gap(name, v) for name, v in zip("ac", verdicts, strict=True)]
        return rank_finding([("b", FALLS)], rates, gaps).sentence

    assert "b uses the largest share" in sentence("higher", "higher")
    assert "No significant difference between b and c." in sentence("higher", "not distinguishable")
    assert "No significant difference between them" in sentence("not distinguishable", "not distinguishable")


def test_head_of_the_rank_charts() -> None:
    assert rank_title([FALLS]) == "Citations fall with rank"
    assert rank_title([FALLS, FALLS]).endswith("in every generator")
    assert rank_title([FALLS, FLAT]).endswith("in 1 of 2 generators")
    assert rank_title([FLAT]) == rank_title([]) == "Citations by rank"


def test_utility_without_a_baseline_claims_nothing() -> None:
    found = utility_finding([], quality="EU", n_queries=14)
    assert "nothing to compare" in found.sentence
    assert "lower" not in found.title


def correlation(spearman: float, low: float, high: float) -> Correlation:
    return Correlation(0.2, Interval(0.1, 0.4), spearman, Interval(low, high), 56, 14)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (correlation(0.8, 0.6, 0.9), "EU rises strongly with EE-R"),
        (correlation(0.31, 0.1, 0.5), "EU rises moderately with EE-R"),
        (correlation(0.2, 0.1, 0.3), "EU rises weakly with EE-R"),
        (correlation(-0.5, -0.7, -0.2), "EU falls moderately with EE-R"),
        (correlation(0.2, -0.1, 0.4), "No significant relation between EE-R and EU"),
        (correlation(0.2, NAN, NAN), "Too few queries"),
        (correlation(NAN, NAN, NAN), "does not vary"),
    ],
)
def test_correlation_is_said_as_far_as_its_interval_goes(found: Correlation, words: str) -> None:
    assert words in correlation_finding(found).title


def alpha_test(p: float) -> AlphaTest:
    return AlphaTest(1, 2, 0.1, p, p, 14)


def test_alphas_that_differ_are_counted() -> None:
    assert alpha_title([alpha_test(0.01)] * 3) == "EE-D differs significantly between all α"
    assert alpha_title([alpha_test(0.01), alpha_test(0.2)]) == "EE-D differs significantly in 1 of 2 pairs of α"
    assert "No significant difference" in alpha_title([alpha_test(0.2)])
    assert "Too few" in alpha_title([alpha_test(np.nan)])


def test_models_above_their_baseline_are_counted_where_there_are_any() -> None:
    rows = [AboveBaseline(0.0, 0.2, 0, 0, 0), AboveBaseline(0.2, 0.4, 3, 1, 9)]
    assert above_words(rows).endswith("EE-D 0.2–0.4: 3 of 9")
    assert above_words(rows[:1]) == ""


def test_rates_are_ranked_within_a_task_and_over_common_queries() -> None:
    """a is ahead of b in one task, c of d in the other, and nobody is ahead of all four."""

    def gap(system: str, reference: str) -> Comparison:
        return Comparison(system, reference, "EAR", 0.2, Interval(0.1, 0.3), "higher", 20, 0, 0.001, 0.001)

    rates = [Rate("a", 0.5, "t1"), Rate("b", 0.3, "t1"), Rate("c", 0.4, "t2"), Rate("d", 0.2, "t2")]
    said = rank_finding([], rates, [gap("a", "b"), gap("c", "d")]).sentence
    assert "t1: EAR, the share of the list that answers use: a 0.50 and b 0.30. a uses the largest share" in said
    assert "t2: EAR, the share of the list that answers use: c 0.40 and d 0.20. c uses the largest share" in said
    alike = [rate._replace(task="") for rate in rates[:3]]  # one task, but no query that a and c share
    assert (
        "Not all have queries in common, so they are not ranked." in rank_finding([], alike, [gap("a", "b")]).sentence
    )


def test_nothing_is_said_of_ranks_where_given_is_what_was_cited() -> None:
    found = references_finding([Rate("gpt", 0.4), Rate("llama", NAN)])
    assert found.title == "Which documents the answers were given is not known"
    assert found.sentence.endswith("Documents cited, as a share of k: gpt 0.40.")
    assert "share of k" not in references_finding([]).sentence
    assert pairing_finding().title == "Which run fed these answers?"
