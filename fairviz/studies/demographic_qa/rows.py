"""What an attribute does to the answers under one combination of columns: rates, largest differences, gaps, votes.

Every result is a row by the keys of its columns. Answers are counted in frames, by combination, attribute, group and
question; rates are means of scores with intervals over questions, whose answers move together
(:mod:`fairviz.stats.bootstrap`). Paired gaps compare two groups on the questions that both were asked: several
answers to one question about one group are averaged first, so that the question stays the unit, and McNemar's exact
test is then the sign test. Groups below the minimum size are shown, marked small, and leave the largest difference to
the others.

A change is against a base: the same without a remedy (plain), else without retrieval; where a file has neither, its
first strategy is a base for the table, and no sentence counts it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, combinations
from math import isnan, lcm
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import polars as pl

from fairviz.errors import UsageError
from fairviz.kernels.compiled import side_by_side
from fairviz.model import FloatArray, IntArray, Qrels, VariantAnswers
from fairviz.model.arrays import ratio
from fairviz.numerals import count
from fairviz.stats.bootstrap import Interval, Resampling, mean_intervals, percentiles
from fairviz.stats.tests import ROUNDING, holm_tested, mcnemar_exact, one_place, sign_flip
from fairviz.studies.demographic_qa.answers import (
    ALL_VALUES,
    IS_NEUTRAL,
    KEY,
    LAST,
    NAN,
    NEUTRAL,
    By,
    Record,
    answers_frame,
    combinations_of,
    groups_of,
)
from fairviz.studies.demographic_qa.measures import (
    UNTESTED,
    Counted,
    Difference,
    change,
    largest_difference,
    level,
    on_common,
)
from fairviz.studies.demographic_qa.names import is_plain, unit_of, words_of
from fairviz.studies.demographic_qa.retrieval import answered_lists, retrieval_overlap
from fairviz.studies.demographic_qa.settings import USUAL, VariantsSettings, Voters
from fairviz.studies.demographic_qa.votes import BY_CONSTRUCTION, ONE_VOTER, cast_votes

ONE_LIST = 100 - 1e-9
"""Overlap in percent from which on all variants of every question have one list of documents."""

FINEST = 10_000
"""Steps per point in which changes by a vote are counted, where they are no multiples of a larger one (ROUGE-L)."""

GAPS = ("gaps", "to_reference")
"""Gaps of a row: of every two groups, and of each group to the neutral question."""
TESTS = ("dp_", "eo_", "ddp_", "deo_")
"""Tests of a row: of DP, of EO, and of their changes against a base."""
VOTE_TESTS = ("", "vote_within_dp_", "vote_within_eo_", "vote_within_ddp_", "vote_within_deo_")
"""Tests of what votes change: the score, DP and EO of a vote within groups, and their change by it."""

R = TypeVar("R")
Key: TypeAlias = tuple[By, str]
"""A combination of columns, and an attribute, "" for the conditions of reference."""

# Counting


class Tally(NamedTuple):
    """Answers about one attribute under one combination of columns, or votes on its questions, counted.

    Attributes:
        facts: What is counted of all groups together, by the keys of rows; of votes n_votes, n_ties, n_abstained,
            n_voters (the mean) and most_voters.
        values: G names of groups that occur; of votes over all variants one.
        scored: Outcomes by group and question.
        able: The same of answers to answerable questions; the same object where all are.
        n_unread: (G) missing or unreadable answers among those with a known outcome.
        members: row, place of the group, and codes of the option answered (choice) and of the right one, −1 = none, of
            each answer; of votes nothing.
    """

    facts: Record
    values: tuple[str, ...]
    scored: Counted
    able: Counted
    n_unread: IntArray
    members: pl.DataFrame

    @property
    def overall(self) -> float:
        """Mean of all outcomes, whichever group they are about."""
        return float(self.scored.of_all.rates[0])

    def compared(self, min_size: int) -> "Tally":
        """Without the groups that leave the largest difference to the others, see :func:`compared`."""
        outcomes, able = (each.groups(compared(each.n_answers, min_size)) for each in (self.scored, self.able))
        return self._replace(scored=outcomes, able=outcomes if self.able is self.scored else able)


class Counts(NamedTuple):
    """All that is counted of a file.

    Attributes:
        answers: The answers.
        frame: A row per answer.
        by: The combinations of columns.
        settings: How they are looked at.
        resampling: Of the questions; permutations.
        tallies: By combination and attribute.
        votes: Of who votes, by combination and attribute ("" where it does not matter).
    """

    answers: VariantAnswers
    frame: pl.DataFrame
    by: list[By]
    settings: VariantsSettings
    resampling: Resampling
    tallies: dict[Key, Tally]
    votes: dict[Voters, dict[Key, Tally]]


def of_both(measure: Callable[..., R], *tallies: Tally) -> tuple[R, R]:
    """What is measured of known outcomes, and of those to answerable questions: once where these are all."""
    measured = measure(*(tally.scored for tally in tallies))
    alike = all(tally.able is tally.scored for tally in tallies)
    return measured, measured if alike else measure(*(tally.able for tally in tallies))


def _tallies(frame: pl.DataFrame, facts: pl.DataFrame, by: Sequence[By]) -> dict[Key, Tally]:
    """Count the answers, or votes, of each combination and attribute by group and question.

    Args:
        frame: Their columns: the key, group, value, question, score, able, unread; of answers also row, choice, right.
        facts: A row per key.
        by: The combinations.
    """
    options = pl.col("^(choice|right)$").to_physical().cast(pl.Int64).fill_null(-1)
    in_order = frame.select(
        *KEY, "group", "value", pl.col("question").to_physical(), "score", "able", "unread", pl.col("^row$"), options
    ).sort(
        pl.col("combination").cast(pl.Int64) * LAST + pl.col("attribute"), maintain_order=True
    )  # by one number: fast
    ends = in_order.group_by(KEY).len().sort(KEY)["len"].cum_sum().to_list()
    facts = facts.sort(KEY)
    tallies: dict[Key, Tally] = {}
    for combination, name, row, first, last in zip(
        *(facts[column] for column in ("combination", "name")),
        facts.drop(*KEY, "name").rows(named=True),
        [0, *ends[:-1]],
        ends,
        strict=True,
    ):
        own = in_order[first:last]
        _, firsts, groups = np.unique(own["group"].to_numpy(), return_index=True, return_inverse=True)
        score, questions, unread = (own[column].to_numpy() for column in ("score", "question", "unread"))
        scored, able = ~np.isnan(score), own["able"].to_numpy()
        outcomes = able_ones = _counted(groups[scored], questions[scored], score[scored], firsts.size)
        if not able[scored].all():
            which = scored & able
            able_ones = _counted(groups[which], questions[which], score[which], firsts.size)
        tallies[by[combination], name] = Tally(
            row,
            tuple(own["value"].gather(firsts)),
            outcomes,
            able_ones,
            np.bincount(groups[scored & unread], minlength=firsts.size),
            own.select("^(row|choice|right)$", group=pl.Series(groups)),
        )
    return tallies


def _counted(groups: IntArray, questions: IntArray, scores: FloatArray, n_groups: int) -> Counted:
    """(G, T) sums and numbers of scores, of the questions that have any."""
    distinct, index = np.unique(questions, return_inverse=True)
    shape, cells = (n_groups, distinct.size), groups * distinct.size + index
    sums = np.bincount(cells, scores, n_groups * distinct.size).reshape(shape)
    n = np.bincount(cells, minlength=n_groups * distinct.size).reshape(shape)
    return Counted(distinct, sums.astype(np.float64, copy=False), n.astype(np.float64))


def _facts(members: pl.DataFrame, *, binary: bool) -> pl.DataFrame:
    """What is counted of all groups together, a row per key."""
    score = pl.col("score")
    units = members.group_by(*KEY, "unit").agg(
        pl.col("group").n_unique(),
        agree=pl.col("reply").n_unique() == 1,
        known=score.is_not_null().all() & binary,
        low=score.min(),
        high=score.max(),
    )
    several = members.group_by(KEY).agg(n_groups=pl.col("group").n_unique())
    whole = (pl.col("group") == pl.col("n_groups")) & (pl.col("n_groups") > 1)
    scored = pl.col("known").filter("whole").sum()
    agreement = (
        units.join(several, on=KEY)
        .with_columns(whole=whole)
        .group_by(KEY)
        .agg(
            agree=pl.col("agree").filter("whole").mean(),
            all_correct=(pl.col("known") & (pl.col("low") == 1)).filter("whole").sum() / scored,
            any_correct=(pl.col("known") & (pl.col("high") == 1)).filter("whole").sum() / scored,
            n_complete=pl.col("whole").sum(),
            n_incomplete=(~pl.col("whole")).sum(),
        )
        .with_columns(pl.col("agree").fill_null(NAN))
    )
    facts = members.group_by(KEY).agg(
        pl.col("name", "alone").first(),
        answerable=pl.col("definition").first(),
        guess=pl.col("guess").first().fill_null(NAN),
        n_questions=pl.col("question").n_unique(),
        n_unknown=score.null_count(),
    )
    return facts.join(agreement, on=KEY)


def _votes(counts: Counts, members: pl.DataFrame, who: Voters) -> dict[Key, Tally]:
    """Let answers vote: everything said about a group ``within`` groups, else every variant about anybody."""
    if who == "within":
        ballots = members.filter((pl.col("name") != "") & pl.col("own").any().over(*KEY, "group"))
    else:
        about = pl.col("condition").is_null()
        voting = about | IS_NEUTRAL if who == "all" else about
        ballots = counts.frame.filter(voting).with_columns(attribute=0, name=pl.lit(""), group=0, value=pl.lit(""))
    cast = cast_votes(counts.answers, ballots, counts.settings)
    facts = cast.group_by(KEY).agg(
        pl.col("name").first(),
        n_votes=pl.len(),
        n_ties=pl.col("tied").sum(),
        n_abstained=pl.col("abstained").sum(),
        most_voters=pl.col("n_voters").max(),
        n_voters=pl.col("n_voters").mean(),
    )
    votes = _tallies(cast.with_columns(unread=pl.lit(False)), facts, counts.by)
    intervals = rate_intervals(list(votes.values()), counts.resampling)
    for tally, (ends, *_) in zip(votes.values(), intervals, strict=True):
        tally.facts.update(zip(("accuracy", "low", "high"), (tally.overall, *ends), strict=True))
    return votes


def counts_of(
    answers: VariantAnswers,
    settings: VariantsSettings = USUAL,
    by: Sequence[str] = (),
    *,
    voters: Sequence[Voters] = (),
    pooled: bool = False,
    qrels: Qrels | None = None,
    resampling: Resampling | None = None,
) -> Counts:
    """Count a file.

    Args:
        answers: The answers.
        settings: Which answers are right, which questions are answerable, how votes are counted.
        by: Columns to separate.
        voters: Who votes.
        pooled: Also count the values of all attributes side by side.
        qrels: Judgements by question id, that say whether the evidence was right.
        resampling: Of the questions, and permutations; as usual with the seed of the settings.

    Raises:
        UsageError: A column or threshold that does not fit the answers.
    """
    frame = answers_frame(answers, settings, by, qrels=qrels)
    members, combined = groups_of(answers, frame, pooled=pooled), combinations_of(frame, by)
    own = members.filter("own")
    tallies = _tallies(own, _facts(own, binary=_is_binary(answers, settings)), combined)
    counts = Counts(answers, frame, combined, settings, resampling or Resampling(settings.seed), tallies, {})
    return counts._replace(votes={who: _votes(counts, members, who) for who in dict.fromkeys(voters)})


def _is_binary(answers: VariantAnswers, settings: VariantsSettings) -> bool:
    """Whether answers are right or wrong, not a ROUGE-L."""
    return answers.kind == "closed" or settings.threshold is not None


# Rows


def rows_of(counts: Counts, *, wanted: Callable[[str], bool] = bool) -> list[Record]:
    """The rows of what was counted, their p corrected over their tables.

    Args:
        counts: Of a file.
        wanted: Whether an attribute is.

    Raises:
        UsageError: Letters of open answers.

    Of each row, beside the keys of the tables (``columns``):
        by, base: The combination, and the one that ddp and deo are against; None where there is none.
        unit: What a rate counts. guess: how often guessing would be right, NaN where that is not known.
        alone: False where the attribute occurs in intersectional variants only, whose answers then count for it.
        groups, conditions: Rate of every group, and of every condition of reference (neutral, original).
        gaps, to_reference: Every pair of groups, and every group against the neutral condition, paired by question.
        dp, eo: Largest difference of two groups' rates, and the same among answerable questions; NaN below two groups.
        best, worst: The groups of ``dp``: "" where it is undefined, one group twice where it is 0.
        small: Whether fewer than two groups reach the minimum size: then small ones are compared.
        dp_n, dp_n_tests: Questions about at least two groups, and tests of the table; so are those of eo, ddp and deo.
        answerable: Which questions are; "" where nothing says so, and ``eo`` is undefined.
        one_answer, one_n: What all answers are whatever is asked, in words, and of how many; None where they are not
            one. Of such answers there is no verdict, and no test.
        by_construction: Whether ``dp`` is 0 because nobody is mentioned any more: every question has one answer, to
            one list of documents or by a strategy that removes the mention.
        natural: Whether the base is a natural baseline: no mitigation, no retrieval; else the file's first strategy.
        vote: That of the settings, None where it was not taken.
        overlap: Retrieval overlap at each depth, where documents were recorded.
    """
    settings = counts.settings
    if settings.outcome == "letters" and counts.answers.kind == "open":
        raise UsageError("letters are the options of closed questions; these answers are open")

    keys = [key for key in counts.tallies if not key[1] or wanted(key[1])]
    made = rate_intervals([counts.tallies[key] for key in keys], counts.resampling)
    intervals = dict(zip(keys, made, strict=True))
    rows: list[Record] = []
    for key in keys:
        if key[1]:
            row = _row(counts, key, intervals)
            row |= _letters(counts, key) if settings.outcome == "letters" else NO_LETTERS
            row["overlap"] = overlaps_of(counts, key, settings.k or (None,))
            row["vote"] = measured_vote(counts, key, settings.vote) if settings.vote in counts.votes else None
            rows.append(row)
    return corrected(side_by_side(lambda row: row | _in_company(row, rows, counts), rows))


def rate_intervals(tallies: Sequence[Tally], resampling: Resampling) -> list[list[Interval]]:
    """Of each tally the interval of its mean outcome, then (G) those of its groups' rates; all resampled together."""
    tables = [table for tally in tallies for each in (tally.scored.of_all, tally.scored) for table in each.tables]
    ends = iter(mean_intervals(tables, resampling))
    return [[next(ends) for _ in range(1 + len(tally.values))] for tally in tallies]


