"""Files to nouns and back: ``read_`` and ``write_`` of a format stand side by side.

A reader takes a path or ``(name, bytes)``, plain or gzip'ed, and returns :class:`Parsed`: the noun,
notes on what was repaired, the format found. What it cannot read is one
:class:`~fairviz.errors.InputError` naming file, line, reason and how to mend it; nothing is half
loaded.
"""

from fairviz.io.bbq import is_bias_items, read_bias_items, write_bias_items
from fairviz.io.bbq_answers import (
    carried_predictions,
    is_bias_predictions,
    read_bias_predictions,
    write_bias_predictions,
)
from fairviz.io.dataset import Loaded, Options, add_file, load_dataset, read_example
from fairviz.io.groups import labels_from_qrels, read_groups, write_groups
from fairviz.io.join import Join, join_answers, join_groups, join_outputs, join_qrels, join_target
from fairviz.io.notes import Parsed, shown
from fairviz.io.qrels import read_qrels, write_qrels
from fairviz.io.rag import RecordedOutputs, read_outputs, write_outputs
from fairviz.io.rankings import read_ranked_run, read_rankings, read_run, read_samples
from fairviz.io.sniff import Role, Sniffed, sniff
from fairviz.io.source import FileInput, Source
from fairviz.io.targets import read_target, write_target
from fairviz.io.texts import read_corpus, read_queries, read_references
from fairviz.io.trec import write_run, write_samples
from fairviz.io.validate import KINDS, Validation, validate
from fairviz.io.variants import read_variants, write_variants

__all__ = [
    "KINDS",
    "FileInput",
    "Join",
    "Loaded",
    "Options",
    "Parsed",
    "RecordedOutputs",
    "Role",
    "Sniffed",
    "Source",
    "Validation",
    "add_file",
    "carried_predictions",
    "is_bias_items",
    "is_bias_predictions",
    "join_answers",
    "join_groups",
    "join_outputs",
    "join_qrels",
    "join_target",
    "labels_from_qrels",
    "load_dataset",
    "read_bias_items",
    "read_bias_predictions",
    "read_corpus",
    "read_example",
    "read_groups",
    "read_outputs",
    "read_qrels",
    "read_queries",
    "read_ranked_run",
    "read_rankings",
    "read_references",
    "read_run",
    "read_samples",
    "read_target",
    "read_variants",
    "shown",
    "sniff",
    "validate",
    "write_bias_items",
    "write_bias_predictions",
    "write_groups",
    "write_outputs",
    "write_qrels",
    "write_run",
    "write_samples",
    "write_target",
    "write_variants",
]
