"""``fairviz label``: which documents are useful to a generator, from its recorded answers without and with one each."""

import argparse
from functools import partial

from fairviz.cli._common import ids_without_blanks, print_lines, warn
from fairviz.cli._files import source_of
from fairviz.errors import UndefinedError, UsageError


def run(args: argparse.Namespace) -> int:
    """Compare, then print."""
    from fairviz.experiments.labels import RECORDED, recorded_labels
    from fairviz.io.corpus import read_references
    from fairviz.io.qrels import write_qrels
    from fairviz.io.rag import read_outputs

    read = [read_outputs(source_of(file)) for file in args.outputs]
    references = read_references(source_of(args.references)) if args.references else None
    utility = args.utility or ("rougeL" if references else RECORDED)
    outputs = [one for parsed in read for one in parsed.value.outputs]
    generators = list(dict.fromkeys(one.generator or one.system for one in outputs))
    generator = args.generator or (generators[0] if len(generators) == 1 else None)
    if generator not in generators:
        raise UsageError(f"label: give --generator, one of: {', '.join(generators)}")
    own = [one for one in outputs if (one.generator or one.system) == generator]
    qrels, notes = recorded_labels(
        own, utility=utility, references=references.value if references else None, generator=generator
    )
    if not qrels.query_ids:
        raise UndefinedError(
            f"{', '.join(args.outputs)}: no question has answers both without and with one document; "
            f"{'; '.join(note.message for note in notes)}"
        )
    warn([*(note for parsed in (*read, *([references] if references else [])) for note in parsed.notes), *notes])
    with ids_without_blanks(", ".join(args.outputs)):
        print_lines(partial(write_qrels, qrels))
    return 0