def _row(counts: Counts, key: Key, intervals: Mapping[Key, Sequence[Interval]]) -> Record:
    """Rates, differences and paired gaps of one attribute."""
    (by, attribute), min_size, resampling = key, counts.settings.min_size, counts.resampling
    tally, reference = counts.tallies[key], (by, "")
    (low, high), *of_groups = intervals[key]
    single_option, means = _one_option(tally, counts.answers.names("choice")), tally.scored.means
    pairs = list(combinations(range(len(tally.values)), 2))
    gaps = _gaps(pairs, tally.values, means, tally.values, means, resampling)
    if single_option["one_answer"]:
        gaps = [gap | {"p": NAN, "p_holm": NAN} for gap in gaps]
    groups = _group_rates(tally, of_groups, min_size)
    large = {tally.values[group] for group in compared(tally.scored.n_answers, min_size).tolist()}
    gaps = [gap | {"small": not {gap["first"], gap["second"]} <= large} for gap in gaps]
    conditions = counts.tallies.get(reference)
    return {
        "by": by,
        "attribute": attribute,
        "unit": unit_of(counts.answers.kind, counts.settings.threshold),
        **tally.facts,
        "groups": groups,
        "conditions": _group_rates(conditions, intervals[reference][1:], min_size) if conditions else [],
        "small": sum(not group["small"] for group in groups) < 2,
        "score": tally.overall,
        "score_low": low,
        "score_high": high,
        **_extremes(tally, min_size),
        "gaps": gaps,
        "to_reference": _reference_gaps(tally, conditions, resampling),
        **single_option,
    }


