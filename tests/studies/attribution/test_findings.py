"""What recorded answers show: concentration from ``share`` only, citations by rank, EU."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

from fairviz.display.words import Finding
from fairviz.evaluation.compare import Comparison
from fairviz.points.columns import gap_rows
from fairviz.points.intervals import NO_INTERVALS
from fairviz.points.outputs import DECLINES
from fairviz.stats.bootstrap import Interval
from fairviz.stats.correlation import Correlation
from fairviz.stats.tests import holm
from fairviz.studies.attribution.findings import (
    above_title,
    chance_words,
    cites_title,
    on_task,
    pairing_finding,
    rank_finding,
    rank_title,
    references_finding,
    share_title,
    sources_finding,
    use_finding,
    use_title,
)
from fairviz.studies.tradeoff.findings import above_words, alpha_title, correlation_finding, utility_finding

NAN, NARROW = float("nan"), "\N{NARROW NO-BREAK SPACE}"


def p_of(low: float, high: float) -> float:
    """What a test says where an interval ends there."""
    return NAN if np.isnan(low) else 0.001 if low > 0 or high < 0 else 0.4


RANKS = Finding("Rank 1 is cited 4 times as often as rank 5", "EAR: bot 0.18.")
SOURCES, ENDS = ("sources_given", "sources_used"), ("sources_used_low", "sources_used_high")


def summaries(*changes: tuple[float, float], name: str = "bot", n: int = 14) -> pl.DataFrame:
    """Settings of n queries whose share of use minus that of retrieval has these intervals; the later, the fewer."""
    adjusted = holm(np.array([p_of(*ends) if n >= 10 else NAN for ends in changes]))
    rows = [
        {
            "sources_given": (42.8 if high > 0 else 9.9) - place,
            "sources_used": (9.9 if high > 0 else 42.8) - place,
            "share_change": (low + high) / 2,
            "share_change_low": low,
            "share_change_high": high,
            "p_holm": p,
            "n_compared": n,
        }
        for place, ((low, high), p) in enumerate(zip(changes, adjusted, strict=True))
    ]
    numbers = (*SOURCES, *ENDS, "share_change", "share_change_low", "share_change_high", "p_holm", "n_compared")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(numbers, pl.Float64)).with_columns(pl.all().fill_nan(None))
    lists = [f"α = {2**place}" for place in range(frame.height)]
    marks = {"name": pl.lit(name), "lists": pl.Series(lists, dtype=pl.String)}
    return frame.with_columns(**marks, single=pl.lit(False), tested=pl.lit(True), EAR=pl.lit(0.4))


FIXED = summaries((0.1, 0.3)).with_columns(
    tested=pl.lit(False), sources_given=pl.lit(5.0), sources_used=pl.lit(2.7), p_holm=pl.lit(None, pl.Float64)
)
MORE, LESS, SAME = (0.1, 0.3), (-0.3, -0.1), (-0.1, 0.2)


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        (summaries(MORE), "43 sources given, 10 used"),
        (summaries(MORE, MORE), "43 sources given, 10 used"),  # most given of those that tell
        (summaries(SAME, MORE), "42 sources given, 9 used"),
        (summaries(LESS), "10 sources given, used as evenly as 43"),
        (summaries(SAME, SAME), "No setting shows that fewer sources are used than given"),
        (pl.concat([summaries(SAME), FIXED]), "No setting whose lists vary shows that fewer sources are used than"),
        (summaries(MORE, n=9), "43 sources given, 10 used; 9 queries are too few to say more"),
        (summaries((NAN, NAN), n=1), "10 sources given, used as evenly as 43; 1 query is too few to say more"),
        (
            summaries(MORE, n=0).with_columns(sources_used=pl.lit(None, pl.Float64)),
            "No effective number of sources is defined: nothing is cited",
        ),
        (FIXED, "5 sources given, 3 used: one list, nothing to test"),
        (FIXED.with_columns(single=pl.lit(True)), "5 sources given, 3 used: one answer per query, nothing to test"),
        (
            FIXED.with_columns(sources_used=pl.lit(None, pl.Float64)),
            "No effective number of sources is defined: nothing is cited",
        ),
        (summaries(MORE).with_columns(sources_used=pl.lit(None, pl.Float64)), "Use is more concentrated than"),
    ],
)
def test_the_headline_counts_sources_of_the_setting_with_most_that_tells(rows: pl.DataFrame, title: str) -> None:
    assert sources_finding(rows, RANKS).title.startswith(title)


def test_sources_that_round_alike_are_said_with_decimals() -> None:
    alike = dict(zip((*SOURCES, *ENDS), map(pl.lit, (3.2, 2.9, 2.52, 3.1)), strict=True))
    said = sources_finding(summaries(MORE).with_columns(**alike), RANKS).title
    assert said == "3.2 sources given, 2.9 used (2.5 to 3.1)"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([MORE], "draw on fewer sources than they were given in the only setting in which the list varies."),
        ([MORE, (0.3, 0.5)], "given in both settings in which the list varies."),
        ([MORE, SAME, SAME], "given in 1 of 3 settings in which the list varies."),
        ([MORE, LESS], "fewer sources than they were given in 1 of 2 settings in which the list varies, on more in 1."),
        ([LESS, SAME], "draw on more sources than they were given in 1 of 2 settings"),
        ([SAME, SAME], "A difference in shares of attention of about 0.172 or more would have been significant in at"),
    ],
)
def test_settings_in_which_fewer_sources_are_used_are_counted(changes, words) -> None:  # type: ignore[no-untyped-def]
    assert words in sources_finding(summaries(*changes), RANKS).sentence


def test_the_sentence_says_what_is_counted_and_where_nothing_varies_how_citations_fall() -> None:
    assert sources_finding(summaries(MORE, MORE), RANKS).sentence.endswith(
        "Effective number of sources: as if so many shared attention alike. Paired t-tests over 14 queries, corrected "
        "for 2 sets of answers."
    )
    assert sources_finding(FIXED, RANKS).sentence == f"{RANKS.title}. {RANKS.sentence}"


def test_other_systems_are_counted_beside_the_one_that_is_looked_at() -> None:
    every = pl.concat([summaries(SAME, name="a"), summaries(MORE, SAME, name="b"), summaries(MORE, name="c")])
    assert sources_finding(every, RANKS, "a").title.startswith("No setting shows")
    assert sources_finding(every, RANKS, "a").sentence.startswith(
        "2 other systems: fewer sources used in 2 of 3 settings."
    )
    assert "in 1 of 2 settings" in sources_finding(every, RANKS, "b").sentence
    assert "corrected for 4 sets of answers" in sources_finding(every, RANKS, "b").sentence
    assert sources_finding(every, RANKS).title == "43 sources given, 10 used"


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        (summaries(MORE, MORE, SAME), "Use is significantly more concentrated than retrieval in 2 of 3 settings"),
        (summaries(LESS, MORE), "Use is significantly more concentrated than retrieval in 1 of 2 settings, less in 1"),
        (summaries(SAME), "Use is significantly more concentrated than retrieval in none of 1 setting"),
        (summaries(MORE, n=9), "Concentration of use is not tested: too few queries"),
        (FIXED, "Concentration of use is not tested: no list varies between answers"),
    ],
)
def test_the_table_is_headed_by_how_many_settings_tell(rows: pl.DataFrame, title: str) -> None:
    assert use_title(rows) == title


def test_the_picture_is_headed_by_the_share_of_sources_that_is_used() -> None:
    """9.9 / 42.8 = 23 %; 8.9 / 41.8 = 21 %."""
    assert share_title(summaries(MORE, MORE)) == f"21{NARROW}% to 23{NARROW}% of the sources given are used"
    assert share_title(summaries(MORE)) == f"23{NARROW}% of the sources given are used"
    assert share_title(summaries(MORE, LESS)) == f"At least 23{NARROW}% of the sources given are used"
    assert share_title(summaries(LESS)) == "As many sources are used as are given"
    assert share_title(summaries()) == "No effective number of sources is defined"


def test_queries_above_the_identity_are_counted_on_shares() -> None:
    points = pl.DataFrame({"x_share": [0.1, 0.2, 0.3, None], "y_share": [0.2, 0.2, 0.1, 0.5], "n_samples": 2})
    assert above_title(points, "α = 2") == "Use is more concentrated than retrieval in 1 of 3 queries (α = 2)"
    assert above_title(points[3:], "α = 2") == "No query has both concentrations (α = 2)"
    single = points.with_columns(n_samples=1)
    assert above_title(single, "fixed").startswith("One answer per query: how concentrated use is follows from")


def test_citing_few_is_told_from_using_few() -> None:
    assert cites_title([0.27, 0.64, None], 5) == "An answer cites 1.4 to 3.2 of 5 documents on average"  # 1.35, 3.2
    assert cites_title([0.5], 4) == "An answer cites 2.0 of 4 documents on average"
    assert cites_title([None], 4) == "No answer was given a document"
    said = chance_words(summaries(MORE).row(0, named=True), 5)
    assert "With 2.0 of 5 cited (α = 1), each document given as likely as any other" in said
    assert said.endswith("the answers would use 42.8 sources; they use 9.9.")
    undefined = {"sources_given": None, "sources_used": None, "EAR": 0.0, "lists": "x", "single": False}
    assert chance_words(undefined, 5).endswith("another.")
    # whatever one answer cites, it uses as many sources, by chance as well
    single = summaries(MORE).with_columns(single=pl.lit(True)).row(0, named=True)
    assert chance_words(single, 5).endswith("one answer per query cannot show which.")


Decline = dict[str, float]


def decline(ratio: float, low: float, high: float, last: int = 20) -> Decline:
    ends, p = {"ratio_low": low, "ratio_high": high}, p_of(low - 1, high - 1)
    return {"last_rank": last, "n_queries": 300, "first": 0.43, "last": 0.28, "ratio": ratio, **ends, "p": p}


FALLS, FLAT = decline(5.6, 3, 9), decline(1.1, 0.8, 1.5)


def declines(*rows: Decline, names: Sequence[str] = "abcd") -> pl.DataFrame:
    named = [{"name": name} | row for name, row in zip(names, rows, strict=False)]
    frame = pl.DataFrame(named, schema=DECLINES)
    return frame.with_columns(p_holm=pl.Series(holm(frame["p"].to_numpy()))).with_columns(
        pl.col(pl.Float64).fill_nan(None)
    )


def title(*found: Decline) -> str:
    return rank_finding(declines(*found), {}, []).title


def test_citations_by_rank_are_the_finding_of_single_outputs() -> None:
    falls = title(FALLS, decline(3.6, 2, 5))
    assert falls == "Rank 1 is cited 4 to 6 times as often as rank 20"
    never = FALLS | {"ratio": np.inf, "ratio_low": NAN, "ratio_high": NAN}
    assert title(never) == "Documents at rank 1 are cited, those at rank 20 are not"
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
    assert "answers use: 0.18." in sentence
    assert "concentrated than retrieval" not in sentence


def gap(reference: str, verdict: str) -> Comparison:
    """System "b" has an EAR 0.05 above that of another, over 300 queries."""
    return Comparison("b", reference, "EAR", 0.05, Interval(0.04, 0.07), verdict, 300, 0, 0.01, 0.01)


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


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (decline(1.54, 1.2, 2, last=5), f"Citations fall with rank: 43{NARROW}% at rank 1, 28{NARROW}% at rank 5"),
        (decline(0.5, 0.3, 0.8, last=5), f"Citations rise with rank: 43{NARROW}% at rank 1, 28{NARROW}% at rank 5"),
        (FLAT, "Citations do not significantly depend on rank"),
        (decline(3, NAN, NAN), "Too few queries to tell how citations depend on rank"),
    ],
)
def test_head_of_the_rank_chart(found: Decline, words: str) -> None:
    assert rank_title(declines(found).row(0, named=True)) == words
    assert rank_title(None).startswith("Too few")


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
    assert "EAR, the share of the list that answers use: 0.30 to 0.50. a uses the largest share" in said
    assert "Not all have queries in common, so they are not ranked." in (
        rank_finding(declines(), {**rates, "c": 0.4}, [found]).sentence
    )


def test_the_finding_of_one_of_several_tasks_names_it() -> None:
    found = sources_finding(summaries(MORE), RANKS)
    assert on_task(found, "qa").title == "On qa, 43 sources given, 10 used"
    assert on_task(found, None) == found


def test_nothing_is_said_of_ranks_where_given_is_what_was_cited() -> None:
    found = references_finding({"gpt": 0.4, "llama": None})
    assert found.title == "Which documents the answers were given is not known"
    assert found.sentence.endswith("Documents cited, as a share of k: gpt 0.40.")
    assert "share of k" not in references_finding({}).sentence
    assert pairing_finding().title == "Which run fed these answers?"
