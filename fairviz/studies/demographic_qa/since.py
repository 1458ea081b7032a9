"""Since an earlier version: gaps, groups and questions of two sets of answers to the same questions, paired.

Usually of one model then and now; of any column. A gap is that of the tables (DP), its change is tested by swapping the
two versions' answers question by question, as a remedy's is. The change of a group is a mean over questions, whose
signs are coins where nothing changed. Gaps are one table (Holm), groups another.
"""

from collections.abc import Sequence
from math import isnan
from typing import NamedTuple

import numpy as np
import polars as pl

from fairviz.display.words import Finding, interval, listing, number, percent, plural, points
from fairviz.errors import UsageError
from fairviz.model import Dataset
from fairviz.remembered import remembered
from fairviz.stats.bootstrap import Resampling
from fairviz.stats.tests import ROUNDING, Verdict, verdict
from fairviz.studies.demographic_qa.answers import COLUMNS, Record, corrected_rows
from fairviz.studies.demographic_qa.combinations import (
    Combination,
    Key,
    comparable_answers,
    counted,
    measured_combinations,
)
from fairviz.studies.demographic_qa.findings import no_verdict
from fairviz.studies.demographic_qa.measures import Counted, change, largest_difference, on_common
from fairviz.studies.demographic_qa.names import people, spoken
from fairviz.studies.demographic_qa.rows import Counts, compared_sides, mean_change
from fairviz.studies.demographic_qa.settings import VariantsSettings


class LaterAnswers(NamedTuple):
    """Answers of a later version beside those of an earlier one.

    Attributes:
        then, now: The two versions.
        name: What the earlier one is called.
        gaps: A row per attribute: its largest difference ``then`` and ``now`` on the n questions of both, the
            ``change`` from ``low`` to ``high``, ``p`` and ``p_holm`` over these rows.
        groups: The same of the mean outcome of each ``value`` of each attribute.
        questions: A row per question: mean outcome over all groups ``then`` and ``now``, ``change``, ``worse``: the
            groups about whom it is lower now; those that lost most first.
    """

    then: Combination
    now: Combination
    name: str
    gaps: list[Record]
    groups: list[Record]
    questions: list[Record]


def versions(answers: Sequence[Combination], of: Sequence[Combination], against: str) -> list[tuple[Key, Key]]:
    """Later and earlier answers that differ in one column alone.

    Args:
        answers: Every combination.
        of: The later ones, among which those of the earlier version are left out.
        against: Column and value of the earlier version, "model=v1".

    Raises:
        UsageError: No such column or value, or no other answers that it can be compared with.
    """
    column, _, value = against.partition("=")
    if column not in COLUMNS or value not in {each.parts[column] for each in answers}:
        names = dict.fromkeys(f"{name}={each.parts[name]}" for name in COLUMNS for each in answers if each.parts[name])
        raise UsageError(f"--against {against}: expected one of {', '.join(names)}")
    pairs = [
        (now.key, then.key)
        for now in of
        if now.parts[column] != value
        for then in comparable_answers(answers, now, column)
        if then.parts[column] == value
    ]
    if not pairs:
        raise UsageError(f"--against {against}: no answers differ from these in {column} alone")
    return pairs


@remembered
def since(data: Dataset, settings: VariantsSettings, now: Key, then: Key) -> LaterAnswers:
    """Gaps, groups and questions of two versions.

    Args:
        data: The answers.
        settings: How answers are counted.
        now: File and columns of the later version.
        then: Those of the earlier one.
    """
    by_key = {each.key: each for each in measured_combinations(data, settings)}
    later, earlier = by_key[now], by_key[then]
    counts = {file: counted(data, file, settings) for file in {now[0], then[0]}}
    codes: dict[str, int] = {}
    gaps: list[Record] = []
    groups: list[Record] = []
    moves: list[pl.DataFrame] = []
    before_rows = {row["attribute"]: row for row in earlier.rows}
    for row in later.rows:
        attribute = row["attribute"]
        if attribute not in before_rows:
            continue
        tallies = [counts[file].tallies[by, attribute] for file, by in (now, then)]
        values = [value for value in tallies[0].values if value in tallies[1].values]
        own, base = (_outcomes(counts[key[0]], key, attribute, values, codes) for key in (now, then))
        tested = not any(each["by_construction"] or each["one_answer"] for each in (row, before_rows[attribute]))
        gaps.append({"attribute": attribute, **_gap(own, base, settings, tested=tested)})
        after, before = on_common(own, base)
        for at, value in enumerate(values):
            moved = _moved(after.groups([at]), before.groups([at])).with_columns(value=pl.lit(value))
            tested_mean = mean_change((moved["now"] - moved["then"]).to_numpy(), Resampling(settings.seed), "change")
            means = {name: moved[name].mean() for name in ("then", "now")}
            groups.append({"attribute": attribute, "value": value, **means, **tested_mean})
            moves.append(moved)
    name = next(value for column, value in earlier.parts.items() if value != later.parts[column])
    return LaterAnswers(earlier, later, name, corrected_rows(gaps), corrected_rows(groups), _questions([*codes], moves))


