"""What an attribute does to the answers under one combination of columns: rates, largest differences, gaps, votes.

Every result is a row by the keys of its columns. Answers are counted in frames, by combination, attribute, group and
question; rates are means of scores with intervals over questions, whose answers move together
(:mod:`fairviz.stats.disaggregation`). Paired gaps compare two groups on the questions that both were asked: several
answers to one question about one group are averaged first, so that the question stays the unit, and McNemar's exact
test is then the sign test. Groups below the minimum size are shown, marked small, and leave the largest difference to
the others.

A change is against a base: the same without a remedy (plain), else without retrieval; where a file has neither, its
first strategy is a base for the table, and no sentence counts it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import isnan, lcm
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import polars as pl

from fairviz.errors import UsageError
from fairviz.kernels.compiled import side_by_side
from fairviz.model import FloatArray, IntArray, Qrels
from fairviz.model.variants import UNKNOWN, VariantAnswers
from fairviz.numerals import count
from fairviz.stats.bootstrap import N_RESAMPLES, Interval
from fairviz.stats.disaggregation import Resampling, common_differences, mean_intervals
from fairviz.stats.tests import MIN_UNITS, ROUNDING, holm, mcnemar_exact, one_place, sign_flip
from fairviz.studies.demographic_qa.chance import N_PERMUTATIONS, UNTESTED, Difference, change, level
from fairviz.studies.demographic_qa.frames import (
    ALL_VALUES,
    NAN,
    NEUTRAL,
    Answerable,
    AnswersFrame,
    By,
    Groups,
    Record,
    answers_frame,
    groups_of,
)
from fairviz.studies.demographic_qa.measures import (
    Counted,
    largest,
    largest_difference,
    macro,
    on_common,
    option_counts,
    option_differences,
)
from fairviz.studies.demographic_qa.names import is_plain
from fairviz.studies.demographic_qa.overlap import answered_lists, retrieval_overlap
from fairviz.studies.demographic_qa.questions import error_cases
from fairviz.studies.demographic_qa.votes import BY_CONSTRUCTION, ONE_VOTER, Voters, VoteRule, cast_votes

Outcome: TypeAlias = Literal["correct", "letters"]
"""What Ŷ = 1 means: the answer is right; or also, one versus rest, that it is a certain option."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

MIN_SIZE = MIN_UNITS
"""Groups with fewer answers are marked small and leave the largest difference to the others."""

ONE_LIST = 100 - 1e-9
"""Overlap in percent from which on all variants of every question have one list of documents."""

FINEST = 10_000
"""Steps per point in which changes by a vote are counted, where they are no multiples of a larger one (ROUGE-L)."""

KEY = ("combination", "attribute")
TESTS = ("dp_", "eo_", "ddp_", "deo_")
"""Tests of a row: of DP, of EO, and of their changes against a base."""
VOTE_TESTS = ("", "vote_within_dp_", "vote_within_eo_", "vote_within_ddp_", "vote_within_deo_")
"""Tests of what votes change: the score, DP and EO of a vote within groups, and their change by it."""

# Counting


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """Answers about one attribute under one combination of columns, counted.

    Attributes:
        combination, by: Its code, and its columns.
        attribute: "race"; "race+gender" for intersectional cells; "all"; "" for conditions of reference.
        values: G names of groups that occur.
        known: Outcomes by group and question.
        able: The same of answers to answerable questions.
        n_unread: (G) missing or unreadable answers among those with a known outcome.
        facts: What is counted of all groups together, by the keys of rows.
        members: Record, option answered, right option and place of the group of each answer.
    """

    combination: int
    by: By
    attribute: str
    values: tuple[str, ...]
    known: Counted
    able: Counted
    n_unread: IntArray
    facts: Record
    members: pl.DataFrame


def _cells(frame: pl.DataFrame, keys: Sequence[str]) -> dict[tuple[Any, ...], pl.DataFrame]:
    """Sums and numbers of outcomes by group and question, for each combination of the keys."""
    score, able = pl.col("score"), pl.col("score").filter("able")
    cells = frame.group_by(*keys, "group", "question").agg(
        known_sum=score.sum(), known_n=score.count(), able_sum=able.sum(), able_n=able.count()
    )
    return cells.sort(*keys, "group", "question").partition_by(*keys, as_dict=True)


def _counted(cells: pl.DataFrame, groups: Sequence[int], which: Literal["known", "able"]) -> Counted:
    """(G, T) sums and numbers of the cells that have any."""
    n = cells[f"{which}_n"].to_numpy()
    kept = n > 0
    questions, place = np.unique(cells["question"].to_numpy()[kept], return_inverse=True)
    group = np.searchsorted(groups, cells["group"].to_numpy()[kept])
    sums, numbers = np.zeros((2, len(groups), questions.size))
    sums[group, place], numbers[group, place] = cells[f"{which}_sum"].to_numpy()[kept], n[kept]
    return Counted(questions, sums, numbers)


