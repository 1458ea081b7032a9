"""Items and documents of others, and what cannot be read of them."""

import gzip
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairviz.errors import InputError
from fairviz.experiments.bias import material_of_files, read_polar_documents, write_documents, write_polarity
from fairviz.experiments.config import DocumentTable, read_config
from fairviz.experiments.protocols import Document
from fairviz.io.groups import read_groups
from tests.io.bias_files import bbq
from tests.lines import json_lines, write_lines

DESCRIPTION = """
kind = "bias"
name = "x"
items = ["a.jsonl", "b.jsonl"]
settings = ["w/o RAG"]
[generator]
name = "openai"
base_url = "http://127.0.0.1:9/v1"
model = "m"
"""
COLUMNS = DocumentTable.model_construct(file=Path("x"), id="id", text="sentence", polarity="side", title="head")
ROWS = [
    {"id": "d1", "sentence": "Old, slow men.", "side": "stereo", "head": "On age"},
    {"id": "d2", "sentence": "Young, slow men.", "side": "anti", "head": ""},
    {"id": "d3", "sentence": "Men wait.", "side": "Neutral", "head": ""},
]
READ = [
    Document("d1", "On age", "Old, slow men.", "stereo"),
    Document("d2", "", "Young, slow men.", "anti"),
    Document("d3", "", "Men wait.", "neutral"),
]


def table(separator: str) -> bytes:
    rows = [list(ROWS[0]), *(list(row.values()) for row in ROWS)]
    quoted = ([f'"{cell}"' if separator == "," else cell for cell in row] for row in rows)
    return "".join(separator.join(row) + "\n" for row in quoted).encode()


def parquet() -> bytes:
    to = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), to)
    return to.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.tsv", table("\t")),
        ("x.csv", table(",")),
        ("x.jsonl", json_lines(ROWS).encode()),
        ("x.tsv.gz", gzip.compress(table("\t"))),
        ("x.parquet", parquet()),
    ],
)
def test_documents_of_any_table(name: str, content: bytes) -> None:
    parsed = read_polar_documents((name, content), COLUMNS)
    assert parsed.value == READ
    assert parsed.format == "3 documents with polarity"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "d1"}, r"id d1 stands twice \(first on line 1\)"),
        ({"side": "left"}, "side left is none of stereo, anti, neutral"),
        ({"side": ""}, "side is empty"),
        ({"sentence": " "}, "sentence is empty"),
        ({"id": None}, "id is empty"),
    ],
)
def test_documents_that_cannot_be_used(row: dict[str, str], message: str) -> None:
    bad = {**ROWS[1], **row}
    content = json_lines([ROWS[0], bad]).encode()
    with pytest.raises(InputError, match=message) as caught:
        read_polar_documents(("x.jsonl", content), COLUMNS)
    assert caught.value.line == 2


def test_a_column_by_another_name_is_asked_for_and_a_quote_between_tabs_is_a_character() -> None:
    with pytest.raises(InputError, match=r"missing column: side \(found: id, sentence\)"):
        read_polar_documents(("x.csv", b"id,sentence\nd1,Old.\n"), COLUMNS)
    content = b'id\tsentence\tside\nd1\t"Yes!" he said, "now.\tstereo\n'
    (document,) = read_polar_documents(("x.tsv", content), COLUMNS).value
    assert document.text == '"Yes!" he said, "now.'


def test_written_documents_have_a_title_where_there_is_one() -> None:
    to = io.StringIO()
    write_documents(READ, to)
    assert [list(json.loads(line)) for line in to.getvalue().splitlines()] == [
        ["doc_id", "text", "polarity", "title"],
        *[["doc_id", "text", "polarity"]] * 2,
    ]
    to = io.StringIO()
    write_polarity(READ, to)
    labels = read_groups(("polarity.tsv", to.getvalue().encode())).value
    assert set(labels.groups) == {"stereo", "anti", "neutral"}


def test_items_of_files_are_those_of_the_reader(tmp_path: Path) -> None:
    kinds = [("ambig", "neg", 2), ("disambig", "neg", 0), ("disambig", "nonneg", 0), ("disambig", "neg", 1)]
    first = [bbq(n, condition=c, polarity=p, label=label) for n, (c, p, label) in enumerate(kinds)]
    second = [first[0], bbq(9, question="谁慢？", context="两个人。", language="Chinese")]
    write_lines(tmp_path, a=first, b=second)
    (tmp_path / "x.toml").write_text(DESCRIPTION)
    material = material_of_files(read_config(tmp_path / "x.toml"))
    assert [(item.example_id, item.language, item.case) for item in material.questions] == [
        ("0", "English", "ambiguous"),  # in both files: asked once
        ("1", "English", "stereotyped"),
        ("2", "English", "counter-stereotyped"),  # of the non-negative question the other one is the biased option
        ("3", "English", "counter-stereotyped"),
        ("9", "Chinese", "ambiguous"),
    ]
    assert material.questions[1].gold == 0
    assert material.documents == ()
