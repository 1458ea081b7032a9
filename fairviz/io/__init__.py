"""Files to nouns and back: ``read_`` and ``write_`` of a format stand side by side.

A reader takes a path or ``(name, bytes)``, plain or gzip'ed, and returns :class:`Parsed`: the noun, notes on what was
repaired, the format found. A path may be a pipe; whatever it is, all of the noun, the notes and the digest are of the
same bytes (:mod:`~fairviz.io.source`). What it cannot read is one :class:`~fairviz.errors.InputError` naming file,
line, reason and how to mend it; nothing is half loaded.

===================================================  ==================================================================
``rankings`` ``qrels`` ``groups`` ``targets``        runs and samples, judgements, group labels, target shares
``rag`` ``corpus``                                   recorded outputs; passages, questions, references
``bbq`` ``bbq_targets`` ``bbq_answers``              bias questions, their biased option, the answers to them
``variants`` ``variant_rows``                        answers to demographic variants; their layouts and options
``logs`` ``log_tools`` ``rag_results``               logs of evaluation tools: items, answers to them and to variants
``json_runs`` ``rag_traces``                         rankings as JSON; answers that Ragas and OpenInference record
``formats`` ``tables``                               every format, its reader; systems, weights, popularity
``dataset`` ``join``                                 files into a Dataset; what two files share, and their notes
``cells`` ``answer_table``                           tables of answers: a frame, its columns, what each row says
``answer_words`` ``answer_text``                     answers in words: which option they assert; letters, known words
``trec``                                             TREC's columns, of millions of lines: the fast pass, the exact one
``columns``                                          tables with a header, Parquet, frames in memory, by their columns
``json`` ``text`` ``source`` ``limits`` ``notes``    records, blocks of lines, bytes, how read, limits, notes
``names``                                            which names are one, which ids mislead
``parquet``                                          rows of Parquet files, after a look at their structure
``stored`` ``manifest`` ``archive``                  files of any size as Parquet; folders of results; zip archives
``whole`` ``workspace``                              files written whole or not at all; what the dashboard keeps
===================================================  ==================================================================

To add a format: one file ``fairviz/io/NAME.py``, and a line of ``FORMATS``. To add a log of another tool: a file with
a :class:`~fairviz.io.logs.LogTool` whose function gives :class:`~fairviz.io.logs.Logged` answers, and a line of
``TOOLS`` in :mod:`~fairviz.io.log_tools`; page, commands and sentences know it by that line.

1. *Recognise* in the file: ``is_NAME(keys)`` says by the header or by the keys of a record whether it is one.
2. *Read*: ``read_NAME(file) -> Parsed[NOUN]`` of a noun that there is, else a new one in ``fairviz/model``, behind the
   door: :func:`~fairviz.io.source.reader`. Records of JSON Lines come from :func:`~fairviz.io.json.json_records` and
   :class:`~fairviz.io.json.Row`. What each :class:`~fairviz.io.answer_table.Column` of a table with a header
   says is read by :class:`~fairviz.io.answer_table.AnswerTable` (columns, each distinct cell once) or
   :func:`~fairviz.io.answer_table.read_rows` (one by one).
3. *Write*: ``write_NAME(noun, to)`` beside it, whose file the reader gives back: what cannot be written is not read.
4. *Load*: a new role has a line in ``READERS`` and one where :mod:`~fairviz.io.dataset` says which part of a data set
   holds it. The page Data lists the rows of ``fairviz/content/formats.yaml``.
5. *Limits* are in ``limits``, none elsewhere. Test what is read, repaired and refused in ``tests/io/test_NAME.py``; add
   a small file to ``tests/fuzz/seeds.py`` and its readers to ``tests/fuzz/law.py``: the fuzzer damages it.

Recorded answers have nouns of their own over columns of distinct values, because 3.3 million answers are few distinct
names. A file of answers is read without its questions, and matched with them later, so that uploads come in any order.
Of two systems of one name ``dataset`` renames the later one only, so that names do not change under a person.
A ``Run`` orders by score; fusion goes by the ranks of a file, which :func:`~fairviz.io.rankings.read_ranked_run` gives.
"""
