"""Runs of variants, and variants of questions, for ``fairviz variants``."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import cast

import numpy as np

from fairviz.cli.frame import print_text, warn
from fairviz.errors import UsageError
from fairviz.experiment.variants import ATTRIBUTES, FORMS, make_variants, not_made, write_variant_questions
from fairviz.io.notes import Parsed
from fairviz.io.rankings import read_ranked_run
from fairviz.io.texts import read_queries
from fairviz.metrics.spec import parse_measures
from fairviz.model import Note, Qrels, RankedRun
from fairviz.model.arrays import segment_ids
from fairviz.show.table import Json, Table, keyed
from fairviz.studies.demographic_qa.overlap import CUTOFFS, NO_ATTRIBUTE, lists_of_runs, retrieval_overlaps
from fairviz.studies.demographic_qa.quality import MEASURES, VariantQuality, variant_quality
from fairviz.studies.demographic_qa.tables import overlap_body

ANY_ATTRIBUTE = "group"
"""Attribute of runs whose value is in no attribute that fairviz knows."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What runs of variants say, in both forms."""

    body: dict[str, Json] = field(default_factory=dict[str, Json])
    tables: dict[str, Table] = field(default_factory=dict[str, Table])
    notes: tuple[Note, ...] = ()


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """``--run``, once per value."""
    parser.add_argument(
        "--run",
        dest="runs",
        action="append",
        default=[],
        metavar="[ATTRIBUTE:]VALUE=RUN",
        help="the run of the questions about one value, or neutral; may be repeated",
    )


def add_generate_options(parser: argparse.ArgumentParser) -> None:
    """``--generate`` and how."""
    parser.add_argument(
        "--generate",
        metavar="QUESTIONS",
        help="write the variants of questions (JSON Lines {query_id, text}) as JSON Lines",
    )
    parser.add_argument(
        "--attribute",
        dest="attributes",
        action="append",
        default=[],
        metavar="NAME=VALUE,…",
        help="an attribute of --generate; may be repeated (default: race and gender of the paper)",
    )
    parser.add_argument(
        "--form",
        choices=FORMS,
        default=FORMS[0],
        help="where the value stands: in a sentence before the question (prefix, default), or at "
        "the person that the question mentions",
    )
    parser.add_argument(
        "--combine",
        action="store_true",
        help="each variant mentions a value of every attribute, instead of one value",
    )


def generate(args: argparse.Namespace) -> int:
    """Write variants of questions on standard output; say which could not be made."""
    questions = read_queries(args.generate)
    attributes = _attributes(args.attributes)
    made = make_variants(questions.value, attributes, form=args.form, combine=args.combine)
    missing = not_made(questions.value, attributes, form=args.form, combine=args.combine)
    notes = list(questions.notes)
    for reason in dict.fromkeys(one.reason for one in missing):
        n = sum(one.reason == reason for one in missing)
        what = "variant" if n == 1 else "variants"
        notes.append(Note(questions.file, None, f"{n:,} {what} not made: {reason}"))
    warn(notes)
    text = StringIO()
    write_variant_questions(made, text)
    if sys.stdout.isatty():
        print_text(text.getvalue())
    else:
        sys.stdout.write(text.getvalue())
    return 0


def run_files(texts: Sequence[str]) -> dict[tuple[str, str], str]:
    """(attribute, value) -> file, of the arguments of ``--run``.

    Raises:
        UsageError: A run is not ``[ATTRIBUTE:]VALUE=RUN``, or stands twice, or none has a value.
    """
    files: dict[tuple[str, str], str] = {}
    for text in texts:
        key, file = _run_argument(text)
        if key in files:
            raise UsageError(f"--run {text}: {key[1]} has a run already: {files[key]}")
        files[key] = file
    if files and all(name in NO_ATTRIBUTE for name, _ in files):
        raise UsageError("--run: give the run of at least one value besides neutral")
    return files


def of_runs(args: argparse.Namespace, files: Mapping[tuple[str, str], str], qrels: Qrels | None) -> Retrieval:
    """Overlap of the runs at each depth (by rank) and, with judgements, their quality (by score).

    Args:
        args: The arguments.
        files: From :func:`run_files`.
        qrels: The judgements.
    """
    if not files:
        return Retrieval()
    attributes = dict.fromkeys(name for name, _ in files if name not in NO_ATTRIBUTE)
    read = {key: read_ranked_run(file) for key, file in files.items()}
    runs: Mapping[tuple[str, str], RankedRun] = {key: one.value for key, one in read.items()}
    overlaps = [
        overlap
        for attribute in attributes
        for overlap in retrieval_overlaps(lists_of_runs(runs, attribute), cutoffs=args.k or CUTOFFS, seed=args.seed)
    ]
    notes = [note for one in read.values() for note in one.notes]
    first = next(iter(files.values()))
    said = dict.fromkeys(f"{one.attribute}: {text}" for one in overlaps for text in one.notes)
    notes += [Note(first, None, text) for text in said]
    body: dict[str, Json] = {"overlap": [overlap_body(one) for one in overlaps]}
    tables = {
        "overlap": Table(
            keyed("attribute", "k", "all", "pairwise", "neutral", "n_questions"),
            tuple((one.attribute, one.k, one.all, one.pairwise, one.neutral, one.n_questions) for one in overlaps),
            decimals=2,
        ),
        "overlap_values": Table(
            keyed("attribute", "value", "k", "overlap_neutral", "n"),
            tuple(
                (one.attribute, value, one.k, percent, one.n_by_value[value])
                for one in overlaps
                for value, percent in one.by_value.items()
            ),
            decimals=2,
        ),
    }
    if qrels is not None:
        measures = cast("list[str]", args.measures) or list(MEASURES)
        by_score = {key: one.run for key, one in runs.items()}  # as every measure orders a run
        quality = variant_quality(by_score, qrels, parse_measures(measures), seed=args.seed)
        notes += [note for one in read.values() if (note := _tied(one)) is not None]
        notes += quality.notes
        body |= _quality_body(quality)
        tables |= _quality_tables(quality)
    return Retrieval(body, tables, tuple(notes))


