"""Numbers beyond what a machine's numbers hold, and digits of other scripts, wherever a file has numbers."""

import pytest

from fairviz.errors import InputError
from fairviz.io.formats import sniff
from fairviz.io.groups import read_groups
from fairviz.io.json import as_place, key_line
from fairviz.io.qrels import read_qrels
from fairviz.io.rag import read_outputs
from fairviz.io.rankings import read_run
from fairviz.io.targets import read_target
from fairviz.io.variants import read_variants

HUGE = b"9" * 400
HUGER = b"9" * 5000  # beyond what Python turns into an int


@pytest.mark.parametrize("digits", [HUGE, HUGER, b"-" + HUGE, b"1e400", b"NaN", b"-Infinity"])
def test_a_target_and_a_run_in_json_name_the_line(digits: bytes) -> None:
    for read, content in (
        (read_target, b'{"north": 0.5,\n"south": ' + digits + b"}"),
        (read_target, b'{"q1": {"north": 1},\n"q2": {"south": ' + digits + b"}}"),
        (read_run, b'{"q1": {"a": 1},\n"q2": {"b": ' + digits + b"}}"),
    ):
        with pytest.raises(InputError, match=r"^a\.json:2: (number too large|NaN|-Infinity)"):
            read(("a.json", content))


@pytest.mark.parametrize("digits", [HUGE, HUGER, b"1e400", b"nan", b"-inf", b"1_000", "١٢".encode(), b"0x10", b"1,5"])
def test_tables_name_the_line(digits: bytes) -> None:
    for read, content in (
        (read_run, b"q Q0 a 1 2 s\nq Q0 b 2 " + digits + b" s\n"),
        (read_qrels, b"q 0 a 1\nq 0 b " + digits + b"\n"),
        (read_groups, b"doc_id\tgroup\tweight\nd\tn\t" + digits + b"\n"),
    ):
        with pytest.raises(InputError, match=r"^a\.file:2: "):
            read(("a.file", content))


@pytest.mark.parametrize(
    ("field", "told"),
    [
        (b'"utility": ' + HUGE, "number too large"),
        (b'"alpha": 1e400', "number too large"),
        (b'"k": 99999999999', "k is out of range"),
        (b'"k": -1', "k is out of range"),
        (b'"utility": "1"', "utility must be a number"),
    ],
)
def test_recorded_outputs_name_the_line(field: bytes, told: str) -> None:
    content = b'{"query_id": 1, "ranking": ["d"]}\n{"query_id": 2, "ranking": ["d"], ' + field + b"}\n"
    with pytest.raises(InputError, match=rf"^a\.jsonl:2: {told}"):
        read_outputs(("a.jsonl", content))


def test_minus_nothing_is_a_number() -> None:
    assert read_run(("a.run", b"q Q0 a 1 -0 s\n")).value.scores.tolist() == [0]
    assert read_target(("a.json", b'{"a": 1, "b": -0.0}')).value.shares.tolist() == [1, 0]


def test_what_a_file_is_can_be_asked_of_any_number() -> None:
    assert sniff(("a.json", b'{"q": {"a": ' + HUGE + b', "b": 1.5}}')).role == "run"


def test_a_right_answer_of_many_digits_is_words() -> None:
    """Not the place of an option."""
    rows = b"".join(
        b'{"qid": 1, "attribute": "sex", "value": "%s", "gold": "%s", "prediction": "x", "options": ["x", "y"], '
        b'"kind": "open"}\n' % (value, HUGER)
        for value in (b"f", b"m")
    )
    assert read_variants(("a.jsonl", rows)).value.frame["gold"].unique().to_list() == [HUGER.decode()]
    assert as_place("0") == 0


def test_the_line_of_a_name() -> None:
    text = '{"a": ["{", {"b": 1}],\n "\\u0062": {"c\\"":\n 2, "d": [\n{"e": 3}]}}'
    assert [key_line(text, *path) for path in (("a",), ("a", "1", "b"), ("b",), ("b", 'c"'), ("b", "d", "0", "e"))] == [
        *(1, 1, 2, 2, 4)
    ]
    assert key_line(text, "e") is None
