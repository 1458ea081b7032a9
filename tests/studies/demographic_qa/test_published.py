"""The published tables in words, from the shipped files: cells as printed, contradictions marked."""

from itertools import pairwise

import pytest

from fairviz.display.published import long_table, read_published
from fairviz.resources import content

PAPER = "rag-medical-bias"


def published_title(number: int) -> str:
    """What a table is said to show."""
    (finding,) = content("answers/printed")[PAPER][number]
    return finding["title"]


def numbers(number: int, *columns: str) -> list[list[float]]:
    """Columns of a printed table."""
    table = read_published(PAPER, number)
    return [[float(str(cell)) for cell in table.cells[column]] for column in columns]


@pytest.mark.parametrize(("number", "score"), [(3, "accuracy"), (4, "rouge_l")])
def test_tables_3_and_4_are_counted_against_plain(number: int, score: str) -> None:
    methods = read_published(PAPER, number).cells["method"].to_list()
    (plain, *others) = zip(*numbers(number, "dp", "eo", score), strict=True)
    assert methods[0] == "Plain"
    assert all(dp < plain[0] and eo < plain[1] and value >= plain[2] for dp, eo, value in others)
    least = min(others)
    assert sum(other[0] == least[0] for other in others) == 1
    assert methods[1 + others.index(least)] == "Majority Vote"
    title = published_title(number)
    assert title.startswith("Every strategy narrows both disparities and none has a lower ")
    assert title.endswith(
        f"than Plain; Majority Vote narrows the gap between groups most, from {plain[0]} to {least[0]:.2f}"
    )


def test_numbers_are_printed_as_the_paper_prints_them() -> None:
    table = long_table(read_published(PAPER, 5))
    row = dict(zip(table.keys, zip(table.rows[0], table.columns, strict=True), strict=True))
    assert [table.printed(*row[key]) for key in ("k", "overlap", "dp", "score")] == ["10", "72.2", "0.12", "31.2"]


def test_table_2_names_the_highest() -> None:
    table, rows = read_published(PAPER, 2), {}
    for model, dataset, strategy, score in zip(
        *(table.cells[name] for name in ("model", "dataset", "strategy", "score")), strict=True
    ):
        rows.setdefault((model, dataset), {})[strategy] = score
    best = [[name for name, score in row.items() if score == max(row.values())] for row in rows.values()]
    assert len(best) == 16
    assert all(len(names) == 1 for names in best)
    assert {str(names[0]).casefold() for names in best} <= {"mv", "majority vote"}
    assert published_title(2) == "Majority Vote scores highest in all 16 rows"


def test_table_5_in_a_title() -> None:
    names = read_published(PAPER, 5).cells["retriever"]
    for name in dict.fromkeys(names):
        for column, sign in (("overlap", -1), ("dp", -1), ("eo", -1), ("score", 1)):
            line = [value for own, value in zip(names, numbers(5, column)[0], strict=True) if own == name]
            assert all(sign * (after - before) > 0 for before, after in pairwise(line))
    assert published_title(5) == (
        "With more documents, overlap and both disparities fall and the score rises, for both retrievers"
    )


def test_table_6_in_a_line() -> None:
    table = read_published(PAPER, 6)
    for metric, before, after in zip(*(table.cells[name] for name in ("metric", "no_mv", "with_mv")), strict=True):
        scale = 100 if metric in ("DP", "EO") else 1
        ends = " → ".join(f"{scale * float(str(end)):.{0 if scale > 1 else 1}f}" for end in (before, after))
        assert f" {ends}" in published_title(6)
