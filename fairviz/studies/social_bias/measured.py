"""Answers to bias questions measured: rows, changes, what was retrieved; and what a reader should know.

The command line and the library call this, so that they give the same numbers.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.model import BiasAnswers, BiasItems, BiasPredictions, GroupLabels, Note, Run
from fairviz.studies.social_bias.changes import bias_changes
from fairviz.studies.social_bias.dose import (
    STEREOTYPICAL,
    DoseResponse,
    StereotypeShare,
    dose_responses,
    runs_given,
    stereotype_share,
)
from fairviz.studies.social_bias.findings import one_letter_words
from fairviz.studies.social_bias.matching import Reading, answered
from fairviz.studies.social_bias.measures import OutOfChoice
from fairviz.studies.social_bias.rows import bias_rows, default_columns, pooled_columns, reference_setting
from fairviz.studies.social_bias.tables import BiasResults
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
    columns = list(by) or default_columns(answers)
    against_what = against or _reference(answers)
    shares, responses, run_notes = _documents(items, answers, runs or {}, polarity, k, seed)
    notes = _hints(answers, against)
    if pooled := pooled_columns(answers, columns):
        notes.append(f"rows pool {pooled}: name them in --by to part them")
    rows = bias_rows(items, answers, by=columns, ooc=ooc, seed=seed)
    letter = one_letter_words(rows, {})
    notes += [text for text in (worst_case_words(rows, "diffbias_a"), letter and f"no verdict: {letter}") if text]
    changes = ()
    if against_what is not None:
        changes = bias_changes(items, answers, by=columns, against=against_what, ooc=ooc, groups=groups, seed=seed)
    results = BiasResults(rows, changes, shares, responses, reading=reading_words(read))
    of_matching, of_rows = (
        [Note(predictions[0].name, None, text) for text in texts] for texts in (matched.reading.notes, notes)
    )
    return MeasuredBias(results, matched.reading, (*of_matching, *run_notes, *of_rows))


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
    items: BiasItems,
    answers: BiasAnswers,
    runs: Mapping[str, Run],
    polarity: GroupLabels | None,
    k: int | None,
    seed: int,
) -> tuple[list[StereotypeShare], tuple[DoseResponse, ...], list[Note]]:
    """What was retrieved, and how many stereotypical documents items were given where they are queries of the runs."""
    if not runs or polarity is None:
        return [], (), []
    stereotypical = [group for group in polarity.groups if group.casefold().startswith(STEREOTYPICAL)]
    group = stereotypical[0] if stereotypical else STEREOTYPICAL
    shares = [stereotype_share(run, polarity, k=k, group=group, seed=seed) for run in runs.values()]
    try:
        given = runs_given(answers, runs)
        return shares, dose_responses(items, answers, given, polarity, group=group, k=k), []
    except InputError as error:
        text = f"answers are not counted by stereotypical documents: {error.reason}"
        text = f"{text}; {error.fix}" if error.fix else text
        return shares, (), [Note(error.file or next(iter(runs)), None, text)]
