"""How often queries are asked, from a table, JSON Lines, or a column of the questions."""

import pytest

from fairviz.io.dataset import add_file
from fairviz.io.tables import read_weights
from fairviz.model import Dataset
from tests.refused import refused


@pytest.mark.parametrize(
    "content",
    [
        b"query_id,weight\nq1,2.5\nq2,1\n",
        b"qid\tcount\nq1\t2.5\nq2\t1\n",
        b'{"query_id": "q1", "weight": 2.5}\n{"query_id": "q2", "weight": 1}\n',
    ],
)
def test_a_table_is_recognised(content: bytes) -> None:
    data = add_file(Dataset(), ("asked", content))
    assert (data.weights, data.texts) == ({"q1": 2.5, "q2": 1.0}, None)
    assert [(file.role, file.format) for file in data.files] == [("weights", "weights of 2 queries")]


def test_questions_may_carry_weights_and_further_files_add_to_them() -> None:
    data = add_file(Dataset(), ("q.jsonl", b'{"_id": "q1", "text": "who?", "count": 3}\n'))
    assert (data.weights, data.texts) == ({"q1": 3.0}, {"q1": "who?"})
    assert [file.role for file in data.files] == ["queries", "weights"]
    assert add_file(data, ("more.csv", b"query_id,weight\nq2,1\n")).weights == {"q1": 3.0, "q2": 1.0}


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"query_id,weight\nq1,2\nq1,3\n", 3, "q1 stands twice (first on line 2)"),
        (b"query_id,weight\nq1,0\n", 2, "weight 0 is no number above 0"),
        (b"query_id,weight\nq1,-1\n", 2, "weight -1 is no number above 0"),
        (b"query_id,weight\nq1,often\n", 2, "weight often is no number above 0"),
        (b"query_id,weight\nq1,nan\n", 2, "weight nan is no number above 0"),
        (b"query_id,weight\nq1,\n", 2, "weight is empty"),
        (b"query_id,weight\n,1\n", 2, "query_id is empty"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(content: bytes, line: int, words: str) -> None:
    with refused(words, line=line):
        read_weights(("asked.csv", content))
