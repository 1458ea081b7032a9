"""Popularity measures: by hand, word for word beside their formulas, ends, no interval where there can be none."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz as fv
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.compare import compare_all, score_pairs
from fairviz.evaluation.evaluate import evaluate, score_intervals
from fairviz.evaluation.tables import comparison_table
from fairviz.io.formats import sniff
from fairviz.io.tables import read_popularity
from fairviz.metrics.catalogue import parse_measures
from fairviz.metrics.popularity import coverage, gini, long_tail
from fairviz.model import FloatArray, Scores
from fairviz.studies.agreement.correlations import values_of
from fairviz.studies.agreement.orders import orders_of
from tests.nouns import qrels_of, run_of, sample_of

LISTS = {"q1": "abc", "q2": "adb", "q3": "abd"}
RUN = run_of({query: {doc: -rank for rank, doc in enumerate(docs)} for query, docs in LISTS.items()})
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "d": 1}, "q3": {"e": 1, "a": 0}}
TEXTS = ["Gini@2", "Coverage@2", "ARP@2", "APLT@2", "APLT(head=0.4)@2"]


def measured(ranked: object, texts: list[str] = TEXTS) -> dict[str, float]:
    found = evaluate([ranked], parse_measures(texts), qrels=[qrels_of(QRELS)])  # type: ignore[list-item]
    return {score.measure: score.value for score in found.scores}


def test_by_hand() -> None:
    # places among the first two: a 3, b 2, d 1, c and e none; of five items in all
    # Gini: -4, -2, 0, 2, 4 times 0, 0, 1, 2, 3: 16 of 5 * 6
    # popularity: a 2 of 3 queries, d and e 1 of 3; lists hold a b, a d, a b
    # ARP: (2/3 + 0) / 2 = 1/3, (2/3 + 1/3) / 2 = 1/2, 1/3
    # head of 80 %: a has half of all, so d and e are in it, too: only b is outside: 1/2, 0, 1/2
    # head of 40 %: a alone: b, d, b are outside
    assert measured(RUN) == pytest.approx(
        {"Gini@2": 16 / 30, "Coverage@2": 3 / 5, "ARP@2": 7 / 18, "APLT@2": 1 / 3, "APLT(head=0.4)@2": 1 / 2}
    )


def test_lists_that_are_drawn_count_as_often_as_they_are_shown() -> None:
    drawn = sample_of({query: [list(docs), list(docs[::-1])] for query, docs in LISTS.items()})
    # of three items the middle one is shown always, the others in half of the lists:
    # q1 a .5, b 1, c .5; q2 a .5, d 1, b .5; q3 a .5, b 1, d .5
    totals = np.array([1.5, 2.5, 0.5, 1.5, 0.0])
    assert measured(drawn)["Gini@2"] == pytest.approx(gini(totals))
    assert measured(drawn)["Coverage@2"] == pytest.approx(4 / 5)
    # ARP of q1: (2/3 * .5) / 2, of q2: (2/3 * .5 + 1/3) / 2, of q3: (2/3 * .5 + 1/3 * .5) / 2
    assert measured(drawn)["ARP@2"] == pytest.approx((1 / 6 + 1 / 3 + 1 / 4) / 3)


def literal_gini(totals: FloatArray) -> float:
    """Mean difference of two items beside twice the mean of one."""
    n = len(totals)
    return sum(abs(a - b) for a in totals for b in totals) / (2 * n * n * np.mean(totals))


def test_gini_is_half_the_relative_mean_difference() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        totals = rng.poisson(1.5, size=rng.integers(2, 9)).astype(float)
        if totals.any():
            assert gini(totals) == pytest.approx(literal_gini(totals))


def test_a_table_says_the_catalogue_and_how_popular_its_items_are() -> None:
    """By hand as above, beside x and y, which nobody ranks; c and e have no row, so that nobody chose them."""
    counts = {"a": 6.0, "b": 1.0, "d": 3.0, "x": 10.0, "y": 0.0}
    # seven items, places 0 0 0 0 1 2 3: ranks 5, 6, 7 weigh 2, 4, 6: 2 + 8 + 18 = 28 of 7 * 6
    # lists hold a b, a d, a b: ARP (7/2 + 9/2 + 7/2) / 3; head of 80 % of 20: x and a have 16, so b and d are outside
    hand = {"Gini@2": 28 / 42, "Coverage@2": 3 / 7, "ARP@2": 23 / 6, "APLT@2": 1 / 2, "APLT(head=0.4)@2": 1.0}
    for judgements in ([qrels_of(QRELS)], []):  # without them e, which is judged only, is no candidate
        found = evaluate([RUN], parse_measures(TEXTS), qrels=judgements, popularity=counts)
        values = {score.measure: score.value for score in found.scores}
        if judgements:
            assert values == pytest.approx(hand)
            message = "2 of 5 candidates stand in no row of the table of popularity: nobody chose them"
            assert message in [note.message for note in found.notes]
        else:
            assert (values["ARP@2"], values["Coverage@2"]) == pytest.approx((23 / 6, 3 / 6))
    none = evaluate([RUN], parse_measures(["ARP@2"]), popularity={"a": 0.0})
    assert none.scores[0].flags["undefined"] == "no document was ever chosen"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("doc_id,count\na,-1\n", 2, "count -1 is no number from 0 on"),
        ("doc_id,count\na,many\n", 2, "count many is no number from 0 on"),
        ("doc_id,count\na,1\nb,2\na,1\n", 4, r"a stands twice \(first on line 2\)"),
        ("doc_id,count\n,1\n", 2, "doc_id is empty"),
        ("doc_id,count\na,\n", 2, "count is empty"),
        ("doc_id,count\na\n", 2, "1 cell, header has 2"),
    ],
)
def test_a_bad_table_of_popularity_is_one_line(text: str, line: int, reason: str) -> None:
    assert sniff(("p.csv", text.encode())).role == "popularity"
    with pytest.raises(InputError, match=reason) as error:
        read_popularity(("p.csv", text.encode()))
    assert (error.value.line, bool(error.value.fix)) == (line, True)


def test_popularity_comes_as_a_file_a_frame_or_counts(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text("doc_id,count\na,6\nb,1\nd,3\nc,0\n")
    counts = {"a": 6, "b": 1, "d": 3, "c": 0}
    given = (file, counts, pd.DataFrame({"doc_id": list(counts), "count": counts.values()}))
    loaded = [fv.load(RUN, popularity=each) for each in given]
    assert [data.popularity for data in (*loaded, fv.load(RUN, file))] == [counts] * 4
    values = [fv.evaluate(RUN, measures="ARP@2", popularity=each).frame()["value"][0] for each in given]
    values.append(fv.evaluate(loaded[0], measures="ARP@2").frame()["value"][0])
    assert values == [pytest.approx(23 / 6)] * 4
    with pytest.raises(UsageError, match="are needed: give qrels= or popularity="):
        fv.evaluate(RUN, measures="ARP@2")


def test_ends() -> None:
    assert gini(np.full(7, 3.0)) == 0
    assert gini(np.eye(1, 100)[0]) == pytest.approx(0.99)
    assert np.isnan(gini(np.zeros(3)))
    assert np.isnan(coverage(np.zeros(0)))
    assert coverage(np.ones(3)) == 1
    assert not long_tail(np.full(4, 0.25), 0.8).any()  # equal ones stay together


def test_there_is_no_interval_of_what_queries_drawn_twice_do_not_show_again() -> None:
    found = evaluate([RUN], parse_measures(TEXTS), qrels=[qrels_of(QRELS)])
    gini_ends, _, arp_ends, *_ = score_intervals(found.scores, seed=0)
    assert np.isnan(gini_ends.low)
    assert arp_ends.low == arp_ends.low


def test_a_difference_of_what_cannot_be_resampled_has_no_test_and_says_why() -> None:
    other = run_of({query: {doc: rank for rank, doc in enumerate(docs)} for query, docs in LISTS.items()}, "other")
    found = evaluate([RUN, other], parse_measures(["Gini@2", "ARP@2"]), qrels=[qrels_of(QRELS)])
    gini_row, arp_row = compare_all(score_pairs(found, "sys", set()), seed=0)
    assert (gini_row.verdict, arp_row.verdict) == ("no test", "too few to test")
    assert not np.isnan(gini_row.difference)
    caption = comparison_table([gini_row, arp_row], seed=0).caption
    assert caption.endswith("Holm over 0 tests; no test of Gini@2: one value per system, not a mean over queries")
    orders = orders_of("", found.scores, values_of(found.scores, parse_measures(["Gini@2", "ARP@2"])))
    assert orders.untested == {"Gini@2": "one value per system, not a mean over queries"}


def test_without_anything_useful_nothing_is_popular() -> None:
    found = evaluate([RUN], parse_measures(["ARP@2", "Gini@2"]), qrels=[qrels_of({"q1": {"a": 0}})])
    arp, spread = found.scores
    assert isinstance(arp, Scores)
    assert np.isnan(arp.value)
    assert arp.flags["undefined"] == "nothing is judged useful"
    assert spread.value == pytest.approx(1 / 3)  # a and b of a, b, c
