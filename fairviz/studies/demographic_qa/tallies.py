"""What rows of demographic variants are made of, counted: sums by question, votes, documents in common.

Rates, intervals and tests are made of these counts (:mod:`fairviz.studies.demographic_qa.rows`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairviz.compiled import side_by_side
from fairviz.model import BoolArray, IntArray, Qrels
from fairviz.model.variants import VariantAnswers
from fairviz.stats.disaggregation import n_clusters
from fairviz.studies.demographic_qa.gaps import Agreement, OptionCounts, agreement, options_counted
from fairviz.studies.demographic_qa.measures import Counted, counted
from fairviz.studies.demographic_qa.overlap import Overlap, lists_of, retrieval_overlap
from fairviz.studies.demographic_qa.sheet import (
    ALL_VALUES,
    NEUTRAL,
    Answerable,
    By,
    Definition,
    Grouping,
    Sheet,
    combinations,
    condition_rows,
    groupings,
    sheet,
    unreadable,
)
from fairviz.studies.demographic_qa.votes import CountedVotes, Voters, VoteRule, cast_votes

BY_ALL = VoteRule(voters="all")
"""How votes are counted unless another rule is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counting:
    """What is counted of answers.

    Attributes:
        threshold: Open answers are right from this ROUGE-L on; None: ROUGE-L itself.
        letters: Whether each option is counted, too.
        rule: How votes are counted.
        voters: Who votes; nobody: no votes are taken.
        all_values: Whether votes within groups are taken for the values of all attributes side by side, too.
        depths: Of the retrieval overlap; None stands for whole lists, () for no overlap.
        seed: Of the overlap's intervals.
    """

    threshold: float | None = None
    letters: bool = False
    rule: VoteRule = BY_ALL
    voters: tuple[Voters, ...] = ()
    all_values: bool = True
    depths: tuple[int | None, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttributeTally:
    """Answers about one attribute under one combination, or to its conditions of reference.

    Attributes:
        attribute, values, alone: As in :class:`~fairviz.studies.demographic_qa.sheet.Grouping`.
        n_questions: Questions asked about any of the groups.
        n_unknown: Answers whose right one is not recorded.
        n_unread: (G) missing or unreadable answers among those with a known outcome.
        places: (2, P) answers that name each option of closed questions, and answers whose right option it is.
        known: Outcomes by group and question.
        answerable: The same of answers to answerable questions.
        agreement: How often all variants of a question agree, are right, …
        options: How often each option was answered; None where it was not asked for.
        within: Votes within groups; None where they were not asked for.
        overlap: Retrieval overlap at each depth, where documents were recorded.
    """

    attribute: str
    values: tuple[str, ...]
    alone: bool
    n_questions: int
    n_unknown: int
    n_unread: IntArray
    places: IntArray
    known: Counted
    answerable: Counted
    agreement: Agreement
    options: OptionCounts | None
    within: CountedVotes | None
    overlap: tuple[Overlap, ...]


class CombinationTally(NamedTuple):
    """One combination of columns.

    Attributes:
        by: The columns with their values.
        references: Its conditions of reference, as if each were a group.
        attributes: Its attributes.
        votes: Votes on whole questions, by who votes.
    """

    by: By
    references: AttributeTally
    attributes: tuple[AttributeTally, ...]
    votes: dict[Voters, CountedVotes]

    @property
    def neutral(self) -> Counted | None:
        """Answers to the neutral variants, None where there is none."""
        values = self.references.values
        return self.references.known.groups([values.index(NEUTRAL)]) if NEUTRAL in values else None

    def votes_of(self, tally: AttributeTally, voters: Voters) -> CountedVotes:
        """The votes of an attribute.

        Raises:
            ValueError: They were not counted.
        """
        votes = tally.within if voters == "within" else self.votes.get(voters)
        if votes is None:
            raise ValueError(f"votes {voters} were not counted")
        return votes

    def attribute(self, name: str) -> AttributeTally | None:
        """The attribute of that name, None where it does not occur."""
        return next((tally for tally in self.attributes if tally.attribute == name), None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tallies:
    """All that is counted of a file.

    Attributes:
        combinations: Of every combination of columns.
        definition: Which questions are answerable; "" where nothing says so.
        binary: Whether answers are right or wrong, not a ROUGE-L.
        options: Names of the options.
    """

    combinations: tuple[CombinationTally, ...]
    definition: Definition
    binary: bool
    options: tuple[str, ...]

    def of(self, by: By) -> CombinationTally:
        """The combination of that name."""
        return next(combination for combination in self.combinations if combination.by == by)


def tallies_of(
    answers: VariantAnswers,
    counting: Counting,
    *,
    by: Sequence[str],
    pooled: bool = False,
    answerable: Answerable = "evidence",
    qrels: Qrels | None = None,
) -> Tallies:
    """Count a whole file.

    Args:
        answers: The answers.
        counting: What is counted.
        by: Columns that rows are kept apart by.
        pooled: Whether all values of all attributes side by side are a row, too.
        answerable: Which questions are answerable, where the file does not say so.
        qrels: Judgements by question id, that say whether the evidence was right.

    Raises:
        UsageError: A column, threshold or outcome that does not fit the answers.
    """
    laid = sheet(answers, threshold=counting.threshold, answerable=answerable, qrels=qrels)
    binary = answers.kind == "closed" or counting.threshold is not None
    count = _Count(laid, unreadable(laid), counting, binary, pooled)
    return Tallies(
        combinations=tuple(side_by_side(lambda each: count.combination(*each), combinations(answers, by))),
        definition=laid.definition,
        binary=binary,
        options=answers.options,
    )


class _Count(NamedTuple):
    """Counts answers.

    Attributes:
        laid: The answers.
        unread: (R) whether an answer is missing or not readable.
        counting: What is counted.
        binary: Whether answers are right or wrong, not a ROUGE-L.
        pooled: Whether all values of all attributes side by side are a row, too.
    """

    laid: Sheet
    unread: BoolArray
    counting: Counting
    binary: bool
    pooled: bool

    def combination(self, by: By, rows: IntArray) -> CombinationTally:
        """The rows of one combination."""
        answers = self.laid.answers
        rule = self.counting.rule
        votes: dict[Voters, CountedVotes] = {
            voters: cast_votes(self.laid, rows, None, replace(rule, voters=voters))
            for voters in self.counting.voters
            if voters != "within"
        }
        references = self._replace(counting=Counting(threshold=self.counting.threshold))
        return CombinationTally(
            by,
            references.attribute(rows, condition_rows(answers, rows)),
            tuple(self.attribute(rows, grouping) for grouping in groupings(answers, rows, pooled=self.pooled)),
            votes,
        )

    def attribute(self, rows: IntArray, grouping: Grouping) -> AttributeTally:
        """The rows of one combination that are about one attribute."""
        laid, counting = self.laid, self.counting
        own, groups, n_groups = grouping.rows, grouping.groups, len(grouping.values)
        scores, questions, able = laid.scores[own], laid.questions[own], laid.answerable[own]
        known = ~np.isnan(scores)
        options = (laid.answers.choices[own], laid.answers.golds[own])
        n_options = len(laid.answers.options)
        within = None
        if "within" in counting.voters and (counting.all_values or grouping.attribute != ALL_VALUES):
            within = cast_votes(laid, rows, grouping, replace(counting.rule, voters="within"))
        return AttributeTally(
            attribute=grouping.attribute,
            values=grouping.values,
            alone=grouping.alone,
            n_questions=int(n_clusters(np.zeros(own.size, dtype=np.int64), questions, 1)[0]),
            n_unknown=int(own.size - np.count_nonzero(known)),
            n_unread=np.bincount(groups[self.unread[own] & known], minlength=n_groups),
            places=np.stack([np.bincount(each[each >= 0], minlength=n_options) for each in options]),
            known=counted(scores, questions, groups, n_groups),
            answerable=counted(np.where(able, scores, np.nan), questions, groups, n_groups),
            agreement=agreement(laid, grouping, binary=self.binary),
            options=options_counted(laid, grouping) if counting.letters else None,
            within=within,
            overlap=overlaps(laid.answers, rows, grouping, counting.depths, seed=counting.seed),
        )


def overlaps(
    answers: VariantAnswers, rows: IntArray, grouping: Grouping, depths: Sequence[int | None], *, seed: int
) -> tuple[Overlap, ...]:
    """Retrieval overlap of an attribute at each depth; () where no documents were recorded for variants of it alone.

    Args:
        answers: The answers.
        rows: Those of one combination of columns.
        grouping: Which of them are about which value.
        depths: Documents that count; None stands for whole lists.
        seed: Of the intervals' resamples.
    """
    alone = grouping.alone and grouping.attribute != ALL_VALUES
    if not (depths and alone and np.diff(answers.retrieved_offsets)[grouping.rows].any()):
        return ()
    lists = lists_of(answers, rows, grouping)
    return tuple(retrieval_overlap(lists, k=k, seed=seed) for k in depths)
