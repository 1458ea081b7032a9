"""``fairviz sample``: rankings drawn from a policy, as a multi-sample run on standard output."""

import argparse
from functools import partial

import numpy as np

from fairviz.cli._common import ids_without_blanks, print_lines, warn
from fairviz.cli._data import one_run
from fairviz.cli.study import settings_of
from fairviz.io.rankings import write_samples
from fairviz.io.trec import check_writable
from fairviz.points.curves import drawn_by_query
from fairviz.studies.sampling import SampleSettings, judged

SETTINGS = SampleSettings


def run(args: argparse.Namespace) -> int:
    """Draw, then print query by query: millions of rankings fit into no memory."""
    files, loaded, source = one_run(args)
    asked = settings_of(args, SampleSettings, loaded)
    with files.naming():
        judgements = judged(source, loaded)
    drawing = asked.drawing(source, judgements)
    drawn = drawn_by_query(source, drawing, rng=np.random.default_rng(asked.seed), qrels=judgements)
    warn(files.notes)
    with ids_without_blanks(files.files[source.system]):
        check_writable(source.query_ids, "query id", opens_line=True)  # before anything is written
        check_writable(source.doc_ids, "document id")
        for sample in drawn:
            print_lines(partial(write_samples, sample))
    return 0
