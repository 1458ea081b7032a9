"""What recorded answers show: concentration from ``share`` only, citations by rank, EU."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from fairviz.evaluation.compare import Comparison
from fairviz.points.columns import gap_rows
from fairviz.points.intervals import NO_INTERVALS
from fairviz.points.outputs import DECLINES
from fairviz.stats.bootstrap import Interval
from fairviz.stats.correlation import Correlation
from fairviz.stats.tests import holm
from fairviz.studies.attribution.findings import (
    concentration_finding,
    on_task,
    pairing_finding,
    rank_finding,
    rank_title,
    references_finding,
    use_finding,
)
from fairviz.studies.tradeoff.findings import above_words, alpha_title, correlation_finding, utility_finding

NAN = float("nan")


def p_of(low: float, high: float) -> float:
    """What a test says where an interval ends there."""
    return NAN if np.isnan(low) else 0.001 if low > 0 or high < 0 else 0.4


def summaries(*changes: tuple[float, float]) -> pl.DataFrame:
    """Sets of answers to 14 queries whose share of use minus that of retrieval has these intervals."""
    adjusted = holm(np.array([p_of(*ends) for ends in changes]))
    rows = [
        {
            "sources_given": 8.5 if high > 0 else 3.2,
            "sources_used": 3.2 if high > 0 else 8.5,
            "share_change": (low + high) / 2,
            "p_holm": p,
            "n_compared": 14,
        }
        for (low, high), p in zip(changes, adjusted, strict=True)
    ]
    names = ("sources_given", "sources_used", "share_change", "p_holm", "n_compared")
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Float64)).with_columns(pl.all().fill_nan(None))


MORE, LESS, SAME = (0.1, 0.3), (-0.3, -0.1), (-0.1, 0.2)


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        ([MORE], "The answers draw on fewer sources than they were given: 8.5 given, 3.2 used"),
        ([LESS], "The answers draw on more sources than they were given: 3.2 given, 8.5 used"),
        ([MORE, (0.3, 0.5)], "fewer sources than they were given in both sets of answers: 8.5 given, 3.2 used"),
        ([MORE, SAME, SAME], "fewer sources than they were given in 1 of 3 sets of answers: 8.5 given, 3.2 used"),
        ([MORE, LESS], "on fewer sources than they were given in 1 of 2 sets of answers, on more in 1"),
        ([SAME], "No significant difference between the sources that answers were given and those they draw on"),
        ([(NAN, NAN)], "Too few queries"),
        ([], "Too few queries"),
    ],
)
def test_concentration_is_counted_over_sets_of_answers(changes, title) -> None:  # type: ignore[no-untyped-def]
    assert title in concentration_finding(summaries(*changes)).title


def test_sources_are_said_to_be_effective_numbers_and_a_range_has_both_ends() -> None:
    found = concentration_finding(
        summaries(MORE, MORE).with_columns(sources_given=pl.Series([8.5, 46.2]), sources_used=pl.Series([3.2, 11.4]))
    )
    assert found.title.endswith("in both sets of answers: 8.5 to 46 given, 3.2 to 11 used")
    assert found.sentence == (
        "Effective number of sources: as if so many shared attention alike. Paired t-tests over 14 queries, corrected "
        "for 2 sets of answers."
    )


Decline = dict[str, float]


def decline(ratio: float, low: float, high: float, last: int = 20) -> Decline:
    ends = {"ratio_low": low, "ratio_high": high}
    return {"last_rank": last, "n_queries": 300, "ratio": ratio, **ends, "p": p_of(low - 1, high - 1)}


FALLS, FLAT = decline(5.6, 3, 9), decline(1.1, 0.8, 1.5)


def declines(*rows: Decline, names: Sequence[str] = "abcd") -> pl.DataFrame:
    named = [{"name": name} | row for name, row in zip(names, rows, strict=False)]
    return pl.DataFrame(named, schema=DECLINES).with_columns(pl.col(pl.Float64).fill_nan(None))


def title(*found: Decline) -> str:
    return rank_finding(declines(*found), {}, []).title


def test_citations_by_rank_are_the_finding_of_single_outputs() -> None:
    falls = title(FALLS, decline(3.6, 2, 5))
    assert falls == "Rank 1 is cited 4 to 6 times as often as rank 20"
    assert title(decline(1.54, 1.2, 2)) == "Rank 1 is cited 1.5 times as often as rank 20 (1.2 to 2.0)"
    assert title(FALLS, FLAT) == "Rank 1 is cited more often than rank 20 by 1 of 2 generators"
    assert "No significant difference" in title(FLAT)
    assert "Too few" in title(decline(3, NAN, NAN))
    assert "the last rank given" in title(FALLS, decline(5, 3, 9, last=7))


def test_each_of_several_generators_has_its_ratio_and_interval() -> None:
    sentence = rank_finding(declines(FALLS, FLAT, decline(3, NAN, NAN)), {}, []).sentence
    assert "last rank: a 5.6 times (3.0 to 9.0), b 1.1 times (0.8 to 1.5)." in sentence


def test_one_output_per_query_is_said() -> None:
    sentence = rank_finding(declines(FALLS, names=["bot"]), {"bot": 0.18}, []).sentence
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
    rates = {"a": 0.18, "b": 0.23, "c": 0.2}

    def sentence(*verdicts: str) -> str:
        gaps = [gap(name, v) for name, v in zip("ac", verdicts, strict=True)]
        return rank_finding(declines(FALLS, names="b"), rates, gaps).sentence

    assert "b uses the largest share" in sentence("higher", "higher")
    assert "No significant difference between b and c." in sentence("higher", "no significant difference")
    assert "No significant difference between them" in sentence(
        "no significant difference", "no significant difference"
    )


def test_head_of_the_rank_charts() -> None:
    assert rank_title(declines(FALLS)) == "Citations fall with rank"
    assert rank_title(declines(FALLS, FALLS)).endswith("in every generator")
    assert rank_title(declines(FALLS, FLAT)).endswith("in 1 of 2 generators")
    assert rank_title(declines(FLAT)) == rank_title(declines()) == "Citations by rank"


def test_utility_without_a_baseline_claims_nothing() -> None:
    found = utility_finding(NO_INTERVALS, quality="EU", n_queries=14)
    assert "nothing to compare" in found.sentence
    assert "lower" not in found.title


def compared(*verdicts: str, low: float = 0.04, high: float = 0.07) -> pl.DataFrame:
    """A baseline "b" and systems whose EAR is 0.05 above, or below, its own."""
    gaps: list[Comparison] = []
    for i, verdict in enumerate(verdicts):
        sign = -1 if verdict == "lower" else 1
        ends = Interval(*sorted((low * sign, high * sign)))
        gaps.append(gap("b", verdict)._replace(system=f"s{i}", difference=0.05 * sign, interval=ends))
    base = pl.DataFrame({"system": ["b"], "measure": ["EAR"], "verdict": ["baseline"]})
    return pl.concat([base, gap_rows(gaps)], how="diagonal")


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (("higher",), "s0 has a higher attribution rate (EAR) than b, by 0.050 (0.040 to 0.070)"),
        (("lower",), "s0 has a lower attribution rate (EAR) than b, by 0.050 (0.040 to 0.070)"),
        (("no significant difference",), "No significant difference in attribution rate (EAR) between s0 and b"),
        (
            ("higher", "lower", "lower"),
            "1 of 3 systems has a significantly higher attribution rate (EAR) than b, 2 a lower one",
        ),
        (
            ("lower", "no significant difference"),
            "1 of 2 systems has a significantly lower attribution rate (EAR) than b, none a higher one",
        ),
        (("higher", "too few to test"), "s0 has a higher attribution rate (EAR) than b, by 0.050 (0.040 to 0.070)"),
        (("no significant difference",) * 2, "No significant difference in attribution rate (EAR) from b in 2 systems"),
        (("too few to test",), "Too few queries to compare the attribution rate (EAR) with that of b"),
    ],
)
def test_systems_are_counted_by_what_holm_allows_to_say(verdicts: tuple[str, ...], said: str) -> None:
    assert use_finding(compared(*verdicts)).title == said


def test_beside_no_difference_stands_what_could_have_been_shown() -> None:
    found = use_finding(compared("no significant difference", "no significant difference", low=-0.02, high=0.12))
    assert found.sentence.startswith("A difference of about 0.")
    assert use_finding(compared("higher", "no significant difference")).sentence == ""


def correlation(spearman: float, low: float, high: float) -> Correlation:
    return Correlation(0.2, Interval(0.1, 0.4), spearman, Interval(low, high), 56, 14)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (correlation(0.8, 0.6, 0.9), "Utility (EU) rises strongly with the relevance of the list (EE-R)"),
        (correlation(0.31, 0.1, 0.5), "Utility (EU) rises moderately with the relevance of the list (EE-R)"),
        (correlation(0.2, 0.1, 0.3), "Utility (EU) rises weakly with the relevance of the list (EE-R)"),
        (correlation(-0.5, -0.7, -0.2), "Utility (EU) falls moderately with the relevance of the list (EE-R)"),
        (
            correlation(0.2, -0.1, 0.4),
            "No significant relation between the relevance of the list (EE-R) and utility (EU)",
        ),
        (correlation(0.2, NAN, NAN), "Too few queries"),
        (correlation(NAN, NAN, NAN), "does not vary"),
    ],
)
def test_correlation_is_said_as_far_as_its_interval_goes(found: Correlation, words: str) -> None:
    assert words in correlation_finding(found).title


def alpha_tests(*p: float) -> pl.DataFrame:
    return pl.DataFrame({"p_holm": pl.Series(p, dtype=pl.Float64).fill_nan(None)})


def test_alphas_that_differ_are_counted() -> None:
    assert alpha_title(alpha_tests(0.01, 0.01, 0.01)) == "Disparity (EE-D) differs significantly between all α"
    assert alpha_title(alpha_tests(0.01, 0.2)) == "Disparity (EE-D) differs significantly in 1 of 2 pairs of α"
    assert "No significant difference" in alpha_title(alpha_tests(0.2))
    assert "Too few" in alpha_title(alpha_tests(NAN))


def test_models_above_their_baseline_are_counted_where_there_are_any() -> None:
    ends = {"disparity_low": [0.0, 0.2], "disparity_high": [0.2, 0.4]}
    rows = pl.DataFrame(ends | {"n_above": [0, 3], "n_higher": [0, 1], "n_models": [0, 9]})
    assert above_words(rows).endswith("EE-D 0.2–0.4: 3 of 9")
    assert above_words(rows.head(1)) == ""


def test_rates_are_ranked_over_common_queries() -> None:
    """a is ahead of b, and nobody of c, with whom none has a query in common."""
    found = gap("b", "higher")._replace(system="a")
    rates = {"a": 0.5, "b": 0.3}
    said = rank_finding(declines(), rates, [found]).sentence
    assert "EAR, the share of the list that answers use: a 0.50 and b 0.30. a uses the largest share" in said
    assert "Not all have queries in common, so they are not ranked." in (
        rank_finding(declines(), {**rates, "c": 0.4}, [found]).sentence
    )


def test_the_finding_of_one_of_several_tasks_names_it() -> None:
    found = concentration_finding(summaries(MORE))
    assert on_task(found, "qa").title.startswith("On qa, the answers draw on fewer sources than they were given: 8.5")
    assert on_task(found, None) == found


def test_nothing_is_said_of_ranks_where_given_is_what_was_cited() -> None:
    found = references_finding({"gpt": 0.4, "llama": None})
    assert found.title == "Which documents the answers were given is not known"
    assert found.sentence.endswith("Documents cited, as a share of k: gpt 0.40.")
    assert "share of k" not in references_finding({}).sentence
    assert pairing_finding().title == "Which run fed these answers?"