def compared(n: IntArray, min_size: int) -> IntArray:
    """Groups that enter the largest difference: those of at least the minimum size.

    Where fewer than two are that large, all that have answers: a small table is still a table, and
    its groups are marked small.

    Examples:
        >>> compared(np.array([40, 3, 20]), 10)
        array([0, 2])
        >>> compared(np.array([4, 3, 0]), 10)
        array([0, 1])
    """
    large = np.flatnonzero(n >= max(min_size, 1))
    return large if large.size > 1 else np.flatnonzero(n > 0)


def _extremes(tally: Tally, min_size: int) -> Record:
    """The groups of the largest difference of those that are :func:`compared`; "" where it is undefined."""
    large = compared(tally.scored.n_answers, min_size)
    _, best, worst = largest_difference(tally.scored.rates[large])
    names = ("", "") if best < 0 else (tally.values[int(large[best])], tally.values[int(large[worst])])
    return dict(zip(("best", "worst"), names, strict=True))


def _group_rates(tally: Tally, intervals: Sequence[Interval], min_size: int) -> list[Record]:
    """The rate of every group; worst case: if every unread answer were wrong, as it counts, or right."""
    rate, n = tally.scored.rates, tally.scored.n_answers
    low, high = np.array(intervals).T
    unread = ratio(tally.n_unread, n)
    return pl.DataFrame(
        {
            "value": tally.values,
            "rate": rate,
            "low": low,
            "high": high,
            "n": n,
            "n_unparsed": tally.n_unread,
            "small": n < min_size,
            "rate_answerable": tally.able.rates,
            "n_answerable": tally.able.n_answers,
            "rate_worst_low": np.where(unread > 0, rate, NAN),
            "rate_worst_high": np.where(unread > 0, np.minimum(rate + unread, 1.0), NAN),
        }
    ).to_dicts()


