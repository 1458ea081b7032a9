"""Rows of demographic variants: what an attribute does to the answers of one model, strategy and so on.

A row puts together what its parts compute: rates by group (``sheet``), paired gaps and agreement (``gaps``), votes
(``votes``) and retrieval overlap (``overlap``), and the change against a base. A natural base is the same without a
remedy (plain), else without retrieval; where a file has neither, its first strategy is a base for the table, and no
sentence counts it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from fairviz.compiled import side_by_side
from fairviz.model import Qrels
from fairviz.model.variants import VariantAnswers
from fairviz.stats.bootstrap import N_RESAMPLES, Interval
from fairviz.stats.disaggregation import Resampling, holm_by_family
from fairviz.stats.tests import MIN_UNITS, one_place
from fairviz.studies.demographic_qa.chance import N_PERMUTATIONS, UNTESTED, Difference, change, level
from fairviz.studies.demographic_qa.gaps import (
    Agreement,
    Letters,
    PairedGap,
    letters,
    paired_gaps,
    reference_gaps,
)
from fairviz.studies.demographic_qa.measures import on_common
from fairviz.studies.demographic_qa.names import is_plain
from fairviz.studies.demographic_qa.overlap import Overlap
from fairviz.studies.demographic_qa.sheet import (
    ALL_VALUES,
    NEUTRAL,
    Answerable,
    By,
    Definition,
    GroupRate,
    Mean,
    Widest,
    compared,
    group_rates,
    overall,
    widest,
)
from fairviz.studies.demographic_qa.tallies import (
    BY_ALL,
    AttributeTally,
    CombinationTally,
    Counting,
    Tallies,
    tallies_of,
)
from fairviz.studies.demographic_qa.votes import VoteResult, VoteRule, measured_vote

__all__ = ["MIN_SIZE", "OUTCOMES", "Outcome", "VariantRow", "corrected", "rows_of", "variant_rows"]

Outcome: TypeAlias = Literal["correct", "letters"]
"""What Ŷ = 1 means: the answer is right; or also, one versus rest, that it is a certain option."""

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

MIN_SIZE = MIN_UNITS
"""Groups with fewer answers are marked small and leave the largest difference to the others."""

ONE_LIST = 100 - 1e-9
"""Overlap in percent from which on all variants of every question have one list of documents."""


class OneOption(NamedTuple):
    """An option that answers name whatever is asked: its name, how many answers do, of how many that name any."""

    name: str
    n: int
    n_answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRow:
    """What one attribute does to the answers of one combination of model, strategy, ….

    Attributes:
        by: The combination, in the order asked for.
        attribute: "race"; "race+gender" for intersectional cells; "all": every value side by side.
        alone: False where the attribute occurs in intersectional variants only; their answers then
            count for it.
        n_questions: Questions asked about any of the groups.
        n_unknown: Answers left out because the right one is not recorded.
        groups: Rate of every group.
        conditions: Rate of every condition of reference (neutral, original).
        score: Mean outcome of the answers about groups, with its interval.
        dp: Largest difference of two groups' rates; NaN below two groups.
        eo: The same among answerable questions; NaN where none is recorded.
        best, worst: The groups of ``dp``: "" where it is undefined, one group twice where it is 0.
        eo_best, eo_worst: The groups of ``eo``, likewise.
        letters: One-versus-rest parity, empty unless ``outcome="letters"``.
        gaps: Every pair of groups, paired by question.
        vote: The vote asked for, or None.
        agreement: How often all variants of a question agree, are right, …
        overlap: Retrieval overlap at each depth, where documents were recorded.
        to_reference: Every group against the neutral condition, paired by question; () where it was not asked.
        definition: Which questions are answerable; "" where nothing says so, and ``eo`` is undefined.
        one_option: The option that its answers name whatever is asked, how many do and of how many; None where they do
            not. Of such answers there is no verdict, and no test.
        by_construction: Whether ``dp`` is 0 because nobody is mentioned any more: every question has one answer, to
            one list of documents or by a strategy that removes the mention.
        dp_level, eo_level: Chance level, interval and p of ``dp`` and ``eo``.
        base: The combination that ``dp_change`` is against; None where there is none.
        natural: Whether that is a natural baseline: no mitigation, no retrieval; else the file's first strategy.
        dp_change, eo_change: ``dp`` and ``eo`` minus those of the base, on common questions.
    """

    by: By
    attribute: str
    alone: bool
    n_questions: int
    n_unknown: int
    groups: tuple[GroupRate, ...]
    conditions: tuple[GroupRate, ...]
    score: float
    score_interval: Interval
    dp: float
    eo: float
    best: str
    worst: str
    eo_best: str
    eo_worst: str
    letters: Letters
    gaps: tuple[PairedGap, ...]
    vote: VoteResult | None
    agreement: Agreement
    overlap: tuple[Overlap, ...]
    to_reference: tuple[PairedGap, ...] = ()
    definition: Definition = ""
    one_option: OneOption | None = None
    by_construction: bool = False
    dp_level: Difference = UNTESTED
    eo_level: Difference = UNTESTED
    base: By | None = None
    natural: bool = False
    dp_change: Difference = UNTESTED
    eo_change: Difference = UNTESTED

    @property
    def accuracy(self) -> dict[str, float]:
        """Group -> rate."""
        return {group.value: group.rate for group in self.groups}

    @property
    def reference(self) -> GroupRate | None:
        """The neutral condition, None if it was not asked."""
        return next((condition for condition in self.conditions if condition.value == NEUTRAL), None)

    @property
    def small(self) -> bool:
        """Whether fewer than two groups reach the minimum size: then small ones are compared."""
        return sum(not group.small for group in self.groups) < 2

    @property
    def widest(self) -> PairedGap | None:
        """The paired gap of the two groups of ``dp``."""
        ends = {self.best, self.worst}
        return next((gap for gap in self.gaps if {gap.first, gap.second} == ends), None)

    def get(self, column: str) -> str:
        """Value of a by-column or "attribute", "" if there is none of that name."""
        return dict([*self.by, ("attribute", self.attribute)]).get(column, "")


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
) -> tuple[VariantRow, ...]:
    """One row per combination of the columns and attribute.

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
    tallies = tallies_of(
        answers,
        Counting(
            threshold=threshold,
            letters=outcome == "letters",
            rule=rule or BY_ALL,
            voters=(rule.voters,) if rule else (),
            depths=tuple(depths) or (None,),
            seed=seed,
        ),
        by=by,
        pooled=pooled,
        answerable=answerable,
        qrels=qrels,
    )
    return rows_of(
        tallies,
        rule=rule,
        min_size=min_size,
        attribute=attribute,
        cells=cells,
        resampling=Resampling(seed, n_resamples),
        n_permutations=n_permutations,
    )


