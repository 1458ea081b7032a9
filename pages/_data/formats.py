"""What fairviz reads, each format with a file of the example to look at."""

from pathlib import Path

import streamlit as st

from fairviz.resources import example_folder
from pages._kit import Column, counts_line, download, el, html_table

FORMATS = (
    (
        "Run",
        "query Q0 document rank score system",
        "Six columns, score decides. Also FairTREC tables and JSON {query: {document: score}}.",
    ),
    (
        "Sampled rankings",
        "query sample document rank score system",
        "A run whose second column has several values per query. The tag may end in ;policy=plackett-luce;alpha=2.",
    ),
    (
        "Judgements (qrels)",
        "query 0 document grade",
        "Whole grades; negative ones are not relevant. A second column that tells several judgements of "
        "a document apart names subtopics.",
    ),
    (
        "Group labels",
        "doc_id ⇥ region",
        "TSV or CSV with a header, one file per attribute, named by its second column. Optional "
        "columns: query_id, weight. Subtopics of judgements can be groups, too.",
    ),
    (
        "Target shares",
        '{"europe": 0.5, "asia": 0.5}',
        "JSON: group to share, in sum 1; or such an object for each query.",
    ),
    (
        "Recorded outputs",
        '{"query_id": …, "ranking": […], "text": …, "attributed": […]}',
        "JSON Lines: TREC RAG 2024 and 2025, or fairviz's own with system, generator, policy, alpha, "
        "k, sample and utility. Samples of Ragas and OpenInference spans whose answers cite [1], [2].",
    ),
    (
        "What systems are made of",
        "system,label,task,retriever,generator",
        "CSV or TSV, a line for each run or outputs: its name in figures and tables, and its factors, for Compare, "
        "where the files do not record them.",
    ),
    ("Reference answers", '{"query_id": …, "answers": […]}', "JSON Lines; several answers count."),
    (
        "Questions, passages",
        '{"query_id": …, "text": …}  {"doc_id": …, "text": …}',
        "JSON Lines; words to show for the ids.",
    ),
    (
        "Bias questions",
        "category,example_id,question_polarity,context_condition,…,ans0,ans1,ans2",
        "BBQ's JSON Lines, KoBBQ, CBBQ, JBBQ, mirrors in Parquet, or a table of items. Answers within the questions "
        "are read, too.",
    ),
    (
        "Answers to bias questions",
        "model,setting,category,example_id,raw_prediction,pred",
        "pred is 0–2, −1 = none of the options; words are read by named rules, counted. Logs of lm-eval "
        "(--log_samples), Inspect (JSON), HELM (scenario_state.json) and OpenAI Batch are read as they are. Columns "
        "retriever, k, language, instruction, shots, size and tuned are kept.",
    ),
    (
        "Answers to variants",
        "qid,attribute,value,gold,prediction",
        "The same question about different people: JSON Lines, CSV or TSV. Attribute none is the "
        "neutral question; race+gender with Asian+female mentions both. Optional: model, dataset, "
        "strategy, retriever, k, retrieved, answerable, evidence, kind, options. Also rag_results with "
        "sensitive_answers, and the logs above.",
    ),
)
EXAMPLES = (
    "bm25.run",
    "samples.alpha-2.run.gz",
    "usefulness.qrels",
    "region.tsv",
    "target.json",
    "outputs.alpha-2.jsonl.gz",
    "references.jsonl",
    "queries.jsonl",
    "corpus.jsonl",
    "bias/items.csv.gz",
    "bias/predictions.csv.gz",
    "variants/answers.jsonl.gz",
)


def show() -> None:
    """The table of formats and the example's files to download, each made when opened."""
    known = st.expander("What can be read: formats, one line of each", on_change="rerun", key="formats")
    if known.open:
        with known:
            counts_line("What is repaired is said with its line, and no file is half loaded.")
            html_table(
                [Column(label=name) for name in ("File", "One line of it", "Rules")],
                [[name, el("code", line), rules] for name, line, rules in FORMATS],
                caption="Formats",
            )
    files = st.expander("Files to look at: the example's own", on_change="rerun", key="example_files")
    if not files.open:
        return
    folder = example_folder()
    with files, st.container(horizontal=True, gap="small"):
        for name in EXAMPLES:
            download(name, (folder / name).read_bytes, file_name=Path(name).name, key=f"example-{name}")
