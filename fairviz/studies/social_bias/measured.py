"""Answers to bias questions measured: rows, changes, what was retrieved; and what a reader should know.

The command line and the library call this, so that they give the same numbers.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fairviz.errors import InputError
from fairviz.model import BiasAnswers, BiasItems, BiasPredictions, GroupLabels, Note, Run
from fairviz.studies.social_bias.changes import BiasChange, bias_changes
from fairviz.studies.social_bias.dose import DoseResponse, dose_responses, runs_given
from fairviz.studies.social_bias.matching import Answered, answered
from fairviz.studies.social_bias.measures import OutOfChoice
from fairviz.studies.social_bias.retrieval import STEREOTYPICAL, StereotypeShare, stereotype_share
from fairviz.studies.social_bias.rows import bias_rows, default_columns, pooled_columns, reference_setting
from fairviz.studies.social_bias.tables import BiasResults
from fairviz.studies.social_bias.unread import read_as_unknown, reading_words, wordings, worst_case_words


class MeasuredBias(NamedTuple):
    """What answers say.

    Attributes:
        results: Rows, changes, shares of stereotypical documents, answers by their number.
        matched: Answers with their items.
        notes: What a reader should know; ``file`` is a name of answers or of a run.
    """

    results: BiasResults
    matched: Answered
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
    file = predictions[0].name
    shares, responses, run_notes = _documents(items, answers, runs or {}, polarity, k, seed)
    notes = [Note(file, None, text) for text in matched.notes] + run_notes + _hints(answers, against, file)
    columns = list(by) or default_columns(answers)
    if pooled := pooled_columns(answers, columns):
        notes.append(Note(file, None, f"rows pool {pooled}: name them in --by to part them"))
    rows = bias_rows(items, answers, by=columns, ooc=ooc, seed=seed)
    notes += [Note(file, None, text) for text in (worst_case_words(rows, "diffbias_a"),) if text]
    changes = _changes(items, answers, columns, against, ooc=ooc, groups=groups, seed=seed)
    results = BiasResults(rows, changes, shares, responses, reading=reading_words(read))
    return MeasuredBias(results, matched, tuple(notes))


def _hints(answers: BiasAnswers, against: tuple[str, str] | None, file: str) -> list[Note]:
    """Settings are not compared where none says that it is without retrieval."""
    settings = answers.factor("setting")
    if against or settings is None or len(settings.values) < 2:
        return []
    if reference_setting(settings.values) is not None:
        return []
    text = f"no setting says that it is without retrieval ({', '.join(settings.values)}): nothing "
    return [Note(file, None, text + "is compared; name the reference with --against setting=NAME")]


def _changes(
    items: BiasItems,
    answers: BiasAnswers,
    by: Sequence[str],
    against: tuple[str, str] | None,
    *,
    ooc: OutOfChoice,
    groups: bool,
    seed: int,
) -> tuple[BiasChange, ...]:
    """Against the reference that is named, else against the setting without retrieval, if there is one."""
    settings = answers.factor("setting")
    if against is None and settings is not None and len(settings.values) > 1:
        reference = reference_setting(settings.values)
        against = None if reference is None else ("setting", reference)
    if against is None:
        return ()
    return bias_changes(items, answers, by=by, against=against, ooc=ooc, groups=groups, seed=seed)


def _documents(
    items: BiasItems,
    answers: BiasAnswers,
    runs: Mapping[str, Run],
    polarity: GroupLabels | None,
    k: int | None,
    seed: int,
) -> tuple[list[StereotypeShare], Sequence[DoseResponse], list[Note]]:
    """What was retrieved, and answers by it where the queries of the runs are items."""
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
