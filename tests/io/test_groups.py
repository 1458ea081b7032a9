"""Group tables: round trips, weights, headers, labels that are none."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from fairviz.io.groups import read_groups, write_groups
from fairviz.io.names import is_blank
from fairviz.model import GroupLabels
from tests.io.written import written
from tests.refused import refused

cells = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n\0"), min_size=1, max_size=6).filter(
    lambda text: text == text.strip() and not is_blank(text)
)


@st.composite
def labels(draw: st.DrawFn) -> GroupLabels:
    groups = draw(st.lists(cells, min_size=1, max_size=4, unique_by=str.casefold))
    named = cells | st.builds("{}\t{}".format, cells, cells)  # a tab makes it a table with commas and quotes
    docs = draw(st.lists(named, min_size=1, max_size=5, unique=True))
    parts = st.lists(st.integers(0, 4), min_size=len(groups), max_size=len(groups))
    weights = np.array([draw(parts) for _ in docs], dtype=np.float64) / 32
    weights[:, 0] += 1 / 32
    weights[1:][draw(st.lists(st.booleans(), min_size=len(docs) - 1, max_size=len(docs) - 1))] = 0  # does not apply
    queries = draw(st.none() | st.lists(cells, min_size=len(docs), max_size=len(docs)))
    return GroupLabels(
        attribute=draw(cells.filter(lambda name: name.lower() != "group")),
        groups=tuple(groups),
        doc_ids=tuple(docs),
        weights=csr_array(weights),
        query_ids=None if queries is None else tuple(queries),
    )


def shares(of: GroupLabels) -> dict[tuple[str | None, str], dict[str, float]]:
    rows = of.weights.toarray()
    queries = of.query_ids or (None,) * len(of.doc_ids)
    return {
        (query, doc): {group: w for group, w in zip(of.groups, row, strict=True) if w}
        for query, doc, row in zip(queries, of.doc_ids, rows.tolist(), strict=True)
    }


@given(labels())
def test_what_is_written_is_read(given_labels: GroupLabels) -> None:
    try:
        upload = written(write_groups, given_labels)
    except ValueError:
        assume(False)
    again = read_groups(upload).value
    assert shares(again) == shares(given_labels)
    assert again.attribute == given_labels.attribute


@pytest.mark.parametrize("name", ["", "\u200b", " a", "a\t", "a\rb", "Unknown", "NA", "-1", "NORTH", "Not applicable"])
def test_names_that_would_be_read_as_others_are_not_written(name: str) -> None:
    made = GroupLabels(
        attribute="region", groups=("North", name), doc_ids=("d",), weights=csr_array(np.array([[1.0, 0.0]]))
    )
    with pytest.raises(ValueError, match=r"cannot stand|would be read"):
        written(write_groups, made)


def read(content: str, name: str = "a.tsv", **options: str) -> GroupLabels:
    return read_groups((name, content.encode()), **options).value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("header", "attribute", "per_query"),
    [
        ("doc_id\tregion", "region", False),
        ("docno,Group", "a", False),
        ("page_id\tgender\tweight", "gender", False),
        ("qid,doc,region,weight", "region", True),
        ("topic_id\titem\tsize", "size", True),
    ],
)
def test_headers(header: str, attribute: str, per_query: bool) -> None:
    between = "\t" if "\t" in header else ","
    cells = ["q"] * per_query + ["d", "north"] + ["1"] * header.endswith("weight")
    found = read(header + "\n" + between.join(cells) + "\n")
    assert found.attribute == attribute
    assert shares(found) == {("q" if per_query else None, "d"): {"north": 1.0}}


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", "a.tsv: empty file"),
        ("d1\tnorth\n", "a.tsv:1: expected a header with doc_id and a group column"),
        ("doc_id;region\nd;n\n", r"a.tsv:1: expected a header .*\(semicolon separated\?\)"),
        ("doc_id\tregion\nd1\n", "a.tsv:2: 1 cell, header has 2"),
        ("doc_id\tregion\n\nd1\ta\tb\n", "a.tsv:3: 3 cells, header has 2"),
        ("doc_id\tregion\n\ta\n", "a.tsv:2: empty id"),
        ('doc_id,region\nd,"x\n', "a.tsv:2: unclosed quote"),
        ("doc_id\tr\tweight\nd\ta\tx\n", "a.tsv:2: group weight is not a number: x"),
        ("doc_id\tr\tweight\nd\ta\t1_0\n", "a.tsv:2: group weight is not a number: 1_0"),
        ("doc_id\tr\tweight\nd\ta\tinf\n", "a.tsv:2: group weight is not finite"),
        ("doc_id\tr\tweight\nd\ta\t60\nd\tb\t40\n", r"a.tsv:3: .* sum to 100.*percentages"),
        ("doc_id\tr\tweight\nd\ta\t.5\nd\ta\t.4\n", "a.tsv:3: d has two weights"),
        ("doc_id\tr\tweight\nd\ta\t.5\nd\tnot applicable\t.5\n", r"a.tsv:3: d has two .* a \(line 2\), does not apply"),
        ("doc_id\tr\nd\tnot applicable\n", "a.tsv:1: no document has a group label"),
        ("d\ta\t1\ne\ta\tx\n", "a.tsv:2: group weight is not a number: x"),  # without a header
        ("d\ta\t1\ne\ta\n", "a.tsv:2: 2 cells, header has 3"),
        ("d a 1\ne b c 1\n", "a.tsv:2: 4 cells, header has 3"),
        ("doc_id\tr\nd\ta\ne\ta\nd\tb\n", r"a.tsv:4: d has two group labels: a \(line 2\), b"),
        ("doc_id,region,size\nd,n,b\n,n,b\n", "a.tsv:3: empty id"),
        ("doc_id,region,size\nd,n\n", "a.tsv:2: 2 cells, header has 3"),
        ("doc_id,region,Region\nd,n,b\n", "a.tsv:1: duplicate column: Region"),
        ("doc_id,region,size\nd,n,\n", "a.tsv:1: size: no document has a group label"),
        ("doc_id,region,size\nd,n,big\nd,n,small\n", r"a.tsv:3: size: d has two group labels: big \(line 2\), small"),
        ('{"doc_id": "d", "region": ["n", "s"]}\n', 'a.tsv:1: region must hold one label, found \\["n","s"\\]'),
        ('{"doc_id": "d", "region": "n"}\n{"region": "s"}\n', "a.tsv:2: doc_id is missing"),
    ],
)
def test_refused(content: str, error: str) -> None:
    with refused(match=f"^{error}"):
        read(content)


def test_two_labels_are_split_when_asked_for() -> None:
    found = read("doc_id\tr\nd\ta\nd\tb\ne\ta\n", labels="split")
    assert shares(found) == {(None, "d"): {"a": 0.5, "b": 0.5}, (None, "e"): {"a": 1.0}}


def test_a_weight_of_0_is_no_label() -> None:
    found = read("doc_id\tr\tweight\nd\ta\t0\nd\tb\t1\n")
    assert found.weights.nnz == 1
    assert shares(found) == {(None, "d"): {"b": 1.0}}


def test_no_group_is_unlabelled_and_never_a_group() -> None:
    parsed = read_groups(("a", b"doc_id\tr\nd\tA \ne\tn/a\nf\t\ng\ta\n"))
    assert parsed.value.groups == ("A",)
    assert parsed.value.doc_ids == ("d", "g")
    assert [(note.line, note.message) for note in parsed.notes[:2]] == [
        (3, "n/a is no group: e is unlabelled"),
        (4, "empty group label for f: unlabelled"),
    ]
    assert parsed.lines == {"A": 2}


@pytest.mark.parametrize("word", ["does not apply", "Not  Applicable", "not_applicable", "NOT-APPLICABLE"])
def test_does_not_apply_is_neither_a_group_nor_a_missing_label(word: str) -> None:
    parsed = read_groups(("a", f"doc_id\tregion\nd\tA\ne\t{word}\nf\tunknown\ng\t{word}\n".encode()))
    assert parsed.value.groups == ("A",)
    assert parsed.value.doc_ids == ("d", "e", "g")  # f has no label
    assert parsed.value.not_applicable.tolist() == [False, True, True]
    assert parsed.format == "group table: 1 group of region, which does not apply to 2 documents"
    assert not [note for note in parsed.notes if "apply" in note.message]


def test_quoted_cells_may_hold_commas_and_line_ends() -> None:
    found = read('doc_id,r\r\n"d,1","north\r\nwest"\r\n"d ""2""",south\r\n', "a.csv")
    assert shares(found) == {(None, "d,1"): {"north\nwest": 1}, (None, 'd "2"'): {"south": 1}}


