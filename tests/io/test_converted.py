"""Converted files of every kind whose last bytes are not true are refused in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from fairviz.errors import InputError
from fairviz.io import answers_by_item, by_output, by_query, variants_by_question
from fairviz.io.convert import convert
from fairviz.io.convert_answers import convert_answers
from fairviz.io.convert_outputs import convert_outputs
from fairviz.io.convert_variants import convert_variants

DEMO = Path(__file__).parents[2] / "data" / "demo"
KINDS: dict[str, tuple[Callable[[str, str], object], Path, bytes, Callable[[Path], object]]] = {
    "run": (lambda a, b: convert(a, b, group=100), DEMO / "bm25.run", by_query.KEY, by_query.stored_lists),
    "outputs": (
        lambda a, b: convert_outputs(a, b, group=100),
        DEMO / "outputs.alpha-4.jsonl.gz",
        by_output.KEY,
        by_output.stored_outputs,
    ),
    "answers": (
        lambda a, b: convert_answers(a, b, group=9_000),
        DEMO / "bias" / "predictions.csv.gz",
        answers_by_item.KEY,
        answers_by_item.stored_answers,
    ),
    "variants": (
        lambda a, b: convert_variants(a, b, group=500),
        DEMO / "variants" / "answers.jsonl.gz",
        variants_by_question.KEY,
        variants_by_question.stored_variants,
    ),
}
DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no object": lambda _: [],
    "nothing": lambda _: {},
    "its version only": lambda said: {"version": said["version"]},
    "what nobody knows": lambda said: {**said, "more": 1, "systems": [{"more": 1}]},
    "notes that are no pairs": lambda said: {**said, "notes": [3]},
    "numbers for lists": lambda said: {**dict.fromkeys(said, 3), "version": said["version"]},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", [*DAMAGES, "no JSON", "fewer row groups", "another version"])
def test_a_file_that_is_not_as_it_says_is_refused(tmp_path: Path, kind: str, damage: str) -> None:
    make, original, key, read = KINDS[kind]
    good = tmp_path / "good.parquet"
    make(str(original), str(good))
    assert read(good)
    table = pyarrow.parquet.ParquetFile(good)
    assert table.num_row_groups > 1
    said = _said(good, key)
    if damage == "another version":
        said["version"] += 1
    text = "{" if damage == "no JSON" else json.dumps(DAMAGES[damage](said) if damage in DAMAGES else said)
    bad = _rewritten(good, key, text, n_groups=table.num_row_groups - (damage == "fewer row groups"))
    reason = "by another version" if damage == "another version" else "this Parquet file cannot be read"
    with pytest.raises(InputError, match=reason):
        read(bad)


def test_names_that_the_rows_do_not_have_are_refused_where_they_are_read(tmp_path: Path) -> None:
    good = tmp_path / "good.parquet"
    convert(str(DEMO / "usefulness.qrels"), str(good), judgements=True, subtopics=True, group=100)
    said = _said(good, by_query.KEY)
    stored = by_query.stored_lists(_rewritten(good, by_query.KEY, json.dumps({**said, "subtopics": ["none"]})))
    assert stored is not None
    for read in (stored.part, stored.whole):
        with pytest.raises(InputError, match="this Parquet file cannot be read"):
            read()


def _said(path: Path, key: bytes) -> dict[str, Any]:
    return json.loads((pyarrow.parquet.read_metadata(path).metadata or {})[key])


def _rewritten(good: Path, key: bytes, text: str, n_groups: int | None = None) -> Path:
    """The same rows in a file that says something else of itself."""
    bad, table = good.with_name("bad.parquet"), pyarrow.parquet.ParquetFile(good)
    with pyarrow.parquet.ParquetWriter(bad, table.schema_arrow) as writer:
        for i in range(table.num_row_groups if n_groups is None else n_groups):
            writer.write_table(table.read_row_group(i))
        writer.add_key_value_metadata({key.decode(): text})
    return bad
