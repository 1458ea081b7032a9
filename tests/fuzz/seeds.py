"""Small files of every format, and the ways to read each; the fuzzer damages them."""

import gzip
import io
import json
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from fairviz.reporting.study_file import write_study
from tests.conftest import SHARED
from tests.io.bias_files import bbq, cbbq, kobbq, table
from tests.reporting.malformed import GOOD

DEMO = Path(__file__).resolve().parents[2] / "tests" / "small" / "data" / "demo"


_MIRAGE = {"question": "Why?", "options": {"A": "x", "B": "y"}, "answer": "B"}


class Seed(NamedTuple):
    """A file that is read as it stands.

    Attributes:
        format: Its name, for reports.
        readings: Names of :data:`tests.fuzz.law.READINGS` that read it.
        content: The bytes.
    """

    format: str
    readings: tuple[str, ...]
    content: bytes


def _lines(*records: Any) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def _parquet(*records: dict[str, Any]) -> bytes:
    to = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(records)), to)
    return to.getvalue()


_ITEM = {
    **{"example_id": "0", "category": "Age", "question_index": "1", "question_polarity": "neg", "label": "2"},
    **{"context_condition": "ambig", "context": "Two, of them", "question": "Who?", "language": "English"},
    **{"ans0": "The old man", "ans1": "The boy", "ans2": "Unknown", "group0": "old", "group1": "nonOld", "group2": ""},
    **{"stereotyped_groups": '["old"]', "unknown_loc": "2", "target_loc": "0"},
}
_VARIANTS = (
    {"qid": 1, "attribute": "sex", "value": "f", "gold": "A", "prediction": "B", "options": ["x", "y"], "model": "m"},
    {"qid": 1, "attribute": "sex", "value": "m", "gold": "y", "prediction": "x", "options": ["y", "x"], "model": "m"},
    {"qid": 1, "attribute": "none", "value": "", "gold": "A", "prediction": "A or B", "model": "m"},
)
_OPEN = (
    {"qid": "q", "attribute": "race+sex", "value": "a+f", "gold": "so it is, one time", "prediction": "it is"},
    {"qid": "q", "attribute": "race+sex", "value": "b+f", "gold": "so it is, one time", "prediction": "no\nway"},
    {"qid": "q", "attribute": "original", "value": "", "gold": "so it is, one time", "prediction": ""},
)
_LM_EVAL = (
    {"doc_id": 0, "doc": {"qid": 1, "attribute": "sex", "value": "f", "gold": "A", "choices": ["x", "y"]}}
    | {"resps": [["B"]], "filtered_resps": ["B"], "filter": "none", "target": "0"},
    {"doc_id": 1, "doc": {"qid": 1, "attribute": "sex", "value": "m", "gold": "A"}, "target": "0", "filter": "none"}
    | {"resps": [[[-0.5, True]], [["-2.5", "False"]]], "filtered_resps": [[-0.5, True], ["-2.5", "False"]]},
)
_LM_EVAL_ITEMS = {"doc_id": 0, "doc": bbq(0), "arguments": [["c", " The old man"], ["c", " Not known"]]} | {
    **{"resps": [[[-1.5, False]], [[-0.5, True]]], "filtered_resps": [[-1.5, False], [-0.5, True]], "target": 1}
}
_ASKED = {
    **{"input": {"text": "Passage: c\nQuestion: q"}, "id": "id0"},
    "references": [{"output": {"text": text}, "tags": ["correct"] * (text == "u")} for text in "abu"],
}
_ANSWERED = {"success": True, "completions": [{"text": " A"}]}
_HELM = {
    "adapter_spec": {"method": "generation", "model": "m/n"},
    "request_states": [{"instance": _ASKED, "output_mapping": {"A": "a", "B": "b", "C": "u"}, "result": _ANSWERED}],
}
_INSPECT = {
    **{"version": 2, "status": "success", "eval": {"model": "m", "run_id": "r"}},
    "samples": [
        {"id": 1, "choices": ["a", "b", "c"], "target": "A", "input": "Context: c\n\nQuestion: q", "epoch": 1}
        | {"output": {"completion": "B", "choices": []}, "metadata": {"example_id": 0, "category": "Age"}}
    ],
}
_OPENAI = (
    {"custom_id": "Age|0", "error": None}
    | {"response": {"status_code": 200, "body": {"model": "m", "choices": [{"message": {"content": "B"}}]}}},
    {"custom_id": "Age|1", "response": None, "error": {"message": "late"}},
)
_MEDICAL = (
    {"query": "A f patient.", "sensitive_answers": "A", "neutral_answers": ["B"], "category": "sex", "value": "f"}
    | {"ground_truth": "A", "retrieval_info": [{"id": "d"}]},
    {"query": "A m patient.", "sensitive_answers": {"answer": "B"}, "neutral_answers": "B", "category": "sex"}
    | {"value": "m", "ground_truth": "A", "retrieval_info": {"sensitive": ["d", "e"], "neutral": {"ids": ["f"]}}},
)
_SPAN = {
    **{"context": {"trace_id": "t"}, "parent_id": None, "start_time": "2026"},
    "attributes": {"openinference.span.kind": "CHAIN", "input.value": "q", "output.value": "So [1], but [d2]."}
    | {"retrieval.documents.0.document.id": "d", "retrieval": {"documents": [{}, {"document": {"id": "d2"}}]}},
}
_GIVEN = [{"doc_id": "d", "text": "x"}]
_RAGCHECKER = {"query_id": "7", "query": "q", "response": "So [1].", "retrieved_context": _GIVEN}
_GEN_AI = {
    "trace_id": "t",
    "attributes": {
        "gen_ai.operation.name": "chat",
        "gen_ai.retrieval.documents": '[{"id": "d", "score": 0.5}]',
        "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": "So [1]."}]}],
    },
}
_RETRIEVER = {"traceId": "t", "type": "RETRIEVER", "parentObservationId": None, "input": "q", "output": [{"id": "d"}]}
_REPORT = {
    "metadata": {"run_id": "s", "topic_id": "1"},
    "responses": [{"text": "So.", "citations": {"d": 0.5}}, {"text": "And.", "citations": ["e"]}],
    "documents": {"d": {}, "e": {}},
}
_OTLP = (
    {"key": "output.value", "value": {"stringValue": "So [1]."}},
    {**{"key": "retrieval.documents.0.document.content", "value": {"stringValue": "words"}}},
)
_RAG = {
    **{"system": "s", "task": "t", "retriever": "r", "generator": "g", "policy": "p", "alpha": 2, "k": 5},
    **{"sample": "1", "query_id": "q", "query": "Who?", "ranking": ["a", "b c"], "text": "So."},
    **{"utility": 0.5, "attributed": ["a"]},
}