WIDE = [
    ("people.tsv", b"doc_id\tregion\tsize\tweight\na\tnorth\tbig\t.5\na\tsouth\tsmall\t.5\nb\tnorth\tbig\t1\n"),
    ("people.csv", b"doc_id,region,size,weight\na,north,big,.5\na,south,small,.5\nb,north,big,1\n"),
    ("people.txt", b"doc_id region  size weight\na north big .5\n a south small .5\nb north big 1\n"),
    (
        "people.jsonl",
        b'{"doc_id": "a", "region": "north", "size": "big", "weight": 0.5}\n'
        b'{"doc_id": "a", "region": "south", "size": "small", "weight": 0.5}\n'
        b'{"doc_id": "b", "region": "north", "size": "big", "weight": 1}\n',
    ),
]


@pytest.mark.parametrize("file", WIDE, ids=[name for name, _ in WIDE])
def test_each_column_of_a_table_is_an_attribute_and_weights_are_of_all(file: tuple[str, bytes]) -> None:
    parsed = read_groups(file)
    of_region, of_size = parsed.every
    assert shares(of_region.value) == {(None, "a"): {"north": 0.5, "south": 0.5}, (None, "b"): {"north": 1}}
    assert shares(of_size.value) == {(None, "a"): {"big": 0.5, "small": 0.5}, (None, "b"): {"big": 1}}
    assert [each.value.attribute for each in parsed.every] == ["region", "size"]
    assert [each.format for each in parsed.every] == [
        "group table, weighted: 2 groups of region",
        "group table, weighted: 2 groups of size",
    ]


