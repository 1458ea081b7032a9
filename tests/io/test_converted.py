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
    "numbers for lists": lambda said: {**dict.fromkeys(said, 3), "version": said["version"]},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", [*DAMAGES, "no JSON", "fewer row groups", "another version"])
def test_a_file_that_is_not_as_it_says_is_refused(tmp_path: Path, kind: str, damage: str) -> None:
    make, original, key, read = KINDS[kind]
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    make(str(original), str(good))
    assert read(good)
    table = pyarrow.parquet.ParquetFile(good)
    assert table.num_row_groups > 1
    said = json.loads((pyarrow.parquet.read_metadata(good).metadata or {})[key])
    if damage == "another version":
        said["version"] += 1
    text = "{" if damage == "no JSON" else json.dumps(DAMAGES[damage](said) if damage in DAMAGES else said)
    with pyarrow.parquet.ParquetWriter(bad, table.schema_arrow) as writer:
        for i in range(table.num_row_groups - (damage == "fewer row groups")):
            writer.write_table(table.read_row_group(i))
        writer.add_key_value_metadata({key.decode(): text})
    reason = "by another version" if damage == "another version" else "this Parquet file cannot be read"
    with pytest.raises(InputError, match=reason):
        read(bad)
