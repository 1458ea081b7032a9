"""The reader of published tables: what it makes of a file, and that every shipped file is of its layout."""

import csv
import re

import pytest

from fairviz.errors import UsageError
from fairviz.io.published import PUBLISHED, read_published, table_of
from fairviz.resources import published_folder


def test_a_table_that_is_not_shipped_names_those_that_are() -> None:
    with pytest.raises(UsageError, match="comparing 1, 3, 4, 5"):
        read_published("comparing", 2)


@pytest.mark.parametrize(("paper", "number"), PUBLISHED)
def test_a_shipped_file_describes_each_of_its_columns(paper: str, number: int) -> None:
    text = (published_folder() / f"{paper}.table-{number:02d}.csv").read_text(encoding="utf-8")
    comments = [line for line in text.splitlines() if line.startswith("#")]
    assert all(re.fullmatch(r"# (paper|table|title|remark|column .+?): .*", line) for line in comments)
    header, *rows = csv.reader(text.splitlines()[len(comments) :], strict=True)
    table = read_published(paper, number)
    assert (table.paper, table.number) == (paper, number)
    assert header == [*table.columns, "flag"]
    assert {len(row) for row in rows} == {len(header)}


def test_numbers_words_and_blanks() -> None:
    head = "# paper: p\n# table: 2\n# title: t\n# column a: m\n# column b: m\n"
    table = table_of(f"{head}a,b,flag\n-0.10,x,\n,,odd\n")
    assert table.rows == ((-0.1, "x"), (None, None))
    assert table.flags == ("", "odd")