def test_a_column_called_group_is_named_after_the_file_beside_others_too() -> None:
    parsed = read_groups(("people.csv", b"qid,doc_id,group,size\nq,a,north,big\nr,a,south,big\n"))
    assert [each.value.attribute for each in parsed.every] == ["people", "size"]
    assert [each.value.query_ids for each in parsed.every] == [("q", "r"), ("q", "r")]


def test_what_is_odd_about_an_attribute_names_it_and_what_is_of_the_file_is_noted_once() -> None:
    parsed = read_groups(("a", b"doc_id,region,size\n\n=d,n,\ne,s,big\nf,,big\n"))
    assert [[(note.line, note.message) for note in each.notes] for each in parsed.every] == [
        [
            (2, "blank line skipped"),
            (None, "document id =d starts with = + - @: a formula to spreadsheets"),
            (5, "region: empty group label for f: unlabelled"),
        ],
        [
            (3, "size: empty group label for =d: unlabelled"),
            (None, "size: only one group: disparity is 0 by construction"),
        ],
    ]


def test_texts_of_records_are_those_that_a_table_can_hold() -> None:
    content = b'{"doc_id": " a\\tb ", "my\\tgroup": "x\\r\\ny"}\n{"doc_id": "c", "my\\tgroup": " z "}\n'
    found = read_groups(("a.jsonl", content)).value
    assert (found.attribute, found.groups, found.doc_ids) == ("my group", ("x\ny", "z"), ("a\tb", "c"))
    assert shares(read_groups(written(write_groups, found)).value) == shares(found)
