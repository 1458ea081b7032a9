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
``cells`` ``answer_layout`` ``answer_table``          tables of answers: a frame, its columns, what each row says
``answer_words`` ``answer_text``                      answers in words: which option they assert, by named rules
``closed_answers``                                    letters and known words
``trec_table`` ``ids``                                tables of millions of lines: the fast pass, the exact one
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
   read by :func:`~fairviz.io.answer_table.read_table` (columns, each distinct cell once) or
   :func:`~fairviz.io.answer_table.read_rows` (one by one).
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
    from fairviz.io.bbq import is_bias_items as is_bias_items
    from fairviz.io.bbq import read_bias_items as read_bias_items
    from fairviz.io.bbq import write_bias_items as write_bias_items
    from fairviz.io.bbq_answers import carried_predictions as carried_predictions
    from fairviz.io.bbq_answers import is_bias_predictions as is_bias_predictions
    from fairviz.io.bbq_answers import read_bias_predictions as read_bias_predictions
    from fairviz.io.bbq_answers import write_bias_predictions as write_bias_predictions
    from fairviz.io.corpus import read_corpus as read_corpus
    from fairviz.io.corpus import read_queries as read_queries
    from fairviz.io.corpus import read_references as read_references
    from fairviz.io.dataset import Loaded as Loaded
    from fairviz.io.dataset import add_file as add_file
    from fairviz.io.dataset import load_dataset as load_dataset
    from fairviz.io.dataset import read_example as read_example
    from fairviz.io.dataset import read_recorded as read_recorded
    from fairviz.io.groups import labels_from_qrels as labels_from_qrels
    from fairviz.io.groups import read_groups as read_groups
    from fairviz.io.groups import write_groups as write_groups
    from fairviz.io.join import Join as Join
    from fairviz.io.join import join_answers as join_answers
    from fairviz.io.join import join_groups as join_groups
    from fairviz.io.join import join_outputs as join_outputs
    from fairviz.io.join import join_qrels as join_qrels
    from fairviz.io.join import join_target as join_target
    from fairviz.io.notes import Parsed as Parsed
    from fairviz.io.notes import shown as shown
    from fairviz.io.options import Options as Options
    from fairviz.io.options import Role as Role
    from fairviz.io.qrels import read_qrels as read_qrels
    from fairviz.io.qrels import write_qrels as write_qrels
    from fairviz.io.rag import RecordedOutputs as RecordedOutputs
    from fairviz.io.rag import read_outputs as read_outputs
    from fairviz.io.rag import write_outputs as write_outputs
    from fairviz.io.rankings import read_ranked_run as read_ranked_run
    from fairviz.io.rankings import read_rankings as read_rankings
    from fairviz.io.rankings import read_run as read_run
    from fairviz.io.rankings import read_samples as read_samples
    from fairviz.io.sniff import Sniffed as Sniffed
    from fairviz.io.source import FileInput as FileInput
    from fairviz.io.source import Source as Source
    from fairviz.io.targets import read_target as read_target
    from fairviz.io.targets import write_target as write_target
    from fairviz.io.trec import write_run as write_run
    from fairviz.io.trec import write_samples as write_samples
    from fairviz.io.validate import KINDS as KINDS
    from fairviz.io.validate import Validation as Validation
    from fairviz.io.variants import read_variants as read_variants
    from fairviz.io.variants import write_variants as write_variants

_NAMES = {
    "bbq": ("is_bias_items", "read_bias_items", "write_bias_items"),
    "bbq_answers": ("carried_predictions", "is_bias_predictions", "read_bias_predictions", "write_bias_predictions"),
    "corpus": ("read_corpus", "read_queries", "read_references"),
    "dataset": ("Loaded", "add_file", "load_dataset", "read_example", "read_recorded"),
    "groups": ("labels_from_qrels", "read_groups", "write_groups"),
    "join": ("Join", "join_answers", "join_groups", "join_outputs", "join_qrels", "join_target"),
    "notes": ("Parsed", "shown"),
    "options": ("Options", "Role"),
    "qrels": ("read_qrels", "write_qrels"),
    "rag": ("RecordedOutputs", "read_outputs", "write_outputs"),
    "rankings": ("read_ranked_run", "read_rankings", "read_run", "read_samples"),
    "sniff": ("Sniffed",),
    "source": ("FileInput", "Source"),
    "targets": ("read_target", "write_target"),
    "trec": ("write_run", "write_samples"),
    "validate": ("KINDS", "Validation"),
    "variants": ("read_variants", "write_variants"),
}
"""What each module defines."""

_HOMES = {name: module for module, names in _NAMES.items() for name in names}
"""Where each name is defined: loaded when it is first asked for, since who reads one format needs no other."""


def __getattr__(name: str) -> object:
    """A name, from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