def _one_option(tally: Tally, options: Sequence[str]) -> Record:
    """The option that answers name whatever is asked, where what is right and what is wrong cannot be why."""
    answered, right = (
        np.bincount(tally.members[name].to_numpy() + 1, minlength=len(options) + 1)[1:].astype(np.float64)
        for name in ("choice", "right")
    )
    n_right = int(right.sum())
    if n_right and len(options) > 1:
        share = right / n_right
        favourite = one_place(answered, np.maximum(share, (1 - share) / (len(options) - 1)), tally.facts["n_questions"])
        if favourite:
            words = f"{count(favourite.n)} of {count(favourite.n_answers)} answers are {options[favourite.place]}"
            return {"one_answer": words, "one_n": favourite.n_answers}
    return {"one_answer": None, "one_n": 0}


NO_LETTERS: Record = {
    f"{name}_{what}": {} if what == "letters" else NAN for name in ("dp", "eo") for what in ("letters", "macro", "max")
}


def _letters(counts: Counts, key: Key) -> Record:
    """DP and EO with Ŷ = "answers option L", for each option that was answered or right; their mean and the largest.

    A mean over options says little about correctness: a group may be answered wrongly far more often while each option
    is answered as often as for the others.
    """
    members, options = counts.tallies[key].members, counts.answers.names("choice")
    choice, right = pl.col("choice"), pl.col("right")
    seen: list[int] = sorted({*members["choice"], *members["right"]} - {-1})
    of_groups = members.group_by("group", maintain_order=True).agg(
        *((choice == code).mean().alias(f"dp {code}") for code in seen),
        *((choice == code).filter(right == code).mean().alias(f"eo {code}") for code in seen),
        n=pl.len(),
    )
    large = compared(of_groups["n"].to_numpy(), counts.settings.min_size)
    row: Record = {}
    for name in ("dp", "eo"):
        rates = (of_groups[f"{name} {code}"].fill_null(NAN).to_numpy()[large] for code in seen)
        differences = {options[code]: largest_difference(own)[0] for code, own in zip(seen, rates, strict=True)}
        defined = [value for value in differences.values() if not isnan(value)]
        row |= {
            f"{name}_letters": differences,
            f"{name}_macro": float(np.mean(defined)) if defined else NAN,
            f"{name}_max": max(defined, default=NAN),
        }
    return row


