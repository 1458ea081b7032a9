"""Curves of a run that stays in its file, beside those of the same rows in memory."""

from pathlib import Path

import numpy as np
import pytest

from fairviz.errors import UsageError
from fairviz.io import stored
from fairviz.model import Dataset
from fairviz.studies.tradeoff.analysis import analyse
from fairviz.studies.tradeoff.settings import TradeoffSettings
from tests.evaluation.test_ranges import SMALL, loaded, rows_of_example

PLACKETT_LUCE = {"policy": ("plackett-luce",), "alpha": (0.0, 1.5, 8.0)}


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Dataset, Dataset]:
    monkeypatch.setattr(stored, "RANGE", SMALL)
    file = tmp_path / "big.parquet"
    rows_of_example().write_parquet(file)
    return loaded(file, ranges=False), loaded(file, ranges=True)


@pytest.mark.parametrize("attended", [{"k": 5}, {"k": 60}, {"attention": "rbp"}], ids=str)
def test_points_areas_and_warnings_are_those_of_the_run_in_memory(
    both: tuple[Dataset, Dataset], attended: dict[str, object]
) -> None:
    whole, by_range = (analyse(data, TradeoffSettings.of(PLACKETT_LUCE | attended)) for data in both)
    assert whole.tables.keys() == by_range.tables.keys()
    for stem, table in whole.tables.items():
        assert len(table.rows) == len(by_range.tables[stem].rows) > 0
        for ours, theirs in zip(table.rows, by_range.tables[stem].rows, strict=True):
            for cell, other in zip(ours, theirs, strict=True):
                if isinstance(cell, float):
                    np.testing.assert_allclose(float(str(other)), cell, rtol=0, atol=1e-12)
                else:
                    assert cell == other
    read = {str(note) for note in both[0].notes if "big.parquet" in note.file}
    assert read | set(map(str, whole.notes)) == set(map(str, by_range.notes))
    assert by_range.charts.keys() == whole.charts.keys()


def test_without_a_policy_the_curves_are_plackett_luce(both: tuple[Dataset, Dataset]) -> None:
    found = analyse(both[1], TradeoffSettings(k=5))
    at = found.tables["curves"].keys.index("policy")
    assert {row[at] for row in found.tables["curves"].rows} == {"plackett-luce", "uniform", "deterministic"}


@pytest.mark.parametrize("said", [{"policy": ("optimal",)}, {"policy": ("all",)}, {"samples": 10}], ids=str)
def test_what_depends_on_all_queries_at_once_is_refused(both: tuple[Dataset, Dataset], said: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"big\.parquet is read range by range.*leave out --samples"):
        analyse(both[1], TradeoffSettings.of({"k": 5, **said}))