def _tallies(laid: AnswersFrame, groups: Groups) -> list[Tally]:
    """Count every attribute under every combination."""
    own = groups.members.filter("own")
    score = pl.col("score")
    of_groups = own.group_by(*KEY, "group").agg(n_unread=(pl.col("unread") & score.is_not_null()).sum()).sort("group")
    n_groups = of_groups.group_by(KEY).len("n_groups")
    units = own.group_by(*KEY, "unit").agg(
        pl.col("group").n_unique(),
        agree=pl.col("said").n_unique() == 1,
        known=score.is_not_null().all() & laid.binary,
        low=score.min(),
        high=score.max(),
    )
    whole = (pl.col("group") == pl.col("n_groups")) & (pl.col("n_groups") > 1)
    scored = pl.col("known").filter("whole").sum()
    agreement = (
        units.join(n_groups, on=KEY)
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
    facts = own.group_by(KEY).agg(
        pl.col("alone").first(), n_questions=pl.col("question").n_unique(), n_unknown=score.null_count()
    )
    cells, each_group = _cells(own, KEY), of_groups.partition_by(KEY, as_dict=True)
    of_key = own.select(*KEY, "row", "group", "choice", "gold").partition_by(KEY, as_dict=True)
    tallies: list[Tally] = []
    for row in facts.join(agreement, on=KEY).sort(KEY).rows(named=True):
        combination: int = row.pop("combination")
        attribute: int = row.pop("attribute")
        key = combination, attribute
        codes: list[int] = each_group[key]["group"].to_list()
        tallies.append(
            Tally(
                combination=combination,
                by=laid.by[combination],
                attribute=groups.attributes[attribute],
                values=tuple(groups.named(attribute, codes)),
                known=_counted(cells[key], codes, "known"),
                able=_counted(cells[key], codes, "able"),
                n_unread=each_group[key]["n_unread"].to_numpy(),
                facts=row,
                members=of_key[key].with_columns(group=np.searchsorted(codes, of_key[key]["group"].to_numpy())),
            )
        )
    return tallies


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteTally:
    """Votes on the questions of one combination, ``within`` groups on those of one attribute.

    Attributes:
        known: Outcomes of the votes, by group ``within`` groups, else as of one.
        able: Those of votes on answerable questions.
        facts: n_votes, n_ties, n_abstained, n_voters (the mean), most_voters.
    """

    known: Counted
    able: Counted
    facts: Record


VoteTallies: TypeAlias = dict[tuple[Voters, By, str], VoteTally]
"""Votes by who votes, combination, and attribute (``within``, else "")."""


def _votes(
    laid: AnswersFrame, groups: Groups, rule: VoteRule, voters: Sequence[Voters], *, all_values: bool
) -> VoteTallies:
    """Let answers vote: everything said about a group ``within`` groups, else every variant about anybody.

    Args:
        laid: The answers.
        groups: Whom they are about.
        rule: How votes are counted.
        voters: Who votes.
        all_values: Whether votes within groups are taken for the values of all attributes side by side, too.
    """
    tallies: VoteTallies = {}
    for who in dict.fromkeys(voters):
        if who == "within":
            left_out = [""] if all_values else ["", ALL_VALUES]
            skipped = [code for code, name in enumerate(groups.attributes) if name in left_out]
            occurs = pl.col("own").any().over(*KEY, "group")
            ballots = groups.members.filter(~pl.col("attribute").is_in(skipped) & occurs)
        else:
            voting = pl.col("about") | pl.col("nobody") if who == "all" else pl.col("about")
            ballots = laid.frame.filter(voting).with_columns(attribute=0, group=0)
        votes = cast_votes(laid, ballots, rule, (*KEY, "group"))
        cells = _cells(votes, KEY)
        facts = votes.group_by(KEY).agg(
            n_votes=pl.len(),
            n_ties=pl.col("tied").sum(),
            n_abstained=pl.col("abstained").sum(),
            most_voters=pl.col("n_voters").max(),
            n_voters=pl.col("n_voters").mean(),
        )
        for row in facts.rows(named=True):
            combination: int = row.pop("combination")
            attribute: int = row.pop("attribute")
            own = cells[combination, attribute]
            codes: list[int] = own["group"].unique().sort().to_list()
            name = groups.attributes[attribute] if who == "within" else ""
            tallies[who, laid.by[combination], name] = VoteTally(
                known=_counted(own, codes, "known"), able=_counted(own, codes, "able"), facts=row
            )
    return tallies


class Counts(NamedTuple):
    """All that is counted of a file."""

    laid: AnswersFrame
    tallies: list[Tally]
    votes: VoteTallies


BY_ALL = VoteRule(voters="all")
"""How votes are counted unless another rule is named."""


def counts_of(
    answers: VariantAnswers,
    by: Sequence[str] = (),
    *,
    voters: Sequence[Voters] = (),
    rule: VoteRule = BY_ALL,
    all_values: bool = True,
    pooled: bool = False,
    threshold: float | None = None,
    answerable: Answerable = "evidence",
    qrels: Qrels | None = None,
) -> Counts:
    """Count a file; arguments as of :func:`variant_rows`.

    Raises:
        UsageError: A column or threshold that does not fit the answers.
    """
    laid = answers_frame(answers, by, threshold=threshold, answerable=answerable, qrels=qrels)
    groups = groups_of(laid, pooled=pooled)
    return Counts(laid, _tallies(laid, groups), _votes(laid, groups, rule, voters, all_values=all_values))


# Rows


def variant_rows(
    answers: VariantAnswers,
    *,
    by: Sequence[str] = (),
    rule: VoteRule | None = None,
    outcome: Outcome = "correct",
    min_size: int = MIN_SIZE,
    threshold: float | None = None,
    depths: Sequence[int] = (),
    pooled: bool = False,
    attribute: str | None = None,
    cells: bool | None = None,
    answerable: Answerable = "evidence",
    qrels: Qrels | None = None,
    seed: int = 0,
    n_resamples: int = N_RESAMPLES,
    n_permutations: int = N_PERMUTATIONS,
) -> list[Record]:
    """One row per combination of the columns and attribute, see :func:`rows_of`.

    Args:
        answers: The answers.
        by: Columns to separate: any of model, dataset, strategy, retriever, k.
        rule: Also measure this vote.
        outcome: "letters": one-versus-rest parity as well (closed answers).
        min_size: Groups with fewer answers are marked small.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself is compared.
        depths: Depths of the retrieval overlap; () = whole lists as recorded.
        pooled: Also a row "all" with the values of all attributes side by side.
        attribute: Only this one; None: all.
        cells: Only combinations of attributes (True), or none of them (False): their tests are a table of their own.
        answerable: Which questions are answerable, where the file does not say so.
        qrels: Judgements by question id, that say whether the evidence was right.
        seed: Of the bootstrap over questions and of permutations.
        n_resamples: Resamples.
        n_permutations: Permutations.

    Raises:
        UsageError: A column, threshold or outcome that does not fit the answers.
    """
    counts = counts_of(
        answers,
        by,
        voters=(rule.voters,) if rule else (),
        rule=rule or BY_ALL,
        pooled=pooled,
        threshold=threshold,
        answerable=answerable,
        qrels=qrels,
    )
    return rows_of(
        counts,
        rule=rule,
        outcome=outcome,
        min_size=min_size,
        depths=depths,
        wanted=lambda name: attribute in (None, name) and cells in (None, "+" in name),
        resampling=Resampling(seed, n_resamples),
        n_permutations=n_permutations,
    )


def rows_of(
    counts: Counts,
    *,
    rule: VoteRule | None = None,
    outcome: Outcome = "correct",
    min_size: int = MIN_SIZE,
    depths: Sequence[int] = (),
    wanted: Callable[[str], bool] = bool,
    resampling: Resampling,
    n_permutations: int = N_PERMUTATIONS,
) -> list[Record]:
    """The rows of what was counted, their p corrected over their tables; arguments as of :func:`variant_rows`.

    Of each row, beside the keys of the tables (``columns``):
        by, base: The combination, and the one that ddp and deo are against; None where there is none.
        alone: False where the attribute occurs in intersectional variants only, whose answers then count for it.
        groups, conditions: Rate of every group, and of every condition of reference (neutral, original).
        gaps, to_reference: Every pair of groups, and every group against the neutral condition, paired by question.
        dp, eo: Largest difference of two groups' rates, and the same among answerable questions; NaN below two groups.
        best, worst: The groups of ``dp``: "" where it is undefined, one group twice where it is 0; eo_best, eo_worst.
        small: Whether fewer than two groups reach the minimum size: then small ones are compared.
        dp_n, dp_n_tests: Questions about at least two groups, and tests of the table; likewise eo, ddp and deo.
        answerable: Which questions are; "" where nothing says so, and ``eo`` is undefined.
        one_answer, one_n: What all answers are whatever is asked, in words, and of how many; None where they are not
            one. Of such answers there is no verdict, and no test.
        by_construction: Whether ``dp`` is 0 because nobody is mentioned any more: every question has one answer, to
            one list of documents or by a strategy that removes the mention.
        natural: Whether the base is a natural baseline: no mitigation, no retrieval; else the file's first strategy.
        vote: The vote asked for, or None. overlap: Retrieval overlap at each depth, where documents were recorded.
    """
    if outcome == "letters" and counts.laid.answers.kind == "open":
        raise UsageError("letters are the options of closed questions; these answers are open")
    references = {tally.combination: tally for tally in counts.tallies if not tally.attribute}
    chosen = [tally for tally in counts.tallies if tally.attribute and wanted(tally.attribute)]

    def measured(tally: Tally) -> Record:
        reference = references.get(tally.combination)
        row = _row(counts.laid, tally, reference, min_size=min_size, resampling=resampling)
        row |= _letters(counts.laid.answers.options, tally, min_size) if outcome == "letters" else NO_LETTERS
        row["overlap"] = overlaps_of(counts.laid, tally, depths or (None,), seed=resampling.seed)
        row["vote"] = measured_vote(counts, tally, rule, min_size=min_size, resampling=resampling) if rule else None
        return row

    rows = side_by_side(measured, chosen)
    places = range(len(rows))
    in_company = side_by_side(
        lambda place: _in_company(place, rows, chosen, resampling, min_size, n_permutations), places
    )
    return corrected(in_company)


def _row(laid: AnswersFrame, tally: Tally, reference: Tally | None, *, min_size: int, resampling: Resampling) -> Record:
    """Rates, differences and paired gaps of one attribute."""
    known, able = tally.known.rates, tally.able.rates
    dp, best, worst = _widest(known.rate, known.n, tally.values, min_size)
    eo, eo_best, eo_worst = _widest(able.rate, able.n, tally.values, min_size)
    score, (low, high) = overall(tally.known, resampling)
    one = _one_option(tally, laid.answers.options)
    gaps = _paired_gaps(tally.values, tally.known, resampling)
    if one["one_answer"]:
        gaps = [gap | {"p": NAN, "p_holm": NAN} for gap in gaps]
    groups = _group_rates(tally, min_size, resampling)
    return {
        "by": tally.by,
        "attribute": tally.attribute,
        **tally.facts,
        "groups": groups,
        "conditions": _group_rates(reference, min_size, resampling) if reference else [],
        "small": sum(not group["small"] for group in groups) < 2,
        "score": score,
        "score_low": low,
        "score_high": high,
        "dp": dp,
        "best": best,
        "worst": worst,
        "eo": eo,
        "eo_best": eo_best,
        "eo_worst": eo_worst,
        "gaps": gaps,
        "to_reference": _reference_gaps(tally, reference, resampling),
        "answerable": laid.definition,
        **one,
    }


def overall(known: Counted, resampling: Resampling) -> tuple[float, Interval]:
    """Mean of all outcomes, whichever group they are about, with its interval."""
    all_groups = known.of_all
    return float(all_groups.rates.rate[0]), all_groups.table.intervals(resampling)[0]


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


def _widest(rates: FloatArray, n: IntArray, values: Sequence[str], min_size: int) -> tuple[float, str, str]:
    """Largest difference of (G) rates between the groups that are :func:`compared`, and its groups; "" if undefined."""
    large = compared(n, min_size)
    value, best, worst = largest_difference(rates[large])
    return (value, "", "") if best < 0 else (value, values[int(large[best])], values[int(large[worst])])


def _group_rates(tally: Tally, min_size: int, resampling: Resampling) -> list[Record]:
    """The rate of every group; worst case: if every unread answer were wrong, as it counts, or right."""
    rates, among = tally.known.rates, tally.able.rates
    intervals = tally.known.table.intervals(resampling)
    groups: list[Record] = []
    for g, value in enumerate(tally.values):
        rate, n, n_unread = float(rates.rate[g]), int(rates.n[g]), int(tally.n_unread[g])
        some_unread = n > 0 and n_unread > 0
        groups.append(
            {
                "value": value,
                "rate": rate,
                "low": intervals[g].low,
                "high": intervals[g].high,
                "n": n,
                "n_unparsed": n_unread,
                "small": n < min_size,
                "rate_answerable": float(among.rate[g]),
                "n_answerable": int(among.n[g]),
                "rate_worst_low": rate if some_unread else NAN,
                "rate_worst_high": min(rate + n_unread / n, 1.0) if some_unread else NAN,
            }
        )
    return groups


def _one_option(tally: Tally, options: Sequence[str]) -> Record:
    """The option that answers name whatever is asked, where what is right and what is wrong cannot be why."""
    answered, right = (
        np.bincount(codes[codes >= 0], minlength=len(options)).astype(np.float64)
        for codes in (tally.members["choice"].to_numpy(), tally.members["gold"].to_numpy())
    )
    n_right = int(right.sum())
    if n_right and len(options) > 1:
        share = right / n_right
        found = one_place(answered, np.maximum(share, (1 - share) / (len(options) - 1)), tally.facts["n_questions"])
        if found:
            words = f"{count(found.n)} of {count(found.n_answers)} answers are {options[found.place]}"
            return {"one_answer": words, "one_n": found.n_answers}
    return {"one_answer": None, "one_n": 0}


NO_LETTERS: Record = {
    f"{name}_{what}": {} if what == "letters" else NAN for name in ("dp", "eo") for what in ("letters", "macro", "max")
}


def _letters(options: Sequence[str], tally: Tally, min_size: int) -> Record:
    """DP and EO with Ŷ = "answers option L", for each option that was answered or right; their mean and the largest."""
    choices, golds, groups = (tally.members[name].to_numpy() for name in ("choice", "gold", "group"))
    shape = len(tally.values), len(options)
    answered = option_counts(choices, groups, *shape, None)
    right = option_counts(choices, groups, *shape, golds)
    large = compared(answered.n[0], min_size) if options else np.empty(0, dtype=np.int64)
    seen: list[int] = np.flatnonzero(answered.hits.any(axis=1) | right.n.any(axis=1)).tolist()
    row: Record = {}
    for name, counted in (("dp", answered), ("eo", right)):
        differences = option_differences(counted.rate[:, large])[seen]
        row[f"{name}_letters"] = dict(zip([options[place] for place in seen], differences.tolist(), strict=True))
        row |= {f"{name}_macro": macro(differences), f"{name}_max": largest(differences)}
    return row


def overlaps_of(laid: AnswersFrame, tally: Tally, depths: Sequence[int | None], *, seed: int) -> list[Record]:
    """Retrieval overlap at each depth; [] where no documents were recorded for variants of the attribute alone."""
    if tally.attribute == ALL_VALUES or not tally.facts["alone"]:
        return []
    if not np.diff(laid.answers.retrieved_offsets)[tally.members["row"].to_numpy()].any():
        return []
    of_combination = laid.frame.filter(pl.col("combination") == tally.combination)["row"].to_numpy()
    lists = answered_lists(laid.answers, of_combination, tally.attribute, tally.values, tally.members)
    return [retrieval_overlap(lists, k=k, seed=seed) for k in depths]


# Two groups on the same questions


def _paired_gaps(values: Sequence[str], known: Counted, resampling: Resampling) -> list[Record]:
    """The gap of every pair of groups, in the order of the groups; p as it is, to be corrected over the table."""
    means = known.table.means
    pairs = [(values[a], values[b], means[a], means[b]) for a, b in combinations(range(len(values)), 2)]
    return _gaps(pairs, resampling)


def _reference_gaps(tally: Tally, reference: Tally | None, resampling: Resampling) -> list[Record]:
    """Every group against the variant that mentions nobody, on the questions that have both."""
    known = tally.known
    neutral = Counted(known.questions[:0], known.sums[:1, :0], known.n[:1, :0])
    if reference and NEUTRAL in reference.values:
        neutral = reference.known.groups([reference.values.index(NEUTRAL)])
    means, nobody = (each.table.means for each in on_common(known, neutral))
    return _gaps(
        [(value, NEUTRAL, mean, nobody[0]) for value, mean in zip(tally.values, means, strict=True)], resampling
    )


def _gaps(pairs: Sequence[tuple[str, str, FloatArray, FloatArray]], resampling: Resampling) -> list[Record]:
    """One group against another on the questions that both were asked, of (first, second, means, means).

    Of each: gap, the mean over questions of first − second, with interval and standard error (se); n common questions,
    first_only and second_only, on which one did better; p, McNemar's exact one over these.
    """
    differences = [common_differences(first, second) for _, _, first, second in pairs]
    gaps: list[Record] = []
    for (first, second, *_), own, ends in zip(pairs, differences, mean_intervals(differences, resampling), strict=True):
        n, ahead, behind = int(own.size), int((own > ROUNDING).sum()), int((own < -ROUNDING).sum())
        p = mcnemar_exact(ahead, behind) if n else NAN
        gaps.append(
            {
                "first": first,
                "second": second,
                "gap": float(own.mean()) if n else NAN,
                "low": ends.low,
                "high": ends.high,
                "n": n,
                "first_only": ahead,
                "second_only": behind,
                "p": p,
                "p_holm": p,
                "n_tests": 1,
                "se": float(own.std(ddof=1)) / n**0.5 if n > 1 else NAN,
            }
        )
    return gaps


# What takes the other rows to know


def beside(name: str, difference: Difference) -> Record:
    """What stands beside a largest difference, or beside its change: chance level, interval, p, counts."""
    found = difference._asdict() | {"low": difference.interval.low, "high": difference.interval.high}
    return {f"{name}_{key}": found[key] for key in ("chance", "low", "high", "p", "p_holm", "n", "n_tests")}


def _in_company(
    place: int,
    rows: Sequence[Record],
    tallies: Sequence[Tally],
    resampling: Resampling,
    min_size: int,
    n_permutations: int,
) -> Record:
    """The row with what chance gives, and with its change against its base."""
    row, tally = rows[place], tallies[place]
    by_construction = _no_mention(row, rows)
    tested = not (by_construction or row["one_answer"])
    found: Record = {"by_construction": by_construction, "base": None, "natural": False}
    for name, each in (("dp", tally.known), ("eo", tally.able)):
        table = each.groups(compared(each.rates.n, min_size)).table
        found |= beside(name, level(table, resampling, tested=tested, n_permutations=n_permutations))
    changes = [UNTESTED, UNTESTED]
    alike = {other["by"]: i for i, other in enumerate(rows) if other["attribute"] == row["attribute"]}
    found["base"], found["natural"] = baseline_of(row["by"], list(alike))
    if found["base"] is not None:
        base, base_tally = rows[alike[found["base"]]], tallies[alike[found["base"]]]
        tested = tested and not (base["one_answer"] or _no_mention(base, rows))
        if set(tally.values) == set(base_tally.values):
            of_base = [base_tally.values.index(value) for value in tally.values]
            changes = [
                _change(own, other.groups(of_base), resampling, min_size, tested=tested, n_permutations=n_permutations)
                for own, other in ((tally.known, base_tally.known), (tally.able, base_tally.able))
            ]
    for name, each in zip(("ddp", "deo"), changes, strict=True):
        found |= {name: each.value, **beside(name, each)}
    return row | found


def _change(own: Counted, base: Counted, resampling: Resampling, min_size: int, **how: Any) -> Difference:
    """A largest difference minus that of a base, on common questions, without groups that are small on either side."""
    one, other = on_common(own, base)
    kept = compared(np.minimum(one.rates.n, other.rates.n), min_size)
    return change(one.groups(kept).table, other.groups(kept).table, resampling, **how)


def _no_mention(row: Record, rows: Sequence[Record]) -> bool:
    """Whether every group was answered alike, question by question, because the mention was taken out.

    Its strategy says so, or every question has one list of documents whoever asks, while other rows' lists differ.
    """
    if row["agree"] != 1:
        return False
    if row["attribute"] == ALL_VALUES:
        own = [other for other in rows if other["by"] == row["by"] and other["attribute"] != ALL_VALUES]
        return bool(own) and all(_no_mention(other, rows) for other in own)
    if dict(row["by"]).get("strategy", "").strip().lower() in NO_MENTION:
        return True
    shared = [overlap["all"] for overlap in row["overlap"]]
    others = chain.from_iterable(other["overlap"] for other in rows if other["attribute"] == row["attribute"])
    return bool(shared) and min(shared) >= ONE_LIST and any(overlap["all"] < ONE_LIST for overlap in others)


WITHOUT_RETRIEVAL = ("none", "no retrieval", "no_retrieval", "no-retrieval", "without retrieval", "closed-book", "")
"""What the retriever may be called where nothing was retrieved."""

NO_MENTION = ("no-mention", "no_mention", "no mention")
"""What a strategy may be called that takes the mention out of the question."""


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
    found: dict[str, str] | None = None
    if remedy:
        found = next((other for other in alike("strategy") if is_plain(other["strategy"])), None)
    if found is None and not _nothing_retrieved(values.get("retriever", "")):
        found = next((other for other in alike("retriever", "k") if _nothing_retrieved(other["retriever"])), None)
    if found is not None:
        return tuple(found.items()), True
    first = next(iter(alike("strategy")), values) if remedy else values
    return (None, False) if first == values else (tuple(first.items()), False)


def _nothing_retrieved(retriever: str) -> bool:
    return retriever.strip().lower() in WITHOUT_RETRIEVAL


def corrected(rows: Sequence[Record]) -> list[Record]:
    """The rows with p corrected by Holm over their table, under every condition.

    Gaps are one table, over all pairs; DP and EO are another, over every level and every change. Single attributes,
    combinations of attributes, and the values of all side by side are tables of their own: many pairs of combinations
    say nothing of a single attribute.
    """
    fresh = [row | {"gaps": [dict(gap) for gap in row["gaps"]]} for row in rows]
    tables: dict[tuple[bool, bool], list[Record]] = {}
    for row in fresh:
        tables.setdefault((row["attribute"] == ALL_VALUES, "+" in row["attribute"]), []).append(row)
    for of_table in tables.values():
        _correct([gap for row in of_table for gap in row["gaps"]], ("",))
        _correct(of_table, TESTS)
    return fresh


def _correct(rows: Sequence[Record], tests: Sequence[str]) -> None:
    """Set ``p_holm`` and ``n_tests`` of several tests in each row, over all of them."""
    places = [(row, name) for row in rows for name in tests]
    p_values = [row[f"{name}p"] for row, name in places]
    n_tests = len(p_values) - sum(map(isnan, p_values))
    for (row, name), p in zip(places, holm(np.array(p_values, dtype=np.float64)).tolist(), strict=True):
        row[f"{name}p_holm"], row[f"{name}n_tests"] = p, n_tests


# Votes


def measured_vote(counts: Counts, tally: Tally, rule: VoteRule, *, min_size: int, resampling: Resampling) -> Record:
    """Accuracy and parity after a vote; of whole questions every group has one answer, and DP is 0 by construction.

    n_votes, n_ties and n_abstained count votes, those in which several answers led, and those without an answer, which
    count as wrong; n_voters is the mean number of answers in a vote; note is what to know of these numbers, or "".
    """
    within = rule.voters == "within"
    votes = counts.votes[rule.voters, tally.by, tally.attribute if within else ""]
    accuracy, (low, high) = overall(votes.known, resampling)
    levels, note = [UNTESTED, UNTESTED], BY_CONSTRUCTION
    of_known, of_able = votes.known.rates, votes.able.rates
    if within:
        dp, best, worst = _widest(of_known.rate, of_known.n, tally.values, min_size)
        eo = _widest(of_able.rate, of_able.n, tally.values, min_size)[0]
        by_group = dict(zip(tally.values, of_known.rate.tolist(), strict=True))
        note = ONE_VOTER if votes.facts["most_voters"] <= 1 else ""
        if not note:
            levels = [
                level(each.groups(compared(each.rates.n, min_size)).table, resampling)
                for each in (votes.known, votes.able)
            ]
    else:
        several, best, worst = len(tally.values) > 1, "", ""
        dp, eo = (0.0 if several and rates.n[0] else NAN for rates in (of_known, of_able))
        by_group = dict.fromkeys(tally.values, accuracy)
    return {
        "voters": rule.voters,
        "ties": rule.ties,
        **{name: n for name, n in votes.facts.items() if name != "most_voters"},
        "accuracy": accuracy,
        "ci_low": low,
        "ci_high": high,
        "accuracy_by_group": by_group,
        "dp": dp,
        "eo": eo,
        "best": best,
        "worst": worst,
        "note": note,
        **beside("dp", levels[0]),
        **beside("eo", levels[1]),
    }


BOTH: tuple[Voters, ...] = ("all", "within")
"""Who votes beside each strategy."""


def with_votes(
    answers: VariantAnswers,
    rows: Sequence[Record],
    *,
    rule: VoteRule,
    min_size: int = MIN_SIZE,
    n_resamples: int = N_RESAMPLES,
    **counting: Any,
) -> list[Record]:
    """Rows of :func:`variant_rows` with both votes beside them.

    Args:
        answers: The answers that the rows were made of.
        rows: The rows.
        rule: How votes are counted; who votes is "all" and "within" whatever it says.
        min_size: Groups with fewer answers are marked small.
        n_resamples: Resamples.
        counting: threshold, answerable, qrels: as for the rows.
    """
    by = [name for name, _ in rows[0]["by"]] if rows else []
    pooled = any(row["attribute"] == ALL_VALUES for row in rows)
    counts = counts_of(answers, by, voters=BOTH, rule=rule, pooled=pooled, **counting)
    return voted(counts, rows, rule, min_size=min_size, resampling=Resampling(0, n_resamples))


def voted(
    counts: Counts, rows: Sequence[Record], rule: VoteRule, *, min_size: int, resampling: Resampling
) -> list[Record]:
    """Rows with both votes beside them, of counts in which both were taken.

    change: mean over questions of the outcome of a vote over all variants minus that without a vote, with interval, n
    and p of the exact sign-flip test. vote_within_ddp, vote_within_deo: DP and EO with the vote within groups minus
    those without, on the same questions.
    """
    tallies = {(tally.by, tally.attribute): tally for tally in counts.tallies}

    def with_both(row: Record) -> Record:
        tally = tallies[row["by"], row["attribute"]]
        over_all, within = (
            measured_vote(counts, tally, replace(rule, voters=who), min_size=min_size, resampling=resampling)
            for who in BOTH
        )
        changes = [UNTESTED, UNTESTED]
        if not (within["note"] or row["by_construction"]):
            votes = counts.votes["within", tally.by, tally.attribute]
            changes = [
                _change_within(own, of_votes, within[f"{name}_p"], row[f"{name}_p"], resampling, min_size)
                for name, own, of_votes in (("dp", tally.known, votes.known), ("eo", tally.able, votes.able))
            ]
        found: Record = {"vote_score": over_all["accuracy"], "n_ties": over_all["n_ties"]}
        found |= {f"vote_within_{name}": within[name] for name in ("dp", "eo", "accuracy", "note")}
        for name, changed in zip(("dp", "eo"), changes, strict=True):
            untested = beside(f"vote_within_{name}", UNTESTED)
            measured = {key: within[key.removeprefix("vote_within_")] for key in untested}
            found |= untested if row["by_construction"] else measured
            found |= {f"vote_within_d{name}": changed.value, **beside(f"vote_within_d{name}", changed)}
        return row | found | vote_gain(tally.known, counts.votes["all", tally.by, ""].known, resampling)

    known = [row for row in rows if (row["by"], row["attribute"]) in tallies]
    return corrected_votes(side_by_side(with_both, known))


def corrected_votes(strategies: Sequence[Record]) -> list[Record]:
    """The rows with p corrected by Holm over their table: every score, DP and EO of a vote, and every change by it."""
    fresh = [dict(row) for row in strategies]
    _correct(fresh, VOTE_TESTS)
    return fresh


def _change_within(
    answers: Counted, votes: Counted, p_voted: float, p_plain: float, resampling: Resampling, min_size: int
) -> Difference:
    """A largest difference of votes within groups minus that of the answers, a question's answers about a group as one.

    A vote is one answer where there were several: means weigh the same, so that both sides can be swapped. Single votes
    vary more than means of answers, so that chance alone makes their largest difference larger: p is the larger one of
    the swaps and of the larger difference itself, as there is no change where that is no more than chance.
    """
    kept = compared(np.minimum(answers.rates.n, votes.rates.n), min_size)
    plain, others = (
        Counted(each.questions, np.nan_to_num(each.table.means), (each.n > 0).astype(np.float64))
        for each in (answers.groups(kept), votes.groups(kept))
    )
    one, base = on_common(others, plain)
    found = change(one.table, base.table, resampling)
    return found._replace(p=float(np.maximum(found.p, p_voted if found.value > 0 else p_plain)))


def vote_gains(
    answers: VariantAnswers, wanted: Sequence[By], rule: VoteRule, *, threshold: float | None = None
) -> dict[By, Record]:
    """What a vote over all variants changes, of each combination that asks about groups.

    Args:
        answers: The answers.
        wanted: Combinations of the same columns.
        rule: How votes are counted.
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
    """
    by = [name for name, _ in wanted[0]] if wanted else []
    counts = counts_of(answers, by, voters=("all",), rule=rule, pooled=True, threshold=threshold)
    wholes: dict[By, Tally] = {}
    for tally in counts.tallies:
        if tally.attribute == ALL_VALUES or (tally.attribute and tally.by not in wholes):
            wholes[tally.by] = tally
    return {
        by: vote_gain(wholes[by].known, counts.votes["all", by, ""].known, Resampling(0))
        for by in wanted
        if by in wholes
    }


def vote_gain(answers: Counted, votes: Counted, resampling: Resampling) -> Record:
    """The change on the questions that have a vote and answers about groups.

    The sign of each question's change is a coin where the vote changes nothing. Student's t finds a change too often
    in so few values of so few questions (ten of them, two conditions: 6.3 % of worlds without effect).
    """
    of_answers, of_votes = answers.of_all, votes.of_all
    plain, of_vote = (each.table.means[0] for each in on_common(of_answers, of_votes))
    differences = common_differences(of_vote, plain)
    gain: Record = {"change": NAN, "low": NAN, "high": NAN, "n": int(differences.size), "p": NAN, "p_holm": NAN}
    if not differences.size:
        return gain
    steps = lcm(*{int(n) for n in np.concatenate([of_answers.n[0], of_votes.n[0]]) if n})
    if steps > FINEST or (np.abs(np.rint(steps * differences) - steps * differences) > steps * ROUNDING).any():
        steps = FINEST
    flips = np.rint(steps * differences).astype(np.int64)[None]
    (ends,) = mean_intervals([differences], resampling)
    p = sign_flip(flips, np.array([steps]), seed=resampling.seed).p
    return gain | {"change": float(differences.mean()), "low": ends.low, "high": ends.high, "p": p}


# All of a file


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResults:
    """What one file of answers says.

    Attributes:
        rows: One per combination of columns and attribute.
        all_values: One per combination: the values of all attributes side by side.
        strategies: The same rows with both votes.
        cases: Evidence × answer by group, where the evidence is known.
        outcome: What is measured of an answer: whether it is right ("correct"; "letters" also names the options), or
            its "rouge_l".
    """

    rows: Sequence[Record] = ()
    all_values: Sequence[Record] = ()
    strategies: Sequence[Record] = ()
    cases: Sequence[Record] = ()
    outcome: Outcome | Literal["rouge_l"] = "correct"


def answer_results(
    answers: VariantAnswers,
    *,
    by: Sequence[str],
    rule: VoteRule,
    outcome: Outcome = "correct",
    threshold: float | None = None,
    min_size: int = MIN_SIZE,
    depths: Sequence[int] = (),
    qrels: Qrels | None = None,
    answerable: Answerable = "evidence",
    seed: int = 0,
) -> AnswerResults:
    """Measure a file of answers; arguments as of :func:`variant_rows`."""
    evidence = bool((answers.evidence != UNKNOWN).any()) or (qrels is not None and answers.retrieved.size > 0)
    cases: list[Record] = []
    if evidence and not (answers.kind == "open" and threshold is None):
        judged = qrels if answers.retrieved.size else None
        cases = error_cases(answers, by=by, threshold=threshold, qrels=judged, k=max(depths, default=None))
    counts = counts_of(
        answers,
        by,
        voters=(*BOTH, rule.voters),
        rule=rule,
        all_values=rule.voters == "within",
        pooled=True,
        threshold=threshold,
        answerable=answerable,
        qrels=qrels,
    )
    resampling = Resampling(seed)
    rows = rows_of(counts, rule=rule, outcome=outcome, min_size=min_size, depths=depths, resampling=resampling)
    single = [row for row in rows if row["attribute"] != ALL_VALUES]
    return AnswerResults(
        rows=single,
        all_values=[row for row in rows if row["attribute"] == ALL_VALUES],
        strategies=voted(counts, single, rule, min_size=min_size, resampling=resampling),
        cases=cases,
        outcome=outcome if counts.laid.binary else "rouge_l",
    )


def of_one_table(results: Sequence[AnswerResults]) -> list[AnswerResults]:
    """Results of several files that stand in one table: p is corrected over all of them."""
    corrections = {"rows": corrected, "all_values": corrected, "strategies": corrected_votes}
    together = list(results)
    for name, correct in corrections.items():
        rows = iter(correct([row for result in results for row in getattr(result, name)]))
        own = [[next(rows) for _ in getattr(result, name)] for result in results]
        together = [replace(result, **{name: of_file}) for result, of_file in zip(together, own, strict=True)]
    return together
