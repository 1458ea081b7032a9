"""Whose example is read."""

from pathlib import Path

import pytest

from fairviz.errors import FairvizError
from fairviz.io.dataset import read_shipped
from fairviz.resources import EXAMPLE


def test_an_example_of_ones_own_may_have_any_name_and_lack_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(EXAMPLE, str(tmp_path))
    with pytest.raises(FairvizError, match=r"^FAIRVIZ_EXAMPLE: \S+ is not laid out as data/demo"):
        read_shipped()
    (tmp_path / "mine.run").write_text("q1 Q0 a 1 1 mine\n")
    (file,) = read_shipped().files
    assert file.path == f"{tmp_path.parent.name}/{tmp_path.name}/mine.run"