def rows_of(
    tallies: Tallies,
    *,
    rule: VoteRule | None = None,
    min_size: int = MIN_SIZE,
    attribute: str | None = None,
    cells: bool | None = None,
    resampling: Resampling,
    n_permutations: int = N_PERMUTATIONS,
) -> tuple[VariantRow, ...]:
    """The rows that tallies make, one per combination and attribute; arguments as of :func:`variant_rows`."""

    def measured(combination: CombinationTally) -> list[_Measured]:
        references = _rates(combination.references, min_size, resampling)
        votes = combination.votes.get(rule.voters) if rule else None
        voted = overall(votes.known, resampling) if votes else None
        return [
            _Measured(_row(tallies, combination, tally, references, rule, voted, min_size, resampling), tally)
            for tally in combination.attributes
            if attribute in (None, tally.attribute) and cells in (None, "+" in tally.attribute)
        ]

    results = list(chain.from_iterable(side_by_side(measured, tallies.combinations)))
    return corrected(side_by_side(lambda one: _in_company(one, results, resampling, min_size, n_permutations), results))


class _Measured(NamedTuple):
    """A row with the tally it was made of."""

    row: VariantRow
    tally: AttributeTally


def _in_company(
    measured: _Measured,
    all_measured: Sequence[_Measured],
    resampling: Resampling,
    min_size: int,
    n_permutations: int,
) -> VariantRow:
    """The row with what chance gives, and with its change against its base: what takes the other rows to know."""
    row, tally = measured
    by_construction = _no_mention(row, [other.row for other in all_measured])
    levels = [
        level(
            each.groups(compared(each.rates.n, min_size)).table,
            resampling,
            tested=not by_construction and row.one_option is None,
            n_permutations=n_permutations,
        )
        for each in (tally.known, tally.answerable)
    ]
    row = replace(row, by_construction=by_construction, dp_level=levels[0], eo_level=levels[1])
    alike = {other.row.by: other for other in all_measured if other.row.attribute == row.attribute}
    baseline = baseline_of(row.by, list(alike))
    if baseline is None:
        return row
    base = alike[baseline.by]
    tested = not (by_construction or row.one_option or base.row.one_option)
    tested = tested and not _no_mention(base.row, [other.row for other in all_measured])
    dp_change, eo_change = changes(
        tally, base.tally, resampling, min_size=min_size, tested=tested, n_permutations=n_permutations
    )
    return replace(row, base=baseline.by, natural=baseline.natural, dp_change=dp_change, eo_change=eo_change)


