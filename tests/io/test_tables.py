"""Small tables: what systems are made of, how often queries are asked; and each way to get them wrong."""

import pytest

from fairviz.io.dataset import add_file
from fairviz.io.formats import sniff
from fairviz.io.tables import read_factors, read_weights
from fairviz.model import Dataset, Factors, Look
from tests.loaded import load_dataset
from tests.refused import refused


def test_commas_or_tabs_and_empty_cells_say_nothing() -> None:
    wanted = {"a": Factors(task="lamp-1", retriever="bm25"), "b": Factors(retriever="dense")}
    commas = b"system,task,retriever\na,lamp-1,bm25\n\nb,,dense\n"
    assert read_factors(("s.csv", commas)).value == wanted
    assert read_factors(("s.tsv", commas.replace(b",", b"\t"))).value == wanted


def test_the_table_is_a_file_like_others_and_outputs_have_what_it_says() -> None:
    line = '{"system": "a", "query_id": "q1", "ranking": ["d1"], "text": "x", "retriever": "recorded"}\n'
    table = b"system,task,retriever\na,lamp-1,bm25\nelse,lamp-2,dense\n"
    for files in ([("a.jsonl", line.encode()), ("s.csv", table)], [("s.csv", table), ("a.jsonl", line.encode())]):
        loaded = load_dataset(files)
        assert not loaded.errors
        (outputs,) = loaded.dataset.described.outputs
        assert (outputs.task, outputs.retriever, outputs.generator) == ("lamp-1", "bm25", None)
        assert loaded.dataset.outputs[0].retriever == "recorded", "the table can be taken away again"
    assert sniff(("s.tsv", table.replace(b",", b"\t"))).role == "systems"


def test_alpha_and_k_are_numbers() -> None:
    (said,) = read_factors(("s.csv", b"system,dataset,alpha,k\na,dl19,0.5,5\n")).value.values()
    assert said == Factors(dataset="dl19", alpha=0.5, k=5)
    assert list(said.stated) == ["dataset", "alpha", "k"]


def test_a_date_says_when_and_not_what() -> None:
    table = read_factors(("s.csv", b"system,date\na,2026\nb,2026-03\nc,2026-03-01\nd,\n")).value
    assert [factors.date for factors in table.values()] == ["2026", "2026-03", "2026-03-01", None]
    assert table["a"].stated == {}


def test_a_look_follows_the_label_and_is_no_factor() -> None:
    run = b"q1 Q0 d1 1 2.0 a\n"
    table = b"system,label,colour,dash\na,Ours,#1b5560,DashDot\nb,,blue,\n"
    loaded = load_dataset([("a.run", run), ("b.run", run.replace(b" a", b" b")), ("s.csv", table)]).dataset.described
    assert loaded.look_of("Ours") == Look("#1B5560", "dashdot")
    assert loaded.look_of("not loaded", "b") == Look("blue", None)
    assert loaded.look_of("a") == Look()
    assert loaded.systems is not None
    assert loaded.systems["Ours"].made_of == Factors()


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("name,task\na,b\n", 1, "missing column: system"),
        ("system,shape\na,b\n", 1, "unknown column shape"),
        ("system,colour\na,red-ish\n", 2, "colour red-ish is no colour"),
        ("system,colour\na,#12345\n", 2, "colour #12345 is no colour"),
        ("system,dash\na,wavy\n", 2, "dash wavy is no dash"),
        ("system,task,task\na,b,c\n", 1, "duplicate column: task"),
        ("system,task\na\n", 2, "1 cell, header has 2"),
        ("system,task\n,b\n", 2, "system is empty"),
        ("system,task\na,b\na,c\n", 3, r"a stands twice \(first on line 2\)"),
        ("system,label\na,ours\nb,ours\n", 3, r"the label ours stands twice \(first on line 2\)"),
        ('system,task\n"a,b\n', 2, "unclosed quote"),
        ("system,alpha\na,two\n", 2, "alpha two is no number from 0 on"),
        ("system,alpha\na,-1\n", 2, "alpha -1 is no number from 0 on"),
        ("system,date\na,March\n", 2, "date March is no year, month or day"),
        ("system,date\na,2026-13\n", 2, "date 2026-13 is no year, month or day"),
        ("system,date\na,20260301\n", 2, "date 20260301 is no year, month or day"),
        ("system,k\na,0\n", 2, "k 0 is no whole number from 1 on"),
    ],
)
def test_a_bad_table_is_one_line(text: str, line: int, reason: str) -> None:
    with refused(match=reason, line=line):
        read_factors(("s.csv", text.encode()))


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
    with refused(reason=words, line=line):
        read_weights(("asked.csv", content))
