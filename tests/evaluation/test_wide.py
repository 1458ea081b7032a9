"""The main table of a paper: a row per system, a column per measure, what the paired test says behind the mean."""

from dataclasses import replace

import numpy as np
import pytest

from fairviz.display.html import html_table
from fairviz.display.latex import latex_text
from fairviz.display.table import Marked, Table, csv_text, markdown_text, plain_text
from fairviz.errors import UsageError
from fairviz.evaluation.compare import Comparison
from fairviz.evaluation.evaluate import Evaluation
from fairviz.evaluation.tables import wide_table
from fairviz.model import Scores
from fairviz.stats.bootstrap import Interval
from fairviz.stats.tests import Verdict
from fairviz.studies.baseline.analysis import wide_title

QUERIES = tuple(f"q{i}" for i in range(12))
SAME: Verdict = "no significant difference"
MEANS = {
    "nDCG@5": {"a": 0.5, "b": 0.75, "c": 0.25, "d": 0.5},
    "EED@5": {"a": 0.5, "b": 0.75, "c": 0.25, "d": 0.625},
    "logDP(group='x')": {"a": -0.5, "b": 0.25, "c": -1.0, "d": 1.5},
}


def scored(verdicts: dict[tuple[str, str], Verdict]) -> Table:
    """Systems with these means, and verdicts of b, c, d beside a."""
    scores = [
        Scores(system=system, measure=measure, query_ids=QUERIES, values=np.full(12, value))
        for measure, of in MEANS.items()
        for system, value in of.items()
    ]
    compared = [
        Comparison(
            system, "a", measure, 0.0, Interval(0, 0), verdicts.get((system, measure), SAME), 12, 0, 0.5, 1.0, ties=12
        )
        for measure in MEANS
        for system in "bcd"
    ]
    compared[-1] = compared[-1]._replace(n_queries=9, p_holm=float("nan"), verdict="too few to test")
    return wide_table(Evaluation(tuple(scores), ()), compared)


def test_marks_are_in_the_sense_of_each_measure() -> None:
    """Higher nDCG is better, higher EE-D worse; of logDP −0.5 → −1 is further from 0.

    Of → 0.25 and → 1.5 nothing is said: that they differ from −0.5 does not say which is nearer to 0.
    """
    table = scored(
        {
            ("b", "nDCG@5"): "higher",
            ("c", "nDCG@5"): "lower",
            ("b", "EED@5"): "higher",
            ("c", "EED@5"): "lower",
            ("b", "logDP(group='x')"): "higher",
            ("c", "logDP(group='x')"): "lower",
            ("d", "logDP(group='x')"): "higher",
        }
    )
    marks = {row[0]: [getattr(cell, "mark", None) for cell in row[1:]] for row in table.rows}
    assert marks == {"a": ["", "", ""], "b": ["▲", "▼", ""], "c": ["▼", "▲", "▼"], "d": ["", "", ""]}
    assert table.caption.endswith("worse than a on the queries of both, paired t-test, Holm over 8 tests")


def test_a_mark_never_contradicts_the_means_beside_it() -> None:
    """b has more nDCG than a in the table, and was tested to have less: on other queries than those of all systems."""
    table = scored({("b", "nDCG@5"): "lower", ("c", "nDCG@5"): "higher"})
    assert [getattr(row[1], "mark", None) for row in table.rows] == ["", "", "", ""]


def test_people_read_marks_and_programs_numbers() -> None:
    table = scored({("b", "nDCG@5"): "higher", ("c", "nDCG@5"): "lower"}).select(["system", "nDCG@5"])
    assert plain_text(table).splitlines()[1:] == [
        "system  nDCG@5",
        "a       0.500",
        "b       0.750▲",
        "c       0.250▼",
        "d       0.500",
    ]
    assert csv_text(table) == "system,nDCG@5\na,0.5\nb,0.75\nc,0.25\nd,0.5\n"
    latex = latex_text(table)
    assert r"b & {\boldmath\bfseries $0.750^{\bigtriangleup}$} \\" in latex  # the best, and significantly so
    assert r"c & $0.250^{\bigtriangledown}$ \\" in latex
    assert r"a & 0.500 \\" in latex