_WRITTEN: tuple[tuple[str, bytes], ...] = (
    ("run: rankings, ranks", b"q1 Q0 a 1 2.5 s\nq1 Q0 b 2 1.5 s\nq2 Q0 a 1 -1e3 s\nq2 Q0 c 2 -1e3 s\n"),
    ("run: rankings, ranks", b"q1\tQ0\ta\t1\t2.5\ts;policy=p\nq2\tQ0\tb\t2\t1.5\ts\n"),
    ("samples: rankings, samples", b"q1 1 a 1 2 s;policy=p;alpha=1\nq1 2 a 1 2 s;policy=p;alpha=1\n"),
    ("samples: samples", b"q1 1 a 2 2 s\nq1 1 b 1 2 s\nq2 1 a 1 2 s\n"),
    ("FairTREC: rankings", b"id\tseq_no\tpage_id\n1\t1\ta\n1\t2\tb\n"),
    ("FairTREC: rankings", b"id page_id\n1 a\n1 b\n2 a\n"),
    ("MS MARCO: rankings, ranks", b"q1\ta\t1\nq1\tb\t2\nq2\ta\t1\n"),
    ("MS MARCO: rankings, ranks", b"q1 a 1 2.5\nq1 b 2 1e0\nq2 a 1 .5\n"),
    ("run table: rankings, ranks", b"qid,pid,rank\nq1,a,1\nq1,b,2\n"),
    ("JSON run: rankings", b'{"q1": {"a": 1, "b": 2.5}, "q2": {"b": -3}}'),
    ("qrels: qrels", b"q1 0 a 1\nq1 0 b 0\nq2 0 b -2\nq2 0 c 3.0\n"),
    ("qrels: qrels, subtopics", b"q1 0 a 1\nq1 1 a 2\nq1 0 b -2\n"),
    ("JSON run: rankings", b'{"q1": [{"id": "a", "score": 1}, {"id": "b", "score": 2.5}]}'),
    ("MTEB: rankings", b'{"mteb_model_meta": {"model_name": "m"}, "en": {"test": {"q1": {"a": 1, "b": 2.5}}}}'),
    ("retrieved: rankings", b'{"user_input": "why?", "retrieved_context_ids": ["a", "b"], "response": "So."}\n'),
    ("candidates: rankings", b'{"query": {"qid": 1}, "candidates": [{"docid": "a", "score": 1.5}]}\n'),
    ("run table: rankings, ranks", b'qid,docno,score,rank,tag\nq1,a,2.5,1,s\nq1,"b",1.5,2,s\nq2,a,1,1,s\n'),
    (
        "run table: rankings",
        b'{"query_id": "q", "doc_id": "a", "score": 1}\n{"query_id": "q", "doc_id": 2, "score": 3}\n',
    ),
    ("qrels: qrels", b"query-id\tcorpus-id\tscore\nq1\ta\t1\nq2\tb\t0\n"),
    ("groups: groups", b"doc_id\tregion\tweight\na\tnorth\t0.5\na\tsouth\t0.5\nb\tnorth\t0.2\n"),
    ("groups: split groups", b'qid,doc_id,group\nq,"a, b",n\nq,c,m\nq,c,n\n'),
    ("groups: groups", b"doc_id group\na north\nb Unknown\nc south\n"),
    ("groups: groups", b'"doc_id" "region"\n"1" "a" "Latin America"\n"2" "b" "Asia"\n'),
    ("labels by attributes: groups, attributes", b"doc_id,region,size,weight\na,n,big,1\nb,s,NA,0.5\n"),
    ("labels by attributes: attributes", b'{"qid": 1, "doc_id": "a", "region": "n", "size": "s"}\n'),
    ("labels by attributes: attributes", _parquet({"doc_id": "a", "region": "n", "size": 3})),
    ("target: target", b'{"north": 0.5, "south": 0.5}'),
    ("target: target", b'{"q1": {"north": 1}, "q2": {"south": 0.25, "north": 0.75}}'),
    ("target: bounds", b'{"region": {"north": {"min": 0.1, "max": 0.6}, "south": 0.3}, "size": {"small": [null, 1]}}'),
    ("outputs: outputs", _lines(_RAG, {**_RAG, "query_id": 7, "sample": 2, "utility": None})),
    ("outputs: outputs", b'{"topic_id": 1, "references": ["a"], "answer": [{"text": "t", "citations": [0]}]}\n'),
    ("outputs: outputs", b'{"metadata": {"narrative_id": 1}, "references": ["a"], "answer": []}\n'),
    (
        "manifest: manifest",
        b'{"schema": 1, "files": {"a.run": {"size": 3, "sha256": "0a"}}, "configuration": {"alphas": [1], "k": [3]}}',
    ),
    ("references: references", b'{"query_id": "q", "answers": ["x", "y"]}\n'),
    ("corpus: corpus", b'{"doc_id": "a", "title": "T", "text": "\\u00e9"}\n{"doc_id": "b", "text": "x"}\n'),
    ("queries: queries", b'[{"query_id": "a", "text": "x"}, {"query_id": 2, "text": "y"}]'),
    ("BBQ: items", _lines(bbq(0, m_pred_race="b"), bbq(1, polarity="nonneg", condition="disambig"))),
    ("BBQ: predictions, validate", _lines(bbq(0, m_pred_race="b"), bbq(1, m_pred_race="the old man"))),
    ("KoBBQ: items, carried", table([kobbq(prediction="손자"), kobbq("age-001a-002-dis-cnt")], separator="\t")[1]),
    ("KoBBQ: items", _lines(kobbq(choices=["손자", "알 수 없음", "할머니"]))),
    ("CBBQ: items", _lines(cbbq(), cbbq(1, question_polarity="nonneg"))),
    ("items: items", table([_ITEM, {**_ITEM, "example_id": "1", "target_loc": ""}])[1]),
    ("items: items", _parquet(_ITEM, {**_ITEM, "example_id": "1"})),
    ("predictions: predictions", b"example_id\tmodel\tpred\traw_prediction\n0\tm\t1\tB\n1\tm\t\tthe old man\n"),
    ("predictions: predictions", b'{"model": "m", "example_id": 1, "category": "Age", "raw_prediction": "B"}\n'),
    ("predictions: predictions", b'id,bias_type,k,choice\n1,Age,5,"0"\n2,Age,5,-1\n3,"a, b",5,1.0\n'),
    ("predictions: predictions", _parquet({"example_id": 1, "pred": 0.0}, {"example_id": 2, "pred": None})),
    ("variants: variants, validate", _lines(*_VARIANTS)),
    ("variants: variants", _lines(*_OPEN)),
    (
        "variants: variants",
        b"qid,attribute,value,gold,prediction,retrieved,answerable,kind\n"
        b'1,a+b,x+y,yes,"Yes,\nso",d1|d2,1,closed\n1,a+b,x+z,yes,no,"[""d1""]",,\n',
    ),
    ("variants by group: variants", b"qid,gold,neutral,a,b\n1,A,A,B,A\n2,B,B,,A\n"),
    ("variants by group: variants", b'{"qid": 1, "gold": "A", "original": "A", "x y": "B", "z": null}\n'),
    ("variants by attribute: variants", b"question_id,gold,race,sex,response\n1,A,a,f,A\n1,A,b,f,B\n"),
    (
        "variants by attribute: variants",
        _lines(*({"qid": 1, "race": race, "age": 3, "prediction": "yes"} for race in "ab")),
    ),
    ("lm-eval: variants", _lines(*_LM_EVAL)),
    ("lm-eval: items, predictions", _lines(_LM_EVAL_ITEMS, {**_LM_EVAL_ITEMS, "doc_id": 1, "doc": bbq(1)})),
    ("HELM: predictions", json.dumps(_HELM).encode()),
    ("Inspect: predictions", json.dumps(_INSPECT).encode()),
    ("OpenAI Batch: predictions", _lines(*_OPENAI)),
    ("OpenAI Batch: predictions", json.dumps(list(_OPENAI)).encode()),
    ("rag_results: variants", _lines(*_MEDICAL)),
    ("Ragas: outputs", b'{"user_input": "q", "retrieved_contexts": ["a", "b"], "response": "So [2]."}\n'),
    ("OpenInference: outputs", _lines(_SPAN)),
    ("DeepEval: outputs", b'[{"input": "q", "actual_output": "So [1].", "retrieval_context": ["a"]}]'),
    ("RAGChecker: outputs", json.dumps({"results": [_RAGCHECKER]}, indent=1).encode()),
    ("OpenTelemetry: outputs", _lines(_GEN_AI)),
    ("Langfuse: outputs", json.dumps({"id": "t", "output": "[1]", "observations": [_RETRIEVER]}).encode()),
    ("RAGTIME: outputs", _lines(_REPORT)),
    ("weights: weights", b"query_id,weight\nq1,2.5\nq2,1\n"),
    ("popularity: popularity", b"doc_id,count\nd1,25\nd2,0\n"),
    ("weights: queries, weights", b'{"query_id": "a", "text": "x", "count": 3}\n'),
    ("topics: queries", b"<top>\n<num> Number: 301\n<title> Crime\n<desc> x\n</top>\n"),
    ("topics: queries", b'<topics>\n<topic number="1"><query>a b</query></topic>\n</topics>\n'),
    ("topics: queries, corpus", b"q1\twho was first?\nq2\tnobody\n"),
    (
        "OpenInference: outputs",
        _lines({"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t", "attributes": _OTLP}]}]}]}),
    ),
    ("questions: questions", _lines({"query_id": "q", "text": "Why?", "options": ["x", "y"], "gold": "A"})),
    ("MedMCQA: questions", b"id,question,opa,opb,opc,opd,cop\n1,Why?,w,x,y,z,4\n2,Who?,w,x,y,z,1\n"),
    ("MIRAGE: questions", json.dumps({"medqa": {"0": _MIRAGE}}).encode()),
    ("documents: polar documents", b'doc_id\ttext\tpolarity\na\tx "y\tstereo\nb\tz\tanti\n'),
    ("documents: polar documents", _lines({"doc_id": "a", "text": "x", "polarity": "neutral", "title": "T"})),
    ("run: rankings", gzip.compress(b"q1 Q0 a 1 2.5 s\nq1 Q0 b 2 2 s\n", mtime=0)),
    ("study: study", write_study(GOOD)),
)
"""Written here, each a few lines: what they are, and the readings of each."""