def _moved(after: Counted, before: Counted) -> pl.DataFrame:
    """Mean outcome of one group then and now, of the questions that it has in both versions."""
    both = (after.n[0] > 0) & (before.n[0] > 0)
    columns = {"question": after.questions, "then": before.means[0], "now": after.means[0]}
    return pl.DataFrame({key: column[both] for key, column in columns.items()})


def _outcomes(counts: Counts, key: Key, attribute: str, values: Sequence[str], codes: dict[str, int]) -> Counted:
    """(G, T) outcomes of some groups, questions coded by their names alike for all files."""
    tally = counts.tallies[key[1], attribute]
    names = counts.answers.names("question")
    outcomes = tally.scored.groups([tally.values.index(value) for value in values])
    questions = [codes.setdefault(names[code], len(codes)) for code in outcomes.questions.tolist()]
    return outcomes._replace(questions=np.array(questions, dtype=np.int64))


def _gap(own: Counted, base: Counted, settings: VariantsSettings, *, tested: bool) -> Record:
    after, before = compared_sides(own, base, settings.min_size)
    changed = change(after, before, Resampling(settings.seed), tested=tested)
    then, now = (largest_difference(side.rates)[0] for side in (before, after))
    low, high = changed.interval
    return {"then": then, "now": now, "change": changed.value, "low": low, "high": high, "n": changed.n, "p": changed.p}


def _questions(names: Sequence[str], moves: Sequence[pl.DataFrame]) -> list[Record]:
    """Each question over all its groups."""
    if not moves:
        return []
    is_worse = pl.col("now") < pl.col("then") - ROUNDING
    of_question = pl.concat(moves).group_by("question", maintain_order=True)
    questions = of_question.agg(pl.col("then", "now").mean(), worse=pl.col("value").filter(is_worse))
    named = questions.with_columns(
        question=pl.Series(names, dtype=pl.String).gather(questions["question"]), change=pl.col("now") - pl.col("then")
    )
    return named.sort("change", "question").to_dicts()


# What may be said.


def since_finding(since: LaterAnswers) -> Finding:
    """How gaps changed, about whom answers did, how many questions got worse: only what the corrected tests allow."""
    title = f"Since {since.name}: "
    gaps = [row for row in since.gaps if not isnan(row["change"])]
    if why := no_verdict(since.now.rows) or no_verdict(since.then.rows):
        return Finding(f"{title}{why[:1].lower()}{why[1:]}", "")
    if not gaps:
        return Finding(f"{title}too few common questions to compare groups", "")
    widest = sorted(gaps, key=lambda row: -max(row["then"], row["now"]))
    significant = [row for row in widest if verdict(row["change"], row["p_holm"], row["n"]) in CHANGED]
    if significant:
        clauses = listing([_gap_words(row) for row in significant])
        title = f"{title}{'gap' if len(significant) == 1 else 'gaps'} {clauses}"
    else:
        title = f"{title}no gap changed significantly; the widest, {_gap_words(widest[0])}"
    return Finding(title, " ".join([*_group_words(since), _question_words(since)]))


CHANGED: tuple[Verdict, Verdict] = ("lower", "higher")
"""Verdicts of what changed."""


def _gap_words(row: Record) -> str:
    low, high = (100 * row[end] for end in ("low", "high"))
    between = f"change {interval(low, high, 0)}"
    return f"by {spoken(row['attribute'])} from {number(100 * row['then'], 0)} to {points(row['now'])} ({between})"


def _group_words(since: LaterAnswers) -> list[str]:
    """About whom there are significantly fewer right answers, and more."""
    unit: str = since.now.rows[0]["unit"]
    sentences: list[str] = []
    for way, word in zip(CHANGED, ("Down", "Up"), strict=True):
        changed = [row for row in since.groups if verdict(row["change"], row["p_holm"], row["n"]) == way]
        rows = [
            f"{people(row['attribute'], row['value'])} ({percent(row['then'])} to {percent(row['now'])})"
            for row in sorted(changed, key=lambda row: -abs(row["change"]))
        ]
        sentences += [f"{word}: {unit} about {listing(rows)}."] if rows else []
    return sentences or [f"No group's {unit} changed significantly."]


def _question_words(since: LaterAnswers) -> str:
    changes = [row["change"] for row in since.questions]
    n_worse, n_better = (sum(sign * change > ROUNDING for change in changes) for sign in (-1, 1))
    n_tests = (sum(not isnan(row["p_holm"]) for row in rows) for rows in (since.gaps, since.groups))
    corrected = " and ".join(plural(n, what) for n, what in zip(n_tests, ("gap", "group"), strict=True))
    return (
        f"{n_worse} of {plural(len(changes), 'question')} got worse over all groups, {n_better} better. Paired by "
        f"question; corrected for {corrected}."
    )
