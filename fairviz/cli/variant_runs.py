"""Options of ``fairviz variants`` on runs of variants and on variants of questions, and what is read for them."""

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from typing import cast

import numpy as np

from fairviz.cli._common import print_lines, warn
from fairviz.cli._files import InputFile, source_of
from fairviz.counts import count
from fairviz.errors import InputError, UsageError
from fairviz.evaluation.joins import renamed
from fairviz.experiments.variants.people import (
    ATTRIBUTES,
    FORMS,
    described,
    make_variants,
    not_made,
    write_variant_questions,
)
from fairviz.io.corpus import read_queries
from fairviz.io.notes import Parsed
from fairviz.io.rankings import read_ranked_run
from fairviz.model import Note, Qrels, RankedRun
from fairviz.model.arrays import segment_ids
from fairviz.studies.demographic_qa.results import RetrievalResults, retrieval_results


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """``--run``, once per value."""
    parser.add_argument(
        "--run",
        dest="runs",
        type=InputFile,
        action="append",
        default=[],
        metavar="[ATTRIBUTE:]VALUE=RUN",
        help="the run of the questions about one value, or neutral; may be repeated",
    )


def add_generate_options(parser: argparse.ArgumentParser) -> None:
    """``--generate`` and how."""
    parser.add_argument(
        "--generate",
        type=InputFile,
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
    questions = read_queries(source_of(args.generate))
    attributes = _attributes(args.attributes)
    variants = make_variants(questions.value, attributes, form=args.form, combine=args.combine)
    not_made_variants = not_made(questions.value, attributes, form=args.form, combine=args.combine)
    notes = list(questions.notes)
    for reason in dict.fromkeys(variant.reason for variant in not_made_variants):
        n = sum(variant.reason == reason for variant in not_made_variants)
        noun = "variant" if n == 1 else "variants"
        notes.append(Note(questions.file, None, f"{count(n)} {noun} not made: {reason}"))
    warn(notes)
    print_lines(partial(write_variant_questions, variants))
    return 0


def run_files(texts: Sequence[str]) -> dict[tuple[str, str], str]:
    """(attribute, value) -> file, of the arguments of ``--run``.

    Raises:
        UsageError: A run is not ``[ATTRIBUTE:]VALUE=RUN``, or stands twice.
    """
    files: dict[tuple[str, str], str] = {}
    for text in texts:
        key, file = _run_argument(text)
        if key in files:
            raise UsageError(f"--run {text}: {key[1]} has a run already: {files[key]}")
        files[key] = file
    return files


def run_results(
    args: argparse.Namespace, files: Mapping[tuple[str, str], str], qrels: Qrels | None
) -> tuple[RetrievalResults, list[Note]]:
    """What runs of variants say, and notes on their files; nothing where there are none.

    Args:
        args: The arguments.
        files: From :func:`run_files`.
        qrels: The judgements.
    """
    if not files:
        return RetrievalResults(), []
    parsed = {key: read_ranked_run(source_of(file, "scoreddocs")) for key, file in files.items()}
    try:
        results = retrieval_results(
            {key: run.value for key, run in parsed.items()},
            qrels,
            measures=cast("list[str]", args.measures),
            depths=args.k,
            seed=args.seed,
        )
    except InputError as error:
        files_of = {value: run.file for (_, value), run in parsed.items()}
        raise renamed(error, files_of.get(error.file, error.file)) from error
    notes = [note for run in parsed.values() for note in run.notes]
    notes += [Note(next(iter(parsed.values())).file, None, text) for text in results.notes]
    if results.quality is not None:
        notes += [note for run in parsed.values() if (note := _tied(run)) is not None]
        notes += results.quality.notes
    return results, notes


def _tied(parsed: Parsed[RankedRun]) -> Note | None:
    """A note on equal scores, by which quality is measured, where the reader did not note them."""
    if any("tied scores" in note.message for note in parsed.notes):
        return None
    run = parsed.value.run
    equal = run.scores[1:] == run.scores[:-1]
    equal &= np.diff(segment_ids(run.offsets)) == 0
    tied = np.concatenate([[False], equal]) | np.concatenate([equal, [False]])
    n = int(tied.sum()) if equal.size else 0
    text = f"{count(n)} tied scores: quality orders them by document id, descending (as trec_eval)"
    return Note(parsed.file, None, text) if n else None


def _run_argument(text: str) -> tuple[tuple[str, str], str]:
    name, mark, file = text.partition("=")
    attribute, value = described(name)
    if not mark or not file or not value.strip() or not attribute.strip():
        raise UsageError(f"--run {text}: expected VALUE=RUN or ATTRIBUTE:VALUE=RUN")
    return (attribute, value), file


def _attributes(texts: list[str]) -> dict[str, tuple[str, ...]]:
    if not texts:
        return dict(ATTRIBUTES)
    attributes: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, mark, values = text.partition("=")
        if not mark:
            raise UsageError(f"--attribute {text}: expected NAME=VALUE,VALUE,…")
        if name.strip() in attributes:
            raise UsageError(f"--attribute {text}: {name.strip()} is named twice")
        attributes[name.strip()] = tuple(value.strip() for value in values.split(","))
    return attributes
