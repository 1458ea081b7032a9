"""``fairviz vary``: the demographic variants of questions, for whoever answers them."""

import argparse
from collections import Counter
from functools import partial
from typing import cast

from fairviz.cli._common import print_lines, warn
from fairviz.cli._files import source_of
from fairviz.errors import UsageError
from fairviz.experiments.people import ATTRIBUTES, make_variants, not_made, write_variant_questions
from fairviz.io.corpus import read_queries
from fairviz.model import Note
from fairviz.numerals import count


def run(args: argparse.Namespace) -> int:
    """Write variants of questions as JSON Lines; say which could not be made."""
    questions = read_queries(source_of(args.questions))
    attributes = _attributes(cast("list[str]", args.attributes))
    variants = make_variants(questions.value, attributes, form=args.form, combine=args.combine)
    reasons = Counter(
        reason for _, reason in not_made(questions.value, attributes, form=args.form, combine=args.combine)
    )
    notes = list(questions.notes)
    for reason, n in reasons.items():
        noun = "variant" if n == 1 else "variants"
        notes.append(Note(questions.file, None, f"{count(n)} {noun} not made: {reason}"))
    warn(notes)
    print_lines(partial(write_variant_questions, variants))
    return 0


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
