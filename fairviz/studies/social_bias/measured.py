"""Answers to bias questions measured: rows, changes, what was retrieved; and what a reader should know.

The command line and the library call this, so that they give the same numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from fairviz.errors import InputError
from fairviz.model import BiasAnswers, BiasItems, BiasPredictions, GroupLabels, Note, Run
from fairviz.studies.social_bias.changes import changes_of, tables_of
from fairviz.studies.social_bias.dose import DosesGiven, DoseTally, dose_tally, doses_given, responses_of, runs_given
from fairviz.studies.social_bias.findings import one_letter_words
from fairviz.studies.social_bias.matching import Reading, answered
from fairviz.studies.social_bias.measures import OutOfChoice
from fairviz.studies.social_bias.retrieval import STEREOTYPICAL, StereotypeShare, stereotype_share
from fairviz.studies.social_bias.rows import default_columns, pooled_columns, reference_setting, rows_of
from fairviz.studies.social_bias.tables import BiasResults
from fairviz.studies.social_bias.tallies import AnswerTally, PairTally, answer_tally, pair_tally
from fairviz.studies.social_bias.unread import read_as_unknown, reading_words, wordings, worst_case_words


class MeasuredBias(NamedTuple):
    """What answers say.

    Attributes:
        results: Rows, changes, shares of stereotypical documents, answers by their number.
        reading: How answers were matched with their items, and read.
        notes: What a reader should know; ``file`` is a name of answers or of a run.
    """

    results: BiasResults
    reading: Reading
    notes: tuple[Note, ...]


class Counted(NamedTuple):
    """All answers, counted.

    Attributes:
        answers: By the columns of rows.
        pairs: Pairs with the reference's answers, by the columns of each table of changes.
        doses: Answers by number of stereotypical documents, of each run.
        reading: How answers were matched with their items, and read.
    """

    answers: AnswerTally
    pairs: Sequence[PairTally]
    doses: Sequence[DoseTally]
    reading: Reading


class Wanted(NamedTuple):
    """What is counted.

    Attributes:
        by: Columns of rows.
        against: Column and value of the reference; None where nothing is compared.
        tables: Columns of each table of changes.
        doses: Stereotypical documents given, of each run.
    """

    by: Sequence[str]
    against: tuple[str, str] | None
    tables: Sequence[Sequence[str]]
    doses: Sequence[DosesGiven] = ()

    def of(self, items: BiasItems, answers: BiasAnswers) -> tuple[AnswerTally, list[PairTally], list[DoseTally]]:
        """Some answers counted: all of those to some items.

        Raises:
            UsageError: A column that is not there.
        """
        tally = answer_tally(items, answers, self.by)
        against = self.against
        pairs = [] if against is None else [pair_tally(items, answers, by, against) for by in self.tables]
        return tally, pairs, [dose_tally(items, answers, doses) for doses in self.doses]


class Counting(Protocol):
    """Answers to items, wherever they are counted."""

    @property
    def items(self) -> BiasItems:
        """The questions."""
        ...

    @property
    def columns(self) -> BiasAnswers:
        """Answers with the columns of all, of which nothing but names and values is looked at."""
        ...

    def counted(self, wanted: Wanted) -> Counted:
        """The answers counted.

        Raises:
            UsageError: A column that is not there.
        """
        ...


class _Here(NamedTuple):
    """Answers that are all in memory."""

    items: BiasItems
    columns: BiasAnswers
    reading: Reading

    def counted(self, wanted: Wanted) -> Counted:
        """See :class:`Counting`."""
        return Counted(*wanted.of(self.items, self.columns), self.reading)


def measured_bias(
    items: BiasItems,
    predictions: Sequence[BiasPredictions],
    *,
    by: Sequence[str] = (),
    against: tuple[str, str] | None = None,
    ooc: OutOfChoice = "drop",
    groups: bool = False,
    runs: Mapping[str, Run] | None = None,
    polarity: GroupLabels | None = None,
    k: int | None = None,
    unknown: Sequence[str] = (),
    seed: int = 0,
) -> MeasuredBias:
    """Match answers with their items, measure and compare them.

    Args:
        items: The questions.
        predictions: Answers of one or more files.
        by: Columns that rows are kept apart by; none: model, category, setting and every other that varies.
        against: Column and value to compare with; None: the setting without retrieval, if there is one.
        ooc: What becomes of answers out of choice.
        groups: Also compare the items about each stereotyped group.
        runs: Documents that the answers were given, by name.
        polarity: Groups of these documents, of which one is stereotypical.
        k: Documents of a list that count; None: all.
        unknown: Wordings of unread answers that are read as "unknown".
        seed: Of the resamples.

    Raises:
        InputError: There are no answers, or none is to a known item.
        UsageError: A column that is not there.
    """
    matched = answered(items, predictions)
    read = [wording for wording in wordings(matched.answers) if wording.words in unknown] if unknown else []
    answers = read_as_unknown(items, matched.answers, [wording.words for wording in read])
    measured = measured_counts(
        _Here(items, answers, matched.reading),
        predictions[0].name,
        by=by,
        against=against,
        ooc=ooc,
        groups=groups,
        runs=runs,
        polarity=polarity,
        k=k,
        seed=seed,
    )
    return measured._replace(results=replace(measured.results, reading=reading_words(read)))


def measured_counts(
    answers: Counting,
    file: str,
    *,
    by: Sequence[str] = (),
    against: tuple[str, str] | None = None,
    ooc: OutOfChoice = "drop",
    groups: bool = False,
    runs: Mapping[str, Run] | None = None,
    polarity: GroupLabels | None = None,
    k: int | None = None,
    seed: int = 0,
) -> MeasuredBias:
    """Measure and compare answers, wherever they are counted.

    Args:
        answers: The answers.
        file: Whose name notes have.
        by: As that of :func:`measured_bias`.
        against: Likewise.
        ooc: Likewise.
        groups: Likewise.
        runs: Likewise.
        polarity: Likewise.
        k: Likewise.
        seed: Likewise.

    Raises:
        UsageError: A column that is not there.
    """
    columns = list(by) or default_columns(answers.columns)
    against_what = against or _reference(answers.columns)
    tables = () if against_what is None else tables_of(columns, against_what, groups=groups)
    shares, doses, run_notes = _documents(answers, runs or {}, polarity, k, seed)
    counted = answers.counted(Wanted(columns, against_what, tables, doses))
    notes = _hints(answers.columns, against)
    if pooled := pooled_columns(answers.columns, columns):
        notes.append(f"rows pool {pooled}: name them in --by to part them")
    rows = rows_of(counted.answers, ooc=ooc, seed=seed)
    given = one_letter_words(rows, {})
    notes += [text for text in (worst_case_words(rows, "diffbias_a"), given and f"no verdict: {given}") if text]
    changes = changes_of(counted.pairs, ooc=ooc, groups=groups, seed=seed)
    results = BiasResults(rows, changes, shares, responses_of(answers.columns, counted.doses))
    of_matching, of_rows = ([Note(file, None, text) for text in texts] for texts in (counted.reading.notes, notes))
    return MeasuredBias(results, counted.reading, (*of_matching, *run_notes, *of_rows))


def _hints(answers: BiasAnswers, against: tuple[str, str] | None) -> list[str]:
    """Settings are not compared where none says that it is without retrieval."""
    settings = answers.factor("setting")
    if against or settings is None or len(settings.values) < 2:
        return []
    if reference_setting(settings.values) is not None:
        return []
    text = f"no setting says that it is without retrieval ({', '.join(settings.values)}): nothing "
    return [text + "is compared; name the reference with --against setting=NAME"]


def _reference(answers: BiasAnswers) -> tuple[str, str] | None:
    """The setting without retrieval, if there is one among several."""
    settings = answers.factor("setting")
    if settings is None or len(settings.values) < 2:
        return None
    reference = reference_setting(settings.values)
    return None if reference is None else ("setting", reference)


def _documents(
    answers: Counting, runs: Mapping[str, Run], polarity: GroupLabels | None, k: int | None, seed: int
) -> tuple[list[StereotypeShare], list[DosesGiven], list[Note]]:
    """What was retrieved, and how many stereotypical documents items were given where they are queries of the runs."""
    if not runs or polarity is None:
        return [], [], []
    stereotypical = [group for group in polarity.groups if group.casefold().startswith(STEREOTYPICAL)]
    group = stereotypical[0] if stereotypical else STEREOTYPICAL
    shares = [stereotype_share(run, polarity, k=k, group=group, seed=seed) for run in runs.values()]
    try:
        given = runs_given(answers.columns, runs)
        return shares, doses_given(answers.items, answers.columns, given, polarity, group=group, k=k), []
    except InputError as error:
        text = f"answers are not counted by stereotypical documents: {error.reason}"
        text = f"{text}; {error.fix}" if error.fix else text
        return shares, [], [Note(error.file or next(iter(runs)), None, text)]