def _no_mention(row: VariantRow, rows: Sequence[VariantRow]) -> bool:
    """Whether every group was answered alike, question by question, because the mention was taken out.

    Its strategy says so, or every question has one list of documents whoever asks, while other rows' lists differ.
    """
    if row.agreement.agree != 1:
        return False
    if row.attribute == ALL_VALUES:
        own = [other for other in rows if other.by == row.by and other.attribute != ALL_VALUES]
        return bool(own) and all(_no_mention(other, rows) for other in own)
    if removes_mention(row.by):
        return True
    differ = any(
        overlap.all < ONE_LIST for other in rows if other.attribute == row.attribute for overlap in other.overlap
    )
    return differ and bool(row.overlap) and all(overlap.all >= ONE_LIST for overlap in row.overlap)


def corrected(rows: Sequence[VariantRow]) -> tuple[VariantRow, ...]:
    """The rows with p corrected by Holm over their table, under every condition.

    Gaps are one table, over all pairs; DP and EO are another, over every level and every change. Single attributes,
    combinations of attributes, and the values of all side by side are tables of their own: many pairs of combinations
    say nothing of a single attribute.
    """
    tables = [(row.attribute == ALL_VALUES, "+" in row.attribute) for row in rows]
    gaps = [gap for row in rows for gap in row.gaps]
    of_gaps = [table for table, row in zip(tables, rows, strict=True) for _ in row.gaps]
    gap_tests = iter(_holm_of([gap.p for gap in gaps], of_gaps))
    tests = iter(_holm_of([p for row in rows for p in _p_values(row)], [each for each in tables for _ in range(4)]))
    results: list[VariantRow] = []
    for row in rows:
        pairs = list(islice(gap_tests, len(row.gaps)))
        dp, eo, dp_change, eo_change = islice(tests, 4)
        results.append(
            replace(
                row,
                gaps=tuple(replace(gap, p_holm=p, n_tests=n) for gap, (p, n) in zip(row.gaps, pairs, strict=True)),
                dp_level=row.dp_level._replace(p_holm=dp[0], n_tests=dp[1]),
                eo_level=row.eo_level._replace(p_holm=eo[0], n_tests=eo[1]),
                dp_change=row.dp_change._replace(p_holm=dp_change[0], n_tests=dp_change[1]),
                eo_change=row.eo_change._replace(p_holm=eo_change[0], n_tests=eo_change[1]),
            )
        )
    return tuple(results)


def _p_values(row: VariantRow) -> tuple[float, float, float, float]:
    return row.dp_level.p, row.eo_level.p, row.dp_change.p, row.eo_change.p


def _holm_of(p_values: Sequence[float], tables: Sequence[tuple[bool, bool]]) -> list[tuple[float, int]]:
    """Each test's p, corrected over its table, and the tests of that table."""
    values = np.array(p_values, dtype=np.float64)
    sizes = Counter(table for table, p in zip(tables, p_values, strict=True) if not np.isnan(p))
    return [(p, sizes[table]) for p, table in zip(holm_by_family(values, tables).tolist(), tables, strict=True)]


def _row(
    tallies: Tallies,
    combination: CombinationTally,
    tally: AttributeTally,
    references: tuple[GroupRate, ...],
    rule: VoteRule | None,
    voted: Mean | None,
    min_size: int,
    resampling: Resampling,
) -> VariantRow:
    groups = _rates(tally, min_size, resampling)
    dp = _widest([(g.rate, g.n) for g in groups], tally, min_size)
    eo = _widest([(g.rate_answerable, g.n_answerable) for g in groups], tally, min_size)
    score = overall(tally.known, resampling)
    one_option = _one_option(tally, tallies.options)
    gaps = paired_gaps(tally.values, tally.known, resampling)
    return VariantRow(
        by=combination.by,
        attribute=tally.attribute,
        alone=tally.alone,
        n_questions=tally.n_questions,
        n_unknown=tally.n_unknown,
        groups=groups,
        conditions=references,
        score=score.value,
        score_interval=score.interval,
        dp=dp.value,
        eo=eo.value,
        best=dp.best,
        worst=dp.worst,
        eo_best=eo.best,
        eo_worst=eo.worst,
        letters=letters(tallies.options, tally.options, min_size=min_size) if tally.options else Letters(),
        gaps=tuple(replace(gap, p=float("nan"), p_holm=float("nan")) for gap in gaps) if one_option else gaps,
        vote=measured_vote(
            combination.votes_of(tally, rule.voters),
            tally.values,
            rule,
            min_size=min_size,
            resampling=resampling,
            mean=voted,
        )
        if rule
        else None,
        agreement=tally.agreement,
        overlap=tally.overlap,
        to_reference=reference_gaps(tally.values, tally.known, combination.neutral, resampling),
        definition=tallies.definition,
        one_option=one_option,
    )