def overlaps_of(counts: Counts, key: Key, depths: Sequence[int | None]) -> list[Record]:
    """Retrieval overlap at each depth; [] where no documents were recorded for variants of the attribute alone."""
    (by, attribute), tally = key, counts.tallies[key]
    n_lists = counts.frame["retrieved"].count()
    if attribute == ALL_VALUES or not tally.facts["alone"] or not n_lists:
        return []
    answers = counts.frame.filter(pl.col("combination") == counts.by.index(by))
    documents = answers.join(tally.members, on="row", how="semi")["retrieved"]
    if documents.null_count() == len(documents):
        return []
    lists = answered_lists(answers, tally.members, tally.values)
    return [retrieval_overlap(lists, attribute, k=k, seed=counts.settings.seed) for k in depths]


# Two groups on the same questions


def _reference_gaps(tally: Tally, reference: Tally | None, resampling: Resampling) -> list[Record]:
    """Every group against the variant that mentions nobody, on the questions that have both."""
    outcomes = tally.scored
    neutral = Counted(outcomes.questions[:0], outcomes.sums[:1, :0], outcomes.n[:1, :0])
    if reference and NEUTRAL in reference.values:
        neutral = reference.scored.groups([reference.values.index(NEUTRAL)])
    first, other = on_common(outcomes, neutral)
    pairs = [(group, 0) for group in range(len(tally.values))]
    return _gaps(pairs, tally.values, first.means, (NEUTRAL,), other.means, resampling)


