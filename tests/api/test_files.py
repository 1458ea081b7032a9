"""``fv.load``: what is in memory is recognised and read as a file of it would be."""

import dataclasses
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairviz as fv
from fairviz.api.files import named_files
from fairviz.errors import InputError
from fairviz.io.dataset import add_file
from fairviz.io.source import Options
from fairviz.model import Factors
from fairviz.reporting.study_file import StudyContents, StudyPart, write_study

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.DataWarning")


def test_frames_files_and_nouns_are_recognised(example: Path) -> None:
    data = fv.load(
        [example / "region.tsv", pd.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]})],
        pd.DataFrame({"qid": ["q"], "docno": ["a"], "label": [1]}),
        pd.DataFrame({"docno": ["a"], "provider": ["x"]}),
        [{"query_id": "q", "text": "Yes.", "ranking": ["a"]}],
        pd.DataFrame({"doc_id": ["a"], "text": ["A passage."]}),
        fv.target({"x": 1.0}),
        name="mine",
    )
    assert [one.system for one in data.runs] == ["run"]
    assert (data.name, data.qrels[0].query_ids, [one.attribute for one in data.labels]) == (
        "mine",
        ("q",),
        ["region", "provider"],
    )
    assert data.passages == {"a": "A passage."}
    assert data.outputs[0].texts == ("Yes.",)
    assert data.target is not None


def test_folders_and_study_files_are_opened(example: Path, tmp_path: Path) -> None:
    """A folder without what nobody knows; a study file with how its files are read."""
    (tmp_path / "a.run").write_bytes((example / "bm25.run").read_bytes())
    (tmp_path / "notes.txt").write_text("nothing")
    assert [one.name for one in fv.load(tmp_path).files] == [str(tmp_path / "a.run")]
    content = (example / "utility.qrels").read_bytes()
    options = Options(role="qrels", generator="extractive")
    part = StudyPart("utility.qrels", sha256(content).hexdigest(), options, content)
    (tmp_path / "mine.fairviz").write_bytes(write_study(StudyContents(name="mine", files=(part,))))
    assert [one.generator for one in fv.load(tmp_path / "mine.fairviz").qrels] == ["extractive"]
    (tmp_path / "alone").mkdir()
    (tmp_path / "mine.fairviz").rename(tmp_path / "alone" / "mine.fairviz")
    assert [one.generator for one in fv.load(tmp_path / "alone").qrels] == ["extractive"]
    with pytest.raises(InputError, match="no file in this folder is recognised"):
        fv.load(example.parent)
    with pytest.raises(InputError, match="file not found"):
        fv.load(tmp_path / "none.run")


@pytest.mark.parametrize("source", [{"q": {"a": 1}}, 3, pd.DataFrame({"x": [1]})])
def test_what_nobody_knows_is_refused_in_one_line(source: Any) -> None:
    with pytest.raises(InputError) as error:
        fv.load(source)
    assert error.value.fix


def test_everything_loaded_is_written_and_read_again(example: Path) -> None:
    """As for the dashboard: the nouns, field by field, and the words."""
    names = ("bm25.run", "samples.alpha-4.run.gz", "usefulness.qrels", "region.tsv", "target.json")
    outputs, words = ("outputs.deterministic.jsonl.gz",), ("queries.jsonl", "corpus.jsonl", "references.jsonl")
    answers = ("variants/open.jsonl.gz",)
    data = fv.load(example / name for name in (*names, *outputs, *words, *answers))
    data = dataclasses.replace(
        data,
        systems={"bm25": Factors(task="web")},
        qrels=(*data.qrels, fv.qrels(example / "utility.qrels", generator="extractive")),
    )
    files = named_files([data, example / "bm25.run"])
    assert files[-1] == example / "bm25.run"
    written = [file for file in files if isinstance(file, tuple)]
    assert len({file.name for file, _ in written}) == len(written) == 12
    again = fv.load()
    for file, options in written:
        again = add_file(again, file, options)
    for field in ("runs", "samples", "qrels", "labels", "outputs", "variants"):
        for one, other in zip(getattr(data, field), getattr(again, field), strict=True):
            assert_equal(one, other)
    for field in ("texts", "passages", "references", "systems"):
        assert getattr(again, field) == getattr(data, field)


def assert_equal(one: Any, other: Any) -> None:
    for field in dataclasses.fields(one):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if field.name in ("name", "source", "weights", "file"):
            continue
        if isinstance(left, pl.DataFrame):
            assert left.equals(right, null_equal=True), field.name
        elif isinstance(left, np.ndarray):
            np.testing.assert_array_equal(left, right, err_msg=field.name)
        elif dataclasses.is_dataclass(left):
            assert_equal(left, right)
        elif isinstance(left, tuple) and left and dataclasses.is_dataclass(left[0]):
            for a, b in zip(left, right, strict=True):
                assert_equal(a, b)
        else:
            assert left == right, field.name