def test_the_title_names_who_is_first_in_each_measures_own_sense() -> None:
    """b has most nDCG and the logDP nearest to 0, c the least EE-D: b is first in two of three."""
    assert wide_title(scored({}), "a") == "No cell differs significantly from a"
    table = scored({("b", "nDCG@5"): "higher", ("c", "EED@5"): "lower"})
    assert wide_title(table, "a") == "b is first in 2 of 3 measures; significantly better than a in 1"
    assert wide_title(table, "b") == "b is first in 2 of 3 measures"


def test_the_title_counts_ties_and_says_where_nobody_leads() -> None:
    tied = scored({("b", "nDCG@5"): "higher"}).select(["system", "nDCG@5"])
    twice = Table((*tied.columns, tied.columns[1]), tuple((*row, row[1]) for row in tied.rows))
    assert wide_title(twice, "a").startswith("b is first in all 2 measures; ")
    alike = Table(tied.columns, tuple((name, Marked(0.5, mark)) for name, mark in zip("ab", ("", "▲"), strict=True)))
    assert wide_title(alike, "b") == "a is first in the one measure, tied in 1; significantly better than b in none"
    split = scored({("b", "nDCG@5"): "higher"}).select(["system", "nDCG@5", "EED@5"])
    assert wide_title(split, "a") == "No system is first in more than half of 2 measures"


def test_letters_stand_behind_means_that_are_better_than_those_of_their_systems() -> None:
    """b beats a in nDCG, where more is better, and a beats b in EE-D, where less is; c is told from neither."""
    measures = ("nDCG@5", "EED@5")
    rows = [
        Comparison(*pair, measure, 0.0, Interval(0, 0), "higher" if pair == ("b", "a") else SAME, 12, 0, p=0.5)
        for measure in measures
        for pair in (("b", "a"), ("c", "a"), ("c", "b"))
    ]
    scores = [
        Scores(system=system, measure=measure, query_ids=QUERIES, values=np.full(12, MEANS[measure][system]))
        for measure in measures
        for system in "abc"
    ]
    table = wide_table(Evaluation(tuple(scores), ()), rows, pairs=True)
    marks = {row[:2]: [getattr(cell, "mark", None) for cell in row[2:]] for row in table.rows}
    assert marks == {("a", "a"): ["", "ᵇ"], ("b", "b"): ["ᵃ", ""], ("c", "c"): ["", ""]}
    assert "letters of the systems that it is significantly better than" in table.caption
    assert r"0.750{}^{a}$" in latex_text(table)
    assert wide_title(table, "") == "No system is first in more than half of 2 measures"
    of_two = replace(table.select(["system", "letter", "nDCG@5"]), rows=tuple(row[:3] for row in table.rows[:2]))
    assert wide_title(of_two, "") == "b is first in the one measure; significantly better than every other system in 1"
    names = [f"s{place}" for place in range(26)]
    many = [Scores(system=name, measure="nDCG@5", query_ids=QUERIES, values=np.full(12, 0.5)) for name in names]
    with pytest.raises(UsageError, match="letters tell 25 systems apart, these are 26"):
        wide_table(Evaluation(tuple(many), ()), [], pairs=True)


def test_the_best_of_each_column_is_bold_where_people_read() -> None:
    """b has most nDCG, c the least EE-D, b the logDP nearest to 0; one row alone has no best."""
    table = scored({})
    assert [table.best(place).index(True) for place in (1, 2, 3)] == [1, 2, 1]
    assert [sum(table.best(place)) for place in range(4)] == [0, 1, 1, 1]
    assert "<strong>0.750</strong>" in str(html_table(table))
    assert r"\textbf{0.750}" in latex_text(table)
    assert "| **0.750** |" in markdown_text(table)
    assert not any(replace(table, rows=table.rows[:1]).best(1))
