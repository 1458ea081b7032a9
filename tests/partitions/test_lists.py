"""Lists by ranges of queries: what a range holds is what the whole holds of it."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import InputError
from fairviz.evaluation.joins import by_task
from fairviz.io.by_query import stored_lists
from fairviz.io.convert import convert
from fairviz.model import Factors, Qrels
from fairviz.partitions.lists import Cuttable, Slice, order_of, outline, ranges
from tests.nouns import run_of


@pytest.mark.parametrize("size", [1, 5, 100])
def test_judgements_of_a_task_are_those_of_its_queries(tmp_path: Path, size: int) -> None:
    """Queries of two tasks alternate, one belongs to neither; what is sent to a worker names only what is asked."""
    lines = [f"q{i} 0 d{j} {(i + j) % 4}\n" for i in (7, 2, 9, 4, 1, 8, 3) for j in range(3)]
    (tmp_path / "all.qrels").write_text("".join(lines), encoding="utf-8")
    convert(str(tmp_path / "all.qrels"), str(tmp_path / "all.parquet"), judgements=True, group=6)
    stored = stored_lists(str(tmp_path / "all.parquet"))
    assert stored is not None
    systems = [run_of({f"q{i}": {"d0": 1.0} for i in own}, system=str(own)) for own in ([1, 3, 7], [2, 4, 8])]
    table = {one.system: Factors(task=one.system) for one in systems}
    whole = stored.whole()
    assert isinstance(whole, Qrels)
    parts = by_task([outline(stored)], systems, table)
    assert [one.query_ids for one in parts] == [("q7", "q9", "q1", "q3"), ("q2", "q9", "q4", "q8")]
    for cut_apart, in_memory in zip(parts, by_task([whole], systems, table), strict=True):
        cut, same = Cuttable(cut_apart), Cuttable(in_memory)
        asked = ranges([cut], size=size)
        assert len(asked) > 1 or size > 5
        for one in asked:
            piece = cut.at(one)
            assert piece.only is not None
            assert piece.only <= set(cut_apart.query_ids)
            assert grades(piece) == grades(same.at(one))
        assert [query for one in asked for query, *_ in grades(cut.at(one))] == sorted(in_memory.query_ids)


def test_a_file_with_other_queries_than_it_had_is_refused_by_its_name() -> None:
    whole = ("q2", "q1", "q3")
    assert order_of(whole, [("q1",), ("q2", "q3")], system="a").tolist() == [1, 0, 2]
    for parts in ([("q1",), ("q2",)], [("q1", "q2"), ("q3", "q4")]):
        with pytest.raises(InputError, match="a: changed while it was read"):
            order_of(whole, parts, system="a")


def grades(piece: Slice) -> list[tuple[str, list[str], list[int], int]]:
    """Documents and grades of each query, and the largest grade of all."""
    read = piece.judgements()
    rows = [np.arange(first, last) for first, last in pairwise(read.offsets)]
    named = zip(read.query_ids, rows, strict=True)
    return [
        (q, [read.doc_ids[d] for d in read.docs[of]], read.grades[of].tolist(), read.largest_grade) for q, of in named
    ]
