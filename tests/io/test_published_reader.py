"""The reader of published tables: what it makes of a file, and what it refuses."""

import pytest

from fairviz.errors import InputError, UsageError
from fairviz.io.published import read_published, table_of


def test_a_table_that_is_not_shipped_names_those_that_are() -> None:
    with pytest.raises(UsageError, match="comparing 1, 3, 4, 5"):
        read_published("comparing", 2)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# paper: p\n# table: 1\na,flag\n1,\n", "title"),
        ("# paper: p\n# table: one\n# title: t\na,flag\n1,\n", "table"),
        ("# paper: p\n# something\na,flag\n1,\n", ":2: a comment that is not understood"),
        ("# paper: p\n# table: 1\n# title: t\na,flag\n1,\n", ":4: the header"),
        ("# paper: p\n# table: 1\n# title: t\n# column a: m\na\n1\n", ":5: the header"),
        ("# paper: p\n# table: 1\n# title: t\n# column a: m\na,flag\n1\n", ":6: 1 cell"),
        ("# paper: p\n# table: 1\n# title: t\n# column a: m\n", ":5: the header"),
    ],
)
def test_a_damaged_file_says_where(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        table_of(("x.csv", text.encode()))


def test_numbers_words_and_blanks() -> None:
    head = "# paper: p\n# table: 2\n# title: t\n# column a: m\n# column b: m\n"
    text = f"{head}a,b,flag\n-0.10,x,\n,,odd\n"
    table = table_of(("x.csv", text.encode()))
    assert table.rows == ((-0.1, "x"), (None, None))
    assert table.flags == ("", "odd")
