"""Files of ``fairviz convert`` as bytes: they are known for what they hold, and read as the text that they were."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairviz.cli.main import main
from fairviz.errors import InputError
from fairviz.io import converted_upload
from fairviz.io.dataset import add_file
from fairviz.io.rankings import read_rankings
from fairviz.io.sniff import sniff
from fairviz.model import Dataset
from fairviz.resources import example_folder

DEMO = example_folder()
FILES = {
    "bm25.run": "runs",
    "samples.alpha-4.run.gz": "samples",
    "usefulness.qrels": "qrels",
    "outputs.alpha-4.jsonl.gz": "outputs",
    "bias/predictions.csv.gz": "bias_predictions",
    "variants/answers.jsonl.gz": "variants",
}
OWN = ("file", "name", "doc_ids", "docs", "largest_of_all")
"""Where it is from, how documents are numbered, and what a part of judgements remembers of the whole."""


def converted(name: str, folder: Path) -> bytes:
    to = folder / "upload.parquet"
    assert main(["convert", str(DEMO / name), "--output", str(to)]) == 0
    return to.read_bytes()


def same(one: Any, other: Any) -> bool:
    """Whether two nouns hold the same, field by field."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "__dataclass_fields__"):
        names = [name for name in one.__dataclass_fields__ if name not in OWN]
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    return one == other


@pytest.mark.parametrize("name", FILES)
def test_a_converted_upload_is_the_file_that_it_was(name: str, tmp_path: Path) -> None:
    content = converted(name, tmp_path)
    stem = Path(name).name.removesuffix(".gz")
    whole = add_file(Dataset(), (Path(name).name, (DEMO / name).read_bytes()))
    uploaded = add_file(Dataset(), (f"{stem}.parquet", content))
    if name.startswith("bias"):  # by item, not by line: tests/io/test_convert_answers.py
        whole = add_file(Dataset(), tmp_path / "upload.parquet")
    before, after = (getattr(loaded, FILES[name]) for loaded in (whole, uploaded))
    one, other = (part[0] if isinstance(part, tuple) else part for part in (before, after))
    assert one is not None
    assert other is not None
    assert same(one, other)
    if hasattr(one, "docs"):
        assert [one.doc_ids[doc] for doc in one.docs.tolist()] == [other.doc_ids[doc] for doc in other.docs.tolist()]
    assert [note.message for note in uploaded.notes] == [note.message for note in whole.notes]
    assert {note.file for note in uploaded.notes} <= {f"{stem}.parquet"}


def test_what_is_wrong_is_said_of_the_upload_by_its_name(tmp_path: Path) -> None:
    content = bytearray(converted("bm25.run", tmp_path))
    content[100:200] = bytes(100)
    with pytest.raises(InputError) as error:
        read_rankings(("my.parquet", bytes(content)))
    assert (error.value.file, error.value.reason) == ("my.parquet", "this Parquet file cannot be read")
    metadata = content.replace(b'"version": 1', b'"version": 7')
    if metadata != content:
        with pytest.raises(InputError, match=r"^my.parquet: "):
            sniff(("my.parquet", bytes(metadata)))
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), other)
    with pytest.raises(InputError, match=r"^my.parquet: a Parquet file that fairviz convert did not write"):
        read_rankings(("my.parquet", other.read_bytes()))


def test_an_upload_that_grows_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = converted("bm25.run", tmp_path)
    monkeypatch.setattr(converted_upload, "RATIO_FREE", 1024)
    monkeypatch.setattr(converted_upload, "MAX_RATIO", 1)
    with pytest.raises(InputError, match=r"^my.parquet: decompressed size exceeds the limit"):
        read_rankings(("my.parquet", content))
    assert read_rankings(tmp_path / "upload.parquet").value.query_ids, "of the owner's disk"