def _one_option(tally: AttributeTally, options: Sequence[str]) -> OneOption | None:
    """The option that answers name whatever is asked, where what is right and what is wrong cannot be why."""
    answered, right = tally.places
    n_right = int(right.sum())
    if not n_right or len(options) < 2:
        return None
    right_share = right / n_right
    found = one_place(answered, np.maximum(right_share, (1 - right_share) / (len(options) - 1)), tally.n_questions)
    return OneOption(options[found.place], found.n, found.n_answers) if found else None


def _rates(tally: AttributeTally, min_size: int, resampling: Resampling) -> tuple[GroupRate, ...]:
    return group_rates(
        tally.values, tally.known, tally.answerable, tally.n_unread, min_size=min_size, resampling=resampling
    )


def _widest(rates: list[tuple[float, int]], tally: AttributeTally, min_size: int) -> Widest:
    """The largest difference between groups given as (rate, n)."""
    return widest(
        np.array([rate for rate, _ in rates], dtype=np.float64),
        np.array([n for _, n in rates], dtype=np.int64),
        tally.values,
        min_size,
    )


WITHOUT_RETRIEVAL = ("none", "no retrieval", "no_retrieval", "no-retrieval", "without retrieval", "closed-book", "")
"""What the retriever may be called where nothing was retrieved."""

NO_MENTION = ("no-mention", "no_mention", "no mention")
"""What a strategy may be called that takes the mention out of the question."""


class Baseline(NamedTuple):
    """The combination another one is compared with, and whether it is a natural baseline."""

    by: By
    natural: bool


def baseline_of(by: By, others: Sequence[By]) -> Baseline | None:
    """What a combination is compared with: the same, but plain, without retrieval, or of the first strategy.

    Examples:
        >>> bys = [(("strategy", name),) for name in ("COT", "plain")]
        >>> baseline_of(bys[0], bys)
        Baseline(by=(('strategy', 'plain'),), natural=True)
        >>> baseline_of(bys[1], bys) is None
        True
    """
    values = dict(by)
    strategy, retriever = values.get("strategy"), values.get("retriever")
    if strategy is not None and not is_plain(strategy):
        plain = [other for other in others if is_plain(dict(other)["strategy"]) and _alike(other, by, "strategy")]
        if plain:
            return Baseline(plain[0], True)
    if retriever is not None and not _nothing_retrieved(retriever):
        bare = [
            other
            for other in others
            if _nothing_retrieved(dict(other)["retriever"]) and _alike(other, by, "retriever", "k")
        ]
        if bare:
            return Baseline(bare[0], True)
    if strategy is not None and not is_plain(strategy):
        first = next((other for other in others if _alike(other, by, "strategy")), None)
        if first is not None and first != by:
            return Baseline(first, False)
    return None


def _nothing_retrieved(retriever: str) -> bool:
    return retriever.strip().lower() in WITHOUT_RETRIEVAL


def _alike(one: By, other: By, *but: str) -> bool:
    """Whether two combinations have the same values of all columns but some."""
    rest, of_other = dict(one), dict(other)
    return all(rest[name] == value for name, value in of_other.items() if name not in but)


def removes_mention(by: By) -> bool:
    """Whether the strategy says of itself that it takes the mention out of the question."""
    return dict(by).get("strategy", "").strip().lower() in NO_MENTION


def changes(
    one: AttributeTally,
    base: AttributeTally,
    resampling: Resampling,
    *,
    min_size: int,
    tested: bool,
    n_permutations: int = N_PERMUTATIONS,
) -> tuple[Difference, Difference]:
    """DP and EO of some answers minus those of a base, between the groups that both ask about.

    Args:
        one: The attribute in these answers.
        base: The attribute in the base.
        resampling: Of the questions.
        min_size: Groups with fewer answers on either side are left out (see ``compared``).
        tested: Whether to test the changes.
        n_permutations: Swaps that are drawn.
    """
    if set(one.values) != set(base.values):
        return UNTESTED, UNTESTED
    place = [base.values.index(value) for value in one.values]
    found: list[Difference] = []
    for own, of_base in ((one.known, base.known), (one.answerable, base.answerable)):
        sides = on_common(own, of_base.groups(place))
        kept = compared(np.minimum(sides[0].rates.n, sides[1].rates.n), min_size)
        chosen = sides[0].groups(kept).table, sides[1].groups(kept).table
        found.append(change(*chosen, resampling, tested=tested, n_permutations=n_permutations))
    return found[0], found[1]