def _gaps(
    pairs: Sequence[tuple[int, int]],
    values: Sequence[str],
    first: FloatArray,
    others: Sequence[str],
    second: FloatArray,
    resampling: Resampling,
) -> list[Record]:
    """One group against another on the questions that both were asked; p as it is, to be corrected over the table.

    Of each: gap, the mean over questions of first − second, with interval and standard error (se); n common questions,
    first_only and second_only, on which one did better; p, McNemar's exact one over these.

    Args:
        pairs: Of which groups, on either side.
        values: Names of the first side's groups.
        first: (G, T) their means by question; NaN where a group was not asked.
        others: Names of the second side's.
        second: (H, T) their means.
        resampling: Of the questions.
    """
    ahead_of, behind_of = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    differences = first[ahead_of] - second[behind_of]
    common = [own[~np.isnan(own)] for own in differences]
    if np.isnan(differences).any():
        intervals = mean_intervals([np.stack([own, np.ones_like(own)]) for own in common], resampling)
    else:  # the total of a difference is the difference of totals, of which there are fewer
        totals = resampling.sums(first)[ahead_of] - resampling.sums(second)[behind_of]
        n_questions = resampling.sums(np.ones(differences.shape[1]))
        intervals = percentiles(ratio(totals, n_questions), differences.shape[1]).each
    gaps: list[Record] = []
    for (mine, its), own, ends in zip(pairs, common, intervals, strict=True):
        n, ahead, behind = own.size, int((own > ROUNDING).sum()), int((own < -ROUNDING).sum())
        p = mcnemar_exact(ahead, behind) if n else NAN
        names: Record = {"first": values[mine], "second": others[its]}
        gap = names | {"gap": float(own.mean()) if n else NAN, **ends._asdict()}
        gap |= {"n": n, "first_only": ahead, "second_only": behind, "p": p, "p_holm": p, "n_tests": 1}
        gaps.append(gap | {"se": float(own.std(ddof=1)) / n**0.5 if n > 1 else NAN})
    return gaps


# What takes the other rows to know


def difference_cells(name: str, difference: Difference) -> Record:
    """A largest difference, or its change, and what stands beside it: chance level, interval, p, counts."""
    fields = difference._asdict() | {"low": difference.interval.low, "high": difference.interval.high}
    keys = ("chance", "low", "high", "p", "n")
    return {name: difference.value, **{f"{name}_{key}": fields[key] for key in keys}}


def _in_company(row: Record, rows: Sequence[Record], counts: Counts) -> Record:
    """What chance gives of a row, and its change against its base."""
    key, min_size, resampling = (row["by"], row["attribute"]), counts.settings.min_size, counts.resampling
    tally, by_construction = counts.tallies[key], _no_mention(row, rows)
    tested = not (by_construction or row["one_answer"])
    by_chance = partial(level, resampling=resampling, tested=tested)
    record: Record = {"by_construction": by_construction}
    for name, each in zip(("dp", "eo"), of_both(by_chance, tally.compared(min_size)), strict=True):
        record |= difference_cells(name, each)
    changes = UNTESTED, UNTESTED
    alike = {other["by"]: other for other in rows if other["attribute"] == row["attribute"]}
    record["base"], record["natural"] = baseline_of(row["by"], list(alike))
    if record["base"] is not None:
        base, base_tally = alike[record["base"]], counts.tallies[record["base"], row["attribute"]]
        tested = tested and not (base["one_answer"] or _no_mention(base, rows))
        if set(tally.values) == set(base_tally.values):
            of_base = [base_tally.values.index(value) for value in tally.values]

            def changed(own: Counted, other: Counted) -> Difference:
                return change(*compared_sides(own, other.groups(of_base), min_size), resampling, tested=tested)

            changes = of_both(changed, tally, base_tally)
    for name, each in zip(("ddp", "deo"), changes, strict=True):
        record |= difference_cells(name, each)
    return record


def compared_sides(own: Counted, base: Counted, min_size: int) -> tuple[Counted, Counted]:
    """Two sides of which a largest difference is compared: the groups large in both, on common questions."""
    after, before = on_common(own, base)
    kept = compared(np.minimum(after.n_answers, before.n_answers), min_size)
    return after.groups(kept), before.groups(kept)


def _no_mention(row: Record, rows: Sequence[Record]) -> bool:
    """Whether every group was answered alike, question by question, because the mention was taken out.

    Its strategy says so, or every question has one list of documents whoever asks, while other rows' lists differ.
    """
    if row["agree"] != 1:
        return False
    if row["attribute"] == ALL_VALUES:
        own = [other for other in rows if other["by"] == row["by"] and other["attribute"] != ALL_VALUES]
        return bool(own) and all(_no_mention(other, rows) for other in own)
    if dict(row["by"]).get("strategy", "").strip().lower() in words_of("names")["no_mention"]:
        return True
    shared = [overlap["all"] for overlap in row["overlap"]]
    others = chain.from_iterable(other["overlap"] for other in rows if other["attribute"] == row["attribute"])
    return bool(shared) and min(shared) >= ONE_LIST and any(overlap["all"] < ONE_LIST for overlap in others)