def _quality_body(found: VariantQuality) -> dict[str, Json]:
    return {
        "quality": [
            {
                "attribute": row.attribute or None,
                "value": row.value,
                "measure": row.measure,
                "mean": row.mean,
                "ci_low": row.interval.low,
                "ci_high": row.interval.high,
                "n_questions": row.n_questions,
                "n_undefined": row.n_undefined,
                "difference": row.difference,
                "difference_low": row.difference_interval.low,
                "difference_high": row.difference_interval.high,
                "p": row.p,
                "p_holm": row.p_holm,
                "n_compared": row.n_compared,
            }
            for row in found.rows
        ],
        "quality_gaps": [
            {
                "attribute": gap.attribute,
                "measure": gap.measure,
                "gap": gap.gap,
                "best": gap.best,
                "worst": gap.worst,
                "ci_low": gap.interval.low,
                "ci_high": gap.interval.high,
                "n_questions": gap.n_questions,
            }
            for gap in found.gaps
        ],
    }


def _quality_tables(found: VariantQuality) -> dict[str, Table]:
    rows = tuple(
        (
            row.attribute or "(reference)",
            row.value,
            row.measure,
            row.mean,
            *row.interval,
            row.n_questions,
            row.difference,
            *row.difference_interval,
            row.p,
            row.p_holm,
        )
        for row in found.rows
    )
    gaps = tuple(
        (gap.attribute, gap.measure, gap.gap, gap.best, gap.worst, *gap.interval, gap.n_questions) for gap in found.gaps
    )
    of_rows = (
        "attribute",
        "value",
        "measure",
        "mean",
        "low",
        "high",
        "n_questions",
        "difference",
        "difference_low",
        "difference_high",
        "p",
        "p_holm",
    )
    of_gaps = ("attribute", "measure", "gap", "best", "worst", "low", "high", "n_questions")
    return {
        "quality": Table(
            keyed(*of_rows, signed=("difference",), p=("p", "p_holm")),
            rows,
            decimals=4,
        ),
        "quality_gaps": Table(keyed(*of_gaps), gaps, decimals=4),
    }


def _tied(read: Parsed[RankedRun]) -> Note | None:
    """A note on equal scores, by which quality is measured, where the reader did not note them."""
    if any("tied scores" in note.message for note in read.notes):
        return None
    run = read.value.run
    equal = run.scores[1:] == run.scores[:-1]
    equal &= np.diff(segment_ids(run.offsets)) == 0
    tied = np.concatenate([[False], equal]) | np.concatenate([equal, [False]])
    n = int(tied.sum()) if equal.size else 0
    text = f"{n:,} tied scores: quality orders them by document id, descending (as trec_eval)"
    return Note(read.file, None, text) if n else None


def _run_argument(text: str) -> tuple[tuple[str, str], str]:
    name, mark, file = text.partition("=")
    attribute, colon, value = name.partition(":")
    if not colon:
        attribute, value = attribute_of(name), name
    if not mark or not file or not value.strip() or not attribute.strip():
        raise UsageError(f"--run {text}: expected VALUE=RUN or ATTRIBUTE:VALUE=RUN")
    return (attribute, value), file


def attribute_of(value: str) -> str:
    """The attribute of a value named alone: the paper's, none for neutral, else "group".

    Examples:
        >>> attribute_of("Asian"), attribute_of("neutral"), attribute_of("tall")
        ('race', 'none', 'group')
    """
    plain = value.replace("_", " ").casefold()
    if plain in NO_ATTRIBUTE:
        return NO_ATTRIBUTE[0]
    for attribute, values in ATTRIBUTES.items():
        if plain in (one.casefold() for one in values):
            return attribute
    return ANY_ATTRIBUTE


def _attributes(texts: list[str]) -> dict[str, tuple[str, ...]]:
    if not texts:
        return dict(ATTRIBUTES)
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, mark, values = text.partition("=")
        if not mark:
            raise UsageError(f"--attribute {text}: expected NAME=VALUE,VALUE,…")
        if name.strip() in found:
            raise UsageError(f"--attribute {text}: {name.strip()} is named twice")
        found[name.strip()] = tuple(value.strip() for value in values.split(","))
    return found
