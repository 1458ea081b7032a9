"""Whatever bytes are given: a reader returns its noun, or refuses in one line; never a fault."""

import gzip
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairviz.errors import InputError
from fairviz.io import (
    add_file,
    read_bias_items,
    read_bias_predictions,
    read_corpus,
    read_groups,
    read_outputs,
    read_qrels,
    read_rankings,
    read_references,
    read_target,
    read_variants,
    sniff,
    validate,
)
from fairviz.model import Dataset

SEEDS = [
    b"q1 Q0 a 1 2.5 s\nq1 Q0 b 2 1.5 s\nq2 Q0 a 1 -1e3 s\n",
    b"q1 1 a 1 2 s;policy=p;alpha=1\nq1 2 a 1 2 s;policy=p;alpha=1\n",
    b"id\tseq_no\tpage_id\n1\t1\ta\n1\t2\tb\n",
    b"q1 0 a 1\nq1 1 a 2\nq1 0 b -2\n",
    b"doc_id\tregion\tweight\na\tnorth\t0.5\na\tsouth\t0.5\n",
    b'qid,doc_id,group\nq,"a, b",n\n',
    b'{"north": 0.5, "south": 0.5}',
    b'{"q1": {"a": 1, "b": 2.5}}',
    b'{"query_id": "q", "ranking": ["a"], "attributed": ["a"], "utility": 1, "answers": ["x"]}\n',
    b'{"topic_id": 1, "references": ["a"], "answer": [{"text": "t", "citations": [0]}]}\n',
    b'{"metadata": {"narrative_id": 1}, "references": ["a"], "answer": []}\n',
    b'{"doc_id": "a", "title": "T", "text": "\\u00e9"}\n{"doc_id": "b", "text": "x"}\n',
    b'{"qid": 1, "attribute": "sex", "value": "f", "gold": "A", "prediction": "B"}\n'
    b'{"qid": 1, "attribute": "sex", "value": "m", "gold": "A", "prediction": "A or B"}\n',
    b"qid,attribute,value,gold,prediction,retrieved,answerable,kind\n"
    b'1,a+b,x+y,yes,"Yes,\nso",d1|d2,1,closed\n1,a+b,x+z,yes,no,"[""d1""]",,\n',
    b"example_id\tmodel\tpred\traw_prediction\n0\tm\t1\tB\n1\tm\t\tthe old man\n",
    b'{"example_id": 0, "question_index": "1", "question_polarity": "neg", "category": "Age", '
    b'"context_condition": "ambig", "context": "c", "question": "q", "ans0": "The old man", '
    b'"ans1": "The boy", "ans2": "Unknown", "label": 2, "m_pred_race": "b", "answer_info": '
    b'{"ans0": ["old man", "old"], "ans1": ["boy", "nonOld"], "ans2": ["Unknown", "unknown"]}, '
    b'"additional_metadata": {"stereotyped_groups": ["old"]}}\n',
    b'{"custom_id": "Age|0", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "B"}}]}}, '
    b'"error": null}\n{"custom_id": "Age|1", "response": null, "error": {"message": "late"}}\n',
    b'{"doc_id": 0, "doc": {"qid": 1, "attribute": "sex", "value": "f", "gold": "A", "choices": ["x", "y"]}, "resps": '
    b'[["B"]], "filtered_resps": ["B"]}\n{"doc": {"qid": 1, "attribute": "sex", "value": "m", "gold": "A"},'
    b' "resps": [[[-0.5, true]], [[-2.5, false]]], "filtered_resps": [[-0.5, true], [-2.5, false]]}\n',
    b'{"adapter_spec": {"method": "generation", "model": "m/n"}, "request_states": [{"instance": {"input": {"text": '
    b'"Passage: c\\nQuestion: q"}, "references": [{"output": {"text": "a"}}, {"output": {"text": "b"}}, {"output": '
    b'{"text": "u"}}], "id": "id0"}, "output_mapping": {"A": "a"}, "result": {"completions": [{"text": " A"}]}}]}',
    b'{"version": 2, "status": "success", "eval": {"model": "m", "run_id": "r"}, "samples": [{"id": 1, "choices": '
    b'["a", "b", "c"], "target": "A", "input": "Context: c\\n\\nQuestion: q", "output": {"completion": "B"}, '
    b'"metadata": {"example_id": 0, "category": "Age"}}]}',
    b'{"query": "A f patient.", "sensitive_answers": "A", "neutral_answers": ["B"], "category": "sex", "value": "f", '
    b'"ground_truth": "A", "retrieval_info": [{"id": "d"}]}\n{"query": "A m patient.", "sensitive_answers": {"answer":'
    b' "B"}, "neutral_answers": "B", "category": "sex", "value": "m", "ground_truth": "A", "retrieval_info": ["d"]}\n',
    b'{"user_input": "q", "retrieved_contexts": ["a", "b"], "response": "So [2]."}\n',
    b'{"context": {"trace_id": "t"}, "attributes": {"openinference.span.kind": "CHAIN", "input.value": "q", '
    b'"output.value": "So [1].", "retrieval.documents.0.document.id": "d"}}\n',
    gzip.compress(b"q1 Q0 a 1 2.5 s\n", mtime=0),
]
NOISE = [
    *(bytes([byte]) for byte in b'\n\r \t\0"#,{]\xff\x1b-='),
    b"\xef\xbb\xbf",
    b"\xe2\x80\xa8",
    b"nan",
    b"1e999",
    b"null",
    b"true",
    b"9" * 40,
    b"",
]
READERS: list[Callable[[tuple[str, bytes]], object]] = [
    read_rankings,
    lambda upload: read_rankings(upload, multi_sample=True),
    read_qrels,
    lambda upload: read_qrels(upload, subtopics=True),
    read_groups,
    lambda upload: read_groups(upload, labels="split"),
    read_target,
    read_outputs,
    read_references,
    read_corpus,
    read_variants,
    read_bias_items,
    read_bias_predictions,
    lambda upload: validate(upload, "predictions"),
    sniff,
    lambda upload: add_file(Dataset(), upload),
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    content = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(content)))
        gone = draw(st.integers(0, 6))
        content = content[:at] + draw(st.sampled_from(NOISE)) + content[at + gone :]
    return content


def refusal(read: Callable[[tuple[str, bytes]], object], content: bytes) -> InputError | None:
    try:
        read(("some.file", content))
    except InputError as error:
        return error
    return None


def check(content: bytes) -> None:
    for read in READERS:
        error = refusal(read, content)
        if error is not None:
            message = f"{error}. {error.fix}"
            assert error.file == "some.file"
            assert message.isprintable(), message
            assert len(message) < 700
            assert error.fix


@settings(max_examples=200)
@given(damaged())
@example(b'{"": {"": 0}}')
@example(b'""id\tseq_no\tpage_id\n1\t1\ta\n')
@example(b'"\tqid,doc_id,group\nq,"a, b",n\n')
@example(b'""example_id\tpred\n0\t1\n')
@example(b'{"query_id": "\\ud83d\\ude00", "text": "\\u0000"}')
def test_damaged_files(content: bytes) -> None:
    check(content)


@given(st.binary(max_size=40))
def test_any_bytes(content: bytes) -> None:
    check(content)


@pytest.mark.parametrize("content", SEEDS)
def test_the_seeds_are_read(content: bytes) -> None:
    sniff(("some.file", content))
    add_file(Dataset(), ("some.file", content))
