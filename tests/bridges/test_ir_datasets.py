"""Judgements and runs come from ir_datasets; the catalogue itself asks a network, so these data sets are files here."""

from pathlib import Path

import pytest

import fairviz as fv

ir_datasets = pytest.importorskip("ir_datasets", reason='ir_datasets is absent: pip install "fairviz[irds]"')

pytestmark = pytest.mark.filterwarnings("ignore::fairviz.errors.DataWarning")


def dataset(folder: Path):
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import TrecQrels, TrecScoredDocs
    from ir_datasets.util import LocalDownload

    (folder / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (folder / "run").write_text("q1 Q0 b 1 2.0 tag\nq1 Q0 a 2 1.0 tag\n")
    qrels = TrecQrels(LocalDownload(folder / "qrels"), {0: "not relevant", 1: "relevant"})
    return Dataset(qrels, TrecScoredDocs(LocalDownload(folder / "run")))


def test_judgements_and_scored_documents_are_nouns(tmp_path: Path) -> None:
    from fairviz.bridges.ir_datasets import qrels, run

    found = dataset(tmp_path)
    # the useful document stands second
    assert fv.evaluate(run(found), qrels(found), "RR").frame().value.tolist() == [0.5]


def test_what_is_not_there_is_said() -> None:
    from fairviz.bridges.ir_datasets import qrels
    from fairviz.errors import UsageError

    with pytest.raises(UsageError, match="no data set 'nowhere'"):
        qrels("nowhere")
