"""Answers to bias questions measured: rows, changes, what was retrieved; and what a reader should know.

The command line and the library call this, so that they give the same numbers.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from fairviz.errors import InputError
from fairviz.model import BiasItems, BiasPredictions, GroupLabels, Note, Run
from fairviz.studies.social_bias.analysis import bias_changes, bias_rows, default_columns
from fairviz.studies.social_bias.answers import (
    INSTRUCTION,
    read_as_unknown,
    reading_words,
    recorded,
    values_in,
    varying,
    wordings,
)
from fairviz.studies.social_bias.columns import BiasResults
from fairviz.studies.social_bias.documents import STEREOTYPICAL, dose_responses, runs_given, stereotype_share
from fairviz.studies.social_bias.findings import one_letter_words, worst_case_words
from fairviz.studies.social_bias.labels import reference_setting
from fairviz.studies.social_bias.matching import Reading, answered
from fairviz.studies.social_bias.measures import OutOfChoice


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
    answers = read_as_unknown(matched.answers, [wording.words for wording in read])
    columns = list(by) or default_columns(answers)
    settings = values_in(answers, "setting") if "setting" in recorded(answers) else ()
    without = reference_setting(settings) if len(settings) > 1 else None
    against_what = against or (("setting", without) if without is not None else None)
    retrieval, doses, slopes, run_notes = _documents(items, answers, runs or {}, polarity, k, seed)
    notes: list[str] = []
    if not against and len(settings) > 1 and without is None:
        notes.append(
            f"no setting says that it is without retrieval ({', '.join(settings)}): nothing "
            "is compared; name the reference with --against setting=NAME"
        )
    pooled = [name for name in varying(answers) if name not in (*columns, INSTRUCTION)]
    if pooled:
        words = ", ".join(f"{name} ({len(values_in(answers, name))} values)" for name in pooled)
        notes.append(f"rows pool {words}: name them in --by to part them")
    rows = bias_rows(items, answers, by=columns, ooc=ooc, seed=seed)
    named = rows.rows(named=True)
    letter = one_letter_words(named, {})
    notes += [text for text in (worst_case_words(named, "diffbias_a"), letter and f"no verdict: {letter}") if text]
    changes = pl.DataFrame()
    if against_what is not None:
        changes = bias_changes(answers, by=columns, against=against_what, ooc=ooc, groups=groups, seed=seed)
    results = BiasResults(rows, changes, retrieval, doses, slopes, reading=reading_words(read))
    of_matching, of_rows = (
        [Note(predictions[0].name, None, text) for text in texts] for texts in (matched.reading.notes, notes)
    )
    return MeasuredBias(results, matched.reading, (*of_matching, *run_notes, *of_rows))


def _documents(
    items: BiasItems,
    answers: pl.DataFrame,
    runs: Mapping[str, Run],
    polarity: GroupLabels | None,
    k: int | None,
    seed: int,
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, list[Note]]:
    """What was retrieved, and how many stereotypical documents items were given where they are queries of the runs."""
    nothing = pl.DataFrame()
    if not runs or polarity is None:
        return nothing, nothing, nothing, []
    stereotypical = [group for group in polarity.groups if group.casefold().startswith(STEREOTYPICAL)]
    group = stereotypical[0] if stereotypical else STEREOTYPICAL
    retrieval = pl.DataFrame([stereotype_share(run, polarity, k=k, group=group, seed=seed) for run in runs.values()])
    try:
        given = runs_given(answers, runs)
        return retrieval, *dose_responses(items, answers, given, polarity, group=group, k=k), []
    except InputError as error:
        text = f"answers are not counted by stereotypical documents: {error.reason}"
        text = f"{text}; {error.fix}" if error.fix else text
        return retrieval, nothing, nothing, [Note(error.file or next(iter(runs)), None, text)]
