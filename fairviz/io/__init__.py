"""Files to nouns and back: ``read_`` and ``write_`` of a format stand side by side.

A reader takes a path or ``(name, bytes)``, plain or gzip'ed, and returns :class:`Parsed`: the noun, notes on what was
repaired, the format found. A path may be a pipe; whatever it is, all of the noun, the notes and the digest are of the
same bytes (:mod:`~fairviz.io.source`). What it cannot read is one :class:`~fairviz.errors.InputError` naming file,
line, reason and how to mend it; nothing is half loaded.

====================================================  ================================================================
``rankings`` ``trec`` ``qrels`` ``groups``            runs and samples (TREC, FairTREC, JSON), judgements, group labels
``targets`` ``rag`` ``corpus``                        target shares; recorded outputs; passages, questions, references
``bbq`` ``bbq_targets`` ``bbq_answers``               bias questions, their biased option, the answers to them
``variants`` ``variant_rows`` ``variant_options``     answers to demographic variants: rows by columns; their options
``published``                                         the papers' tables, as shipped
``logs`` ``log_answers`` ``rag_results``              logs of evaluation tools: items, answers to them and to variants
``rag_traces`` ``parquet``                            answers that Ragas and OpenInference record; Parquet as records
``options`` ``sniff``                                 how a file is read; which kind it is
``dataset`` ``join`` ``validate``                     files into a Dataset; what two files share; reading for the notes
``answer_layout`` ``answer_table``                    tables of answers: columns declared, one reader
``answer_words`` ``answer_text``                      answers in words: which option they assert, by named rules
``closed_answers``                                    letters and known words
``trec_table`` ``arrow`` ``ids``                      tables of millions of lines: the fast pass, the exact one; Arrow
``frames``                                            tables in memory to nouns, by the checks of files
``json`` ``text`` ``source`` ``limits`` ``notes``     records, blocks of lines, bytes, how large, what a reader notes
``names``                                             which names are one
====================================================  ================================================================

To add a log of another tool, or a format: one file ``fairviz/io/NAME.py``, and a line where it is named.

1. *Recognise* in the file: ``is_NAME(keys)`` says by the header or by the keys of a record whether it is one;
   :func:`~fairviz.io.sniff.sniff` asks it, in a new line.
2. *Read*: ``read_NAME(file) -> Parsed[NOUN]`` of a noun that there is, else a new one in ``fairviz/model``, behind the
   door: :func:`~fairviz.io.source.reader`. Records of JSON Lines come from :func:`~fairviz.io.json.json_records` and
   :class:`~fairviz.io.json.Fields`. A table with a header is a :class:`~fairviz.io.answer_layout.Layout` of columns,
   read by :func:`~fairviz.io.answer_table.read_rows` (every line known) or
   :func:`~fairviz.io.answer_table.read_columns` (millions of rows).
3. *Write*: ``write_NAME(noun, to)`` beside it, whose file the reader gives back: what cannot be written is not read.
4. *Load*: a case in :func:`~fairviz.io.dataset.add_file`, a line in ``_READERS`` of :mod:`~fairviz.io.validate`, a row
   in ``fairviz/content/formats.yaml``. A tool's log of answers is a section of :mod:`~fairviz.io.logs` instead, that
   gives :class:`~fairviz.io.logs.Logged` answers, and a line in ``_TOOLS`` of :mod:`~fairviz.io.log_answers`.
5. *Limits* are in ``limits``, none elsewhere. Test what is read, repaired and refused in ``tests/io/test_NAME.py``; add
   a small file to ``tests/fuzz/seeds.py`` and its readers to ``tests/fuzz/law.py``: the fuzzer damages it.

Recorded answers have nouns of their own over columns of distinct values, because 3.3 million answers are few distinct
names. A file of answers is read without its questions, and matched with them later, so that uploads come in any order.
Of two systems of one name ``dataset`` renames the later one only, so that names do not change under a person. Ranks as
a file gives them are a ``RankedRun`` beside the ``Run``, which orders by score: fusion and overlap are about ranks.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fairviz.io.bbq import is_bias_items, read_bias_items, write_bias_items
    from fairviz.io.bbq_answers import (
        carried_predictions,
        is_bias_predictions,
        read_bias_predictions,
        write_bias_predictions,
    )
    from fairviz.io.corpus import read_corpus, read_queries, read_references
    from fairviz.io.dataset import Loaded, add_file, load_dataset, read_example, read_recorded
    from fairviz.io.groups import labels_from_qrels, read_groups, write_groups
    from fairviz.io.join import Join, join_answers, join_groups, join_outputs, join_qrels, join_target
    from fairviz.io.notes import Parsed, shown
    from fairviz.io.options import Options, Role
    from fairviz.io.qrels import read_qrels, write_qrels
    from fairviz.io.rag import RecordedOutputs, read_outputs, write_outputs
    from fairviz.io.rankings import read_ranked_run, read_rankings, read_run, read_samples
    from fairviz.io.sniff import Sniffed
    from fairviz.io.source import FileInput, Source
    from fairviz.io.targets import read_target, write_target
    from fairviz.io.trec import write_run, write_samples
    from fairviz.io.validate import KINDS, Validation
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
    "read_recorded",
    "read_references",
    "read_run",
    "read_samples",
    "read_target",
    "read_variants",
    "shown",
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

_HOMES = {
    "FileInput": "source",
    "Join": "join",
    "KINDS": "validate",
    "Loaded": "dataset",
    "Options": "options",
    "Parsed": "notes",
    "RecordedOutputs": "rag",
    "Role": "options",
    "Sniffed": "sniff",
    "Source": "source",
    "Validation": "validate",
    "add_file": "dataset",
    "carried_predictions": "bbq_answers",
    "is_bias_items": "bbq",
    "is_bias_predictions": "bbq_answers",
    "join_answers": "join",
    "join_groups": "join",
    "join_outputs": "join",
    "join_qrels": "join",
    "join_target": "join",
    "labels_from_qrels": "groups",
    "load_dataset": "dataset",
    "read_bias_items": "bbq",
    "read_bias_predictions": "bbq_answers",
    "read_corpus": "corpus",
    "read_example": "dataset",
    "read_groups": "groups",
    "read_outputs": "rag",
    "read_qrels": "qrels",
    "read_queries": "corpus",
    "read_ranked_run": "rankings",
    "read_rankings": "rankings",
    "read_recorded": "dataset",
    "read_references": "corpus",
    "read_run": "rankings",
    "read_samples": "rankings",
    "read_target": "targets",
    "read_variants": "variants",
    "shown": "notes",
    "write_bias_items": "bbq",
    "write_bias_predictions": "bbq_answers",
    "write_groups": "groups",
    "write_outputs": "rag",
    "write_qrels": "qrels",
    "write_run": "trec",
    "write_samples": "trec",
    "write_target": "targets",
    "write_variants": "variants",
}
"""Where each name is defined: loaded when it is first asked for, since who reads one format needs no other."""


def __getattr__(name: str) -> object:
    """A name, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