SEEDS = tuple(Seed(name.split(": ")[0], tuple(name.split(": ")[1].split(", ")), content) for name, content in _WRITTEN)


def found(limit: int = 12_000) -> list[Seed]:
    """The beginnings of real files: the example's, and the conformance data's where it is beside the checkout."""
    seeds: list[Seed] = []
    for path, readings in _files():
        content = path.read_bytes()
        if content.startswith(b"\x1f\x8b"):
            with suppress(OSError, EOFError, zlib.error), gzip.open(path) as packed:  # some are damaged on purpose
                content = packed.read(40_001)  # more than any seed is large
        if len(content) > limit and not content.startswith(b"{\n"):
            content = content[: content.rfind(b"\n", 0, limit) + 1]
        if 0 < len(content) <= 40_000:
            seeds.append(Seed(path.name, readings, content))
    return seeds


def _files() -> list[tuple[Path, tuple[str, ...]]]:
    of_name = {
        **{".run": ("rankings", "ranks"), ".qrels": ("qrels",), ".tsv": ("groups",), "target.json": ("target",)},
        **{"items": ("items",), "predictions": ("predictions",), "answers": ("variants",), "outputs": ("outputs",)},
        **{"inspect": ("items", "predictions"), "lm-eval": ("items", "predictions"), "openai": ("predictions",)},
        **{"long": ("variants",), "rag2": ("outputs",), "references": ("references",), "corpus": ("corpus",)},
        **{"helm": ("items", "predictions"), "open.jsonl": ("variants",), "queries": ("queries",)},
        **{"samples": ("rankings", "samples"), "fairtrec": ("rankings",), "preds": ("variants",)},
    }
    paths = sorted(DEMO.rglob("*")) + (sorted((SHARED / "data").rglob("*")) if SHARED.is_dir() else [])
    chosen: list[tuple[Path, tuple[str, ...]]] = []
    for path in paths:
        if path.is_file() and path.suffix not in (".md", ".toml", ".py") and path.stat().st_size < 2_000_000:
            readings = [each for part, each in of_name.items() if part in path.name]
            chosen.append((path, readings[0] if readings else ("sniff", "validate")))
    return chosen