def baseline_of(by: By, others: Sequence[By]) -> tuple[By | None, bool]:
    """What a combination is compared with, and whether it is a natural baseline.

    The same, but plain, or without retrieval, or of the first strategy.

    Examples:
        >>> bys = [(("strategy", name),) for name in ("COT", "plain")]
        >>> baseline_of(bys[0], bys)
        ((('strategy', 'plain'),), True)
        >>> baseline_of(bys[1], bys)
        (None, False)
    """
    values = dict(by)

    def alike(*but: str) -> list[dict[str, str]]:
        rest = {name: value for name, value in values.items() if name not in but}
        return [other for other in map(dict, others) if rest.items() <= other.items()]

    remedy = "strategy" in values and not is_plain(values["strategy"])
    baseline: dict[str, str] | None = None
    if remedy:
        baseline = next((other for other in alike("strategy") if is_plain(other["strategy"])), None)
    if baseline is None and not _nothing_retrieved(values.get("retriever", "")):
        baseline = next((other for other in alike("retriever", "k") if _nothing_retrieved(other["retriever"])), None)
    if baseline is not None:
        return tuple(baseline.items()), True
    first = next(iter(alike("strategy")), values) if remedy else values
    return (None, False) if first == values else (tuple(first.items()), False)


def _nothing_retrieved(retriever: str) -> bool:
    return retriever.strip().lower() in words_of("names")["without_retrieval"]


def corrected(rows: Sequence[Record]) -> list[Record]:
    """The rows with p corrected by Holm over their table, under every condition.

    Gaps are one table, over all pairs, those to the neutral question another; DP and EO are a third, over every level
    and every change. Single attributes, combinations of attributes, and the values of all side by side are tables of
    their own: many pairs of combinations say nothing of a single attribute. What votes change is one table: every
    score, DP and EO of a vote, and every change by it.
    """
    fresh = [row | {what: [dict(gap) for gap in row[what]] for what in GAPS} for row in rows]
    tables: dict[tuple[bool, bool], list[Record]] = {}
    for row in fresh:
        tables.setdefault((row["attribute"] == ALL_VALUES, "+" in row["attribute"]), []).append(row)
    for of_table in tables.values():
        for what in GAPS:
            _correct([gap for row in of_table for gap in row[what]], ("",))
        _correct(of_table, TESTS)
    _correct([row for row in fresh if "change" in row], VOTE_TESTS)
    return fresh


def _correct(rows: Sequence[Record], tests: Sequence[str]) -> None:
    """Set ``p_holm`` and ``n_tests`` of several tests in each row, over all of them that have questions enough."""
    places = [(row, name) for row in rows for name in tests]
    p_values = holm_tested((row[f"{name}p"], row[f"{name}n"]) for row, name in places)
    n_tests = len(p_values) - sum(map(isnan, p_values))
    for (row, name), p in zip(places, p_values, strict=True):
        row[f"{name}p_holm"], row[f"{name}n_tests"] = p, n_tests


# Votes


def measured_vote(counts: Counts, key: Key, who: Voters) -> Record:
    """Accuracy and parity after a vote; of whole questions every group has one answer, and DP is 0 by construction.

    n_votes, n_ties and n_abstained count votes, those in which several answers led, and those without an answer, which
    count as wrong; n_voters is the mean number of answers in a vote; note is what to know of these numbers, or "".
    """
    values, min_size, resampling = counts.tallies[key].values, counts.settings.min_size, counts.resampling
    votes = counts.votes[who][key if who == "within" else (key[0], "")]
    extremes, note = {"best": "", "worst": ""}, BY_CONSTRUCTION
    if who == "within":
        extremes, note = _extremes(votes, min_size), ONE_VOTER if votes.facts["most_voters"] <= 1 else ""
        levels = of_both(partial(level, resampling=resampling, tested=not note), votes.compared(min_size))
    else:
        several = len(values) > 1
        levels = [Difference(0.0 if several and each.n.any() else NAN) for each in (votes.scored, votes.able)]
    return {
        "voters": who,
        "ties": counts.settings.vote_ties,
        **{name: n for name, n in votes.facts.items() if name != "most_voters"},
        **difference_cells("dp", levels[0]),
        **difference_cells("eo", levels[1]),
        **extremes,
        "note": note,
    }


