"""Names that differ by case or blanks are one, and what cannot be seen is none: refused in every kind of file."""

import io
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairviz.io.bbq import read_bias_items
from fairviz.io.bbq_answers import read_bias_predictions
from fairviz.io.corpus import read_corpus, read_references
from fairviz.io.groups import read_groups
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_run
from fairviz.io.targets import read_target
from fairviz.io.variants import read_variants
from tests.refused import refused


def parquet(*names: str) -> bytes:
    to = io.BytesIO()
    pq.write_table(pa.table([pa.array([1])] * len(names), names=list(names)), to)
    return to.getvalue()


INSPECT = (
    b'{"status": "success", "eval": {"model": "m"}, "samples": [{"id": 1, "metadata": {"example_id": 0, "Example_ID ": '
    b'1, "category": "Age"}, "output": {"completion": "B"}}]}'
)
LM_EVAL = b'{"doc": {"qid": 1, "attribute": "a", "value": "b", "Value": "c"}, "resps": [["B"]]}\n'
MEDICAL = (
    b'{"query": "A", "sensitive_answers": {"answer": "A", "Answer": "B"}, "category": "sex", "value": "f", '
    b'"ground_truth": "A"}\n'
)


@pytest.mark.parametrize(
    ("read", "content", "told"),
    [
        (read_bias_predictions, b'{"model": "m"}\n{"model": "m", "Model": "n"}\n', ":2: duplicate key: Model"),
        (read_bias_predictions, b'{"model": "m", "model ": "n"}\n', ":1: duplicate key: model "),
        (read_bias_predictions, b'[{"model": "m", "MODEL": "n"}]', ":1: duplicate key: MODEL"),
        (read_bias_predictions, b"example_id,pred,Pred \n0,1,2\n", ":1: duplicate column: Pred"),
        (read_bias_predictions, parquet("example_id", "pred", "Pred"), ": duplicate column: Pred"),
        (read_bias_predictions, parquet("example_id", "pred", "pred"), ": duplicate column: pred"),
        (read_bias_predictions, INSPECT, ":1: duplicate key: Example_ID "),
        (read_bias_items, b"context\tquestion\tQuestion\nc\tq\tr\n", ":1: duplicate column: Question"),
        (read_variants, LM_EVAL, ":1: duplicate key: Value"),
        (read_variants, MEDICAL, ":1: duplicate key: Answer"),
        (read_variants, b"qid,attribute,value,\xc2\xa0QID\n1,a,b,2\n", ":1: duplicate column:"),
        (read_outputs, b'{"query_id": 1, "text": "a", "Text": "b"}\n', ":1: duplicate key: Text"),
        (read_references, b'{"query_id": 1, "answers": [], "Answers": ["b"]}\n', ":1: duplicate key: Answers"),
        (read_corpus, b'{"doc_id": "d", "text": "a", " text": "b"}\n', ":1: duplicate key:  text"),
        (read_groups, b"doc_id\tDOC_ID\na\tnorth\n", ":1: duplicate column: DOC_ID"),
        (read_target, b'{"North": 0.5,\n"north ": 0.5}', ":2: duplicate group north "),
        (read_target, b'{"q1": {"North": 1},\n"q2": {"north": 1}}', ":2: duplicate group north for query q2"),
        (read_run, b'{"q1": {"a": 1},\n"q2": {}}', ":2: query q2 has no documents"),
        (read_run, b'{"q1": {"a": 1},\n"\\u00a0": {"a": 1}}', r":2: query id '\xa0' is blank"),
        (read_run, b'{"q1": {"a": 1,\n"b c": 1}}', ":2: document id 'b c' is blank or holds a blank"),
        (read_run, "q Q0 a 1 2 s\nq Q0 \u200b 2 1 s\n".encode(), r":2: document id is blank: '\u200b'"),
        (read_qrels, "q 0 a 1\n\u00a0 0 b 1\n".encode(), r":2: query id is blank: '\xa0'"),
        (read_groups, "doc_id\tgroup\na\tn\n\u200b\tn\n".encode(), ":3: empty id"),
        (read_outputs, b'{"query_id": "\\u200b", "text": ""}\n', r":1: query_id is blank: '\u200b'"),
        (read_outputs, b'{"query_id": "q", "ranking": ["\\u00a0"]}\n', ":1: an element of ranking is blank"),
        (read_target, b'{"q1": {"a": 1},\n" ": {"a": 1}}', ":2: query id is blank"),
        (read_target, b'{"a": 0.5,\n"\\u200b": 0.5}', ":2: the name of a group is blank"),
        (read_variants, b'{"qid": "\\u200b", "attribute": "a", "value": "b", "prediction": ""}\n', ":1: qid is empty"),
    ],
)
def test_a_name_in_two_spellings_is_a_repeated_one_and_what_cannot_be_seen_is_none(
    read: Callable[[tuple[str, bytes]], object], content: bytes, told: str
) -> None:
    with refused("a.file" + told):
        read(("a.file", content))


def test_ids_are_names_as_they_are_written() -> None:
    """Queries and documents that differ by case are different ones, in a table and in JSON."""
    table = read_run(("a.run", b"q Q0 d 1 2 s\nQ Q0 D 1 2 s\nQ Q0 d 2 1 s\n")).value
    in_json = read_run(("a.json", b'{"q": {"d": 2}, "Q": {"D": 2, "d": 1}}')).value
    assert table.query_ids == in_json.query_ids == ("q", "Q")
    assert table.doc_ids == in_json.doc_ids == ("d", "D")