BOTH: tuple[Voters, ...] = ("all", "within")
"""Who votes beside each strategy."""


def with_votes(counts: Counts, rows: Sequence[Record]) -> list[Record]:
    """Rows with both votes beside them, of counts in which both were taken; those of all values stay as they are.

    change: mean over questions of the outcome of a vote over all variants minus that without a vote, with interval, n
    and p of the exact sign-flip test. vote_within_ddp, vote_within_deo: DP and EO with the vote within groups minus
    those without, on the same questions.
    """

    def with_both(row: Record) -> Record:
        key = (row["by"], row["attribute"])
        if key not in counts.tallies or row["attribute"] == ALL_VALUES:
            return row
        tally = counts.tallies[key]
        over_all, within = (measured_vote(counts, key, who) for who in BOTH)
        changes = UNTESTED, UNTESTED
        if not (within["note"] or row["by_construction"]):
            changes = of_both(partial(_change_within, counts), tally, counts.votes["within"][key])
        record: Record = {"vote_score": over_all["accuracy"], "vote_n_ties": over_all["n_ties"]}
        for name, changed in zip(("dp", "eo"), changes, strict=True):
            untested = difference_cells(name, UNTESTED._replace(value=within[name]))
            level_of = untested if row["by_construction"] else {key: within[key] for key in untested}
            record |= {f"vote_within_{key}": value for key, value in level_of.items()}
            larger = within[f"{name}_p"] if changed.value > 0 else row[f"{name}_p"]
            more = changed._replace(p=float(np.maximum(changed.p, larger)))
            record |= difference_cells(f"vote_within_d{name}", more)
        votes = counts.votes["all"][row["by"], ""]
        return row | record | vote_gain(tally.scored, votes.scored, counts.resampling)

    return corrected(side_by_side(with_both, rows))


def _change_within(counts: Counts, answers: Counted, votes: Counted) -> Difference:
    """A largest difference of votes within groups minus that of the answers, a question's answers about a group as one.

    A vote is one answer where there were several: means weigh the same, so that both sides can be swapped. Single votes
    vary more than means of answers, so that chance alone makes their largest difference larger: p is the larger one of
    the swaps and of the larger difference itself, as there is no change where that is no more than chance.
    """
    kept = compared(np.minimum(answers.n_answers, votes.n_answers), counts.settings.min_size)
    plain, others = (
        Counted(each.questions, np.nan_to_num(each.means), (each.n > 0).astype(np.float64))
        for each in (answers.groups(kept), votes.groups(kept))
    )
    return change(*on_common(others, plain), counts.resampling)


def vote_gain(answers: Counted, votes: Counted, resampling: Resampling) -> Record:
    """The change on the questions that have a vote and answers about groups.

    The sign of each question's change is a coin where the vote changes nothing. Student's t finds a change too often
    in so few values of so few questions (ten of them, two conditions: 6.3 % of worlds without effect).
    """
    of_answers, of_votes = answers.of_all, votes.of_all
    plain, of_vote = on_common(of_answers, of_votes)
    steps = lcm(*{int(n) for n in np.concatenate([of_answers.n[0], of_votes.n[0]]) if n})
    return mean_change(of_vote.means[0] - plain.means[0], resampling, "change", steps) | {"p_holm": NAN}


def mean_change(changes: FloatArray, resampling: Resampling, of: str, steps: int = 1) -> Record:
    """The mean of questions' changes with interval, n, and p of the sign-flip test; undefined without a question.

    Args:
        changes: By question.
        resampling: Of the questions, and signs.
        of: What the mean is called.
        steps: Of a point, of which changes should be multiples; where they are none, they are rounded to the finest.
    """
    if not changes.size:
        return {of: NAN, "low": NAN, "high": NAN, "n": 0, "p": NAN}
    if steps > FINEST or (np.abs(np.rint(steps * changes) - steps * changes) > steps * ROUNDING).any():
        steps = FINEST
    flips = np.rint(steps * changes)
    (ends,) = mean_intervals([np.stack([flips, np.ones_like(flips)])], resampling)  # whole numbers are fast
    p = sign_flip(flips[None].astype(np.int64), np.array([steps]), seed=resampling.seed).p
    return {of: float(changes.mean()), "low": ends.low / steps, "high": ends.high / steps, "n": changes.size, "p": p}
